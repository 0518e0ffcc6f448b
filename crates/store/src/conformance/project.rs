//! What belongs to the project as a whole.

use std::fs;
use std::sync::Arc;
use tokio::task::JoinSet;
use tribunal_kernel::grade::{Cycle, Grades};
use tribunal_kernel::judge::{Stop, StopEnd, Stops};
use tribunal_kernel::{Digest, Time};

use super::{Harness, run_id};
use crate::backend::{Backend, ScratchFolder, ServerAddress};

pub async fn nobody_loses_a_change_of_the_grades(store: Arc<dyn Backend>) {
    assert_eq!(store.grades().read().await.expect("read"), Grades::default(), "nobody was graded");
    let mut tasks = JoinSet::new();
    for at in 1..=8 {
        let store = store.clone();
        tasks.spawn(async move {
            let cycle = Cycle { at: Time(at), tribunal: "0".into(), program: None, played: vec![] };
            let change = |grades: &mut Grades| grades.entry("a", None).take(cycle.clone());
            store.grades().change(Box::new(change)).await.expect("change");
        });
    }
    tasks.join_all().await;
    let grades = store.grades().read().await.expect("read");
    assert_eq!(grades.of("a", None).expect("it was graded").cycles.len(), 8);
}

pub async fn nobody_loses_a_stop(store: Arc<dyn Backend>) {
    assert_eq!(store.stops().read().await.expect("read").stops, [], "nobody stopped");
    let mut tasks = JoinSet::new();
    for at in 1..=8 {
        let store = store.clone();
        tasks.spawn(async move {
            let stop = Stop {
                at: Time(at),
                agent: "claude".into(),
                session: String::new(),
                end: if at == 1 { StopEnd::Held } else { StopEnd::Refused },
                run: Some(run_id(1)),
                noted: false,
                why: format!("line {at}\n\"two\""),
            };
            store.stops().change(Box::new(|stops: &mut Stops| stops.stops.push(stop.clone()))).await.expect("change");
        });
    }
    tasks.join_all().await;
    let mut stops = store.stops().read().await.expect("read").stops;
    stops.sort_by_key(|stop| stop.at);
    let told: Vec<_> = stops.iter().map(|stop| (stop.at, stop.why.clone())).collect();
    assert_eq!(told, (1..=8).map(|at| (Time(at), format!("line {at}\n\"two\""))).collect::<Vec<_>>());
    assert_eq!((stops[0].end, stops[1].end), (StopEnd::Held, StopEnd::Refused));
}

pub async fn stops_are_there_after_a_restart(harness: &dyn Harness, number: u32) {
    let store = harness.open(number).await.expect("open");
    let stop = Stop {
        at: Time(1),
        agent: String::new(),
        session: String::new(),
        end: StopEnd::Held,
        run: None,
        noted: false,
        why: "the test is flaky".into(),
    };
    store.stops().change(Box::new(|stops: &mut Stops| stops.stops.push(stop.clone()))).await.expect("change");
    drop(store);
    let again = harness.open(number).await.expect("open again");
    assert_eq!(again.stops().read().await.expect("read").stops, [stop]);
}

pub async fn one_server_at_a_time_and_its_address_stays(store: Arc<dyn Backend>) {
    assert_eq!(store.servers().find().await.expect("find"), None);
    let mut claim = store.servers().claim().await.expect("claim").expect("nobody has it");
    assert_eq!(claim.before(), &ServerAddress::default());
    assert!(store.servers().claim().await.expect("claim").is_none(), "somebody has it");
    assert_eq!(store.servers().find().await.expect("find"), None, "it has not said where it answers");
    let address = ServerAddress { address: "http://127.0.0.1:1".into(), token: "key".into(), project: "shop".into() };
    claim.publish(&address).await.expect("publish");
    assert_eq!(store.servers().find().await.expect("find").as_ref(), Some(&address));
    drop(claim);
    assert_eq!(store.servers().find().await.expect("find"), None, "nobody answers");
    let next = store.servers().claim().await.expect("claim").expect("it is free again");
    assert_eq!(next.before(), &address, "the next one has the same key");
}

pub async fn a_link_that_votes_is_used_once(store: Arc<dyn Backend>) {
    let (link, other) = (Digest::of("one"), Digest::of("other"));
    assert!(!store.votes().is_used(link).await.expect("is used"));
    let mut tasks = JoinSet::new();
    for _ in 0..8 {
        let store = store.clone();
        tasks.spawn(async move { store.votes().take(link).await.expect("take") });
    }
    let taken = tasks.join_all().await.into_iter().filter(|first| *first).count();
    assert_eq!(taken, 1, "of many who use it at once, one does");
    assert!(store.votes().is_used(link).await.expect("is used"));
    assert!(store.votes().take(other).await.expect("take"), "another one is another one");
    store.votes().give_back(other).await.expect("give back");
    assert!(store.votes().take(other).await.expect("take"));
}

pub async fn links_keep_their_key_and_what_was_used_stays_used(harness: &dyn Harness, number: u32) {
    let store = harness.open(number).await.expect("open");
    let key = store.votes().key().await.expect("key");
    assert!(store.votes().take(Digest::of("one")).await.expect("take"));
    drop(store);
    let again = harness.open(number).await.expect("open again");
    assert_eq!(again.votes().key().await.expect("key"), key);
    assert!(!again.votes().take(Digest::of("one")).await.expect("take"));
}

pub async fn a_project_keeps_its_id(harness: &dyn Harness, number: u32) {
    let store = harness.open(number).await.expect("open");
    let mut tasks = JoinSet::new();
    for _ in 0..8 {
        let store = store.clone();
        tasks.spawn(async move { store.project().await.expect("project") });
    }
    let ids = tasks.join_all().await;
    drop(store);
    let again = harness.open(number).await.expect("open again").project().await.expect("project");
    assert!(ids.iter().all(|id| *id == again), "{ids:?}, {again}");
}

pub async fn a_scratch_folder_is_empty_when_it_is_wanted_empty(store: Arc<dyn Backend>) {
    let folders = [
        ScratchFolder::Trees(run_id(1)),
        ScratchFolder::Trees(run_id(2)),
        ScratchFolder::Artifacts(run_id(1)),
        ScratchFolder::Attached(run_id(1)),
        ScratchFolder::Agent("writer".into()),
        ScratchFolder::Trial("writer".into()),
        ScratchFolder::Trial("../../etc".into()),
    ];
    let mut paths = Vec::new();
    for folder in &folders {
        let path = store.scratch().emptied(folder).await.expect("emptied");
        assert_eq!(path, store.scratch().path(folder));
        fs::write(path.join("left"), "x").expect("it can be written to");
        paths.push(path);
    }
    for (folder, path) in folders.iter().zip(&paths) {
        assert!(path.join("left").is_file(), "{folder:?} has a folder of its own");
    }
    let first = store.scratch().emptied(&folders[0]).await.expect("emptied");
    assert_eq!(fs::read_dir(first).expect("it is there").count(), 0);
    assert!(paths[1].join("left").is_file(), "the others are left alone");
}
