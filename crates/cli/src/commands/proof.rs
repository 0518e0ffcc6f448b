//! `tribunal proof`: a result for somebody who does not have the project.

use serde_json::json;
use std::path::{Path, PathBuf};
use tribunal_app::proof::{MadeProof, ProofRequest, ProofTexts, prove};
use tribunal_app::{AppError, Exit, Project};

use super::print_json;
use crate::args::{self, Global};

pub(super) async fn proof(project: &Project, global: &Global, args: &args::Proof) -> Result<Exit, AppError> {
    let key = key(project, args.key.as_deref(), args.unsigned)?;
    let texts = match (args.texts, args.prompts) {
        (_, true) => ProofTexts::Prompts,
        (true, false) => ProofTexts::Texts,
        (false, false) => ProofTexts::Answers,
    };
    let output = args.output.as_deref().map(|path| global.dir.clone().unwrap_or_default().join(path));
    write(project, global, ProofRequest { run: args.run.as_deref(), key: key.as_deref(), texts }, output.as_deref())
        .await?;
    Ok(Exit::Pass)
}

/// The key to sign with; nothing, if nobody shall.
pub(super) fn key(project: &Project, given: Option<&Path>, is_unsigned: bool) -> Result<Option<PathBuf>, AppError> {
    if is_unsigned {
        return Ok(None);
    }
    let configured = || project.config().proof.key.as_ref().map(|key| project.root().join(key));
    given.map(Path::to_owned).or_else(configured).map(Some).ok_or_else(|| {
        AppError::invalid(
            "no key to sign with",
            "name one: `--key ~/.ssh/id_ed25519`, or `key` under `[proof]`; `--unsigned` writes a proof that proves nothing to others",
        )
    })
}

/// Makes a proof and writes it.
pub(super) async fn write(
    project: &Project,
    global: &Global,
    request: ProofRequest<'_>,
    output: Option<&Path>,
) -> Result<(), AppError> {
    let MadeProof { run, head, subjects, passed, key, text, discloses } = prove(project, request).await?;
    let say = |line: &str| project.console.say(line);
    if !discloses.is_empty() {
        project.console.note(&format!("the proof has the log, and with it {}", discloses.join(" and ")));
    }
    if !passed {
        project.console.note(&format!("run {run} did not pass: the proof says so"));
    }
    match output {
        Some(path) => {
            tribunal_store::atomic::write(path, text.as_bytes())?;
            // Whoever has the proof may ask for what it cites.
            if let Some(space) = project.store.space() {
                space.keep_for(run, &format!("{} proves it", path.display())).await?;
            }
            let by = key.as_ref().map_or_else(|| "signed by nobody".to_owned(), |key| format!("signed with {key}"));
            if global.json {
                print_json(&json!({
                    "run": run, "head": head.hash, "subject": subjects, "passed": passed, "key": key, "file": path,
                }));
            } else {
                say(&format!("wrote {}: a proof of run {run}, {by}, head {}", path.display(), head.hash));
            }
        }
        None => print!("{text}"),
    }
    Ok(())
}
