//! `cargo xtask truth`: lies and honest runs through the real binary. No lie may pass, and nobody honest may be held up.
//!
//! | file | noun |
//! |---|---|
//! | `case` | a file of `testdata/truth`: what is played, and how it must end |
//! | `merge` | what a family has in common, under what a case says itself |
//! | `stage` | a folder of its own, with the project and its scripted agents |
//! | `end` | what a run came to: caught, shipped, passed, held up, or something else |
//! | `table` | all of them, family by family |

mod case;
mod end;
mod merge;
mod stage;
mod table;

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use crate::args::{Args, Usage};
use crate::repo::Repo;
use case::Case;
use end::End;
use stage::Stage;

const HELP: &str = "\
Plays the lies and the honest runs of testdata/truth through the real binary: judges, creators, linters, panels, streams and
anchors in reviews, jousts, theaters and `tribunal check`; workers and verifiers at desks. Fails when a lie ships, an honest
run is held up, or files of the user's are changed.

Usage: cargo xtask truth [--tribunal FILE] [--sandbox NAME] [--verbose] [--keep] [NAME]...

  NAME             only cases whose name has it in it: `joust`, `lie-`, `joust/lie-quotes`
  --tribunal FILE  that binary, instead of the one that is built from what is here
  --sandbox NAME   that sandbox in every run: bubblewrap, landlock, none; by default the strongest that works here
  --verbose        what was printed where it went wrong; with a NAME, also a line for every case
  --keep           keeps the folders of the cases that went wrong, and says where they are

Needs python3: the scripted agents are testdata/truth/agents. testdata/truth/README.md says how a case is written.

Examples:
  cargo xtask truth
  cargo xtask truth --verbose panel/honest
";

/// What is asked of the command.
#[derive(Debug, Default)]
struct Wanted {
    names: Vec<String>,
    is_verbose: bool,
    is_kept: bool,
    sandbox: Option<String>,
}

/// A case that was played.
struct Played {
    case: Case,
    end: End,
}

pub(crate) fn main(mut args: Args) -> Result<ExitCode> {
    if args.wants_help() {
        return Ok(crate::help(HELP));
    }
    let tribunal = args.option("--tribunal")?.map(PathBuf::from);
    let (is_verbose, is_kept) = (args.flag("--verbose"), args.flag("--keep"));
    let sandbox = args.option("--sandbox")?;
    let wanted = Wanted { names: args.names()?, is_verbose, is_kept, sandbox };
    let repo = Repo::here()?;
    let tribunal = match tribunal {
        Some(file) => file.canonicalize().with_context(|| format!("cannot find {}", file.display()))?,
        None => repo.build_tribunal()?,
    };
    let holds = hold(&repo, &tribunal, &wanted)?;
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The step of `test`.
pub(crate) fn check(repo: &Repo) -> Result<bool> {
    hold(repo, &repo.build_tribunal()?, &Wanted { is_verbose: true, ..Wanted::default() })
}

fn hold(repo: &Repo, tribunal: &Path, wanted: &Wanted) -> Result<bool> {
    let begun = Instant::now();
    let mut cases = case::all(repo)?;
    cases.retain(|case| wanted.names.is_empty() || wanted.names.iter().any(|name| case.name.contains(name)));
    if cases.is_empty() {
        return Err(Usage::new("no case has such a name").into());
    }
    let all = cases.len();
    if wanted.sandbox.as_deref() == Some("none") {
        cases.retain(|case| !case.script.needs_sandbox);
    }
    let unplayed = all - cases.len();
    let agents = repo.root().join(case::FOLDER).join("agents");
    let (python, toolchain) = (python()?, toolchain());
    let stage = Stage {
        tribunal,
        python: &python,
        agents: &agents,
        toolchain: toolchain.as_deref(),
        sandbox: wanted.sandbox.as_deref(),
    };
    let mut played = play(&cases, &stage, wanted)?;
    played.sort_by(|one, other| one.case.name.cmp(&other.case.name));
    let is_shown = |one: &&Played| !one.end.word.is_well() || (wanted.is_verbose && !wanted.names.is_empty());
    for Played { case, end } in played.iter().filter(is_shown) {
        println!("{:9} {}: {}", end.word.as_str(), case.name, case.sentence);
        if wanted.is_verbose && !end.word.is_well() {
            println!("{}", end.told());
        }
    }
    let ends = played.iter().map(|one| (one.case.family.as_str(), one.case.is_lie, one.end.word));
    print!("{}", table::of(ends));
    let unwell = played.iter().filter(|one| !one.end.word.is_well()).count();
    let said =
        if unwell == 0 { "no lie passed, nobody honest was held up".to_owned() } else { format!("{unwell} FAILED") };
    if unplayed > 0 {
        println!("truth: {unplayed} cases need a sandbox and were not played");
    }
    println!("truth: {} runs: {said}, {:.1} s", played.len(), begun.elapsed().as_secs_f64());
    Ok(unwell == 0)
}

/// Plays all cases, as many at once as there are cores.
fn play(cases: &[Case], stage: &Stage<'_>, wanted: &Wanted) -> Result<Vec<Played>> {
    let (next, played) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let player = || -> Result<()> {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let end = stage.play(case, wanted.is_kept).with_context(|| case.name.clone())?;
            played.lock().expect("nobody panics with it").push(Played { case: case.clone(), end });
        }
        Ok(())
    };
    thread::scope(|scope| {
        let players = thread::available_parallelism().map_or(1, usize::from);
        let players: Vec<_> = (0..players).map(|_| scope.spawn(player)).collect();
        players.into_iter().try_for_each(|player| player.join().expect("a player does not panic"))
    })?;
    Ok(played.into_inner().expect("nobody panics with it"))
}

/// The interpreter itself: what is on the PATH may be a script that looks for it, each time anew.
fn python() -> Result<PathBuf> {
    let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let asked = asked.context("python3 is not installed, and the scripted agents need it")?;
    if !asked.status.success() {
        bail!("python3 does not start: {}", String::from_utf8_lossy(&asked.stderr).trim());
    }
    Ok(PathBuf::from(String::from_utf8_lossy(&asked.stdout).trim()))
}

/// The folder of the toolchain's own programs; without rustup they are on the PATH themselves.
fn toolchain() -> Option<PathBuf> {
    let asked = Command::new("rustup").args(["which", "cargo"]).output().ok().filter(|asked| asked.status.success())?;
    PathBuf::from(String::from_utf8_lossy(&asked.stdout).trim()).parent().map(Path::to_owned)
}
