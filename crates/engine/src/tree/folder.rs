//! A folder as it is: what is in it, its digest, a copy of it. Links are never followed.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use sha2::{Digest as _, Sha256};
use tribunal_kernel::Digest;
use tribunal_kernel::digest::Hasher;

use super::error::TreeError;

/// Files and folders together. Beyond this it is not a project but a disk.
const ENTRY_LIMIT: usize = 2_000_000;
const BUFFER: usize = 256 << 10;
const THREAD_LIMIT: usize = 8;

/// One thing in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) kind: Kind,
    /// Permission bits.
    pub(super) mode: u32,
    pub(super) size: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    File,
    Folder,
    Link,
    /// A pipe, a socket, a device: known by name, never opened.
    Other,
}

/// What is in a folder, by its path in it.
pub(super) type Listing = BTreeMap<PathBuf, Item>;
/// The digests of what is in its files and links.
pub(super) type Digests = BTreeMap<PathBuf, Digest>;

/// Everything below `root` except what is in `skip` (paths in it) and below.
pub(super) fn list(root: &Path, skip: &[PathBuf]) -> Result<Listing, TreeError> {
    let mut listing = Listing::new();
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        let path = root.join(&folder);
        for entry in fs::read_dir(&path).map_err(TreeError::io(&path))? {
            let entry = entry.map_err(TreeError::io(&path))?;
            let name = folder.join(entry.file_name());
            if skip.contains(&name) {
                continue;
            }
            let found = entry.metadata().map_err(TreeError::io(&entry.path()))?; // of the link itself
            let kind = match found.file_type() {
                kind if kind.is_file() => Kind::File,
                kind if kind.is_dir() => Kind::Folder,
                kind if kind.is_symlink() => Kind::Link,
                _ => Kind::Other,
            };
            if kind == Kind::Folder {
                open.push(name.clone());
            }
            listing.insert(name, Item { kind, mode: found.mode() & 0o7777, size: found.len() });
            if ENTRY_LIMIT < listing.len() {
                return Err(TreeError::TooMany { path: root.to_owned(), limit: ENTRY_LIMIT });
            }
        }
    }
    Ok(listing)
}

/// Of every file and link in a listing, on as many threads as there are processors.
pub(super) fn digests(root: &Path, listing: &Listing) -> Result<Digests, TreeError> {
    let wanted: Vec<(&PathBuf, Kind)> = listing
        .iter()
        .filter(|(_, item)| matches!(item.kind, Kind::File | Kind::Link))
        .map(|(path, item)| (path, item.kind))
        .collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREAD_LIMIT);
    // Dealt out in turn, so that one folder of large files does not end up with one thread.
    let deal = |first: usize| -> Result<Vec<(PathBuf, Digest)>, TreeError> {
        let mine = wanted.iter().skip(first).step_by(threads);
        mine.map(|(path, kind)| Ok(((*path).clone(), digest(&root.join(path), *kind)?))).collect()
    };
    let deal = &deal;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|first| scope.spawn(move || deal(first))).collect();
        let mut digests = Digests::new();
        for worker in workers {
            digests.extend(worker.join().expect("hashing does not panic")?);
        }
        Ok(digests)
    })
}

/// Of names, kinds, modes and contents, whether git knows them or not.
pub(super) fn digest_of_all(root: &Path, skip: &[PathBuf]) -> Result<Digest, TreeError> {
    let listing = list(root, skip)?;
    let digests = digests(root, &listing)?;
    let mut hasher = Hasher::default();
    for (path, item) in &listing {
        hasher.field(path.as_os_str().as_bytes()).field(&[item.kind as u8]).field(&item.mode.to_le_bytes());
        hasher.field(digests.get(path).map_or(&[], |digest| &digest.0));
    }
    Ok(hasher.finish())
}

fn digest(path: &Path, kind: Kind) -> Result<Digest, TreeError> {
    if kind == Kind::Link {
        let target = fs::read_link(path).map_err(TreeError::io(path))?;
        return Ok(Digest::of(target.as_os_str().as_bytes()));
    }
    let mut file = open(path).map_err(TreeError::io(path))?;
    let mut hasher = Sha256::new();
    let size = usize::try_from(file.metadata().map_err(TreeError::io(path))?.len()).unwrap_or(BUFFER);
    let mut buffer = vec![0; BUFFER.min(size + 1)];
    loop {
        match file.read(&mut buffer).map_err(TreeError::io(path))? {
            0 => return Ok(Digest(hasher.finalize().into())),
            length => hasher.update(&buffer[..length]),
        }
    }
}

/// A plain file, not what a link points to, and never waiting for a pipe.
fn open(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// Copies what is listed into `to`, which must not contain any of it yet. Files that `same` names are linked instead:
/// it gives the path of an equal file that nobody will ever write to.
pub(super) fn copy(
    from: &Path,
    to: &Path,
    listing: &Listing,
    same: impl Fn(&Path) -> Option<PathBuf>,
) -> Result<(), TreeError> {
    fs::create_dir_all(to).map_err(TreeError::io(to))?;
    for (name, item) in listing {
        let (source, target) = (from.join(name), to.join(name));
        match same(name).filter(|_| item.kind == Kind::File) {
            Some(equal) if fs::hard_link(&equal, &target).is_ok() => {}
            _ => copy_one(&source, &target, item)?,
        }
    }
    // Modes of folders come last: a folder that cannot be written could not be filled.
    for (name, item) in listing.iter().rev().filter(|(_, item)| item.kind == Kind::Folder) {
        set_mode(&to.join(name), item.mode).map_err(TreeError::io(&to.join(name)))?;
    }
    Ok(())
}

pub(super) fn copy_one(source: &Path, target: &Path, item: &Item) -> Result<(), TreeError> {
    match item.kind {
        Kind::Folder => fs::create_dir(target).map_err(TreeError::io(target)),
        Kind::Link => fs::read_link(source).and_then(|to| symlink(to, target)).map_err(TreeError::io(target)),
        Kind::Other => Ok(()),
        Kind::File => {
            let copied = open(source).and_then(|mut file| {
                let mut copy = File::options().write(true).create_new(true).open(target)?;
                io::copy(&mut file, &mut copy)?;
                // What was built is told from what is out of date by that.
                copy.set_modified(file.metadata()?.modified()?)
            });
            copied.and_then(|()| set_mode(target, item.mode)).map_err(TreeError::io(target))
        }
    }
}

/// Without the bits that lend an identity: what an agent made must not gain power by being copied.
pub(super) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o777))
}

/// Removes whatever is there, also folders that were closed.
pub(crate) fn remove(path: &Path) -> Result<(), TreeError> {
    let is_folder = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(TreeError::io(path)(error)),
        Ok(found) => found.is_dir(),
    };
    if !is_folder {
        return fs::remove_file(path).map_err(TreeError::io(path));
    }
    match tribunal_store::remove_tree(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            unlock(path);
            tribunal_store::remove_tree(path).map_err(TreeError::io(path))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done.map_err(TreeError::io(path)),
    }
}

/// Makes folders writable for their owner, as far as that is possible.
fn unlock(root: &Path) {
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        let _ = set_mode(&folder, 0o700);
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        open.extend(
            entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()),
        );
    }
}
