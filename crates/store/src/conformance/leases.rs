//! Who may write to a run.

use std::sync::Arc;
use tribunal_kernel::{RunId, Seq};

use super::{Harness, events, run_id};
use crate::{Backend, LogWriter, StoreError};

async fn write(log: &mut Box<dyn LogWriter>, run: RunId, count: usize) -> Result<(), StoreError> {
    let at = log.seq();
    let from = usize::try_from(at.0).expect("tests are short");
    log.append(at, events(run).skip(from).take(count).collect()).await.map(drop)
}

pub async fn a_lease_has_one_holder_and_tokens_grow(store: Arc<dyn Backend>) {
    let run = run_id(1);
    let mut log = store.logs().create(run).await.expect("create");
    write(&mut log, run, 1).await.expect("append");
    let mut latest = log.token();
    let holder = store.leases().holder(run).await.expect("holder").expect("the writer has the lease");
    assert!(!holder.what.is_empty(), "a holder says what it does");
    assert!(matches!(store.leases().take(run).await, Err(StoreError::Held { .. })), "one at a time");
    drop(log);
    assert_eq!(store.leases().holder(run).await.expect("holder"), None, "dropping the writer gives the lease back");
    for _ in 0..3 {
        let lease = store.leases().take(run).await.expect("nobody has it");
        assert!(lease.token > latest, "{} is not newer than {latest}", lease.token);
        latest = lease.token;
        assert!(store.leases().holder(run).await.expect("holder").is_some());
    }
    let lease = store.leases().take(run).await.expect("dropping the lease gives it back");
    let token = lease.token;
    let mut opened = store.logs().open(lease).await.expect("open");
    assert_eq!(opened.log.token(), token, "appends carry the token of their lease");
    assert!(matches!(store.leases().take(run).await, Err(StoreError::Held { .. })), "the log has the lease now");
    write(&mut opened.log, run, 1).await.expect("append");
}

pub async fn an_old_holder_writes_nothing_after_its_lease_was_seized(store: Arc<dyn Backend>) {
    let run = run_id(1);
    let mut old = store.logs().create(run).await.expect("create");
    write(&mut old, run, 2).await.expect("append");
    let lease = store.leases().seize(run).await.expect("seize");
    let token = lease.token;
    assert!(token > old.token());
    for _ in 0..2 {
        match write(&mut old, run, 1).await {
            Err(StoreError::Fenced { held, current, .. }) => assert_eq!((held, current), (old.token(), token)),
            other => panic!("expected Fenced, got {other:?}"),
        }
    }
    let mut new = store.logs().open(lease).await.expect("open");
    assert_eq!(new.entries.len(), 2, "nothing of it is in the log");
    write(&mut new.log, run, 1).await.expect("the new one writes");
    assert!(matches!(write(&mut old, run, 1).await, Err(StoreError::Fenced { .. })));
    assert!(matches!(store.leases().take(run).await, Err(StoreError::Held { .. })), "the new one has the lease");
    // The old one going away does not take the lease from the new one.
    drop(old);
    assert!(matches!(store.leases().take(run).await, Err(StoreError::Held { .. })), "the new one still has it");
    write(&mut new.log, run, 1).await.expect("append");
    assert_eq!(store.logs().read(run).await.expect("read").len(), 4);
}

pub async fn an_old_lease_opens_nothing(store: Arc<dyn Backend>) {
    let run = run_id(1);
    drop(store.logs().create(run).await.expect("create"));
    let old = store.leases().take(run).await.expect("take");
    let new = store.leases().seize(run).await.expect("seize");
    match store.logs().open(old).await {
        Err(StoreError::Fenced { .. }) => {}
        other => panic!("expected Fenced, got {:?}", other.map(drop)),
    }
    let mut opened = store.logs().open(new).await.expect("open");
    write(&mut opened.log, run, 1).await.expect("append");
}

pub async fn a_run_that_is_not_there_has_no_lease(store: Arc<dyn Backend>) {
    let run = run_id(404);
    for lease in [store.leases().take(run).await, store.leases().seize(run).await] {
        assert!(matches!(lease, Err(StoreError::NoRun { .. })), "{lease:?}");
    }
    assert_eq!(store.leases().holder(run).await.expect("holder"), None);
    assert_eq!(store.logs().runs().await.expect("runs"), [], "looking for a lease makes no run");
}

pub async fn one_opens_runs_at_a_time(harness: &dyn Harness, number: u32) {
    let (here, there) = (harness.open(number).await.expect("here"), harness.open(number).await.expect("there"));
    let right = here.leases().opening().await.expect("nobody has it");
    let mut waiting = there.leases().opening();
    let soon = std::time::Duration::from_millis(100);
    assert!(tokio::time::timeout(soon, &mut waiting).await.is_err(), "two have the right to open runs");
    drop(right);
    drop(waiting.await.expect("it is given back"));
    drop(here.leases().opening().await.expect("and back"));
}

pub async fn writers_of_two_processes_take_turns(harness: &dyn Harness, number: u32) {
    let run = run_id(1);
    let (here, there) = (harness.open(number).await.expect("here"), harness.open(number).await.expect("there"));
    let mut log = here.logs().create(run).await.expect("create");
    write(&mut log, run, 1).await.expect("append");
    assert!(matches!(there.open(run).await, Err(StoreError::Held { .. })), "the other one has it");
    assert!(there.leases().holder(run).await.expect("holder").is_some(), "and everybody sees that");
    drop(log);
    let mut log = there.open(run).await.expect("nobody has it").log;
    write(&mut log, run, 1).await.expect("append");
    // Taken over from here: over there, nothing is written any more.
    let lease = here.leases().seize(run).await.expect("seize");
    let mut taken = here.logs().open(lease).await.expect("open");
    assert!(matches!(write(&mut log, run, 1).await, Err(StoreError::Fenced { .. })));
    write(&mut taken.log, run, 1).await.expect("append");
    assert_eq!(there.logs().read(run).await.expect("read").last().map(|entry| entry.seq), Some(Seq(3)));
}
