//! Every name that the server sends to watchers is known to the page's reducer, and to a test of it.

use anyhow::Result;
use std::collections::BTreeSet;

use super::Fault;
use super::corpus::Corpus;
use super::events::{ENUMS, Variant, variants};
use super::rust::words;
use super::script::{Kind, Script};

const REDUCER: &str = "web/src/reducer";

#[expect(clippy::unnecessary_wraps, reason = "a check, like others that can fail")]
pub(super) fn rule(corpus: &Corpus<'_>) -> Result<Vec<Fault>> {
    if !corpus.has_page() {
        return Ok(Vec::new());
    }
    let streamed = ENUMS.iter().filter(|events| events.is_streamed);
    let sent: Vec<Variant> = streamed.flat_map(|events| variants(corpus, events)).collect();
    let names: BTreeSet<&str> = sent.iter().map(|variant| variant.wire.as_str()).collect();
    let handled: BTreeSet<String> = corpus.scripts(REDUCER).flat_map(|script| handled(script, &names)).collect();
    let tested: BTreeSet<String> = corpus.script_tests(REDUCER).flat_map(told).collect();

    let mut faults = Vec::new();
    for variant in &sent {
        let mut item = variant.item.clone();
        item.name = format!("critique.{}", variant.wire);
        if !handled.contains(&variant.wire) {
            faults.push(item.fault("is sent, and web/src/reducer has no case for it"));
        }
        if !tested.contains(&variant.wire) {
            faults.push(item.fault("is in no test of web/src/reducer"));
        }
    }
    Ok(faults)
}

/// The names that have a case, or a key in a table. An object is such a table if all of its keys are names of events: the
/// state has a `ship`, too.
fn handled(script: &Script, names: &BTreeSet<&str>) -> Vec<String> {
    let mut found = Vec::new();
    for at in 0..script.tokens.len() {
        if script.word(at) == Some("case") {
            found.extend(script.text(at + 1).map(str::to_owned));
        }
        if script.is_mark(at, '{')
            && let Some(keys) = script.keys(at)
            && keys.iter().all(|(_, key)| names.contains(key))
        {
            found.extend(keys.into_iter().map(|(_, key)| key.to_owned()));
        }
    }
    found
}

/// The words of all texts, and all keys and calls.
fn told(script: &Script) -> Vec<String> {
    let of_token = |(at, kind): (usize, &Kind)| -> Vec<String> {
        match kind {
            Kind::Text(text) => words(text).map(str::to_owned).collect(),
            Kind::Template(parts) => parts.iter().flat_map(|part| words(part)).map(str::to_owned).collect(),
            Kind::Word(word) if script.is_mark(at + 1, ':') || script.is_mark(at + 1, '(') => vec![word.clone()],
            _ => Vec::new(),
        }
    };
    script.tokens.iter().map(|token| &token.kind).enumerate().flat_map(of_token).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::orphans;
    use super::*;

    const THEATER: &str = "pub enum TheaterEvent {\n    RoundEnd { a: u8 },\n    Ship,\n}";
    const TEST: &str = "test(\"a round\", () => reduce({ type: \"round_end\" })); test(`{\"type\":\"ship\"}`);";

    fn said(reducer: &str, test: &str) -> Vec<String> {
        let files = [
            ("crates/kernel/src/theater/event.rs", THEATER),
            ("web/src/reducer/reduce.ts", reducer),
            ("web/src/reducer/reduce.test.ts", test),
        ];
        orphans(rule, &files)
    }

    #[test]
    fn names_with_a_case_and_a_test_are_good() {
        let cases = "switch (cue.type) { case \"round_end\": return a; case 'ship': return b; }";
        assert_eq!(said(cases, TEST), Vec::<String>::new());
        let table =
            "const table: Table = { round_end: onRoundEnd, ship(state, cue) { return { ...state, ship: cue } } };";
        assert_eq!(said(table, TEST), Vec::<String>::new());
        assert_eq!(orphans(rule, &[("crates/kernel/src/theater/event.rs", THEATER)]), Vec::<String>::new());
    }

    #[test]
    fn a_name_without_a_case_is_named() {
        let cases = "switch (cue.type) { case \"round_end\": return { ...state, ship: null }; } // case \"ship\"";
        assert_eq!(
            said(cases, TEST),
            ["crates/kernel/src/theater/event.rs:3: `critique.ship` is sent, and web/src/reducer has no case for it"]
        );
    }

    #[test]
    fn a_name_without_a_test_is_named() {
        let cases = "switch (cue.type) { case \"round_end\": return a; case \"ship\": return b; }";
        assert_eq!(
            said(cases, "test(\"round_end\", () => {});"),
            ["crates/kernel/src/theater/event.rs:3: `critique.ship` is in no test of web/src/reducer"]
        );
    }
}
