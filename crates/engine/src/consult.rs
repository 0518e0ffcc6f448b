//! Asking an agent outside of any trial: the same bounds and the same supervision, and nothing in a log.

use tokio_util::sync::CancellationToken;
use tribunal_agents::{Answer, TurnRequest};
use tribunal_kernel::{TurnError, Usage};

use crate::seating::Seating;
use crate::turn;

/// What came of asking somebody outside of any trial.
#[derive(Debug)]
pub struct Consulted {
    pub result: Result<Answer, TurnError>,
    /// What it took, as its agent says or as we guess; also where nothing came of it.
    pub usage: Usage,
}

/// What `agent` answers. Dropping the future ends it.
pub async fn consult(seating: &Seating, agent: &str, request: TurnRequest) -> Consulted {
    let ended = turn::take(seating.clone(), agent.to_owned(), request, CancellationToken::new(), &|_| {}).await;
    Consulted { result: ended.result, usage: ended.usage }
}
