//! The tests of a `JUnit` report, one by one.

use super::junit::{Tag, attributes, skipped, tag};
use crate::evidence::TestState;

/// A test, with whatever tells it apart from others of its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JunitCase<'t> {
    /// The names of the suites around it, outermost first.
    pub(crate) suites: Vec<String>,
    pub(crate) class: String,
    pub(crate) name: String,
    pub(crate) state: TestState,
    /// Everything between its tags, as it is written: what it printed, among others.
    pub(crate) inner: &'t str,
}

const TAGS: [&str; 9] =
    ["testsuites", "testsuite", "/testsuite", "testcase", "/testcase", "failure", "error", "skipped", "/testsuites"];
/// The message of a failure is an attribute, and may be as long as the assertion.
const LONGEST_TAG: usize = 1 << 20;

/// Every test of a report; nothing if the text is none.
pub(crate) fn junit_cases(text: &str) -> Option<Vec<JunitCase<'_>>> {
    let mut rest = text;
    let mut suites: Vec<String> = Vec::new();
    let mut cases = Vec::new();
    let mut current: Option<JunitCase<'_>> = None;
    let (mut is_report, mut is_todo) = (false, false);
    while let Some(start) = rest.find('<') {
        let tail = &rest[start..];
        if let Some(length) = skipped(tail) {
            rest = &tail[length..];
            continue;
        }
        let Some(Tag { name, attributes: inner, is_closed, length }) = tag(tail, &TAGS, LONGEST_TAG) else {
            rest = &tail[1..];
            continue;
        };
        rest = &tail[length..];
        let value = |wanted: &str| {
            attributes(inner).find(|(name, _)| *name == wanted).map(|(_, value)| unescaped(value)).unwrap_or_default()
        };
        match name {
            "testsuites" => is_report = true,
            "testsuite" => {
                is_report = true;
                if !is_closed {
                    suites.push(value("name"));
                }
            }
            "/testsuite" => {
                suites.pop();
            }
            "testcase" => {
                cases.extend(current.take());
                is_todo = false;
                let case = JunitCase {
                    suites: suites.clone(),
                    class: value("classname"),
                    name: value("name"),
                    state: TestState::Passed,
                    inner: if is_closed { "" } else { rest },
                };
                if is_closed {
                    cases.push(case);
                } else {
                    current = Some(case);
                }
            }
            "/testcase" => {
                cases.extend(current.take().map(|case| {
                    let length = case.inner.len() - tail.len();
                    JunitCase { inner: &case.inner[..length], ..case }
                }));
            }
            "failure" | "error" => {
                if let Some(case) = current.as_mut().filter(|_| !is_todo) {
                    case.state = TestState::Failed;
                }
            }
            "skipped" => {
                // What is still to do may fail, and is reported as both.
                is_todo = value("type") == "todo";
                if let Some(case) = current.as_mut()
                    && (case.state == TestState::Passed || is_todo)
                {
                    case.state = TestState::Skipped;
                }
            }
            _ => {}
        }
    }
    cases.extend(current);
    is_report.then_some(cases)
}

/// A value without XML's five entities and its numbers.
fn unescaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let Some(end) = tail.find(';').filter(|end| *end <= 10) else {
            out.push('&');
            rest = &tail[1..];
            continue;
        };
        let entity = &tail[1..end];
        let number = entity.strip_prefix('#').and_then(|number| match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => number.parse().ok(),
        });
        match (entity, number.and_then(char::from_u32)) {
            ("lt", _) => out.push('<'),
            ("gt", _) => out.push('>'),
            ("amp", _) => out.push('&'),
            ("quot", _) => out.push('"'),
            ("apos", _) => out.push('\''),
            (_, Some(c)) => out.push(c),
            _ => out.push_str(&tail[..=end]),
        }
        rest = &tail[end + 1..];
    }
    out + rest
}
