//! Fixes of words: repeated ones said once, fillers dropped.

use super::proposal::Proposal;
use crate::{
    DesignTokens,
    copy::{
        self,
        filler::hits,
        repetition::{Double, doubles},
        words::{Language, Phrases},
    },
    document::Document,
    passage::{Passage, Role},
};

/// Words before a filler that make it mean something, or that would have to change with it.
const HOLDS: &[&str] = &[
    "not", "n't", "the", "a", "an", "how", "so", "as", "no", "nicht", "kein", "keine", "so", "wie", "ein", "eine",
    "der", "die", "das",
];

/// Whoever wrote them may have meant them.
const WORDS: &str = "it changes the words";

pub(super) fn repeated(document: &Document, _: &DesignTokens) -> Vec<Proposal> {
    let mut list = Vec::new();
    for passage in edited(document) {
        let language = passage.language.unwrap_or(Language::Other);
        for Double { word, end, at } in doubles(&passage, &document.source, language) {
            if let Some(span) = passage.span(end, at + word.len()) {
                let why = format!("`{word}` was written twice");
                list.push(Proposal::new("copy.repeated", why, span, "").doubted(Some(WORDS)));
            }
        }
    }
    list
}

pub(super) fn filler(document: &Document, _: &DesignTokens) -> Vec<Proposal> {
    let (_, language, _) = copy::spoken(document);
    let fillers = language.fillers();
    let phrases = Phrases::new(fillers.iter().map(|filler| filler.phrase));
    let mut list = Vec::new();
    for passage in edited(document).iter().filter(|passage| passage.language == Some(language)) {
        for hit in hits(&phrases, &fillers, &passage.text) {
            if passage.guards(hit.from, hit.to) {
                continue;
            }
            let Some(replacement) = hit.replacement else { continue };
            if let Some((from, to, text)) = replaced(&passage.text, hit.from, hit.to, replacement)
                && let Some(span) = passage.span(from, to)
            {
                let why = why(&passage.text[hit.from..hit.to], replacement);
                list.push(Proposal::new("copy.filler", why, span, text).doubted(Some(WORDS)));
            }
        }
    }
    list
}

fn why(said: &str, replacement: &str) -> String {
    if replacement.is_empty() {
        format!("\u{201c}{said}\u{201d} says nothing that is missed")
    } else {
        format!("\u{201c}{replacement}\u{201d} says the same as \u{201c}{said}\u{201d}")
    }
}

fn edited(document: &Document) -> Vec<Passage> {
    let (passages, ..) = copy::spoken(document);
    passages.into_iter().filter(|passage| matches!(passage.role, Role::Prose | Role::Item | Role::Heading)).collect()
}

/// The change that takes a phrase out, or `None` where the sentence around it would suffer.
fn replaced(text: &str, from: usize, to: usize, replacement: &str) -> Option<(usize, usize, String)> {
    let before = text[..from].split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let word = before.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'');
    if HOLDS.contains(&word) || before.ends_with("n't") || before.ends_with("n\u{2019}t") {
        return None;
    }
    let starts = before.is_empty() || before.ends_with(['.', '!', '?', ':']);
    let capital = text[from..].starts_with(char::is_uppercase);
    if !replacement.is_empty() {
        return Some((from, to, if capital { capitalised(replacement) } else { replacement.to_owned() }));
    }
    // A word must follow after a plain space, so that no comma or full stop is left hanging.
    let rest = &text[to..];
    let gap = rest.len() - rest.trim_start_matches([' ', '\n']).len();
    let next = rest[gap..].chars().next()?;
    if gap == 0 || !next.is_alphabetic() || before.ends_with(',') {
        return None;
    }
    if starts && capital {
        let end = to + gap + next.len_utf8();
        return Some((from, end, capitalised(&next.to_string())));
    }
    Some((from, to + gap, String::new()))
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_go_only_where_the_sentence_holds() {
        for (text, phrase, replacement, want) in [
            ("It is really good.", "really", "", Some("It is good.")),
            ("Basically we ship.", "Basically", "", Some("We ship.")),
            ("We meet in order to ship.", "in order to", "to", Some("We meet to ship.")),
            ("In order to ship, test.", "In order to", "to", Some("To ship, test.")),
            ("Not really good.", "really", "", None),
            ("It isn't really good.", "really", "", None),
            ("A very old tree.", "very", "", None),
            ("He said so, really.", "really", "", None),
            ("Is it good, really?", "really", "", None),
        ] {
            let from = text.find(phrase).unwrap();
            let got = replaced(text, from, from + phrase.len(), replacement)
                .map(|(from, to, new)| format!("{}{new}{}", &text[..from], &text[to..]));
            assert_eq!(got.as_deref(), want, "{text}");
        }
    }
}
