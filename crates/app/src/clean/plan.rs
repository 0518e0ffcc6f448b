//! What would go, and what stays.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};
use tribunal_engine::Clock as _;
use tribunal_kernel::{Digest, Entry, Event, Run, RunId, Time};
use tribunal_store::backend::{KeptBlob, ScratchFolder, Space, SpaceUsage};

use super::KeptBecause;
use super::needed::{Citations, Outside, keep_cited};
use crate::desk;
use crate::error::AppError;
use crate::project::Project;

/// A blob is put moments before it is cited. Nobody is about to cite one that is older than this.
const UNCITED: Duration = Duration::from_secs(24 * 60 * 60);

/// The digits of a digest.
const DIGEST: usize = 64;

/// What would go, and what stays.
#[derive(Debug, Default)]
pub struct CleanPlan {
    pub runs: Vec<OldRun>,
    /// Work trees, of these runs or of others.
    pub trees: Vec<OldTree>,
    pub blob_count: u64,
    pub blob_bytes: u64,
    pub kept: BTreeMap<RunId, KeptBecause>,
}

/// A run that nobody needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldRun {
    pub run: RunId,
    pub subject: String,
    pub bytes: u64,
}

/// A work tree whose work was taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldTree {
    pub run: RunId,
    /// Its branch, or the run where there is no git.
    pub name: String,
    pub bytes: u64,
}

/// Blobs that no event cites.
pub(super) struct Uncited {
    pub(super) blobs: Vec<KeptBlob>,
    /// They were put before this.
    pub(super) before: SystemTime,
}

impl CleanPlan {
    /// All of it.
    pub fn bytes(&self) -> u64 {
        bytes(&self.runs, &self.trees) + self.blob_bytes
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty() && self.trees.is_empty() && self.blob_count == 0
    }
}

pub(super) fn bytes(runs: &[OldRun], trees: &[OldTree]) -> u64 {
    runs.iter().map(|run| run.bytes).sum::<u64>() + trees.iter().map(|tree| tree.bytes).sum::<u64>()
}

pub(super) async fn plan(project: &Project, space: &dyn Space, older_than: Duration) -> Result<CleanPlan, AppError> {
    let usage = space.usage().await?;
    let outside = Outside::of(project).await?;
    let now = project.clock.now();
    let mut plan = CleanPlan::default();
    let (mut citations, mut subjects) = (BTreeMap::new(), BTreeMap::new());
    let mut shown = BTreeSet::new();
    // Newest first.
    for id in project.store.logs().runs().await?.into_iter().rev() {
        let Ok(run) = project.read(id).await else {
            plan.kept.insert(id, KeptBecause::Unreadable);
            citations.insert(id, Citations::unknown());
            continue;
        };
        citations.insert(id, Citations::of(&run));
        subjects.insert(id, run.spec().subject().to_owned());
        let is_old = run.end().is_some_and(|end| now.since(end.at) >= older_than);
        let tree = old_tree(project, &run, &usage, is_old).await?;
        let kept = if project.is_driven(id).await? {
            Some(KeptBecause::Driven)
        } else if run.end().is_none() {
            Some(KeptBecause::Unfinished)
        } else if matches!(tree, Tree::Needed) {
            Some(KeptBecause::Work)
        } else if let Some(what) = space.kept_for(id).await? {
            Some(KeptBecause::Outside(what))
        } else if let Some(why) = outside.keeps(project, id) {
            Some(why)
        } else if is_newest(project, &run, &mut shown) {
            Some(KeptBecause::Newest)
        } else {
            (!is_old).then_some(KeptBecause::Young)
        };
        plan.kept.extend(kept.map(|why| (id, why)));
        if let Tree::Old(tree) = tree {
            plan.trees.push(tree);
        }
    }
    keep_cited(&mut plan.kept, &citations);
    let goes = |run: &RunId| !plan.kept.contains_key(run);
    let old = subjects.into_iter().filter(|(run, _)| goes(run));
    let size = |run| usage.runs.get(&run).copied().unwrap_or_default();
    plan.runs = old.map(|(run, subject)| OldRun { run, subject, bytes: size(run) }).collect();
    if let Some(uncited) = uncited(project, space, |run| plan.kept.contains_key(&run)).await? {
        plan.blob_count = uncited.blobs.len() as u64;
        plan.blob_bytes = uncited.blobs.iter().map(|blob| blob.bytes).sum();
    }
    Ok(plan)
}

/// Whether it is what its asset stands at. A fork stands beside it, and what was only judged stands for nothing: it is
/// judged again where somebody asks.
fn is_newest(project: &Project, run: &Run, shown: &mut BTreeSet<(String, String, String)>) -> bool {
    let spec = run.spec();
    let def = spec.kind().def();
    let is_made_here = !def.engine_seats.contains(&def.author);
    let place = project.folder_of(spec).to_string_lossy().into_owned();
    is_made_here && spec.fork.is_none() && shown.insert((place, def.name.to_owned(), spec.subject().to_owned()))
}

/// What is to be done about the work tree of a run.
enum Tree {
    None,
    /// It has work that is nowhere else.
    Needed,
    Old(OldTree),
}

async fn old_tree(project: &Project, run: &Run, usage: &SpaceUsage, is_old: bool) -> Result<Tree, AppError> {
    let id = run.spec().run;
    let Some(bytes) = usage.trees.get(&id).copied() else { return Ok(Tree::None) };
    if !is_old {
        return Ok(Tree::None);
    }
    // One that may go on is looked at by whoever drives it, and by nobody else.
    let is_over = run.end().is_some_and(|end| end.outcome.is_sticky()) && !project.is_driven(id).await?;
    if !is_over {
        return Ok(Tree::Needed);
    }
    let name = desk::adopted_tree(project, run.spec()).await?;
    Ok(name.map_or(Tree::Needed, |name| Tree::Old(OldTree { run: id, name, bytes })))
}

/// The blobs that no run cites of those that stay; `None` if somebody might whose log cannot be read.
pub(super) async fn uncited(
    project: &Project,
    space: &dyn Space,
    stays: impl Fn(RunId) -> bool,
) -> Result<Option<Uncited>, AppError> {
    // First those that are there, then who cites them: what comes later is younger than both.
    let blobs = space.blobs().await?;
    let mut before = SystemTime::now();
    let mut cited: BTreeSet<Digest> = BTreeSet::new();
    for run in project.store.logs().runs().await?.into_iter().filter(|run| stays(*run)) {
        let Ok(entries) = project.store.logs().read(run).await else { return Ok(None) };
        cited.extend(entries.iter().flat_map(|entry| entry.event.cites()));
        // Whatever looks like a digest anywhere in the log: a draft names its plain text, too, and that is cited by no event.
        let Ok(bytes) = project.store.logs().bytes(run).await else { return Ok(None) };
        cited.extend(named(&bytes));
        let has_tree = project.store.scratch().path(&ScratchFolder::Trees(run)).exists();
        if let Some(opened) = unfinished_since(&entries, has_tree) {
            before = before.min(SystemTime::UNIX_EPOCH + Duration::from_millis(opened.0));
        }
    }
    before = before.checked_sub(UNCITED).unwrap_or(SystemTime::UNIX_EPOCH);
    let is_free = |blob: &KeptBlob| blob.put < before && !cited.contains(&blob.digest);
    Ok(Some(Uncited { blobs: blobs.into_iter().filter(is_free).collect(), before }))
}

/// Every digest that a text has.
fn named(text: &[u8]) -> Vec<Digest> {
    let words = text.split(|byte| !byte.is_ascii_hexdigit()).filter(|word| word.len() == DIGEST);
    words.filter_map(|word| Digest::parse(std::str::from_utf8(word).ok()?)).collect()
}

/// Since when a run is open that may cite what it has put already. One that works on files hands over by a commit, which
/// names a blob before any event does: it may be taken up there, unless it is settled.
fn unfinished_since(entries: &[Entry], has_tree: bool) -> Option<Time> {
    let run = Run::fold(entries).ok().flatten();
    let is_over = run.as_ref().and_then(Run::end).is_some_and(|end| !has_tree || end.outcome.is_sticky());
    let opened = entries.iter().find(|entry| matches!(entry.event, Event::RunOpened { .. }))?;
    (!is_over).then_some(opened.time)
}
