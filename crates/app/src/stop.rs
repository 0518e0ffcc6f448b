//! An agent says that it is done: what it changed is judged, and it is believed, refused, or let through all the same.

mod session;
pub(crate) mod steered;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tribunal_engine::tree::{NamedChange, TreeError};
use tribunal_engine::{Clock as _, SystemClock};
use tribunal_kernel::evidence::EvidenceWeight;
use tribunal_kernel::judge::{Settings, Stop, StopEnd, StopFinding, Stops, asked_of, evidence_of};
use tribunal_kernel::loops::RegisteredLoop as _;
use tribunal_kernel::text::{head, one_line};
use tribunal_kernel::{Outcome, Run, RunId};
use tribunal_store::{Backend, FileBackend};

use crate::console::Console;
use crate::error::{AppError, ErrorKind};
use crate::input;
use crate::opened::PlaceEnd;
use crate::project::{Project, ProjectAt, SettingText};
use crate::start::{PreparedStart, StartRequest};
use session::SessionRecord;

/// So many findings are told to an agent.
const TOLD: usize = 8;
/// A reason that somebody gives is at most this long.
const LONGEST_WHY: usize = 2_000;
/// The file that says how a change is judged.
const CONFIG: &str = "tribunal.toml";
/// How often a session is refused where the settings cannot be read: what they say by default.
const REFUSALS: u32 = 3;

/// What is trusted where no hook noted anything.
const NOT_NOTED: &str = " (Nothing was noted when this session began, so what git says now of the main branch was trusted, and \
                         so were settings above the repository: `tribunal integrate AGENT --stop-hook` notes it.)";

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

/// Where an agent's work is judged from: the folder of the nearest tribunal.toml, or else the top of the repository. Whoever
/// went into a folder has not left the project.
pub async fn placed(at: &ProjectAt) -> ProjectAt {
    let Some(from) = at.dir().ok().and_then(|dir| std::path::absolute(dir).ok()) else { return at.clone() };
    if at.config.is_some() || from.ancestors().any(|folder| folder.join(CONFIG).is_file()) {
        return at.clone();
    }
    ProjectAt { dir: NamedChange::top(&from).await.or(Some(from)), ..at.clone() }
}

/// Notes what an agent's work will be held against: its session begins.
pub async fn begin(at: &ProjectAt, event: &StopEvent) -> Result<(), AppError> {
    let dir = at.dir()?;
    SessionRecord::note(&dir.canonicalize().unwrap_or(dir), event).await.map(drop)
}

/// Judges what an agent calls done.
pub async fn judge(at: &ProjectAt, console: Arc<dyn Console>, event: &StopEvent, more: Vec<SettingText>) -> StopAnswer {
    let began = SessionRecord::of(event);
    let from = match (&began, at.dir()) {
        // Wherever the agent went since.
        (Some(began), _) => began.folder.clone(),
        (None, Ok(dir)) => dir.canonicalize().unwrap_or(dir),
        (None, Err(error)) => return unrecorded(event, &told(&error), "there is no folder for it"),
    };
    let asked = at;
    let at = placed(&ProjectAt { dir: Some(from.clone()), ..at.clone() }).await;
    let at = ProjectAt { since: began.as_ref().and_then(|began| began.main.clone()), ..at };
    // Sabotage shows how good the tests are, which nobody waits for here.
    let mut settings = vec![("judge.mutants".to_owned(), "0".to_owned())];
    settings.extend(more.iter().cloned());
    let request = StartRequest { r#loop: Some(Settings::KIND), settings, ..StartRequest::default() };
    let mut start = request.prepare(&at, console).await;
    if let Ok(start) = &mut start {
        // All that is not on the main branch: a range that is configured may leave out what is not committed.
        start.project.loaded.config.judge.range = None;
    }
    let (store, most): (Arc<dyn Backend>, u32) = match &start {
        Ok(start) => (start.project.store.clone(), start.project.config().judge.refusals),
        Err(_) => (Arc::new(FileBackend::new(home_of(&at, &from))), REFUSALS),
    };
    let stops = match read(&*store, event).await {
        Ok(stops) => stops,
        Err(error) => {
            return unrecorded(event, "nobody can say how often it was refused", &told(&error));
        }
    };
    let was_noted = stops.was_noted(&event.agent, &event.session);
    let otherwise = match &began {
        Some(began) => {
            let flags = began.asked_otherwise(event, asked, &more);
            began.otherwise().await.or(flags)
        }
        None if was_noted => {
            Some("what was noted when this session began is gone, and the work is held against that".to_owned())
        }
        None => None,
    };
    // Where nothing was noted at the beginning, what is so now is what later stops of the session are held against.
    let is_new = began.is_none() && !was_noted && SessionRecord::note(&from, event).await.unwrap_or(false);
    if let Some(began) = SessionRecord::of(event).filter(|_| is_new) {
        began.asked_otherwise(event, asked, &more);
    }
    let noted = began.is_some() || was_noted || is_new;
    // Whoever changes what the hook is told does not say how often it is refused, either.
    let most = if otherwise.is_some() { most.max(REFUSALS) } else { most };
    let session = StopSession { began: began.as_ref(), otherwise };
    let (found, run) = found(&start, (&from, at.config.as_deref()), &stops, session).await;
    let refused = stops.refused(&event.agent, &event.session);
    let (end, why) = match found {
        StopFound::Released(why) => (StopEnd::Released, why),
        StopFound::Found(found) => match stops.decide(&event.agent, &event.session, most, found) {
            None => return StopAnswer::Quiet,
            Some(decided) => decided,
        },
    };
    if let Err(error) = record(&*store, event, end, (run, noted), &why).await
        && end != StopEnd::Held
    {
        return unrecorded(event, &why, &told(&error));
    }
    let shown = run.map(|run| format!(" `tribunal log {run}` shows what was run.")).unwrap_or_default();
    match end {
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
        StopEnd::Released => StopAnswer::Stops(format!("Tribunal lets this go without a judgement: {why}")),
        StopEnd::Held | StopEnd::LetGo => {
            let trusted = if began.is_some() { "" } else { NOT_NOTED };
            StopAnswer::Stops(format!("Tribunal: the change holds. {why}{trusted}"))
        }
    }
}

/// Where nothing can be recorded nobody counts refusals but the agent's own hook: it is told once, and the person after that.
fn unrecorded(event: &StopEvent, why: &str, error: &str) -> StopAnswer {
    if event.goes_on {
        return StopAnswer::Stops(format!(
            "Tribunal let this through without proof, and that could not be recorded ({error}), so `tribunal status` does not \
             show it: {why}"
        ));
    }
    StopAnswer::GoesOn(format!(
        "Tribunal cannot judge this change: {why}. Nothing can be recorded: {error}. If you changed that, put it right."
    ))
}

/// What is recorded. A record that cannot be read is kept beside, and the new one begins with that.
async fn read(store: &dyn Backend, event: &StopEvent) -> Result<Stops, AppError> {
    let error = match store.stops().read().await {
        Ok(stops) => return Ok(stops),
        Err(error) => error,
    };
    if let Some(aside) = store.stops().set_aside().await? {
        let why = format!("the record of stops could not be read and is kept as {aside}: {error}");
        let of = StopEvent { agent: event.agent.clone(), ..StopEvent::default() };
        record(store, &of, StopEnd::NotJudged, (None, false), &why).await?;
    }
    Ok(store.stops().read().await?)
}

/// Where the record is kept for settings that cannot be read: where it is with those that can.
fn home_of(at: &ProjectAt, from: &Path) -> PathBuf {
    let named = at.config.as_ref().and_then(|file| from.join(file).parent().map(Path::to_owned));
    let nearest = || from.ancestors().find(|folder| folder.join(CONFIG).is_file()).map(Path::to_owned);
    named.or_else(nearest).or_else(|| at.dir.clone()).unwrap_or_else(|| from.to_owned())
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
    record(&*project.store, &event, StopEnd::LetGo, (None, false), why).await
}

/// What is known of a stop before anybody counts.
enum StopFound {
    /// A person let it go, and why.
    Released(String),
    Found(StopFinding),
}

/// What is known of a session beside its work.
struct StopSession<'s> {
    began: Option<&'s SessionRecord>,
    /// What is not as it was when it began.
    otherwise: Option<String>,
}

/// A person decides about what an agent may not.
const DECIDES: &str = "a person decides about that: they commit it to the main branch, or let it go";

/// What there is to say about the change, and the run that says it.
async fn found(
    start: &Result<PreparedStart, AppError>,
    (from, named): (&Path, Option<&Path>),
    stops: &Stops,
    StopSession { began, otherwise }: StopSession<'_>,
) -> (StopFound, Option<RunId>) {
    let only = |found| (StopFound::Found(found), None);
    if let Some(why) = otherwise {
        return match stops.let_go() {
            Some(why) => (StopFound::Released(why.to_owned()), None),
            None => only(StopFinding::DoesNotHold(format!("- {why}: a person puts it right, or lets it go"))),
        };
    }
    let aside = [tribunal_store::FOLDER];
    let top = NamedChange::top(from).await;
    let here = top.as_deref().unwrap_or(from);
    let main = began.and_then(|began| began.main.as_deref());
    let own = match main {
        Some(main) => NamedChange::at_work_since(here, main, &aside).await,
        None => NamedChange::at_work(here, &aside).await,
    };
    // The settings come first: they may say that the work is elsewhere.
    let settings = match (&own, &top) {
        (Ok(Some(change)), Some(top)) => steered::settings(change, from, named, top).await,
        _ => None,
    };
    let workspace = start.as_ref().ok().map(|start| start.project.workspace());
    let change = match &workspace {
        Some(workspace) if settings.is_none() && !workspace.starts_with(here) => {
            NamedChange::at_work(workspace, &aside).await
        }
        _ => own,
    };
    let change = match change {
        Ok(Some(change)) => change,
        Ok(None) => return only(StopFinding::Nothing),
        // Whoever made git look elsewhere did not want to be seen.
        Err(error) if is_hidden(&error, from, main) => {
            return match stops.let_go() {
                Some(why) => (StopFound::Released(why.to_owned()), None),
                None => only(StopFinding::DoesNotHold(format!("- it cannot be judged: {error} ({})", error.hint()))),
            };
        }
        Err(error) => return only(StopFinding::CannotTell(error.to_string())),
    };
    if let Some(why) = stops.let_go() {
        return (StopFound::Released(why.to_owned()), None);
    }
    let decides = DECIDES;
    if let Some(file) = settings {
        let why = format!("- {file} is changed, and it says how changes are judged: {decides}");
        return only(StopFinding::DoesNotHold(why));
    }
    let start = match start {
        Ok(start) => start,
        Err(error) => return only(StopFinding::DoesNotHold(format!("- it cannot be judged: {}", told(error)))),
    };
    if let Some(top) = NamedChange::top(&start.project.workspace()).await
        && let Some((file, why)) = steered::judges(&start.project, &change, &top).await
    {
        return only(StopFinding::DoesNotHold(format!("- {file} is changed, and {why}: {decides}")));
    }
    match tried(start).await {
        Ok(Some(run)) => (StopFound::Found(beside_main(finding(&run), main, here).await), Some(run.spec().run)),
        Ok(None) => only(StopFinding::CannotTell("nothing was run".into())),
        Err(error) => only(untried(&error)),
    }
}

/// Whether git cannot say what was changed although there is a repository: somebody may have seen to that.
fn is_hidden(error: &TreeError, from: &Path, main: Option<&str>) -> bool {
    match error {
        TreeError::Elsewhere | TreeError::Bare | TreeError::Unrelated { .. } => true,
        TreeError::NoCommitYet => main.is_some(),
        _ => from.ancestors().any(|folder| folder.join(".git").exists()),
    }
}

async fn tried(start: &PreparedStart) -> Result<Option<Run>, AppError> {
    let ends = start.open().await?.finish(&start.project).await?;
    ends.into_iter().next().map_or(Ok(None), PlaceEnd::into_run)
}

/// Says that the main branch was moved, where that makes more of the change than somebody may think.
async fn beside_main(found: StopFinding, main: Option<&str>, top: &Path) -> StopFinding {
    match (found, main) {
        (StopFinding::DoesNotHold(why), Some(main))
            if NamedChange::held_against(top).await.as_deref() != Some(main) =>
        {
            let short = head(main, 10);
            StopFinding::DoesNotHold(format!(
                "{why}\n- the main branch was moved since this session began; everything since {short} counts as its work"
            ))
        }
        (found, _) => found,
    }
}

/// What could not be tried because nothing is there to try it with is not judged. What somebody may have broken, or holds, is
/// refused like a change that does not hold: a damaged log, a judgement that goes on elsewhere.
fn untried(error: &AppError) -> StopFinding {
    match error.kind {
        ErrorKind::Environment
        | ErrorKind::Held
        | ErrorKind::Busy
        | ErrorKind::Interrupted
        | ErrorKind::Conflict
        | ErrorKind::Stale => StopFinding::DoesNotHold(format!("- it cannot be judged: {}", told(error))),
        ErrorKind::Invalid
        | ErrorKind::Config
        | ErrorKind::NotFound
        | ErrorKind::Forbidden
        | ErrorKind::TooLarge
        | ErrorKind::Misfit => StopFinding::CannotTell(told(error)),
    }
}

/// What a judgement says about the change. What could not be decided is no pass; what could not be tried is no judgement.
fn finding(run: &Run) -> StopFinding {
    let Some(end) = run.end() else { return StopFinding::CannotTell("the judgement did not finish".into()) };
    match end.outcome {
        outcome if outcome.is_pass() => StopFinding::Holds(one_line(&end.reason)),
        Outcome::Blocked | Outcome::NeedsHuman => {
            let findings = evidence_of(run).map(|evidence| evidence.findings.as_slice()).unwrap_or_default();
            let seen = findings
                .iter()
                .filter(|finding| finding.weight == EvidenceWeight::Fails)
                .map(|finding| format!("- {}: {}", finding.code.as_str(), one_line(&finding.text)));
            let asked = asked_of(run);
            let unmet = asked.iter().filter(|asked| !asked.is_met()).map(|asked| {
                let why = asked.told().map(|why| format!(": {}", one_line(&why))).unwrap_or_default();
                format!("- {}: {}{why}", asked.item.state.as_str(), one_line(&asked.item.item))
            });
            let against: Vec<String> = seen.chain(unmet).take(TOLD).collect();
            if against.is_empty() {
                return StopFinding::DoesNotHold(format!("- {}", one_line(&end.reason)));
            }
            StopFinding::DoesNotHold(against.join("\n"))
        }
        _ => StopFinding::CannotTell(one_line(&end.reason)),
    }
}

async fn record(
    store: &dyn Backend,
    event: &StopEvent,
    end: StopEnd,
    (run, noted): (Option<RunId>, bool),
    why: &str,
) -> Result<(), AppError> {
    let stop = Stop {
        at: SystemClock.now(),
        agent: event.agent.clone(),
        session: event.session.clone(),
        end,
        run,
        noted,
        why: head(why, LONGEST_WHY).to_owned(),
    };
    Ok(store.stops().change(Box::new(|stops| stops.push(stop.clone()))).await?)
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
