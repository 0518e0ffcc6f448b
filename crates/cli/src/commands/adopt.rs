//! `tribunal adopt`: take the work of a desk over into your checkout.

use serde_json::json;
use tribunal_engine::tree::Adopted;
use tribunal_kernel::Outcome;
use tribunal_kernel::desk::desk_of;

use super::print_json;
use crate::args::{self, Global};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project::Project;
use crate::seating::bureau;

pub(super) async fn adopt(project: &Project, global: &Global, args: &args::Adopt) -> Result<Exit, Failure> {
    let run = project.read(project.find(args.run.as_deref()).await?).await?;
    let id = run.spec().run;
    let Some(settings) = desk_of(run.spec()) else {
        return Err(Failure::usage(
            format!("run {id} is a {}, which works on no files of yours", run.spec().kind()),
            "`tribunal export` writes what it made to a folder",
        ));
    };
    let is_complete = run.end().is_some_and(|end| end.outcome == Outcome::Converged);
    if !is_complete && !args.unfinished {
        return Err(Failure::usage(
            format!("run {id} is not complete"),
            "`--unfinished` takes over what there is, verified or not",
        ));
    }
    let bureau = bureau(project, id, settings).await?;
    let adopted = bureau.trees().lock().await.adopt().await;
    let adopted = adopted.map_err(|error| Failure::usage(error.to_string(), error.hint()))?;
    let told = match &adopted {
        Adopted::Nothing => "there is nothing to take over".to_owned(),
        Adopted::FastForward { to } => format!("your branch is at {to} now"),
        Adopted::Merged { to } => format!("merged into your branch: {to}"),
        Adopted::Copied { files } => format!("{files} files were copied"),
    };
    if global.json {
        print_json(&json!({ "run": id, "adopted": told }));
    } else {
        println!("run {id}: {told}");
    }
    Ok(Exit::Pass)
}
