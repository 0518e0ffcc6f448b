//! What a crash leaves behind is cut off, and nothing else is.

use std::fs;
use tribunal_kernel::Seq;
use tribunal_store::conformance::events;
use tribunal_store::{Backend, StoreError, Torn};

use crate::support::{Workspace, newlines};

#[tokio::test]
async fn every_truncation_opens_with_exactly_the_complete_lines() {
    let workspace = Workspace::with_events(3).await;
    let whole = workspace.bytes();
    let entries = workspace.store.logs().read(workspace.run).await.unwrap();
    for length in 0..=whole.len() {
        workspace.overwrite(&whole[..length]);
        let complete = newlines(&whole[..length]);
        let good = whole[..length].iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let torn = (length > good).then_some(Torn { bytes: (length - good) as u64 });

        assert_eq!(workspace.store.logs().read(workspace.run).await.unwrap(), entries[..complete], "cut at {length}");
        assert_eq!(workspace.bytes().len(), length, "reading never writes");
        let report = workspace.store.verify(Some(vec![workspace.run])).await.unwrap();
        assert_eq!(report.problems, [], "cut at {length}");
        assert_eq!(report.notes.iter().any(|note| note.what.contains("interrupted")), torn.is_some());

        let mut opened = workspace.store.open(workspace.run).await.unwrap();
        assert_eq!(opened.entries, entries[..complete], "cut at {length}");
        assert_eq!(opened.recovered, torn, "cut at {length}");
        assert_eq!(workspace.bytes(), whole[..good], "cut at {length}");

        // And it goes on as if nothing had happened.
        let rest = events(workspace.run).skip(complete).take(3 - complete).collect();
        opened.log.append(Seq(complete as u64), rest).await.unwrap();
        assert_eq!(workspace.bytes(), whole, "cut at {length}");
    }
}

#[tokio::test]
async fn pages_that_never_made_it_are_cut_off() {
    let workspace = Workspace::with_events(3).await;
    let whole = workspace.bytes();
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    let two = lines[..2].concat();
    // A third line of which everything from the next sector on is missing.
    let mut half = whole.clone();
    let sector = two.len().next_multiple_of(512);
    assert!(sector < whole.len(), "the third line crosses into another sector");
    half[sector..].fill(0);
    // A third line whose first part is missing, up to the next sector.
    let mut late = whole.clone();
    late[two.len()..sector].fill(0);
    for (name, bytes) in [
        ("zeros behind the lines", [two.as_slice(), &[0; 5000]].concat()),
        ("one zero", [two.as_slice(), &[0]].concat()),
        ("half a line, then zeros", half),
        ("zeros, then half a line", late),
        ("garbage without a newline", [two.as_slice(), b"\x80\xff garbage"].concat()),
    ] {
        workspace.overwrite(&bytes);
        assert_eq!(workspace.store.logs().read(workspace.run).await.unwrap().len(), 2, "{name}");
        let opened = workspace.store.open(workspace.run).await.unwrap();
        assert_eq!(opened.recovered, Some(Torn { bytes: (bytes.len() - two.len()) as u64 }), "{name}");
        assert_eq!(workspace.bytes(), two, "{name}");
    }
}

#[tokio::test]
async fn what_no_crash_can_leave_behind_is_refused_and_kept() {
    let workspace = Workspace::with_events(3).await;
    let whole = workspace.bytes();
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    let (first, second, third) = (lines[0], lines[1], lines[2]);
    let newline_changed = [&whole[..whole.len() - 1], b"\x0b"].concat();
    let zeros_in_the_middle = [first, &vec![0; second.len() - 1], b"\n", third].concat();
    for (name, bytes, line) in [
        ("a line of garbage", [whole.as_slice(), b"garbage\n"].concat(), 4),
        ("an empty line", [whole.as_slice(), b"\n"].concat(), 4),
        ("a good line after zeros", zeros_in_the_middle, 2),
        ("a line is missing", [first, third].concat(), 2),
        ("a line stands twice", [first, second, second].concat(), 3),
        ("two lines changed places", [first, third, second].concat(), 2),
        ("the first line is missing", [second, third].concat(), 1),
        ("the last newline is another byte", newline_changed, 3),
        ("windows line ends", String::from_utf8(whole.clone()).unwrap().replace('\n', "\r\n").into_bytes(), 1),
    ] {
        workspace.overwrite(&bytes);
        for result in [
            workspace.store.logs().read(workspace.run).await.map(drop),
            workspace.store.open(workspace.run).await.map(drop),
        ] {
            match result {
                Err(error @ StoreError::Damaged { .. }) => {
                    let message = error.to_string();
                    assert!(message.contains(&format!("log.ndjson, line {line} ")), "{name}: {message}");
                    assert!(error.hint().is_some(), "{name}");
                }
                other => panic!("{name}: expected damage, got {other:?}"),
            }
        }
        assert_eq!(workspace.bytes(), bytes, "{name}: never repaired");
        let report = workspace.store.verify(Some(vec![workspace.run])).await.unwrap();
        assert_eq!(report.problems.first().and_then(|problem| problem.place.line), Some(line), "{name}");
    }
}

#[tokio::test]
async fn a_crash_between_a_blob_and_its_event_costs_nothing_but_the_blob() {
    let workspace = Workspace::with_events(4).await;
    workspace.store.blobs().put(b"an answer that nobody heard of").await.unwrap();
    fs::write(workspace.layout().blobs().join(".tmp-crashed"), "half").unwrap();
    let report = workspace.store.verify(Some(vec![workspace.run])).await.unwrap();
    assert!(report.is_intact(), "{report:?}");
    let notes: Vec<_> = report.notes.iter().map(|note| note.what.as_str()).collect();
    // The sample's texts of a whole round are stored, the reviewer's are not cited yet.
    assert_eq!(notes, ["1 files that were never finished", "3 blobs that no event cites"]);
    assert_eq!(workspace.store.open(workspace.run).await.unwrap().entries.len(), 4);
}

#[tokio::test]
async fn a_crash_while_a_run_is_created_can_be_repeated() {
    let workspace = Workspace::new();
    fs::create_dir_all(workspace.layout().run(workspace.run)).unwrap();
    assert_eq!(workspace.store.logs().runs().await.unwrap(), [], "a folder without a log is no run");
    workspace.store.logs().create(workspace.run).await.unwrap();
    assert_eq!(workspace.store.logs().runs().await.unwrap(), [workspace.run]);
}

#[tokio::test]
async fn a_log_that_somebody_else_changed_is_not_written_to() {
    let workspace = Workspace::with_events(2).await;
    let mut opened = workspace.store.open(workspace.run).await.unwrap();
    let mut bytes = workspace.bytes();
    bytes.extend_from_slice(b"intruder");
    workspace.overwrite(&bytes);
    let next = || events(workspace.run).skip(2).take(1).collect();
    assert!(matches!(opened.log.append(Seq(2), next()).await, Err(StoreError::Intruded { .. })));
    assert!(matches!(opened.log.append(Seq(2), next()).await, Err(StoreError::Poisoned { .. })));
    assert_eq!(workspace.bytes(), bytes);
}

#[tokio::test]
async fn a_log_that_somebody_saved_anew_is_not_written_on() {
    for (name, is_there) in [("replaced", true), ("removed", false)] {
        let workspace = Workspace::with_events(2).await;
        let mut opened = workspace.store.open(workspace.run).await.unwrap();
        let log = workspace.layout().log(workspace.run);
        // The same bytes in another file, as editors and tools that synchronize leave them.
        let bytes = workspace.bytes();
        fs::remove_file(&log).unwrap();
        if is_there {
            fs::write(&log, &bytes).unwrap();
        }
        let next = || events(workspace.run).skip(2).take(1).collect();
        let refused = opened.log.append(Seq(2), next()).await.unwrap_err();
        assert!(matches!(refused, StoreError::Replaced { .. }), "{name}: {refused}");
        assert!(matches!(opened.log.append(Seq(2), next()).await, Err(StoreError::Poisoned { .. })), "{name}");
    }
}

#[tokio::test]
async fn a_run_that_nobody_opened_is_removed_by_the_next_start() {
    for (name, left) in [("an empty log", Some("")), ("half a first line", Some("{\"seq\":")), ("no log", None)] {
        let workspace = Workspace::with_events(1).await;
        match left {
            Some(text) => workspace.overwrite(text),
            None => fs::remove_file(workspace.log()).unwrap(),
        }
        assert_eq!(workspace.store.sweep().await.unwrap(), 1, "{name}");
        assert!(!workspace.layout().run(workspace.run).exists(), "{name}");
    }
}

#[tokio::test]
async fn a_run_in_which_something_may_have_happened_stays() {
    type Spoil = fn(&Workspace);
    let rows: [(&str, Spoil); 3] = [
        ("one whole line", |_| {}),
        ("a line of garbage", |it| it.overwrite("garbage\n")),
        ("an emptied log beside what the run made", |it| {
            fs::create_dir_all(it.layout().artifacts(it.run)).unwrap();
            it.overwrite("");
        }),
    ];
    for (name, spoil) in rows {
        let workspace = Workspace::with_events(1).await;
        spoil(&workspace);
        let before = workspace.bytes();
        assert_eq!(workspace.store.sweep().await.unwrap(), 0, "{name}");
        assert_eq!(workspace.bytes(), before, "{name}");
    }
}

#[tokio::test]
async fn a_run_that_is_just_being_opened_stays() {
    let workspace = Workspace::new();
    let mut log = workspace.store.logs().create(workspace.run).await.unwrap();
    assert_eq!(workspace.store.sweep().await.unwrap(), 0);
    log.append(Seq(0), events(workspace.run).take(1).collect()).await.expect("its log is still there");
    assert_eq!(workspace.store.logs().read(workspace.run).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_run_that_is_just_being_made_is_not_taken_for_a_damaged_one() {
    let workspace = Workspace::with_events(1).await;
    let folder = workspace.layout().run(workspace.run);
    fs::remove_file(workspace.layout().log(workspace.run)).unwrap();
    fs::write(folder.join(".tmp-1-abc"), "").unwrap();
    assert_eq!(workspace.store.logs().runs().await.unwrap(), [], "nothing of it is finished");
    fs::create_dir(folder.join("artifacts")).unwrap();
    assert_eq!(workspace.store.logs().runs().await.unwrap(), [workspace.run], "it lost its log");
}
