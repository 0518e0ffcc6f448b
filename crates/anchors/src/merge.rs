//! What models say of the rules that only they can judge, added to what was decided without them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    draft::Draft,
    result::{LintResult, Pending, RequirementLevel, SourceSpan, Violation},
    rule::Test,
};

/// What one seat answered to a semantic lint.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SemanticAnswer {
    #[serde(default)]
    pub violations: Vec<SemanticObjection>,
    #[serde(default)]
    pub should_violations: Vec<SemanticObjection>,
}

/// A rule that a seat sees broken. Models also write the rule alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Loose")]
pub struct SemanticObjection {
    pub rule: String,
    /// The draft's own words; empty where something is missing, because that cannot be quoted.
    pub quote: String,
    pub why: String,
}

/// An answer, and whose: a quorum needs different providers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opinion {
    pub provider: String,
    pub answer: SemanticAnswer,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// Too few answers are no pass.
    #[error("{providers} of {quorum} providers answered the lint")]
    TooFew { providers: usize, quorum: usize },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Loose {
    Rule(String),
    Whole {
        rule: String,
        #[serde(default)]
        quote: Option<String>,
        #[serde(default)]
        why: Option<String>,
    },
}

impl From<Loose> for SemanticObjection {
    fn from(loose: Loose) -> Self {
        match loose {
            Loose::Rule(rule) => Self { rule, quote: String::new(), why: String::new() },
            Loose::Whole { rule, quote, why } => {
                Self { rule, quote: quote.unwrap_or_default(), why: why.unwrap_or_default() }
            }
        }
    }
}

impl LintResult {
    /// Decides the pending semantic rules. A rule counts as violated when `quorum` different providers say so; an
    /// objection whose quote is not in the draft does not count, and a note says that.
    pub fn merge(mut self, draft: &str, opinions: &[Opinion], quorum: usize) -> Result<Self, MergeError> {
        let quorum = quorum.max(1);
        let providers: BTreeSet<&str> = opinions.iter().map(|opinion| opinion.provider.as_str()).collect();
        if providers.len() < quorum {
            return Err(MergeError::TooFew { providers: providers.len(), quorum });
        }
        let draft = Draft::new(draft);
        let asked: Vec<Pending>;
        (asked, self.pending) = self.pending.into_iter().partition(|pending| pending.rule.test == Test::Semantic);
        let mut heard: BTreeMap<usize, Vec<Heard<'_>>> = BTreeMap::new();
        for opinion in opinions {
            for objection in opinion.answer.violations.iter().chain(&opinion.answer.should_violations) {
                match judge(&asked, objection, &draft) {
                    Ok((at, span)) => heard.entry(at).or_default().push(Heard { opinion, objection, span }),
                    Err(note) => self.notes.push(format!("{}: {note}", opinion.provider)),
                }
            }
        }
        for (at, Pending { level, rule }) in asked.iter().enumerate() {
            let heard = heard.remove(&at).unwrap_or_default();
            let against: BTreeSet<&str> = heard.iter().map(|one| one.opinion.provider.as_str()).collect();
            let name = rule.name();
            let faults = if against.len() >= quorum {
                heard.into_iter().map(|one| one.violation(name)).collect()
            } else {
                if !against.is_empty() {
                    self.notes.push(format!("`{name}`: {} of {quorum} providers object, not enough", against.len()));
                }
                Vec::new()
            };
            self.decided(*level, name, faults);
        }
        Ok(self)
    }
}

struct Heard<'o> {
    opinion: &'o Opinion,
    objection: &'o SemanticObjection,
    span: Option<SourceSpan>,
}

impl Heard<'_> {
    fn violation(self, rule: &str) -> Violation {
        let why = self.objection.why.trim();
        let message = if why.is_empty() { format!("{} objects", self.opinion.provider) } else { why.to_owned() };
        Violation { rule: rule.to_owned(), message, span: self.span }
    }
}

/// Which rule an objection means and where it shows, or why it does not count.
fn judge(
    asked: &[Pending],
    objection: &SemanticObjection,
    draft: &Draft<'_>,
) -> Result<(usize, Option<SourceSpan>), String> {
    let SemanticObjection { rule, quote, .. } = objection;
    let Some(at) = asked.iter().position(|pending| means(pending, rule)) else {
        return Err(format!("`{rule}` was not asked, so the objection does not count"));
    };
    let name = asked[at].rule.name();
    match draft.find(quote) {
        Some(span) => Ok((at, Some(span))),
        // What is missing cannot be quoted; what must not be there can.
        None if quote.trim().is_empty() && asked[at].level != RequirementLevel::MustNot => Ok((at, None)),
        None if quote.trim().is_empty() => Err(format!("`{name}`: no quote, so the objection does not count")),
        None => Err(format!("`{name}`: the quote is not in the draft, so the objection does not count: “{quote}”")),
    }
}

/// Models repeat the level in front of a rule.
fn means(pending: &Pending, said: &str) -> bool {
    let said = said.trim();
    let bare = ["MUST NOT", "MUST_NOT", "MUST", "SHOULD", "ITEM"]
        .iter()
        .find_map(|level| said.strip_prefix(level)?.trim_start().strip_prefix(':'))
        .unwrap_or(said)
        .trim();
    [said, bare].iter().any(|name| pending.rule.is_called(name))
}
