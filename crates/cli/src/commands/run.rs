//! `tribunal run`: the trial that tribunal.toml describes.

use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use tribunal_app::opened::{PlaceEnd, Settled};
use tribunal_app::people::{People, named};
use tribunal_app::stale::{self, InputChange};
use tribunal_app::start::StartRequest;
use tribunal_app::{AppError, Exit, Project, adopt, parked, summary, views};
use tribunal_kernel::loops::{Again, LoopFiles};
use tribunal_kernel::{Digest, Run, RunId, Ship};
use tribunal_store::artifacts;

use super::print_json;
use crate::args::{self, Global};
use crate::progress::Screen;
use crate::serve;

/// The name of stdout where a file is asked for.
const STDOUT: &str = "-";

/// What was typed, as a request.
fn request(args: &args::Run) -> StartRequest {
    let mut settings = args.limits.settings();
    settings.extend(args.max_iterations.clone().map(|most| ("review.max_iterations".to_owned(), most)));
    if args.allow_commands {
        settings.push(("joust.allow_commands".to_owned(), "true".to_owned()));
    }
    StartRequest {
        subjects: args.assets.clone(),
        brief: args.brief.clone(),
        attachments: args.attach.clone(),
        anchor: args.anchor.clone(),
        design: args.design.clone(),
        panel: args.panel,
        again: args.again,
        settings,
        ..StartRequest::default()
    }
}

pub(super) async fn run(global: &Global, args: &args::Run) -> Result<Exit, AppError> {
    start(global, request(args), args.plan_only, args.output.as_deref()).await
}

/// Starts what is wanted and drives it to its end, or shows what would be done.
pub(super) async fn start(
    global: &Global,
    request: StartRequest,
    plan_only: bool,
    output: Option<&Path>,
) -> Result<Exit, AppError> {
    let start = request.prepare(&global.at(), Screen::shared(global)).await?;
    let project = &start.project;
    if plan_only {
        return super::plan::show(project, global, &start.openings().await?).await;
    }
    let opened = start.open().await?;
    let mut settled = Vec::new();
    for decided in opened.settled() {
        settled.push(Reported::settled(project, decided).await?);
    }
    for session in &opened.sessions {
        point_to_stage(project, session.run().spec().run).await;
    }
    let ends = opened.finish(project).await?;
    let runs: Vec<&Run> = ends.iter().filter_map(PlaceEnd::run).collect();
    let is_piped = output.is_some_and(|output| output == Path::new(STDOUT));
    let handed_out = match output {
        Some(output) => hand_out(project, output, &runs).await,
        None => Ok(()),
    };
    let offered = offer(project, global, &runs).await;
    let mut settled = settled.into_iter();
    let mut results = Vec::new();
    for end in &ends {
        results.push(match end {
            PlaceEnd::Settled(decided) => match settled.next() {
                Some(told) => told,
                None => Reported::settled(project, decided).await?,
            },
            PlaceEnd::Run(run) => Reported::driven(project, run).await,
            PlaceEnd::Unreadable { subject, why } => Reported::unreadable(subject, why),
        });
    }
    if is_piped {
        // What was handed over is all that is on stdout.
        for result in &results {
            project.console.say(&result.line);
        }
    } else {
        report(global, &results);
    }
    for line in offered {
        project.console.say(&line);
    }
    // How the runs ended is said all the same.
    handed_out?;
    Ok(Reported::worst(&results))
}

/// Where what runs handed over can go, in a line each: pages that somebody gave are not changed unasked.
async fn offer(project: &Project, global: &Global, runs: &[&Run]) -> Vec<String> {
    // The command as it works from where the user is.
    let there =
        global.dir.as_ref().map(|dir| format!(" -C {}", quoted(&dir.display().to_string()))).unwrap_or_default();
    let mut lines = Vec::new();
    for run in runs {
        let Some(path) = adopt::offered(project, run).await else { continue };
        let is_pass = run.end().is_some_and(|end| end.outcome.is_pass());
        let unfinished = if is_pass { "" } else { " --unfinished" };
        let name = if runs.len() == 1 { String::new() } else { format!(" {}", run.spec().subject()) };
        lines.push(format!(
            "{} was not changed: `tribunal{there} adopt{name}{unfinished}` puts this page there",
            path.display()
        ));
    }
    lines
}

/// A word as shells take it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-~+@:".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Says where a run can be watched in a browser, if a server is up.
pub(super) async fn point_to_stage(project: &Project, run: RunId) {
    if let Some(address) = serve::stage_of(project, run).await {
        project.console.say(&format!("watch it at {address}"));
    }
}

/// Copies what a run handed over to where the user wants it. A run that neither passed nor shipped anything has nothing to
/// hand over; its own end says why.
async fn hand_out(project: &Project, output: &Path, runs: &[&Run]) -> Result<(), AppError> {
    let not_written = |why: &str| format!("{} was not written: {why}", output.display());
    let handed_over = |run: &Run| {
        let end = run.end()?;
        if end.ship.is_some() || end.outcome.is_pass() { run.last_work().map(|draft| draft.content) } else { None }
    };
    let works: Vec<Digest> = runs.iter().filter_map(|run| handed_over(run)).collect();
    let [work] = works.as_slice() else {
        // Whoever goes on with that file must not take it for a result.
        if works.is_empty() && !runs.iter().any(|run| run.end().is_some_and(|end| end.outcome.is_pass())) {
            project.console.say(&not_written("nothing was handed over"));
            return Ok(());
        }
        let many = works.len();
        return Err(AppError::environment(
            not_written(&format!("{many} results are there")),
            (many > 1).then(|| "`-o` takes one: name one page or asset".to_owned()),
        ));
    };
    let text = project.text(*work).await.ok_or_else(|| {
        AppError::environment(not_written("its text is missing"), "`tribunal verify` shows details".to_owned())
    })?;
    if output == Path::new(STDOUT) {
        crate::out::data(&text);
        return Ok(());
    }
    tribunal_store::atomic::write(output, text.as_bytes())?;
    project.console.say(&format!("wrote {}", output.display()));
    Ok(())
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

    async fn of(project: &Project, run: &Run) -> Self {
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
            None if awaited.is_empty() => match parked::goes_on(run) {
                Some(when) => format!("{asset}: parked, `tribunal run` continues it {when}, run {id}"),
                None => format!("{asset}: not finished, run {id}"),
            },
            None => format!("{asset}: waiting for a person: {}, run {id}", named(&awaited)),
        };
        let files = summary::report_file(project, run)
            .into_iter()
            .chain(artifacts::shipped(&project.artifacts(run.spec().run), run));
        let mut lines: Vec<String> =
            std::iter::once(line).chain(files.map(|file| format!("  {}", file.display()))).collect();
        let mut object = summary::result(project, run);
        // Whoever keeps where the log ends can tell later whether it was changed. What cannot be read says so elsewhere.
        if let Ok(Some(tip)) = project.store.logs().tip(id).await {
            object["head"] = json!(tip.hash);
            if run.end().is_some() {
                lines.push(format!("  head {}", tip.hash));
            }
        }
        Self { line: lines.join("\n"), object, exit: Exit::of([run]) }
    }

    /// A run that was driven just now. What is announced is there: what its log says is written once more where it is
    /// missing, and what cannot be written is no success.
    pub(super) async fn driven(project: &Project, run: &Run) -> Self {
        let told = Self::of(project, run).await;
        match views::deliver(project, run).await {
            Ok(()) => told,
            Err(why) => told.undelivered(run, &why),
        }
    }

    /// The same of several.
    pub(super) async fn all(project: &Project, runs: &[Run]) -> Vec<Self> {
        let mut told = Vec::new();
        for run in runs {
            told.push(Self::driven(project, run).await);
        }
        told
    }

    /// The same for a run that ended before. Files that all runs of a workspace share stay as they are.
    pub(super) async fn ended(project: &Project, run: &Run) -> Self {
        let told = Self::of(project, run).await;
        match views::restore(project, run).await {
            Ok(()) => told,
            Err(why) => told.undelivered(run, &why),
        }
    }

    fn undelivered(self, run: &Run, why: &AppError) -> Self {
        eprintln!("{why}");
        let Self { line, mut object, exit } = self;
        let (subject, exit) = (run.spec().subject(), exit.max(Exit::Failed));
        object["undelivered"] = json!(why.message());
        object["exit"] = json!(exit.code());
        Self { line: format!("{line}\n{subject}: its files could not be written: {}", why.message()), object, exit }
    }

    /// A run that could not go on.
    pub(super) fn unresumed(run: &Run, why: &AppError) -> Self {
        eprintln!("{why}");
        let (subject, id, exit) = (run.spec().subject(), run.spec().run, Exit::from(why.kind));
        let mut object = summary::summary(run);
        object["not_resumed"] = json!(why.message());
        object["exit"] = json!(exit.code());
        Self { line: format!("{subject}: not resumed: {}, run {id}", why.message()), object, exit }
    }

    /// A run whose log is damaged.
    pub(super) fn unreadable(subject: &str, why: &AppError) -> Self {
        eprintln!("{why}");
        let exit = Exit::from(why.kind).max(Exit::Failed);
        let object = json!({ "asset": subject, "unreadable": why.message(), "exit": exit.code() });
        Self { line: format!("{subject}: cannot be read: {}", why.message()), object, exit }
    }

    /// A decision that was made of something else than what is configured now.
    async fn stale(project: &Project, run: &Run, changes: &[InputChange]) -> Self {
        let (Self { object, exit, .. }, console) = (Self::of(project, run).await, &project.console);
        let (subject, id) = (run.spec().subject(), run.spec().run);
        let outcome = run.end().map_or("decided", |end| end.outcome.as_str());
        let told = stale::told(changes);
        console.say(&format!("{subject}: stale, nobody was called; changed since it was decided: {told}"));
        let kept = match run.spec().def().again {
            Again::Reopen => format!("`tribunal reopen {id} --why \"…\"` continues as it was given"),
            Again::Rerun => format!("`tribunal rerun {id}` starts from what it made"),
        };
        console.say(&format!("hint: `tribunal run --again` starts a new run; {kept}"));
        let exit = exit.max(Exit::NotPassed);
        let mut object = object;
        object["stale"] = changes.iter().map(|change| json!(change.input)).collect();
        object["exit"] = json!(exit.code());
        Self { line: format!("{subject}: stale, {outcome} before these changed: {told}, run {id}"), object, exit }
    }

    /// A decision stands. Nobody is called and nothing is written, but for files that a crash kept from being written.
    async fn settled(project: &Project, settled: &Settled) -> Result<Self, AppError> {
        let Settled { subject, decision, run, changes } = settled;
        let console = &project.console;
        if let Some(run) = run.as_deref() {
            let def = run.spec().kind().def();
            if def.files == LoopFiles::Workspace
                && tribunal_store::workspace::settled(&project.workspace(), subject)?.is_none()
            {
                let files = views::write_files(project, &Arc::new(run.clone())).await?;
                console.say(&format!("{subject}: wrote {} files that were missing", files.len()));
            }
            if changes.is_empty() {
                console.say(&format!("{subject}: {}", def.settled_hint));
                return Ok(Self::ended(project, run).await);
            }
            return Ok(Self::stale(project, run, changes).await);
        }
        let def = project.config().run.r#loop.def();
        if def.files == LoopFiles::Desk {
            console.say(&format!("{subject}: {}", def.settled_hint));
        } else {
            console.say(&format!("{subject}: decided in the workspace, and there is no run of it here"));
            console.say("hint: `tribunal run --again` starts a new run");
        }
        let outcome = decision.outcome.expect("a settled decision has an outcome");
        let reason = decision.reason.as_deref().unwrap_or("no reason given");
        Ok(Self {
            line: format!("{subject}: {outcome} ({reason}), decided in the workspace"),
            exit: Exit::from(outcome),
            object: summary::decided(subject, decision),
        })
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
