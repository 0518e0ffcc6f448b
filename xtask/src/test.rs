//! `cargo xtask test`: everything that must hold.

use anyhow::Result;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use crate::args::{Args, Usage};
use crate::repo::Repo;
use crate::{agents, agreement, chromium, codegen, dist, model, sandbox, step, tidy, truth, web};

const HELP: &str = "\
Everything that must hold, in this order; stops at the first thing that does not.

Usage: cargo xtask test [STEP]...

Steps; with their names only these are taken:
  fmt        cargo fmt --all --check
  clippy     cargo clippy --workspace --all-targets -- -D warnings
  sandbox    the sandbox                       bubblewrap, by apt-get where it is missing
  browser    the browser                       Chromium, by apt-get where it is missing
  tests      cargo nextest run --workspace     where cargo-nextest is installed, otherwise
             cargo test --workspace --all-targets
  doc        cargo test --workspace --doc
  codegen    cargo xtask codegen --check
  tidy       cargo xtask tidy
  truth      cargo xtask truth
  dist       the packages                      of the tests' binary, each of them installed
  web        cargo xtask web                   where node and npm are installed, and npm can install
  agreement  cargo xtask agreement             where Chromium, node and npm are installed
  agents     cargo xtask agents                where node and npm are installed, and npm can install
  model      cargo xtask model                 only if it is named: a small real model, an hour or more

Needs Rust with rustfmt and clippy (rustup's default), git and a C compiler.

Examples:
  cargo xtask test
  cargo xtask test agents
";

/// One step.
struct Step {
    /// What it is asked for by.
    word: &'static str,
    name: &'static str,
    work: Work,
    /// Whether it is taken only where it is named.
    is_extra: bool,
}

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
    let wanted = args.names()?;
    let repo = Repo::here()?;
    let steps = chosen(steps(has_nextest(&repo)), &wanted)?;
    let (begun, count) = (Instant::now(), steps.len());
    let (mut done, mut closing): (Vec<Done>, Vec<String>) = (Vec::new(), Vec::new());
    for (number, Step { name, work, .. }) in (1..).zip(steps) {
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

fn steps(nextest: bool) -> Vec<Step> {
    let step = |word, name, work| Step { word, name, work, is_extra: false };
    let tests = if nextest {
        step("tests", "cargo nextest run --workspace", Work::Cargo(&["nextest", "run", "--workspace"]))
    } else {
        let words = &["test", "--workspace", "--all-targets"];
        step("tests", "cargo test --workspace --all-targets", Work::Cargo(words))
    };
    vec![
        step("fmt", "cargo fmt --all --check", Work::Cargo(&["fmt", "--all", "--check"])),
        step(
            "clippy",
            "cargo clippy --workspace --all-targets -- -D warnings",
            Work::Cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
        ),
        step("sandbox", "the sandbox", Work::Ours(sandbox::prepare)),
        step("browser", "the browser", Work::Ours(chromium::prepare)),
        tests,
        step("doc", "cargo test --workspace --doc", Work::Cargo(&["test", "--workspace", "--doc"])),
        step("codegen", "cargo xtask codegen --check", Work::Ours(codegen::check)),
        step("tidy", "cargo xtask tidy", Work::Ours(tidy::check)),
        step("truth", "cargo xtask truth", Work::Ours(truth::check)),
        step("dist", "the packages", Work::Ours(dist::check)),
        step("web", "cargo xtask web", Work::Ours(web::check)),
        step("agreement", "cargo xtask agreement", Work::Ours(agreement::check)),
        step("agents", "cargo xtask agents", Work::Ours(agents::check)),
        Step { is_extra: true, ..step("model", "cargo xtask model", Work::Ours(model::check)) },
    ]
}

/// Those that are wanted, in their own order; without a name all of them but the extra ones.
fn chosen(steps: Vec<Step>, wanted: &[String]) -> Result<Vec<Step>> {
    if let Some(unknown) = wanted.iter().find(|word| steps.iter().all(|step| step.word != **word)) {
        return Err(Usage::new(format!("no step `{unknown}`")).into());
    }
    let chosen = steps.into_iter().filter(|step| match wanted {
        [] => !step.is_extra,
        words => words.iter().any(|word| step.word == word),
    });
    Ok(chosen.collect())
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
            for Step { word, name, .. } in steps(nextest) {
                assert!(HELP.contains(name) && HELP.contains(&format!("\n  {word} ")), "{name}");
            }
        }
    }

    #[test]
    fn a_step_can_be_asked_for_by_its_name() {
        let words = |wanted: &[&str]| {
            let wanted: Vec<String> = wanted.iter().map(|word| (*word).to_owned()).collect();
            chosen(steps(true), &wanted).map(|steps| steps.iter().map(|step| step.word).collect::<Vec<_>>())
        };
        assert_eq!(words(&["agents"]).unwrap(), ["agents"]);
        assert_eq!(words(&["tidy", "fmt"]).unwrap(), ["fmt", "tidy"], "in their own order");
        let all = words(&[]).unwrap();
        assert_eq!(all.len(), 13);
        assert!(!all.contains(&"model"), "an hour is not for everybody");
        assert_eq!(words(&["model"]).unwrap(), ["model"]);
        assert_eq!(words(&["agent"]).unwrap_err().to_string(), "no step `agent`");
    }
}
