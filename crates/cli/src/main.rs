//! `tribunal`: the command line. The only place that prints and exits; what it does is done by `tribunal_app`.
//!
//! stdout carries the result and nothing else; progress, notes and errors go to stderr.
//!
//! | file | noun |
//! |---|---|
//! | `args` | what can be typed |
//! | `commands/` | one command a file |
//! | `mcp/` | the same for agents: a server of the Model Context Protocol |
//! | `serve/` | the same for people: the web page and its API |
//! | `comment` | a result for a comment on a pull request |
//! | `prompter` | asking a person at the terminal |
//! | `progress`, `lanes` | what a person sees meanwhile |
//! | `render` | entries as text |
//! | `size` | bytes as people read them |
//! | `out` | what is printed, to readers who may be gone |

// Before `out`: its stdout is the protocol's, and clippy knows only the `println!` of the standard library.
mod mcp;

#[macro_use]
mod out;

mod args;
mod commands;
mod comment;
mod joust_lines;
mod lanes;
mod live_lines;
mod progress;
mod prompter;
mod render;
mod serve;
mod size;

use args::Command;
use std::process::ExitCode;
use tribunal_app::Exit;
use tribunal_engine::sandbox;

/// What a shell says of a program that cannot be run.
const CANNOT_RUN: u8 = 126;

fn main() -> ExitCode {
    // What is started in a sandbox is this program first; it becomes the other one when it has confined itself.
    if std::env::args_os().nth(1).is_some_and(|word| word == sandbox::CONFINE) {
        eprintln!("error: {}", sandbox::enter_and_exec(std::env::args_os().skip(2)));
        return ExitCode::from(CANNOT_RUN);
    }
    let args = args::Args::read();
    if args.command.as_ref().is_some_and(only_shows) {
        out::end_with_reader();
    }
    let exit = commands::run(args).unwrap_or_else(|error| {
        eprintln!("{error}");
        Exit::from(error.kind)
    });
    out::exit(exit).into()
}

/// Whether a command does nothing but show something, for as long as somebody looks.
fn only_shows(command: &Command) -> bool {
    matches!(command, Command::Log(_) | Command::Watch(_) | Command::Replay(_) | Command::Parse(_))
}
