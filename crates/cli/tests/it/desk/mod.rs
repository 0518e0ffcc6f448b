//! The desk from end to end, over shell scripts that work, lie and die.

mod cases;
mod first;
mod killed;
mod liars;
mod original;
mod parked;
mod places;
mod settings;

use crate::support::{Output, Project};
use std::fs;
use std::process::Command;

/// Two stories, and a test that is given.
const PRD: &str = "# PRD\n\n### US-001: Add\n- it adds\n\n### US-002: Divide\n- it divides\n";
const SPEC: &str = "## Verification Commands\n### Test\n```sh\nsh test_calc.sh\n```\n\n\
                    ## Criteria → Verification Mapping\n| Criterion | Method | Command |\n|---|---|---|\n\
                    | US-001 AC1: it adds | automated | `sh test_calc.sh` |\n";
const TEST: &str = "echo 1..2\n\
                    [ \"$(sh calc.sh 2 3)\" = 5 ] && echo 'ok 1' || { echo 'not ok 1'; bad=1; }\n\
                    echo 'ok 2'\nexit ${bad:-0}\n";
/// A plain command has no models of its own.
const LADDERS: &str =
    "ladder = [\"haiku\", \"sonnet\", \"opus\"]\nverifier_ladder = [\"haiku\", \"sonnet\", \"opus\"]\n";
/// The words that every script of a worker may use.
const WORKER: &str = r#"#!/bin/sh
cat > /dev/null
echo "$TRIBUNAL_ROUND $TRIBUNAL_MODEL" >> "$CALLS/worker"
remember() { # STOP CONTRACT
  printf '# m\n\n## Stop Status\n%s\n\n## Next Iteration Contract\n%s\n' "$1" "$2" > "$TRIBUNAL_MEMORY"
  echo "iteration $TRIBUNAL_ROUND" > "$TRIBUNAL_CONTEXT"
}
claim() { printf '{"summary": "done", "stories_completed": [%s]}' "$1" > "$TRIBUNAL_CLAIM"; }
good() { echo 'echo $(($1 + $2))' > calc.sh; }
bad() { echo 'echo 4' > calc.sh; }
"#;
const VERIFIER: &str = r#"#!/bin/sh
cat > /dev/null
echo "$TRIBUNAL_ROUND $TRIBUNAL_MODEL" >> "$CALLS/verifier"
verdict() { # WORD TRANSITION [ISSUE]
  met=true; [ "$1" = pass ] || met=false
  printf '{"verdict": "%s", "iteration": %s, "summary": "looked", "criteria_results": [{"criterion": "US-001 AC1: it adds", "met": %s, "evidence": "`echo $(($1 + $2))`"}, {"criterion": "it divides", "met": %s, "evidence": "`%s`"}], "issues": [%s], "recommended_state_transition": "%s", "next_iteration_contract": "mend it"}' \
    "$1" "${ITERATION:-$TRIBUNAL_ROUND}" "$met" "$met" "${SEEN:-calc.sh:1}" "$3" "$2" > "$TRIBUNAL_VERDICT"
}
"#;
const HONEST: &str = "good\nclaim '\"US-001\", \"US-002\"'\nremember verify nothing\n";
const PASSES: &str = "verdict pass complete\n";

/// A repository with a plan, a given test, and two agents that do this.
struct Bench {
    project: Project,
}

impl Bench {
    fn new(worker: &str, verifier: &str) -> Self {
        let bench = Self::without_git(worker, verifier);
        bench.git(&["init", "-q", "."]);
        bench.git(&["add", "calc.txt", "test_calc.sh"]);
        bench.git(&["commit", "-qm", "first"]);
        bench
    }

    fn without_git(worker: &str, verifier: &str) -> Self {
        let project = Project::bare();
        let calls = project.path("calls");
        fs::create_dir(&calls).unwrap();
        let head = format!("#!/bin/sh\nCALLS={}\n", calls.display());
        project.agent("worker.sh", &WORKER.replacen("#!/bin/sh\n", &head, 1).add(worker));
        project.agent("verifier.sh", &VERIFIER.replacen("#!/bin/sh\n", &head, 1).add(verifier));
        project.write("calc.txt", "a calculator\n");
        project.write("test_calc.sh", TEST);
        project.write(
            "tribunal.toml",
            &format!("[run]\nloop = \"desk\"\n[desk]\n{LADDERS}slug = \"calc\"\nmax_iter = 8\nwritable = [\"calls\"]\n[agents.worker]\nkind = \
             \"command\"\ncommand = [\"./worker.sh\"]\n[agents.verifier]\nkind = \"command\"\ncommand = \
             [\"./verifier.sh\"]\n[seats.worker]\nagent = \"worker\"\n[seats.verifier]\nagent = \
             \"verifier\"\n[limits]\ngrace = \"500ms\"\n"),
        );
        let bench = Self { project };
        bench.lay_out(".tribunal/desk");
        bench
    }

    fn lay_out(&self, root: &str) {
        self.project.write(&format!("{root}/plans/prd-calc.md"), PRD);
        self.project.write(&format!("{root}/plans/test-spec-calc.md"), SPEC);
        self.project.write(&format!("{root}/prompts/calc.worker.prompt.md"), "You are the worker.\n");
        self.project.write(&format!("{root}/prompts/calc.verifier.prompt.md"), "You are the verifier.\n");
        let memory = "## Stop Status\ncontinue\n\n## Next Iteration Contract\nDo US-001\n";
        self.project.write(&format!("{root}/memos/calc-memory.md"), memory);
        self.project.write(&format!("{root}/context/calc-latest.md"), "nothing yet\n");
    }

    fn git(&self, args: &[&str]) -> String {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args).current_dir(self.project.path(""));
        let output = git.output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// What git says of the user's checkout, but for what the agents tell us.
    fn checkout(&self) -> String {
        self.git(&["status", "--porcelain", "--", ".", ":!calls"])
    }

    fn run(&self) -> Output {
        self.project.tribunal(&["desk", "run", "calc"])
    }

    /// Whether anything confines processes here; where nothing does, what it would keep from happening is not tested.
    fn is_confined(&self) -> bool {
        !self.project.tribunal(&["agents", "doctor"]).stdout.contains("sandbox: none")
    }

    fn desk(&self, name: &str) -> String {
        self.project.read(&format!(".tribunal/desk/{name}"))
    }

    fn has(&self, name: &str) -> bool {
        self.project.path(&format!(".tribunal/desk/{name}")).exists()
    }

    fn report(&self) -> String {
        self.desk("logs/calc/report.md")
    }

    /// The iterations in which a seat was called.
    fn calls(&self, seat: &str) -> Vec<String> {
        let calls = fs::read_to_string(self.project.path(&format!("calls/{seat}"))).unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }
}

trait Add {
    fn add(self, more: &str) -> String;
}

impl Add for String {
    fn add(mut self, more: &str) -> String {
        self.push_str(more);
        self
    }
}
