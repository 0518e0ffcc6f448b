//! `tribunal agents`: who can be asked here, and what holds them.

mod conformance;
mod controls;
mod doctor;
mod list;

use tribunal_app::{AppError, Exit, Project};

use crate::args::{AgentsCommand, Global};

pub(super) async fn agents(project: &Project, global: &Global, command: &AgentsCommand) -> Result<Exit, AppError> {
    match command {
        AgentsCommand::List => list::list(project, global).await,
        AgentsCommand::Doctor(args) => Box::pin(doctor::doctor(project, global, args)).await,
        AgentsCommand::Controls(args) => controls::controls(project, global, args).await,
        AgentsCommand::Conformance(args) => conformance::conformance(project, global, args).await,
    }
}
