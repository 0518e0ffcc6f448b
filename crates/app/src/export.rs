//! A run's drafts, verdicts, prompts and log as files that need nothing else to be read.

use tribunal_kernel::{Run, TurnState};

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
    Ok(Exported { files: files(project, &run, log).await?, run })
}

async fn files(project: &Project, run: &Run, log: Vec<u8>) -> Result<Vec<(String, Vec<u8>)>, AppError> {
    let missing = |what: String| {
        AppError::environment(format!("{what} is missing"), Some("`tribunal verify` shows what else is missing".into()))
    };
    let brief = project.text(run.spec().brief).await.ok_or_else(|| missing("the brief".into()))?;
    let detail = summary::detail(run, &People::of(project.config()));
    let mut files = vec![
        ("log.ndjson".to_owned(), log),
        ("run.json".to_owned(), format!("{detail:#}\n").into_bytes()),
        ("brief.md".to_owned(), brief.into_bytes()),
    ];
    for turn in run.turns() {
        let name = format!("round-{:02}-turn-{:03}-{}", turn.round.0, turn.id.0, turn.seat);
        let prompt =
            project.text(turn.prompt).await.ok_or_else(|| missing(format!("the prompt of turn {}", turn.id)))?;
        files.push((format!("{name}.prompt.md"), prompt.into_bytes()));
        if let TurnState::Answered { raw, .. } = &turn.state {
            let answer = project.text(*raw).await.ok_or_else(|| missing(format!("the answer of turn {}", turn.id)))?;
            files.push((format!("{name}.answer.txt"), answer.into_bytes()));
            for (_, draft) in turn.drafts() {
                let text = project.text(draft.content).await.ok_or_else(|| missing(format!("draft {}", draft.id)))?;
                files.push((format!("{name}.draft.{}", draft.format.extension()), text.into_bytes()));
            }
        }
    }
    Ok(files)
}
