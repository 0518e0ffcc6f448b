//! One command on one checkout, asked for its report.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tribunal_kernel::Digest;
use tribunal_kernel::desk::CheckEnd;
use tribunal_kernel::evidence::{
    Adapted, AdaptedLine, Canary, CommandExpectation, EvidenceCommand, ReportForm, ReportStrength, ReportWish, RunSeen,
    TestReport, adapt, state_of,
};

use super::collector::EvidenceCollector;
use super::laid_out::LaidOut;
use super::request::EvidenceError;
use super::setup::with;
use crate::command_run::{CommandRun, tail};
use crate::process::How;
use crate::sandbox::Confinement;
use crate::tree::read_inside;

/// The most that is read of a report.
const MOST_REPORT: u64 = 32 << 20;
/// What is kept of an output, in characters.
const TAIL: usize = 4000;

/// What is run beside the command's own tests.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Beside<'a> {
    pub(super) canary: Option<&'a Canary>,
    pub(super) names_canary: bool,
    /// Nothing but these tests, where the runner can be told so.
    pub(super) only: &'a [String],
    /// Less than the usual patience.
    pub(super) patience: Option<Duration>,
    /// Another line in the place of a plain command, and a folder that it may write to.
    pub(super) planted: Option<(&'a str, &'a Path)>,
}

impl EvidenceCollector<'_> {
    /// Runs a command on a tree, and says what was seen of it.
    pub(super) async fn run(
        &self,
        tree: &LaidOut,
        command: &EvidenceCommand,
        beside: Beside<'_>,
    ) -> Result<RunSeen, EvidenceError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let [reports, tmp] = ["reports", "tmp"].map(|name| self.place.folder.join(format!("{name}-{number}")));
        for folder in [&reports, &tmp] {
            fs::create_dir_all(folder).map_err(EvidenceError::io(folder))?;
        }
        let adapted = adapted(tree, command, &reports, beside);
        if let Some(adapted) = &adapted {
            for (name, text) in &adapted.files {
                fs::write(reports.join(name), text).map_err(EvidenceError::io(&reports))?;
            }
        }
        let plain = beside.planted.map_or(command.line.as_str(), |(line, _)| line);
        let line = adapted.as_ref().map_or(plain, |adapted| &adapted.line).to_owned();
        let run = CommandRun {
            argv: vec!["sh".into(), "-c".into(), format!("exec 2>&1\n{line}")],
            env: self.env(tree, adapted.as_ref()),
            cwd: tree.checkout.path().to_owned(),
            stdin: Vec::new(),
            patience: beside.patience.unwrap_or(self.limits.run).min(self.limits.run),
            grace: self.limits.grace,
            confinement: Confinement {
                writable: [tree.checkout.root().to_owned(), reports.clone()]
                    .into_iter()
                    .chain(tree.home.as_ref().map(|home| home.path.clone()))
                    .chain(self.place.writable.iter().cloned())
                    .chain(beside.planted.map(|(_, folder)| folder.to_owned()))
                    .collect(),
                read_only: self.place.carry.iter().map(|(from, _)| from).chain(&tree.read_only).cloned().collect(),
                hidden: self.place.hidden.clone(),
                network: self.place.network,
                tmp: tmp.clone(),
            },
        };
        let (ended, exit, output, elapsed) = match run.run(self.sandbox).await {
            Ok(seen) => {
                let ended = match seen.how {
                    How::Exited => CheckEnd::Exited,
                    How::Silent | How::Overtime => CheckEnd::TimedOut,
                    How::Cancelled | How::TooMuchOutput => CheckEnd::Killed,
                };
                (ended, seen.exit, seen.output, seen.elapsed)
            }
            Err(error) => (CheckEnd::NotStarted, None, error.to_string().into_bytes(), Duration::ZERO),
        };
        let output = String::from_utf8_lossy(&output).into_owned();
        let report = adapted.as_ref().and_then(|adapted| report_of(adapted, &reports, &output));
        for folder in [&reports, &tmp] {
            let _ = fs::remove_dir_all(folder); // the whole folder goes at the end
        }
        let end = (ended, exit);
        let state = state_of(command, adapted.as_ref(), end, report.as_ref(), &output);
        let (digest, tail) = (Digest::of(&output), tail(&output, TAIL).to_owned());
        Ok(RunSeen {
            tree: tree.role,
            line,
            exit,
            ended,
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            output: digest,
            tail,
            printed: output,
            strength: adapted.as_ref().map_or(ReportStrength::ExitOnly, AdaptedLine::strength),
            report,
            state,
            rewritten: Vec::new(),
        })
    }

    fn env(&self, tree: &LaidOut, adapted: Option<&AdaptedLine>) -> Vec<(String, String)> {
        let root = tree.checkout.root();
        let above = root.parent().unwrap_or(root).to_string_lossy().into_owned();
        let own = tree.home.iter().flat_map(|home| home.env.iter().cloned());
        let mut env = with(&self.place.env, own);
        env.extend([
            ("CI".to_owned(), "true".to_owned()),
            ("GIT_CEILING_DIRECTORIES".to_owned(), above),
            // A stale one would hide a broken line that is as long as the whole one.
            ("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned()),
        ]);
        if let Some(venv) = &tree.venv {
            put_first(&mut env, [venv.join("bin")]);
            env.push(("VIRTUAL_ENV".to_owned(), venv.to_string_lossy().into_owned()));
            // uv would make it anew, which it cannot without a network.
            env.extend((!self.place.network).then(|| ("UV_NO_SYNC".to_owned(), "1".to_owned())));
        }
        if let Some(adapted) = adapted {
            put_first(&mut env, adapted.bin_folders.iter().map(|folder| tree.checkout.path().join(folder)));
            env.extend(adapted.env.iter().cloned());
        }
        env
    }
}

/// Puts folders before those in which programs are looked for.
fn put_first(env: &mut Vec<(String, String)>, folders: impl IntoIterator<Item = PathBuf>) {
    let path = env.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
    let all = folders.into_iter().chain(std::env::split_paths(&path.unwrap_or_default())).collect::<Vec<PathBuf>>();
    if let Some(joined) = std::env::join_paths(all).ok().and_then(|path| path.into_string().ok()) {
        env.retain(|(name, _)| name != "PATH");
        env.push(("PATH".to_owned(), joined));
    }
}

/// The line that reports. What is expected to print or to fail in its own way is left as it is.
fn adapted(tree: &LaidOut, command: &EvidenceCommand, reports: &Path, beside: Beside<'_>) -> Option<AdaptedLine> {
    if command.expects != CommandExpectation::Success {
        return None;
    }
    let folder = reports.to_string_lossy();
    let wish =
        ReportWish { folder: &folder, canary: beside.canary, names_canary: beside.names_canary, only: beside.only };
    match adapt(&command.line, &tree.texts, &wish) {
        Adapted::Yes(adapted) => Some(adapted),
        Adapted::No { .. } => None,
    }
}

/// Every report that was asked for, as one. If one is missing there is none.
fn report_of(adapted: &AdaptedLine, reports: &Path, output: &str) -> Option<TestReport> {
    let mut joined: Option<TestReport> = None;
    let mut read: Vec<ReportForm> = Vec::new();
    for ask in &adapted.asks {
        let report = match &ask.file {
            Some(file) => {
                let bytes = read_inside(reports, file, MOST_REPORT).ok()?;
                TestReport::read(ask.form, &String::from_utf8_lossy(&bytes))?
            }
            // The output has all of them at once.
            None if read.contains(&ask.form) => continue,
            None => {
                read.push(ask.form);
                TestReport::read(ask.form, output)?
            }
        };
        match &mut joined {
            Some(joined) => joined.join(report),
            None => joined = Some(report),
        }
    }
    joined
}
