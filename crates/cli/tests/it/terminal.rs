//! What agents say reaches no terminal as a command: every way in which their text is shown.

use crate::support::{Output, Project};

/// Clears the screen, sets the title, writes the clipboard, moves with one character, turns the direction of the text.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{1b}]52;c;aGk=\u{7}\u{9b}31m\u{202e}\u{2066}\u{200b}\r";

/// Everything that a terminal, or the order of what it shows, obeys.
fn acts(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn check(what: &[&str], output: &Output) {
    for (name, text) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        let found: Vec<char> = text.chars().filter(|c| acts(*c)).collect();
        assert!(found.is_empty(), "{what:?} lets {found:?} through to {name}: {}", output.all());
    }
}

/// A review in which everything that agents can say is hostile.
fn hostile() -> Project {
    let project = Project::new("description", 2);
    let text = serde_json::to_string(HOSTILE).unwrap();
    let raw = HOSTILE.replace('\r', "");
    for round in [1, 2] {
        let content = serde_json::to_string(&format!("{round} {HOSTILE}")).unwrap();
        project.write(
            &format!("answers/creator.{round}"),
            &format!(
                r#"{raw} {{"done": true, "notes": {text}, "candidate": {{"content": {content}, "format": "plain"}}}}"#
            ),
        );
    }
    let issue = format!(r#"{{"message": {text}, "code": {text}, "severity": "error"}}"#);
    project.write(
        "answers/reviewer",
        &format!(r#"{{"verdict": "changes_requested", "summary": {text}, "issues": [{issue}]}}"#),
    );
    project
}

#[test]
fn no_command_passes_on_what_a_terminal_obeys() {
    let project = hostile();
    for args in [
        &["run"][..],
        &["run", "--json"],
        &["run", "-v"],
        &["status"],
        &["status", "--json"],
        &["status", "--search", "again"],
        &["status", "description"],
        &["status", "description", "--json"],
        &["log"],
        &["log", "--json"],
        &["watch"],
        &["watch", "--json"],
        &["diff", "--rounds", "1..2"],
        &["diff", "--rounds", "1..2", "--json"],
        &["plan"],
        &["resume"],
        &["resume", "description"],
        &["steer", "description", HOSTILE],
        &["reopen", "description", "--why", HOSTILE],
        &["interrupt", "description"],
        &["verify"],
        &["reindex"],
        &["export", "description"],
        &["answer", "description"],
        &["fork", "description", "--from-round", "2", "--dry-run"],
        &["explain", HOSTILE],
        &["status", HOSTILE],
        &["run", HOSTILE],
    ] {
        check(args, &project.tribunal(args));
    }
}

#[test]
fn an_agent_that_fails_says_nothing_to_a_terminal() {
    let project = hostile();
    let script = format!("#!/bin/sh\ncat > /dev/null\nprintf '%s' '{HOSTILE}' >&2\nexit 3\n");
    project.agent("creator.sh", &script);
    for args in [&["run", "--set", "run.max_retries=0"][..], &["status"], &["status", "description"], &["log"]] {
        check(args, &project.tribunal(args));
    }
}

#[test]
fn what_somebody_goes_on_with_is_handed_over_byte_for_byte() {
    let project = hostile();
    project.write("answers/reviewer", r#"{"verdict": "ok"}"#);
    assert_eq!(project.tribunal(&["run"]).code, 0);
    let page =
        format!("<!doctype html><html lang=en><title>Bread</title><main><h1>Bread</h1><p>{HOSTILE}</p></main></html>");
    project.write("page.html", &page.replace('\r', ""));
    let output = project.tribunal(&["run", "page.html", "-o", "-"]);
    assert!(output.stdout.contains('\u{202e}'), "{}", output.all());
    check(&["run page.html"], &Output { stdout: String::new(), ..output });
}
