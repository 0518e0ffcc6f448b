//! The work in a git work tree.
//!
//! Our commits are made without the work tree's own index, HEAD or `.git` file: an agent may have changed them all. The
//! last good commit is what [`TreeState`] says; HEAD is detached, so that what the agent commits moves no branch.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::commit::{Checkout, Commit, Tip, TreeChange};
use super::error::TreeError;
use super::folder;
use super::git::{Git, fields};
use super::inside::parts;
use super::reader::{self, CommitReader};
use super::state::{RepoPlace, TreeState};

/// What an interrupted rebase, merge or pick of the agent leaves behind.
const HALF_DONE: [&str; 9] = [
    "index.lock",
    "HEAD.lock",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "BISECT_LOG",
];

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

/// Where the project is in its repository, and what HEAD is there. Why not, where it cannot be used.
pub(super) async fn find(project: &Path) -> Result<(RepoPlace, String), String> {
    let git = Git::at(project);
    let told = |_| "the project is not in a git repository, or git is not installed".to_owned();
    let absolute = |what: &'static str| ["rev-parse", "--path-format=absolute", what];
    let top = PathBuf::from(git.line(&absolute("--show-toplevel")).await.map_err(told)?);
    let common = PathBuf::from(git.line(&absolute("--git-common-dir")).await.map_err(told)?);
    let prefix = PathBuf::from(git.line(&["rev-parse", "--show-prefix"]).await.map_err(told)?);
    let head = git.line(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).await;
    let head = head.map_err(|_| "the repository has no commit yet".to_owned())?;
    let folder = format!("{head}:{}", prefix.display());
    if git.call(&["cat-file", "-e", &folder], &[]).await.is_err() {
        return Err("the project's folder is not in the repository's last commit".to_owned());
    }
    Ok((RepoPlace { top, common, prefix, admin: None }, head))
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
        args.extend(tree.everything_but_aside());
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
            let root = self.root.as_os_str();
            let args = ["worktree", "add", "--force", "--detach", "--no-checkout"].map(OsString::from);
            let args = args.into_iter().chain([root.to_owned(), self.state.head.clone().into()]).collect::<Vec<_>>();
            Git::at(&self.place.top).call(&args, &[]).await?;
            let pointer = fs::read_to_string(self.root.join(".git")).map_err(TreeError::io(&self.root))?;
            self.place.admin = pointer.trim_end().strip_prefix("gitdir: ").map(PathBuf::from);
            self.state.repo = Some(self.place.clone());
            self.restore(&self.state.head).await?;
            self.state.is_ready = true;
            self.state.save(&self.home)?;
        } else if !self.root.is_dir() {
            fs::create_dir(&self.root).map_err(TreeError::io(&self.root))?;
            self.restore(&self.state.head).await?;
        }
        self.settle().await
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
        if let Some(admin) = &self.place.admin
            && admin.starts_with(self.place.common.join("worktrees"))
        {
            folder::remove(admin)?; // not `git worktree prune`, which would go for the user's own as well
        }
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

    /// Makes the work tree's own `.git`, HEAD and index agree with the last good commit, for whoever calls git there.
    async fn settle(&self) -> Result<(), TreeError> {
        let Some(admin) = &self.place.admin else { return Ok(()) };
        let pointer = self.root.join(".git");
        let wanted = format!("gitdir: {}\n", admin.display());
        let is_file = fs::symlink_metadata(&pointer).is_ok_and(|found| found.is_file());
        if !is_file || fs::read_to_string(&pointer).is_ok_and(|found| found != wanted) {
            folder::remove(&pointer)?;
            fs::write(&pointer, wanted).map_err(TreeError::io(&pointer))?;
        }
        fs::create_dir_all(admin).map_err(TreeError::io(admin))?;
        let back = format!("{}\n", pointer.display());
        let head = format!("{}\n", self.state.head);
        for (file, text) in [("commondir", "../..\n"), ("gitdir", &back), ("HEAD", &head)] {
            // The work tree may have moved with the project since it was written.
            let is_elsewhere = |found: String| file == "gitdir" && found != *text;
            if fs::read_to_string(admin.join(file)).map_or(true, is_elsewhere) {
                fs::write(admin.join(file), text).map_err(TreeError::io(admin))?;
            }
        }
        for left in HALF_DONE {
            folder::remove(&admin.join(left))?;
        }
        let git = Git::between(admin, &self.root);
        git.call(&["update-ref", "--no-deref", "-m", "tribunal", "HEAD", &self.state.head], &[]).await?;
        git.call(&["read-tree", &self.state.head], &[]).await?;
        git.try_call(&["update-index", "-q", "--refresh"], &[]).await.map(|_| ())
    }
}
