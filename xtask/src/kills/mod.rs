//! `cargo xtask kills`: leaders that are killed at any moment, and started again.
//!
//! | file | noun |
//! |---|---|
//! | `scene` | a user's project with a desk, scripted agents, and everything that is the user's |
//! | `moment` | when the leader is killed |
//! | `trial` | one campaign that is killed several times, and what must hold then |

mod moment;
mod scene;
mod trial;

use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use tribunal_testkit::dice::Dice;

use crate::args::{Args, Usage};
use crate::repo::Repo;
use scene::Shape;
use trial::Trial;

const HELP: &str = "\
Runs campaigns of a desk through the real binary, kills their leader again and again and starts it anew, until so many have
been killed. Every campaign must end as one that nobody killed: the same work, no finished turn repeated, a log that verifies,
the user's files, references, index and settings byte for byte as they were, no process and no folder left behind.

Usage: cargo xtask kills [--count N] [--seed N] [--sandbox NAME] [--shape NAME] [--tribunal FILE] [--keep] [--verbose]

  --count N        so many kills; 200 by default
  --seed N         another choice of moments; 0 by default
  --sandbox NAME   only that one: bubblewrap, landlock, none; by default all that work here, in turn
  --shape NAME     only projects like this: repository, subfolder, linked, plain; by default all of them, in turn
  --tribunal FILE  that binary, instead of the one that is built from what is here
  --keep           keeps the folder of a campaign that went wrong, and says where it is
  --verbose        a line for every kill

Examples:
  cargo xtask kills
  cargo xtask kills --count 20 --seed 7 --sandbox none
";

const SANDBOXES: [&str; 3] = ["bubblewrap", "landlock", "none"];
/// Campaigns that are killed less often than this on average would not come to an end.
const MOST_CAMPAIGNS: u64 = 10_000;

pub(crate) fn main(mut args: Args) -> Result<ExitCode> {
    if args.wants_help() {
        return Ok(crate::help(HELP));
    }
    let number = |text: Option<String>, otherwise: u64| match text {
        Some(text) => text.parse().map_err(|_| Usage::new(format!("`{text}` is not a whole number"))),
        None => Ok(otherwise),
    };
    let (count, seed) = (number(args.option("--count")?, 200)?, number(args.option("--seed")?, 0)?);
    let (sandbox, shape) = (args.option("--sandbox")?, args.option("--shape")?);
    let (is_kept, is_verbose) = (args.flag("--keep"), args.flag("--verbose"));
    let tribunal = args.option("--tribunal")?.map(PathBuf::from);
    args.end()?;
    let shapes: Vec<Shape> =
        Shape::ALL.into_iter().filter(|it| shape.as_ref().is_none_or(|name| name == it.name())).collect();
    if shapes.is_empty() {
        return Err(Usage::new("no project has such a shape").into());
    }
    let tribunal = match tribunal {
        Some(file) => file.canonicalize().with_context(|| format!("cannot find {}", file.display()))?,
        None => Repo::here()?.build_tribunal()?,
    };
    let begun = Instant::now();
    let mut sandboxes = Vec::new();
    for sandbox in SANDBOXES.into_iter().filter(|name| sandbox.as_ref().is_none_or(|wanted| wanted == name)) {
        if scene::works_here(&tribunal, sandbox)? {
            sandboxes.push(sandbox);
        } else {
            println!("kills: the sandbox {sandbox} does not work here");
        }
    }
    let Some(&first) = sandboxes.first() else {
        return Err(Usage::new("no such sandbox works here").into());
    };
    let trial = |sandbox, shape| Trial { tribunal: &tribunal, sandbox, shape, is_kept, is_verbose };
    // What a campaign comes to that nobody kills: the others must come to the same.
    let mut references = Vec::new();
    for shape in shapes {
        let reference = trial(first, shape).undisturbed().with_context(|| format!("{first}, {}", shape.name()))?;
        references.push((shape, reference));
    }
    let (mut kills, mut campaigns, mut wrong, mut resumed) = (0, 0u64, 0u64, 0);
    while kills < count && campaigns < MOST_CAMPAIGNS {
        let number = usize::try_from(campaigns)?;
        let (shape, reference) = &references[number % references.len()];
        let trial = trial(sandboxes[number / references.len() % sandboxes.len()], *shape);
        let mut dice = Dice::of(seed, &[campaigns]);
        let seen = trial.killed(reference, &mut dice, count - kills)?;
        kills += seen.kills;
        resumed += seen.repeated;
        campaigns += 1;
        for trouble in &seen.troubles {
            println!("FAILED    campaign {campaigns} ({}, {}): {trouble}", trial.sandbox, trial.shape.name());
        }
        wrong += u64::from(!seen.troubles.is_empty());
    }
    println!(
        "kills: {kills} kills in {campaigns} campaigns of {} kinds, seed {seed}: {}; {resumed} turns in flight were begun \
         again, {:.1} s",
        references.len() * sandboxes.len(),
        if wrong == 0 { "all ended as they should".to_owned() } else { format!("{wrong} campaigns FAILED") },
        begun.elapsed().as_secs_f64(),
    );
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
