//! Canaries: two tests of our own, one that must fail and one that must pass. A runner that says anything else of
//! them says nothing that can be believed.

use serde::{Deserialize, Serialize};

use super::report::{TestReport, TestState};
use super::runner::TestRunner;
use crate::Digest;
use crate::digest::Hasher;

/// Two tests in a file of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canary {
    pub runner: TestRunner,
    /// Where it is put, in the project.
    pub path: String,
    pub text: String,
    /// The name of the test that must pass.
    pub passes: String,
    /// The name of the one that must fail.
    pub fails: String,
}

/// What a runner said of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "song", content = "why")]
pub enum CanarySong {
    /// One failed and one passed.
    True,
    /// Anything else.
    False(String),
    /// Neither of them ran.
    Silent,
    /// There is no place for them, or no way to run them.
    NotPlaced(String),
}

impl CanarySong {
    /// As the rest of a sentence.
    pub(super) fn told(&self) -> String {
        match self {
            Self::True => "one failed and one passed, as they must".into(),
            Self::False(why) => why.clone(),
            Self::Silent => "neither of them ran".into(),
            Self::NotPlaced(why) => format!("none, {why}"),
        }
    }
}

/// Words that names of tests are made of. They look like any other test: whoever wants to spare ours must find them.
const WORDS: [&str; 32] = [
    "adds", "batch", "border", "bounds", "cache", "clears", "count", "default", "drops", "edge", "empty", "entry",
    "field", "group", "handles", "index", "input", "joins", "keeps", "limit", "margin", "merges", "order", "parses",
    "queue", "range", "reads", "rounds", "sorts", "table", "total", "value",
];

/// The canary of a runner. `tests` are the tests of the project: ours is put beside one of them, and is called like it,
/// so that the runner finds it; `folder` is where the runner works, and `text_of` reads a file.
pub fn canary(
    runner: TestRunner,
    seed: Digest,
    folder: &str,
    tests: &[String],
    text_of: impl Fn(&str) -> Option<String>,
) -> Result<Canary, String> {
    let mut names = Names { seed, drawn: 0 };
    let inside =
        |path: &&String| folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let mut own = tests.iter().filter(|path| is_test_of(runner, path)).filter(inside);
    let sibling = own.find(|path| !path.ends_with("conftest.py") && !path.ends_with("__init__.py"));
    let (stem, passes, fails) = (names.draw(), names.draw(), names.draw());
    let (one, two) = (names.number(), names.number());
    let beside = |sibling: Option<&String>, otherwise: &str| {
        let sibling = sibling.cloned().unwrap_or_else(|| super::adapt::join(folder, otherwise));
        renamed(&sibling, &stem)
    };
    let (sum, wrong) = (one + two, one + two + 1);
    let (path, text, passes, fails) = match runner {
        TestRunner::Pytest => {
            let test = |name: &str, sum: u32| format!("def test_{name}():\n    assert {one} + {two} == {sum}\n");
            let text = format!("{}\n\n{}", test(&passes, sum), test(&fails, wrong));
            (beside(sibling, "test_x.py"), text, format!("test_{passes}"), format!("test_{fails}"))
        }
        TestRunner::Unittest => {
            let test = |name: &str, sum: u32| {
                format!("    def test_{name}(self):\n        self.assertEqual({one} + {two}, {sum})\n")
            };
            let class = "import unittest\n\n\nclass Case(unittest.TestCase):\n";
            let text = format!("{class}{}\n{}", test(&passes, sum), test(&fails, wrong));
            (beside(sibling, "test_x.py"), text, format!("test_{passes}"), format!("test_{fails}"))
        }
        TestRunner::CargoTest | TestRunner::Nextest => {
            let test =
                |name: &str, sum: u32| format!("#[test]\nfn {name}() {{\n    assert_eq!({one} + {two}, {sum});\n}}\n");
            let package = rust_package(folder, sibling, &text_of)?;
            let path = super::adapt::join(&package, &format!("tests/{stem}.rs"));
            (path, format!("{}\n{}", test(&passes, sum), test(&fails, wrong)), passes, fails)
        }
        TestRunner::NodeTest => {
            let test =
                |name: &str, sum: u32| format!("test('{name}', () => {{ assert.equal({one} + {two}, {sum}); }});\n");
            // A module in any project, whatever its files are by default.
            let path = beside(sibling, "x.test.mjs");
            let path = path.rsplit_once('.').map_or(path.clone(), |(path, _)| format!("{path}.mjs"));
            let head = "import test from 'node:test';\nimport assert from 'node:assert/strict';\n\n";
            (path, format!("{head}{}{}", test(&passes, sum), test(&fails, wrong)), passes, fails)
        }
        TestRunner::Vitest | TestRunner::Jest => {
            let test =
                |name: &str, sum: u32| format!("test('{name}', () => {{\n  expect({one} + {two}).toBe({sum});\n}});\n");
            let import = "import { expect, test } from 'vitest';\n\n";
            let head = if runner == TestRunner::Vitest { import } else { "" };
            let path = beside(sibling, "x.test.js");
            (path, format!("{head}{}{}", test(&passes, sum), test(&fails, wrong)), passes, fails)
        }
        TestRunner::GoTest => {
            let sibling = sibling.ok_or("there is no Go test that it could be put beside")?;
            let package = text_of(sibling).and_then(|text| {
                text.lines().find_map(|line| line.strip_prefix("package ").map(|name| name.trim().to_owned()))
            });
            let package = package.ok_or("the package of the Go tests is not known")?;
            let camel = |name: &str| format!("Test{}", name.split('_').map(capital).collect::<String>());
            let (passes, fails) = (camel(&passes), camel(&fails));
            let test = |name: &str, sum: u32| {
                format!(
                    "func {name}(t *testing.T) {{\n\tif got := {one} + {two}; got != {sum} {{\n\t\tt.Fatal(got)\n\t}}\n}}\n"
                )
            };
            let text =
                format!("package {package}\n\nimport \"testing\"\n\n{}\n{}", test(&passes, sum), test(&fails, wrong));
            (renamed(sibling, &stem), text, passes, fails)
        }
        TestRunner::JunitWriter => return Err("the language of its tests is not known".into()),
    };
    Ok(Canary { runner, path, text, passes, fails })
}

impl Canary {
    /// Holds a report against what the tests must have done.
    pub fn heard(&self, report: Option<&TestReport>) -> CanarySong {
        let Some(report) = report else {
            return CanarySong::False("there is no report with the canaries in it".into());
        };
        let state = |name: &str| {
            let ends = |told: &str| {
                told.strip_suffix(name)
                    .is_some_and(|before| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
            };
            report.tests.iter().find(|(told, _)| ends(told)).map(|(_, seen)| seen.state)
        };
        let told = |state: Option<TestState>| state.map_or("not reported", TestState::told);
        match (state(&self.passes), state(&self.fails)) {
            (Some(TestState::Passed), Some(TestState::Failed)) => CanarySong::True,
            (None, None) => CanarySong::Silent,
            (passes, fails) => CanarySong::False(format!(
                "a test that must fail is {} and a test that must pass is {}",
                told(fails),
                told(passes)
            )),
        }
    }
}

/// Draws names from a seed: the same ones again for whoever looks at a receipt.
struct Names {
    seed: Digest,
    drawn: u32,
}

impl Names {
    fn next(&mut self) -> [u8; 32] {
        self.drawn += 1;
        let mut hasher = Hasher::default();
        hasher.field(b"canary").field(&self.seed.0).field(&self.drawn.to_le_bytes());
        hasher.finish().0
    }

    fn draw(&mut self) -> String {
        let bytes = self.next();
        let word = |byte: u8| WORDS[usize::from(byte) % WORDS.len()];
        let number = u32::from(bytes[2]) * 256 + u32::from(bytes[3]);
        format!("{}_{}_{number}", word(bytes[0]), word(bytes[1]))
    }

    fn number(&mut self) -> u32 {
        u32::from(self.next()[0]) + 2
    }
}

/// A sibling's path with its own part of the name changed: `test_a.py`, `a_test.go`, `a.spec.ts` keep what makes them
/// tests.
fn renamed(sibling: &str, stem: &str) -> String {
    let (folder, name) = sibling.rsplit_once('/').map_or(("", sibling), |(folder, name)| (folder, name));
    let (base, extension) = name.split_once('.').unwrap_or((name, ""));
    let base = if base.starts_with("test_") {
        format!("test_{stem}")
    } else if base.ends_with("_test") {
        format!("{stem}_test")
    } else if base.starts_with("test-") {
        format!("test-{stem}")
    } else {
        stem.to_owned()
    };
    super::adapt::join(folder, &format!("{base}.{extension}"))
}

/// Whether a test may be one of this runner's.
fn is_test_of(runner: TestRunner, path: &str) -> bool {
    let extension = path.rsplit('.').next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or(path);
    match runner {
        TestRunner::Pytest | TestRunner::Unittest => {
            extension == "py" && (name.starts_with("test") || name.ends_with("_test.py"))
        }
        TestRunner::CargoTest | TestRunner::Nextest => extension == "rs",
        TestRunner::GoTest => name.ends_with("_test.go"),
        TestRunner::NodeTest => matches!(extension, "js" | "mjs" | "cjs"),
        TestRunner::Vitest | TestRunner::Jest => {
            matches!(extension, "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx")
                && (name.contains(".test.") || name.contains(".spec.") || path.contains("__tests__/"))
        }
        TestRunner::JunitWriter => false,
    }
}

/// The package whose `tests/` ours go to: the one that the runner is in, else the one that has a test already.
fn rust_package(
    folder: &str,
    sibling: Option<&String>,
    text_of: &impl Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let is_package = |folder: &str| {
        text_of(&super::adapt::join(folder, "Cargo.toml"))
            .is_some_and(|text| text.lines().any(|line| line.trim() == "[package]"))
    };
    if is_package(folder) {
        return Ok(folder.to_owned());
    }
    let mut above = sibling.map_or("", |path| path.as_str());
    while let Some((parent, _)) = above.rsplit_once('/') {
        if is_package(parent) {
            return Ok(parent.to_owned());
        }
        above = parent;
    }
    Err("it is not known which package of the workspace it could be put in".into())
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_ascii_uppercase().to_string() + chars.as_str()).unwrap_or_default()
}
