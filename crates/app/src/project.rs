//! The folder we are in: configuration, store, index.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tribunal_config::{AgentKind, Config, Confined, FILE_NAME, Loaded, PriceTable, ProjectFile};
use tribunal_engine::SystemClock;
use tribunal_engine::sandbox::{Finder, Mechanism, Sandbox};
use tribunal_kernel::spec::AgentDefinition;
use tribunal_kernel::spec::RunSpec;
use tribunal_kernel::{Digest, Entry, Event, Run, RunId};
use tribunal_store::backend::ScratchFolder;
use tribunal_store::{Backend, FileBackend, relative};
use uuid::Uuid;

use crate::command_account::CommandAccount;
use crate::console::Console;
use crate::error::AppError;
use crate::found_settings::Unheeded;
use crate::newest::NewestRuns;
use crate::place;
use crate::prices;
use crate::shared_files::SharedFiles;

/// A setting and its value, as text.
pub type SettingText = (String, String);

/// Where a project is, and what whoever asks says of its settings: stronger than every file.
#[derive(Debug, Clone, Default)]
pub struct ProjectAt {
    /// The folder to start from; nothing: the current one.
    pub dir: Option<PathBuf>,
    /// The configuration file instead of the nearest one.
    pub config: Option<PathBuf>,
    pub settings: Vec<SettingText>,
    /// What counts as the configuration file, whatever lies there.
    pub(crate) given: Option<GivenFile>,
    /// A commit that whatever is judged is held against, wherever the main branch is now.
    pub(crate) since: Option<String>,
}

/// The path and the text that count as a configuration file, or that there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GivenFile(pub(crate) Option<(PathBuf, String)>);

/// A project, loaded.
#[derive(Debug, Clone)]
pub struct Project {
    pub loaded: Loaded,
    /// The folder of tribunal.toml, where its programs are.
    root: PathBuf,
    /// The folder that what we keep belongs to, with no link on the way.
    home: PathBuf,
    pub store: Arc<dyn Backend>,
    pub clock: Arc<SystemClock>,
    /// Looked for when it is first needed.
    pub sandbox: Finder,
    /// Runs whose shared files wait to be written.
    pub(crate) shared_files: Arc<SharedFiles>,
    /// What is spent outside of trials, by whoever loaded the project.
    pub(crate) account: Arc<CommandAccount>,
    /// Who looks on.
    pub console: Arc<dyn Console>,
    /// The user's own table of prices.
    user_prices: Option<Arc<PriceTable>>,
    /// How it was asked for.
    at: ProjectAt,
    /// What its file of settings says otherwise, and a judgement does not heed.
    unheeded: Option<Arc<Unheeded>>,
    /// A person let a judgement heed it.
    as_changed: bool,
}

impl ProjectAt {
    /// The same with more settings, each stronger than those before it.
    pub fn with(&self, more: impl IntoIterator<Item = SettingText>) -> Self {
        let mut at = self.clone();
        at.settings.extend(more);
        at
    }

    /// The same project with these settings.
    pub fn of(dir: Option<PathBuf>, config: Option<PathBuf>, settings: Vec<SettingText>) -> Self {
        Self { dir, config, settings, given: None, since: None }
    }

    /// The folder to start from.
    pub fn dir(&self) -> Result<PathBuf, AppError> {
        match &self.dir {
            Some(dir) if dir.is_dir() => Ok(dir.clone()),
            Some(dir) => Err(AppError::not_found(
                format!("no such folder: {}", dir.display()),
                "`tribunal init DIR` creates a project in a new folder",
            )),
            None => std::env::current_dir()
                .map_err(|error| AppError::environment(format!("cannot find the current folder: {error}"), None)),
        }
    }
}

impl Project {
    /// Loads the configuration.
    pub fn load(at: &ProjectAt, console: Arc<dyn Console>) -> Result<Self, AppError> {
        let (dir, settings) = (at.dir()?, at.settings.clone());
        let file = match (&at.given, &at.config) {
            (Some(GivenFile(given)), _) => ProjectFile::Given(given.clone()),
            (None, Some(file)) => ProjectFile::At(file.clone()),
            (None, None) => ProjectFile::Nearest,
        };
        let sources = tribunal_config::discover(&dir, &file, std::env::vars_os(), settings)?;
        let loaded = tribunal_config::load(&sources)?;
        for note in &loaded.notes {
            console.note(note);
        }
        let root = std::path::absolute(&loaded.dir).unwrap_or_else(|_| loaded.dir.clone());
        // Whatever counts as the configuration, what we keep is where every other command looks for it.
        let kept = if at.given.is_some() { kept_at(&dir, at.config.as_deref()) } else { root.clone() };
        // With no link on the way: SQLite follows none.
        let home = kept.canonicalize().unwrap_or(kept);
        let store = Arc::new(FileBackend::new(&home).held_for(command_line()));
        let wanted = match loaded.config.run.sandbox {
            Confined::Auto => None,
            Confined::Bubblewrap => Some(Mechanism::Bubblewrap { landlock: false }),
            Confined::Landlock => Some(Mechanism::Landlock),
            Confined::None => Some(Mechanism::Copy),
        };
        let sandbox = Finder::new(std::env::current_exe().ok(), wanted);
        Ok(Self {
            loaded,
            root,
            home,
            store,
            clock: Arc::new(SystemClock),
            sandbox,
            shared_files: Arc::default(),
            account: Arc::default(),
            console,
            user_prices: prices::user_table()?,
            at: at.clone(),
            unheeded: None,
            as_changed: false,
        })
    }

    /// A project in `place` without anything that lies there: strangers may have put it there. What counts is the user's own
    /// configuration, variables, and what whoever asks says, a file that they name included.
    pub(crate) fn load_apart(at: &ProjectAt, place: &Path, console: Arc<dyn Console>) -> Result<Self, AppError> {
        // A file that is named is read like any other; none is looked for.
        let given = if at.config.is_none() { Some(GivenFile(None)) } else { None };
        let mut project = Self::load(&ProjectAt { given, ..at.clone() }, console)?;
        let place = place.canonicalize().unwrap_or_else(|_| place.to_owned());
        project.store = Arc::new(FileBackend::new(&place).held_for(command_line()));
        place.clone_into(&mut project.loaded.config.run.workspace);
        Ok(Self { root: place.clone(), home: place, ..project })
    }

    /// The same with nobody but programs of ours who measure, under the names that they have in a run.
    pub(crate) fn for_measuring(&self, spec: &RunSpec) -> Self {
        let mut config = self.config().clone();
        config.agents.clear();
        let mut project = self.with(config).for_run(spec);
        project.loaded.config.agents.retain(|_, agent| agent.kind == AgentKind::House);
        project
    }

    /// How it was asked for.
    pub(crate) fn came_from(&self) -> &ProjectAt {
        &self.at
    }

    /// What its file of settings says otherwise, and a judgement does not heed.
    pub(crate) fn unheeded(&self) -> Option<&Unheeded> {
        self.unheeded.as_deref()
    }

    pub(crate) fn beside(self, unheeded: Unheeded) -> Self {
        Self { unheeded: Some(Arc::new(unheeded)), ..self }
    }

    /// Whether a person let a judgement take the settings as the change leaves them.
    pub(crate) fn is_as_changed(&self) -> bool {
        self.as_changed
    }

    pub(crate) fn taken_as_changed(self) -> Self {
        Self { as_changed: true, ..self }
    }

    /// The same, with the store that the other one has open.
    pub(crate) fn keeping_store_of(self, other: &Self) -> Self {
        Self { store: other.store.clone(), home: other.home.clone(), ..self }
    }

    /// What models cost, the stronger table first.
    pub fn price_tables(&self) -> Vec<&PriceTable> {
        self.user_prices.as_deref().into_iter().chain([PriceTable::built_in()]).collect()
    }

    pub fn config(&self) -> &Config {
        &self.loaded.config
    }

    /// What confines processes here.
    pub async fn sandbox(&self) -> Result<&Sandbox, AppError> {
        let found = self.sandbox.get().await;
        found.map_err(|error| AppError::misconfigured(error.to_string(), error.hint()))
    }

    /// The folder of tribunal.toml.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The same with the store that a process keeps open, so that not every request opens its own.
    pub(crate) fn keeping(self, store: &OnceLock<Arc<dyn Backend>>) -> Self {
        Self { store: store.get_or_init(|| self.store.clone()).clone(), ..self }
    }

    /// The same agents under another configuration.
    pub fn with(&self, config: Config) -> Self {
        Self { loaded: Loaded { config, ..self.loaded.clone() }, ..self.clone() }
    }

    /// The same agents at work in another folder, which keeps its runs for itself.
    pub fn at(&self, folder: &Path, config: Config) -> Self {
        let mut project = self.with(config);
        folder.clone_into(&mut project.loaded.config.run.workspace);
        folder.clone_into(&mut project.home);
        project.store = Arc::new(FileBackend::new(folder).held_for(command_line()));
        project
    }

    /// The folder that new runs work in.
    pub fn workspace(&self) -> PathBuf {
        let workspace = self.root().join(&self.config().run.workspace);
        workspace.canonicalize().unwrap_or(workspace)
    }

    /// The same as run specs name it: as the project sees it, wherever it stands.
    pub fn workspace_name(&self) -> String {
        relative(&self.home(), &self.workspace())
    }

    /// The folder that a run works in, here.
    pub fn folder_of(&self, spec: &RunSpec) -> PathBuf {
        place::resolve(&self.home(), &self.workspace(), &spec.workspace)
    }

    /// A path as the project sees it, wherever it stands.
    pub(crate) fn seen_from_home(&self, path: &Path) -> String {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        relative(&self.home(), &path)
    }

    /// The project with the agents that a run was opened with, where nobody is configured under their names any more.
    pub fn for_run(&self, spec: &RunSpec) -> Self {
        let mut config = self.config().clone();
        for (name, AgentDefinition(definition)) in &spec.agents {
            if !config.agents.contains_key(name)
                && let Ok(agent) = serde_json::from_value(definition.clone())
            {
                config.agents.insert(name.clone(), agent);
            }
        }
        self.with(config)
    }

    /// The folder that everything we keep is in, with no link on the way.
    pub(crate) fn home(&self) -> PathBuf {
        self.home.canonicalize().unwrap_or_else(|_| self.home.clone())
    }

    /// Where a run leaves its files for people to look at.
    pub fn artifacts(&self, run: RunId) -> PathBuf {
        self.store.scratch().path(&ScratchFolder::Artifacts(run))
    }

    /// The text of a blob, if it is there.
    pub async fn text(&self, digest: Digest) -> Option<String> {
        text(&*self.store, digest).await
    }

    /// A run, folded.
    pub async fn read(&self, run: RunId) -> Result<Run, AppError> {
        let entries = self.store.logs().read(run).await?;
        let folded = Run::fold(&entries).map_err(tribunal_engine::DriveError::from)?;
        folded.ok_or_else(|| tribunal_engine::DriveError::Empty(run).into())
    }

    /// Whether a process drives a run now. What its log says was begun is no sign of it: a leader that was killed could
    /// not say that it stopped.
    pub async fn is_driven(&self, run: RunId) -> Result<bool, AppError> {
        Ok(self.store.leases().holder(run).await?.is_some())
    }

    /// What every run was given, newest first, and which logs do not even say that.
    pub async fn survey(&self) -> Result<RunSurvey, AppError> {
        let mut survey = RunSurvey::default();
        for run in self.store.logs().runs().await?.into_iter().rev() {
            match self.store.logs().first(run).await {
                Ok(Some(Entry { event: Event::RunOpened { spec }, .. })) => survey.specs.push(*spec),
                // Whoever made it was killed before it could say what it is about.
                Ok(_) => {}
                Err(error) => survey.unreadable.push(UnreadableRun { run, why: error.into() }),
            }
        }
        Ok(survey)
    }

    /// What every run was given, newest first. A log that cannot be read is skipped with a note: it must not keep the
    /// others from being found.
    pub async fn specs(&self) -> Result<Vec<RunSpec>, AppError> {
        let RunSurvey { specs, unreadable } = self.survey().await?;
        for damaged in &unreadable {
            self.console.note(&damaged.why.message());
        }
        Ok(specs)
    }

    /// A run among others: one that cannot be read is skipped with a note.
    pub async fn read_one_of(&self, run: RunId) -> Option<Run> {
        self.read(run).await.map_err(|error| self.console.note(&error.message())).ok()
    }

    /// The newest run on an asset of this workspace.
    pub async fn newest_on(&self, asset: &str) -> Result<Option<RunId>, AppError> {
        Ok(NewestRuns::of(self).await?.on(asset).await)
    }

    /// The run that somebody named: by its id, a part of it, or its asset. Nothing: the newest.
    pub async fn find(&self, name: Option<&str>) -> Result<RunId, AppError> {
        if let Some(run) = name.and_then(|name| Uuid::parse_str(name).ok()).map(RunId) {
            // By its whole id even a run is found whose log is damaged from the first line on.
            if self.store.logs().runs().await?.contains(&run) {
                return Ok(run);
            }
        }
        let specs = self.specs().await?;
        let none = || {
            AppError::not_found(
                "there are no runs in this project",
                "`tribunal run` starts one; `-C DIR` looks elsewhere",
            )
        };
        let Some(name) = name else {
            return specs.first().map(|spec| spec.run).ok_or_else(none);
        };
        if let Some(spec) = specs.iter().find(|spec| spec.subject() == name) {
            return Ok(spec.run);
        }
        let named: Vec<&RunSpec> =
            specs.iter().filter(|spec| spec.run.to_string().contains(&name.to_lowercase())).collect();
        match named.as_slice() {
            [spec] => Ok(spec.run),
            [] if specs.is_empty() => Err(none()),
            [] => Err(AppError::not_found(
                format!("no run or asset matches `{name}`"),
                "`tribunal status` lists the runs of this project",
            )),
            several => Err(AppError::invalid(
                format!("`{name}` matches {} runs", several.len()),
                "use more of the id; `tribunal status` lists the runs",
            )),
        }
    }
}

/// The runs of a project. One that cannot be read hides no other.
#[derive(Debug, Default)]
pub struct RunSurvey {
    /// What they were given, newest first.
    pub specs: Vec<RunSpec>,
    pub unreadable: Vec<UnreadableRun>,
}

/// A run that cannot be read, and why.
#[derive(Debug)]
pub struct UnreadableRun {
    pub run: RunId,
    pub why: AppError,
}

/// The folder of the configuration file that is found from a folder, or else that folder.
fn kept_at(dir: &Path, named: Option<&Path>) -> PathBuf {
    let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    let named = named.and_then(|file| dir.join(file).parent().map(Path::to_owned));
    let nearest = || dir.ancestors().find(|folder| folder.join(FILE_NAME).is_file()).map(Path::to_owned);
    named.or_else(nearest).unwrap_or(dir)
}

/// The text of a blob, if it is there.
pub(crate) async fn text(store: &dyn Backend, digest: Digest) -> Option<String> {
    store.blobs().get(digest).await.ok().map(as_text)
}

/// Bytes as text, whatever is in them.
pub(crate) fn as_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// What others are told about us when we hold a run.
fn command_line() -> String {
    let words: Vec<String> = std::env::args().take(3).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::Silent;
    use tribunal_kernel::spec::Fork;
    use tribunal_kernel::{Round, Time, review};
    use tribunal_store::Layout;

    fn id(number: u128) -> RunId {
        RunId(Uuid::from_u128(number))
    }

    fn spec(project: &Project, number: u128, asset: &str, fork: Option<u128>) -> RunSpec {
        let settings = review::Settings {
            asset: asset.into(),
            max_iterations: 1,
            stop_in_circles: false,
            stop_on_needs_human: false,
            locked: false,
            given: review::ReviewGiven::default(),
        };
        let fork = fork.map(|of| Fork { run: id(of), from: Round(1), origin: id(of) });
        RunSpec { fork, ..RunSpec::new(id(number), project.workspace_name(), Digest::of("a brief"), settings) }
    }

    async fn open(project: &Project, spec: RunSpec, is_indexed: bool) {
        let mut log = project.store.logs().create(spec.run).await.unwrap();
        let opened = Event::RunOpened { spec: Box::new(spec) };
        let entries = log.append(log.seq(), vec![(Time(1), opened)]).await.unwrap();
        if is_indexed {
            let run = Run::fold(&entries).unwrap().unwrap();
            project.store.lists().update(Arc::new(run)).await.unwrap();
        }
    }

    #[tokio::test]
    async fn the_newest_run_is_found_whatever_the_index_knows() {
        let folder = tempfile::tempdir().unwrap();
        let at = ProjectAt { dir: Some(folder.path().to_owned()), ..ProjectAt::default() };
        let project = Project::load(&at, Arc::new(Silent)).unwrap();
        let newest = async |asset: &str| project.newest_on(asset).await.unwrap();

        open(&project, spec(&project, 1, "slug", None), false).await;
        assert_eq!((newest("slug").await, newest("title").await), (Some(id(1)), None), "there is no index");
        assert!(!Layout::new(folder.path()).index().exists(), "whoever looks makes none");
        open(&project, spec(&project, 2, "slug", None), true).await;
        open(&project, spec(&project, 3, "title", None), true).await;
        assert_eq!((newest("slug").await, newest("title").await), (Some(id(2)), Some(id(3))));
        open(&project, spec(&project, 4, "slug", None), false).await;
        assert_eq!(newest("slug").await, Some(id(4)), "the index does not know it yet");

        // Many forks, and a run that it does not know before all others.
        for number in 5..25 {
            open(&project, spec(&project, number, "title", Some(3)), true).await;
        }
        open(&project, spec(&project, 0, "title", None), false).await;
        assert_eq!(newest("title").await, Some(id(3)), "nobody goes on with a fork");

        // A run whose folder is gone is not found, although the index still names it.
        let kept = Layout::new(folder.path());
        std::fs::remove_dir_all(kept.run(id(4))).unwrap();
        std::fs::remove_dir_all(kept.run(id(2))).unwrap();
        assert_eq!(newest("slug").await, Some(id(1)));
        std::fs::write(kept.index(), "no index ".repeat(1000)).unwrap();
        assert_eq!((newest("slug").await, newest("title").await), (Some(id(1)), Some(id(3))), "it is damaged");
    }
}
