//! The folder we are in: configuration, store, index.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tribunal_config::{Config, Confined, Loaded, PriceTable};
use tribunal_engine::SystemClock;
use tribunal_engine::sandbox::{Finder, Mechanism, Sandbox};
use tribunal_kernel::spec::AgentDefinition;
use tribunal_kernel::spec::RunSpec;
use tribunal_kernel::{Digest, Entry, Event, Run, RunId};
use tribunal_store::backend::ScratchFolder;
use tribunal_store::index::RunFilter;
use tribunal_store::{Backend, FileBackend, relative};

use crate::console::Console;
use crate::error::AppError;
use crate::place;
use crate::prices;

/// So many runs on an asset are asked for at once. All but the first are looked at only if those before are forks.
const HINTS: usize = 16;

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
}

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
    /// Who looks on.
    pub console: Arc<dyn Console>,
    /// The user's own table of prices.
    user_prices: Option<Arc<PriceTable>>,
}

impl ProjectAt {
    /// The same with more settings, each stronger than those before it.
    pub fn with(&self, more: impl IntoIterator<Item = SettingText>) -> Self {
        let mut at = self.clone();
        at.settings.extend(more);
        at
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
        let sources = tribunal_config::discover(&dir, at.config.as_deref(), std::env::vars_os(), settings)?;
        let loaded = tribunal_config::load(&sources)?;
        for note in &loaded.notes {
            console.note(note);
        }
        let root = std::path::absolute(&loaded.dir).unwrap_or_else(|_| loaded.dir.clone());
        // With no link on the way: SQLite follows none.
        let home = root.canonicalize().unwrap_or_else(|_| root.clone());
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
            console,
            user_prices: prices::user_table()?,
        })
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

    /// What every run was given, newest first. A log that cannot be read is skipped with a note: it must not keep the
    /// others from being found.
    pub async fn specs(&self) -> Result<Vec<RunSpec>, AppError> {
        let mut specs = Vec::new();
        for run in self.store.logs().runs().await?.into_iter().rev() {
            match self.store.logs().first(run).await {
                Ok(Some(Entry { event: Event::RunOpened { spec }, .. })) => specs.push(*spec),
                Ok(_) => {}
                Err(error) => self.console.note(&error.to_string()),
            }
        }
        Ok(specs)
    }

    /// The newest run on an asset of this workspace. Forks are variations, and nobody goes on with them unasked.
    pub async fn newest_on(&self, asset: &str) -> Result<Option<RunId>, AppError> {
        let workspace = self.workspace();
        let fits = |spec: &RunSpec| spec.subject() == asset && spec.fork.is_none() && self.folder_of(spec) == workspace;
        let mut runs = self.store.logs().runs().await?;
        runs.reverse();
        if let Some(Hint { named, unknown }) = self.hint(asset, &runs).await {
            let maybe = runs.iter().copied().filter(|run| named.contains(run) || unknown.contains(run));
            let found = self.first_that(maybe, fits).await;
            // Behind a page that is full there may be more of them, and newer ones than what was found.
            let is_sure = named.len() < HINTS || found.zip(named.first()).is_some_and(|(found, last)| found >= *last);
            if is_sure {
                return Ok(found);
            }
        }
        Ok(self.first_that(runs.into_iter(), fits).await)
    }

    /// The first of these runs whose spec fits. A log that cannot be read is skipped with a note.
    async fn first_that(&self, runs: impl Iterator<Item = RunId>, fits: impl Fn(&RunSpec) -> bool) -> Option<RunId> {
        for run in runs {
            match self.store.logs().first(run).await {
                Ok(Some(Entry { event: Event::RunOpened { spec }, .. })) if fits(&spec) => return Some(run),
                Ok(_) => {}
                Err(error) => self.console.note(&error.to_string()),
            }
        }
        None
    }

    /// What the lists say of the runs on an asset, if they can be read. It spares us the logs of all the others: what a run
    /// is about never changes. What it names is still verified, and what it does not know is read.
    async fn hint(&self, asset: &str, runs: &[RunId]) -> Option<Hint> {
        let limit = u32::try_from(HINTS).expect("a handful");
        let filter = RunFilter { subject: Some(asset.to_owned()), limit, ..RunFilter::default() };
        // In this order: a run that is listed in between is in both, and never in neither.
        let unknown = self.store.lists().unknown(runs.to_vec()).await.ok()?;
        let rows = self.store.lists().runs(filter).await.ok()?;
        Some(Hint { named: rows.iter().map(|row| row.run).collect(), unknown: unknown.into_iter().collect() })
    }

    /// The run that somebody named: by its id, a part of it, or its asset. Nothing: the newest.
    pub async fn find(&self, name: Option<&str>) -> Result<RunId, AppError> {
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

/// What the index knows of the runs on an asset.
struct Hint {
    /// The newest of them.
    named: BTreeSet<RunId>,
    /// Runs that it does not know.
    unknown: BTreeSet<RunId>,
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
    use uuid::Uuid;

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

        // More forks than the index is asked for, and a run that it does not know before all others.
        for number in 5..6 + HINTS as u128 {
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
