//! A value before and after its key's kind has read it.

use std::{
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};

use toml::de::DeValue;

use crate::{brief::Brief, bytes, decimal::Decimal, duration, money::UsdAmount};

/// What a source holds, before the key's kind has had its say.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Raw {
    /// From a flag or a variable: what it means depends on the key.
    Loose(String),
    Text(String),
    Bool(bool),
    Integer(String),
    Float(String),
    List(Vec<Raw>),
    Table,
    Datetime,
}

impl Raw {
    pub(crate) fn from_toml(value: &DeValue<'_>) -> Self {
        match value {
            DeValue::String(text) => Self::Text(text.to_string()),
            DeValue::Boolean(flag) => Self::Bool(*flag),
            // Decimal whatever the base it was written in; what does not fit is out of every range anyway.
            DeValue::Integer(number) => {
                let decimal = i128::from_str_radix(number.as_str(), number.radix());
                Self::Integer(decimal.map_or_else(|_| number.to_string(), |n| n.to_string()))
            }
            DeValue::Float(number) => Self::Float(number.as_str().to_owned()),
            DeValue::Array(items) => Self::List(items.iter().map(|item| Self::from_toml(item.get_ref())).collect()),
            DeValue::Table(_) => Self::Table,
            DeValue::Datetime(_) => Self::Datetime,
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Loose(text) | Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn integer(&self) -> Option<&str> {
        match self {
            Self::Loose(text) | Self::Integer(text) => Some(text),
            _ => None,
        }
    }

    /// For error messages that must not, or cannot, show the value.
    pub(crate) fn type_word(&self) -> &'static str {
        match self {
            Self::Loose(_) | Self::Text(_) => "a string",
            Self::Bool(_) => "a boolean",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a float",
            Self::List(_) => "a list",
            Self::Table => "a table",
            Self::Datetime => "a date",
        }
    }
}

/// What a key's kind made of it. Words and references to secrets are text by now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    Brief(Brief),
    Path(PathBuf),
    Bool(bool),
    Integer(u64),
    Number(Decimal),
    Usd(UsdAmount),
    Duration(Duration),
    Bytes(u64),
    List(Vec<String>),
}

impl Value {
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn list(&self) -> Option<&[String]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn number(&self) -> Option<Decimal> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The form that the typed configuration deserializes from.
    pub(crate) fn to_toml(&self) -> toml::Value {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Brief(Brief { text, base }) => toml::Table::from_iter([
                ("text".to_owned(), text.as_str().into()),
                ("base".to_owned(), path_text(base)),
            ])
            .into(),
            Self::Path(path) => path_text(path),
            Self::Bool(flag) => (*flag).into(),
            Self::Integer(number) | Self::Bytes(number) => whole(*number),
            Self::Number(number) => whole(number.micros()),
            Self::Usd(amount) => whole(amount.micros()),
            Self::Duration(duration) => whole(duration::millis(*duration)),
            Self::List(items) => items.clone().into(),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) | Self::Brief(Brief { text, .. }) => f.write_str(text),
            Self::Path(path) => write!(f, "{}", path.display()),
            Self::Bool(flag) => write!(f, "{flag}"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Usd(amount) => write!(f, "{amount}"),
            Self::Duration(duration) => f.write_str(&duration::show(*duration)),
            Self::Bytes(number) => f.write_str(&bytes::show(*number)),
            Self::List(_) => write!(f, "{}", self.to_toml()),
        }
    }
}

/// A whole number with optional `_` between digits, as TOML has it.
pub(crate) fn digits(text: &str) -> Option<u64> {
    let well_formed = text.split('_').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    if well_formed { text.replace('_', "").parse().ok() } else { None }
}

fn whole(number: u64) -> toml::Value {
    toml::Value::Integer(i64::try_from(number).expect("every range in the schema ends below i64::MAX"))
}

fn path_text(path: &Path) -> toml::Value {
    path.to_string_lossy().into_owned().into()
}
