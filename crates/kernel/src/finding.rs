//! Findings and their life across rounds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use uuid::Uuid;

use crate::digest::Hasher;
use crate::id::uuid_of;
use crate::{Round, RunId, SeatName};

/// The identity of a finding: the same complaint has the same id in every round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct FindingId(#[schemars(with = "String")] pub Uuid);

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Note,
    Should,
    MustFix,
}

/// What a seat holds against a draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub id: FindingId,
    pub severity: Severity,
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The part of the work it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// It speaks against something that is settled: recorded, not obeyed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub contested: bool,
}

/// A finding as a seat words it, before it is known whether it is an old one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    pub severity: Severity,
    pub text: String,
    pub code: Option<String>,
    pub target: Option<String>,
    pub contested: bool,
}

impl Complaint {
    /// A demand in plain words.
    pub fn must_fix(text: impl Into<String>) -> Self {
        Self { severity: Severity::MustFix, text: text.into(), code: None, target: None, contested: false }
    }
}

/// What became of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum FindingState {
    Open,
    /// The seat that raised it did not raise it again in this round.
    Fixed {
        round: Round,
    },
    /// It had been fixed and came back.
    Reopened {
        round: Round,
    },
    Contested,
}

/// A finding over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Life {
    pub finding: Finding,
    pub by: SeatName,
    pub raised: Round,
    /// How often it came back after it had been fixed.
    #[serde(skip_serializing_if = "crate::event::is_default")]
    pub returned: u32,
    pub state: FindingState,
}

/// Every finding of a run.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    lives: BTreeMap<FindingId, Life>,
    /// In the order in which they were first raised.
    order: Vec<FindingId>,
    /// Those of each seat that do not count as fixed.
    standing: BTreeMap<SeatName, BTreeSet<FindingId>>,
}

impl Findings {
    /// Every finding, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Life> {
        self.order.iter().map(|id| &self.lives[id])
    }

    /// Gives each complaint of a seat its identity.
    ///
    /// A complaint that says the same again is the old finding. One with the code and target of a finding of the
    /// same seat that nobody else in this verdict claims is taken for that finding in other words. Anything else is
    /// new. The answer goes into the log, so a later change of these rules cannot rewrite history.
    pub fn identify(&self, run: RunId, by: &SeatName, complaints: Vec<Complaint>) -> Vec<Finding> {
        let exact: Vec<FindingId> = complaints.iter().map(|complaint| identity(run, by, complaint)).collect();
        let mut unclaimed = self.unclaimed(by, &exact);
        complaints
            .into_iter()
            .zip(exact)
            .map(|(complaint, exact)| {
                let Complaint { severity, text, code, target, contested } = complaint;
                let key = (code, target);
                let is_known = self.lives.contains_key(&exact);
                // Of several old ones nobody can say which is meant.
                let only = unclaimed.get_mut(&key).filter(|old| !is_known && old.len() == 1);
                let id = only.and_then(BTreeSet::pop_first).unwrap_or(exact);
                let (code, target) = key;
                Finding { id, severity, text, code, target, contested }
            })
            .collect()
    }

    /// The findings of a seat that have a code and that nobody raises again in the same words, by code and target.
    fn unclaimed(&self, by: &SeatName, exact: &[FindingId]) -> BTreeMap<Kind, BTreeSet<FindingId>> {
        let exact: BTreeSet<&FindingId> = exact.iter().collect();
        let mut unclaimed: BTreeMap<Kind, BTreeSet<FindingId>> = BTreeMap::new();
        for life in self.iter().filter(|life| life.by == *by && life.finding.code.is_some()) {
            let Finding { id, code, target, .. } = &life.finding;
            if !exact.contains(id) {
                unclaimed.entry((code.clone(), target.clone())).or_default().insert(*id);
            }
        }
        unclaimed
    }

    /// Takes in what `by` found in `round`; findings of `by` that are not among them count as fixed.
    pub fn record(&mut self, round: Round, by: &SeatName, findings: &[Finding]) {
        let raised: BTreeSet<FindingId> = findings.iter().map(|finding| finding.id).collect();
        let standing = self.standing.entry(by.clone()).or_default();
        let gone: Vec<FindingId> = standing.difference(&raised).copied().collect();
        for id in gone {
            standing.remove(&id);
            if let Some(life) = self.lives.get_mut(&id) {
                life.state = FindingState::Fixed { round };
            }
        }
        for finding in findings {
            if let Some(life) = self.lives.get_mut(&finding.id) {
                life.returned += u32::from(matches!(life.state, FindingState::Fixed { .. }) && !finding.contested);
                life.state = match life.state {
                    _ if finding.contested => FindingState::Contested,
                    FindingState::Fixed { .. } => FindingState::Reopened { round },
                    FindingState::Contested => FindingState::Open,
                    state @ (FindingState::Open | FindingState::Reopened { .. }) => state,
                };
                life.finding = finding.clone();
                self.standing.entry(life.by.clone()).or_default().insert(finding.id);
            } else {
                let state = if finding.contested { FindingState::Contested } else { FindingState::Open };
                let life = Life { finding: finding.clone(), by: by.clone(), raised: round, returned: 0, state };
                self.lives.insert(finding.id, life);
                self.order.push(finding.id);
                self.standing.entry(by.clone()).or_default().insert(finding.id);
            }
        }
    }
}

/// The code and the target of a finding.
type Kind = (Option<String>, Option<String>);

fn identity(run: RunId, by: &SeatName, complaint: &Complaint) -> FindingId {
    let mut hash = Hasher::default();
    hash.field(run.0.as_bytes()).field(by.0.as_bytes());
    hash.field(complaint.code.as_deref().unwrap_or_default().as_bytes());
    hash.field(complaint.target.as_deref().unwrap_or_default().as_bytes());
    hash.field(plain_words(&complaint.text).as_bytes());
    FindingId(uuid_of(hash.finish()))
}

/// The words alone: a comma or a capital letter does not make it another finding.
fn plain_words(text: &str) -> String {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

impl fmt::Display for FindingState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open => f.write_str("still open"),
            Self::Fixed { round } => write!(f, "no longer raised in {round}"),
            Self::Reopened { round } => write!(f, "came back in {round}"),
            Self::Contested => f.write_str("contested: it speaks against something settled"),
        }
    }
}

impl Severity {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Should => "should",
            Self::MustFix => "must_fix",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    fn complaint(code: &str, text: &str) -> Complaint {
        Complaint {
            severity: Severity::MustFix,
            text: text.into(),
            code: (!code.is_empty()).then(|| code.into()),
            target: None,
            contested: false,
        }
    }

    /// Plays rounds of complaints and shows what became of each finding.
    fn lives(rounds: &[&[(&str, &str)]]) -> String {
        let (run, by) = (RunId(Uuid::nil()), SeatName::new("reviewer"));
        let mut findings = Findings::default();
        for (round, complaints) in (1..).zip(rounds) {
            let complaints = complaints.iter().map(|(code, text)| complaint(code, text)).collect();
            let identified = findings.identify(run, &by, complaints);
            findings.record(Round(round), &by, &identified);
        }
        let mut out = String::new();
        for life in findings.iter() {
            writeln!(out, "raised in {}: {} ({})", life.raised, life.finding.text, life.state).unwrap();
        }
        out
    }

    #[test]
    fn a_finding_lives_across_rounds() {
        insta::assert_snapshot!(lives(&[&[("", "Too long!")], &[("", "too long")], &[], &[("", "Too long.")]]), @"raised in 1: Too long. (came back in 4)");
    }

    #[test]
    fn other_words_with_the_same_code_are_the_same_finding() {
        insta::assert_snapshot!(lives(&[&[("length", "Too long")], &[("length", "Still 90 characters")]]), @"raised in 1: Still 90 characters (still open)");
    }

    #[test]
    fn two_of_one_code_stay_two() {
        insta::assert_snapshot!(
            lives(&[&[("typo", "teh"), ("typo", "adn")], &[("typo", "adn"), ("typo", "recieve")]]), @"
        raised in 1: recieve (still open)
        raised in 1: adn (still open)
        ");
    }

    #[test]
    fn a_hundred_thousand_findings_twice_are_no_trouble() {
        let (run, by) = (RunId(Uuid::nil()), SeatName::new("critic"));
        let mut findings = Findings::default();
        for round in 1..=2 {
            let complaints = (0..100_000).map(|number| complaint("length", &format!("line {number}"))).collect();
            let identified = findings.identify(run, &by, complaints);
            findings.record(Round(round), &by, &identified);
        }
        assert_eq!(findings.iter().count(), 100_000);
    }

    #[test]
    fn without_a_code_other_words_are_another_finding() {
        insta::assert_snapshot!(lives(&[&[("", "Too long")], &[("", "Too short")]]), @"
        raised in 1: Too long (no longer raised in 2)
        raised in 2: Too short (still open)
        ");
    }
}
