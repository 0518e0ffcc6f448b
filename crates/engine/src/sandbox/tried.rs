//! What a mechanism really holds on this machine: it is tried.

use std::fs;
use std::io;
use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{Confinement, Mechanism, Sandbox, Ward};
use crate::process::{self, Bounds, ProcessCommand};
use crate::temporary::{FolderUse, TemporaryFolder};

const TRIAL: Bounds = Bounds {
    idle: Duration::from_secs(20),
    total: Duration::from_secs(20),
    grace: Duration::ZERO,
    stdout: 4096,
    stderr_tail: 1024,
};
/// Says what it got although it should not. `$0` is the folder, `$1` our process, `$2` the port of a server here.
/// What has to work comes first: a program that cannot even start holds nothing.
const ATTEMPTS: &str = r#"
touch "$0/work/new" && cat "$0/closed/open/file" >/dev/null && echo works
( echo x > "$0/outside/file" ) 2>/dev/null && echo writes
( echo x > "$0/work/plans/file" ) 2>/dev/null && echo read-only
{ cat "$0/closed/file" "$0/token" 2>/dev/null | grep -q secret; } && echo hidden
( test -r "/proc/$1/cmdline" ) 2>/dev/null && echo processes
( kill -0 "$1" ) 2>/dev/null && echo signals
( chmod 600 "$0/outside/file" ) 2>/dev/null && echo modes
if command -v bash >/dev/null 2>&1; then
    bash -c ": <>/dev/tcp/127.0.0.1/$2" 2>/dev/null && echo network
else
    echo no-bash
fi
true
"#;
const WARDS: [(Ward, &str); 7] = [
    (Ward::Writes, "writes"),
    (Ward::ReadOnly, "read-only"),
    (Ward::Hidden, "hidden"),
    (Ward::Network, "network"),
    (Ward::Processes, "processes"),
    (Ward::Signals, "signals"),
    (Ward::Modes, "modes"),
];

/// What was seen of one mechanism.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MechanismTried {
    pub mechanism: Mechanism,
    /// What it kept from happening, and what it did not; or why nothing could be tried.
    pub seen: Result<Vec<(Ward, bool)>, String>,
}

impl MechanismTried {
    /// Every mechanism, as it is here. `launcher` as for [`Sandbox::detect`].
    pub async fn all(launcher: Option<&Path>) -> Vec<Self> {
        let all = [
            Mechanism::Bubblewrap { landlock: true },
            Mechanism::Bubblewrap { landlock: false },
            Mechanism::Landlock,
            Mechanism::Copy,
        ];
        let mut tried = Vec::new();
        for mechanism in all {
            let seen = match Sandbox::forced(mechanism, launcher.map(Path::to_owned)) {
                Ok(sandbox) => sandbox.try_wards().await,
                Err(error) => Err(error.to_string()),
            };
            tried.push(Self { mechanism, seen });
        }
        tried
    }
}

impl Sandbox {
    /// Tries to get out, and says what that came to.
    async fn try_wards(&self) -> Result<Vec<(Ward, bool)>, String> {
        let told = |error: io::Error| error.to_string();
        let folder = TemporaryFolder::make(FolderUse::Sandbox).map_err(told)?;
        let root = folder.path().canonicalize().map_err(told)?;
        for path in ["work/plans", "outside", "closed/open", "tmp"] {
            fs::create_dir_all(root.join(path)).map_err(told)?;
        }
        for path in ["work/plans/file", "outside/file", "closed/file", "closed/open/file", "token"] {
            fs::write(root.join(path), "secret\n").map_err(told)?;
        }
        let server = TcpListener::bind("127.0.0.1:0").map_err(told)?;
        let port = server.local_addr().map_err(told)?.port();
        let args = [std::process::id().to_string(), port.to_string()];
        let path = |name: &str| root.join(name);
        let command = ProcessCommand {
            program: "sh".into(),
            args: ["-c".into(), ATTEMPTS.into(), root.clone().into_os_string()]
                .into_iter()
                .chain(args.map(Into::into))
                .collect(),
            env: vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into()))],
            cwd: Some(path("work")),
            stdin: Vec::new(),
        };
        let to = Confinement {
            writable: vec![path("work")],
            read_only: vec![path("work/plans"), path("closed/open")],
            hidden: vec![path("closed"), path("token")],
            network: false,
            tmp: path("tmp"),
        };
        let command = self.confine(command, &to).map_err(|error| error.to_string())?;
        let mut printed = Vec::new();
        let never = CancellationToken::new();
        let ended = process::run(command, &TRIAL, &never, |bytes| printed.extend_from_slice(bytes)).await;
        let ended = ended.map_err(|error| error.to_string())?;
        let printed = String::from_utf8_lossy(&printed).into_owned();
        let got = |word: &str| printed.lines().any(|line| line == word);
        if !got("works") {
            let why = ended.stderr_tail.lines().last().unwrap_or("it keeps programs from working at all");
            return Err(why.to_owned());
        }
        let is_tried = |(ward, _): &&(Ward, &str)| *ward != Ward::Network || !got("no-bash");
        Ok(WARDS.iter().filter(is_tried).map(|(ward, word)| (*ward, !got(word))).collect())
    }
}
