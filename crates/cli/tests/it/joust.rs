//! The joust from end to end, over shell scripts.

use crate::support::Project;
use std::fs;

/// Counts its calls; the skeptic's first rewrite misses what the anchor asks for.
const AGENT: &str = r##"#!/bin/sh
cat > "calls/prompt-$TRIBUNAL_SEAT-$TRIBUNAL_TASK"
echo "$TRIBUNAL_TASK" >> "calls/$TRIBUNAL_SEAT"
case "$TRIBUNAL_TASK" in
  bootstrap) printf '%s' '{"draft": "# Plan\n"}' ;;
  joust) if [ "$(wc -l < calls/skeptic)" = 1 ]; then printf '%s' '{"draft": "# Plan\n\nWorse."}'
         else printf '%s' '{"draft": "# Plan\n\n## Risks\n\nNone.\n", "critique": "It said nothing of risks."}'; fi ;;
  polish) printf '%s' '{"draft": "# Plan\n\n## Risks\n\nNone known.\n"}' ;;
  *) printf '%s' '{"ballot": []}' ;;
esac
"##;

pub(crate) fn project(anchor: &str) -> Project {
    let project = Project::bare();
    project.write(
        "tribunal.toml",
        "[run]\nloop = \"joust\"\nbrief = \"Write the RFC.\"\n[joust]\nname = \"rfc\"\njousters = [\"skeptic\"]\nanchor = \
         \"anchor.toml\"\nmax_rounds = 2\n[agents.actor]\nkind = \"command\"\ncommand = [\"./agent.sh\"]\n[seats.main]\nagent = \
         \"actor\"\n[seats.skeptic]\nagent = \"actor\"\n[limits]\ngrace = \"500ms\"\n",
    );
    project.write("anchor.toml", anchor);
    project.agent("agent.sh", AGENT);
    fs::create_dir(project.path("calls")).unwrap();
    project
}

pub(crate) const RISKS: &str =
    "kind = \"invariants\"\nMUST = [{ kind = \"pattern\", pattern = \"(?m)^## Risks$\", rule = \"risks\" }]\n";

#[test]
fn a_rewrite_that_breaks_a_rule_is_sent_back_without_a_model() {
    let project = project(RISKS);
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!(project.read("calls/skeptic"), "joust\njoust\n");
    assert_eq!(project.read("calls/main"), "bootstrap\npolish\n", "nobody was asked for an opinion");
    assert!(project.read("calls/prompt-skeptic-joust").contains("risks: nothing matches"), "it was told why");
    assert_eq!(fs::read_to_string(project.artifact("shipped.md")).unwrap(), "# Plan\n\n## Risks\n\nNone known.\n");
    let status = project.tribunal(&["status", "rfc"]);
    assert!(status.stdout.contains("anchor: invariants (the file says so)"), "{}", status.all());
    assert!(status.stdout.contains("score by round: █ 1"), "{}", status.all());
    let again = project.tribunal(&["run"]);
    assert_eq!((again.code, project.calls("skeptic")), (0, 2), "{}", again.all());
}

#[test]
fn a_command_decides_with_its_exit_code_and_leaves_a_receipt() {
    let anchor = format!("{RISKS}\nMUST_NOT = []\n").replace(
        "MUST = [",
        "MUST = [{ kind = \"command\", argv = [\"sh\", \"-c\", \"! grep -q Worse \\\"$TRIBUNAL_DRAFT\\\"\"], rule = \"not worse\" }, ",
    );
    // The pattern would catch it, too: without it the command has to.
    let anchor = anchor.replace(", { kind = \"pattern\", pattern = \"(?m)^## Risks$\", rule = \"risks\" }", "");
    let project = project(&anchor);
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(output.stderr.contains("sent back: not worse: `sh -c"), "{}", output.all());
    assert_eq!(project.read("calls/main"), "bootstrap\npolish\n", "no model was asked");
    let log = fs::read_to_string(project.log()).unwrap();
    assert!(log.contains("\"task\":\"rules:"), "the commands are turns in the log");
}

#[test]
fn a_quorum_that_cannot_be_reached_is_refused_before_anybody_is_called() {
    let project = project("kind = \"invariants\"\nMUST = [\"is honest\"]\n");
    project.write("tribunal.toml", &project.read("tribunal.toml").replace("[joust]\n", "[joust]\nquorum = 2\n"));
    for command in [&["run"][..], &["plan"], &["check", "anchor.toml", "--anchor", "anchor.toml", "--semantic"]] {
        let refused = project.tribunal(command);
        assert_eq!(refused.code, 2, "{command:?}: {}", refused.all());
        assert!(refused.stderr.contains("`joust.quorum` is 2"), "{}", refused.all());
    }
    assert!(!project.path("calls/main").exists() && !project.path(".tribunal/runs").exists());
}

#[test]
fn whatever_a_program_can_check_costs_no_call() {
    for (name, rule) in [
        ("pattern", "{ kind = \"pattern\", pattern = \"(?m)^## Risks$\", rule = \"risks\" }"),
        ("predicate", "{ kind = \"predicate\", predicate = \"heading\", text = \"Risks\", rule = \"risks\" }"),
        ("command", "{ kind = \"command\", argv = [\"grep\", \"-q\", \"## Risks\"], rule = \"risks\" }"),
    ] {
        let project = project(&format!("kind = \"invariants\"\nMUST = [{rule}]\n"));
        let output = project.tribunal(&["run"]);
        assert_eq!(output.code, 0, "{name}: {}", output.all());
        assert_eq!(project.read("calls/skeptic"), "joust\njoust\n", "{name}: it was sent back once");
        assert_eq!(project.read("calls/main"), "bootstrap\npolish\n", "{name}: nobody was asked for an opinion");
    }
}

#[test]
fn a_hard_timeout_in_a_call_ends_the_run_and_keeps_the_accepted_draft() {
    let project = project(RISKS);
    project.agent("agent.sh", &AGENT.replace("joust) if", "joust) sleep 60; if"));
    let output = project.tribunal(&["run", "--wall", "2s"]);
    assert_eq!(output.code, 3, "{}", output.all());
    assert!(output.stdout.contains("timed_out"), "{}", output.all());
    assert_eq!(fs::read_to_string(project.artifact("shipped.md")).unwrap(), "# Plan\n");
}

#[test]
fn a_run_can_be_steered_while_nobody_drives_it() {
    let project = project(RISKS);
    project.agent("agent.sh", &AGENT.replace("joust) if", "joust) [ -e go ] || exit 7; if"));
    assert_eq!(project.tribunal(&["run", "--set", "joust.max_retries=1", "--set", "joust.max_rounds=1"]).code, 0);
    let steered = project.tribunal(&["steer", "rfc", "Mention the budget."]);
    assert_eq!(steered.code, 2, "it is over: {}", steered.all());
    assert_eq!(project.tribunal(&["reopen", "rfc", "--why", "the budget", "--rounds", "1"]).code, 0);
    assert_eq!(project.tribunal(&["steer", "rfc", "Mention the budget."]).code, 0);
    project.write("go", "");
    let resumed = project.tribunal(&["resume", "rfc"]);
    assert_eq!(resumed.code, 0, "{}", resumed.all());
    assert!(project.read("calls/prompt-skeptic-joust").contains("- Mention the budget."));
    let status = project.tribunal(&["status", "rfc"]);
    assert!(status.stdout.contains("ada said: Mention the budget. (delivered)"), "{}", status.all());
}

#[test]
fn init_makes_a_joust_that_converges() {
    let project = Project::bare();
    assert_eq!(
        project.tribunal(&["init", "plan", "--loop", "joust", "--brief", "Write the plan.", "--examples"]).code,
        0
    );
    let run = project.tribunal(&["-C", "plan", "run"]);
    assert_eq!(run.code, 0, "{}", run.all());
    assert!(run.stdout.contains("every item of the anchor is met"), "{}", run.all());
}

#[test]
fn check_reads_the_rules_of_an_anchor() {
    let project = project(RISKS);
    project.write("bad.md", "# Plan\n");
    project.write("good.md", "# Plan\n\n## Risks\n");
    let output = project.tribunal(&["check", "bad.md", "good.md", "--anchor", "anchor.toml"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stdout.contains("bad.md") && output.stdout.contains("risks"), "{}", output.all());
    assert_eq!(project.tribunal(&["check", "good.md", "--anchor", "anchor.toml"]).code, 0);
    for format in ["json", "sarif", "junit"] {
        let output = project.tribunal(&["check", "bad.md", "--anchor", "anchor.toml", "--format", format]);
        assert_eq!(output.code, 1, "{format}: {}", output.all());
        assert!(output.stdout.starts_with(['{', '[', '<']), "{format}: {}", output.all());
    }
    project.write(
        "broken.toml",
        "kind = \"invariants\"\nMUST = [{ kind = \"pattern\", pattern = \"(\", rule = \"x\" }]\n",
    );
    let output = project.tribunal(&["check", "bad.md", "--anchor", "broken.toml"]);
    assert_eq!(output.code, 2, "{}", output.all());
    assert!(output.stderr.contains("broken.toml:2:"), "{}", output.all());
}

#[test]
fn a_draft_can_be_piped_and_compared_within_a_round() {
    let project = project(RISKS);
    let output = project.tribunal(&["run", "-o", "-"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!(output.stdout, "# Plan\n\n## Risks\n\nNone known.\n", "the draft, and nothing else: {}", output.all());
    assert!(output.stderr.contains("rfc: converged"), "{}", output.all());
    // It is decided now: what it made is handed over all the same.
    let again = project.tribunal(&["run", "-o", "-"]);
    assert_eq!((again.code, &again.stdout), (0, &output.stdout), "{}", again.all());
    assert_eq!(project.tribunal(&["run", "-o", "plan.md"]).code, 0);
    assert_eq!(project.read("plan.md"), output.stdout);
    let diff = project.tribunal(&["diff", "rfc", "--round", "1"]);
    assert_eq!(diff.code, 0, "{}", diff.all());
    let heads: Vec<&str> = diff.stdout.lines().filter(|line| line.starts_with("+++ ")).collect();
    assert_eq!(heads, ["+++ round 1, skeptic", "+++ round 1, main"], "{}", diff.all());
    let steps = project.json(&["diff", "rfc", "--round", "1", "--json"]);
    assert_eq!(steps["steps"][1]["from_name"], "round 1, skeptic", "{steps}");
    assert_eq!(project.tribunal(&["diff", "rfc", "--round", "7"]).code, 2);
    let status = project.json(&["status", "rfc", "--json"]);
    assert_eq!(status["anchor"]["kind"], "invariants", "{status}");
    assert_eq!((&status["queue"], &status["attention"]), (&serde_json::json!([]), &serde_json::json!([])));
    // Another rubric is another trial; how long it may take is not.
    let toml = project.read("tribunal.toml");
    project.write("tribunal.toml", &toml.replace("[joust]\n", "[joust]\ntime_box = \"1h\"\npause_every = 3\n"));
    assert_eq!(project.tribunal(&["run"]).code, 0);
    project.write("tribunal.toml", &toml.replace("[joust]\n", "[joust]\nscoring = [\"style.toml\"]\n"));
    project.write("style.toml", "kind = \"rubric\"\ndims = [{ name = \"clear\", floor = 13 }]\n");
    let stale = project.tribunal(&["run"]);
    assert!(
        stale.code == 1 && stale.stdout.contains("stale") && stale.stdout.contains("joust.scoring"),
        "{}",
        stale.all()
    );
}

const SCORER: &str = r##"#!/bin/sh
cat > "calls/prompt-$TRIBUNAL_TASK"
echo "$TRIBUNAL_TASK" >> "calls/$TRIBUNAL_SEAT"
case "$TRIBUNAL_TASK" in
  score:1) printf '%s' '{"scores": [{"name": "clear", "score": 3, "rationale": "so"}, {"name": "tone", "score": "yellow"}]}' ;;
  score:*) printf '%s' '{"scores": [{"name": "clear", "score": 8, "rationale": "so"}, {"name": "tone", "score": "green"}]}' ;;
  bootstrap) printf '%s' '{"draft": "# Plan\n\n## Risks\n"}' ;;
  *) printf '%s' '{"draft": "# Plan\n\n## Risks\n\nNone.\n"}' ;;
esac
"##;

#[test]
fn rubrics_score_beside_the_anchor_and_diff_shows_what_changed() {
    let project = project(RISKS);
    project.agent("agent.sh", SCORER);
    let toml = project.read("tribunal.toml");
    project.write("tribunal.toml", &toml.replace("[joust]\n", "[joust]\nscoring = [\"style.toml\", \"tone.toml\"]\n"));
    project
        .write("style.toml", "kind = \"rubric\"\ndims = [{ name = \"clear\", description = \"short sentences\" }]\n");
    project.write("tone.toml", "kind = \"rubric\"\ndims = [{ name = \"tone\", scale = \"color\" }]\n");
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    let asked = project.read("calls/prompt-score:1");
    assert!(asked.contains("- clear (0, 1, 2, 3, 5, 8 or 13): short sentences"), "{asked}");
    assert!(asked.contains("- tone (0 for red, 1 for yellow or 2 for green)"), "{asked}");
    let diff = project.tribunal(&["diff", "--round", "1"]);
    assert!(diff.stdout.contains("main: clear: 3 → 8\nmain: tone: 1 → 2\n--- round 1, main\n"), "{}", diff.all());
    let project_of = |rubric: &str| {
        project.write("tone.toml", rubric);
        project.tribunal(&["run", "--again"])
    };
    let twice = project_of("kind = \"rubric\"\ndims = [{ name = \"Clear\" }]\n");
    assert_eq!(twice.code, 2, "{}", twice.all());
    assert!(twice.stderr.contains("the dimension `clear` of tone.toml is there already"), "{}", twice.all());
    let other = project_of(RISKS);
    assert!(other.code == 2 && other.stderr.contains("tone.toml is of kind `invariants`"), "{}", other.all());
}

#[test]
fn a_joust_stops_for_a_person_and_resumes() {
    let project =
        project("kind = \"invariants\"\nMUST = [{ kind = \"pattern\", pattern = \"never\", rule = \"never\" }]\n");
    let paused = project.tribunal(&["run", "--set", "joust.pause_every=1", "--set", "joust.time_box=1h"]);
    assert_eq!(paused.code, 130, "{}", paused.all());
    assert!(paused.stdout.contains("paused after round 1 for you to look"), "{}", paused.all());
    assert!(paused.stderr.contains("skipped: skeptic, none of whose rewrites could be taken"), "{}", paused.all());
    let status = project.tribunal(&["status", "rfc"]).stdout;
    assert!(status.contains("needs attention: skeptic was skipped in round 1"), "{status}");
    let resumed = project.tribunal(&["resume", "rfc"]);
    assert_eq!(resumed.code, 1, "{}", resumed.all());
    assert!(resumed.stdout.contains("broken: `never`"), "{}", resumed.all());
}
