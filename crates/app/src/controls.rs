//! How the judges of a run are controlled, and what is remembered of it.

use tribunal_engine::Clock as _;
use tribunal_kernel::control::{Controls, JudgedControls, PassedControl};
use tribunal_kernel::grade::{ControlRecord, Grades};
use tribunal_kernel::{Format, Run, RunSpec, Said, Score, SeatName, Turn};

use crate::error::AppError;
use crate::project::Project;

/// The controls of a run: as they are configured, with what its judges passed lately.
pub(crate) async fn of(project: &Project, spec: &RunSpec) -> Result<Controls, AppError> {
    let config = &project.config().controls;
    let mut controls = Controls {
        per_judge: config.per_judge,
        min_catch: Score(config.min_catch.micros()),
        share: Score(config.share.micros()),
        passed: Vec::new(),
    };
    let judges = spec.trial().judges().into_iter().map(SeatName::new).filter(|seat| spec.is_controlled(seat));
    let judges: Vec<SeatName> = judges.collect();
    if controls.is_off() || judges.is_empty() {
        return Ok(controls);
    }
    let grades = project.store.grades().read().await?;
    for seat in judges {
        let voter = spec.judge_key(&seat);
        let passed = grades.controls_of(&voter).filter(|record| is_enough(project, record));
        controls.passed.extend(passed.map(|record| PassedControl {
            seat: seat.clone(),
            format: record.format,
            run: record.run,
            at: record.at,
            planted: record.planted,
            caught: record.caught,
        }));
    }
    Ok(controls)
}

/// Whether this agent and model passed a control for this format not long ago.
pub(crate) async fn passed_lately(project: &Project, voter: &str, format: Format) -> bool {
    let grades = project.store.grades().read().await.unwrap_or_default();
    grades.controls_of(voter).any(|record| record.format == format && is_enough(project, record))
}

/// What a control call of a run means for later ones: that its judge passed, or that what it passed before counts no more.
pub(crate) fn remember(run: &Run, turn: &Turn, grades: &mut Grades) {
    let Some(Said::Controlled(reading)) = turn.said() else { return };
    let Some(controls) = run.controls_of(&turn.seat) else { return };
    let voter = run.spec().judge_key(&turn.seat);
    if !controls.is_passed {
        grades.forget_controls(&voter, reading.format);
        return;
    }
    let JudgedControls { calls, planted, caught, .. } = controls;
    let (format, run, at) = (reading.format, run.spec().run, turn.started);
    grades.pass_control(ControlRecord { voter, format, run, at, calls, planted, caught });
}

/// Whether what a judge passed is enough today.
fn is_enough(project: &Project, record: &ControlRecord) -> bool {
    let (config, now) = (&project.config().controls, project.clock.now());
    let share = Score::share(record.caught as usize, record.planted as usize);
    record.at <= now
        && now.since(record.at) < config.fresh
        && record.calls >= config.per_judge
        && share >= Score(config.min_catch.micros())
}

/// What is said of a run's controls before it begins.
pub fn plan(spec: &RunSpec) -> Vec<String> {
    let mut lines = Vec::new();
    let asked: Vec<String> = spec.judges_to_control().iter().map(ToString::to_string).collect();
    if !asked.is_empty() {
        let number = spec.controls.per_judge;
        let calls = if number == 1 { "1 call".to_owned() } else { format!("{number} calls") };
        lines.push(format!("controls: {calls} each for {}, in round 1", asked.join(", ")));
    }
    for PassedControl { seat, run, planted, caught, .. } in &spec.controls.passed {
        lines.push(format!(
            "controls: {seat} caught {caught} of {planted} planted faults in run {run}, and is not asked again"
        ));
    }
    lines.dedup();
    lines.extend(spec.not_controlled());
    lines
}
