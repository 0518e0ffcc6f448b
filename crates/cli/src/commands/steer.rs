//! `tribunal steer`: tell a run what is wanted, wherever it is driven.

use serde_json::json;
use tribunal_app::service::person;
use tribunal_app::steer::{self, SteerRequest};
use tribunal_app::{AppError, Exit, Project};

use super::print_json;
use crate::args::{self, Global};

pub(super) async fn steer(project: &Project, global: &Global, args: &args::Steer) -> Result<Exit, AppError> {
    let request = SteerRequest::new(args.run.clone(), &args.text, person())?;
    let steered = steer::steer(project, None, request).await?;
    if global.json {
        print_json(&json!({ "run": steered.run, "directive": steered.directive }));
    } else {
        println!("run {}: noted; every later turn receives it", steered.run);
    }
    Ok(Exit::Pass)
}
