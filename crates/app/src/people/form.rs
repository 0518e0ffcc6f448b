//! The form that a person fills in: a JSON schema as TOML to be completed, and the completed TOML as the JSON answer.
//!
//! Everything that can be said is there with an empty value, so that nobody has to know TOML to fill it in. What stays
//! empty was not said. Text between quotes that should be a number, or true or false, becomes one.

use serde_json::{Map, Number, Value};
use std::fmt::Write as _;

/// Everything below this line is for reading.
pub const SCISSORS: &str = "# ---------- the question: nothing below this line is read ----------";
/// How lines begin that say what was wrong with the last try.
const COMPLAINT: &str = "#! ";
const HEADER: &str = "# Write between the quotes. Leave optional fields and blocks empty to skip them.
# For several items, copy the block that starts with [[…]].
";
/// Schemas of ours are flat; what is nested deeper is not shown as fields.
const MAX_DEPTH: usize = 6;

/// Why a form could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormError {
    #[error("this is not TOML: {0}")]
    Syntax(String),
    #[error("`{0}` is not filled in")]
    Empty(String),
    #[error("`{path}` is `{given}`, but it must be one of: {allowed}")]
    Unknown { path: String, given: String, allowed: String },
    #[error("`{path}` must be {wanted}, not `{given}`")]
    Kind { path: String, given: String, wanted: &'static str },
}

/// What can stand in a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Field<'s> {
    /// One of a few words.
    Word(Vec<&'s str>),
    Text,
    Number,
    Truth,
    /// Several of the same.
    List(&'s Value),
    /// Fields of its own.
    Group(&'s Value),
    /// Texts under names that nobody knows beforehand.
    Named,
    /// Anything.
    Any,
}

/// The form for answers of this schema.
pub fn skeleton(schema: &Value) -> String {
    let mut text = HEADER.to_owned();
    group(&mut text, schema, "", false, 0);
    text
}

/// The answer in a completed form.
pub fn read(schema: &Value, text: &str) -> Result<Value, FormError> {
    let table: toml::Table = toml::from_str(cut(text)).map_err(|error| FormError::Syntax(error.to_string()))?;
    settle(schema, &plain(toml::Value::Table(table)))
}

/// The part of a text that was meant.
pub fn cut(text: &str) -> &str {
    text.split_once(SCISSORS).map_or(text, |(above, _)| above)
}

/// The same text, with what is wrong with it on top.
pub fn complain(text: &str, why: &str) -> String {
    let mut told: String = why.lines().fold(String::new(), |told, line| format!("{told}{COMPLAINT}{line}\n"));
    told.push_str(&uncomplained(text));
    told
}

/// The text without what was wrong with it before.
pub fn uncomplained(text: &str) -> String {
    text.split_inclusive('\n').skip_while(|line| line.starts_with(COMPLAINT.trim_end())).collect()
}

/// Whether this is our form, filled in or not.
pub fn is_ours(text: &str) -> bool {
    HEADER.lines().next().is_some_and(|first| text.lines().any(|line| line == first))
}

/// Whether a person has written anything.
pub fn is_filled_in(schema: Option<&Value>, text: &str) -> bool {
    let text = uncomplained(text);
    let text = cut(&text).trim();
    !text.is_empty() && schema.is_none_or(|schema| text != skeleton(schema).trim())
}

/// Values as the schema wants them: empty ones are gone, and texts that mean something else became it.
pub fn settle(schema: &Value, given: &Value) -> Result<Value, FormError> {
    Ok(settled(schema, given, "", true)?.unwrap_or_else(|| Value::Object(Map::new())))
}

/// The fields of a group, those first that must be filled in: name, schema, whether it must be.
pub fn fields(schema: &Value) -> Vec<(&str, &Value, bool)> {
    let schema = meant(schema);
    let required = |name: &str| {
        schema["required"].as_array().is_some_and(|names| names.iter().any(|required| required.as_str() == Some(name)))
    };
    let properties = schema["properties"].as_object().into_iter().flatten();
    let mut fields: Vec<(&str, &Value, bool)> =
        properties.map(|(name, schema)| (name.as_str(), schema, required(name))).collect();
    fields.sort_by_key(|(_, _, is_required)| !is_required);
    fields
}

/// What can stand where this schema holds.
pub fn field(schema: &Value) -> Field<'_> {
    let schema = meant(schema);
    let words: Vec<&str> = match (&schema["enum"], &schema["oneOf"]) {
        (Value::Array(words), _) => words.iter().filter_map(Value::as_str).collect(),
        (_, Value::Array(options)) => options.iter().flat_map(words_of).collect(),
        _ => Vec::new(),
    };
    if !words.is_empty() {
        return Field::Word(words);
    }
    let is = |name: &str| match &schema["type"] {
        Value::String(kind) => kind == name,
        Value::Array(kinds) => kinds.iter().any(|kind| kind.as_str() == Some(name)),
        _ => false,
    };
    if is("string") {
        Field::Text
    } else if is("number") || is("integer") {
        Field::Number
    } else if is("boolean") {
        Field::Truth
    } else if is("array") {
        Field::List(&schema["items"])
    } else if schema["properties"].is_object() {
        Field::Group(schema)
    } else if is("object") {
        Field::Named
    } else {
        Field::Any
    }
}

/// What a schema says of itself.
pub fn described(schema: &Value) -> Option<&str> {
    schema["description"].as_str().or_else(|| meant(schema)["description"].as_str())
}

/// What a name that was made for programs is called: `must_fix` is “Must fix”.
pub fn label(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut chars = words.chars();
    chars.next().map(|first| first.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}

/// Words to choose from, as they are said.
pub fn spoken(words: &[&str]) -> String {
    words.iter().map(|word| word.replace('_', " ")).collect::<Vec<_>>().join(", ")
}

/// Whether somebody means this word: `Changes requested` is `changes_requested`.
fn is_word(word: &str, given: &str) -> bool {
    word.eq_ignore_ascii_case(&given.split_whitespace().collect::<Vec<_>>().join("_"))
}

/// The items of a list that are there from the start, each with what is known of it.
pub fn known(schema: &Value) -> &[Value] {
    schema["default"].as_array().filter(|items| items.iter().all(Value::is_object)).map_or(&[], Vec::as_slice)
}

/// What such an item is about: what the schema says of its values.
pub fn about(items: &Value, given: &Value) -> String {
    let told = given.as_object().into_iter().flatten().map(|(name, value)| {
        let options = items["properties"][name]["oneOf"].as_array().into_iter().flatten();
        let words =
            options.filter(|option| option["const"] == *value).find_map(|option| option["description"].as_str());
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        words.map_or_else(|| value.clone(), |words| format!("{value}: {}", words.replace('\n', " ")))
    });
    told.collect::<Vec<_>>().join(", ")
}

/// The schema of what is not known of an item yet.
pub fn without(items: &Value, given: &Value) -> Value {
    let mut rest = items.clone();
    if let (Some(fields), Some(given)) = (rest["properties"].as_object_mut(), given.as_object()) {
        fields.retain(|name, _| !given.contains_key(name));
    }
    rest
}

/// Words that a part of a schema allows: those of an `enum`, or a `const` of its own.
fn words_of(option: &Value) -> Vec<&str> {
    let several = option["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    several.chain(option["const"].as_str()).collect()
}

/// The schema behind one that also allows nothing.
fn meant(schema: &Value) -> &Value {
    let options = schema["anyOf"].as_array().into_iter().flatten();
    let mut something = options.filter(|option| option["type"].as_str() != Some("null"));
    match (something.next(), something.next()) {
        (Some(one), None) => one,
        _ => schema,
    }
}

/// Writes the fields of a group: values first, because in TOML everything after a table's head belongs to it.
fn group(text: &mut String, schema: &Value, path: &str, is_item: bool, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    let (mut values, mut tables) = (Vec::new(), Vec::new());
    for entry in fields(schema) {
        let is_table = match field(entry.1) {
            Field::Group(_) | Field::Named | Field::Any => true,
            Field::List(items) => matches!(field(items), Field::Group(_)),
            Field::Word(_) | Field::Text | Field::Number | Field::Truth => false,
        };
        if is_table { tables.push(entry) } else { values.push(entry) }
    }
    for (name, schema, is_required) in values {
        text.push('\n');
        note(text, schema, is_required);
        let value = match (field(schema), default(schema).filter(|_| !is_item)) {
            (_, Some(default)) => default,
            (Field::List(_), None) => "[]".into(),
            // Where there is room for more than a line.
            (Field::Text, None) if !is_item => "'''\n'''".into(),
            _ => "\"\"".into(),
        };
        let _ = writeln!(text, "{name} = {value}");
    }
    for (name, schema, is_required) in tables {
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        text.push('\n');
        note(text, schema, is_required);
        match field(schema) {
            Field::List(items) if !known(schema).is_empty() => {
                for given in known(schema) {
                    let _ = writeln!(text, "\n# {}\n[[{path}]]", about(items, given));
                    for (name, value) in given.as_object().into_iter().flatten() {
                        let _ = writeln!(text, "{name} = {value}");
                    }
                    group(text, &without(items, given), &path, true, depth + 1);
                }
            }
            Field::List(items) => {
                let _ = writeln!(text, "[[{path}]]");
                group(text, items, &path, true, depth + 1);
            }
            Field::Group(schema) => {
                let _ = writeln!(text, "[{path}]");
                group(text, schema, &path, is_item, depth + 1);
            }
            Field::Named => {
                let _ = writeln!(text, "[{path}]\n# \"name\" = \"text\"");
            }
            _ => {
                let _ = writeln!(text, "# [{path}]");
            }
        }
    }
}

/// What is to be said about a field before it.
fn note(text: &mut String, schema: &Value, is_required: bool) {
    let told = described(schema).map(|description| format!("{} ", description.replace('\n', " ")));
    let kind = match field(schema) {
        Field::Word(words) => format!("One of: {}.", spoken(&words)),
        Field::Number => "A number.".into(),
        Field::Truth => "true or false.".into(),
        Field::List(items) if field(items) == Field::Text => "A list: [\"one\", \"another\"].".into(),
        _ => String::new(),
    };
    let optional = if is_required { "" } else { " (may stay empty)" };
    let line = format!("{}{kind}", told.unwrap_or_default());
    let line = format!("{}{optional}", line.trim());
    if !line.is_empty() {
        let _ = writeln!(text, "# {}", line.trim());
    }
}

/// What holds if nobody says anything.
fn default(schema: &Value) -> Option<String> {
    match &schema["default"] {
        Value::String(text) if !text.is_empty() => Some(Value::from(text.as_str()).to_string()),
        _ => None,
    }
}

/// TOML as JSON. A date is a text.
fn plain(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => Number::from_f64(number).map_or(Value::Null, Value::Number),
        toml::Value::Boolean(truth) => truth.into(),
        toml::Value::Datetime(date) => Value::String(date.to_string()),
        toml::Value::Array(items) => items.into_iter().map(plain).collect(),
        toml::Value::Table(table) => table.into_iter().map(|(name, value)| (name, plain(value))).collect(),
    }
}

/// The value that was meant; nothing, if nothing was said.
pub fn settled(schema: &Value, given: &Value, path: &str, is_required: bool) -> Result<Option<Value>, FormError> {
    let kind = field(schema);
    if let Value::String(text) = given
        && text.trim().is_empty()
    {
        let is_missing = is_required && !matches!(kind, Field::Any);
        return if is_missing { Err(FormError::Empty(path.to_owned())) } else { Ok(None) };
    }
    let wrong = |wanted| FormError::Kind { path: path.to_owned(), given: shown(given), wanted };
    match (kind, given) {
        (Field::Word(words), Value::String(text)) => {
            let text = text.trim();
            if let Some(word) = words.iter().find(|word| is_word(word, text)) {
                return Ok(Some((*word).into()));
            }
            let (given, allowed) = (text.to_owned(), spoken(&words));
            Err(FormError::Unknown { path: path.to_owned(), given, allowed })
        }
        (Field::Text, Value::String(text)) => Ok(Some(text.strip_suffix('\n').unwrap_or(text).into())),
        (Field::Text, Value::Number(number)) => Ok(Some(number.to_string().into())),
        (Field::Truth, Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "y" => Ok(Some(true.into())),
            "false" | "no" | "n" => Ok(Some(false.into())),
            _ => Err(wrong("true or false")),
        },
        (Field::Truth, Value::Bool(_))
        | (Field::Number, Value::Number(_))
        | (Field::Named, Value::Object(_))
        | (Field::Any, _) => Ok(Some(given.clone())),
        (Field::Number, Value::String(text)) => {
            let number = |text: &str| serde_json::from_str::<Number>(text.trim()).ok();
            match text.split_once('/') {
                // Eight of ten: whoever reads the answer knows the scale.
                Some((part, whole)) if number(part).and(number(whole)).is_some() => Ok(Some(text.trim().into())),
                _ => number(text).map(|number| Some(Value::Number(number))).ok_or_else(|| wrong("a number")),
            }
        }
        (Field::List(items), Value::Array(given)) => list(items, given, path, is_required),
        (Field::Group(schema), Value::Object(given)) => fill(schema, given, path, is_required),
        (Field::Word(_) | Field::Text, _) => Err(wrong("a text")),
        (Field::Truth, _) => Err(wrong("true or false")),
        (Field::Number, _) => Err(wrong("a number")),
        (Field::List(_), _) => Err(wrong("a list")),
        (Field::Group(_) | Field::Named, _) => Err(wrong("a table")),
    }
}

fn list(items: &Value, given: &[Value], path: &str, is_required: bool) -> Result<Option<Value>, FormError> {
    let mut said = Vec::new();
    for (number, item) in (1..).zip(given) {
        said.extend(settled(items, item, &format!("{path}[{number}]"), false)?);
    }
    Ok((is_required || !said.is_empty()).then_some(Value::Array(said)))
}

fn fill(schema: &Value, given: &Map<String, Value>, path: &str, is_required: bool) -> Result<Option<Value>, FormError> {
    if !is_required && is_nothing(&Value::Object(given.clone())) {
        return Ok(None);
    }
    let inner = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    let mut said = Map::new();
    for (name, schema, is_required) in fields(schema) {
        let value = match (given.get(name), field(schema)) {
            (Some(value), _) => settled(schema, value, &inner(name), is_required)?,
            // Nothing of a kind is a list without anything in it.
            (None, Field::List(_)) if is_required => Some(Value::Array(Vec::new())),
            (None, Field::Any) => None,
            (None, _) if is_required => return Err(FormError::Empty(inner(name))),
            (None, _) => None,
        };
        said.extend(value.map(|value| (name.to_owned(), value)));
    }
    // What the form does not know is not ours to drop.
    for (name, value) in given {
        if schema["properties"].get(name).is_none() {
            said.insert(name.clone(), value.clone());
        }
    }
    Ok(Some(Value::Object(said)))
}

/// Whether nothing was written anywhere in it.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().all(is_nothing),
        Value::Object(fields) => fields.values().all(is_nothing),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A value in an error message.
fn shown(value: &Value) -> String {
    const MOST: usize = 60;
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(MOST).collect()
}

#[cfg(test)]
#[path = "form_tests.rs"]
mod tests;
