//! Every rule that a finding can have: what it finds, why it matters and how to fix it, in one table.
//!
//! `tribunal explain`, the pages in `docs/rules/`, and the help that code hosts show beside a line are made from it.
//!
//! To add a rule: a row in the file of its role. A test holds the table against the codes in the sources, and measures
//! every example.

mod a11y;
mod brand;
mod copy;
mod critic;
mod files;
mod page;
mod production;

pub use page::markdown;

use tribunal_anchors::nearest;

use crate::{finding::Weight, report::Role};

/// One rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckRule {
    /// Stable and dotted, the same in every format.
    pub id: &'static str,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// Who measures it; nobody, where it is about the check itself.
    pub role: Option<Role>,
    /// The dimension of the role that it counts in.
    pub dimension: Option<&'static str>,
    /// The gravest that a finding of it can be, as long as nobody configures another level.
    pub weight: Weight,
    /// Success criteria of WCAG 2.2 that it is about.
    pub wcag: &'static [WcagCriterion],
    pub finds: &'static str,
    pub why: &'static str,
    pub fix: &'static str,
    pub example: RuleExample,
}

/// A success criterion of WCAG 2.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WcagCriterion {
    pub number: &'static str,
    pub name: &'static str,
    /// `A`, `AA` or `AAA`.
    pub level: &'static str,
}

/// The same twice: as it is found, and as it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleExample {
    /// What it is written in, as after the backticks of a code block.
    pub language: &'static str,
    pub bad: &'static str,
    pub good: &'static str,
}

/// All rules, by role and then in the order in which they are explained.
pub fn rules() -> impl Iterator<Item = &'static CheckRule> {
    let tables = [a11y::RULES, critic::RULES, brand::RULES, copy::RULES, production::RULES, files::RULES];
    tables.into_iter().flatten()
}

/// The rule with this id.
pub fn rule(id: &str) -> Option<&'static CheckRule> {
    rules().find(|rule| rule.id == id)
}

/// The id that was probably meant.
pub fn nearest_rule(asked: &str) -> Option<&'static str> {
    let whole = nearest(asked, rules().map(|rule| rule.id));
    // `contrast` for `contrast.text`, `duplicate-id` for `markup.duplicate-id`.
    let part = || rules().map(|rule| rule.id).find(|id| id.split('.').any(|part| part.eq_ignore_ascii_case(asked)));
    part().or(whole)
}

impl CheckRule {
    /// The word for its level in configurations and on the command line.
    pub fn level(&self) -> &'static str {
        match self.weight {
            Weight::MustFix => "must",
            Weight::Should => "should",
            Weight::Note => "note",
        }
    }
}

impl std::fmt::Display for WcagCriterion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} ({})", self.number, self.name, self.level)
    }
}

const fn criterion(number: &'static str, name: &'static str, level: &'static str) -> WcagCriterion {
    WcagCriterion { number, name, level }
}

const fn html(bad: &'static str, good: &'static str) -> RuleExample {
    RuleExample { language: "html", bad, good }
}

const fn markdown_text(bad: &'static str, good: &'static str) -> RuleExample {
    RuleExample { language: "markdown", bad, good }
}

#[cfg(test)]
mod tests;
