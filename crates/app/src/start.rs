//! Starting: a request becomes runs that are new, that go on, or that need nobody because they are decided.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use tribunal_config::Brief;
use tribunal_engine::Session;
use tribunal_kernel::loops::RegisteredLoop as _;
use tribunal_kernel::text::head;
use tribunal_kernel::{LoopKind, RunSpec, desk as desk_loop, judge, theater};

use crate::attachments::MAX_ATTACHMENTS;
use crate::console::{Console, Silent};
use crate::error::AppError;
use crate::found_settings::Unheeded;
use crate::input::{Fence, MAX_SUBJECTS, MAX_TEXT, bounded};
use crate::loops::theater::PageSource;
use crate::loops::{self, Opening, Wanted, opener};
use crate::opened::{OpenedPlace, OpenedRuns, Settled};
use crate::project::{Project, ProjectAt, SettingText};
use crate::{allowance, desk, drive, found_settings, grading, stale, views, watching};

/// The name of an asset becomes part of file names.
const LONGEST_NAME: usize = 100;

/// What somebody wants to be started. Nothing said: what is configured.
#[derive(Debug, Clone, Default)]
pub struct StartRequest {
    /// The shape of the trial instead of the configured one.
    pub r#loop: Option<LoopKind>,
    /// What is wanted: the text itself, or a file that holds it.
    pub brief: Option<String>,
    /// What to work on instead of what is configured: assets of a review, pages for the house panel, the slug of a desk.
    pub subjects: Vec<String>,
    /// Files to show along with the brief, instead of those that are configured.
    pub attachments: Vec<String>,
    /// The file with what drafts are judged against, besides the brief.
    pub anchor: Option<String>,
    /// The file of the design that a page is judged by.
    pub design: Option<String>,
    /// Whether a panel shall sit, where the policy leaves that to the user.
    pub panel: bool,
    /// Whether what is decided already is tried again, in a new run.
    pub again: bool,
    /// Whether a judgement takes the settings as the change leaves them: a person's own decision.
    pub as_changed: bool,
    /// Whatever else is to be otherwise than configured.
    pub settings: Vec<SettingText>,
    /// Where it comes from.
    pub origin: RequestOrigin,
}

/// Who asks, and so what they may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RequestOrigin {
    /// Whoever sits at this machine: any file.
    #[default]
    Local,
    /// A page, a program, an agent: files of the project alone.
    Remote,
}

/// A request, understood: the project as it is configured for it.
#[derive(Debug)]
pub struct PreparedStart {
    pub project: Project,
    sources: Vec<PathBuf>,
    panel: bool,
    again: bool,
}

impl StartRequest {
    /// Loads the project as this request wants it. A judgement gets the settings that the change found.
    pub async fn prepare(self, at: &ProjectAt, console: Arc<dyn Console>) -> Result<PreparedStart, AppError> {
        let request = match self.origin {
            RequestOrigin::Local => self,
            RequestOrigin::Remote => self.fenced(at, &console)?,
        };
        if let Some(brief) = &request.brief {
            bounded("the brief", brief, MAX_TEXT)?;
        }
        if let Some(long) = request.subjects.iter().find(|name| !is_path(name) && name.len() > LONGEST_NAME) {
            return Err(AppError::invalid(
                format!("the name `{}…` has {} bytes; the limit is {LONGEST_NAME}", head(long, 32), long.len()),
                "use a shorter name: it becomes part of file names",
            ));
        }
        let dir = at.dir.clone().unwrap_or_default();
        let sources = request.sources(&dir);
        let at = at.with(request.settings(&sources, &dir)?);
        // Without the request the project was fine.
        let blamed = |error: AppError| if request.origin == RequestOrigin::Remote { error.of_request() } else { error };
        let mut project = request.project(&at, console.clone()).await.map_err(blamed)?;
        if let Some(seats) = desk::unseated(&project).filter(|_| request.origin == RequestOrigin::Local) {
            console.say(&format!("using {}: installed and logged in here", seats.told().unwrap_or_default()));
            project = Project::load(&at.with(seats.settings()), console)?;
        }
        let kind = project.config().run.r#loop;
        if !request.attachments.is_empty() && !kind.def().shows_brief {
            return Err(blamed(AppError::invalid(
                format!("a {kind} has no brief that files could be attached to"),
                "a review, a joust and a theater take attachments",
            )));
        }
        if project.config().run.r#loop == theater::Settings::KIND
            && sources.is_empty()
            && let Some(name) = request.subjects.first()
        {
            return Err(no_source(name, &dir));
        }
        Ok(PreparedStart { project, sources, panel: request.panel, again: request.again })
    }

    async fn project(&self, at: &ProjectAt, console: Arc<dyn Console>) -> Result<Project, AppError> {
        let kind = judge::Settings::KIND;
        if self.r#loop != Some(kind) {
            let project = Project::load(at, console.clone())?;
            if project.config().run.r#loop != kind {
                return Ok(project);
            }
        }
        if self.as_changed {
            let (project, found) =
                (Project::load(at, console)?, Box::pin(found_settings::found_project(at, Arc::new(Silent))).await);
            let unheeded = found.map_or_else(|_| Unheeded::everything(), |found| found_settings::unheeded(&found, at));
            return Ok(project.beside(unheeded).taken_as_changed());
        }
        Box::pin(found_settings::found_project(at, console)).await
    }

    /// The same with every path led to where it is, inside of the project: nothing else may be named from outside.
    fn fenced(mut self, at: &ProjectAt, console: &Arc<dyn Console>) -> Result<Self, AppError> {
        let of_loop = self.r#loop.map(|word| ("run.loop".to_owned(), word.to_string()));
        let project = Project::load(&at.with(of_loop), console.clone())?;
        let fence = Fence::of(&project);
        if self.attachments.len() > MAX_ATTACHMENTS {
            return Err(AppError::invalid(
                format!("{} attachments are too many", self.attachments.len()),
                format!("attach at most {MAX_ATTACHMENTS} files"),
            ));
        }
        if self.subjects.len() > MAX_SUBJECTS {
            return Err(AppError::invalid(
                format!("{} assets are too many", self.subjects.len()),
                format!("start at most {MAX_SUBJECTS} at once"),
            ));
        }
        if project.config().run.r#loop == desk_loop::Settings::KIND {
            if self.subjects.len() > 1 {
                return Err(AppError::invalid("a desk works on one campaign at a time", "name one slug"));
            }
            self.settings.extend(self.subjects.drain(..).map(|slug| ("desk.slug".to_owned(), slug)));
        }
        for subject in &mut self.subjects {
            if is_path(subject) {
                *subject = fence.file(subject)?.display().to_string();
            } else if !is_name(subject) {
                return Err(AppError::invalid(
                    format!("`{}` cannot be the name of an asset", head(subject, LONGEST_NAME)),
                    "use lower-case letters, digits and `_`, starting with a letter",
                ));
            }
        }
        if let Some(brief) = &mut self.brief {
            *brief = fenced_brief(&fence, &project, std::mem::take(brief))?;
        }
        for path in [&mut self.anchor, &mut self.design].into_iter().flatten().chain(&mut self.attachments) {
            *path = fence.file(path)?.display().to_string();
        }
        Ok(self)
    }

    /// The files among the subjects: what is one of them is not the name of an asset.
    fn sources(&self, dir: &Path) -> Vec<PathBuf> {
        let files: Vec<PathBuf> = self.subjects.iter().map(|name| dir.join(name)).collect();
        if files.iter().all(|file| PageSource::is_one(file)) { files } else { Vec::new() }
    }

    /// What it says of settings: the strongest layer of the configuration, checked like every other.
    fn settings(&self, sources: &[PathBuf], dir: &Path) -> Result<Vec<SettingText>, AppError> {
        let mut settings = Vec::new();
        let is_gone = |name: &&String| is_path(name) && !PageSource::is_one(&dir.join(name));
        let odd = self.subjects.iter().find(is_gone).or_else(|| self.subjects.iter().find(|name| is_path(name)));
        if let (true, Some(name)) = (sources.is_empty(), odd) {
            return Err(no_source(name, dir));
        }
        settings.extend(self.r#loop.map(|word| ("run.loop".to_owned(), word.to_string())));
        if !sources.is_empty() {
            settings.push(("run.loop".into(), theater::Settings::KIND.to_string()));
        } else if !self.subjects.is_empty() {
            settings.push(("review.assets".into(), self.subjects.join(",")));
        }
        let files = [("run.brief", &self.brief), ("run.anchor", &self.anchor), ("theater.design", &self.design)];
        settings.extend(files.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value.clone()?))));
        if !self.attachments.is_empty() {
            // As a list of its own form: names of files may have commas in them.
            settings.push(("run.attachments".to_owned(), serde_json::json!(self.attachments).to_string()));
        }
        settings.extend(self.settings.iter().cloned());
        Ok(settings)
    }
}

impl PreparedStart {
    /// What there is to do, by what it is about. Changes nothing.
    pub async fn openings(&self) -> Result<Vec<(String, Opening)>, AppError> {
        let wanted = Wanted { sources: &self.sources, panel: self.panel, again: self.again };
        loops::configured(self.project.config()).find(&self.project, wanted).await
    }

    /// Refuses what is decided and changed since, for whoever cannot be shown both.
    pub(crate) async fn refuse_stale(&self) -> Result<(), AppError> {
        for (subject, opening) in self.openings().await? {
            if let Opening::Settled { run: Some(run), changes, .. } = &opening
                && !changes.is_empty()
            {
                return Err(stale::refusal(&subject, run, changes));
            }
        }
        Ok(())
    }

    /// Opens a run for everything that is not decided yet.
    pub async fn open(&self) -> Result<OpenedRuns, AppError> {
        let (project, console) = (&self.project, &self.project.console);
        let before = project.store.logs().runs().await?;
        let mut openings = self.openings().await?;
        if let Some(id) = openings.iter().find_map(|(_, opening)| lost(opening))
            && let Some(session) = watching::open_free(project, id).await?
        {
            drive::drive(project, vec![session]).await?;
            console.say(&format!("run {id} was interrupted and cannot continue; its completed rounds are kept"));
            openings = self.openings().await?;
        }
        // Whoever makes runs does so alone, and looks again if somebody made one meanwhile: nothing is paid for twice.
        let mut _right = None;
        if openings.iter().any(|(_, opening)| matches!(opening, Opening::New { .. })) {
            _right = Some(project.store.leases().opening().await?);
            if project.store.logs().runs().await? != before {
                openings = self.openings().await?;
            }
        }
        let mut opened = OpenedRuns::default();
        for (subject, opening) in openings {
            let place = self.place(subject, opening, &mut opened.sessions).await?;
            opened.places.push(place);
        }
        Ok(opened)
    }

    async fn place(
        &self,
        subject: String,
        opening: Opening,
        sessions: &mut Vec<Session>,
    ) -> Result<OpenedPlace, AppError> {
        let (project, console) = (&self.project, &self.project.console);
        match opening {
            Opening::Settled { decision, run, changes } => {
                if let Some(run) = &run {
                    views::restore(project, run).await?;
                }
                Ok(OpenedPlace::Settled(Box::new(Settled { subject, decision, run, changes })))
            }
            Opening::Continue(run) => {
                let id = run.spec().run;
                let Some(mut session) = watching::open_free(project, id).await? else {
                    return Ok(OpenedPlace::Elsewhere(id));
                };
                console.say(&format!("{subject}: continuing run {id}"));
                // The configuration of today counts, as it would for a new run.
                let limits = allowance::limits_of(project, run.spec()).await?;
                allowance::check_priced(project, run.spec(), &limits)?;
                session.resume(Some(limits)).await?;
                sessions.push(session);
                Ok(OpenedPlace::Here)
            }
            Opening::New { spec, cited } => {
                announce_mark(project, &spec);
                let opener = opener(spec.kind());
                sessions.push(opener.create(project, *spec, &cited, self.again).await?);
                Ok(OpenedPlace::Here)
            }
            Opening::Unreadable(why) => Ok(OpenedPlace::Unreadable { subject, why: *why }),
        }
    }
}

/// Says that there is no trial because an agent is marked.
pub(crate) fn announce_mark(project: &Project, spec: &RunSpec) {
    for line in [grading::banner(spec), grading::remedy(spec)].into_iter().flatten() {
        project.console.say(&line);
    }
}

/// A panel that spoke in one stream when its process was killed cannot go on: it is closed with what it had completed,
/// and the trial starts again.
fn lost(opening: &Opening) -> Option<tribunal_kernel::RunId> {
    match opening {
        Opening::Continue(run) => {
            let trial = run.spec().trial();
            run.in_flight().any(|turn| !trial.is_repeatable(turn)).then(|| run.spec().run)
        }
        Opening::Settled { .. } | Opening::New { .. } | Opening::Unreadable(_) => None,
    }
}

/// No asset has such a name: a file is meant.
fn is_path(name: &str) -> bool {
    name.contains(['.', '/'])
}

/// Whether an asset can be called so. What is joined with others, or has a form of its own, cannot.
fn is_name(name: &str) -> bool {
    let is_fine = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(is_fine)
}

fn no_source(name: &str, dir: &Path) -> AppError {
    let path = dir.join(name);
    if !path.exists() {
        return AppError::not_found(
            format!("there is no file `{name}`"),
            "check the path; assets have names without `.` and `/`",
        );
    }
    let what = if PageSource::is_one(&path) {
        "cannot be started together with assets"
    } else {
        "is not an HTML or Markdown file"
    };
    AppError::invalid(format!("`{name}` {what}"), "pass HTML or Markdown files only, or assets only")
}

/// A brief may be a file; then it is one inside of the project.
pub(crate) fn fenced_brief(fence: &Fence, project: &Project, text: String) -> Result<String, AppError> {
    bounded("the brief", &text, MAX_TEXT)?;
    if text.trim().is_empty() {
        return Err(AppError::invalid("the brief is empty", "say what is wanted, or leave it out"));
    }
    let brief = Brief { text: text.clone(), base: project.root().to_owned() };
    match brief.path() {
        Some(path) if brief.must_be_file() || path.exists() => Ok(fence.file(text.trim())?.display().to_string()),
        _ => Ok(text),
    }
}
