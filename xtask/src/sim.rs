//! `cargo xtask sim`: whole runs from seeds, with trouble at every event.

use anyhow::{Context, Result};
use std::ops::Range;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;
use tribunal_testkit::sim::{self, Failure, SeedReport};

use crate::args::{Args, Usage};

const HELP: &str = "\
Plays whole runs from seeds: once without trouble, then once for every event at which trouble can strike.

Usage: cargo xtask sim [--seed N | --seeds A..B] [--verbose]

Options:
  --seed N      one seed: repeats a failure
  --seeds A..B  the seeds from A up to, but not including, B (default 0..1000)
  --verbose     one line for every seed

Prints the failure with the lowest seed and exits with 1 if there is one. docs/simulation.md says what is checked.

Examples:
  cargo xtask sim --seed 42 --verbose
  cargo xtask sim --seeds 0..100000
";

const DEFAULT: Range<u64> = 0..1000;

pub(crate) fn main(mut args: Args) -> Result<ExitCode> {
    if args.wants_help() {
        return Ok(crate::help(HELP));
    }
    let verbose = args.flag("--verbose");
    let seeds = match (args.option("--seed")?, args.option("--seeds")?) {
        (Some(_), Some(_)) => return Err(Usage::new("--seed and --seeds exclude each other").into()),
        (Some(seed), None) => one(&seed)?,
        (None, Some(seeds)) => range(&seeds)?,
        (None, None) => DEFAULT,
    };
    args.end()?;

    let begun = Instant::now();
    let played = play(seeds.clone(), |seed, report| {
        if verbose {
            println!("seed {seed}: {} events, {} runs with trouble", report.events, report.troubled);
        }
    });
    match played {
        Ok((events, troubled)) => {
            let (count, took) = (seeds.end - seeds.start, begun.elapsed().as_secs_f64());
            let seeds = if count == 1 { "1 seed".to_owned() } else { format!("{count} seeds") };
            println!("{seeds}, {events} events, {troubled} runs with trouble: all is well, {took:.1} s");
            Ok(ExitCode::SUCCESS)
        }
        Err(failure) => {
            eprintln!("{failure}");
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Plays all seeds on all cores. Gives the sums, or the failure with the lowest seed.
fn play(seeds: Range<u64>, tell: impl Fn(u64, &SeedReport) + Sync) -> Result<(usize, usize), Failure> {
    let next = AtomicU64::new(seeds.start);
    let sums = Mutex::new((0, 0));
    let failure: Mutex<Option<Failure>> = Mutex::new(None);
    let player = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end || failure.lock().expect("nobody panics with it").is_some() {
                return;
            }
            match sim::run(seed) {
                Ok(report) => {
                    tell(seed, &report);
                    let mut sums = sums.lock().expect("nobody panics with it");
                    *sums = (sums.0 + report.events, sums.1 + report.troubled);
                }
                Err(found) => {
                    let mut failure = failure.lock().expect("nobody panics with it");
                    if failure.as_ref().is_none_or(|other| found.seed < other.seed) {
                        *failure = Some(found);
                    }
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(player);
        }
    });
    let failure = failure.into_inner().expect("nobody panics with it");
    failure.map_or_else(|| Ok(sums.into_inner().expect("nobody panics with it")), Err)
}

fn one(seed: &str) -> Result<Range<u64>> {
    let seed = number(seed)?;
    let end = seed.checked_add(1).context(Usage::new("that seed is one too large"))?;
    Ok(seed..end)
}

fn range(seeds: &str) -> Result<Range<u64>> {
    let Some((from, to)) = seeds.split_once("..") else {
        return Err(Usage::new(format!("`{seeds}` is not a range such as 0..1000")).into());
    };
    let seeds = number(from)?..number(to)?;
    if seeds.is_empty() {
        return Err(Usage::new(format!("there is no seed in {}..{}", seeds.start, seeds.end)).into());
    }
    Ok(seeds)
}

fn number(text: &str) -> Result<u64> {
    text.parse().map_err(|_| Usage::new(format!("`{text}` is not a seed: a whole number")).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_read() {
        assert_eq!(one("7").unwrap(), 7..8);
        assert_eq!(range("3..5").unwrap(), 3..5);
        for (text, expected) in [
            ("5", "`5` is not a range such as 0..1000"),
            ("5..5", "there is no seed in 5..5"),
            ("a..5", "`a` is not a seed: a whole number"),
        ] {
            let error = range(text).unwrap_err();
            assert_eq!(error.to_string(), expected);
            assert!(error.is::<Usage>());
        }
    }

    #[test]
    fn sums_do_not_depend_on_who_played_what() {
        let alone: Vec<SeedReport> = (0..8).map(|seed| sim::run(seed).unwrap()).collect();
        let sum = |of: fn(&SeedReport) -> usize| alone.iter().map(of).sum::<usize>();
        assert_eq!(play(0..8, |_, _| {}), Ok((sum(|report| report.events), sum(|report| report.troubled))));
    }
}
