//! What libtest prints, binary by binary. It has no report on stable, so this is the output, and weaker: the tested
//! program could print there, too. What is cheap against that is done: a binary announces how many tests it runs, and
//! must tell of exactly so many.

use super::report::{TestReport, TestState};
use crate::desk::plain;

/// Reads the output of `cargo test`. Nothing if no binary speaks in it.
pub(super) fn read(output: &str) -> Option<TestReport> {
    let output = plain(output);
    let mut report = TestReport::default();
    let mut binary = Binary::default();
    let mut is_any = false;
    for line in output.lines() {
        let text = line.trim();
        if let Some(name) = started_binary(text) {
            binary.close(&mut report);
            binary = Binary { name, ..Binary::default() };
        } else if let Some(count) = text.strip_prefix("running ").and_then(announced) {
            is_any = true;
            // A binary speaks once; a second time belongs to somebody else.
            if binary.announced.is_some() {
                binary.close(&mut report);
                binary = Binary { name: binary.name.clone(), ..Binary::default() };
            }
            binary.announced = Some(count);
        } else if text.starts_with("test result: ") {
            binary.has_result = true;
        } else if let Some((name, state)) = text.strip_prefix("test ").and_then(result) {
            binary.told += 1;
            report.add(&format!("{}{name}", binary.prefix()), state);
        }
    }
    binary.close(&mut report);
    is_any.then_some(report)
}

#[derive(Debug, Default, Clone)]
struct Binary {
    name: String,
    announced: Option<u64>,
    told: u64,
    has_result: bool,
}

impl Binary {
    fn prefix(&self) -> String {
        if self.name.is_empty() { String::new() } else { format!("{}::", self.name) }
    }

    fn close(&self, report: &mut TestReport) {
        let who = if self.name.is_empty() { "a test binary" } else { &self.name };
        match self.announced {
            None if self.name.is_empty() => {}
            None => report.faults.push(format!("`{who}` was started and ran no tests")),
            Some(count) if count != self.told => {
                report.faults.push(format!("`{who}` announced {count} tests and told of {}", self.told));
            }
            Some(_) if !self.has_result => report.faults.push(format!("`{who}` ended without a result")),
            Some(_) => {}
        }
    }
}

/// `Running unittests src/lib.rs (target/debug/deps/calc-0a1b2c3d4e5f6071)`, `Doc-tests calc`
fn started_binary(text: &str) -> Option<String> {
    if let Some(name) = text.strip_prefix("Doc-tests ") {
        return Some(format!("{name} (doc)"));
    }
    let (_, file) = text.strip_prefix("Running ")?.strip_suffix(')')?.rsplit_once(" (")?;
    let name = file.rsplit('/').next()?;
    let is_hash = |hash: &&str| hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    Some(name.rsplit_once('-').filter(|(_, hash)| is_hash(hash)).map_or(name, |(name, _)| name).to_owned())
}

fn announced(text: &str) -> Option<u64> {
    let (number, word) = text.split_once(' ')?;
    matches!(word, "test" | "tests").then(|| number.parse().ok())?
}

/// `tests::adds ... ok`. Lines of documentation move, so their numbers are no part of a name.
fn result(text: &str) -> Option<(String, TestState)> {
    let (name, state) = text.rsplit_once(" ... ")?;
    let state = match state.split([' ', ',']).next()? {
        "ok" => TestState::Passed,
        "FAILED" => TestState::Failed,
        "ignored" => TestState::Skipped,
        _ => return None,
    };
    let name = name.trim_end_matches(" - should panic").trim_end_matches(" - compile");
    let name = match name.rsplit_once(" (line ") {
        Some((before, number)) if number.trim_end_matches(|c: char| !c.is_ascii_digit()).parse::<u32>().is_ok() => {
            before
        }
        _ => name,
    };
    Some((name.to_owned(), state))
}
