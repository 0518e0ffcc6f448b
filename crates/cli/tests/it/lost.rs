//! Nothing is lost and nothing hidden: large answers, damaged logs, starts at the same time, files that are announced.

use crate::support::{Output, Project};
use std::fs;

/// A creator that answers with so many bytes of text.
fn large_creator(bytes: usize) -> String {
    format!(
        "#!/bin/sh\ncat > /dev/null\necho x >> calls/creator\nprintf '{{\"done\": true, \"candidate\": {{\"content\": \"'\n\
         head -c {bytes} /dev/zero | tr '\\0' 'w'\nprintf '\", \"format\": \"plain\"}}}}'\n"
    )
}

#[test]
fn a_draft_as_large_as_the_output_limit_allows_is_judged_and_kept() {
    for bytes in [(1 << 20) + 1, 7 << 20] {
        let project = Project::new("description", 2);
        project.agent("creator.sh", &large_creator(bytes));
        project.write("answers/reviewer", r#"{"verdict": "ok"}"#);
        let output = project.tribunal(&["run"]);
        assert_eq!(output.code, 0, "{bytes} bytes: {}", output.all());
        assert_eq!(project.calls("creator"), 1, "it is paid once");
        assert_eq!(project.read("copy/selected/description.txt").trim_end().len(), bytes);
        assert_eq!(project.tribunal(&["verify"]).code, 0);
    }
}

/// Three reviews that are decided; then the first log is damaged in its middle, the second one in its first line.
fn damaged() -> (Project, Vec<String>) {
    let project = Project::new("a", 1);
    project.write("answers/creator", r#"{"done": true, "candidate": {"content": "Text", "format": "plain"}}"#);
    project.write("answers/reviewer", r#"{"verdict": "ok"}"#);
    for asset in ["a", "b", "c"] {
        assert_eq!(project.tribunal(&["run", asset]).code, 0);
    }
    let mut runs = fs::read_dir(project.path(".tribunal/runs")).unwrap().map(|it| it.unwrap().file_name());
    let mut ids: Vec<String> = runs.by_ref().map(|name| name.into_string().unwrap()).collect();
    ids.sort();
    for (id, line) in ids.iter().zip([2, 0]) {
        flip(&project, id, line);
    }
    (project, ids)
}

/// Changes a byte in a line of a log.
fn flip(project: &Project, id: &str, line: usize) {
    let path = project.path(&format!(".tribunal/runs/{id}/log.ndjson"));
    let mut bytes = fs::read(&path).unwrap();
    let begins = bytes.split_inclusive(|byte| *byte == b'\n').take(line).map(<[u8]>::len).sum::<usize>();
    bytes[begins + 150] ^= 1;
    fs::write(path, bytes).unwrap();
}

#[test]
fn status_shows_what_is_healthy_and_names_what_is_damaged() {
    let (project, ids) = damaged();
    let shown = project.tribunal(&["status"]);
    assert_eq!(shown.code, 4, "{}", shown.all());
    assert!(shown.stdout.contains(&ids[2]), "{}", shown.all());
    for id in &ids[..2] {
        assert!(shown.stderr.contains(&format!("run {id} cannot be read")), "{}", shown.all());
    }
    assert!(!shown.stdout.contains("there is no run of it here"), "{}", shown.all());
    let object = project.json(&["status", "--json"]);
    let unreadable: Vec<&str> =
        object["runs"].as_array().unwrap().iter().filter_map(|run| run["unreadable"].as_str()).collect();
    assert_eq!(unreadable.len(), 2, "{object:#}");
    // The damaged ones are found by their ids, so that `verify` can say where.
    for id in &ids[..2] {
        let verified = project.tribunal(&["verify", id]);
        assert_eq!(verified.code, 1, "{}", verified.all());
        assert!(verified.stdout.contains("do not match its hash"), "{}", verified.all());
    }
}

#[test]
fn a_bare_resume_goes_on_with_what_is_healthy() {
    let (project, ids) = damaged();
    project.agent("creator.sh", "#!/bin/sh\nexit 3\n");
    assert_eq!(project.tribunal(&["run", "d", "--set", "run.max_retries=0"]).code, 4);
    project.agent(
        "creator.sh",
        "#!/bin/sh\ncat > /dev/null\nprintf '{\"done\": true, \"candidate\": {\"content\": \"a\", \"format\": \"plain\"}}'\n",
    );
    let resumed = project.tribunal(&["resume"]);
    assert!(resumed.stdout.contains("d: converged"), "{}", resumed.all());
    assert_eq!(resumed.code, 4, "two cannot be read: {}", resumed.all());
    for id in &ids[..2] {
        assert!(resumed.stdout.contains(&format!("run {id}: cannot be read")), "{}", resumed.all());
    }
    let object = project.json(&["resume", "--json"]);
    assert_eq!((object["exit"].as_u64(), object["runs"].as_array().map(Vec::len)), (Some(4), Some(2)), "{object:#}");
    // With nothing damaged and nothing to do it is a success.
    for id in &ids[..2] {
        fs::remove_dir_all(project.path(&format!(".tribunal/runs/{id}"))).unwrap();
    }
    assert_eq!(project.tribunal(&["resume"]).code, 0);
}

#[test]
fn run_and_reindex_go_on_with_what_is_healthy() {
    let (project, ids) = damaged();
    let output = project.tribunal(&["run", "a", "d"]);
    assert_eq!(output.code, 4, "{}", output.all());
    assert!(output.stdout.contains("d: converged") && output.stdout.contains("a: cannot be read"), "{}", output.all());
    assert_eq!(project.calls("creator"), 4, "nothing is begun in the place of a run that cannot be read");
    fs::remove_file(project.path(".tribunal/index.sqlite")).unwrap();
    let output = project.tribunal(&["reindex"]);
    assert_eq!(output.code, 4, "{}", output.all());
    assert!(output.stdout.contains("2 runs indexed"), "{}", output.all());
    assert!(ids[..2].iter().all(|id| output.stderr.contains(id.as_str())), "{}", output.all());
    let object = project.json(&["reindex", "--json"]);
    assert_eq!(object["unreadable"].as_array().map(Vec::len), Some(2), "{object:#}");
}

/// Agents that take long enough to be met at work.
const SLOW: &str = "#!/bin/sh\ncat > /dev/null\necho x >> calls/paid\nsleep 0.7\n";

/// Starts the same thing four times at once: one pays, the others say so and wait for its end.
fn start_at_once(project: &Project, args: &[&str], calls: usize) {
    let started: Vec<_> = (0..4).map(|_| project.spawn(args)).collect();
    let ended: Vec<Output> = started.into_iter().map(Output::of).collect();
    let all: Vec<String> = ended.iter().map(Output::all).collect();
    let all = all.join("\n");
    assert_eq!(project.calls("paid"), calls, "{all}");
    assert_eq!(fs::read_dir(project.path(".tribunal/runs")).unwrap().count(), 1, "{all}");
    let codes: Vec<i32> = ended.iter().map(|it| it.code).collect();
    assert!(codes.iter().all(|code| *code == codes[0]), "they all end as the run does: {all}");
    let watched = ended.iter().filter(|it| it.stderr.contains("watching it")).count();
    let decided = ended.iter().filter(|it| it.stderr.contains("already") || it.stderr.contains("decided")).count();
    assert_eq!(watched + decided, 3, "{all}");
}

#[test]
fn of_reviews_that_start_at_once_one_pays() {
    let project = Project::new("description", 1);
    project.agent(
        "creator.sh",
        &format!("{SLOW}printf '{{\"done\": true, \"candidate\": {{\"content\": \"a\", \"format\": \"plain\"}}}}'\n"),
    );
    project.write("answers/reviewer", r#"{"verdict": "ok"}"#);
    start_at_once(&project, &["run"], 1);
}

#[test]
fn of_theaters_that_start_at_once_one_pays() {
    let agent = format!(
        "{SLOW}case \"$TRIBUNAL_SEAT\" in\ndesigner) printf '{{\"notes\": \"n\", \"artifact\": {{\"mime\": \"text/html\", \
         \"content\": \"<h1>Bread</h1>\"}}}}' ;;\n*) printf '{{\"score\": 9, \"must_fix\": []}}' ;;\nesac\n"
    );
    let project = Project::theater("seats", &agent, "max_rounds = 1");
    let started: Vec<_> = (0..3).map(|_| project.spawn(&["run"])).collect();
    let all: Vec<String> = started.into_iter().map(|child| Output::of(child).all()).collect();
    assert_eq!(fs::read_dir(project.path(".tribunal/runs")).unwrap().count(), 1, "{}", all.join("\n"));
    // Another wish is another trial, also at the same time.
    fs::remove_dir_all(project.path(".tribunal")).unwrap();
    let wishes = ["A page about cheese.", "A page about wine."];
    let started: Vec<_> = wishes.iter().map(|brief| project.spawn(&["run", "--again", "--brief", brief])).collect();
    let all: Vec<String> = started.into_iter().map(|child| Output::of(child).all()).collect();
    assert_eq!(fs::read_dir(project.path(".tribunal/runs")).unwrap().count(), 2, "{}", all.join("\n"));
}

#[test]
fn of_jousts_that_start_at_once_one_pays() {
    let project = Project::bare();
    project.write(
        "tribunal.toml",
        "[run]\nloop = \"joust\"\nbrief = \"Write the RFC.\"\nanchor = \"anchor.toml\"\n[joust]\nname = \"rfc\"\njousters = \
         [\"skeptic\"]\nmax_rounds = 1\n[agents.actor]\nkind = \"command\"\ncommand = [\"./agent.sh\"]\n[seats.main]\nagent = \
         \"actor\"\n[seats.skeptic]\nagent = \"actor\"\n",
    );
    let rule = "{ kind = \"pattern\", pattern = \"Plan\", rule = \"plan\" }";
    project.write("anchor.toml", &format!("kind = \"invariants\"\nMUST = [{rule}]\n"));
    project.agent("agent.sh", &format!("{SLOW}printf '%s' '{{\"draft\": \"# Plan\"}}'\n"));
    fs::create_dir(project.path("calls")).unwrap();
    let alone = project.tribunal(&["run"]);
    assert_eq!(alone.code, 0, "{}", alone.all());
    let calls = project.calls("paid");
    fs::remove_dir_all(project.path(".tribunal")).unwrap();
    fs::remove_file(project.path("calls/paid")).unwrap();
    start_at_once(&project, &["run"], calls);
}
