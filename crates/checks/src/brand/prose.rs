//! A design file in Markdown: front matter, tables, lists, lines of `name: value`, and fences.

use super::{
    json,
    kind::{Kind, kind_of},
    scan::{lengths, looks_like_a_value},
    tokens::{DesignTokens, is_forbidding},
};
use crate::{
    markdown::{Markdown, Table},
    place::Lines,
};

pub(super) fn read(tokens: &mut DesignTokens, text: &str) {
    let markdown = Markdown::read(text);
    let lines = Lines::new(text);
    let line = |at: usize| lines.place(text, at).line;
    outline(tokens, &markdown.metadata, line(markdown.metadata_at));
    for (language, code, span) in &markdown.fences {
        match language.to_ascii_lowercase().as_str() {
            "css" | "scss" | "sass" | "less" | "" | "html" => tokens.take_css(code, span.start, &line),
            "json" | "jsonc" | "json5" => json::read(tokens, code, span.start, &line),
            "yaml" | "yml" | "toml" => outline(tokens, code, line(span.start)),
            _ => {}
        }
    }
    for table in &markdown.tables {
        rows(tokens, table, &line);
    }
    for note in &markdown.notes {
        let first = line(note.at);
        for (step, one) in (0..).zip(note.text.split('\n')) {
            entry(tokens, &note.section, one, first + step);
        }
    }
}

/// Lines of `name: value` under names that are further out: front matter, YAML, TOML.
fn outline(tokens: &mut DesignTokens, text: &str, first: u32) {
    let mut above: Vec<(usize, String)> = Vec::new();
    for (number, line) in (first..).zip(text.lines()) {
        let depth = line.len() - line.trim_start().len();
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with('#') {
            continue;
        }
        if let Some(section) = bare.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            above = vec![(0, section.to_owned())];
            continue;
        }
        let item = bare.strip_prefix("- ");
        let in_toml = above.len() == 1 && bare.contains('=');
        while !in_toml && above.last().is_some_and(|(other, _)| *other >= depth && !(item.is_some() && *other == depth))
        {
            above.pop();
        }
        let path: Vec<&str> = above.iter().rev().map(|(_, name)| name.as_str()).collect();
        let pair = item.unwrap_or(bare).split_once(':').or_else(|| item.unwrap_or(bare).split_once('='));
        let (name, value) = match pair {
            Some((name, value)) if item.is_none() || !name.contains('(') => (name.trim(), unquoted(value)),
            _ => match item {
                Some(value) => (path.first().copied().unwrap_or_default(), unquoted(value)),
                None => continue,
            },
        };
        if value.is_empty() {
            above.push((depth, name.trim_matches(['"', '\'']).to_owned()));
            continue;
        }
        let mut contexts = vec![name];
        contexts.extend(&path);
        take(tokens, &contexts, name.trim_matches(['"', '\'']), value, bare, number);
    }
}

/// Columns that speak of the value without having one.
const REMARKS: &[&str] = &[
    "use",
    "usage",
    "used",
    "description",
    "notes",
    "note",
    "purpose",
    "when",
    "example",
    "contrast",
    "verwendung",
    "beschreibung",
    "where",
    "for",
    "rule",
    "rules",
    "role",
    "comment",
    "meaning",
    "on",
];
const NAMES: &[&str] = &["name", "token", "variable", "swatch", "key", "style", "element", "level", "step", "property"];

fn rows(tokens: &mut DesignTokens, table: &Table, line: &dyn Fn(usize) -> u32) {
    let head: Vec<String> = table.rows.first().cloned().unwrap_or_default();
    let is_one_of = |column: usize, list: &[&str]| {
        head.get(column).is_some_and(|title| {
            title.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| list.contains(&word))
        })
    };
    for (row, at) in table.rows.iter().zip(&table.at).skip(1) {
        let named = (0..row.len()).find(|column| is_one_of(*column, NAMES));
        // The first cell is the name, unless it is the value.
        let named = named.or_else(|| (0..row.len()).find(|column| !looks_like_a_value(&row[*column])));
        let name = named.map_or("", |column| row[column].as_str());
        let mut understood = false;
        let mut looks = false;
        for (column, cell) in row.iter().enumerate() {
            let remark = is_one_of(column, REMARKS);
            if (Some(column) == named && row.len() > 1) || (remark && !is_only_value(cell)) {
                continue;
            }
            let title = head.get(column).map_or("", String::as_str);
            let contexts = [title, name, &table.section];
            if is_forbidding(title) || is_forbidding(name) || is_forbidding(&table.section) {
                tokens.forbid(cell);
                understood = true;
                continue;
            }
            looks |= looks_like_a_value(cell);
            if is_no_font(&contexts, cell) {
                continue;
            }
            understood |= tokens.take(&contexts, name, unquoted(cell));
        }
        if looks && !understood {
            tokens.refuse(line(*at), &row.join(" | "));
        }
    }
}

/// A cell with nothing but one value, whatever its column is called.
fn is_only_value(cell: &str) -> bool {
    looks_like_a_value(cell) && cell.split_whitespace().count() == 1
}

/// A list item or a line of a paragraph.
fn entry(tokens: &mut DesignTokens, section: &str, text: &str, line: u32) {
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    let Some((name, value)) = pair(text) else {
        // No name apart: what stands before the value is one.
        let start = text.find('#').or_else(|| text.find(|c: char| c.is_ascii_digit())).unwrap_or(text.len());
        let name = text.get(..start).unwrap_or_default().trim_matches(|c: char| !c.is_alphanumeric());
        if is_forbidding(section) || (is_forbidding(name) && looks_like_a_value(text)) {
            tokens.forbid(text);
        } else if looks_like_a_value(text) || is_scale(section, text) {
            let name = if name.is_empty() { section } else { name };
            take(tokens, &[name, section], name, text, text, line);
        }
        return;
    };
    if is_forbidding(section) {
        tokens.forbid(text);
    } else if is_forbidding(name) {
        tokens.forbid(value);
    } else {
        take(tokens, &[name, section], name, value, text, line);
    }
}

/// A row of plain numbers under a heading that says what they are.
fn is_scale(section: &str, text: &str) -> bool {
    let plain =
        text.chars().all(|c| c.is_ascii_digit() || c.is_whitespace() || matches!(c, ',' | '/' | '.' | '\u{b7}' | '|'));
    plain && !section.is_empty() && lengths(text).is_some()
}

fn take(tokens: &mut DesignTokens, contexts: &[&str], name: &str, value: &str, shown: &str, line: u32) {
    if contexts.iter().any(|context| is_forbidding(context)) {
        tokens.forbid(value);
    } else if !is_no_font(contexts, value) {
        tokens.note(contexts, name, value, shown, || line);
    }
}

/// `Name: value`, `Name — value`, `name = value`, `Name → value`. A name is short.
fn pair(text: &str) -> Option<(&str, &str)> {
    const BETWEEN: &[&str] = &[":", " \u{2014} ", " \u{2013} ", " - ", " = ", "\u{2192}", " -> ", "=>"];
    let (at, mark) = BETWEEN.iter().filter_map(|mark| Some((text.find(mark)?, *mark))).min_by_key(|(at, _)| *at)?;
    let (name, value) = (text[..at].trim(), unquoted(&text[at + mark.len()..]));
    let name = name.trim_matches(['*', '`', '"', '_']);
    let short = name.split_whitespace().count() <= 6;
    (short && !name.is_empty() && !value.is_empty() && !looks_like_a_value(name)).then_some((name, value))
}

/// Without the quotes around the whole; those of one font in a list stay.
fn unquoted(value: &str) -> &str {
    let value = value.trim().trim_end_matches(',').trim();
    let value = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(value);
    for quote in ['`', '"', '\''] {
        if let Some(inside) = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote))
            && !inside.contains(quote)
        {
            return inside.trim();
        }
    }
    value
}

/// Whether words where a font is expected are no names: those have capitals or quotes, or are CSS's own.
fn is_no_font(contexts: &[&str], value: &str) -> bool {
    let named = |part: &str| {
        let part = part.trim();
        part.starts_with(|c: char| c.is_uppercase() || matches!(c, '"' | '\'' | '`' | '-' | '\u{201c}'))
            || ["serif", "sans-serif", "monospace", "system-ui", "ui-", "cursive"]
                .iter()
                .any(|own| part.starts_with(own))
    };
    kind_of(contexts) == Some(Kind::Font) && !looks_like_a_value(value) && !value.split([',', '/', '[']).any(named)
}
