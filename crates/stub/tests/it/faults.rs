//! Each fault, as a client sees it.

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tribunal_stub::{Refusing, Script, Stub, StubFault, StubReply, Wire};

use crate::client::{Connection, Got, post};

/// Where a wire is asked, and a request that it takes.
fn ask(wire: Wire, stream: bool) -> (&'static str, Value) {
    let messages = json!([{"role": "user", "content": "Hello"}]);
    match wire {
        Wire::Anthropic => {
            ("/v1/messages", json!({"model": "m", "max_tokens": 9999, "messages": messages, "stream": stream}))
        }
        Wire::Chat => ("/v1/chat/completions", json!({"model": "m", "messages": messages, "stream": stream})),
        Wire::Responses => ("/v1/responses", json!({"model": "m", "input": "Hello", "stream": stream})),
        Wire::Gemini => {
            let body = json!({"contents": [{"role": "user", "parts": [{"text": "Hello"}]}]});
            (
                if stream {
                    "/v1beta/models/m:streamGenerateContent?alt=sse"
                } else {
                    "/v1beta/models/m:generateContent"
                },
                body,
            )
        }
    }
}

async fn got(stub: &Stub, wire: Wire, stream: bool) -> Got {
    let (path, body) = ask(wire, stream);
    post(stub, path, &body).await
}

/// Waits until something is so.
async fn until(is_so: impl AsyncFn() -> bool) {
    let wait = async {
        while !is_so().await {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(Duration::from_secs(20), wait).await.expect("it comes to be so");
}

#[tokio::test]
async fn statuses_come_in_the_words_of_the_wire() {
    let limited = StubFault::RateLimited { retry_after_ms: 1500 };
    let rows = [
        (StubFault::Unauthorized, [(401, "authentication_error"), (401, "invalid_api_key"), (401, "UNAUTHENTICATED")]),
        (StubFault::Forbidden, [(403, "permission_error"), (403, "permission_denied"), (403, "PERMISSION_DENIED")]),
        (limited, [(429, "rate_limit_error"), (429, "rate_limit_exceeded"), (429, "RESOURCE_EXHAUSTED")]),
        (StubFault::ServerError, [(500, "api_error"), (500, "server_error"), (500, "INTERNAL")]),
        (StubFault::Overloaded, [(529, "overloaded_error"), (503, "server_error"), (503, "UNAVAILABLE")]),
        (
            StubFault::TooLong,
            [(400, "prompt is too long"), (400, "context_length_exceeded"), (400, "exceeds the maximum")],
        ),
        (
            StubFault::NoTemperature,
            [(400, "`temperature` is"), (400, "'temperature' does"), (400, "'temperature' does")],
        ),
    ];
    for (fault, expected) in rows {
        let stub = Stub::start(Script::always(fault)).unwrap();
        for wire in Wire::ALL {
            let (status, word) = expected[match wire {
                Wire::Anthropic => 0,
                Wire::Chat | Wire::Responses => 1,
                Wire::Gemini => 2,
            }];
            for stream in [false, true] {
                let got = got(&stub, wire, stream).await;
                assert_eq!(
                    (got.status, got.header("content-type")),
                    (status, Some("application/json")),
                    "{fault:?} {wire:?}"
                );
                assert!(
                    got.json()["error"].is_object() && got.text().contains(word),
                    "{fault:?} {wire:?}: {}",
                    got.text()
                );
                let retry = [got.header("retry-after"), got.header("retry-after-ms")];
                let wanted = if fault == limited { [Some("2"), Some("1500")] } else { [None, None] };
                assert_eq!(retry, wanted, "{fault:?}");
            }
        }
        assert_eq!((stub.totals().faults, stub.totals().tokens.input), (8, 0));
        assert_eq!(stub.calls()[0].fault, Some(fault.as_str()));
    }
}

#[tokio::test]
async fn streams_are_cut_where_the_script_says() {
    for wire in Wire::ALL {
        for stream in [false, true] {
            let whole = got(&Stub::start(Script::always("Hello, 世界, and so on.")).unwrap(), wire, stream).await;
            let cut = |fault| {
                Stub::start(Script::always(StubReply::text("Hello, 世界, and so on.").with_fault(fault))).unwrap()
            };

            let middle = got(&cut(StubFault::Cut { bytes: None }), wire, stream).await;
            assert_eq!((middle.status, middle.is_whole, middle.body.len()), (200, false, (whole.body.len() - 1) / 2));
            let early = got(&cut(StubFault::Cut { bytes: Some(10) }), wire, stream).await;
            assert_eq!((early.is_whole, &early.body[..]), (false, &whole.body[..10]), "{wire:?}");
            let late = got(&cut(StubFault::Cut { bytes: Some(1 << 20) }), wire, stream).await;
            assert_eq!((late.is_whole, late.body.len()), (false, whole.body.len() - 1), "{wire:?}");

            let character = got(&cut(StubFault::CutCharacter), wire, stream).await;
            assert!(!character.is_whole);
            let error = std::str::from_utf8(&character.body).unwrap_err();
            assert_eq!(error.error_len(), None, "{wire:?}: it ends inside a character");
        }
    }
}

#[tokio::test]
async fn a_text_without_long_characters_is_cut_inside_one_all_the_same() {
    let stub = Stub::start(Script::always(StubReply::text("plain").with_fault(StubFault::CutCharacter))).unwrap();
    let got = got(&stub, Wire::Anthropic, true).await;
    assert!(std::str::from_utf8(&got.body).is_err());
}

#[tokio::test]
async fn nothing_comes_or_not_enough() {
    for (fault, expected) in [(StubFault::Hang, 0), (StubFault::HangAfter { bytes: 40 }, 40)] {
        let stub = Stub::start(Script::always(fault)).unwrap();
        let (path, body) = ask(Wire::Anthropic, true);
        let mut connection = Connection::to(&stub).await;
        connection.write(crate::client::request(path, &body)).await;
        until(async || !stub.calls().is_empty()).await;
        let answer = timeout(Duration::from_millis(300), connection.read_to_end()).await;
        assert!(answer.is_err(), "{fault:?}: the connection stays");
        // It is recorded, though it will never end.
        assert_eq!(stub.calls()[0].fault, Some(fault.as_str()));
        assert_eq!(stub.calls()[0].tokens.output > 0, expected > 0);
        stub.stop();
        assert_eq!(connection.read_to_end().await.len(), 0, "the server's end ends it");
    }
}

#[tokio::test]
async fn bytes_come_before_it_hangs() {
    let stub = Stub::start(Script::always(StubFault::HangAfter { bytes: 40 })).unwrap();
    let (path, body) = ask(Wire::Chat, false);
    let mut connection = Connection::to(&stub).await;
    connection.write(crate::client::request(path, &body)).await;
    until(async || !stub.calls().is_empty()).await;
    sleep(Duration::from_millis(300)).await;
    stub.stop();
    let all = String::from_utf8(connection.read_to_end().await).unwrap();
    assert_eq!(all.split_once("\r\n\r\n").unwrap().1.len(), 40);
}

#[tokio::test]
async fn slow_is_slow() {
    let text = "x".repeat(400);
    let stub = Stub::start(Script::always(
        StubReply::text(text.as_str()).with_fault(StubFault::Slow { bytes_per_second: 2000 }),
    ));
    let stub = stub.unwrap();
    let start = Instant::now();
    let got = got(&stub, Wire::Chat, false).await;
    assert!(got.is_whole && got.text().contains(&text));
    assert!(start.elapsed() > Duration::from_millis(300), "{:?}", start.elapsed());
}

#[tokio::test]
async fn garbage_is_no_json() {
    for (fault, stream, content_type) in [
        (StubFault::Html, false, "text/html; charset=utf-8"),
        (StubFault::Html, true, "text/html; charset=utf-8"),
        (StubFault::NotJson, false, "application/json"),
        (StubFault::NotJson, true, "text/event-stream"),
    ] {
        let stub = Stub::start(Script::always(fault)).unwrap();
        let got = got(&stub, Wire::Anthropic, stream).await;
        assert_eq!((got.status, got.header("content-type")), (200, Some(content_type)), "{fault:?}");
        assert!(serde_json::from_slice::<Value>(&got.body).is_err());
    }
}

#[tokio::test]
async fn huge_is_huge_and_well_formed() {
    let stub = Stub::start(Script::always(StubFault::Huge { megabytes: 8 })).unwrap();
    for stream in [false, true] {
        let got = got(&stub, Wire::Anthropic, stream).await;
        assert!(got.is_whole && 8 << 20 <= got.body.len());
    }
    let whole = got(&stub, Wire::Chat, false).await.json();
    assert!(8 << 20 <= whole["choices"][0]["message"]["content"].as_str().unwrap().len());
}

#[tokio::test]
async fn closed_without_a_byte() {
    let stub = Stub::start(Script::always("Hello.").failing_first(1, StubFault::Close)).unwrap();
    let (path, body) = ask(Wire::Chat, false);
    let mut connection = Connection::to(&stub).await;
    connection.write(crate::client::request(path, &body)).await;
    assert_eq!(connection.read_to_end().await.len(), 0);
    assert_eq!(got(&stub, Wire::Chat, false).await.status, 200, "and then all is well");
}

#[tokio::test]
async fn refused_for_a_while() {
    let stub = Stub::start(Script::always("Hello.").failing_first(1, StubFault::Refuse { ms: 1500 })).unwrap();
    let (path, body) = ask(Wire::Chat, false);
    let mut connection = Connection::to(&stub).await;
    connection.write(crate::client::request(path, &body)).await;
    assert_eq!(connection.read_to_end().await.len(), 0);
    let is_open = async || TcpStream::connect(("127.0.0.1", stub.port())).await.is_ok();
    until(async || !is_open().await).await;
    until(is_open).await;
    assert_eq!(got(&stub, Wire::Chat, false).await.status, 200);
}

#[tokio::test]
async fn refused_for_ever() {
    let refusing = Refusing::at(0).unwrap();
    let error = TcpStream::connect(("127.0.0.1", refusing.port())).await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionRefused);
}

#[tokio::test]
async fn each_fault_ends_after_the_first_calls() {
    let faults = [
        StubFault::Unauthorized,
        StubFault::RateLimited { retry_after_ms: 1 },
        StubFault::ServerError,
        StubFault::Overloaded,
        StubFault::Cut { bytes: None },
        StubFault::NotJson,
    ];
    for fault in faults {
        let stub = Stub::start(Script::always("Hello.").failing_first(2, fault)).unwrap();
        for call in 1..=4 {
            let got = got(&stub, Wire::Chat, false).await;
            let is_well = got.status == 200 && got.is_whole && serde_json::from_slice::<Value>(&got.body).is_ok();
            assert_eq!(is_well, 2 < call, "{fault:?}, call {call}");
        }
        assert_eq!((stub.totals().calls, stub.totals().faults), (4, 2));
    }
}
