//! What a plan is made of: the answers of a brainstorm.

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

impl PlanAnswers {
    /// What can be guessed from a wish and the project it is for.
    pub fn guess(wish: &str, project: &Path) -> Self {
        let wish = wish.trim();
        Self {
            slug: slug_of(wish),
            objective: wish.to_owned(),
            iteration_unit: one_story(),
            worker_model: None,
            verifier_model: None,
            max_iter: None,
            stories: vec![StoryAnswer {
                title: title_of(wish),
                criteria: vec![format!("It does what was asked for: {wish}")],
            }],
            commands: commands_of(project),
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
    const SMALL: [&str; 12] =
        ["a", "an", "the", "and", "with", "for", "to", "of", "in", "please", "implement", "write"];
    let words = wish.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_ascii_lowercase);
    let telling: Vec<String> =
        words.filter(|word| !word.is_empty() && !SMALL.contains(&word.as_str())).take(3).collect();
    if telling.is_empty() { "work".into() } else { telling.join("-") }
}

fn title_of(wish: &str) -> String {
    let mut chars = wish.lines().next().unwrap_or_default().trim_end_matches('.').chars();
    chars.next().map_or_else(|| "The work".into(), |first| first.to_uppercase().chain(chars).collect())
}

fn one_story() -> String {
    "one user story".into()
}

/// The commands that test a project, as far as its files show.
pub fn test_commands(project: &Path) -> Vec<String> {
    let shown = known_commands(project).into_iter().filter(|command| command.purpose == "Test");
    shown.map(|command| command.line).collect()
}

/// The commands that projects of this kind are checked with.
fn commands_of(project: &Path) -> Vec<CommandAnswer> {
    let mut commands = known_commands(project);
    if commands.is_empty() {
        commands.push(CommandAnswer { purpose: "Test".into(), line: "sh test.sh".into() });
    }
    commands
}

fn known_commands(project: &Path) -> Vec<CommandAnswer> {
    let has = |name: &str| project.join(name).exists();
    let command = |purpose: &str, line: &str| CommandAnswer { purpose: purpose.into(), line: line.into() };
    let mut commands = Vec::new();
    if has("Cargo.toml") {
        commands.extend([
            command("Build", "cargo build --quiet"),
            command("Test", "cargo test"),
            command("Lint", "cargo clippy -- -D warnings"),
        ]);
    }
    if has("package.json") {
        commands.push(command("Test", "npm test"));
    }
    if has("go.mod") {
        commands.extend([command("Build", "go build ./..."), command("Test", "go test ./...")]);
    }
    if has("pyproject.toml") || has("pytest.ini") || has("setup.py") || has("requirements.txt") {
        commands.push(command("Test", "python3 -m pytest -q"));
    }
    if commands.is_empty() && has("Makefile") {
        commands.push(command("Test", "make test"));
    }
    if commands.is_empty() && has("test.sh") {
        commands.push(command("Test", "sh test.sh"));
    }
    commands
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
        ] {
            assert_eq!(slug_of(wish), slug, "{wish}");
            assert!(is_slug(&slug_of(wish)));
        }
    }
}
