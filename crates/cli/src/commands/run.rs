//! `tribunal run`: the trial that tribunal.toml describes.

use serde_json::{Value, json};
use tribunal_config::Loop;
use tribunal_engine::Session;
use tribunal_kernel::{Decision, Run};

use super::print_json;
use crate::args::{self, Global};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::opening::{self, Opening};
use crate::progress::Screen;
use crate::project::Project;
use crate::seating::seating;
use crate::{render, trial, views};

/// The command's flags as configuration keys.
pub(super) fn settings(args: &args::Run) -> Vec<(String, String)> {
    let mut settings = args.limits.settings();
    if !args.assets.is_empty() {
        settings.push(("review.assets".into(), args.assets.join(",")));
    }
    let flags = [("run.brief", &args.brief), ("review.max_iterations", &args.max_iterations)];
    settings.extend(flags.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value.clone()?))));
    settings
}

pub(super) async fn run(project: &Project, global: &Global, args: &args::Run) -> Result<Exit, Failure> {
    let config = project.config();
    if config.run.r#loop != Loop::Review {
        return Err(Failure::usage(
            format!("the loop `{}` is not in this version", config.run.r#loop),
            "set `loop = \"review\"` under `[run]`",
        ));
    }
    let assets = &config.review.assets;
    if assets.is_empty() {
        return Err(Failure::usage(
            "there is no asset to work on",
            "name one: `tribunal run description`, or `asset = \"description\"` under `[review]`",
        ));
    }
    let mut openings = Vec::new();
    for asset in assets {
        openings.push((asset.as_str(), opening::find(project, asset).await?));
    }
    if args.plan_only {
        return Ok(super::plan::show(project, global, &openings));
    }

    let screen = Screen::new(global.verbose, global.json);
    let mut results: Vec<Option<Reported>> = Vec::new();
    let mut sessions = Vec::new();
    for (asset, opening) in openings {
        results.push(match opening {
            Opening::Settled { decision, run } => Some(settled(project, &screen, asset, &decision, run.as_deref())?),
            Opening::Continue(run) => {
                let id = run.charter().run;
                screen.say(&format!("{asset}: going on with run {id}"));
                let mut session = Session::open(project.store.clone(), project.clock.clone(), id).await?;
                // The configuration of today counts, as it would for a new run.
                session.resume(Some(opening::limits(project))).await?;
                sessions.push(session);
                None
            }
            Opening::New { .. } => {
                sessions.push(opening::create(project, asset).await?);
                None
            }
        });
    }
    let seating = seating(config, project.root());
    let runs = trial::drive(project, &screen, &seating, sessions).await?;
    let mut runs = runs.iter().map(Reported::of);
    let results: Vec<Reported> = results.into_iter().filter_map(|result| result.or_else(|| runs.next())).collect();
    report(global, &results);
    Ok(Reported::worst(&results))
}

/// What is said of an asset at the end.
pub(super) struct Reported {
    line: String,
    object: Value,
    exit: Exit,
}

impl Reported {
    /// The exit code of several: the worst one counts.
    pub(super) fn worst(results: &[Self]) -> Exit {
        results.iter().map(|result| result.exit).max().unwrap_or(Exit::Pass)
    }

    pub(super) fn of(run: &Run) -> Self {
        let (asset, id) = (run.charter().subject(), run.charter().run);
        let line = match run.end() {
            Some(end) => {
                let rounds = run.rounds().len();
                let rounds = if rounds == 1 { "1 round".to_owned() } else { format!("{rounds} rounds") };
                format!("{asset}: {} ({}), {rounds}, run {id}", end.outcome, end.reason)
            }
            None => format!("{asset}: not over, run {id}"),
        };
        Self { line, object: render::summary(run), exit: trial::exit([run]) }
    }
}

/// Prints the results.
pub(super) fn report(global: &Global, results: &[Reported]) {
    if global.json {
        let exit = Reported::worst(results);
        let runs: Vec<&Value> = results.iter().map(|result| &result.object).collect();
        print_json(&json!({ "runs": runs, "exit": exit.code() }));
    } else {
        for result in results {
            println!("{}", result.line);
        }
    }
}

/// A decision stands. Nobody is called and nothing is written, but for files that a crash kept from being written.
fn settled(
    project: &Project,
    screen: &Screen,
    asset: &str,
    decision: &Decision,
    run: Option<&Run>,
) -> Result<Reported, Failure> {
    let hint = "decided; `tribunal reopen` lifts the lock";
    if let Some(run) = run {
        if tribunal_store::workspace::settled(&project.workspace(), asset)?.is_none() {
            let files = views::write_files(project.layout(), run)?;
            screen.say(&format!("{asset}: wrote {} files that were missing", files.len()));
        }
        screen.say(&format!("{asset}: {hint}"));
        return Ok(Reported::of(run));
    }
    screen.say(&format!("{asset}: {hint}"));
    let outcome = decision.outcome.expect("a settled decision has an outcome");
    let reason = decision.reason.as_deref().unwrap_or("no reason given");
    Ok(Reported {
        line: format!("{asset}: {outcome} ({reason}), decided in the workspace"),
        exit: Exit::from(outcome),
        object: json!({ "asset": asset, "status": outcome, "reason": decision.reason, "decision": decision }),
    })
}
