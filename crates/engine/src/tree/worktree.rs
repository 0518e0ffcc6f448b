//! The work in a folder, and in commits of the user's repository.
//!
//! Our commits are made with the user's repository and an index of ours. What an agent has in its folder is a repository of
//! its own (`borrowed`), which nobody else asks. The last good commit is what [`TreeState`] says.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::borrowed::Borrowed;
use super::commit::{Checkout, Commit, Tip, TreeChange};
use super::error::TreeError;
use super::folder;
use super::git::{Git, fields};
use super::inside::parts;
use super::reader::{self, CommitReader};
use super::state::{RepoPlace, TreeState};

#[derive(Debug)]
pub(super) struct Worktree {
    pub(super) home: PathBuf,
    pub(super) branch: String,
    pub(super) place: RepoPlace,
    pub(super) state: TreeState,
    /// As seen from the top of the repository.
    pub(super) aside: Vec<PathBuf>,
    pub(super) root: PathBuf,
}

/// Why a repository without commits cannot be used.
pub(super) const NO_COMMIT_YET: &str = "the repository has no commit yet";
/// Why one that stands for another folder cannot be used.
pub(super) const BARE: &str = "git takes the project's folder for a repository without files: its `core.bare` is set";
/// What is told where git was made to look elsewhere.
pub(super) const ELSEWHERE: &str = "git looks at another folder than this one: its `core.worktree` leads there";

/// Where the project is in its repository, and what HEAD is there. Why not, where it cannot be used.
pub(super) async fn find(project: &Path) -> Result<(RepoPlace, String), String> {
    let git = Git::at(project);
    let told = not_seen;
    let absolute = |what: &'static str| ["rev-parse", "--path-format=absolute", what];
    let top = PathBuf::from(git.line(&absolute("--show-toplevel")).await.map_err(told)?);
    if !is_in(project, &top) {
        return Err(ELSEWHERE.to_owned());
    }
    let common = PathBuf::from(git.line(&absolute("--git-common-dir")).await.map_err(told)?);
    let prefix = PathBuf::from(git.line(&["rev-parse", "--show-prefix"]).await.map_err(told)?);
    let head = git.line(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).await;
    let head = head.map_err(|_| NO_COMMIT_YET.to_owned())?;
    let folder = format!("{head}:{}", prefix.display());
    if git.call(&["cat-file", "-e", &folder], &[]).await.is_err() {
        return Err("the project's folder is not in the repository's last commit".to_owned());
    }
    Ok((RepoPlace { top, common, prefix, admin: None }, head))
}

/// Why git does not see the project, in its own words where it says more than that nothing is there.
fn not_seen(error: TreeError) -> String {
    match error {
        TreeError::Git { told, .. } if told.contains("must be run in a work tree") => BARE.to_owned(),
        TreeError::Git { told, .. } if !told.contains("not a git repository") => {
            format!("git cannot read the repository: {told}")
        }
        _ => "the project is not in a git repository, or git is not installed".to_owned(),
    }
}

/// Whether a folder is in a work tree, as far as that can be seen.
pub(super) fn is_in(folder: &Path, top: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real(folder).starts_with(real(top))
}

/// Where the repository is now: a project that was moved or copied has its own with it. One that does not know the work
/// is not the same repository, and is left alone.
pub(super) async fn follow(project: &Path, known: RepoPlace, head: &str) -> RepoPlace {
    let Ok((found, _)) = find(project).await else { return known };
    let commit = format!("{head}^{{commit}}");
    let knows_work = Git::at(&found.common).call(&["cat-file", "-e", &commit], &[]).await.is_ok();
    if found.common == known.common || !knows_work {
        return known;
    }
    let books = known.admin.as_deref().and_then(Path::file_name).map(|name| found.common.join("worktrees").join(name));
    RepoPlace { admin: books, ..found }
}

impl Worktree {
    pub(super) async fn begin(
        home: &Path,
        branch: &str,
        aside: &[String],
        place: RepoPlace,
        head: String,
    ) -> Result<Self, TreeError> {
        let state = TreeState { base: head.clone(), head, left_behind: 0, repo: Some(place.clone()), is_ready: false };
        let mut tree = Self::new(home, branch, aside, place, state)?;
        let reference = tree.reference();
        if tree.books().try_call(&["show-ref", "--verify", "--quiet", &reference], &[]).await?.code == 0 {
            return Err(TreeError::BranchTaken { branch: branch.to_owned() });
        }
        let mut args: Vec<OsString> =
            ["status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=all", "--"].map(Into::into).into();
        args.extend(tree.everything_but_aside(&tree.place.top));
        let dirty = Git::at(&tree.place.top).call(&args, &[]).await?;
        tree.state.left_behind = fields(&dirty).count();
        tree.state.save(home)?;
        tree.resume().await?;
        Ok(tree)
    }

    pub(super) fn new(
        home: &Path,
        branch: &str,
        aside: &[String],
        place: RepoPlace,
        state: TreeState,
    ) -> Result<Self, TreeError> {
        let mut kept = Vec::new();
        for path in aside {
            kept.push(place.prefix.join(parts(path)?.join("/")));
        }
        let state = TreeState { repo: Some(place.clone()), ..state };
        Ok(Self { home: home.into(), branch: branch.into(), place, state, aside: kept, root: home.join("work") })
    }

    /// Makes everything as the state says it is, whatever is there.
    pub(super) async fn resume(&mut self) -> Result<(), TreeError> {
        for lock in [self.place.common.join(format!("{}.lock", self.reference())), self.index().with_extension("lock")]
        {
            folder::remove(&lock)?;
        }
        self.point_branch().await?;
        if !self.state.is_ready {
            // An earlier leader was killed in the middle of this, or there was none.
            folder::remove(&self.root)?;
            self.restore(&self.state.head).await?;
            self.settle().await?;
            self.state.is_ready = true;
            self.state.save(&self.home)?;
        } else if !self.has_folder() {
            self.restore(&self.state.head).await?;
            self.settle().await?;
        } else {
            self.read_index().await?;
            self.settle().await?;
        }
        self.part()
    }

    /// A work tree that an earlier release linked to the user's repository is linked no more.
    fn part(&mut self) -> Result<(), TreeError> {
        let Some(admin) = self.place.admin.take() else { return Ok(()) };
        if admin.starts_with(self.place.common.join("worktrees")) {
            folder::remove(&admin)?; // not `git worktree prune`, which would go for the user's own as well
            // With the last of them the folder goes; one that is not empty stays.
            let _ = fs::remove_dir(self.place.common.join("worktrees"));
        }
        self.state.repo = Some(self.place.clone());
        self.state.save(&self.home)
    }

    /// Whether the work tree is there, and is no link to somewhere else.
    pub(super) fn has_folder(&self) -> bool {
        fs::symlink_metadata(&self.root).is_ok_and(|found| found.is_dir())
    }

    pub(super) fn work(&self) -> PathBuf {
        self.root.join(&self.place.prefix)
    }

    pub(super) async fn commit(&mut self, tree: String, message: &str) -> Result<Commit, TreeError> {
        let books = self.books();
        let head = self.state.head.clone();
        if books.line(&["rev-parse", &format!("{head}^{{tree}}")]).await? == tree {
            self.settle().await?;
            return Ok(Commit { id: head, tree, changed: Vec::new(), is_empty: true });
        }
        let books = books.with_identity().await?;
        let args = ["commit-tree", &tree, "-p", &head, "-F", "-"];
        let id = String::from_utf8_lossy(&books.call(&args, message.as_bytes()).await?).trim_end().to_owned();
        let changed = self.changes(&head, &id).await?;
        self.move_to(id.clone()).await?;
        Ok(Commit { id, tree, changed, is_empty: false })
    }

    /// The last good commit: what it says of itself.
    pub(super) async fn tip(&self) -> Result<Tip, TreeError> {
        let id = self.state.head.clone();
        let raw = self.books().call(&["cat-file", "commit", &id], &[]).await?;
        let raw = String::from_utf8_lossy(&raw);
        let (head, message) = raw.split_once("\n\n").unwrap_or((&raw, ""));
        let line = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
        let tree = line("tree ").unwrap_or_default();
        Ok(Tip { id, tree, parent: line("parent "), message: message.to_owned() })
    }

    /// The last good commit with other words: what is known of it came later than it did.
    pub(super) async fn reword(&mut self, message: &str) -> Result<String, TreeError> {
        let (head, base) = (self.state.head.clone(), self.state.base.clone());
        if head == base {
            return Ok(head); // it is the user's
        }
        let books = self.books().with_identity().await?;
        let tree = books.line(&["rev-parse", &format!("{head}^{{tree}}")]).await?;
        let parent = books.line(&["rev-parse", &format!("{head}^1")]).await?;
        let args = ["commit-tree", &tree, "-p", &parent, "-F", "-"];
        let id = String::from_utf8_lossy(&books.call(&args, message.as_bytes()).await?).trim_end().to_owned();
        self.move_to(id.clone()).await?;
        Ok(id)
    }

    pub(super) async fn roll_back(&mut self, to: &str) -> Result<(), TreeError> {
        let to = self.resolve(to).await?;
        self.restore(&to).await?;
        self.move_to(to).await
    }

    pub(super) async fn checkout(&self, commit: &str, root: PathBuf) -> Result<Checkout, TreeError> {
        let commit = self.resolve(commit).await?;
        self.reader().lay_out(&commit, root).await
    }

    /// The contents of plain files in a commit; nothing for what is not one.
    pub(super) async fn contents(&self, commit: &str, paths: &[String]) -> Result<Vec<Option<Vec<u8>>>, TreeError> {
        let commit = self.resolve(commit).await?;
        self.reader().contents(&commit, paths).await
    }

    pub(super) fn reader(&self) -> CommitReader {
        CommitReader::git(self.place.clone())
    }

    pub(super) async fn resolve(&self, commit: &str) -> Result<String, TreeError> {
        let name = format!("{commit}^{{commit}}");
        let found = self.books().line(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name]).await;
        found.map_err(|_| TreeError::NoCommit { name: commit.to_owned() })
    }

    /// What differs between two commits, as seen from the project.
    pub(super) async fn changes(&self, from: &str, to: &str) -> Result<Vec<TreeChange>, TreeError> {
        self.reader().changes(from, to).await
    }

    pub(super) fn seen_from_project(&self, path: &[u8]) -> String {
        reader::seen_from(&self.place.prefix, path)
    }

    pub(super) async fn remove(&self, with_branch: bool) -> Result<(), TreeError> {
        folder::remove(&self.root)?;
        if with_branch {
            self.books().call(&["update-ref", "-d", &self.reference()], &[]).await?;
        }
        Ok(())
    }

    /// The repository and our work tree, without its HEAD and index.
    pub(super) fn books(&self) -> Git {
        Git::at(&self.place.common).with("GIT_DIR", &self.place.common)
    }

    fn reference(&self) -> String {
        format!("refs/heads/{}", self.branch)
    }

    async fn move_to(&mut self, head: String) -> Result<(), TreeError> {
        self.state.head = head;
        self.state.save(&self.home)?; // from here on it is so; what follows can be done again
        self.point_branch().await?;
        self.settle().await
    }

    async fn point_branch(&self) -> Result<(), TreeError> {
        let args = ["update-ref", "-m", "tribunal", &self.reference(), &self.state.head];
        self.books().call(&args, &[]).await.map(|_| ())
    }

    /// Gives the work tree a repository of its own again, which stands at the last good commit: `index` has that already.
    async fn settle(&self) -> Result<(), TreeError> {
        let borrowed = Borrowed {
            place: &self.place,
            root: &self.root,
            home: &self.home,
            branch: &self.branch,
            head: &self.state.head,
            index: &self.index(),
            aside: &self.aside,
        };
        borrowed.make().await
    }
}
