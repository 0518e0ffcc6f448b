//! How the judges of a run are controlled, and what is remembered of it.

use tribunal_engine::Clock as _;
use tribunal_kernel::control::{ControlReading, Controls, PassedControl};
use tribunal_kernel::grade::ControlRecord;
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
    let (grades, now) = (project.store.grades().read().await?, project.clock.now());
    for seat in judges {
        let voter = spec.voter(&seat);
        let passed = grades.controls_of(&voter).filter(|record| now.since(record.at) < config.fresh);
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
    let (now, fresh) = (project.clock.now(), project.config().controls.fresh);
    let grades = project.store.grades().read().await.unwrap_or_default();
    grades.controls_of(voter).any(|record| record.format == format && now.since(record.at) < fresh)
}

/// What a turn shows of its judge, worth remembering: that it passed.
pub(crate) fn passed(run: &Run, turn: &Turn) -> Option<ControlRecord> {
    let Some(Said::Controlled(reading)) = turn.said() else { return None };
    let is_passed = reading.caught_share() >= run.spec().controls.min_catch;
    let ControlReading { format, planted, caught, .. } = reading;
    is_passed.then(|| ControlRecord {
        voter: run.spec().voter(&turn.seat),
        format: *format,
        run: run.spec().run,
        at: turn.started,
        planted: *planted,
        caught: *caught,
    })
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
    lines.extend(spec.not_controlled().map(str::to_owned));
    lines
}
