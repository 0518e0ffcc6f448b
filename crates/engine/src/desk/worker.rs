//! Where the worker works.

use std::sync::Arc;
use tribunal_agents::{AgentError, Answer, TurnRequest};
use tribunal_kernel::desk::{Changed, ClaimFile, Incident, WorkAnswer};
use tribunal_store::desk::DeskFiles;

use super::folder::{DeskFolder, digests, of_tree, text};
use crate::sandbox::Confinement;
use crate::tree::{ChangeKind, write_inside};
use crate::workplace::{Doing, PreparedPlace, Printed, Workplace};

/// The work tree: the worker may write there and nowhere else.
#[derive(Debug)]
pub struct WorkerPlace(pub Arc<DeskFolder>);

impl Workplace for WorkerPlace {
    fn kept(&self, request: &TurnRequest) -> Option<Answer> {
        let answer = self.0.kept(request)?;
        // Whoever kept it may have been killed before it brought the memory home.
        let work: WorkAnswer = serde_json::from_str(&answer.text).ok()?;
        self.bring_home(&work).ok()?;
        Some(answer)
    }

    fn prepare<'a>(&'a self, request: &'a TurnRequest) -> Doing<'a, PreparedPlace> {
        Box::pin(async move {
            let campaign = &self.0;
            let mut trees = campaign.trees.lock().await;
            // What a worker left half done is not what the next one starts from.
            let head = trees.head().to_owned();
            trees.roll_back(&head).await.map_err(|error| of_tree(&error))?;
            let there = campaign.lay_out(trees.work()).map_err(|error| of_tree(&error))?;
            let confinement = campaign.confinement(request, vec![trees.root()])?;
            let read_only = there.given_folders().map(|folder| there.path(&folder)).into();
            Ok(PreparedPlace {
                cwd: trees.work().to_owned(),
                env: DeskFolder::variables(&there),
                sandbox: campaign.sandbox.clone(),
                confinement: Confinement { read_only, ..confinement },
                sealed: None,
            })
        })
    }

    fn finish<'a>(&'a self, request: &'a TurnRequest, _: PreparedPlace, printed: Printed) -> Doing<'a, Answer> {
        Box::pin(async move {
            let mut printed = printed;
            let work = self.look(request, std::mem::take(&mut printed.answer.text)).await?;
            let text = serde_json::to_string(&work).expect("an answer is plain JSON");
            let answer = Answer { text, ..printed.answer };
            self.0.keep(request, &answer)?;
            self.bring_home(&work)?;
            Ok(answer)
        })
    }
}

impl WorkerPlace {
    /// What the worker left.
    async fn look(&self, request: &TurnRequest, printed: String) -> Result<WorkAnswer, AgentError> {
        let campaign = &self.0;
        let mut trees = campaign.trees.lock().await;
        let there = campaign.files.seen_from(trees.work());
        let mut incidents = self.forgeries(&there);
        let mut read = |name: &str| {
            text(there.base(), name).unwrap_or_else(|incident| {
                incidents.push(incident);
                None
            })
        };
        let (memory, context, claim) = (read(&there.memory()), read(&there.context()), read(&there.claim()));
        let message = message(campaign.files.slug(), request, claim.as_deref());
        let commit = trees.commit(&message).await.map_err(|error| of_tree(&error))?;
        let named = campaign.spec().map(|spec| spec.files).unwrap_or_default();
        let files = digests(&trees, &commit.id, &named).await?;
        let changed = commit.changed.into_iter().map(|change| {
            let kind = match change.kind {
                ChangeKind::Added => "added",
                ChangeKind::Modified => "modified",
                ChangeKind::Deleted => "deleted",
                ChangeKind::Retyped => "retyped",
            };
            Changed { path: change.path, kind: kind.into() }
        });
        Ok(WorkAnswer {
            printed,
            memory,
            context,
            claim,
            commit: commit.id,
            tree: commit.tree,
            changed: changed.collect(),
            files,
            incidents,
        })
    }

    /// Files that are there and should not be, or are not as they were given.
    fn forgeries(&self, there: &DeskFiles) -> Vec<Incident> {
        let campaign = &self.0;
        let mut found = Vec::new();
        let mut report = |code: &str, detail: String| found.push(Incident { code: code.into(), detail });
        for name in [there.complete(), there.blocked()] {
            if there.path(&name).symlink_metadata().is_ok() {
                report("wrote_sentinel", format!("sentinels are the leader's alone: {name}"));
            }
        }
        if there.path(&there.verdict()).symlink_metadata().is_ok() {
            report("wrote_verdict", format!("verdicts are the verifier's alone: {}", there.verdict()));
        }
        for name in there.given() {
            if text(there.base(), &name).ok().flatten() != campaign.own(&name) {
                report("plans_changed", format!("{name} is not the worker's to change"));
            }
        }
        found
    }

    /// Takes what the next worker needs over into the user's project.
    fn bring_home(&self, work: &WorkAnswer) -> Result<(), AgentError> {
        let files = &self.0.files;
        let left = [(files.memory(), &work.memory), (files.context(), &work.context), (files.claim(), &work.claim)];
        for (name, text) in left {
            if let Some(text) = text {
                write_inside(files.base(), &name, text.as_bytes()).map_err(|error| of_tree(&error))?;
            }
        }
        Ok(())
    }
}

fn message(slug: &str, request: &TurnRequest, claim: Option<&str>) -> String {
    let claim = claim.and_then(|text| ClaimFile::read(text).ok());
    let (stories, summary) =
        claim.map_or_else(Default::default, |claim| (claim.stories_completed.join(", "), claim.summary));
    let about = if stories.is_empty() { "work in progress".to_owned() } else { format!("{stories} claimed") };
    let summary = if summary.is_empty() { String::new() } else { format!("{summary}\n\n") };
    format!(
        "{slug}: iteration {}, {about}\n\n{summary}Tribunal-Run: {}\nTribunal-Turn: {}\n",
        request.round, request.run, request.turn
    )
}
