//! A documented subset of JSON Schema. A keyword that is not checked is refused, so that nobody relies on it.

mod valid;

use serde::Serialize;
use serde_json::Value as Json;

use crate::{
    error::AnchorMistake,
    nearest::nearest,
    node::{Node, Value},
    pattern,
    read::Reader,
};

pub(crate) use valid::validate;

/// Everything that is checked.
pub const KEYWORDS: [&str; 24] = [
    "type",
    "enum",
    "const",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "anyOf",
    "allOf",
    "oneOf",
    "not",
    "$ref",
    "$defs",
    "definitions",
];

/// Words for people, which check nothing.
const ANNOTATIONS: [&str; 7] = ["$schema", "$id", "$comment", "title", "description", "default", "examples"];

const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/// A schema whose keywords are all known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Schema(Json);

impl Schema {
    pub fn as_json(&self) -> &Json {
        &self.0
    }

    pub(crate) fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let mut check = Check { root: node.to_json(), reader, sound: true };
        check.schema(node);
        check.sound.then_some(Self(check.root))
    }
}

struct Check<'r> {
    root: Json,
    reader: &'r mut Reader,
    sound: bool,
}

impl Check<'_> {
    fn refuse(&mut self, at: usize, mistake: AnchorMistake) {
        self.sound = false;
        self.reader.refuse(at, mistake);
    }

    fn expect(&mut self, node: &Node, key: &str, expected: &str) {
        let (key, expected) = (key.to_owned(), expected.to_owned());
        self.refuse(node.at, AnchorMistake::Invalid { key, found: node.shown(), expected, hint: None });
    }

    fn schema(&mut self, node: &Node) {
        let entries = match &node.value {
            Value::Table(entries) => entries,
            Value::Bool(_) => return,
            _ => return self.expect(node, "schema", "a schema: a table, `true` or `false`"),
        };
        for (key, value) in entries {
            let name = key.name.as_str();
            match name {
                "type" => self.types(value),
                "enum" => self.list(name, value, |_, _| {}),
                "const" => {}
                "properties" | "$defs" | "definitions" => self.tables(name, value),
                "required" => self.list(name, value, |check, item| {
                    if item.text().is_none() {
                        check.expect(item, "required", "the name of a property");
                    }
                }),
                "additionalProperties" | "items" | "not" => self.schema(value),
                "anyOf" | "allOf" | "oneOf" => self.list(name, value, Self::schema),
                "minItems" | "maxItems" | "minLength" | "maxLength" => {
                    if !matches!(&value.value, Value::Integer(number) if number.parse::<u64>().is_ok()) {
                        self.expect(value, name, "a whole number");
                    }
                }
                "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                    if value.to_json().as_f64().is_none() {
                        self.expect(value, name, "a number");
                    }
                }
                "uniqueItems" => {
                    if !matches!(value.value, Value::Bool(_)) {
                        self.expect(value, name, "`true` or `false`");
                    }
                }
                "pattern" => self.pattern(value),
                "$ref" => self.reference(value),
                name if ANNOTATIONS.contains(&name) => {}
                name => {
                    let nearest = nearest(name, KEYWORDS).map(str::to_owned);
                    self.refuse(key.at, AnchorMistake::UnknownKeyword { keyword: name.to_owned(), nearest });
                }
            }
        }
    }

    fn types(&mut self, node: &Node) {
        let single = std::slice::from_ref(node);
        let items = if let Value::List(items) = &node.value { items.as_slice() } else { single };
        for item in items {
            if !item.text().is_some_and(|text| TYPES.contains(&text)) {
                let nearest = item.text().and_then(|text| nearest(text, TYPES)).map(str::to_owned);
                let known = TYPES.iter().map(|word| (*word).to_owned()).collect();
                self.refuse(
                    item.at,
                    AnchorMistake::UnknownWord { key: "type".to_owned(), found: item.shown(), nearest, known },
                );
            }
        }
    }

    fn list(&mut self, key: &str, node: &Node, one: impl Fn(&mut Self, &Node)) {
        match &node.value {
            Value::List(items) if !items.is_empty() => items.iter().for_each(|item| one(self, item)),
            _ => self.expect(node, key, "a list that is not empty"),
        }
    }

    fn tables(&mut self, key: &str, node: &Node) {
        match &node.value {
            Value::Table(entries) => entries.iter().for_each(|(_, schema)| self.schema(schema)),
            _ => self.expect(node, key, "a table of schemas"),
        }
    }

    fn pattern(&mut self, node: &Node) {
        match node.text().map(pattern::compile) {
            Some(Ok(_)) => {}
            Some(Err(why)) => {
                let hint = "patterns are regular expressions of the Rust crate `regex`".to_owned();
                self.refuse(node.at, AnchorMistake::BadPattern { why, hint });
            }
            None => self.expect(node, "pattern", "a regular expression"),
        }
    }

    fn reference(&mut self, node: &Node) {
        if node.text().and_then(|text| valid::resolve(&self.root, text)).is_none() {
            self.expect(node, "$ref", "`#` or the place of a schema in this one, as in `#/$defs/name`");
        }
    }
}
