//! Asking whoever sits in a seat, outside of any trial.

use tribunal_agents::TurnRequest;
use tribunal_config::AgentKind;
use tribunal_engine::Seating;
use tribunal_kernel::answer::Misfit;
use tribunal_kernel::prompt::Prompt;
use tribunal_kernel::turn::{TurnError, TurnErrorKind};
use tribunal_kernel::{Binding, Round, RunId, SeatName, TurnId};
use uuid::Uuid;

use crate::error::AppError;
use crate::project::Project;
use crate::seating::seating;

/// An answer that does not fit is asked for again so often.
const ATTEMPTS: u32 = 3;

/// Somebody who can be asked.
#[derive(Debug)]
pub struct Consultant<'p> {
    project: &'p Project,
    seating: Seating,
    seat: SeatName,
    binding: Binding,
    task: &'static str,
}

impl<'p> Consultant<'p> {
    /// Whoever sits in `seat`, asked to do `task`.
    pub fn new(project: &'p Project, seat: SeatName, binding: Binding, task: &'static str) -> Self {
        let seating = seating(project);
        Self { project, seating, seat, binding, task }
    }

    pub fn seat(&self) -> &SeatName {
        &self.seat
    }

    pub fn binding(&self) -> &Binding {
        &self.binding
    }

    /// What they say, as `read` understands it, which is also told whether they are not asked again; what does not fit is
    /// asked for again, with the reason.
    pub async fn ask<T>(
        &self,
        mut prompt: Prompt,
        read: impl Fn(&str, bool) -> Result<T, Misfit>,
    ) -> Result<T, AppError> {
        self.is_here()?;
        let mut attempt = 1;
        loop {
            let answer = self.answer(&prompt).await?;
            match read(&answer, attempt >= ATTEMPTS) {
                Ok(answer) => return Ok(answer),
                Err(misfit) if attempt >= ATTEMPTS => {
                    return Err(AppError::environment(
                        format!("{}: no usable answer in {ATTEMPTS} attempts: {misfit}", self.seat),
                        Some(format!("check what `agents.{}` prints", self.binding.agent)),
                    ));
                }
                Err(misfit) => {
                    let message = misfit.to_string();
                    prompt.add_feedback(&TurnError { kind: TurnErrorKind::Misfit, message, hint: None });
                    attempt += 1;
                }
            }
        }
    }

    /// Outside of a trial nobody waits for a person, and nothing was recorded.
    fn is_here(&self) -> Result<(), AppError> {
        let kind = self.project.config().agents.get(&self.binding.agent).map(|agent| agent.kind);
        match kind {
            Some(AgentKind::Human) => Err(AppError::invalid(
                format!("the {} is a person: `{}`", self.seat, self.binding.agent),
                "ask them directly, or put another agent in the seat",
            )),
            Some(AgentKind::Replay) => Err(AppError::invalid(
                format!("the {} only replays recorded answers", self.seat),
                "put another agent in the seat",
            )),
            _ => Ok(()),
        }
    }

    async fn answer(&self, prompt: &Prompt) -> Result<String, AppError> {
        // An id of its own: whoever cleans up after a run must not end us.
        let run = RunId(Uuid::now_v7());
        let mut texts = Vec::new();
        for blob in prompt.blobs() {
            texts.extend(self.project.text(blob).await.map(|text| (blob, text)));
        }
        let fetch = |wanted| texts.iter().find(|(blob, _)| *blob == wanted).map(|(_, text)| text.as_str());
        let prompt = prompt.render(run, fetch).map_err(tribunal_engine::DriveError::from)?;
        let request = TurnRequest {
            place: String::new(),
            run,
            r#loop: None,
            // Nobody who is asked aside works on files: nothing would confine them.
            works_on_files: false,
            round: Round(1),
            turn: TurnId(1),
            seat: self.seat.clone(),
            task: self.task.into(),
            model: self.binding.model.clone(),
            effort: self.binding.effort.clone(),
            stable: prompt.stable,
            prompt: prompt.text,
            form: prompt.form,
            // Whoever is asked aside is asked in words.
            input: None,
        };
        let answer = tribunal_engine::consult(&self.seating, &self.binding.agent, request).await;
        answer.map(|answer| answer.text).map_err(|error| AppError::environment(error.message, error.hint))
    }
}
