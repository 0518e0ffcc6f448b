//! A question to whoever sits in a seat of a run. Nothing of it is in the log.

use tribunal_kernel::{RunId, SeatName, consult};

use crate::consult::Consultant;
use crate::error::AppError;
use crate::input::{MAX_DIRECTIVE, bounded};
use crate::project::Project;

/// What was answered, and by whom.
#[derive(Debug, Clone)]
pub struct Answered {
    pub run: RunId,
    pub seat: SeatName,
    pub agent: String,
    pub answer: String,
}

/// Asks a seat of a run.
pub async fn ask(project: &Project, run: Option<&str>, seat: &str, text: &str) -> Result<Answered, AppError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(AppError::invalid("the question is empty", "tribunal ask skeptic \"What bothers you most?\""));
    }
    bounded("the question", text, MAX_DIRECTIVE)?;
    let run = project.read(project.find(run).await?).await?;
    let spec = run.spec();
    if let Some(refusal) = &spec.kind().def().no_ask {
        return Err(AppError::conflict(format!("run {} {}", spec.run, refusal.why), refusal.hint(spec)));
    }
    let seat = SeatName::new(seat);
    let Some(binding) = spec.seats.get(&seat) else {
        let seats: Vec<&str> = spec.agent_seats().map(SeatName::as_str).collect();
        return Err(AppError::not_found(
            format!("run {} has no seat `{seat}`", spec.run),
            format!("its seats are {}", seats.join(", ")),
        ));
    };
    let who = Consultant::new(project, seat.clone(), binding.clone(), "ask");
    let answer = who.ask(consult::question(&run, &seat, text), |answer| Ok(answer.trim().to_owned())).await?;
    Ok(Answered { run: spec.run, agent: binding.agent.clone(), seat, answer })
}
