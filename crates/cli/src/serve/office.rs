//! What the server asks of us.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tribunal_engine::Session;
use tribunal_kernel::{LoopKind, Round, Run, RunId, Time, TurnId, review};
use tribunal_server::api::types::{Question as Asked, Setting, Start};
use tribunal_server::office::Reply;
use tribunal_server::{Office, Refusal, RefusalKind};
use tribunal_store::answers;
use tribunal_store::inbox::{self, Request};
use tribunal_store::log::lock;

use super::settings;
use crate::args::Global;
use crate::bench::Bench;
use crate::commands::{self, interrupt, reopen, rerun, select};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::opening;
use crate::person::{People, Question};
use crate::petition::{Begun, Petition, begin};
use crate::progress::Screen;
use crate::project::Project;

/// For so long the configuration is taken to be what it was, where nothing depends on it but what is shown.
const FRESH: Duration = Duration::from_secs(1);

/// The command line's office: the project as it is configured now, and the runs that we drive.
#[derive(Debug)]
pub(super) struct CliOffice {
    global: Global,
    bench: Arc<Bench>,
    name: String,
    workspace: PathBuf,
    /// Who sits in seats, as of some moment: lists ask for it once a row.
    people: Mutex<Option<(Instant, Project)>>,
}

impl CliOffice {
    pub(super) fn new(global: Global, bench: Arc<Bench>, project: &Project) -> Self {
        let workspace = project.workspace();
        let name =
            project.root().file_name().map_or_else(|| "project".into(), |name| name.to_string_lossy().into_owned());
        Self { global, bench, name, workspace, people: Mutex::default() }
    }

    /// The project as it is configured now: somebody may have edited it since.
    fn load(&self) -> Result<Project, Failure> {
        Ok(self.bench.with_index(Project::load(&self.global, Vec::new())?))
    }

    fn screen(&self) -> Screen {
        Screen::new(self.global.verbose, true)
    }

    /// Drives a run on, unless somebody does.
    async fn go_on(&self, project: &Project, id: RunId) -> Result<(), Failure> {
        let run = project.read(id).await?;
        if let Some(end) = run.end().filter(|end| end.outcome.is_sticky()) {
            return Err(Failure::usage(format!("it is decided: {}", end.outcome), "reopen it first"));
        }
        match opening::take_up(project, &run).await? {
            Some(session) => self.bench.seat(project, &self.screen(), vec![session]).await.map(drop),
            None => Ok(()), // whoever drives it goes on
        }
    }

    async fn begin(&self, start: Start) -> Result<Vec<RunId>, Failure> {
        let Start { brief, assets, source } = start;
        let Begun { opened, .. } =
            begin(&self.global, &self.bench, Petition { brief, assets, asset: source, ..Petition::default() }).await?;
        if opened.is_empty() {
            return Err(Failure::usage("everything is decided: there is nothing to start", "reopen or rerun a run"));
        }
        Ok(opened.into_iter().map(|(run, _)| run).collect())
    }

    async fn try_anew(&self, id: RunId, brief: Option<String>) -> Result<RunId, Failure> {
        let settings = brief.map(|brief| ("run.brief".to_owned(), brief)).into_iter().collect();
        let (project, screen) = (self.bench.with_index(Project::load(&self.global, settings)?), self.screen());
        self.bench.has_room()?;
        let session = rerun::open(&project, &screen, &project.read(id).await?).await?;
        let new = session.run().spec().run;
        self.bench.seat(&project, &screen, vec![session]).await?;
        Ok(new)
    }

    async fn lift(&self, id: RunId, why: String, rounds: u32) -> Result<(), Failure> {
        let project = self.load()?;
        let session = reopen::lift(&project, id, commands::person(), why, rounds).await?;
        drop(session);
        self.go_on(&project, id).await
    }

    async fn pick(&self, id: RunId, round: Round) -> Result<(), Failure> {
        let project = self.load()?;
        let mut session = Session::open(project.store.clone(), project.clock.clone(), id).await?;
        if session.run().spec().kind() != LoopKind::Review {
            return Err(Failure::usage("only a review's drafts are chosen", "a theater ships by its score"));
        }
        let draft = review::draft_of(session.run(), round).cloned();
        let found = draft.and_then(|draft| Some((project.text(draft.content)?, draft)));
        let Some((text, draft)) = found else {
            return Err(Failure::usage(format!("round {round} has no draft"), "choose another round"));
        };
        select::pick(&project, &mut session, draft, text, commands::person()).await
    }

    /// Asks for a stop and does not wait for it: whoever drives the run may have agents to end.
    async fn stop(&self, id: RunId) -> Result<(), Failure> {
        let by = commands::person();
        if self.bench.interrupt(id, &by) {
            return Ok(());
        }
        let project = self.load()?;
        if project.read(id).await?.end().is_some() {
            return Ok(());
        }
        if lock::holder(project.layout(), id)?.is_some() {
            return Ok(inbox::send(project.layout(), id, &Request::Interrupt { by })?);
        }
        interrupt::stop(&project, id, &by).await
    }

    async fn asked(&self, id: RunId) -> Result<Vec<Asked>, Failure> {
        let project = self.load()?;
        let people = People::of(project.config());
        let run = Arc::new(project.read(id).await?);
        let mut asked = Vec::new();
        for turn in people.open(project.layout(), &run)? {
            let Question { prompt, form, .. } = Question::of(project.layout(), &run, turn)?;
            let since = answers::asked(project.layout(), id, turn.id)?;
            let since = since.and_then(|since| since.duration_since(std::time::UNIX_EPOCH).ok());
            asked.push(Asked {
                turn: turn.id,
                round: turn.round,
                role: turn.seat.clone(),
                task: turn.task.clone(),
                prompt,
                form,
                since: since.map(|since| Time(u64::try_from(since.as_millis()).unwrap_or_default())),
            });
        }
        Ok(asked)
    }

    async fn say(&self, id: RunId, turn: TurnId, answer: Value) -> Result<(), Refusal> {
        let project = self.load().map_err(refusal)?;
        let run = Arc::new(project.read(id).await.map_err(refusal)?);
        let people = People::of(project.config());
        let open = people.open(project.layout(), &run).map_err(|error| refusal(error.into()))?;
        let Some(turn) = open.into_iter().find(|open| open.id == turn) else {
            let hint = "somebody may have answered already".to_owned();
            return Err(Refusal::new(RefusalKind::Conflict, "nobody is asked this any more", hint));
        };
        let question = Question::of(project.layout(), &run, turn).map_err(refusal)?;
        let written = match answer {
            Value::String(text) => text,
            object => object.to_string(),
        };
        let said = question.understand(&written).map_err(|why| Refusal::new(RefusalKind::Misfit, why, None))?;
        let is_first = question.give(&said).map_err(|error| refusal(error.into()))?;
        if !is_first {
            return Err(Refusal::new(RefusalKind::Conflict, "somebody has answered already", None));
        }
        self.go_on(&project, id).await.map_err(refusal)
    }
}

/// A failure as the API tells it.
#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub(super) fn refusal(failure: Failure) -> Refusal {
    let kind = match failure.exit {
        Exit::Usage => RefusalKind::Conflict,
        _ => RefusalKind::Broken,
    };
    let hint = failure.errors().iter().find_map(|(_, hint)| hint.clone());
    Refusal::new(kind, failure.message(), hint)
}

impl Office for CliOffice {
    fn project(&self) -> (String, PathBuf) {
        (self.name.clone(), self.workspace.clone())
    }

    fn start(&self, start: Start) -> Reply<'_, Vec<RunId>> {
        Box::pin(async { self.begin(start).await.map_err(refusal) })
    }

    fn resume(&self, run: RunId) -> Reply<'_, ()> {
        Box::pin(async move { self.go_on(&self.load().map_err(refusal)?, run).await.map_err(refusal) })
    }

    fn rerun(&self, run: RunId, brief: Option<String>) -> Reply<'_, RunId> {
        Box::pin(async move { Box::pin(self.try_anew(run, brief)).await.map_err(refusal) })
    }

    fn reopen(&self, run: RunId, why: String, rounds: u32) -> Reply<'_, ()> {
        Box::pin(async move { Box::pin(self.lift(run, why, rounds)).await.map_err(refusal) })
    }

    fn select(&self, run: RunId, round: Round) -> Reply<'_, ()> {
        Box::pin(async move { self.pick(run, round).await.map_err(refusal) })
    }

    fn interrupt(&self, run: RunId) -> Reply<'_, ()> {
        Box::pin(async move { self.stop(run).await.map_err(refusal) })
    }

    fn steer(&self, run: RunId, text: String) -> Reply<'_, ()> {
        Box::pin(async move {
            let project = self.load().map_err(refusal)?;
            let by = commands::person();
            commands::steer::give(&project, &run.to_string(), &text, by).await.map(drop).map_err(refusal)
        })
    }

    fn questions(&self, run: RunId) -> Reply<'_, Vec<Asked>> {
        Box::pin(async move { self.asked(run).await.map_err(refusal) })
    }

    fn answer(&self, run: RunId, turn: TurnId, answer: Value) -> Reply<'_, ()> {
        Box::pin(self.say(run, turn, answer))
    }

    fn awaited(&self, run: &Run) -> Vec<String> {
        let mut cached = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        if cached.as_ref().is_none_or(|(since, _)| since.elapsed() > FRESH) {
            *cached = self.load().ok().map(|project| (Instant::now(), project));
        }
        let Some((_, project)) = cached.as_ref() else { return Vec::new() };
        let open = People::of(project.config()).open(project.layout(), run).unwrap_or_default();
        open.iter().map(|turn| turn.seat.to_string()).collect()
    }

    fn queued(&self) -> BTreeSet<RunId> {
        self.bench.queued()
    }

    fn settings(&self) -> Reply<'_, Vec<Setting>> {
        Box::pin(async { Ok(settings::all(&self.load().map_err(refusal)?)) })
    }

    fn set(&self, key: String, value: Value) -> Reply<'_, ()> {
        Box::pin(async move { settings::set(&self.global, &key, &value) })
    }
}
