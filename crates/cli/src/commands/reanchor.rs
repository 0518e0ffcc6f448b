//! `tribunal reanchor`: put another anchor in the place of a joust's own.

use serde_json::json;
use tribunal_engine::Session;
use tribunal_kernel::Event;
use tribunal_kernel::joust::joust_of;

use super::{person, print_json};
use crate::args::{self, Global};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::opening::joust::read_anchor;
use crate::project::Project;

pub(super) async fn reanchor(project: &Project, global: &Global, args: &args::Reanchor) -> Result<Exit, Failure> {
    let anchor = read_anchor(&project.root().join(&args.anchor))?;
    let id = project.find(Some(&args.run)).await?;
    let run = project.read(id).await?;
    if joust_of(run.charter()).is_none() {
        return Err(Failure::usage(
            format!("run {id} is a {}: only a joust has an anchor that can be switched", run.charter().kind()),
            "`tribunal steer` tells any run what you want",
        ));
    }
    if let Some(end) = run.end() {
        return Err(Failure::usage(
            format!("run {id} is over: {}", end.outcome),
            "`tribunal reopen` lifts its decision; then it can be reanchored",
        ));
    }
    let kind = anchor.kind().as_str();
    // Whoever drives the run must be told to stop first: what its editors work on would be judged by another measure.
    let mut session = Session::open(project.store.clone(), project.clock.clone(), id).await?;
    session.record(Event::Reanchored { by: person(), anchor: Box::new(anchor) }, &[]).await?;
    if global.json {
        print_json(&json!({ "run": id, "anchor": kind }));
    } else {
        println!("run {id}: drafts are judged by an anchor of kind `{kind}` from now on; the old one stays in the log");
    }
    Ok(Exit::Pass)
}
