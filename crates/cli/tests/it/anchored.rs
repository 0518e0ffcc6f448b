//! Anchors from end to end: in every loop, as a linter with opinions, and switched on the way.

use crate::support::Project;
use std::fs;
use std::time::{Duration, Instant};

const RYE: &str = "kind = \"invariants\"\nMUST = [\"must contain the phrase Rye\", \"is honest\"]\n";

/// The creator learns from what it is told.
const CREATOR: &str = r#"#!/bin/sh
echo x >> calls/creator
if grep -q "doesn't contain\|not in the draft\|is not in\|was rejected" ; then text=Rye; else text=Wheat; fi
printf '{"done": true, "candidate": {"content": "%s bread", "format": "plain"}}' "$text"
"#;

fn review(creator: &str, command: &str) -> Project {
    let project = Project::with_answers("description", 2, &["done x", "ok"]);
    project.write(
        "answers/reviewer.1",
        r#"{"verdict": "ok", "ballot": [{"id": "R1", "says": "met", "quote": "Rye bread"}]}"#,
    );
    project.write("anchor.toml", &format!("{RYE}{command}"));
    project.agent("creator.sh", creator);
    project
}

#[test]
fn a_review_sends_back_what_breaks_a_rule_before_the_reviewer_is_asked() {
    let project = review(CREATOR, "");
    let output = project.tribunal(&["run", "--anchor", "anchor.toml"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!((project.calls("creator"), project.calls("reviewer")), (2, 1), "{}", output.all());
    assert!(output.stderr.contains("sent back: must contain the phrase Rye"), "{}", output.all());
    let status = project.tribunal(&["status", "description"]);
    assert!(status.stdout.contains("anchor: invariants"), "{}", status.all());
    let copy = fs::read_dir(project.path("copy/candidates")).map(Iterator::count);
    assert_eq!(copy.unwrap_or(1), 1, "what was sent back is no candidate");
}

#[test]
fn a_script_that_always_says_ok_passes_nothing_where_its_votes_are_controlled() {
    for (controls, code, calls) in [("", 0, 1), ("controls = true\n", 1, 2), ("controls = false\n", 0, 1)] {
        let project = Project::with_answers("description", 1, &["done A content", "ok"]);
        let toml = project.read("tribunal.toml");
        let (before, after) = toml.split_once("[agents.critic]\n").expect("the reviewer's agent");
        // What it makes of planted faults is another matter.
        let toml = format!("{before}[controls]\nper_judge = 0\n[agents.critic]\n{controls}{after}");
        project.write("tribunal.toml", &toml);
        let output = project.tribunal(&["run"]);
        assert_eq!((output.code, project.calls("reviewer")), (code, calls), "{controls}: {}", output.all());
        let is_named =
            output.stdout.contains("needs_human (no judge passed its control: reviewer got wrong what is known");
        assert_eq!(is_named, code == 1, "{}", output.all());
    }
}

#[test]
fn an_anchor_that_nobody_would_decide_is_refused() {
    let project = Project::with_answers("description", 1, &["done a", "ok"]);
    for anchor in [
        "kind = \"rubric\"\ndims = [{ name = \"clarity\", weight = 1, floor = 8 }]\n",
        "kind = \"goal\"\nnorth_star = \"fewer words\"\nmeasure = { command = [\"wc\"], direction = \"minimise\", target = 1 }\n",
        "kind = \"exemplars\"\npositive = [\"a text\"]\n",
        "kind = \"invariants\"\nMUST = []\n",
    ] {
        project.write("anchor.toml", anchor);
        let refused = project.tribunal(&["run", "--anchor", "anchor.toml"]);
        assert_eq!(refused.code, 2, "{anchor}: {}", refused.all());
        assert!(refused.stderr.contains("a review is judged item by item"), "{}", refused.all());
    }
    assert_eq!(project.calls("creator"), 0);
}

#[test]
fn a_review_whose_drafts_never_meet_the_rules_asks_no_reviewer() {
    let stubborn = CREATOR.replace("text=Rye", "text=Wheat");
    let project = review(&stubborn, "");
    let output = project.tribunal(&["run", "--anchor", "anchor.toml"]);
    assert_eq!((output.code, project.calls("reviewer")), (1, 0), "{}", output.all());
    assert!(output.stdout.contains("needs_human (no draft keeps the rules"), "{}", output.all());
    let reopened = project.tribunal(&["reopen", "description", "--why", "the rule was wrong"]);
    assert_eq!(reopened.code, 0, "a person can: {}", reopened.all());
}

#[test]
fn a_linter_is_asked_only_about_what_needs_an_opinion() {
    let project = Project::bare();
    let toml = "[joust]\nlinters = [\"judge\"]\n[agents.critic]\nkind = \"command\"\ncommand = \
                [\"./critic.sh\"]\n[seats.judge]\nagent = \"critic\"\n[limits]\ngrace = \"500ms\"\n";
    project.write("tribunal.toml", toml);
    project.write("anchor.toml", RYE);
    fs::create_dir(project.path("calls")).unwrap();
    let critic = "#!/bin/sh\ncat > calls/prompt\nprintf '%s' '{\"ballot\": [{\"id\": \"R1\", \"says\": \"broken\", \"quote\": \
                  \"best Rye\", \"why\": \"nobody tried them all\"}]}'\n";
    project.agent("critic.sh", critic);
    project.write("bad.md", "Wheat\n");
    project.write("odd.md", "The best Rye of all.\n");
    let broken = project.tribunal(&["check", "bad.md", "--anchor", "anchor.toml", "--semantic"]);
    assert_eq!(broken.code, 1, "{}", broken.all());
    assert!(!project.path("calls/prompt").exists(), "a rule that a program checks decides alone");
    let judged = project.tribunal(&["check", "odd.md", "--anchor", "anchor.toml", "--semantic"]);
    assert_eq!(judged.code, 1, "{}", judged.all());
    assert!(judged.stdout.contains("odd.md:1:5") && judged.stdout.contains("nobody tried"), "{}", judged.all());
    let prompt = project.read("calls/prompt");
    assert!(prompt.contains("is honest") && !prompt.contains("must contain the phrase"), "{prompt}");
    let plain = project.tribunal(&["check", "odd.md", "--anchor", "anchor.toml"]);
    assert_eq!(plain.code, 1, "nobody judged whether it is honest: {}", plain.all());
    assert!(plain.stdout.contains("odd.md: undecided: is honest"), "{}", plain.all());

    // An answer that says nothing is no pass.
    project.agent("critic.sh", "#!/bin/sh\nprintf '{}'\n");
    let silent = project.tribunal(&["check", "odd.md", "--anchor", "anchor.toml", "--semantic"]);
    assert_eq!(silent.code, 1, "{}", silent.all());
    assert!(silent.stdout.contains("`is honest` is undecided: judge: no usable answer"), "{}", silent.all());
}

#[test]
fn a_panel_in_one_stream_does_not_pass_with_a_broken_rule() {
    let panel = format!(
        "#!/bin/sh\ncat > /dev/null\ncat <<'END'\n{}\nEND\n",
        include_str!("../../../../testdata/theater/ships-in-round-2.txt")
    );
    for (phrase, code) in [("Bread", 0), ("Rye", 1)] {
        let project = Project::theater("single", &panel, "");
        project.write(
            "anchor.toml",
            &format!("kind = \"invariants\"\nMUST = [{{ kind = \"pattern\", pattern = \"{phrase}\" }}]\n"),
        );
        let output = project.tribunal(&["run", "--anchor", "anchor.toml"]);
        assert_eq!(output.code, code, "{phrase}: {}", output.all());
    }
}

/// Waits in its first rewrite until somebody says go.
const SLOW: &str = r##"#!/bin/sh
cat > "calls/prompt-$TRIBUNAL_TASK"
case "$TRIBUNAL_TASK" in
  bootstrap) printf '%s' '{"draft": "# Plan\n"}' ;;
  joust) touch calls/waiting; while [ ! -e go ]; do sleep 0.05; done; printf '%s' '{"draft": "# Plan\n\nWheat\n"}' ;;
  reanchor) printf '%s' '{"anchor": {"kind": "assertions", "checks": [{"description": "wheat", "predicate": "must contain the phrase Wheat"}]}, "why": "bread"}' ;;
  ask) printf '%s' 'The risks.' ;;
  *) printf '%s' '{"draft": "# Plan\n\nWheat!\n"}' ;;
esac
"##;

fn joust() -> Project {
    let project = Project::bare();
    let toml = "[run]\nloop = \"joust\"\nbrief = \"Write the RFC.\"\nanchor = \"anchor.toml\"\n[joust]\nname = \
                \"rfc\"\njousters = [\"skeptic\"]\nmax_rounds = 1\nmax_retries = 1\n[agents.actor]\nkind = \
                \"command\"\ncommand = [\"./agent.sh\"]\n[seats.main]\nagent = \"actor\"\n[seats.skeptic]\nagent = \
                \"actor\"\n[limits]\ngrace = \"500ms\"\n";
    project.write("tribunal.toml", toml);
    project.write("anchor.toml", "kind = \"invariants\"\nMUST = [\"must contain the phrase Rye\"]\n");
    project.agent("agent.sh", SLOW);
    fs::create_dir(project.path("calls")).unwrap();
    project
}

#[test]
fn the_main_seat_writes_another_anchor_while_the_run_goes_on() {
    let project = joust();
    let running = project.command(&["run"]).spawn().unwrap();
    let begun = Instant::now();
    while !project.path("calls/waiting").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the skeptic was never asked");
        std::thread::sleep(Duration::from_millis(20));
    }
    let asked = project.tribunal(&["ask", "skeptic", "What is missing?"]);
    assert_eq!((asked.code, asked.stdout.as_str()), (0, "The risks.\n"), "{}", asked.all());
    assert!(project.read("calls/prompt-ask").contains("What is missing?"));
    let switched = project.tribunal(&["reanchor", "rfc", "assertions"]);
    assert_eq!(switched.code, 0, "{}", switched.all());
    project.write("go", "");
    let output = running.wait_with_output().unwrap();
    let all = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "judged by the new anchor alone: {all}");
    let log = fs::read_to_string(project.log()).unwrap();
    assert_eq!(log.matches("\"reanchored\"").count(), 1);
    let nobody = project.tribunal(&["ask", "judge", "?"]);
    assert_eq!(nobody.code, 2, "{}", nobody.all());
    assert!(
        nobody.stderr.contains("its seats are cfo, dba, legal, main, perf, security, skeptic, ux"),
        "{}",
        nobody.all()
    );
}

#[test]
fn a_plan_has_calls_tokens_and_a_price() {
    let project = joust();
    let unpriced = project.tribunal(&["plan"]);
    assert_eq!(unpriced.code, 0, "{}", unpriced.all());
    assert!(unpriced.stdout.contains("no price is known"), "{}", unpriced.all());
    let priced =
        project.tribunal(&["plan", "--set", "seats.main.model=opus", "--set", "seats.skeptic.model=haiku", "--json"]);
    let plan: serde_json::Value = serde_json::from_str(&priced.stdout).unwrap();
    let seats = plan["assets"][0]["seats"].as_array().unwrap();
    let of = |name: &str| seats.iter().find(|seat| seat["seat"] == name).unwrap();
    // It begins, polishes, and lints two rewrites; what would pass is counted again.
    assert_eq!((of("main")["calls"].as_u64(), of("skeptic")["calls"].as_u64()), (Some(5), Some(1)));
    assert!(of("main")["usd"].as_u64() > of("skeptic")["usd"].as_u64(), "{}", priced.all());
    assert_eq!(of("rules")["tokens"], 0);
    let own =
        ["plan", "--set", "seats.main.model=mine", "--set", "prices.mine.input=1", "--set", "prices.mine.output=2"];
    assert!(project.tribunal(&own).stdout.contains("without skeptic"), "a project can name its own prices");
    assert!(!project.path("calls/waiting").exists(), "nobody was called");
}
