//! Agents whose behaviour follows from the seed: the same turn always goes the same way.

use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tribunal_agents::{Agent, AgentError, Answer, Answering, Environment, Native, ProcessExit, Show, TurnRequest};
use tribunal_engine::process::Bounds;
use tribunal_engine::{Seated, Seating};
use tribunal_kernel::{Digest, SeatName, TurnId, Usage, Usd};

use crate::dice::Dice;

/// Bounds of simulated turns. Time costs nothing here.
pub const BOUNDS: Bounds = Bounds {
    idle: Duration::from_secs(30),
    total: Duration::from_secs(60),
    grace: Duration::from_secs(1),
    stdout: 1 << 20,
    stderr_tail: 1 << 10,
};

/// An agent that answers as a function says.
pub struct Scripted<F>(pub F);

impl<F> std::fmt::Debug for Scripted<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Scripted")
    }
}

impl<F, R> Native for Scripted<F>
where
    F: Fn(TurnRequest) -> R + Send + Sync,
    R: Future<Output = Result<Answer, AgentError>> + Send + 'static,
{
    fn answer<'a>(&'a self, request: TurnRequest, _: Show<'a>) -> Answering<'a> {
        Box::pin(self.0(request))
    }
}

/// A seating with one native agent under each of these names.
pub fn seat_all(names: &[&str], agent: &Arc<dyn Native>) -> Seating {
    let seated = |name: &&str| ((*name).to_owned(), Seated { agent: Agent::Native(Arc::clone(agent)), bounds: BOUNDS });
    Seating::new(names.iter().map(seated).collect(), Environment::default())
}

/// How often each turn was called.
#[derive(Debug, Clone, Default)]
pub struct Calls(Arc<Mutex<BTreeMap<TurnId, u32>>>);

impl Calls {
    /// All counts.
    pub fn counts(&self) -> BTreeMap<TurnId, u32> {
        self.0.lock().expect("nobody panics while counting").clone()
    }

    fn add(&self, turn: TurnId) {
        *self.0.lock().expect("nobody panics while counting").entry(turn).or_default() += 1;
    }
}

/// Agents in every seat that take their time, disagree, stumble and die, as `seed` says.
pub fn moody(seed: u64, calls: &Calls) -> Seating {
    let calls = calls.clone();
    let agent = Scripted(move |request: TurnRequest| {
        calls.add(request.turn);
        let is_creator = request.seat == *"creator";
        let mut dice = Dice::of(seed, &[u64::from(request.turn.0), u64::from(is_creator)]);
        async move {
            tokio::time::sleep(Duration::from_millis(dice.below(20_000).into())).await;
            let agent = request.seat.to_string();
            match dice.below(100) {
                0..4 => {
                    return Err(AgentError::Died {
                        agent,
                        exit: ProcessExit::Code(1),
                        stderr_tail: "out of luck".into(),
                    });
                }
                4..7 => return Err(AgentError::Silent { agent, idle: BOUNDS.idle }),
                7..9 => return Ok(Answer { text: "I would rather not say.".into(), ..Answer::default() }),
                // Alone: of several that are cut off at the same moment it is open which comes first.
                9..11 if is_alone(&request.seat) => tokio::time::sleep(Duration::from_secs(3600)).await,
                _ => {}
            }
            let text = match request.seat.as_str() {
                "main" | "skeptic" | "editor" | "dba" => jouster(&mut dice, &request.task),
                "worker" | "verifier" | "desk" => desk(&mut dice, &request.task),
                "creator" => creator(&mut dice),
                "designer" => designer(&mut dice),
                "panel" => panel(&mut dice),
                "reviewer" => reviewer(&mut dice),
                _ => judge(&mut dice),
            };
            let usage = Usage {
                input_tokens: dice.below(1000).into(),
                output_tokens: dice.below(100).into(),
                usd: dice.chance(50).then(|| Usd(dice.below(10_000).into())),
                ..Usage::default()
            };
            Ok(Answer { text, usage, ..Answer::default() })
        }
    });
    let agent: Arc<dyn Native> = Arc::new(agent);
    seat_all(&["writer", "critic"], &agent)
}

/// Whether nobody else works while this seat does.
fn is_alone(seat: &SeatName) -> bool {
    ["creator", "reviewer", "designer", "panel", "main", "skeptic", "editor", "dba", "worker", "verifier", "desk"]
        .contains(&seat.as_str())
}

fn creator(dice: &mut Dice) -> String {
    let (done, text) = (dice.chance(70), dice.below(3));
    format!(r#"Here it is: {{"done": {done}, "candidate": {{"content": "Text {text}", "format": "plain"}}}}"#)
}

/// Rewrites that break a rule now and then, and linters who find fault with some.
fn jouster(dice: &mut Dice, task: &str) -> String {
    if task.starts_with("lint") {
        let vote = match dice.below(10) {
            0..=2 => r#"{"id": "R1", "says": "broken", "quote": "Plan", "why": "long"}"#,
            3 => r#"{"id": "R1", "says": "cannot_tell"}"#,
            4 => r#"{"id": "R1", "says": "broken", "quote": "Nothing like it"}"#,
            5 => "",
            _ => r#"{"id": "R1", "says": "met", "quote": "for us all"}"#,
        };
        return format!(r#"{{"ballot": [{vote}]}}"#);
    }
    if task == "compact" {
        return r#"{"resolved_decisions": ["Say who pays."]}"#.into();
    }
    let (number, risks) = (dice.below(9), if dice.chance(70) { "\\n## Risks\\n" } else { "" });
    let summon = if dice.chance(20) { r#"{"specialist": "dba", "ask": "look"}"# } else { "null" };
    format!(r#"{{"draft": "Plan {number} for us all{risks}", "critique": "Remark {number}", "summon": {summon}}}"#)
}

/// Workers who get on, lie, stumble or stand still, checks that fail now and then, and verifiers of all moods.
fn desk(dice: &mut Dice, task: &str) -> String {
    let memory = |stop: &str, step: u32| format!("## Stop Status\n{stop}\n\n## Next Iteration Contract\nstep {step}\n");
    let digest = Digest::of("the test");
    match task {
        "survey" => json!({
            "prd": "### US-001: One\n- it works\n\n### US-002: Two\n- it works\n",
            "test_spec": "## Verification Commands\n### Test\n```sh\nsh test.sh\n```\n",
            "memory": memory("continue", 0), "context": "begun", "worker_prompt": "Work.", "verifier_prompt": "Look.",
            "sentinel": null, "commit": "base", "files": { "test.sh": digest }, "notes": [],
        })
        .to_string(),
        "work" => {
            let stop = dice.pick(&["continue", "verify", "verify", "verify", "maybe"]);
            let stories = dice.pick(&["US-001", "US-002", "US-001, US-002", "US-009"]);
            let claim = json!({ "stories_completed": stories.split(", ").collect::<Vec<_>>() }).to_string();
            let step = dice.below(4);
            let test = if dice.chance(5) { Digest::of("true") } else { digest };
            json!({
                "printed": "", "memory": memory(stop, step), "context": format!("step {step}"), "claim": claim,
                "commit": format!("commit {step}"), "tree": "tree", "changed": [{ "path": "x", "kind": "added" }],
                "files": { "test.sh": test }, "incidents": [],
            })
            .to_string()
        }
        "check" => {
            let exit = i32::from(dice.chance(20));
            json!({
                "receipts": [{
                    "check": "test-1", "purpose": "Test", "line": "sh test.sh", "argv": ["sh"], "exit": exit,
                    "ended": "exited", "elapsed_ms": 1, "output": Digest::of("out"), "tree": "tree",
                }],
                "tree": "tree",
            })
            .to_string()
        }
        "verify" => {
            let word = dice.pick(&["pass", "pass", "pass", "fail", "fail", "blocked"]);
            let issue = format!("issue {}", dice.below(3));
            let verdict = json!({
                "verdict": word, "criteria_results": [{ "criterion": "it works", "met": word == "pass", "evidence": "`ok 1 - it works`" }],
                "issues": if word == "fail" { vec![issue] } else { vec![] },
                "recommended_state_transition": if word == "pass" { "complete" } else { "continue" },
            });
            json!({ "printed": "", "verdict": verdict.to_string(), "incidents": [], "found": ["ok 1 - it works"] })
                .to_string()
        }
        _ => "{}".into(),
    }
}

fn designer(dice: &mut Dice) -> String {
    let text = dice.below(3);
    format!(r#"{{"notes": "n", "artifact": {{"mime": "text/html", "content": "<p>{text}</p>"}}}}"#)
}

fn judge(dice: &mut Dice) -> String {
    let (score, demand) = (7 + dice.below(4), dice.below(3));
    let demands = if dice.chance(20) { format!("\"Demand {demand}\"") } else { String::new() };
    format!(r#"{{"score": {score}, "must_fix": [{demands}]}}"#)
}

/// A stream of up to five rounds, now and then with something odd in it.
fn panel(dice: &mut Dice) -> String {
    let mut text = "<CRITIQUE_RUN version=\"1\">".to_owned();
    for round in 1..=1 + dice.below(5) {
        let _ = write!(
            text,
            "<ROUND n=\"{round}\"><PANELIST role=\"designer\"><ARTIFACT mime=\"text/html\">{}</ARTIFACT></PANELIST>",
            dice.below(3)
        );
        for role in ["critic", "brand", "a11y", "copy"] {
            let score = 6 + dice.below(5);
            let demand = if dice.chance(20) { "<MUST_FIX>x</MUST_FIX>" } else { "" };
            let _ = write!(text, "<PANELIST role=\"{role}\" score=\"{score}\">{demand}</PANELIST>");
        }
        text.push_str(if dice.chance(5) { "<ROUND n=\"9\">" } else { "</ROUND>" });
    }
    text + if dice.chance(90) { "</CRITIQUE_RUN>" } else { "" }
}

fn reviewer(dice: &mut Dice) -> String {
    let word = dice.pick(&["ok", "changes_requested", "changes_requested", "needs_human"]);
    let issues: Vec<String> = (0..dice.below(3))
        .map(|_| {
            let severity = if dice.chance(50) { "error" } else { "warning" };
            let (code, message) = (dice.below(3), dice.below(4));
            format!(r#"{{"severity": "{severity}", "message": "Issue {message}", "code": "code_{code}"}}"#)
        })
        .collect();
    format!(r#"{{"verdict": "{word}", "summary": "s", "issues": [{}]}}"#, issues.join(", "))
}
