//! `cargo xtask bench`: measures against the targets of the design. Nothing here fails because it is slow.
//!
//! To add a measure: a file here that gives its rows, and a line in [`MEASURES`].

mod anchors;
mod append;
mod caching;
mod checkout;
mod checks;
mod command;
mod crowd;
mod engine;
mod fold;
mod growth;
mod metered;
mod resume;
mod review;
mod sample;
mod served;
mod soak;
mod sse;
mod start;
mod table;
mod web;
mod wire;

use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::args::{Args, Usage};
use crate::repo::Repo;
use table::Row;

const HELP: &str = "\
Measures against the targets of the design, in a release build, and prints one table.

Usage: cargo xtask bench [NAME...] [--runs N] [--debug] [--dir DIR] [--json]

Names (default: all):
  fold     folding the events of a long review, in memory
  resume   opening a log of a million events: verified and folded
  append   durable appends for one run and for 100 runs at once
  engine   the engine's own time per turn, with an agent that answers at once
  command  the same, with a program as the agent
  crowd    memory of 1,000 runs at once
  start    `tribunal --version`
  wire     the parser of the panel protocol, beside quick-xml
  checks   a page of 200 KB, read and measured by all roles
  anchors  10 MB of Markdown, checked against 200 patterns
  sse      1,000 readers of a run that says 1,000 things a second, from `tribunal serve`
  soak     short runs through one `tribunal serve`, with readers coming and going: what it holds, and its pace
  web      the page: its weight, its reducer, and how quick it is in Chromium
  caching  what a joust costs with and without the cache mark, by the stub's tokens
  growth   processor time of commands over twice as many runs, events, rounds, findings and bytes
  checkout a checkout for checks of 5,000 files, beside `git worktree add`

Options:
  --runs N   how many runs `soak` starts (default: 2000)
  --debug    measures the build that is here: good enough to see what grows, not how quick it is
  --dir DIR  a folder on the disk that matters (default: beside the build)
  --json     the table as JSON

Numbers are medians of several repetitions after a warm-up; of `wire`, the best of them.
Nothing is asserted: a slow machine is no failure.

Examples:
  cargo xtask bench
  cargo xtask bench fold resume --json
";

/// What a measure has at hand.
#[derive(Debug)]
struct Bench {
    repo: Repo,
    folder: PathBuf,
    runtime: Runtime,
    /// How many runs a soak starts.
    runs: usize,
}

type Measure = fn(&Bench) -> Result<Vec<Row>>;

const MEASURES: &[(&str, Measure)] = &[
    ("fold", fold::measure),
    ("resume", resume::measure),
    ("append", append::measure),
    ("engine", engine::measure),
    ("command", command::measure),
    ("crowd", crowd::measure),
    ("start", start::measure),
    ("wire", wire::measure),
    ("checks", checks::measure),
    ("anchors", anchors::measure),
    ("sse", sse::measure),
    ("soak", soak::measure),
    ("web", web::measure),
    ("caching", caching::measure),
    ("growth", growth::measure),
    ("checkout", checkout::measure),
];

pub(crate) fn main(mut args: Args) -> Result<ExitCode> {
    if args.wants_help() {
        return Ok(crate::help(HELP));
    }
    if !args.flag("--debug") && cfg!(debug_assertions) {
        return in_release(args);
    }
    if let Some(folder) = args.option(crowd::CHILD)? {
        args.end()?;
        return crowd::child(folder.into());
    }
    let json = args.flag("--json");
    let folder = args.option("--dir")?;
    let runs = match args.option("--runs")? {
        Some(runs) => runs.parse().map_err(|_| Usage::new(format!("`--runs {runs}` is no number")))?,
        None => soak::RUNS,
    };
    let names = args.names()?;
    if let Some(unknown) = names.iter().find(|name| MEASURES.iter().all(|(known, _)| known != name)) {
        return Err(Usage::new(format!("there is no measure `{unknown}`")).into());
    }
    let bench = Bench::new(folder.map(PathBuf::from), runs)?;
    let mut rows = Vec::new();
    for (name, measure) in MEASURES {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            eprintln!("measuring {name} ...");
            rows.extend(measure(&bench).with_context(|| format!("measure `{name}`"))?);
        }
    }
    print!("{}", if json { table::json(&rows) } else { table::text(&rows) });
    Ok(ExitCode::SUCCESS)
}

/// The same again, as cargo builds it for users.
fn in_release(args: Args) -> Result<ExitCode> {
    let repo = Repo::here()?;
    let mut cargo = repo.cargo(&["run", "--quiet", "--release", "--package", "xtask", "--", "bench"]);
    cargo.args(args.all());
    let status = cargo.status().context("cannot start cargo")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Bench {
    fn new(folder: Option<PathBuf>, runs: usize) -> Result<Self> {
        let built = std::env::current_exe().context("cannot say where xtask is")?;
        let folder = folder.or_else(|| Some(built.parent()?.parent()?.to_owned())).unwrap_or_else(std::env::temp_dir);
        Ok(Self { repo: Repo::here()?, folder, runtime: Runtime::new().context("cannot start a runtime")?, runs })
    }

    /// The binary that users get: built on its own, so that no feature comes from another package.
    fn tribunal(&self) -> Result<PathBuf> {
        let mut cargo = self.repo.cargo(&["build", "--quiet", "--package", "tribunal-cli"]);
        // As this program was built, so that it is found beside it.
        cargo.args(["--profile", if cfg!(debug_assertions) { "test" } else { "release" }]);
        let built = cargo.status();
        if !built.context("cannot start cargo")?.success() {
            bail!("tribunal does not build");
        }
        Repo::tribunal()
    }

    /// An empty folder on the disk that is measured; gone when it is dropped.
    fn empty(&self) -> Result<TempDir> {
        let folder = tempfile::Builder::new().prefix("bench-").tempdir_in(&self.folder);
        folder.with_context(|| format!("cannot create a folder in {}", self.folder.display()))
    }
}

/// What a command prints, if it succeeds.
fn output_of(mut command: Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start {}", command.get_program().display()))?;
    if !output.status.success() {
        bail!("ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_measure() {
        for (name, _) in MEASURES {
            assert!(HELP.contains(&format!("\n  {name} ")), "{name}");
        }
    }
}
