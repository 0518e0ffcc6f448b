//! One turn as an agent sees it.

use serde_json::Value;
use std::sync::Arc;
use tribunal_kernel::quote::TurnMeter;
use tribunal_kernel::tokens::USUAL_IMAGE;
use tribunal_kernel::{Round, RunId, SeatName, TurnId, TurnInput, Usage};

use crate::attached::{ATTACHMENTS_VARIABLE, AttachedFile};

/// What an agent is asked.
#[derive(Debug, Clone)]
pub struct TurnRequest {
    pub run: RunId,
    /// Where on this machine the run is kept: in copies of a project there are runs of the same id. Asked outside of a
    /// trial, nowhere.
    pub place: String,
    /// The loop that it is a turn of, by its name; asked outside of a trial, of none.
    pub r#loop: Option<&'static str>,
    /// Whether it works on files, confined to a place of its own. Who only speaks gets no tool that writes.
    pub works_on_files: bool,
    /// Whether it judges and writes nothing: then it is asked at the lowest temperature, where that can be said.
    pub judges: bool,
    pub round: Round,
    pub turn: TurnId,
    pub seat: SeatName,
    /// What the seat is asked to do, in the loop's words.
    pub task: String,
    /// The model that the seat asks for.
    pub model: Option<String>,
    /// How hard the model shall think.
    pub effort: Option<String>,
    /// In words, for whoever reads words.
    pub prompt: String,
    /// How many bytes at the prompt's beginning are the same in every call of this seat.
    pub stable: usize,
    /// What is attached to the brief, where the brief is part of the prompt. Texts stand in it already; images do not.
    pub attachments: Vec<AttachedFile>,
    /// The JSON schema that the answer shall have, for agents that can be held to one.
    pub form: Option<Value>,
    /// As a value, for programs of ours: they read no prompt.
    pub input: Option<TurnInput<Arc<str>>>,
    /// What the turn may cost, and what its model costs.
    pub meter: TurnMeter,
    /// Whether it was begun before and had to wait for its provider. What was done in its place is still there.
    pub is_resumed: bool,
}

impl TurnRequest {
    /// The variable by which everything that a run started can be recognised.
    pub const PLACE_VARIABLE: &str = "TRIBUNAL_PLACE";
    /// The variable by which everything that a turn started can be recognised.
    pub const TURN_VARIABLE: &str = "TRIBUNAL_TURN";

    /// The prompt in two: what is the same in every call of this seat, and the rest.
    pub fn blocks(&self) -> (&str, &str) {
        self.prompt.split_at_checked(self.stable).unwrap_or(("", &self.prompt))
    }

    /// What the model has to look at: no part of the prompt's text.
    pub fn images(&self) -> impl Iterator<Item = &AttachedFile> {
        self.attachments.iter().filter(|file| file.media_type.is_image())
    }

    /// What it is taken to need where nobody counts: the prompt, and what the model looks at.
    pub fn estimate(&self) -> Usage {
        let (asked, images) = (Usage::estimate(&self.prompt, ""), self.images().count() as u64);
        Usage { input_tokens: asked.input_tokens.saturating_add(USUAL_IMAGE.saturating_mul(images)), ..asked }
    }

    /// What every agent finds in its environment.
    pub fn variables(&self) -> Vec<(String, String)> {
        let turn = match self.place.as_str() {
            "" => format!("{}-{}", self.run, self.turn),
            place => format!("{}-{place}-{}", self.run, self.turn),
        };
        let mut variables = vec![
            ("TRIBUNAL_SEAT".to_owned(), self.seat.to_string()),
            ("TRIBUNAL_TASK".to_owned(), self.task.clone()),
            ("TRIBUNAL_ROUND".to_owned(), self.round.to_string()),
            ("TRIBUNAL_RUN".to_owned(), self.run.to_string()),
            ("TRIBUNAL_LOOP".to_owned(), self.r#loop.unwrap_or_default().to_owned()),
            (Self::TURN_VARIABLE.to_owned(), turn),
        ];
        if !self.place.is_empty() {
            variables.push((Self::PLACE_VARIABLE.to_owned(), self.place.clone()));
        }
        let places: Vec<String> = self.attachments.iter().filter_map(AttachedFile::place).collect();
        if !places.is_empty() {
            variables.push((ATTACHMENTS_VARIABLE.to_owned(), places.join("\n")));
        }
        if let Some(model) = &self.model {
            variables.push(("TRIBUNAL_MODEL".to_owned(), model.clone()));
        }
        variables
    }
}
