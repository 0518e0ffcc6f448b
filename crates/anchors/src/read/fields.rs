//! A table's entries, asked for by name; what nobody asked for is unknown.

use crate::{
    error::AnchorMistake,
    nearest::nearest,
    node::{Key, Node, Value},
};

use super::Reader;

pub(super) struct Fields<'n> {
    /// Where the table begins: what is missing is missing there.
    pub(super) at: usize,
    entries: &'n [(Key, Node)],
    /// Every name that was asked for, found or not: that is what the table can hold.
    asked: Vec<&'static str>,
    /// What the table can hold depends on a word that is itself unknown.
    unknowable: bool,
}

impl<'n> Fields<'n> {
    pub(super) fn new(at: usize, entries: &'n [(Key, Node)]) -> Self {
        Self { at, entries, asked: Vec::new(), unknowable: false }
    }

    /// Nothing more is said of the other keys: they may be right.
    pub(super) fn give_up(&mut self) {
        self.unknowable = true;
    }

    pub(super) fn take(&mut self, name: &'static str) -> Option<&'n Node> {
        if !self.asked.contains(&name) {
            self.asked.push(name);
        }
        self.entries.iter().find(|(key, _)| key.name == name).map(|(_, node)| node)
    }
}

impl Reader {
    /// Refuses what nobody asked for, and what is there twice.
    pub(super) fn finish(&mut self, fields: &Fields<'_>) {
        for (at, (key, _)) in fields.entries.iter().enumerate() {
            if !fields.unknowable && !fields.asked.contains(&key.name.as_str()) {
                let nearest = nearest(&key.name, fields.asked.iter().copied()).map(str::to_owned);
                let known = fields.asked.iter().map(|name| (*name).to_owned()).collect();
                self.refuse(key.at, AnchorMistake::UnknownKey { key: key.name.clone(), nearest, known });
            } else if fields.entries[..at].iter().any(|(before, _)| before.name == key.name) {
                self.refuse(key.at, AnchorMistake::Repeated { key: key.name.clone() });
            }
        }
    }

    pub(super) fn table<'n>(&mut self, node: &'n Node, key: &str, expected: &str) -> Option<Fields<'n>> {
        if let Value::Table(entries) = &node.value {
            return Some(Fields::new(node.at, entries));
        }
        self.invalid(node, key, expected, None);
        None
    }

    /// A text with something in it.
    pub(super) fn text(&mut self, node: &Node, key: &str) -> Option<String> {
        match node.text() {
            Some(text) if !text.trim().is_empty() => Some(text.to_owned()),
            Some(_) => {
                self.refuse(
                    node.at,
                    AnchorMistake::Invalid {
                        key: key.to_owned(),
                        found: "empty".to_owned(),
                        expected: "a text".to_owned(),
                        hint: None,
                    },
                );
                None
            }
            None => {
                self.invalid(node, key, "a text", None);
                None
            }
        }
    }

    pub(super) fn required_text(
        &mut self,
        fields: &mut Fields<'_>,
        key: &'static str,
        expected: &str,
    ) -> Option<String> {
        let Some(node) = fields.take(key) else {
            self.missing(fields, key, expected);
            return None;
        };
        self.text(node, key)
    }

    pub(super) fn optional_text(&mut self, fields: &mut Fields<'_>, key: &'static str) -> Option<String> {
        fields.take(key).and_then(|node| self.text(node, key))
    }

    pub(super) fn missing(&mut self, fields: &Fields<'_>, key: &str, expected: &str) {
        self.refuse(fields.at, AnchorMistake::Missing { key: key.to_owned(), expected: expected.to_owned() });
    }

    pub(super) fn flag(&mut self, fields: &mut Fields<'_>, key: &'static str) -> Option<bool> {
        let node = fields.take(key)?;
        if let Value::Bool(flag) = node.value {
            return Some(flag);
        }
        self.invalid(node, key, "`true` or `false`", None);
        None
    }

    pub(super) fn whole(&mut self, fields: &mut Fields<'_>, key: &'static str, least: u64, most: u64) -> Option<u64> {
        let node = fields.take(key)?;
        let number = match &node.value {
            Value::Integer(number) => number.parse::<u64>().ok().filter(|n| (least..=most).contains(n)),
            _ => None,
        };
        if number.is_none() {
            self.invalid(node, key, &format!("a whole number from {least} to {most}"), None);
        }
        number
    }

    pub(super) fn list<'n>(&mut self, fields: &mut Fields<'n>, key: &'static str, of: &str) -> Option<&'n [Node]> {
        let node = fields.take(key)?;
        if let Value::List(items) = &node.value {
            return Some(items);
        }
        let hint = node.text().map(|_| format!("put it into a list: {key} = [\"…\"]"));
        self.invalid(node, key, &format!("a list of {of}"), hint.as_deref());
        None
    }

    pub(super) fn texts(&mut self, fields: &mut Fields<'_>, key: &'static str, of: &str) -> Option<Vec<String>> {
        let items = self.list(fields, key, of)?;
        let before = self.mistakes.len();
        let texts: Vec<String> = items.iter().filter_map(|item| self.text(item, key)).collect();
        (self.mistakes.len() == before).then_some(texts)
    }
}
