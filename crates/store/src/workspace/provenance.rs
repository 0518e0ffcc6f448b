//! Where things came from: every prompt that was sent, and the references to them.

use serde::Serialize;
use std::collections::BTreeSet;
use tribunal_kernel::review::{DRAFT, REVIEW};
use tribunal_kernel::verdict::Correction;
use tribunal_kernel::{Digest, FindingId, Round, Run, RunId, SeatName, Time, Turn, TurnId, Verdict};

use super::files::{File, text};
use super::{WorkspaceError, json, paths};

/// The files of all prompts of a run. A prompt that was sent again, word for word, is the same file.
pub(super) fn files(run: &Run, texts: &impl Fn(Digest) -> Option<String>) -> Result<Vec<File>, WorkspaceError> {
    let mut seen = BTreeSet::new();
    let mut files = Vec::new();
    // What a program of ours worked on was sent to nobody.
    for turn in run.turns().iter().filter(|turn| !run.spec().is_measured(&turn.seat)) {
        let id = prompt_id(turn);
        if !seen.insert(id.clone()) {
            continue;
        }
        let prompt = text(texts, turn.prompt, || format!("the prompt of turn {}", turn.id))?;
        let (agent, model) = sitter(run, &turn.seat);
        let file = Sent {
            prompt_id: &id,
            template: template(turn),
            prompt,
            sha256: turn.prompt,
            created_at: turn.started,
            seat: &turn.seat,
            iteration: turn.round,
            attempt: turn.attempt,
            agent,
            model,
            run_id: run.spec().run,
        };
        files.push((paths::prompt(&id), json::to_bytes(&file)));
    }
    Ok(files)
}

/// What a candidate or a review refers to.
#[derive(Debug, Serialize)]
pub(super) struct Provenance<'a> {
    kind: &'static str,
    #[serde(rename = "ref")]
    reference: String,
    created_at: Time,
    metadata: Metadata<'a>,
}

/// Everything that is known of a turn and has no place in the shapes.
#[derive(Debug, Serialize)]
struct Metadata<'a> {
    agent: Option<&'a str>,
    model: Option<&'a str>,
    run_id: RunId,
    turn: TurnId,
    /// Why a verdict does not count as it was given.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    corrections: &'a [Correction],
    /// Issues that speak against something settled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contested: Vec<FindingId>,
}

impl<'a> Provenance<'a> {
    /// The provenance of what `turn` brought.
    pub(super) fn of(run: &'a Run, turn: &Turn, verdict: Option<&'a Verdict>) -> Vec<Self> {
        let (agent, model) = sitter(run, &turn.seat);
        let findings = verdict.map(|verdict| verdict.findings.as_slice()).unwrap_or_default();
        vec![Self {
            kind: "prompts",
            reference: prompt_id(turn),
            created_at: turn.started,
            metadata: Metadata {
                agent,
                model,
                run_id: run.spec().run,
                turn: turn.id,
                corrections: verdict.map(|verdict| verdict.corrections.as_slice()).unwrap_or_default(),
                contested: findings.iter().filter(|finding| finding.contested).map(|finding| finding.id).collect(),
            },
        }]
    }
}

#[derive(Serialize)]
struct Sent<'a> {
    prompt_id: &'a str,
    template: String,
    prompt: String,
    sha256: Digest,
    created_at: Time,
    seat: &'a SeatName,
    iteration: Round,
    attempt: u32,
    agent: Option<&'a str>,
    model: Option<&'a str>,
    run_id: RunId,
}

/// The agent and the model in a seat.
pub(super) fn sitter<'a>(run: &'a Run, seat: &SeatName) -> (Option<&'a str>, Option<&'a str>) {
    let binding = run.spec().seats.get(seat);
    (binding.map(|binding| binding.agent.as_str()), binding.and_then(|binding| binding.model.as_deref()))
}

fn prompt_id(turn: &Turn) -> String {
    format!("{}_{}", template(turn), turn.prompt.short())
}

/// The log keeps a prompt's text and not its template, but each task has one of its own.
fn template(turn: &Turn) -> String {
    match turn.task.as_str() {
        DRAFT => "review_creator".into(),
        REVIEW => "review_reviewer".into(),
        other => format!("review_{}", paths::safe(other)),
    }
}
