//! `tribunal completions`: a script for the shell.

use clap::CommandFactory as _;
use tribunal_app::Exit;

use crate::args::{Args, Completions};

pub(super) fn completions(args: &Completions) -> Exit {
    // It panics when it cannot write: what it writes to cannot fail.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "tribunal", &mut script);
    crate::out::data(&String::from_utf8_lossy(&script));
    Exit::Pass
}
