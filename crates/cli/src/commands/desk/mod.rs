//! `tribunal desk`: a worker and a verifier with fresh contexts, until every story holds.

mod brainstorm;
mod clean;
mod init;
mod logs;
mod sentence;
mod status;

use tribunal_app::start::StartRequest;
use tribunal_app::{AppError, Exit};
use tribunal_kernel::desk;
use tribunal_kernel::loops::RegisteredLoop as _;

use crate::args::{Desk, DeskCommand, Global};

/// The command's flags as configuration keys.
fn settings(command: &DeskCommand) -> Vec<(String, String)> {
    let mut settings = Vec::new();
    if let DeskCommand::Run(args) = command {
        settings = args.limits.settings();
        let flags = [
            ("desk.slug", &args.slug),
            ("desk.max_iter", &args.max_iter),
            ("desk.worker_model", &args.worker_model),
            ("desk.verifier_model", &args.verifier_model),
        ];
        settings.extend(flags.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value.clone()?))));
    }
    if let Some(root) = command.root() {
        settings.push(("desk.root".to_owned(), root.to_owned()));
    }
    settings
}

pub(super) async fn desk(global: &Global, args: Desk) -> Result<Exit, AppError> {
    let Some(command) = args.command else { return sentence::start(global, &args.objective).await };
    let settings = settings(&command);
    if let DeskCommand::Run(args) = &command {
        let request = StartRequest { r#loop: Some(desk::Settings::KIND), settings, ..StartRequest::default() };
        return super::run::start(global, request, args.plan_only, None).await;
    }
    let project = &super::project(global, settings)?;
    match command {
        DeskCommand::Brainstorm(args) => brainstorm::brainstorm(project, global, &args).await,
        DeskCommand::Init(args) => init::init(project, global, &args),
        DeskCommand::Status(args) => status::status(project, global, &args).await,
        DeskCommand::Logs(args) => logs::logs(project, global, &args),
        DeskCommand::Clean(args) => clean::clean(project, global, &args).await,
        DeskCommand::Run(_) => Ok(Exit::Pass),
    }
}
