//! Go's standard library, built once for each toolchain, so that not every tree builds it anew.
//!
//! # What was decided
//! - It is built by us, in an empty folder, with the network closed, in a home of its own: no code of a project is there.
//! - It is known by what Go says of itself. What does not fit is not found by Go, which knows what it builds by digests.
//! - Every tree gets a **copy** as its build cache: what is done to a copy is not found by the next tree. A sandbox keeps
//!   checks from writing the original.
//! - Without it nothing changes but the time: that it cannot be built is no error.

use std::fs;
use std::path::Path;
use std::time::Duration;

use tribunal_kernel::digest::Hasher;
use tribunal_kernel::evidence::{CommandEvidence, TestRunner};

use super::check_home::{CheckHome, Furnished};
use super::collector::EvidenceCollector;
use super::kept::{KeptFolder, KeptFound};
use super::request::EvidenceError;
use super::setup::{ShowSetup, with};
use crate::command_run::{CommandRun, CommandSeen};
use crate::process::How;
use crate::sandbox::Confinement;
use crate::tree::bring_leftovers;

/// What Go says of itself, as far as it decides what it builds.
const IDENTITY: &str = "go version && go env GOROOT GOOS GOARCH GOEXPERIMENT GOFLAGS GOFIPS140 GO386 GOAMD64 GOARM GOARM64 \
     GOMIPS GOMIPS64 GOPPC64 GORISCV64 GOWASM CGO_ENABLED CC CXX CGO_CFLAGS CGO_CPPFLAGS CGO_CXXFLAGS CGO_LDFLAGS && \
     if test \"$(go env CGO_ENABLED)\" = 1; then $(go env CC) --version 2>/dev/null | head -n 1; fi";
/// Packages that most tests use: testing something that uses them makes what a build alone does not, for `go vet`.
const SAMPLE: &str = "package std\n\nimport (\n\t_ \"context\"\n\t_ \"encoding/json\"\n\t_ \"net/http/httptest\"\n\t_ \"os/exec\"\n\t_ \
     \"regexp\"\n\t\"testing\"\n\t_ \"text/template\"\n)\n\nfunc TestNothing(*testing.T) {}\n";
const MODULE: &str = "module example.invalid/std\n\ngo 1.16\n";
/// How long it may take to ask, and to build.
const ASKING: Duration = Duration::from_secs(60);
const BUILDING: Duration = Duration::from_secs(15 * 60);
/// Another form of what is kept is kept elsewhere.
const FORM: &[u8] = b"go 1";

/// A standard library, built.
#[derive(Debug)]
pub(super) struct GoCache {
    kept: KeptFolder,
}

impl GoCache {
    /// Where a build cache lies in a home.
    const BELOW: &str = ".cache/go-build";

    /// Brings a copy of it into a home in which nothing has run yet.
    pub(super) async fn bring(&self, home: &Furnished) -> Result<(), EvidenceError> {
        bring_leftovers(&self.kept.path().join("home").join(Self::BELOW), &home.path.join(Self::BELOW), &[]).await?;
        Ok(())
    }
}

/// Whether a command runs Go, as far as its line and its runners say.
pub(super) fn uses_go(command: &CommandEvidence) -> bool {
    let is_go = |word: &str| word == "go" || word.ends_with("/go");
    command.runners.contains(&TestRunner::GoTest) || command.command.line.split_whitespace().any(is_go)
}

impl EvidenceCollector<'_> {
    /// The standard library for the Go that checks find. Nothing, where it cannot be had.
    pub(super) async fn go_cache(&self, show: ShowSetup<'_>) -> Option<GoCache> {
        let home = self.place.home.as_ref()?;
        let identity = self.go_identity(home).await?;
        let mut hasher = Hasher::default();
        hasher.field(FORM).field(identity.as_bytes());
        let key: String = hasher.finish().to_string().chars().take(24).collect();
        let draft = match KeptFolder::find(&home.cache.join("go"), &key).await.ok()? {
            KeptFound::Kept(kept) => return Some(GoCache { kept }),
            KeptFound::Missing(draft) => draft,
        };
        let version = identity.split_whitespace().nth(2).unwrap_or("Go");
        show(format!("building the standard library of {version}, once"));
        let (empty, sample) = (draft.path().join("empty"), draft.path().join("sample"));
        fs::create_dir_all(&sample).ok()?;
        fs::write(sample.join("go.mod"), MODULE).ok()?;
        fs::write(sample.join("std_test.go"), SAMPLE).ok()?;
        let built = self.run_go(home, draft.path(), &empty, "go build std", BUILDING).await?;
        if !is_well(&built) {
            return None;
        }
        // Only a little is lost without it.
        let _ = self.run_go(home, draft.path(), &sample, "go test .", BUILDING).await;
        for spent in ["tmp", "sample", "empty"] {
            crate::tree::remove_all(&draft.path().join(spent)).ok()?;
        }
        Some(GoCache { kept: draft.finish().await.ok()? })
    }

    async fn go_identity(&self, home: &CheckHome) -> Option<String> {
        let folder = self.place.folder.join("go");
        let seen = self.run_go(home, &folder, &folder.join("empty"), IDENTITY, ASKING).await;
        let _ = crate::tree::remove_all(&folder); // the whole folder goes at the end
        let seen = seen.filter(is_well)?;
        String::from_utf8(seen.output).ok().filter(|told| told.starts_with("go version "))
    }

    /// Runs a line of ours in a folder of ours. Nothing else is there, and the network is closed.
    async fn run_go(
        &self,
        home: &CheckHome,
        folder: &Path,
        cwd: &Path,
        line: &str,
        patience: Duration,
    ) -> Option<CommandSeen> {
        let tmp = folder.join("tmp");
        for made in [&tmp, cwd] {
            fs::create_dir_all(made).ok()?;
        }
        let own = home.furnish(folder.join("home"), false, None).ok()?;
        let run = CommandRun {
            argv: vec!["sh".into(), "-c".into(), line.to_owned()],
            env: with(&self.place.env, own.env),
            cwd: cwd.to_owned(),
            stdin: Vec::new(),
            patience,
            grace: self.limits.grace,
            confinement: Confinement {
                writable: vec![own.path, cwd.to_owned()],
                read_only: Vec::new(),
                hidden: self.place.hidden.clone(),
                network: false,
                tmp,
            },
        };
        run.run(self.sandbox).await.ok()
    }
}

fn is_well(seen: &CommandSeen) -> bool {
    seen.how == How::Exited && seen.exit == Some(0)
}
