//! What can go wrong between a client and a model.

use serde::Deserialize;

/// A fault. Rules with [`first`](crate::Matcher::first) let it strike for the first calls alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum StubFault {
    /// 401, in the wire's own words, like every status below.
    Unauthorized,
    /// 403.
    Forbidden,
    /// 429 with `retry-after` (seconds, rounded up) and `retry-after-ms`.
    RateLimited { retry_after_ms: u64 },
    /// 500.
    ServerError,
    /// 529 from Anthropic, 503 from the others.
    Overloaded,
    /// 400: more than the model's context holds.
    TooLong,
    /// 400: the model takes no temperature.
    NoTemperature,
    /// The request is read and never answered.
    Hang,
    /// The answer stops after so many bytes of its body, and the connection stays.
    HangAfter { bytes: usize },
    /// The connection is closed after so many bytes of the body; without a number, in its middle.
    Cut {
        #[serde(default)]
        bytes: Option<usize>,
    },
    /// The connection is closed inside a character of several bytes. A text without one gets one.
    CutCharacter,
    /// The body comes at this speed.
    Slow { bytes_per_second: u64 },
    /// 200 with a page of HTML, as proxies and captive portals send it.
    Html,
    /// 200 with the right content type and bytes that are not JSON.
    NotJson,
    /// A well-formed answer of so many megabytes.
    Huge { megabytes: usize },
    /// The connection is closed without a byte.
    Close,
    /// The connection is closed, and for so long nobody listens: further ones are refused.
    Refuse { ms: u64 },
}

/// Megabytes that [`StubFault::Huge`] makes at most: they are held in memory.
pub const MAX_HUGE: usize = 256;

impl StubFault {
    /// Its name in logs: that of scripts.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::RateLimited { .. } => "rate_limited",
            Self::ServerError => "server_error",
            Self::Overloaded => "overloaded",
            Self::TooLong => "too_long",
            Self::NoTemperature => "no_temperature",
            Self::Hang => "hang",
            Self::HangAfter { .. } => "hang_after",
            Self::Cut { .. } => "cut",
            Self::CutCharacter => "cut_character",
            Self::Slow { .. } => "slow",
            Self::Html => "html",
            Self::NotJson => "not_json",
            Self::Huge { .. } => "huge",
            Self::Close => "close",
            Self::Refuse { .. } => "refuse",
        }
    }

    /// Whether the model answers at all: then tokens are used, and the prompt is in the cache.
    pub(crate) fn has_answer(self) -> bool {
        match self {
            Self::HangAfter { .. } | Self::Cut { .. } | Self::CutCharacter | Self::Slow { .. } | Self::Huge { .. } => {
                true
            }
            Self::Unauthorized
            | Self::Forbidden
            | Self::RateLimited { .. }
            | Self::ServerError
            | Self::Overloaded
            | Self::TooLong
            | Self::NoTemperature
            | Self::Hang
            | Self::Html
            | Self::NotJson
            | Self::Close
            | Self::Refuse { .. } => false,
        }
    }
}
