//! Requests that nobody should send. Each is refused or runs out of time, and the server goes on.

use serde_json::json;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tribunal_stub::{HttpLimits, Purpose, Script, Stub, StubOptions};

use crate::client::{Connection, post};

fn strict() -> Stub {
    let limits = HttpLimits {
        head: 2000,
        headers: 20,
        body: 10_000,
        idle: Duration::from_secs(1),
        request: Duration::from_secs(1),
        ..HttpLimits::default()
    };
    Stub::start_with(Script::always("Hello."), StubOptions { limits, ..StubOptions::default() }).unwrap()
}

async fn still_works(stub: &Stub) {
    let body = json!({"model": "m", "messages": [{"role": "user", "content": "Hello"}]});
    assert_eq!(post(stub, "/v1/chat/completions", &body).await.status, 200);
}

#[tokio::test]
async fn what_is_malformed_is_refused() {
    let stub = strict();
    let long = "x".repeat(5000);
    let many = "A: b\r\n".repeat(21);
    let chat = "POST /v1/chat/completions HTTP/1.1\r\n";
    let rows: [(&str, String, u16); 17] = [
        ("no HTTP", "hello\r\n\r\n".into(), 400),
        ("TLS", "\u{16}\u{3}\u{1}\0\u{5}\r\n\r\n".into(), 400),
        ("HTTP/2", "PRI * HTTP/2.0\r\n\r\n".into(), 400),
        ("a long target", format!("GET /{long} HTTP/1.1\r\n\r\n"), 431),
        ("a long header", format!("GET / HTTP/1.1\r\nA: {long}\r\n\r\n"), 431),
        ("a head without end", long.clone(), 431),
        ("many headers", format!("GET / HTTP/1.1\r\n{many}\r\n"), 431),
        ("no colon", "GET / HTTP/1.1\r\nA\r\n\r\n".into(), 400),
        ("a bad length", format!("{chat}Content-Length: -1\r\n\r\n"), 400),
        ("two lengths", format!("{chat}Content-Length: 1\r\nContent-Length: 2\r\n\r\n"), 400),
        ("a huge length", format!("{chat}Content-Length: 99999999999\r\n\r\n"), 413),
        ("two framings", format!("{chat}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400),
        ("an unknown framing", format!("{chat}Transfer-Encoding: gzip\r\n\r\n"), 400),
        ("a bad chunk size", format!("{chat}Transfer-Encoding: chunked\r\n\r\nzz\r\n"), 400),
        ("a huge chunk", format!("{chat}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"), 413),
        (
            "many chunks",
            format!("{chat}Transfer-Encoding: chunked\r\n\r\n{}", format!("7d0\r\n{}\r\n", "x".repeat(2000)).repeat(6)),
            413,
        ),
        ("a chunk that is too long", format!("{chat}Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n"), 400),
    ];
    let count = rows.len() as u64;
    for (name, text, status) in rows {
        let mut connection = Connection::to(&stub).await;
        connection.write(text).await;
        let got = connection.read().await;
        assert_eq!((got.status, got.is_whole), (status, true), "{name}");
        assert!(got.json()["error"]["message"].is_string(), "{name}");
    }
    assert_eq!(stub.totals().malformed, count);
    assert!(stub.calls().iter().all(|record| record.call.purpose == Purpose::Malformed));
    still_works(&stub).await;
}

#[tokio::test]
async fn bodies_that_are_no_request_are_refused() {
    let stub = strict();
    let deep = "[".repeat(5000);
    for path in ["/v1/messages", "/v1/chat/completions", "/v1/responses", "/v1beta/models/m:generateContent"] {
        for body in ["", "{", "null", "[]", "\"x\"", "{}", "{\"messages\": 1}", "\u{fffd}", &deep] {
            let mut connection = Connection::to(&stub).await;
            connection.write(format!("POST {path} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len())).await;
            assert_eq!(connection.read().await.status, 400, "{path} {body:.20}");
        }
        // Anything may be of any type: that is odd, not fatal.
        let odd = json!({
            "model": "m", "max_tokens": 5, "messages": [1, null, {"role": 5, "content": {"a": [1]}}, {"content": [[], 7]}],
            "input": [1, null, {"content": 5}], "contents": [3, {"parts": 5}], "tools": [4, {"function": 5}], "system": 5,
            "stream": "yes", "generationConfig": 7, "text": [], "stream_options": 1,
        });
        assert_eq!(post(&stub, path, &odd).await.status, 200, "{path}");
    }
    let mut connection = Connection::to(&stub).await;
    connection.write("POST /v1/messages HTTP/1.1\r\nContent-Encoding: zstd\r\nContent-Length: 2\r\n\r\n{}").await;
    assert_eq!(connection.read().await.status, 415);
}

#[tokio::test]
async fn a_client_that_never_ends_its_request_runs_out_of_time() {
    let stub = strict();
    for (name, start) in [
        ("in the head", "GET / HTTP/1.1\r\n"),
        ("in the body", "POST /v1/messages HTTP/1.1\r\nContent-Length: 5000\r\n\r\n"),
        ("in a chunk", "POST /v1/messages HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n"),
    ] {
        let mut connection = Connection::to(&stub).await;
        let started = Instant::now();
        connection.write(start).await;
        // A byte now and then does not buy time.
        for _ in 0..3 {
            sleep(Duration::from_millis(50)).await;
            connection.write("x").await;
        }
        assert_eq!(connection.read().await.status, 408, "{name}");
        assert!(started.elapsed() < Duration::from_secs(10), "{name}");
    }
    let mut quiet = Connection::to(&stub).await;
    assert_eq!(quiet.read_to_end().await.len(), 0, "whoever says nothing is told nothing");
    still_works(&stub).await;
}

#[tokio::test]
async fn a_client_that_goes_away_harms_nobody() {
    let stub = strict();
    for text in ["", "P", "POST /v1/messages HTTP/1.1\r\nContent-Length: 50\r\n\r\n{", "\r\n\r\n\r\n"] {
        let mut connection = Connection::to(&stub).await;
        connection.write(text).await;
        drop(connection);
    }
    still_works(&stub).await;
    assert_eq!(stub.totals().calls, 1);
}
