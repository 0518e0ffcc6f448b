//! Hashes of logs that git keeps: notes, and trailers of commits.

use std::path::Path;

use super::error::TreeError;
use super::git::Git;

/// Where the notes are kept: `refs/notes/tribunal`.
const NOTES: &str = "tribunal";
/// The trailer that has the hash.
pub const TRAILER: &str = "Tribunal-Head";
/// So many commits with a note or a trailer are looked at, the newest first.
const MOST_COMMITS: usize = 10_000;

/// A line that git keeps, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptLine {
    /// For people: `the note of commit 1a2b3c`.
    pub place: String,
    /// What it says, without its key.
    pub text: String,
}

/// Adds a line to the note of a commit. Gives the commit.
pub async fn add_note(folder: &Path, commit: &str, line: &str) -> Result<String, TreeError> {
    let git = Git::at(folder).with_identity().await?;
    let commit = git.line(&["rev-parse", "--verify", "--end-of-options", &format!("{commit}^{{commit}}")]).await?;
    let line = format!("{TRAILER}: {line}");
    git.call(&["notes", "--ref", NOTES, "append", "-m", &line, &commit], &[]).await?;
    Ok(commit)
}

/// Adds a commit that changes nothing and has the line as its trailer. What is staged stays staged. Gives the commit.
pub async fn add_trailer(folder: &Path, subject: &str, line: &str) -> Result<String, TreeError> {
    let git = Git::at(folder).with_identity().await?;
    let message = format!("{subject}\n\n{TRAILER}: {line}\n");
    git.call(&["commit", "--allow-empty", "--only", "--quiet", "--message", &message], &[]).await?;
    git.line(&["rev-parse", "HEAD"]).await
}

/// Every line that git keeps here, in notes and in trailers of all branches.
pub async fn kept_lines(folder: &Path) -> Result<Vec<KeptLine>, TreeError> {
    let git = Git::at(folder);
    let mut found = Vec::new();
    let notes = git.try_call(&["notes", "--ref", NOTES, "list"], &[]).await?;
    if notes.code == 0 {
        let list = String::from_utf8_lossy(&notes.stdout).into_owned();
        for line in list.lines().take(MOST_COMMITS) {
            let Some((note, commit)) = line.split_once(' ') else { continue };
            let text = git.call(&["cat-file", "blob", note], &[]).await?;
            let place = format!("the note of commit {}", short(commit));
            found.extend(lines(&String::from_utf8_lossy(&text), &place));
        }
    }
    let (key, most) = (format!("--grep=^{TRAILER}: "), format!("--max-count={MOST_COMMITS}"));
    let log = git.try_call(&["log", "--all", &key, &most, "--format=%H%x00%B%x01"], &[]).await?;
    if log.code == 0 {
        let text = String::from_utf8_lossy(&log.stdout).into_owned();
        for commit in text.split('\u{1}') {
            let Some((commit, message)) = commit.split_once('\0') else { continue };
            found.extend(lines(message, &format!("commit {}", short(commit.trim()))));
        }
    }
    Ok(found)
}

/// What the lines with the key say.
fn lines(text: &str, place: &str) -> Vec<KeptLine> {
    let key = format!("{TRAILER}: ");
    let found = text.lines().filter_map(|line| line.trim().strip_prefix(&key));
    found.map(|text| KeptLine { place: place.to_owned(), text: text.trim().to_owned() }).collect()
}

fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

/// What a name means to git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedCommit {
    /// Nothing, if it is a tree that nobody committed.
    pub commit: Option<String>,
    pub tree: String,
}

/// The commit and the tree that somebody means.
pub async fn named_commit(folder: &Path, name: &str) -> Result<NamedCommit, TreeError> {
    let git = Git::at(folder);
    let resolve = async |kind: &str| {
        let name = format!("{name}^{{{kind}}}");
        git.line(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name]).await
    };
    let tree = resolve("tree").await.map_err(|_| TreeError::NoCommit { name: name.to_owned() })?;
    Ok(NamedCommit { commit: resolve("commit").await.ok(), tree })
}
