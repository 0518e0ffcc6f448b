//! Every event has a frozen example, and so has whatever can be said in one: what was written once must stay readable
//! for ever. The examples are counted against the types.

use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeSet;
use syn::Item;

use super::Fault;
use super::orphans::snake;
use crate::repo::Repo;

const EXAMPLES: &str = "testdata/events";
const LOOPS: &str = "crates/kernel/src/loops.rs";

/// An enum whose every variant has an example: where it is, and where an example names the variant.
struct Counted {
    at: &'static str,
    name: &'static str,
    /// In the JSON of an event; for a list, of each of its items.
    pointer: &'static str,
}

const ENUMS: &[Counted] = &[
    Counted { at: "crates/kernel/src/event.rs", name: "Event", pointer: "/type" },
    Counted { at: "crates/kernel/src/turn.rs", name: "Said", pointer: "/data/said/kind" },
    Counted { at: "crates/kernel/src/heard.rs", name: "Utterance", pointer: "/data/utterances/*/kind" },
];

/// What an event may have or not, and some example must have: where it is, where an example has it, and what it is.
const PARTS: &[(&str, &str, &str)] =
    &[("crates/kernel/src/desk/receipt.rs", "/data/said/data/evidence", "a desk's check with evidence")];

/// Where the example of a run's opening names the loop.
/// As it is written today, and as it was.
const LOOP: [&str; 2] = ["/data/spec/loop", "/data/charter/loop"];

pub(super) fn rule(repo: &Repo) -> Result<Vec<Fault>> {
    let mut examples = Vec::new();
    for path in repo.files(&[".json"])?.into_iter().filter(|path| path.starts_with(EXAMPLES)) {
        let text = repo.read(&path)?;
        examples.push(serde_json::from_str(&text).with_context(|| format!("{} is no JSON", path.display()))?);
    }
    let mut faults = Vec::new();
    for Counted { at, name, pointer } in ENUMS {
        let wanted = variants(&repo.read(at)?, name).with_context(|| format!("cannot read {at} as Rust"))?;
        faults.extend(missing(at, &format!("{name}::"), &wanted, &found(&examples, pointer)));
    }
    let wanted = loops(&repo.read(LOOPS)?);
    let opened = LOOP.iter().flat_map(|pointer| found(&examples, pointer)).collect();
    for (at, pointer, what) in PARTS {
        if !examples.iter().any(|example: &Value| example.pointer(pointer).is_some()) {
            faults.push(Fault::file(at, format!("no frozen example of `{what}` in {EXAMPLES}")));
        }
    }
    faults.extend(missing(LOOPS, "a run of the loop ", &wanted, &opened));
    Ok(faults)
}

/// What of `wanted` there is no example of.
fn missing(at: &str, what: &str, wanted: &[String], found: &BTreeSet<&str>) -> Vec<Fault> {
    if wanted.is_empty() {
        return vec![Fault::file(at, format!("nothing to count here: {what}…"))];
    }
    let missing = wanted.iter().filter(|name| !found.contains(name.as_str()));
    missing.map(|name| Fault::file(at, format!("no frozen example of `{what}{name}` in {EXAMPLES}"))).collect()
}

/// What the examples have in this place; `*` stands for every item of a list.
fn found<'e>(examples: &'e [Value], pointer: &str) -> BTreeSet<&'e str> {
    let words = |value: &'e Value, rest: &str| value.pointer(rest).and_then(Value::as_str);
    match pointer.split_once("/*") {
        None => examples.iter().filter_map(|example| words(example, pointer)).collect(),
        Some((list, rest)) => {
            let lists = examples.iter().filter_map(|example| example.pointer(list)?.as_array());
            lists.flatten().filter_map(|item| words(item, rest)).collect()
        }
    }
}

/// The variants of an enum, as JSON has them.
fn variants(source: &str, name: &str) -> Result<Vec<String>> {
    let file = syn::parse_file(source)?;
    let found = file.items.into_iter().find_map(|item| match item {
        Item::Enum(item) if item.ident == name => Some(item.variants),
        _ => None,
    });
    Ok(found.into_iter().flatten().map(|variant| snake(&variant.ident.to_string())).collect())
}

/// The loops that are registered, but for those of tests.
fn loops(source: &str) -> Vec<String> {
    let Some((_, after)) = source.split_once("\nloops! {\n") else { return Vec::new() };
    let Some((list, _)) = after.split_once("\n}") else { return Vec::new() };
    let mut loops = Vec::new();
    let mut is_of_tests = false;
    for line in list.lines().map(str::trim) {
        if line.starts_with("#[") {
            is_of_tests |= line == "#[cfg(test)]";
        } else if let Some((_, folder)) = line.trim_end_matches(',').split_once(": ") {
            if !is_of_tests {
                loops.push(folder.to_owned());
            }
            is_of_tests = false;
        }
    }
    loops
}

#[cfg(test)]
mod tests {
    use super::super::tests::faults;
    use super::*;

    const EVENT: &str = "pub enum Event { RunOpened { a: u8 }, TurnAnswered, Heard }";
    const SAID: &str = "pub enum Other { X }\npub enum Said { Draft { a: u8 }, Done }";
    const UTTERANCE: &str = "pub enum Utterance { Began, RoundEnded { round: u8 } }";
    const REGISTRY: &str = "macro_rules! loops {}\n\nloops! {\n    Review: review,\n    Desk: desk,\n    #[cfg(test)]\n    \
                            Debate: debate,\n}\n";
    const OPENED: &str = r#"{"type": "run_opened", "data": {"charter": {"loop": "review"}}}"#;
    const DESK: &str = r#"{"type": "run_opened", "data": {"charter": {"loop": "desk"}}}"#;
    const DRAFT: &str = r#"{"type": "turn_answered", "data": {"said": {"kind": "draft"}}}"#;
    const DONE: &str = r#"{"type": "turn_answered", "data": {"said": {"kind": "done", "data": {"evidence": 1}}}}"#;
    const BARE: &str = r#"{"type": "turn_answered", "data": {"said": {"kind": "done"}}}"#;
    const HEARD: &str = r#"{"type": "heard", "data": {"utterances": [{"kind": "began"}, {"kind": "round_ended"}]}}"#;

    /// What is said of these examples.
    fn said(examples: &[&'static str]) -> Vec<String> {
        let names: Vec<String> = (0..examples.len()).map(|at| format!("{EXAMPLES}/{at}.json")).collect();
        let mut files = vec![(ENUMS[0].at, EVENT), (ENUMS[1].at, SAID), (ENUMS[2].at, UTTERANCE), (LOOPS, REGISTRY)];
        files.extend(names.iter().map(String::as_str).zip(examples.iter().copied()));
        faults(rule, &files)
    }

    #[test]
    fn complete_examples_are_enough_and_a_loop_of_tests_needs_none() {
        assert_eq!(said(&[OPENED, DESK, DRAFT, DONE, HEARD]), [""; 0]);
    }

    #[test]
    fn whatever_has_no_example_is_named() {
        let rows: [(&[&str], &[&str]); 5] = [
            (
                &[OPENED, DESK, DRAFT, BARE, HEARD],
                &["desk/receipt.rs: no frozen example of `a desk's check with evidence` in testdata/events"],
            ),
            (
                &[OPENED, DRAFT, DONE, HEARD],
                &["loops.rs: no frozen example of `a run of the loop desk` in testdata/events"],
            ),
            (&[OPENED, DESK, DONE, HEARD], &["turn.rs: no frozen example of `Said::draft` in testdata/events"]),
            (
                &[OPENED, DESK, DRAFT, DONE, r#"{"type": "heard", "data": {"utterances": [{"kind": "began"}]}}"#],
                &["heard.rs: no frozen example of `Utterance::round_ended` in testdata/events"],
            ),
            (
                &[OPENED, DESK, DRAFT, DONE],
                &[
                    "event.rs: no frozen example of `Event::heard` in testdata/events",
                    "heard.rs: no frozen example of `Utterance::began` in testdata/events",
                    "heard.rs: no frozen example of `Utterance::round_ended` in testdata/events",
                ],
            ),
        ];
        for (examples, expected) in rows {
            let expected: Vec<String> = expected.iter().map(|fault| format!("crates/kernel/src/{fault}")).collect();
            assert_eq!(said(examples), expected);
        }
    }

    #[test]
    fn types_that_are_not_found_are_no_pass() {
        let files =
            [(ENUMS[0].at, "enum Moved {}"), (ENUMS[1].at, SAID), (ENUMS[2].at, UTTERANCE), (LOOPS, "loops!();")];
        let names =
            [(0, OPENED), (1, DRAFT), (2, DONE), (3, HEARD)].map(|(at, it)| (format!("{EXAMPLES}/{at}.json"), it));
        let files: Vec<_> = files.into_iter().chain(names.iter().map(|(path, text)| (path.as_str(), *text))).collect();
        assert_eq!(
            faults(rule, &files),
            [
                "crates/kernel/src/event.rs: nothing to count here: Event::…",
                "crates/kernel/src/loops.rs: nothing to count here: a run of the loop …",
            ]
        );
    }
}
