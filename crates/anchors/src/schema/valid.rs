//! One JSON value against one schema, with the place of everything that does not fit.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use regex::Regex;
use serde_json::{Map, Value as Json};

use crate::{
    node::{Node, Value},
    pattern,
};

use super::Schema;

/// Schemas that refer to themselves, and choices of choices, end here.
const MAX_STEPS: usize = 2_000_000;
const MAX_DEPTH: usize = 200;
/// Faults that are reported.
const MAX_FAULTS: usize = 20;

/// What does not fit, and the bytes of the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) range: Range<usize>,
    pub(crate) what: String,
}

pub(crate) fn validate(schema: &Schema, value: &Node) -> Vec<Fault> {
    let mut validator = Validator { root: schema.as_json(), steps: 0, patterns: BTreeMap::new() };
    let mut faults = Vec::new();
    validator.check(schema.as_json(), value, "the value", 0, &mut faults);
    if validator.steps > MAX_STEPS {
        let what = "the schema takes too many steps for this value".to_owned();
        faults.push(Fault { range: value.at..value.end, what });
    }
    faults.truncate(MAX_FAULTS);
    faults
}

/// The schema that a reference leads to.
pub(super) fn resolve<'s>(root: &'s Json, reference: &str) -> Option<&'s Json> {
    let pointer = reference.strip_prefix('#')?;
    root.pointer(pointer).filter(|schema| schema.is_object() || schema.is_boolean())
}

struct Validator<'s> {
    root: &'s Json,
    steps: usize,
    patterns: BTreeMap<String, Option<Regex>>,
}

impl Validator<'_> {
    fn check(&mut self, schema: &Json, node: &Node, name: &str, depth: usize, faults: &mut Vec<Fault>) {
        self.steps += 1;
        if self.steps > MAX_STEPS || depth > MAX_DEPTH || faults.len() >= MAX_FAULTS {
            // A circle of references must not pass for a fit.
            self.steps = if depth > MAX_DEPTH { MAX_STEPS + 1 } else { self.steps };
            return;
        }
        let mut fault = |what: String| faults.push(Fault { range: node.at..node.end, what });
        let rules = match schema {
            Json::Object(rules) => rules,
            Json::Bool(false) => return fault(format!("{name} must not be there")),
            _ => return,
        };
        for what in self.own(rules, node, name) {
            fault(what);
        }
        match &node.value {
            Value::Table(_) => self.object(rules, node, name, depth, faults),
            Value::List(items) => {
                if let Some(schema) = rules.get("items") {
                    for (at, item) in items.iter().enumerate() {
                        self.check(schema, item, &format!("{name}[{at}]"), depth + 1, faults);
                    }
                }
            }
            _ => {}
        }
        self.combined(rules, node, name, depth, faults);
    }

    /// What the value itself breaks, without what is inside it.
    fn own(&mut self, rules: &Map<String, Json>, node: &Node, name: &str) -> Vec<String> {
        let mut faults = Vec::new();
        if let Some(types) = rules.get("type") {
            let allowed: Vec<&str> = match types {
                Json::Array(list) => list.iter().filter_map(Json::as_str).collect(),
                single => single.as_str().into_iter().collect(),
            };
            if !allowed.iter().any(|word| is_type(node, word)) {
                faults.push(format!("{name} is {}, expected {}", node.type_word(), allowed.join(" or ")));
                return faults;
            }
        }
        if let Some(constant) = rules.get("const")
            && !same(&node.to_json(), constant)
        {
            faults.push(format!("{name} is {}, expected `{constant}`", node.shown()));
        }
        if let Some(Json::Array(values)) = rules.get("enum") {
            let value = node.to_json();
            if !values.iter().any(|one| same(one, &value)) {
                let list: Vec<String> = values.iter().map(ToString::to_string).collect();
                faults.push(format!("{name} is {}, expected one of {}", node.shown(), list.join(", ")));
            }
        }
        let limit = |key: &str| rules.get(key).and_then(Json::as_u64).and_then(|n| usize::try_from(n).ok());
        match &node.value {
            Value::Text(text) => {
                let length = text.chars().count();
                faults.extend(size(name, length, limit("minLength"), limit("maxLength"), "characters"));
                if let Some(pattern) = rules.get("pattern").and_then(Json::as_str)
                    && !self.matches(pattern, text)
                {
                    faults.push(format!("{name} does not match `{pattern}`"));
                }
            }
            Value::List(items) => {
                faults.extend(size(name, items.len(), limit("minItems"), limit("maxItems"), "items"));
                if rules.get("uniqueItems") == Some(&Json::Bool(true)) {
                    let distinct: BTreeSet<String> = items.iter().map(|item| item.to_json().to_string()).collect();
                    if distinct.len() < items.len() {
                        faults.push(format!("{name} has the same item twice"));
                    }
                }
            }
            Value::Integer(_) | Value::Float(_) => faults.extend(bounds(rules, node, name)),
            _ => {}
        }
        faults
    }

    fn object(&mut self, rules: &Map<String, Json>, node: &Node, name: &str, depth: usize, faults: &mut Vec<Fault>) {
        let Value::Table(entries) = &node.value else { return };
        let known = rules.get("properties").and_then(Json::as_object);
        for required in rules.get("required").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str) {
            if !entries.iter().any(|(key, _)| key.name == required) {
                faults.push(Fault { range: node.at..node.end, what: format!("{name} has no `{required}`") });
            }
        }
        for (key, value) in entries {
            let inner = format!("`{}`", key.name);
            if let Some(schema) = known.and_then(|known| known.get(&key.name)) {
                self.check(schema, value, &inner, depth + 1, faults);
            } else if let Some(schema) = rules.get("additionalProperties") {
                if schema == &Json::Bool(false) {
                    let what = format!("{name} has `{}`, which the schema does not know", key.name);
                    faults.push(Fault { range: key.at..value.end, what });
                } else {
                    self.check(schema, value, &inner, depth + 1, faults);
                }
            }
        }
    }

    fn combined(&mut self, rules: &Map<String, Json>, node: &Node, name: &str, depth: usize, faults: &mut Vec<Fault>) {
        if let Some(schema) = rules.get("$ref").and_then(Json::as_str).and_then(|text| resolve(self.root, text)) {
            let schema = schema.clone();
            self.check(&schema, node, name, depth + 1, faults);
        }
        let list = |key: &str| rules.get(key).and_then(Json::as_array);
        for schema in list("allOf").into_iter().flatten() {
            self.check(schema, node, name, depth + 1, faults);
        }
        let mut whole = |what: String| faults.push(Fault { range: node.at..node.end, what });
        if let Some(schemas) = list("anyOf")
            && !schemas.iter().any(|schema| self.fits(schema, node, depth))
        {
            whole(format!("{name} fits none of the {} alternatives", schemas.len()));
        }
        if let Some(schemas) = list("oneOf") {
            let fitting = schemas.iter().filter(|schema| self.fits(schema, node, depth)).count();
            if fitting != 1 {
                whole(format!("{name} fits {fitting} of the {} alternatives, expected 1", schemas.len()));
            }
        }
        if let Some(schema) = rules.get("not")
            && self.fits(schema, node, depth)
        {
            whole(format!("{name} fits what it must not fit"));
        }
    }

    fn fits(&mut self, schema: &Json, node: &Node, depth: usize) -> bool {
        let mut faults = Vec::new();
        self.check(schema, node, "", depth + 1, &mut faults);
        faults.is_empty()
    }

    fn matches(&mut self, pattern: &str, text: &str) -> bool {
        if !self.patterns.contains_key(pattern) {
            let compiled = pattern::compile(pattern).ok().map(|compiled| compiled.regex);
            self.patterns.insert(pattern.to_owned(), compiled);
        }
        self.patterns.get(pattern).and_then(Option::as_ref).is_some_and(|regex| regex.is_match(text))
    }
}

fn is_type(node: &Node, word: &str) -> bool {
    match (&node.value, word) {
        (Value::Table(_), "object")
        | (Value::List(_), "array")
        | (Value::Text(_), "string")
        | (Value::Integer(_), "number" | "integer")
        | (Value::Float(_), "number")
        | (Value::Bool(_), "boolean")
        | (Value::Null, "null") => true,
        // 1.0 is an integer to JSON Schema.
        (Value::Float(_), "integer") => node.to_json().as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => false,
    }
}

fn same(a: &Json, b: &Json) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a.total_cmp(&b).is_eq(),
        _ => a == b,
    }
}

fn size(name: &str, found: usize, min: Option<usize>, max: Option<usize>, unit: &str) -> Option<String> {
    if let Some(min) = min.filter(|min| found < *min) {
        return Some(format!("{name} has {found} {unit}, expected at least {min}"));
    }
    max.filter(|max| found > *max).map(|max| format!("{name} has {found} {unit}, expected at most {max}"))
}

/// Whether a number keeps a limit.
type Holds = fn(f64, f64) -> bool;

fn bounds(rules: &Map<String, Json>, node: &Node, name: &str) -> Vec<String> {
    let Some(number) = node.to_json().as_f64() else { return Vec::new() };
    let limits: [(&str, Holds, &str); 4] = [
        ("minimum", |n, limit| n >= limit, "at least"),
        ("maximum", |n, limit| n <= limit, "at most"),
        ("exclusiveMinimum", |n, limit| n > limit, "more than"),
        ("exclusiveMaximum", |n, limit| n < limit, "less than"),
    ];
    let broken = limits.iter().filter_map(|(key, holds, words)| {
        let limit = rules.get(*key)?;
        let fits = limit.as_f64().is_none_or(|limit| holds(number, limit));
        (!fits).then(|| format!("{name} is {}, expected {words} {limit}", node.shown()))
    });
    broken.collect()
}
