//! `tribunal`: the command line. The only place that prints and exits.
//!
//! stdout carries the result and nothing else; progress, notes and errors go to stderr.
//!
//! | file | noun |
//! |---|---|
//! | `args` | what can be typed |
//! | `commands/` | one command a file |
//! | `project` | the folder we are in: configuration, store, index |
//! | `opening/` | a run for an asset: a new one, one to go on with, or none because it is decided |
//! | `person/` | people in seats: who is awaited, what they are asked, whether what they say fits |
//! | `seating` | configured agents made ready |
//! | `programs` | programs on this machine |
//! | `checking` | pages measured, or held against an anchor |
//! | `mcp/` | the same for agents: a server of the Model Context Protocol |
//! | `serve/` | the same for people: the web page and its API |
//! | `bench` | runs that are driven while something else is answered |
//! | `petition` | what somebody who is not at the command line wants to be started |
//! | `fence` | paths that others give: inside of the project, or refused |
//! | `trial` | driving runs to their end, with signals and requests |
//! | `views` | files and index that follow the log |
//! | `progress`, `lanes` | what a person sees meanwhile |
//! | `render` | entries and runs as text and JSON |
//! | `exit`, `failure` | exit codes; errors with hints |
//! | `out` | what is printed, to readers who may be gone |

// Before `out`: its stdout is the protocol's, and clippy knows only the `println!` of the standard library.
mod mcp;

#[macro_use]
mod out;

mod accounts;
mod args;
mod bench;
mod checking;
mod commands;
mod consult;
mod exit;
mod failure;
mod fence;
mod grading;
mod lanes;
mod opening;
mod person;
mod petition;
mod programs;
mod progress;
mod project;
mod render;
mod seating;
mod serve;
mod trial;
mod views;

use args::Command;
use clap::Parser as _;
use std::process::ExitCode;
use tribunal_engine::sandbox;

/// What a shell says of a program that cannot be run.
const CANNOT_RUN: u8 = 126;

fn main() -> ExitCode {
    // What is started in a sandbox is this program first; it becomes the other one when it has confined itself.
    if std::env::args_os().nth(1).is_some_and(|word| word == sandbox::CONFINE) {
        eprintln!("error: {}", sandbox::enter_and_exec(std::env::args_os().skip(2)));
        return ExitCode::from(CANNOT_RUN);
    }
    let args = args::Args::parse();
    if only_shows(&args.command) {
        out::end_with_reader();
    }
    let exit = commands::run(args).unwrap_or_else(|failure| {
        eprintln!("{failure}");
        failure.exit
    });
    out::exit(exit).into()
}

/// Whether a command does nothing but show something, for as long as somebody looks.
fn only_shows(command: &Command) -> bool {
    matches!(command, Command::Log(_) | Command::Watch(_) | Command::Replay(_) | Command::Parse(_))
}
