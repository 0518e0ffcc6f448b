//! `cargo xtask …`: what a contributor runs besides cargo itself.
//!
//! | file | noun |
//! |---|---|
//! | `args` | what was typed |
//! | `repo` | the repository: its root, its files, its binaries |
//! | `node`, `chromium` | what is not ours: whether it is there, and how it is had |
//! | `step` | one command of `test`, shown while it runs, timed |
//! | `test` | `cargo xtask test`: everything that must hold |
//! | `agents/` | `cargo xtask agents`: real agent command lines in every seat |
//! | `model/` | `cargo xtask model`: a small real model in every seat |
//! | `agreement/` | `cargo xtask agreement`: our measurements beside axe-core in Chromium |
//! | `corpus/` | `cargo xtask corpus`: pages that nobody here wrote, from packages of the registries |
//! | `web` | `cargo xtask web`: what must hold of the page |
//! | `kills/` | `cargo xtask kills`: leaders that are killed at any moment, and started again |
//! | `sim` | `cargo xtask sim`: whole runs from seeds |
//! | `truth/` | `cargo xtask truth`: lies and honest runs through the real binary |
//! | `codegen/` | `cargo xtask codegen`: files that are made from code |
//! | `dist/` | `cargo xtask dist`: packages of a release, each of them tried |
//! | `tidy/` | `cargo xtask tidy`: rules of the repository, one a file |
//! | `announced` | what a server of ours says when it answers |
//! | `bench/` | `cargo xtask bench`: measures against their targets, one a file |
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

mod agents;
mod agreement;
mod announced;
mod args;
mod bench;
mod chromium;
mod codegen;
mod corpus;
mod dist;
mod kills;
mod model;
mod node;
mod repo;
mod sandbox;
mod sim;
mod step;
mod test;
mod tidy;
mod truth;
mod web;

use std::process::ExitCode;

use args::{Args, Usage};

const HELP: &str = "\
Usage: cargo xtask <COMMAND>

Commands:
  test     Everything that must hold: format, lints, tests, generated files, rules of the repository
  agreement
           Compares our measurements with those of axe-core in Chromium
  corpus   Gathers pages from packages of the registries, for `agreement --corpus`
  agents   Lets real agent command lines take every seat, against the stub model server
  model    Lets a small real model take every seat: nothing may converge on garbage
  web      What must hold of the page: types, tests, the build that is embedded, its weight
  sim      Plays whole runs from seeds, with trouble at every event
  kills    Kills whoever leads runs at any moment and starts them again: nothing may be lost or done twice
  truth    Plays lies and honest runs through the real binary: no lie may pass, nobody honest may be held up
  codegen  Writes the files that are made from code, or checks them
  tidy     Checks the rules of the repository
  dist     Makes the packages of a release, and tries each of them
  bench    Measures against the targets of the design

`cargo xtask <COMMAND> --help` says more.
Exit codes: 0 all is well, 1 something does not hold, 2 wrong usage.
";

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let command = words.next().unwrap_or_default();
    let args = Args::new(words);
    let result = match command.as_str() {
        "test" => test::main(args),
        "agents" => agents::main(args),
        "model" => model::main(args),
        "agreement" => agreement::main(args),
        "corpus" => corpus::main(args),
        "web" => web::main(args),
        "sim" => sim::main(args),
        "kills" => kills::main(args),
        "truth" => truth::main(args),
        "codegen" => codegen::main(args),
        "tidy" => tidy::main(args),
        "dist" => dist::main(args),
        "bench" => bench::main(args),
        "help" | "--help" | "-h" => Ok(help(HELP)),
        "" => Err(Usage::new("no command").into()),
        other => Err(Usage::new(format!("no command `{other}`")).into()),
    };
    match result {
        Ok(code) => code,
        Err(error) if error.is::<Usage>() => {
            let of = if error.to_string().starts_with("no command") { String::new() } else { format!("{command} ") };
            eprintln!("error: {error:#}\nhint: cargo xtask {of}--help");
            ExitCode::from(2)
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a command's help.
fn help(text: &str) -> ExitCode {
    print!("{text}");
    ExitCode::SUCCESS
}
