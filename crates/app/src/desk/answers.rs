//! What a plan is made of: the answers of a brainstorm.

use super::commands::commands_for;
use crate::error::AppError;
use crate::loops::desk::is_slug;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Everything that `init` writes files from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanAnswers {
    /// A short name in lower case, such as `calculator`.
    pub slug: String,
    /// What is wanted, in a sentence.
    pub objective: String,
    /// What one iteration does.
    #[serde(default = "one_story")]
    pub iteration_unit: String,
    #[serde(default)]
    pub worker_model: Option<String>,
    #[serde(default)]
    pub verifier_model: Option<String>,
    #[serde(default)]
    pub max_iter: Option<u32>,
    /// What the work has to keep to, such as `Python 3 and pytest only`.
    #[serde(default)]
    pub constraints: Vec<String>,
    /// In the order in which they are to be done.
    pub stories: Vec<StoryAnswer>,
    /// Commands that prove the work, such as `python3 -m pytest -q`.
    pub commands: Vec<CommandAnswer>,
}

/// A user story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoryAnswer {
    pub title: String,
    /// What has to be true, each of it testable.
    pub criteria: Vec<String>,
}

/// A command and what it is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandAnswer {
    /// `Build`, `Test` or `Lint`.
    pub purpose: String,
    pub line: String,
}

/// What holds of any change: nothing that worked is broken by it.
const STILL_PASSES: &str = "Every test that passed before still passes";

impl PlanAnswers {
    /// What can be guessed from a wish and the project it is for.
    pub fn guess(wish: &str, project: &Path) -> Self {
        let wish = wish.trim();
        let mut commands = commands_for(project, wish);
        if commands.is_empty() {
            commands.push(CommandAnswer { purpose: "Test".into(), line: "sh test.sh".into() });
        }
        Self {
            slug: slug_of(wish),
            objective: wish.to_owned(),
            iteration_unit: one_story(),
            worker_model: None,
            verifier_model: None,
            max_iter: None,
            stories: vec![StoryAnswer { title: title_of(wish), criteria: vec![title_of(wish), STILL_PASSES.into()] }],
            constraints: Vec::new(),
            commands,
        }
    }

    /// Reads answers from TOML.
    pub fn read(text: &str, name: &str) -> Result<Self, AppError> {
        let answers: Self = toml::from_str(text).map_err(|error| {
            AppError::invalid(
                format!("{name}: {}", error.message()),
                "slug, objective, [[stories]] with title and criteria, [[commands]] with purpose and line",
            )
        })?;
        answers.check(name)?;
        Ok(answers)
    }

    /// What was said about models and limits, as lines of `[desk]`.
    pub fn settings(&self) -> String {
        let model = |key: &str, model: &Option<String>| model.as_ref().map(|model| format!("{key} = {model:?}\n"));
        let lines = [
            self.max_iter.map(|most| format!("max_iter = {most}\n")),
            model("worker_model", &self.worker_model),
            model("verifier_model", &self.verifier_model),
        ];
        lines.into_iter().flatten().collect()
    }

    /// Refuses what no desk could work with.
    pub fn check(&self, name: &str) -> Result<(), AppError> {
        let fail = |what: String, hint: &str| Err(AppError::invalid(format!("{name}: {what}"), hint));
        if !is_slug(&self.slug) {
            return fail(format!("`{}` cannot be a slug", self.slug), "use letters, digits, `-` and `_`");
        }
        if self.stories.is_empty() || self.stories.iter().any(|story| story.criteria.is_empty()) {
            return fail(
                "a plan needs a story, and every story a criterion".into(),
                "say what must be true at the end",
            );
        }
        if self.commands.iter().all(|command| command.line.trim().is_empty()) {
            return fail("there is no command to verify the work".into(), "add one, such as `python3 -m pytest -q`");
        }
        Ok(())
    }
}

/// The first words of a wish as a name.
fn slug_of(wish: &str) -> String {
    const SMALL: [&str; 15] =
        ["a", "an", "the", "and", "with", "for", "to", "of", "in", "by", "is", "that", "please", "implement", "write"];
    const MOST_WORDS: usize = 5;
    const LONGEST: usize = 40;
    let words = wish.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_ascii_lowercase);
    let telling = words.filter(|word| !word.is_empty() && !SMALL.contains(&word.as_str()));
    let mut slug = String::new();
    for word in telling.take(MOST_WORDS) {
        if slug.len() + word.len() >= LONGEST {
            break;
        }
        slug = if slug.is_empty() { word } else { format!("{slug}-{word}") };
    }
    if slug.is_empty() { "work".into() } else { slug }
}

fn title_of(wish: &str) -> String {
    let mut chars = wish.lines().next().unwrap_or_default().trim_end_matches('.').chars();
    chars.next().map_or_else(|| "The work".into(), |first| first.to_uppercase().chain(chars).collect())
}

fn one_story() -> String {
    "one user story".into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_has_a_name() {
        for (wish, slug) in [
            ("Implement a Python calculator with tests", "python-calculator-tests"),
            ("  the  ", "work"),
            ("Fix: login/timeouts!", "fix-login-timeouts"),
            ("fix the off-by-one in parse_range", "fix-off-one-parse-range"),
            ("Überarbeite das", "berarbeite-das"),
            (&"word ".repeat(60), "word-word-word-word-word"),
            (&"x".repeat(100), "work"),
        ] {
            assert_eq!(slug_of(wish), slug, "{wish}");
            assert!(is_slug(&slug_of(wish)));
        }
    }
}
