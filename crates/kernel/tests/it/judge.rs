//! A change is tried in one round, by what can be run.

use crate::support::Play;
use serde_json::{Value, json};
use tribunal_kernel::evidence::EvidenceCommand;
use tribunal_kernel::judge::{EVIDENCE, Settings, evidence_of};
use tribunal_kernel::{Binding, Digest, Outcome, RunId, RunSpec, SeatName};
use uuid::Uuid;

fn spec() -> RunSpec {
    let line = "python3 -m pytest -q".to_owned();
    let settings = Settings {
        name: "main..HEAD".into(),
        base: "1111111".into(),
        head: "2222222".into(),
        commands: vec![EvidenceCommand::new("C1", line)],
        may_change: Vec::new(),
        mutants: 20,
        check_timeout_ms: 600_000,
        network: false,
        carry: Vec::new(),
        setup: Vec::new(),
        verifiers: Vec::new(),
        quorum: 1,
        change: None,
        is_cut: false,
        unheeded: Vec::new(),
        as_changed: false,
    };
    let seat = (SeatName::new(EVIDENCE), Binding { agent: "tribunal/evidence".into(), ..Binding::default() });
    let run = RunId(Uuid::from_u128(5));
    RunSpec { seats: [seat].into(), ..RunSpec::new(run, "/work".into(), Digest::of("Describe the episode."), settings) }
}

/// What the engine brings, with these findings.
fn evidence(commands: &Value, findings: &Value) -> String {
    json!({
        "base": "1111111", "head": "2222222", "seed": Digest::of("x"), "commands": commands, "findings": findings,
        "elapsed_ms": 7,
    })
    .to_string()
}

fn one_command() -> Value {
    let command = json!({ "id": "C1", "line": "python3 -m pytest -q" });
    json!([{ "command": command, "runners": ["pytest"], "runs": [] }])
}

fn play(answer: &str) -> Play {
    let mut play = Play::new(spec());
    play.play(&[answer]);
    play
}

pub(crate) fn a_change_that_does_not_hold() -> Play {
    let text = "tests/test_range.py::test_end passed before and fails now";
    play(&evidence(&one_command(), &json!([{ "code": "regressed", "weight": "fails", "command": "C1", "text": text }])))
}

#[test]
fn a_change_holds_or_it_is_blocked() {
    let held = play(&evidence(&one_command(), &json!([])));
    assert_eq!(held.run().end().unwrap().outcome, Outcome::Converged, "{}", held.transcript());
    let blocked = a_change_that_does_not_hold();
    let end = blocked.run().end().unwrap().clone();
    assert_eq!(end.outcome, Outcome::Blocked, "{}", blocked.transcript());
    assert_eq!(end.reason, "regressed: tests/test_range.py::test_end passed before and fails now");
    assert!(!evidence_of(&blocked.run()).unwrap().holds());
}

/// Silence, absence, an answer that is none: nothing of it is a pass.
#[test]
fn nothing_that_was_not_seen_holds() {
    let nothing = play(&evidence(&json!([]), &json!([])));
    assert_eq!(nothing.run().end().unwrap().outcome, Outcome::NeedsHuman, "{}", nothing.transcript());
    for answer in ["", "{}", "looks good to me", "!the disk is full"] {
        let end = play(answer).run().end().unwrap().clone();
        assert_eq!(end.outcome, Outcome::Failed, "{answer}: {}", end.reason);
    }
}
