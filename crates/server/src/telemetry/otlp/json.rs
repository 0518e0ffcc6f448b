//! Spans in the JSON form of OTLP: ids in hexadecimal, 64-bit numbers as text, enums as numbers.

use serde_json::{Value as Json, json};
use tribunal_kernel::Time;

use crate::telemetry::span::{SpanStatus, TraceSpan, Value};

/// What our attributes begin with, so that they are nobody else's.
const NAMESPACE: &str = "tribunal.";
/// What the spans belong to.
const SERVICE: &str = "tribunal";
/// Counts are signed there.
const MAX_COUNT: u64 = i64::MAX as u64;
/// `SPAN_KIND_INTERNAL`.
const INTERNAL: u8 = 1;

/// The body of a request.
pub(super) fn request(spans: &[TraceSpan]) -> Json {
    let resource = [("service.name", SERVICE.into()), ("service.version", env!("CARGO_PKG_VERSION").into())];
    let resource: Vec<Json> = resource.iter().map(|(name, value)| attribute(name, value)).collect();
    json!({
        "resourceSpans": [{
            "resource": { "attributes": resource },
            "scopeSpans": [{
                "scope": { "name": SERVICE, "version": env!("CARGO_PKG_VERSION") },
                "spans": spans.iter().map(span).collect::<Vec<_>>(),
            }],
        }],
    })
}

fn span(span: &TraceSpan) -> Json {
    let attributes = span.attributes.iter().map(|(name, value)| attribute(&format!("{NAMESPACE}{name}"), value));
    let mut json = json!({
        "traceId": span.trace.to_string(),
        "spanId": span.id.to_string(),
        "name": span.name,
        "kind": INTERNAL,
        "startTimeUnixNano": nanos(span.start),
        "endTimeUnixNano": nanos(span.end),
        "attributes": attributes.collect::<Vec<_>>(),
        "status": { "code": code(span.status) },
    });
    if let Some(parent) = span.parent {
        json["parentSpanId"] = parent.to_string().into();
    }
    json
}

fn attribute(name: &str, value: &Value) -> Json {
    let value = match value {
        Value::Text(text) => json!({ "stringValue": text }),
        Value::Count(count) => json!({ "intValue": (*count).min(MAX_COUNT).to_string() }),
        Value::Number(number) => json!({ "doubleValue": number }),
    };
    json!({ "key": name, "value": value })
}

fn code(status: SpanStatus) -> u8 {
    match status {
        SpanStatus::Unset => 0,
        SpanStatus::Ok => 1,
        SpanStatus::Error => 2,
    }
}

fn nanos(time: Time) -> String {
    (u128::from(time.0) * 1_000_000).to_string()
}
