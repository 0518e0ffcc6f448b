//! A value with its place in the file, whatever the file's syntax.

use serde_json::{Map, Value as Json};

/// A value and the byte where it begins.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) at: usize,
    pub(crate) end: usize,
    pub(crate) value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Bool(bool),
    /// As written in decimal: what it may be depends on the key.
    Integer(String),
    Float(String),
    List(Vec<Node>),
    /// In the order of the file; repeated keys are kept, so that they can be refused.
    Table(Vec<(Key, Node)>),
    Null,
    Date,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Key {
    pub(crate) at: usize,
    pub(crate) name: String,
}

impl Node {
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// For messages: a short value as it is, otherwise its type.
    pub(crate) fn shown(&self) -> String {
        match &self.value {
            Value::Text(text) if text.chars().count() <= 40 && !text.contains('\n') => format!("`{text}`"),
            Value::Bool(flag) => format!("`{flag}`"),
            Value::Integer(number) | Value::Float(number) => format!("`{number}`"),
            _ => self.type_word().to_owned(),
        }
    }

    pub(crate) fn type_word(&self) -> &'static str {
        match self.value {
            Value::Text(_) => "a string",
            Value::Bool(_) => "a boolean",
            Value::Integer(_) => "an integer",
            Value::Float(_) => "a float",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
            Value::Null => "null",
            Value::Date => "a date",
        }
    }

    /// The same value without places. A number that JSON cannot hold becomes null.
    pub(crate) fn to_json(&self) -> Json {
        match &self.value {
            Value::Text(text) => Json::String(text.clone()),
            Value::Bool(flag) => Json::Bool(*flag),
            Value::Integer(number) | Value::Float(number) => serde_json::from_str(number).unwrap_or(Json::Null),
            Value::List(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Value::Table(entries) => {
                let pairs = entries.iter().map(|(key, node)| (key.name.clone(), node.to_json()));
                Json::Object(pairs.collect::<Map<_, _>>())
            }
            Value::Null | Value::Date => Json::Null,
        }
    }
}
