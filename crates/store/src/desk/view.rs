//! What follows the log of a desk.

use serde_json::json;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use tribunal_kernel::desk::{self, Campaign, Iteration, IterationEnd, advice};
use tribunal_kernel::run::RunEnd;
use tribunal_kernel::{Outcome, Run, Turn};

use super::files::DeskFiles;
use crate::backend::FetchBlob;
use crate::{StoreError, atomic};

/// Brings the desk's files in the run's folder to what the log says. Gives those that changed.
pub fn update(folder: &Path, run: &Run, fetch: FetchBlob<'_>) -> Result<Vec<PathBuf>, StoreError> {
    let Some(settings) = run.spec().settings_of::<desk::Settings>() else { return Ok(Vec::new()) };
    let files = DeskFiles::new(folder, &settings.root, &settings.slug);
    let mut changed = Vec::new();
    let mut write = |name: String, bytes: &[u8]| -> Result<(), StoreError> {
        let path = files.path(&name);
        if atomic::write(&path, bytes)? == atomic::FileChange::Written {
            changed.push(path);
        }
        Ok(())
    };
    for state in run.rounds() {
        let (number, iteration) = (state.round.0, Iteration::of(run, state.round));
        let prompts = [(iteration.worker, "worker-prompt.md"), (iteration.verifier, "verifier-prompt.md")];
        for (turn, what) in prompts {
            if let Some(Turn { prompt, .. }) = turn {
                write(files.of_iteration(number, what), &fetch(*prompt)?)?;
            }
        }
        if let Some(receipts) = iteration.receipts {
            let text = serde_json::to_vec_pretty(receipts).expect("receipts are plain JSON");
            write(files.of_iteration(number, "evidence.json"), &text)?;
        }
        if let Some(inspection) = iteration.inspection {
            let text = serde_json::to_vec_pretty(inspection).expect("a verdict is plain JSON");
            write(files.of_iteration(number, "verdict.json"), &text)?;
        }
    }
    if run.end().is_some() {
        write(files.report(), desk::report(run).as_bytes())?;
    }
    let sentinel = run.end().map(|end| sentinel(&files, run, end)).transpose()?.flatten();
    // The status comes last: while it does not say the end, the sentinel may be missing because nobody wrote it yet.
    write(files.status(), &status(run, settings))?;
    // What is decided is claimed no more; the verdict stays for people to read.
    if sentinel.is_some() {
        match fs::remove_file(files.path(&files.claim())) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(StoreError::io("remove", &files.path(&files.claim()))(error));
            }
            _ => {}
        }
    }
    changed.extend(sentinel);
    Ok(changed)
}

/// Whether the desk's files stopped short of what the log says: whoever wrote them was killed. A desk that was cleaned
/// has no status, and is behind nothing.
pub fn is_behind(files: &DeskFiles, run: &Run) -> bool {
    let Some(settings) = run.spec().settings_of::<desk::Settings>() else { return false };
    fs::read(files.path(&files.status())).is_ok_and(|bytes| bytes != status(run, settings))
}

fn status(run: &Run, settings: &desk::Settings) -> Vec<u8> {
    let campaign = Campaign::of(run);
    let model = |seat: &str| {
        let turn = run.turns().iter().rev().find(|turn| turn.seat == *seat);
        let own = run.spec().seats.get(&tribunal_kernel::SeatName::new(seat)).and_then(|it| it.model.clone());
        turn.and_then(Turn::model).map(str::to_owned).or(own)
    };
    let in_flight = run.in_flight().last().map(|turn| turn.seat.as_str());
    let phase = match run.end().map(|end| end.outcome) {
        Some(Outcome::Converged) => "complete",
        Some(Outcome::Blocked) => "blocked",
        Some(Outcome::TimedOut | Outcome::OverBudget) => "timeout",
        _ if in_flight == Some(desk::VERIFIER) => "verifier",
        _ => "worker",
    };
    let last = match campaign.history().last() {
        Some((_, IterationEnd::Continue)) => Some("continue"),
        Some((_, IterationEnd::Pass { .. })) => Some("pass"),
        Some((_, IterationEnd::Fail(_))) => Some("fail"),
        Some((_, IterationEnd::Blocked(_))) => Some("blocked"),
        None => None,
    };
    let verifying = run.rounds().last().is_some_and(|state| Iteration::of(run, state.round).receipts.is_some());
    let at = run.turns().iter().map(|turn| turn.started).chain(run.end().map(|end| end.at)).max();
    let value = json!({
        "slug": settings.slug,
        "iteration": run.rounds().len(),
        "max_iter": run.limits().rounds,
        "phase": phase,
        "worker_model": model(desk::WORKER),
        "verifier_model": model(desk::VERIFIER),
        "last_result": if verifying && run.end().is_none() && last.is_none() { Some("verify") } else { last },
        "verified": campaign.verified().keys().collect::<Vec<_>>(),
        "run": run.spec().run,
        "updated_at_utc": at.unwrap_or(run.opened()).to_string(),
    });
    serde_json::to_vec_pretty(&value).expect("a status is plain JSON")
}

/// Leaves the sentinel that says how it ended. Whoever was first stays: it is created, never replaced.
fn sentinel(files: &DeskFiles, run: &Run, end: &RunEnd) -> Result<Option<PathBuf>, StoreError> {
    let (path, text) = match end.outcome {
        Outcome::Converged => {
            let verified: Vec<String> = Campaign::of(run)
                .verified()
                .iter()
                .map(|(story, round)| format!("- {story} in iteration {round}"))
                .collect();
            let text = format!("# Complete\n\nRun {} at {}\n\n{}\n", run.spec().run, end.at, verified.join("\n"));
            (files.path(&files.complete()), text)
        }
        Outcome::Blocked => {
            let (code, why) = end.reason.split_once(": ").unwrap_or((&end.reason, ""));
            let advice = advice(code);
            let text = format!(
                "# Blocked\n\nreason: {code}\nrecoverable: {}\naction: {}\n\nRun {} at {}\n\n{why}\n",
                advice.recoverable,
                advice.action,
                run.spec().run,
                end.at
            );
            (files.path(&files.blocked()), text)
        }
        _ => return Ok(None),
    };
    let other = [files.complete(), files.blocked()].map(|name| files.path(&name));
    if other.iter().any(|path| path.exists()) {
        return Ok(None);
    }
    create(&path, text.as_bytes()).map(|created| created.then_some(path))
}

fn create(path: &Path, bytes: &[u8]) -> Result<bool, StoreError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(StoreError::io("create", folder))?;
    }
    match fs::OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => {
            let written = file.write_all(bytes).and_then(|()| file.sync_all());
            written.map(|()| true).map_err(StoreError::io("write", path))
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(StoreError::io("create", path)(error)),
    }
}
