//! No changed byte goes unnoticed, wherever it is.

use std::fs;
use tribunal_store::{Backend, StoreError};

use crate::support::{Workspace, newlines};

#[tokio::test]
async fn every_flipped_byte_of_a_log_is_found_in_its_line() {
    let workspace = Workspace::with_events(4).await;
    let whole = workspace.bytes();
    let mut line = 1;
    for at in 0..whole.len() {
        for mask in [0x01, 0x20, 0x80, whole[at], whole[at] ^ b'\n'] {
            let mut bytes = whole.clone();
            bytes[at] ^= mask;
            if bytes == whole {
                continue;
            }
            workspace.overwrite(&bytes);
            let context = format!("byte {at} in line {line}, {:#04x} instead of {:#04x}", bytes[at], whole[at]);
            match workspace.store.logs().read(workspace.run).await {
                Err(StoreError::Damaged { line: found, .. }) => assert_eq!(found, line, "{context}"),
                other => panic!("{context}: {other:?}"),
            }
            let report = workspace.store.verify(Some(vec![workspace.run])).await.unwrap();
            let first = report.problems.first().unwrap_or_else(|| panic!("{context}: verified"));
            assert_eq!(first.place.line, Some(line), "{context}");
            assert!(first.place.offset <= Some(at as u64), "{context}");
        }
        if whole[at] == b'\n' {
            line += 1;
        }
    }
}

#[tokio::test]
async fn every_flipped_byte_of_a_blob_is_found_in_its_file() {
    let workspace = Workspace::with_events(7).await;
    workspace.store.blobs().put(b"a blob that no event cites").await.unwrap();
    assert!(workspace.store.verify(Some(vec![workspace.run])).await.unwrap().is_intact());
    for file in fs::read_dir(workspace.layout().blobs()).unwrap() {
        let path = file.unwrap().path();
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            fs::write(&path, bytes).unwrap();
            let report = workspace.store.verify(Some(vec![workspace.run])).await.unwrap();
            assert_eq!(report.problems.len(), 1, "{report:?}");
            assert_eq!(report.problems[0].place.file, path);
        }
        fs::write(&path, &whole[1..]).unwrap();
        assert!(!workspace.store.verify(None).await.unwrap().is_intact(), "a byte is missing");
        fs::write(&path, whole).unwrap();
    }
    assert!(workspace.store.verify(None).await.unwrap().is_intact());
}

#[tokio::test]
async fn a_damaged_blob_is_neither_returned_nor_overwritten() {
    let workspace = Workspace::new();
    let digest = workspace.store.blobs().put(b"good").await.unwrap();
    let path = workspace.layout().blob(digest);
    fs::write(&path, "evil").unwrap();
    for result in
        [workspace.store.blobs().get(digest).await.map(drop), workspace.store.blobs().put(b"good").await.map(drop)]
    {
        match result {
            Err(error @ StoreError::BlobDamaged { .. }) => {
                assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
            }
            other => panic!("expected damage, got {other:?}"),
        }
    }
    assert_eq!(fs::read(&path).unwrap(), b"evil");
}

/// Large logs are read by several threads, which must not see less than one does.
#[tokio::test]
async fn damage_to_a_large_log_is_found_wherever_it_is() {
    let workspace = Workspace::with_log(6000).await;
    let whole = workspace.bytes();
    assert!(whole.len() > 2 * 1024 * 1024);
    assert_eq!(workspace.store.logs().read(workspace.run).await.unwrap().len(), 6000);
    let middle = whole.len() / 2;
    for at in (0..whole.len()).step_by(whole.len() / 23).chain(middle - 500..middle + 500).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        workspace.overwrite(&bytes);
        let line = 1 + newlines(&whole[..at]) as u64;
        match workspace.store.logs().read(workspace.run).await {
            Err(StoreError::Damaged { line: found, .. }) => assert_eq!(found, line, "byte {at}"),
            other => panic!("byte {at}: {:?}", other.map(|entries| entries.len())),
        }
    }
    workspace.overwrite(&whole[..whole.len() - 10]);
    assert_eq!(workspace.store.logs().read(workspace.run).await.unwrap().len(), 5999);
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    workspace.overwrite([&lines[..3000], &lines[3001..]].concat().concat());
    match workspace.store.logs().read(workspace.run).await {
        Err(StoreError::Damaged { line, .. }) => assert_eq!(line, 3001),
        other => panic!("a missing line: {:?}", other.map(|entries| entries.len())),
    }
}
