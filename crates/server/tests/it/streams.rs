//! Event streams: nothing is missed and nothing comes twice, whatever happens in between.

use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tribunal_server::hub::MAILBOX;

use crate::support::{Events, PROJECT, Pen, Stage, TOKEN, Told};

fn names(told: &[Told]) -> Vec<&str> {
    told.iter().map(|told| told.name.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_begins_with_what_was_and_goes_on_with_what_comes() {
    let stage = Stage::open().await;
    let mut pen = Pen::open(&stage.layout(), 1).await;
    let mut events = stage.follow(Some(pen.run), None).await;
    let begun = events.take(2).await;
    assert_eq!(names(&begun), ["critique.scene", "critique.round_opened"]);
    assert_eq!(begun[0].data["runId"], pen.run.to_string());
    pen.call().await;
    let told = events.take(2).await;
    assert_eq!(names(&told), ["critique.turn_started", "critique.panelist_open"]);
    let ids: Vec<&str> = begun.iter().chain(&told).map(|told| told.id.as_str()).collect();
    assert_eq!(ids, ["1", "2", "3.1", "3"], "a place is a place in the log");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_comes_back_misses_nothing_and_sees_nothing_twice() {
    let stage = Stage::open().await;
    let mut pen = Pen::open(&stage.layout(), 1).await;
    pen.call().await;
    pen.say("Shorter.").await;
    let all = stage.follow(Some(pen.run), None).await.take(5).await;
    for (seen, told) in all.iter().enumerate() {
        let mut rest = stage.follow(Some(pen.run), Some(&told.id)).await;
        assert_eq!(rest.take(all.len() - seen - 1).await, all[seen + 1..], "after {}", told.id);
    }
    let mut last = stage.follow(Some(pen.run), Some(&all[4].id)).await;
    pen.say("Even shorter.").await;
    assert_eq!(last.next().await.unwrap().data["text"], "Even shorter.");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_turn_says_comes_while_it_is_in_flight_and_never_again() {
    let stage = Stage::open().await;
    let mut pen = Pen::open(&stage.layout(), 1).await;
    let mut events = stage.follow(Some(pen.run), None).await;
    events.take(2).await;
    let turn = pen.call().await;
    let last = events.take(2).await.pop().unwrap().id;
    pen.speak(turn, "Once upon").await;
    let told = events.next().await.unwrap();
    assert_eq!((told.id.as_str(), told.name.as_str()), ("", "critique.live"), "it has no place in the stream");
    assert_eq!(told.data, serde_json::json!({ "turn": 1, "role": "creator", "text": "Once upon" }));
    pen.speak(turn, " a time").await;
    assert_eq!(events.next().await.unwrap().data["text"], " a time");
    let mut late = stage.follow(Some(pen.run), Some(&last)).await;
    assert_eq!(late.next().await.unwrap().data["text"], "Once upon a time", "who comes now reads on");

    pen.draft(turn, "<p>A time.</p>", tribunal_kernel::Format::Html).await;
    pen.speak(turn, "too late").await;
    pen.say("Shorter.").await;
    let rest = events.take(3).await;
    assert!(!names(&rest).contains(&"critique.live"), "it is over: {rest:?}");
    let told = stage.get(&format!("/api/projects/{PROJECT}/runs/{}/cues", pen.run)).await.body;
    assert!(!told.contains("Once upon"), "nobody keeps it: {told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_comes_back_while_others_read_gets_what_they_got() {
    let stage = Stage::open().await;
    let mut pen = Pen::open(&stage.layout(), 1).await;
    let mut keen = stage.follow(Some(pen.run), None).await;
    let mut all = keen.take(2).await;
    pen.call().await;
    pen.say("Shorter.").await;
    all.extend(keen.take(3).await);
    for seen in 0..all.len() {
        let last = &all[seen].id;
        let mut back = stage.follow(Some(pen.run), Some(last)).await;
        assert_eq!(back.take(all.len() - seen - 1).await, all[seen + 1..], "after {last}");
        pen.say(format!("Once more, {seen}.")).await;
        let said = keen.take(1).await;
        assert_eq!(back.take(1).await, said);
        all.extend(said);
    }
    let told = stage.get(&format!("/api/projects/{PROJECT}/runs/{}/cues", pen.run)).await.body;
    assert_eq!(told.lines().count(), all.len(), "whoever wants all of it gets all of it");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stream_of_all_runs_survives_a_restart_of_the_server() {
    let stage = Stage::open().await;
    let mut old = Pen::open(&stage.layout(), 1).await;
    let mut events = stage.follow(None, None).await;
    let mut new = Pen::open(&stage.layout(), 2).await;
    assert_eq!(names(&events.take(2).await), ["critique.scene", "critique.round_opened"], "what is new is told");
    old.say("one").await;
    new.say("two").await;
    let told = events.take(2).await;
    let mut texts: Vec<&str> = told.iter().filter_map(|told| told.data["text"].as_str()).collect();
    texts.sort_unstable();
    assert_eq!(texts, ["one", "two"], "whoever writes them");
    let last = told[1].id.clone();
    let port = stage.address.port();
    let folder = stage.close().await;
    assert_eq!(events.next().await, None, "a server that stops ends its streams");

    // While nobody serves, both go on and a third one begins.
    old.say("three").await;
    new.call().await;
    let third = Pen::open(&tribunal_store::Layout::new(folder.path()), 3).await;
    let stage = Stage::over(folder, port).await;
    let mut events = stage.follow(None, Some(&last)).await;
    let mut told = events.take(5).await;
    told.sort_by_key(|told| (told.data["runId"].as_str().unwrap().to_owned(), told.data["seq"].as_u64()));
    let shown: Vec<String> = told
        .iter()
        .map(|told| {
            let run = told.data["runId"].as_str().unwrap();
            format!("{} {}", &run[run.len() - 1..], told.name)
        })
        .collect();
    assert_eq!(
        shown,
        [
            "1 critique.person",
            "2 critique.turn_started",
            "2 critique.panelist_open",
            "3 critique.scene",
            "3 critique.round_opened"
        ]
    );
    new.say("four").await;
    assert_eq!(events.next().await.unwrap().data["text"], "four");
    drop(third);
}

/// Reads on until this many remarks were seen; every one in order.
async fn remarks(events: &mut Events, from: usize, to: usize) {
    let mut next = from;
    while next < to {
        let told = events.next().await.unwrap();
        if let Some(text) = told.data["text"].as_str() {
            assert_eq!(text, format!("remark {next}"));
            next += 1;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_does_not_read_is_dropped_and_holds_up_nobody() {
    const MANY: usize = MAILBOX * 200;
    let stage = Stage::open().await;
    let mut pen = Pen::open(&stage.layout(), 1).await;
    // It asks and never reads.
    let mut stalled = TcpStream::connect(stage.address).await.unwrap();
    let head = format!(
        "GET /api/projects/{PROJECT}/events?run={} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {TOKEN}\r\n\r\n",
        pen.run, stage.address
    );
    stalled.write_all(head.as_bytes()).await.unwrap();
    let mut keen = stage.follow(Some(pen.run), None).await;
    let begun = Instant::now();
    let mut seen = 0;
    while seen < MANY {
        let batch = (seen..seen + 100).map(|number| tribunal_kernel::Event::DirectiveGiven {
            by: "ada".into(),
            text: format!("remark {number}"),
        });
        pen.write(batch.collect()).await;
        remarks(&mut keen, seen, seen + 100).await;
        seen += 100;
    }
    assert!(begun.elapsed() < Duration::from_secs(60), "nobody waits for the one who does not read");
    let metrics = stage.get("/metrics").await.body;
    assert!(metrics.contains("tribunal_sse_dropped_total 1"), "{metrics}");
    drop(stalled);
}
