//! How runs stand.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use tribunal_kernel::{Decision, Run, RunId};
use tribunal_store::index::RunFilter;
use tribunal_store::log::sealed::LogTip;

use crate::error::AppError;
use crate::parked;
use crate::people::People;
use crate::project::{Project, RunSurvey, UnreadableRun};
use crate::summary;

/// A run, and whether somebody works on it.
#[derive(Debug)]
pub struct RunStanding {
    pub run: Arc<Run>,
    pub is_driven: bool,
    pub people: People,
    /// Where its log ends.
    pub head: Option<LogTip>,
}

/// Runs, newest first. One that cannot be read hides no other.
#[derive(Debug, Default)]
pub struct RunList {
    pub runs: Vec<RunStanding>,
    pub damaged: Vec<UnreadableRun>,
    /// How many there are besides.
    pub left_out: usize,
    /// Assets that are decided in the workspace, and of which there is no run here.
    pub decided: Vec<(String, Decision)>,
}

/// Assets that are decided in the workspace by another program, or by runs that are gone.
pub async fn decided(project: &Project) -> Result<Vec<(String, Decision)>, AppError> {
    let specs = project.survey().await?.specs;
    let is_ours = |asset: &&String| specs.iter().any(|spec| spec.subject() == asset.as_str());
    let assets = project.config().review.assets.iter().filter(|asset| !is_ours(asset));
    let settled = |asset: &String| {
        // What cannot be read decides nothing here; whoever runs it is told.
        let decision = tribunal_store::workspace::settled(&project.workspace(), asset).ok().flatten()?;
        Some((asset.clone(), decision))
    };
    Ok(assets.filter_map(settled).collect())
}

/// One run, by its id, a part of it, or what it is about; the newest if none is named.
pub async fn one(project: &Project, name: Option<&str>) -> Result<RunStanding, AppError> {
    let run = project.find(name).await?;
    RunStanding::of(project, Arc::new(project.read(run).await?)).await
}

/// All runs, at most so many; with `search` those that the text occurs in.
pub async fn list(project: &Project, search: Option<&str>, most: usize) -> Result<RunList, AppError> {
    let mut list = RunList::default();
    let RunSurvey { specs, unreadable } = project.survey().await?;
    let unopened = unreadable.len();
    list.damaged = unreadable;
    for spec in &specs {
        if list.runs.len() >= most && search.is_none() {
            break;
        }
        let standing = async { RunStanding::of(project, Arc::new(project.read(spec.run).await?)).await };
        match standing.await {
            Ok(standing) => list.runs.push(standing),
            Err(why) => list.damaged.push(UnreadableRun { run: spec.run, why }),
        }
    }
    if let Some(text) = search {
        for status in &list.runs {
            project.store.lists().update(status.run.clone()).await?;
        }
        let filter = RunFilter { text: Some(text.to_owned()), limit: u32::MAX, ..RunFilter::default() };
        let found: BTreeSet<RunId> = project.store.lists().runs(filter).await?.into_iter().map(|row| row.run).collect();
        list.runs.retain(|status| found.contains(&status.run.spec().run));
        list.left_out = list.runs.len().saturating_sub(most);
        list.runs.truncate(most);
    } else {
        list.left_out = specs.len() + unopened - list.runs.len() - list.damaged.len();
        list.decided = decided(project).await?;
    }
    Ok(list)
}

impl RunStanding {
    pub async fn of(project: &Project, run: Arc<Run>) -> Result<Self, AppError> {
        let is_driven = project.is_driven(run.spec().run).await?;
        let head = project.store.logs().tip(run.spec().run).await?;
        Ok(Self { run, is_driven, people: People::of(project.config()), head })
    }

    /// In a few words: where it is, who works, what was spent.
    pub fn standing(&self) -> String {
        summary::standing_of(&self.run, &self.people, self.is_driven)
    }

    /// In a word: its outcome, or `waiting` (for people), `parked` (for a provider), `running`, `stopped`.
    pub fn word(&self) -> &'static str {
        match self.run.end() {
            Some(end) => end.outcome.as_str(),
            None if self.people.are_all(&self.run) => "waiting",
            None if parked::is_parked(&self.run) => "parked",
            None if self.is_driven => "running",
            None => "stopped",
        }
    }

    /// For programs, without its turns.
    pub fn object(&self) -> Value {
        self.with_driver(summary::summary(&self.run))
    }

    /// For programs, with what it waits for and what its rounds amounted to.
    pub fn standing_object(&self) -> Value {
        let mut object = self.object();
        if let (Some(object), Value::Object(more)) =
            (object.as_object_mut(), summary::standing_object(&self.run, &self.people))
        {
            object.extend(more);
        }
        object["standing"] = json!(self.standing());
        object
    }

    /// For programs, with everything.
    pub fn detail(&self) -> Value {
        let mut object = self.with_driver(summary::detail(&self.run, &self.people));
        object["standing"] = json!(self.standing());
        object
    }

    fn with_driver(&self, object: Value) -> Value {
        let mut object = summary::awaiting(object, &self.run, &self.people);
        object["driven"] = json!(self.is_driven);
        object["head"] = json!(self.head.map(|head| head.hash));
        object
    }
}
