//! What is decided, and whether it still is: inputs that changed since are named, and are no pass.

use serde_json::json;
use std::fs;

use crate::support::{Output, Project, creator, reviewer};

const ANCHOR: &str = "kind = \"invariants\"\nMUST = [{ kind = \"pattern\", pattern = \"bread\", rule = \"bread\" }]\n";

/// A review that converged.
fn converged() -> Project {
    let project = Project::new("description", 3);
    project.write("brief.md", "Describe the episode.\n");
    project.write("anchor.toml", ANCHOR);
    let toml = project.read("tribunal.toml");
    let toml = toml.replace("brief = \"Describe the episode.\"", "brief = \"brief.md\"\nanchor = \"anchor.toml\"");
    project.write("tribunal.toml", &toml);
    project.write("answers/creator", &creator("done About bread."));
    project.write("answers/reviewer", &reviewer("ok"));
    let output = project.tribunal(&["run"]);
    assert_eq!((output.code, calls(&project)), (0, (1, 1)), "{}", output.all());
    project
}

fn calls(project: &Project) -> (usize, usize) {
    (project.calls("creator"), project.calls("reviewer"))
}

/// Replaces a text of a file that has it.
fn edit(project: &Project, file: &str, old: &str, new: &str) {
    let text = project.read(file);
    assert!(text.contains(old), "{file} has no {old:?}");
    project.write(file, &text.replace(old, new));
}

fn says(output: &Output, words: &str) -> bool {
    output.stderr.contains(words)
}

#[test]
fn what_changed_since_an_asset_passed_is_named_and_is_no_pass() {
    for (name, file, old, new, told) in [
        ("brief", "brief.md", "episode", "season", "the brief"),
        ("another brief", "tribunal.toml", "\"brief.md\"", "\"About bread.\"", "the brief"),
        ("no brief", "tribunal.toml", "brief = \"brief.md\"\n", "", "the brief (there is none now)"),
        ("anchor", "anchor.toml", "\"bread\", rule", "\"About\", rule", "the anchor"),
        ("no anchor", "tribunal.toml", "anchor = \"anchor.toml\"\n", "", "the anchor (there is none now)"),
        (
            "a setting",
            "tribunal.toml",
            "max_iterations = 3",
            "stop_on_needs_human = true",
            "`review.stop_on_needs_human` (true instead of none)",
        ),
        (
            "locked",
            "tribunal.toml",
            "max_iterations = 3",
            "locked_assets = [\"description\"]",
            "`review.locked_assets`",
        ),
        (
            "a seat's model",
            "tribunal.toml",
            "agent = \"critic\"",
            "agent = \"critic\"\nmodel = \"large\"",
            "`seats.reviewer` (model large instead of none)",
        ),
        (
            "a seat's effort",
            "tribunal.toml",
            "agent = \"critic\"",
            "agent = \"critic\"\neffort = \"high\"",
            "`seats.reviewer` (effort high instead of none)",
        ),
        (
            "an agent's program",
            "tribunal.toml",
            "[\"./reviewer.sh\"]",
            "[\"./reviewer.sh\", \"--strict\"]",
            "`seats.reviewer` (command ./reviewer.sh --strict instead of ./reviewer.sh)",
        ),
        (
            "another agent",
            "tribunal.toml",
            "agent = \"critic\"",
            "agent = \"writer\"",
            "`seats.reviewer` (writer instead of critic)",
        ),
        ("nobody", "tribunal.toml", "[seats.reviewer]\nagent = \"critic\"\n", "", "`seats.reviewer` (critic left)"),
        (
            "controls",
            "tribunal.toml",
            "command = [\"./reviewer.sh\"]",
            "command = [\"./reviewer.sh\"]\ncontrols = true",
            "`seats.reviewer` (controls true instead of false)",
        ),
    ] {
        let project = converged();
        let was = project.read(file);
        edit(&project, file, old, new);
        let before = project.snapshot();
        let stale = project.tribunal(&["run"]);
        assert_eq!(stale.code, 1, "{name}: {}", stale.all());
        assert!(says(&stale, told) && stale.stdout.contains(told), "{name}: {}", stale.all());
        assert!(stale.stdout.starts_with("description: stale, converged before"), "{name}: {}", stale.all());
        assert!(says(&stale, "hint: `tribunal run --again` starts a new run; `tribunal reopen "), "{}", stale.all());
        let json = project.tribunal(&["run", "--json"]);
        assert_eq!(json.code, 1, "{name}: {}", json.all());
        let plan = project.tribunal(&["plan"]);
        assert!(plan.code == 0 && plan.stdout.contains(told), "{name}: {}", plan.all());
        assert!(project.snapshot() == before, "{name}: nothing was written");
        assert_eq!(calls(&project), (1, 1), "{name}: nobody was called");
        project.write(file, &was);
        let back = project.tribunal(&["run"]);
        assert_eq!((back.code, calls(&project)), (0, (1, 1)), "{name}: {}", back.all());
    }
}

#[test]
fn what_makes_no_other_trial_leaves_a_pass_as_it_is() {
    for (name, old, new) in [
        ("nothing", "", ""),
        ("iterations", "max_iterations = 3", "max_iterations = 9"),
        ("limits", "[limits]\n", "[limits]\nusd = 3\nwall = \"1h\"\n"),
        ("retries", "[run]\n", "[run]\nmax_retries = 7\n"),
        ("money", "[\"./reviewer.sh\"]", "[\"./reviewer.sh\"]\nreserve_usd = 0.10\nturn = \"3m\""),
        ("a key", "[\"./reviewer.sh\"]", "[\"./reviewer.sh\"]\nenv = [\"TEAM_KEY\"]"),
        ("prices", "[limits]\n", "[prices.large]\ninput = 1\noutput = 2\n[limits]\n"),
        (
            "somebody who does not sit",
            "[limits]\n",
            "[agents.other]\nkind = \"command\"\ncommand = [\"x\"]\n[limits]\n",
        ),
    ] {
        let project = converged();
        edit(&project, "tribunal.toml", old, new);
        let before = project.snapshot();
        let again = project.tribunal(&["run"]);
        assert_eq!((again.code, calls(&project)), (0, (1, 1)), "{name}: {}", again.all());
        assert!(says(&again, "decided; `tribunal reopen` lifts the decision"), "{name}: {}", again.all());
        assert!(project.snapshot() == before, "{name}");
    }
}

#[test]
fn all_that_changed_is_named_together() {
    let project = converged();
    edit(&project, "brief.md", "episode", "season");
    edit(&project, "anchor.toml", "bread\" }", "loaf\" }");
    edit(&project, "tribunal.toml", "agent = \"critic\"", "agent = \"critic\"\nmodel = \"large\"");
    let stale = project.json(&["run", "--json"]);
    let run = &stale["runs"][0];
    assert_eq!((&stale["exit"], &run["exit"]), (&json!(1), &json!(1)), "{stale}");
    assert_eq!(run["stale"], json!(["brief", "anchor", "seats.reviewer"]), "{stale}");
    assert_eq!(run["status"], "converged", "what was decided is still said: {stale}");
    let plan = project.json(&["plan", "--json"]);
    assert_eq!((&plan["assets"][0]["plan"], &plan["assets"][0]["changed"]), (&json!("stale"), &run["stale"]), "{plan}");
}

#[test]
fn a_new_run_is_started_again_and_counts_on() {
    let project = converged();
    edit(&project, "brief.md", "episode", "season");
    project.write("answers/creator", &creator("done About bread and more."));
    let plan = project.tribunal(&["plan", "--again"]);
    assert!(plan.stdout.contains("description: new review"), "{}", plan.all());
    let again = project.tribunal(&["run", "--again"]);
    assert_eq!((again.code, calls(&project)), (0, (2, 2)), "{}", again.all());
    assert_eq!(project.read("copy/selected/description.txt"), "About bread and more.\n");
    let state: serde_json::Value = serde_json::from_str(&project.read("copy/protocol/description/state.json")).unwrap();
    assert_eq!(state["iterations"].as_array().unwrap().len(), 2, "{state:#}");
    assert_eq!(
        (&state["decision"]["outcome"], &state["decision"]["final_iteration"]),
        (&json!("converged"), &json!(2))
    );
    let settled = project.tribunal(&["run"]);
    assert_eq!((settled.code, calls(&project)), (0, (2, 2)), "under the brief of today: {}", settled.all());
    edit(&project, "brief.md", "season", "episode");
    let stale = project.tribunal(&["run"]);
    assert_eq!((stale.code, calls(&project)), (1, (2, 2)), "the newest run counts: {}", stale.all());
    let verified = project.tribunal(&["verify"]);
    assert_eq!(verified.code, 0, "{}", verified.all());
}

#[test]
fn a_new_run_of_what_was_not_decided_here_can_be_started_too() {
    let project = Project::with_answers("description", 5, &["done a", "ok", "done b", "ok"]);
    project.write(
        "copy/protocol/description/state.json",
        r#"{"version": 1, "asset_id": "description", "max_iterations": 3, "iterations": [],
            "decision": {"outcome": "converged", "final_iteration": 1, "reason": "r", "locked_fields": ["outcome"]}}"#,
    );
    assert_eq!((project.tribunal(&["run"]).code, calls(&project)), (0, (0, 0)), "another tool's decision stands");
    let again = project.tribunal(&["run", "--again"]);
    assert_eq!((again.code, calls(&project)), (0, (1, 1)), "{}", again.all());
}

#[test]
fn one_stale_asset_does_not_keep_the_others_from_running() {
    let project = converged();
    edit(&project, "brief.md", "episode", "season");
    let output = project.tribunal(&["run", "description", "summary"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(
        output.stdout.contains("description: stale") && output.stdout.contains("summary: converged"),
        "{}",
        output.all()
    );
    assert_eq!(calls(&project), (2, 2), "{}", output.all());
}

#[test]
fn an_unfinished_run_goes_on_as_it_was_given() {
    let project = Project::new("description", 3);
    project.write("answers/creator", "no answer");
    assert_eq!(project.tribunal(&["run"]).code, 4);
    let before = project.list(".tribunal/runs");
    project.write("answers/creator", &creator("done a"));
    project.write("answers/reviewer", &reviewer("ok"));
    edit(&project, "tribunal.toml", "the episode", "the season");
    let output = project.tribunal(&["run", "--again"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(says(&output, "continuing run"), "{}", output.all());
    let logs = |list: Vec<String>| list.into_iter().filter(|name| name.ends_with("log.ndjson")).count();
    assert_eq!(logs(project.list(".tribunal/runs")), logs(before));
    assert_eq!(project.tribunal(&["run"]).code, 1, "and what it decided is stale");
}

#[test]
fn a_decision_stands_without_the_keys_that_made_it() {
    let stub = tribunal_stub::Stub::start(tribunal_stub::Script::tribunal()).unwrap();
    let project = Project::bare();
    project.write(
        "tribunal.toml",
        &format!(
            "[run]\nloop = \"review\"\nbrief = \"Say what bread is.\"\n[review]\nasset = \"description\"\n[agents.model]\nkind = \
             \"http\"\nprovider = \"anthropic\"\nmodel = \"claude-sonnet-4-5\"\nbase_url = \"{}\"\napi_key = \
             \"$TEAM_KEY\"\n[seats.creator]\nagent = \"model\"\n[seats.reviewer]\nagent = \"model\"\n",
            stub.url()
        ),
    );
    let output = Output::of(project.command(&["run"]).env("TEAM_KEY", "sk-secret").spawn().unwrap());
    assert_eq!(output.code, 0, "{}", output.all());
    let calls = stub.totals().calls;
    let again = Output::of(project.command(&["run"]).env_remove("TEAM_KEY").spawn().unwrap());
    assert_eq!((again.code, stub.totals().calls), (0, calls), "{}", again.all());
}

/// The first draft keeps the rule.
const JOUSTER: &str = r##"#!/bin/sh
cat > /dev/null
echo "$TRIBUNAL_TASK" >> "calls/$TRIBUNAL_SEAT"
printf '%s' '{"draft": "# Plan\n\n## Risks\n\nNone.\n"}'
"##;

#[test]
fn a_joust_that_converged_is_stale_and_not_silently_begun_anew() {
    for (name, file, old, new, told) in [
        ("brief", "tribunal.toml", "Write the RFC.", "Write the other RFC.", Some("the brief")),
        ("anchor", "anchor.toml", "rule = \"risks\"", "rule = \"all risks\"", Some("the anchor")),
        (
            "a setting",
            "tribunal.toml",
            "[joust]\n",
            "[joust]\nplateau_rounds = 4\n",
            Some("`joust.plateau_rounds` (4 instead of 2)"),
        ),
        (
            "a seat",
            "tribunal.toml",
            "[seats.main]\n",
            "[seats.main]\nmodel = \"m2\"\n",
            Some("`seats.main` (model m2 instead of none)"),
        ),
        (
            "one more",
            "tribunal.toml",
            "[joust]\n",
            "[joust]\nspecialists = [\"lawyer\"]\n",
            Some("`seats.lawyer` (actor joined)"),
        ),
        ("rounds", "tribunal.toml", "max_rounds = 2", "max_rounds = 3", None),
        ("attempts", "tribunal.toml", "[joust]\n", "[joust]\nmax_retries = 5\n", None),
    ] {
        let project = Project::bare();
        project.write(
            "tribunal.toml",
            "[run]\nloop = \"joust\"\nbrief = \"Write the RFC.\"\nanchor = \"anchor.toml\"\n[joust]\nname = \"rfc\"\njousters = \
             [\"skeptic\"]\nmax_rounds = 2\n[agents.actor]\nkind = \"command\"\ncommand = \
             [\"./agent.sh\"]\n[seats.main]\nagent = \"actor\"\n[seats.skeptic]\nagent = \
             \"actor\"\n[seats.lawyer]\nagent = \"actor\"\n",
        );
        project.write(
            "anchor.toml",
            "kind = \"invariants\"\nMUST = [{ kind = \"pattern\", pattern = \"Risks\", rule = \"risks\" }]\n",
        );
        project.agent("agent.sh", JOUSTER);
        fs::create_dir(project.path("calls")).unwrap();
        let first = project.tribunal(&["run"]);
        assert_eq!(first.code, 0, "{name}: {}", first.all());
        edit(&project, file, old, new);
        let before = project.calls("main");
        let second = project.tribunal(&["run"]);
        assert_eq!(
            (second.code, project.calls("main")),
            (i32::from(told.is_some()), before),
            "{name}: {}",
            second.all()
        );
        assert!(told.is_none_or(|told| says(&second, told)), "{name}: {}", second.all());
        let again = project.tribunal(&["run", "--again"]);
        assert_eq!(again.code, 0, "{name}: {}", again.all());
        assert!(before < project.calls("main"), "{name}: {}", again.all());
        let settled = project.tribunal(&["run"]);
        assert!(settled.code == 0 && says(&settled, "decided;"), "{name}: {}", settled.all());
    }
}

const PAGE: &str =
    "<!doctype html><html lang=\"en\"><title>Bread</title><h1>Bread</h1><p>Baked at night, sold at dawn.</p>";
const DESIGN: &str = "# Design\n\n- Ink: #111111\n- Paper: #ffffff\n";

#[test]
fn a_page_is_tried_anew_and_what_it_is_judged_by_makes_it_stale() {
    let project = Project::bare();
    project.write("page.html", PAGE);
    project.write("DESIGN.md", DESIGN);
    let first = project.tribunal(&["run", "page.html"]);
    assert_eq!(first.code, 0, "{}", first.all());
    let runs = || project.json(&["status", "--json"])["runs"].as_array().unwrap().len();
    for (args, told) in [
        (&["--design", "DESIGN.md"][..], "changed since it was decided: the design\n"),
        (&["--brief", "A page about bread."], "the brief"),
        (&["--set", "theater.score_threshold=9"], "`theater.score_threshold`"),
        (&["--set", "theater.cast=designer,a11y"], "`theater.cast`"),
    ] {
        let stale = project.tribunal(&[&["run", "page.html"], args].concat());
        assert_eq!((stale.code, runs()), (1, 1), "{}", stale.all());
        assert!(says(&stale, told), "{told}: {}", stale.all());
        assert!(says(&stale, "`tribunal run --again` starts a new run; `tribunal rerun "), "{}", stale.all());
    }
    let same = project.tribunal(&["run", "page.html", "--set", "theater.max_rounds=9"]);
    assert_eq!((same.code, runs()), (0, 1), "a limit: {}", same.all());
    let again = project.tribunal(&["run", "page.html", "--again", "--design", "DESIGN.md"]);
    assert_eq!(runs(), 2, "{}", again.all());
    edit(&project, "page.html", "dawn", "noon");
    let other = project.tribunal(&["run", "page.html"]);
    assert_eq!((other.code, runs()), (0, 3), "the page is another one: {}", other.all());
}

#[test]
fn a_desk_is_prepared_by_other_means() {
    let project = Project::left_by_release("desk-complete");
    let refused = project.tribunal(&["run", "--again"]);
    assert_eq!(refused.code, 2, "{}", refused.all());
    assert!(says(&refused, "`tribunal desk clean "), "{}", refused.all());
}

/// As another program leaves a workspace: a decision, and no run.
#[test]
fn what_is_decided_without_a_run_is_shown_and_what_starts_it_again_is_said() {
    let project = converged();
    let none = project.tribunal(&["status"]);
    assert!(!none.all().contains("no run of it here"), "{}", none.all());
    fs::remove_dir_all(project.path(".tribunal")).unwrap();
    let status = project.tribunal(&["status"]);
    assert!(status.stdout.contains("description: converged") && says(&status, ""), "{}", status.all());
    assert!(!status.all().contains("no runs yet"), "{}", status.all());
    assert_eq!(project.json(&["status", "--json"])["decided"][0]["asset"], "description");
    let again = project.tribunal(&["run"]);
    assert!(says(&again, "tribunal run --again") && !again.all().contains("reopen"), "{}", again.all());
    for args in [&["reopen", "--why", "x"][..], &["reopen", "description", "--why", "x"]] {
        let refused = project.tribunal(args);
        assert_eq!(refused.code, 2, "{}", refused.all());
        assert!(says(&refused, "tribunal run --again"), "{}", refused.all());
    }
    let other = project.tribunal(&["reopen", "nothing", "--why", "x"]);
    assert!(other.code == 2 && !says(&other, "--again"), "{}", other.all());
    assert_eq!(project.tribunal(&["run", "--again"]).code, 0);
    assert_eq!(project.calls("creator"), 2);
}
