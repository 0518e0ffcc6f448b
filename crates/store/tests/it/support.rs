//! A workspace of its own for every test.

use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;
use tribunal_kernel::{RunId, Seq};
use tribunal_store::conformance::{events, run_id, texts};
use tribunal_store::{Backend, FileBackend, Layout};

pub(crate) struct Workspace {
    pub(crate) store: FileBackend,
    pub(crate) run: RunId,
    _folder: TempDir,
}

impl Workspace {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { store: FileBackend::new(folder.path()), run: run_id(1), _folder: folder }
    }

    /// One with a run of so many events.
    pub(crate) async fn with_log(count: usize) -> Self {
        let workspace = Self::new();
        let mut log = workspace.store.logs().create(workspace.run).await.unwrap();
        log.append(Seq(0), events(workspace.run).take(count).collect()).await.unwrap();
        workspace
    }

    /// One with a run of so many events, and the blobs they cite.
    pub(crate) async fn with_events(count: usize) -> Self {
        let workspace = Self::with_log(count).await;
        for text in texts(u32::try_from((count - 1).div_ceil(6)).unwrap()) {
            workspace.store.blobs().put(text.as_bytes()).await.unwrap();
        }
        workspace
    }

    pub(crate) fn layout(&self) -> &Layout {
        self.store.layout()
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.layout().log(self.run)
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        fs::read(self.log()).unwrap()
    }

    pub(crate) fn overwrite(&self, bytes: impl AsRef<[u8]>) {
        fs::write(self.log(), bytes).unwrap();
    }
}

/// How many lines these bytes complete.
pub(crate) fn newlines(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').count() - 1
}
