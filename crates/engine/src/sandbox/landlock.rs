//! The kernel's allow-list of files (Linux; see `landlock_portable` for the rest).
//!
//! It can only be added to, never subtracted from: a right on a folder holds for everything below. So hiding a folder
//! means to allow all its neighbours one by one, on every level from the root; the folders on the way can then not be
//! listed, but what is in them can be read by its name.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, PathFd, RestrictionStatus, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

use super::launcher::Orders;

/// What we know of. A newer kernel knows more and is not asked for it: it was never tried.
const KNOWN: ABI = ABI::V7;
/// Older ones let files outside be truncated (Linux 6.2).
const NEEDED: ABI = ABI::V3;
/// From here on signals and abstract sockets can be kept inside (Linux 6.12).
const SCOPED: ABI = ABI::V6;
/// Neighbours of hidden folders that are allowed one by one. Each costs a descriptor for a moment, and microseconds.
const NEIGHBOUR_LIMIT: usize = 50_000;
/// What everybody may write to where there is no `/dev` of one's own. Not the terminal.
const DEVICES: [&str; 7] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/ptmx", "/dev/pts"];

/// How much of it this kernel has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Support {
    /// Signals stay inside.
    pub(super) signals: bool,
}

/// Asks the kernel, by restricting a thread that ends right after.
pub(super) fn support() -> Option<Support> {
    let trial = std::thread::spawn(|| ruleset(false).and_then(RulesetCreated::restrict_self));
    match trial.join().ok()?.ok()?.landlock {
        LandlockStatus::Available { effective_abi, .. } if NEEDED <= effective_abi => {
            Some(Support { signals: SCOPED <= effective_abi })
        }
        _ => None,
    }
}

/// Confines the calling thread, and whatever it executes, for good.
pub(super) fn enter(orders: &Orders) -> io::Result<()> {
    let read = AccessFs::from_read(KNOWN);
    // Device nodes are a way around everything as root.
    let write = AccessFs::from_all(KNOWN) & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let mut rules = ruleset(orders.offline).map_err(io::Error::other)?;
    for path in readable(&orders.hide)? {
        // It may be gone by now, or be of a kind that is never opened.
        if let Ok(next) = allow(&mut rules, &path, read) {
            next.map_err(io::Error::other)?;
        }
    }
    for path in &orders.read {
        allow(&mut rules, path, read)?.map_err(io::Error::other)?;
    }
    for path in &orders.write {
        allow(&mut rules, path, write)?.map_err(io::Error::other)?;
    }
    if orders.alone {
        for device in DEVICES.iter().map(Path::new).filter(|device| device.exists()) {
            allow(&mut rules, device, write & !(AccessFs::RemoveFile | AccessFs::RemoveDir))?
                .map_err(io::Error::other)?;
        }
    }
    let RestrictionStatus { ruleset, landlock, .. } = rules.restrict_self().map_err(io::Error::other)?;
    let is_enough = matches!(landlock, LandlockStatus::Available { effective_abi, .. } if NEEDED <= effective_abi);
    if ruleset == RulesetStatus::NotEnforced || !is_enough {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "this kernel has no Landlock, or its version is too old",
        ));
    }
    Ok(())
}

fn ruleset(offline: bool) -> Result<RulesetCreated, RulesetError> {
    let mut ruleset = Ruleset::default().handle_access(AccessFs::from_all(KNOWN))?.scope(Scope::from_all(KNOWN))?;
    if offline {
        ruleset = ruleset.handle_access(AccessNet::from_all(KNOWN))?;
    }
    ruleset.create()
}

/// The outer error is about the path.
fn allow(rules: &mut RulesetCreated, path: &Path, access: BitFlags<AccessFs>) -> io::Result<Result<(), RulesetError>> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("`{}`: {error}", path.display()));
    let is_folder = fs::metadata(path).map_err(named)?.is_dir();
    let access = if is_folder { access } else { access & AccessFs::from_file(KNOWN) };
    let opened = PathFd::new(path).map_err(|error| named(io::Error::other(error)))?;
    Ok(rules.add_rule(PathBeneath::new(opened, access)).map(|_| ()))
}

/// What together is everything except the hidden paths, in as few pieces as possible.
fn readable(hidden: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::from("/")];
    while let Some(path) = open.pop() {
        if hidden.contains(&path) {
            continue;
        }
        if !hidden.iter().any(|hidden| hidden.starts_with(&path)) {
            found.push(path);
        } else if let Ok(entries) = fs::read_dir(&path) {
            for entry in entries {
                let entry = entry?;
                // A link is allowed by allowing what it points to.
                if !entry.file_type()?.is_symlink() {
                    open.push(entry.path());
                }
            }
        }
        if NEIGHBOUR_LIMIT < found.len() + open.len() {
            return Err(io::Error::other("too many files beside those that are to be hidden"));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_left_out_and_its_neighbours_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/secret")).unwrap();
        fs::create_dir_all(root.join("b")).unwrap();
        std::os::unix::fs::symlink("/etc", root.join("link")).unwrap();
        fs::write(root.join("a/open"), "").unwrap();
        let mut found = readable(&[root.join("a/secret")]).unwrap();
        found.retain(|path| path.starts_with(&root));
        found.sort();
        assert_eq!(found, [root.join("a/open"), root.join("b")]);
        assert_eq!(readable(&[]).unwrap(), [PathBuf::from("/")]);
    }
}
