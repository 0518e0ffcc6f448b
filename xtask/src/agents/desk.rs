//! One story at a desk, from one sentence: the real command line works on files, in the sandbox, with its own tools.

use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::fmt;
use std::fs;
use std::process::Output;
use std::time::{Duration, Instant};
use tribunal_stub::{Script, Stub, StubCall, StubReply, side_task};

use super::candidate::Candidate;
use super::clis::Clis;
use super::scratch::Scratch;

const PATIENCE: Duration = Duration::from_secs(240);
const OBJECTIVE: &str = "fix the off-by-one in parse_range";
const SLUG: &str = "fix-off-one-parse-range";
const SEATS: &str = "[seats.worker]\nagent = \"it\"\n[seats.verifier]\nagent = \"it\"\n";
/// Red before the work, green with it.
const TEST: &str = "echo 1..1\n[ \"$(sh range.sh 1 3)\" = 3 ] && echo 'ok 1' || { echo 'not ok 1'; exit 1; }\n";

/// A desk with one command line in both seats.
#[derive(Debug)]
pub(super) struct DeskTrial {
    pub(super) candidate: Candidate,
}

/// What a campaign came to.
#[derive(Debug)]
pub(super) struct SeenDesk {
    candidate: Candidate,
    output: Output,
    calls: usize,
    took: Duration,
}

impl DeskTrial {
    pub(super) fn hold(self, clis: &Clis) -> Result<SeenDesk> {
        let Self { candidate } = self;
        let stub = Stub::start(Script::answering(answer)).context("the stub cannot listen")?;
        let scratch = Scratch::new(candidate.named(), stub.url(), None, SEATS)?;
        fs::write(scratch.path("project/test.sh"), TEST)?;
        fs::write(scratch.path("project/range.sh"), "echo $(($2 - $1))\n")?;
        let begun = Instant::now();
        let mut tribunal = scratch.tribunal(clis, PATIENCE)?;
        let output = tribunal.args(["desk", OBJECTIVE, "--yes", "--max-iter", "2"]).output();
        let output = output.context("cannot start `timeout`")?;
        Ok(SeenDesk { candidate, output, calls: stub.calls().len(), took: begun.elapsed() })
    }
}

/// What a good model would do: what its seat is for, with the shell that its command line offers.
fn answer(call: &StubCall) -> StubReply {
    if let Some(reply) = side_task(call) {
        return reply;
    }
    let is = |seat: &str| [&call.user, &call.prompt].iter().any(|text| text.contains(&format!("Seat: {seat}\n")));
    let memos = format!(".tribunal/desk/memos/{SLUG}");
    let script = if is("verifier") {
        let verdict = json!({
            "verdict": "pass", "summary": "seen", "recommended_state_transition": "complete",
            "criteria_results": [
                { "criterion": "US-001 AC1", "met": true, "evidence": "seen" },
                { "criterion": "US-001 AC2", "met": true, "evidence": "seen" },
            ],
        });
        format!("printf '%s' '{verdict}' > {memos}-verify-verdict.json")
    } else if is("worker") {
        format!(
            "echo 'echo $(($2 - $1 + 1))' > range.sh\nprintf '## Stop Status\\nverify\\n' > {memos}-memory.md\n\
             printf '%s' '{{\"summary\": \"done\", \"stories_completed\": [\"US-001\"]}}' > {memos}-done-claim.json"
        )
    } else {
        return StubReply::text("Done.");
    };
    match shell(call, &script).filter(|_| !call.has_tool_results) {
        Some((tool, input)) => StubReply::tool(tool, input),
        None => StubReply::text("Done."),
    }
}

/// The shell of a command line, and how a script is put into it.
pub(super) fn shell(call: &StubCall, script: &str) -> Option<(&'static str, Value)> {
    let told = json!({ "command": script, "description": "do the work" });
    let known = [
        ("Bash", told.clone()),
        ("bash", told.clone()),
        ("run_shell_command", told),
        ("exec_command", json!({ "cmd": script })),
        ("shell_command", json!({ "command": script })),
        ("shell", json!({ "command": ["sh", "-c", script] })),
        // Codex' newest models write a program that calls the tools.
        ("exec", Value::from(format!("text((await tools.exec_command({{ cmd: {} }})).output);", Value::from(script)))),
    ];
    known.into_iter().find(|(name, _)| call.tools.iter().any(|tool| tool == name))
}

impl SeenDesk {
    pub(super) fn is_well(&self) -> bool {
        self.output.status.success() && self.calls > 1
    }
}

impl fmt::Display for SeenDesk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.is_well() { "ok" } else { "FAILED" };
        let (name, calls, took) = (self.candidate.word(), self.calls, self.took.as_secs_f64());
        write!(f, "{name:16} {:8} {word:6} {calls:3} calls {took:6.1} s", "desk")?;
        if !self.is_well() {
            write!(f, ": {}", self.output.status)?;
            for line in String::from_utf8_lossy(&self.output.stderr).lines() {
                write!(f, "\n    {line}")?;
            }
        }
        Ok(())
    }
}
