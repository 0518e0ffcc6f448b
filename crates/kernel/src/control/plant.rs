//! A draft with faults that are known, because we put them there.

use tribunal_anchors::RequirementLevel;

use super::PlantedFault;
use crate::ballot::{Ballot, is_patch, patched_files};
use crate::{Digest, Format};

/// What is planted into a draft, drawn from the seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plant {
    /// What is put to the vote; with nothing on it the draft as a whole has to be found unfit.
    pub(crate) ballot: Ballot,
    pub(crate) format: Format,
    pub(crate) seed: Digest,
}

/// A draft with its faults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlantedDraft {
    pub(crate) text: String,
    pub(crate) faults: Vec<PlantedFault>,
}

/// Texts that are about nothing that anybody asked for, and bad at that: unfinished, careless, rude, cut off. Whatever a
/// rule demands of content, tone, form or language, they do not meet it.
const UNFIT: [&str; 4] = [
    "hey you!! the ferry thing got moved again, whatever. It leave at six or maybe seven, nobody know and nobody care \
     lol.\n\nTODO: finish this\n\nanyway the goats is back on the roof and the",
    "ok so listen up. my uncle clock is broke since may and he wont fix it, typical. [insert photo here]\n\nsell the \
     boat?? dont ask me. It cost to much and it smell of fish and also",
    "umm the melons. They was not ripe, get over it.\n\nXXX fill in later\n\nthe ski lift runned backwards and the man at \
     the desk he just",
    "SNOW AGAIN. nobody told the choir so they sing in the empty pool, it sound awful, i left.\n\nTBD\n\nthen two \
     brother share one coat which is dumb because",
];

/// Lines that do nothing that anybody asked for, whatever file they stand in.
const UNFIT_LINES: [&str; 6] = [
    "# hey you!! the ferry thing got moved again, whatever",
    "# my uncle clock is broke since may and he wont fix it, typical",
    "# TODO: sell the boat?? dont ask me",
    "# the melons was not ripe, get over it",
    "# SNOW AGAIN. nobody told the choir so they sing in the empty pool",
    "# XXX two brother share one coat which is dumb because",
];
/// So many files of a change are still there when its lines are not.
const MOST_FILES: usize = 5;

/// A text is cut off, or parts of it are repeated, only where anybody who reads it would see that.
const LONG: usize = 400;

impl Plant {
    /// The draft that a judge is shown in the place of this one.
    pub(crate) fn planted(&self, draft: &str) -> PlantedDraft {
        if !self.ballot.is_empty() {
            return self.against_the_rules(draft);
        }
        let whole = |what: &str, text| PlantedDraft { text, faults: vec![PlantedFault::of_the_draft(what)] };
        let is_prose = self.format != Format::Html;
        match self.seed.0[8] % 3 {
            1 if is_prose && let Some(text) = cut_off(draft) => whole("it ends in the middle of a sentence", text),
            2 if is_prose && let Some(text) = repeated(draft) => whole("every second paragraph is there twice", text),
            _ => whole("it is an unfinished text about something else", self.unfit(&[])),
        }
    }

    /// A text that meets no demand, and does what is forbidden.
    fn against_the_rules(&self, draft: &str) -> PlantedDraft {
        let items = self.ballot.items();
        let forbidden = items.iter().filter(|item| item.level == RequirementLevel::MustNot);
        let forbidden: Vec<String> =
            forbidden.map(|item| format!("On purpose, this very sentence does it: {}.", item.words)).collect();
        let faults = items.iter().map(|item| PlantedFault { what: item.words.clone(), item: Some(item.name.clone()) });
        let text = if is_patch(draft) { self.unfit_patch(draft, &forbidden) } else { self.unfit(&forbidden) };
        PlantedDraft { text, faults: faults.collect() }
    }

    /// A change of the same files that does nothing.
    fn unfit_patch(&self, draft: &str, also: &[String]) -> String {
        let lines = UNFIT_LINES.iter().cycle().skip(usize::from(self.seed.0[9]) % UNFIT_LINES.len());
        let changed = patched_files(draft).take(MOST_FILES).zip(lines).map(|(path, line)| {
            format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1,0 +1,1 @@\n+{line}\n")
        });
        let patch: String = changed.collect();
        let also: Vec<String> = also.iter().map(|sentence| format!("+{sentence}\n")).collect();
        patch + &also.concat()
    }

    fn unfit(&self, also: &[String]) -> String {
        let text = UNFIT[usize::from(self.seed.0[9]) % UNFIT.len()];
        match self.format {
            Format::Html => page(text, also),
            Format::Markdown | Format::Plain => {
                let (first, rest) = text.split_once("\n\n").unwrap_or((text, ""));
                let parts: Vec<&str> =
                    [first].into_iter().chain(also.iter().map(String::as_str)).chain([rest]).collect();
                format!("{}\n", parts.join("\n\n"))
            }
        }
    }
}

/// A page whose words are unfit, and whose looks and structure are, too: text that cannot be read, a picture without
/// words, a heading that skips levels, a placeholder, a label that is cut off.
fn page(text: &str, also: &[String]) -> String {
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    let paragraphs = text.split("\n\n").chain(also.iter().map(String::as_str));
    let paragraphs: Vec<String> = paragraphs.map(|text| format!("<p>{}</p>", escape(text))).collect();
    format!(
        "<!DOCTYPE html>\n<html>\n<head><title>Untitled</title></head>\n<body style=\"background: #ffffff; color: \
         #eeeeee\">\n<h1>hello??</h1>\n<h4>Lorem ipsum</h4>\n<img src=\"photo.jpg\">\n{}\n<button style=\"background: \
         #ffffff; color: #f4f4f4\">Learn mo</button>\n</body>\n</html>\n",
        paragraphs.join("\n")
    )
}

/// The first half of a text, to the middle of a word in the middle of a sentence.
fn cut_off(draft: &str) -> Option<String> {
    if draft.len() < LONG {
        return None;
    }
    let middle = (draft.len() / 2..draft.len()).find(|at| draft.is_char_boundary(*at))?;
    let is_word = |at: usize| {
        let near = draft.get(at.checked_sub(3)?..at + 3)?;
        near.chars().all(|c| c.is_ascii_lowercase()).then_some(at)
    };
    let at = (middle..draft.len().saturating_sub(3)).find_map(is_word)?;
    Some(draft[..at].to_owned())
}

/// The text with every second paragraph twice.
fn repeated(draft: &str) -> Option<String> {
    let paragraphs: Vec<&str> = draft.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()).collect();
    if draft.len() < LONG || paragraphs.len() < 4 {
        return None;
    }
    let twice = |(index, paragraph): (usize, &&str)| {
        if index % 2 == 1 { format!("{paragraph}\n\n{paragraph}") } else { (*paragraph).to_owned() }
    };
    Some(paragraphs.iter().enumerate().map(twice).collect::<Vec<_>>().join("\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_anchors::{Rule, Test};

    fn plant(rules: &[(RequirementLevel, &str)], format: Format, seed: u8) -> Plant {
        let rules: Vec<(RequirementLevel, Rule)> = rules
            .iter()
            .map(|(level, words)| (*level, Rule { test: Test::Semantic, id: None, rule: (*words).to_owned() }))
            .collect();
        let ballot = Ballot::of(rules.iter().map(|(level, rule)| (*level, rule)));
        Plant { ballot, format, seed: Digest([seed; 32]) }
    }

    #[test]
    fn with_rules_every_one_of_them_is_broken() {
        let rules = [(RequirementLevel::Must, "says when we move"), (RequirementLevel::MustNot, "mentions the price")];
        for format in Format::ALL {
            for seed in 0..8 {
                let planted = plant(&rules, format, seed).planted("We move in June.");
                assert!(!planted.text.contains("June"), "{}", planted.text);
                assert!(planted.text.contains("does it: mentions the price."), "{}", planted.text);
                let items: Vec<&str> = planted.faults.iter().filter_map(|fault| fault.item.as_deref()).collect();
                assert_eq!(items, ["says when we move", "mentions the price"]);
            }
        }
    }

    #[test]
    fn a_change_is_replaced_by_a_change() {
        for seed in 0..8 {
            let rules = [(RequirementLevel::Must, "divides"), (RequirementLevel::MustNot, "logs secrets")];
            let planted =
                plant(&rules, Format::Plain, seed).planted("diff --git a/calc.py b/calc.py\n+def divide(): ...\n");
            assert!(is_patch(&planted.text) && !planted.text.contains("divide"), "{}", planted.text);
            assert!(planted.text.contains("+++ b/calc.py"), "it is of the same files: {}", planted.text);
            assert!(
                planted.text.contains("\n+On purpose, this very sentence does it: logs secrets.\n"),
                "{}",
                planted.text
            );
            assert_eq!(planted.faults.len(), 2);
        }
    }

    #[test]
    fn without_rules_the_draft_is_unfit_as_a_whole() {
        let long: String = (1..=6).fold(String::new(), |text, number| {
            format!("{text}Paragraph {number} says what there is to say, in a sentence that is long enough for it.\n\n")
        });
        let mut kinds = std::collections::BTreeSet::new();
        for seed in 0..12 {
            let planted = plant(&[], Format::Markdown, seed).planted(&long);
            assert_ne!(planted.text, long);
            assert_eq!(planted.faults.len(), 1);
            kinds.insert(planted.faults[0].what.clone());
            let short = plant(&[], Format::Markdown, seed).planted("Too short to be cut.");
            assert!(UNFIT.iter().any(|text| short.text.starts_with(&text[..12])), "{}", short.text);
        }
        assert_eq!(kinds.len(), 3, "{kinds:?}");
        let cut = cut_off(&long).unwrap();
        assert!(long.starts_with(&cut) && cut.ends_with(|c: char| c.is_ascii_lowercase()), "{cut}");
    }
}
