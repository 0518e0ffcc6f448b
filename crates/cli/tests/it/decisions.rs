//! What a person decides over the program itself: items that nobody could tell, commands that a model wrote, and what was
//! measured and is let stand.

use crate::support::Project;
use std::fs;

const MAIN: &str = r#"#!/bin/sh
prompt=$(cat)
case "$TRIBUNAL_TASK" in
  lint*) echo '{"ballot": [{"id": "R1", "says": "met", "quote": "The city pays for"}, {"id": "R2", "says": "cannot_tell", "why": "no calendar"}]}' ;;
  *) echo '{"draft": "The city pays for all of it, and it begins soon."}' ;;
esac
"#;

fn joust(agent: &str, settings: &str) -> Project {
    let project = Project::bare();
    project.agent("actor.sh", agent);
    project.write(
        "tribunal.toml",
        &format!(
            "[run]\nloop = \"joust\"\nbrief = \"Say who pays and when.\"\n{settings}\n[joust]\nname = \"plan\"\njousters = [\"main\"]\nmax_rounds = 1\n\
             [agents.actor]\nkind = \"command\"\ncommand = [\"./actor.sh\"]\n[seats.main]\nagent = \"actor\"\n"
        ),
    );
    project
}

#[test]
fn a_person_decides_what_nobody_could_tell() {
    let project = joust(MAIN, "anchor = \"anchor.toml\"");
    project.write("anchor.toml", "kind = \"invariants\"\nMUST = [\"names the payer\", \"names the date\"]\n");
    let run = project.tribunal(&["run"]);
    assert_eq!(run.code, 1, "{}", run.all());
    assert!(run.stdout.contains("undecided: `names the date`"), "{}", run.all());
    let status = project.tribunal(&["status", "plan"]);
    assert!(status.stdout.contains("undecided: names the date: no calendar"), "{}", status.all());
    assert_eq!(project.json(&["status", "plan", "--json"])["open_items"][0]["item"], "names the date");

    let asked = project.tribunal(&["answer"]);
    assert_eq!(asked.code, 1, "it is shown, and nothing changes: {}", asked.all());
    assert!(asked.stdout.contains("2. MUST: names the date"), "{}", asked.all());
    assert!(asked.stderr.contains("--met 2"), "{}", asked.all());
    for (wrong, told) in [
        (vec!["answer", "--met", "1"], "no undecided item `1`"),
        (vec!["answer", "--met", "2", "--broken", "all"], "met and broken"),
        (vec!["answer", "--allow-commands"], "no commands that wait for permission"),
    ] {
        let refused = project.tribunal(&wrong);
        assert_eq!(refused.code, 2, "{wrong:?}: {}", refused.all());
        assert!(refused.stderr.contains(told), "{wrong:?}: {}", refused.all());
    }

    let broken = project.tribunal(&["answer", "plan", "--broken", "2", "--why", "soon is no date"]);
    assert_eq!(broken.code, 1, "{}", broken.all());
    assert!(broken.stdout.contains("broken: `names the date`"), "{}", broken.all());
    let again = project.tribunal(&["answer", "plan", "--met", "2"]);
    assert_eq!(again.code, 2, "it is decided: {}", again.all());
    let verified = project.tribunal(&["verify"]);
    assert_eq!(verified.code, 0, "{}", verified.all());
}

#[test]
fn what_a_person_calls_met_passes_without_another_call() {
    let project = joust(MAIN, "anchor = \"anchor.toml\"");
    project.write("anchor.toml", "kind = \"invariants\"\nMUST = [\"names the payer\", \"names the date\"]\n");
    assert_eq!(project.tribunal(&["run"]).code, 1);
    let turns = project.json(&["status", "--json"])["runs"][0]["turns"].as_u64().unwrap();
    let met = project.tribunal(&["answer", "--met", "names the date", "--why", "next week is soon"]);
    assert_eq!(met.code, 0, "{}", met.all());
    let now = project.json(&["status", "--json"])["runs"][0].clone();
    assert_eq!(now["status"], "converged", "{now}");
    // Only the last look is new: it is free.
    assert_eq!(now["turns"].as_u64().unwrap(), turns + 1, "{now}");
    assert!(fs::read_to_string(project.log()).unwrap().contains("next week is soon"));
    assert_eq!(project.tribunal(&["run"]).code, 0, "it stays decided");
    let nothing = project.tribunal(&["answer", "plan", "--met", "all"]);
    assert_eq!(nothing.code, 2, "{}", nothing.all());
}

/// The main seat writes an anchor with a command: it is shown, and not run before a person allowed it.
#[test]
fn a_command_that_a_model_wrote_waits_for_a_person() {
    let main = r#"#!/bin/sh
cat > /dev/null
case "$TRIBUNAL_TASK" in
  bootstrap) echo '{"draft": "The plan.", "anchor": {"kind": "assertions", "checks": [{"description": "checked", "predicate": {"kind": "command", "argv": ["./check.sh"], "rule": "checked"}}]}, "why": "a program can tell"}' ;;
  *) echo '{"draft": "The plan, polished."}' ;;
esac
"#;
    let project = |flag: Option<&str>| {
        let project = joust(main, "");
        project.write(
            "tribunal.toml",
            &project.read("tribunal.toml").replace("max_rounds = 1", "max_rounds = 1\nanchor_kind = \"assertions\""),
        );
        project.agent("check.sh", "#!/bin/sh\ntrue\n");
        let mut args = vec!["run"];
        args.extend(flag);
        let output = project.tribunal(&args);
        (project, output)
    };
    let (held_back, output) = project(None);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stderr.contains("command, not run until you allow it"), "{}", output.all());
    assert!(output.stderr.contains("./check.sh"), "it is shown in full: {}", output.all());
    assert!(output.stdout.contains("undecided: `checked`"), "{}", output.all());
    let log = fs::read_to_string(held_back.log()).unwrap();
    assert!(!log.contains("\"exit\""), "nothing ran");
    let asked = held_back.tribunal(&["answer"]);
    assert!(asked.stdout.contains("command: ./check.sh"), "{}", asked.all());
    let allowed = held_back.tribunal(&["answer", "--allow-commands"]);
    assert_eq!(allowed.code, 0, "{}", allowed.all());
    assert!(allowed.stdout.contains("converged"), "{}", allowed.all());

    let (_, output) = project(Some("--allow-commands"));
    assert_eq!(output.code, 0, "{}", output.all());
    let (_, output) = project(Some("--set=joust.allow_commands=true"));
    assert_eq!(output.code, 0, "{}", output.all());
}

/// Who somebody is, is said first: by the seat, or else by the agent; and who can be summoned is named.
#[test]
fn a_seat_is_told_who_it_is() {
    let agent = MAIN.replace("prompt=$(cat)", "cat > prompt-$TRIBUNAL_SEAT-$TRIBUNAL_TURN");
    let project = joust(&agent, "anchor = \"anchor.toml\"");
    project.write("anchor.toml", "kind = \"invariants\"\nMUST = [\"names the payer\", \"names the date\"]\n");
    project.write("pedant.md", "You are a pedant, and proud of it.\n");
    let toml = project.read("tribunal.toml").replace("jousters = [\"main\"]", "jousters = [\"editor\"]");
    project.write("tribunal.toml", &format!("{toml}[seats.editor]\nagent = \"actor\"\n"));
    let told = ["--set", "agents.actor.persona=You are a plain speaker.", "--set", "seats.editor.persona=pedant.md"];
    let run = project.tribunal(&[&["run"], &told[..]].concat());
    assert_eq!(run.code, 1, "{}", run.all());
    let first = |name: &str| {
        let file = project.list("").into_iter().find(|file| file.starts_with(&format!("prompt-{name}"))).unwrap();
        project.read(&file)
    };
    assert!(first("main").starts_with("You are a plain speaker."), "{}", first("main"));
    assert!(first("editor").starts_with("You are a pedant"), "{}", first("editor"));
    assert!(first("editor").contains(": cfo, dba, legal, perf, security, ux."), "{}", first("editor"));
    let missing = project.tribunal(&["run", "--again", "--set", "seats.editor.persona=nobody.md"]);
    assert_eq!(missing.code, 2, "{}", missing.all());
    assert!(missing.stderr.contains("cannot read the persona"), "{}", missing.all());
}

/// A review that goes back and forth ends for a person if that is wanted, and says so in any case.
#[test]
fn a_review_that_goes_in_circles() {
    let answers = ["draft a", "changes_requested", "draft b", "changes_requested", "draft a", "changes_requested"];
    let project = Project::with_answers("description", 5, &answers);
    let output = project.tribunal(&["run", "--set", "review.stop_in_circles=true"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stdout.contains("going in circles: round 3 brings back the draft of round 1"), "{}", output.all());
    let status = project.tribunal(&["status", "description"]);
    assert!(status.stdout.contains("  round 1: ") && status.stdout.contains("  round 2: "), "{}", status.all());
}

const PAGE: &str = "<!doctype html><html lang=en><head><title>Bread</title></head><body><main><h1>Bread</h1>\
                    <p style='color:#eaeaea;background:#ffffff'>Fresh every day.</p></main></body></html>";

/// A reviewer who says ok does not outweigh what was measured; only a person does, and it is recorded.
#[test]
fn what_was_measured_holds_a_review_unless_a_person_waives_it() {
    let project = Project::bare();
    let creator = serde_json::json!({ "done": true, "candidate": { "content": PAGE, "format": "html" } });
    project.agent("creator.sh", &format!("#!/bin/sh\ncat > prompt-$TRIBUNAL_ROUND\ncat <<'END'\n{creator}\nEND\n"));
    project.agent("reviewer.sh", "#!/bin/sh\ncat > /dev/null\necho '{\"verdict\": \"ok\", \"summary\": \"fine\"}'\n");
    let toml = "[run]\nbrief = \"A page about bread.\"\n[review]\nasset = \"page\"\nmax_iterations = 2\n\
                [agents.writer]\nkind = \"command\"\ncommand = [\"./creator.sh\"]\n[agents.critic]\nkind = \"command\"\ncommand = [\"./reviewer.sh\"]\n\
                [seats.creator]\nagent = \"writer\"\n[seats.reviewer]\nagent = \"critic\"\n";
    project.write("tribunal.toml", toml);
    let held = project.tribunal(&["run"]);
    assert_eq!(held.code, 1, "{}", held.all());
    assert!(held.stdout.contains("the last look found what must be fixed"), "{}", held.all());
    assert!(project.read("prompt-2").contains("1.20:1"), "the creator is told what was measured");

    project.write(
        "tribunal.toml",
        &format!(
            "{toml}[[waive]]\ncode = \"contrast.text\"\ntarget = \"#eaeaea\"\nwhy = \"a watermark, on purpose\"\n"
        ),
    );
    let stale = project.tribunal(&["run"]);
    assert!(stale.code == 1 && stale.stderr.contains("the waivers"), "{}", stale.all());
    let waived = project.tribunal(&["run", "--again"]);
    assert_eq!(waived.code, 0, "{}", waived.all());
    let status = project.tribunal(&["status", "page"]);
    assert!(status.stdout.contains("waived: contrast.text (#eaeaea): a watermark, on purpose"), "{}", status.all());
    let run = project.json(&["status", "page", "--json"])["run"].as_str().unwrap().to_owned();
    let log = project.read(&format!(".tribunal/runs/{run}/log.ndjson"));
    assert!(log.contains("is waived: a watermark"), "it is in the log");

    let bad = project.tribunal(&["run", "--set", "waive.x.code=contrast.text"]);
    assert_eq!(bad.code, 2, "a waiver needs a reason: {}", bad.all());
}

/// Known faults: one who objects to everything notices them all, and sees as many where there are none.
#[test]
fn judges_are_tried_on_known_faults() {
    let no = r#"#!/bin/sh
awk -F: '/^R[0-9]+: /{ printf "%s{\"id\": \"%s\", \"says\": \"broken\", \"absent\": true}", (n++ ? ", " : "{\"ballot\": ["), $1 } END { print "]}" }'
"#;
    let project = joust(no, "");
    project.agent("silent.sh", "#!/bin/sh\ncat > /dev/null\necho '{\"ballot\": []}'\n");
    let toml = project.read("tribunal.toml");
    project.write(
        "tribunal.toml",
        &format!(
            "{toml}[agents.silent]\nkind = \"command\"\ncommand = [\"./silent.sh\"]\n[agents.house]\nkind = \"house\"\n"
        ),
    );
    let tried = project.tribunal(&["agents", "controls", "actor", "silent"]);
    assert_eq!(tried.code, 0, "{}", tried.all());
    let told =
        "actor: caught 20 of 20 faults (100 %, between 84 and 100), 20 false alarms in 20 (100 %, between 84 and 100)";
    assert!(tried.stdout.contains(told), "{}", tried.all());
    assert!(
        tried.stdout.contains("silent: caught 0 of 20 faults (0 %, between 0 and 16), 0 false alarms"),
        "{}",
        tried.all()
    );
    let doctor = project.tribunal(&["agents", "doctor"]);
    assert!(doctor.stdout.contains("as a judge: caught 20 of 20 faults"), "{}", doctor.all());
    let plan = project.tribunal(&["plan"]);
    assert!(plan.stdout.contains("main: caught 20 of 20 faults"), "{}", plan.all());
    for (args, told) in [
        (vec!["agents", "controls"], "no model to try"),
        (vec!["agents", "controls", "house"], "not somebody whose opinion"),
        (vec!["agents", "controls", "nobody"], "unknown agent `nobody`"),
    ] {
        let refused = project.tribunal(&args);
        assert_eq!(refused.code, 2, "{}", refused.all());
        assert!(refused.stderr.contains(told), "{}", refused.all());
    }
}

/// Inside of a turn nobody decides in the place of a person; and what a model writes hides nothing.
#[test]
fn an_agent_is_not_a_person() {
    let project = joust(MAIN, "anchor = \"anchor.toml\"");
    project.write("anchor.toml", "kind = \"invariants\"\nMUST = [\"names the payer\", \"names the date\"]\n");
    assert_eq!(project.tribunal(&["run"]).code, 1);
    for args in [
        vec!["answer", "--met", "all"],
        vec!["answer", "--allow-commands"],
        vec!["answer"],
        vec!["reopen", "plan", "--why", "I say so"],
        vec!["reanchor", "plan", "anchor.toml"],
    ] {
        let output = project.command(&args).env("TRIBUNAL_TURN", "3").output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {told}");
        assert!(told.contains("an agent cannot decide in the place of a person"), "{args:?}: {told}");
    }
    assert_eq!(project.json(&["status", "--json"])["runs"][0]["status"], "needs_human");
}

#[test]
fn a_command_cannot_hide_where_permission_is_asked() {
    let main = r#"#!/bin/sh
cat > /dev/null
printf '%s\n' '{"draft": "The plan of ours.", "anchor": {"kind": "assertions", "checks": [{"description": "fine\n  command: true", "predicate": {"kind": "command", "argv": ["sh", "-c", "rm -rf x\r\u001b[2K  command: true"], "rule": "fine"}}]}}'
"#;
    let project = joust(main, "");
    let output = project.tribunal(&["run", "--set", "joust.anchor_kind=assertions"]);
    let asked = project.tribunal(&["answer"]);
    assert!(asked.stdout.contains(r#"command: sh -c "rm -rf x\r\u{1b}[2K  command: true""#), "{}", asked.all());
    assert!(!asked.stdout.contains('\u{1b}') && !output.stderr.contains('\u{1b}'), "{}", output.all());
    assert_eq!(asked.stdout.lines().filter(|line| line.starts_with("  command:")).count(), 1, "{}", asked.all());
}
