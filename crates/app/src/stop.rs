//! An agent says that it is done: what it changed is judged, and it is believed, refused, or let through all the same.

use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use tribunal_engine::Clock as _;
use tribunal_engine::tree::NamedChange;
use tribunal_kernel::evidence::EvidenceWeight;
use tribunal_kernel::judge::{Settings, Stop, StopEnd, StopFinding, evidence_of};
use tribunal_kernel::loops::RegisteredLoop as _;
use tribunal_kernel::text::{head, one_line};
use tribunal_kernel::{Outcome, Run, RunId};

use crate::console::Console;
use crate::error::AppError;
use crate::project::{Project, ProjectAt, SettingText};
use crate::start::{OpenedRuns, StartRequest};
use crate::{drive, input};

/// So many findings are told to an agent.
const TOLD: usize = 8;
/// A reason that somebody gives is at most this long.
const LONGEST_WHY: usize = 2_000;
/// The file that says how a change is judged.
const CONFIG: &str = "tribunal.toml";

/// What an agent's hook is told when it wants to stop.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StopEvent {
    /// The agent: `claude`, …
    pub agent: String,
    /// Empty where the agent does not say.
    pub session: String,
    /// Where it works, as it says itself.
    pub folder: Option<PathBuf>,
    /// Whether it goes on already because it was refused.
    pub goes_on: bool,
}

/// What the agent is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopAnswer {
    /// There is nothing to say.
    Quiet,
    /// It may stop; for the person.
    Stops(String),
    /// It has to go on, and why.
    GoesOn(String),
}

impl StopEvent {
    /// Reads what an agent writes to its hooks. Whatever cannot be read says nothing, and nobody gets through by it.
    pub fn read(agent: &str, text: &str) -> Self {
        let value: Value = serde_json::from_str(text).unwrap_or(Value::Null);
        let word = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
        Self {
            agent: agent.to_owned(),
            session: head(word("session_id"), 200).to_owned(),
            folder: Some(PathBuf::from(word("cwd"))).filter(|folder| folder.is_absolute() && folder.is_dir()),
            goes_on: value.get("stop_hook_active").and_then(Value::as_bool).unwrap_or(true),
        }
    }
}

/// Judges what an agent calls done.
pub async fn judge(at: &ProjectAt, console: Arc<dyn Console>, event: &StopEvent, more: Vec<SettingText>) -> StopAnswer {
    match judged(at, console, event, more).await {
        Ok(answer) => answer,
        // Without a project nobody counts refusals: the agent, which may have broken the settings itself, is told once.
        Err(error) if !event.goes_on => StopAnswer::GoesOn(format!(
            "Tribunal cannot judge this change: {}. If you changed that, put it right.",
            told(&error)
        )),
        Err(error) => StopAnswer::Stops(format!("Tribunal did not judge this change: {}", told(&error))),
    }
}

/// Lets the next stop of an agent in this project through, whatever it amounts to.
pub async fn let_go(project: &Project, why: &str) -> Result<(), AppError> {
    let why = why.trim();
    if why.is_empty() {
        return Err(AppError::invalid(
            "there is no reason",
            "say why: `tribunal judge --let-go \"the test is flaky\"`",
        ));
    }
    input::bounded("the reason", why, LONGEST_WHY)?;
    let event = StopEvent::default();
    record(project, &event, StopEnd::LetGo, None, why).await
}

async fn judged(
    at: &ProjectAt,
    console: Arc<dyn Console>,
    event: &StopEvent,
    more: Vec<SettingText>,
) -> Result<StopAnswer, AppError> {
    // Sabotage shows how good the tests are, which nobody waits for here.
    let mut settings = vec![("judge.mutants".to_owned(), "0".to_owned())];
    settings.extend(more);
    let request = StartRequest { r#loop: Some(Settings::KIND), settings, ..StartRequest::default() };
    let mut start = request.prepare(at, console)?;
    // All that is not on the main branch: a range that is configured may leave out what is not committed.
    start.project.loaded.config.judge.range = None;
    let project = &start.project;
    let stops = project.store.stops().read().await?;
    let change = NamedChange::at_work(&project.workspace(), &[tribunal_store::FOLDER]).await;
    let (found, run) = match change {
        Ok(None) => (StopFinding::Nothing, None),
        Ok(Some(_)) if stops.let_go().is_some() => {
            let why = stops.let_go().unwrap_or_default().to_owned();
            record(project, event, StopEnd::Released, None, &why).await?;
            return Ok(StopAnswer::Stops(format!("Tribunal lets this go without a judgement: {why}")));
        }
        Ok(Some(change)) if is_judged_otherwise(project, &change).await => {
            let why = format!("{CONFIG} is changed in how changes are judged (`[judge]`): a person decides about that");
            (StopFinding::DoesNotHold(why), None)
        }
        Ok(Some(_)) => match start.open().await {
            Ok(OpenedRuns { settled, sessions }) => {
                let settled = settled.into_iter().flatten().filter_map(|settled| settled.run).map(|run| *run);
                let mut runs: Vec<Run> = settled.collect();
                runs.extend(drive::drive(project, sessions).await?);
                let id = runs.first().map(|run| run.spec().run);
                (runs.first().map_or_else(|| StopFinding::CannotTell("nothing was run".into()), finding), id)
            }
            Err(error) => (StopFinding::CannotTell(told(&error)), None),
        },
        Err(error) => (StopFinding::CannotTell(error.to_string()), None),
    };
    let most = project.config().judge.refusals;
    let refused = stops.refused(&event.agent, &event.session);
    let Some((end, why)) = stops.decide(&event.agent, &event.session, most, found) else {
        return Ok(StopAnswer::Quiet);
    };
    record(project, event, end, run, &why).await?;
    let shown = run.map(|run| format!(" `tribunal log {run}` shows what was run.")).unwrap_or_default();
    Ok(match end {
        StopEnd::Refused => StopAnswer::GoesOn(format!(
            "Tribunal tried this change, and it is not done:\n{why}\nFix the cause in the code. Tests and settings that were \
             there before decide: to change, skip or delete them does not help. This is refusal {} of {most} in a row.{shown} \
             If a person decides otherwise: `tribunal judge --let-go \"why\"`.",
            refused + 1
        )),
        StopEnd::LetThrough => StopAnswer::Stops(format!(
            "Tribunal let this through after {refused} refusals in a row, although it does not hold:\n{why}\nIt is in \
             `tribunal status`.{shown}"
        )),
        StopEnd::NotJudged => StopAnswer::Stops(format!("Tribunal did not judge this change: {why}")),
        StopEnd::Held | StopEnd::LetGo | StopEnd::Released => {
            StopAnswer::Stops(format!("Tribunal: the change holds. {why}"))
        }
    })
}

/// What a judgement says about the change. What could not be decided is no pass; what could not be tried is no judgement.
fn finding(run: &Run) -> StopFinding {
    let Some(end) = run.end() else { return StopFinding::CannotTell("the judgement did not finish".into()) };
    match end.outcome {
        outcome if outcome.is_pass() => StopFinding::Holds(one_line(&end.reason)),
        Outcome::Blocked | Outcome::NeedsHuman => {
            let findings = evidence_of(run).map(|evidence| evidence.findings.as_slice()).unwrap_or_default();
            let against: Vec<String> = findings
                .iter()
                .filter(|finding| finding.weight == EvidenceWeight::Fails)
                .take(TOLD)
                .map(|finding| format!("- {}: {}", finding.code.as_str(), one_line(&finding.text)))
                .collect();
            if against.is_empty() {
                return StopFinding::DoesNotHold(format!("- {}", one_line(&end.reason)));
            }
            StopFinding::DoesNotHold(against.join("\n"))
        }
        _ => StopFinding::CannotTell(one_line(&end.reason)),
    }
}

/// Whether the change itself says how changes are judged: whoever made it does not decide about that.
async fn is_judged_otherwise(project: &Project, change: &NamedChange) -> bool {
    let Ok([before, after]) = change.file(&project.workspace(), CONFIG).await else { return true };
    let judge = |text: Option<String>| -> Option<toml::Value> {
        let table: toml::Table = text.unwrap_or_default().parse().ok()?;
        Some(table.get("judge").cloned().unwrap_or_else(|| toml::Value::Table(toml::Table::new())))
    };
    judge(before) != judge(after)
}

async fn record(
    project: &Project,
    event: &StopEvent,
    end: StopEnd,
    run: Option<RunId>,
    why: &str,
) -> Result<(), AppError> {
    let stop = Stop {
        at: project.clock.now(),
        agent: event.agent.clone(),
        session: event.session.clone(),
        end,
        run,
        why: head(why, LONGEST_WHY).to_owned(),
    };
    Ok(project.store.stops().change(Box::new(|stops| stops.push(stop.clone()))).await?)
}

/// Those that got through although nothing was shown.
pub async fn unproven(project: &Project) -> Result<Vec<Stop>, AppError> {
    Ok(project.store.stops().read().await?.unproven().cloned().collect())
}

fn told(error: &AppError) -> String {
    let problems = error.problems().iter().map(|problem| {
        let hint = problem.hint.as_deref().map(|hint| format!(" ({})", one_line(hint))).unwrap_or_default();
        format!("{}{hint}", one_line(&problem.message))
    });
    problems.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_agent_does_not_say_is_not_made_up() {
        for text in ["", "nonsense", "[]", "{}", "{\"session_id\": 7, \"cwd\": 3, \"stop_hook_active\": \"no\"}"] {
            let event = StopEvent::read("claude", text);
            // Whoever does not say that it stops for the first time is not refused outside of the count.
            assert_eq!((event.session.as_str(), event.folder, event.goes_on), ("", None, true), "{text}");
        }
        let text = "{\"session_id\": \"s\", \"cwd\": \"/\", \"stop_hook_active\": false}";
        let event = StopEvent::read("codex", text);
        assert_eq!((event.session.as_str(), event.folder, event.goes_on), ("s", Some(PathBuf::from("/")), false));
    }
}
