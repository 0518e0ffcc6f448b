//! What earlier releases left behind is read, forked and continued (`testdata/releases/README.md`).
//!
//! | file | noun |
//! |---|---|
//! | `reading` | verify, status, log, replay, export: nothing is changed |
//! | `forking` | variations of old runs |
//! | `resuming` | runs that were cut short, to their end |
//! | `moved` | projects that were moved, copied or opened through a link |

mod forking;
mod moved;
mod reading;
mod resuming;

use crate::support::Project;
use std::collections::BTreeMap;
use std::fs;

/// Every project, its loop, and the status of its runs, newest first.
const ALL: [(&str, &str, &[&str]); 22] = [
    ("review-shipped", "review", &["converged"]),
    ("review-killed", "review", &["running"]),
    ("review-interrupted", "review", &["interrupted"]),
    ("review-steered", "review", &["running"]),
    ("review-forked", "review", &["converged", "needs_human"]),
    ("review-waiting", "review", &["waiting"]),
    ("joust-converged", "joust", &["converged"]),
    ("joust-killed", "joust", &["running"]),
    ("joust-steered", "joust", &["interrupted"]),
    ("theater-seats-shipped", "theater", &["shipped"]),
    ("theater-seats-killed", "theater", &["running"]),
    ("theater-seats-interrupted", "theater", &["interrupted"]),
    ("theater-seats-forked", "theater", &["shipped", "below_threshold"]),
    ("theater-fork-killed", "theater", &["running", "below_threshold"]),
    ("theater-single-shipped", "theater", &["shipped"]),
    ("theater-single-killed", "theater", &["running"]),
    ("theater-single-interrupted", "theater", &["interrupted"]),
    ("shared-account", "theater", &["running"]),
    ("desk-complete", "desk", &["converged"]),
    ("desk-killed", "desk", &["running"]),
    ("desk-interrupted", "desk", &["interrupted"]),
    ("desk-plain-killed", "desk", &["running"]),
];

/// A copy of a project in which nobody waits any more.
fn free(name: &str) -> Project {
    let project = Project::left_by_release(name);
    project.write("calls/go", "");
    // Logs are as the release left them; who answers now answers by today's rules, and judges every criterion.
    if project.path("verifier.sh").exists() {
        let (then, now) = ("\"evidence\": \"seen\"}", "\"evidence\": \"calc.sh:1\"}");
        let both = format!("{now}, {{\"criterion\": \"it divides\", \"met\": true, \"evidence\": \"calc.sh:1\"}}");
        project.agent("verifier.sh", &project.read("verifier.sh").replace(then, &both));
    }
    project
}

/// How often each seat was called.
fn calls(project: &Project) -> BTreeMap<String, usize> {
    let seats = ["creator", "reviewer", "main", "skeptic", "panel", "designer", "critic", "brand", "a11y", "copy"];
    let seats = seats.into_iter().chain(["worker", "verifier"]);
    seats.map(|seat| (seat.to_owned(), project.calls(seat))).filter(|(_, count)| *count > 0).collect()
}

/// How much more often: only the seats that were called again.
fn called_again(project: &Project, before: &BTreeMap<String, usize>) -> String {
    let more = calls(project).into_iter().map(|(seat, count)| {
        let more = count - before.get(&seat).copied().unwrap_or_default();
        (seat, more)
    });
    let more: Vec<String> = more.filter(|(_, more)| *more > 0).map(|(seat, more)| format!("{seat} {more}")).collect();
    more.join(", ")
}

/// The ids of all runs, newest first.
fn runs(project: &Project) -> Vec<String> {
    let status = project.json(&["status", "--json"]);
    status["runs"].as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap().to_owned()).collect()
}

fn is_intact(project: &Project, what: &str) {
    let verified = project.tribunal(&["verify"]);
    assert_eq!(verified.code, 0, "{what}: {}", verified.all());
    // What an earlier release decided by other rules is neither confirmed nor contradicted, and that is said.
    let is_said = verified.stdout.contains("not checked");
    let same_rules = ["review", "theater", "shared"].iter().any(|same| what.starts_with(same));
    assert!(!(same_rules && is_said), "{what}: {}", verified.all());
}

/// The folders of projects that earlier releases left.
#[test]
fn every_project_is_tried() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/releases/0.1");
    let mut there: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let mut tried: Vec<String> = ALL.iter().map(|(name, _, _)| (*name).to_owned()).collect();
    there.sort_unstable();
    tried.sort_unstable();
    assert_eq!(there, tried);
}
