//! Spans in the JSON form of OTLP: ids in hexadecimal, 64-bit numbers as text, enums as numbers.

use serde_json::{Value as Json, json};
use tribunal_kernel::Time;

use crate::telemetry::labels::UNNAMED_MODEL;
use crate::telemetry::span::{SpanStatus, TraceSpan, Value};

/// What our attributes begin with, so that they are nobody else's.
const NAMESPACE: &str = "tribunal.";
/// What the spans belong to.
const SERVICE: &str = "tribunal";
/// The span of a call.
const CALL: &str = "turn";
/// What a call is, in the words of the conventions.
const INVOKE: &str = "invoke_agent";
/// Our attributes that have a name there.
const SAME: [(&str, &str); 3] = [
    ("seat", "gen_ai.agent.name"),
    ("input_tokens", "gen_ai.usage.input_tokens"),
    ("output_tokens", "gen_ai.usage.output_tokens"),
];
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
    let own = span.attributes.iter().map(|(name, value)| attribute(&format!("{NAMESPACE}{name}"), value));
    let attributes = own.chain(gen_ai(span));
    let mut json = json!({
        "traceId": span.trace.to_string(),
        "spanId": span.id.to_string(),
        "name": name(span),
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

/// A call by the name that tools for such traces look for: what is done, and who does it.
fn name(span: &TraceSpan) -> String {
    match said(span, "seat") {
        Some(seat) if span.name == CALL => format!("{INVOKE} {seat}"),
        _ => span.name.to_owned(),
    }
}

/// What OpenTelemetry's conventions for generative AI call the same things.
fn gen_ai(span: &TraceSpan) -> Vec<Json> {
    if span.name != CALL {
        return Vec::new();
    }
    let mut all = vec![
        attribute("gen_ai.operation.name", &INVOKE.into()),
        attribute("gen_ai.conversation.id", &span.trace.to_string().as_str().into()),
    ];
    let known = SAME.iter().filter_map(|(ours, theirs)| Some(attribute(theirs, said(span, ours)?)));
    // An agent's own choice has no name.
    let model = said(span, "model").filter(|model| **model != UNNAMED_MODEL.into());
    all.extend(known.chain(model.map(|model| attribute("gen_ai.request.model", model))));
    if span.status == SpanStatus::Error {
        all.extend(said(span, "outcome").map(|why| attribute("error.type", why)));
    }
    all
}

fn said<'a>(span: &'a TraceSpan, name: &str) -> Option<&'a Value> {
    span.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
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
