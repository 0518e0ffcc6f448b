//! Taking the work of a desk over into the user's checkout.

use tribunal_engine::tree::Adopted;
use tribunal_kernel::desk::desk_of;
use tribunal_kernel::{Outcome, RunId};

use crate::error::AppError;
use crate::project::Project;
use crate::seating::desk_folder;

/// Takes over what a run made; verified work alone, unless what is unfinished is wanted, too.
pub async fn adopt(project: &Project, run: Option<&str>, takes_unfinished: bool) -> Result<(RunId, Adopted), AppError> {
    let run = project.read(project.find(run).await?).await?;
    let id = run.spec().run;
    let Some(settings) = desk_of(run.spec()) else {
        return Err(AppError::conflict(
            format!("run {id} is a {}, which does not change your files", run.spec().kind()),
            "`tribunal export` writes its results to a folder",
        ));
    };
    let is_complete = run.end().is_some_and(|end| end.outcome == Outcome::Converged);
    if !is_complete && !takes_unfinished {
        return Err(AppError::conflict(
            format!("run {id} is not complete"),
            "`--unfinished` merges what there is, verified or not",
        ));
    }
    let folder = desk_folder(project, run.spec(), settings).await?;
    let adopted = folder.trees().lock().await.adopt().await;
    Ok((id, adopted.map_err(|error| AppError::conflict(error.to_string(), error.hint()))?))
}
