//! One turn: start the agent, read its answer, name its failure.

use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tribunal_agents::adapter::Invocation;
use tribunal_agents::{Activity, Adapter, Agent, AgentError, Answer, Exit, Request};

use crate::process::{self, Bounds, How};
use crate::seating::Seating;

/// How a turn ended.
#[derive(Debug)]
pub(crate) struct Ending {
    pub(crate) result: Result<Answer, AgentError>,
    pub(crate) elapsed: Duration,
}

/// Lets `agent` take its turn, within its bounds, until `cancel`.
pub(crate) async fn take(
    seating: Seating,
    agent: String,
    request: Request,
    cancel: CancellationToken,
    glimpse: impl FnMut(Activity),
) -> Ending {
    let begun = Instant::now();
    let result = match seating.get(&agent) {
        None => Err(AgentError::Unavailable {
            reason: "it is not in the configuration".into(),
            hint: Some(format!("add `[agents.{agent}]` to tribunal.toml, or give the seat another agent")),
            agent,
        }),
        Some(seated) => {
            let bounds = &seated.bounds;
            match &seated.agent {
                Agent::Process(adapter) => {
                    let invocation = adapter.invocation(&request, &seating.environment);
                    in_process(&agent, adapter.as_ref(), invocation, bounds, &cancel, glimpse).await
                }
                Agent::Native(native) => tokio::select! {
                    result = native.answer(request) => result,
                    () = cancel.cancelled() => Err(AgentError::Cancelled),
                    () = tokio::time::sleep(bounds.total) => Err(AgentError::Overtime { agent, total: bounds.total }),
                },
            }
        }
    };
    Ending { result, elapsed: begun.elapsed() }
}

async fn in_process(
    agent: &str,
    adapter: &dyn Adapter,
    invocation: Invocation,
    bounds: &Bounds,
    cancel: &CancellationToken,
    mut glimpse: impl FnMut(Activity),
) -> Result<Answer, AgentError> {
    let command = process::Command {
        program: invocation.program.into(),
        args: invocation.args.into_iter().map(Into::into).collect(),
        env: invocation.env.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
        cwd: Some(invocation.cwd),
        stdin: invocation.stdin.into_bytes(),
    };
    let mut reader = adapter.reader();
    let ended = process::run(command, bounds, cancel, |bytes| reader.push(bytes).into_iter().for_each(&mut glimpse))
        .await
        .map_err(|error| AgentError::Unavailable {
            agent: agent.to_owned(),
            reason: error.to_string(),
            hint: Some(error.hint()),
        })?;
    let agent = agent.to_owned();
    match ended.how {
        How::Cancelled => Err(AgentError::Cancelled),
        How::Silent => Err(AgentError::Silent { agent, idle: bounds.idle }),
        How::Overtime => Err(AgentError::Overtime { agent, total: bounds.total }),
        How::TooMuchOutput => Err(AgentError::TooMuchOutput { agent, limit: bounds.stdout }),
        How::Exited => {
            // No exit status: the process is gone, but nobody can say how.
            let exit = match ended.exit {
                Some(process::Exit::Code(code)) => Exit::Code(code),
                Some(process::Exit::Signal(signal)) => Exit::Signal(signal),
                None => Exit::Code(-1),
            };
            reader.finish(exit, &ended.stderr_tail)
        }
    }
}
