//! The closing lines of test runners, one function each.

use super::counts::{Closing, TestCounts};

/// Reads what one runner said.
pub(super) type Read = fn(&str) -> Option<Closing>;

/// Every runner that closes with lines.
pub(super) const ALL: [Read; 10] = [pytest, unittest, cargo, nextest, go, node, vitest, jest, mocha, tap];

/// The last line that `read` understands.
fn last(output: &str, read: impl Fn(&str) -> Option<TestCounts>) -> Option<Closing> {
    let found = output.lines().enumerate().filter_map(|(line, text)| Some((line, read(text.trim())?))).last();
    found.map(|(line, counts)| Closing { line, counts })
}

/// `3 passed` as a number and the word after it.
fn counted(text: &str) -> Option<(u64, &str)> {
    let (number, word) = text.trim().split_once(' ')?;
    Some((number.parse().ok()?, word.trim()))
}

/// Adds up `3 passed, 1 skipped`; nothing if a part is something else.
fn tally<'t>(parts: impl Iterator<Item = &'t str>) -> Option<TestCounts> {
    let mut counts = TestCounts::default();
    for part in parts {
        let (number, word) = counted(part)?;
        match word {
            "passed" | "xpassed" => counts.passed = counts.passed.saturating_add(number),
            "failed" | "error" | "errors" | "timed out" | "exec failed" => {
                counts.failed = counts.failed.saturating_add(number);
            }
            "skipped" | "xfailed" | "todo" | "expected fail" | "pending" => {
                counts.skipped = counts.skipped.saturating_add(number);
            }
            "warning" | "warnings" | "deselected" | "rerun" | "total" | "subtests passed" => {}
            _ => return None,
        }
    }
    Some(counts)
}

/// `=== 3 passed, 1 skipped in 0.05s ===`, with or without the bars.
fn pytest(output: &str) -> Option<Closing> {
    last(output, |line| {
        let (counts, time) = line.trim_matches(['=', ' ']).rsplit_once(" in ")?;
        let time = time.split(' ').next().and_then(|time| time.strip_suffix('s'))?;
        time.parse::<f64>().ok()?;
        if counts.starts_with("no tests ran") || counts.starts_with("no tests collected") {
            return Some(TestCounts::default());
        }
        tally(counts.split(", "))
    })
}

/// `Ran 5 tests in 0.001s`, and what the next line says of them.
fn unittest(output: &str) -> Option<Closing> {
    let mut found = None;
    let mut ran: Option<u64> = None;
    for (line, text) in output.lines().enumerate() {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix("Ran ").and_then(counted).filter(|(_, rest)| rest.starts_with("test")) {
            ran = rest.1.contains(" in ").then_some(rest.0);
        } else if let Some(total) = ran.filter(|_| !text.is_empty()) {
            ran = None;
            let is_closing = ["OK", "FAILED", "NO TESTS RAN"].into_iter().any(|word| text.starts_with(word));
            if is_closing {
                let value = |name: &str| {
                    let parts = text.split(['(', ')', ',']).filter_map(|part| part.trim().split_once('='));
                    parts.filter(|(key, _)| *key == name).find_map(|(_, value)| value.parse().ok()).unwrap_or(0u64)
                };
                let failed =
                    value("failures").saturating_add(value("errors")).saturating_add(value("unexpected successes"));
                let skipped = value("skipped").saturating_add(value("expected failures"));
                found = Some(Closing { line, counts: TestCounts::of_total(total, failed, skipped) });
            }
        }
    }
    found
}

/// `test result: ok. 3 passed; 0 failed; 1 ignored; …`, once for every binary. A result counts if it fits the
/// `running 4 tests` before it; before the first of those the output may have been cut.
fn cargo(output: &str) -> Option<Closing> {
    let mut sum: Option<Closing> = None;
    let mut announced: Option<u64> = None;
    let mut current = None;
    for (line, text) in output.lines().enumerate() {
        let text = text.trim();
        if let Some((number, "test" | "tests")) = text.strip_prefix("running ").and_then(counted) {
            announced = Some(number);
            add(&mut sum, current.take());
        } else if let Some((counts, measured)) = text.strip_prefix("test result: ").and_then(libtest)
            && announced.is_none_or(|announced| announced == counts.total().saturating_add(measured))
        {
            current = Some(Closing { line, counts });
        }
    }
    add(&mut sum, current);
    sum
}

fn add(sum: &mut Option<Closing>, next: Option<Closing>) {
    if let Some(next) = next {
        let mut counts = sum.map(|sum| sum.counts).unwrap_or_default();
        counts.add(next.counts);
        *sum = Some(Closing { line: next.line, counts });
    }
}

/// `ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.00s`, and how many were measured.
fn libtest(text: &str) -> Option<(TestCounts, u64)> {
    let (_, counts) = text.split_once(". ")?;
    let find =
        |name: &str| counts.split(';').filter_map(counted).find(|(_, word)| *word == name).map(|(number, _)| number);
    let counts = TestCounts { passed: find("passed")?, failed: find("failed")?, skipped: find("ignored")? };
    Some((counts, find("measured").unwrap_or(0)))
}

/// `Summary [   0.421s] 630 tests run: 630 passed (2 slow), 2 skipped`.
fn nextest(output: &str) -> Option<Closing> {
    last(output, |line| {
        let (_, rest) = line.strip_prefix("Summary [")?.split_once(']')?;
        let (_, counts) = rest.split_once(" run: ").filter(|(run, _)| run.contains(" test"))?;
        let mut flat = String::with_capacity(counts.len());
        let mut depth = 0u32;
        for c in counts.chars() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ if depth == 0 => flat.push(c),
                _ => {}
            }
        }
        tally(flat.split(", "))
    })
}

/// With `-v` every test has a line, and those with subtests are left out in favour of them; without it a package
/// that is `ok` counts as one test, for it says no more.
fn go(output: &str) -> Option<Closing> {
    let (mut tests, mut packages) = (TestCounts::default(), TestCounts::default());
    let mut is_verbose = false;
    let mut package_line = None;
    let mut pending: Option<(usize, &str)> = None;
    for (line, text) in output.lines().enumerate() {
        is_verbose |= text.trim_start().starts_with("=== RUN ");
        if let Some((indent, ended)) = go_test(text) {
            if let Some((_, before)) = pending.replace((indent, ended)).filter(|(before, _)| indent <= *before) {
                go_count(&mut tests, before);
            }
        } else if let Some(ended) = go_package(text) {
            package_line = Some(line);
            go_count(&mut packages, ended);
        }
    }
    if let Some((_, ended)) = pending {
        go_count(&mut tests, ended);
    }
    Some(Closing { line: package_line?, counts: if is_verbose { tests } else { packages } })
}

fn go_test(text: &str) -> Option<(usize, &str)> {
    let start = text.trim_start();
    let rest = start.strip_prefix("--- ")?;
    let ended = ["PASS", "FAIL", "SKIP"]
        .into_iter()
        .find(|word| rest.strip_prefix(word).is_some_and(|rest| rest.starts_with(": ")))?;
    Some((text.len() - start.len(), ended))
}

/// How a package ended: `PASS`, `FAIL`, or without having run anything.
fn go_package(text: &str) -> Option<&'static str> {
    let mut words = text.split_whitespace();
    let (ended, _, time) = (words.next()?, words.next()?, words.next()?);
    let is_timed = time == "(cached)" || time.strip_suffix('s').is_some_and(|time| time.parse::<f64>().is_ok());
    match ended {
        "ok" if text.contains("[no tests to run]") => Some(""),
        "ok" if is_timed => Some("PASS"),
        "?" if text.contains("[no test files]") => Some(""),
        "FAIL" if is_timed || text.ends_with("failed]") => Some("FAIL"),
        _ => None,
    }
}

fn go_count(counts: &mut TestCounts, ended: &str) {
    let one = TestCounts {
        passed: u64::from(ended == "PASS"),
        failed: u64::from(ended == "FAIL"),
        skipped: u64::from(ended == "SKIP"),
    };
    counts.add(one);
}

/// The block that begins with `# tests 4` or `ℹ tests 4`.
fn node(output: &str) -> Option<Closing> {
    let mut found: Option<Closing> = None;
    let mut has_pass = false;
    for (line, text) in output.lines().enumerate() {
        let Some(text) = text.trim().strip_prefix(['#', 'ℹ']) else { continue };
        let mut words = text.split_whitespace();
        let (Some(name), Some(Ok(number)), None) = (words.next(), words.next().map(str::parse::<u64>), words.next())
        else {
            continue;
        };
        if name == "tests" {
            (found, has_pass) = (Some(Closing { line, counts: TestCounts::default() }), false);
            continue;
        }
        let Some(Closing { counts, .. }) = &mut found else { continue };
        match name {
            "pass" => (counts.passed, has_pass) = (number, true),
            "fail" | "cancelled" => counts.failed = counts.failed.saturating_add(number),
            "skipped" | "skip" | "todo" => counts.skipped = counts.skipped.saturating_add(number),
            _ => {}
        }
    }
    found.filter(|_| has_pass)
}

/// `Tests  3 passed | 1 skipped (4)`.
fn vitest(output: &str) -> Option<Closing> {
    last(output, |line| {
        if line.starts_with("No test files found, exiting") {
            return Some(TestCounts::default());
        }
        let counts = line.strip_prefix("Tests ")?.trim();
        if counts == "no tests" {
            return Some(TestCounts::default());
        }
        tally(counts.split(" (").next()?.split(" | "))
    })
}

/// `Tests:       1 skipped, 3 passed, 4 total`.
fn jest(output: &str) -> Option<Closing> {
    last(output, |line| {
        if line.starts_with("No tests found, exiting") {
            return Some(TestCounts::default());
        }
        tally(line.strip_prefix("Tests:")?.trim().split(", "))
    })
}

/// `3 passing (12ms)`, and below it `1 pending`, `1 failing`.
fn mocha(output: &str) -> Option<Closing> {
    let mut found: Option<Closing> = None;
    for (line, text) in output.lines().enumerate() {
        let Some((number, word)) = counted(text) else { continue };
        if word.starts_with("passing (") {
            found = Some(Closing { line, counts: TestCounts { passed: number, ..TestCounts::default() } });
        } else if let Some(Closing { counts, .. }) = &mut found {
            match word {
                "pending" => counts.skipped = number,
                "failing" => counts.failed = number,
                _ => {}
            }
        }
    }
    found
}

/// `1..4`, `ok 1`, `not ok 2`, `ok 3 # SKIP`. A test that was planned and has no line failed.
fn tap(output: &str) -> Option<Closing> {
    let mut counts = TestCounts::default();
    let mut planned: Option<u64> = None;
    let mut closing = 0;
    for (line, text) in output.lines().enumerate() {
        let point = text.strip_prefix("not ok").map(|rest| (false, rest));
        if let Some(plan) = text.strip_prefix("1..").and_then(|plan| plan.split([' ', '#']).next()?.parse::<u64>().ok())
        {
            planned = Some(planned.unwrap_or(0).saturating_add(plan));
            closing = line;
        } else if let Some((is_ok, rest)) = point.or_else(|| text.strip_prefix("ok").map(|rest| (true, rest)))
            && (rest.is_empty()
                || rest.starts_with(" - ")
                || rest.trim_start().starts_with(|c: char| c.is_ascii_digit()))
        {
            let directive = rest.rsplit_once('#').map(|(_, word)| word.trim_start().to_lowercase()).unwrap_or_default();
            let is_skipped = directive.starts_with("skip") || (directive.starts_with("todo") && !is_ok);
            counts.add(TestCounts {
                passed: u64::from(is_ok && !is_skipped),
                failed: u64::from(!is_ok && !is_skipped),
                skipped: u64::from(is_skipped),
            });
            closing = line;
        }
    }
    counts.failed = counts.failed.saturating_add(planned?.saturating_sub(counts.total()));
    Some(Closing { line: closing, counts })
}
