//! `tribunal reanchor`: judge a run's drafts by another anchor from now on, wherever it is driven.

use serde_json::json;
use tribunal_anchors::{Anchor, Kind};
use tribunal_kernel::rules::RULES;
use tribunal_kernel::{Event, Run, SeatName, consult, joust};
use tribunal_store::backend::RunRequest;

use super::asking::tell;
use super::{person, print_json};
use crate::args::{self, Global};
use crate::consult::Consultant;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::opening::read_anchor;
use crate::project::Project;

pub(super) async fn reanchor(project: &Project, global: &Global, args: &args::Reanchor) -> Result<Exit, Failure> {
    let id = project.find(Some(&args.run)).await?;
    let run = project.read(id).await?;
    if let Some(end) = run.end() {
        return Err(Failure::usage(
            format!("run {id} is over: {}", end.outcome),
            "`tribunal reopen` lifts its decision; then it can be reanchored",
        ));
    }
    if !run.spec().seats.contains_key(&SeatName::new(RULES)) {
        return Err(Failure::usage(
            format!("run {id} was begun without an anchor"),
            "`tribunal run --anchor FILE` begins one with it; `tribunal steer` tells any run what you want",
        ));
    }
    let path = project.root().join(&args.anchor);
    let kind = Kind::from_word(&args.anchor.to_string_lossy()).filter(|_| !path.exists());
    let anchor = match kind {
        Some(kind) => written(project, &run, kind).await?,
        None => read_anchor(&path)?,
    };
    let kind = anchor.kind().as_str();
    let (by, anchor) = (person(), Box::new(anchor));
    let event = Event::Reanchored { by: by.clone(), anchor: anchor.clone() };
    let request = RunRequest::Reanchor { by, anchor: anchor.clone() };
    tell(project, id, event, request, |run| run.reanchored() == Some(&*anchor)).await?;
    if global.json {
        print_json(&json!({ "run": id, "anchor": kind }));
    } else {
        println!("run {id}: drafts are judged by an anchor of kind `{kind}` from now on; the old one stays in the log");
    }
    Ok(Exit::Pass)
}

/// An anchor of this kind, by the seat that begins drafts.
async fn written(project: &Project, run: &Run, kind: Kind) -> Result<Anchor, Failure> {
    let main = SeatName::new(joust::MAIN);
    let Some(binding) = run.spec().seats.get(&main) else {
        return Err(Failure::usage(
            format!("a {} has no seat that writes anchors", run.spec().kind()),
            "write the anchor to a file and name that; docs/anchors.md has the form of every kind",
        ));
    };
    let author = Consultant::new(project, main, binding.clone(), run.spec().kind(), "reanchor");
    let (anchor, why) = author.ask(consult::anchor(run, kind), |answer| consult::read_anchor(answer, kind)).await?;
    if let Some(why) = why {
        eprintln!("note: {why}");
    }
    Ok(anchor)
}
