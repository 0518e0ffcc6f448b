use std::fs;
use tribunal_kernel::{Digest, Event, Round, Seq};
use tribunal_store::conformance::{BEGINNING, BRIEF, events, run_id};
use tribunal_store::verify::VerifyReport;
use tribunal_store::{Backend, StoreError};

use crate::support::Workspace;

/// What a person would read, without the part of the paths that differs.
fn text(workspace: &Workspace, report: &VerifyReport) -> String {
    let root = format!("{}/", workspace.layout().folder().display());
    let lines = |findings: &[tribunal_store::verify::VerifyFinding], kind| {
        findings.iter().map(|finding| format!("{kind}: {finding}\n").replace(&root, "")).collect::<String>()
    };
    lines(&report.problems, "problem") + &lines(&report.notes, "note")
}

#[tokio::test]
async fn a_good_run_verifies() {
    let workspace = Workspace::with_events(13).await;
    let report = workspace.store.verify(Some(vec![workspace.run])).await.unwrap();
    assert!(report.is_intact());
    assert_eq!(text(&workspace, &report), "");
    assert_eq!((report.runs[0].events, report.runs[0].citations), (13, 11));
}

#[tokio::test]
async fn a_missing_blob_is_reported_where_it_is_cited() {
    let workspace = Workspace::with_events(7).await;
    fs::remove_file(workspace.layout().blob(Digest::of(BRIEF))).unwrap();
    let report = workspace.store.verify(Some(vec![workspace.run])).await.unwrap();
    let expected = format!(
        "problem: runs/{}/log.ndjson, line 1 (byte 0): event 1 (run_opened) cites blob {}, which is missing\n",
        workspace.run,
        Digest::of(BRIEF)
    );
    assert_eq!(text(&workspace, &report), expected);
}

#[tokio::test]
async fn every_problem_is_reported_not_only_the_first() {
    let workspace = Workspace::with_events(7).await;
    let mut lines: Vec<Vec<u8>> =
        workspace.bytes().split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    lines[1][20] ^= 1;
    let hash = lines[3].len() - 20;
    lines[3][hash] ^= 1;
    lines[5] = b"nonsense\n".to_vec();
    lines.push(b"{\"seq\":8,\"ti".to_vec());
    workspace.overwrite(lines.concat());
    let report = workspace.store.verify(Some(vec![workspace.run])).await.unwrap();
    let places: Vec<_> = report.problems.iter().map(|problem| problem.place.line).collect();
    assert_eq!(places, [Some(2), Some(4), Some(6)], "{}", text(&workspace, &report));
    assert_eq!(report.notes.len(), 1, "the torn tail: {}", text(&workspace, &report));
}

#[tokio::test]
async fn a_log_that_the_kernel_cannot_follow_is_a_problem() {
    let workspace = Workspace::with_events(1).await;
    let mut opened = workspace.store.open(workspace.run).await.unwrap();
    let close =
        Event::RoundClosed { round: Round(1), decision: tribunal_kernel::Decision::in_progress(None), tally: None };
    opened.log.append(Seq(1), vec![(BEGINNING, close)]).await.unwrap();
    let report = workspace.store.verify(Some(vec![workspace.run])).await.unwrap();
    assert_eq!(report.problems.len(), 1);
    assert_eq!(report.problems[0].place.line, Some(2));
    assert!(report.problems[0].what.contains("its round is not open"), "{report:?}");
}

#[tokio::test]
async fn a_log_in_the_wrong_folder_is_a_problem() {
    let workspace = Workspace::with_events(1).await;
    let other = run_id(2);
    fs::create_dir_all(workspace.layout().run(other)).unwrap();
    fs::copy(workspace.log(), workspace.layout().log(other)).unwrap();
    assert!(workspace.store.verify(Some(vec![workspace.run])).await.unwrap().is_intact());
    let report = workspace.store.verify(Some(vec![other])).await.unwrap();
    assert!(report.problems[0].what.contains("the log of run 01900000-0000-7000-8000-000000000001"), "{report:?}");
}

#[tokio::test]
async fn blobs_of_other_runs_are_not_superfluous() {
    let workspace = Workspace::with_events(7).await;
    let other = run_id(2);
    let mut log = workspace.store.logs().create(other).await.unwrap();
    log.append(Seq(0), events(other).take(1).collect()).await.unwrap();
    let report = workspace.store.verify(Some(vec![other])).await.unwrap();
    assert_eq!(text(&workspace, &report), "");
    assert_eq!(workspace.store.verify(None).await.unwrap().runs.len(), 2);
}

#[tokio::test]
async fn a_run_that_is_not_there_is_an_error() {
    let workspace = Workspace::new();
    assert!(matches!(workspace.store.verify(Some(vec![workspace.run])).await, Err(StoreError::NoRun { .. })));
    assert_eq!(workspace.store.verify(None).await.unwrap(), VerifyReport::default());
}
