//! Which test runner a command uses.

use serde::{Deserialize, Serialize};
use std::fmt;

use super::shell::{Simple, Word};

/// A test runner that is known by its habits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestRunner {
    Pytest,
    Unittest,
    CargoTest,
    Nextest,
    NodeTest,
    Vitest,
    Jest,
    GoTest,
    /// Another one that writes `JUnit` where it is told to.
    JunitWriter,
}

impl TestRunner {
    /// How its users call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pytest => "pytest",
            Self::Unittest => "unittest",
            Self::CargoTest => "cargo test",
            Self::Nextest => "cargo nextest",
            Self::NodeTest => "node --test",
            Self::Vitest => "vitest",
            Self::Jest => "jest",
            Self::GoTest => "go test",
            Self::JunitWriter => "a JUnit writer",
        }
    }
}

impl fmt::Display for TestRunner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a command of a line starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Starts {
    /// A runner, and the index of the last word of its call: `pytest`, or `run` of `cargo nextest run`.
    Runner {
        runner: TestRunner,
        at: usize,
    },
    /// A script of `package.json`, and where its name is; without one it is `test`.
    Script {
        name: Option<usize>,
        at: usize,
    },
    /// `make`, at this word.
    Make {
        at: usize,
    },
    /// `cd`, to the word that follows.
    Folder,
    Other,
}

/// Programs that write `JUnit` where this option says.
pub(super) const JUNIT_WRITERS: [(&str, &str); 4] = [
    ("ctest", "--output-junit"),
    ("gotestsum", "--junitfile"),
    ("nose2", "--junit-xml-path"),
    ("phpunit", "--log-junit"),
];

/// Programs before the one that matters, and their options that take a word.
const WRAPPERS: [(&str, &[&str]); 8] = [
    ("command", &[]),
    ("env", &["-u", "--unset", "-C", "--chdir"]),
    ("exec", &[]),
    ("nice", &["-n"]),
    ("npx", &["-p", "--package"]),
    ("bunx", &[]),
    ("time", &[]),
    ("uvx", &["--from", "--with", "-p", "--python"]),
];

/// Programs that start what comes after `run` (or `exec`), and their options that take a word.
const RUNNING: [(&str, &str, &[&str]); 7] = [
    ("uv", "run", &["--with", "-p", "--python", "--extra", "--group", "--package", "--directory", "--project"]),
    ("poetry", "run", &["-C", "--directory"]),
    ("pipenv", "run", &[]),
    ("pdm", "run", &["-p"]),
    ("hatch", "run", &[]),
    ("rye", "run", &[]),
    ("pnpm", "exec", &[]),
];

/// What a command starts, past whatever stands before it.
pub(super) fn starts(command: &Simple) -> Starts {
    let words = &command.words;
    let mut at = 0;
    // Each turn takes at least one word.
    while let Some(word) = words.get(at) {
        let name = program(word);
        if let Some((_, taking)) = WRAPPERS.iter().find(|(wrapper, _)| *wrapper == name) {
            at = past_options(words, at + 1, taking);
            while words.get(at).is_some_and(|word| super::shell::is_assignment(&word.text)) {
                at += 1;
            }
        } else if name == "timeout" {
            at = past_options(words, at + 1, &["-k", "-s", "--signal", "--kill-after"]) + 1;
        } else if let Some((_, verb, taking)) = RUNNING.iter().find(|(wrapper, ..)| *wrapper == name) {
            match words.get(at + 1) {
                Some(next) if next.text == *verb => at = past_options(words, at + 2, taking),
                _ => return script(words, at, name),
            }
        } else if name == "coverage" && words.get(at + 1).is_some_and(|word| word.text == "run") {
            at = past_options(words, at + 2, &["--source", "--rcfile", "--omit", "--include"]);
            // What is measured is a module, `-m pytest`, or a script.
            if words.get(at).is_some_and(|word| word.text == "-m") {
                return module(words, at + 1);
            }
            return Starts::Other;
        } else {
            return program_at(words, at, name);
        }
    }
    Starts::Other
}

fn program_at(words: &[Word], at: usize, name: &str) -> Starts {
    let runner = |runner, at| Starts::Runner { runner, at };
    match name {
        "cd" => Starts::Folder,
        "pytest" | "py.test" => runner(TestRunner::Pytest, at),
        "vitest" => match words.get(at + 1).map(|word| word.text.as_str()) {
            Some("run") => runner(TestRunner::Vitest, at + 1),
            Some("bench" | "list" | "init" | "typecheck") => Starts::Other,
            _ => runner(TestRunner::Vitest, at),
        },
        "jest" => runner(TestRunner::Jest, at),
        "go" if words.get(at + 1).is_some_and(|word| word.text == "test") => runner(TestRunner::GoTest, at + 1),
        "cargo" => cargo(words, at),
        "node" => words[at..]
            .iter()
            .position(|word| word.text == "--test")
            .map_or(Starts::Other, |place| runner(TestRunner::NodeTest, at + place)),
        "make" | "gmake" => Starts::Make { at },
        "npm" | "yarn" | "pnpm" | "bun" => script(words, at, name),
        _ if is_python(name) => python(words, at),
        _ if JUNIT_WRITERS.iter().any(|(program, _)| *program == name) => runner(TestRunner::JunitWriter, at),
        _ => Starts::Other,
    }
}

/// `python3 -B -m pytest`
fn python(words: &[Word], at: usize) -> Starts {
    let at = past_options(words, at + 1, &["-W", "-X"]);
    // `past_options` stops at `-m`, for what follows is no option of Python any more.
    match words.get(at) {
        Some(word) if word.text == "-m" => module(words, at + 1),
        _ => Starts::Other,
    }
}

fn module(words: &[Word], at: usize) -> Starts {
    match words.get(at).map(|word| word.text.as_str()) {
        Some("pytest") => Starts::Runner { runner: TestRunner::Pytest, at },
        Some("unittest") => Starts::Runner { runner: TestRunner::Unittest, at },
        Some("coverage") if words.get(at + 1).is_some_and(|word| word.text == "run") => {
            let at = past_options(words, at + 2, &["--source", "--rcfile", "--omit", "--include"]);
            match words.get(at) {
                Some(word) if word.text == "-m" => module(words, at + 1),
                _ => Starts::Other,
            }
        }
        _ => Starts::Other,
    }
}

/// `cargo +nightly --locked test`, `cargo nextest run`
fn cargo(words: &[Word], at: usize) -> Starts {
    let mut next = at + 1;
    if words.get(next).is_some_and(|word| word.text.starts_with('+')) {
        next += 1;
    }
    next = past_options(words, next, &["--config", "-C", "-Z", "--color", "--manifest-path"]);
    let word = |at: usize| words.get(at).map(|word| word.text.as_str());
    match (word(next), word(next + 1)) {
        (Some("test" | "t"), _) => Starts::Runner { runner: TestRunner::CargoTest, at: next },
        (Some("nextest"), Some("run" | "r")) => Starts::Runner { runner: TestRunner::Nextest, at: next + 1 },
        _ => Starts::Other,
    }
}

/// `npm test`, `npm run check`, `yarn check`, `yarn jest`
fn script(words: &[Word], at: usize, name: &str) -> Starts {
    let next =
        past_options(words, at + 1, &["--prefix", "-C", "--dir", "--cwd", "-w", "--workspace", "--filter", "-F"]);
    if next > at + 1 && words[at + 1..next].iter().any(|word| !matches!(word.text.as_str(), "-s" | "--silent")) {
        return Starts::Other; // it works somewhere else
    }
    match (name, words.get(next).map(|word| word.text.as_str())) {
        ("npm" | "yarn" | "pnpm", Some("test" | "t" | "tst")) => Starts::Script { name: None, at: next },
        (_, Some("run" | "run-script")) if words.get(next + 1).is_some_and(|word| !word.text.starts_with('-')) => {
            Starts::Script { name: Some(next + 1), at: next + 1 }
        }
        ("yarn" | "pnpm", Some("jest")) => Starts::Runner { runner: TestRunner::Jest, at: next },
        ("yarn" | "pnpm", Some("vitest")) => program_at(words, next, "vitest"),
        _ => Starts::Other,
    }
}

/// The first word from `at` on that is no option. `-m` ends Python's own.
fn past_options(words: &[Word], mut at: usize, taking: &[&str]) -> usize {
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if !text.starts_with('-') || text == "-m" {
            break;
        }
        if text == "--" {
            return at + 1;
        }
        at += if taking.contains(&text) { 2 } else { 1 };
    }
    at
}

fn is_python(name: &str) -> bool {
    name.strip_prefix("python").is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

/// A program's name without its folder.
pub(super) fn program(word: &Word) -> &str {
    word.text.rsplit('/').next().unwrap_or(&word.text)
}

#[cfg(test)]
mod tests {
    use super::super::shell;
    use super::*;

    #[test]
    fn the_runner_is_found_behind_whatever_stands_before_it() {
        for (line, expected) in [
            ("pytest -q", "pytest@0"),
            ("python -m pytest tests", "pytest@2"),
            ("python3.12 -B -W error -m pytest", "pytest@5"),
            (".venv/bin/python -m unittest discover", "unittest@2"),
            ("uv run --with pytest pytest -q", "pytest@4"),
            ("uv run python -m pytest", "pytest@4"),
            ("poetry run pytest", "pytest@2"),
            ("env -u X CI=1 timeout 60 pytest", "pytest@6"),
            ("coverage run -m pytest", "pytest@3"),
            ("python -m coverage run --branch -m unittest", "unittest@6"),
            ("cargo test", "cargo test@1"),
            ("cargo +stable --locked test -p a", "cargo test@3"),
            ("cargo nextest run", "cargo nextest@2"),
            ("cargo nextest list", "other"),
            ("cargo build", "other"),
            ("node --test", "node --test@1"),
            ("node --import tsx --test tests/", "node --test@3"),
            ("node index.js", "other"),
            ("npx vitest run", "vitest@2"),
            ("npx --yes jest --ci", "jest@2"),
            ("yarn jest", "jest@1"),
            ("go test ./...", "go test@1"),
            ("go vet ./...", "other"),
            ("npm test", "script"),
            ("npm run check -- --x", "script check"),
            ("npm --prefix sub test", "other"),
            ("npm install", "other"),
            ("pnpm exec vitest", "vitest@2"),
            ("make check", "make"),
            ("ctest --output-on-failure", "a JUnit writer@0"),
            ("python script.py", "other"),
            ("./run-tests.sh", "other"),
            ("", "other"),
        ] {
            let commands = shell::read(line).unwrap();
            let command = commands.first().cloned().unwrap_or_default();
            let shown = match starts(&command) {
                Starts::Runner { runner, at } => format!("{runner}@{at}"),
                Starts::Script { name: Some(name), .. } => format!("script {}", command.words[name].text),
                Starts::Script { .. } => "script".to_owned(),
                Starts::Make { .. } => "make".to_owned(),
                Starts::Folder => "cd".to_owned(),
                Starts::Other => "other".to_owned(),
            };
            assert_eq!(shown, expected, "{line}");
        }
    }
}
