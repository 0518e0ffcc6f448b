//! Examples in the documentation of Rust code, which `cargo test` runs: given like other tests.

use std::collections::BTreeMap;

/// A block of lines that document the same thing.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DocBlock {
    /// The lines that it takes, from and to before.
    lines: (usize, usize),
    /// What it documents: the line after it, with those that it is in, and how many of that kind came before.
    of: (String, usize),
    /// Its examples, without blanks.
    examples: String,
}

/// Where examples that were given are changed or gone: what they document.
pub(super) fn doc_changes(base: &str, head: &str) -> Vec<String> {
    let now: BTreeMap<_, _> = blocks(head).into_iter().map(|block| (block.of, block.examples)).collect();
    let given = blocks(base).into_iter().filter(|block| !block.examples.is_empty());
    given.filter(|block| now.get(&block.of) != Some(&block.examples)).map(|block| block.of.0).collect()
}

/// The head with the base's documentation wherever that has examples.
pub(super) fn with_docs_of(head: &str, base: &str) -> String {
    let base_lines: Vec<&str> = base.split_inclusive('\n').collect();
    let given: BTreeMap<_, _> = blocks(base)
        .into_iter()
        .filter(|block| !block.examples.is_empty())
        .map(|block| (block.of.clone(), block))
        .collect();
    let lines: Vec<&str> = head.split_inclusive('\n').collect();
    let (mut out, mut at) = (String::new(), 0);
    for block in blocks(head) {
        let Some(old) = given.get(&block.of).filter(|old| old.examples != block.examples) else { continue };
        out.extend(lines[at..block.lines.0].iter().copied());
        out.extend(base_lines[old.lines.0..old.lines.1].iter().copied());
        at = block.lines.1;
    }
    out.extend(lines[at..].iter().copied());
    out
}

fn blocks(text: &str) -> Vec<DocBlock> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut found = Vec::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut owner = String::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at].trim_start();
        if line.starts_with("impl") || line.starts_with("trait ") || line.starts_with("pub trait ") {
            owner = signature(line);
        }
        let sign = ["///", "//!"].into_iter().find(|sign| line.starts_with(sign));
        let Some(sign) = sign else {
            // What has no documentation is counted as well, or another of its name would be taken for it.
            at += 1;
            continue;
        };
        let from = at;
        while at < lines.len() && lines[at].trim_start().starts_with(sign) {
            at += 1;
        }
        let item = lines[at..].iter().map(|line| line.trim()).find(|line| !line.starts_with("#[") && !line.is_empty());
        let item = if sign == "//!" { "this file".to_owned() } else { signature(item.unwrap_or_default()) };
        let of = if sign == "//!" || lines[from].starts_with(sign) { item } else { format!("{owner} {item}") };
        let count = seen.entry(of.clone()).or_default();
        let examples = examples(lines[from..at].iter().map(|line| line.trim_start().trim_start_matches(sign)));
        found.push(DocBlock { lines: (from, at), of: (of, *count), examples });
        *count += 1;
    }
    found
}

/// `fn half` of `pub const fn half(a: u32) -> u32 {`
fn signature(line: &str) -> String {
    let words: Vec<&str> =
        line.split(|c: char| c.is_whitespace() || "(<{;:=".contains(c)).filter(|word| !word.is_empty()).collect();
    let kinds = ["fn", "struct", "enum", "trait", "mod", "type", "const", "static", "macro_rules!", "union"];
    match words.iter().rposition(|word| kinds.contains(word)) {
        Some(place) if place + 1 < words.len() => format!("{} {}", words[place], words[place + 1]),
        _ => words.join(" "),
    }
}

/// What stands between fences and is run.
fn examples<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    let mut out = String::new();
    let mut open: Option<bool> = None;
    for line in lines {
        let bare = line.trim();
        if let Some(kind) = bare.strip_prefix("```") {
            open = match open {
                Some(_) => None,
                None => Some(kind.split(',').all(|word| {
                    matches!(
                        word.trim(),
                        "" | "rust" | "should_panic" | "compile_fail" | "edition2018" | "edition2021" | "edition2024"
                    )
                })),
            };
            if open == Some(true) {
                out.push_str(kind);
                out.push('\n');
            }
        } else if open == Some(true) {
            out.extend(bare.split_whitespace());
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "//! Halves.\n\n/// Half of it.\n/// ```\n/// assert_eq!(calc::half(4), 2);\n/// ```\n#[must_use]\npub fn half(a: u32) -> u32 {\n    a / 2\n}\n\nimpl A {\n    /// New.\n    pub fn new() -> A {}\n}\n\nimpl B {\n    /// ```text\n    /// new\n    /// ```\n    pub fn new() -> B {}\n}\n";

    #[test]
    fn examples_are_put_back_and_words_are_not() {
        for (what, head, expected) in [
            ("the same", BASE.to_owned(), ""),
            ("other words", BASE.replace("Half of it.", "One of two halves."), ""),
            ("another example beside", BASE.replace("/// New.", "/// ```\n    /// A::new();\n    /// ```"), ""),
            ("a drawing", BASE.replace("/// new", "/// old"), ""),
            ("weakened", BASE.replace("assert_eq!(calc::half(4), 2);", "calc::half(4);"), "fn half"),
            ("not run any more", BASE.replacen("/// ```\n", "/// ```ignore\n", 1), "fn half"),
        ] {
            assert_eq!(doc_changes(BASE, &head).join(" "), expected, "{what}");
            let put_back = with_docs_of(&head.replace("a / 2", "a / 3"), BASE);
            assert!(doc_changes(BASE, &put_back).is_empty() && put_back.contains("a / 3"), "{what}: {put_back}");
        }
        let gone = BASE.replace("/// Half of it.\n/// ```\n/// assert_eq!(calc::half(4), 2);\n/// ```\n", "");
        assert_eq!(doc_changes(BASE, &gone), ["fn half"], "who has none any more is found by the name of its test");
    }
}
