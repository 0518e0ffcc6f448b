//! `tribunal review select`: a person's pick.

use serde_json::json;
use tribunal_engine::Session;
use tribunal_kernel::{Draft, Event, Round, Run, review};
use tribunal_store::{FileStore, workspace};

use super::{person, print_json};
use crate::args::{self, Global};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project::Project;
use crate::{opening, views};

pub(super) async fn select(project: &Project, global: &Global, args: &args::Select) -> Result<Exit, Failure> {
    let mut session = session(project, &args.asset).await?;
    let (draft, text) = choice(project, session.run(), args)?;
    pick(project, &mut session, draft.clone(), text, person()).await?;
    let file = format!("copy/selected/{}.{}", args.asset, draft.format.extension());
    if global.json {
        print_json(&json!({ "run": session.run().spec().run, "candidate": draft.id, "file": file }));
    } else {
        println!("{file}");
        eprintln!("picked candidate {}", draft.id);
    }
    Ok(Exit::Pass)
}

/// Notes down which draft somebody chose.
pub(crate) async fn pick(
    project: &Project,
    session: &mut Session<FileStore>,
    draft: Draft,
    text: String,
    by: String,
) -> Result<(), Failure> {
    session.record(Event::DraftSelected { draft, by }, &[text]).await?;
    views::write_files(project.layout(), session.run())?;
    if project.index.with(|_| Ok(())).is_ok() {
        project.index.with(|index| index.update(session.run()))?;
    }
    Ok(())
}

/// The newest run on the asset, or a new one that holds the pick: a pick is an event like any other.
async fn session(project: &Project, asset: &str) -> Result<Session<FileStore>, Failure> {
    let (store, clock) = (project.store.clone(), project.clock.clone());
    let _lock = workspace::lock(&project.workspace())?;
    if let Some(id) = project.newest_on(asset).await? {
        return Ok(Session::open(store, clock, id).await?);
    }
    let (spec, texts) = opening::review::spec(project, asset)?;
    Ok(Session::create(store, clock, spec, &texts).await?)
}

/// The draft that is meant, from this run or from the workspace.
fn choice(project: &Project, run: &Run, args: &args::Select) -> Result<(Draft, String), Failure> {
    let own = match (&args.candidate, args.iteration) {
        (_, Some(iteration)) => review::draft_of(run, Round(iteration)).into_iter().collect(),
        (Some(part), None) => run.drafts().filter(|draft| draft.id.to_string().contains(part.as_str())).collect(),
        (None, None) => Vec::new(),
    };
    let found: Vec<(Draft, String)> = match own.as_slice() {
        [] => match &args.candidate {
            Some(part) => workspace::candidates(&project.workspace(), &args.asset)?
                .into_iter()
                .filter(|(draft, _)| draft.id.to_string().contains(part.as_str()))
                .collect(),
            None => Vec::new(),
        },
        own => own.iter().filter_map(|draft| Some(((*draft).clone(), project.text(draft.content)?))).collect(),
    };
    match <[_; 1]>::try_from(found) {
        Ok([choice]) => Ok(choice),
        Err(found) if found.is_empty() => Err(Failure::usage(
            format!("`{}` has no such candidate", args.asset),
            format!("look under copy/candidates/{}/, or at `tribunal status {}`", args.asset, args.asset),
        )),
        Err(found) => {
            Err(Failure::usage(format!("that fits {} candidates", found.len()), "give more of the candidate's id"))
        }
    }
}
