//! `cargo xtask agreement`: our measurements beside axe-core in headless Chromium.
//!
//! | file | noun |
//! |---|---|
//! | `browser` | Chromium and axe: whether they are there, and what they say |
//! | `rule` | which of our findings answer which rules of axe |
//! | `ours` | what our measurements say of a page |
//! | `compare` | the two side by side, element by element |
//! | `reasons` | `testdata/checks/disagreements.toml`: why a disagreement stays |
//! | `corpus/` | `--corpus DIR`: both eyes beside axe, over pages that nobody here wrote |
//! | `golden` | `testdata/checks/contrast.tsv`: ratios that axe computed |

mod browser;
mod compare;
mod corpus;
mod golden;
mod ours;
mod reasons;
mod rule;

use anyhow::{Result, bail};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::args::{Args, Usage};
use crate::repo::Repo;
use browser::{Answer, Browser, Job};
use compare::Comparison;
use golden::Golden;
use ours::Page;
use reasons::Reasons;

const HELP: &str = "\
Measures the pages in testdata/checks/pages/ and compares with what axe-core finds in headless Chromium, element by
element, and the contrast ratios with them. A disagreement without a reason in testdata/checks/disagreements.toml fails,
and so does a reason that no disagreement needs any more.

With --corpus, precision and recall of both eyes by rule, over the pages of any folder: those of `cargo xtask corpus`, or
all that are in it. axe-core is asked in the same Chromium and the same load of the page as the browser eye; of the focus,
for which axe has no rule, pixels are asked; of links and assets, Chromium's URLs and ids and the files on the disk. The
table is Markdown, for docs/checks.md.

Usage: cargo xtask agreement [--write]
       cargo xtask agreement --corpus DIR [--only TEXT] [--sample N] [--no-focus | --fix]

Options:
  --corpus DIR  pages to compare over
  --only TEXT   only pages with TEXT in their path; several texts are separated by commas
  --sample N    N of the pages, spread evenly
  --no-focus    without the pixels, which take the most time
  --fix         what `tribunal fix` does to copies of the pages instead: violations of axe that are added, words that
                change, pixels that differ outside of the boxes of the edits, and what a second run changes
  --write  writes the ratios that axe computes into testdata/checks/contrast.tsv instead of comparing them

Needs Chromium (/usr/bin/chromium, or the variable CHROMIUM), node and npm; axe-core and playwright-core are installed
into xtask/agreement/. Where something is missing, `cargo xtask test` leaves the step out and says so.

Example:
  cargo xtask agreement
  cargo xtask agreement --corpus ~/.cache/tribunal-corpus --only rust
";

const PAGES: &str = "testdata/checks/pages";

pub(crate) fn main(mut args: Args) -> Result<ExitCode> {
    if args.wants_help() {
        return Ok(crate::help(HELP));
    }
    let write = args.flag("--write");
    let folder = args.option("--corpus")?;
    let only = args.option("--only")?;
    let sample = args.option("--sample")?.map(|number| number.parse()).transpose();
    let sample = sample.map_err(|_| Usage::new("--sample needs a number"))?;
    let (focus, fix) = (!args.flag("--no-focus"), args.flag("--fix"));
    args.end()?;
    let repo = Repo::here()?;
    match Browser::find()? {
        Ok(browser) if folder.is_some() => {
            let folder = folder.map(PathBuf::from).unwrap_or_default();
            corpus::main(&repo, &browser, &corpus::Wish { folder, only, sample, focus, fix })
        }
        Ok(browser) => Ok(if agree(&repo, &browser, write)? { ExitCode::SUCCESS } else { ExitCode::FAILURE }),
        Err(missing) => bail!("{missing}"),
    }
}

/// The step of `test`: nobody has to have a browser.
pub(crate) fn check(repo: &Repo) -> Result<bool> {
    match Browser::find()? {
        Ok(browser) => agree(repo, &browser, false),
        Err(missing) => {
            eprintln!("agreement: skipped, {missing}");
            Ok(true)
        }
    }
}

fn agree(repo: &Repo, browser: &Browser, write: bool) -> Result<bool> {
    let pages = pages(repo)?;
    let golden = Golden::read(repo)?;
    let answer = browser.ask(repo, &Job::of(repo, &pages, golden.pairs())?)?;
    if write {
        golden.write(repo, &answer.pairs)?;
    }
    let comparison = Comparison::of(&pages, &answer)?;
    print!("{}", comparison.table());
    let mut faults = comparison.faults(&Reasons::read(repo)?);
    if !write {
        faults.extend(golden.faults(&answer.pairs));
    }
    for fault in &faults {
        println!("{fault}");
    }
    println!("{}", summary(&answer, pages.len(), faults.len()));
    Ok(faults.is_empty())
}

fn summary(answer: &Answer, pages: usize, faults: usize) -> String {
    let Answer { axe, chromium, .. } = answer;
    let faults = if faults == 0 { "nothing unexplained".to_owned() } else { format!("{faults} faults") };
    format!("agreement: {pages} pages, axe-core {axe} in Chromium {chromium}: {faults}")
}

fn pages(repo: &Repo) -> Result<Vec<Page>> {
    let files: Vec<PathBuf> = repo.files(&[".html"])?.into_iter().filter(|file| file.starts_with(PAGES)).collect();
    if files.is_empty() {
        bail!("no pages in {PAGES}");
    }
    files.iter().map(|file| Page::measure(repo, file)).collect()
}
