//! How many faults are likely left, from all runs on the same thing.

use serde_json::{Value, json};
use tribunal_kernel::faults::{FaultLedger, Forecast};
use tribunal_kernel::{Run, RunId};

use crate::error::AppError;
use crate::project::Project;

/// So many earlier runs are looked at, the newest of them: who asks about one run does not wait for all others.
const MOST_RUNS: usize = 8;

/// The earlier runs of the same loop on the same thing in the same folder, oldest first. Forks are among them: their judges
/// may have been others. One that cannot be read is left out with a note.
pub async fn earlier_runs(project: &Project, run: &Run) -> Result<Vec<Run>, AppError> {
    let spec = run.spec();
    let specs = project.specs().await?;
    let is_meant = |other: &&tribunal_kernel::RunSpec| {
        other.run < spec.run
            && other.kind() == spec.kind()
            && other.subject() == spec.subject()
            && project.folder_of(other) == project.folder_of(spec)
    };
    let mut earlier = Vec::new();
    for other in specs.iter().filter(is_meant).take(MOST_RUNS) {
        earlier.extend(project.read_one_of(other.run).await);
    }
    earlier.reverse();
    Ok(earlier)
}

/// Adds to a run what is forecast of it and which faults it and the runs before it have found, and by whom.
pub fn told(mut object: Value, run: &Run, earlier: &[Run]) -> Value {
    let ledger = FaultLedger::of(earlier.iter().chain([run]));
    if let Some(forecast) = Forecast::of(&ledger, run) {
        object["forecast"] = json!(forecast);
        object["forecast"]["told"] = json!(forecast.to_string());
    }
    object["faults"] = json!(ledger.found());
    object
}

/// What is forecast of a run, where there are judges to compare.
pub fn of(run: &Run, earlier: &[Run]) -> Option<Forecast> {
    Forecast::of(&FaultLedger::of(earlier.iter().chain([run])), run).filter(Forecast::is_comparison)
}

/// The same of a run that is named, beside the runs before it.
pub async fn of_named(project: &Project, run: RunId) -> Result<Option<Forecast>, AppError> {
    let run = project.read(run).await?;
    let earlier = earlier_runs(project, &run).await?;
    Ok(of(&run, &earlier))
}
