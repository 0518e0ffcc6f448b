//! A proof, looked at by whoever gets it: without the project, and without the network.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tribunal_engine::signing::{SignatureState, SignerLists, SigningError, is_pattern, ssh_verify};
use tribunal_kernel::audit::{AuditAbout, Audited, UncheckedEvent, audit};
use tribunal_kernel::proof::{
    PROOF_TYPE, ProofPredicate, ProofReceipts, STATEMENT_TYPE, Statement, TEST_RESULT_TYPE, TestResult, subjects,
};
use tribunal_kernel::{Digest, Run};
use tribunal_store::log::sealed::SealedLog;

use super::envelope::{Envelope, MOST_BYTES, NAMESPACE, armored, read_bundle};
use super::found::{ProofFound, counted};
use super::gate::gate;
use super::held::{held_against, is_about};
use super::{rerun, strict};
use crate::error::AppError;
use crate::project::SettingText;
use crate::verify::{VERSION, expected, told, unwritten};

/// A proof, and what it is held against.
#[derive(Debug, Clone)]
pub struct CheckProofRequest<'r> {
    pub proof: &'r Path,
    /// The file that it has to be about.
    pub artifact: Option<&'r Path>,
    /// The commit that it has to be about, in the repository that `folder` is in.
    pub commit: Option<&'r str>,
    pub folder: PathBuf,
    /// The commit that the change has to have been held against.
    pub base: Option<&'r str>,
    /// Who may sign, as OpenSSH has it. Without it nobody may.
    pub signers: Option<&'r Path>,
    /// Keys that may not sign any more, whoever is allowed: public keys, or a list that `ssh-keygen -k` made.
    pub revoked: Option<&'r Path>,
    /// What its log has to end with.
    pub expect: Option<&'r str>,
    /// Whether what can be run and measured is run and measured once more.
    pub rerun: bool,
    /// What whoever asks says of settings, for that.
    pub config: Option<PathBuf>,
    pub settings: Vec<SettingText>,
}

/// A proof whose log holds, for whoever looks further.
pub(super) struct OpenedProof {
    pub(super) log: SealedLog,
    pub(super) run: Run,
    /// Texts by their digests: those of the proof, and the artifact.
    pub(super) texts: BTreeMap<Digest, Arc<str>>,
    pub(super) receipts: Vec<ProofReceipts>,
}

/// Looks at a proof. What is wrong with it is found, and no error.
pub async fn check_proof(request: CheckProofRequest<'_>) -> Result<ProofFound, AppError> {
    let expect = request.expect.map(expected).transpose()?;
    let bytes = read(request.proof, "the proof", "name the file that `tribunal proof` wrote")?;
    let artifact = request.artifact.map(|path| read(path, "the artifact", "name the file that the proof is about"));
    let artifact = artifact.transpose()?;
    if let Some(signers) = request.signers {
        read(signers, "the list of signers", "name a file of allowed signers, as `ssh-keygen` reads it")?;
    }
    if let Some(revoked) = request.revoked {
        read(revoked, "the list of revoked keys", "name a file of public keys, or one that `ssh-keygen -k` made")?;
    }
    let mut found = ProofFound::default();
    let envelopes = match read_bundle(&bytes) {
        Ok(envelopes) => envelopes,
        Err(why) => {
            found.problem(format!("it cannot be read: {why}"));
            return Ok(found.concluded());
        }
    };
    let is_signed =
        signatures(&envelopes, SignerLists { allowed: request.signers, revoked: request.revoked }, &mut found).await?;
    let Some((statement, result)) = statements(&envelopes, &mut found) else { return Ok(found.concluded()) };
    let predicate = &statement.predicate;
    let ProofPredicate { run, about, outcome, reason, r#loop: kind, .. } = predicate;
    found.about = Some(format!("{kind} of `{about}`, run {run}: {outcome} ({reason})"));
    if !predicate.passed {
        found.problem(format!("the run did not pass: {outcome} ({reason})"));
    }
    agree(&statement, &result, &mut found);
    held_against(&request, artifact.as_deref(), &statement.subject, &mut found).await?;
    if let Some(expected) = expect
        && predicate.log.head != expected.to_string()
    {
        found.problem(format!("its log ends with {}, and {expected} was expected", predicate.log.head));
    }
    let opened = open(&statement, artifact.as_deref(), &mut found);
    gate(opened.as_ref(), &request, &mut found).await?;
    if let Some(opened) = &opened {
        replay(opened, &mut found).await;
    }
    claims(predicate, request.rerun, &mut found);
    if request.rerun {
        match opened {
            Some(opened) if is_signed => rerun::rerun(&opened, &request, &mut found).await?,
            _ => found.problem("nothing was run again: only a proof that an allowed signer signed says what to run"),
        }
    }
    Ok(found.concluded())
}

fn read(path: &Path, what: &str, hint: &str) -> Result<Vec<u8>, AppError> {
    let cannot = |why: String| AppError::not_found(format!("cannot read {what} {}: {why}", path.display()), hint);
    let file = std::fs::metadata(path).map_err(|error| cannot(error.to_string()))?;
    if !file.is_file() {
        return Err(cannot("it is no file".into()));
    }
    if file.len() > MOST_BYTES {
        return Err(cannot(format!("it is larger than {} MiB", MOST_BYTES >> 20)));
    }
    std::fs::read(path).map_err(|error| cannot(error.to_string()))
}

/// Who signed all of it. Whether somebody who may did.
async fn signatures(
    envelopes: &[Envelope],
    signers: SignerLists<'_>,
    found: &mut ProofFound,
) -> Result<bool, AppError> {
    let failed = |error: SigningError| AppError::environment(error.to_string(), Some(error.hint().to_owned()));
    let mut all: Option<BTreeSet<(String, String)>> = None;
    let mut unknown = BTreeSet::new();
    for (number, envelope) in (1..).zip(envelopes) {
        let mut own = BTreeSet::new();
        if envelope.signatures.is_empty() {
            found.problem(format!("nobody signed envelope {number}"));
        }
        for signature in &envelope.signatures {
            let (Ok(message), Some(sig)) = (envelope.signed(), armored(&signature.sig)) else {
                found.problem(format!("a signature of envelope {number} is no SSH signature"));
                continue;
            };
            match ssh_verify(&sig, NAMESPACE, &message, signers).await.map_err(failed)? {
                SignatureState::Allowed { who, key } => {
                    own.insert((who, key));
                }
                SignatureState::Unknown { key, why } => {
                    unknown.insert(format!("it is signed with {key}, and {why}"));
                }
                SignatureState::Broken { why } => {
                    found.problem(format!("a signature of envelope {number} does not fit what was signed: {why}"));
                }
            }
        }
        all = Some(match all {
            None => own,
            Some(before) => before.intersection(&own).cloned().collect(),
        });
    }
    let all = all.unwrap_or_default();
    for (who, key) in &all {
        found.shown.push(if is_pattern(who) {
            format!("signed with {key}, which may sign for everybody whom `{who}` fits: the list names nobody")
        } else {
            format!("signed by {who} ({key})")
        });
    }
    if all.is_empty() {
        for why in unknown {
            found.problem(why);
        }
        found.problem(match signers.allowed {
            Some(signers) => format!("nobody in {} signed all of it", signers.display()),
            None => "it is not known who may sign: `--signers FILE` says it".to_owned(),
        });
    } else {
        // Others may sign as well, and it is worth nothing.
        found.claimed.extend(unknown);
    }
    Ok(!all.is_empty())
}

/// Our statement and the test result beside it.
fn statements(
    envelopes: &[Envelope],
    found: &mut ProofFound,
) -> Option<(Statement<ProofPredicate>, Statement<TestResult>)> {
    #[derive(serde::Deserialize)]
    struct Kind {
        #[serde(rename = "predicateType")]
        predicate_type: String,
    }
    let (mut proof, mut result) = (Vec::new(), Vec::new());
    for (number, envelope) in (1..).zip(envelopes) {
        let payload = match envelope.payload() {
            Ok(payload) => payload,
            Err(why) => {
                found.problem(format!("envelope {number}: {why}"));
                continue;
            }
        };
        let read = strict::read::<Kind>(&payload).and_then(|kind| {
            match kind.predicate_type.as_str() {
                PROOF_TYPE => proof.push(strict::read::<Statement<ProofPredicate>>(&payload)?),
                TEST_RESULT_TYPE => result.push(strict::read::<Statement<TestResult>>(&payload)?),
                other => {
                    found.problem(format!("envelope {number} has a predicate that a proof does not have: {other}"));
                }
            }
            Ok(())
        });
        if let Err(error) = read {
            found.problem(format!("envelope {number} is no statement of ours: {error}"));
        }
    }
    if proof.len() != 1 || result.len() != 1 {
        found.problem("a proof has one statement of Tribunal's and one test result");
    }
    let (proof, result) = (proof.pop()?, result.pop()?);
    if proof.kind != STATEMENT_TYPE || result.kind != STATEMENT_TYPE {
        found.problem("a statement is of a type that is not known");
    }
    Some((proof, result))
}

/// The test result has to say the same of the same.
fn agree(proof: &Statement<ProofPredicate>, result: &Statement<TestResult>, found: &mut ProofFound) {
    if result.subject != proof.subject {
        found.problem("its two statements are not about the same");
    }
    if result.predicate != proof.predicate.test_result() {
        found.problem("its test result is not what its own statement says");
    }
}

/// The log in a proof, if it is whole and the proof says what follows from it.
fn open(statement: &Statement<ProofPredicate>, artifact: Option<&[u8]>, found: &mut ProofFound) -> Option<OpenedProof> {
    let predicate = &statement.predicate;
    let Some(lines) = &predicate.lines else {
        found.problem("its log is not in it: what was decided is only claimed");
        return None;
    };
    if !lines.ends_with('\n') {
        found.problem("the log in it ends in the middle of a line");
    }
    if let Err(why) = strict::check_lines(lines) {
        found.problem(format!("the log in it, {why}"));
        return None;
    }
    let log = match SealedLog::parse(lines.as_bytes(), "the log in the proof") {
        Ok(log) => log,
        Err(error) => {
            found.problem(error.to_string());
            return None;
        }
    };
    let run = match Run::fold(log.entries.iter()) {
        Ok(Some(run)) => run,
        Ok(None) => {
            found.problem("the log in it is empty");
            return None;
        }
        Err(impossible) => {
            found.problem(format!("the log in it does not make sense: {impossible}"));
            return None;
        }
    };
    let odd = unwritten(lines.as_bytes(), &log.entries);
    match run.spec().version.as_deref() {
        Some(VERSION) => found.problems.extend(odd),
        version if !odd.is_empty() => {
            let (many, version) = (counted(odd.len() as u64, "event"), version.unwrap_or("an earlier version"));
            found.claimed.push(format!("{many}, as {version} wrote them: this is version {VERSION}"));
        }
        _ => {}
    }
    let ends = [log.hashes.first().copied()?, log.hashes.last().copied()?];
    let mut receipts = Vec::new();
    match ProofPredicate::of(&run, ends) {
        Ok(follows) if follows == predicate.claims() => {
            receipts = follows.receipts;
            found.shown.push(format!("its log is whole: {} events, head {}", log.entries.len(), ends[1]));
        }
        Ok(follows) => {
            let what = tribunal_kernel::audit::difference(&predicate.claims(), &follows);
            found.problem(format!(
                "it does not say what its log says: {}",
                what.replacen("the log says", "in the proof", 1)
            ));
        }
        Err(why) => found.problem(format!("its log proves nothing: {why}")),
    }
    match subjects(&run) {
        Ok(own) if is_about(&own, &statement.subject) => {}
        Ok(_) | Err(_) => found.problem("it is not about what its log is about"),
    }
    let mut texts: BTreeMap<Digest, Arc<str>> = BTreeMap::new();
    for (name, text) in &predicate.texts {
        if Digest::parse(name) == Some(Digest::of(text)) {
            texts.insert(Digest::of(text), text.as_str().into());
        } else {
            found.problem(format!("the text {name} in it does not match its name"));
        }
    }
    if let Some(text) = artifact.and_then(|bytes| str::from_utf8(bytes).ok()) {
        texts.insert(Digest::of(text), text.into());
    }
    Some(OpenedProof { log, run, texts, receipts })
}

/// Goes through the log once more.
async fn replay(opened: &OpenedProof, found: &mut ProofFound) {
    let (entries, texts) = (opened.log.entries.clone(), opened.texts.clone());
    let audited = tokio::task::spawn_blocking(move || {
        audit(&entries, &|digest| texts.get(&digest).cloned(), &tribunal_checks::Inspector)
    });
    let Ok(audited) = audited.await else {
        found.problem("its log cannot be gone through");
        return;
    };
    let Audited { followed, given, unread, unread_judgements, unchecked, differences, unlisted } = audited;
    let version = opened.run.spec().version.as_deref();
    let is_ours = version == Some(VERSION);
    let (asked, wrong): (Vec<_>, Vec<_>) =
        differences.iter().partition(|difference| difference.about == AuditAbout::Asked && !is_ours);
    for difference in &wrong {
        found.problem(told(difference));
    }
    if unlisted > 0 {
        found.problem(format!("{unlisted} more events do not follow"));
    }
    for UncheckedEvent { seq, event, why, .. } in &unchecked {
        found.problem(format!("event {seq} ({event}) cannot be checked: {why}"));
    }
    for seq in &unread_judgements {
        let event = opened.log.entries.iter().find(|entry| entry.seq == *seq).map_or("", |entry| entry.event.name());
        found.problem(format!(
            "event {seq} ({event}) says how the work was judged, and the proof does not have the text for it"
        ));
    }
    let unread = unread - unread_judgements.len() as u64;
    if wrong.is_empty() && unchecked.is_empty() && unread_judgements.is_empty() {
        found.shown.push(format!(
            "what was decided follows from what was answered: {} gone through again",
            counted(followed, "event")
        ));
    }
    if !asked.is_empty() {
        let version = version.unwrap_or("an earlier version");
        found.claimed.push(format!(
            "{}, as {version} put them: this is version {VERSION}",
            counted(asked.len() as u64, "prompt")
        ));
    }
    if unread > 0 {
        found.claimed.push(format!(
            "what {} about prompts and drafts whose texts are not in the proof",
            if unread == 1 { "1 event says".to_owned() } else { format!("{unread} events say") }
        ));
    }
    found
        .claimed
        .push(format!("{} from outside: what was given, what failed, what people did", counted(given, "event")));
}

/// What stands on the signer's word, and what a person let stand.
fn claims(predicate: &ProofPredicate, is_rerun: bool, found: &mut ProofFound) {
    let seats: Vec<String> = predicate
        .seats
        .iter()
        .filter(|seat| !seat.measured)
        .map(|seat| match &seat.model {
            Some(model) => format!("{} ({}, {model})", seat.seat, seat.agent),
            None => format!("{} ({})", seat.seat, seat.agent),
        })
        .collect();
    if !seats.is_empty() {
        found.claimed.push(format!("that these answered: {}", seats.join(", ")));
    }
    let commands: usize = predicate.receipts.iter().map(|receipts| receipts.commands.len()).sum();
    if commands > 0 && !is_rerun {
        found
            .claimed
            .push(format!("what {} of commands gave; `--rerun` runs them again", counted(commands as u64, "run")));
    }
    found.claimed.extend(predicate.controls.iter().map(|told| format!("control: {told}")));
    for waiver in &predicate.waivers {
        let place = waiver.target.as_deref().map(|target| format!(" at {target}")).unwrap_or_default();
        found.waived.push(format!("{}{place}: {}", waiver.code, waiver.why));
    }
    for vote in &predicate.decided_by_people {
        let by = vote.get("by").and_then(serde_json::Value::as_str).unwrap_or("somebody");
        let item = vote.pointer("/vote/item").and_then(serde_json::Value::as_str).unwrap_or("an item");
        found.waived.push(format!("{by} decided in the place of judges: {item}"));
    }
}
