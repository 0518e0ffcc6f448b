//! `tribunal adopt`: take over what a run made.

use serde_json::json;
use tribunal_app::adopt::{self, AdoptRequest, AdoptedWork};
use tribunal_app::{AppError, Exit, Project};
use tribunal_engine::tree::Adopted;

use super::print_json;
use crate::args::{self, Global};

pub(super) async fn adopt(project: &Project, global: &Global, args: &args::Adopt) -> Result<Exit, AppError> {
    let request = AdoptRequest { run: args.run.as_deref(), takes_unfinished: args.unfinished, force: args.force };
    let (id, adopted) = adopt::adopt(project, request).await?;
    let mut object = json!({ "run": id });
    let told = match &adopted {
        AdoptedWork::Desk(Adopted::Nothing) => "there is nothing to merge".to_owned(),
        AdoptedWork::Desk(Adopted::FastForward { to }) => format!("your branch is now at {to}"),
        AdoptedWork::Desk(Adopted::Merged { to }) => format!("merged into your branch: {to}"),
        AdoptedWork::Desk(Adopted::Copied { files }) => format!("{files} files were copied"),
        AdoptedWork::PageAlready(path) => format!("{} has its page already", path.display()),
        AdoptedWork::Page(replaced) => {
            object["file"] = json!(replaced.path);
            object["backup"] = json!(replaced.backup);
            let kept = replaced.backup.as_ref().map(|path| format!("; the old text is in {}", path.display()));
            format!("its page is in {} now{}", replaced.path.display(), kept.unwrap_or_default())
        }
    };
    object["adopted"] = json!(told);
    if global.json {
        print_json(&object);
    } else {
        println!("run {id}: {told}");
    }
    Ok(Exit::Pass)
}
