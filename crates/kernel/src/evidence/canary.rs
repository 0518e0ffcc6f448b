//! Canaries: tests of our own, one that must pass and some that must fail. A runner that says anything else of them says
//! nothing that can be believed.

use serde::{Deserialize, Serialize};

use super::canary_text::CanaryText;
use super::report::{TestReport, TestState};
use super::runner::TestRunner;
use crate::Digest;
use crate::digest::Hasher;

/// Tests in a file of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canary {
    pub runner: TestRunner,
    /// Where it is put, in the project.
    pub path: String,
    pub text: String,
    /// The name of the test that must pass.
    pub passes: String,
    /// The names of those that must fail: one for each way to assert something, since each can be made to lie.
    pub fails: Vec<String>,
}

/// What a runner said of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "song", content = "why")]
pub enum CanarySong {
    /// Each did what it must.
    True,
    /// A test that must fail passed.
    Lied,
    /// Anything else.
    False(String),
    /// None of them ran.
    Silent,
    /// There is no place for them, or no way to run them.
    NotPlaced(String),
}

impl CanarySong {
    /// As the rest of a sentence.
    pub fn told(&self) -> String {
        match self {
            Self::True => "they fail and pass as they must".into(),
            Self::Lied => "a test that must fail passes".into(),
            Self::False(why) => why.clone(),
            Self::Silent => "none of them ran".into(),
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

/// Where the names for scripts begin among all that are drawn.
const FOR_SCRIPTS: u32 = 1000;

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
    let beside = sibling.and_then(|sibling| text_of(sibling)).unwrap_or_default();
    let package = match runner {
        TestRunner::CargoTest | TestRunner::Nextest => rust_package(folder, sibling, &text_of)?,
        _ => String::new(),
    };
    let text = CanaryText {
        stem: names.draw(),
        one: names.number(),
        two: names.number(),
        beside: &beside,
        is_module: sibling.is_none_or(|path| is_module(path, &beside)),
    };
    let otherwise = match runner {
        TestRunner::Pytest | TestRunner::Unittest => "test_x.py",
        TestRunner::NodeTest => "x.test.mjs",
        _ => "x.test.js",
    };
    let near = sibling.cloned().unwrap_or_else(|| super::adapt::join(folder, otherwise));
    let path = match runner {
        TestRunner::CargoTest | TestRunner::Nextest => super::adapt::join(&package, &format!("tests/{}.rs", text.stem)),
        TestRunner::GoTest if sibling.is_none() => return Err("there is no Go test that it could be put beside".into()),
        _ => renamed(&near, &text.stem),
    };
    let (text, passes, fails) = text.of(runner, || names.draw())?;
    Ok(Canary { runner, path, text, passes, fails })
}

impl Canary {
    /// The names of all of them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [&self.passes].into_iter().chain(&self.fails).map(String::as_str)
    }

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
        let passes = state(&self.passes);
        let fails: Vec<Option<TestState>> = self.fails.iter().map(|name| state(name)).collect();
        if passes.is_none() && fails.iter().all(Option::is_none) {
            return CanarySong::Silent;
        }
        let told = |state: Option<TestState>| state.map_or("not reported", TestState::told);
        let wrong = fails.into_iter().find(|state| *state != Some(TestState::Failed));
        match (passes, wrong) {
            (Some(TestState::Passed), None) => CanarySong::True,
            (_, Some(Some(TestState::Passed))) => CanarySong::Lied,
            (_, Some(state)) => CanarySong::False(format!("a test that must fail is {}", told(state))),
            (state, None) => CanarySong::False(format!("a test that must pass is {}", told(state))),
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

/// A name and an exit code that nobody can know before: for what is planted in scripts.
pub fn drawn_for_scripts(seed: Digest) -> (String, u8) {
    let mut names = Names { seed, drawn: FOR_SCRIPTS };
    let name = names.draw();
    // Neither what programs usually say nor what a shell makes of a signal.
    (name, 65 + names.next()[0] % 40)
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

/// Whether a test of JavaScript is a module.
fn is_module(path: &str, text: &str) -> bool {
    let extension = path.rsplit('.').next().unwrap_or_default();
    let is_import = |line: &str| line.starts_with("import ") || line.starts_with("export ");
    extension != "cjs" && (extension == "mjs" || text.lines().any(is_import) || !text.contains("require("))
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
