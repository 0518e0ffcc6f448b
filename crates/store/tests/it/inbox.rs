use std::fs;
use tribunal_kernel::RunId;
use tribunal_store::backend::{RunRequest, TakenRequests};
use tribunal_store::inbox::{send, take};
use tribunal_store::{Layout, StoreError};

use crate::support::Workspace;

fn interrupt(by: impl Into<String>) -> RunRequest {
    RunRequest::Interrupt { by: by.into() }
}

async fn inbox() -> (Workspace, Layout, RunId) {
    let workspace = Workspace::with_events(1).await;
    let (layout, run) = (workspace.layout().clone(), workspace.run);
    (workspace, layout, run)
}

#[tokio::test]
async fn requests_are_taken_once_and_in_order() {
    let (_workspace, layout, run) = inbox().await;
    assert_eq!(take(&layout, run).unwrap(), TakenRequests::default());
    let requests: Vec<_> = (0..20).map(|number| interrupt(format!("user {number}"))).collect();
    for request in &requests {
        send(&layout, run, request).unwrap();
    }
    assert_eq!(take(&layout, run).unwrap().requests, requests);
    assert_eq!(take(&layout, run).unwrap(), TakenRequests::default());
}

#[tokio::test]
async fn what_is_no_request_is_removed_and_reported() {
    let (_workspace, layout, run) = inbox().await;
    send(&layout, run, &interrupt("ann")).unwrap();
    let file = layout.request(run, "0");
    fs::write(&file, "{\"type\":\"dance\"}").unwrap();
    fs::write(layout.inbox(run).join(".tmp-unfinished"), "{").unwrap();
    let taken = take(&layout, run).unwrap();
    assert_eq!(taken.requests, [interrupt("ann")]);
    assert_eq!(taken.refused.len(), 1);
    assert_eq!(taken.refused[0].place, file.display().to_string());
    assert!(taken.refused[0].why.contains("dance"), "{:?}", taken.refused);
    assert_eq!(take(&layout, run).unwrap(), TakenRequests::default());
}

#[tokio::test]
async fn a_run_that_is_not_there_gets_no_request() {
    let workspace = Workspace::new();
    let error = send(workspace.layout(), workspace.run, &interrupt("ann")).unwrap_err();
    assert!(matches!(error, StoreError::NoRun { .. }), "{error}");
    assert!(!workspace.layout().folder().exists());
}
