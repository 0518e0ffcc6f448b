//! The two ways to write an anchor down.

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{
    error::AnchorMistake,
    json,
    lines::Lines,
    node::{Key, Node, Value},
};

/// After that many errors of syntax the rest follows from the first ones.
const SYNTAX_ERRORS_MAX: usize = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    Toml,
    Json,
}

impl Syntax {
    /// The syntax that a file's name stands for: JSON for `.json`, TOML for everything else.
    pub fn of_path(path: &str) -> Self {
        let is_json = path.len() >= 5
            && path.is_char_boundary(path.len() - 5)
            && path[path.len() - 5..].eq_ignore_ascii_case(".json");
        if is_json { Self::Json } else { Self::Toml }
    }

    /// The text as a tree, or its mistakes with the bytes where they are.
    pub(crate) fn parse(self, text: &str, lines: &Lines) -> Result<Node, Vec<(usize, AnchorMistake)>> {
        match self {
            Self::Toml => toml(text),
            Self::Json => json::parse(text).map_err(|error| {
                let at = lines.start(error.line) + error.column.saturating_sub(1);
                vec![(at.min(text.len()), AnchorMistake::Syntax { language: "JSON", message: error.message })]
            }),
        }
    }
}

fn toml(text: &str) -> Result<Node, Vec<(usize, AnchorMistake)>> {
    let (root, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Ok(Node { at: 0, end: text.len(), value: table(root.get_ref()) });
    }
    let errors = errors.iter().take(SYNTAX_ERRORS_MAX).map(|error| {
        let at = error.span().map_or(text.len(), |span| span.start);
        (at, AnchorMistake::Syntax { language: "TOML", message: error.message().to_owned() })
    });
    Err(errors.collect())
}

fn table(entries: &DeTable<'_>) -> Value {
    let mut entries: Vec<(Key, Node)> = entries
        .iter()
        .map(|(key, value)| (Key { at: key.span().start, name: key.get_ref().to_string() }, node(value)))
        .collect();
    // The parser sorts by name; mistakes are reported in the order of the file.
    entries.sort_by_key(|(key, _)| key.at);
    Value::Table(entries)
}

fn node(spanned: &Spanned<DeValue<'_>>) -> Node {
    let value = match spanned.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Integer(number) => {
            let decimal = i128::from_str_radix(number.as_str(), number.radix());
            Value::Integer(decimal.map_or_else(|_| number.to_string(), |n| n.to_string()))
        }
        DeValue::Float(number) => Value::Float(number.as_str().replace('_', "")),
        DeValue::Array(items) => Value::List(items.iter().map(node).collect()),
        DeValue::Table(entries) => table(entries),
        DeValue::Datetime(_) => Value::Date,
    };
    Node { at: spanned.span().start, end: spanned.span().end, value }
}
