//! Which mechanism works here: each is tried, because containers often forbid what is installed.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::bubblewrap::Bubblewrap;
use super::{Confinement, Mechanism, Sandbox, SandboxError, Walls, landlock};
use crate::process::{self, Bounds, ChildExit};
use crate::temporary::{FolderUse, TemporaryFolder};

const TRIAL: Bounds = Bounds {
    idle: Duration::from_secs(10),
    total: Duration::from_secs(10),
    grace: Duration::ZERO,
    stdout: 4096,
    stderr_tail: 1024,
};
/// Writes where it may and fails to write where it may not.
const ATTEMPT: &str = "touch \"$0/in\" && ! touch \"$1/out\" 2>/dev/null";

impl Sandbox {
    /// The strongest mechanism that works, best first: bubblewrap with Landlock inside, bubblewrap, Landlock, none.
    /// `launcher` is a program that calls [`super::enter_and_exec`]; without it there is no Landlock. Takes some tens
    /// of milliseconds: to be done once.
    pub async fn detect(launcher: Option<PathBuf>) -> Self {
        let support = launcher.as_ref().and_then(|_| landlock::support());
        let launcher = launcher.filter(|_| support.is_some());
        let mut notes = Vec::new();
        let mut candidates = Vec::new();
        match find("bwrap") {
            None => notes.push("bubblewrap is not installed".to_owned()),
            Some(program) => {
                let polite = Bubblewrap { program, env: find("env") };
                let blunt = Bubblewrap { env: None, ..polite.clone() };
                let wraps = if polite.env.is_some() { vec![polite, blunt] } else { vec![blunt] };
                candidates.extend(wraps.iter().filter(|_| launcher.is_some()).map(|wrap| (Some(wrap.clone()), true)));
                candidates.extend(wraps.into_iter().map(|wrap| (Some(wrap), false)));
            }
        }
        if launcher.is_some() {
            candidates.push((None, true));
        } else {
            notes.push("Landlock is not used: the kernel has none, or there is no launcher".to_owned());
        }
        for (wrap, uses_landlock) in candidates {
            let walls = Walls { bubblewrap: wrap, launcher: launcher.clone().filter(|_| uses_landlock) };
            let sandbox = Self { walls, support, notes: Vec::new() };
            match sandbox.try_out().await {
                Ok(()) => return Self { notes, ..sandbox },
                Err(why) => notes.push(format!("{:?} does not work here: {why}", sandbox.mechanism())),
            }
        }
        Self { walls: Walls::default(), support, notes }
    }

    /// This mechanism and no other, untried.
    pub fn forced(mechanism: Mechanism, launcher: Option<PathBuf>) -> Result<Self, SandboxError> {
        let wrap = || {
            let program = find("bwrap").ok_or(SandboxError::NoProgram { program: "bwrap" })?;
            Ok::<_, SandboxError>(Some(Bubblewrap { program, env: find("env") }))
        };
        let launcher = || launcher.ok_or(SandboxError::NoLauncher).map(Some);
        let walls = match mechanism {
            Mechanism::Bubblewrap { landlock: true } => Walls { bubblewrap: wrap()?, launcher: launcher()? },
            Mechanism::Bubblewrap { landlock: false } => Walls { bubblewrap: wrap()?, launcher: None },
            Mechanism::Landlock => Walls { bubblewrap: None, launcher: launcher()? },
            Mechanism::Copy => Walls::default(),
        };
        Ok(Self { walls, support: landlock::support(), notes: Vec::new() })
    }

    async fn try_out(&self) -> Result<(), String> {
        let told = |error: io::Error| error.to_string();
        let folder = TemporaryFolder::make(FolderUse::Sandbox).map_err(told)?;
        let root = folder.path().canonicalize().map_err(told)?;
        let [inside, outside, tmp] = ["inside", "outside", "tmp"].map(|name| root.join(name));
        for path in [&inside, &outside, &tmp] {
            fs::create_dir(path).map_err(told)?;
        }
        let command = process::ProcessCommand {
            program: "sh".into(),
            args: vec!["-c".into(), ATTEMPT.into(), inside.clone().into(), outside.clone().into()],
            env: vec![("PATH".into(), search_path())],
            cwd: Some(inside.clone()),
            stdin: Vec::new(),
        };
        let to = Confinement { writable: vec![inside.clone()], tmp, ..Confinement::default() };
        let command = self.confine(command, &to).map_err(|error| error.to_string())?;
        let ended = process::run(command, &TRIAL, &CancellationToken::new(), |_| {}).await;
        let ended = ended.map_err(|error| error.to_string())?;
        let holds = inside.join("in").exists() && !outside.join("out").exists();
        if ended.exit == Some(ChildExit::Code(0)) && holds {
            Ok(())
        } else {
            Err(ended.stderr_tail.lines().last().unwrap_or("it does not confine programs as it should").to_owned())
        }
    }
}

fn search_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into())
}

fn find(program: &str) -> Option<PathBuf> {
    let command = process::ProcessCommand {
        program: program.into(),
        env: vec![("PATH".into(), search_path())],
        cwd: Some(Path::new("/").into()),
        ..process::ProcessCommand::default()
    };
    command.resolve().ok()
}
