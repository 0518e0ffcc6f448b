//! The room that files take.
//!
//! - **A run goes at once.** Its folder gets a name that no run has, under the run's own lock, and is emptied then: who is
//!   killed half-way leaves something that nobody takes for a run, and the next one removes it.
//! - **A blob that somebody puts is not removed under their hands.** It is renamed first and looked at then: one that was put
//!   again meanwhile is young, and goes back. Who puts it after that does not find it, and writes it.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tribunal_kernel::{Digest, RunId};

use super::{FileBackend, leases};
use crate::backend::{KeptBlob, RemovedBlobs, Space, SpaceUsage, StoreReply};
use crate::{Layout, StoreError, atomic, dir};

/// How the name of a run's folder begins that is being removed.
const REMOVED: &str = ".removed-";
/// Nobody reads more of what a run is kept for.
const MOST_TOLD: usize = 1000;
/// What the disk counts in.
const BLOCK: u64 = 512;

impl Space for FileBackend {
    fn usage(&self) -> StoreReply<'_, SpaceUsage> {
        self.blocking(usage)
    }

    fn blobs(&self) -> StoreReply<'_, Vec<KeptBlob>> {
        self.blocking(blobs)
    }

    fn remove_run(&self, run: RunId) -> StoreReply<'_, u64> {
        let (index, what) = (self.index.clone(), self.what.clone());
        self.blocking(move |layout| {
            let bytes = remove_run(layout, run, &what)?;
            if index.is_there() {
                index.with(|index| index.forget(run))?;
            }
            Ok(bytes)
        })
    }

    fn remove_blobs(&self, blobs: Vec<Digest>, before: SystemTime) -> StoreReply<'_, RemovedBlobs> {
        self.blocking(move |layout| remove_blobs(layout, &blobs, before))
    }

    fn keep_for<'a>(&'a self, run: RunId, why: &'a str) -> StoreReply<'a, ()> {
        let why = why.to_owned();
        self.blocking(move |layout| atomic::write(&layout.kept_for(run), why.as_bytes()).map(drop))
    }

    fn kept_for(&self, run: RunId) -> StoreReply<'_, Option<String>> {
        self.blocking(move |layout| {
            let path = layout.kept_for(run);
            match fs::read(&path) {
                Ok(text) => Ok(Some(String::from_utf8_lossy(&text).trim().chars().take(MOST_TOLD).collect())),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(StoreError::io("read", &path)(error)),
            }
        })
    }
}

fn usage(layout: &Layout) -> Result<SpaceUsage, StoreError> {
    let mut usage = SpaceUsage::default();
    let folder = layout.folder();
    let trees = layout.all_trees();
    for path in entries(&folder)? {
        if path == layout.runs() || path == trees {
            for below in entries(&path)? {
                let size = size_of(&below);
                match below.file_name().and_then(Layout::run_named) {
                    Some(run) if path == trees => drop(usage.trees.insert(run, size)),
                    Some(run) => drop(usage.runs.insert(run, size)),
                    None => usage.other += size,
                }
            }
        } else if path == layout.blobs() {
            usage.blobs = size_of(&path);
            usage.blob_count = blobs(layout)?.len() as u64;
        } else if path.as_os_str().as_encoded_bytes().starts_with(layout.index().as_os_str().as_encoded_bytes()) {
            // With its journal.
            usage.index += size_of(&path);
        } else {
            usage.other += size_of(&path);
        }
    }
    Ok(usage)
}

fn blobs(layout: &Layout) -> Result<Vec<KeptBlob>, StoreError> {
    let paths = entries(&layout.blobs())?;
    // One that vanishes meanwhile takes no room.
    let blob = |path: PathBuf| {
        let digest = Layout::blob_named(path.file_name()?)?;
        let file = fs::symlink_metadata(&path).ok()?;
        Some(KeptBlob { digest, bytes: file.blocks() * BLOCK, put: file.modified().ok()? })
    };
    Ok(paths.into_iter().filter_map(blob).collect())
}

fn remove_run(layout: &Layout, run: RunId, what: &str) -> Result<u64, StoreError> {
    let runs = layout.runs();
    // What somebody who was killed did not come to.
    for left in entries(&runs)? {
        if left.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(REMOVED.as_bytes())) {
            dir::remove_tree(&left).map_err(StoreError::io("remove", &left))?;
        }
    }
    let folder = layout.run(run);
    if !layout.log(run).is_file() {
        return Err(StoreError::NoRun { run, place: folder.display().to_string() });
    }
    let lease = leases::take(layout, run, what)?;
    let bytes = size_of(&folder);
    let aside = runs.join(format!("{REMOVED}{run}"));
    fs::rename(&folder, &aside).map_err(StoreError::io("rename", &folder))?;
    dir::sync(&runs)?;
    drop(lease);
    dir::remove_tree(&aside).map_err(StoreError::io("remove", &aside))?;
    Ok(bytes)
}

fn remove_blobs(layout: &Layout, blobs: &[Digest], before: SystemTime) -> Result<RemovedBlobs, StoreError> {
    let (folder, mut removed) = (layout.blobs(), RemovedBlobs::default());
    for digest in blobs {
        let path = layout.blob(*digest);
        let aside = folder.join(format!("{}{}-{digest}", atomic::UNFINISHED, std::process::id()));
        match fs::rename(&path, &aside) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(StoreError::io("rename", &path)(error)),
        }
        let file = fs::symlink_metadata(&aside).map_err(StoreError::io("read", &aside))?;
        if file.modified().map_or(true, |put| put >= before) {
            fs::rename(&aside, &path).map_err(StoreError::io("rename", &aside))?;
            continue;
        }
        fs::remove_file(&aside).map_err(StoreError::io("remove", &aside))?;
        removed.count += 1;
        removed.bytes += file.blocks() * BLOCK;
    }
    Ok(removed)
}

/// What is in a folder, which need not be there.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry.map_err(StoreError::io("list", folder))?.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(StoreError::io("list", folder)(error)),
    }
}

/// What a file, or all that is in a folder, takes on the disk. No link is followed, and what cannot be read counts nothing.
fn size_of(path: &Path) -> u64 {
    let Ok(file) = fs::symlink_metadata(path) else { return 0 };
    let below = if file.is_dir() { entries(path).unwrap_or_default() } else { Vec::new() };
    file.blocks() * BLOCK + below.iter().map(|path| size_of(path)).sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backend;
    use crate::conformance::run_id;
    use std::fs::File;
    use std::time::Duration;

    /// A store with one run that has a log, and what is in it.
    async fn store() -> (tempfile::TempDir, FileBackend) {
        let root = tempfile::tempdir().unwrap();
        let store = FileBackend::new(root.path());
        drop(store.logs().create(run_id(1)).await.unwrap());
        fs::write(store.layout().artifacts(run_id(1)).with_extension("txt"), [0; 10_000]).unwrap();
        (root, store)
    }

    fn age(store: &FileBackend, blob: Digest, days: u64) {
        let file = File::options().write(true).open(store.layout().blob(blob)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(days * 86_400)).unwrap();
    }

    #[tokio::test]
    async fn a_run_that_somebody_drives_is_not_removed() {
        let (_root, store) = store().await;
        let lease = store.leases().take(run_id(1)).await.unwrap();
        let refused = store.space().unwrap().remove_run(run_id(1)).await;
        assert!(matches!(refused, Err(StoreError::Held { .. })), "{refused:?}");
        assert_eq!(store.logs().runs().await.unwrap(), [run_id(1)]);
        drop(lease);
        let none = store.space().unwrap().remove_run(run_id(2)).await;
        assert!(matches!(none, Err(StoreError::NoRun { .. })), "{none:?}");
        assert!(!store.layout().run(run_id(2)).exists());
    }

    #[tokio::test]
    async fn a_run_is_removed_with_what_a_killed_one_left() {
        let (_root, store) = store().await;
        let left = store.layout().runs().join(".removed-x");
        fs::create_dir(&left).unwrap();
        let bytes = store.space().unwrap().remove_run(run_id(1)).await.unwrap();
        assert!(bytes >= 10_000, "{bytes}");
        assert_eq!(store.logs().names().await.unwrap(), []);
        assert_eq!(fs::read_dir(store.layout().runs()).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn a_blob_that_was_put_a_moment_ago_stays_and_an_old_one_goes() {
        let (_root, store) = store().await;
        let space = store.space().unwrap();
        let [young, again, old] = [
            Backend::blobs(&store).put(b"young").await.unwrap(),
            Backend::blobs(&store).put(b"again").await.unwrap(),
            Backend::blobs(&store).put(b"old").await.unwrap(),
        ];
        age(&store, again, 9);
        age(&store, old, 9);
        // Whoever puts it a second time is about to cite it.
        assert_eq!(Backend::blobs(&store).put(b"again").await.unwrap(), again);
        let before = SystemTime::now() - Duration::from_secs(86_400);
        let removed = space.remove_blobs(vec![young, again, old, Digest::of("none")], before).await.unwrap();
        assert_eq!(removed.count, 1);
        assert!(removed.bytes > 0);
        let mut left: Vec<Digest> = space.blobs().await.unwrap().into_iter().map(|blob| blob.digest).collect();
        left.sort_unstable();
        let mut expected = [young, again];
        expected.sort_unstable();
        assert_eq!(left, expected);
        assert_eq!(fs::read_dir(store.layout().blobs()).unwrap().count(), 2, "nothing is left aside");
        // One that went is written again.
        assert_eq!(Backend::blobs(&store).put(b"old").await.unwrap(), old);
        assert_eq!(Backend::blobs(&store).get(old).await.unwrap(), b"old");
    }

    #[tokio::test]
    async fn sizes_are_told_by_what_they_are_for() {
        let (_root, store) = store().await;
        Backend::blobs(&store).put(&[1; 5000]).await.unwrap();
        fs::create_dir_all(store.layout().trees(run_id(1))).unwrap();
        fs::write(store.layout().trees(run_id(1)).join("a"), vec![0; 20_000]).unwrap();
        fs::write(store.layout().index(), [0; 3000]).unwrap();
        let usage = store.space().unwrap().usage().await.unwrap();
        assert!(usage.runs[&run_id(1)] >= 10_000 && usage.trees[&run_id(1)] >= 20_000, "{usage:?}");
        assert_eq!(usage.of(run_id(1)), usage.runs[&run_id(1)] + usage.trees[&run_id(1)]);
        assert!(usage.blobs >= 5000 && usage.blob_count == 1 && usage.index >= 3000, "{usage:?}");
        assert!(usage.total() >= usage.of(run_id(1)) + usage.blobs + usage.index + usage.other);
        assert_eq!(FileBackend::new("/nowhere").space().unwrap().usage().await.unwrap(), SpaceUsage::default());
    }

    #[tokio::test]
    async fn what_a_run_is_kept_for_is_told() {
        let (_root, store) = store().await;
        let space = store.space().unwrap();
        assert_eq!(space.kept_for(run_id(1)).await.unwrap(), None);
        space.keep_for(run_id(1), "a proof").await.unwrap();
        assert_eq!(space.kept_for(run_id(1)).await.unwrap().as_deref(), Some("a proof"));
    }
}
