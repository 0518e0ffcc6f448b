//! Followers over crashes: what a crash left is waited for, and what comes instead is given.

use tribunal_kernel::{Entry, Seq};
use tribunal_store::Backend;
use tribunal_store::backend::Follow;
use tribunal_store::conformance::events;

use crate::support::Workspace;

/// All that a follower has now.
async fn all(follow: &mut Box<dyn Follow>) -> Vec<Entry> {
    let mut entries = Vec::new();
    loop {
        let more = follow.next(2).await.unwrap();
        if more.is_empty() {
            return entries;
        }
        entries.extend(more);
    }
}

#[tokio::test]
async fn followers_at_every_place_get_over_every_torn_tail() {
    const EVENTS: u64 = 3;
    let workspace = Workspace::with_events(3).await;
    let whole = workspace.bytes();
    let entries = workspace.store.logs().read(workspace.run).await.unwrap();
    for length in 0..=whole.len() {
        workspace.overwrite(&whole[..length]);
        let mut followers = Vec::new();
        for after in 0..=EVENTS {
            let mut follow = workspace.store.logs().follow(workspace.run, Seq(after)).await.unwrap();
            let before = all(&mut follow).await;
            followers.push((after, before, follow));
        }
        let mut opened = workspace.store.open(workspace.run).await.unwrap();
        let good = opened.entries.len();
        opened.log.append(opened.log.seq(), events(workspace.run).skip(good).take(3 - good).collect()).await.unwrap();
        for (after, mut seen, mut follow) in followers {
            seen.extend(all(&mut follow).await);
            let expected: Vec<_> = entries.iter().filter(|entry| entry.seq.0 > after).cloned().collect();
            assert_eq!(seen, expected, "cut at {length}, from {after} on");
        }
    }
}

#[tokio::test]
async fn pages_that_never_made_it_are_waited_for() {
    let workspace = Workspace::with_events(3).await;
    let whole = workspace.bytes();
    let entries = workspace.store.logs().read(workspace.run).await.unwrap();
    let last = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    let sector = last.next_multiple_of(512);
    assert!(sector < whole.len(), "the last line crosses into another sector");
    // The last line's first part never reached the disk, but its end did.
    let mut torn = whole.clone();
    torn[last..sector].fill(0);
    workspace.overwrite(&torn);
    let mut follow = workspace.store.logs().follow(workspace.run, Seq(0)).await.unwrap();
    assert_eq!(all(&mut follow).await, entries[..2]);
    let mut opened = workspace.store.open(workspace.run).await.unwrap();
    assert!(opened.recovered.is_some());
    assert_eq!(all(&mut follow).await, []);
    opened.log.append(Seq(2), events(workspace.run).skip(2).take(1).collect()).await.unwrap();
    assert_eq!(all(&mut follow).await, entries[2..]);
}

#[tokio::test]
async fn damage_is_told_also_by_one_who_skips_it() {
    let workspace = Workspace::with_events(3).await;
    let changed = String::from_utf8(workspace.bytes()).unwrap().replacen("headline", "Headline", 1);
    workspace.overwrite(changed);
    for after in [0, 1, 2] {
        let mut follow = workspace.store.logs().follow(workspace.run, Seq(after)).await.unwrap();
        let error = follow.next(10).await.unwrap_err().to_string();
        assert!(error.contains("line 1"), "from {after} on: {error}");
    }
}
