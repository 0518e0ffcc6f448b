//! Tests by name, as a runner's report has them.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

use super::adapted::ReportForm;
use super::libtest;
use crate::desk::{JunitCase, TestCounts, junit_cases};

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestState {
    Passed,
    Skipped,
    Failed,
}

impl TestState {
    pub(super) fn told(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }
}

/// What became of the tests of one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestSeen {
    /// The worst of them.
    pub state: TestState,
    /// Some runners let several tests have the same name.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub times: u32,
}

fn once() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_once(times: &u32) -> bool {
    *times == 1
}

/// What a runner reported.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TestReport {
    pub tests: BTreeMap<String, TestSeen>,
    /// What does not fit together in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
}

/// What stands in the place of a test's name for the file that holds tests.
pub(super) const THE_FILE: &str = "(the file)";
/// More tests than this are not read: the report is then not whole, and says so.
const MOST_TESTS: usize = 100_000;
/// A longer name is cut.
const LONGEST_NAME: usize = 400;

impl TestReport {
    /// Reads a report. Nothing means that there is none in this text.
    pub fn read(form: ReportForm, text: &str) -> Option<Self> {
        match form {
            ReportForm::Junit => junit(text, false),
            ReportForm::NextestJunit => junit(text, true),
            ReportForm::JestJson => jest(text),
            ReportForm::GoJson => go(text),
            ReportForm::Libtest => libtest::read(text),
        }
    }

    pub(super) fn add(&mut self, name: &str, state: TestState) {
        if self.tests.len() >= MOST_TESTS && !self.tests.contains_key(name) {
            if self.faults.is_empty() {
                self.faults.push(format!("it tells of more than {MOST_TESTS} tests"));
            }
            return;
        }
        let end = name.char_indices().nth(LONGEST_NAME).map_or(name.len(), |(at, _)| at);
        let seen = self.tests.entry(name[..end].to_owned()).or_insert(TestSeen { state, times: 0 });
        seen.times += 1;
        seen.state = seen.state.max(state);
    }

    /// Takes in another report of the same run.
    pub fn join(&mut self, other: Self) {
        for (name, seen) in other.tests {
            let own = self.tests.entry(name).or_insert(TestSeen { state: seen.state, times: 0 });
            own.times += seen.times;
            own.state = own.state.max(seen.state);
        }
        self.faults.extend(other.faults);
    }

    /// How many tests ended how; tests of the same name by the worst of them.
    pub fn counts(&self) -> TestCounts {
        let mut counts = TestCounts::default();
        for seen in self.tests.values() {
            let times = u64::from(seen.times);
            match seen.state {
                TestState::Passed => counts.passed += times,
                TestState::Skipped => counts.skipped += times,
                TestState::Failed => counts.failed += times,
            }
        }
        counts
    }

    /// The tests that ended like this.
    pub fn of(&self, state: TestState) -> impl Iterator<Item = &str> {
        self.tests.iter().filter(move |(_, seen)| seen.state == state).map(|(name, _)| name.as_str())
    }
}

/// With libtest's output in it, a test must have come to its end: ending the process with 0 looks like passing.
fn junit(text: &str, has_output: bool) -> Option<TestReport> {
    let mut report = TestReport::default();
    for JunitCase { suites, class, name, state, inner } in junit_cases(text)? {
        if has_output
            && state == TestState::Passed
            && inner.contains("running 1 test")
            && !inner.contains("test result: ")
        {
            report.faults.push(format!("`{name}` ended its process before it came to an end"));
        }
        report.add(&junit_name(&suites, &class, &name), state);
    }
    let end = text.trim_end();
    if !["</testsuites>", "</testsuite>", "/>"].iter().any(|tag| end.ends_with(tag)) && !end.ends_with("-->") {
        report.faults.push("it is cut off".into());
    }
    Some(report)
}

/// Classes under which runners of Python tell of a file that could not be loaded, or asked to be skipped.
const LOADING: [&str; 4] = [
    "unittest.loader._FailedTest",
    "unittest.loader.ModuleSkipped",
    "nose2.loader.LoadTestsFailure",
    "nose2.loader.ModuleImportFailure",
];

/// What unittest does around the tests of a class or a file.
const STEPS: [&str; 4] = ["setUpClass", "setUpModule", "tearDownClass", "tearDownModule"];

/// A test's name in all reports alike. What holds tests has a mark of its own: a file that could not be loaded, a setup.
fn junit_name(suites: &[String], class: &str, name: &str) -> String {
    // Node names a file by where the checkout is.
    let name = if name.starts_with('/') { name.get(common_folder(&[name])..).unwrap_or(name) } else { name };
    let is_pytest = suites.len() == 1 && suites[0] == "pytest";
    if (class.is_empty() && is_pytest) || (class == name && name.contains('.')) {
        return format!("{name}::{THE_FILE}");
    }
    let whole = if class.is_empty() { name.to_owned() } else { format!("{class}.{name}") };
    if let Some(file) = LOADING.iter().find_map(|loading| whole.strip_prefix(loading)?.strip_prefix('.')) {
        return format!("{file}::{THE_FILE}");
    }
    // unittest tells of `setUpClass (tests.test_a.Case)` as if it were a test.
    let step = whole.split_once(" (").and_then(|(step, owner)| Some((step, owner.strip_suffix(')')?)));
    if let Some((step, owner)) = step.filter(|(step, _)| STEPS.contains(step)) {
        return format!("{owner}::(the {step})");
    }
    // Node calls every test's class `test`; what tells its tests apart is the suites around them.
    let is_named = !class.is_empty() && class != "test";
    let owner = if is_named { class.to_owned() } else { suites.join(" > ") };
    match owner.as_str() {
        "" => name.to_owned(),
        owner if is_named => format!("{owner}::{name}"),
        owner => format!("{owner} > {name}"),
    }
}

/// What jest writes. Files are named by their end, for the folder in front differs from checkout to checkout.
fn jest(text: &str) -> Option<TestReport> {
    let value: Value = serde_json::from_str(text).ok()?;
    let files = value.get("testResults")?.as_array()?;
    let paths: Vec<&str> = files.iter().filter_map(|file| file.get("name")?.as_str()).collect();
    let root = common_folder(&paths);
    let mut report = TestReport::default();
    for file in files {
        let path = file.get("name").and_then(Value::as_str).unwrap_or_default();
        let path = path.get(root..).unwrap_or(path);
        let tests = file.get("assertionResults").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for test in tests {
            let name = test.get("fullName").and_then(Value::as_str).unwrap_or_default();
            let state = match test.get("status").and_then(Value::as_str) {
                Some("passed") => TestState::Passed,
                Some("pending" | "skipped" | "todo" | "disabled" | "focused") => TestState::Skipped,
                _ => TestState::Failed,
            };
            report.add(&format!("{path}::{name}"), state);
        }
        // A file that could not even be loaded has no tests.
        if tests.is_empty() && file.get("status").and_then(Value::as_str) == Some("failed") {
            report.add(&format!("{path}::{THE_FILE}"), TestState::Failed);
        }
    }
    Some(report)
}

/// The length of the checkout's path: up to and with `/tree/`, where checkouts keep the project.
fn common_folder(paths: &[&str]) -> usize {
    const TREE: &str = "/tree/";
    let first = paths.first().and_then(|path| path.find(TREE)).map_or(0, |at| at + TREE.len());
    let is_shared = |path: &&str| path.get(..first) == paths.first().and_then(|one| one.get(..first));
    if paths.iter().all(is_shared) { first } else { 0 }
}

/// The events of `go test -json`, one a line among whatever else is printed.
fn go(text: &str) -> Option<TestReport> {
    let mut report = TestReport::default();
    let mut is_any = false;
    let mut open: BTreeMap<String, bool> = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with('{')) {
        let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
        let field = |name: &str| event.get(name).and_then(Value::as_str);
        let (Some(action), Some(package)) = (field("Action"), field("Package")) else { continue };
        is_any = true;
        let Some(test) = field("Test") else {
            if action == "fail" {
                // A package that does not build has no tests that could fail.
                let has_failed = report.of(TestState::Failed).any(|name| name.starts_with(package));
                if !has_failed {
                    report.add(&format!("{package}::(the package)"), TestState::Failed);
                }
            }
            continue;
        };
        let name = format!("{package}::{test}");
        let state = match action {
            "run" => {
                open.insert(name, true);
                continue;
            }
            "pass" => TestState::Passed,
            "fail" => TestState::Failed,
            "skip" => TestState::Skipped,
            _ => continue,
        };
        open.remove(&name);
        report.add(&name, state);
    }
    for name in open.into_keys() {
        report.faults.push(format!("`{name}` began and never ended"));
    }
    is_any.then_some(report)
}
