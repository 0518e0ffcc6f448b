//! A plan as an agent would make it.

use tribunal_kernel::prompt::{Content, Part, Prompt};
use tribunal_kernel::{SeatName, answer};

use super::PlanAnswers;
use crate::consult::Consultant;
use crate::error::AppError;
use crate::project::Project;
use crate::seating::bindings;

/// Asks who sits in `seat` for a plan, beginning with what is known.
pub async fn propose(project: &Project, seat: &str, wish: &str, known: &PlanAnswers) -> Result<PlanAnswers, AppError> {
    let binding = bindings(project.config(), &[seat])?.into_values().next();
    let binding = binding
        .ok_or_else(|| AppError::invalid(format!("there is no seat `{seat}`"), "choose a seat of tribunal.toml"))?;
    // Not as a seat of a desk: a plan needs words, and nobody is to write to the user's files for it.
    let author = Consultant::new(project, SeatName::new(seat), binding, "brainstorm");
    let known = serde_json::to_string_pretty(known).expect("answers are plain JSON");
    let prompt = Prompt {
        template: "desk_brainstorm",
        parts: vec![
            Part::Text(
                "Plan a piece of work for a worker that has a fresh context in every iteration and a verifier that \
                 believes nothing: small user stories in their order, criteria that can be tested, and the commands that \
                 prove them. Begin with what is known and make it better."
                    .into(),
            ),
            Part::Material { label: "the wish", content: Content::Text(wish.to_owned()) },
            Part::Material { label: "what is known", content: Content::Text(known) },
            Part::answer_form::<PlanAnswers>(),
        ],
    };
    let answers: PlanAnswers = author.ask(prompt, answer::read).await?;
    answers.check("the proposal")?;
    Ok(answers)
}
