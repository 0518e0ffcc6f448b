//! A TOML file as a layer: every entry is looked up, every mistake has its line and column.

use std::{ops::Range, path::Path};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{
    error::ConfigMistake,
    layer::Layer,
    nearest::{Wanted, children},
    origin::{Origin, Spot},
    schema::{Found, dotted, find, is_free},
    value::Raw,
};

/// After that many errors of syntax the rest follows from the first ones.
const SYNTAX_ERRORS_MAX: usize = 10;

/// Tables that can be written as a list: `[[waive]]`.
const LISTS: [&str; 2] = ["waive", "checks.ignore"];

/// A file's text, and how its places are spoken of.
#[derive(Debug)]
pub(crate) struct File<'f> {
    pub(crate) text: &'f str,
    /// The path as people read it.
    pub(crate) shown: &'f Path,
    /// The folder that relative paths in it start from.
    pub(crate) base: &'f Path,
    /// [`Origin::Project`] or [`Origin::User`].
    pub(crate) origin: fn(Spot) -> Origin,
}

impl File<'_> {
    pub(crate) fn read(&self) -> Layer {
        let mut layer = Layer::default();
        let (root, errors) = DeTable::parse_recoverable(self.text);
        for error in errors.iter().take(SYNTAX_ERRORS_MAX) {
            let at = error.span().unwrap_or(self.text.len()..self.text.len());
            layer.refuse(&self.origin_of(&at), ConfigMistake::Syntax { message: error.message().to_owned() });
        }
        // What the parser recovered is good for finding more errors of syntax, not for meaning.
        if errors.is_empty() {
            self.walk(&mut layer, &mut Vec::new(), root.get_ref());
        } else {
            layer.broken = true;
        }
        layer
    }

    fn walk<'t>(&self, layer: &mut Layer, path: &mut Vec<&'t str>, table: &'t DeTable<'_>) {
        for (key, value) in table {
            path.push(key.get_ref());
            self.entry(layer, path, key.span(), value);
            path.pop();
        }
    }

    fn entry<'t>(
        &self,
        layer: &mut Layer,
        path: &mut Vec<&'t str>,
        key: Range<usize>,
        value: &'t Spanned<DeValue<'_>>,
    ) {
        let origin = self.origin_of(&key);
        match (find(path), value.get_ref()) {
            (Found::Table { named }, DeValue::Table(inner)) => {
                let introduced = match path.split_last() {
                    Some((name, table)) if named => layer.introduce_name(&table.join("."), name, &origin),
                    _ => true,
                };
                if introduced {
                    self.walk(layer, path, inner);
                }
            }
            (Found::Table { named: false }, DeValue::Array(items)) if LISTS.contains(&path.join(".").as_str()) => {
                self.list(layer, path, items);
            }
            (Found::Table { .. }, other) => {
                let found = Raw::from_toml(other).type_word().to_owned();
                layer.refuse(&origin, ConfigMistake::NotATable { key: dotted(path), found, known: children(path) });
            }
            (Found::Unknown, DeValue::Table(_)) => layer.refuse_unknown(path, Wanted::Table, &origin),
            (Found::Unknown, _) => layer.refuse_unknown(path, Wanted::Key, &origin),
            // `contrast.text = "off"` without quotation marks is a table in a table.
            (Found::Key(..), DeValue::Table(inner)) if is_free(&path[..path.len() - 1].join(".")) => {
                self.free(layer, path, inner);
            }
            (Found::Key(..), other) => {
                let written = self.text.get(value.span()).unwrap_or_default();
                layer.offer(path, &Raw::from_toml(other), written, &origin, self.base);
            }
        }
    }

    /// `[[waive]]`: tables that nobody gave a name are numbered.
    fn list(&self, layer: &mut Layer, path: &[&str], items: &[Spanned<DeValue<'_>>]) {
        for (number, item) in (1..).zip(items) {
            let (number, origin) = (format!("{number}"), self.origin_of(&item.span()));
            let mut path: Vec<&str> = path.iter().copied().chain([number.as_str()]).collect();
            match item.get_ref() {
                DeValue::Table(table) => {
                    layer.introduce_name(&path[..path.len() - 1].join("."), &number, &origin);
                    self.walk(layer, &mut path, table);
                }
                other => {
                    let found = Raw::from_toml(other).type_word().to_owned();
                    let known = children(&path);
                    layer.refuse(&origin, ConfigMistake::NotATable { key: dotted(&path), found, known });
                }
            }
        }
    }

    /// A name with dots in it that nobody put into quotation marks.
    fn free(&self, layer: &mut Layer, path: &[&str], inner: &DeTable<'_>) {
        let Some((name, table)) = path.split_last() else { return };
        for (key, value) in inner {
            let name = format!("{name}.{}", key.get_ref());
            let path: Vec<&str> = table.iter().copied().chain([name.as_str()]).collect();
            if let DeValue::Table(inner) = value.get_ref() {
                self.free(layer, &path, inner);
            } else {
                let written = self.text.get(value.span()).unwrap_or_default();
                layer.offer(&path, &Raw::from_toml(value.get_ref()), written, &self.origin_of(&key.span()), self.base);
            }
        }
    }

    fn origin_of(&self, at: &Range<usize>) -> Origin {
        let before = self.text.get(..at.start).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (self.origin)(Spot {
            file: self.shown.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        })
    }
}
