//! Agents whose providers take no requests for now: the run waits, is left and continued, or another agent takes over.

use serde_json::{Value, json};

use crate::serve::serve;
use crate::support::{Project, creator, reviewer};

/// Refuses so many times as `limited` has lines, in the words of its own; then it plays back.
const LIMITED: &str = r#"#!/bin/sh
cat > /dev/null
echo "$TRIBUNAL_ROUND" >> "calls/$TRIBUNAL_SEAT"
if [ -s limited ]; then
  head -n 1 limited >&2
  sed -i 1d limited
  exit 75
fi
cat "answers/$TRIBUNAL_SEAT"
"#;

fn project(limits: &str) -> Project {
    let project = Project::new("description", 1);
    project.agent("creator.sh", LIMITED);
    project.write("limited", limits);
    project.write("answers/creator", &creator("done A text."));
    project.write("answers/reviewer", &reviewer("ok"));
    project
}

/// How often a turn was parked, by the log.
fn parked(project: &Project) -> usize {
    project.read(&project.log().display().to_string()).matches("\"turn_parked\"").count()
}

#[test]
fn a_run_waits_and_goes_on_by_itself() {
    let project = project("try again in 1 second\nRate limit reached, please try again in 900ms.\n");
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(output.stderr.contains("takes no requests now, goes on in 1 s"), "{}", output.all());
    assert_eq!((parked(&project), project.calls("creator"), project.calls("reviewer")), (2, 3, 1));
    let turns = project.json(&["status", "description", "--json"]);
    assert_eq!(
        (&turns["turns"], &turns["turn_list"][0]["attempt"]),
        (&3.into(), &1.into()),
        "no attempt was used: {turns}"
    );
    assert_eq!(project.tribunal(&["verify"]).code, 0);
}

#[test]
fn a_run_can_be_left_and_is_not_called_before_its_time() {
    let project = project("You've hit your session limit, try again in 2 hours\n");
    let left = project.tribunal(&["run", "--set", "run.when_parked=leave"]);
    assert_eq!(left.code, 3, "{}", left.all());
    assert!(left.stdout.contains("parked, `tribunal run` continues it in"), "{}", left.all());
    let status = project.json(&["status", "description", "--json"]);
    assert_eq!(status["status"], "parked", "{status}");
    assert_eq!(status["parked"][0]["agent"], "writer", "{status}");
    assert!(status["parked"][0]["why"].as_str().unwrap().contains("session limit"), "{status}");
    let shown = project.tribunal(&["status"]);
    assert!(shown.stdout.contains("parked; `tribunal resume` continues it in"), "{}", shown.all());
    // Until when is said wherever the status is.
    assert_eq!(status["until"], status["parked"][0]["until"], "{status}");
    let listed = project.json(&["status", "--json"]);
    assert_eq!(listed["runs"][0]["until"], status["until"], "{listed}");
    // Whoever comes before its time waits, too.
    let again = project.tribunal(&["run", "--set", "run.when_parked=leave"]);
    assert_eq!(again.code, 3, "{}", again.all());
    assert_eq!(project.calls("creator"), 1, "nobody was called: {}", again.all());
    let again: Value =
        serde_json::from_str(&project.tribunal(&["run", "--json", "--set", "run.when_parked=leave"]).stdout).unwrap();
    assert_eq!(again["runs"][0]["until"], status["until"], "{again}");
    // Interrupted and resumed, it is tried at once.
    let interrupted = project.tribunal(&["interrupt", "description"]);
    assert_eq!(interrupted.code, 0, "{}", interrupted.all());
    let resumed = project.tribunal(&["resume"]);
    assert_eq!(resumed.code, 0, "{}", resumed.all());
    assert_eq!(project.calls("creator"), 2, "{}", resumed.all());
}

#[test]
fn a_run_that_was_left_is_taken_up_by_a_server_when_its_time_has_come() {
    let project = project("try again in 1 second\n");
    let served = serve(&project, &[]);
    let left = project.tribunal(&["run", "--set", "run.when_parked=leave"]);
    assert_eq!((left.code, project.calls("creator")), (3, 1), "{}", left.all());
    // When the server looks, the time is over: nothing waits any more, and nobody is at work.
    served.wait_until("the end", |row| row["status"] == "converged");
    assert_eq!((project.calls("creator"), parked(&project)), (2, 1));
}

#[test]
fn a_run_that_was_left_goes_on_with_the_next_run() {
    let project = project("try again in 1 second\n");
    let left = project.tribunal(&["run", "--set", "run.when_parked=leave"]);
    assert_eq!((left.code, project.calls("creator")), (3, 1), "{}", left.all());
    let again = project.tribunal(&["run"]);
    assert_eq!((again.code, project.calls("creator"), parked(&project)), (0, 2, 1), "{}", again.all());
}

#[test]
fn another_agent_takes_over_where_the_configuration_names_one() {
    let project = project("usage limit, try again in 3 days\n");
    project.agent("other.sh", "#!/bin/sh\ncat > /dev/null\necho x >> calls/other\ncat answers/creator\n");
    let toml = project.read("tribunal.toml").replace("[agents.critic]", "fallback = \"other\"\n[agents.critic]");
    project.write("tribunal.toml", &format!("{toml}[agents.other]\nkind = \"command\"\ncommand = [\"./other.sh\"]\n"));
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(output.stderr.contains("`other` takes the turn over"), "{}", output.all());
    assert_eq!((project.calls("creator"), project.calls("other")), (1, 1));
    assert!(project.read(&project.log().display().to_string()).contains("\"passed_to\":\"other\""));
    // Who did the work is who spent on it.
    let status = project.json(&["status", "description", "--json"]);
    let spent: Vec<_> = status["spending"].as_array().unwrap().iter().map(|it| (&it["seat"], &it["agent"])).collect();
    assert!(spent.contains(&(&json!("creator"), &json!("other"))), "{status}");
    assert!(!spent.contains(&(&json!("creator"), &json!("critic"))), "{status}");

    // One that is not there is refused before anybody is called.
    project.write("tribunal.toml", &toml.replace("\"other\"", "\"nobody\""));
    let refused = project.tribunal(&["run", "--again"]);
    assert_eq!(refused.code, 2, "{}", refused.all());
    assert!(refused.stderr.contains("`agents.writer.fallback`: no other agent `nobody`"), "{}", refused.all());
}

#[test]
fn nobody_takes_over_who_could_break_a_limit_or_is_a_person() {
    let other = "[agents.other]\nkind = \"command\"\ncommand = [\"./other.sh\"]\nreserve_usd = ";
    let mut toml = String::new();
    for (reserve, is_taken) in [("0.10", true), ("0.50", false)] {
        let project = project("usage limit, try again in 3 days\n");
        let script = r#"#!/bin/sh
cat > /dev/null
echo x >> calls/other
sed 's/^{/{"usage": {"input_tokens": 9, "usd": 0.08}, /' answers/creator
"#;
        project.agent("other.sh", script);
        toml = project.read("tribunal.toml").replace("[agents.critic]", "fallback = \"other\"\n[agents.critic]");
        project.write("tribunal.toml", &format!("{toml}{other}{reserve}\n"));
        let output = project.tribunal(&["run", "--usd", "0.15", "--set", "run.when_parked=leave"]);
        assert_eq!((output.code, project.calls("creator")), (if is_taken { 0 } else { 3 }, 1), "{}", output.all());
        assert_eq!(project.path("calls/other").exists(), is_taken, "what it may cost: {reserve}: {}", output.all());
        if is_taken {
            let status = project.json(&["status", "description", "--json"]);
            assert_eq!(status["usd_micros"], 80_000, "{status}");
        }
    }
    // Nobody knows what it costs, so a limit in money could not hold.
    let project = project("");
    project.write("tribunal.toml", &format!("{toml}[agents.other]\nkind = \"acp\"\ncommand = [\"./other.sh\"]\n"));
    let refused = project.tribunal(&["run", "--usd", "0.15"]);
    assert_eq!(refused.code, 2, "{}", refused.all());
    assert!(refused.stderr.contains("creator's fallback `other`"), "{}", refused.all());
    let project = self::project("");
    project.write("tribunal.toml", &format!("{toml}[agents.other]\nkind = \"human\"\n"));
    let refused = project.tribunal(&["run"]);
    assert_eq!(refused.code, 2, "{}", refused.all());
    assert!(refused.stderr.contains("`other` is a person"), "{}", refused.all());
}

#[test]
fn the_wall_limit_ends_the_waiting() {
    let project = project("try again in 2 hours\n");
    let output = project.tribunal(&["run", "--wall", "1s"]);
    assert_eq!(output.code, 3, "{}", output.all());
    assert!(output.stdout.contains("timed_out"), "{}", output.all());
}

#[test]
fn somebody_is_told_where_it_takes_long() {
    let project = project("try again in 2 hours\n");
    project.agent("told.sh", "#!/bin/sh\ncat >> told\n");
    let more = "[notify]\ncommand = [\"./told.sh\"]\nurl = \"http://127.0.0.1:9\"\nparked_after = \"1h\"\n";
    let toml = project.read("tribunal.toml");
    project.write("tribunal.toml", &format!("{toml}{more}"));
    let left = project.tribunal(&["run", "--set", "run.when_parked=leave"]);
    assert_eq!(left.code, 3, "{}", left.all());
    assert!(project.read("told").contains("parked"), "{}", project.read("told"));
    // What is short is nobody's business.
    let other = self::project("try again in 1 second\n");
    other.agent("told.sh", "#!/bin/sh\ngrep -q parked && touch told\n");
    other.write("tribunal.toml", &format!("{toml}{more}"));
    assert_eq!(other.tribunal(&["run"]).code, 0);
    assert!(!other.path("told").exists());
}
