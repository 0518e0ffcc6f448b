//! `cargo xtask agents`: real agent command lines take every seat, against a model server of our own.
//!
//! | file | noun |
//! |---|---|
//! | `candidate` | who is tried, and what it needs to find the stub |
//! | `clis` | the command lines: whether they can be had, and where they are |
//! | `island` | a network with nothing but ourselves |
//! | `listing` | whether a command line takes what `tribunal integrate` writes for it |
//! | `scratch` | a project of its own |
//! | `desk` | one story at a desk, from one sentence |
//! | `stop` | the stop hook in a session: a lie is refused, the truth gets through |
//! | `trial` | one run with one candidate in every seat |
//! | `tokens` | what the stub counted beside what Tribunal read |
//! | `faults` | what becomes of a run when its agent, or the way to its model, is broken |

mod candidate;
mod clis;
mod desk;
mod faults;
mod island;
mod listing;
mod scratch;
mod stop;
mod tokens;
mod trial;

use anyhow::{Result, bail};
use std::process::ExitCode;

use crate::args::{Args, Usage};
use crate::repo::Repo;
use candidate::Candidate;
use clis::Clis;
use desk::DeskTrial;
use stop::StopTrial;
use trial::{LOOPS, Trial};

const HELP: &str = "\
Lets agents take every seat of a review, of a joust and of a theater, against the stub model server: the command lines
claude, codex, gemini, opencode, qwen and copilot with nothing but their name in tribunal.toml, four of them again by ACP
(claude-acp, codex-acp, gemini-acp, opencode-acp), in the versions of xtask/agents/package-lock.json; and models behind HTTP on four wires (http-anthropic, http-openai, http-openai-chat,
http-gemini). Before that, the command lines say what they make of the files that `tribunal integrate` writes. They also finish a story at a desk, with nothing configured but the agent, and claude,
codex, gemini and opencode are refused a false end of their work by their stop hook. Then
everything that can break is broken for each of them. Where it is possible (as root, with `unshare` and
`ip`) they run in a network of their own in which there is nothing but the stub.

Usage: cargo xtask agents [--stop|--faults|--table] [NAME]...

  --stop    only the stop hooks
  --faults  only what breaks
  --table   the same, as the table of docs/faults.md

Needs node and npm; the command lines are installed into target/agent-clis/ by npm. Where something is missing,
`cargo xtask test` leaves the step out and says so.

Examples:
  cargo xtask agents claude
  cargo xtask agents --table > docs/faults.md
";

/// What is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    All,
    Stop,
    Faults,
    Table,
}

impl Part {
    fn flag(self) -> &'static str {
        match self {
            Self::All => "--all",
            Self::Stop => "--stop",
            Self::Faults => "--faults",
            Self::Table => "--table",
        }
    }
}

/// Says that we are on the island already.
const INSIDE: &str = "--inside";

pub(crate) fn main(mut args: Args) -> Result<ExitCode> {
    if args.wants_help() {
        return Ok(crate::help(HELP));
    }
    let is_inside = args.flag(INSIDE);
    let part = if args.flag(Part::Table.flag()) {
        Part::Table
    } else if args.flag(Part::Faults.flag()) {
        Part::Faults
    } else if args.flag(Part::Stop.flag()) {
        Part::Stop
    } else {
        Part::All
    };
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
    let passed = if is_inside { sit(&clis, &candidates, part)? } else { go(&repo, &clis, &candidates, part)? };
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The step of `test`: nobody has to have node.
pub(crate) fn check(repo: &Repo) -> Result<bool> {
    match Clis::find(repo)? {
        Ok(clis) => go(repo, &clis, &Candidate::ALL, Part::All),
        Err(missing) => {
            eprintln!("agents: skipped, {missing}");
            Ok(true)
        }
    }
}

/// On an island if there can be one, here otherwise.
fn go(repo: &Repo, clis: &Clis, candidates: &[Candidate], part: Part) -> Result<bool> {
    repo.build_tribunal()?;
    let names: Vec<&str> = candidates.iter().map(|candidate| candidate.word()).collect();
    let flag = (part != Part::All).then(|| part.flag());
    let args: Vec<&str> = ["agents", INSIDE].into_iter().chain(flag).chain(names).collect();
    if let Some(status) = island::enter(&args)? {
        return Ok(status.success());
    }
    eprintln!("agents: no network of their own can be made here; they run in this one");
    sit(clis, candidates, part)
}

fn sit(clis: &Clis, candidates: &[Candidate], part: Part) -> Result<bool> {
    let mut failed = 0;
    if part == Part::All {
        for listing in candidates.iter().filter_map(|candidate| listing::Listing::of(*candidate)) {
            let unseen = listing.unseen(clis)?;
            println!(
                "{listing}: {}",
                if unseen.is_empty() { "ok".to_owned() } else { format!("FAILED: {}", unseen.join("; ")) }
            );
            failed += usize::from(!unseen.is_empty());
        }
        for (candidate, kind) in candidates.iter().flat_map(|candidate| LOOPS.map(|kind| (*candidate, kind))) {
            let seen = Trial { candidate, kind }.hold(clis)?;
            println!("{seen}");
            failed += usize::from(!seen.is_well());
        }
        let at_desk: Vec<&Candidate> = candidates.iter().filter(|candidate| candidate.works_on_files()).collect();
        for candidate in &at_desk {
            let seen = DeskTrial { candidate: **candidate }.hold(clis)?;
            println!("{seen}");
            failed += usize::from(!seen.is_well());
        }
        let runs = candidates.len() * LOOPS.len() + at_desk.len();
        println!("agents: {runs} runs: {}", said(failed, "all of them came to their end"));
    }
    if matches!(part, Part::All | Part::Stop) {
        let stopping: Vec<StopTrial> = candidates.iter().filter_map(|candidate| StopTrial::of(*candidate)).collect();
        let (count, mut unwell) = (stopping.len(), 0);
        for trial in stopping {
            let seen = trial.hold(clis)?;
            println!("{seen}");
            unwell += usize::from(!seen.is_well());
        }
        println!("agents: {count} stop hooks: {}", said(unwell, "a false end was refused, the true one got through"));
        failed += unwell;
    }
    if part == Part::Stop {
        return Ok(failed == 0);
    }
    let seen = faults::table(clis, candidates)?;
    let unwell: Vec<&faults::Seen> = seen.iter().filter(|one| !one.is_well()).collect();
    if part == Part::Table {
        println!("{}", faults::page(&seen));
        for one in &unwell {
            eprintln!("{one}");
        }
    } else {
        for one in &seen {
            println!("{one}");
        }
        println!("agents: {} faults: {}", seen.len(), said(unwell.len(), "none of them passed, hung or left anything"));
    }
    Ok(failed == 0 && unwell.is_empty())
}

fn said(failed: usize, well: &str) -> String {
    if failed == 0 { well.to_owned() } else { format!("{failed} FAILED") }
}
