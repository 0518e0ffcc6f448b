//! Readers who go away: whatever is printed into a pipe that nobody reads, nothing is said about it and no run is lost.

use crate::people::wait_for;
use crate::support::Project;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Stdio};

/// What a shell says of a program whose reader was gone.
const READER_GONE: i32 = 141;

fn decided() -> Project {
    let project = Project::with_answers("description", 2, &["draft a", "changes_requested", "done b", "ok"]);
    assert_eq!(project.tribunal(&["run"]).code, 0);
    project.write("page.html", "<!doctype html><title>t</title><h1>Bread</h1><p>TODO<img src=x.png>");
    project
}

/// A command whose stdout nobody reads from the very beginning.
fn unread(project: &Project, args: &[&str]) -> Child {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    project.command(args).stdout(writer).spawn().unwrap()
}

/// How it ended, and what it said on stderr.
fn ended(mut child: Child) -> (i32, String) {
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    (child.wait().unwrap().code().unwrap_or(-1), stderr)
}

#[test]
fn a_command_whose_reader_is_gone_ends_quietly() {
    let project = decided();
    for (args, code) in [
        // These do nothing but show something, for as long as somebody looks.
        (&["log"][..], READER_GONE),
        (&["log", "--json"], READER_GONE),
        (&["watch"], READER_GONE),
        // These have an exit code of their own.
        (&["status"], 0),
        (&["status", "--json"], 0),
        (&["status", "description"], 0),
        (&["config"], 0),
        (&["config", "--json"], 0),
        (&["check", "page.html"], 1),
        (&["check", "page.html", "--format", "sarif"], 1),
        (&["diff", "--rounds", "1..2"], 0),
        (&["plan"], 0),
        (&["verify"], 0),
        (&["agents", "list"], 0),
        (&["completions", "bash"], 0),
        (&["run", "--json"], 0),
        (&["--help"], 0),
        (&["help", "run"], 0),
        (&["--version"], 0),
    ] {
        let (found, stderr) = ended(unread(&project, args));
        assert_eq!(found, code, "{args:?}: {stderr}");
        assert!(!stderr.contains("panicked") && !stderr.contains("roken pipe"), "{args:?}: {stderr}");
        if args[0] != "run" {
            let notes = ["agents", "check", "plan"].contains(&args[0]);
            assert!(stderr.is_empty() || notes, "{args:?}: {stderr}");
        }
    }
}

#[test]
fn a_reader_may_take_one_line() {
    let project = decided();
    let mut child = project.command(&["log"]).spawn().unwrap();
    let mut line = String::new();
    let mut reader = BufReader::with_capacity(1, child.stdout.take().unwrap());
    reader.read_line(&mut line).unwrap();
    drop(reader);
    assert!(line.contains("opened, run "), "{line}");
    let (code, stderr) = ended(child);
    assert!(code == 0 || code == READER_GONE, "whether it was done before is a matter of time: {code}");
    assert_eq!(stderr, "");
}

#[test]
fn an_old_stream_is_replayed_or_parsed_to_nobody() {
    let project = Project::left_by_release("theater-single-shipped");
    for args in [&["replay", "--speed", "instant"][..], &["replay", "--speed", "instant", "--json"]] {
        assert_eq!(ended(unread(&project, args)), (READER_GONE, String::new()), "{args:?}");
    }
    let stream = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/theater/ships-in-round-2.txt");
    assert_eq!(ended(unread(&project, &["parse", stream])), (READER_GONE, String::new()));
}

#[test]
fn who_follows_a_run_for_nobody_ends_and_the_run_goes_on() {
    let project = Project::with_answers("description", 1, &["done a", "ok"]);
    project.agent(
        "reviewer.sh",
        "#!/bin/sh\ntouch here\nwhile [ ! -e go ]; do sleep 0.02; done\ncat answers/reviewer.1\n",
    );
    let run = project.spawn(&["run"]);
    wait_for(|| project.path("here").exists());
    let (code, stderr) = ended(unread(&project, &["watch"]));
    assert_eq!((code, stderr.contains("panicked")), (READER_GONE, false), "{stderr}");
    project.write("go", "");
    assert_eq!(crate::support::Output::of(run).code, 0);
}

/// Neither who reads the progress nor who reads the result can end a run by leaving.
#[test]
fn a_run_is_driven_to_its_end_whoever_reads() {
    for (answers, code) in [(["done a", "ok"], 0), (["draft a", "changes_requested"], 1)] {
        for json in [false, true] {
            let project = Project::with_answers("description", 1, &answers);
            let (reader, stderr) = std::io::pipe().unwrap();
            drop(reader);
            let (reader, stdout) = std::io::pipe().unwrap();
            drop(reader);
            let args: &[&str] = if json { &["run", "--json"] } else { &["run"] };
            let run = project.command(args).stdout(stdout).stderr(stderr).spawn().unwrap().wait().unwrap();
            assert_eq!(run.code(), Some(code), "{args:?}");
            assert_eq!((project.calls("creator"), project.calls("reviewer")), (1, 1), "{args:?}");
            assert_eq!(project.tribunal(&["verify"]).code, 0, "{args:?}");
            let status = project.json(&["status", "--json"]);
            assert_ne!(status["runs"][0]["status"], "running", "{args:?}");
        }
    }
}

/// A full disk is not a reader who went away: what could not be written is missed.
#[test]
fn a_result_that_cannot_be_written_is_an_error() {
    let Ok(full) = File::options().write(true).open("/dev/full") else { return };
    let project = decided();
    for args in [&["log"][..], &["status", "--json"], &["config"], &["completions", "bash"], &["run"]] {
        let child = project.command(args).stdout(Stdio::from(full.try_clone().unwrap())).spawn().unwrap();
        let (code, stderr) = ended(child);
        assert_eq!(code, 4, "{args:?}: {stderr}");
        assert_eq!(stderr.matches("cannot write the result").count(), 1, "{args:?}: {stderr}");
        assert!(!stderr.contains("panicked"), "{args:?}: {stderr}");
    }
}
