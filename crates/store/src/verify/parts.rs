//! What any backend can say of what it keeps: from its logs and its blobs.

use std::collections::BTreeSet;
use std::path::PathBuf;
use tribunal_kernel::{Digest, Entry, Event, Run, RunId};

use super::{VerifiedRun, VerifyPlace, VerifyReport};
use crate::{Backend, StoreError};

/// Verifies these runs, or all of them, and every blob that they cite.
pub(crate) async fn by_parts<B: Backend + ?Sized>(
    backend: &B,
    runs: Option<Vec<RunId>>,
) -> Result<VerifyReport, StoreError> {
    let runs = match runs {
        Some(runs) => runs,
        None => backend.logs().runs().await?,
    };
    let (mut report, mut cited) = (VerifyReport::default(), BTreeSet::new());
    for run in runs {
        let place = VerifyPlace::file(&PathBuf::from(format!("run {run}")));
        let (entries, is_whole) = match backend.logs().read(run).await {
            Ok(entries) => (entries, true),
            Err(error @ StoreError::NoRun { .. }) => return Err(error),
            Err(error) => {
                report.problem(place.clone(), error.to_string());
                (Vec::new(), false)
            }
        };
        check(run, &entries, &place, &mut report);
        let own: Vec<Digest> = entries.iter().flat_map(|entry| entry.event.cites()).collect();
        let (events, citations) = (entries.len() as u64, own.len() as u64);
        report.runs.push(VerifiedRun { run, file: place.file, events, citations, is_whole });
        cited.extend(own);
    }
    for digest in &cited {
        // Getting it compares its bytes with its name.
        if let Err(error) = backend.blobs().get(*digest).await {
            report.problem(VerifyPlace::file(&PathBuf::from(format!("blob {digest}"))), error.to_string());
        }
    }
    report.blobs = cited.len() as u64;
    Ok(report)
}

fn check(run: RunId, entries: &[Entry], place: &VerifyPlace, report: &mut VerifyReport) {
    for entry in entries {
        if let Event::RunOpened { spec } = &entry.event
            && spec.run != run
        {
            report.problem(place.clone(), format!("it is the log of run {}", spec.run));
        }
    }
    match Run::fold(entries) {
        Ok(_) => {}
        Err(impossible) => report.problem(place.clone(), impossible.to_string()),
    }
}
