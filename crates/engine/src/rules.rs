//! The seat that runs commands and looks at files: what a rule can decide without an opinion.
//!
//! It is an agent like any other, with a prompt and an answer in the log; the answer is its receipt.

use serde_json::{Value, json};
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tribunal_agents::house::Files;
use tribunal_agents::{AgentError, Answer, Environment, Native, Request};
use tribunal_anchors::{Anchor, Measure, lint};
use tribunal_kernel::prompt::materials;
use tribunal_kernel::rules::{ANCHOR, DRAFT};
use tribunal_kernel::{Digest, Usage};

use crate::process::{self, Bounds, Ended, Exit, How};

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
}

/// A command that was run.
struct Receipt {
    argv: Vec<String>,
    exit: Option<i32>,
    output: Vec<u8>,
    stderr: String,
    elapsed: Duration,
    how: How,
}

impl Rules {
    /// Its name where agents have names.
    pub const NAME: &str = "tribunal/rules";

    /// Rules about drafts that belong to `workspace`.
    pub fn new(workspace: impl Into<PathBuf>, environment: &Environment, grace: Duration) -> Self {
        Self { workspace: workspace.into(), environment: environment.clone(), grace }
    }

    async fn check(&self, request: &Request) -> Result<Value, AgentError> {
        let found = materials(&request.prompt);
        let material = |label: &str| found.iter().find(|(name, _)| *name == label).map(|(_, text)| *text);
        let draft = material(DRAFT).unwrap_or_default();
        let anchor: Anchor = serde_json::from_str(material(ANCHOR).unwrap_or_default())
            .map_err(|error| unavailable(format!("the anchor cannot be read: {error}")))?;
        let mut violations: Vec<Value> = Vec::new();
        let mut receipts = Vec::new();
        // Everything was checked once with files taken for granted; what is wrong now is about files.
        let files = Files::new(&self.workspace);
        for violation in lint(&anchor, draft, None, &|path| files.exists(path)).violations {
            violations.push(json!({ "rule": violation.rule, "why": violation.message }));
        }
        for (rule, command) in anchor.commands() {
            let patience = command.timeout_seconds.map_or(PATIENCE, Duration::from_secs);
            let receipt = self.run(&command.argv, draft, patience, request).await?;
            if !receipt.has_passed() {
                violations.push(json!({ "rule": rule.name(), "why": receipt.told() }));
            }
            receipts.push(receipt.to_json());
        }
        let mut answer = json!({ "violations": violations });
        if let Anchor::Goal(goal) = &anchor
            && let Some(measure) = &goal.measure
        {
            match self.measure(measure, draft, request, &mut receipts).await? {
                Ok((value, noise)) => {
                    answer["measured"] = json!(value);
                    answer["noise"] = json!(noise);
                }
                Err(why) => answer["violations"] = json!([{ "rule": "measure", "why": why }]),
            }
        }
        answer["receipts"] = json!(receipts);
        Ok(answer)
    }

    /// The middle of several measurements, and how far apart they were.
    async fn measure(
        &self,
        measure: &Measure,
        draft: &str,
        request: &Request,
        receipts: &mut Vec<Value>,
    ) -> Result<Result<(f64, f64), String>, AgentError> {
        let mut values = Vec::new();
        for _ in 0..MEASUREMENTS {
            let receipt = self.run(&measure.command, draft, PATIENCE, request).await?;
            receipts.push(receipt.to_json());
            if !receipt.has_passed() {
                return Ok(Err(receipt.told()));
            }
            match number(&String::from_utf8_lossy(&receipt.output)) {
                Some(value) => values.push(value),
                None => return Ok(Err(format!("{} printed no number", receipt.argv.join(" ")))),
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
        request: &Request,
    ) -> Result<Receipt, AgentError> {
        let file = tempfile::Builder::new().prefix("draft-").suffix(".md").tempfile();
        let file = file.and_then(|file| std::fs::write(file.path(), draft).map(|()| file));
        let file = file.map_err(|error| unavailable(format!("cannot write the draft to a file: {error}")))?;
        let env = self.environment.select(&[], request).into_iter();
        let mut env: Vec<_> = env.map(|(name, value)| (name.into(), value.into())).collect();
        env.push(("TRIBUNAL_DRAFT".into(), file.path().as_os_str().to_owned()));
        let (program, args) = argv.split_first().ok_or_else(|| unavailable("a command without a program".into()))?;
        let command = process::Command {
            program: program.into(),
            args: args.iter().map(Into::into).collect(),
            env,
            cwd: Some(self.workspace.clone()),
            stdin: draft.as_bytes().to_vec(),
        };
        let bounds = Bounds { idle: patience, total: patience, grace: self.grace, stdout: 1 << 20, stderr_tail: 4096 };
        let mut output = Vec::new();
        let never = CancellationToken::new();
        let ended = process::run(command, &bounds, &never, |bytes| output.extend_from_slice(bytes)).await;
        let Ended { how, exit, stderr_tail, elapsed, .. } =
            ended.map_err(|error| unavailable(format!("{}: {error}", argv.join(" "))))?;
        let exit = match exit {
            Some(Exit::Code(code)) => Some(code),
            Some(Exit::Signal(_)) | None => None,
        };
        Ok(Receipt { argv: argv.to_vec(), exit, output, stderr: stderr_tail, elapsed, how })
    }
}

impl Native for Rules {
    fn answer(&self, request: Request) -> Pin<Box<dyn Future<Output = Result<Answer, AgentError>> + Send + '_>> {
        Box::pin(async move {
            let text = self.check(&request).await?.to_string();
            Ok(Answer { text, usage: Usage::default() })
        })
    }
}

impl Receipt {
    fn has_passed(&self) -> bool {
        self.how == How::Exited && self.exit == Some(0)
    }

    fn told(&self) -> String {
        let how = match (self.how, self.exit) {
            (How::Exited, Some(code)) => format!("exit code {code}"),
            (How::Overtime | How::Silent, _) => format!("stopped after {:.1} s", self.elapsed.as_secs_f64()),
            _ => "it did not end by itself".to_owned(),
        };
        let said = String::from_utf8_lossy(&self.output);
        let said = if self.stderr.trim().is_empty() { said.trim() } else { self.stderr.trim() };
        let from = said.char_indices().rev().nth(TAIL).map_or(0, |(at, _)| at);
        format!("`{}`: {how}: {}", self.argv.join(" "), &said[from..])
    }

    fn to_json(&self) -> Value {
        json!({
            "argv": self.argv, "exit": self.exit, "elapsed_ms": self.elapsed.as_secs_f64() * 1000.0,
            "output": Digest::of(&self.output),
        })
    }
}

/// The last number in a text.
fn number(text: &str) -> Option<f64> {
    text.split_whitespace().rev().find_map(|word| word.trim_matches(|c: char| !c.is_ascii_digit()).parse().ok())
}

fn unavailable(reason: String) -> AgentError {
    let hint = Some("look at the rules of kind `command` in the anchor".to_owned());
    AgentError::Unavailable { agent: Rules::NAME.into(), reason, hint }
}
