//! The evidence for a change: everything that was seen, and what follows from it.

use serde::{Deserialize, Serialize};

use super::canary::CanarySong;
use super::comparison::{RedGreen, TestComparison};
use super::expectation::CommandExpectation;
use super::finding::{EvidenceFinding, EvidenceWeight};
use super::mutant::{Mutant, MutantEnd, MutantSeen};
use super::plan::{TouchedPath, TreeRole};
use super::run_seen::RunSeen;
use super::runner::TestRunner;
use crate::Digest;

/// A command that is to prove something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceCommand {
    pub id: String,
    pub line: String,
    /// What it is for, in its author's words: `Test`, `Lint`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub purpose: String,
    #[serde(default)]
    pub expects: CommandExpectation,
}

impl EvidenceCommand {
    /// A command that is to succeed.
    pub fn new(id: impl Into<String>, line: impl Into<String>) -> Self {
        Self { id: id.into(), line: line.into(), purpose: String::new(), expects: CommandExpectation::default() }
    }
}

/// All that was seen of one command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandEvidence {
    pub command: EvidenceCommand,
    pub runners: Vec<TestRunner>,
    /// Why its runner was not asked for a report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain: Option<String>,
    pub runs: Vec<RunSeen>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canary: Option<CanarySong>,
    /// The base beside the tree with the given files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<TestComparison>,
    /// The base beside the work as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_is: Option<TestComparison>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub red_green: Option<RedGreen>,
}

/// Everything that was seen of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The trees that were compared, as git names them.
    pub base: String,
    pub head: String,
    /// What canaries and mutants were drawn from.
    pub seed: Digest,
    pub commands: Vec<CommandEvidence>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touched: Vec<TouchedPath>,
    /// Tests in source files that were removed or changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inline: Vec<String>,
    /// Source files with tests that were removed or changed and could not be put back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_put_back: Vec<String>,
    /// Files of the work that ask whether they are being tested, each with what asks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub test_aware: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mutants: Vec<MutantSeen>,
    /// Given files that a check changed while it ran: they were put back before the next one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rewritten: Vec<String>,
    /// What was left out, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    pub findings: Vec<EvidenceFinding>,
    pub elapsed_ms: u64,
}

impl CommandEvidence {
    pub fn new(command: EvidenceCommand) -> Self {
        Self {
            command,
            runners: Vec::new(),
            plain: None,
            runs: Vec::new(),
            canary: None,
            comparison: None,
            as_is: None,
            red_green: None,
        }
    }

    /// Whether its runner is asked for tests by name.
    pub fn is_reported(&self) -> bool {
        !self.runners.is_empty() && self.plain.is_none() && self.command.expects.is_success()
    }

    /// The run on a tree.
    pub fn on(&self, tree: TreeRole) -> Option<&RunSeen> {
        self.runs.iter().find(|run| run.tree == tree)
    }

    /// Compares what was seen on the trees: to be called when all of them have run.
    pub fn compare(&mut self) {
        let report = |tree: TreeRole| self.on(tree).and_then(|run| run.report.as_ref());
        let beside = |tree: TreeRole| {
            let mut comparison = TestComparison::of(report(TreeRole::Base)?, report(tree)?);
            // A runner that stops at the first failure hides nothing.
            if !self.on(tree).is_some_and(RunSeen::is_green) {
                comparison.hidden.clear();
            }
            Some(comparison)
        };
        let (comparison, as_is) = (beside(TreeRole::Given), beside(TreeRole::Head));
        let red_green = self.on(TreeRole::Base).map(|base| {
            let alone = self.on(TreeRole::TestsOnly).map(|run| (run.is_green(), run.report.as_ref()));
            let now = report(TreeRole::Head).or(report(TreeRole::Given));
            RedGreen::of((base.is_green(), base.report.as_ref()), alone, now)
        });
        (self.comparison, self.as_is, self.red_green) = (comparison, as_is, red_green);
    }
}

impl Evidence {
    /// Whether nothing speaks against the change.
    pub fn holds(&self) -> bool {
        !self.findings.iter().any(|finding| finding.weight == EvidenceWeight::Fails)
    }

    /// What was seen of a command.
    pub fn of(&self, id: &str) -> Option<&CommandEvidence> {
        self.commands.iter().find(|command| command.command.id == id)
    }

    /// Mutants that nobody noticed.
    pub fn survivors(&self) -> impl Iterator<Item = &MutantSeen> {
        self.mutants.iter().filter(|seen| seen.end == MutantEnd::Survived)
    }

    /// Base and head side by side, for people and for a verifier.
    pub fn side_by_side(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        for command in &self.commands {
            lines.push(format!("`{}`", command.command.line));
            lines.extend(command.runs.iter().map(|run| format!("  {}: {}", run.tree.told(), run.told())));
            lines.extend(command.canary.as_ref().map(|song| format!("  canaries: {}", song.told())));
            if let Some(red_green) = &command.red_green {
                lines.extend(red_green.tests.iter().map(|test| format!("  red, then green: {test}")));
                lines.extend(
                    red_green.never_red.iter().map(|test| format!("  new, and green without the work: {test}")),
                );
            }
        }
        lines.extend(self.survivors().map(|seen| {
            let Mutant { path, line, before, after } = &seen.mutant;
            format!("survived: {path}:{line}: `{}` → `{}`", before.trim(), after.trim())
        }));
        lines.extend(self.findings.iter().map(|finding| format!("{}: {}", finding.code.as_str(), finding.text)));
        lines.join("\n") + "\n"
    }
}
