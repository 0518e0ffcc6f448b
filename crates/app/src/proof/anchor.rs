//! The hash that a log ends with, where others keep it: whoever rewrites the log then cannot rewrite that.

use std::fs;
use std::path::{Path, PathBuf};
use tribunal_config::ProofAnchor;
use tribunal_engine::tree::anchor::{add_note, add_trailer, kept_lines};
use tribunal_kernel::judge::judge_of;
use tribunal_kernel::{Digest, Run, RunId};
use tribunal_store::atomic;

use crate::error::AppError;
use crate::project::Project;

/// A hash that somebody keeps of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnchorFound {
    pub run: RunId,
    pub head: Digest,
    /// Where it is kept, for people.
    pub kept: String,
}

/// When a hash is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnchorMoment {
    /// A run has ended.
    Ended,
    /// Its work was taken over.
    Adopted,
}

/// Writes the head of a run that has ended wherever the configuration says. Gives where, in a line each.
pub async fn write(project: &Project, run: &Run, moment: AnchorMoment) -> Result<Vec<String>, AppError> {
    let config = &project.config().proof;
    if config.anchor.is_empty() || run.end().is_none() {
        return Ok(Vec::new());
    }
    let id = run.spec().run;
    let Some(tip) = project.store.logs().tip(id).await? else { return Ok(Vec::new()) };
    let line = format!("{id} {} {}", tip.seq, tip.hash);
    let folder = project.folder_of(run.spec());
    let mut told = Vec::new();
    for anchor in &config.anchor {
        let failed = |error: tribunal_engine::tree::TreeError| {
            AppError::environment(format!("the head of run {id} was not anchored: {error}"), error.hint())
        };
        match anchor {
            ProofAnchor::File => {
                let path = file(project);
                if add_line(&path, &line)? {
                    told.push(format!("the head of run {id} is in {}", path.display()));
                }
            }
            ProofAnchor::Note => {
                // A judgement is about a commit; any other run is noted where the checkout stands.
                let commit = judge_of(run.spec()).map_or("HEAD", |judge| judge.head.as_str());
                if is_kept(&folder, &line).await {
                    continue;
                }
                match add_note(&folder, commit, &line).await {
                    Ok(commit) => told.push(format!("the head of run {id} is in the note of commit {commit}")),
                    // What is not committed has no commit that could have a note.
                    Err(_) if judge_of(run.spec()).is_some() => {
                        let commit = add_note(&folder, "HEAD", &line).await.map_err(failed)?;
                        told.push(format!("the head of run {id} is in the note of commit {commit}"));
                    }
                    Err(error) => return Err(failed(error)),
                }
            }
            ProofAnchor::Trailer if moment == AnchorMoment::Adopted => {
                if is_kept(&folder, &line).await {
                    continue;
                }
                let subject = format!("Adopt the work of run {id}");
                let commit = add_trailer(&folder, &subject, &line).await.map_err(failed)?;
                told.push(format!("the head of run {id} is in the trailer of commit {commit}"));
            }
            ProofAnchor::Trailer => {}
        }
    }
    Ok(told)
}

/// The same, told to whoever looks on. A run is not undone because its head cannot be kept elsewhere.
pub async fn tell(project: &Project, run: &Run, moment: AnchorMoment) {
    match write(project, run, moment).await {
        Ok(lines) => lines.iter().for_each(|line| project.console.say(line)),
        Err(error) => project.console.note(&error.to_string()),
    }
}

/// Every hash that somebody keeps here of a run. What cannot be read keeps nothing.
pub async fn found(project: &Project) -> Vec<AnchorFound> {
    let path = file(project);
    let text = fs::read_to_string(&path).unwrap_or_default();
    let mut found: Vec<AnchorFound> =
        text.lines().filter_map(|line| parse(line, &path.display().to_string())).collect();
    let lines = kept_lines(&project.workspace()).await.unwrap_or_default();
    found.extend(lines.iter().filter_map(|line| parse(&line.text, &line.place)));
    found
}

/// `RUN SEQ HASH`.
fn parse(line: &str, place: &str) -> Option<AnchorFound> {
    let mut words = line.split_whitespace();
    let (run, seq, hash) = (words.next()?, words.next()?, words.next()?);
    seq.parse::<u64>().ok()?;
    Some(AnchorFound { run: RunId(run.parse().ok()?), head: Digest::parse(hash)?, kept: place.to_owned() })
}

fn file(project: &Project) -> PathBuf {
    project.root().join(&project.config().proof.file)
}

/// Adds a line to a file, if it does not have it. Whether it was added.
fn add_line(path: &Path, line: &str) -> Result<bool, AppError> {
    let mut text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => {
            return Err(AppError::environment(format!("cannot read {}: {error}", path.display()), None));
        }
    };
    if text.lines().any(|known| known == line) {
        return Ok(false);
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(line);
    text.push('\n');
    atomic::write(path, text.as_bytes())?;
    Ok(true)
}

async fn is_kept(folder: &Path, line: &str) -> bool {
    kept_lines(folder).await.unwrap_or_default().iter().any(|kept| kept.text == line)
}
