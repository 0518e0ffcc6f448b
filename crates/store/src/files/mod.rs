//! The file backend: everything under `.tribunal/`.
//!
//! Disk work happens on blocking threads, one append each. Syncs of different logs that wait at the same time are
//! committed together by the file system's journal, so a run waits for one sync and never in a queue of them.
//!
//! | file | has |
//! |---|---|
//! | `logs`, `leases` | the logs, and who may write them |
//! | `coordination` | requests, questions, accounts, the queue, the server's address |
//! | `contents` | blobs, lists, grades, the project's id, folders |
//! | `space` | the room that all of it takes |
//! | `unopened` | runs whose opener was killed, which the next start removes |

mod contents;
mod coordination;
mod leases;
mod logs;
mod space;
mod unopened;

use std::path::PathBuf;
use std::sync::Arc;
use tokio::task;

use crate::backend::{
    Accounts, Backend, Blobs, GradeBook, Leases, Lists, Live, Logs, Questions, Queue, Requests, Scratch, Servers,
    Space, StopBook, StoreReply, VoteLinks,
};
use crate::index::KeptIndex;
use crate::verify::{self, VerifyReport};
use crate::{Layout, StoreError, atomic, project};
use tribunal_kernel::{ProjectId, RunId};

pub(crate) use logs::runs;

/// Everything in files.
#[derive(Debug, Clone)]
pub struct FileBackend {
    layout: Arc<Layout>,
    what: Arc<str>,
    /// Opened when somebody asks for a list.
    index: Arc<KeptIndex>,
}

impl FileBackend {
    /// The store of the workspace at `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let layout = Layout::new(root);
        let index = Arc::new(KeptIndex::new(layout.index()));
        Self { layout: Arc::new(layout), what: "tribunal".into(), index }
    }

    /// The same store, whose leases tell others that they are held for `what`: `tribunal run`, …
    pub fn held_for(self, what: impl Into<Arc<str>>) -> Self {
        Self { what: what.into(), ..self }
    }

    /// Where the files are. Nobody needs it to work with them; tests damage what is there.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    fn blocking<'a, T: Send + 'static>(
        &self,
        work: impl FnOnce(&Layout) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreReply<'a, T> {
        let layout = self.layout.clone();
        Box::pin(async move { finished(task::spawn_blocking(move || work(&layout)).await)? })
    }
}

impl Backend for FileBackend {
    fn name(&self) -> &'static str {
        "files"
    }

    fn logs(&self) -> &dyn Logs {
        self
    }

    fn leases(&self) -> &dyn Leases {
        self
    }

    fn requests(&self) -> &dyn Requests {
        self
    }

    fn questions(&self) -> &dyn Questions {
        self
    }

    fn accounts(&self) -> &dyn Accounts {
        self
    }

    fn blobs(&self) -> &dyn Blobs {
        self
    }

    fn queue(&self) -> &dyn Queue {
        self
    }

    fn lists(&self) -> &dyn Lists {
        self
    }

    fn live(&self) -> &dyn Live {
        self
    }

    fn grades(&self) -> &dyn GradeBook {
        self
    }

    fn stops(&self) -> &dyn StopBook {
        self
    }

    fn servers(&self) -> &dyn Servers {
        self
    }

    fn votes(&self) -> &dyn VoteLinks {
        self
    }

    fn scratch(&self) -> &dyn Scratch {
        self
    }

    fn space(&self) -> Option<&dyn Space> {
        Some(self)
    }

    fn project(&self) -> StoreReply<'_, ProjectId> {
        self.blocking(project::id)
    }

    fn sweep(&self) -> StoreReply<'_, usize> {
        self.blocking(|layout| {
            let files: usize = layout.swept().iter().map(|(folder, depth)| atomic::sweep(folder, *depth)).sum();
            Ok(files + unopened::sweep(layout))
        })
    }

    fn verify(&self, runs: Option<Vec<RunId>>) -> StoreReply<'_, VerifyReport> {
        self.blocking(move |layout| verify::files_of(layout, runs))
    }
}

fn finished<T>(joined: Result<T, task::JoinError>) -> Result<T, StoreError> {
    joined.map_err(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => StoreError::ShuttingDown,
    })
}
