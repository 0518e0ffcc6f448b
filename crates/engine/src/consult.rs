//! Asking an agent outside of any trial: the same bounds and the same supervision, and nothing in a log.

use tokio_util::sync::CancellationToken;
use tribunal_agents::{Answer, TurnRequest};
use tribunal_kernel::TurnError;

use crate::seating::Seating;
use crate::turn;

/// What `agent` answers. Dropping the future ends it.
pub async fn consult(seating: &Seating, agent: &str, request: TurnRequest) -> Result<Answer, TurnError> {
    turn::take(seating.clone(), agent.to_owned(), request, CancellationToken::new(), &|_| {}).await.result
}
