//! `cargo xtask agreement --corpus DIR`: both eyes beside axe-core, over pages that nobody here wrote.
//!
//! | file | noun |
//! |---|---|
//! | `look` | what axe, a browser and both eyes say of a page |
//! | `focus` | what pixels say of the focus, since axe has no rule for it |
//! | `plain` | what axe says without scripts, and in a high window |
//! | `links` | where addresses lead, by Chromium's URLs and ids and the files on the disk |
//! | `fixing` | what `tribunal fix` does to the pages |
//! | `left_open` | what the static eye leaves undecided, and why |
//! | `tally` | precision and recall, by rule and eye |
//! | `skip` | pages that are left out, and why |

mod fixing;
mod focus;
mod left_open;
mod links;
mod look;
mod plain;
mod skip;
mod tally;

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use super::browser::Browser;
use crate::corpus::{CorpusPage, Manifest};
use crate::repo::Repo;
use look::Looked;
use tally::Tally;

/// The longest that one page may take with axe in it: some pages have ten thousand elements.
const PAGE_LIMIT: Duration = Duration::from_secs(120);
const START_LIMIT: Duration = Duration::from_secs(60);
/// Where every disagreement is written, inside of the corpus.
const DISAGREEMENTS: &str = "disagreements.tsv";
/// And every contrast that the static eye leaves open.
const LEFT_OPEN: &str = "left-open.tsv";

/// What was asked on the command line.
#[derive(Debug)]
pub(super) struct Wish {
    pub(super) folder: PathBuf,
    /// Only pages with one of these, separated by commas, in their path.
    pub(super) only: Option<String>,
    /// So many of them, spread evenly.
    pub(super) sample: Option<usize>,
    /// Whether the focus is compared with pixels.
    pub(super) focus: bool,
    /// Whether the pages are fixed, and what that does to them is measured instead.
    pub(super) fix: bool,
}

pub(super) fn main(repo: &Repo, browser: &Browser, wish: &Wish) -> Result<ExitCode> {
    let pages = pages(wish)?;
    if wish.fix {
        let unharmed = fixing::main(repo, browser, &wish.folder, &pages)?;
        return Ok(if unharmed { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    let mut tally = Tally::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let looked = runtime.block_on(look::all(repo, browser, &wish.folder, &pages))?;
    let focus = if wish.focus { focus::all(repo, browser, &wish.folder, &pages)? } else { focus::Truth::default() };
    let links = links::all(repo, browser, &wish.folder, &pages)?;
    let both = pages.iter().zip(&looked);
    let both: Vec<_> = both.filter_map(|(page, looked)| Some((page, looked.as_ref().ok()?))).collect();
    let plain = plain::all(repo, browser, &wish.folder, &both)?;
    for (page, looked) in pages.iter().zip(&looked) {
        match (looked, plain.get(&page.page.display().to_string())) {
            (Ok(looked), Some(plain)) => tally.take(page, looked, plain, focus.of(page)),
            (Ok(_), None) => tally.leave_out(page, "axe did not answer without its scripts"),
            (Err(error), _) => tally.leave_out(page, &format!("{error:#}")),
        }
        if let Some(said) = links.get(&page.page.display().to_string()) {
            tally.follow(page, said);
        }
    }
    print!("{}", tally.table(&axe_of(&looked)));
    println!();
    for (what, name, text) in [
        ("Every disagreement", DISAGREEMENTS, tally.disagreements()),
        ("Every contrast that the static eye leaves open", LEFT_OPEN, tally.left_open()),
    ] {
        let file = wish.folder.join(name);
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
        println!("{what}: {}", file.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn axe_of(looked: &[Result<Looked>]) -> String {
    looked.iter().flatten().map(|looked| looked.axe.clone()).next().unwrap_or_default()
}

/// The pages of the manifest; in any other folder, all of its pages.
fn pages(wish: &Wish) -> Result<Vec<CorpusPage>> {
    let folder = &wish.folder;
    let mut pages = Manifest::read(folder)?.pages;
    if pages.is_empty() {
        let mut files = Vec::new();
        walk(folder, &mut files)?;
        files.sort();
        let below = |file: PathBuf| file.strip_prefix(folder).map(Path::to_owned);
        for file in files {
            pages.push(CorpusPage { page: below(file)?, root: PathBuf::new(), package: String::new() });
        }
    }
    if let Some(only) = &wish.only {
        pages.retain(|page| only.split(',').any(|part| page.page.to_string_lossy().contains(part)));
    }
    let skips = skip::Skips::read()?;
    pages.retain(|page| match skips.of(page) {
        Some(why) => {
            println!("left out: {}, {why}", page.page.display());
            false
        }
        None => true,
    });
    if let Some(sample) = wish.sample.filter(|sample| *sample < pages.len()) {
        let all = pages.len();
        pages = (0..sample).map(|part| pages[(2 * part + 1) * all / (2 * sample)].clone()).collect();
    }
    if pages.is_empty() {
        bail!("no pages in {}", folder.display());
    }
    Ok(pages)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "html" || ending == "htm") {
            files.push(path);
        }
    }
    Ok(())
}
