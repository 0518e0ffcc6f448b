//! Generated streams: valid ones, and soups of what streams are made of.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use tribunal_wire::{ClaimedDecision, Fact, ShipStatus, Source};

use crate::scraps::SCRAPS;

/// Scraps and random bytes in any order, most often in a run that has begun.
pub(crate) fn soup() -> impl Strategy<Value = Vec<u8>> {
    let scrap = prop_oneof![
        12 => select(SCRAPS).prop_map(|scrap| scrap.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..6),
        1 => (1..40_usize).prop_map(|count| vec![b'y'; count]),
    ];
    let opening = select(
        &[
            "",
            "<CRITIQUE_RUN version=\"1\">",
            "<CRITIQUE_RUN version=\"1\"><ROUND n=\"1\">",
            "<CRITIQUE_RUN version=\"1\"><ROUND n=\"1\"><PANELIST role=\"designer\">",
            "<CRITIQUE_RUN version=\"1\"><ROUND n=\"1\"><PANELIST role=\"designer\"><ARTIFACT mime=\"a/b\">",
            "<CRITIQUE_RUN version=\"1\"><ROUND n=\"1\"><PANELIST role=\"designer\"><ARTIFACT mime=\"a/b\"><![CDATA[",
            "<CRITIQUE_RUN version=\"1\"><ROUND n=\"1\"><PANELIST role=\"critic\" score=\"5\"><MUST_FIX>",
        ][..],
    );
    (opening, vec(scrap, 0..24)).prop_map(|(opening, scraps)| [opening.as_bytes(), &scraps.concat()].concat())
}

/// A valid stream with something small broken in it.
pub(crate) fn damaged(stream: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    (any::<prop::sample::Index>(), select(SCRAPS), any::<bool>()).prop_map(move |(at, scrap, cut)| {
        let at = at.index(stream.len());
        let rest = if cut { &stream[(at + scrap.len()).min(stream.len())..] } else { &stream[at..] };
        [&stream[..at], scrap.as_bytes(), rest].concat()
    })
}

/// The facts of a whole run, such as the parser reports them.
pub(crate) fn run() -> impl Strategy<Value = Vec<Fact<'static>>> {
    let start = (option::of(Just(3)), option::of(Just(8.0)), option::of(Just(10.0)));
    let rounds = (1..=3_u32).prop_flat_map(|count| (1..=count).map(round).collect::<Vec<_>>());
    (start, rounds, option::of(ship())).prop_map(|((max_rounds, threshold, scale), rounds, ship)| {
        let mut facts = vec![Fact::RunStarted { version: 1, max_rounds, threshold, scale }];
        facts.extend(rounds.into_iter().flatten());
        facts.extend(ship.into_iter().flatten());
        facts.push(Fact::RunEnded);
        facts
    })
}

fn round(round: u32) -> impl Strategy<Value = Vec<Fact<'static>>> {
    let judges = subsequence(vec!["critic", "brand", "a11y", "copy"], 0..=4).prop_shuffle();
    let judges =
        judges.prop_flat_map(move |roles| roles.into_iter().map(|role| judge(round, role)).collect::<Vec<_>>());
    let decision = select(&[ClaimedDecision::Continue, ClaimedDecision::Ship][..]);
    let end = (option::of(0.0..10.0), option::of(0..9_u32), decision, text());
    (draft(round), judges, end).prop_map(move |(draft, judges, (composite, must_fix, decision, reason))| {
        let mut facts = vec![Fact::RoundOpened { round }];
        facts.extend(draft);
        facts.extend(judges.into_iter().flatten());
        facts.push(Fact::RoundEnded { round, composite, must_fix, decision, reason: reason.into() });
        facts
    })
}

fn draft(round: u32) -> impl Strategy<Value = Vec<Fact<'static>>> {
    (option::of(text()), artifact(Source::Draft { round })).prop_map(move |(notes, artifact)| {
        let role = || "designer".into();
        let mut facts = vec![Fact::PanelistOpened { round, role: role(), score: None, must_fix: None }];
        facts.extend(notes.map(|text| Fact::Noted { round, role: role(), text: text.into() }));
        facts.extend(artifact);
        facts.push(Fact::PanelistClosed { round, role: role() });
        facts
    })
}

fn judge(round: u32, role: &'static str) -> impl Strategy<Value = Vec<Fact<'static>>> {
    let says = prop_oneof![
        text().prop_map(move |text| Fact::Noted { round, role: role.into(), text: text.into() }),
        // A demand that says there is none is none.
        text()
            .prop_filter("a demand", |text| !tribunal_wire::says_nothing(text))
            .prop_map(move |text| Fact::MustFixDemanded { round, role: role.into(), text: text.into() }),
        (text(), option::of(score()), text()).prop_map(move |(name, score, note)| Fact::DimScored {
            round,
            role: role.into(),
            name: name.into(),
            score,
            note: note.into()
        }),
    ];
    (score(), option::of(0..20_u32), vec(says, 0..5)).prop_map(move |(score, must_fix, says)| {
        let mut facts = vec![Fact::PanelistOpened { round, role: role.into(), score: Some(score), must_fix }];
        facts.extend(says);
        facts.push(Fact::PanelistClosed { round, role: role.into() });
        facts
    })
}

fn ship() -> impl Strategy<Value = Vec<Fact<'static>>> {
    let statuses = [ShipStatus::Shipped, ShipStatus::BelowThreshold, ShipStatus::TimedOut, ShipStatus::Interrupted];
    let claims = (option::of(0..9_u32), option::of(0.0..10.0), option::of(select(statuses.to_vec())));
    (claims, artifact(Source::Ship), option::of(text())).prop_map(|((round, composite, status), artifact, summary)| {
        let mut facts = vec![Fact::ShipOpened { round, composite, status }];
        facts.extend(artifact);
        facts.extend(summary.map(|text| Fact::Summarised { text: text.into() }));
        facts.push(Fact::ShipClosed);
        facts
    })
}

/// One that is not blank, with whatever in it might be taken for the protocol.
fn artifact(source: Source) -> impl Strategy<Value = Vec<Fact<'static>>> {
    let scrap = prop_oneof![
        2 => select(SCRAPS).prop_map(|scrap| scrap.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..8),
    ];
    (text(), vec(scrap, 0..8), any::<prop::sample::Index>()).prop_map(move |(mime, scraps, at)| {
        let mut bytes = scraps.concat();
        let at = at.index(bytes.len() + 1);
        bytes.insert(at, b'x');
        let len = bytes.len() as u64;
        vec![
            Fact::ArtifactOpened { source, mime: mime.into() },
            Fact::ArtifactChunk(bytes.into()),
            Fact::ArtifactClosed { bytes: len },
        ]
    })
}

fn score() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..=10.0, (0..=100_u8).prop_map(|tenths| f64::from(tenths) / 10.0)]
}

/// Text as the parser hands it out: trimmed, without control characters.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        select(SCRAPS).prop_map(str::to_owned),
        "[a-zA-Z0-9 .,:\n]{0,12}",
        any::<char>().prop_map(String::from),
    ];
    vec(word, 0..5).prop_map(|words| {
        let kept = |character: &char| !character.is_control() || matches!(character, '\n' | '\t' | '\r');
        words.concat().chars().filter(kept).collect::<String>().trim().to_owned()
    })
}

#[test]
fn a_demand_that_says_there_is_none_is_none() {
    for none in ["None", "none.", "n/a", "-", "Nothing.", "No must-fix.", "no issues", " Nothing to fix! "] {
        assert!(tribunal_wire::says_nothing(none), "{none}");
    }
    for demand in ["", "No contrast.", "Nothing works.", "none of it is right"] {
        assert!(!tribunal_wire::says_nothing(demand), "{demand}");
    }
}
