//! The ballot: how anything is judged, in every loop.
//!
//! Nothing is met because nobody objected. Whatever is to be judged is put to the vote by name, and every name gets an
//! answer: met, broken, or undecided. What counts as an answer is said here and nowhere else.
//!
//! | file | noun |
//! |---|---|
//! | `answers` | what a judge must return |
//! | `attention` | two items of known truth: whether a judge looks at all |
//! | `quote` | whether a draft says what a judge quotes |
//! | `page`, `patch` | a draft, and a change, as its readers see it |
//! | `poll` | who is asked for a vote, and who after them |
//! | `single` | whether an answer holds one ballot, and no other |
//! | `count` | what the votes of several judges amount to, and the proof that every item is met |
//! | `person` | what people decide where judges could not |

mod answers;
mod attention;
mod count;
mod page;
mod patch;
mod person;
mod poll;
mod quote;
mod single;

use serde::{Deserialize, Serialize};
use tribunal_anchors::{RequirementLevel, Rule};

use self::quote::QuotedDraft;
use crate::answer::Misfit;
use crate::finding::Complaint;
use crate::prompt::{Content, Part};
use crate::verdict::Correction;
use crate::{Digest, Severity};

pub use answers::{BallotAnswer, BallotLine};
pub(crate) use attention::seed;
pub use count::{AllMet, ItemState, JudgedItem, OpenItems, Quorum, count};
pub(crate) use patch::{files as patched_files, is_patch};
pub use person::PersonVote;
pub(crate) use poll::{poll, recount};
pub use quote::quotes;
pub(crate) use quote::{cites, is_same_text};
pub(crate) use single::SingleBallot;

/// The correction of a vote that rests on words which the draft does not have.
pub const QUOTE_NOT_FOUND: &str = "quote_not_found";

/// So many items that nobody asked for are told to the judge who named them, and so many bytes of each.
const TOLD_UNKNOWN: usize = 5;
const TOLD_ID_BYTES: usize = 40;

/// What is put to the vote, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ballot {
    items: Vec<BallotItem>,
}

/// One of the things that a judge answers for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BallotItem {
    /// `R1`, `R2`, …
    pub id: String,
    pub level: RequirementLevel,
    /// What findings and outcomes call it.
    pub name: String,
    /// What the judge is asked, in words.
    pub words: String,
}

/// What a judge says of an item, as it counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vote {
    /// The item's name.
    pub item: String,
    pub says: VoteWord,
    /// The words of the draft that it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// The three things that can be said of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VoteWord {
    Met,
    Broken,
    CannotTell,
}

/// A judge's votes, one for every item, and why some do not count as they were given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BallotReading {
    pub votes: Vec<Vote>,
    pub corrections: Vec<Correction>,
}

impl Ballot {
    /// These rules, numbered.
    pub fn of<'a>(rules: impl IntoIterator<Item = (RequirementLevel, &'a Rule)>) -> Self {
        let items = rules.into_iter().zip(1..).map(|((level, rule), number)| BallotItem {
            id: format!("R{number}"),
            level,
            name: rule.name().to_owned(),
            words: rule.rule.clone(),
        });
        Self { items: items.collect() }
    }

    /// The same items in reverse order, numbered by it.
    pub(crate) fn reversed(self) -> Self {
        let items = self.items.into_iter().rev().zip(1..);
        Self { items: items.map(|(item, number)| BallotItem { id: format!("R{number}"), ..item }).collect() }
    }

    pub fn items(&self) -> &[BallotItem] {
        &self.items
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The items, a line each.
    pub(crate) fn told(&self) -> String {
        let told = self.items.iter().map(|item| format!("{}: {}: {}", item.id, item.level.as_str(), item.words));
        told.collect::<Vec<_>>().join("\n")
    }

    /// The items, for a prompt, and how they are answered.
    pub fn parts(&self) -> [Part; 2] {
        [Part::Items(self.clone()), how()]
    }

    /// The same for a judge who may not look: with two items of known truth about this draft.
    pub(crate) fn attended_parts(&self, draft: Content, seed: Digest) -> [Part; 2] {
        [Part::Ballot { ballot: self.clone(), draft, seed }, how()]
    }

    /// What a judge's answer counts as. An answer that leaves an item out, names one twice or names one that is not there
    /// does not fit, unless there is nobody to tell: `is_last` says that the judge is not asked again.
    pub fn read(&self, lines: &[BallotLine], draft: &str, is_last: bool) -> Result<BallotReading, Misfit> {
        let faults = self.faults(lines);
        if !faults.is_empty() && !is_last {
            let ids: Vec<&str> = self.items.iter().map(|item| item.id.as_str()).collect();
            return Err(Misfit::Unacceptable(format!(
                "`ballot` must answer for each of {} once: {}",
                ids.join(", "),
                faults.join("; ")
            )));
        }
        let draft = QuotedDraft::new(draft);
        let mut reading = BallotReading::default();
        for item in &self.items {
            let given: Vec<&BallotLine> = lines.iter().filter(|line| line.is_about(item)).collect();
            let (vote, correction) = match given.as_slice() {
                [line] => item.vote(line, &draft),
                [] => (item.undecided("it was left out"), None),
                _ => (item.undecided("it was answered more than once"), None),
            };
            reading.votes.push(vote);
            reading.corrections.extend(correction);
        }
        Ok(reading)
    }

    /// What is broken, as complaints of the judge.
    pub fn complaints(&self, votes: &[Vote]) -> Vec<Complaint> {
        let broken = votes.iter().filter(|vote| vote.says == VoteWord::Broken);
        broken
            .filter_map(|vote| {
                let item = self.items.iter().find(|item| item.name == vote.item)?;
                let severity = match item.level {
                    RequirementLevel::Should => Severity::Should,
                    RequirementLevel::Must | RequirementLevel::MustNot | RequirementLevel::Item => Severity::MustFix,
                };
                let text = vote.why.clone().unwrap_or_else(|| vote.item.clone());
                Some(Complaint { severity, text, code: None, target: Some(vote.item.clone()), contested: false })
            })
            .collect()
    }

    fn faults(&self, lines: &[BallotLine]) -> Vec<String> {
        let mut faults = Vec::new();
        for item in &self.items {
            match lines.iter().filter(|line| line.is_about(item)).count() {
                1 => {}
                0 => faults.push(format!("{} is missing", item.id)),
                _ => faults.push(format!("{} is there more than once", item.id)),
            }
        }
        let unknown = lines.iter().filter(|line| !self.items.iter().any(|item| line.is_about(item)));
        let told = |line: &BallotLine| format!("there is no `{}`", crate::text::head(&line.id, TOLD_ID_BYTES));
        faults.extend(unknown.take(TOLD_UNKNOWN).map(told));
        faults
    }
}

/// The label of what is put to the vote.
pub(crate) const ITEMS: &str = "what you vote on";

/// How a person votes.
pub(crate) const FOR_PERSON: &str = "Where an item is met, or broken by something that is there, copy the words that \
                                     show it. Where something is missing, say that it is absent.";

fn how() -> Part {
    Part::Text(
        "Vote on every one of them, once, in `ballot`: `met`, `broken` or `cannot_tell`.\n\
         - `met`: quote the words of the draft that show it, copied exactly, at least three. A MUST NOT that is kept \
         needs no quote.\n\
         - `broken`: quote the words that break it; or say `\"absent\": true` where the draft lacks what is demanded.\n\
         - `cannot_tell`: say why. It is no shame: what you cannot tell, somebody else decides."
            .into(),
    )
}

impl BallotItem {
    /// Whether a draft shows that it is met; that something is kept out can only be seen everywhere.
    fn is_shown(&self) -> bool {
        self.level != RequirementLevel::MustNot
    }

    fn vote(&self, line: &BallotLine, draft: &QuotedDraft) -> (Vote, Option<Correction>) {
        let quote = line.quote.as_deref().map(str::trim).filter(|quote| !quote.is_empty());
        let why = line.why.as_deref().map(str::trim).filter(|why| !why.is_empty()).map(str::to_owned);
        let vote = |says, quote: Option<&str>| Vote {
            item: self.name.clone(),
            says,
            quote: quote.map(str::to_owned),
            why: why.clone(),
        };
        let problem = match (line.says, quote) {
            (VoteWord::CannotTell, _) => return (vote(VoteWord::CannotTell, None), None),
            (VoteWord::Met, _) if !self.is_shown() => return (vote(VoteWord::Met, None), None),
            (VoteWord::Met, Some(quote)) => match draft.shows(quote) {
                Ok(()) => return (vote(VoteWord::Met, Some(quote)), None),
                Err(problem) => problem,
            },
            (VoteWord::Met, None) => "nothing of the draft is quoted that shows it".to_owned(),
            (VoteWord::Broken, _) if line.absent => return (vote(VoteWord::Broken, None), None),
            (VoteWord::Broken, Some(quote)) if draft.has(quote) => {
                return (vote(VoteWord::Broken, Some(quote)), None);
            }
            (VoteWord::Broken, Some(quote)) => quote::not_found(quote),
            (VoteWord::Broken, None) => "nothing of the draft is quoted that breaks it".to_owned(),
        };
        let given = format!("{}: {}", self.name, line.says.as_str());
        let correction = Correction { given, rule: QUOTE_NOT_FOUND.into(), why: problem.clone() };
        (self.undecided(&problem), Some(correction))
    }

    fn undecided(&self, why: &str) -> Vote {
        Vote { item: self.name.clone(), says: VoteWord::CannotTell, quote: None, why: Some(why.to_owned()) }
    }
}

impl VoteWord {
    /// The word itself.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Broken => "broken",
            Self::CannotTell => "cannot_tell",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_anchors::Test;

    const DRAFT: &str = "# Plan\n\nWe **move in June**, with all\nof our “things”.\nRisks — none.\n";

    fn ballot() -> Ballot {
        let rule = |words: &str| Rule { test: Test::Semantic, id: None, rule: words.to_owned() };
        let rules = [
            (RequirementLevel::Must, rule("says when we move")),
            (RequirementLevel::MustNot, rule("uses buzzwords")),
            (RequirementLevel::Item, rule("names the risks")),
        ];
        Ballot::of(rules.iter().map(|(level, rule)| (*level, rule)))
    }

    fn read(answer: &str, is_last: bool) -> Result<String, Misfit> {
        let BallotAnswer { ballot: lines, .. } = crate::answer::read(answer)?;
        let BallotReading { votes, corrections } = ballot().read(&lines, DRAFT, is_last)?;
        let told: Vec<&str> = votes.iter().map(|vote| vote.says.as_str()).collect();
        Ok(format!("{} ({} corrected)", told.join(" "), corrections.len()))
    }

    #[test]
    fn what_counts() {
        let line = |first: &str| {
            format!(
                r#"{{"ballot": [{first}, {{"id": "R2", "says": "met"}}, {{"id": "R3", "says": "broken", "absent": true}}]}}"#
            )
        };
        let rows = [
            (r#"{"id": "R1", "says": "met", "quote": "We move in June"}"#, "met met broken (0 corrected)"),
            (r#"{"id": "r1", "says": "met", "quote": "with all of our \"things\""}"#, "met met broken (0 corrected)"),
            (r#"{"id": "R1", "says": "met", "quote": "RISKS - none."}"#, "met met broken (0 corrected)"),
            (r#"{"id": "R1", "says": "met", "quote": "June"}"#, "cannot_tell met broken (1 corrected)"),
            (r#"{"id": "R1", "says": "met"}"#, "cannot_tell met broken (1 corrected)"),
            (r#"{"id": "R1", "says": "met", "quote": "We stay in June"}"#, "cannot_tell met broken (1 corrected)"),
            (r#"{"id": "R1", "says": "broken", "quote": "June"}"#, "broken met broken (0 corrected)"),
            (r#"{"id": "R1", "says": "broken", "quote": "synergy"}"#, "cannot_tell met broken (1 corrected)"),
            (r#"{"id": "R1", "says": "broken"}"#, "cannot_tell met broken (1 corrected)"),
            (r#"{"id": "R1", "says": "cannot_tell", "why": "no date"}"#, "cannot_tell met broken (0 corrected)"),
        ];
        for (first, expected) in rows {
            assert_eq!(read(&line(first), false).as_deref(), Ok(expected), "{first}");
        }
    }

    #[test]
    fn who_leaves_an_item_out_is_asked_again_and_then_has_not_decided_it() {
        let met = r#"{"id": "R1", "says": "met", "quote": "We move in June"}"#;
        let kept = r#"{"id": "R2", "says": "met"}"#;
        let rows = [
            (format!("{met}, {kept}"), "R3 is missing", "met met cannot_tell (0 corrected)"),
            (
                String::new(),
                "R1 is missing; R2 is missing; R3 is missing",
                "cannot_tell cannot_tell cannot_tell (0 corrected)",
            ),
            (
                format!("{met}, {met}, {kept}"),
                "R1 is there more than once; R3 is missing",
                "cannot_tell met cannot_tell (0 corrected)",
            ),
            (
                format!("{met}, {kept}, {{\"id\": \"R9\", \"says\": \"met\"}}"),
                "there is no `R9`",
                "met met cannot_tell (0 corrected)",
            ),
        ];
        for (lines, told, counted) in rows {
            let answer = format!(r#"{{"ballot": [{lines}]}}"#);
            let misfit = read(&answer, false).unwrap_err().to_string();
            assert!(misfit.contains(told) && misfit.contains("R1, R2, R3"), "{misfit}");
            assert_eq!(read(&answer, true).as_deref(), Ok(counted), "{answer}");
        }
    }
}
