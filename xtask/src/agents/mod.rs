//! `cargo xtask agents`: real agent command lines take every seat, against a model server of our own.
//!
//! | file | noun |
//! |---|---|
//! | `candidate` | who is tried, and what it needs to find the stub |
//! | `clis` | the command lines: whether they can be had, and where they are |
//! | `island` | a network with nothing but ourselves |
//! | `trial` | one run with one command line in every seat |

mod candidate;
mod clis;
mod island;
mod trial;

use anyhow::{Context, Result, bail};
use std::process::ExitCode;

use crate::args::{Args, Usage};
use crate::repo::Repo;
use candidate::Candidate;
use clis::Clis;
use trial::{LOOPS, Trial};

const HELP: &str = "\
Lets agent command lines take every seat of a review and of a theater, against the stub model server: claude, codex,
gemini and opencode, and the last two again by ACP (gemini-acp, opencode-acp), in the versions of xtask/agents/package-lock.json. Where it is possible (as root, with `unshare`
and `ip`) they run in a network of their own in which there is nothing but the stub.

Usage: cargo xtask agents [NAME]...

Needs node and npm; the command lines are installed into target/agent-clis/ by npm. Where something is missing,
`cargo xtask test` leaves the step out and says so.

Example:
  cargo xtask agents claude
";

/// Says that we are on the island already.
const INSIDE: &str = "--inside";

pub(crate) fn main(mut args: Args) -> Result<ExitCode> {
    if args.wants_help() {
        return Ok(crate::help(HELP));
    }
    let is_inside = args.flag(INSIDE);
    let names = args.names()?;
    let candidates = names.iter().map(|name| {
        Candidate::from_word(name).ok_or_else(|| Usage::new(format!("no agent command line `{name}`")).into())
    });
    let mut candidates: Vec<Candidate> = candidates.collect::<Result<_>>()?;
    if candidates.is_empty() {
        candidates = Candidate::ALL.into();
    }
    let repo = Repo::here()?;
    let clis = match Clis::find(&repo)? {
        Ok(clis) => clis,
        Err(missing) => bail!("{missing}"),
    };
    let passed = if is_inside { sit(&clis, &candidates)? } else { go(&repo, &clis, &candidates)? };
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The step of `test`: nobody has to have node.
pub(crate) fn check(repo: &Repo) -> Result<bool> {
    match Clis::find(repo)? {
        Ok(clis) => go(repo, &clis, &Candidate::ALL),
        Err(missing) => {
            eprintln!("agents: skipped, {missing}");
            Ok(true)
        }
    }
}

/// On an island if there can be one, here otherwise.
fn go(repo: &Repo, clis: &Clis, candidates: &[Candidate]) -> Result<bool> {
    let built = repo.cargo(&["build", "--quiet", "-p", "tribunal-cli"]).status().context("cannot start cargo")?;
    if !built.success() {
        bail!("`tribunal` was not built");
    }
    let names: Vec<&str> = candidates.iter().map(|candidate| candidate.word()).collect();
    if let Some(status) = island::enter(&[&["agents", INSIDE], names.as_slice()].concat())? {
        return Ok(status.success());
    }
    eprintln!("agents: no network of their own can be made here; they run in this one");
    sit(clis, candidates)
}

fn sit(clis: &Clis, candidates: &[Candidate]) -> Result<bool> {
    let mut faults = 0;
    for candidate in candidates {
        for kind in LOOPS {
            let seen = Trial { candidate: *candidate, kind }.hold(clis)?;
            println!("{seen}");
            faults += usize::from(!seen.is_well());
        }
    }
    let said = if faults == 0 { "all of them came to their end".to_owned() } else { format!("{faults} FAILED") };
    println!("agents: {} runs: {said}", candidates.len() * LOOPS.len());
    Ok(faults == 0)
}
