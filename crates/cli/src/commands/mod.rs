//! One command a file.

mod adopt;
mod agents;
mod answer;
mod ask;
mod check;
mod clean;
mod completions;
mod config;
mod demo;
mod desk;
mod diff;
mod explain;
mod export;
mod fix;
mod fork;
mod init;
mod integrate;
mod interrupt;
mod judge;
mod log;
mod man;
mod overview;
mod parse;
mod plan;
mod prices;
mod proof;
mod reanchor;
mod reindex;
mod reopen;
mod replay;
mod rerun;
mod resume;
mod run;
mod select;
mod status;
mod steer;
mod verify;

use serde_json::{Value, json};
use std::time::Duration;
use tribunal_app::project::{SettingText, UnreadableRun};
use tribunal_app::{AppError, Exit, Project};
use tribunal_engine::browser::close_kept;

use crate::args::{Args, Command, Global, ReviewCommand};
use crate::progress::Screen;

/// How long a server that is stopping waits for its last answers.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Does what was typed.
pub(crate) fn run(args: Args) -> Result<Exit, AppError> {
    let Args { global, command } = args;
    match command {
        Some(Command::Completions(args)) => return Ok(completions::completions(&args)),
        Some(Command::Demo(args)) => return demo::demo(&global, &args),
        Some(Command::Man(args)) => return man::man(&global, &args),
        Some(Command::Init(args)) => return init::init(&global, args),
        Some(Command::Integrate(args)) => return integrate::integrate(&global, &args),
        Some(Command::Parse(args)) => return parse::parse(&global, &args),
        Some(Command::Explain(args)) => return explain::explain(&global, &args),
        Some(Command::Prices(args)) => return prices::prices(&global, &args),
        _ => {}
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| AppError::environment(format!("cannot start: {error}"), None))?;
    if let Some(Command::Mcp) = command {
        let result = runtime.block_on(crate::mcp::serve(&global));
        runtime.block_on(close_kept());
        // A read of stdin cannot be called off: a client that keeps it open must not keep us.
        runtime.shutdown_timeout(LAST_WORDS);
        return result;
    }
    let project = |settings| project(&global, settings);
    runtime.block_on(async {
        let Some(command) = command else { return overview::overview(&project(vec![])?, &global).await };
        let done = match command {
            Command::Run(args) => run::run(&global, &args).await,
            Command::Plan(args) => run::run(&global, &crate::args::Run { plan_only: true, ..args }).await,
            Command::Resume(args) => resume::resume(&project(args.limits.settings())?, &global, &args).await,
            Command::Rerun(args) => rerun::rerun(&project(rerun::settings(&args))?, &global, &args).await,
            Command::Fork(args) => Box::pin(fork::fork(&project(vec![])?, &global, &args)).await,
            Command::Replay(args) => replay::replay(&project(vec![])?, &global, &args).await,
            Command::Status(args) => status::status(&project(vec![])?, &global, &args).await,
            Command::Watch(args) => log::watch(&project(vec![])?, &global, &args).await,
            Command::Log(args) => log::log(&project(vec![])?, &global, &args).await,
            Command::Diff(args) => diff::diff(&project(vec![])?, &global, &args).await,
            Command::Export(args) => export::export(&project(vec![])?, &global, &args).await,
            Command::Verify(args) => Box::pin(verify::verify(&global, &args)).await,
            Command::Proof(args) => Box::pin(proof::proof(&project(vec![])?, &global, &args)).await,
            Command::Judge(args) => Box::pin(judge::judge(&global, &args)).await,
            Command::Interrupt(args) => interrupt::interrupt(&project(vec![])?, &global, &args).await,
            Command::Reanchor(args) => reanchor::reanchor(&project(vec![])?, &global, &args).await,
            Command::Desk(command) => Box::pin(desk::desk(&global, command)).await,
            Command::Adopt(args) => adopt::adopt(&project(vec![])?, &global, &args).await,
            Command::Agents(command) => Box::pin(agents::agents(&project(vec![])?, &global, &command)).await,
            Command::Ask(args) => ask::ask(&project(vec![])?, &global, &args).await,
            Command::Answer(args) => Box::pin(answer::answer(&project(vec![])?, &global, &args)).await,
            Command::Steer(args) => steer::steer(&project(vec![])?, &global, &args).await,
            Command::Reopen(args) => reopen::reopen(&project(vec![])?, &global, &args).await,
            Command::Review(ReviewCommand::Select(args)) => select::select(&project(vec![])?, &global, &args).await,
            Command::Clean(args) => clean::clean(&project(vec![])?, &global, &args).await,
            Command::Reindex => reindex::reindex(&project(vec![])?, &global).await,
            Command::Serve(args) => Box::pin(crate::serve::serve(&global, &args)).await,
            Command::Config => Ok(config::config(&project(vec![])?, &global)),
            Command::Fix(args) => Box::pin(fix::fix(&project(vec![])?, &global, &args)).await,
            Command::Check(args) => Box::pin(check::check(&project(vec![])?, &global, &args)).await,
            Command::Completions(_)
            | Command::Demo(_)
            | Command::Explain(_)
            | Command::Init(_)
            | Command::Integrate(_)
            | Command::Man(_)
            | Command::Parse(_)
            | Command::Prices(_)
            | Command::Mcp => Ok(Exit::Pass),
        };
        // Nothing of a browser outlives the command that looked at pages with it.
        close_kept().await;
        done
    })
}

/// Prints an object on stdout.
fn print_json(value: &Value) {
    crate::out::json(&format!("{value:#}"));
}

/// A run that nobody can read, for programs.
pub(crate) fn unreadable_run(damaged: &UnreadableRun) -> Value {
    json!({ "run": damaged.run, "unreadable": damaged.why.message() })
}

/// The same for people.
fn warn_of(damaged: &UnreadableRun) {
    let UnreadableRun { run, why } = damaged;
    let hint = why.hint().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    eprintln!(
        "warning: run {run} cannot be read: {}{hint}\nhint: `tribunal verify {run}` says where it is damaged",
        why.message()
    );
}

/// The project we are in, with the command's flags as settings.
fn project(global: &Global, settings: Vec<SettingText>) -> Result<Project, AppError> {
    Project::load(&global.at().with(settings), Screen::shared(global))
}
