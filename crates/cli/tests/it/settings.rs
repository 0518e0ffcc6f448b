//! What is configured arrives where the trial looks for it.

use crate::support::{Project, creator, reviewer};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;

/// What the run was given, from the first line of its log.
pub(crate) fn spec(project: &Project) -> Value {
    let log = fs::read_to_string(project.log()).unwrap();
    let first: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    first["event"]["data"]["spec"].clone()
}

#[test]
fn every_setting_of_a_joust_is_in_its_run_spec() {
    let project = Project::bare();
    let mut toml = String::from(
        "[run]\nloop = \"joust\"\nbrief = \"Write the RFC.\"\n[joust]\nname = \"rfc\"\njousters = [\"skeptic\"]\nlinters = \
         [\"judge\", \"second\"]\nscorers = [\"scorer\"]\nspecialists = [\"lawyer\"]\nanchor_kind = \"rubric\"\nmax_rounds = \
         7\nmax_retries = 4\nmax_summons_per_round = 2\ncompaction_threshold = 5\nplateau_rounds = 3\nplateau_epsilon = \
         0.25\nquorum = 2\n[agents.actor]\nkind = \"command\"\ncommand = [\"false\"]\n[agents.other]\nkind = \
         \"command\"\ncommand = [\"false\", \"other\"]\n[seats.second]\nagent = \"other\"\n",
    );
    for seat in ["main", "skeptic", "judge", "scorer", "lawyer"] {
        let _ = writeln!(toml, "[seats.{seat}]\nagent = \"actor\"");
    }
    project.write("tribunal.toml", &toml);
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 4, "nobody answers: {}", output.all());
    let spec = spec(&project);
    assert_eq!(spec["max_retries"], 3, "the first attempt is no retry");
    let seats: Vec<&String> = spec["seats"].as_object().unwrap().keys().collect();
    let specialists = ["cfo", "dba", "legal", "perf", "security", "ux"];
    let configured: Vec<&str> =
        seats.iter().map(|seat| seat.as_str()).filter(|seat| !specialists.contains(seat)).collect();
    assert_eq!(configured, ["judge", "last_look", "lawyer", "main", "rules", "scorer", "second", "skeptic"]);
    assert_eq!(seats.len(), configured.len() + specialists.len(), "who can be summoned without being configured");
    insta::assert_snapshot!(format!("{:#}", spec["joust"]), @r#"
    {
      "name": "rfc",
      "kind": "rubric",
      "why": "it was asked for",
      "jousters": [
        "skeptic"
      ],
      "linters": [
        "judge",
        "second"
      ],
      "scorers": [
        "scorer"
      ],
      "quorum": 2,
      "max_rounds": 7,
      "max_summons_per_round": 2,
      "compaction_threshold": 5,
      "plateau_rounds": 3,
      "plateau_epsilon": 0.25
    }
    "#);
}

/// A review that converges in one round, with these lines behind the command of the creator's agent.
fn review(lines: &str, more: &str) -> Project {
    let project = Project::new("description", 1);
    let toml = project.read("tribunal.toml");
    let toml = toml.replace("command = [\"./creator.sh\"]\n", &format!("command = [\"./creator.sh\"]\n{lines}"));
    project.write("tribunal.toml", &format!("{toml}{more}"));
    project.write("answers/creator", &creator("done a"));
    project.write("answers/reviewer", &reviewer("ok"));
    project
}

#[test]
fn what_an_agent_is_given_is_in_its_seat() {
    let project = review("reserve_tokens = 1234\n", "");
    let wrong = project.tribunal(&["config", "--set", "seats.reviewer.effort=endless"]);
    assert_eq!(wrong.code, 2, "not a word for it: {}", wrong.all());
    let output = project.tribunal(&["run", "--set", "agents.writer.effort=low", "--set", "seats.reviewer.effort=high"]);
    assert_eq!(output.code, 0, "{}", output.all());
    let seats = &spec(&project)["seats"];
    assert_eq!((&seats["creator"]["effort"], &seats["reviewer"]["effort"]), (&json!("low"), &json!("high")));
    assert_eq!(seats["creator"]["reserve"]["tokens"], 1234);
    assert_eq!(seats["reviewer"]["reserve"], Value::Null);
}

#[test]
fn tokens_are_set_aside_before_a_call() {
    let project = review("reserve_tokens = 100000\n", "");
    let output = project.tribunal(&["run", "--tokens", "90000"]);
    assert_eq!((output.code, project.calls("creator")), (3, 0), "{}", output.all());
    let output = project.tribunal(&["run", "--tokens", "200000"]);
    assert_eq!((output.code, project.calls("creator")), (0, 1), "{}", output.all());
}

#[test]
fn an_agent_can_print_as_much_as_it_is_allowed_to() {
    let project = review("output = \"1KiB\"\n", "");
    project.write("answers/creator", &creator(&format!("done {}", "a".repeat(2000))));
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 4, "{}", output.all());
    assert!(output.stderr.contains("1024"), "{}", output.all());
    let output = project.tribunal(&["run", "--set", "agents.writer.output=4KiB"]);
    assert_eq!(output.code, 0, "{}", output.all());
}

#[test]
fn a_price_of_the_project_counts_also_for_what_comes_from_a_cache() {
    let prices = "[prices.'own-*']\ninput = 2\ncached = 0.5\ncache_write = 2.5\noutput = 8\nmax_output = 4000\n";
    let project = review("model = \"own-3\"\n", prices);
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    let rates = json!({ "own-3": {
        "input": 2_000_000, "cached": 500_000, "cache_write": 2_500_000, "output": 8_000_000, "max_output": 4000,
    } });
    assert_eq!(spec(&project)["rates"], rates);
}

/// Keeps its prompt; the page is fine at once.
const CONTENT: &str = r#"#!/bin/sh
cat > "calls/prompt-$TRIBUNAL_SEAT"
echo "$TRIBUNAL_ROUND" >> "calls/$TRIBUNAL_SEAT"
case "$TRIBUNAL_SEAT" in
  designer) printf '{"artifact": {"mime": "text/html", "content": "<h1>Bread</h1>"}}' ;;
  *) echo '{"score": 9, "must_fix": []}' ;;
esac
"#;

#[test]
fn a_theater_starts_from_its_source() {
    let project = Project::theater("seats", CONTENT, "source = \"old.html\"");
    project.write("old.html", "<!doctype html><title>Old</title><p>Crumbs of yesterday.</p>");
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    let prompt = project.read("calls/prompt-designer");
    assert!(prompt.contains("prior art") && prompt.contains("Crumbs of yesterday."), "{prompt}");
}

#[test]
fn a_panel_on_demand_sits_when_it_is_asked_for() {
    let project = Project::theater("seats", CONTENT, "policy = \"on-demand\"");
    let output = project.tribunal(&["run"]);
    assert_eq!((output.code, project.calls("critic")), (0, 0), "{}", output.all());
    let output = project.tribunal(&["run", "--panel"]);
    assert_eq!((output.code, project.calls("critic")), (0, 1), "{}", output.all());
    for args in [&["run"][..], &["run", "--panel"]] {
        let settled = project.tribunal(args);
        assert_eq!((settled.code, project.calls("critic")), (0, 1), "it passed with a panel: {}", settled.all());
    }
}

#[test]
fn another_file_can_be_named() {
    let project = Project::new("description", 3);
    project.write("elsewhere/other.toml", "[review]\nmax_iterations = 9\n");
    let value = |args: &[&str]| {
        let settings = project.json(args)["settings"].clone();
        let all = settings.as_array().unwrap().clone();
        all.into_iter().find(|setting| setting["key"] == "review.max_iterations").unwrap()["value"].clone()
    };
    assert_eq!(value(&["config", "--json"]), "3");
    assert_eq!(value(&["--config", "elsewhere/other.toml", "config", "--json"]), "9");
}
