//! What a person means by a change: commits, a branch, or what is not committed yet.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::error::TreeError;
use super::git::Git;
use super::history::History;
use super::worktree;
use crate::temporary::{FolderUse, TemporaryFolder};

/// Branches that others are held against, where the remote does not say which.
const MAIN: [&str; 4] = ["origin/main", "origin/master", "main", "master"];
/// What a change that is not committed is called.
const UNCOMMITTED: &str = "uncommitted changes";
/// The same on top of commits that the main branch does not have.
const BRANCH_AND_UNCOMMITTED: &str = "branch with uncommitted changes";

/// What somebody changed since a commit that was noted.
const SINCE: &str = "changes since the session began";

/// So many messages of commits are read: the newest ones.
const MOST_MESSAGES: usize = 100;

/// A change: what it is held against, and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedChange {
    /// For people.
    pub name: String,
    /// A commit.
    pub base: String,
    /// A commit, or the tree of what is not committed.
    pub head: String,
}

impl NamedChange {
    /// The change that `range` names: `A..B`, `A...B` (from where they parted), or a branch (from where it left the main one).
    /// Without one: what is not committed with what the branch has of its own, or else the branch that is checked out.
    /// Nothing of the user's is touched; `aside` are paths that are not part of any change.
    pub async fn of(project: &Path, range: Option<&str>, aside: &[&str]) -> Result<Self, TreeError> {
        let project = project.canonicalize().map_err(TreeError::io(project))?;
        let found = worktree::find(&project).await;
        let (place, head) = found.map_err(no_place)?;
        let history = History::of(Git::at(&place.top)).await?;
        let git = history.git.clone();
        let named = range.map(str::trim).filter(|range| !range.is_empty());
        match named.map(|range| (range, range.split_once("...").map(|ends| (ends, true)))) {
            Some((range, Some(((from, to), _)))) => {
                let (from, to) = (commit(&git, or_head(from)).await?, commit(&git, or_head(to)).await?);
                let base = parting(&git, &from, &to).await?;
                Ok(Self { name: range.to_owned(), base, head: to })
            }
            Some((range, None)) => match range.split_once("..") {
                Some((from, to)) => {
                    let (base, head) = (commit(&git, or_head(from)).await?, commit(&git, or_head(to)).await?);
                    Ok(Self { name: range.to_owned(), base, head })
                }
                None => Self::of_branch(&git, range, &commit(&git, range).await?).await,
            },
            None => {
                let tree = snapshot(&git, &head, aside).await?;
                if tree == tree_of(&git, &head).await? {
                    return Self::of_branch(&git, "HEAD", &head).await;
                }
                let base = left_main(&git, &head).await?.unwrap_or_else(|| head.clone());
                let name = if base == head { UNCOMMITTED } else { BRANCH_AND_UNCOMMITTED };
                Ok(Self { name: name.to_owned(), base, head: tree })
            }
        }
    }

    /// The change that [`Self::of`] names without a range, if somebody is at work here: nothing where the checkout is what the
    /// main branch has.
    pub async fn at_work(project: &Path, aside: &[&str]) -> Result<Option<Self>, TreeError> {
        let change = match Self::of(project, None, aside).await {
            // A repository with nothing but its first commit, and that as it was.
            Err(TreeError::NoCommit { .. } | TreeError::Shallow) => return Ok(None),
            change => change?,
        };
        let top = worktree::find(&project.canonicalize().map_err(TreeError::io(project))?).await;
        let (place, head) = top.map_err(no_place)?;
        let history = History::of(Git::at(&place.top)).await?;
        let git = history.git.clone();
        let is_last_commit = change.head == head && left_main(&git, &head).await?.is_none();
        let is_same = tree_of(&git, &change.base).await? == tree_of(&git, &change.head).await?;
        Ok(Some(change).filter(|_| !is_last_commit && !is_same))
    }

    /// What is in the checkout, against the last commit that it shares with `main`: a commit that was noted before, so that it
    /// does not matter what the main branch is called, or was moved to, since.
    pub async fn since(project: &Path, main: &str, aside: &[&str]) -> Result<Self, TreeError> {
        let project = project.canonicalize().map_err(TreeError::io(project))?;
        let (place, head) = worktree::find(&project).await.map_err(no_place)?;
        let history = History::of(Git::at(&place.top)).await?;
        let git = &history.git;
        let unrelated = |_| TreeError::Unrelated { main: main.to_owned() };
        let base = parting(git, main, &head).await.map_err(unrelated)?;
        let tree = snapshot(git, &head, aside).await?;
        let head = if tree == tree_of(git, &head).await? { head } else { tree };
        Ok(Self { name: SINCE.to_owned(), base, head })
    }

    /// The same, if there is a change.
    pub async fn at_work_since(project: &Path, main: &str, aside: &[&str]) -> Result<Option<Self>, TreeError> {
        let change = Self::since(project, main, aside).await?;
        let git = Git::at(project);
        let is_same = tree_of(&git, &change.base).await? == tree_of(&git, &change.head).await?;
        Ok(Some(change).filter(|_| !is_same))
    }

    /// The commit that work in this folder is held against: the main branch, or else what is checked out.
    pub async fn held_against(folder: &Path) -> Option<String> {
        let git = Git::at(folder);
        match main_branch(&git).await.ok()? {
            Some(main) => Some(main),
            None => commit(&git, "HEAD").await.ok(),
        }
    }

    /// The top of the repository that a folder is in.
    pub async fn top(folder: &Path) -> Option<PathBuf> {
        let top = Git::at(folder).line(&["rev-parse", "--path-format=absolute", "--show-toplevel"]).await.ok()?;
        PathBuf::from(top).canonicalize().ok().filter(|top| worktree::is_in(folder, top))
    }

    /// A file of the project as the change found it, and as it leaves it; nothing where there is none.
    pub async fn file(&self, project: &Path, path: &str) -> Result<[Option<String>; 2], TreeError> {
        let git = Git::at(project);
        let mut sides = [None, None];
        for (side, tree) in sides.iter_mut().zip([&self.base, &self.head]) {
            let shown = git.try_call(&["show", &format!("{tree}:./{path}")], &[]).await?;
            *side = (shown.code == 0).then(|| String::from_utf8_lossy(&shown.stdout).into_owned());
        }
        Ok(sides)
    }

    /// The paths that are new, other or gone, from the top of the repository.
    pub async fn paths(&self, top: &Path) -> Result<BTreeSet<String>, TreeError> {
        let args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", &self.base, &self.head];
        let told = Git::at(top).call(&args, &[]).await?;
        let paths = told.split(|byte| *byte == 0).map(|path| String::from_utf8_lossy(path).into_owned());
        Ok(paths.filter(|path| !path.is_empty()).collect())
    }

    /// Whether a file is kept out of the repository by a `.gitignore` that the change found there and left as it was.
    pub async fn found_ignored(&self, top: &Path, path: &str) -> Result<bool, TreeError> {
        let told = Git::at(top).try_call(&["check-ignore", "--verbose", "--", path], &[]).await?;
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        let Some((by, _)) = told.split_once(':').filter(|(by, _)| by.ends_with(".gitignore")) else { return Ok(false) };
        Ok(matches!(self.file(top, by).await?, [Some(before), Some(after)] if before == after))
    }

    /// What its commits say of themselves, the oldest first. Nothing of what is not committed.
    pub async fn messages(&self, project: &Path) -> Result<Vec<String>, TreeError> {
        let git = Git::at(project);
        let is_tree = git.line(&["cat-file", "-t", &self.head]).await? == "tree";
        let commits = format!("{}..{}", self.base, if is_tree { "HEAD" } else { &self.head });
        let most = format!("--max-count={MOST_MESSAGES}");
        let args = ["log", "--reverse", "--no-merges", "--no-show-signature", "--format=%B%x00", &most, &commits, "--"];
        let told = git.call(&args, &[]).await?;
        let messages = told.split(|byte| *byte == 0).map(|message| String::from_utf8_lossy(message).trim().to_owned());
        Ok(messages.filter(|message| !message.is_empty()).collect())
    }

    /// A branch against the main one: from where it left that. On the main branch itself, its last commit.
    async fn of_branch(git: &Git, name: &str, head: &str) -> Result<Self, TreeError> {
        let base = match left_main(git, head).await? {
            Some(base) => base,
            // A first commit comes from nowhere: there is no change in it yet.
            None => match commit(git, &format!("{head}^")).await {
                Err(TreeError::NoCommit { .. }) if is_shallow(git).await? => return Err(TreeError::Shallow),
                Err(TreeError::NoCommit { .. }) => head.to_owned(),
                found => found?,
            },
        };
        Ok(Self { name: name.to_owned(), base, head: head.to_owned() })
    }
}

fn no_place(told: String) -> TreeError {
    if told == worktree::NO_COMMIT_YET {
        return TreeError::NoCommitYet;
    }
    if told == worktree::ELSEWHERE {
        return TreeError::Elsewhere;
    }
    if told == worktree::BARE {
        return TreeError::Bare;
    }
    TreeError::Git { doing: "rev-parse".to_owned(), told }
}

async fn is_shallow(git: &Git) -> Result<bool, TreeError> {
    Ok(git.line(&["rev-parse", "--is-shallow-repository"]).await? == "true")
}

fn or_head(name: &str) -> &str {
    if name.is_empty() { "HEAD" } else { name }
}

async fn commit(git: &Git, name: &str) -> Result<String, TreeError> {
    let wanted = format!("{name}^{{commit}}");
    let found = git.line(&["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted]).await;
    found.map_err(|_| TreeError::NoCommit { name: name.to_owned() })
}

async fn tree_of(git: &Git, name: &str) -> Result<String, TreeError> {
    git.line(&["rev-parse", &format!("{name}^{{tree}}")]).await
}

/// Where a commit left the main branch; nothing if it is on it, there is none, or they have nothing in common.
async fn left_main(git: &Git, head: &str) -> Result<Option<String>, TreeError> {
    match main_branch(git).await? {
        Some(main) => Ok(parting(git, &main, head).await.ok().filter(|base| base != head)),
        None => Ok(None),
    }
}

async fn parting(git: &Git, one: &str, other: &str) -> Result<String, TreeError> {
    git.line(&["merge-base", one, other]).await
}

async fn main_branch(git: &Git) -> Result<Option<String>, TreeError> {
    let remote = git.try_call(&["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"], &[]).await?;
    let remote = String::from_utf8_lossy(&remote.stdout).trim().to_owned();
    for name in std::iter::once(remote.as_str()).chain(MAIN).filter(|name| !name.is_empty()) {
        if let Ok(found) = commit(git, name).await {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// What is in the user's checkout now, as a tree: with an index of its own, so that theirs stays as it is.
async fn snapshot(git: &Git, head: &str, aside: &[&str]) -> Result<String, TreeError> {
    let folder = TemporaryFolder::make(FolderUse::Git);
    let folder = folder.map_err(TreeError::io(&PathBuf::from("a temporary folder")))?;
    let git = git.clone().with_index(&folder.path().join("index"));
    git.call(&["read-tree", head], &[]).await?;
    git.call(&["add", "--all"], &[]).await?;
    let mut args = ["rm", "-r", "--cached", "--quiet", "--ignore-unmatch", "--"].map(str::to_owned).to_vec();
    args.extend(aside.iter().map(|path| format!(":(top){path}")));
    git.call(&args, &[]).await?;
    git.line(&["write-tree"]).await
}
