//! Base and head side by side, test by test.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use super::report::{THE_FILE, TestReport, TestState};

/// What became of tests between two runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TestComparison {
    /// They passed, and are not there any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vanished: Vec<String>,
    /// They passed, and are skipped now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub newly_skipped: Vec<String>,
    /// They passed, and fail now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub newly_failing: Vec<String>,
    /// They failed, and are not run any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<String>,
    /// They did not pass, and do now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<String>,
    /// They were not there, and pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    /// They pass both times.
    pub kept: u64,
}

impl TestComparison {
    /// Compares two reports by the names of their tests.
    pub fn of(before: &TestReport, after: &TestReport) -> Self {
        let mut found = Self::default();
        for (name, then) in &before.tests {
            let now = after.tests.get(name);
            let list = match (then.state, now.map(|now| now.state)) {
                (TestState::Passed, None) => &mut found.vanished,
                (TestState::Passed, Some(TestState::Skipped)) => &mut found.newly_skipped,
                (TestState::Passed, Some(TestState::Failed)) => &mut found.newly_failing,
                (TestState::Passed, Some(TestState::Passed)) => {
                    // Of several tests of one name one may be gone.
                    if now.is_some_and(|now| now.times < then.times) {
                        found.vanished.push(name.clone());
                    } else {
                        found.kept += 1;
                    }
                    continue;
                }
                (_, Some(TestState::Passed)) => &mut found.fixed,
                (TestState::Failed, Some(TestState::Skipped)) => &mut found.hidden,
                (TestState::Failed, None) if is_test(name, after) || is_silent(name, after) => &mut found.hidden,
                _ => continue,
            };
            list.push(name.clone());
        }
        found.forgive_chance(before, after);
        let is_new = |name: &&str| !before.tests.contains_key(*name);
        found.added = after.of(TestState::Passed).filter(is_new).map(str::to_owned).collect();
        found
    }

    /// A parameter that is drawn, or that names the folder in which a test runs, makes another name of the same test: one that
    /// is gone counts as kept if there is a new one that differs from it in nothing but figures and such folders.
    fn forgive_chance(&mut self, before: &TestReport, after: &TestReport) {
        if !self.vanished.iter().any(|name| name.contains('[')) {
            return;
        }
        let mut unused: BTreeMap<String, u32> = BTreeMap::new();
        for name in after.of(TestState::Passed).filter(|name| !before.tests.contains_key(*name)) {
            *unused.entry(without_chance(name)).or_default() += 1;
        }
        let mut kept = 0;
        let is_gone = |name: &String| match unused.get_mut(&without_chance(name)) {
            Some(left) if name.contains('[') && 0 < *left => {
                *left -= 1;
                kept += 1;
                false
            }
            _ => true,
        };
        self.vanished.retain(is_gone);
        self.kept += kept;
    }

    /// Whether something that passed does not any more.
    pub fn has_lost(&self) -> bool {
        ![&self.vanished, &self.newly_skipped, &self.newly_failing, &self.hidden].iter().all(|tests| tests.is_empty())
    }
}

/// A test's name with the same sign for every figure and every folder that we made for it to run in.
fn without_chance(name: &str) -> String {
    let (test, parameters) = name.split_once('[').unwrap_or((name, ""));
    let mut plain = format!("{test}[");
    let words = parameters.split_inclusive(|c: char| !(c.is_alphanumeric() || "/._-".contains(c)));
    for word in words {
        // `…/given-2/tree/x`
        let own = match word.rsplit_once("/tree") {
            Some((_, rest)) if word.starts_with('/') => rest,
            _ => word,
        };
        let mut was_digit = false;
        for c in own.chars() {
            if !(c.is_ascii_digit() && was_digit) {
                plain.push(if c.is_ascii_digit() { '0' } else { c });
            }
            was_digit = c.is_ascii_digit();
        }
    }
    plain
}

/// Whether what failed under this name is a test, and not what holds some: a file that could not be loaded, a suite.
fn is_test(name: &str, after: &TestReport) -> bool {
    match (name.rsplit_once("::"), name.rsplit_once(" > ")) {
        (Some((_, own)), _) => !own.starts_with("(the "),
        // Suites have no mark of their own: it is a test if others beside it are.
        (None, Some((owner, _))) => {
            after.tests.keys().any(|other| other.rsplit_once(" > ").is_some_and(|it| it.0 == owner))
        }
        (None, None) => false,
    }
}

/// Whether a file that could not be loaded can be now, and none of its tests passes all the same.
fn is_silent(name: &str, after: &TestReport) -> bool {
    let Some(file) = name.strip_suffix(THE_FILE).and_then(|file| file.strip_suffix("::")) else { return false };
    let is_of_file = |test: &str| test.strip_prefix(file).is_some_and(|rest| rest.starts_with(['.', ':']));
    !after.of(TestState::Passed).any(is_of_file)
}

/// Whether a command was seen red without the work and green with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedGreen {
    pub red: RedSeen,
    /// Tests that were seen red and are green, where tests have names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
    /// New tests that pass without the work as well: they show nothing of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never_red: Vec<String>,
}

/// Where it was seen red.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RedSeen {
    AtBase,
    WithoutTheWork,
    Never,
}

impl RedGreen {
    /// By the runs at the base, with the work's tests alone, and with the work.
    pub fn of(
        base: (bool, Option<&TestReport>),
        alone: Option<(bool, Option<&TestReport>)>,
        now: Option<&TestReport>,
    ) -> Self {
        let red = match (base.0, alone) {
            (false, _) => RedSeen::AtBase,
            (true, Some((false, _))) => RedSeen::WithoutTheWork,
            (true, _) => RedSeen::Never,
        };
        let (mut tests, mut never_red) = (Vec::new(), Vec::new());
        for name in now.into_iter().flat_map(|now| now.of(TestState::Passed)) {
            let passed =
                |report: &TestReport| report.tests.get(name).is_some_and(|seen| seen.state == TestState::Passed);
            let at_base = base.1.is_some_and(passed);
            match alone {
                _ if at_base => {}
                Some((_, report)) if report.is_some_and(passed) => never_red.push(name.to_owned()),
                _ => tests.push(name.to_owned()),
            }
        }
        Self { red, tests, never_red }
    }

    pub fn is_shown(&self) -> bool {
        self.red != RedSeen::Never
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(tests: &str) -> TestReport {
        let mut report = TestReport::default();
        for test in tests.split_whitespace() {
            let (name, state) =
                test.strip_prefix('!').map_or((test, TestState::Passed), |name| (name, TestState::Failed));
            report.add(name, state);
        }
        report
    }

    #[test]
    fn a_test_whose_parameter_is_drawn_is_not_gone() {
        for (what, before, after, gone) in [
            ("another figure", "t.a[0.9751]", "t.a[0.12]", ""),
            ("a folder of ours", "t.a[/x/1/base-2/tree]", "t.a[/x/1/given/tree]", ""),
            ("one of two is gone", "t.a[1] t.a[2]", "t.a[3]", "t.a[2]"),
            ("the new one fails", "t.a[1]", "!t.a[2]", "t.a[1]"),
            ("another word", "t.a[one]", "t.a[two]", "t.a[one]"),
            ("another test", "t.a[1]", "t.b[2]", "t.a[1]"),
            ("no parameter", "t.a1", "t.a2", "t.a1"),
            ("a new one takes the place of one only", "t.a[1] t.a[2]", "t.a[1] t.a[30]", ""),
        ] {
            let seen = TestComparison::of(&report(before), &report(after));
            assert_eq!(seen.vanished.join(" "), gone, "{what}");
        }
    }
}
