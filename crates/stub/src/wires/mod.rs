//! The four wires: how each of them asks and is answered.

mod anthropic;
mod chat;
mod gemini;
mod responses;

use serde_json::{Value, json};

use crate::asked::{Asked, Refusal};
use crate::cache::Caching;
use crate::call::{Purpose, TokenCounts, Wire};
use crate::fault::StubFault;
use crate::http::Body;
use crate::script::ToolCall;

/// When everything here was made. A constant, so that answers are the same on every day.
pub(crate) const CREATED: u64 = 1_700_000_000;
/// What fits into every model here, as far as messages about it say.
const CONTEXT: u64 = 200_000;
/// Characters in a piece of a stream.
const DELTA: usize = 24;
/// Pieces in a stream at most; longer texts come in longer pieces.
const MAX_DELTAS: usize = 512;

/// Where a request leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) wire: Option<Wire>,
    pub(crate) purpose: Purpose,
    /// The model that the path names.
    pub(crate) model: Option<String>,
    /// Whether the path asks for a stream.
    pub(crate) is_stream: bool,
}

/// What a model says.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    pub(crate) number: u64,
    pub(crate) text: String,
    pub(crate) tools: Vec<ToolCall>,
    pub(crate) tokens: TokenCounts,
    /// Whether there was more to say than it was allowed to.
    pub(crate) is_cut_off: bool,
}

/// The route of a method and path. A base URL may have been given with or without its version.
pub(crate) fn route(method: &str, path: &str) -> Route {
    let found = |wire, purpose| Route { wire, purpose, model: None, is_stream: false };
    let short = path.strip_prefix("/v1beta").or_else(|| path.strip_prefix("/v1")).unwrap_or(path);
    let short = short.strip_suffix('/').unwrap_or(short);
    match (method, short) {
        ("POST", "/messages") => found(Some(Wire::Anthropic), Purpose::Answer),
        ("POST", "/messages/count_tokens") => found(Some(Wire::Anthropic), Purpose::CountTokens),
        ("POST", "/chat/completions") => found(Some(Wire::Chat), Purpose::Answer),
        ("POST", "/responses") => found(Some(Wire::Responses), Purpose::Answer),
        ("POST", _) => gemini::route(short).unwrap_or(found(None, Purpose::Unknown)),
        ("GET" | "HEAD", "" | "/api/hello") => found(None, Purpose::Probe),
        ("GET", _) if short.starts_with("/models") => {
            let wire = path.starts_with("/v1beta").then_some(Wire::Gemini);
            let model = short.strip_prefix("/models/").map(str::to_owned);
            Route { wire, purpose: Purpose::Models, model, is_stream: false }
        }
        _ => found(None, Purpose::Unknown),
    }
}

impl Wire {
    pub(crate) fn caching(self) -> Caching {
        match self {
            Self::Anthropic => Caching::Marked,
            Self::Chat | Self::Responses | Self::Gemini => Caching::Automatic,
        }
    }

    /// What a request asks.
    pub(crate) fn read(self, route: &Route, body: &Value) -> Result<Asked, Refusal> {
        if !body.is_object() {
            return Err(Refusal::bad("the body is not a JSON object"));
        }
        match self {
            Self::Anthropic => anthropic::read(body, route.purpose),
            Self::Chat => chat::read(body),
            Self::Responses => responses::read(body),
            Self::Gemini => gemini::read(body, route),
        }
    }

    /// An answer, whole or in pieces as it was asked for. `is_sse` is about Gemini, which can stream an array, too.
    pub(crate) fn write(self, asked: &Asked, told: &Told, is_sse: bool) -> Body {
        let whole = |value: Value| Body::Whole(value.to_string().into_bytes());
        match (self, asked.is_stream) {
            (Self::Anthropic, false) => whole(anthropic::whole(asked, told)),
            (Self::Anthropic, true) => Body::Chunks(anthropic::stream(asked, told)),
            (Self::Chat, false) => whole(chat::whole(asked, told)),
            (Self::Chat, true) => Body::Chunks(chat::stream(asked, told)),
            (Self::Responses, false) => whole(responses::whole(asked, told)),
            (Self::Responses, true) => Body::Chunks(responses::stream(asked, told)),
            (Self::Gemini, false) => whole(gemini::whole(asked, told)),
            (Self::Gemini, true) => Body::Chunks(gemini::stream(asked, told, is_sse)),
        }
    }

    /// An error in the wire's own form.
    pub(crate) fn error(self, status: u16, message: &str) -> Value {
        match self {
            Self::Anthropic => anthropic::error(status, message),
            Self::Chat | Self::Responses => chat::error(status, message),
            Self::Gemini => gemini::error(status, message),
        }
    }

    /// The status and the words with which this provider reports a fault; nothing if it has no status of its own.
    pub(crate) fn report(self, fault: StubFault, tokens: u64) -> Option<Refusal> {
        let openai = matches!(self, Self::Chat | Self::Responses);
        let tokens = tokens.max(CONTEXT + 1);
        let (status, message) = match fault {
            StubFault::Unauthorized => match self {
                Self::Anthropic => (401, "invalid x-api-key".into()),
                Self::Chat | Self::Responses => (401, "Incorrect API key provided.".into()),
                Self::Gemini => (401, "API key not valid. Please pass a valid API key.".into()),
            },
            StubFault::Forbidden => {
                (403, "Your API key does not have permission to use the specified resource.".into())
            }
            StubFault::RateLimited { .. } if openai => (429, "Rate limit reached for requests.".into()),
            StubFault::RateLimited { .. } => {
                (429, "This request would exceed the rate limit for your organization.".into())
            }
            StubFault::ServerError => (500, "Internal server error".into()),
            StubFault::Overloaded if self == Self::Anthropic => (529, "Overloaded".into()),
            StubFault::Overloaded => (503, "The model is overloaded. Please try again later.".into()),
            StubFault::TooLong => match self {
                Self::Anthropic => (400, format!("prompt is too long: {tokens} tokens > {CONTEXT} maximum")),
                Self::Chat | Self::Responses => (
                    400,
                    format!(
                        "This model's maximum context length is {CONTEXT} tokens. However, your messages resulted in \
                         {tokens} tokens."
                    ),
                ),
                Self::Gemini => (
                    400,
                    format!(
                        "The input token count ({tokens}) exceeds the maximum number of tokens allowed ({CONTEXT})."
                    ),
                ),
            },
            StubFault::NoTemperature if self == Self::Anthropic => {
                (400, "`temperature` is deprecated for this model.".into())
            }
            StubFault::NoTemperature => (
                400,
                "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is \
                 supported."
                    .into(),
            ),
            _ => return None,
        };
        Some(Refusal { status, message })
    }

    /// The answer to a question for the number of tokens.
    pub(crate) fn counted(self, tokens: u64) -> Value {
        match self {
            Self::Gemini => json!({"totalTokens": tokens}),
            Self::Anthropic | Self::Chat | Self::Responses => json!({"input_tokens": tokens}),
        }
    }
}

/// The list of models, or one of them, in a form that clients of all wires can read.
pub(crate) fn models(route: &Route) -> Value {
    let names = ["claude-opus-4-5", "claude-sonnet-4-5", "claude-haiku-4-5", "gpt-5", "gpt-5-mini", "gemini-2.5-pro"];
    if route.wire == Some(Wire::Gemini) {
        let model = |name: &str| {
            json!({
                "name": format!("models/{name}"), "displayName": name, "version": "1", "inputTokenLimit": CONTEXT,
                "outputTokenLimit": 65_536, "supportedGenerationMethods": ["generateContent", "countTokens"],
            })
        };
        return match &route.model {
            Some(name) => model(name),
            None => json!({"models": names.map(model)}),
        };
    }
    let model = |name: &str| {
        json!({
            "id": name, "type": "model", "object": "model", "display_name": name, "created": CREATED,
            "created_at": "2023-11-14T22:13:20Z", "owned_by": "tribunal-stub",
        })
    };
    match &route.model {
        Some(name) => model(name),
        None => json!({
            "object": "list", "data": names.map(model), "has_more": false, "first_id": names[0],
            "last_id": names[names.len() - 1],
        }),
    }
}

/// A text in pieces, the same ones every time.
fn deltas(text: &str) -> Vec<&str> {
    let size = DELTA.max(text.len().div_ceil(MAX_DELTAS));
    let (mut pieces, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let mut end = size.min(rest.len());
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        let (piece, behind) = rest.split_at(end);
        pieces.push(piece);
        rest = behind;
    }
    pieces
}

/// A server-sent event.
fn event(name: &str, data: &Value) -> Vec<u8> {
    format!("event: {name}\ndata: {data}\n\n").into_bytes()
}

/// A server-sent event without a name.
fn data(data: &Value) -> Vec<u8> {
    format!("data: {data}\n\n").into_bytes()
}

/// The text of a content that is a text or a list of parts.
fn parts(content: &Value) -> Vec<&Value> {
    match content {
        Value::Array(parts) => parts.iter().collect(),
        Value::Null => Vec::new(),
        other => vec![other],
    }
}

fn text_of<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn is_true(value: &Value, name: &str) -> bool {
    value.get(name).and_then(Value::as_bool).unwrap_or(false)
}

fn required_model(body: &Value) -> Result<String, Refusal> {
    let model = body.get("model").and_then(Value::as_str);
    model.map(str::to_owned).ok_or_else(|| Refusal::bad("model: field required"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_wires() {
        let rows: [(&str, &str, Option<Wire>, Purpose); 13] = [
            ("POST", "/v1/messages", Some(Wire::Anthropic), Purpose::Answer),
            ("POST", "/v1/messages/count_tokens", Some(Wire::Anthropic), Purpose::CountTokens),
            ("POST", "/v1/chat/completions", Some(Wire::Chat), Purpose::Answer),
            ("POST", "/chat/completions", Some(Wire::Chat), Purpose::Answer),
            ("POST", "/v1/responses", Some(Wire::Responses), Purpose::Answer),
            ("POST", "/v1beta/models/gemini-2.5-pro:generateContent", Some(Wire::Gemini), Purpose::Answer),
            ("POST", "/v1beta/models/gemini-2.5-pro:countTokens", Some(Wire::Gemini), Purpose::CountTokens),
            ("GET", "/v1/models", None, Purpose::Models),
            ("GET", "/v1beta/models", Some(Wire::Gemini), Purpose::Models),
            ("HEAD", "/", None, Purpose::Probe),
            ("GET", "/api/hello", None, Purpose::Probe),
            ("GET", "/v1/messages", None, Purpose::Unknown),
            ("POST", "/v1beta/models/x:embedContent", None, Purpose::Unknown),
        ];
        for (method, path, wire, purpose) in rows {
            let route = route(method, path);
            assert_eq!((route.wire, route.purpose), (wire, purpose), "{method} {path}");
        }
    }

    #[test]
    fn a_stream_has_few_pieces_and_whole_characters() {
        for text in ["", "short", &"ü中".repeat(40), &"x".repeat(1 << 20)] {
            let pieces = deltas(text);
            assert_eq!(pieces.concat(), text);
            assert!(pieces.len() <= MAX_DELTAS);
        }
        assert_eq!(deltas(&"ab".repeat(25)).len(), 3);
    }
}
