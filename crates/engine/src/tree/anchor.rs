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

/// What git keeps here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeptLines {
    pub lines: Vec<KeptLine>,
    /// What is there and cannot be read, and why.
    pub unread: Vec<String>,
}

/// A line that git keeps, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptLine {
    /// For people: `the note of commit 1a2b3c`.
    pub place: String,
    pub keeper: Keeper,
    /// What it says, without its key.
    pub text: String,
}

/// What keeps a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeper {
    Note,
    Trailer,
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

/// Every line that git keeps here, in notes and in trailers of all branches. Nothing, where there is no repository; a
/// repository that git refuses to read is an error: what is kept there may say that a log was changed.
pub async fn kept_lines(folder: &Path) -> Result<KeptLines, TreeError> {
    let is_repository = |folder: &Path| folder.join(".git").symlink_metadata().is_ok();
    if !std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()).ancestors().any(is_repository) {
        return Ok(KeptLines::default());
    }
    let git = Git::at(folder);
    let asked = git.try_call(&["rev-parse", "--git-dir"], &[]).await?;
    if asked.code != 0 {
        // Its last line is what to do about it.
        let told = asked.stderr.lines().find(|line| line.starts_with("fatal:")).unwrap_or(asked.stderr.trim());
        return Err(TreeError::Git { doing: "rev-parse".into(), told: told.to_owned() });
    }
    let mut kept = KeptLines::default();
    if let Err(error) = notes(&git, &mut kept).await {
        kept.unread.push(format!("refs/notes/{NOTES}: {error}"));
    }
    if let Err(error) = trailers(&git, &mut kept).await {
        kept.unread.push(format!("the trailers of commits: {error}"));
    }
    Ok(kept)
}

async fn notes(git: &Git, kept: &mut KeptLines) -> Result<(), TreeError> {
    let there = git.try_call(&["for-each-ref", "--format=%(refname)", &format!("refs/notes/{NOTES}")], &[]).await?;
    // A name of which git makes nothing is there all the same.
    if there.code != 0 || (there.stdout.is_empty() && !there.stderr.trim().is_empty()) {
        return Err(there.into_error(&["for-each-ref"]));
    }
    if there.stdout.is_empty() {
        return Ok(());
    }
    let list = git.call(&["notes", "--ref", NOTES, "list"], &[]).await?;
    let list = String::from_utf8_lossy(&list).into_owned();
    for (number, line) in list.lines().enumerate() {
        if number == MOST_COMMITS {
            kept.unread.push(format!("refs/notes/{NOTES}: there are more than {MOST_COMMITS} notes"));
            break;
        }
        let Some((note, commit)) = line.split_once(' ') else { continue };
        let place = format!("the note of commit {}", short(commit));
        match git.call(&["cat-file", "blob", note], &[]).await {
            Ok(text) => kept.lines.extend(lines(&String::from_utf8_lossy(&text), &place, Keeper::Note)),
            Err(error) => kept.unread.push(format!("{place}: {error}")),
        }
    }
    Ok(())
}

async fn trailers(git: &Git, kept: &mut KeptLines) -> Result<(), TreeError> {
    let (key, most) = (format!("--grep=^{TRAILER}:"), format!("--max-count={MOST_COMMITS}"));
    let log = git.call(&["log", "--all", &key, &most, "--format=%H%x00%B%x01"], &[]).await?;
    let text = String::from_utf8_lossy(&log).into_owned();
    for commit in text.split('\u{1}') {
        let Some((commit, message)) = commit.split_once('\0') else { continue };
        let place = format!("commit {}", short(commit.trim()));
        kept.lines.extend(lines(message, &place, Keeper::Trailer));
    }
    Ok(())
}

/// What the lines with the key say.
fn lines(text: &str, place: &str, keeper: Keeper) -> Vec<KeptLine> {
    let key = format!("{TRAILER}:");
    let found = text.lines().filter_map(|line| line.trim().strip_prefix(&key));
    found.map(|text| KeptLine { place: place.to_owned(), keeper, text: text.trim().to_owned() }).collect()
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
