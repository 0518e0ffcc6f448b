//! `cargo xtask test`: everything that must hold.

use anyhow::Result;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use crate::args::Args;
use crate::repo::Repo;
use crate::{agents, agreement, codegen, sandbox, step, tidy};

const HELP: &str = "\
Everything that must hold, in this order; stops at the first thing that does not.

Usage: cargo xtask test

Steps:
  cargo fmt --all --check
  cargo clippy --workspace --all-targets -- -D warnings
  the sandbox                       bubblewrap, by apt-get where it is missing
  cargo nextest run --workspace     where cargo-nextest is installed, otherwise
                                    cargo test --workspace --all-targets
  cargo test --workspace --doc
  cargo xtask codegen --check
  cargo xtask tidy
  cargo xtask agreement             where Chromium, node and npm are installed
  cargo xtask agents                where node and npm are installed, and npm can install

Needs Rust with rustfmt and clippy (rustup's default), git and a C compiler.

Example:
  cargo xtask test
";

/// What a step does.
enum Work {
    Cargo(&'static [&'static str]),
    Ours(fn(&Repo) -> Result<bool>),
}

/// A step that is over.
struct Done {
    name: String,
    took: Duration,
}

pub(crate) fn main(args: Args) -> Result<ExitCode> {
    if args.wants_help() {
        return Ok(crate::help(HELP));
    }
    args.end()?;
    let repo = Repo::here()?;
    let steps = steps(has_nextest(&repo));
    let (begun, count) = (Instant::now(), steps.len());
    let (mut done, mut closing): (Vec<Done>, Vec<String>) = (Vec::new(), Vec::new());
    for (number, (name, work)) in (1..).zip(steps) {
        eprintln!("\n== {number}/{count} {name}");
        let started = Instant::now();
        let failed = match work {
            Work::Cargo(words) => {
                let ran = step::run(repo.cargo(words))?;
                closing.extend(ran.closing);
                (!ran.status.success()).then(|| ran.status.to_string())
            }
            Work::Ours(check) => match check(&repo) {
                Ok(true) => None,
                Ok(false) => Some("see above".to_owned()),
                Err(error) => Some(format!("{error:#}")),
            },
        };
        let took = started.elapsed();
        eprintln!("== {number}/{count} {name}: {}, {}", if failed.is_none() { "ok" } else { "FAILED" }, show(took));
        if let Some(why) = failed {
            summary(&done, &closing);
            eprintln!(
                "xtask test: FAILED at step {number} of {count}, `{name}` ({why}), after {}",
                show(begun.elapsed())
            );
            return Ok(ExitCode::FAILURE);
        }
        done.push(Done { name: name.to_owned(), took });
    }
    summary(&done, &closing);
    eprintln!("xtask test: all {count} steps passed in {}", show(begun.elapsed()));
    Ok(ExitCode::SUCCESS)
}

fn steps(nextest: bool) -> Vec<(&'static str, Work)> {
    let tests: (&str, Work) = if nextest {
        ("cargo nextest run --workspace", Work::Cargo(&["nextest", "run", "--workspace"]))
    } else {
        ("cargo test --workspace --all-targets", Work::Cargo(&["test", "--workspace", "--all-targets"]))
    };
    vec![
        ("cargo fmt --all --check", Work::Cargo(&["fmt", "--all", "--check"])),
        (
            "cargo clippy --workspace --all-targets -- -D warnings",
            Work::Cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
        ),
        ("the sandbox", Work::Ours(sandbox::prepare)),
        tests,
        ("cargo test --workspace --doc", Work::Cargo(&["test", "--workspace", "--doc"])),
        ("cargo xtask codegen --check", Work::Ours(codegen::check)),
        ("cargo xtask tidy", Work::Ours(tidy::check)),
        ("cargo xtask agreement", Work::Ours(agreement::check)),
        ("cargo xtask agents", Work::Ours(agents::check)),
    ]
}

fn has_nextest(repo: &Repo) -> bool {
    let mut ask: Command = repo.cargo(&["nextest", "--version"]);
    ask.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    ask.status().is_ok_and(|status| status.success())
}

fn summary(done: &[Done], closing: &[String]) {
    eprintln!();
    for Done { name, took } in done {
        eprintln!("  ok  {:>8}  {name}", show(*took));
    }
    for line in closing {
        eprintln!("{line}");
    }
}

fn show(took: Duration) -> String {
    format!("{:.1} s", took.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_lists_every_step() {
        for nextest in [true, false] {
            for (name, _) in steps(nextest) {
                assert!(HELP.contains(name), "{name}");
            }
        }
    }
}
