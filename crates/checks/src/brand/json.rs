//! Design tokens in JSON: the W3C community group's format, Style Dictionary, Tokens Studio, and plain objects.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    kind::{Kind, kind_of},
    scan::looks_like_a_value,
    tokens::DesignTokens,
};

/// Aliases that name each other stop here.
const MAX_ALIASES: usize = 16;

/// Keys that speak of a token without being one.
const REMARKS: &[&str] = &[
    "$schema",
    "$type",
    "$description",
    "$extensions",
    "$deprecated",
    "$root",
    "attributes",
    "codeSyntax",
    "comment",
    "component",
    "deprecated",
    "deprecated_comment",
    "description",
    "documentation",
    "extensions",
    "filePath",
    "id",
    "key",
    "name",
    "original",
    "path",
    "private",
    "prop",
    "ref",
    "renamed",
    "scopes",
    "type",
    "uuid",
    "version",
    "themes",
    "$themes",
    "$metadata",
];

pub(super) fn read(tokens: &mut DesignTokens, text: &str, base: usize, line: &dyn Fn(usize) -> u32) {
    let bare = text.trim_start_matches('\u{feff}');
    let root: Value = match serde_json::from_str(bare) {
        Ok(root) => root,
        Err(error) => {
            let before: usize = bare.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
            tokens.refuse(line(base + (text.len() - bare.len()) + before), &format!("not JSON: {error}"));
            return;
        }
    };
    let mut list = Vec::new();
    let mut walk = Walk { text, at: 0, list: &mut list };
    walk.value(&root, &mut Vec::new(), None);
    let by_path: BTreeMap<&str, usize> =
        list.iter().enumerate().map(|(index, one)| (one.path.as_str(), index)).collect();
    let mut by_last: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, one) in list.iter().enumerate() {
        by_last.entry(one.path.rsplit('.').next().unwrap_or_default()).or_default().push(index);
    }
    let shelf = Shelf { list: &list, by_path, by_last };
    for one in &list {
        one.read(tokens, &shelf, &|| line(base + one.at));
    }
}

/// A token, or a value that stands for one.
#[derive(Debug)]
struct Leaf<'j> {
    path: String,
    /// The type that it, or a group above it, says.
    kind: Option<&'j str>,
    value: &'j Value,
    at: usize,
    /// Whether a key says that this is a token's value.
    marked: bool,
}

struct Walk<'j, 'l> {
    text: &'j str,
    /// Keys come in the order of the text, so each is looked for behind the one before.
    at: usize,
    list: &'l mut Vec<Leaf<'j>>,
}

impl<'j> Walk<'j, '_> {
    fn value(&mut self, value: &'j Value, path: &mut Vec<&'j str>, kind: Option<&'j str>) {
        let object = match value {
            Value::Object(object) => object,
            // A list of tokens that say their names themselves.
            Value::Array(list) if list.iter().any(Value::is_object) => {
                for one in list {
                    let name = one.get("name").and_then(Value::as_str);
                    path.extend(name);
                    self.value(one, path, kind);
                    path.truncate(path.len() - usize::from(name.is_some()));
                }
                return;
            }
            _ if path.is_empty() => return,
            _ => {
                self.push(path, kind, value, false);
                return;
            }
        };
        let kind = object.get("$type").or_else(|| object.get("type")).and_then(Value::as_str).or(kind);
        let own = object.get("$value").or_else(|| object.get("value"));
        for (key, inner) in object {
            self.find(key);
            if matches!(key.as_str(), "$value" | "value") {
                self.push(path, kind, inner, true);
            } else if !REMARKS.contains(&key.as_str()) && (own.is_none() || inner.is_object()) {
                path.push(key);
                self.value(inner, path, kind);
                path.pop();
            }
        }
    }

    fn push(&mut self, path: &[&'j str], kind: Option<&'j str>, value: &'j Value, marked: bool) {
        // Style Dictionary's own sets are steps to a token and no part of its name.
        self.list.push(Leaf { path: path.join("."), kind, value, at: self.at, marked });
    }

    fn find(&mut self, key: &str) {
        let quoted = format!("\"{key}\"");
        if let Some(found) = self.text.get(self.at..).and_then(|rest| rest.find(&quoted)) {
            self.at += found;
        }
    }
}

struct Shelf<'s> {
    list: &'s [Leaf<'s>],
    by_path: BTreeMap<&'s str, usize>,
    by_last: BTreeMap<&'s str, Vec<usize>>,
}

impl<'s> Shelf<'s> {
    /// The token of a name; sets and themes may stand before its path.
    fn find(&self, name: &str) -> Option<&'s Leaf<'s>> {
        let name = name.trim_end_matches(".value").trim_end_matches(".$value").trim();
        if let Some(index) = self.by_path.get(name) {
            return self.list.get(*index);
        }
        let same = self.by_last.get(name.rsplit('.').next().unwrap_or_default())?;
        same.iter()
            .map(|index| &self.list[*index])
            .find(|one| one.path.strip_suffix(name).is_some_and(|before| before.ends_with('.')))
    }

    /// The text with every `{alias}` replaced; `None` when one leads nowhere.
    fn resolved(&self, text: &str, depth: usize) -> Option<String> {
        let (Some(open), Some(close)) = (text.find('{'), text.find('}')) else { return Some(text.to_owned()) };
        if depth > MAX_ALIASES || close < open {
            return None;
        }
        let leaf = self.find(&text[open + 1..close])?;
        let inner = spelled(leaf.value)?;
        let inner = self.resolved(&inner, depth + 1)?;
        self.resolved(&format!("{}{inner}{}", &text[..open], &text[close + 1..]), depth + 1)
    }
}

impl Leaf<'_> {
    fn read(&self, tokens: &mut DesignTokens, shelf: &Shelf<'_>, line: &dyn Fn() -> u32) {
        let Some(text) = spelled(self.value) else {
            self.composite(tokens, shelf, line);
            return;
        };
        let shown = format!("{}: {text}", self.path);
        let typed = self.kind.map(type_words);
        // A number without a unit is a length of no known size where a unit must be said.
        let bare = self.kind == Some("dimension") && self.value.is_number() && self.value.as_f64() != Some(0.0);
        let contexts: Vec<&str> =
            typed.into_iter().filter(|words| !words.is_empty()).chain([self.path.as_str()]).collect();
        match shelf.resolved(&text, 0) {
            Some(value) if !bare => {
                let understood = tokens.take(&contexts, &self.path, &value);
                if !understood && looks_like_a_value(&value) {
                    tokens.refuse(line(), &shown);
                }
            }
            _ if kind_of(&contexts) == Some(Kind::Elsewhere) => {}
            _ if bare || self.marked || text.starts_with('{') => tokens.refuse(line(), &shown),
            _ => {}
        }
    }

    /// A value of several parts: a typography has a font in it, a shadow or a border a colour.
    fn composite(&self, tokens: &mut DesignTokens, shelf: &Shelf<'_>, line: &dyn Fn() -> u32) {
        let parts: Vec<&Value> = match self.value {
            Value::Array(list) => list.iter().collect(),
            other => vec![other],
        };
        for (key, value) in parts.iter().filter_map(|part| part.as_object()).flatten() {
            let wanted = matches!(key.as_str(), "fontFamily" | "font-family" | "color");
            if let Some(text) = wanted.then(|| spelled(value)).flatten() {
                let path = format!("{}.{key}", self.path);
                match shelf.resolved(&text, 0) {
                    Some(text) => tokens.note(&[key], &path, &text, &format!("{path}: {text}"), line),
                    None => tokens.refuse(line(), &format!("{path}: {text}")),
                }
            }
        }
    }
}

/// A value as CSS would write it; `None` for what has several parts.
fn spelled(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(list) if list.iter().all(Value::is_string) => {
            Some(list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "))
        }
        Value::Object(object) => {
            let number = object.get("value").and_then(Value::as_f64);
            let unit = object.get("unit").and_then(Value::as_str);
            number.zip(unit).map(|(number, unit)| format!("{number}{unit}"))
        }
        _ => None,
    }
    .or_else(|| color(value))
}

/// A colour by its space and components.
fn color(value: &Value) -> Option<String> {
    let object = value.as_object()?;
    if let Some([red, green, blue]) = channels(object) {
        let alpha = object.get("a").and_then(Value::as_f64).unwrap_or(1.0);
        return Some(format!("color(srgb {red} {green} {blue} / {alpha})"));
    }
    let space = object.get("colorSpace")?.as_str()?;
    let parts: Vec<String> = object
        .get("components")?
        .as_array()?
        .iter()
        .map(|part| part.as_f64().map_or_else(|| "none".to_owned(), |number| number.to_string()))
        .collect();
    let alpha = object.get("alpha").and_then(Value::as_f64).map_or_else(String::new, |alpha| format!(" / {alpha}"));
    let parts = match space {
        "hsl" | "hwb" => match &parts[..] {
            [hue, a, b] => format!("{hue} {a}% {b}%"),
            _ => return None,
        },
        _ => parts.join(" "),
    };
    Some(match space {
        "hsl" | "hwb" | "lab" | "lch" | "oklab" | "oklch" => format!("{space}({parts}{alpha})"),
        _ => format!("color({space} {parts}{alpha})"),
    })
}

/// Channels from 0 to 1, as design programs export them.
fn channels(object: &serde_json::Map<String, Value>) -> Option<[f64; 3]> {
    let channel = |name: &str| object.get(name).and_then(Value::as_f64).filter(|part| (0.0..=1.0).contains(part));
    Some([channel("r")?, channel("g")?, channel("b")?])
}

/// The words that say what a type is for. A dimension may be anything: its path says it.
fn type_words(kind: &str) -> &'static str {
    match kind {
        "fontFamily" | "fontFamilies" | "font-family" => "font family",
        "borderRadius" | "border-radius" => "radius",
        "spacing" | "space" => "spacing",
        "fontWeight" | "fontWeights" | "fontSizes" | "fontSize" | "duration" | "cubicBezier" | "shadow"
        | "boxShadow" | "lineHeights" | "letterSpacing" | "opacity" | "number" | "gradient" | "transition"
        | "strokeStyle" | "borderWidth" | "border" | "typography" | "zIndex" => "shadow",
        _ => "",
    }
}
