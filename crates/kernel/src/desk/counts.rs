//! How many tests a command ran, by what the runner itself said.
//!
//! A test run that ran nothing exits with 0 in many runners, and a pipe hides the exit code of any; so the closing
//! lines are read. They are text that the tested program could print, too. What is cheap against that is done: a
//! runner speaks last, so of several closing lines the last one counts, and only runners that close several times
//! themselves (a binary or a package each) are added up.

use serde::{Deserialize, Serialize};

use super::plain::plain;
use super::{junit, runners};

/// Tests by how they ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TestCounts {
    pub passed: u64,
    /// Those with errors among them.
    pub failed: u64,
    /// Those that did not run, or whose result does not count: ignored, to do, expected to fail.
    pub skipped: u64,
}

impl TestCounts {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.passed.saturating_add(self.failed).saturating_add(self.skipped)
    }

    /// Why these tests prove nothing good: some failed, none ran, or all were skipped.
    pub fn failure(&self) -> Option<String> {
        match *self {
            Self { failed: 1.., .. } => Some(format!("{} of {} tests failed", self.failed, self.total())),
            Self { passed: 0, skipped: 0, .. } => Some("no tests ran".into()),
            Self { passed: 0, skipped: 1, .. } => Some("the only test was skipped".into()),
            Self { passed: 0, skipped, .. } => Some(format!("all {skipped} tests were skipped")),
            _ => None,
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.passed = self.passed.saturating_add(other.passed);
        self.failed = self.failed.saturating_add(other.failed);
        self.skipped = self.skipped.saturating_add(other.skipped);
    }

    /// Counts of a runner that says how many there were, and how many of them did not pass.
    pub(super) fn of_total(total: u64, failed: u64, skipped: u64) -> Self {
        Self { passed: total.saturating_sub(failed).saturating_sub(skipped), failed, skipped }
    }
}

/// What a runner said, and on which line it said it last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Closing {
    pub(super) line: usize,
    pub(super) counts: TestCounts,
}

/// The tests that an output tells of; nothing if no known runner speaks in it. Where several do, the one that speaks
/// last counts: it started the others.
pub fn tests_run(output: &str) -> Option<TestCounts> {
    let output = plain(output);
    let readers = runners::ALL.into_iter().chain([junit::read as runners::Read]);
    let closings = readers.filter_map(|read| read(&output));
    closings.max_by_key(|closing| closing.line).map(|closing| closing.counts)
}

/// Runners that are a program of their own.
const RUNNERS: [&str; 19] = [
    "ava",
    "bats",
    "ctest",
    "cypress",
    "gotestsum",
    "jasmine",
    "jest",
    "mocha",
    "nose2",
    "nox",
    "phpunit",
    "prove",
    "py.test",
    "pytest",
    "rspec",
    "tap",
    "tape",
    "tox",
    "vitest",
];
/// Programs that run tests when they are told so.
const TOOLS: [&str; 24] = [
    "bazel",
    "bun",
    "cargo",
    "composer",
    "deno",
    "dotnet",
    "go",
    "gradle",
    "gradlew",
    "just",
    "make",
    "meson",
    "mix",
    "mvn",
    "mvnw",
    "npm",
    "playwright",
    "pnpm",
    "rake",
    "sbt",
    "swift",
    "task",
    "yarn",
    "zig",
];
/// Words before the program that matters.
const WRAPPERS: [&str; 20] = [
    "bundle", "bunx", "coverage", "dlx", "env", "exec", "nice", "npx", "pdm", "pipenv", "pipx", "poetry", "python",
    "python3", "run", "sudo", "time", "timeout", "uv", "uvx",
];

/// Whether a command is supposed to run tests. If so and its count is not known, it is only unknown.
pub fn looks_like_tests(line: &str, purpose: &str) -> bool {
    let mut words = purpose.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words.any(|word| matches!(word.as_str(), "test" | "tests" | "testing"))
        || line.split(['&', '|', ';', '\n']).any(runs_tests)
}

/// Whether one command of a line runs tests.
fn runs_tests(command: &str) -> bool {
    let name = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    let mut words = command.split_whitespace().skip_while(|word| {
        let is_setting = word.contains('=') || word.starts_with('-') || word.starts_with(|c: char| c.is_ascii_digit());
        is_setting || WRAPPERS.contains(&name(word).as_str())
    });
    let wrapped = command.split_whitespace().any(|word| word == "unittest") && command.contains("-m");
    let Some(program) = words.next().map(name) else { return false };
    let mut arguments = words.filter(|word| !word.starts_with(['+', '-']) || *word == "--test");
    let is_test = |word: &str| {
        ["test", "tests", "nextest", "check", "verify", "--test"].contains(&word) || word.starts_with("test:")
    };
    match program.as_str() {
        "unittest" => true,
        "node" => arguments.any(|word| word == "--test"),
        program if RUNNERS.contains(&program) => true,
        // `cargo check` compiles, `npm run check` may be anything.
        "cargo" | "npm" | "pnpm" | "yarn" | "deno" | "bun" => arguments
            .find(|word| *word != "run")
            .is_some_and(|word| is_test(word) && word != "check" && word != "verify"),
        program if TOOLS.contains(&program) => arguments.any(is_test),
        _ => wrapped,
    }
}
