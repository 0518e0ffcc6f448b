//! A desk for somebody who has configured nothing: one sentence, whoever is installed, whatever tests the project.

use crate::doctor::tribunal;
use crate::support::{Output, Project};
use serde_json::Value;
use std::process::Command;

const OBJECTIVE: &str = "fix the off-by-one in parse_range";
const SLUG: &str = "fix-off-one-parse-range";
/// Stands in for a command line that can work on files: it does what its seat is for, and says so as Claude Code does.
const AGENT: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo 2.1.197; exit 0; }
cat > /dev/null
echo "$TRIBUNAL_SEAT $*" >> "$HOME/NAME/calls"
case "$TRIBUNAL_SEAT" in
worker)
  echo 'echo $(($2 - $1 + 1))' > range.sh
  printf '## Stop Status\nverify\n' > "$TRIBUNAL_MEMORY"
  echo "iteration $TRIBUNAL_ROUND" > "$TRIBUNAL_CONTEXT"
  printf '{"summary": "done", "stories_completed": ["US-001"]}' > "$TRIBUNAL_CLAIM" ;;
verifier)
  printf '{"verdict": "pass", "summary": "looked", "criteria_results": [
    {"criterion": "US-001 AC1", "met": true, "evidence": "seen"}, {"criterion": "US-001 AC2", "met": true, "evidence": "seen"}],
    "recommended_state_transition": "complete"}' > "$TRIBUNAL_VERDICT" ;;
esac
echo '{"type":"result","subtype":"success","is_error":false,"result":"done","usage":{"input_tokens":1,"output_tokens":1}}'
"#;
/// Red before the work, green with it.
const TEST: &str = "echo 1..1\n[ \"$(sh range.sh 1 3)\" = 3 ] && echo 'ok 1' || { echo 'not ok 1'; exit 1; }\n";

/// A repository with a test and nothing else, on a machine where these are installed and logged in.
struct Stranger {
    project: Project,
}

impl Stranger {
    fn new(installed: &[&str]) -> Self {
        let project = Project::bare();
        project.write("home/.keep", "");
        for name in installed {
            project.agent(&format!("bin/{name}"), &AGENT.replace("NAME", &format!(".{name}")));
            let login = if *name == "claude" { ".credentials.json" } else { "auth.json" };
            project.write(&format!("home/.{name}/{login}"), "{}");
        }
        project.write("repo/test.sh", TEST);
        project.write("repo/range.sh", "echo $(($2 - $1))\n");
        let stranger = Self { project };
        for args in [&["init", "-q", "."][..], &["add", "."], &["commit", "-qm", "first"]] {
            let mut git = Command::new("git");
            git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args);
            assert!(git.current_dir(stranger.project.path("repo")).status().unwrap().success());
        }
        stranger
    }

    fn tribunal(&self, args: &[&str]) -> Output {
        tribunal(&self.project, &[&["-C", "repo"], args].concat(), &[])
    }

    /// How an agent was called, by its seat.
    fn calls(&self, name: &str) -> Vec<String> {
        let calls = std::fs::read_to_string(self.project.path(&format!("home/.{name}/calls"))).unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }

    fn desk(&self, name: &str) -> String {
        self.project.read(&format!("repo/.tribunal/desk/{name}"))
    }

    fn is_untouched(&self) -> bool {
        !self.project.path("repo/.tribunal").exists() && !self.project.path("repo/tribunal.toml").exists()
    }
}

#[test]
fn one_sentence_is_enough() {
    let stranger = Stranger::new(&["claude"]);
    let output = stranger.tribunal(&["desk", OBJECTIVE, "--yes"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(output.stdout.contains(&format!("{SLUG}: converged")), "{}", output.all());
    insta::assert_snapshot!(stranger.project.read("repo/tribunal.toml"), @r#"
    # Who works at the desk. `tribunal config` shows every setting.

    [seats.worker]
    agent = "claude"

    [seats.verifier]
    agent = "claude"
    "#);
    insta::assert_snapshot!(stranger.desk(&format!("plans/prd-{SLUG}.md")), @r#"
    # PRD: fix-off-one-parse-range

    ## Objective

    fix the off-by-one in parse_range

    ## User Stories

    ### US-001: Fix the off-by-one in parse_range

    **Acceptance Criteria**

    - Fix the off-by-one in parse_range
    - Every test that passed before still passes

    ## Technical Constraints

    <!-- What the work has to keep to, such as: Python 3 and pytest only. -->

    ## Done When

    Every criterion is met, and every command of the test spec passes.
    "#);
    insta::assert_snapshot!(stranger.desk(&format!("plans/test-spec-{SLUG}.md")), @r#"
    # Test spec: fix-off-one-parse-range

    ## Verification Commands

    ### Test

    ```sh
    sh test.sh
    ```

    ## Criteria → Verification Mapping

    | Criterion | Method | Command |
    |---|---|---|
    | US-001 AC1: Fix the off-by-one in parse_range | automated | `sh test.sh` |
    | US-001 AC2: Every test that passed before still passes | automated | `sh test.sh` |
    "#);
    let models: Vec<String> = stranger
        .calls("claude")
        .iter()
        .map(|call| {
            let model = call.split(" --model ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or("none");
            format!("{} {model}", call.split(' ').next().unwrap())
        })
        .collect();
    assert_eq!(models, ["worker sonnet", "verifier opus"], "its own ladder, and not the same model twice");
    assert_eq!(stranger.tribunal(&["adopt", SLUG]).code, 0);
    assert_eq!(stranger.project.read("repo/range.sh"), "echo $(($2 - $1 + 1))\n");
}

#[test]
fn nothing_is_written_before_somebody_agrees() {
    let stranger = Stranger::new(&["claude"]);
    let output = stranger.tribunal(&["desk", OBJECTIVE]);
    assert_eq!(output.code, 2, "{}", output.all());
    for said in ["nothing was written", "--yes", "US-001", "sh test.sh", "[seats.worker]", "`claude` as worker"] {
        assert!(output.stderr.contains(said), "{said}: {}", output.all());
    }
    assert!(stranger.is_untouched() && stranger.calls("claude").is_empty());
    let output = stranger.tribunal(&["desk", OBJECTIVE, "--json"]);
    let plan: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((output.code, &plan["slug"], &plan["written"]), (2, &SLUG.into(), &false.into()), "{}", output.all());
    assert!(stranger.is_untouched());
}

#[test]
fn what_cannot_be_done_is_said_and_nothing_is_written() {
    let nobody = Stranger::new(&[]);
    let stranger = Stranger::new(&["claude"]);
    let bare = Stranger::new(&["claude"]);
    std::fs::remove_file(bare.project.path("repo/test.sh")).unwrap();
    for (name, on, args, said) in [
        ("nobody is installed", &nobody, &[OBJECTIVE][..], "npm install -g @anthropic-ai/claude-code"),
        ("nothing tests it", &bare, &[OBJECTIVE], "--check"),
        ("a command that is empty", &bare, &[OBJECTIVE, "--check", " "], "--check"),
        ("a command misspelled", &stranger, &["statsu"], "neither a command of the desk nor an objective"),
        ("nothing said", &stranger, &[" "], "neither a command of the desk nor an objective"),
        ("two sentences", &stranger, &[OBJECTIVE, "and more"], "cannot be used with"),
        ("a sentence and a command", &stranger, &[OBJECTIVE, "status"], "cannot be used with"),
    ] {
        let output = on.tribunal(&[&["desk"], args, &["--yes"]].concat());
        assert_eq!(output.code, 2, "{name}: {}", output.all());
        assert!(output.stderr.contains(said), "{name}: {}", output.all());
        assert!(on.is_untouched(), "{name}");
    }
}

#[test]
fn what_the_user_wrote_stays_as_it_is() {
    let stranger = Stranger::new(&["claude"]);
    let toml = "# mine\n[limits]\nwall = \"1h\"\n[seats.worker]\nagent = \"claude\"\nmodel = \"haiku\"";
    stranger.project.write("repo/tribunal.toml", toml);
    let prd = format!("repo/.tribunal/desk/plans/prd-{SLUG}.md");
    stranger.project.write(&prd, "# another one\n");
    let flags = ["--yes", "--max-iter", "2", "--check", "sh test.sh"];
    let output = stranger.tribunal(&[&["desk", OBJECTIVE], &flags[..]].concat());
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!(stranger.project.read(&prd), "# another one\n");
    let added = format!("{toml}\n\n[seats.verifier]\nagent = \"claude\"\n");
    assert_eq!(stranger.project.read("repo/tribunal.toml"), added, "lines are added, none is changed");
    assert!(output.stdout.contains(&format!("{SLUG}-2: converged")), "{}", output.all());
    let calls = stranger.calls("claude");
    assert!(calls[0].starts_with("worker ") && calls[0].contains("--model haiku"), "named for the seat: {calls:?}");
    // The same words once more are the same campaign: it is decided, and nobody is called.
    let again = stranger.tribunal(&["desk", OBJECTIVE, "--yes"]);
    assert_eq!(again.code, 0, "{}", again.all());
    assert!(again.stdout.contains(&format!("{SLUG}-2: converged")), "{}", again.all());
    assert_eq!(stranger.calls("claude").len(), calls.len());
}

#[test]
fn a_desk_without_seats_takes_whoever_is_logged_in() {
    let stranger = Stranger::new(&["claude"]);
    assert_eq!(stranger.tribunal(&["desk", "init", "calc", "add up"]).code, 0);
    let output = stranger.tribunal(&["desk", "run", "calc"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(output.stderr.contains("using `claude` as worker and `claude` as verifier"), "{}", output.all());
    let nobody = Stranger::new(&[]);
    assert_eq!(nobody.tribunal(&["desk", "init", "calc", "add up"]).code, 0);
    let output = nobody.tribunal(&["desk", "run", "calc"]);
    assert_eq!(output.code, 2, "{}", output.all());
    assert!(output.stderr.contains("no agent in the seat `worker`"), "{}", output.all());
}
