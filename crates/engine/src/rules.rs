//! The seat that runs commands and looks at files: what a rule can decide without an opinion.
//!
//! It is an agent like any other, with a prompt and an answer in the log; the answer is its receipt. It works on the
//! turn's input, which the prompt shows.

use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use tribunal_agents::house::Files;
use tribunal_agents::{AgentError, Answer, Answering, Environment, Native, Show, TurnRequest};
use tribunal_anchors::{Anchor, LintResult, Measure, lint};
use tribunal_checks::Inspector;
use tribunal_kernel::ballot::{Vote, VoteWord};
use tribunal_kernel::rules::{self, RulesAnswer, RulesInput};
use tribunal_kernel::{Digest, TurnInput};

use crate::command_run::{CommandRun, CommandSeen, tail};
use crate::process::How;
use crate::sandbox::{Confinement, Finder};
use crate::temporary::{FolderUse, TemporaryFolder};

/// A measurement is made so often; the middle one counts.
const MEASUREMENTS: usize = 3;
/// How long a command may take where its rule does not say.
const PATIENCE: Duration = Duration::from_secs(60);
/// What is kept of a command's output for people.
const TAIL: usize = 400;

/// Runs the commands of an anchor, with the draft on stdin and in the file that `TRIBUNAL_DRAFT` names.
#[derive(Debug, Clone)]
pub struct Rules {
    workspace: PathBuf,
    environment: Environment,
    grace: Duration,
    sandbox: Finder,
}

impl Rules {
    /// Its name where agents have names.
    pub const NAME: &str = "tribunal/rules";

    /// Rules about drafts that belong to `workspace`.
    pub fn new(workspace: impl Into<PathBuf>, environment: &Environment, grace: Duration, sandbox: Finder) -> Self {
        Self { workspace: workspace.into(), environment: environment.clone(), grace, sandbox }
    }

    async fn check(&self, request: &TurnRequest) -> Result<RulesAnswer, AgentError> {
        let Some(TurnInput::Rules(RulesInput { anchor, draft, may_run })) = &request.input else {
            return Err(unavailable("it was given no draft to check".into()));
        };
        // For programs a text ends with the end of a line.
        let draft = if draft.ends_with('\n') { draft.to_string() } else { format!("{draft}\n") };
        let draft = draft.as_str();
        let mut answer = RulesAnswer { votes: Vec::new(), measured: None, noise: None, receipts: Vec::new() };
        let files = Files::new(&self.workspace);
        let mut result = lint(anchor, draft, None, &|path| files.exists(path), &Inspector);
        for (_, rule) in rules::checkable(anchor) {
            let Some(command) = rule.command().filter(|_| *may_run) else { continue };
            let patience = command.timeout_seconds.map_or(PATIENCE, Duration::from_secs);
            let seen = self.run(&command.argv, draft, patience, request).await?;
            result.ran(rule.name(), seen.has_passed(), &told(&seen));
            answer.receipts.push(receipt(&seen));
        }
        for (_, rule) in rules::checkable(anchor) {
            answer.votes.push(match rule.command().filter(|_| !may_run) {
                Some(command) => held_back(rule.name(), &command.argv),
                None => vote(&result, rule.name()),
            });
        }
        if let Anchor::Goal(goal) = &**anchor
            && let Some(measure) = &goal.measure
        {
            if !may_run {
                answer.votes.push(held_back(rules::MEASURE, &measure.command));
                return Ok(answer);
            }
            match self.measure(measure, draft, request, &mut answer.receipts).await? {
                Ok((value, noise)) => (answer.measured, answer.noise) = (Some(value), Some(noise)),
                Err(why) => answer.votes.push(Vote {
                    item: rules::MEASURE.to_owned(),
                    says: VoteWord::Broken,
                    quote: None,
                    why: Some(why),
                }),
            }
        }
        Ok(answer)
    }

    /// The middle of several measurements, and how far apart they were.
    async fn measure(
        &self,
        measure: &Measure,
        draft: &str,
        request: &TurnRequest,
        receipts: &mut Vec<Value>,
    ) -> Result<Result<(f64, f64), String>, AgentError> {
        let mut values = Vec::new();
        for _ in 0..MEASUREMENTS {
            let seen = self.run(&measure.command, draft, PATIENCE, request).await?;
            receipts.push(receipt(&seen));
            if !seen.has_passed() {
                return Ok(Err(told(&seen)));
            }
            match number(&String::from_utf8_lossy(&seen.output)) {
                Some(value) if value < 0.0 => {
                    return Ok(Err(format!("{} printed {value}, and a measure is not negative", seen.argv.join(" "))));
                }
                Some(value) => values.push(value),
                None => return Ok(Err(format!("{} printed no number", seen.argv.join(" ")))),
            }
        }
        values.sort_by(f64::total_cmp);
        let spread = values.last().zip(values.first()).map_or(0.0, |(most, least)| most - least);
        Ok(Ok((values[values.len() / 2], spread)))
    }

    async fn run(
        &self,
        argv: &[String],
        draft: &str,
        patience: Duration,
        request: &TurnRequest,
    ) -> Result<CommandSeen, AgentError> {
        let cannot = |error: std::io::Error| unavailable(format!("cannot write the draft to a file: {error}"));
        // Whatever runs here may write to this folder, and nowhere else.
        let folder = TemporaryFolder::make(FolderUse::Draft).map_err(cannot)?;
        let tmp = folder.path().canonicalize().map_err(cannot)?;
        let file = tmp.join("draft.md");
        std::fs::write(&file, draft).map_err(cannot)?;
        let mut env = self.environment.select(&[], request);
        env.push(("TRIBUNAL_DRAFT".into(), file.to_string_lossy().into_owned()));
        let command = CommandRun {
            argv: argv.to_vec(),
            env,
            cwd: self.workspace.clone(),
            stdin: draft.as_bytes().to_vec(),
            patience,
            grace: self.grace,
            confinement: Confinement { network: true, tmp, ..Confinement::default() },
        };
        let sandbox = self.sandbox.get().await.map_err(|error| unavailable(error.to_string()))?;
        command.run(sandbox).await.map_err(|error| unavailable(error.to_string()))
    }
}

impl Native for Rules {
    fn answer<'a>(&'a self, request: TurnRequest, _: Show<'a>) -> Answering<'a> {
        Box::pin(async move {
            let answer = self.check(&request).await?;
            let text = serde_json::to_string(&answer).expect("a vote is plain JSON");
            Ok(Answer { text, ..Answer::default() })
        })
    }
}

/// What was found of a rule. What was not decided here is undecided: nobody says that it holds.
fn vote(result: &LintResult, rule: &str) -> Vote {
    let lists = [&result.violations, &result.should_violations, &result.open];
    let fault = lists.into_iter().flatten().find(|violation| violation.rule == rule);
    let is_decided = result.scores.iter().any(|score| score.name == rule);
    let (says, why) = match fault {
        Some(fault) => (VoteWord::Broken, Some(fault.message.clone())),
        None if is_decided => (VoteWord::Met, None),
        None => (VoteWord::CannotTell, Some("it was not checked".to_owned())),
    };
    Vote { item: rule.to_owned(), says, quote: None, why }
}

/// A command that a model wrote and nobody allowed is not run.
fn held_back(item: &str, argv: &[String]) -> Vote {
    let why =
        format!("its command was written by a model, and nobody allowed it to run: {}", rules::command_line(argv));
    Vote { item: item.to_owned(), says: VoteWord::CannotTell, quote: None, why: Some(why) }
}

/// Why a command did not pass, for people.
fn told(seen: &CommandSeen) -> String {
    let how = match (seen.how, seen.exit) {
        (How::Exited, Some(code)) => format!("exit code {code}"),
        (How::Overtime | How::Silent, _) => format!("stopped after {:.1} s", seen.elapsed.as_secs_f64()),
        _ => "it did not end by itself".to_owned(),
    };
    let said = String::from_utf8_lossy(&seen.output);
    let said = if seen.stderr.trim().is_empty() { said.trim() } else { seen.stderr.trim() };
    format!("`{}`: {how}: {}", seen.argv.join(" "), tail(said, TAIL))
}

fn receipt(seen: &CommandSeen) -> Value {
    json!({
        "argv": seen.argv, "exit": seen.exit, "elapsed_ms": seen.elapsed.as_secs_f64() * 1000.0,
        "output": Digest::of(&seen.output),
    })
}

/// The last number in a text, with its sign.
fn number(text: &str) -> Option<f64> {
    let bare = |word: &str| -> Option<f64> {
        let end = word.trim_end_matches(|c: char| !c.is_ascii_digit());
        end.trim_start_matches(|c: char| !c.is_ascii_digit() && !matches!(c, '-' | '+' | '.')).parse().ok()
    };
    text.split_whitespace().rev().find_map(bare).filter(|value| value.is_finite())
}

fn unavailable(reason: String) -> AgentError {
    let hint = Some("check the rules of kind `command` in the anchor".to_owned());
    AgentError::Unavailable { agent: Rules::NAME.into(), reason, hint }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_kernel::prompt::{Content, Part, Prompt};
    use tribunal_kernel::{Round, RunId, SeatName, TurnId};

    #[test]
    fn a_number_keeps_its_sign() {
        let rows = [("5", 5.0), ("-5", -5.0), ("value is -5.25", -5.25), ("took 12.5ms", 12.5), ("12 (of 40).", 40.0)];
        for (text, expected) in rows {
            assert_eq!(number(text), Some(expected), "{text}");
        }
        for text in ["", "none", "NaN", "inf", "--"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    /// A draft that holds because nobody looked at it would be a pass that nobody gave.
    #[tokio::test]
    async fn without_an_input_of_its_kind_it_refuses() {
        let run = RunId(uuid::Uuid::nil());
        let material = |label, text: &str| Part::Material { label, content: Content::Text(text.into()) };
        let anchor = r#"{"kind": "invariants", "MUST": ["must contain the phrase Rye"]}"#;
        let parts = vec![material("the anchor", anchor), material("the draft", "Rye")];
        let prompt = Prompt { template: "rules", parts }.render(run, |_| None).unwrap().text;
        let rules =
            Rules::new(std::env::temp_dir(), &Environment::default(), Duration::from_secs(1), Finder::default());
        let request = TurnRequest {
            place: String::new(),
            run,
            r#loop: None,
            works_on_files: false,
            judges: false,
            round: Round(1),
            turn: TurnId(2),
            seat: SeatName::new("rules"),
            task: "rules:1".into(),
            model: None,
            effort: None,
            prompt,
            stable: 0,
            attachments: Vec::new(),
            form: None,
            input: None,
            meter: tribunal_kernel::quote::TurnMeter::default(),
            is_resumed: false,
        };
        let refused = rules.check(&request).await.unwrap_err();
        assert!(refused.to_string().contains("it was given no draft to check"), "{refused}");
        let anchor = Box::new(serde_json::from_str(anchor).unwrap());
        let input = Some(TurnInput::Rules(RulesInput { anchor, draft: "Rye".into(), may_run: true }));
        let checked = rules.check(&TurnRequest { input, ..request }).await.unwrap();
        let said: Vec<(&str, VoteWord)> = checked.votes.iter().map(|vote| (vote.item.as_str(), vote.says)).collect();
        assert_eq!(said, [("must contain the phrase Rye", VoteWord::Met)], "it says so of every rule");
    }
}
