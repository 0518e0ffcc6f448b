//! What comes out of a lint: one shape for all kinds of anchor.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    draft::Draft,
    rule::{Rule, Test},
    score::{CriterionScore, FLOOR_MET},
};

/// The result of judging one draft against one anchor.
///
/// What is pending is decided by nobody yet. A draft ships only when nothing is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LintResult {
    /// No violation so far.
    pub valid: bool,
    pub violations: Vec<Violation>,
    /// SHOULDs that do not hold; [`LintResult::settle`] asks for their justification.
    pub should_violations: Vec<Violation>,
    /// Items of an acceptance anchor that are not covered; [`LintResult::closing`] makes violations of them.
    pub open: Vec<Violation>,
    pub scores: Vec<CriterionScore>,
    pub pending: Vec<Pending>,
    /// What a reader of the result should know, such as objections that did not count.
    pub notes: Vec<String>,
    /// The measured likeness to the exemplars is too close to call; the pending rule says what to ask.
    pub near_tie: bool,
}

/// A rule that does not hold, and where that shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// The rule's id, or its words.
    pub rule: String,
    pub message: String,
    #[serde(default)]
    pub span: Option<SourceSpan>,
}

/// A piece of the draft. Lines and columns count from 1, columns in characters; the end is behind the last one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceSpan {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    /// Its beginning, in the draft's words.
    pub quote: String,
}

/// A semantic or command rule that nobody has decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    pub level: RequirementLevel,
    pub rule: Rule,
}

/// What judges decided of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judged<'a> {
    Holds,
    Broken { why: &'a str, quote: Option<&'a str>, draft: &'a str },
    Undecided { why: &'a str },
}

/// What it means that a rule does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequirementLevel {
    /// A violation.
    Must,
    /// A violation unless it is justified.
    Should,
    /// A violation; the words of a semantic rule say what must not be.
    MustNot,
    /// Not covered yet; a violation once it had been covered, and at the end.
    Item,
}

impl RequirementLevel {
    /// The word in front of a rule, in prompts and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::Should => "SHOULD",
            Self::MustNot => "MUST NOT",
            Self::Item => "ITEM",
        }
    }
}

impl LintResult {
    pub(crate) fn new() -> Self {
        Self {
            valid: true,
            violations: Vec::new(),
            should_violations: Vec::new(),
            open: Vec::new(),
            scores: Vec::new(),
            pending: Vec::new(),
            notes: Vec::new(),
            near_tie: false,
        }
    }

    /// Records that a rule was decided, here or elsewhere: its score, and its faults by the rule's level.
    pub(crate) fn decided(&mut self, level: RequirementLevel, name: &str, faults: Vec<Violation>) {
        self.scores.push(CriterionScore::met(name, faults.is_empty(), level));
        match level {
            RequirementLevel::Must | RequirementLevel::MustNot => self.violations.extend(faults),
            RequirementLevel::Should => self.should_violations.extend(faults),
            RequirementLevel::Item => self.open.extend(faults),
        }
        self.valid = self.violations.is_empty();
    }

    /// Takes in what a pending command said. `false` when no such rule is pending.
    pub fn ran(&mut self, rule: &str, passed: bool, message: &str) -> bool {
        let Some(at) = self.pending.iter().position(|one| one.rule.command().is_some() && one.rule.is_called(rule))
        else {
            return false;
        };
        let Pending { level, rule } = self.pending.remove(at);
        let name = rule.name().to_owned();
        let fault = Violation { rule: name.clone(), message: message.to_owned(), span: None };
        self.decided(level, &name, if passed { Vec::new() } else { vec![fault] });
        true
    }

    /// Takes in what judges decided of a pending rule that needs an opinion: that it holds, or why not and where that
    /// shows. What they could not tell stays pending, and a note says why. `false` when no such rule is pending.
    pub fn judged(&mut self, rule: &str, judged: Judged<'_>) -> bool {
        let is_meant = |one: &Pending| one.rule.test == Test::Semantic && one.rule.is_called(rule);
        let Some(at) = self.pending.iter().position(is_meant) else { return false };
        let faults = match judged {
            Judged::Holds => Vec::new(),
            Judged::Broken { why, quote, draft } => {
                let span = quote.and_then(|quote| Draft::new(draft).find(quote));
                vec![Violation { rule: rule.to_owned(), message: why.to_owned(), span }]
            }
            Judged::Undecided { why } => {
                self.notes.push(format!("`{rule}` is undecided: {why}"));
                return true;
            }
        };
        let Pending { level, rule } = self.pending.remove(at);
        self.decided(level, rule.name(), faults);
        true
    }

    /// A SHOULD that does not hold needs a stated justification, by the rule's id or words; what has none is a violation.
    pub fn settle(mut self, justifications: &BTreeMap<String, String>) -> Self {
        let settled = std::mem::take(&mut self.should_violations).into_iter();
        let (justified, unjustified): (Vec<_>, Vec<_>) =
            settled.partition(|one| is_justified(&one.rule, justifications));
        self.should_violations = justified;
        self.violations.extend(
            unjustified.into_iter().map(|violation| Violation {
                message: format!("SHOULD: {} (unjustified)", violation.rule),
                ..violation
            }),
        );
        self.valid = self.violations.is_empty();
        self
    }

    /// What was covered stays covered: an open item that was covered before is a violation.
    pub fn keep(mut self, covered_before: &[String]) -> Self {
        let (lost, open): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.open).into_iter().partition(|item| covered_before.contains(&item.rule));
        self.open = open;
        self.violations.extend(
            lost.into_iter().map(|item| Violation { message: format!("was covered before: {}", item.message), ..item }),
        );
        self.valid = self.violations.is_empty();
        self
    }

    /// At the end every item is covered: what is open is a violation.
    pub fn closing(mut self) -> Self {
        self.violations.append(&mut self.open);
        self.valid = self.violations.is_empty();
        self
    }

    /// The rules that hold, for [`LintResult::keep`] of the draft that follows.
    pub fn covered(&self) -> Vec<String> {
        self.scores.iter().filter(|score| score.score == score.max).map(|score| score.name.clone()).collect()
    }

    /// Whether a draft passes a check: something was decided, nothing is violated, and nothing is left to ask. A SHOULD
    /// that does not hold is a warning.
    pub fn is_passed(&self) -> bool {
        let is_rule = |score: &CriterionScore| score.max == FLOOR_MET;
        self.valid && self.open.is_empty() && self.pending.is_empty() && self.scores.iter().any(is_rule)
    }

    /// Whether every item is met: nothing violated, nothing open, nothing left to ask.
    pub fn is_complete(&self) -> bool {
        self.valid && self.open.is_empty() && self.should_violations.is_empty() && self.pending.is_empty()
    }
}

/// Models repeat the level in front of a rule. Blanks justify nothing.
fn is_justified(rule: &str, justifications: &BTreeMap<String, String>) -> bool {
    justifications.iter().any(|(said, words)| {
        let said = said.trim();
        let bare = said.strip_prefix("SHOULD:").map_or(said, str::trim_start);
        (said == rule || bare == rule) && !words.trim().is_empty()
    })
}
