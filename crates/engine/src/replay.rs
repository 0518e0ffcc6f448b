//! Answers from a recorded run: a trial that calls nobody.

use std::sync::Arc;
use tribunal_agents::{AgentError, Answer, Answering, Native, Show, TurnRequest};
use tribunal_kernel::ledger::CallLedger;
use tribunal_kernel::{Round, Run};
use tribunal_store::Backend;

/// Says in every seat what was said there.
#[derive(Debug)]
pub struct Replay {
    /// The agent's name.
    name: String,
    store: Arc<dyn Backend>,
    ledger: CallLedger,
}

impl Replay {
    /// The answers of `run`, whose texts are in `store`.
    pub fn new(name: &str, store: Arc<dyn Backend>, run: &Run) -> Self {
        Self { name: name.to_owned(), store, ledger: CallLedger::of(run, Round(u32::MAX)) }
    }

    fn unavailable(&self, reason: String, hint: Option<String>) -> AgentError {
        AgentError::Unavailable { agent: self.name.clone(), reason, hint }
    }
}

impl Native for Replay {
    fn answer<'a>(&'a self, request: TurnRequest, _: Show<'a>) -> Answering<'a> {
        Box::pin(async move {
            let TurnRequest { round, seat, task, .. } = &request;
            let Some(raw) = self.ledger.answer(*round, seat, task) else {
                let run = self.ledger.run();
                return Err(self.unavailable(
                    format!("run {run} has no answer of the {seat} to `{task}` in round {round}"),
                    Some(format!(
                        "`tribunal status {run}` shows what it has; put another agent in the seat for the rest"
                    )),
                ));
            };
            let bytes =
                self.store.blobs().get(raw).await.map_err(|error| self.unavailable(error.to_string(), error.hint()))?;
            Ok(Answer { text: String::from_utf8_lossy(&bytes).into_owned(), ..Answer::default() })
        })
    }
}
