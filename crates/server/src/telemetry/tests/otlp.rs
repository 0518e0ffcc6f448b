//! Spans on their way to a collector that takes them, wants them later, or is not there.

use insta::assert_snapshot;
use prometheus_client::metrics::counter::Counter;
use serde_json::Value as Json;
use std::time::{Duration, Instant};

use super::collector::Collector;
use super::plays;
use super::traces::spans;
use crate::telemetry::TraceSpan;
use crate::telemetry::otlp::{self, ExportReport, MAX_ATTEMPTS, MAX_BATCH, MAX_QUEUE, Pace};

const PACE: Pace =
    Pace { linger: Duration::from_millis(20), timeout: Duration::from_secs(60), backoff: Duration::from_millis(10) };
const GRACE: Duration = Duration::from_secs(10);

/// Sends spans and finishes. Gives what became of them, and what was counted as dropped.
async fn send(endpoint: &str, spans: Vec<TraceSpan>, grace: Duration) -> (ExportReport, u64) {
    let dropped = Counter::default();
    let (exporter, courier) = otlp::start(endpoint, PACE, dropped.clone()).unwrap();
    exporter.send(spans);
    let report = courier.finish(grace).await;
    (report, dropped.get())
}

/// The spans in the body of a request.
fn in_body(body: &Json) -> &Vec<Json> {
    body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap()
}

fn many(count: usize) -> Vec<TraceSpan> {
    spans(&plays::theater()).into_iter().cycle().take(count).collect()
}

#[tokio::test]
async fn a_collector_gets_spans_as_the_protocol_has_them() {
    let collector = Collector::start(&["200 OK\n\n{}"]);
    let spans = spans(&plays::theater());
    let (report, dropped) = send(&collector.endpoint, spans.clone(), GRACE).await;
    assert_eq!((report, dropped), (ExportReport { sent: spans.len() as u64, dropped: 0, trouble: None }, 0));
    let [request] = &collector.sent()[..] else { panic!("one request") };
    assert_eq!((&*request.line, &*request.content_type), ("POST /v1/traces HTTP/1.1", "application/json"));
    for (span, json) in spans.iter().zip(in_body(&request.body)) {
        let hex = |name: &str, length: usize| {
            let text = json[name].as_str().unwrap();
            assert!(text.len() == length && text.bytes().all(|byte| b"0123456789abcdef".contains(&byte)), "{text}");
            text.to_owned()
        };
        assert_eq!(hex("traceId", 32), "00000000000000000000000000000001");
        assert_eq!(hex("spanId", 16), span.id.to_string());
        match span.parent {
            Some(parent) => assert_eq!(hex("parentSpanId", 16), parent.to_string()),
            None => assert_eq!(json.get("parentSpanId"), None),
        }
        let nanos = |name: &str| json[name].as_str().unwrap().parse::<u64>().unwrap();
        assert_eq!(nanos("startTimeUnixNano"), span.start.0 * 1_000_000);
        assert_eq!(nanos("endTimeUnixNano"), span.end.0 * 1_000_000);
    }
    let turn = in_body(&request.body).iter().find(|span| span["name"] == "invoke_agent designer").unwrap();
    let mut one = request.body.clone();
    one["resourceSpans"][0]["scopeSpans"][0]["spans"] = serde_json::json!([turn]);
    let one = serde_json::to_string_pretty(&one).unwrap().replace(env!("CARGO_PKG_VERSION"), "VERSION");
    assert_snapshot!(one, @r#"
    {
      "resourceSpans": [
        {
          "resource": {
            "attributes": [
              {
                "key": "service.name",
                "value": {
                  "stringValue": "tribunal"
                }
              },
              {
                "key": "service.version",
                "value": {
                  "stringValue": "VERSION"
                }
              }
            ]
          },
          "scopeSpans": [
            {
              "scope": {
                "name": "tribunal",
                "version": "VERSION"
              },
              "spans": [
                {
                  "traceId": "00000000000000000000000000000001",
                  "spanId": "5d289350c68f8309",
                  "name": "invoke_agent designer",
                  "kind": 1,
                  "startTimeUnixNano": "1767225600000000000",
                  "endTimeUnixNano": "1767225612000000000",
                  "attributes": [
                    {
                      "key": "tribunal.seat",
                      "value": {
                        "stringValue": "designer"
                      }
                    },
                    {
                      "key": "tribunal.task",
                      "value": {
                        "stringValue": "draft"
                      }
                    },
                    {
                      "key": "tribunal.round",
                      "value": {
                        "intValue": "1"
                      }
                    },
                    {
                      "key": "tribunal.attempt",
                      "value": {
                        "intValue": "1"
                      }
                    },
                    {
                      "key": "tribunal.agent",
                      "value": {
                        "stringValue": "writer"
                      }
                    },
                    {
                      "key": "tribunal.model",
                      "value": {
                        "stringValue": "opus"
                      }
                    },
                    {
                      "key": "tribunal.input_tokens",
                      "value": {
                        "intValue": "1200"
                      }
                    },
                    {
                      "key": "tribunal.output_tokens",
                      "value": {
                        "intValue": "300"
                      }
                    },
                    {
                      "key": "tribunal.cached_tokens",
                      "value": {
                        "intValue": "200"
                      }
                    },
                    {
                      "key": "tribunal.elapsed_ms",
                      "value": {
                        "intValue": "12000"
                      }
                    },
                    {
                      "key": "tribunal.outcome",
                      "value": {
                        "stringValue": "answered"
                      }
                    },
                    {
                      "key": "tribunal.usd",
                      "value": {
                        "doubleValue": 0.01
                      }
                    },
                    {
                      "key": "gen_ai.operation.name",
                      "value": {
                        "stringValue": "invoke_agent"
                      }
                    },
                    {
                      "key": "gen_ai.conversation.id",
                      "value": {
                        "stringValue": "00000000000000000000000000000001"
                      }
                    },
                    {
                      "key": "gen_ai.agent.name",
                      "value": {
                        "stringValue": "designer"
                      }
                    },
                    {
                      "key": "gen_ai.usage.input_tokens",
                      "value": {
                        "intValue": "1200"
                      }
                    },
                    {
                      "key": "gen_ai.usage.output_tokens",
                      "value": {
                        "intValue": "300"
                      }
                    },
                    {
                      "key": "gen_ai.request.model",
                      "value": {
                        "stringValue": "opus"
                      }
                    }
                  ],
                  "status": {
                    "code": 1
                  },
                  "parentSpanId": "bcaa21bc672e850a"
                }
              ]
            }
          ]
        }
      ]
    }
    "#);
}

#[tokio::test]
async fn what_is_wanted_later_is_sent_again() {
    let answers = ["503 Service Unavailable", "429 Too Many Requests\nRetry-After: 1", "200 OK"];
    let collector = Collector::start(&answers);
    let (report, _) = send(&collector.endpoint, many(3), GRACE).await;
    assert_eq!(report, ExportReport { sent: 3, dropped: 0, trouble: None });
    let sent = collector.sent();
    assert_eq!(sent.len(), 3);
    assert!(sent.iter().all(|request| request.body == sent[0].body), "the same batch");
    let (first, second) = (sent[1].at - sent[0].at, sent[2].at - sent[1].at);
    assert!(first < second && second >= Duration::from_secs(1), "{first:?} {second:?}");
}

#[tokio::test]
async fn what_is_not_taken_is_dropped_and_counted() {
    let nowhere = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    for (name, answer, requests, expected) in [
        ("refused", Some("400 Bad Request"), 1, (0, 4, "the collector answered 400 Bad Request")),
        ("not logged in", Some("401 Unauthorized"), 1, (0, 4, "the collector answered 401 Unauthorized")),
        ("elsewhere", Some("307 Temporary Redirect\nLocation: /x"), 1, (0, 4, "answered 307 Temporary Redirect")),
        ("never wanted", Some("503 Service Unavailable"), MAX_ATTEMPTS, (0, 4, "503 Service Unavailable, 5 times")),
        (
            "not all wanted",
            Some("200 OK\n\n{\"partialSuccess\":{\"rejectedSpans\":\"3\"}}"),
            1,
            (1, 3, "rejected some"),
        ),
        ("more than all", Some("200 OK\n\n{\"partialSuccess\":{\"rejectedSpans\":9}}"), 1, (0, 4, "rejected some")),
        ("taken without a word", Some("200 OK\n\nhello"), 1, (4, 0, "")),
        ("nobody there", None, 0, (0, 4, "error sending request")),
    ] {
        let collector = answer.map(|answer| Collector::start(&[answer]));
        let endpoint = collector.as_ref().map_or(&nowhere, |collector| &collector.endpoint);
        let (report, counted) = send(endpoint, many(4), GRACE).await;
        let (sent, dropped, trouble) = expected;
        assert_eq!((report.sent, report.dropped, counted), (sent, dropped, dropped), "{name}: {report:?}");
        assert!(report.trouble.unwrap_or_default().contains(trouble), "{name}");
        let asked = collector.map_or(0, |collector| collector.sent().len());
        assert_eq!(asked, requests as usize, "{name}");
    }
}

#[tokio::test]
async fn batches_have_an_end_and_none_is_left_behind() {
    let collector = Collector::start(&["200 OK"]);
    let count = MAX_BATCH * 2 + 7;
    let (report, _) = send(&collector.endpoint, many(count), GRACE).await;
    assert_eq!(report.sent, count as u64);
    let sizes: Vec<usize> = collector.sent().iter().map(|request| in_body(&request.body).len()).collect();
    assert_eq!((sizes.iter().sum(), sizes.iter().max()), (count, Some(&MAX_BATCH)), "{sizes:?}");
}

#[tokio::test]
async fn spans_are_sent_while_the_server_goes_on() {
    let collector = Collector::start(&["200 OK"]);
    let (exporter, courier) = otlp::start(&collector.endpoint, PACE, Counter::default()).unwrap();
    for round in 1..=2 {
        exporter.send(many(2));
        let since = Instant::now();
        while exporter.report().sent < round * 2 {
            assert!(since.elapsed() < GRACE, "{:?}", exporter.report());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    courier.finish(GRACE).await;
    exporter.send(many(1));
    assert_eq!(exporter.report().dropped, 1, "nobody carries it any more");
}

/// A collector that takes requests and never answers must cost neither a run its time nor the server its end.
#[tokio::test]
async fn a_run_does_not_wait_and_neither_does_the_end() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let dropped = Counter::default();
    let (exporter, courier) = otlp::start(&endpoint, PACE, dropped.clone()).unwrap();
    let spans = many(MAX_QUEUE + MAX_BATCH + 100);
    let count = spans.len() as u64;
    let since = Instant::now();
    exporter.send(spans);
    assert!(since.elapsed() < GRACE);
    assert!(dropped.get() >= 100, "the queue has an end");
    let report = courier.finish(Duration::from_millis(200)).await;
    assert!(since.elapsed() < GRACE);
    assert_eq!((report.sent, report.dropped, dropped.get()), (0, count, count), "{report:?}");
}

#[tokio::test]
async fn an_address_that_is_none_is_refused_with_a_hint() {
    for endpoint in ["", "collector:4318", "ftp://collector", "http://"] {
        let error = otlp::start(endpoint, PACE, Counter::default()).unwrap_err();
        assert!(error.to_string().contains("is not a valid collector URL"), "{error}");
        assert!(error.hint().contains("--otlp http://127.0.0.1:4318"));
    }
    let (_, courier) = otlp::start("http://127.0.0.1:4318/", PACE, Counter::default()).unwrap();
    assert_eq!(courier.finish(GRACE).await, ExportReport::default());
}
