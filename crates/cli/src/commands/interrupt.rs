//! `tribunal interrupt`: stop a run, wherever it is driven.

use serde_json::json;
use tribunal_app::interrupt::{self, Stopped};
use tribunal_app::service::person;
use tribunal_app::{AppError, Exit, Project};

use super::print_json;
use crate::args::{Global, OneRun};

pub(super) async fn interrupt(project: &Project, global: &Global, args: &OneRun) -> Result<Exit, AppError> {
    let Stopped { run, was_over } = interrupt::interrupt(project, None, args.run.as_deref(), &person()).await?;
    let id = run.spec().run;
    let status = run.end().map_or("running", |end| end.outcome.as_str());
    if global.json {
        print_json(&json!({ "run": id, "status": status, "was_over": was_over }));
    } else if was_over {
        println!("run {id} had ended already: {status}");
    } else {
        println!("run {id}: {status}");
    }
    Ok(Exit::Pass)
}
