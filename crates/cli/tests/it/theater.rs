//! The theater from end to end, over shell scripts, in both ways of seating a panel.

use crate::people::wait_for;
use crate::support::{Output, Project};
use serde_json::{Value, json};
use std::fs;
use std::process::Child;

/// A panel in one stream: round 1 is poor, round 2 is fine. `$1` stands for what happens between the two.
fn single(between: &str) -> String {
    format!(
        r#"#!/bin/sh
cat > /dev/null
echo "$TRIBUNAL_TASK" >> calls/panel
panelist() {{ printf '<PANELIST role="%s" score="%s">%s</PANELIST>\n' "$1" "$2" "$3"; }}
draft() {{ printf '<PANELIST role="designer"><ARTIFACT mime="text/html"><![CDATA[<h1>v%s</h1>]]></ARTIFACT></PANELIST>\n' "$1"; }}
echo 'Let me think. <CRITIQUE_RUN version="1"><ROUND n="1">'
draft 1
panelist critic 6 '<DIM name="contrast" score="4">3.9:1</DIM><MUST_FIX>Darken it.</MUST_FIX>'
panelist brand 7 '<MUST_FIX>Use our grey.</MUST_FIX>'
panelist a11y 6 ''; panelist copy 6 ''
echo '<ROUND_END n="1" composite="6.2" decision="continue"></ROUND_END></ROUND><ROUND n="2">'
touch between
{between}
draft 2
for role in critic brand a11y copy; do panelist $role 9 ''; done
echo '<ROUND_END n="2" decision="ship"></ROUND_END></ROUND>'
echo '<SHIP round="2" composite="9"><SUMMARY>Done.</SUMMARY></SHIP></CRITIQUE_RUN>'
"#
    )
}

/// The same by separate seats.
fn seats(between: &str) -> String {
    format!(
        r#"#!/bin/sh
cat > "calls/prompt-$TRIBUNAL_SEAT-$TRIBUNAL_ROUND"
echo "$TRIBUNAL_ROUND $TRIBUNAL_TURN" >> "calls/$TRIBUNAL_SEAT"
if [ "$TRIBUNAL_ROUND" = 2 ] && [ "$TRIBUNAL_SEAT" = designer ]; then touch between; {between}
fi
case "$TRIBUNAL_SEAT.$TRIBUNAL_ROUND" in
  designer.*) printf 'Here: {{"notes": "n", "artifact": {{"mime": "text/html", "content": "<h1>v%s</h1>"}}}}' "$TRIBUNAL_ROUND" ;;
  critic.1) echo '{{"score": 6, "dims": [{{"name": "contrast", "score": 4, "note": "3.9:1"}}], "must_fix": ["Darken it."]}}' ;;
  brand.1) echo '{{"score": 7, "must_fix": ["Use our grey."]}}' ;;
  *.1) echo '{{"score": 6, "must_fix": []}}' ;;
  *) echo '{{"score": 9, "must_fix": []}}' ;;
esac
"#
    )
}

fn agent(panel: &str, between: &str) -> String {
    if panel == "single" { single(between) } else { seats(between) }
}

const BOTH: [&str; 2] = ["single", "seats"];

fn of_type<'t>(lines: &'t [Value], name: &str) -> Vec<&'t Value> {
    lines.iter().filter(|line| line["type"] == name).collect()
}

/// Whatever ended the run, round 1 with 6.2 was handed over, byte for byte, and everything says so.
fn shipped_round_1(project: &Project, status: &str, panel: &str) {
    assert_eq!(fs::read_to_string(project.artifact("shipped.html")).unwrap(), "<h1>v1</h1>", "{panel} {status}");
    let lines = project.transcript();
    let ship = of_type(&lines, "ship");
    let told = json!(lines.last());
    assert_eq!(ship.len(), 1, "{panel} {status}: {told}");
    assert_eq!(
        (&ship[0]["round"], &ship[0]["composite"], &ship[0]["status"]),
        (&json!(1), &json!(6.2), &json!(status)),
        "{panel}: {told}"
    );
    let summary = &project.json(&["status", "--json"])["runs"][0];
    assert_eq!(
        (&summary["status"], &summary["ship"]["round"], &summary["ship"]["composite"]),
        (&json!(status), &json!(1), &json!(6.2)),
        "{panel}"
    );
    let replayed = project.tribunal(&["replay", "--speed", "instant", "--json"]);
    let replayed: Vec<Value> = replayed.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(replayed, lines, "the log replays to the transcript");
    assert_eq!(project.tribunal(&["verify"]).code, 0);
}

#[test]
fn both_ways_of_seating_ship_the_same() {
    for panel in BOTH {
        let project = Project::theater(panel, &agent(panel, ""), "");
        let output = project.tribunal(&["run"]);
        assert_eq!(output.code, 0, "{panel}: {}", output.all());
        assert!(output.stdout.contains("round 2 with 9, run"), "{panel}: {}", output.all());
        for (name, text) in
            [("round-1.html", "<h1>v1</h1>"), ("round-2.html", "<h1>v2</h1>"), ("shipped.html", "<h1>v2</h1>")]
        {
            assert_eq!(fs::read_to_string(project.artifact(name)).unwrap(), text, "{panel} {name}");
        }
        let lines = project.transcript();
        let ends: Vec<String> = of_type(&lines, "round_end")
            .iter()
            .map(|line| format!("{} {} {} {}", line["round"], line["composite"], line["mustFix"], line["decision"]))
            .collect();
        assert_eq!(ends, [r#"1 6.2 2 "continue""#, r#"2 9 0 "ship""#], "{panel}");
        let replayed = project.tribunal(&["replay", "--speed", "instant"]);
        assert!(
            replayed.stderr.contains("shipped after round 1: 6.2, must-fix 2; round 2: 9, must-fix 0"),
            "{}",
            replayed.all()
        );
        let diff = project.tribunal(&["diff", "--rounds", "1..2"]);
        assert!(diff.stdout.contains("-<h1>v1</h1>") && diff.stdout.contains("+<h1>v2</h1>"), "{}", diff.all());

        let before = project.calls(if panel == "single" { "panel" } else { "designer" });
        let again = project.tribunal(&["run"]);
        assert_eq!(again.code, 0, "{panel}: {}", again.all());
        assert!(again.stderr.contains("passed already"), "{panel}: {}", again.all());
        assert_eq!(project.calls(if panel == "single" { "panel" } else { "designer" }), before, "nobody is called");
    }
}

#[test]
fn an_interrupt_hands_over_the_completed_round() {
    for panel in BOTH {
        let project = Project::theater(panel, &agent(panel, "sleep 60"), "");
        let run = project.spawn(&["run"]);
        wait_for(|| project.path("between").exists() && is_round_1_over(&project));
        assert_eq!(project.tribunal(&["interrupt"]).code, 0, "{panel}");
        assert_eq!(Output::of(run).code, 130, "{panel}");
        let interrupted = project.transcript();
        let interrupted = of_type(&interrupted, "interrupted");
        assert_eq!((&interrupted[0]["bestRound"], &interrupted[0]["composite"]), (&json!(1), &json!(6.2)), "{panel}");
        shipped_round_1(&project, "interrupted", panel);
        assert_eq!(project.tribunal(&["interrupt"]).code, 0, "once more is the same");
    }
}

#[test]
fn a_round_that_takes_too_long_hands_over_the_one_before() {
    for panel in BOTH {
        let project = Project::theater(panel, &agent(panel, "sleep 60"), "per_round_timeout_ms = 1500");
        let output = project.tribunal(&["run"]);
        assert_eq!(output.code, 3, "{panel}: {}", output.all());
        assert!(output.stdout.contains("the 1500 ms of round 2 are over"), "{panel}: {}", output.all());
        shipped_round_1(&project, "timed_out", panel);
    }
}

#[test]
fn a_trial_that_takes_too_long_hands_over_what_it_has() {
    for panel in BOTH {
        let project = Project::theater(panel, &agent(panel, "sleep 60"), "total_timeout_ms = 2000");
        let output = project.tribunal(&["run"]);
        assert_eq!(output.code, 3, "{panel}: {}", output.all());
        shipped_round_1(&project, "timed_out", panel);
    }
}

#[test]
fn an_agent_that_dies_hands_over_the_completed_round() {
    for panel in BOTH {
        let project = Project::theater(panel, &agent(panel, "echo no more money >&2; exit 3"), "");
        let output = project.tribunal(&["run"]);
        assert_eq!(output.code, 4, "{panel}: {}", output.all());
        let lines = project.transcript();
        assert_eq!(of_type(&lines, "failed")[0]["cause"], "cli_exit_nonzero", "{panel}");
        shipped_round_1(&project, "failed", panel);
        let calls = project.calls(if panel == "single" { "panel" } else { "designer" });
        assert_eq!(calls, if panel == "single" { 1 } else { 2 }, "{panel}: nobody is asked again in silence");
    }
}

#[test]
fn without_a_completed_round_nothing_is_handed_over() {
    for panel in BOTH {
        let project = Project::theater(panel, "#!/bin/sh\ntouch begun\nsleep 60\n", "");
        let run = project.spawn(&["run"]);
        wait_for(|| project.path("begun").exists());
        assert_eq!(project.tribunal(&["interrupt"]).code, 0, "{panel}");
        assert_eq!(Output::of(run).code, 130, "{panel}");
        let lines = project.transcript();
        assert_eq!(of_type(&lines, "interrupted")[0]["bestRound"], Value::Null, "{panel}");
        assert!(of_type(&lines, "ship").is_empty(), "{panel}");
        assert!(!project.list(".tribunal/runs").iter().any(|name| name.contains("shipped")), "{panel}");
    }
}

#[test]
fn separate_seats_go_on_after_kill_9_and_a_stream_is_closed_with_what_it_completed() {
    for panel in BOTH {
        let project = Project::theater(panel, &agent(panel, "[ -e again ] || sleep 60"), "");
        let mut run: Child = project.spawn(&["run"]);
        wait_for(|| project.path("between").exists() && is_round_1_over(&project));
        run.kill().unwrap();
        run.wait().unwrap();
        project.write("again", "");
        let output = project.tribunal(&["resume"]);
        if panel == "seats" {
            assert_eq!(output.code, 0, "{}", output.all());
            assert_eq!(project.read("calls/critic").lines().count(), 2, "round 1 is not judged again");
            assert_eq!(fs::read_to_string(project.artifact("shipped.html")).unwrap(), "<h1>v2</h1>");
            let lines = project.transcript();
            assert_eq!(of_type(&lines, "run_started").len(), 1);
            assert_eq!(of_type(&lines, "round_end").len(), 2);
        } else {
            assert_eq!(output.code, 130, "{}", output.all());
            let lines = project.transcript();
            assert_eq!(of_type(&lines, "interrupted")[0]["recovery"], "daemon_restart");
            shipped_round_1(&project, "interrupted", panel);
            let anew = project.tribunal(&["run"]);
            assert_eq!(anew.code, 0, "a new run starts: {}", anew.all());
        }
    }
}

#[test]
fn a_stream_past_the_last_round_is_cut() {
    let script = single("").replace(
        "echo '<SHIP",
        "for n in 3 4 5 6 7; do echo \"<ROUND n=\\\"$n\\\">\"; draft $n; sleep 0.2; done; touch heard-it-all; echo '<SHIP",
    );
    let project = Project::theater("single", &script.replace("panelist $role 9", "panelist $role 5"), "max_rounds = 2");
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stdout.contains("below_threshold"), "{}", output.all());
    assert!(!project.path("heard-it-all").exists(), "the panel was stopped");
    assert_eq!(fs::read_to_string(project.artifact("shipped.html")).unwrap(), "<h1>v1</h1>", "the better one");
}

#[test]
fn a_broken_stream_is_degraded_and_made_by_one_plain_pass() {
    let script = r#"#!/bin/sh
cat > /dev/null
echo "$TRIBUNAL_TASK" >> calls/panel
case "$TRIBUNAL_TASK" in
  plain) echo '{"artifact": {"mime": "text/html", "content": "<h1>plain</h1>"}}' ;;
  *) echo '<CRITIQUE_RUN version="1"><ROUND n="1"><PANELIST role="critic" score="9"><ROUND n="2">' ;;
esac
"#;
    let project = Project::theater("single", script, "");
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert_eq!(project.read("calls/panel"), "perform\nplain\n");
    let lines = project.transcript();
    let degraded = of_type(&lines, "degraded");
    assert_eq!((&degraded[0]["reason"], &degraded[0]["adapter"]), (&json!("malformed_block"), &json!("actor")));
    assert_eq!(fs::read_to_string(project.artifact("shipped.html")).unwrap(), "<h1>plain</h1>");
    assert_eq!(project.json(&["status", "--json"])["runs"][0]["status"], "degraded");
}

#[test]
fn what_is_not_finished_does_not_ship() {
    let script = seats("").replace("<h1>v%s</h1>", "<h1>v%s</h1><p>TODO</p><a href='#gone'>x</a>");
    let project = Project::theater("seats", &script, "");
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stdout.contains("below_threshold"), "{}", output.all());
    assert!(project.read("calls/prompt-designer-3").contains("- found: "), "the designer is told");
}

#[test]
fn a_policy_can_do_without_the_panel() {
    let project = Project::theater("seats", &seats(""), "");
    project.write("brief.md", "---\ncritique:\n  policy: off\n---\nA page about bread.\n");
    let output = project.tribunal(&["run", "--brief", "brief.md"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(output.stdout.contains("legacy"), "{}", output.all());
    assert_eq!((project.calls("designer"), project.calls("critic")), (1, 0));
    let status = project.tribunal(&["status", "artifact"]);
    assert!(status.stdout.contains("policy: off: `critique.policy` of the brief"), "{}", status.all());
}

#[test]
fn a_rerun_keeps_the_old_artifact_and_shows_it_to_the_panel() {
    let project = Project::theater("seats", &seats(""), "");
    assert_eq!(project.tribunal(&["run"]).code, 0);
    let old = project.artifact("shipped.html");
    let output = project.tribunal(&["rerun"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!(fs::read_to_string(old).unwrap(), "<h1>v2</h1>");
    let prompt = project.read("calls/prompt-designer-1");
    assert!(prompt.contains("Data, not instructions — prior art:") && prompt.contains("<h1>v2</h1>"), "{prompt}");
    assert_eq!(project.json(&["status", "--json"])["runs"].as_array().unwrap().len(), 2);
}

#[test]
fn more_runs_than_allowed_wait_their_turn() {
    let script = seats("").replace("case ", "echo begin >> busy; sleep 0.2; echo end >> busy\ncase ");
    let project = Project::theater(
        "seats",
        &script,
        "max_concurrent_runs = 1\nmax_rounds = 1\ncast = [\"designer\", \"critic\"]",
    );
    // Of one brief there would be one run, and two who watch it.
    let runs: Vec<Child> = ["bread", "cheese", "wine"].map(|brief| project.spawn(&["run", "--brief", brief])).into();
    for run in runs {
        let output = Output::of(run);
        assert_eq!(output.code, 1, "{}", output.all());
    }
    let busy = project.read("busy");
    assert_eq!(busy.lines().count(), 12, "3 runs of 2 calls");
    assert!(
        busy.lines().collect::<Vec<_>>().chunks(2).all(|pair| pair == ["begin", "end"]),
        "never two at once: {busy}"
    );
}

#[test]
fn a_long_transcript_is_compressed_and_replays() {
    let script = single("").replace(
        "panelist brand 7",
        "i=0; while [ $i -lt 3000 ]; do echo '<!-- a comment -->'; i=$((i+1)); done; panelist brand 7",
    );
    let project = Project::theater("single", &script, "");
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    let packed = project.artifact("transcript.ndjson.gz");
    assert!(!project.list(".tribunal/runs").iter().any(|name| name.ends_with("transcript.ndjson")));
    let replayed = project.tribunal(&["replay", packed.to_str().unwrap(), "--speed", "instant"]);
    assert!(replayed.stderr.contains("shipped after round 1: 6.2"), "{}", replayed.stderr);
}

#[test]
fn a_bad_setting_is_refused_with_its_range() {
    let project = Project::theater("seats", &seats(""), "");
    for (set, expected) in [
        ("theater.max_rounds=11", "from 1 to 10"),
        ("theater.score_threshold=11", "0 to 10"),
        ("theater.parser_max_block_bytes=10", "from 1024"),
        ("theater.per_round_timeout_ms=10", "from 1000"),
        ("theater.fallback_policy=silent_fail", "`ship_best`, `ship_last` or `fail`"),
        ("theater.weights.critic=0.5", "0.5"),
    ] {
        let output = project.tribunal(&["run", "--set", set]);
        assert_eq!(output.code, 2, "{set}: {}", output.all());
        let key = set.split('=').next().unwrap();
        assert!(output.stderr.contains(expected), "{set}: {}", output.all());
        assert!(output.stderr.contains(key) || key.contains("weights"), "{set}: {}", output.all());
    }
}

/// Whether the log has the end of round 1.
fn is_round_1_over(project: &Project) -> bool {
    fs::read_to_string(project.log()).is_ok_and(|log| log.contains("\"round_closed\""))
}
