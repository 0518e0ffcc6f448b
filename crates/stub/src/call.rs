//! What was asked, and what became of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The form in which a client talks to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wire {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions.
    Chat,
    /// OpenAI Responses.
    Responses,
    Gemini,
}

impl Wire {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::Chat, Self::Responses, Self::Gemini];

    /// Its name in scripts and logs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Gemini => "gemini",
        }
    }
}

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// A model is asked: the script decides.
    Answer,
    CountTokens,
    Models,
    /// A client that looks whether anybody is there.
    Probe,
    /// A path that is not known here: 404.
    Unknown,
    /// A request that could not be understood.
    Malformed,
}

/// A request, as the script sees it.
#[derive(Debug, Clone, Serialize)]
pub struct StubCall {
    /// Counts every request to this server, from 1.
    pub number: u64,
    pub purpose: Purpose,
    pub wire: Option<Wire>,
    pub method: String,
    /// With the query, but without a key in it.
    pub path: String,
    pub model: String,
    /// Whether the answer is wanted in pieces.
    pub stream: bool,
    /// Names in lower case; of a key only that there was one.
    pub headers: Vec<(String, String)>,
    /// Whether the request carried a key, in whatever header.
    pub has_key: bool,
    /// System prompt or instructions.
    pub system: String,
    /// The text of the last message that a user wrote.
    pub user: String,
    /// System prompt and all messages as one text. Definitions of tools are not in it.
    pub prompt: String,
    pub max_tokens: Option<u64>,
    pub temperature: Option<f64>,
    /// Whether an answer in a schema was asked for.
    pub has_schema: bool,
    /// The names of the tools that were offered.
    pub tools: Vec<String>,
    /// How many places were marked for the cache.
    pub cache_marks: usize,
    /// Whether the last message brings results of tools.
    pub has_tool_results: bool,
    /// The body, if it was JSON. Not in the log.
    #[serde(skip)]
    pub body: Value,
}

/// Tokens of one call, four bytes each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct TokenCounts {
    /// Everything that went in, cached or not.
    #[serde(rename = "input_tokens")]
    pub input: u64,
    /// What of it was read from the cache.
    #[serde(rename = "cached_tokens")]
    pub cached: u64,
    /// What of it was written to the cache.
    #[serde(rename = "cache_write_tokens")]
    pub cache_write: u64,
    #[serde(rename = "output_tokens")]
    pub output: u64,
}

/// What a provider asks for a million tokens, in micro-dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StubPrice {
    pub input: u64,
    pub cached: u64,
    pub cache_write: u64,
    pub output: u64,
}

impl TokenCounts {
    /// What a provider with these prices would put on the bill, in micro-dollars, rounded up.
    pub fn cost(&self, price: &StubPrice) -> u64 {
        let fresh = self.input.saturating_sub(self.cached).saturating_sub(self.cache_write);
        let parts = [
            (fresh, price.input),
            (self.cached, price.cached),
            (self.cache_write, price.cache_write),
            (self.output, price.output),
        ];
        let sum: u128 = parts.into_iter().map(|(tokens, price)| u128::from(tokens) * u128::from(price)).sum();
        u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }
}

/// A call and what became of it.
#[derive(Debug, Clone, Serialize)]
pub struct CallRecord {
    #[serde(flatten)]
    pub call: StubCall,
    #[serde(flatten)]
    pub tokens: TokenCounts,
    /// The rule of the script that decided, from 0.
    pub rule: Option<usize>,
    /// Nothing where no answer came at all.
    pub status: Option<u16>,
    /// The text that was sent, or would have been.
    pub answer: String,
    /// The tools that were called.
    pub tool_calls: Vec<String>,
    /// The name of the fault.
    pub fault: Option<&'static str>,
}

/// Sums over all calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Totals {
    /// Requests of any kind.
    pub requests: u64,
    /// Requests that asked a model.
    pub calls: u64,
    /// Of those, the ones that met a fault.
    pub faults: u64,
    /// Requests to paths that are not known.
    pub unknown: u64,
    /// Requests that could not be understood.
    pub malformed: u64,
    /// Of calls that were answered.
    pub tokens: TokenCounts,
}

impl Totals {
    pub(crate) fn add(&mut self, record: &CallRecord) {
        self.requests += 1;
        match record.call.purpose {
            Purpose::Answer => self.calls += 1,
            Purpose::Unknown => self.unknown += 1,
            Purpose::Malformed => self.malformed += 1,
            Purpose::CountTokens | Purpose::Models | Purpose::Probe => {}
        }
        self.faults += u64::from(record.fault.is_some());
        self.tokens.input += record.tokens.input;
        self.tokens.cached += record.tokens.cached;
        self.tokens.cache_write += record.tokens.cache_write;
        self.tokens.output += record.tokens.output;
    }
}

/// Bytes in a token. No tokenizer agrees with another; this one agrees with itself.
pub const BYTES_PER_TOKEN: usize = 4;

/// The tokens of so many bytes.
pub fn tokens_of(bytes: usize) -> u64 {
    bytes.div_ceil(BYTES_PER_TOKEN) as u64
}
