//! `tribunal agents`: who can be asked here, and what holds them.

mod doctor;
mod list;

use crate::args::{AgentsCommand, Global};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project::Project;

pub(super) async fn agents(project: &Project, global: &Global, command: &AgentsCommand) -> Result<Exit, Failure> {
    match command {
        AgentsCommand::List => Ok(list::list(project, global)),
        AgentsCommand::Doctor => doctor::doctor(project, global).await,
    }
}
