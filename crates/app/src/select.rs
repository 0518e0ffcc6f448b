//! A person's pick among the drafts of a review.

use tribunal_engine::Session;
use tribunal_kernel::{Draft, Event, Round, Run, RunId, review};
use tribunal_store::workspace;

use crate::error::AppError;
use crate::loops::{self, SpecFor};
use crate::project::Project;
use crate::resume;
use crate::views;

/// Which draft is meant.
#[derive(Debug, Clone)]
pub enum DraftChoice {
    /// That of a round.
    Round(Round),
    /// The one whose id has this part.
    Candidate(String),
}

/// Notes down which draft of an asset somebody chose. The run, and the draft.
pub async fn select(
    project: &Project,
    asset: &str,
    choice: &DraftChoice,
    by: String,
) -> Result<(RunId, Draft), AppError> {
    let mut session = session(project, asset).await?;
    let (draft, text) = find(project, session.run(), asset, choice).await?;
    pick(project, &mut session, draft.clone(), text, by).await?;
    Ok((session.run().spec().run, draft))
}

/// Notes down which draft of a run somebody chose.
pub async fn select_in(project: &Project, id: RunId, round: Round, by: String) -> Result<(), AppError> {
    let mut session = resume::open_ended(project, id).await?;
    let spec = session.run().spec();
    if let Some(refusal) = &spec.kind().def().no_select {
        return Err(AppError::conflict(format!("run {id} {}", refusal.why), refusal.hint(spec)));
    }
    let draft = review::draft_of(session.run(), round).cloned();
    let none = || AppError::not_found(format!("round {round} has no draft"), "choose another round");
    let draft = draft.ok_or_else(none)?;
    let text = project.text(draft.content).await.ok_or_else(none)?;
    pick(project, &mut session, draft, text, by).await
}

async fn pick(
    project: &Project,
    session: &mut Session,
    draft: Draft,
    text: String,
    by: String,
) -> Result<(), AppError> {
    session.record(Event::DraftSelected { draft, by }, &[text]).await?;
    views::bring_up_to_date(project, session.run()).await
}

/// The newest run on the asset, or a new one that holds the pick: a pick is an event like any other.
async fn session(project: &Project, asset: &str) -> Result<Session, AppError> {
    let (store, clock) = (project.store.clone(), project.clock.clone());
    let _lock = workspace::lock(&project.workspace())?;
    if let Some(id) = project.newest_on(asset).await? {
        return Ok(Session::open(store, clock, id).await?);
    }
    let (spec, cited) = loops::review::spec(project, asset, SpecFor::Run).await?;
    loops::create(project, spec, &cited).await
}

/// The draft that is meant, from this run or from the workspace.
async fn find(project: &Project, run: &Run, asset: &str, choice: &DraftChoice) -> Result<(Draft, String), AppError> {
    let own: Vec<&Draft> = match choice {
        DraftChoice::Round(round) => review::draft_of(run, *round).into_iter().collect(),
        DraftChoice::Candidate(part) => {
            run.drafts().filter(|draft| draft.id.to_string().contains(part.as_str())).collect()
        }
    };
    let found: Vec<(Draft, String)> = match (own.as_slice(), choice) {
        ([], DraftChoice::Candidate(part)) => workspace::candidates(&project.workspace(), asset)?
            .into_iter()
            .filter(|(draft, _)| draft.id.to_string().contains(part.as_str()))
            .collect(),
        (own, _) => {
            let mut found = Vec::new();
            for draft in own {
                found.extend(project.text(draft.content).await.map(|text| ((*draft).clone(), text)));
            }
            found
        }
    };
    match <[_; 1]>::try_from(found) {
        Ok([choice]) => Ok(choice),
        Err(found) if found.is_empty() => Err(AppError::not_found(
            format!("`{asset}` has no such candidate"),
            format!("see copy/candidates/{asset}/ or `tribunal status {asset}`"),
        )),
        Err(found) => Err(AppError::invalid(format!("that matches {} candidates", found.len()), "use more of the id")),
    }
}
