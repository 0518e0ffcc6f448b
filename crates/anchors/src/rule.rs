//! A rule: words for people, and what decides it.

use serde::{Deserialize, Deserializer, Serialize, de};

use crate::{
    error::in_one_line,
    obvious::{self, Polarity},
    pattern::Pattern,
    predicate::Predicate,
    read,
    syntax::Syntax,
};

/// One thing that is asked of a draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rule {
    #[serde(flatten)]
    pub test: Test,
    /// A short name that lasts when the words change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The rule in words: what reports and models see.
    pub rule: String,
}

/// What decides a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Test {
    Pattern(Pattern),
    Predicate(Predicate),
    Command(CommandTest),
    /// Only a model can tell.
    Semantic,
}

/// A program that passes with exit code 0. Whoever calls runs it; here it is only listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandTest {
    pub argv: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
}

impl Rule {
    /// Plain words: a pattern or predicate where they make one obvious, semantic otherwise.
    pub fn from_text(text: &str) -> Self {
        Self::from_words(text, Polarity::MustHold)
    }

    pub(crate) fn from_words(text: &str, polarity: Polarity) -> Self {
        let rule = text.trim().to_owned();
        Self { test: obvious::test(&rule, polarity).unwrap_or(Test::Semantic), id: None, rule }
    }

    /// What findings, answers and justifications call the rule.
    pub fn name(&self) -> &str {
        self.id.as_deref().unwrap_or(&self.rule)
    }

    /// Whether someone who says `name` means this rule.
    pub fn is_called(&self, name: &str) -> bool {
        self.name() == name || self.rule == name
    }

    pub fn command(&self) -> Option<&CommandTest> {
        match &self.test {
            Test::Command(command) => Some(command),
            _ => None,
        }
    }

    /// Whether this crate alone can decide it.
    pub fn is_deterministic(&self) -> bool {
        matches!(self.test, Test::Pattern(_) | Test::Predicate(_))
    }
}

/// From the log: the same reader as for files.
impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        read::read_rule(&value.to_string(), Syntax::Json).map_err(|errors| de::Error::custom(in_one_line(&errors)))
    }
}

impl Test {
    /// The word in files.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Pattern(_) => "pattern",
            Self::Predicate(_) => "predicate",
            Self::Command(_) => "command",
            Self::Semantic => "semantic",
        }
    }
}
