//! Where the work is done, and what becomes of it: git work trees, or plain copies without git.
//!
//! | file | noun |
//! |---|---|
//! | `commit` | the work at one point, and a clean checkout of it |
//! | `worktree` | the work in a folder, and in commits of the user's repository |
//! | `borrowed` | the worker's own repository in that folder |
//! | `record` | what is in a work tree, made a tree of git's, and the other way round |
//! | `range` | what a person means by a change |
//! | `found` | a file as a change found it |
//! | `history` | which commit follows which |
//! | `reader` | commits, to be read: what differs, clean checkouts |
//! | `repository` | a checkout that is a repository of its own, with its submodules |
//! | `plain` | the work in a copy, where there is no git |
//! | `adopt` | the work, taken over into the user's checkout |
//! | `in_the_way` | what of the user's stands where it would be written |
//! | `unfinished` | what the user has begun with git and not finished |
//! | `anchor` | hashes of logs that git keeps |
//! | `git` | calling git |
//! | `state` | what must be known after a restart |
//! | `folder` | a folder as it is: listing, digest, copy |
//! | `inside` | reading and writing below a folder that somebody else fills |
//! | `links` | links that lead out of the work |
//! | `leftover` | what commands left in a checkout: kept, and brought into others |
//! | `full` | a disk that is full, as git tells it |
//! | `error` | what can go wrong |
//!
//! # What holds
//! - **The user's checkout, index and branches are never touched**, byte for byte, until [`Trees::adopt`]; and by that
//!   only when nothing the user changed is in the way. The one branch we make is ours.
//! - **A commit's first parent is the last good one**, whatever the agent did meanwhile: commit, rebase, switch
//!   branches, delete `.git`. What counts is what is in the folder.
//! - **Nothing of the user's runs**: no hooks, no file system monitor, no signing. Filters that the user configured
//!   (git-lfs) do run, since the content would be wrong without.
//! - **What an agent does with git in its folder stays there**: it has a repository of its own, which borrows the user's
//!   objects and has neither remotes nor hooks. It is made anew for every turn, and no git is called in it by us.
//! - **No link is followed** in reading, copying or hashing. A link is a link, also in a commit. One that leads out of the
//!   work, and was not there when it began, is left out of the commit and named ([`Recorded::left_out`]); one that leads
//!   into the user's checkout does not stay for the next turn, even where git ignores it.
//! - **A leader can be killed anywhere.** The next [`Trees::open`] finds the last good commit in `home`, and makes the
//!   branch and the worker's repository agree with it. The work that was not committed stays as it is.
//! - What git ignores is not committed, and not removed by a roll-back, unless it was hidden by a new `.gitignore`.
//!   A repository that the agent made inside is taken as the plain files it consists of.
//!
//! # What does not hold
//! - An agent without a sandbox that goes to the user's repository by its path can destroy it, as any program can. It need
//!   not: our commits are made by us, and its own stay in its own repository, until its turn is over.
//! - Objects that a partial clone has not fetched are not fetched for an agent that looks at old commits.
//! - A link that leads out, and is not into the user's checkout, stays where git ignores it: environments of Python's and
//!   caches of build tools consist of such links.
//! - Links are looked at before they are opened, so none of this is safe *while* the agent runs, except
//!   [`read_inside`] and [`write_inside`], which are.
//! - Submodules of a work tree are empty folders, as in every new one, and stay as they were committed: what an agent
//!   does in one is not part of the work. In checkouts for checks they are filled as far as their commits are here.
//! - Changes that the user did not commit are not part of the work; [`Trees::left_behind`] says how many there are.
//! - Commits that were rolled back are on no branch, so git forgets them after some weeks.
//! - [`Trees::adopt`] without git checks everything first, but then writes file by file.
//! - Owners, times and attributes are not kept; neither are pipes, sockets and devices, nor, without git, empty folders
//!   as changes.

mod adopt;
pub mod anchor;
mod borrowed;
mod commit;
mod error;
mod folder;
mod found;
mod full;
mod git;
mod history;
mod in_the_way;
mod inside;
mod leftover;
mod links;
mod plain;
mod range;
mod reader;
mod record;
mod repository;
mod state;
mod unfinished;
mod worktree;

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use tribunal_kernel::Digest;

use plain::Plain;
use state::TreeState;
use worktree::Worktree;

pub use adopt::Adopted;
pub use commit::{ChangeKind, Checkout, Commit, Recorded, Tip, TreeChange};
pub use error::TreeError;
pub use found::FoundFile;
pub(crate) use inside::sweep_unfinished;
pub use inside::{read_inside, write_inside};
pub use leftover::{FilesBefore, bring_leftovers};
pub use range::NamedChange;
pub use reader::{CommitReader, ShownPatch};

/// The trees of one run.
#[derive(Debug)]
pub struct Trees {
    kind: Kind,
    home: PathBuf,
    work: PathBuf,
    missing: Option<String>,
}

#[derive(Debug)]
enum Kind {
    Git(Box<Worktree>),
    Plain(Box<Plain>),
}

impl Trees {
    /// Opens what is in `home`, or begins: a work tree of the repository that `project` is in, on a new `branch` from
    /// HEAD, or a copy where there is no repository. `aside` are paths in the project that never belong to the work.
    pub async fn open(project: &Path, home: &Path, branch: &str, aside: &[String]) -> Result<Self, TreeError> {
        fs::create_dir_all(home).map_err(TreeError::io(home))?;
        let home = home.canonicalize().map_err(TreeError::io(home))?;
        let project = project.canonicalize().map_err(TreeError::io(project))?;
        commit::sweep(&home)?;
        let mut missing = None;
        let kind = match TreeState::load(&home)? {
            Some(state) => match state.repo.clone() {
                Some(place) => {
                    let place = worktree::follow(&project, place, &state.head).await;
                    let mut tree = Worktree::new(&home, branch, aside, place, state)?;
                    tree.resume().await?;
                    Kind::Git(Box::new(tree))
                }
                None => Self::open_plain(Plain::new(&home, &project, aside, state)?).await?,
            },
            None => match worktree::find(&project).await {
                Ok((place, head)) => Kind::Git(Box::new(Worktree::begin(&home, branch, aside, place, head).await?)),
                Err(why) => {
                    missing = Some(why);
                    Self::open_plain(Plain::new(&home, &project, aside, Plain::fresh_state())?).await?
                }
            },
        };
        let work = match &kind {
            Kind::Git(tree) => tree.work(),
            Kind::Plain(plain) => plain.work(),
        };
        if missing.is_none() && matches!(kind, Kind::Plain(_)) {
            missing = Some("the run was started without git".to_owned());
        }
        Ok(Self { kind, home, work, missing })
    }

    async fn open_plain(mut plain: Plain) -> Result<Kind, TreeError> {
        blocking(move || {
            plain.state.save(&plain.home)?;
            plain.resume()?;
            Ok(Kind::Plain(Box::new(plain)))
        })
        .await
    }

    /// Where the worker works: the project's folder in the work tree.
    pub fn work(&self) -> &Path {
        &self.work
    }

    /// The whole work tree, which may be more than the project's folder.
    pub fn root(&self) -> PathBuf {
        self.home.join("work")
    }

    /// Why there is no git, and what is missing without.
    pub fn missing(&self) -> Option<String> {
        let why = self.missing.as_ref()?;
        Some(format!("{why}: the desk works on a copy, without history or branches, and ignores `.gitignore`"))
    }

    /// How many files the user has changed or added without committing, a new folder counting as one: they are not part
    /// of the work.
    pub fn left_behind(&self) -> usize {
        self.state().left_behind
    }

    /// The last good commit.
    pub fn head(&self) -> &str {
        &self.state().head
    }

    /// What the work began with.
    pub fn base(&self) -> &str {
        &self.state().base
    }

    /// Makes everything that is in the work tree now a commit on our branch, unless nothing has changed.
    pub async fn commit(&mut self, message: &str) -> Result<Commit, TreeError> {
        let recorded = self.record().await?;
        self.seal(&recorded, message).await
    }

    /// What a commit would hold now: for whoever has to know before it makes one.
    pub async fn record(&self) -> Result<Recorded, TreeError> {
        let (tree, left_out) = match &self.kind {
            Kind::Git(tree) => tree.record().await?,
            Kind::Plain(plain) => {
                let plain = plain.clone();
                blocking(move || plain.record()).await?
            }
        };
        let prefix = match &self.kind {
            Kind::Git(tree) => tree.place.prefix.clone(),
            Kind::Plain(_) => PathBuf::new(),
        };
        let left_out = left_out.iter().map(|path| reader::seen_from(&prefix, path.as_os_str().as_bytes())).collect();
        Ok(Recorded { tree, parent: self.head().to_owned(), left_out })
    }

    /// Makes a commit of what was recorded, unless nothing has changed.
    pub async fn seal(&mut self, recorded: &Recorded, message: &str) -> Result<Commit, TreeError> {
        let Recorded { tree, parent, .. } = recorded.clone();
        if parent != self.head() {
            return Err(TreeError::State { why: format!("{parent} is not the last good commit any more") });
        }
        match &mut self.kind {
            Kind::Git(work) => work.commit(tree, message).await,
            Kind::Plain(plain) => {
                let message = message.to_owned();
                on_copy(plain, move |plain| plain.commit(&tree, &message)).await
            }
        }
    }

    /// The last good commit. Nothing, as long as that is what the work began with.
    pub async fn tip(&self) -> Result<Option<Tip>, TreeError> {
        if self.head() == self.base() {
            return Ok(None);
        }
        match &self.kind {
            Kind::Git(tree) => tree.tip().await.map(Some),
            Kind::Plain(plain) => {
                let plain = plain.clone();
                blocking(move || plain.tip()).await.map(Some)
            }
        }
    }

    /// Gives the last good commit another message, and so another id. Without git both stay as they are.
    pub async fn reword(&mut self, message: &str) -> Result<String, TreeError> {
        match &mut self.kind {
            Kind::Git(tree) => tree.reword(message).await,
            Kind::Plain(plain) => Ok(plain.state.head.clone()),
        }
    }

    /// Makes the work tree and our branch what they were at a commit. What is aside or ignored stays.
    pub async fn roll_back(&mut self, to: &str) -> Result<(), TreeError> {
        match &mut self.kind {
            Kind::Git(tree) => tree.roll_back(to).await,
            Kind::Plain(plain) => {
                let to = to.to_owned();
                on_copy(plain, move |plain| plain.roll_back(&to)).await
            }
        }
    }

    /// A clean checkout of a commit, in a folder of its own.
    pub async fn checkout(&self, commit: &str) -> Result<Checkout, TreeError> {
        let root = commit::free_folder(&self.home)?;
        match &self.kind {
            Kind::Git(tree) => tree.checkout(commit, root).await,
            Kind::Plain(plain) => {
                let (plain, commit) = (plain.clone(), commit.to_owned());
                blocking(move || plain.checkout(&commit, root)).await
            }
        }
    }

    /// What differs between two commits.
    pub async fn changes(&self, from: &str, to: &str) -> Result<Vec<TreeChange>, TreeError> {
        match &self.kind {
            Kind::Git(tree) => tree.changes(&tree.resolve(from).await?, &tree.resolve(to).await?).await,
            Kind::Plain(plain) => {
                let (plain, from, to) = (plain.clone(), from.to_owned(), to.to_owned());
                blocking(move || plain.changes(&from, &to)).await
            }
        }
    }

    /// The contents of plain files in a commit, by their paths in the project; nothing for what is missing or a link.
    pub async fn contents(&self, commit: &str, paths: &[String]) -> Result<Vec<Option<Vec<u8>>>, TreeError> {
        match &self.kind {
            Kind::Git(tree) => tree.contents(commit, paths).await,
            Kind::Plain(plain) => {
                let (plain, commit, paths) = (plain.clone(), commit.to_owned(), paths.to_vec());
                blocking(move || plain.contents(&commit, &paths)).await
            }
        }
    }

    /// The commits of this run, for whoever reads them elsewhere.
    pub fn reader(&self) -> CommitReader {
        match &self.kind {
            Kind::Git(tree) => tree.reader(),
            Kind::Plain(plain) => CommitReader::plain((**plain).clone()),
        }
    }

    /// Takes the work over into the user's checkout, or says why not and leaves everything as it was.
    pub async fn adopt(&self) -> Result<Adopted, TreeError> {
        match &self.kind {
            Kind::Git(tree) => tree.adopt().await,
            Kind::Plain(plain) => {
                let plain = plain.clone();
                blocking(move || plain.adopt()).await
            }
        }
    }

    /// Whether nothing is lost when it is removed: there is no work, or the user's checkout has it. Without git only the
    /// former can be told.
    pub async fn is_adopted(&self) -> Result<bool, TreeError> {
        match &self.kind {
            _ if self.head() == self.base() => Ok(true),
            Kind::Git(tree) => tree.is_adopted().await,
            Kind::Plain(_) => Ok(false),
        }
    }

    /// The branch that the work is on, where there is git.
    pub fn branch(&self) -> Option<&str> {
        match &self.kind {
            Kind::Git(tree) => Some(&tree.branch),
            Kind::Plain(_) => None,
        }
    }

    /// Removes the work tree and `home`. The branch, and with it the work, stays unless it is to go as well.
    pub async fn remove(self, with_branch: bool) -> Result<(), TreeError> {
        if let Kind::Git(tree) = &self.kind {
            tree.remove(with_branch).await?;
        }
        let home = self.home;
        blocking(move || folder::remove(&home)).await
    }

    fn state(&self) -> &TreeState {
        match &self.kind {
            Kind::Git(tree) => &tree.state,
            Kind::Plain(plain) => &plain.state,
        }
    }
}

/// The digest of everything in a folder: names, kinds, modes, contents, whether git knows it or not. To be taken before
/// and after somebody who must not change anything.
pub async fn tree_hash(path: &Path) -> Result<Digest, TreeError> {
    let path = path.to_owned();
    blocking(move || folder::digest_of_all(&path, &[])).await
}

/// The same without git's own books, which whoever looks at a history may write.
pub async fn hash_of_files(path: &Path) -> Result<Digest, TreeError> {
    let path = path.to_owned();
    blocking(move || folder::digest_of_all(&path, &[PathBuf::from(".git")])).await
}

/// Removes whatever is there, also folders that were closed.
pub(crate) fn remove_all(path: &Path) -> Result<(), TreeError> {
    folder::remove(path)
}

/// The disk is waited for elsewhere.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, TreeError> + Send + 'static,
) -> Result<T, TreeError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(TreeError::State { why: error.to_string() }),
    }
}

/// On a copy of the books, which takes the place of the original when all went well.
async fn on_copy<T: Send + 'static>(
    plain: &mut Box<Plain>,
    work: impl FnOnce(&mut Plain) -> Result<T, TreeError> + Send + 'static,
) -> Result<T, TreeError> {
    let mut copy = plain.clone();
    let (copy, done) = blocking(move || {
        let done = work(&mut copy)?;
        Ok((copy, done))
    })
    .await?;
    *plain = copy;
    Ok(done)
}
