//! The small fixed set of predicates.

use std::fmt;

use serde::Serialize;

use crate::schema::Schema;

/// Something that a machine can tell of a draft without an expression.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "predicate", rename_all = "snake_case")]
pub enum Predicate {
    Contains {
        text: String,
        ignore_case: bool,
    },
    NotContains {
        text: String,
        ignore_case: bool,
    },
    /// A heading with these words, whatever their case.
    Heading {
        text: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        level: Option<u8>,
    },
    WordCount(Range),
    LineCount(Range),
    /// The draft is JSON, and valid.
    JsonSchema {
        schema: Schema,
    },
    WellFormedHtml,
    /// Asked of whoever calls, relative to the draft.
    FileExists {
        path: String,
    },
    /// Every local link of the draft leads somewhere.
    LinkResolves,
}

/// Both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Range {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
}

impl Predicate {
    pub const WORDS: [&'static str; 9] = [
        "contains",
        "not_contains",
        "heading",
        "word_count",
        "line_count",
        "json_schema",
        "well_formed_html",
        "file_exists",
        "link_resolves",
    ];

    pub fn word(&self) -> &'static str {
        match self {
            Self::Contains { .. } => "contains",
            Self::NotContains { .. } => "not_contains",
            Self::Heading { .. } => "heading",
            Self::WordCount(_) => "word_count",
            Self::LineCount(_) => "line_count",
            Self::JsonSchema { .. } => "json_schema",
            Self::WellFormedHtml => "well_formed_html",
            Self::FileExists { .. } => "file_exists",
            Self::LinkResolves => "link_resolves",
        }
    }
}

/// The words of a rule whose author gave none.
impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contains { text, .. } => write!(f, "contains `{text}`"),
            Self::NotContains { text, .. } => write!(f, "does not contain `{text}`"),
            Self::Heading { text, .. } => write!(f, "has a heading `{text}`"),
            Self::WordCount(range) => write!(f, "has {range} words"),
            Self::LineCount(range) => write!(f, "has {range} lines"),
            Self::JsonSchema { .. } => f.write_str("is JSON that fits the schema"),
            Self::WellFormedHtml => f.write_str("is well-formed HTML"),
            Self::FileExists { path } => write!(f, "the file `{path}` exists"),
            Self::LinkResolves => f.write_str("every local link leads somewhere"),
        }
    }
}

impl Range {
    pub fn contains(self, number: u64) -> bool {
        self.min.is_none_or(|min| min <= number) && self.max.is_none_or(|max| number <= max)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.min, self.max) {
            (Some(min), Some(max)) => write!(f, "{min} to {max}"),
            (Some(min), None) => write!(f, "at least {min}"),
            (None, Some(max)) => write!(f, "at most {max}"),
            (None, None) => f.write_str("any number of"),
        }
    }
}
