//! The work in a copy, where there is no git. Each commit is a numbered copy with its message beside it; equal files
//! share their bytes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::adopt::Adopted;
use super::commit::{ChangeKind, Checkout, Commit, Tip, TreeChange};
use super::error::TreeError;
use super::folder::{self, Digests, Item, Kind, Listing};
use super::in_the_way::{Becomes, Coming, in_the_way};
use super::inside::{parts, read_inside, write_inside};
use super::links;
use super::state::TreeState;
use tribunal_kernel::digest::Hasher;

/// A project that is larger needs git.
const SIZE_LIMIT: u64 = 4 << 30;
const FILE_LIMIT: usize = 200_000;
/// The largest file that is read as a whole.
const READ_LIMIT: u64 = 256 << 20;
const MESSAGE_LIMIT: u64 = 4 << 20;

#[derive(Debug, Clone)]
pub(super) struct Plain {
    pub(super) home: PathBuf,
    pub(super) project: PathBuf,
    pub(super) state: TreeState,
    /// Never part of the work, wherever it is.
    aside: Vec<PathBuf>,
    work: PathBuf,
}

/// A folder with everything that matters about it.
#[derive(Debug)]
struct Picture {
    listing: Listing,
    digests: Digests,
}

impl Picture {
    fn of(root: &Path, skip: &[PathBuf]) -> Result<Self, TreeError> {
        let listing = folder::list(root, skip)?;
        if FILE_LIMIT < listing.len() {
            return Err(TreeError::TooMany { path: root.to_owned(), limit: FILE_LIMIT });
        }
        if SIZE_LIMIT < listing.values().filter(|item| item.kind == Kind::File).map(|item| item.size).sum() {
            return Err(TreeError::TooBig { path: root.to_owned(), limit: SIZE_LIMIT });
        }
        let digests = folder::digests(root, &listing)?;
        Ok(Self { listing, digests })
    }

    /// Whether both have the same at a path, or both nothing.
    fn agrees(&self, other: &Self, path: &Path) -> bool {
        let known = |item: &Item| (item.kind, if item.kind == Kind::Link { 0 } else { item.mode & 0o777 });
        let (mine, theirs) = (self.listing.get(path), other.listing.get(path));
        mine.map(known) == theirs.map(known) && self.digests.get(path) == other.digests.get(path)
    }

    /// What makes `newer` out of this. Folders are not counted: they come and go with what is in them.
    fn changes(&self, newer: &Self) -> Vec<TreeChange> {
        let counts = |item: &Item| matches!(item.kind, Kind::File | Kind::Link);
        let mut changes = Vec::new();
        for (path, item) in newer.listing.iter().filter(|(_, item)| counts(item)) {
            let kind = match self.listing.get(path).filter(|old| counts(old)) {
                None => ChangeKind::Added,
                Some(old) if old.kind != item.kind => ChangeKind::Retyped,
                Some(_) if self.agrees(newer, path) => continue,
                Some(_) => ChangeKind::Modified,
            };
            changes.push(TreeChange { path: path.to_string_lossy().into_owned(), kind });
        }
        for (path, _) in self.listing.iter().filter(|(_, item)| counts(item)) {
            if !newer.listing.get(path).is_some_and(counts) {
                changes.push(TreeChange { path: path.to_string_lossy().into_owned(), kind: ChangeKind::Deleted });
            }
        }
        changes.sort();
        changes
    }

    fn tree(&self) -> String {
        let mut hasher = Hasher::default();
        for (path, item) in self.listing.iter().filter(|(_, item)| item.kind != Kind::Folder) {
            let mode = if item.kind == Kind::Link { 0 } else { item.mode & 0o777 };
            hasher.field(path.as_os_str().as_encoded_bytes()).field(&[item.kind as u8]).field(&mode.to_le_bytes());
            hasher.field(self.digests.get(path).map_or(&[], |digest| &digest.0));
        }
        hasher.finish().to_string()
    }
}

impl Plain {
    pub(super) fn new(home: &Path, project: &Path, aside: &[String], state: TreeState) -> Result<Self, TreeError> {
        let mut kept = Vec::new();
        for path in aside {
            kept.push(parts(path)?.iter().collect());
        }
        kept.extend(home.strip_prefix(project).ok().map(Path::to_owned)); // a copy does not contain itself
        Ok(Self { home: home.into(), project: project.into(), state, aside: kept, work: home.join("work") })
    }

    pub(super) fn fresh_state() -> TreeState {
        TreeState { base: number(0), head: number(0), left_behind: 0, repo: None, is_ready: false }
    }

    /// Makes everything as the state says it is, whatever is there.
    pub(super) fn resume(&mut self) -> Result<(), TreeError> {
        if !self.state.is_ready {
            folder::remove(&self.work)?;
            folder::remove(&self.snapshot(&self.state.base))?;
            let listing = Picture::of(&self.project, &self.aside)?.listing;
            self.keep(&self.project, &listing, &self.state.base, |_| None)?;
            folder::copy(&self.snapshot(&self.state.base), &self.work, &listing, |_| None)?;
            self.state.is_ready = true;
            self.state.save(&self.home)?;
        } else if !self.has_folder() {
            self.restore(&self.state.head)?;
        }
        Ok(())
    }

    /// Whether the work is there, and is no link to somewhere else.
    fn has_folder(&self) -> bool {
        fs::symlink_metadata(&self.work).is_ok_and(|found| found.is_dir())
    }

    pub(super) fn work(&self) -> PathBuf {
        self.work.clone()
    }

    /// What belongs to the work, and the links that do not, because they lead out of it.
    pub(super) fn record(&self) -> Result<(String, Vec<PathBuf>), TreeError> {
        let (picture, left_out) = self.picture()?;
        Ok((picture.tree(), left_out))
    }

    /// The work as it is now, without links that lead out of it and were not there, as they are, when it began.
    fn picture(&self) -> Result<(Picture, Vec<PathBuf>), TreeError> {
        if !self.has_folder() {
            return Err(TreeError::Link { path: self.work.display().to_string() });
        }
        let base = self.snapshot(&self.state.base);
        let is_new = |path: &Path| fs::read_link(base.join(path)).ok() != fs::read_link(self.work.join(path)).ok();
        let listing = folder::list(&self.work, &self.aside)?;
        let links = listing.iter().filter(|(_, item)| item.kind == Kind::Link).map(|(path, _)| path);
        let left_out: Vec<PathBuf> =
            links.filter(|path| links::is_stray(&self.work, path) && is_new(path)).cloned().collect();
        let skipped: Vec<PathBuf> = self.aside.iter().chain(&left_out).cloned().collect();
        Ok((Picture::of(&self.work, &skipped)?, left_out))
    }

    pub(super) fn commit(&mut self, recorded: &str, message: &str) -> Result<Commit, TreeError> {
        let last = self.snapshot(&self.state.head);
        let (before, after) = (Picture::of(&last, &[])?, self.picture()?.0);
        let changed = before.changes(&after);
        let (mut id, tree) = (self.state.head.clone(), after.tree());
        if tree != recorded {
            return Err(TreeError::State { why: "the work changed while it was being recorded".into() });
        }
        if !changed.is_empty() {
            id = number(self.count()? + 1);
            // Before the copy, so that no copy is without.
            write_inside(&self.home, &message_of(&id), message.as_bytes())?;
            let same = |path: &Path| before.agrees(&after, path).then(|| last.join(path));
            self.keep(&self.work, &after.listing, &id, same)?;
            self.state.head.clone_from(&id);
            self.state.save(&self.home)?;
        }
        Ok(Commit { id, tree, is_empty: changed.is_empty(), changed })
    }

    pub(super) fn tip(&self) -> Result<Tip, TreeError> {
        let id = self.state.head.clone();
        let tree = Picture::of(&self.resolve(&id)?, &[])?.tree();
        // What an earlier release copied has no message.
        let message = read_inside(&self.home, &message_of(&id), MESSAGE_LIMIT).unwrap_or_default();
        Ok(Tip { id, tree, parent: None, message: String::from_utf8_lossy(&message).into_owned() })
    }

    pub(super) fn roll_back(&mut self, to: &str) -> Result<(), TreeError> {
        self.resolve(to)?;
        self.restore(to)?;
        to.clone_into(&mut self.state.head);
        self.state.save(&self.home)
    }

    pub(super) fn checkout(&self, commit: &str, root: PathBuf) -> Result<Checkout, TreeError> {
        let snapshot = self.resolve(commit)?;
        let checkout = Checkout::new(root, Path::new(""));
        folder::copy(&snapshot, checkout.root(), &folder::list(&snapshot, &[])?, |_| None)?;
        Ok(checkout)
    }

    pub(super) fn contents(&self, commit: &str, paths: &[String]) -> Result<Vec<Option<Vec<u8>>>, TreeError> {
        let snapshot = self.resolve(commit)?;
        let read = |path: &String| match read_inside(&snapshot, path, READ_LIMIT) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(TreeError::Io { .. } | TreeError::NotAFile { .. } | TreeError::Link { .. }) => Ok(None),
            Err(error) => Err(error),
        };
        paths.iter().map(read).collect()
    }

    pub(super) fn changes(&self, from: &str, to: &str) -> Result<Vec<TreeChange>, TreeError> {
        Ok(Picture::of(&self.resolve(from)?, &[])?.changes(&Picture::of(&self.resolve(to)?, &[])?))
    }

    /// Copies back what the run changed, if the originals are still what it began with.
    pub(super) fn adopt(&self) -> Result<Adopted, TreeError> {
        let head = self.snapshot(&self.state.head);
        let base = Picture::of(&self.snapshot(&self.state.base), &[])?;
        let (ours, theirs) = (Picture::of(&head, &[])?, Picture::of(&self.project, &self.aside)?);
        let changes = base.changes(&ours);
        let is_touched = |change: &&TreeChange| {
            let path = Path::new(&change.path);
            base.listing.contains_key(path) && !base.agrees(&theirs, path) && !ours.agrees(&theirs, path)
        };
        let files: Vec<String> = changes.iter().filter(is_touched).map(|change| change.path.clone()).collect();
        if !files.is_empty() {
            return Err(TreeError::Dirty { files });
        }
        let paths = changes.iter().map(|change| PathBuf::from(&change.path)).collect::<Vec<_>>();
        let wanted = paths.into_iter().filter(|path| !ours.agrees(&theirs, path)).collect::<Vec<_>>();
        let coming = wanted.iter().map(|path| Coming { becomes: becomes(&ours, path), path: path.clone() });
        let files = base.listing.iter().filter(|(_, item)| item.kind != Kind::Folder);
        let known = files.map(|(path, _)| path.clone()).collect();
        let files = in_the_way(&self.project, &coming.collect::<Vec<_>>(), &known)?;
        if !files.is_empty() {
            let files = files.iter().map(|path| path.display().to_string()).collect();
            return Err(TreeError::InTheWay { files });
        }
        apply(&head, &self.project, &ours, &wanted)?;
        Ok(if wanted.is_empty() { Adopted::Nothing } else { Adopted::Copied { files: wanted.len() } })
    }

    pub(super) fn resolve(&self, commit: &str) -> Result<PathBuf, TreeError> {
        let is_number = !commit.is_empty() && commit.bytes().all(|byte| byte.is_ascii_digit());
        let snapshot = self.snapshot(commit);
        if is_number && snapshot.is_dir() { Ok(snapshot) } else { Err(TreeError::NoCommit { name: commit.to_owned() }) }
    }

    fn snapshot(&self, commit: &str) -> PathBuf {
        self.home.join("snapshots").join(commit)
    }

    /// The highest number that was given.
    fn count(&self) -> Result<usize, TreeError> {
        let folder = self.home.join("snapshots");
        let entries = fs::read_dir(&folder).map_err(TreeError::io(&folder))?.flatten();
        Ok(entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).max().unwrap_or(0))
    }

    /// Complete or not there.
    fn keep(
        &self,
        from: &Path,
        listing: &Listing,
        commit: &str,
        same: impl Fn(&Path) -> Option<PathBuf>,
    ) -> Result<(), TreeError> {
        let (snapshot, part) = (self.snapshot(commit), self.home.join("snapshots/part"));
        folder::remove(&part)?;
        folder::copy(from, &part, listing, same)?;
        fs::rename(&part, &snapshot).map_err(TreeError::io(&snapshot))
    }

    fn restore(&self, commit: &str) -> Result<(), TreeError> {
        if !self.has_folder() {
            folder::remove(&self.work)?;
            fs::create_dir(&self.work).map_err(TreeError::io(&self.work))?;
        }
        let snapshot = self.snapshot(commit);
        let (wanted, found) = (Picture::of(&snapshot, &[])?, Picture::of(&self.work, &self.aside)?);
        let known: BTreeSet<&PathBuf> = wanted.listing.keys().chain(found.listing.keys()).collect();
        let differing: Vec<PathBuf> = known.into_iter().filter(|path| !wanted.agrees(&found, path)).cloned().collect();
        apply(&snapshot, &self.work, &wanted, &differing)
    }
}

/// Makes `paths` in `to` what they are in `from`. They are sorted, and each is named once.
fn apply(from: &Path, to: &Path, wanted: &Picture, paths: &[PathBuf]) -> Result<(), TreeError> {
    for path in paths.iter().rev() {
        let target = to.join(path);
        let stays = wanted.listing.get(path).is_some_and(|item| item.kind == Kind::Folder);
        if !(stays && fs::symlink_metadata(&target).is_ok_and(|found| found.is_dir())) && is_inside(to, path) {
            folder::remove(&target)?;
        }
    }
    for path in paths {
        let Some(item) = wanted.listing.get(path) else { continue };
        let target = to.join(path);
        for folder in path.ancestors().skip(1).collect::<Vec<_>>().into_iter().rev() {
            let folder = to.join(folder);
            if !fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir()) {
                folder::remove(&folder)?;
                fs::create_dir(&folder).map_err(TreeError::io(&folder))?;
            }
        }
        if item.kind != Kind::Folder || !target.is_dir() {
            folder::copy_one(&from.join(path), &target, item)?;
        }
    }
    for path in paths.iter().rev() {
        if let Some(item) = wanted.listing.get(path).filter(|item| item.kind == Kind::Folder) {
            folder::set_mode(&to.join(path), item.mode).map_err(TreeError::io(&to.join(path)))?;
        }
    }
    // Folders that were emptied go; others refuse to.
    for path in paths.iter().rev().filter(|path| !wanted.listing.contains_key(*path)) {
        for folder in path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
            if wanted.listing.contains_key(folder) || !is_inside(to, folder) || fs::remove_dir(to.join(folder)).is_err()
            {
                break;
            }
        }
    }
    Ok(())
}

/// What a path will be when the work is copied back.
fn becomes(ours: &Picture, path: &Path) -> Becomes {
    if ours.listing.contains_key(path) { Becomes::File } else { Becomes::Nothing }
}

/// Whether no link is on the way to a path: then it is where it seems to be.
fn is_inside(root: &Path, path: &Path) -> bool {
    let is_folder = |folder: &Path| fs::symlink_metadata(root.join(folder)).is_ok_and(|found| found.is_dir());
    path.ancestors().skip(1).all(|folder| folder.as_os_str().is_empty() || is_folder(folder))
}

/// What was said of a copy, beside it.
fn message_of(commit: &str) -> String {
    format!("snapshots/{commit}.message")
}

fn number(count: usize) -> String {
    format!("{count:03}")
}
