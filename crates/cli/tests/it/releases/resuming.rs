//! Old runs that were cut short go on, and finished turns are not paid for again.

use super::{ALL, called_again, calls, free, is_intact, runs};
use std::fs;

#[test]
fn what_was_cut_short_goes_on_to_its_end() {
    for (name, code, status, again) in [
        ("joust-killed", 0, "converged", "main 1"),
        ("joust-steered", 0, "converged", "main 1, skeptic 1"),
        ("theater-seats-killed", 0, "shipped", "a11y 1, brand 1, copy 1, critic 1, designer 1"),
        ("theater-seats-interrupted", 0, "shipped", "critic 1"),
        ("theater-fork-killed", 0, "shipped", "critic 1"),
        // What a panel says in one stream cannot be taken up in the middle: its best round is handed over.
        ("theater-single-killed", 130, "interrupted", ""),
        ("theater-single-interrupted", 4, "failed", ""),
        // The inner project has spent 1.00 of 1.20, the designer 0.10, and the critic is called once more.
        ("shared-account", 3, "over_budget", "critic 1"),
    ] {
        let project = free(name);
        let (before, all) = (calls(&project), runs(&project));
        let resumed = project.tribunal(&["resume", &all[0]]);
        assert_eq!(resumed.code, code, "{name}: {}", resumed.all());
        let run = &project.json(&["status", "--json"])["runs"][0];
        assert_eq!(run["status"], status, "{name}: {}", resumed.all());
        assert_eq!(called_again(&project, &before), again, "{name}: {}", resumed.all());
        assert_eq!(runs(&project), all, "{name}: the same run");
        is_intact(&project, name);
    }
}

#[test]
fn what_is_handed_over_is_the_same_as_without_the_cut() {
    for (name, file, text) in [
        ("joust-killed", "shipped.md", "# Plan\n\n## Risks\n\nNone known.\n"),
        // Both were told after the resume, and judged by the anchor that was put in place before it.
        ("joust-steered", "shipped.md", "# Plan\n\n## Risks\n\nNone known.\n\n## Cost\n\nLow.\n"),
        ("theater-seats-killed", "shipped.html", "<h1>v2</h1>"),
        ("theater-single-killed", "shipped.html", "<h1>v1</h1>"),
    ] {
        let project = free(name);
        let resumed = project.tribunal(&["resume"]);
        assert_eq!(fs::read_to_string(project.artifact(file)).unwrap(), text, "{name}: {}", resumed.all());
    }
}

#[test]
fn what_is_decided_calls_nobody() {
    for (name, _, statuses) in ALL {
        if statuses.iter().any(|status| ["running", "waiting", "interrupted"].contains(status)) {
            continue;
        }
        let project = free(name);
        let (before, files) = (calls(&project), project.snapshot());
        let resumed = project.tribunal(&["resume"]);
        assert_eq!(resumed.code, 0, "{name}: {}", resumed.all());
        assert!(resumed.stderr.contains("nothing to resume"), "{name}: {}", resumed.all());
        assert_eq!(called_again(&project, &before), "", "{name}");
        assert_eq!(project.snapshot(), files, "{name}");
    }
}

#[test]
fn an_old_run_can_be_steered_before_it_goes_on() {
    for (name, run) in
        [("review-interrupted", "description"), ("review-killed", "description"), ("desk-killed", "calc")]
    {
        let project = free(name);
        let steered = project.tribunal(&["steer", run, "Be brief."]);
        assert_eq!(steered.code, 0, "{name}: {}", steered.all());
        let status = project.tribunal(&["status", run]);
        assert!(status.stdout.contains("ada said: Be brief. (not delivered yet)"), "{name}: {}", status.all());
        is_intact(&project, name);
    }
}
