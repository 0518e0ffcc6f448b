//! A valid stream says the same with anything around it.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use tribunal_wire::{Parser, ParserSettings, WireEvent, write};

use crate::streams::run;
use crate::support::{SPECIMEN, parse};

/// What models and terminals put before their answer. None of it opens a run or a thought that it does not close.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    let scraps = [
        "Let me think. ",
        "```xml\n",
        "```",
        "<think>a <CRITIQUE_RUN version=\"1\"> <ROUND n=\"1\"></think>",
        "<thinking>\n</Thinking>",
        "</think>",
        "<p class=\"x\">",
        "<!-- note",
        "-->",
        "<![CDATA[",
        "]]>",
        "<a href=\"",
        "'",
        "<",
        "</",
        "<!",
        "<CRITIQUE",
        "<CRITIQUE_RUNS version=\"1\">",
        "</CRITIQUE_RUN>",
        "<CRITIQUE_RUN>",
        "<SHIP round=\"1\">",
        "<PANELIST role=\"critic\" score=\"10\">",
        "&lt;CRITIQUE_RUN version=\"1\"&gt;",
        "\x1b[31m",
        "\x1b[",
        "\x1b]0;x",
        "\x1b",
        "\u{feff}",
        "\0",
        "\r\n",
        "é日本🚀",
    ];
    let scrap = prop_oneof![
        6 => select(scraps.to_vec()).prop_map(|scrap| scrap.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..8),
    ];
    vec(scrap, 0..10).prop_map(|scraps| scraps.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn noise_before_and_after_changes_nothing(facts in run(), before in noise(), after in vec(any::<u8>(), 0..200)) {
        let stream = write(&facts);
        let plain = parse(&stream);
        let noisy = parse([before.as_slice(), &stream, &after].concat());
        let moved = |event: &WireEvent<'static>| WireEvent { position: event.position + before.len() as u64, ..event.clone() };
        prop_assert_eq!(noisy.events, plain.events.iter().map(moved).collect::<Vec<_>>());
        prop_assert_eq!(noisy.end, plain.end);
    }
}

#[test]
fn noise_after_the_run_costs_nothing() {
    let after = "<ROUND n=\"1\">".repeat(1000);
    let mut parser = Parser::new(ParserSettings::default());
    parser.push(SPECIMEN.as_bytes(), &mut |_| ()).unwrap();
    let work = parser.work();
    parser.push(after.as_bytes(), &mut |_| panic!("nothing is reported after the run")).unwrap();
    assert_eq!(parser.work(), work);
}
