//! The fields of a JSON file that an agent wrote. An agent that is told which field is wrong mends it; "invalid type
//! at line 7" it does not.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Why a claim or a verdict cannot be used; worded for the agent that wrote it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    #[error("the file is empty")]
    Empty,
    #[error("the file is not JSON: {0}")]
    NotJson(String),
    #[error("`{field}`: expected an object, found {found}")]
    NotObject { field: String, found: &'static str },
    #[error("`{field}` is missing; expected {expected}")]
    Missing { field: String, expected: &'static str },
    #[error("`{field}`: {why}; expected {expected}")]
    Unfit { field: String, why: String, expected: &'static str },
}

/// An object that is being read.
#[derive(Debug)]
pub(super) struct Fields {
    /// Where the object stands in the file, as in `criteria_results[1].`.
    within: String,
    map: Map<String, Value>,
}

impl Fields {
    /// The object that a file is. A code fence around it is forgiven.
    pub(super) fn of(text: &str) -> Result<Self, FileError> {
        let text = text.trim_start_matches('\u{feff}').trim();
        let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
        let text = inner.and_then(|inner| inner.split_once('\n')).map_or(text, |(_, json)| json);
        if text.trim().is_empty() {
            return Err(FileError::Empty);
        }
        let value = serde_json::from_str(text).map_err(|error| FileError::NotJson(error.to_string()))?;
        Self::nested(value, "the file", String::new())
    }

    fn nested(value: Value, field: &str, within: String) -> Result<Self, FileError> {
        match value {
            Value::Object(map) => Ok(Self { within, map }),
            other => Err(FileError::NotObject { field: field.to_owned(), found: kind(&other) }),
        }
    }

    /// Insists on a field that is read later.
    pub(super) fn require(&self, name: &str, expected: &'static str) -> Result<(), FileError> {
        let is_there = self.map.get(name).is_some_and(|value| !value.is_null());
        is_there.then_some(()).ok_or_else(|| FileError::Missing { field: self.path(name), expected })
    }

    /// A field that must be there.
    pub(super) fn required<T: DeserializeOwned>(&mut self, name: &str, expected: &'static str) -> Result<T, FileError> {
        self.optional(name, expected)?.ok_or_else(|| FileError::Missing { field: self.path(name), expected })
    }

    /// A field that may be left out, or be `null`.
    pub(super) fn optional<T: DeserializeOwned>(
        &mut self,
        name: &str,
        expected: &'static str,
    ) -> Result<Option<T>, FileError> {
        match self.map.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => fit(value, self.path(name), expected).map(Some),
        }
    }

    /// A list that may be left out, read element by element.
    pub(super) fn list<T: DeserializeOwned>(
        &mut self,
        name: &str,
        expected: &'static str,
    ) -> Result<Vec<T>, FileError> {
        self.elements(name)?.map(|(path, value)| fit(value, path, expected)).collect()
    }

    /// A list of objects that may be left out.
    pub(super) fn objects(&mut self, name: &str) -> Result<Vec<Self>, FileError> {
        self.elements(name)?.map(|(path, value)| Self::nested(value, &path, format!("{path}."))).collect()
    }

    fn elements(&mut self, name: &str) -> Result<impl Iterator<Item = (String, Value)>, FileError> {
        let list: Vec<Value> = self.optional(name, "a list")?.unwrap_or_default();
        let path = self.path(name);
        Ok(list.into_iter().enumerate().map(move |(at, value)| (format!("{path}[{at}]"), value)))
    }

    fn path(&self, name: &str) -> String {
        format!("{}{name}", self.within)
    }
}

fn fit<T: DeserializeOwned>(value: Value, field: String, expected: &'static str) -> Result<T, FileError> {
    let found = match &value {
        Value::String(text) => format!("found {:?}", text.chars().take(MAX_QUOTED).collect::<String>()),
        Value::Bool(_) | Value::Number(_) => format!("found {value}"),
        other => format!("found {}", kind(other)),
    };
    serde_json::from_value(value).map_err(|_| FileError::Unfit { field, why: found, expected })
}

/// How much of a wrong value is quoted.
const MAX_QUOTED: usize = 80;

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
