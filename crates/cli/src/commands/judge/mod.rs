//! `tribunal judge`: does a change hold that somebody made?
//!
//! | file | noun |
//! |---|---|
//! | `report` | a judgement as text, and as JSON, SARIF, JUnit, annotations and Markdown |
//! | `hook` | what an agent that says it is done is answered |

mod hook;
mod report;

use serde_json::json;
use tribunal_app::opened::PlaceEnd;
use tribunal_app::project::{Project, SettingText};
use tribunal_app::proof::{ProofRequest, ProofTexts};
use tribunal_app::start::StartRequest;
use tribunal_app::{AppError, Exit, stop, summary};
use tribunal_kernel::Run;
use tribunal_kernel::judge::{Settings, VERIFIER, asked_of, evidence_of};
use tribunal_kernel::loops::RegisteredLoop as _;

use crate::args::{self, Global, JudgeFormat};
use crate::comment;
use crate::progress::Screen;

pub(super) async fn judge(global: &Global, args: &args::Judge) -> Result<Exit, AppError> {
    if let Some(agent) = args.stop_hook {
        return Ok(hook::answer(global, args, agent).await);
    }
    if let Some(agent) = args.session_start {
        return Ok(hook::begin(global, agent).await);
    }
    if let Some(why) = &args.let_go {
        let project = Project::load(&stop::placed(&global.at()).await, Screen::shared(global))?;
        stop::let_go(&project, why).await?;
        project.console.say("the next time an agent stops here, it gets through; `tribunal status` shows it");
        return Ok(Exit::Pass);
    }
    if args.checks.iter().any(|check| check.trim().is_empty()) {
        return Err(AppError::invalid(
            "`--check` names no command",
            "name one: `tribunal judge --check \"python3 -m pytest\"`",
        ));
    }
    let mut settings = settings(args);
    settings.extend(args.range.clone().map(|range| ("judge.range".to_owned(), range)));
    let request = StartRequest {
        r#loop: Some(Settings::KIND),
        again: args.again,
        as_changed: args.use_changed_config,
        settings,
        ..StartRequest::default()
    };
    let start = request.prepare(&global.at(), Screen::shared(global)).await.map_err(|error| as_typed(error, args))?;
    let project = &start.project;
    // Before anything is run: whoever has no key learns it now.
    let key = match &args.prove {
        Some(_) => super::proof::key(project, args.key.as_deref(), false)?,
        None => None,
    };
    let opened = start.open().await?;
    if opened.settled().any(|settled| settled.run.is_some()) {
        project.console.say(Settings::KIND.def().settled_hint);
    }
    let ends = opened.finish(project).await?.into_iter().map(PlaceEnd::into_run);
    let runs: Vec<Run> = ends.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let mut printed = String::new();
    for run in &runs {
        let text = match if global.json { JudgeFormat::Json } else { args.format } {
            JudgeFormat::Text => report::text(run),
            JudgeFormat::Json => {
                let mut object = summary::result(project, run);
                object["evidence"] = json!(evidence_of(run));
                object["asked"] = json!(asked_of(run));
                format!("{object:#}\n")
            }
            JudgeFormat::Sarif => report::sarif(run),
            JudgeFormat::Junit => report::junit(run),
            JudgeFormat::Github => report::github(run),
            // It is read by people, wherever it is put: a name of a file is not to act on their screen.
            JudgeFormat::Markdown => crate::out::visible(&report::markdown(run)).into_owned(),
        };
        printed.push_str(&text);
        for hint in report::hints(run) {
            project.console.say(&hint);
        }
    }
    match &args.output {
        Some(path) => {
            let path = global.dir.clone().unwrap_or_default().join(path);
            tribunal_store::atomic::write(&path, printed.as_bytes())?;
        }
        None if global.json || args.format == JudgeFormat::Json => crate::out::json(printed.trim_end()),
        None if args.format == JudgeFormat::Text => print!("{printed}"),
        None => crate::out::data(&printed),
    }
    if let Some(path) = &args.comment_file {
        let comment: String = runs.iter().map(report::markdown).collect();
        comment::write(global, path, "judge", &comment)?;
    }
    if let (Some(path), [run]) = (&args.prove, runs.as_slice()) {
        let path = global.dir.clone().unwrap_or_default().join(path);
        let name = run.spec().run.to_string();
        let request = ProofRequest { run: Some(&name), key: key.as_deref(), texts: ProofTexts::default() };
        super::proof::write(project, &Global { json: false, ..global.clone() }, request, Some(&path)).await?;
    }
    // Nothing was judged: that is no pass.
    Ok(if runs.is_empty() { Exit::NotPassed } else { Exit::of(&runs) })
}

/// What the flags say of the checks.
fn settings(args: &args::Judge) -> Vec<SettingText> {
    let mut settings = args.limits.settings();
    settings.extend(args.mutants.map(|mutants| ("judge.mutants".to_owned(), mutants.to_string())));
    if !args.checks.is_empty() {
        settings.push(("judge.checks".to_owned(), json!(args.checks).to_string()));
    }
    if !args.may_change.is_empty() {
        settings.push(("judge.may_change".to_owned(), json!(args.may_change).to_string()));
    }
    settings.extend(args.spec.iter().map(|spec| ("judge.spec".to_owned(), spec.display().to_string())));
    if !args.verifiers.is_empty() {
        let seats: Vec<String> = (1..=args.verifiers.len()).map(seat).collect();
        let seated = seats.iter().zip(&args.verifiers);
        settings.extend(seated.map(|(seat, agent)| (format!("seats.{seat}.agent"), agent.clone())));
        settings.push(("judge.verifiers".to_owned(), json!(seats).to_string()));
    }
    settings
}

/// The same in the words of whoever typed the flags: they named agents, and no seats.
fn as_typed(error: AppError, args: &args::Judge) -> AppError {
    let named = (1..).zip(&args.verifiers);
    named.fold(error, |error, (number, _)| error.reworded(&format!("--set seats.{}.agent", seat(number)), "--verifier"))
}

/// The seat of the verifier with this number.
fn seat(number: usize) -> String {
    if number == 1 { VERIFIER.to_owned() } else { format!("{VERIFIER}-{number}") }
}
