//! What others ask of a run.

use std::sync::Arc;
use tokio::task::JoinSet;

use super::run_id;
use crate::StoreError;
use crate::backend::{Backend, RunRequest, TakenRequests};

fn steer(by: impl Into<String>, text: impl Into<String>) -> RunRequest {
    RunRequest::Steer { by: by.into(), text: text.into() }
}

pub async fn requests_are_taken_once_and_in_order(store: Arc<dyn Backend>) {
    let (run, other) = (run_id(1), run_id(2));
    for run in [run, other] {
        drop(store.logs().create(run).await.expect("create"));
    }
    let requests = store.requests();
    assert_eq!(requests.take(run).await.expect("take"), TakenRequests::default());
    let mut asked: Vec<_> = (0..20).map(|number| steer("ann", format!("größer, {number}\n"))).collect();
    asked.push(RunRequest::Interrupt { by: "bob".into() });
    for request in &asked {
        requests.put(run, request.clone()).await.expect("put");
    }
    assert_eq!(requests.take(other).await.expect("take"), TakenRequests::default(), "a request is for one run");
    let mut taken = Vec::new();
    while taken.len() < asked.len() {
        let more = requests.take(run).await.expect("take");
        assert!(!more.requests.is_empty(), "{} of {} came", taken.len(), asked.len());
        assert_eq!(more.refused, []);
        taken.extend(more.requests);
    }
    assert_eq!(taken, asked);
    assert_eq!(requests.take(run).await.expect("take"), TakenRequests::default());
}

/// Many ask at once while two take: what one of them gets, the other does not, and nothing stays behind.
pub async fn no_request_is_lost_or_doubled_whoever_takes(store: Arc<dyn Backend>) {
    const ASKING: usize = 8;
    const EACH: usize = 20;
    let run = run_id(1);
    drop(store.logs().create(run).await.expect("create"));
    let mut asking = JoinSet::new();
    for by in 0..ASKING {
        let store = store.clone();
        asking.spawn(async move {
            for text in 0..EACH {
                store.requests().put(run, steer(by.to_string(), text.to_string())).await.expect("put");
            }
            Vec::new()
        });
    }
    let mut taking = JoinSet::new();
    for _ in 0..2 {
        let store = store.clone();
        taking.spawn(async move {
            let mut taken = Vec::new();
            for _ in 0..100 {
                taken.push(store.requests().take(run).await.expect("take").requests);
                tokio::task::yield_now().await;
            }
            taken.concat()
        });
    }
    asking.join_all().await.into_iter().for_each(|nothing: Vec<RunRequest>| assert!(nothing.is_empty()));
    let mut taken = taking.join_all().await;
    loop {
        let rest = store.requests().take(run).await.expect("take").requests;
        if rest.is_empty() {
            break;
        }
        taken.push(rest);
    }
    let mut numbers = Vec::new();
    for taken in taken {
        let mut latest = [None; ASKING];
        for request in taken {
            let RunRequest::Steer { by, text } = request else { panic!("nobody asked for {request:?}") };
            let (by, text): (usize, usize) = (by.parse().expect("a number"), text.parse().expect("a number"));
            assert!(latest[by].replace(text) < Some(text), "what one asks comes in the order in which it was asked");
            numbers.push((by, text));
        }
    }
    numbers.sort_unstable();
    let all = (0..ASKING).flat_map(|by| (0..EACH).map(move |text| (by, text)));
    assert!(numbers.into_iter().eq(all), "every request once");
}

pub async fn a_run_that_is_not_there_is_asked_nothing(store: Arc<dyn Backend>) {
    let asked = store.requests().put(run_id(404), steer("ann", "now")).await;
    assert!(matches!(asked, Err(StoreError::NoRun { .. })), "{asked:?}");
    assert_eq!(store.logs().runs().await.expect("runs"), []);
}
