//! Every decision is made once more, and what was changed since is found.

use crate::support::{Play, settings, spec};
use std::collections::BTreeMap;
use std::sync::Arc;
use tribunal_kernel::audit::{AuditAbout, Audited, audit};
use tribunal_kernel::{Digest, Entry, Event, Judgement, Outcome, Said, Seq, Verdict};

const DRAFT: &str = r#"{"done": true, "candidate": {"content": "A fine text."}}"#;
const NO: &str = r#"{"verdict": "changes_requested", "issues": [{"message": "too long", "severity": "error"}]}"#;
const OK: &str = r#"{"verdict": "ok", "summary": "good"}"#;

/// A review that comes to its end, and all of its texts.
fn played(answers: &[&str]) -> (Vec<Entry>, BTreeMap<Digest, Arc<str>>) {
    let mut play = Play::new(spec(settings("description", 2)));
    play.play(answers);
    let prompts = play.prompts.iter().map(String::as_str);
    let texts = play.texts.values().map(String::as_str).chain(prompts).chain(answers.iter().copied());
    let texts = texts.map(|text| (Digest::of(text), Arc::from(text))).collect();
    (play.entries, texts)
}

fn audited(log: &[Entry], texts: &BTreeMap<Digest, Arc<str>>) -> Audited {
    audit(log, &|digest| texts.get(&digest).cloned(), &tribunal_checks::Inspector)
}

#[test]
fn a_log_as_it_was_written_follows() {
    for answers in [&[DRAFT, OK][..], &[DRAFT, NO, DRAFT, OK], &[DRAFT, NO, DRAFT, NO], &["no json", DRAFT, OK]] {
        let (log, texts) = played(answers);
        let audited = audited(&log, &texts);
        assert_eq!(audited.differences, [], "{answers:?}");
        assert!(audited.is_complete() && !audited.is_contradicted(), "{answers:?}: {audited:?}");
        assert_eq!(audited.followed + audited.given, log.len() as u64);
    }
}

/// The last event of this name.
fn last<'e>(log: &'e mut [Entry], name: &str) -> &'e mut Entry {
    log.iter_mut().rev().find(|entry| entry.event.name() == name).unwrap()
}

/// The last verdict.
fn verdict(log: &mut [Entry]) -> &mut Verdict {
    let Event::TurnAnswered { said, .. } = &mut last(log, "turn_answered").event else { unreachable!() };
    let Said::Verdict(verdict) = &mut **said else { unreachable!() };
    verdict
}

/// The reviewer of the first round, as if it had never been asked.
fn without_judge(log: &mut Vec<Entry>) {
    let closed = log.iter().position(|entry| entry.event.name() == "round_closed").unwrap();
    log.drain(closed - 2..closed);
    for (seq, entry) in (1..).zip(log.iter_mut()) {
        entry.seq = Seq(seq);
        if let Event::TurnStarted { turn, .. } | Event::TurnAnswered { turn, .. } = &mut entry.event {
            turn.0 -= u32::from(turn.0 > 2);
        }
    }
}

type Forgery = (&'static str, fn(&mut Vec<Entry>), AuditAbout);

const FORGERIES: [Forgery; 9] = [
    (
        "a verdict turned to pass",
        |log| {
            verdict(log).judgement = Judgement::Pass;
            verdict(log).word = "ok".into();
        },
        AuditAbout::Said,
    ),
    ("a finding left out", |log| verdict(log).findings.clear(), AuditAbout::Said),
    (
        "a decision turned to converged",
        |log| {
            if let Event::RoundClosed { decision, .. } = &mut last(log, "round_closed").event {
                decision.outcome = Some(Outcome::Converged);
            }
        },
        AuditAbout::Decided,
    ),
    (
        "an outcome turned to converged",
        |log| {
            if let Event::RunClosed { outcome, .. } = &mut last(log, "run_closed").event {
                *outcome = Outcome::Converged;
            }
        },
        AuditAbout::Decided,
    ),
    (
        "the end told in other words",
        |log| {
            if let Event::RunClosed { reason, .. } = &mut last(log, "run_closed").event {
                *reason = "all judges were happy".into();
            }
        },
        AuditAbout::Decided,
    ),
    (
        "another prompt",
        |log| {
            if let Event::TurnStarted { prompt, .. } = &mut last(log, "turn_started").event {
                *prompt = Digest::of("Say ok.");
            }
        },
        AuditAbout::Asked,
    ),
    (
        "another task",
        |log| {
            if let Event::TurnStarted { task, .. } = &mut last(log, "turn_started").event {
                *task = "relax".into();
            }
        },
        AuditAbout::Decided,
    ),
    ("a judge left out", without_judge, AuditAbout::Decided),
    (
        "time that goes back",
        |log| {
            let first = log[0].time;
            last(log, "turn_answered").time = first;
        },
        AuditAbout::Order,
    ),
];

#[test]
fn every_change_of_what_was_decided_is_found() {
    let (log, texts) = played(&[DRAFT, NO, DRAFT, NO]);
    for (what, forge, about) in FORGERIES {
        let mut forged = log.clone();
        forge(&mut forged);
        assert_ne!(forged, log, "{what}");
        let found = audited(&forged, &texts);
        assert!(found.differences.iter().any(|difference| difference.about == about), "{what}: {found:#?}");
    }
}

#[test]
fn what_cannot_be_read_is_never_taken_for_good() {
    let (log, texts) = played(&[DRAFT, OK]);
    let nothing = audited(&log, &BTreeMap::new());
    assert!(nothing.unread > 0 && !nothing.is_complete(), "{nothing:?}");
    // What needs no texts is looked at all the same.
    let mut forged = log.clone();
    let closed = forged.iter().rposition(|entry| entry.event.name() == "round_closed").unwrap();
    let Event::RoundClosed { decision, .. } = &mut forged[closed].event else { unreachable!() };
    decision.outcome = Some(Outcome::NeedsHuman);
    assert!(audited(&forged, &BTreeMap::new()).is_contradicted());
    // An answer that is not here: its verdict is unread, and not a pass.
    let without_answer: BTreeMap<_, _> = texts.into_iter().filter(|(digest, _)| *digest != Digest::of(OK)).collect();
    let found = audited(&log, &without_answer);
    assert_eq!((found.unread, found.is_complete()), (1, false), "{found:?}");
    assert_eq!(audited(&[], &BTreeMap::new()), Audited::default(), "an empty log says nothing");
}

#[test]
fn a_log_that_says_it_is_old_is_let_off_nothing_where_the_rules_are_the_same() {
    let (mut log, texts) = played(&[DRAFT, NO, DRAFT, NO]);
    let Event::RunOpened { spec } = &mut log[0].event else { unreachable!() };
    spec.format = 1;
    assert_eq!(audited(&log, &texts).unchecked, []);
    for (what, forge, about) in FORGERIES {
        let mut forged = log.clone();
        forge(&mut forged);
        let found = audited(&forged, &texts);
        assert!(found.differences.iter().any(|difference| difference.about == about), "{what}: {found:#?}");
        assert_eq!(found.unchecked, [], "{what}");
    }
}
