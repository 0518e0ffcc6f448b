//! One writer a run, many runs.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::task::JoinSet;
use tribunal_kernel::Seq;

use super::{events, run_id};
use crate::{Backend, StoreError};

/// How often a case looks whether a lock is free that is let go of in the background.
const LOOKS: u32 = 1000;

pub async fn an_outdated_writer_is_refused(store: Arc<dyn Backend>) {
    let run = run_id(1);
    let mut events = events(run);
    let mut log = store.logs().create(run).await.expect("create");
    log.append(Seq(0), events.by_ref().take(2).collect()).await.expect("append");
    for wrong in [0, 1, 3, u64::MAX] {
        match log.append(Seq(wrong), events.by_ref().take(1).collect()).await {
            Err(StoreError::Conflict { expected, actual, .. }) => assert_eq!((expected, actual), (Seq(wrong), Seq(2))),
            other => panic!("expected Conflict, got {other:?}"),
        }
    }
    assert_eq!(store.logs().read(run).await.expect("read").len(), 2, "nothing was written");
    log.append(Seq(2), events.take(1).collect()).await.expect("a conflict does not poison the log");
    assert_eq!(log.seq(), Seq(3));
}

pub async fn a_second_writer_is_told_who_holds_the_run(store: Arc<dyn Backend>) {
    let run = run_id(1);
    let log = store.logs().create(run).await.expect("create");
    match store.open(run).await {
        Err(StoreError::Held { run: held, holder }) => {
            assert_eq!(held, run);
            assert!(!holder.trim().is_empty(), "the holder says who it is");
        }
        other => panic!("expected Held, got {:?}", other.map(drop)),
    }
    drop(log);
    let opened = store.open(run).await.expect("a lock is released when the log is dropped");
    assert!(matches!(store.open(run).await, Err(StoreError::Held { .. })), "an opened log is locked, too");
    drop(opened);
    store.open(run).await.map(drop).expect("open");
}

pub async fn a_run_is_created_once(store: Arc<dyn Backend>) {
    let run = run_id(1);
    let mut log = store.logs().create(run).await.expect("create");
    log.append(Seq(0), events(run).take(1).collect()).await.expect("append");
    assert!(store.logs().create(run).await.is_err(), "it exists, and it is held");
    drop(log);
    match store.logs().create(run).await {
        Err(StoreError::RunExists { run: named, .. }) => assert_eq!(named, run),
        other => panic!("expected RunExists, got {:?}", other.map(drop)),
    }
    assert_eq!(store.logs().read(run).await.expect("read").len(), 1, "nothing is lost");
}

pub async fn many_runs_append_at_once(store: Arc<dyn Backend>) {
    const RUNS: u64 = 100;
    const BATCHES: usize = 4;
    let mut tasks = JoinSet::new();
    for number in 0..RUNS {
        let store = store.clone();
        tasks.spawn(async move {
            let run = run_id(number);
            let mut events = events(run);
            let mut log = store.logs().create(run).await.expect("create");
            for _ in 0..BATCHES {
                log.append(log.seq(), events.by_ref().take(3).collect()).await.expect("append");
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.expect("every run gets on");
    }
    assert_eq!(store.logs().runs().await.expect("runs").len() as u64, RUNS);
    for number in 0..RUNS {
        let run = run_id(number);
        let read = store.logs().read(run).await.expect("read");
        assert!(
            read.into_iter().map(|entry| (entry.time, entry.event)).eq(events(run).take(3 * BATCHES)),
            "run {number} holds its own events and no others"
        );
    }
}

/// A caller may lose interest at any `.await`: a timeout, a `select!`. What it left behind is a prefix of the batch.
pub async fn an_append_that_nobody_waits_for_leaves_a_good_log(store: Arc<dyn Backend>) {
    let run = run_id(1);
    let mut events = events(run);
    let mut log = store.logs().create(run).await.expect("create");
    log.append(Seq(0), events.by_ref().take(2).collect()).await.expect("append");
    {
        let mut append = pin!(log.append(Seq(2), events.by_ref().take(2).collect()));
        // Begun, and then dropped.
        poll_fn(|context| Poll::Ready(append.as_mut().poll(context).is_ready())).await;
    }
    drop(log);
    for _ in 0..LOOKS {
        match store.open(run).await {
            Err(StoreError::Held { .. }) => tokio::time::sleep(Duration::from_millis(5)).await,
            opened => {
                let opened = opened.expect("the log is good");
                assert!((2..=4).contains(&opened.entries.len()), "{} events", opened.entries.len());
                return;
            }
        }
    }
    panic!("the lock was never released");
}
