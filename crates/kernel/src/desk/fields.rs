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

    /// Reads one word of a field as another; whether it was there.
    pub(super) fn replace(&mut self, name: &str, word: &str, by: &str) -> bool {
        let is_it = self.map.get(name).and_then(Value::as_str).is_some_and(|found| found.eq_ignore_ascii_case(word));
        if is_it {
            self.map.insert(name.to_owned(), by.into());
        }
        is_it
    }

    /// What a field says where nobody says it.
    pub(super) fn replace_missing(&mut self, name: &str, by: &str) {
        self.map.entry(name).or_insert_with(|| by.into());
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

    /// A list of texts that may be left out. An object stands for what it describes: how bad it is, where, and what.
    pub(super) fn texts(&mut self, name: &str) -> Result<Vec<String>, FileError> {
        self.elements(name)?.map(|(path, value)| told(value, path)).collect()
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

/// What an element of a list says: its text, or the parts of an object that are for people, in this order.
fn told(value: Value, path: String) -> Result<String, FileError> {
    const PARTS: [&[&str]; 4] = [
        &["severity"],
        &["criterion", "criterion_id", "ac_id", "id"],
        &["description", "text", "message", "issue", "summary", "detail"],
        &["fix_hint", "hint"],
    ];
    let Value::Object(map) = &value else { return fit(value, path, "a text, or an object with a `description`") };
    let part = |names: &[&str]| {
        names.iter().find_map(|name| map.get(*name)?.as_str()).map(str::trim).filter(|text| !text.is_empty())
    };
    let [severity, place, what, hint] = PARTS.map(part);
    let Some(what) = what else {
        return Err(FileError::Missing { field: format!("{path}.description"), expected: "what is wrong, as a text" });
    };
    let mut text = severity.map(|severity| format!("[{severity}] ")).unwrap_or_default();
    text.extend(place.map(|place| format!("{place}: ")));
    text.push_str(what);
    text.extend(hint.map(|hint| format!(" ({hint})")));
    Ok(text)
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
