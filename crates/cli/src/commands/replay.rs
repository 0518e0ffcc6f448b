//! `tribunal replay`: a theater once more, as it was watched.

use std::path::Path;
use std::time::Duration;
use tribunal_app::{AppError, Exit, Project};
use tribunal_kernel::Time;
use tribunal_kernel::theater::{Stage, stage_of};
use tribunal_store::artifacts::{self, TranscriptLine};

use crate::args::{self, Global, Speed};

/// However long an agent thought, nobody waits longer than this for the next line.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

pub(super) async fn replay(project: &Project, global: &Global, args: &args::Replay) -> Result<Exit, AppError> {
    let lines = match args.run.as_deref().map(Path::new) {
        Some(path) if path.is_file() => artifacts::read_transcript(path)?,
        _ => from_log(project, args.run.as_deref()).await?,
    };
    let mut stage = Stage::default();
    let mut last: Option<Time> = None;
    for line in &lines {
        let pause = last.map(|last| line.time.since(last)).unwrap_or_default();
        let pause = match args.speed {
            Speed::Real => pause,
            Speed::Fast => pause / 4,
            Speed::Instant => Duration::ZERO,
        };
        if !pause.is_zero() {
            tokio::time::sleep(pause.min(LONGEST_PAUSE)).await;
        }
        last = Some(line.time);
        stage.apply(&line.critique);
        if global.json {
            crate::out::json(&serde_json::to_string(line).expect("a line is plain JSON"));
        } else if let Some(text) = Stage::line(&line.critique) {
            println!("{}  {text}", line.time);
        }
    }
    if !global.json {
        eprintln!("{}", end_state(&stage));
    }
    Ok(Exit::Pass)
}

async fn from_log(project: &Project, name: Option<&str>) -> Result<Vec<TranscriptLine>, AppError> {
    let id = project.find(name).await?;
    let run = project.read(id).await?;
    if stage_of(run.spec()).is_none() {
        return Err(AppError::invalid(
            format!("run {id} is a {}: only a theater can be replayed", run.spec().kind()),
            "`tribunal log RUN` prints the events of any run",
        ));
    }
    let entries = project.store.logs().read(id).await?;
    Ok(entries.iter().filter(|entry| entry.seq <= run.seq()).flat_map(|entry| artifacts::lines(&run, entry)).collect())
}

fn end_state(stage: &Stage) -> String {
    let rounds: Vec<String> = stage
        .rounds
        .iter()
        .map(|(round, composite, open)| format!("round {round}: {composite}, must-fix {open}"))
        .collect();
    format!("{} after {}", stage.status, if rounds.is_empty() { "no round".into() } else { rounds.join("; ") })
}
