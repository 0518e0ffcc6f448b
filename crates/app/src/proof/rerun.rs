//! What can be run and measured once more: the turns of our own programs, with the input that they had.

use std::collections::BTreeMap;
use std::sync::Arc;
use tribunal_agents::TurnRequest;
use tribunal_engine::consult;
use tribunal_kernel::evidence::Evidence;
use tribunal_kernel::theater::stage_of;
use tribunal_kernel::trial::Exhibits;
use tribunal_kernel::turn::Said;
use tribunal_kernel::{Digest, Event, Run, RunSpec, Turn, TurnInput};

use super::check::{CheckProofRequest, OpenedProof};
use super::found::{ProofFound, counted};
use crate::console::Silent;
use crate::error::AppError;
use crate::measuring;
use crate::project::{Project, ProjectAt};
use crate::seating::seating_of;

/// How one of them came out.
enum Again {
    Same,
    Differs(String),
    Impossible(String),
}

/// Runs and measures again whatever programs of ours did. What cannot be done again is a problem: somebody asked for it.
///
/// What lies beside the artifact, or is checked out, may be the work of whoever is judged. It says neither which programs run
/// here nor what confines them: that are the reader's own settings alone.
pub(super) async fn rerun(
    opened: &OpenedProof,
    request: &CheckProofRequest<'_>,
    found: &mut ProofFound,
) -> Result<(), AppError> {
    let beside = request.artifact.and_then(|path| path.parent()).filter(|path| !path.as_os_str().is_empty());
    let place = beside.unwrap_or(&request.folder);
    let spec = opened.run.spec();
    let at = ProjectAt::of(Some(request.folder.clone()), request.config.clone(), request.settings.clone());
    let project = Project::load_apart(&at, place, Arc::new(Silent))?.for_measuring(spec);
    let seating = seating_of(&project, spec, None).await?;
    let before = found.problems.len();
    let (mut same, mut run): (u32, Option<Run>) = (0, None);
    for entry in &opened.log.entries {
        if let (Some(run), Event::TurnAnswered { turn, said, .. }) = (&run, &entry.event)
            && let Some(turn) = run.turn(*turn).filter(|turn| spec.is_measured(&turn.seat))
        {
            let agent = run.agent_of(turn).to_owned();
            let again = match asked(run, turn, &opened.texts) {
                Ok(request) => match consult(&seating, &agent, request).await.result {
                    Ok(answer) => compare(run, turn, &answer.text, said, &opened.texts),
                    Err(error) => Again::Impossible(error.to_string()),
                },
                Err(why) => Again::Impossible(why),
            };
            let what = format!("{} (round {}, turn {})", turn.seat, turn.round, turn.id);
            match again {
                Again::Same => same += 1,
                Again::Differs(why) => found.problem(format!("run again, {what} says something else: {why}")),
                Again::Impossible(why) => found.problem(format!("{what} could not be run again: {why}")),
            }
        }
        run = match run.take() {
            None => Run::open(entry).ok(),
            Some(mut run) => run.apply(entry).is_ok().then_some(run),
        };
    }
    if before < found.problems.len() && measured_by(spec) != measuring::digest(&project)? {
        found.problem(
            "its pages were measured by settings of their own (`[checks]`, `[copy]`), and not by those that count here: \
             `--config FILE` names them",
        );
    }
    if same > 0 {
        found.shown.push(format!("run and measured again, with the same result: {}", counted(same, "turn")));
    } else if !found.problems.iter().any(|problem| problem.contains("run again")) {
        found.problem("there is nothing to run again: no program of ours judged");
    }
    Ok(())
}

/// What pages were measured by, where that was not the usual.
fn measured_by(spec: &RunSpec) -> Option<Digest> {
    stage_of(spec).and_then(|settings| settings.given.checks)
}

/// The turn as it was asked of a program.
fn asked(run: &Run, turn: &Turn, texts: &BTreeMap<Digest, Arc<str>>) -> Result<TurnRequest, String> {
    let input = run.input(turn).ok_or("it works on what is not in the proof")?;
    let input: TurnInput<Arc<str>> =
        input.supply(|digest| texts.get(&digest).cloned()).map_err(|error| error.to_string())?;
    Ok(TurnRequest {
        place: String::new(),
        run: run.spec().run,
        r#loop: Some(run.spec().def().name),
        works_on_files: false,
        judges: true,
        is_resumed: false,
        round: turn.round,
        turn: turn.id,
        seat: turn.seat.clone(),
        task: turn.task.clone(),
        model: None,
        effort: None,
        prompt: String::new(),
        stable: 0,
        attachments: Vec::new(),
        form: None,
        input: Some(input),
        meter: run.meter(turn),
    })
}

fn compare(run: &Run, turn: &Turn, answer: &str, recorded: &Said, texts: &BTreeMap<Digest, Arc<str>>) -> Again {
    let mut exhibits = Exhibits::new(&tribunal_checks::Inspector);
    for digest in run.exhibits(turn) {
        let Some(text) = texts.get(&digest) else {
            return Again::Impossible("it is read against a text that is not in the proof".into());
        };
        exhibits.insert(digest, text.clone());
    }
    let said = match run.read(turn, answer, &exhibits) {
        Ok(reading) => reading.said,
        Err(misfit) => return Again::Differs(misfit.to_string()),
    };
    match (&said, recorded) {
        // How long it took, and what was printed, is never the same twice.
        (Said::Collected(now), Said::Collected(then)) => match (lasting(now), lasting(then)) {
            (now, then) if now == then => Again::Same,
            (now, then) => {
                let differs = then.iter().find(|line| !now.contains(*line));
                let new = now.iter().find(|line| !then.contains(*line));
                Again::Differs(match (differs, new) {
                    (Some(then), Some(now)) => format!("{now}; before: {then}"),
                    (Some(then), None) => format!("no more: {then}"),
                    (None, now) => now.cloned().unwrap_or_default(),
                })
            }
        },
        (now, then) if now == then => Again::Same,
        (now, then) => {
            Again::Differs(tribunal_kernel::audit::difference(then, now).replacen("follows", "is so now", 1))
        }
    }
}

/// What must be the same whenever a change is tried.
fn lasting(evidence: &Evidence) -> Vec<String> {
    let runs = evidence.commands.iter().flat_map(|command| {
        command.runs.iter().map(|run| {
            let worth = if run.is_green() { "passes" } else { "does not pass" };
            format!("`{}` {worth} on {}", command.command.line, serde_json::json!(run.tree))
        })
    });
    let findings = evidence.findings.iter().map(|finding| format!("finding {}", serde_json::json!(finding.code)));
    let mut all: Vec<String> = runs.chain(findings).collect();
    all.sort_unstable();
    all.dedup();
    all
}
