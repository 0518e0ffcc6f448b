//! One turn as an agent sees it.

use tribunal_kernel::{LoopKind, Round, RunId, SeatName, TurnId};

/// What an agent is asked.
#[derive(Debug, Clone)]
pub struct Request {
    pub run: RunId,
    pub kind: LoopKind,
    pub round: Round,
    pub turn: TurnId,
    pub seat: SeatName,
    /// What the seat is asked to do, in the loop's words.
    pub task: String,
    /// The model that the seat asks for.
    pub model: Option<String>,
    pub prompt: String,
}

impl Request {
    /// The variable by which everything that a run started can be recognised.
    pub const RUN_VARIABLE: &str = "TRIBUNAL_RUN";
    /// The variable by which everything that a turn started can be recognised.
    pub const TURN_VARIABLE: &str = "TRIBUNAL_TURN";

    /// What every agent finds in its environment.
    pub fn variables(&self) -> Vec<(String, String)> {
        let mut variables = vec![
            ("TRIBUNAL_SEAT".to_owned(), self.seat.to_string()),
            ("TRIBUNAL_TASK".to_owned(), self.task.clone()),
            ("TRIBUNAL_ROUND".to_owned(), self.round.to_string()),
            (Self::RUN_VARIABLE.to_owned(), self.run.to_string()),
            ("TRIBUNAL_LOOP".to_owned(), self.kind.to_string()),
            (Self::TURN_VARIABLE.to_owned(), format!("{}-{}", self.run, self.turn)),
        ];
        if let Some(model) = &self.model {
            variables.push(("TRIBUNAL_MODEL".to_owned(), model.clone()));
        }
        variables
    }
}
