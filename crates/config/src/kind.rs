//! What a key's value may be: one enum that reads a value, says what it expects, and knows what must not be shown.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use toml::de::DeValue;

use crate::{
    brief::Brief,
    bytes,
    decimal::Decimal,
    duration,
    money::UsdAmount,
    secret::{EnvRef, is_variable_name},
    value::{Raw, Value, digits},
};

/// The type of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// Any text that is not blank.
    Text,
    /// A text, or the path of a file that holds it.
    Brief,
    /// A path, relative to the folder of the file that names it, or to the working folder for flags and variables.
    Path,
    /// An `http` or `https` address without credentials in it.
    Url,
    /// The name of an environment variable, `$NAME`; a literal is refused.
    Secret,
    /// `^[a-z][a-z0-9_]*$`
    Name,
    Bool,
    Integer {
        min: u64,
        max: u64,
    },
    /// A number with at most six decimals.
    Number {
        min: u64,
        max: u64,
    },
    /// US dollars.
    Usd,
    Duration,
    Bytes {
        min: u64,
        max: u64,
    },
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of strings with at least so many items.
    List {
        of: ListItem,
        min: usize,
    },
}

/// What the items of a list are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListItem {
    /// A program and its arguments.
    Argument,
    /// As [`ValueKind::Name`]; none may repeat.
    Name,
    /// The name of an environment variable, without `$`.
    Variable,
    /// Anything but nothing: a model, a folder.
    Text,
    /// As [`ValueKind::Path`].
    Path,
    /// A width of a window; numbers without quotation marks, too.
    Pixels,
    /// One of these; none may repeat.
    Word(&'static [&'static str]),
}

/// Windows that pages are made for.
const WIDTHS: std::ops::RangeInclusive<u32> = 200..=4000;

/// Why a value was refused. Carries no more of the value than may be shown.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Value,
    /// The item at this place, counted from one, and its text if it is one that may be shown.
    Item(ListItem, usize, Option<String>),
    Repeated(String),
    LiteralSecret,
    Credentials,
}

impl ValueKind {
    /// What is expected, as the end of a sentence.
    pub fn describe(self) -> String {
        match self {
            Self::Text => "some text".to_owned(),
            Self::Brief => "a text, or the path of a file".to_owned(),
            Self::Path => "a path".to_owned(),
            Self::Url => "a URL such as `http://127.0.0.1:8080/v1`".to_owned(),
            Self::Secret => "the name of an environment variable such as `$OPENAI_API_KEY`".to_owned(),
            Self::Name => ListItem::Name.describe().to_owned(),
            Self::Bool => "`true` or `false`".to_owned(),
            Self::Integer { min: only, max } if only == max => format!("`{only}`"),
            Self::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Self::Number { min, max } => number_from(min, max),
            Self::Usd => {
                format!(
                    "an amount in US dollars from 0 to {} with at most six decimals, such as `2.50`",
                    UsdAmount::MOST
                )
            }
            Self::Duration => format!(
                "a duration such as `90s`, `10m` or `1h30m`, longer than zero and at most {}",
                duration::show(duration::LONGEST)
            ),
            Self::Bytes { min, max } => {
                format!("a size such as `64KiB` or `8MiB`, from {} to {}", bytes::show(min), bytes::show(max))
            }
            Self::Word(words) => one_of(words),
            Self::List { of, min } => {
                let at_least = if min > 0 { ", at least one" } else { "" };
                match of {
                    ListItem::Argument => "a list: the program, then its arguments".to_owned(),
                    ListItem::Name => format!("a list of names such as `[\"slug\", \"title_seo\"]`{at_least}"),
                    ListItem::Variable => format!("a list of names of environment variables{at_least}"),
                    ListItem::Text => format!("a list of texts{at_least}"),
                    ListItem::Path => format!("a list of paths{at_least}"),
                    ListItem::Pixels => format!("a list of widths in pixels such as `[1280, 375]`{at_least}"),
                    ListItem::Word(words) => format!("a list of {}{at_least}", one_of(words)),
                }
            }
        }
    }

    /// Reads a value; a relative path starts from `base`.
    pub(crate) fn read(self, raw: &Raw, base: &Path) -> Result<Value, Refusal> {
        let value = match self {
            Self::List { of: ListItem::Path, min } => {
                let Value::List(paths) = list(ListItem::Path, min, raw)? else { return Err(Refusal::Value) };
                let resolved = paths.iter().map(|path| resolve(base, path).to_string_lossy().into_owned());
                return Ok(Value::List(resolved.collect()));
            }
            Self::List { of, min } => return list(of, min, raw),
            Self::Secret => {
                let secret = raw.text().and_then(EnvRef::parse).ok_or(Refusal::LiteralSecret)?;
                Some(Value::Text(secret.to_string()))
            }
            Self::Url => {
                let text = raw.text().ok_or(Refusal::Value)?;
                if may_carry_credentials(text) {
                    return Err(Refusal::Credentials);
                }
                is_address(text).then(|| Value::Text(text.to_owned()))
            }
            Self::Text => filled(raw).map(|text| Value::Text(text.to_owned())),
            Self::Brief => filled(raw).map(|text| Value::Brief(Brief { text: text.to_owned(), base: base.to_owned() })),
            Self::Path => filled(raw).map(|text| Value::Path(resolve(base, text))),
            Self::Name => raw.text().filter(|text| is_name(text)).map(|text| Value::Text(text.to_owned())),
            Self::Word(words) => {
                raw.text().filter(|text| words.contains(text)).map(|text| Value::Text(text.to_owned()))
            }
            Self::Bool => match raw {
                Raw::Bool(flag) => Some(Value::Bool(*flag)),
                Raw::Loose(text) => text.parse().ok().map(Value::Bool),
                _ => None,
            },
            Self::Integer { min, max } => {
                raw.integer().and_then(digits).filter(|n| (min..=max).contains(n)).map(Value::Integer)
            }
            Self::Number { min, max } => match raw {
                Raw::Loose(text) | Raw::Integer(text) | Raw::Float(text) => Decimal::parse(text),
                _ => None,
            }
            .filter(|number| number.is_within(min, max))
            .map(Value::Number),
            Self::Usd => match raw {
                Raw::Loose(text) | Raw::Text(text) | Raw::Integer(text) | Raw::Float(text) => UsdAmount::parse(text),
                _ => None,
            }
            .map(Value::Usd),
            Self::Duration => raw.text().or(raw.integer()).and_then(duration::parse).map(Value::Duration),
            Self::Bytes { min, max } => raw
                .text()
                .or(raw.integer())
                .and_then(bytes::parse)
                .filter(|n| (min..=max).contains(n))
                .map(Value::Bytes),
        };
        value.ok_or(Refusal::Value)
    }

    /// Whether a refused value could be, or contain, a secret, and so may not be repeated in a message.
    pub(crate) fn hides(self) -> bool {
        matches!(self, Self::Secret | Self::List { of: ListItem::Variable, .. })
    }
}

impl ListItem {
    /// What is expected of one item, as the end of a sentence.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::Argument | Self::Text => "some text",
            Self::Name => "a name such as `title_seo`: lower-case letters, digits and `_`, starting with a letter",
            Self::Variable => "the name of an environment variable",
            Self::Path => "a path",
            Self::Pixels => "a whole number of pixels from 200 to 4000",
            Self::Word(_) => "one of the known words",
        }
    }
}

/// What a number between two others is called.
pub(crate) fn number_from(min: impl fmt::Display, max: impl fmt::Display) -> String {
    format!("a number from {min} to {max} with at most six decimals")
}

/// `a`, `b` or `c`.
pub(crate) fn one_of<S: AsRef<str>>(words: &[S]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{}`", word.as_ref())).collect();
    match quoted.as_slice() {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn filled(raw: &Raw) -> Option<&str> {
    raw.text().filter(|text| !text.trim().is_empty())
}

/// Joined without the `.` that the default and many a configuration would leave in the middle.
fn resolve(base: &Path, text: &str) -> PathBuf {
    let path: PathBuf = base.join(text).components().collect();
    if path.as_os_str().is_empty() { PathBuf::from(".") } else { path }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

fn is_address(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    host.is_some_and(|host| !host.is_empty() && !host.starts_with(['/', ':'])) && !text.contains(char::is_whitespace)
}

/// `user:password@host` and `?key=…` are literal secrets by another road.
fn may_carry_credentials(text: &str) -> bool {
    text.contains(['@', '?', '#'])
}

fn list(of: ListItem, min: usize, raw: &Raw) -> Result<Value, Refusal> {
    let items = match raw {
        Raw::List(items) => items
            .iter()
            .enumerate()
            .map(|(at, item)| match item {
                Raw::Text(text) => Ok(text.clone()),
                Raw::Integer(text) if of == ListItem::Pixels => Ok(text.clone()),
                _ => Err(Refusal::Item(of, at + 1, None)),
            })
            .collect::<Result<Vec<_>, _>>()?,
        Raw::Loose(text) if text.trim_start().starts_with('[') => {
            let value = DeValue::parse(text.trim()).map_err(|_| Refusal::Value)?;
            return list(of, min, &Raw::from_toml(value.get_ref()));
        }
        Raw::Loose(text) => split(of, text)?,
        _ => return Err(Refusal::Value),
    };
    for (at, item) in items.iter().enumerate() {
        let good = match of {
            ListItem::Argument => at > 0 || !item.trim().is_empty(),
            ListItem::Name => is_name(item),
            ListItem::Variable => is_variable_name(item),
            ListItem::Text | ListItem::Path => !item.trim().is_empty(),
            ListItem::Pixels => item.parse().is_ok_and(|width| WIDTHS.contains(&width)),
            ListItem::Word(words) => words.contains(&item.as_str()),
        };
        if !good {
            return Err(Refusal::Item(of, at + 1, (of != ListItem::Variable).then(|| item.clone())));
        }
        let is_once = matches!(of, ListItem::Name | ListItem::Pixels | ListItem::Word(_));
        if is_once && items[..at].contains(item) {
            return Err(Refusal::Repeated(item.clone()));
        }
    }
    if items.len() < min { Err(Refusal::Value) } else { Ok(Value::List(items)) }
}

/// A list in a flag or a variable: names by comma, a command line by blanks. Whoever needs quotes writes a TOML list.
fn split(of: ListItem, text: &str) -> Result<Vec<String>, Refusal> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    match of {
        ListItem::Argument if text.contains(['"', '\'', '\\']) => Err(Refusal::Value),
        ListItem::Argument => Ok(text.split_whitespace().map(str::to_owned).collect()),
        ListItem::Name
        | ListItem::Variable
        | ListItem::Text
        | ListItem::Path
        | ListItem::Pixels
        | ListItem::Word(_) => Ok(text.split(',').map(|item| item.trim().to_owned()).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loose(kind: ValueKind, text: &str) -> Result<String, Refusal> {
        kind.read(&Raw::Loose(text.to_owned()), Path::new("/base")).map(|value| value.to_string())
    }

    fn item(of: ListItem, number: usize, text: &str) -> Refusal {
        Refusal::Item(of, number, Some(text.to_owned()))
    }

    #[test]
    fn lists_are_read_from_text() {
        let command = ValueKind::List { of: ListItem::Argument, min: 1 };
        let names = ValueKind::List { of: ListItem::Name, min: 0 };
        let paths = ValueKind::List { of: ListItem::Path, min: 0 };
        for (row, kind, text, expected) in [
            ("blanks", command, "./agent.sh  --fast", Ok(r#"["./agent.sh", "--fast"]"#)),
            ("toml list", command, r#"["./my agent", ""]"#, Ok(r#"["./my agent", ""]"#)),
            ("quotes need a toml list", command, r#"sh -c "x y""#, Err(Refusal::Value)),
            ("empty command", command, "", Err(Refusal::Value)),
            ("empty program", command, r#"[""]"#, Err(item(ListItem::Argument, 1, ""))),
            ("broken toml list", command, r#"["a"#, Err(Refusal::Value)),
            ("commas", names, "slug, title_seo", Ok(r#"["slug", "title_seo"]"#)),
            ("one", names, "slug", Ok(r#"["slug"]"#)),
            ("none", names, "", Ok("[]")),
            ("bad name", names, "slug,Title", Err(item(ListItem::Name, 2, "Title"))),
            ("hole", names, "slug,,title", Err(item(ListItem::Name, 2, ""))),
            ("number in toml list", names, r#"["slug", 3]"#, Err(Refusal::Item(ListItem::Name, 2, None))),
            ("paths", paths, "a.png, ../b.png", Ok(r#"["/base/a.png", "/base/../b.png"]"#)),
            ("a path with a comma", paths, r#"["a,b.png", "/c.png"]"#, Ok(r#"["/base/a,b.png", "/c.png"]"#)),
            ("no path", paths, "a.png,", Err(item(ListItem::Path, 2, ""))),
            ("twice", names, "slug,slug", Err(Refusal::Repeated("slug".to_owned()))),
        ] {
            assert_eq!(loose(kind, text), expected.map(str::to_owned), "{row}");
        }
    }

    #[test]
    fn addresses_carry_no_credentials() {
        for (text, expected) in [
            ("http://127.0.0.1:8080/v1", Ok(())),
            ("https://api.example.com", Ok(())),
            ("localhost:8080", Err(Refusal::Value)),
            ("ftp://example.com", Err(Refusal::Value)),
            ("https://", Err(Refusal::Value)),
            ("https:///v1", Err(Refusal::Value)),
            ("https://a b", Err(Refusal::Value)),
            ("https://me:secret@example.com", Err(Refusal::Credentials)),
            ("https://example.com/v1?key=secret", Err(Refusal::Credentials)),
        ] {
            assert_eq!(loose(ValueKind::Url, text).map(drop), expected, "{text:?}");
        }
    }

    #[test]
    fn paths_start_from_their_base() {
        for (text, expected) in [(".", "/base"), ("a/./b", "/base/a/b"), ("../c", "/base/../c"), ("/abs", "/abs")] {
            assert_eq!(loose(ValueKind::Path, text).unwrap(), expected);
        }
        assert_eq!(resolve(Path::new(""), "."), Path::new("."));
    }
}
