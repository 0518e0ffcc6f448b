//! A proof of a run.

use std::collections::BTreeMap;
use std::path::Path;
use tribunal_engine::signing::{SignatureState, SignerLists, ssh_sign, ssh_verify};
use tribunal_engine::tree::anchor::{NamedCommit, named_commit};
use tribunal_kernel::audit::is_judgement;
use tribunal_kernel::proof::{
    GIT_COMMIT, GIT_TREE, PROOF_TYPE, ProofPredicate, ProofSubject, SHA256, Statement, TEST_RESULT_TYPE, Unprovable,
    subjects,
};
use tribunal_kernel::{Digest, Entry, Event, Run, RunId, TurnInput};
use tribunal_store::log::sealed::LogTip;

use super::envelope::{Envelope, EnvelopeSignature, NAMESPACE, armored, bare, write_bundle};
use crate::error::AppError;
use crate::project::Project;
use crate::verify::{self, RecheckedRun, VerifyRequest};

/// What is to be proven, and how.
#[derive(Debug, Clone, Copy)]
pub struct ProofRequest<'r> {
    pub run: Option<&'r str>,
    /// The key to sign with; nothing: nobody signs it.
    pub key: Option<&'r Path>,
    pub texts: ProofTexts,
}

/// What a proof has of the run's own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ProofTexts {
    /// The log, what judges answered, the drafts that they judged, and what was measured against what.
    #[default]
    Answers,
    /// All drafts, answers and texts, but no prompts.
    Texts,
    /// Prompts as well.
    Prompts,
}

/// A proof.
#[derive(Debug)]
pub struct MadeProof {
    pub run: RunId,
    pub head: LogTip,
    pub subjects: Vec<ProofSubject>,
    pub passed: bool,
    /// The fingerprint of the key, if it is signed.
    pub key: Option<String>,
    /// The bundle.
    pub text: String,
    /// What is in there that somebody may not want to give away.
    pub discloses: Vec<String>,
}

/// Makes a proof of a run that has ended. One that does not verify is not proven.
pub async fn prove(project: &Project, request: ProofRequest<'_>) -> Result<MadeProof, AppError> {
    let id = project.find(request.run).await?;
    let verified = verify::verify(project, VerifyRequest { runs: &[id.to_string()], expect: None }).await?;
    if !verified.holds() {
        let own = verified.runs.iter().flat_map(|run| run.problems.iter().cloned());
        let bytes = verified.reports.iter().flat_map(|report| report.problems.iter().map(ToString::to_string));
        let first = own.chain(bytes).chain(verified.problems.iter().cloned()).next().unwrap_or_default();
        return Err(AppError::conflict(
            format!("run {id} cannot be proven: {first}"),
            format!("`tribunal verify {id}` says what is wrong with it"),
        ));
    }
    if let Some(first) = verified.runs.iter().flat_map(RecheckedRun::unchecked_told).next() {
        return Err(AppError::conflict(
            format!("run {id} cannot be proven: {first}"),
            "judge the work again with this version: `tribunal run --again`",
        ));
    }
    let log = verify::sealed(project, id).await?;
    let (Some(head), Some(first)) = (log.tip(), log.hashes.first().copied()) else {
        return Err(AppError::conflict(format!("run {id} has no events"), "`tribunal status` lists the runs"));
    };
    let run = project.read(id).await?;
    let mut subjects = subjects(&run).map_err(|why| unprovable(id, why))?;
    for subject in &mut subjects {
        name_tree(project, &run, subject).await?;
    }
    let mut predicate = ProofPredicate::of(&run, [first, head.hash]).map_err(|why| unprovable(id, why))?;
    predicate.lines = Some(String::from_utf8_lossy(&project.store.logs().bytes(id).await?).into_owned());
    predicate.texts = texts(project, &log.entries, &subjects, request.texts).await?;
    let discloses = disclosed(&run);
    let test_result = Statement::new(subjects.clone(), TEST_RESULT_TYPE, predicate.test_result());
    let passed = predicate.passed;
    let proof = Statement::new(subjects.clone(), PROOF_TYPE, predicate);
    let mut envelopes = [envelope(&test_result)?, envelope(&proof)?];
    let mut key = None;
    if let Some(path) = request.key {
        for envelope in &mut envelopes {
            key = Some(sign(envelope, path).await?);
        }
    }
    Ok(MadeProof { run: id, head, subjects, passed, key, text: write_bundle(&envelopes), discloses })
}

fn unprovable(run: RunId, why: Unprovable) -> AppError {
    let hint = match why {
        Unprovable::Open => "`tribunal resume` continues it",
        Unprovable::NoSubject => "`tribunal status RUN` shows how it ended",
    };
    AppError::conflict(format!("run {run} cannot be proven: {why}"), hint)
}

fn envelope(statement: &impl serde::Serialize) -> Result<Envelope, AppError> {
    let payload = serde_json::to_vec(statement)
        .map_err(|error| AppError::environment(format!("the proof cannot be written: {error}"), None))?;
    Ok(Envelope::new(&payload))
}

/// Signs an envelope. Gives the key's fingerprint.
async fn sign(envelope: &mut Envelope, key: &Path) -> Result<String, AppError> {
    let failed = |message: String, hint: &str| AppError::environment(message, Some(hint.to_owned()));
    let message = envelope.signed().map_err(|why| failed(why, "this is a bug"))?;
    let signature =
        ssh_sign(key, NAMESPACE, &message).await.map_err(|error| failed(error.to_string(), error.hint()))?;
    let sig = bare(&signature).ok_or_else(|| failed("ssh-keygen gave no signature".into(), "is it OpenSSH's?"))?;
    // Looked at once, so that nothing leaves here that does not fit, and for the key's fingerprint.
    let again = armored(&sig).unwrap_or_default();
    let state = ssh_verify(&again, NAMESPACE, &message, SignerLists::default())
        .await
        .map_err(|error| failed(error.to_string(), error.hint()))?;
    let SignatureState::Unknown { key, .. } = state else {
        return Err(failed("the signature that ssh-keygen made does not fit".into(), "is it OpenSSH's?"));
    };
    envelope.signatures.push(EnvelopeSignature { keyid: key.clone(), sig });
    Ok(key)
}

/// Says of a subject that git names which tree it has. What is not committed has a tree alone.
async fn name_tree(project: &Project, run: &Run, subject: &mut ProofSubject) -> Result<(), AppError> {
    let Some(name) = subject.digest.get(GIT_COMMIT).cloned() else { return Ok(()) };
    let NamedCommit { commit, tree } = named_commit(&project.folder_of(run.spec()), &name).await.map_err(|error| {
        AppError::environment(format!("git does not have what the run is about, {name}: {error}"), error.hint())
    })?;
    subject.digest = BTreeMap::from([(GIT_TREE.to_owned(), tree)]);
    if let Some(commit) = commit {
        subject.digest.insert(GIT_COMMIT.to_owned(), commit);
    }
    Ok(())
}

/// The texts that go with the log.
async fn texts(
    project: &Project,
    log: &[Entry],
    subjects: &[ProofSubject],
    wanted: ProofTexts,
) -> Result<BTreeMap<String, String>, AppError> {
    let mut cited: Vec<Digest> = Vec::new();
    let mut run: Option<Run> = None;
    for entry in log {
        match &entry.event {
            Event::TurnStarted { .. } if wanted < ProofTexts::Prompts => {}
            event if wanted >= ProofTexts::Texts => cited.extend(event.cites()),
            // Without what a judge answered, and what that is read against, its verdict would be a claim.
            Event::TurnAnswered { turn, raw, .. } | Event::TurnFailed { turn, raw: Some(raw), .. }
                if is_judgement(&entry.event) =>
            {
                cited.push(*raw);
                if let Some(run) = &run {
                    cited.extend(run.turn(*turn).into_iter().flat_map(|turn| run.exhibits(turn)));
                }
            }
            _ => {}
        }
        // What a program of ours was given, so that whoever has the proof can let it measure again.
        if let (Some(run), Event::TurnAnswered { turn, .. }) = (&run, &entry.event)
            && let Some(turn) = run.turn(*turn).filter(|turn| run.spec().is_measured(&turn.seat))
        {
            cited.extend(run.input(turn).iter().flat_map(TurnInput::blobs));
        }
        run = match run.take() {
            None => Run::open(entry).ok(),
            Some(mut run) => run.apply(entry).is_ok().then_some(run),
        };
    }
    // Whoever gets the proof has that.
    cited.retain(|digest| !subjects.iter().any(|subject| subject.digest.get(SHA256) == Some(&digest.to_string())));
    let mut texts = BTreeMap::new();
    for digest in cited {
        let text = project.text(digest).await.ok_or_else(|| {
            AppError::environment(format!("the text {digest} is missing"), "`tribunal verify` shows details".to_owned())
        })?;
        // What is no text cannot be held against its digest by whoever reads it.
        if Digest::of(&text) == digest {
            texts.insert(digest.to_string(), text);
        }
    }
    Ok(texts)
}

/// What the log has in words that somebody may not want to give away.
fn disclosed(run: &Run) -> Vec<String> {
    let personas = run.spec().seats.values().filter(|binding| binding.persona.is_some()).count();
    let directives = run.directives().len();
    let counted = [(personas, "personas of seats"), (directives, "instructions of people to the run")];
    counted.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect()
}
