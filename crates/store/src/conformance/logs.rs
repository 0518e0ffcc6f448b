//! What a log holds.

use std::sync::Arc;
use tribunal_kernel::{Entry, Event, Run, RunId, Seq, Time};

use super::{BEGINNING, events, run_id};
use crate::{Backend, OpenedLog, StoreError};

/// The first `count` entries of a sample run.
fn entries(run: RunId, count: usize) -> Vec<Entry> {
    (1..).zip(events(run)).take(count).map(|(seq, (time, event))| Entry { seq: Seq(seq), time, event }).collect()
}

fn batch(run: RunId, from: usize, count: usize) -> Vec<(Time, Event)> {
    events(run).skip(from).take(count).collect()
}

fn says(by: impl Into<String>) -> (Time, Event) {
    (BEGINNING, Event::InterruptRequested { by: by.into() })
}

pub async fn what_is_appended_is_read_back(store: Arc<dyn Backend>) {
    let run = run_id(1);
    let mut log = store.logs().create(run).await.expect("create");
    assert_eq!(log.seq(), Seq(0), "a new log is empty");
    let first = log.append(Seq(0), batch(run, 0, 3)).await.expect("append");
    assert_eq!(first, entries(run, 3), "append returns the entries it made");
    assert_eq!(log.seq(), Seq(3));
    log.append(Seq(3), batch(run, 3, 4)).await.expect("append");
    let read = store.logs().read(run).await.expect("read");
    assert_eq!(read, entries(run, 7));
    let folded = Run::fold(&read).expect("the sample folds").expect("it is not empty");
    assert_eq!(folded.seq(), Seq(7));
}

pub async fn a_log_goes_on_after_it_was_reopened(store: Arc<dyn Backend>) {
    let run = run_id(1);
    let mut log = store.logs().create(run).await.expect("create");
    log.append(Seq(0), batch(run, 0, 2)).await.expect("append");
    for count in 2..6 {
        drop(log);
        let OpenedLog { log: again, entries: there, recovered } = store.open(run).await.expect("open");
        assert_eq!(there, entries(run, count));
        assert_eq!(recovered, None, "nothing was torn");
        assert_eq!(again.seq(), Seq(count as u64));
        log = again;
        log.append(log.seq(), batch(run, count, 1)).await.expect("append");
    }
    assert_eq!(store.logs().read(run).await.expect("read"), entries(run, 6));
}

pub async fn an_empty_log_is_a_log(store: Arc<dyn Backend>) {
    let run = run_id(1);
    drop(store.logs().create(run).await.expect("create"));
    assert_eq!(store.logs().read(run).await.expect("read"), Vec::new());
    let opened = store.open(run).await.expect("open");
    assert_eq!((opened.entries, opened.log.seq()), (Vec::new(), Seq(0)));
}

pub async fn an_empty_batch_changes_nothing(store: Arc<dyn Backend>) {
    let run = run_id(1);
    let mut log = store.logs().create(run).await.expect("create");
    log.append(Seq(0), batch(run, 0, 1)).await.expect("append");
    assert_eq!(log.append(Seq(1), Vec::new()).await.expect("append nothing"), Vec::new());
    assert_eq!(log.seq(), Seq(1));
    assert_eq!(store.logs().read(run).await.expect("read"), entries(run, 1));
}

pub async fn batches_keep_their_order(store: Arc<dyn Backend>) {
    let run = run_id(1);
    let mut log = store.logs().create(run).await.expect("create");
    let mut said = Vec::new();
    for size in [1, 2, 3, 50, 1, 100] {
        let batch: Vec<_> = (0..size).map(|index| says(format!("{size}.{index}"))).collect();
        said.extend(batch.iter().map(|(_, event)| event.clone()));
        log.append(log.seq(), batch).await.expect("append");
    }
    let read = store.logs().read(run).await.expect("read");
    assert!(read.iter().map(|entry| entry.seq.0).eq(1..=said.len() as u64), "numbers have no gaps");
    assert_eq!(read.into_iter().map(|entry| entry.event).collect::<Vec<_>>(), said);
}

pub async fn any_text_comes_back_as_it_was(store: Arc<dyn Backend>) {
    let run = run_id(1);
    let mut log = store.logs().create(run).await.expect("create");
    let texts = [
        "",
        "a\nb\r\nc\u{2028}d\u{85}e",
        "\0 \u{1} \u{1f} \u{7f} \u{feff}",
        "\"quotes\", \\backslashes\\ and ,\"hash\":\"0000\"}",
        "größer, 日本語, עברית, 👩‍👩‍👧‍👦, e\u{301}",
        "\u{10ffff}\u{e000}\u{fffd}",
    ];
    log.append(Seq(0), texts.map(says).into()).await.expect("append");
    for (entry, text) in store.logs().read(run).await.expect("read").into_iter().zip(texts) {
        assert_eq!(entry.event, Event::InterruptRequested { by: text.into() });
    }
    drop(log);
    assert_eq!(store.open(run).await.expect("open").entries.len(), texts.len());
}

pub async fn large_events_come_back_as_they_were(store: Arc<dyn Backend>) {
    let run = run_id(1);
    let mut log = store.logs().create(run).await.expect("create");
    let large = "0123456789abcdé\n".repeat(1 << 16);
    assert!(large.len() > 1_000_000);
    log.append(Seq(0), vec![says("before"), says(large.clone()), says("after")]).await.expect("append");
    let read = store.logs().read(run).await.expect("read");
    assert_eq!(read.len(), 3);
    assert!(read[1].event == Event::InterruptRequested { by: large }, "the large event is not what it was");
}

pub async fn a_missing_run_is_named(store: Arc<dyn Backend>) {
    let run = run_id(404);
    for error in [store.logs().read(run).await.map(drop), store.open(run).await.map(drop)] {
        match error {
            Err(StoreError::NoRun { run: named, .. }) => assert_eq!(named, run),
            other => panic!("expected NoRun, got {other:?}"),
        }
    }
    assert_eq!(store.logs().runs().await.expect("runs"), Vec::new(), "looking for a run does not create it");
}

pub async fn runs_are_listed_in_order(store: Arc<dyn Backend>) {
    assert_eq!(store.logs().runs().await.expect("runs"), Vec::new());
    for number in [3, 1, 4, 15, 9, 2, 6] {
        let mut log = store.logs().create(run_id(number)).await.expect("create");
        log.append(Seq(0), batch(run_id(number), 0, 1)).await.expect("append");
    }
    assert_eq!(store.logs().runs().await.expect("runs"), [1, 2, 3, 4, 6, 9, 15].map(run_id));
}

pub async fn the_first_event_is_read_alone_and_all_of_them_as_auditors_want_them(store: Arc<dyn Backend>) {
    let run = run_id(1);
    let mut log = store.logs().create(run).await.expect("create");
    assert_eq!(store.logs().first(run).await.expect("first"), None);
    assert!(store.logs().bytes(run).await.expect("bytes").is_empty());
    log.append(Seq(0), batch(run, 0, 5)).await.expect("append");
    assert_eq!(store.logs().first(run).await.expect("first").as_ref(), entries(run, 1).first());
    let bytes = store.logs().bytes(run).await.expect("bytes");
    assert!(
        bytes == crate::log::lines_of(&entries(run, 5)).expect("entries can be written"),
        "not as auditors want it"
    );
    for missing in [store.logs().first(run_id(2)).await.map(drop), store.logs().bytes(run_id(2)).await.map(drop)] {
        assert!(matches!(missing, Err(StoreError::NoRun { .. })), "{missing:?}");
    }
}

pub async fn reading_does_not_wait_for_the_writer(store: Arc<dyn Backend>) {
    let run = run_id(1);
    let mut log = store.logs().create(run).await.expect("create");
    for count in 0..5 {
        assert_eq!(store.logs().read(run).await.expect("read"), entries(run, count));
        log.append(log.seq(), batch(run, count, 1)).await.expect("append");
    }
}
