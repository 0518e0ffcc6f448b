//! `tribunal run`: the trial that tribunal.toml describes.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tribunal_config::Loop;
use tribunal_engine::Session;
use tribunal_kernel::desk::desk_of;
use tribunal_kernel::{Decision, LoopKind, Run, RunId, RunSpec, Ship};
use tribunal_store::artifacts;
use tribunal_store::desk::DeskFiles;

use super::print_json;
use crate::args::{self, Global};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::opening::theater::Source;
use crate::opening::{self, Opening, allowance};
use crate::person::{People, named};
use crate::progress::Screen;
use crate::project::Project;
use crate::{grading, render, serve, trial, views};

/// The command's flags as configuration keys.
pub(crate) fn settings(global: &Global, args: &args::Run) -> Result<Vec<(String, String)>, Failure> {
    let mut settings = args.limits.settings();
    let files = sources(global, args);
    // No asset has such a name: a file is meant.
    if let (true, Some(name)) = (files.is_empty(), args.assets.iter().find(|name| name.contains(['.', '/']))) {
        return Err(no_source(name));
    }
    if !files.is_empty() {
        settings.push(("run.loop".into(), Loop::Theater.to_string()));
    } else if !args.assets.is_empty() {
        settings.push(("review.assets".into(), args.assets.join(",")));
    }
    let flags = [
        ("run.brief", &args.brief),
        ("run.anchor", &args.anchor),
        ("review.max_iterations", &args.max_iterations),
        ("theater.design", &args.design),
    ];
    settings.extend(flags.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value.clone()?))));
    Ok(settings)
}

pub(super) async fn run(project: &Project, global: &Global, args: &args::Run) -> Result<Exit, Failure> {
    let screen = Screen::new(global.verbose, global.json);
    if args.plan_only {
        return super::plan::show(project, global, &openings(project, global, args).await?);
    }
    let Docket { results, sessions } = docket(project, &screen, global, args).await?;
    for session in &sessions {
        point_to_stage(project, &screen, session.run().spec().run);
    }
    let runs = trial::drive(project, &screen, sessions).await?;
    if let Some(output) = &args.output {
        hand_out(project, &screen, output, &runs)?;
    }
    let mut runs = runs.iter().map(|run| Reported::of(project, run));
    let results: Vec<Reported> = results.into_iter().filter_map(|result| result.or_else(|| runs.next())).collect();
    report(global, &results);
    Ok(Reported::worst(&results))
}

/// Says where a run can be watched in a browser, if a server is up.
pub(super) fn point_to_stage(project: &Project, screen: &Screen, run: RunId) {
    if let Some(address) = serve::stage_of(project, run) {
        screen.say(&format!("on stage: {address}"));
    }
}

/// What is to be driven, and what is said of the rest.
pub(crate) struct Docket {
    /// One an asset; nothing where a session is to be driven, in the same order.
    pub(crate) results: Vec<Option<Reported>>,
    pub(crate) sessions: Vec<Session>,
}

/// Opens a run for everything that is not decided yet.
pub(crate) async fn docket(
    project: &Project,
    screen: &Screen,
    global: &Global,
    args: &args::Run,
) -> Result<Docket, Failure> {
    let mut openings = openings(project, global, args).await?;
    give_up_lost(project, screen, global, args, &mut openings).await?;
    let mut results: Vec<Option<Reported>> = Vec::new();
    let mut sessions = Vec::new();
    for (asset, opening) in openings {
        results.push(match opening {
            Opening::Settled { decision, run } => Some(settled(project, screen, &asset, &decision, run.as_deref())?),
            Opening::Continue(run) => {
                let id = run.spec().run;
                screen.say(&format!("{asset}: going on with run {id}"));
                let mut session = Session::open(project.store.clone(), project.clock.clone(), id).await?;
                // The configuration of today counts, as it would for a new run.
                session.resume(Some(allowance::limits_of(project, run.spec().kind())?)).await?;
                sessions.push(session);
                None
            }
            Opening::New { spec, texts } => {
                raise_banner(screen, &spec);
                let unpriced = allowance::unpriced(project, &spec);
                if !unpriced.is_empty() {
                    screen.say(&format!(
                        "{asset}: nobody knows what {} costs, so `limits.usd` cannot hold for it: set `[prices.MODEL]` or the \
                         agent's `reserve_usd`",
                        unpriced.join(", ")
                    ));
                }
                sessions.push(opening::create(project, *spec, &texts).await?);
                None
            }
        });
    }
    Ok(Docket { results, sessions })
}

/// Says that there is no trial because an agent is marked.
pub(super) fn raise_banner(screen: &Screen, spec: &RunSpec) {
    for line in [grading::banner(spec), grading::remedy(spec)].into_iter().flatten() {
        screen.say(&line);
    }
}

fn no_source(name: &str) -> Failure {
    Failure::usage(
        format!("`{name}` is not a page or a text to start from"),
        "name HTML or Markdown files that exist, all of them files, or none",
    )
}

/// The files among the arguments: what is one of them is not the name of an asset.
fn sources(global: &Global, args: &args::Run) -> Vec<PathBuf> {
    let dir = global.dir.clone().unwrap_or_default();
    let files: Vec<PathBuf> = args.assets.iter().map(|name| dir.join(name)).collect();
    if files.iter().all(|file| Source::is_one(file)) { files } else { Vec::new() }
}

/// What there is to do, by what it is about.
async fn openings(project: &Project, global: &Global, args: &args::Run) -> Result<Vec<(String, Opening)>, Failure> {
    let config = project.config();
    match config.run.r#loop {
        Loop::Review => {
            let assets = &config.review.assets;
            if assets.is_empty() {
                return Err(Failure::usage(
                    "there is no asset to work on",
                    "name one: `tribunal run description`, or `asset = \"description\"` under `[review]`; or a page: \
                     `tribunal run page.html`",
                ));
            }
            let mut openings = Vec::new();
            for asset in assets {
                openings.push((asset.clone(), opening::review::find(project, asset).await?));
            }
            Ok(openings)
        }
        Loop::Theater => {
            let files = sources(global, args);
            if let (true, Some(name)) = (files.is_empty(), args.assets.first()) {
                return Err(no_source(name));
            }
            let mut sources: Vec<Option<&Path>> = files.iter().map(|file| Some(file.as_path())).collect();
            if sources.is_empty() {
                sources.push(None);
            }
            let mut openings = Vec::new();
            for source in sources {
                let opening = opening::theater::find(project, args.panel, source).await?;
                let subject = match &opening {
                    Opening::Settled { run: Some(run), .. } | Opening::Continue(run) => run.spec().subject().to_owned(),
                    Opening::Settled { run: None, .. } => String::new(),
                    Opening::New { spec, .. } => spec.subject().to_owned(),
                };
                openings.push((subject, opening));
            }
            Ok(openings)
        }
        Loop::Joust => {
            let opening = opening::joust::find(project).await?;
            Ok(vec![(project.config().joust.name.clone(), opening)])
        }
        Loop::Desk => {
            let (slug, opening) = opening::desk::find(project).await?;
            Ok(vec![(slug, opening)])
        }
    }
}

/// A panel that spoke in one stream when its process was killed cannot go on: it is closed with what it had
/// completed, and the trial starts anew.
async fn give_up_lost(
    project: &Project,
    screen: &Screen,
    global: &Global,
    args: &args::Run,
    openings: &mut Vec<(String, Opening)>,
) -> Result<(), Failure> {
    let lost = |opening: &Opening| match opening {
        Opening::Continue(run) => {
            let trial = run.spec().trial();
            run.in_flight().any(|turn| !trial.is_repeatable(turn)).then(|| run.spec().run)
        }
        Opening::Settled { .. } | Opening::New { .. } => None,
    };
    let Some(id) = openings.iter().find_map(|(_, opening)| lost(opening)) else { return Ok(()) };
    let session = Session::open(project.store.clone(), project.clock.clone(), id).await?;
    trial::drive(project, screen, vec![session]).await?;
    screen.say(&format!("run {id} was cut short and cannot go on; its completed rounds are kept"));
    *openings = self::openings(project, global, args).await?;
    Ok(())
}

/// Copies what a run handed over to where the user wants it.
fn hand_out(project: &Project, screen: &Screen, output: &Path, runs: &[Run]) -> Result<(), Failure> {
    let ships: Vec<&Ship> = runs.iter().filter_map(|run| run.end()?.ship.as_deref()).collect();
    let [ship] = ships.as_slice() else {
        screen.say(&format!("{} was not written: {} artifacts were handed over", output.display(), ships.len()));
        return Ok(());
    };
    let text = project
        .text(ship.draft.content)
        .ok_or_else(|| Failure::environment("the artifact is missing", Some("`tribunal verify` says more".into())))?;
    tribunal_store::atomic::write(output, text.as_bytes())?;
    screen.say(&format!("wrote {}", output.display()));
    Ok(())
}

/// What is said of an asset at the end.
pub(crate) struct Reported {
    line: String,
    pub(crate) object: Value,
    exit: Exit,
}

impl Reported {
    /// The exit code of several: the worst one counts.
    pub(super) fn worst(results: &[Self]) -> Exit {
        results.iter().map(|result| result.exit).max().unwrap_or(Exit::Pass)
    }

    pub(crate) fn of(project: &Project, run: &Run) -> Self {
        let (asset, id) = (run.spec().subject(), run.spec().run);
        let people = People::of(project.config());
        let awaited = people.awaited(run);
        let line = match run.end() {
            Some(end) => {
                let rounds = run.rounds().len();
                let rounds = if rounds == 1 { "1 round".to_owned() } else { format!("{rounds} rounds") };
                let with = match end.ship.as_deref() {
                    Some(Ship { round, composite: Some(composite), .. }) => format!(", round {round} with {composite}"),
                    _ => String::new(),
                };
                format!("{asset}: {} ({}), {rounds}{with}, run {id}", end.outcome, end.reason)
            }
            None if awaited.is_empty() => format!("{asset}: not over, run {id}"),
            None => format!("{asset}: waiting for a person: {}, run {id}", named(&awaited)),
        };
        let mut object = render::awaiting(render::summary(run), run, &people);
        let mut lines = vec![line];
        if let Some(settings) = desk_of(run.spec()).filter(|_| run.end().is_some()) {
            let files = DeskFiles::new(&run.spec().workspace, &settings.root, &settings.slug);
            let report = files.path(&files.report());
            object["report"] = json!(report);
            lines.push(format!("  {}", report.display()));
        }
        if let Some(file) = artifacts::shipped(project.layout(), run) {
            object["artifact_file"] = json!(file);
            lines.push(format!("  {}", file.display()));
        }
        Self { line: lines.join("\n"), object, exit: trial::exit([run]) }
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
        let is_review = run.spec().kind() == LoopKind::Review;
        if is_review && tribunal_store::workspace::settled(&project.workspace(), asset)?.is_none() {
            let files = views::write_files(project.layout(), run)?;
            screen.say(&format!("{asset}: wrote {} files that were missing", files.len()));
        }
        let hint = match run.spec().kind() {
            LoopKind::Review | LoopKind::Joust => hint,
            LoopKind::Desk => "there is a sentinel; `tribunal desk clean` makes it ready for another run",
            LoopKind::Theater => "passed already; `tribunal rerun` tries it anew",
        };
        screen.say(&format!("{asset}: {hint}"));
        return Ok(Reported::of(project, run));
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
