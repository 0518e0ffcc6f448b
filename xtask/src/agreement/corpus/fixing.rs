//! `--fix`: what `tribunal fix` does to pages that nobody here wrote. Nothing may be harmed: no violation of axe added,
//! no word changed, and no pixel outside of the boxes that an edit is about.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tribunal_agents::house::Files;
use tribunal_checks::{Document, contrasts};

use super::super::browser::Browser;
use crate::corpus::CorpusPage;
use crate::repo::Repo;

const SCRIPT: &str = "fixing.mjs";

/// What `tribunal fix` did to one page.
#[derive(Debug)]
struct FixedPage {
    page: String,
    /// The new texts of files, by their path below the root.
    overlay: BTreeMap<String, String>,
    edits: BTreeMap<String, usize>,
    suggestions: usize,
    must_fix_before: u64,
    must_fix_after: usize,
    /// Files that a second run would change again.
    changed_again: usize,
    /// Text that is too faint for us: what a fix of it may change.
    faint: Vec<String>,
}

/// The object that `tribunal fix --json` prints, as far as it is needed.
#[derive(Debug, Deserialize)]
struct FixObject {
    files: Vec<FileObject>,
    edits: Vec<EditObject>,
    suggestions: Vec<Value>,
    must_fix_before: u64,
    must_fix: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct FileObject {
    file: String,
    backup: Option<String>,
}

#[derive(Debug, Deserialize)]
struct EditObject {
    code: String,
}

#[derive(Debug, Deserialize)]
struct Answer {
    axe: String,
    pages: Vec<Judged>,
}

#[derive(Debug, Deserialize)]
struct Judged {
    name: String,
    added: Vec<String>,
    removed: usize,
    words: Option<String>,
    differs: u64,
    outside: Option<Vec<i64>>,
    restless: u64,
    error: Option<String>,
}

pub(super) fn main(repo: &Repo, browser: &Browser, folder: &Path, pages: &[CorpusPage]) -> Result<bool> {
    let tribunal = Repo::tribunal()?;
    let scratch = tempfile::Builder::new().prefix(".fixing-").tempdir_in(folder)?;
    let mut copies: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    let mut fixed = Vec::new();
    for page in pages {
        let number = copies.len();
        let copy = if let Some(copy) = copies.get(&page.root) {
            copy.clone()
        } else {
            let copy = scratch.path().join(number.to_string());
            linked(&folder.join(&page.root), &copy)?;
            copies.insert(page.root.clone(), copy.clone());
            copy
        };
        eprintln!("{}", page.page.display());
        fixed.push(one(&tribunal, folder, page, &copy).with_context(|| page.page.display().to_string())?);
    }
    let asked: Vec<Value> = pages
        .iter()
        .zip(&fixed)
        .filter(|(_, fixed)| !fixed.overlay.is_empty())
        .map(|(page, fixed)| {
            json!({
                "name": fixed.page, "root": folder.join(&page.root), "file": folder.join(&page.page),
                "overlay": fixed.overlay, "faint": fixed.faint,
            })
        })
        .collect();
    let job = json!({ "chromium": browser.path(), "pages": asked });
    let answer: Answer =
        serde_json::from_value(Browser::run(repo, SCRIPT, &job)?).context("cannot read the answer of fixing.mjs")?;
    let harms = harms(&fixed, &answer);
    print!("{}", table(&fixed, &answer, &harms));
    Ok(harms.is_empty())
}

/// A copy that shares the files: `tribunal fix` replaces files whole, so the originals stay as they are.
fn linked(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let (path, kind, copy) = (entry.path(), entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            if !entry.file_name().to_string_lossy().starts_with(".f") {
                linked(&path, &copy)?;
            }
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&path)?, &copy)?;
        } else {
            fs::hard_link(&path, &copy)?;
        }
    }
    Ok(())
}

/// Fixes a page in the copy, a second time, too, and then puts everything back.
fn one(tribunal: &Path, folder: &Path, page: &CorpusPage, copy: &Path) -> Result<FixedPage> {
    let root = folder.join(&page.root).canonicalize()?;
    let below = folder.join(&page.page).canonicalize()?.strip_prefix(&root)?.to_owned();
    let source = fs::read_to_string(root.join(&below))?;
    let files = Files::within(&root, &root.join(&below), None);
    let document = Document::html_at(&source, files.addresses(), &|path| files.sheet(path));
    let is_faint = |ratio: &Result<f64, String>, needs: Option<f64>| matches!((ratio, needs), (Ok(ratio), Some(needs)) if *ratio < needs);
    let faint = contrasts(&document).into_iter().filter(|one| is_faint(&one.ratio, one.needs));
    let faint: Vec<String> = faint.filter_map(|one| one.place.selector).collect();
    let object = run(tribunal, copy, &below)?;
    let again = run(tribunal, copy, &below)?;
    let real = copy.canonicalize()?;
    let mut overlay = BTreeMap::new();
    for FileObject { file, backup } in object.files.iter().chain(&again.files) {
        let path = real.join(file).canonicalize()?;
        let name = path.strip_prefix(&real).context("a file outside of the copy was changed")?.to_owned();
        let name = name.to_str().context("a name that is not UTF-8")?.to_owned();
        if let Ok(text) = fs::read_to_string(&path) {
            overlay.entry(name.clone()).or_insert(text);
        }
        let original = root.join(&name);
        fs::remove_file(&path)?;
        fs::hard_link(&original, &path)?;
        if let Some(backup) = backup {
            // The second run may have taken it along.
            fs::remove_file(real.join(backup)).ok();
        }
    }
    if fs::read_to_string(root.join(&below))? != source {
        bail!("the original was changed");
    }
    let mut edits = BTreeMap::new();
    for edit in &object.edits {
        *edits.entry(edit.code.clone()).or_insert(0) += 1;
    }
    Ok(FixedPage {
        page: page.page.display().to_string(),
        overlay,
        edits,
        suggestions: object.suggestions.len(),
        must_fix_before: object.must_fix_before,
        must_fix_after: object.must_fix.len(),
        changed_again: again.files.len(),
        faint,
    })
}

fn run(tribunal: &Path, copy: &Path, below: &Path) -> Result<FixObject> {
    let output =
        Command::new(tribunal).arg("--json").arg("fix").arg(below).args(["--root", "."]).current_dir(copy).output();
    let output = output.with_context(|| format!("cannot start {}", tribunal.display()))?;
    serde_json::from_slice(&output.stdout)
        .with_context(|| format!("tribunal fix says: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// What went wrong, a line each.
fn harms(fixed: &[FixedPage], answer: &Answer) -> Vec<String> {
    let mut harms = Vec::new();
    for Judged { name, added, words, outside, .. } in &answer.pages {
        harms.extend(added.iter().map(|fault| format!("{name}: axe finds {fault}")));
        harms.extend(words.iter().map(|words| format!("{name}: words changed, {words}")));
        harms.extend(outside.iter().map(|place| format!("{name}: the picture differs at {place:?}")));
    }
    let restless = fixed.iter().filter(|page| page.changed_again > 0);
    harms.extend(restless.map(|page| format!("{}: a second run changes {} files", page.page, page.changed_again)));
    harms
}

/// As Markdown, for docs/checks.md.
fn table(fixed: &[FixedPage], answer: &Answer, harms: &[String]) -> String {
    let mut text = String::new();
    let mut put = |line: std::fmt::Arguments<'_>| text.write_fmt(line).expect("a String takes every write");
    let sum = |of: &dyn Fn(&FixedPage) -> usize| fixed.iter().map(of).sum::<usize>();
    let changed = fixed.iter().filter(|page| !page.overlay.is_empty()).count();
    let judged = answer.pages.iter().filter(|page| page.error.is_none());
    let before = fixed.iter().map(|page| page.must_fix_before).sum::<u64>();
    put(format_args!("{} pages, axe-core {}\n\n| what | how many |\n|---|---|\n", fixed.len(), answer.axe));
    put(format_args!("| pages that were changed | {changed} |\n"));
    put(format_args!("| edits | {} |\n", sum(&|page| page.edits.values().sum())));
    put(format_args!("| suggestions left | {} |\n", sum(&|page| page.suggestions)));
    put(format_args!("| must be fixed, before and after | {before}, {} |\n", sum(&|page| page.must_fix_after)));
    put(format_args!(
        "| violations of axe taken away | {} |\n",
        judged.clone().map(|page| page.removed).sum::<usize>()
    ));
    let of = |is: &dyn Fn(&Judged) -> bool| judged.clone().filter(|page| is(page)).count();
    put(format_args!("| pages with a violation of axe added | {} |\n", of(&|page| !page.added.is_empty())));
    put(format_args!("| pages with a word changed | {} |\n", of(&|page| page.words.is_some())));
    put(format_args!("| pages whose picture differs | {} |\n", of(&|page| page.differs > 0)));
    put(format_args!("| pages whose picture differs elsewhere | {} |\n", of(&|page| page.outside.is_some())));
    put(format_args!("| pages whose picture never stands still | {} |\n", of(&|page| page.restless > 0)));
    put(format_args!(
        "| pages that a second run changes | {} |\n",
        fixed.iter().filter(|page| page.changed_again > 0).count()
    ));
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    for (code, count) in fixed.iter().flat_map(|page| &page.edits) {
        *codes.entry(code).or_default() += count;
    }
    let codes: Vec<String> = codes.iter().map(|(code, count)| format!("{code} {count}")).collect();
    put(format_args!("\nEdits by rule: {}\n", codes.join(", ")));
    for harm in harms {
        put(format_args!("- HARM {harm}\n"));
    }
    for page in answer.pages.iter().filter(|page| page.error.is_some()) {
        put(format_args!("- not measured: {}, {}\n", page.name, page.error.as_deref().unwrap_or_default()));
    }
    text
}
