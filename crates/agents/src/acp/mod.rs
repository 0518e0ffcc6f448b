//! `kind = "acp"`: any program that speaks the Agent Client Protocol on its stdin and stdout.
//!
//! | file | noun |
//! |---|---|
//! | `talk` | the conversation of one turn, from the greeting to the reason why it stopped |
//! | `intake` | the lines of a program, without those that are no messages |
//! | `heard` | what the agent says on the way: text, tools |
//! | `meter` | what it says that the turn took, in every place where agents say it |
//! | `permission` | what an agent may do that asks first |
//! | `model` | the request that chooses a model, if the agent takes one |
//! | `mishap` | what a refusal or the end of the line means for the turn |
//! | `usual` | what programs find in their environment that nobody configured |
//!
//! One turn is one process and one session. We offer neither our files nor a terminal: an agent that needs them uses
//! its own, within its sandbox where the turn has one.

mod heard;
mod intake;
mod meter;
mod mishap;
mod model;
mod permission;
mod talk;
mod usual;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::adapter::{Answering, Dialogue, Invocation, Pipes, Show};
use crate::cli::NETWORK;
use crate::{Environment, TurnRequest};

/// A program that speaks ACP.
#[derive(Debug, Clone)]
pub struct Acp {
    /// Its name in the configuration.
    pub name: String,
    pub program: String,
    pub args: Vec<String>,
    /// The folder it works in.
    pub cwd: PathBuf,
    /// Variables it may see besides the usual ones.
    pub env: Vec<String>,
}

impl Dialogue for Acp {
    fn invocation(&self, request: &TurnRequest, environment: &Environment) -> Invocation {
        let allowed: Vec<String> = NETWORK.iter().map(|name| (*name).to_owned()).chain(self.env.clone()).collect();
        let mut env: BTreeMap<String, String> = environment.select(&allowed, request).into_iter().collect();
        usual::set(&mut env);
        Invocation {
            program: self.program.clone(),
            args: self.args.clone(),
            env: env.into_iter().collect(),
            cwd: self.cwd.clone(),
            stdin: String::new(),
        }
    }

    fn converse<'a>(&'a self, request: TurnRequest, pipes: Pipes, show: Show<'a>) -> Answering<'a> {
        Box::pin(async move {
            let works = request.works_on_files;
            talk::hold(&self.name, works, request, pipes, show).await
        })
    }
}
