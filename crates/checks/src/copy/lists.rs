//! The words that a project bans, prefers and protects.

use super::words::{Phrases, words};
use crate::{
    document::Document,
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, beyond, count},
    passage::Passage,
};

/// What a project says of words. Phrases are found whole and in any case; quotations and code are left alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WordLists {
    /// Words that must not appear.
    pub banned: Vec<String>,
    /// What to say instead of what: `("utilise", "use")`.
    pub preferred: Vec<(String, String)>,
    /// Names as they are written. Their words are no fillers, and another spelling is a finding.
    pub names: Vec<String>,
}

impl WordLists {
    pub fn is_empty(&self) -> bool {
        self.banned.is_empty() && self.preferred.is_empty() && self.names.is_empty()
    }

    /// Keeps the names of a passage from being judged.
    pub(crate) fn guard(&self, passages: &mut [Passage]) {
        let names = Phrases::new(self.names.iter().map(String::as_str));
        for passage in passages.iter_mut().filter(|_| !self.names.is_empty()) {
            let found: Vec<(usize, usize)> = names
                .find(&passage.text)
                .into_iter()
                .filter(|(index, from, to)| is_meant(&self.names[*index], &passage.text[*from..*to]))
                .map(|(_, from, to)| (from, to))
                .collect();
            passage.guard(found);
        }
    }
}

/// The dimension `wording`: there only when the lists say something.
pub(crate) fn measure(document: &Document, passages: &[Passage], lists: &WordLists) -> Option<Measurement> {
    if lists.is_empty() || passages.is_empty() {
        return None;
    }
    let banned = Phrases::new(lists.banned.iter().map(String::as_str));
    let preferred = Phrases::new(lists.preferred.iter().map(|(instead, _)| instead.as_str()));
    let names = Phrases::new(lists.names.iter().map(String::as_str));
    let mut gauge = Gauge::new("wording");
    for passage in passages {
        let named = names.find(&passage.text);
        let in_name = |from: usize, to: usize| {
            named.iter().any(|(index, start, end)| {
                *start < to && from < *end && is_meant(&lists.names[*index], &passage.text[*start..*end])
            })
        };
        let free = |from: usize, to: usize| !passage.guards(from, to) && !in_name(from, to);
        for (index, from, to) in banned.find(&passage.text).into_iter().filter(|(_, from, to)| free(*from, *to)) {
            gauge.findings.add("copy.banned", || MeasuredFinding {
                code: "copy.banned",
                weight: Weight::MustFix,
                text: format!("do not say \u{201c}{}\u{201d}", lists.banned[index]),
                place: passage.place(document, from),
                evidence: passage.text[from..to].to_owned(),
            });
        }
        for (index, from, to) in preferred.find(&passage.text).into_iter().filter(|(_, from, to)| free(*from, *to)) {
            let (instead, say) = &lists.preferred[index];
            gauge.findings.add("copy.preferred", || MeasuredFinding {
                code: "copy.preferred",
                weight: Weight::Should,
                text: format!("say \u{201c}{say}\u{201d} instead of \u{201c}{instead}\u{201d}"),
                place: passage.place(document, from),
                evidence: passage.text[from..to].to_owned(),
            });
        }
        for (index, from, to) in named.iter().copied() {
            let (name, said) = (&lists.names[index], &passage.text[from..to]);
            if is_misspelt(name, said) && !passage.guards(from, to) {
                gauge.findings.add("copy.name", || MeasuredFinding {
                    code: "copy.name",
                    weight: Weight::Should,
                    text: format!("write \u{201c}{name}\u{201d}"),
                    place: passage.place(document, from),
                    evidence: said.to_owned(),
                });
            }
        }
    }
    let [banned, preferred, names] =
        ["copy.banned", "copy.preferred", "copy.name"].map(|code| gauge.findings.count(code));
    gauge.says(format!(
        "{}, {} with a better one, {} written otherwise",
        count(banned, "banned word"),
        count(preferred, "word"),
        count(names, "name")
    ));
    Some(gauge.finish(beyond(banned + preferred + names, 0, 1.0)))
}

/// Whether the words are the name as it is written.
fn is_meant(name: &str, said: &str) -> bool {
    name.split_whitespace().eq(said.split_whitespace())
}

/// Whether it is the name in another spelling. A name such as *Rust*, written as any word at the start of a sentence is,
/// may be that word; in capitals from end to end it is a headline's.
fn is_misspelt(name: &str, said: &str) -> bool {
    let plain = |word: &str| {
        let mut chars = word.chars();
        chars.next().is_some_and(char::is_uppercase) && chars.all(char::is_lowercase)
    };
    let mut parts = words(name);
    let common = parts.next().is_some_and(|(_, word)| plain(word)) && parts.next().is_none();
    let shouted = said.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase) && said.chars().count() > 3;
    !is_meant(name, said) && !common && !shouted
}
