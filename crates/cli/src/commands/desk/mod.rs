//! `tribunal desk`: a worker and a verifier with fresh contexts, until every story holds.

mod answers;
mod brainstorm;
mod clean;
mod files;
mod init;
mod logs;
mod status;

use crate::args::{self, DeskCommand, Global};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project::Project;

/// The command's flags as configuration keys.
pub(super) fn settings(command: &DeskCommand) -> Vec<(String, String)> {
    let mut settings = Vec::new();
    if let DeskCommand::Run(args) = command {
        settings = args.limits.settings();
        settings.push(("run.loop".to_owned(), "desk".to_owned()));
        settings.push(("desk.slug".to_owned(), args.slug.clone()));
        let flags = [
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

pub(super) async fn desk(project: &Project, global: &Global, command: DeskCommand) -> Result<Exit, Failure> {
    match command {
        DeskCommand::Brainstorm(args) => brainstorm::brainstorm(project, global, &args).await,
        DeskCommand::Init(args) => init::init(project, global, &args),
        DeskCommand::Run(args) => {
            let plain = args::Run { plan_only: args.plan_only, ..args::Run::default() };
            super::run::run(project, global, &plain).await
        }
        DeskCommand::Status(args) => status::status(project, global, &args).await,
        DeskCommand::Logs(args) => logs::logs(project, global, &args),
        DeskCommand::Clean(args) => clean::clean(project, global, &args),
    }
}
