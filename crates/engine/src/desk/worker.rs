//! Where the worker works.

use std::sync::Arc;
use tribunal_agents::{AgentError, Answer, TurnRequest};
use tribunal_kernel::Digest;
use tribunal_kernel::desk::{Changed, ClaimFile, Incident, WorkAnswer};
use tribunal_store::StoreError;
use tribunal_store::desk::DeskFiles;

use super::folder::{DeskFolder, digests, of_store, of_tree, text};
use super::handover::{self, Handover};
use crate::sandbox::Confinement;
use crate::tree::{ChangeKind, Trees, write_inside};
use crate::workplace::{Doing, PreparedPlace, Printed, Workplace};

/// The work tree: the worker may write there and nowhere else.
#[derive(Debug)]
pub struct WorkerPlace(pub Arc<DeskFolder>);

impl Workplace for WorkerPlace {
    fn taken_up<'a>(&'a self, request: &'a TurnRequest) -> Doing<'a, Option<Answer>> {
        Box::pin(async move {
            let trees = self.0.trees.lock().await;
            let Some(tip) = trees.tip().await.map_err(|error| of_tree(&error))? else { return Ok(None) };
            let Some(blob) = handover::named(&tip.message, request) else { return Ok(None) };
            let bytes = match self.0.store.blobs().get(blob).await {
                Ok(bytes) => bytes,
                Err(StoreError::NoBlob { .. } | StoreError::BlobDamaged { .. }) => return Ok(None),
                Err(error) => return Err(of_store(&error)),
            };
            match Handover::read(&bytes, request, &tip) {
                Some(handover) => self.answer(&trees, tip.id, handover).await.map(Some),
                None => Ok(None),
            }
        })
    }

    fn prepare<'a>(&'a self, request: &'a TurnRequest) -> Doing<'a, PreparedPlace> {
        Box::pin(async move {
            let campaign = &self.0;
            let mut trees = campaign.trees.lock().await;
            // What a worker left half done is not what the next one starts from. Who had to wait goes on with its own.
            if !request.is_resumed {
                let head = trees.head().to_owned();
                trees.roll_back(&head).await.map_err(|error| of_tree(&error))?;
            }
            let there = campaign.lay_out(trees.work()).map_err(|error| of_tree(&error))?;
            let confinement = campaign.confinement(request, vec![trees.root()])?;
            let [plans, prompts] = there.given_folders().map(|folder| there.path(&folder));
            // Who is told to propose another test spec writes it in its own copy; nobody checks by that one.
            let read_only = if campaign.asks_for_spec() { vec![prompts] } else { vec![plans, prompts] };
            Ok(PreparedPlace {
                cwd: trees.work().to_owned(),
                env: DeskFolder::variables(&there, &trees.root()),
                sandbox: campaign.sandbox.clone(),
                confinement: Confinement { read_only, ..confinement },
                sealed: None,
            })
        })
    }

    fn finish<'a>(&'a self, request: &'a TurnRequest, _: PreparedPlace, printed: Printed) -> Doing<'a, Answer> {
        Box::pin(async move {
            let campaign = &self.0;
            let mut trees = campaign.trees.lock().await;
            let recorded = trees.record().await.map_err(|error| of_tree(&error))?;
            let mut left = self.look(&trees);
            left.incidents.extend(recorded.left_out.iter().map(|path| Incident {
                code: Incident::LINK.into(),
                detail: format!("{path} is a link that leads out of the work: it is left out"),
            }));
            self.keep_proposal(&trees, request)?;
            let claim = left.claim.clone();
            let handover = Handover::new(request, &recorded, left, printed.answer);
            // First what the commit names, then the commit: one that is there can be taken up.
            let blob = campaign.store.blobs().put(&handover.bytes()).await.map_err(|error| of_store(&error))?;
            let message = message(campaign.files.slug(), request, claim.as_deref(), blob);
            let commit = trees.seal(&recorded, &message).await.map_err(|error| of_tree(&error))?;
            self.answer(&trees, commit.id, handover).await
        })
    }
}

impl WorkerPlace {
    /// What the worker left besides its work.
    fn look(&self, trees: &Trees) -> WorkAnswer {
        let there = self.0.files.seen_from(trees.work());
        let mut incidents = self.forgeries(&there);
        let mut read = |name: &str| {
            text(there.base(), name).unwrap_or_else(|incident| {
                incidents.push(incident);
                None
            })
        };
        let (memory, context, claim) = (read(&there.memory()), read(&there.context()), read(&there.claim()));
        let (signal, blocked) = (read(&there.signal()), read(&there.blocked()));
        WorkAnswer { memory, context, claim, signal, blocked, incidents, ..WorkAnswer::default() }
    }

    /// The answer that a commit comes to, with what was left beside it.
    async fn answer(&self, trees: &Trees, commit: String, handover: Handover) -> Result<Answer, AgentError> {
        let changed = trees.changes(&handover.parent, &commit).await.map_err(|error| of_tree(&error))?;
        let changed = changed.into_iter().map(|change| {
            let kind = match change.kind {
                ChangeKind::Added => "added",
                ChangeKind::Modified => "modified",
                ChangeKind::Deleted => "deleted",
                ChangeKind::Retyped => "retyped",
            };
            Changed { path: change.path, kind: kind.into() }
        });
        let changed = changed.collect();
        let named = self.0.spec().map(|spec| spec.files).unwrap_or_default();
        let files = digests(trees, &commit, &named).await?;
        let (left, answer) = handover.open();
        let work = WorkAnswer { commit, changed, files, ..left };
        self.bring_home(&work)?;
        let text = serde_json::to_string(&work).expect("an answer is plain JSON");
        Ok(Answer { text, ..answer })
    }

    /// Files that are there and should not be, or are not as they were given.
    fn forgeries(&self, there: &DeskFiles) -> Vec<Incident> {
        let campaign = &self.0;
        let mut found = Vec::new();
        let mut report = |code: &str, detail: String| found.push(Incident { code: code.into(), detail });
        // Who says that it is blocked says it of itself, and is believed; nobody is complete by its own word.
        if there.path(&there.complete()).symlink_metadata().is_ok() {
            report("wrote_sentinel", format!("sentinels are the leader's alone: {}", there.complete()));
        }
        if there.path(&there.verdict()).symlink_metadata().is_ok() {
            report("wrote_verdict", format!("verdicts are the verifier's alone: {}", there.verdict()));
        }
        let proposed = there.test_spec();
        for name in there.given().into_iter().filter(|name| *name != proposed || !campaign.asks_for_spec()) {
            if text(there.base(), &name).ok().flatten() != campaign.own(&name) {
                report("plans_changed", format!("{name} is not the worker's to change"));
            }
        }
        found
    }

    /// Keeps another test spec that the worker was told to write, for a person to read. The one that counts stays.
    fn keep_proposal(&self, trees: &Trees, request: &TurnRequest) -> Result<(), AgentError> {
        let files = &self.0.files;
        let proposed = text(trees.work(), &files.test_spec()).ok().flatten().filter(|_| self.0.asks_for_spec());
        match proposed.filter(|proposed| self.0.own(&files.test_spec()).as_ref() != Some(proposed)) {
            Some(proposed) => {
                let name = files.of_iteration(request.round.0, "proposed-test-spec.md");
                write_inside(files.base(), &name, proposed.as_bytes()).map_err(|error| of_tree(&error))
            }
            None => Ok(()),
        }
    }

    /// Takes what the next worker needs over into the user's project.
    fn bring_home(&self, work: &WorkAnswer) -> Result<(), AgentError> {
        let files = &self.0.files;
        let left = [
            (files.memory(), &work.memory),
            (files.context(), &work.context),
            (files.claim(), &work.claim),
            (files.signal(), &work.signal),
        ];
        for (name, text) in left {
            if let Some(text) = text {
                write_inside(files.base(), &name, text.as_bytes()).map_err(|error| of_tree(&error))?;
            }
        }
        Ok(())
    }
}

fn message(slug: &str, request: &TurnRequest, claim: Option<&str>, answer: Digest) -> String {
    let claim = claim.and_then(|text| ClaimFile::read(text).ok());
    let (stories, summary) =
        claim.map_or_else(Default::default, |claim| (claim.stories_completed.join(", "), claim.summary));
    let about = if stories.is_empty() { "work in progress".to_owned() } else { format!("{stories} claimed") };
    let summary = if summary.is_empty() { String::new() } else { format!("{summary}\n\n") };
    let trailers = handover::trailers(request, answer);
    format!("{slug}: iteration {}, {about}\n\n{summary}{trailers}", request.round)
}
