//! `tribunal review select`: a person's pick.

use serde_json::json;
use tribunal_app::select::{self, DraftChoice};
use tribunal_app::service::decider;
use tribunal_app::{AppError, Exit, Project};
use tribunal_kernel::Round;

use super::print_json;
use crate::args::{self, Global};

pub(super) async fn select(project: &Project, global: &Global, args: &args::Select) -> Result<Exit, AppError> {
    let choice = match args.iteration {
        Some(iteration) => DraftChoice::Round(Round(iteration)),
        None => DraftChoice::Candidate(args.candidate.clone().unwrap_or_default()),
    };
    let (run, draft) = select::select(project, &args.asset, &choice, decider()?).await?;
    let file = format!("copy/selected/{}.{}", args.asset, draft.format.extension());
    if global.json {
        print_json(&json!({ "run": run, "candidate": draft.id, "file": file }));
    } else {
        println!("{file}");
        eprintln!("selected candidate {}", draft.id);
    }
    Ok(Exit::Pass)
}
