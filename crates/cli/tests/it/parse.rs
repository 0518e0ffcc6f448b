//! `tribunal parse`: the protocol in, events out.

use crate::support::{Output, Project};
use std::io::Write as _;
use std::process::Stdio;

const SHIPS: &str = include_str!("../../../../testdata/theater/ships-in-round-2.txt");

fn parse(stream: &str, args: &[&str]) -> Output {
    let project = Project::theater("single", "#!/bin/sh\n", "");
    let args: Vec<&str> = ["parse", "-"].iter().chain(args).copied().collect();
    let mut child = project.command(&args).stdin(Stdio::piped()).spawn().unwrap();
    // A stream that is refused may not be read to its end.
    let _ = child.stdin.take().unwrap().write_all(stream.as_bytes());
    Output::of(child)
}

#[test]
fn every_chunking_prints_the_same_lines() {
    let whole = parse(SHIPS, &["--run-id", "r1", "--project", "p", "--artifact", "a"]);
    assert_eq!(whole.code, 0, "{}", whole.all());
    insta::assert_snapshot!("parse_ships_in_round_2", whole.stdout);
    for chunk in ["1", "7", "64", "4096"] {
        let cut = parse(SHIPS, &["--run-id", "r1", "--project", "p", "--artifact", "a", "--chunk", chunk]);
        assert_eq!(cut.stdout, whole.stdout, "{chunk}");
    }
}

#[test]
fn a_stream_that_cannot_be_read_ends_with_degraded_and_exit_code_1() {
    for (name, stream, expected) in [
        (
            "cut off",
            &SHIPS[..900],
            r#"{"type":"degraded","runId":"run","reason":"malformed_block","adapter":"panel","position":900}"#,
        ),
        (
            "no run at all",
            "Hello.",
            r#"{"type":"degraded","runId":"run","reason":"malformed_block","adapter":"panel","position":6}"#,
        ),
        (
            "another version",
            "<CRITIQUE_RUN version=\"2\">",
            r#"{"type":"degraded","runId":"run","reason":"protocol_version_mismatch","adapter":"panel","position":0}"#,
        ),
    ] {
        let output = parse(stream, &[]);
        assert_eq!((output.code, output.stdout.lines().last()), (1, Some(expected)), "{name}: {}", output.all());
    }
    let output = parse(SHIPS, &["--set", "parserMaxBlockBytes=1024", "--set", "cast=designer,critic"]);
    assert_eq!(output.code, 0, "{}", output.all());
}

#[test]
fn settings_change_what_the_scoreboard_says() {
    for (name, set, expected) in [
        ("threshold", "scoreThreshold=6", "\"decision\":\"continue\""),
        ("as in the file", "theater.score_threshold=9", "\"status\":\"below_threshold\""),
        ("snake case", "max_rounds=1", "\"status\":\"below_threshold\""),
        ("weights", "weights.critic=1", "\"composite\":6.4"),
    ] {
        let output = parse(SHIPS, &["--set", set]);
        assert!(output.stdout.contains(expected), "{name}: {}", output.all());
    }
    let output = parse(SHIPS, &["--set", "maxRounds=11"]);
    assert_eq!(output.code, 2, "{}", output.all());
    assert!(output.stderr.contains("theater.max_rounds") && output.stderr.contains("from 1 to 10"), "{}", output.all());
}
