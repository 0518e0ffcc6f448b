//! A worker or a verifier whose provider takes no requests: the desk waits. It does not go up the ladder, nobody is blocked,
//! and what the worker had done is still there.

use super::{Bench, HONEST, PASSES};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Refused the first time, after half of the work; the second time it sees whether that is still there.
fn refused_once(when: &str) -> String {
    format!(
        "if [ ! -e \"$CALLS/refused\" ]; then\n  touch \"$CALLS/refused\"\n  echo half > half.txt\n  echo \"You've hit your session \
         limit, try again in {when}\" >&2\n  exit 75\nfi\n[ ! -e half.txt ] || touch \"$CALLS/kept\"\nrm -f half.txt\n"
    )
}

fn parked(bench: &Bench) -> usize {
    let log = bench.project.read(&bench.project.log().display().to_string());
    log.matches("\"type\":\"turn_parked\"").count()
}

/// What must hold when it has come to its end.
fn is_well(bench: &Bench, name: &str) {
    assert!(bench.has("memos/calc-complete.md") && !bench.has("memos/calc-blocked.md"), "{name}");
    let log = bench.project.read(&bench.project.log().display().to_string());
    assert_eq!(log.matches("\"type\":\"turn_failed\"").count(), 0, "{name}: nothing failed");
    for seat in ["worker", "verifier"] {
        let calls = bench.calls(seat);
        assert!(calls.iter().all(|call| call == &calls[0]), "{name}: one iteration, one model: {calls:?}");
    }
    assert_eq!(bench.project.tribunal(&["verify"]).code, 0, "{name}");
}

#[test]
fn a_desk_waits_and_goes_on_where_it_was() {
    let once = refused_once("1 second");
    for (name, worker, verifier, calls) in [
        ("worker", format!("{once}{HONEST}"), PASSES.to_owned(), (2, 1)),
        ("verifier", HONEST.to_owned(), format!("{}{PASSES}", once.replace("echo half > half.txt", ":")), (1, 2)),
    ] {
        let bench = Bench::new(&worker, &verifier);
        let output = bench.run();
        assert_eq!(output.code, 0, "{name}: {}", output.all());
        assert_eq!((bench.calls("worker").len(), bench.calls("verifier").len()), calls, "{name}: {}", output.all());
        assert_eq!(parked(&bench), 1, "{name}");
        assert_eq!(bench.project.path("calls/kept").exists(), name == "worker", "{name}: what it had done is kept");
        is_well(&bench, name);
    }
}

#[test]
fn a_leader_that_is_killed_while_it_waits_loses_nothing() {
    let once = refused_once("4 seconds");
    let bench = Bench::new(&format!("{once}{HONEST}"), PASSES);
    let mut leader = bench.project.command(&["desk", "run", "calc"]).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let is_parked = || bench.project.path("calls/refused").exists() && parked(&bench) == 1;
    while !is_parked() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it was never parked");
        assert!(leader.try_wait().unwrap().is_none(), "it ended before");
        std::thread::sleep(Duration::from_millis(10));
    }
    leader.kill().unwrap();
    leader.wait().unwrap();
    assert!(!bench.has("memos/calc-complete.md") && !bench.has("memos/calc-blocked.md"), "no sentinel yet");
    let output = bench.run();
    assert_eq!(output.code, 0, "{}", output.all());
    // Once more only if the kill came so late that the turn had gone on.
    assert!((2..=3).contains(&bench.calls("worker").len()), "{:?}", bench.calls("worker"));
    assert_eq!((bench.calls("verifier").len(), parked(&bench)), (1, 1), "{}", output.all());
    assert!(bench.project.path("calls/kept").exists(), "what it had done is kept");
    is_well(&bench, "killed");
}

#[test]
fn a_desk_that_is_left_while_it_waits_is_not_blocked_and_is_tried_again_when_somebody_says_so() {
    let bench = Bench::new(&format!("{}{HONEST}", refused_once("2 hours")), PASSES);
    let left = bench.project.tribunal(&["desk", "run", "calc", "--set", "run.when_parked=leave"]);
    assert_eq!(left.code, 3, "{}", left.all());
    assert!(!bench.has("memos/calc-blocked.md") && !bench.has("memos/calc-complete.md"), "{}", left.all());
    let status = bench.project.json(&["status", "calc", "--json"]);
    assert_eq!((&status["status"], &status["parked"][0]["seat"]), (&"parked".into(), &"worker".into()), "{status}");
    assert_eq!(bench.project.tribunal(&["interrupt", "calc"]).code, 0);
    let resumed = bench.project.tribunal(&["resume", "calc"]);
    assert_eq!(resumed.code, 0, "{}", resumed.all());
    assert_eq!(bench.calls("worker").len(), 2, "{}", resumed.all());
    assert!(bench.has("memos/calc-complete.md"), "{}", resumed.all());
}
