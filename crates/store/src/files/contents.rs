//! What else is kept: blobs, lists, grades, and the folders of this machine.

use std::path::PathBuf;
use std::sync::Arc;
use tribunal_kernel::grade::Grades;
use tribunal_kernel::judge::Stops;
use tribunal_kernel::{Digest, Run, RunId};

use super::FileBackend;
use crate::backend::{Blobs, GradeBook, Lists, Scratch, ScratchFolder, StopBook, StoreReply, VoteKey, VoteLinks};
use crate::index::{ArtifactRow, FindingRow, Index, IndexError, ListedRun, RunFilter, SeatRow};
use crate::{Layout, blobs, dir, grades, stops, votes};

impl Blobs for FileBackend {
    fn put<'a>(&'a self, bytes: &'a [u8]) -> StoreReply<'a, Digest> {
        let bytes = bytes.to_owned();
        self.blocking(move |layout| blobs::put(layout, &bytes))
    }

    fn get(&self, digest: Digest) -> StoreReply<'_, Vec<u8>> {
        self.blocking(move |layout| blobs::get(layout, digest))
    }
}

impl Lists for FileBackend {
    fn update(&self, run: Arc<Run>) -> StoreReply<'_, ()> {
        self.indexed(move |index| index.update(&run))
    }

    fn rebuild(&self, runs: Vec<Arc<Run>>) -> StoreReply<'_, ()> {
        let kept = self.index.clone();
        self.blocking(move |_| Ok(kept.rebuild(runs.iter().map(Arc::as_ref))?))
    }

    fn unknown(&self, runs: Vec<RunId>) -> StoreReply<'_, Vec<RunId>> {
        if self.index.is_there() {
            self.indexed(move |index| index.missing(runs))
        } else {
            Box::pin(std::future::ready(Ok(runs)))
        }
    }

    fn runs(&self, filter: RunFilter) -> StoreReply<'_, Vec<ListedRun>> {
        self.looked_up(move |index| index.runs(&filter))
    }

    fn findings(&self, run: RunId) -> StoreReply<'_, Vec<FindingRow>> {
        self.looked_up(move |index| index.findings(run))
    }

    fn seats(&self, run: RunId) -> StoreReply<'_, Vec<SeatRow>> {
        self.looked_up(move |index| index.seats(run))
    }

    fn artifact(&self, run: RunId) -> StoreReply<'_, Option<ArtifactRow>> {
        self.looked_up(move |index| index.artifact(run))
    }
}

impl FileBackend {
    /// Asks the index, which is opened once and then kept.
    fn indexed<'a, T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Index) -> Result<T, IndexError> + Send + 'static,
    ) -> StoreReply<'a, T> {
        let kept = self.index.clone();
        self.blocking(move |_| Ok(kept.with(work)?))
    }

    /// The same for whoever only looks: they make none.
    fn looked_up<'a, T: Default + Send + 'static>(
        &self,
        work: impl FnOnce(&mut Index) -> Result<T, IndexError> + Send + 'static,
    ) -> StoreReply<'a, T> {
        if self.index.is_there() { self.indexed(work) } else { Box::pin(std::future::ready(Ok(T::default()))) }
    }
}

impl GradeBook for FileBackend {
    fn read(&self) -> StoreReply<'_, Grades> {
        self.blocking(grades::read)
    }

    fn change<'a>(&'a self, mut change: Box<dyn FnMut(&mut Grades) + Send + 'a>) -> StoreReply<'a, ()> {
        // On this thread: what changes them may borrow from the caller, and it is one small file.
        Box::pin(async move { grades::change(&self.layout, |grades| change(grades)) })
    }
}

impl VoteLinks for FileBackend {
    fn key(&self) -> StoreReply<'_, VoteKey> {
        self.blocking(votes::key)
    }

    fn is_used(&self, link: Digest) -> StoreReply<'_, bool> {
        self.blocking(move |layout| Ok(layout.used_vote(link).exists()))
    }

    fn take(&self, link: Digest) -> StoreReply<'_, bool> {
        self.blocking(move |layout| votes::take(layout, link))
    }

    fn give_back(&self, link: Digest) -> StoreReply<'_, ()> {
        self.blocking(move |layout| votes::give_back(layout, link))
    }
}

impl StopBook for FileBackend {
    fn read(&self) -> StoreReply<'_, Stops> {
        self.blocking(stops::read)
    }

    fn change<'a>(&'a self, mut change: Box<dyn FnMut(&mut Stops) + Send + 'a>) -> StoreReply<'a, ()> {
        // On this thread, as grades are.
        Box::pin(async move { stops::change(&self.layout, |stops| change(stops)) })
    }

    fn set_aside(&self) -> StoreReply<'_, Option<String>> {
        self.blocking(stops::set_aside)
    }
}

impl Scratch for FileBackend {
    fn path(&self, folder: &ScratchFolder) -> PathBuf {
        path(&self.layout, folder)
    }

    fn emptied<'a>(&'a self, folder: &'a ScratchFolder) -> StoreReply<'a, PathBuf> {
        let folder = folder.clone();
        self.blocking(move |layout| {
            let path = path(layout, &folder);
            dir::empty(&path)?;
            Ok(path)
        })
    }
}

fn path(layout: &Layout, folder: &ScratchFolder) -> PathBuf {
    match folder {
        ScratchFolder::Trees(run) => layout.trees(*run),
        ScratchFolder::Artifacts(run) => layout.artifacts(*run),
        ScratchFolder::Attached(run) => layout.attached(*run),
        ScratchFolder::Agent(name) => layout.agent(name),
        ScratchFolder::Trial(agent) => layout.scratch(agent),
    }
}
