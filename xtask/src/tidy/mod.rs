//! `cargo xtask tidy`: rules of the repository that no compiler checks.
//!
//! A rule looks at the repository and names what breaks it. To add one: a file here and a line in [`RULES`].

mod commands;
mod crates;
mod events;
mod links;
mod lockfile;
mod loops;
mod markdown;
mod names;
mod orphans;
mod places;
mod pure;
mod reachable;
mod sources;
mod toolchain;

use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::args::Args;
use crate::repo::Repo;

const HELP: &str = "\
Checks the rules of the repository that no compiler checks, and names every file that breaks one.

Usage: cargo xtask tidy

Rules:
  every crate takes part in the lints of the workspace
  pure crates depend on what is listed for them, and use what is listed of std
  no two exported types have the same name
  no source file has more than 600 lines
  nothing unfinished, no debugging, no test that is switched off
  the lockfile stays within its budget
  every event has a frozen example in testdata/events/
  no loop is named outside of the kernel's registry, nor by the page
  no path into `.tribunal` is made outside of the file backend
  every relative link in Markdown leads somewhere
  every page in docs/ can be reached from README.md or docs/README.md
  every command in docs/cli.md has an example in its help
  no file makes rustup download another toolchain
  no setting, event, column, flag, metric, text or export without a use and a test

Example:
  cargo xtask tidy
";

/// What breaks a rule, and where.
#[derive(Debug, PartialEq, Eq)]
struct Fault {
    file: PathBuf,
    line: Option<usize>,
    what: String,
}

type Rule = fn(&Repo) -> Result<Vec<Fault>>;

const RULES: &[(&str, Rule)] = &[
    ("crates", crates::rule),
    ("pure", pure::rule),
    ("names", names::rule),
    ("sources", sources::rule),
    ("lockfile", lockfile::rule),
    ("events", events::rule),
    ("loops", loops::rule),
    ("places", places::rule),
    ("links", links::rule),
    ("reachable", reachable::rule),
    ("commands", commands::rule),
    ("toolchain", toolchain::rule),
    ("orphans", orphans::rule),
];

pub(crate) fn main(args: Args) -> Result<ExitCode> {
    if args.wants_help() {
        return Ok(crate::help(HELP));
    }
    args.end()?;
    Ok(if check(&Repo::here()?)? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Names everything that breaks a rule. Gives whether nothing does.
#[expect(clippy::unnecessary_wraps, reason = "a step of `test`, like others that can fail")]
pub(crate) fn check(repo: &Repo) -> Result<bool> {
    let mut count = 0;
    for (name, rule) in RULES {
        // What a rule cannot look at breaks it; the others are still checked.
        let faults = rule(repo).unwrap_or_else(|error| vec![Fault::file(".", format!("{error:#}"))]);
        for fault in faults {
            count += 1;
            eprintln!("{fault} [{name}]");
        }
    }
    eprintln!("tidy: {} rules, {count} faults", RULES.len());
    Ok(count == 0)
}

impl Fault {
    fn file(file: impl AsRef<Path>, what: impl Into<String>) -> Self {
        Self { file: file.as_ref().to_owned(), line: None, what: what.into() }
    }

    fn line(file: impl AsRef<Path>, line: usize, what: impl Into<String>) -> Self {
        Self { file: file.as_ref().to_owned(), line: Some(line), what: what.into() }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// What `rule` says of a repository with these files.
    pub(super) fn faults(rule: Rule, files: &[(&str, &str)]) -> Vec<String> {
        let (_folder, repo) = repository(files);
        rule(&repo).unwrap().iter().map(ToString::to_string).collect()
    }

    /// A repository with these files, for as long as its folder is held.
    pub(super) fn repository(files: &[(&str, &str)]) -> (tempfile::TempDir, Repo) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let repo = Repo::at(folder.path());
        (folder, repo)
    }

    #[test]
    fn help_has_a_line_for_every_rule() {
        let listed = HELP.lines().skip_while(|line| *line != "Rules:").skip(1).take_while(|line| !line.is_empty());
        // Size and content of sources are one rule in code.
        assert_eq!(listed.count(), RULES.len() + 1);
    }
}
