//! A person's decision on what judges left undecided.

use serde_json::json;
use tribunal_app::decide::{self, DecideRequest, Undecided, UndecidedItem};
use tribunal_app::people::People;
use tribunal_app::service::decider;
use tribunal_app::{AppError, Exit, Project, drive};
use tribunal_kernel::Run;
use tribunal_kernel::text::one_line;

use crate::args::{self, Global};
use crate::commands::print_json;
use crate::commands::run::{Reported, report};

/// The run to decide about, if that is what is wanted: somebody said so, or it waits for nothing else.
pub(super) async fn of(project: &Project, people: &People, args: &args::Answer) -> Result<Option<Run>, AppError> {
    let is_said = !args.met.is_empty() || !args.broken.is_empty() || args.allow_commands;
    let run = match &args.run {
        Some(name) => project.read(project.find(Some(name)).await?).await?,
        None if is_said || !is_anybody_awaited(project, people).await? => match decide::newest(project).await? {
            Some(run) => run,
            None if is_said => {
                return Err(AppError::not_found("no run waits for your decision", "`tribunal status` lists all runs"));
            }
            None => return Ok(None),
        },
        None => return Ok(None),
    };
    Ok((is_said || Undecided::of(&run).is_some()).then_some(run))
}

async fn is_anybody_awaited(project: &Project, people: &People) -> Result<bool, AppError> {
    for spec in project.specs().await? {
        if people.seats(&spec).is_empty() {
            continue;
        }
        if let Ok(run) = project.read(spec.run).await
            && !people.open(&*project.store, &run).await?.is_empty()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(super) async fn decide(
    project: &Project,
    global: &Global,
    args: &args::Answer,
    run: &Run,
) -> Result<Exit, AppError> {
    let id = run.spec().run;
    let request = DecideRequest {
        by: decider()?,
        met: args.met.clone(),
        broken: args.broken.clone(),
        why: args.why.clone(),
        allow_commands: args.allow_commands,
    };
    if request.met.is_empty() && request.broken.is_empty() && !request.allow_commands {
        show(global, run);
        return Ok(Exit::NotPassed);
    }
    let session = decide::decide(project, id, request).await?;
    let runs = drive::drive(project, vec![session]).await?;
    let mut results: Vec<Reported> = runs.iter().map(|run| Reported::of(project, run)).collect();
    Reported::seal(project, &mut results).await?;
    report(global, &results);
    Ok(Reported::worst(&results))
}

/// What there is to decide, and how.
fn show(global: &Global, run: &Run) {
    let Some(Undecided { items, commands }) = Undecided::of(run) else { return };
    let id = run.spec().run;
    if global.json {
        let items: Vec<_> = items.iter().map(UndecidedItem::object).collect();
        print_json(&json!({ "run": id, "undecided": items, "commands": commands }));
        return;
    }
    println!("{} of `{}`, run {id}: undecided", run.spec().kind(), run.spec().subject());
    for UndecidedItem { number, item, words } in &items {
        println!("  {number}. {}: {}", item.level.as_str(), one_line(words));
        if let Some(why) = &item.why {
            println!("     undecided: {}", one_line(why));
        }
    }
    for command in &commands {
        println!("  command: {command}");
    }
    if let Some(UndecidedItem { number, .. }) = items.first() {
        eprintln!("hint: `tribunal diff {id}` and the files of the run show the draft");
        eprintln!(
            "hint: decide with `tribunal answer {id} --met {number} --why TEXT`, or `--broken {number}`; `all` is every item"
        );
    }
    if !commands.is_empty() {
        eprintln!(
            "hint: `tribunal answer {id} --allow-commands` runs these commands, which a model wrote, and judges again"
        );
    }
}
