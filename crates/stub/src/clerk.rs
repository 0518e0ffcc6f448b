//! One request in, one action out. No sockets here.

use serde_json::{Value, json};
use std::time::Duration;

use crate::asked::{Asked, Refusal};
use crate::books::Books;
use crate::cache;
use crate::call::{BYTES_PER_TOKEN, CallRecord, Purpose, StubCall, TokenCounts, Wire, tokens_of};
use crate::fault::{MAX_HUGE, StubFault};
use crate::http::{Body, Head, HttpLimits, Pace, Response};
use crate::script::{Script, StubReply};
use crate::wires::{self, Route, Told};

/// Headers that carry a key.
const KEYS: [&str; 6] = ["authorization", "x-api-key", "x-goog-api-key", "api-key", "proxy-authorization", "cookie"];
/// What is recorded in a key's place.
const REDACTED: &str = "(redacted)";

/// What huge answers are made of.
const SENTENCE: &str = "All work and no play. ";

/// What happens to a connection.
#[derive(Debug)]
pub(crate) enum Action {
    Send(Response),
    /// Nothing, for as long as the client waits.
    Hang,
    Close,
    /// Close, and let nobody in for so long.
    Refuse(Duration),
}

/// Where requests are decided.
#[derive(Debug)]
pub(crate) struct Clerk {
    pub(crate) script: Script,
    pub(crate) books: Books,
    pub(crate) limits: HttpLimits,
}

impl Clerk {
    /// Decides on a request, and records it.
    pub(crate) fn decide(&self, head: &Head, body: &[u8]) -> Action {
        let route = wires::route(&head.method, &head.path);
        let mut record = CallRecord::new(StubCall::new(self.books.number(), &route, head));
        let action = match (route.purpose, route.wire) {
            (Purpose::Probe, _) => Action::Send(Response::json(200, &json!({"message": "hello"}))),
            (Purpose::Models, _) => Action::Send(Response::json(200, &wires::models(&route))),
            (Purpose::Answer | Purpose::CountTokens, Some(wire)) => match read(wire, &route, head, body, &mut record) {
                Ok(asked) if route.purpose == Purpose::CountTokens => {
                    Action::Send(Response::json(200, &wire.counted(cache::total(&asked.blocks))))
                }
                Ok(asked) => self.answer(wire, head, &asked, &mut record),
                Err(refusal) => refuse(wire, &refusal),
            },
            _ => {
                let message = format!("no such path: {} {}", head.method, head.path);
                Action::Send(Response::json(404, &Wire::Anthropic.error(404, &message)))
            }
        };
        if let Action::Send(response) = &action {
            record.status = Some(response.status);
        }
        self.books.add(record, self.limits.calls);
        action
    }

    /// Records a request that could not be understood, and says what to answer.
    pub(crate) fn malformed(&self, head: Option<&Head>, status: u16, message: &str) -> Response {
        let route = Route { wire: None, purpose: Purpose::Malformed, model: None, is_stream: false };
        let unknown = Head::last();
        let mut record = CallRecord::new(StubCall::new(self.books.number(), &route, head.unwrap_or(&unknown)));
        record.status = Some(status);
        message.clone_into(&mut record.answer);
        self.books.add(record, self.limits.calls);
        Response::json(status, &Wire::Anthropic.error(status, message))
    }

    fn answer(&self, wire: Wire, head: &Head, asked: &Asked, record: &mut CallRecord) -> Action {
        let Some((rule, reply)) = self.script.decide(&record.call) else {
            return refuse(wire, &Refusal::bad("no rule of the stub's script fits this call"));
        };
        record.rule = Some(rule);
        record.fault = reply.fault.map(StubFault::as_str);
        if let Some(fault) = reply.fault.filter(|fault| !fault.has_answer()) {
            return fail(wire, fault, asked);
        }
        let (text, is_cut_off) = say(&reply, asked);
        let calls: usize = reply.tools.iter().map(|tool| tool.name.len() + tool.input.to_string().len()).sum();
        let mut tokens = self.books.read_by_model(wire, &key(head).unwrap_or_default(), asked);
        tokens.output = tokens_of(text.len() + calls);
        record.tokens = tokens;
        record.tool_calls = reply.tools.iter().map(|tool| tool.name.clone()).collect();
        // A huge answer is held once, by the response.
        let is_huge = matches!(reply.fault, Some(StubFault::Huge { .. }));
        record.answer = if is_huge { format!("{} bytes", text.len()) } else { text.clone() };
        let told = Told { number: record.call.number, text, tools: reply.tools, tokens, is_cut_off };
        let is_sse = wire != Wire::Gemini || head.parameter("alt") == Some("sse");
        let body = wire.write(asked, &told, is_sse);
        let pace = reply.fault.map_or(Pace::Well, |fault| pace(fault, &body));
        // A model stops when nobody listens any more, and what it has not said is on no bill.
        if let Pace::CutAt(sent) | Pace::HangAt(sent) = pace {
            record.tokens.output = said_until(tokens.output, sent, &body);
        }
        let content_type = content_type(asked, is_sse);
        Action::Send(Response { status: 200, content_type, headers: ids(told.number), body, pace })
    }
}

impl StubCall {
    fn new(number: u64, route: &Route, head: &Head) -> Self {
        let redact = |(name, value): &(String, String)| {
            let value = if KEYS.contains(&name.as_str()) { REDACTED } else { value };
            (name.clone(), value.to_owned())
        };
        let query: Vec<String> = head.query.split('&').map(redact_parameter).collect();
        let mark = if head.query.is_empty() { "" } else { "?" };
        Self {
            number,
            purpose: route.purpose,
            wire: route.wire,
            method: head.method.clone(),
            path: format!("{}{mark}{}", head.path, query.join("&")),
            model: route.model.clone().unwrap_or_default(),
            stream: route.is_stream,
            headers: head.headers.iter().map(redact).collect(),
            has_key: key(head).is_some(),
            system: String::new(),
            user: String::new(),
            prompt: String::new(),
            max_tokens: None,
            temperature: None,
            has_schema: false,
            tools: Vec::new(),
            cache_marks: 0,
            has_tool_results: false,
            body: Value::Null,
        }
    }
}

impl CallRecord {
    fn new(call: StubCall) -> Self {
        let tokens = TokenCounts::default();
        Self { call, tokens, rule: None, status: None, answer: String::new(), tool_calls: Vec::new(), fault: None }
    }
}

/// Understands the body, and notes what it says.
fn read(wire: Wire, route: &Route, head: &Head, body: &[u8], record: &mut CallRecord) -> Result<Asked, Refusal> {
    if let Some(encoding) = head.header("content-encoding").filter(|encoding| *encoding != "identity") {
        return Err(Refusal { status: 415, message: format!("content-encoding {encoding} is not understood here") });
    }
    let body: Value =
        serde_json::from_slice(body).map_err(|error| Refusal::bad(format!("the body is not JSON: {error}")))?;
    let asked = wire.read(route, &body)?;
    let call = &mut record.call;
    call.model.clone_from(&asked.model);
    call.stream = asked.is_stream;
    call.system = asked.system();
    call.user.clone_from(&asked.user);
    call.prompt = asked.prompt();
    call.max_tokens = asked.max_tokens;
    call.temperature = asked.temperature;
    call.has_schema = asked.has_schema;
    call.tools = asked.tools.iter().map(|tool| tool.name.clone()).collect();
    call.cache_marks = asked.marks();
    call.has_tool_results = asked.has_tool_results;
    call.body = body;
    Ok(asked)
}

fn refuse(wire: Wire, refusal: &Refusal) -> Action {
    Action::Send(Response::json(refusal.status, &wire.error(refusal.status, &refusal.message)))
}

/// A fault that comes instead of an answer.
fn fail(wire: Wire, fault: StubFault, asked: &Asked) -> Action {
    if let Some(refusal) = wire.report(fault, cache::total(&asked.blocks)) {
        let mut response = Response::json(refusal.status, &wire.error(refusal.status, &refusal.message));
        if let StubFault::RateLimited { retry_after_ms } = fault {
            response.headers.push(("retry-after", retry_after_ms.div_ceil(1000).to_string()));
            response.headers.push(("retry-after-ms", retry_after_ms.to_string()));
        }
        return Action::Send(response);
    }
    let sent = |content_type, body: Vec<u8>| {
        let (headers, body) = (Vec::new(), Body::Whole(body));
        Action::Send(Response { status: 200, content_type, headers, body, pace: Pace::Well })
    };
    match fault {
        StubFault::Html => {
            sent("text/html; charset=utf-8", b"<!doctype html><title>Sign in</title><p>Sign in".to_vec())
        }
        StubFault::NotJson if asked.is_stream => {
            sent("text/event-stream", b"event: x\ndata: {\"type\": \"mess\n\ndata: \xff\xfe\n\n".to_vec())
        }
        StubFault::NotJson => sent("application/json", b"{\"type\": \"mess\xff".to_vec()),
        StubFault::Refuse { ms } => Action::Refuse(Duration::from_millis(ms)),
        StubFault::Hang => Action::Hang,
        _ => Action::Close,
    }
}

/// The text, as far as the model may speak; and whether it had more to say.
fn say(reply: &StubReply, asked: &Asked) -> (String, bool) {
    let mut text = reply.text.clone();
    match reply.fault {
        Some(StubFault::Huge { megabytes }) => {
            return (SENTENCE.repeat((megabytes.min(MAX_HUGE) << 20).div_ceil(SENTENCE.len())), false);
        }
        Some(StubFault::CutCharacter) if text.is_ascii() => text.push_str(" — déjà vu"),
        _ => {}
    }
    let allowed = asked.max_tokens.and_then(|tokens| usize::try_from(tokens).ok()).unwrap_or(usize::MAX);
    let mut allowed = allowed.saturating_mul(BYTES_PER_TOKEN);
    if text.len() <= allowed || !reply.tools.is_empty() {
        return (text, false);
    }
    while !text.is_char_boundary(allowed) {
        allowed -= 1;
    }
    text.truncate(allowed);
    (text, true)
}

fn pace(fault: StubFault, body: &Body) -> Pace {
    let length = match body {
        Body::Whole(bytes) => bytes.len(),
        Body::Chunks(chunks) => chunks.iter().map(Vec::len).sum(),
    };
    let last = length.saturating_sub(1);
    match fault {
        StubFault::Cut { bytes } => Pace::CutAt(bytes.unwrap_or(last / 2).min(last)),
        StubFault::CutCharacter => {
            let bytes = match body {
                Body::Whole(bytes) => bytes.clone(),
                Body::Chunks(chunks) => chunks.concat(),
            };
            let is_start = |at: &usize| 0xc0 <= bytes[*at];
            let start = (last / 2..last).find(is_start).or_else(|| (0..last).find(is_start));
            Pace::CutAt(start.map_or(last / 2, |start| start + 1))
        }
        StubFault::HangAfter { bytes } => Pace::HangAt(bytes.min(last)),
        StubFault::Slow { bytes_per_second } => Pace::BytesPerSecond(bytes_per_second),
        _ => Pace::Well,
    }
}

/// How many of its tokens an answer has after so many bytes of its body.
fn said_until(tokens: u64, sent: usize, body: &Body) -> u64 {
    let length = match body {
        Body::Whole(bytes) => bytes.len(),
        Body::Chunks(chunks) => chunks.iter().map(Vec::len).sum(),
    };
    tokens.saturating_mul(sent as u64).div_ceil((length as u64).max(1))
}

fn content_type(asked: &Asked, is_sse: bool) -> &'static str {
    if asked.is_stream && is_sse { "text/event-stream; charset=utf-8" } else { "application/json" }
}

fn ids(number: u64) -> Vec<(&'static str, String)> {
    let id = format!("req_stub_{number}");
    vec![("request-id", id.clone()), ("x-request-id", id)]
}

/// The key of a request, from a header or the query. It is compared and never kept.
fn key(head: &Head) -> Option<String> {
    let named = KEYS.iter().find_map(|name| head.header(name)).or_else(|| head.parameter("key"));
    named.filter(|key| !key.is_empty()).map(str::to_owned)
}

fn redact_parameter(pair: &str) -> String {
    if pair.starts_with("key=") { format!("key={REDACTED}") } else { pair.to_owned() }
}
