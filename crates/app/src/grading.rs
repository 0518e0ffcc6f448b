//! Grades where they are obeyed and shown.

use std::collections::BTreeMap;
use tribunal_config::{Config, SeatConfig};
use tribunal_engine::Clock as _;
use tribunal_kernel::grade::{GradeRecord, Mark};
use tribunal_kernel::theater::{DESIGNER, PANEL, Panel, Settings, stage_of};
use tribunal_kernel::{Binding, RunSpec, SeatName, Time, Trial};

use crate::error::AppError;
use crate::project::Project;

/// The seat in which an agent is graded: as it sits on the panel where it does, or else as it is configured.
pub fn graded_seat(config: &Config, agent: &str) -> SeatConfig {
    let sits = |seat: &&str| config.seats.get(*seat).filter(|own| own.agent == agent).cloned();
    let own = [PANEL, DESIGNER].iter().find_map(sits);
    let mut seat =
        own.unwrap_or_else(|| SeatConfig { agent: agent.to_owned(), model: None, effort: None, persona: None });
    seat.model = seat.model.or_else(|| config.agents.get(agent)?.model.clone());
    seat
}

/// The mark that keeps a panel from being seated.
pub async fn mark_on(
    project: &Project,
    settings: &Settings,
    seats: &BTreeMap<SeatName, Binding>,
) -> Result<Option<Mark>, AppError> {
    let main = seats.get(&SeatName::new(settings.main_seat()));
    let (Some(Binding { agent, model, .. }), false) = (main, settings.panel == Panel::Off) else {
        return Ok(None);
    };
    let grades = project.store.grades().read().await?;
    Ok(grades.mark_at(agent, model.as_deref(), project.clock.now()).cloned())
}

/// What is said of a run that falls back, everywhere in the same words.
pub fn banner(spec: &RunSpec) -> Option<String> {
    let mark = stage_of(spec)?.mark.as_ref()?;
    Some(format!("degraded: {mark}; the artifact is made in a single pass, without a panel"))
}

/// What lifts the mark of a run that falls back.
pub fn remedy(spec: &RunSpec) -> Option<String> {
    let mark = stage_of(spec)?.mark.as_ref()?;
    Some(format!("hint: `tribunal agents conformance --clear {}` clears the mark", mark.agent))
}

/// How an agent stands, in a few words.
pub fn standing(record: Option<&GradeRecord>, now: Time) -> String {
    let Some((record, cycle)) = record.and_then(|record| Some((record, record.grade()?))) else {
        return "not graded".into();
    };
    let word = if cycle.passes() { "passes" } else { "below the bars" };
    let mark = record.mark_at(now).map(|mark| format!(", degraded until {}", mark.until)).unwrap_or_default();
    format!("{word} ({}){mark}", cycle.count())
}
