//! What is stored under its digest.

use std::sync::Arc;
use tokio::task::JoinSet;
use tribunal_kernel::{Digest, Seq};

use super::{BRIEF, events, run_id};
use crate::{Backend, StoreError};

pub async fn blobs_come_back_as_they_were(store: Arc<dyn Backend>) {
    let large: Vec<u8> = (0..5_000_000u32).flat_map(u32::to_le_bytes).collect();
    for bytes in [b"".as_slice(), b"text", b"\0\xff\n\r", &large] {
        let digest = store.blobs().put(bytes).await.expect("put");
        assert_eq!(digest, Digest::of(bytes));
        assert!(
            store.blobs().get(digest).await.expect("get") == bytes,
            "a blob of {} bytes is not what it was",
            bytes.len()
        );
    }
}

pub async fn storing_a_blob_twice_changes_nothing(store: Arc<dyn Backend>) {
    let first = store.blobs().put(b"twice").await.expect("put");
    let second = store.blobs().put(b"twice").await.expect("put again");
    assert_eq!(first, second);
    assert_eq!(store.blobs().get(first).await.expect("get"), b"twice");
}

pub async fn a_missing_blob_is_named(store: Arc<dyn Backend>) {
    let missing = Digest::of("nobody stored this");
    match store.blobs().get(missing).await {
        Err(StoreError::NoBlob { digest, .. }) => assert_eq!(digest, missing),
        other => panic!("expected NoBlob, got {other:?}"),
    }
}

pub async fn what_is_cited_and_missing_is_found_by_verifying(store: Arc<dyn Backend>) {
    assert!(store.verify(None).await.expect("verify").is_intact(), "there is nothing");
    let run = run_id(1);
    let mut log = store.logs().create(run).await.expect("create");
    log.append(Seq(0), events(run).take(1).collect()).await.expect("append");
    let report = store.verify(Some(vec![run])).await.expect("verify");
    assert!(!report.is_intact(), "nobody stored the brief");
    store.blobs().put(BRIEF.as_bytes()).await.expect("put");
    let report = store.verify(None).await.expect("verify");
    assert!(report.is_intact(), "{report:?}");
    assert_eq!((report.runs.len(), report.runs[0].events, report.blobs), (1, 1, 1));
    assert!(matches!(store.verify(Some(vec![run_id(404)])).await, Err(StoreError::NoRun { .. })));
}

pub async fn many_blobs_are_stored_at_once(store: Arc<dyn Backend>) {
    let mut tasks = JoinSet::new();
    for number in 0..100u32 {
        let store = store.clone();
        // Every text is stored by five tasks.
        tasks.spawn(async move { store.blobs().put(format!("blob {}", number % 20).as_bytes()).await.expect("put") });
    }
    while let Some(done) = tasks.join_next().await {
        let digest = done.expect("no task fails");
        store.blobs().get(digest).await.expect("get");
    }
}
