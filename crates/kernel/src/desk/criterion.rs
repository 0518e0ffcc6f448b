//! A criterion of a story, and what proves it besides the verifier's word.
//!
//! A check that is green with the work and without it shows that something still holds. Of something new it is never the
//! only evidence: then, and where no check is mapped at all, the verifier has to quote what it saw.

use super::named_things::{asks_for_old, names_in};
use super::receipt::Receipts;
use super::story::{Story, StoryId};
use super::survey::Plan;
use crate::evidence::{RunSeen, TreeRole};

/// One criterion of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Criterion<'p> {
    pub story: &'p StoryId,
    /// From one.
    pub number: usize,
    pub text: &'p str,
}

/// What was seen of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CriterionProof {
    /// Nobody ran anything for it.
    None,
    /// Its checks are green, with the work and without it.
    StillGreen,
    /// Its checks are green, and that is all that it asks for.
    Holds,
    /// Its checks were seen red without the work, and are green with it.
    Shown,
}

/// So many letters of a criterion's words say which one is meant.
const ENOUGH_LETTERS: usize = 4;

impl<'p> Criterion<'p> {
    /// The criteria of some stories.
    pub fn of(plan: &'p Plan, scope: &[StoryId]) -> Vec<Self> {
        let judged = plan.stories.iter().filter(|story| scope.contains(&story.id));
        judged.flat_map(Self::of_story).collect()
    }

    fn of_story(story: &'p Story) -> impl Iterator<Item = Self> {
        (1..).zip(&story.criteria).map(|(number, text)| Self { story: &story.id, number, text })
    }

    /// `US-001 AC2`.
    pub fn name(&self) -> String {
        format!("{} AC{}", self.story, self.number)
    }

    /// Whether somebody who writes this means it: by its number, or by its words.
    pub fn is_meant(&self, said: &str) -> bool {
        let stories = StoryId::named_in(said);
        if !stories.is_empty() && !stories.contains(self.story) {
            return false;
        }
        match (numbered(said), stories.is_empty()) {
            (Some(number), false) => return number == self.number,
            (Some(number), true) if number != self.number => return false,
            _ => {}
        }
        let (said, own) = (folded(without_name(said)), folded(self.text));
        let is_part = |whole: &str, part: &str| {
            part.len() >= ENOUGH_LETTERS && format!(" {whole} ").contains(&format!(" {part} "))
        };
        said == own || is_part(&said, &own) || is_part(&own, &said)
    }

    /// What it names, but for what stands in the commands of the test spec.
    pub fn names(&self, plan: &Plan) -> Vec<String> {
        let is_told = |name: &String| plan.spec.commands.iter().any(|check| check.line.contains(name.as_str()));
        names_in(self.text).into_iter().filter(|name| !is_told(name)).collect()
    }

    /// Whether it asks for what is there already: it says so, and nothing that it names is new.
    pub fn asks_for_old(&self, receipts: &Receipts) -> bool {
        let is_new = |name: &String| receipts.new_names.contains(name);
        asks_for_old(&folded(self.text)) && !names_in(self.text).iter().any(is_new)
    }

    /// What the receipts show of it. Work that changes nothing is held to the same: a check that is green for who did nothing
    /// shows that something still holds, and of what is asked for newly the verifier has to quote what is there.
    pub fn proof(&self, plan: &Plan, receipts: &Receipts) -> CriterionProof {
        let rows = plan.spec.mapping.iter().filter(|mapped| self.is_meant(&mapped.criterion));
        let checks: Vec<&str> = rows.filter_map(|mapped| mapped.check.as_deref()).collect();
        let passed = |check: &&str| receipts.of(check).is_some_and(super::Receipt::has_passed);
        if checks.is_empty() || !checks.iter().all(passed) {
            return CriterionProof::None;
        }
        // A log from before there was evidence has receipts alone.
        let Some(evidence) = &receipts.evidence else { return CriterionProof::Shown };
        let is_shown = |check: &&str| {
            evidence.of(check).is_some_and(|command| {
                command.on(TreeRole::Given).is_some()
                    && command.red_green.as_ref().is_some_and(crate::evidence::RedGreen::is_shown)
            })
        };
        // Only what was green before can still hold.
        let was_green =
            |check: &&str| evidence.of(check).and_then(|seen| seen.on(TreeRole::Base)).is_some_and(RunSeen::is_green);
        if checks.iter().any(is_shown) {
            CriterionProof::Shown
        } else if self.asks_for_old(receipts) && checks.iter().all(was_green) {
            CriterionProof::Holds
        } else {
            CriterionProof::StillGreen
        }
    }
}

impl CriterionProof {
    /// Whether the verifier has to quote what it saw.
    pub fn needs_quote(self) -> bool {
        self < Self::Holds
    }

    /// For the verifier.
    pub fn told(self) -> &'static str {
        match self {
            Self::None => "no command proves it: quote what you saw",
            Self::StillGreen => {
                "its command is green without the work as well, so it shows nothing new: quote what you saw"
            }
            Self::Holds => "its command is green",
            Self::Shown => "its command was red without the work and is green with it",
        }
    }
}

/// The number in `AC2`, `AC-2`, `criterion 2`.
fn numbered(said: &str) -> Option<usize> {
    let said = said.to_lowercase();
    ["ac", "criterion"].iter().find_map(|word| {
        said.match_indices(word).find_map(|(at, word)| {
            let is_word = !said[..at].ends_with(char::is_alphanumeric);
            let rest = said[at + word.len()..].trim_start_matches([' ', '-', '_', '#']);
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().ok().filter(|_| is_word)
        })
    })
}

/// What comes after `US-001 AC1:`.
fn without_name(said: &str) -> &str {
    match said.split_once(':') {
        Some((name, rest)) if !StoryId::named_in(name).is_empty() || numbered(name).is_some() => rest,
        _ => said,
    }
}

/// Words alone, in lower case, with one blank between them.
fn folded(text: &str) -> String {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_criterion_is_meant_by_its_number_or_its_words() {
        let story = StoryId::of("US-001").unwrap();
        let criterion = Criterion { story: &story, number: 2, text: "`divide(1, 0)` raises ValueError" };
        for (said, expected) in [
            ("US-001 AC2", true),
            ("US-1 AC-2: whatever", true),
            ("AC2: `divide(1, 0)` raises ValueError", true),
            ("divide(1, 0) raises ValueError", true),
            ("US-001: divide(1, 0) raises ValueError with a message", true),
            ("US-001 AC1", false),
            ("US-002 AC2", false),
            ("US-001", false),
            ("US-001: adds", false),
            ("AC1: `divide(1, 0)` raises ValueError", false),
            ("x", false),
            ("", false),
            ("it", false),
        ] {
            assert_eq!(criterion.is_meant(said), expected, "{said}");
        }
    }
}
