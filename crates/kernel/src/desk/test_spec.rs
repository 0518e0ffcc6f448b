//! The test spec: the commands that prove the work, and which criterion each of them proves.
//!
//! The engine runs these commands itself, so the reader errs on the side of telling: what is to be filled in
//! ([`TestSpec::placeholders`]) and what stood where a command could be but read like prose
//! ([`TestSpec::passed_over`]) is reported, not dropped.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

use super::mapping::{Proof, Row};
use super::markdown::lines;
use super::named_files::NamedFiles;
use super::spec_reader::SpecReader;
use super::story::StoryId;
use crate::evidence::CommandExpectation;

/// How the work is checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestSpec {
    /// The verification commands in their order, then those that only the mapping names. No command is named twice.
    pub commands: Vec<SpecCheck>,
    pub mapping: Vec<Mapped>,
    /// Relative paths that the commands name: tests, scripts, configuration.
    pub files: Vec<String>,
    /// What is still to be filled in.
    pub placeholders: Vec<Noted>,
    /// What was taken for prose where a command was expected.
    pub passed_over: Vec<Noted>,
}

/// A command that the engine runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecCheck {
    /// `test-1`, `test-2`, …: the same for the same spec.
    pub id: String,
    /// What the command is for, in the words of its heading: `Build`, `Test`, `Lint`.
    pub purpose: String,
    /// For `sh -c`.
    pub line: String,
    #[serde(default, skip_serializing_if = "CommandExpectation::is_success")]
    pub expects: CommandExpectation,
}

/// A criterion and the check that proves it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mapped {
    pub criterion: String,
    /// The check's id; without one the verifier judges.
    pub check: Option<String>,
    /// In the author's words; empty where nothing is said.
    pub method: String,
    /// The stories that the criterion names.
    pub stories: BTreeSet<StoryId>,
}

/// A line worth telling the author about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noted {
    pub line: u32,
    pub purpose: String,
    pub text: String,
}

/// Why a text is no test spec.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    #[error("the test spec has no `## Verification Commands`")]
    NoSection,
    #[error("line {line}: no command follows, and the mapping names none")]
    NoCommands { line: u32 },
    #[error("line {line}: {why}")]
    Expectation { line: u32, why: String },
    #[error("line {line}: nobody says how this is proved: {criterion}")]
    Unproved { line: u32, criterion: String },
}

impl SpecError {
    /// What the author can do.
    pub fn hint(&self) -> String {
        let example = "`## Verification Commands`, a heading such as `### Test`, and below it a line such as \
                       `python3 -m pytest -q`";
        match self {
            Self::NoSection => format!("write {example}"),
            Self::NoCommands { .. } => format!("a command stands on a line of its own or in a code fence: {example}"),
            Self::Expectation { .. } => "after an arrow write what the command does: `→ exit 1`, `→ ValueError`, \
                                         `→ output contains \"X\"`, `→ count PASSED >= 8`; nothing means that it succeeds"
                .into(),
            Self::Unproved { .. } => "write a command that proves it, or `review` as its method if the verifier is to \
                                      judge it"
                .into(),
        }
    }
}

/// The purpose of a command that only the mapping names.
pub const CRITERION: &str = "criterion";

impl TestSpec {
    /// Reads a test spec.
    pub fn read(text: &str) -> Result<Self, SpecError> {
        let mut reader = SpecReader::default();
        for line in lines(text) {
            reader.see(&line);
        }
        reader.end_command();
        let Some(line) = reader.section_line else { return Err(SpecError::NoSection) };
        if let Some((line, why)) = reader.unreadable.first().cloned() {
            return Err(SpecError::Expectation { line, why });
        }
        let spec = gather(reader);
        if spec.commands.is_empty() && spec.placeholders.is_empty() {
            return Err(SpecError::NoCommands { line });
        }
        Ok(spec)
    }

    /// The check of that id.
    pub fn check(&self, id: &str) -> Option<&SpecCheck> {
        self.commands.iter().find(|check| check.id == id)
    }

    /// The checks that concern a story: those that a criterion of the story is mapped to, and all that are not set
    /// aside for other stories. A check that also proves a criterion of no story in particular concerns every one.
    pub fn applies_to(&self, story: &StoryId) -> Vec<&SpecCheck> {
        let mut is_for_others: BTreeMap<&str, bool> = BTreeMap::new();
        for mapped in &self.mapping {
            if let Some(check) = &mapped.check {
                let is_for_other = !mapped.stories.is_empty() && !mapped.stories.contains(story);
                *is_for_others.entry(check).or_insert(true) &= is_for_other;
            }
        }
        self.commands.iter().filter(|check| is_for_others.get(check.id.as_str()) != Some(&true)).collect()
    }
}

/// Names the checks and ties the criteria to them.
fn gather(reader: SpecReader) -> TestSpec {
    let SpecReader { commands, rows, mut placeholders, mut passed_over, .. } = reader;
    let mut checks = Checks::default();
    for (purpose, line, expects) in commands {
        checks.add(&purpose, &line, Some(expects));
    }
    let mut mapping = Vec::new();
    for (line, Row { criterion, method, proof, expects }) in rows {
        let noted = |text: String| Noted { line, purpose: CRITERION.to_owned(), text };
        // What cannot be read was reported before anything is gathered.
        let expects = expects.and_then(Result::ok);
        let check = match proof {
            Proof::Command(command) => Some(checks.add(CRITERION, &command, expects)),
            Proof::Looked => {
                if method.is_empty() {
                    placeholders.push(noted(criterion.clone()));
                }
                None
            }
            Proof::Placeholder => {
                placeholders.push(noted(criterion.clone()));
                None
            }
            Proof::Words(words) => match checks.named(&words) {
                Some(check) => Some(check),
                // An automated check is never quietly left to somebody's judgement: a command that does not run is
                // seen, a check that is missing is not.
                None if method.to_lowercase().contains("auto") => Some(checks.add(CRITERION, &words, expects)),
                None => {
                    passed_over.push(noted(words));
                    None
                }
            },
        };
        let stories = StoryId::named_in(&criterion);
        mapping.push(Mapped { criterion, check, method, stories });
    }
    let mut files = NamedFiles::default();
    for check in &checks.all {
        files.in_command(&check.line);
    }
    TestSpec { commands: checks.all, mapping, files: files.finish(), placeholders, passed_over }
}

/// Checks, each command once.
#[derive(Debug, Default)]
struct Checks {
    all: Vec<SpecCheck>,
    /// The first check of every purpose, and every check under its id.
    by_name: BTreeMap<String, String>,
}

impl Checks {
    /// The check of a command. Where nothing is said of what it is to do, what was said before counts.
    fn add(&mut self, purpose: &str, line: &str, expects: Option<CommandExpectation>) -> String {
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_same = |check: &&SpecCheck| {
            words(&check.line) == words(line) && expects.as_ref().is_none_or(|expects| *expects == check.expects)
        };
        if let Some(check) = self.all.iter().find(is_same) {
            return check.id.clone();
        }
        let id = format!("test-{}", self.all.len() + 1);
        let expects = expects.unwrap_or_default();
        self.all.push(SpecCheck { id: id.clone(), purpose: purpose.to_owned(), line: line.to_owned(), expects });
        self.by_name.insert(id.clone(), id.clone());
        self.by_name.entry(purpose.to_lowercase()).or_insert_with(|| id.clone());
        id
    }

    /// The check that is called by its id or its purpose.
    fn named(&self, words: &str) -> Option<String> {
        self.by_name.get(&words.to_lowercase()).cloned()
    }
}
