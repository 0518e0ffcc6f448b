//! Whether everything stored is intact: what `tribunal verify` prints.
//!
//! Unlike opening a log, verifying does not stop at the first thing that is wrong, and it never writes. `parts` is what
//! any backend can do; the rest is what files say beyond that.

mod blobs;
mod chain;
mod parts;
mod report;

use std::collections::BTreeSet;
use tribunal_kernel::{Digest, Entry, Event, Run, RunId};

use crate::log::reader;
use crate::{Layout, StoreError, files, plain};
use blobs::Blobs;
pub(crate) use parts::by_parts;
pub use report::{VerifiedRun, VerifyFinding, VerifyPlace, VerifyReport};

/// Verifies the files of these runs, or of all, and every blob there is.
pub(crate) fn files_of(layout: &Layout, runs: Option<Vec<RunId>>) -> Result<VerifyReport, StoreError> {
    let runs = &match runs {
        Some(runs) => runs,
        None => files::runs(layout)?,
    };
    let mut report = VerifyReport::default();
    let blobs = Blobs::survey(layout, &mut report)?;
    let mut cited = BTreeSet::new();
    for run in runs {
        let checked = check_run(layout, *run, &blobs, &mut cited, &mut report)?;
        report.runs.push(checked);
    }
    // A blob that another run cites is not superfluous, whether or not that run is verified now.
    for run in files::runs(layout)?.into_iter().filter(|run| !runs.contains(run)) {
        let path = layout.log(run);
        let contents =
            plain::open(&path).map_err(StoreError::io("open", &path)).and_then(|file| reader::read(&file, &path));
        match contents {
            Ok(contents) => cited.extend(contents.entries.iter().flat_map(|entry| entry.event.cites())),
            Err(error) => {
                report.note(VerifyPlace::file(&path), format!("its blobs could not be counted as cited: {error}"));
            }
        }
    }
    // Nobody knows what a line that cannot be read cites.
    if report.runs.iter().all(|run| run.is_whole) {
        blobs.note_uncited(layout, &cited, &mut report);
    }
    Ok(report)
}

fn check_run(
    layout: &Layout,
    run: RunId,
    blobs: &Blobs,
    cited: &mut BTreeSet<Digest>,
    report: &mut VerifyReport,
) -> Result<VerifiedRun, StoreError> {
    let path = layout.log(run);
    let file = match plain::open(&path) {
        Ok(file) => file,
        // A run that was there is damaged without its log; one that never was is asked for in vain.
        Err(error) if layout.run(run).is_dir() => {
            report.problem(VerifyPlace::file(&path), format!("the log cannot be read: {error}"));
            return Ok(VerifiedRun { run, file: path, events: 0, citations: 0, is_whole: false });
        }
        Err(_) => return Err(StoreError::NoRun { run, place: path.display().to_string() }),
    };
    let chain = chain::check(&file, &path, report).map_err(StoreError::io("read", &path))?;
    let mut citations = 0;
    for (offset, entry) in &chain.entries {
        let place = VerifyPlace::line(&path, entry.seq.0, *offset);
        for digest in entry.event.cites() {
            citations += 1;
            cited.insert(digest);
            if !blobs.has(digest) {
                let what =
                    format!("event {} ({}) cites blob {digest}, which is missing", entry.seq, entry.event.name());
                report.problem(place.clone(), what);
            }
        }
        if let Event::RunOpened { spec } = &entry.event
            && spec.run != run
        {
            report.problem(place, format!("it is the log of run {}, but it lies in the folder of {run}", spec.run));
        }
    }
    // With lines missing, what does not fit together would be reported as a second fault.
    if chain.is_whole {
        fold(&path, &chain.entries, report);
    }
    Ok(VerifiedRun { run, file: path, events: chain.entries.len() as u64, citations, is_whole: chain.is_whole })
}

fn fold(path: &std::path::Path, entries: &[(u64, Entry)], report: &mut VerifyReport) {
    match Run::fold(entries.iter().map(|(_, entry)| entry)) {
        Ok(Some(_)) => {}
        Ok(None) => report.note(VerifyPlace::file(path), "it has no event yet".into()),
        Err(impossible) => {
            let offset = entries.iter().find(|(_, entry)| entry.seq == impossible.seq).map_or(0, |(offset, _)| *offset);
            report.problem(VerifyPlace::line(path, impossible.seq.0, offset), impossible.to_string());
        }
    }
}
