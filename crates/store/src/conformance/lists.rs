//! Which runs there are, and who waits.

use std::sync::Arc;
use tribunal_kernel::{Entry, Run, Seq};

use super::{events, run_id};
use crate::Backend;
use crate::index::{RunFilter, RunStatus};

/// The first `count` events of a run, folded.
fn run(number: u64, count: usize) -> Arc<Run> {
    let entries = (1..).zip(events(run_id(number))).map(|(seq, (time, event))| Entry { seq: Seq(seq), time, event });
    Arc::new(Run::fold(entries.take(count).collect::<Vec<_>>()).expect("the sample folds").expect("it is not empty"))
}

async fn listed(store: &Arc<dyn Backend>, filter: RunFilter) -> Vec<(u64, u64)> {
    let rows = store.lists().runs(filter).await.expect("runs");
    let number = |run| (0..10).find(|number| run_id(*number) == run).expect("a run of this test");
    rows.into_iter().map(|row| (number(row.run), row.seq.0)).collect()
}

pub async fn runs_are_found_again_newest_first(store: Arc<dyn Backend>) {
    assert_eq!(listed(&store, RunFilter::default()).await, []);
    let unknown = async || store.lists().unknown(vec![run_id(1), run_id(9)]).await.expect("unknown");
    assert_eq!(unknown().await, [run_id(1), run_id(9)], "nobody is listed yet");
    for number in [2, 1, 3] {
        store.lists().update(run(number, 4)).await.expect("update");
    }
    assert_eq!(unknown().await, [run_id(9)]);
    store.lists().update(run(2, 7)).await.expect("update");
    assert_eq!(listed(&store, RunFilter::default()).await, [(3, 4), (2, 7), (1, 4)]);
    let page = RunFilter { after: Some(run_id(3)), limit: 1, ..RunFilter::default() };
    assert_eq!(listed(&store, page).await, [(2, 7)]);
    let running = RunFilter { status: Some(RunStatus::Running), ..RunFilter::default() };
    assert_eq!(listed(&store, running).await.len(), 3);
    let named = |subject: &str| RunFilter { subject: Some(subject.into()), ..RunFilter::default() };
    assert_eq!(listed(&store, named("headline")).await.len(), 3);
    assert_eq!(listed(&store, named("nothing")).await, []);
    let seats = store.lists().seats(run_id(2)).await.expect("seats");
    assert_eq!(seats.iter().map(|row| row.seat.as_str()).collect::<Vec<_>>(), ["creator", "reviewer"]);
    assert_eq!(store.lists().findings(run_id(2)).await.expect("findings"), []);
    assert_eq!(store.lists().artifact(run_id(2)).await.expect("artifact"), None, "it is no theater");
}

pub async fn late_updates_change_nothing(store: Arc<dyn Backend>) {
    store.lists().update(run(1, 7)).await.expect("update");
    store.lists().update(run(1, 3)).await.expect("update");
    assert_eq!(listed(&store, RunFilter::default()).await, [(1, 7)]);
}

pub async fn rebuilt_lists_hold_what_they_were_given(store: Arc<dyn Backend>) {
    store.lists().update(run(1, 7)).await.expect("update");
    store.lists().update(run(2, 7)).await.expect("update");
    store.lists().rebuild(vec![run(2, 3), run(3, 3)]).await.expect("rebuild");
    assert_eq!(listed(&store, RunFilter::default()).await, [(3, 3), (2, 3)]);
    store.lists().update(run(2, 4)).await.expect("update");
    assert_eq!(listed(&store, RunFilter::default()).await, [(3, 3), (2, 4)]);
}

pub async fn tickets_are_served_in_order(store: Arc<dyn Backend>) {
    let mut tickets = Vec::new();
    for ahead in 0..4 {
        let ticket = store.queue().draw().await.expect("draw");
        assert_eq!(ticket.ahead().await.expect("ahead"), ahead);
        tickets.push(ticket);
    }
    let mut due = Vec::new();
    for ticket in &tickets {
        due.push(ticket.is_due(2).await.expect("is due"));
    }
    assert_eq!(due, [true, true, false, false]);
    assert!(tickets[0].is_due(0).await.expect("is due"), "one may always run");
    drop(tickets.remove(1));
    assert!(tickets[1].is_due(2).await.expect("is due"), "who goes makes room");
    assert!(!tickets[2].is_due(2).await.expect("is due"));
    let late = store.queue().draw().await.expect("draw");
    assert_eq!(late.ahead().await.expect("ahead"), 3, "who comes later waits behind all others");
}
