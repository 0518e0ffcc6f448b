//! The schema as a page for people.

use std::fmt::Write as _;

use crate::schema::{KEYS, is_free};

/// A Markdown table of all keys.
pub fn markdown() -> String {
    let mut page = String::from("| key | value | default | environment | |\n|---|---|---|---|---|\n");
    for key in KEYS {
        let default = match (key.default, key.required) {
            (Some(default), _) => format!("`{default}`"),
            (None, true) => "required".to_owned(),
            (None, false) => "–".to_owned(),
        };
        let mut doc = key.doc.to_owned();
        if !key.aliases.is_empty() {
            let aliases: Vec<String> = key.aliases.iter().map(|alias| format!("`{alias}`")).collect();
            write!(doc, "; also {}", aliases.join(", ")).expect("a String takes every write");
        }
        // A name that can be any text is no part of the name of a variable.
        let has_variable = !key.path.strip_suffix(".*").is_some_and(is_free);
        let variable = if has_variable { format!("`{}`", key.variable()) } else { "–".to_owned() };
        let (path, kind) = (key.path, key.kind.describe());
        writeln!(page, "| `{path}` | {kind} | {default} | {variable} | {doc} |").expect("a String takes every write");
    }
    page
}
