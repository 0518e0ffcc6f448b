//! `cargo xtask web`: what must hold of the page.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Instant;

use crate::args::{Args, Usage};
use crate::codegen::page;
use crate::repo::Repo;
use crate::{chromium, node, step};

const HELP: &str = "\
What must hold of the page in web/, in this order; stops at the first thing that does not.

Usage: cargo xtask web [CHECK]...

Checks; with their names only these are made:
  check  npm run check   the compiler
  test   npm test        the tests of its parts
  made   web/src/api/schema.ts and crates/server/assets are what their sources make, byte for byte
  size   npm run size    what it weighs, gzipped, against its budget
  e2e    npm run e2e     the page in Chromium, where there is one or apt-get has one

Needs node and npm; packages are installed into web/node_modules, unless they are there as the lock file says. Where
something is missing, `cargo xtask test` leaves the step out and says so.

Examples:
  cargo xtask web
  cargo xtask web check test
";

/// The page's sources and packages.
pub(crate) const FOLDER: &str = "web";

/// A check, by its name.
type Check = (&'static str, fn(&Repo) -> Result<bool>);

const CHECKS: &[Check] = &[
    ("check", |repo| script(repo, "check")),
    ("test", |repo| script(repo, "test")),
    ("made", is_made),
    ("size", |repo| script(repo, "size")),
    ("e2e", in_browser),
];

pub(crate) fn main(args: Args) -> Result<ExitCode> {
    if args.wants_help() {
        return Ok(crate::help(HELP));
    }
    let wanted = args.names()?;
    if let Some(unknown) = wanted.iter().find(|name| CHECKS.iter().all(|(known, _)| known != name)) {
        return Err(Usage::new(format!("no check `{unknown}`")).into());
    }
    let repo = Repo::here()?;
    if let Err(missing) = node::ready(&repo.root().join(FOLDER))? {
        bail!("{missing}");
    }
    Ok(if holds(&repo, &wanted)? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The step of `test`: nobody has to have node.
pub(crate) fn check(repo: &Repo) -> Result<bool> {
    match node::ready(&repo.root().join(FOLDER))? {
        Ok(()) => holds(repo, &[]),
        Err(missing) => {
            eprintln!("web: skipped, {missing}");
            Ok(true)
        }
    }
}

fn holds(repo: &Repo, wanted: &[String]) -> Result<bool> {
    for (name, check) in CHECKS {
        if !wanted.is_empty() && wanted.iter().all(|wanted| wanted != name) {
            continue;
        }
        let begun = Instant::now();
        let holds = check(repo).with_context(|| format!("web: {name}"))?;
        eprintln!("web: {name} {}, {:.1} s", if holds { "ok" } else { "FAILED" }, begun.elapsed().as_secs_f64());
        if !holds {
            return Ok(false);
        }
    }
    Ok(true)
}

/// npm, in the page's folder.
pub(crate) fn npm(repo: &Repo, args: &[&str]) -> Command {
    let mut npm = Command::new("npm");
    npm.args(args).current_dir(repo.root().join(FOLDER));
    npm
}

fn script(repo: &Repo, name: &str) -> Result<bool> {
    Ok(step::run(npm(repo, &["run", "--silent", name]))?.status.success())
}

fn is_made(repo: &Repo) -> Result<bool> {
    let stale = page::files(repo)?.into_iter().filter(|file| file.is_stale(repo)).map(|file| file.path);
    let stale: Vec<String> = stale.collect();
    for path in &stale {
        eprintln!("{path}: stale");
    }
    if !stale.is_empty() {
        eprintln!("hint: cargo xtask codegen");
    }
    Ok(stale.is_empty())
}

/// The page in a browser, if it has such tests and we have a browser.
fn in_browser(repo: &Repo) -> Result<bool> {
    const SCRIPT: &str = "e2e";
    let package: Value = serde_json::from_str(&repo.read(PathBuf::from(FOLDER).join("package.json"))?)?;
    if package["scripts"][SCRIPT].is_null() {
        eprintln!("web: e2e left out, web/package.json has no such script");
        return Ok(true);
    }
    let chromium = match chromium::have()? {
        Ok(chromium) => chromium,
        Err(missing) if node::is_strict() => bail!("{missing}, and apt-get did not install it"),
        Err(missing) => {
            eprintln!("web: e2e left out, {missing}, and apt-get did not install it");
            return Ok(true);
        }
    };
    let mut npm = npm(repo, &["run", "--silent", SCRIPT]);
    npm.env(chromium::VARIABLE, chromium).env("TRIBUNAL_BIN", repo.build_tribunal()?);
    Ok(step::run(npm)?.status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_check() {
        for (name, _) in CHECKS {
            assert!(HELP.contains(&format!("\n  {name} ")), "{name}");
        }
    }
}
