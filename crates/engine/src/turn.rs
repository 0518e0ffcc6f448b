//! One turn: start the agent, read its answer, name its failure.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tribunal_agents::adapter::Invocation;
use tribunal_agents::{Activity, Adapter, Agent, AgentError, Answer, Exit, Request, Show};
use tribunal_kernel::{RunId, TurnError, Usage};

use crate::process::{self, Bounds, How};
use crate::seating::{Seated, Seating};
use crate::workplace::{Place, Printed, Workplace};

/// How a turn ended.
#[derive(Debug)]
pub(crate) struct Ending {
    pub(crate) result: Result<Answer, TurnError>,
    /// What it took, as its agent says or as we guess.
    pub(crate) usage: Usage,
    pub(crate) elapsed: Duration,
    /// The run whose answer this is, if nobody was called.
    pub(crate) copied: Option<RunId>,
}

impl Ending {
    /// Nobody could be called.
    pub(crate) fn broken(error: AgentError) -> Self {
        Self { result: Err(error.into()), usage: Usage::default(), elapsed: Duration::ZERO, copied: None }
    }
}

/// Lets `agent` take its turn, within its bounds, until `cancel`.
pub(crate) async fn take(
    seating: Seating,
    agent: String,
    request: Request,
    cancel: CancellationToken,
    show: Show<'_>,
) -> Ending {
    let begun = Instant::now();
    let seated = seating.get(&agent);
    let is_metered = request.model.is_some() || seated.is_some_and(|seated| seated.agent.is_metered());
    let asked = is_metered.then(|| Usage::estimate(&request.prompt, ""));
    let result = match seated {
        None => Err(AgentError::Unavailable {
            reason: "it is not in the configuration".into(),
            hint: Some(format!("add `[agents.{agent}]` to tribunal.toml, or give the seat another agent")),
            agent,
        }),
        Some(seated) => {
            let turn = Performance { seating: &seating, seated, agent: &agent, cancel: &cancel };
            match seating.workplace(&request.seat) {
                Some(workplace) => turn.at(workplace.as_ref(), request, show).await,
                None => turn.perform(request, None, show).await.map(|printed| printed.answer),
            }
        }
    };
    let usage = match (&result, asked) {
        (Ok(answer), Some(asked)) if !answer.usage.is_reported() => {
            Usage { output_tokens: Usage::guess(&answer.text), ..asked }
        }
        (Ok(answer), _) => answer.usage,
        // Somebody worked on it, and nobody says for how much.
        (Err(error), Some(asked)) if error.may_have_cost() => asked,
        (Err(_), _) => Usage::default(),
    };
    Ending { result: result.map_err(TurnError::from), usage, elapsed: begun.elapsed(), copied: None }
}

/// An agent that takes its turn.
struct Performance<'a> {
    seating: &'a Seating,
    seated: &'a Seated,
    agent: &'a str,
    cancel: &'a CancellationToken,
}

impl Performance<'_> {
    /// In a place of its own: what it leaves there is the answer.
    async fn at(&self, workplace: &dyn Workplace, request: Request, show: Show<'_>) -> Result<Answer, AgentError> {
        if let Some(answer) = workplace.kept(&request) {
            return Ok(answer);
        }
        let place = tokio::select! {
            place = workplace.prepare(&request) => place?,
            () = self.cancel.cancelled() => return Err(AgentError::Cancelled),
        };
        let printed = self.perform(request.clone(), Some(&place), show).await?;
        workplace.finish(&request, place, printed).await
    }

    async fn perform(&self, request: Request, place: Option<&Place>, show: Show<'_>) -> Result<Printed, AgentError> {
        let Bounds { total, .. } = self.seated.bounds;
        match &self.seated.agent {
            Agent::Process(adapter) => {
                let invocation = adapter.invocation(&request, &self.seating.environment);
                self.in_process(adapter.as_ref(), invocation, place, show).await
            }
            Agent::Native(native) => {
                let parked = AtomicU64::new(0);
                let show = |activity: Activity| {
                    if let Activity::Parked(time) = activity {
                        parked.fetch_add(u64::try_from(time.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
                    }
                    show(activity);
                };
                tokio::select! {
                    result = native.answer(request, &show) => result.map(|answer| Printed { answer, ..Printed::default() }),
                    () = self.cancel.cancelled() => Err(AgentError::Cancelled),
                    () = overtime(total, &parked) => Err(AgentError::Overtime { agent: self.agent.to_owned(), total }),
                }
            }
        }
    }

    async fn in_process(
        &self,
        adapter: &dyn Adapter,
        invocation: Invocation,
        place: Option<&Place>,
        show: Show<'_>,
    ) -> Result<Printed, AgentError> {
        let command = self.command(invocation, place)?;
        let bounds = &self.seated.bounds;
        let mut reader = adapter.reader();
        let enough = self.cancel.child_token();
        let watch = |bytes: &[u8]| {
            reader.push(bytes).into_iter().for_each(show);
            if reader.is_hopeless() {
                enough.cancel();
            }
        };
        let ended = process::run(command, bounds, &enough, watch)
            .await
            .map_err(|error| self.unavailable(error.to_string(), error.hint()))?;
        let agent = self.agent.to_owned();
        match ended.how {
            How::Cancelled if self.cancel.is_cancelled() => Err(AgentError::Cancelled),
            How::Silent => Err(AgentError::Silent { agent, idle: bounds.idle }),
            How::Overtime => Err(AgentError::Overtime { agent, total: bounds.total }),
            How::TooMuchOutput => Err(AgentError::TooMuchOutput { agent, limit: bounds.stdout }),
            How::Exited | How::Cancelled => {
                // No exit status: the process is gone, but nobody can say how.
                let exit = match ended.exit {
                    Some(process::Exit::Code(code)) => Exit::Code(code),
                    Some(process::Exit::Signal(signal)) => Exit::Signal(signal),
                    None => Exit::Code(-1),
                };
                let answer = match reader.finish(exit, &ended.stderr_tail) {
                    // Who speaks through files need not print anything.
                    Err(AgentError::Empty { .. }) if place.is_some() => Answer::default(),
                    other => other?,
                };
                Ok(Printed { answer, stderr_tail: ended.stderr_tail })
            }
        }
    }

    fn command(&self, invocation: Invocation, place: Option<&Place>) -> Result<process::Command, AgentError> {
        let mut command = process::Command {
            program: invocation.program.into(),
            args: invocation.args.into_iter().map(Into::into).collect(),
            env: invocation.env.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
            cwd: Some(invocation.cwd),
            stdin: invocation.stdin.into_bytes(),
        };
        let Some(place) = place else { return Ok(command) };
        command.env.extend(place.env.iter().map(|(name, value)| (name.into(), value.into())));
        command.cwd = Some(place.cwd.clone());
        let confined = place.sandbox.confine(command, &place.confinement);
        confined.map_err(|error| self.unavailable(error.to_string(), error.hint()))
    }

    fn unavailable(&self, reason: String, hint: String) -> AgentError {
        AgentError::Unavailable { agent: self.agent.to_owned(), reason, hint: Some(hint) }
    }
}

/// Waits until a turn has taken `total`, not counting what its provider made it wait.
async fn overtime(total: Duration, parked: &AtomicU64) {
    let begun = Instant::now();
    loop {
        let due = total.saturating_add(Duration::from_millis(parked.load(Ordering::Relaxed)));
        match due.checked_sub(begun.elapsed()) {
            Some(left) if !left.is_zero() => tokio::time::sleep(left).await,
            _ => return,
        }
    }
}
