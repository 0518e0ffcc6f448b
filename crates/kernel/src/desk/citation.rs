//! What a verifier quotes: words between marks, or a line of a file. Whether they are there is for those to say who can
//! look.

use std::collections::BTreeSet;

use super::complaint::normalise;
use crate::evidence::changed_lines;

/// So many letters of a quotation are no chance.
const ENOUGH: usize = 6;
/// So many quotations of one text are looked up.
const MOST: usize = 40;

/// The quotations in what somebody says.
pub fn quotations(said: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for mark in ['`', '"', '\''] {
        // What is outside of the marks is among them, and is hardly in a file word by word.
        found.extend(said.split(mark).skip(1).map(collapsed));
    }
    for (open, close) in [('“', '”'), ('‘', '’'), ('«', '»'), ('„', '“')] {
        let parts = said.split(open).skip(1);
        found.extend(parts.filter_map(|part| Some(collapsed(part.split_once(close)?.0))));
    }
    found.extend(said.lines().map(collapsed));
    found.extend(
        said.split_whitespace()
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
            .filter(|word| line_of_file(word).is_some()),
    );
    let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
    found.retain(|text| letters(text) >= ENOUGH);
    found.sort();
    found.dedup();
    found.truncate(MOST);
    found
}

/// Whether a text has a quotation, however its blanks are laid out.
pub fn has_quotation(text: &str, quotation: &str) -> bool {
    collapsed(text).contains(quotation)
}

/// A text some of whose lines count: those that are not in another one.
#[derive(Debug)]
pub struct MarkedText {
    /// With one blank between words.
    flat: String,
    /// The line of every byte of it.
    line_of: Vec<usize>,
    marked: BTreeSet<usize>,
}

impl MarkedText {
    /// The lines that a file has and did not have before. Blanks at the end of a line make no difference.
    pub fn added(before: Option<&str>, now: &str) -> Self {
        let trimmed = |text: &str| text.split('\n').map(str::trim_end).collect::<Vec<_>>().join("\n");
        let lines = match before {
            Some(before) => changed_lines(&trimmed(before), &trimmed(now)),
            None => (0..now.split('\n').count()).collect(),
        };
        Self::new(now, lines)
    }

    /// The lines that a command printed and did not print before. Times and addresses make no difference.
    pub fn printed(before: &str, now: &str) -> Self {
        let known: BTreeSet<String> = before.lines().map(normalise).collect();
        let lines = now.split('\n').enumerate().filter(|(_, line)| !known.contains(&normalise(line)));
        Self::new(now, lines.map(|(number, _)| number).collect())
    }

    fn new(text: &str, lines: Vec<usize>) -> Self {
        let (mut flat, mut line_of) = (String::with_capacity(text.len()), Vec::with_capacity(text.len()));
        let mut filled = BTreeSet::new();
        for (number, line) in text.split('\n').enumerate() {
            for word in line.split_whitespace() {
                if !flat.is_empty() {
                    flat.push(' ');
                }
                flat.push_str(word);
                line_of.resize(flat.len(), number);
                filled.insert(number);
            }
        }
        Self { flat, line_of, marked: lines.into_iter().filter(|line| filled.contains(line)).collect() }
    }

    /// Whether no line counts; empty lines do not.
    pub fn is_empty(&self) -> bool {
        self.marked.is_empty()
    }

    /// Whether a line counts, from one.
    pub fn has_line(&self, line: usize) -> bool {
        line.checked_sub(1).is_some_and(|line| self.marked.contains(&line))
    }

    /// Whether a quotation is there, with enough of it in lines that count.
    pub fn has(&self, quotation: &str) -> bool {
        self.flat.match_indices(quotation).any(|(start, found)| {
            let letters = found.char_indices().filter(|(_, c)| !c.is_whitespace());
            letters.filter(|(at, _)| self.marked.contains(&self.line_of[start + at])).count() >= ENOUGH
        })
    }
}

/// The file and the line in `src/calc.py:12`.
pub fn line_of_file(quotation: &str) -> Option<(&str, usize)> {
    let (path, rest) = quotation.split_once(':')?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let line = digits.parse().ok().filter(|line| *line > 0)?;
    (path.contains(['.', '/']) && !path.contains(char::is_whitespace)).then_some((path, line))
}

fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_are_found_and_looked_up() {
        let file = "def divide(a, b):\n    if b == 0:\n        raise ValueError(\"no\")\n    return a / b\n";
        for (said, expected) in [
            ("calc.py says `raise ValueError(\"no\")`", true),
            ("it has \"return a / b\" at the end", true),
            ("`if b == 0: raise ValueError`", true),
            ("looks good", false),
            ("", false),
            ("`x`", false),
            ("`def multiply(a, b)`", false),
            ("all criteria are \"met\"", false),
        ] {
            let found = quotations(said).iter().any(|quotation| has_quotation(file, quotation));
            assert_eq!(found, expected, "{said}: {:?}", quotations(said));
        }
        assert!(quotations("see src/calc.py:3.").contains(&"src/calc.py:3".to_owned()));
        assert_eq!(line_of_file("src/calc.py:3"), Some(("src/calc.py", 3)));
        assert_eq!(line_of_file("calc.py:0"), None);
        assert_eq!(line_of_file("12:30"), None);
    }

    #[test]
    fn only_lines_that_were_added_count() {
        let before = "def add(a, b):\n    return a + b\n\n\ndef divide(a, b):\n    return a // b\n";
        let now = "def add(a, b):  \n    return a + b\n\n\ndef divide(a, b):\n    if b == 0:\n        raise ValueError\n    \
                   return a / b\n";
        let added = MarkedText::added(Some(before), now);
        for (quotation, expected) in [
            ("return a / b", true),
            ("if b == 0: raise ValueError", true),
            ("def divide(a, b): if b == 0: raise", true),
            ("return a + b", false),
            ("def add(a, b):", false),
            ("return a // b", false),
            ("def divide(a, b): if", false),
        ] {
            assert_eq!(added.has(quotation), expected, "{quotation}");
        }
        let lines: Vec<usize> = (0..12).filter(|line| added.has_line(*line)).collect();
        assert_eq!(lines, [6, 7, 8]);
        assert!(MarkedText::added(None, before).has("return a + b"), "a new file is new as a whole");
        for (name, now) in
            [("the same", before.to_owned()), ("less", before[15..].to_owned()), ("blanks", format!("{before}\n \n"))]
        {
            assert!(MarkedText::added(Some(before), &now).is_empty(), "{name}");
        }
    }

    #[test]
    fn only_output_that_was_not_there_before_counts() {
        let before = "..\nRan 2 tests in 0.001s\n\nOK\n";
        assert!(MarkedText::printed(before, "..\nRan 2 tests in 0.004s\n\nOK\n").is_empty());
        let more = MarkedText::printed(before, "...\nRan 3 tests in 0.001s\n\nOK\n");
        assert!(more.has("Ran 3 tests") && !more.has("Ran 2 tests"));
    }
}
