//! `tribunal adopt`: take the work of a desk over into your checkout.

use serde_json::json;
use tribunal_app::{AppError, Exit, Project, adopt};
use tribunal_engine::tree::Adopted;

use super::print_json;
use crate::args::{self, Global};

pub(super) async fn adopt(project: &Project, global: &Global, args: &args::Adopt) -> Result<Exit, AppError> {
    let (id, adopted) = adopt::adopt(project, args.run.as_deref(), args.unfinished).await?;
    let told = match &adopted {
        Adopted::Nothing => "there is nothing to merge".to_owned(),
        Adopted::FastForward { to } => format!("your branch is now at {to}"),
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
