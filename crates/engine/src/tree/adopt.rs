//! The work, taken over into the user's checkout. Everything is checked before anything is touched.

use super::error::TreeError;
use super::git::{Git, fields};
use super::worktree::Worktree;

/// What was done to the user's checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Adopted {
    /// There was nothing new.
    Nothing,
    /// The user's branch simply went on.
    FastForward { to: String },
    /// Both had gone on: a commit with two parents.
    Merged { to: String },
    /// Without git: so many files were written or removed.
    Copied { files: usize },
}

impl Worktree {
    pub(super) async fn adopt(&self) -> Result<Adopted, TreeError> {
        let user = Git::at(&self.place.top);
        let ours = &self.state.head;
        self.check_at_rest(&user).await?;
        if user.try_call(&["symbolic-ref", "--quiet", "HEAD"], &[]).await?.code != 0 {
            return Err(TreeError::NoBranch);
        }
        let theirs = user.line(&["rev-parse", "--verify", "HEAD^{commit}"]).await?;
        if self.is_ancestor(ours, &theirs).await? {
            return Ok(Adopted::Nothing);
        }
        if self.is_ancestor(&theirs, ours).await? {
            self.go_on(&user, &theirs, ours).await?;
            return Ok(Adopted::FastForward { to: ours.clone() });
        }
        let to = self.merge(&theirs, ours).await?;
        self.go_on(&user, &theirs, &to).await?;
        Ok(Adopted::Merged { to })
    }

    /// Whether the user's checkout has it all.
    pub(super) async fn is_adopted(&self) -> Result<bool, TreeError> {
        let theirs = Git::at(&self.place.top).line(&["rev-parse", "--verify", "HEAD^{commit}"]).await?;
        self.is_ancestor(&self.state.head, &theirs).await
    }

    async fn is_ancestor(&self, older: &str, newer: &str) -> Result<bool, TreeError> {
        let args = ["merge-base", "--is-ancestor", older, newer];
        let said = self.books().try_call(&args, &[]).await?;
        match said.code {
            0 => Ok(true),
            1 => Ok(false),
            _ => Err(said.into_error(&args)),
        }
    }

    /// A merge in no checkout at all.
    async fn merge(&self, theirs: &str, ours: &str) -> Result<String, TreeError> {
        let args = ["merge-tree", "--write-tree", "--no-messages", "--name-only", "-z", theirs, ours];
        let said = self.books().try_call(&args, &[]).await?;
        if 1 < said.code {
            return Err(said.into_error(&args));
        }
        let mut found = fields(&said.stdout);
        let tree = String::from_utf8_lossy(found.next().unwrap_or_default()).into_owned();
        if said.code == 1 {
            return Err(TreeError::Conflict { files: found.map(|path| self.seen_from_project(path)).collect() });
        }
        let message = format!("Merge branch '{}'\n", self.branch);
        let books = self.books().with_identity().await?;
        let made = books.call(&["commit-tree", &tree, "-p", theirs, "-p", ours, "-F", "-"], message.as_bytes()).await?;
        Ok(String::from_utf8_lossy(&made).trim_end().to_owned())
    }

    /// Moves the user's branch and checkout. Git refuses when a file that would change is not as it was committed, and
    /// then has touched nothing; what it ignores it would take away, so that is looked at before, and git is told as well
    /// for what comes in between.
    async fn go_on(&self, user: &Git, from: &str, to: &str) -> Result<(), TreeError> {
        self.keep_clear(user, from, to).await?;
        let args = ["merge", "--ff-only", "--no-overwrite-ignore", "--no-stat", "--quiet", "--no-autostash", to];
        let said = user.try_call(&args, &[]).await?;
        if said.code == 0 {
            return Ok(());
        }
        let listed = said.stderr.lines().filter_map(|line| line.strip_prefix('\t'));
        let files: Vec<String> = listed.map(|path| self.seen_from_project(path.as_bytes())).collect();
        if files.is_empty() {
            return Err(said.into_error(&args));
        }
        let is_unknown = said.stderr.contains("untracked");
        Err(if is_unknown { TreeError::InTheWay { files } } else { TreeError::Dirty { files } })
    }
}
