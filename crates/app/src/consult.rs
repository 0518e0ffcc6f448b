//! Asking whoever sits in a seat, outside of any trial.

use tribunal_agents::TurnRequest;
use tribunal_config::AgentKind;
use tribunal_engine::Seating;
use tribunal_engine::attached::fetched;
use tribunal_kernel::answer::Misfit;
use tribunal_kernel::prompt::{Part, Prompt};
use tribunal_kernel::quote::TurnMeter;
use tribunal_kernel::turn::{TurnError, TurnErrorKind};
use tribunal_kernel::{Binding, Round, RunId, SeatName, TurnId};

use crate::allowance;
use crate::command_account;
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
    judges: bool,
}

impl<'p> Consultant<'p> {
    /// Whoever sits in `seat`, asked to do `task`.
    pub fn new(project: &'p Project, seat: SeatName, binding: Binding, task: &'static str) -> Self {
        let seating = seating(project);
        Self { project, seating, seat, binding, task, judges: false }
    }

    /// The same, asked for a judgement.
    #[must_use]
    pub fn judging(self) -> Self {
        Self { judges: true, ..self }
    }

    pub fn seat(&self) -> &SeatName {
        &self.seat
    }

    pub fn binding(&self) -> &Binding {
        &self.binding
    }

    /// What they say, as `read` understands it; what does not fit is asked for again, with the reason.
    pub async fn ask<T>(&self, prompt: Prompt, read: impl Fn(&str) -> Result<T, Misfit>) -> Result<T, AppError> {
        self.ask_again(|_| prompt.clone(), |answer, _, _| read(answer)).await
    }

    /// The same for somebody who is asked another question at each attempt; `read` is also told which attempt it is and
    /// whether it is the last.
    pub async fn ask_again<T>(
        &self,
        prompt: impl Fn(u32) -> Prompt,
        read: impl Fn(&str, u32, bool) -> Result<T, Misfit>,
    ) -> Result<T, AppError> {
        self.is_here()?;
        let (mut attempt, mut told): (u32, Vec<TurnError>) = (1, Vec::new());
        loop {
            let mut prompt = prompt(attempt);
            for error in &told {
                prompt.add_feedback(error);
            }
            let answer = self.answer(&prompt).await?;
            match read(&answer, attempt, attempt >= ATTEMPTS) {
                Ok(answer) => return Ok(answer),
                Err(misfit) if attempt >= ATTEMPTS => {
                    return Err(AppError::environment(
                        format!("{}: no usable answer in {ATTEMPTS} attempts: {misfit}", self.seat),
                        Some(format!("check what `agents.{}` prints", self.binding.agent)),
                    ));
                }
                // Who has not looked is not told what it got wrong.
                Err(Misfit::Inattentive { .. }) => attempt += 1,
                Err(misfit) => {
                    told.push(TurnError { kind: misfit.kind(), message: misfit.to_string(), hint: None });
                    attempt += 1;
                }
            }
        }
    }

    /// Refuses somebody for whom a limit in money could not hold, before anybody is paid.
    pub(crate) async fn check_priced(&self) -> Result<(), AppError> {
        let limits = allowance::limits(self.project).await?;
        let spec = command_account::spec_of(self.project, &self.seat, &self.binding);
        allowance::check_priced(self.project, &spec, &limits)
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
        let run = RunId(tribunal_store::new_id());
        let mut texts = Vec::new();
        for blob in prompt.blobs() {
            texts.extend(self.project.text(blob).await.map(|text| (blob, text)));
        }
        let fetch = |wanted| texts.iter().find(|(blob, _)| *blob == wanted).map(|(_, text)| text.as_str());
        let mut prompt = prompt.clone();
        if let Some(persona) = &self.binding.persona {
            prompt.parts.insert(0, Part::Text(persona.clone()));
        }
        let attachments = fetched(&*self.project.store, prompt.attachments().cloned()).await?;
        let prompt = prompt.render(run, fetch).map_err(tribunal_engine::DriveError::from)?;
        let request = TurnRequest {
            place: String::new(),
            run,
            r#loop: None,
            // Nobody who is asked aside works on files: nothing would confine them.
            works_on_files: false,
            judges: self.judges,
            round: Round(1),
            turn: TurnId(1),
            seat: self.seat.clone(),
            task: self.task.into(),
            model: self.binding.model.clone(),
            effort: self.binding.effort.clone(),
            stable: prompt.stable,
            attachments,
            prompt: prompt.text,
            form: prompt.form,
            // Whoever is asked aside is asked in words.
            input: None,
            // What it may cost, the account says.
            meter: TurnMeter::default(),
            is_resumed: false,
        };
        let who = (&self.seating, &self.binding);
        let consulted = self.project.account.ask(self.project, who, request, None).await?;
        consulted.result.map(|answer| answer.text).map_err(|error| match error.kind {
            // There is no run that could be continued.
            TurnErrorKind::OverBudget => AppError::conflict(error.message, command_account::HINT),
            _ => AppError::environment(error.message, error.hint),
        })
    }
}
