//! Grades from end to end: two agents without a model, one that keeps to the protocol and one that does not.

use crate::people::wait_for;
use crate::support::{Output, Project};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

const GRADES: &str = ".tribunal/agents/conformance.json";

/// `examples/conformance` with `agent` on the panel; every call leaves its task in `calls/panel`.
fn project(agent: &str) -> Project {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/conformance");
    let read = |name: &str| std::fs::read_to_string(example.join(name)).unwrap();
    let project = Project::bare();
    let toml = read("tribunal.toml")
        .replace("[seats.panel]\nagent = \"good\"", &format!("[seats.panel]\nagent = \"{agent}\""));
    project.write("tribunal.toml", &format!("{toml}\n[limits]\ngrace = \"500ms\"\n"));
    for name in ["agents/good.sh", "agents/bad.sh"] {
        let counting = read(name)
            .replace("prompt=$(cat)", "prompt=$(cat); mkdir -p calls; echo \"$TRIBUNAL_TASK\" >> calls/panel");
        project.agent(name, &counting);
    }
    project
}

/// Grades as two bad cycles leave them, and when the mark ends.
fn mark(project: &Project, agent: &str, until: &str) {
    let mark = json!({ "agent": agent, "since": "2026-01-01T00:00:00.000Z", "until": until, "why": "it was bad" });
    let record = json!({ "agent": agent, "cycles": [], "mark": mark });
    project.write(GRADES, &json!({ "version": 1, "records": [record] }).to_string());
}

const FAR: &str = "9000-01-01T00:00:00.000Z";
const PAST: &str = "2026-01-02T00:00:00.000Z";

fn tasks(project: &Project) -> Vec<String> {
    let calls = std::fs::read_to_string(project.path("calls/panel")).unwrap_or_default();
    let _ = std::fs::remove_file(project.path("calls/panel"));
    calls.lines().map(str::to_owned).collect()
}

#[test]
fn an_agent_that_keeps_to_the_protocol_passes_and_no_run_is_touched() {
    let project = project("good");
    let graded = project.json(&["agents", "conformance", "good", "--json"]);
    let agent = &graded["agents"][0];
    let cycle = &agent["cycles"][0];
    assert_eq!(
        (&graded["exit"], &cycle["shipped"], &cycle["clean"], &cycle["passes"]),
        (&json!(0), &json!(10), &json!(10), &json!(true)),
        "{graded:#}"
    );
    let names: Vec<&Value> = cycle["played"].as_array().unwrap().iter().map(|played| &played["template"]).collect();
    assert_eq!(names.len(), 10, "{names:?}");
    assert_eq!(agent["mark"], Value::Null);
    assert!(!project.path(".tribunal/runs").exists(), "the project has no run of its own");
    assert_eq!(tasks(&project), ["perform"; 10], "one call each");
    let kept: Value = serde_json::from_str(&project.read(GRADES)).unwrap();
    assert_eq!(kept["records"][0]["cycles"][0]["played"], cycle["played"]);
    let list = project.tribunal(&["agents", "list"]);
    assert!(list.stdout.contains("[passes (10 of 10 shipped, 10 of 10 clean)]"), "{}", list.all());
    assert!(list.stdout.contains("[not graded]"), "{}", list.all());
    let seen = project.tribunal(&["-C", ".tribunal/conformance/agent-good", "status"]);
    assert!(seen.stdout.contains("three-round-grind") && seen.stdout.contains("shipped"), "{}", seen.all());
}

#[test]
fn an_agent_that_does_not_is_marked_after_two_cycles_and_runs_fall_back() {
    let project = project("bad");
    let telling = "\n[notify]\ncommand = [\"sh\", \"-c\", \"cat >> told; echo >> told\"]\n";
    project.write("tribunal.toml", &(project.read("tribunal.toml") + telling));
    let told = || {
        let told = std::fs::read_to_string(project.path("told")).unwrap_or_default();
        told.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
    };
    let once = project.tribunal(&["agents", "conformance", "bad"]);
    assert_eq!(once.code, 1, "{}", once.all());
    assert!(once.stdout.contains("bad: below the bars: 1 of 10 shipped, 0 of 1 clean"), "{}", once.all());
    assert!(once.stdout.contains("  minimal: degraded (malformed_block), attempt 2"), "{}", once.all());
    assert!(once.stdout.contains("  japanese: below_threshold\n"), "{}", once.all());
    assert!(once.stdout.contains("  three-round-grind: shipped, with unknown_tag"), "{}", once.all());
    assert!(!once.stdout.contains("marked"), "once is not enough: {}", once.all());
    assert_eq!(tasks(&project).len(), 16, "six are played twice, and nobody is paid for what follows");
    let alerts = told();
    assert_eq!(alerts.len(), 1, "no trial is worth a message of its own: {alerts:#?}");
    let alert = &alerts[0];
    assert_eq!((&alert["kind"], &alert["agent"]), (&json!("agent"), &json!("bad")), "{alert:#}");
    assert_eq!((&alert["played"], &alert["shipped"], &alert["clean"]), (&json!(10), &json!(1), &json!(0)), "{alert:#}");
    assert!(alert["text"].as_str().unwrap().contains("below the bars"), "{alert:#}");

    let twice = project.tribunal(&["agents", "conformance", "bad"]);
    assert_eq!(told().len(), 1, "the second in a row is no news");
    assert_eq!(twice.code, 1, "{}", twice.all());
    assert!(twice.stdout.contains("agent `bad` is marked degraded until "), "{}", twice.all());
    tasks(&project);
    for command in ["list", "doctor"] {
        let shown = project.tribunal(&["agents", command]);
        assert!(
            shown.stdout.contains("below the bars (1 of 10 shipped, 0 of 1 clean), degraded until "),
            "{}",
            shown.all()
        );
    }

    let run = project.tribunal(&["run"]);
    assert_eq!(run.code, 1, "{}", run.all());
    let banner = "degraded: agent `bad` is marked degraded until ";
    assert!(run.stderr.contains(banner), "{}", run.all());
    assert!(run.stderr.contains("hint: `tribunal agents conformance --clear bad` clears the mark"), "{}", run.all());
    assert_eq!(tasks(&project), ["plain"], "no panel is seated");
    assert_eq!(std::fs::read_to_string(project.artifact("shipped.html")).unwrap(), "<h1>Bread, after all</h1>");
    let summary = &project.json(&["status", "--json"])["runs"][0];
    assert_eq!(summary["status"], "degraded");
    assert!(summary["banner"].as_str().unwrap().starts_with(banner), "{summary:#}");
    let id = summary["run"].as_str().unwrap();
    let status = project.tribunal(&["status", id]);
    assert!(status.stdout.contains(banner), "{}", status.all());
    let log = std::fs::read_to_string(project.log()).unwrap();
    assert!(log.contains("\"mark\":{\"agent\":\"bad\""), "{log}");
    let transcript = project.transcript();
    let degraded = transcript.iter().find(|line| line["type"] == "degraded").unwrap();
    assert_eq!((&degraded["reason"], &degraded["adapter"]), (&json!("adapter_degraded"), &json!("bad")));
}

#[test]
fn two_cycles_can_be_played_in_one_go() {
    let project = project("bad");
    let twice = project.tribunal(&["agents", "conformance", "bad", "--cycles", "2"]);
    assert_eq!(twice.code, 1, "{}", twice.all());
    assert!(twice.stdout.contains("agent `bad` is marked degraded until "), "{}", twice.all());
    assert_eq!(tasks(&project).len(), 32);
}

#[test]
fn a_mark_holds_until_its_time_is_over_or_a_person_lifts_it() {
    for (name, until, clear, task) in [
        ("marked", FAR, false, "plain"),
        ("its time is over", PAST, false, "perform"),
        ("lifted", FAR, true, "perform"),
    ] {
        let project = project("good");
        mark(&project, "good", until);
        if clear {
            let cleared = project.tribunal(&["agents", "conformance", "--clear", "good"]);
            assert_eq!((cleared.code, cleared.stdout.as_str()), (0, "good: mark cleared\n"), "{name}");
            let again = project.tribunal(&["agents", "conformance", "--clear", "good"]);
            assert_eq!(again.stdout, "good: not marked\n", "{name}");
        }
        let run = project.tribunal(&["run"]);
        assert_eq!(run.code, i32::from(task == "plain"), "{name}: {}", run.all());
        assert_eq!(tasks(&project), [task], "{name}");
        assert_eq!(run.stderr.contains("is marked degraded"), task == "plain", "{name}: {}", run.all());
    }
}

#[test]
fn what_passed_stays_passed_and_another_model_is_not_marked() {
    let project = project("good");
    assert_eq!(project.tribunal(&["run"]).code, 0);
    mark(&project, "good", FAR);
    let again = project.tribunal(&["run"]);
    assert_eq!(again.code, 0, "{}", again.all());
    assert!(again.stderr.contains("passed already"), "{}", again.all());
    tasks(&project);
    let other = project.tribunal(&["run", "--again", "--brief", "Another page.", "--set", "seats.panel.model=large"]);
    assert_eq!((other.code, tasks(&project)), (0, vec!["perform".to_owned()]), "{}", other.all());
}

/// In `seats` the designer is whom a run relies on; a judge who is marked keeps the seat.
#[test]
fn with_separate_seats_the_designer_counts() {
    for (marked, task) in [("designer", "plain"), ("critic", "draft")] {
        let project = project("good");
        let seats = "[seats.designer]\nagent = \"designer\"\n[seats.critic]\nagent = \"critic\"\n";
        let agent = |name: &str| format!("[agents.{name}]\nkind = \"command\"\ncommand = [\"agents/good.sh\"]\n");
        let toml = format!(
            "[run]\nloop = \"theater\"\nbrief = \"A page.\"\nmax_retries = 0\n[theater]\npanel = \"seats\"\nmax_rounds = 1\n{}{}{seats}",
            agent("designer"),
            agent("critic")
        );
        project.write("tribunal.toml", &toml);
        mark(&project, marked, FAR);
        let run = project.tribunal(&["run"]);
        assert_eq!(tasks(&project).first().map(String::as_str), Some(task), "{marked}: {}", run.all());
        assert_eq!(run.stderr.contains("is marked degraded"), marked == "designer", "{marked}: {}", run.all());
    }
}

#[test]
fn one_template_is_shown_and_not_kept_and_a_second_attempt_counts() {
    let project = project("good");
    // Cut off at first, and fine afterwards.
    let script = project.read("agents/good.sh");
    let fickle = script.replace(
        "echo '<CRITIQUE_RUN version=\"1\">'",
        "echo '<CRITIQUE_RUN version=\"1\">'\n[ -e tried ] || { touch tried; exit 0; }",
    );
    project.agent("agents/good.sh", &fickle);
    let output = project.tribunal(&["agents", "conformance", "good", "--template", "japanese"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(output.stdout.contains("good: passes: 1 of 1 shipped, 1 of 1 clean"), "{}", output.all());
    assert!(output.stderr.contains("japanese: shipped, clean, attempt 2"), "{}", output.all());
    assert!(output.stderr.contains("not saved"), "{}", output.all());
    assert!(!project.path(GRADES).exists());
}

#[test]
fn who_cannot_be_asked_is_not_graded() {
    let project = project("good");
    project.write("tribunal.toml", &project.read("tribunal.toml").replace("agents/good.sh", "agents/gone.sh"));
    let output = project.tribunal(&["agents", "conformance", "good"]);
    assert_eq!(output.code, 4, "{}", output.all());
    assert!(output.stdout.contains("this cycle does not count"), "{}", output.all());
    assert!(!project.path(GRADES).exists());
    let output = project.tribunal(&["agents", "conformance", "nobody"]);
    assert_eq!(output.code, 2, "{}", output.all());
    let output = project.tribunal(&["agents", "conformance", "--clear", "good"]);
    assert_eq!(output.code, 2, "{}", output.all());
}

#[test]
fn an_interrupt_stops_the_cycle_and_does_not_count() {
    let project = project("good");
    let script = project.read("agents/good.sh");
    project.agent("agents/good.sh", &script.replace("while [", "touch begun; sleep 60\nwhile ["));
    let child = project.spawn(&["agents", "conformance", "good"]);
    wait_for(|| project.path("begun").exists());
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = Output::of(child);
    assert_eq!(output.code, 130, "{}", output.all());
    assert_eq!(tasks(&project), ["perform"], "nothing else is begun");
    assert!(!project.path(GRADES).exists());
}

#[test]
fn grades_make_a_table() {
    let project = project("good");
    mark(&project, "good", FAR);
    let output = project.tribunal(&["agents", "conformance", "--table"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(output.stdout.starts_with("| agent | model |"), "{}", output.all());
    project.write(GRADES, "{");
    for args in [&["run"][..], &["agents", "list"], &["agents", "conformance", "--table"]] {
        let output = project.tribunal(args);
        assert_eq!(output.code, 4, "{args:?}: {}", output.all());
        assert!(output.stderr.contains("conformance.json") && output.stderr.contains("hint:"), "{}", output.all());
    }
}
