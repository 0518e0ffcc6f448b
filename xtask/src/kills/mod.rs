//! `cargo xtask kills`: whoever leads a run is killed at any moment, and started again.
//!
//! | file | noun |
//! |---|---|
//! | `plays/` | a loop with scripted agents, one a file |
//! | `scene` | a user's project with one of them, and everything that is the user's |
//! | `leader` | the command line or a server, which leads a run |
//! | `moment` | when it is killed |
//! | `trial` | one run whose leader is killed several times, and what must hold then |

mod leader;
mod moment;
mod plays;
mod scene;
mod trial;

use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use tribunal_testkit::dice::Dice;

use crate::args::{Args, Usage};
use crate::repo::Repo;
use plays::Play;
use scene::{Kind, Shape};
use trial::{Reference, Trial};

const HELP: &str = "\
Runs every loop through the real binary, kills whoever leads it again and again and starts it once more, until so many have
been killed. Every run must end as one that nobody killed: the same work, no finished turn repeated, a log that verifies,
the user's files, references, index and settings byte for byte as they were, no process and no folder left behind.

Usage: cargo xtask kills [--count N] [--seed N] [--loop NAME] [--sandbox NAME] [--shape NAME] [--served] [--in DIR]
                         [--tribunal FILE] [--keep] [--verbose]

  --count N        so many kills; 200 by default
  --seed N         another choice of moments; 0 by default
  --loop NAME      only that one: desk, review, joust, theater, judge; by default all of them, in turn
  --sandbox NAME   only that one: bubblewrap, landlock, none; by default all that work here, in turn
  --shape NAME     only projects like this: repository, subfolder, linked, plain; by default all of them, in turn
  --served         only runs that a server leads; by default these and those of the command line
  --in DIR         a folder to do it in, for its file system; the one for temporary files by default
  --tribunal FILE  that binary, instead of the one that is built from what is here
  --keep           keeps the folder of a run that went wrong, and says where it is
  --verbose        a line for every kill

Examples:
  cargo xtask kills
  cargo xtask kills --count 20 --seed 7 --loop desk --sandbox none
  cargo xtask kills --count 100 --in /mnt/tmpfs
";

const SANDBOXES: [&str; 3] = ["bubblewrap", "landlock", "none"];
/// Runs that are killed less often than this on average would not come to an end.
const MOST_RUNS: u64 = 20_000;

pub(crate) fn main(mut args: Args) -> Result<ExitCode> {
    if args.wants_help() {
        return Ok(crate::help(HELP));
    }
    let number = |text: Option<String>, otherwise: u64| match text {
        Some(text) => text.parse().map_err(|_| Usage::new(format!("`{text}` is not a whole number"))),
        None => Ok(otherwise),
    };
    let (count, seed) = (number(args.option("--count")?, 200)?, number(args.option("--seed")?, 0)?);
    let (word, sandbox, shape) = (args.option("--loop")?, args.option("--sandbox")?, args.option("--shape")?);
    let (only_served, is_kept, is_verbose) = (args.flag("--served"), args.flag("--keep"), args.flag("--verbose"));
    let place = args.option("--in")?.map_or_else(std::env::temp_dir, PathBuf::from);
    let tribunal = args.option("--tribunal")?.map(PathBuf::from);
    args.end()?;
    let is_wanted = |wanted: &Option<String>, name: &str| wanted.as_deref().is_none_or(|wanted| wanted == name);
    let plays: Vec<&Play> = plays::ALL.into_iter().filter(|play| is_wanted(&word, play.name)).collect();
    let tribunal = match tribunal {
        Some(file) => file.canonicalize().with_context(|| format!("cannot find {}", file.display()))?,
        None => Repo::here()?.build_tribunal()?,
    };
    let begun = Instant::now();
    let mut sandboxes = Vec::new();
    for sandbox in SANDBOXES.into_iter().filter(|name| is_wanted(&sandbox, name)) {
        let desk = Kind { play: plays::ALL[0], shape: Shape::Repository, sandbox, place: &place, is_served: false };
        if scene::works_here(&tribunal, &desk)? {
            sandboxes.push(sandbox);
        } else {
            println!("kills: the sandbox {sandbox} does not work here");
        }
    }
    let mut kinds = Vec::new();
    for play in plays {
        for shape in play.shapes.iter().filter(|it| is_wanted(&shape, it.name())) {
            for &sandbox in &sandboxes {
                let kind = Kind { play, shape: *shape, sandbox, place: &place, is_served: false };
                kinds.extend((!only_served).then_some(kind));
                kinds.extend(play.is_served.then_some(Kind { is_served: true, ..kind }));
            }
        }
    }
    if kinds.is_empty() {
        return Err(Usage::new("there is no such kind of run, or no such sandbox works here").into());
    }
    let trial = |kind| Trial { tribunal: &tribunal, kind, is_kept, is_verbose };
    // What a run comes to that nobody kills: the others must come to the same, whoever leads and holds them.
    let mut references: Vec<(&str, Shape, Reference)> = Vec::new();
    for kind in &kinds {
        if !references.iter().any(|(name, shape, _)| *name == kind.play.name && *shape == kind.shape) {
            let reference = trial(*kind).undisturbed().with_context(|| kind.to_string())?;
            references.push((kind.play.name, kind.shape, reference));
        }
    }
    let (mut kills, mut runs, mut wrong, mut resumed) = (0, 0u64, 0u64, 0);
    while kills < count && runs < MOST_RUNS {
        let kind = kinds[usize::try_from(runs)? % kinds.len()];
        let of_kind = references.iter().find(|(name, shape, _)| *name == kind.play.name && *shape == kind.shape);
        let (_, _, reference) = of_kind.context("every kind has one")?;
        let mut dice = Dice::of(seed, &[runs]);
        let seen = trial(kind).killed(reference, &mut dice, count - kills).with_context(|| kind.to_string())?;
        kills += seen.kills;
        resumed += seen.repeated;
        runs += 1;
        for trouble in &seen.troubles {
            println!("FAILED    run {runs} ({kind}): {trouble}");
        }
        wrong += u64::from(!seen.troubles.is_empty());
    }
    println!(
        "kills: {kills} kills in {runs} runs of {} kinds, seed {seed}: {}; {resumed} turns in flight were begun again, {:.1} s",
        kinds.len(),
        if wrong == 0 { "all ended as they should".to_owned() } else { format!("{wrong} runs FAILED") },
        begun.elapsed().as_secs_f64(),
    );
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
