//! One run of a command on one tree: what was seen, and what it is worth.

use serde::{Deserialize, Serialize};

use super::adapted::{AdaptedLine, ReportStrength};
use super::plan::TreeRole;
use super::report::{TestReport, TestState};
use super::value::EvidenceCommand;
use crate::Digest;
use crate::desk::{CheckEnd, looks_like_tests, tests_run};

/// A run, as a receipt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSeen {
    pub tree: TreeRole,
    /// The line as it was run: with what asks for its report.
    pub line: String,
    #[serde(default)]
    pub exit: Option<i32>,
    pub ended: CheckEnd,
    pub elapsed_ms: u64,
    /// Of the whole output.
    pub output: Digest,
    #[serde(default)]
    pub tail: String,
    /// The whole output, for whoever keeps it.
    #[serde(skip)]
    pub printed: String,
    pub strength: ReportStrength,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<TestReport>,
    pub state: RunState,
    /// Given files that it changed: they were put back after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rewritten: Vec<String>,
}

/// What a run is worth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is", content = "why")]
pub enum RunState {
    Green,
    Red(String),
    /// What was seen does not fit together: it is evidence of nothing.
    Unreliable(String),
}

impl RunSeen {
    pub fn is_green(&self) -> bool {
        self.state == RunState::Green
    }

    /// In a word and the reason.
    pub fn told(&self) -> String {
        let tests = self.report.as_ref().map(|report| {
            let counts = report.counts();
            format!(" ({} passed, {} failed, {} skipped)", counts.passed, counts.failed, counts.skipped)
        });
        let tests = tests.unwrap_or_default();
        match &self.state {
            RunState::Green => format!("green{tests}"),
            RunState::Red(why) => format!("red: {why}{tests}"),
            RunState::Unreliable(why) => format!("unreliable: {why}{tests}"),
        }
    }
}

/// Failing tests that are named in a reason.
const NAMED: usize = 3;

/// What a run is worth, by how it ended, what it printed and what its runner reported.
pub fn state_of(
    command: &EvidenceCommand,
    adapted: Option<&AdaptedLine>,
    (ended, exit): (CheckEnd, Option<i32>),
    report: Option<&TestReport>,
    output: &str,
) -> RunState {
    match ended {
        CheckEnd::Exited => {}
        CheckEnd::TimedOut => return RunState::Red("it timed out".into()),
        CheckEnd::Killed => return RunState::Red("it was killed".into()),
        CheckEnd::NotStarted => return RunState::Red("it could not be started".into()),
    }
    let Some(adapted) = adapted else { return plain_state(command, exit, output) };
    let failing: Vec<&str> = report.map(|report| report.of(TestState::Failed).collect()).unwrap_or_default();
    if exit != Some(0) {
        let code = exit.map_or("no exit code".to_owned(), |code| format!("exit code {code}"));
        return RunState::Red(if failing.is_empty() { code } else { format!("{code}: {} failed", named(&failing)) });
    }
    let Some(report) = report else {
        return RunState::Unreliable("it exited with 0 and left no report of its tests".into());
    };
    if let Some(fault) = report.faults.first() {
        return RunState::Unreliable(format!("its report does not hold together: {fault}"));
    }
    if !failing.is_empty() {
        let failed = format!("{} failed", named(&failing));
        return if adapted.hides_exit {
            RunState::Red(failed)
        } else {
            RunState::Unreliable(format!("its exit code is 0, and by its report {failed}"))
        };
    }
    if let Some(why) = report.counts().failure() {
        return RunState::Red(why);
    }
    // The runner's last line is read by the same eyes that read the report: they must say the same of failures.
    match tests_run(output) {
        Some(told) if told.failed > 0 && adapted.strength() == ReportStrength::File => {
            RunState::Unreliable(format!("by its last line {} tests failed, and by its report none", told.failed))
        }
        _ => RunState::Green,
    }
}

/// A command of which only the end is known. Who is to run tests and says that none ran has shown nothing.
fn plain_state(command: &EvidenceCommand, exit: Option<i32>, output: &str) -> RunState {
    if let Some(why) = command.expects.unmet(exit, output) {
        return RunState::Red(why);
    }
    if command.expects.is_success() && looks_like_tests(&command.line, &command.purpose) {
        if output.trim().is_empty() {
            return RunState::Red("no tests ran".into());
        }
        if let Some(target) = up_to_date(&command.line, output) {
            return RunState::Red(format!("no tests ran: for make `{target}` is a file, and up to date"));
        }
        if let Some(why) = tests_run(output).and_then(|tests| tests.failure()) {
            return RunState::Red(why);
        }
    }
    RunState::Green
}

/// The target of a line that make did not run: where a file has its name there is nothing to do.
fn up_to_date<'l>(line: &'l str, output: &str) -> Option<&'l str> {
    let is_idle = |target: &&str| {
        let idle = [format!("'{target}' is up to date."), format!("Nothing to be done for '{target}'.")];
        let own = output.lines().filter(|line| line.starts_with("make") || line.starts_with("gmake"));
        own.into_iter().any(|line| idle.iter().any(|idle| line.contains(idle)))
    };
    let targets = line.split_whitespace().filter(|word| ["test", "check"].iter().any(|name| word.contains(name)));
    targets.into_iter().find(is_idle)
}

/// A few names, and how many more there are.
pub(super) fn named(names: &[&str]) -> String {
    listed(&names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>())
}

/// The same for what is said as it is.
pub(super) fn listed(names: &[String]) -> String {
    let shown = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn make_that_has_nothing_to_do_ran_no_test() {
        for (line, output, expected) in [
            ("make test", "make: 'test' is up to date.\n", Some("test")),
            ("make -C sub check", "make[1]: Nothing to be done for 'check'.\n", Some("check")),
            ("make build test", "make: 'build' is up to date.\npython3 -m unittest\nOK\n", None),
            ("make test", "1 passed: 'test' is up to date.\n", None),
            ("make test", "OK\n", None),
        ] {
            assert_eq!(up_to_date(line, output), expected, "{line}: {output}");
            let state = plain_state(&EvidenceCommand::new("c", line), Some(0), output);
            assert_eq!(state == RunState::Green, expected.is_none(), "{line}: {output}");
        }
    }
}
