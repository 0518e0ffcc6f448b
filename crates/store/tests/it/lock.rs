//! One writer at a time, also among processes.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tribunal_store::log::lock::holder;
use tribunal_store::{Backend, FileBackend, Holder, StoreError};

use crate::support::Workspace;

const FOLDER: &str = "TRIBUNAL_TEST_FOLDER";

#[tokio::test]
async fn a_second_writer_is_told_who_and_since_when() {
    let workspace = Workspace::with_events(1).await;
    assert_eq!(holder(workspace.layout(), workspace.run).unwrap(), None);
    let store = workspace.store.clone().held_for("tribunal run");
    let opened = store.open(workspace.run).await.unwrap();

    let Err(StoreError::Held { holder: text, .. }) = workspace.store.open(workspace.run).await else {
        panic!("two writers");
    };
    let said: Holder = serde_json::from_str(&text).unwrap();
    assert_eq!((said.pid, said.what.as_str()), (std::process::id(), "tribunal run"));
    assert!(!said.host.is_empty() && said.since.0 > 0);
    assert_eq!(holder(workspace.layout(), workspace.run).unwrap(), Some(said));

    drop(opened);
    assert_eq!(holder(workspace.layout(), workspace.run).unwrap(), None);
    workspace.store.open(workspace.run).await.unwrap();
}

#[tokio::test]
async fn what_a_dead_process_said_is_no_obstacle() {
    let workspace = Workspace::with_events(1).await;
    let stale = r#"{"pid":1,"host":"elsewhere","since":"2020-01-01T00:00:00.000Z","what":"tribunal run"}"#;
    std::fs::write(workspace.layout().lock(workspace.run), stale).unwrap();
    assert_eq!(holder(workspace.layout(), workspace.run).unwrap(), None);
    workspace.store.open(workspace.run).await.unwrap();
}

#[tokio::test]
async fn the_lock_goes_with_its_process() {
    let workspace = Workspace::with_events(1).await;
    let mut child = Killed(
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "lock::hold_the_lock_until_killed"])
            .env(FOLDER, workspace.layout().root())
            .stdout(Stdio::null())
            .spawn()
            .unwrap(),
    );
    let held = loop {
        match holder(workspace.layout(), workspace.run).unwrap() {
            Some(held) if held.pid == child.0.id() => break held,
            _ => assert_eq!(child.0.try_wait().unwrap(), None, "the child ended before it had the lock"),
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert_eq!(held.what, "a test");
    assert!(matches!(workspace.store.open(workspace.run).await, Err(StoreError::Held { .. })));

    child.0.kill().unwrap();
    child.0.wait().unwrap();
    workspace.store.open(workspace.run).await.expect("nobody holds it any more");
}

/// The other process of the test above.
#[tokio::test]
async fn hold_the_lock_until_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let store = FileBackend::new(PathBuf::from(folder)).held_for("a test");
    let run = store.logs().runs().await.unwrap()[0];
    let _opened = store.open(run).await.unwrap();
    // Long enough for the test, and an end in case nobody kills us.
    tokio::time::sleep(Duration::from_secs(600)).await;
}

struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
