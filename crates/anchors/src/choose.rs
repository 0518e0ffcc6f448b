//! The kind of anchor that fits a brief.

use crate::kind::AnchorKind;

/// A kind, and the reason to say loudly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub kind: AnchorKind,
    pub why: String,
}

const SPECIFY: [&str; 10] = [
    "rfc",
    "spec",
    "specs",
    "specification",
    "design doc",
    "design document",
    "requirements",
    "requirement",
    "adr",
    "protocol",
];
const EXPLORE: [&str; 6] = ["explore", "figure out", "what are we", "discover", "discovery", "scope out"];
const RESTYLE: [&str; 7] =
    ["rewrite", "polish", "sounds like", "sound like", "in the style of", "in the voice of", "tone of"];
const REFERENCE: [&str; 9] = [
    "reference",
    "sample",
    "samples",
    "example",
    "examples",
    "like this",
    "in the style of",
    "in the voice of",
    "these texts",
];
const OPTIMISE: [&str; 12] = [
    "optimise", "optimize", "reduce", "minimise", "minimize", "maximise", "maximize", "speed up", "faster", "shrink",
    "cut down", "lower",
];

/// Looks for words, in the order of the list in `docs/anchors.md`; the first that is there decides.
pub fn choose(brief: &str) -> Choice {
    let words = Words::of(brief);
    if let Some(word) = words.first(&SPECIFY) {
        return said(AnchorKind::Invariants, &format!("the brief says “{word}”: a specification has rules to keep"));
    }
    if let Some(word) = words.first(&EXPLORE) {
        return said(AnchorKind::Acceptance, &format!("the brief says “{word}”: questions come before rules"));
    }
    let restyle = words.first(&RESTYLE);
    if let Some(word) = restyle
        && (words.first(&REFERENCE).is_some() || has_passage(brief))
    {
        return said(AnchorKind::Exemplars, &format!("the brief says “{word}” and has a text to come close to"));
    }
    if let Some(word) = words.first(&OPTIMISE) {
        return said(AnchorKind::Goal, &format!("the brief says “{word}”: there is something to get better at"));
    }
    if let Some(limit) = words.under() {
        return said(AnchorKind::Goal, &format!("the brief says “{limit}”: there is a number to reach"));
    }
    let why = match restyle {
        Some(word) => {
            format!("the brief says “{word}” but has no text to come close to, so its questions are collected")
        }
        None => "the brief names no rules, style or number, so its questions are collected".to_owned(),
    };
    said(AnchorKind::Acceptance, &why)
}

fn said(kind: AnchorKind, why: &str) -> Choice {
    Choice { kind, why: why.to_owned() }
}

/// A fence, a quotation in lines, or a long one in quotes is a reference text.
fn has_passage(brief: &str) -> bool {
    const LONG: usize = 80;
    let quoted = brief.split(['"', '“', '”']).enumerate().any(|(at, part)| at % 2 == 1 && part.chars().count() >= LONG);
    quoted || brief.contains("```") || brief.lines().any(|line| line.starts_with('>'))
}

/// The words of a brief, in lower case with one blank between and around them.
struct Words(String);

impl Words {
    fn of(brief: &str) -> Self {
        let mut flat = String::from(" ");
        for c in brief.chars().flat_map(char::to_lowercase) {
            let c = if c.is_alphanumeric() { c } else { ' ' };
            if !(c == ' ' && flat.ends_with(' ')) {
                flat.push(c);
            }
        }
        flat.push(' ');
        Self(flat)
    }

    fn first(&self, words: &[&'static str]) -> Option<&'static str> {
        words.iter().copied().find(|word| self.0.contains(&format!(" {word} ")))
    }

    /// "under 200", "below 3", "less than 50".
    fn under(&self) -> Option<String> {
        let list: Vec<&str> = self.0.split_whitespace().collect();
        list.windows(2).find_map(|pair| match pair {
            [word @ ("under" | "below" | "than"), number] if number.starts_with(|c: char| c.is_ascii_digit()) => {
                Some(format!("{word} {number}"))
            }
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_follows_from_the_brief() {
        for (brief, kind) in [
            ("Write an RFC for the cache", AnchorKind::Invariants),
            ("a Design Doc about queues", AnchorKind::Invariants),
            ("collect the requirements", AnchorKind::Invariants),
            ("Explore how to price it", AnchorKind::Acceptance),
            ("figure out who the users are", AnchorKind::Acceptance),
            ("What are we building?", AnchorKind::Acceptance),
            ("Polish the letter so that it sounds like the examples", AnchorKind::Exemplars),
            ("rewrite this:\n> It was a dark night.", AnchorKind::Exemplars),
            ("Polish the letter", AnchorKind::Acceptance),
            ("reduce the size of the binary", AnchorKind::Goal),
            ("Optimise the query", AnchorKind::Goal),
            ("get the start under 200 ms", AnchorKind::Goal),
            ("special inspectors", AnchorKind::Acceptance),
            ("", AnchorKind::Acceptance),
        ] {
            let choice = choose(brief);
            assert_eq!(choice.kind, kind, "{brief}: {}", choice.why);
        }
        insta::assert_snapshot!(choose("Write an RFC").why, @"the brief says “rfc”: a specification has rules to keep");
    }
}
