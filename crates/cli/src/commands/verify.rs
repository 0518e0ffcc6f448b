//! `tribunal verify`: are logs and blobs intact?

use serde_json::json;
use tribunal_app::{AppError, Exit, Project};
use tribunal_store::verify::VerifyReport;

use super::print_json;
use crate::args::{self, Global};

pub(super) async fn verify(project: &Project, global: &Global, args: &args::Verify) -> Result<Exit, AppError> {
    let mut reports = Vec::new();
    for name in &args.runs {
        reports.push(project.store.verify(Some(vec![project.find(Some(name)).await?])).await?);
    }
    if args.runs.is_empty() {
        let report = project.store.verify(None).await?;
        // Nothing is not intact: whoever verifies wants to hear of something.
        if report.runs.is_empty() && report.is_intact() {
            return Err(AppError::not_found(
                "there is nothing to verify: no runs in this project",
                "`-C DIR` looks elsewhere",
            ));
        }
        reports.push(report);
    }
    let is_intact = reports.iter().all(VerifyReport::is_intact);
    if global.json {
        print_json(&json!({ "intact": is_intact, "reports": reports }));
    } else {
        for report in &reports {
            for note in &report.notes {
                eprintln!("note: {note}");
            }
            for problem in &report.problems {
                println!("{problem}");
            }
            if report.unlisted > 0 {
                println!("… and {} more", report.unlisted);
            }
        }
        let runs: usize = reports.iter().map(|report| report.runs.len()).sum();
        let events: u64 = reports.iter().flat_map(|report| &report.runs).map(|run| run.events).sum();
        let blobs: u64 = reports.iter().map(|report| report.blobs).sum();
        let checked = format!("{runs} runs, {events} events, {blobs} blobs");
        println!("{}: {checked}", if is_intact { "intact" } else { "damaged" });
    }
    Ok(if is_intact { Exit::Pass } else { Exit::NotPassed })
}
