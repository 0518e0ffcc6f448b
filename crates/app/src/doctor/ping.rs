//! One word there and back: the only way to know whether an agent answers.

use serde_json::{Value, json};
use std::fmt;
use std::time::{Duration, Instant};
use tribunal_agents::TurnRequest;
use tribunal_kernel::turn::TurnErrorKind;
use tribunal_kernel::{Binding, Round, RunId, SeatName, TurnId};

use crate::grading::graded_seat;
use crate::project::Project;
use crate::seating::{seating, unchecked};

/// How long an agent has to answer. A command line needs some seconds to start, and a slow model some more.
const LIMIT: Duration = Duration::from_secs(60);
const QUESTION: &str = "This is a test of the connection. Answer with the one word: pong\n";
/// What the seat is called that is asked, and what it is asked to do.
const WORD: &str = "ping";
/// No answer to it is longer: enough for a word, and for somebody who thinks a little before it.
const MOST_OUTPUT: u64 = 512;
/// As much of an answer is shown.
const SHOWN: usize = 40;

/// What came back, and how long it took.
#[derive(Debug)]
pub struct Ping {
    /// The beginning of the answer, or why there is none.
    pub answer: Result<String, String>,
    took: Duration,
}

pub(super) async fn ping(project: &Project, name: &str) -> Ping {
    let mut config = project.config().clone();
    for agent in config.agents.values_mut() {
        agent.turn = Some(agent.turn.map_or(LIMIT, |turn| turn.min(LIMIT)));
        // A word needs no files, and no long thoughts.
        (agent.tools, agent.effort) = (None, None);
    }
    config.limits.turn = config.limits.turn.min(LIMIT);
    let seat = graded_seat(&config, name);
    let project = project.with(config);
    let request = TurnRequest {
        place: String::new(),
        run: RunId(tribunal_store::new_id()),
        r#loop: None,
        works_on_files: false,
        judges: false,
        round: Round(1),
        turn: TurnId(1),
        seat: SeatName::new(WORD),
        task: WORD.into(),
        model: seat.model.clone(),
        effort: None,
        stable: 0,
        attachments: Vec::new(),
        form: None,
        input: None,
        meter: tribunal_kernel::quote::TurnMeter::default(),
        is_resumed: false,
        prompt: QUESTION.into(),
    };
    let begun = Instant::now();
    let answer = match project.config().agents.get_key_value(name) {
        Some((name, agent)) => answer(&project, &unchecked((name, agent), seat.model.as_deref(), None), request).await,
        None => Err(format!("unknown agent `{name}`")),
    };
    Ping { answer, took: begun.elapsed() }
}

/// What it answers, paid from the account of all pings together.
async fn answer(project: &Project, binding: &Binding, request: TurnRequest) -> Result<String, String> {
    let seating = seating(project);
    let asked = project.account.ask(project, (&seating, binding), request, Some(MOST_OUTPUT)).await;
    let consulted = asked.map_err(|error| told(&error.message(), error.hint()))?;
    match consulted.result {
        Ok(answer) if answer.text.trim().is_empty() => Err("the answer was empty".to_owned()),
        Ok(answer) => Ok(answer.text.trim().chars().take(SHOWN).collect()),
        // Who was cut off was there, and let us in.
        Err(error) if error.kind == TurnErrorKind::OverBudget && consulted.usage.output_tokens > 0 => {
            Ok("(more than a word)".to_owned())
        }
        Err(error) => Err(told(&error.to_string(), error.hint.as_deref())),
    }
}

fn told(message: &str, hint: Option<&str>) -> String {
    hint.map_or_else(|| message.to_owned(), |hint| format!("{message} (hint: {hint})"))
}

impl Ping {
    pub(super) fn object(&self) -> Value {
        json!({
            "answered": self.answer.is_ok(),
            "milliseconds": u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
            "answer": self.answer.as_ref().ok(),
        })
    }
}

impl fmt::Display for Ping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let took = self.took.as_millis();
        match &self.answer {
            Ok(answer) => write!(f, "answered after {took} ms: {answer}"),
            Err(_) => write!(f, "no answer after {took} ms"),
        }
    }
}
