//! `tribunal verify`: are runs what they say, and does a proof hold?

use serde_json::json;
use std::path::{Path, PathBuf};
use tribunal_app::proof::{CheckProofRequest, ProofFound, check_proof};
use tribunal_app::verify::{RecheckedRun, VerifyRequest};
use tribunal_app::{AppError, Exit, Project, verify as app_verify};
use tribunal_kernel::text::one_line;

use super::print_json;
use crate::args::{self, Global};

/// Verifies runs of this project, or a proof, which needs none.
pub(super) async fn verify(global: &Global, args: &args::Verify) -> Result<Exit, AppError> {
    match proof_file(global, args)? {
        Some(file) => Box::pin(proof(global, args, &file)).await,
        None => runs(&super::project(global, vec![])?, global, args).await,
    }
}

/// The file of a proof, if one is meant.
fn proof_file(global: &Global, args: &args::Verify) -> Result<Option<PathBuf>, AppError> {
    let here = global.dir.clone().unwrap_or_default();
    let is_about_proof =
        args.artifact.is_some() || args.commit.is_some() || args.base.is_some() || args.signers.is_some() || args.rerun;
    match args.runs.as_slice() {
        [name] if is_about_proof || here.join(name).is_file() => Ok(Some(here.join(name))),
        _ if is_about_proof => Err(AppError::invalid(
            "`--artifact`, `--commit`, `--base`, `--signers` and `--rerun` are about one proof",
            "name its file: `tribunal verify PROOF --artifact FILE --signers FILE`",
        )),
        _ => Ok(None),
    }
}

async fn proof(global: &Global, args: &args::Verify, file: &Path) -> Result<Exit, AppError> {
    let here = global.dir.clone().unwrap_or_default();
    let placed = |path: &Option<PathBuf>| path.as_ref().map(|path| here.join(path));
    let (artifact, signers, revoked) = (placed(&args.artifact), placed(&args.signers), placed(&args.revoked));
    let folder = global.at().dir()?;
    let config = global.config.as_ref().map(|file| folder.join(file));
    let request = CheckProofRequest {
        proof: file,
        artifact: artifact.as_deref(),
        commit: args.commit.as_deref(),
        folder,
        base: args.base.as_deref(),
        signers: signers.as_deref(),
        revoked: revoked.as_deref(),
        expect: args.expect.as_deref(),
        rerun: args.rerun,
        config,
        settings: global.set.clone(),
    };
    let found = Box::pin(check_proof(request)).await?;
    if global.json {
        print_json(&json!(found));
    } else {
        show(&found);
    }
    Ok(if found.proven { Exit::Pass } else { Exit::NotPassed })
}

fn show(found: &ProofFound) {
    // Everything in a proof is somebody else's: it is shown on one line each, without control characters.
    let section = |title: &str, lines: &[String]| {
        if !lines.is_empty() {
            println!("{title}");
        }
        for line in lines {
            println!("  {}", one_line(line));
        }
    };
    if let Some(about) = &found.about {
        println!("{}", one_line(about));
    }
    section("shown:", &found.shown);
    section("claimed by whoever signed it:", &found.claimed);
    section("waived:", &found.waived);
    section("not shown:", &found.problems);
    println!("{}", if found.proven { "proven" } else { "not proven" });
}

async fn runs(project: &Project, global: &Global, args: &args::Verify) -> Result<Exit, AppError> {
    let request = VerifyRequest { runs: &args.runs, expect: args.expect.as_deref() };
    let verified = app_verify::verify(project, request).await?;
    let holds = verified.holds();
    if global.json {
        print_json(&json!({
            "intact": holds, "reports": verified.reports, "runs": verified.runs, "problems": verified.problems,
            "notes": verified.notes,
        }));
    } else {
        for report in &verified.reports {
            for note in &report.notes {
                eprintln!("note: {note}");
            }
            for problem in &report.problems {
                println!("{problem}");
            }
            if report.unlisted > 0 {
                println!("… and {} more", report.unlisted);
            }
        }
        for note in &verified.notes {
            eprintln!("note: {}", one_line(note));
        }
        for problem in &verified.problems {
            println!("{}", one_line(problem));
        }
        for recheck in &verified.runs {
            let RecheckedRun { run, head, replayed, problems, notes } = recheck;
            for note in notes {
                eprintln!("note: run {run}: {}", one_line(note));
            }
            for problem in problems {
                println!("run {run}: {}", one_line(problem));
            }
            for line in recheck.unchecked_told() {
                println!("run {run}: {line}");
            }
            if let (Some(head), Some(replayed)) = (head, replayed) {
                let followed = replayed.followed;
                println!(
                    "run {run}: {} events, {followed} of them follow from the others, head {}",
                    head.seq, head.hash
                );
            }
        }
        let reports = &verified.reports;
        let runs: usize = reports.iter().map(|report| report.runs.len()).sum();
        let events: u64 = reports.iter().flat_map(|report| &report.runs).map(|run| run.events).sum();
        let blobs: u64 = reports.iter().map(|report| report.blobs).sum();
        let checked = format!("{runs} runs, {events} events, {blobs} blobs");
        let is_damaged = reports.iter().any(|report| !report.is_intact());
        let is_contradicted = verified.runs.iter().any(|run| !run.problems.is_empty());
        let word = match (holds, is_damaged, is_contradicted) {
            (true, ..) => "intact",
            (false, true, _) => "damaged",
            (false, false, true) => "contradicted",
            (false, false, false) => "not known to be intact",
        };
        let unchecked = match verified.unchecked() {
            0 => String::new(),
            1 => ", 1 event not checked".to_owned(),
            events => format!(", {events} events not checked"),
        };
        println!("{word}{unchecked}: {checked}");
    }
    Ok(if holds { Exit::Pass } else { Exit::NotPassed })
}
