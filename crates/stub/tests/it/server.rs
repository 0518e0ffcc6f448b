//! Connections, counters and what stands around the wires.

use serde_json::json;
use tokio::task::JoinSet;
use tribunal_stub::{HttpLimits, Purpose, Script, Stub, StubOptions, StubReply};

use crate::client::{Connection, get, post, request};

const CHAT: &str = "/v1/chat/completions";

fn body(user: &str) -> serde_json::Value {
    json!({"model": "m", "messages": [{"role": "user", "content": user}]})
}

#[tokio::test]
async fn a_hundred_calls_at_once() {
    let stub = Stub::start(Script::answering(|call| StubReply::text(call.user.replace("call", "answer")))).unwrap();
    let mut calls = JoinSet::new();
    for number in 0..100 {
        let mut connection = Connection::to(&stub).await;
        calls.spawn(async move {
            let got = connection.post(CHAT, &body(&format!("call {number:03}"))).await;
            assert_eq!(got.json()["choices"][0]["message"]["content"], format!("answer {number:03}"));
        });
    }
    while let Some(call) = calls.join_next().await {
        call.unwrap();
    }
    let totals = stub.totals();
    // 8 bytes in, 10 bytes out.
    assert_eq!((totals.calls, totals.tokens.input, totals.tokens.output), (100, 200, 300));
    let mut prompts: Vec<String> = stub.calls().into_iter().map(|record| record.call.prompt).collect();
    prompts.sort();
    prompts.dedup();
    assert_eq!(prompts.len(), 100);
}

#[tokio::test]
async fn a_connection_stays_for_further_requests() {
    let stub = Stub::start(Script::always("{{user}}")).unwrap();
    let mut connection = Connection::to(&stub).await;
    // Two at once: the second waits its turn.
    connection.write(request(CHAT, &body("one")) + &request(CHAT, &body("two"))).await;
    for expected in ["one", "two"] {
        assert_eq!(connection.read().await.json()["choices"][0]["message"]["content"], expected);
    }
    let mut streamed = body("three");
    streamed["stream"] = true.into();
    let got = connection.post(CHAT, &streamed).await;
    assert!(got.is_whole && got.header("connection") == Some("keep-alive"));
    connection.write("GET / HTTP/1.1\r\nConnection: close\r\n\r\n").await;
    assert_eq!(connection.read().await.header("connection"), Some("close"));
    assert_eq!(connection.read_to_end().await.len(), 0);
}

#[tokio::test]
async fn bodies_come_in_chunks_or_after_a_word() {
    let stub = Stub::start(Script::always("{{user}}")).unwrap();
    let text = body("Grüße").to_string();
    let (one, two) = text.split_at(10);
    let mut connection = Connection::to(&stub).await;
    connection
        .write(format!("POST {CHAT} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{one}\r\n", one.len()))
        .await;
    connection.write(format!("{:X};x=y\r\n{two}\r\n0\r\nA: b\r\n\r\n", two.len())).await;
    assert_eq!(connection.read().await.json()["choices"][0]["message"]["content"], "Grüße");

    let head = format!("POST {CHAT} HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n", text.len());
    connection.write(head).await;
    assert_eq!(connection.read().await.status, 100);
    connection.write(&text).await;
    assert_eq!(connection.read().await.status, 200);
}

#[tokio::test]
async fn old_clients_get_a_stream_without_chunks() {
    let stub = Stub::start(Script::always("Hello.")).unwrap();
    let mut streamed = body("x");
    streamed["stream"] = true.into();
    let mut connection = Connection::to(&stub).await;
    connection.write(request(CHAT, &streamed).replace("HTTP/1.1", "HTTP/1.0")).await;
    let all = String::from_utf8(connection.read_to_end().await).unwrap();
    assert!(!all.contains("chunked") && all.ends_with("data: [DONE]\n\n"));
}

#[tokio::test]
async fn probes_are_answered_and_unknown_paths_recorded() {
    let stub = Stub::start(Script::always("Hello.")).unwrap();
    let mut connection = Connection::to(&stub).await;
    connection.write("HEAD / HTTP/1.1\r\n\r\nGET /api/hello HTTP/1.0\r\n\r\n").await;
    let text = String::from_utf8(connection.read_to_end().await).unwrap();
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 2);
    assert_eq!(get(&stub, "/v1/models").await.json()["data"][0]["type"], "model");
    let unknown = post(&stub, "/api/event_logging/batch", &json!({})).await;
    assert_eq!((unknown.status, &unknown.json()["error"]["type"]), (404, &json!("not_found_error")));
    let purposes: Vec<Purpose> = stub.calls().into_iter().map(|record| record.call.purpose).collect();
    assert_eq!(purposes, [Purpose::Probe, Purpose::Probe, Purpose::Models, Purpose::Unknown]);
    assert_eq!((stub.totals().requests, stub.totals().unknown, stub.totals().calls), (4, 1, 0));
}

#[tokio::test]
async fn a_call_that_no_rule_fits_is_refused() {
    let stub = Stub::start(Script::new()).unwrap();
    let got = post(&stub, CHAT, &body("x")).await;
    assert!(got.status == 400 && got.text().contains("no rule"));
    assert_eq!(stub.calls()[0].rule, None);
}

#[tokio::test]
async fn old_calls_are_forgotten_but_count() {
    let limits = HttpLimits { calls: 2, ..HttpLimits::default() };
    let stub = Stub::start_with(Script::always("x"), StubOptions { limits, ..StubOptions::default() }).unwrap();
    for user in ["one", "two", "three"] {
        post(&stub, CHAT, &body(user)).await;
    }
    let users: Vec<String> = stub.calls().into_iter().map(|record| record.call.user).collect();
    assert_eq!(users, ["two", "three"]);
    assert_eq!(stub.totals().calls, 3);
}

#[test]
fn it_needs_no_runtime_and_ends_when_it_is_dropped() {
    let stub = Stub::start(Script::always("x")).unwrap();
    let port = stub.port();
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
    drop(stub);
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err());
}
