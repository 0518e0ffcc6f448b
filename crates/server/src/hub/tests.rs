//! What the hub keeps of runs that have ended: nothing but how far their logs go.

use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::task::block_in_place;
use tribunal_kernel::{Entry, Event, Outcome, Run, RunId, Time};
use tribunal_store::conformance::events;
use tribunal_store::{Backend as _, FileBackend};
use uuid::Uuid;

use super::*;

struct Nobody;

impl Observer for Nobody {
    fn observe(&mut self, _: &Run, _: &Entry) {}
}

/// A minute between runs: what was opened before the last one is not young any more.
const APART: u64 = 60_000;

fn run_id(number: u64) -> RunId {
    RunId(Uuid::from_u128(u128::from(number * APART) << 80 | 7 << 76 | 2 << 62 | u128::from(number)))
}

/// A run that is opened and ends at once.
async fn play(store: &FileBackend, number: u64) -> RunId {
    let run = run_id(number);
    let (_, opened) = events(run).next().unwrap();
    let closed = Event::RunClosed { outcome: Outcome::Interrupted, reason: "enough".into(), ship: None };
    let mut log = store.logs().create(run).await.unwrap();
    let at = |ms: u64| Time(number * APART + ms);
    log.append(log.seq(), vec![(at(1), opened), (at(2), closed)]).await.unwrap();
    run
}

/// A person goes on with a run that has ended, and thinks better of it.
async fn go_on(store: &FileBackend, run: RunId, at: Time) {
    let mut log = store.open(run).await.unwrap().log;
    let reopened = Event::DecisionReopened { by: "ada".into(), why: "once more".into(), rounds: 1 };
    let closed = Event::RunClosed { outcome: Outcome::Interrupted, reason: "enough again".into(), ship: None };
    log.append(log.seq(), vec![(at, reopened), (at, closed)]).await.unwrap();
}

async fn hub() -> (TempDir, FileBackend, Arc<Hub>) {
    let folder = tempfile::tempdir().unwrap();
    let store = FileBackend::new(folder.path());
    let hub = Hub::start(Arc::new(store.clone()), Box::new(Nobody)).await.unwrap();
    (folder, store, hub)
}

fn wait_for(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "waited for {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

async fn next(reading: &ReaderPlace) -> String {
    let told = tokio::time::timeout(Duration::from_secs(60), reading.mailbox.next()).await.expect("in time");
    String::from_utf8(told.expect("the stream goes on").to_vec()).unwrap()
}

/// The last place that was told.
fn place(told: &str) -> Cursor {
    told.lines().filter_map(|line| line.strip_prefix("id: ")).next_back().unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_ended_is_let_go_and_named_only_as_long_as_it_would_be_taken_for_new() {
    let (_folder, store, hub) = hub().await;
    let all = block_in_place(|| hub.read_all(None));
    let mut told = String::new();
    for number in 1..=20 {
        play(&store, number).await;
        while !told.contains(&format!("\"runId\":\"{}\",\"outcome\"", run_id(number))) {
            told.push_str(&next(&all).await);
        }
        wait_for("everything but the youngest to be let go", || hub.held() == (0, 1));
    }
    let last = place(&told);
    assert_eq!(last.to_string().matches(':').count(), 1, "it names what would be taken for new: {last}");
    let back = block_in_place(|| hub.read_all(Some(last.clone())));
    assert_eq!(back.missed.logs(), 0, "nothing was missed, and no log is read to find out");

    // What is let go and goes on is news again, for those who stayed and for those who come back.
    go_on(&store, run_id(3), Time(30 * APART)).await;
    let told = next(&all).await;
    assert!(
        told.contains("enough again") && !told.contains("critique.scene"),
        "what was told is not told again: {told}"
    );
    assert_eq!(next(&back).await, told);
    let mut late = block_in_place(|| hub.read_all(Some(last)));
    assert_eq!(late.missed.logs(), 1);
    let missed = String::from_utf8(block_in_place(|| late.missed.next_events()).unwrap().to_vec()).unwrap();
    assert!(missed.contains("enough again") && !missed.contains("critique.scene"), "{missed}");
    assert_eq!(block_in_place(|| late.missed.next_events()), None);
    wait_for("it to be let go once more", || hub.held().0 == 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_read_or_goes_on_is_not_let_go() {
    let (_folder, store, hub) = hub().await;
    let read = play(&store, 1).await;
    let reading = block_in_place(|| hub.read(read, Position::default())).unwrap();
    let (open, mut log) = (run_id(2), store.logs().create(run_id(2)).await.unwrap());
    let (_, opened) = events(open).next().unwrap();
    log.append(log.seq(), vec![(Time(2 * APART), opened)]).await.unwrap();
    let ended = play(&store, 3).await;
    wait_for("the third to be told and let go", || {
        let state = hub.lock();
        state.young.contains_key(&ended) && state.followed.contains_key(&open)
    });
    assert_eq!(hub.held().0, 2, "one is read, and one has not ended");
    drop(reading);
    // Its reader may be on its way back.
    thread::sleep(Duration::from_millis(50));
    assert!(hub.lock().followed.contains_key(&read));
}

/// All that is left of what was missed.
fn all_missed(missed: &mut History) -> String {
    let pieces = std::iter::from_fn(|| block_in_place(|| missed.next_events()));
    pieces.map(|piece| String::from_utf8(piece.to_vec()).unwrap()).collect()
}

fn ends(told: &str) -> usize {
    told.matches("critique.run_closed").count()
}

#[tokio::test(flavor = "multi_thread")]
async fn who_was_told_what_it_missed_has_a_short_place() {
    let (_folder, store, hub) = hub().await;
    for number in 1..=20 {
        play(&store, number).await;
    }
    let mut back = block_in_place(|| hub.read_all(Some(Cursor::default())));
    let told = all_missed(&mut back.missed);
    assert_eq!(ends(&told), 20);
    let ids: Vec<&str> = told.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
    let named = |id: &str| id.matches(':').count();
    assert_eq!(named(ids[ids.len() - 2]), 20, "on the way it names all that it was told");
    assert!(named(ids[ids.len() - 1]) <= 1, "at the end, what would be taken for new: {ids:?}");
    let again = block_in_place(|| hub.read_all(Some(place(&told))));
    assert_eq!(again.missed.logs(), 0, "nothing is told twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_falls_behind_while_it_is_told_what_it_missed_goes_on_where_that_ends() {
    let (_folder, store, hub) = hub().await;
    play(&store, 1).await;
    let mut late = block_in_place(|| hub.read_all(Some(Cursor::default())));
    let more = u64::try_from(MAILBOX).unwrap();
    for number in 2..=more {
        play(&store, number).await;
    }
    wait_for("more than fits to be told", || late.mailbox.fell_behind());
    let mut told = all_missed(&mut late.missed);
    assert_eq!((late.mailbox.next().await, ends(&told)), (None, 1));
    while ends(&told) < MAILBOX {
        late = block_in_place(|| hub.read_on(late.caught_up)).unwrap();
        told += &all_missed(&mut late.missed);
    }
    for number in 1..=more {
        let run = format!("\"runId\":\"{}\",\"outcome\"", run_id(number));
        assert_eq!(told.matches(&run).count(), 1, "run {number} is told once");
    }
}
