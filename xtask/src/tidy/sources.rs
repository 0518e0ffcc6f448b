//! What may not be in a source file, and how long it may be.

use anyhow::Result;

use super::Fault;
use crate::repo::Repo;

/// Past this a file holds more than one noun.
const MAX_LINES: usize = 600;

/// Put together here, so that this file does not break its own rule.
const FORBIDDEN: &[(&str, &str)] = &[
    (concat!("to", "do!"), "unfinished"),
    (concat!("unimple", "mented!"), "unfinished"),
    (concat!("db", "g!"), "left over from debugging"),
    (concat!("#[ig", "nore"), "a test that is switched off proves nothing"),
];

pub(super) fn rule(repo: &Repo) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    for file in repo.files(&[".rs"])? {
        let text = repo.read(&file)?;
        let lines = text.lines().count();
        if lines > MAX_LINES {
            faults.push(Fault::file(&file, format!("{lines} lines, more than {MAX_LINES}: look for the second noun")));
        }
        for (number, line) in (1..).zip(text.lines()) {
            let code = line.split("//").next().unwrap_or_default();
            for (word, why) in FORBIDDEN.iter().filter(|(word, _)| has(code, word)) {
                faults.push(Fault::line(&file, number, format!("`{word}`: {why}")));
            }
        }
    }
    Ok(faults)
}

/// Whether `word` stands in `code`, and not only as the end of a longer word.
fn has(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && c != '_')
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::faults;
    use super::*;

    #[test]
    fn what_is_forbidden_is_named_with_its_line() {
        let [unfinished, _, debugging, ignored] = FORBIDDEN else { panic!("four words") };
        let text = format!(
            "fn a() {{\n    {}();\n    // {}() in a comment\n    my_{}(x)\n}}\n{}]\nfn b() {{}}\n",
            unfinished.0, debugging.0, debugging.0, ignored.0
        );
        assert_eq!(
            faults(rule, &[("src/a.rs", &text)]),
            [
                format!("src/a.rs:2: `{}`: unfinished", unfinished.0),
                format!("src/a.rs:6: `{}`: a test that is switched off proves nothing", ignored.0),
            ]
        );
    }

    #[test]
    fn a_long_file_is_named() {
        let (just, more) = ("//\n".repeat(MAX_LINES), "//\n".repeat(MAX_LINES + 1));
        assert_eq!(
            faults(rule, &[("just.rs", &just), ("more.rs", &more), ("target/built.rs", &more)]),
            ["more.rs: 601 lines, more than 600: look for the second noun"]
        );
    }
}
