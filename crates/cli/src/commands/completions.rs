//! `tribunal completions`: a script for the shell.

use clap::CommandFactory as _;
use tribunal_app::Exit;

use crate::args::{Args, Completions};

pub(super) fn completions(args: &Completions) -> Exit {
    clap_complete::generate(args.shell, &mut Args::command(), "tribunal", &mut std::io::stdout());
    Exit::Pass
}
