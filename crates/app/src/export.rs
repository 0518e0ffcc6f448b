//! A run's drafts, verdicts, prompts and log as files that need nothing else to be read.

use tribunal_kernel::attachment::file_name;
use tribunal_kernel::{Event, Run, Turn, TurnState};

use crate::error::AppError;
use crate::people::People;
use crate::project::Project;
use crate::summary;

/// A run as files: their names and what is in them.
#[derive(Debug)]
pub struct Exported {
    pub run: Run,
    pub files: Vec<(String, Vec<u8>)>,
}

/// Everything there is of a run.
pub async fn export(project: &Project, run: Option<&str>) -> Result<Exported, AppError> {
    let run = project.read(project.find(run).await?).await?;
    let log = project.store.logs().bytes(run.spec().run).await?;
    let mut files = files(project, &run, log).await?;
    files.extend(unusable(project, &run).await?);
    Ok(Exported { run, files })
}

/// What was answered and could not be used, with the reason. It was paid for, and shows why a run went as it did.
async fn unusable(project: &Project, run: &Run) -> Result<Vec<(String, Vec<u8>)>, AppError> {
    let mut files = Vec::new();
    for entry in project.store.logs().read(run.spec().run).await? {
        let Event::TurnFailed { turn, error, raw, .. } = entry.event else { continue };
        let Some(name) = run.turn(turn).map(name_of) else { continue };
        files.push((format!("{name}.error.txt"), format!("{error}\n").into_bytes()));
        if let Some(answer) = raw {
            let text = project.text(answer).await.ok_or_else(|| missing(&format!("the answer of turn {turn}")))?;
            files.push((format!("{name}.answer.txt"), text.into_bytes()));
        }
    }
    Ok(files)
}

/// What the files of a turn begin with.
fn name_of(turn: &Turn) -> String {
    format!("round-{:02}-turn-{:03}-{}", turn.round.0, turn.id.0, turn.seat)
}

fn missing(what: &str) -> AppError {
    AppError::environment(format!("{what} is missing"), Some("`tribunal verify` shows what else is missing".into()))
}

async fn files(project: &Project, run: &Run, log: Vec<u8>) -> Result<Vec<(String, Vec<u8>)>, AppError> {
    let brief = project.text(run.spec().brief).await.ok_or_else(|| missing("the brief"))?;
    let detail = summary::detail(run, &People::of(project.config()));
    let mut files = vec![
        ("log.ndjson".to_owned(), log),
        ("run.json".to_owned(), format!("{detail:#}\n").into_bytes()),
        ("brief.md".to_owned(), brief.into_bytes()),
    ];
    for (number, attachment) in (1..).zip(&run.spec().attachments) {
        let bytes = project.store.blobs().get(attachment.content).await?;
        files.push((format!("attachment-{}", file_name(number, &attachment.name)), bytes));
    }
    for turn in run.turns() {
        let name = name_of(turn);
        let prompt =
            project.text(turn.prompt).await.ok_or_else(|| missing(&format!("the prompt of turn {}", turn.id)))?;
        files.push((format!("{name}.prompt.md"), prompt.into_bytes()));
        if let TurnState::Answered { raw, .. } = &turn.state {
            let answer = project.text(*raw).await.ok_or_else(|| missing(&format!("the answer of turn {}", turn.id)))?;
            files.push((format!("{name}.answer.txt"), answer.into_bytes()));
            for (_, draft) in turn.drafts() {
                let text = project.text(draft.content).await.ok_or_else(|| missing(&format!("draft {}", draft.id)))?;
                files.push((format!("{name}.draft.{}", draft.format.extension()), text.into_bytes()));
            }
        }
    }
    Ok(files)
}
