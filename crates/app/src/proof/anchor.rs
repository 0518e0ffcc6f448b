//! The hash that a log ends with, where others keep it: whoever rewrites the log then cannot rewrite that.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tribunal_config::ProofAnchor;
use tribunal_engine::tree::anchor::{Keeper, TRAILER, add_note, add_trailer, kept_lines};
use tribunal_kernel::judge::judge_of;
use tribunal_kernel::text::head;
use tribunal_kernel::{Digest, Run, RunId};
use tribunal_store::atomic;

use crate::error::AppError;
use crate::project::Project;

/// What some editors begin a file with.
const MARK: &[u8] = "\u{feff}".as_bytes();
/// So much of a line that is no head is shown.
const MAX_TOLD: usize = 100;

/// A hash that somebody keeps of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnchorFound {
    pub run: RunId,
    pub head: Digest,
    /// Where it is kept, for people.
    pub kept: String,
}

/// Every hash that is kept here, and what cannot be read of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnchorsFound {
    pub anchors: Vec<AnchorFound>,
    /// What is kept and says nothing that could be compared: whoever changed a log may have seen to that.
    pub problems: Vec<String>,
    /// What may or may not be a hash that somebody keeps.
    pub notes: Vec<String>,
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
                if is_kept(&folder, &line, Keeper::Note).await {
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
                if is_kept(&folder, &line, Keeper::Trailer).await {
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

/// Every hash that somebody keeps here of a run. What is there and cannot be read is said: it is not the same as nothing.
pub async fn found(project: &Project) -> AnchorsFound {
    let mut found = AnchorsFound::default();
    let path = file(project);
    match fs::read(&path) {
        Ok(bytes) => found.take_file(&bytes, &path.display().to_string()),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => found.problems.push(format!("the heads in {} cannot be read: {error}", path.display())),
    }
    match kept_lines(&project.workspace()).await {
        Ok(kept) => {
            found
                .problems
                .extend(kept.unread.into_iter().map(|why| format!("heads that git keeps cannot be read: {why}")));
            for line in kept.lines {
                match (parse(&line.text, &line.place), line.keeper) {
                    (Some(anchor), _) => found.anchors.push(anchor),
                    (None, Keeper::Note) => found.problems.push(no_head(&line.place, &line.text)),
                    // Anybody's words about trailers may stand in a message, and stay there.
                    (None, Keeper::Trailer) => found.notes.push(no_head(&line.place, &line.text)),
                }
            }
        }
        Err(error) => {
            let is_configured = project.config().proof.anchor.iter().any(|anchor| *anchor != ProofAnchor::File);
            let why = format!("whether git keeps heads of runs here cannot be told: {error}");
            if is_configured { &mut found.problems } else { &mut found.notes }.push(why);
        }
    }
    found
}

impl AnchorsFound {
    /// Reads a file of heads, a line each. Blank lines and comments say nothing.
    fn take_file(&mut self, bytes: &[u8], place: &str) {
        let bytes = bytes.strip_prefix(MARK).unwrap_or(bytes);
        for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
            let line = String::from_utf8_lossy(line);
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let key = line.strip_prefix(TRAILER).and_then(|line| line.strip_prefix(':'));
            match parse(key.unwrap_or(line), place) {
                Some(anchor) => self.anchors.push(anchor),
                None => self.problems.push(no_head(&format!("line {number} of {place}"), line)),
            }
        }
    }
}

fn no_head(place: &str, line: &str) -> String {
    format!("{place} is no head of a run, `RUN EVENTS HASH`: {}", head(line, MAX_TOLD))
}

/// `RUN SEQ HASH`.
fn parse(line: &str, place: &str) -> Option<AnchorFound> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [run, seq, hash] = words.as_slice() else { return None };
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
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
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

async fn is_kept(folder: &Path, line: &str, keeper: Keeper) -> bool {
    let kept = kept_lines(folder).await.unwrap_or_default();
    kept.lines.iter().any(|kept| kept.keeper == keeper && kept.text == line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_head_is_said_and_hides_no_other() {
        let (run, hash) = ("01900000-0000-7000-8000-000000000001", "ab".repeat(32));
        let good = format!("{run} 7 {hash}");
        let rows: [(&str, Vec<u8>, usize, usize); 9] = [
            ("plain", format!("{good}\n").into(), 1, 0),
            ("a mark of the encoding", [MARK, good.as_bytes()].concat(), 1, 0),
            ("with the key of a note", format!("{TRAILER}: {good}\n").into(), 1, 0),
            ("blank lines, a comment, line ends of Windows", format!("\r\n# heads\n{good}\r\n\n").into(), 1, 0),
            ("a digit short", format!("{run} 7 {}\n", &hash[1..]).into(), 0, 1),
            ("no number", format!("{run} seven {hash}\n").into(), 0, 1),
            ("something behind it", format!("{good} not any more\n").into(), 0, 1),
            ("no text beside it", [good.as_bytes(), b"\n\xff\n", good.as_bytes()].concat(), 2, 1),
            ("nothing", Vec::new(), 0, 0),
        ];
        for (what, bytes, anchors, problems) in rows {
            let mut found = AnchorsFound::default();
            found.take_file(&bytes, "heads.txt");
            assert_eq!((found.anchors.len(), found.problems.len()), (anchors, problems), "{what}: {found:?}");
        }
    }
}
