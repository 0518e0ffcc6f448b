//! Logs that somebody else writes.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use tokio::task::JoinSet;
use tribunal_kernel::{Entry, RunId, Seq};

use super::{events, run_id};
use crate::backend::{Backend, Follow, LogMark};

/// How many events the writer of a case writes.
const EVENTS: u64 = 60;

fn expected(run: RunId, after: u64, count: u64) -> Vec<Entry> {
    let entries = (1..).zip(events(run)).map(|(seq, (time, event))| Entry { seq: Seq(seq), time, event });
    entries.filter(|entry| entry.seq.0 > after).take(usize::try_from(count).expect("tests are short")).collect()
}

/// Follows until event `last` was given.
async fn follow_to(follow: &mut Box<dyn Follow>, last: u64, max: usize) -> Vec<Entry> {
    let mut entries = Vec::new();
    while follow.seq().0 < last {
        let new = follow.next(max).await.expect("the log is good");
        assert!(new.len() <= max, "{} entries where {max} were wanted", new.len());
        entries.extend(new);
        tokio::task::yield_now().await;
    }
    entries
}

/// One follower from every place on, opened before there is a log or while it is written; the writer stops and comes
/// back all the time.
pub async fn followers_from_every_place_miss_nothing(store: Arc<dyn Backend>) {
    let run = run_id(1);
    let mut tasks = JoinSet::new();
    let spawn = |tasks: &mut JoinSet<()>, after: u64| {
        let store = store.clone();
        tasks.spawn(async move {
            let mut follow = store.logs().follow(run, Seq(after)).await.expect("follow");
            assert_eq!(follow.seq(), Seq(after));
            let max = usize::try_from(after % 7 + 1).expect("a small number");
            let entries = follow_to(&mut follow, EVENTS, max).await;
            assert_eq!(entries, expected(run, after, EVENTS - after), "from {after} on");
            assert_eq!(follow.next(10).await.expect("next"), [], "that was all");
        });
    };
    for after in (0..EVENTS).step_by(2) {
        spawn(&mut tasks, after);
    }
    let mut log = store.logs().create(run).await.expect("create");
    let mut written = 0;
    for size in [1, 2, 5, 1, 3].into_iter().cycle() {
        let size = size.min(EVENTS - written);
        if size == 0 {
            break;
        }
        let batch = expected(run, written, size).into_iter().map(|entry| (entry.time, entry.event));
        log.append(Seq(written), batch.collect()).await.expect("append");
        for after in (written + 1..=written + size).filter(|after| after % 2 == 1) {
            spawn(&mut tasks, after);
        }
        written += size;
        if written % 4 == 0 {
            drop(log);
            log = store.open(run).await.expect("open").log;
        }
        tokio::task::yield_now().await;
    }
    while let Some(done) = tasks.join_next().await {
        done.expect("no follower misses anything");
    }
}

pub async fn a_follower_waits_for_what_is_not_there_yet(store: Arc<dyn Backend>) {
    let run = run_id(1);
    let mut early = store.logs().follow(run, Seq(0)).await.expect("there need not be a log");
    let mut ahead = store.logs().follow(run, Seq(3)).await.expect("nor need it be so long");
    for follow in [&mut early, &mut ahead] {
        assert_eq!(follow.next(10).await.expect("next"), []);
    }
    let mut log = store.logs().create(run).await.expect("create");
    log.append(Seq(0), events(run).take(3).collect()).await.expect("append");
    assert_eq!(early.next(2).await.expect("next"), expected(run, 0, 2));
    assert_eq!(early.next(2).await.expect("next"), expected(run, 2, 1));
    assert_eq!(ahead.next(10).await.expect("next"), [], "it begins behind that");
    log.append(Seq(3), events(run).skip(3).take(1).collect()).await.expect("append");
    for follow in [&mut early, &mut ahead] {
        assert_eq!(follow.next(10).await.expect("next"), expected(run, 3, 1));
        assert_eq!(follow.seq(), Seq(4));
    }
}

pub async fn a_follower_keeps_to_its_bound(store: Arc<dyn Backend>) {
    let run = run_id(1);
    let mut log = store.logs().create(run).await.expect("create");
    log.append(Seq(0), events(run).take(3).collect()).await.expect("append");
    let mark = store.logs().head(run).await.expect("head").expect("there is a log");
    log.append(Seq(3), events(run).skip(3).take(3).collect()).await.expect("append");
    let mut follow = store.logs().follow(run, Seq(0)).await.expect("follow");
    assert_eq!(follow.mark(), LogMark::default(), "nothing was followed yet");
    follow.bound(Some(mark));
    assert_eq!(follow_to(&mut follow, 3, 2).await, expected(run, 0, 3));
    assert_eq!(follow.next(10).await.expect("next"), [], "the rest lies behind the bound");
    assert_eq!(follow.mark(), mark, "all up to the bound was followed");
    follow.bound(None);
    assert_eq!(follow.next(10).await.expect("next"), expected(run, 3, 3));
    assert_eq!(Some(follow.mark()), store.logs().head(run).await.expect("head"));
}

pub async fn a_follower_that_nobody_waited_for_misses_nothing(store: Arc<dyn Backend>) {
    let run = run_id(1);
    let mut log = store.logs().create(run).await.expect("create");
    log.append(Seq(0), events(run).take(20).collect()).await.expect("append");
    let mut follow = store.logs().follow(run, Seq(0)).await.expect("follow");
    let mut entries = Vec::new();
    while entries.len() < 20 {
        // Begun, and then dropped, unless it is there at once.
        let mut next = follow.next(3);
        let polled = poll_fn(|context| Poll::Ready(next.as_mut().poll(context))).await;
        drop(next);
        match polled {
            Poll::Ready(new) => entries.extend(new.expect("next")),
            Poll::Pending => entries.extend(follow.next(3).await.expect("next")),
        }
    }
    assert_eq!(entries, expected(run, 0, 20));
}

pub async fn heads_say_what_has_grown(store: Arc<dyn Backend>) {
    assert_eq!(store.logs().heads().await.expect("heads"), []);
    let (first, second) = (run_id(1), run_id(2));
    let mut logs = Vec::new();
    for run in [second, first] {
        let mut log = store.logs().create(run).await.expect("create");
        log.append(Seq(0), events(run).take(1).collect()).await.expect("append");
        logs.push(log);
    }
    let before = store.logs().heads().await.expect("heads");
    assert_eq!(before.iter().map(|(run, _)| *run).collect::<Vec<_>>(), [first, second], "oldest first");
    assert_eq!(store.logs().heads().await.expect("heads"), before, "nothing happened");
    logs[0].append(Seq(1), events(second).skip(1).take(1).collect()).await.expect("append");
    let after = store.logs().heads().await.expect("heads");
    assert_eq!(after[0], before[0]);
    assert!(after[1].1.mark > before[1].1.mark, "the second log has grown");
    assert_eq!(store.logs().head(second).await.expect("head"), Some(after[1].1.mark));
    let mut names = store.logs().names().await.expect("names");
    names.sort_unstable();
    assert_eq!(names, [first, second]);
    let census = store.logs().census().await.expect("census");
    assert_eq!(store.logs().census().await.expect("census"), census, "nobody came or went");
    assert_eq!(store.logs().head(run_id(404)).await.expect("head"), None);
}
