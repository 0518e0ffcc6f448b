//! The folder we are in: configuration, store, index.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tribunal_config::{Config, Confined, Loaded};
use tribunal_engine::SystemClock;
use tribunal_engine::sandbox::{Finder, Mechanism, Sandbox};
use tribunal_kernel::spec::RunSpec;
use tribunal_kernel::{Digest, Entry, Event, Run, RunId};
use tribunal_store::index::{Filter, KeptIndex};
use tribunal_store::{FileStore, Layout, Store as _, blobs};

use crate::args::Global;
use crate::failure::Failure;

/// So many runs on an asset are asked for at once. All but the first are looked at only if those before are forks.
const HINTS: usize = 16;

/// A project, loaded.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) loaded: Loaded,
    /// The folder of tribunal.toml, where its programs are.
    root: PathBuf,
    pub(crate) store: Arc<FileStore>,
    pub(crate) clock: Arc<SystemClock>,
    /// Looked for when it is first needed.
    pub(crate) sandbox: Finder,
    /// A view: without it everything works, more slowly.
    pub(crate) index: Arc<KeptIndex>,
}

impl Project {
    /// Loads the configuration; `settings` are flags of the command on top of `--set`.
    pub(crate) fn load(global: &Global, settings: Vec<(String, String)>) -> Result<Self, Failure> {
        let dir = match &global.dir {
            Some(dir) if dir.is_dir() => dir.clone(),
            Some(dir) => {
                return Err(Failure::usage(
                    format!("there is no folder {}", dir.display()),
                    "`tribunal init DIR` starts a project in a new one",
                ));
            }
            None => std::env::current_dir()
                .map_err(|error| Failure::environment(format!("cannot tell the current folder: {error}"), None))?,
        };
        let mut flags = global.set.clone();
        flags.extend(settings);
        let sources = tribunal_config::discover(&dir, global.config.as_deref(), std::env::vars_os(), flags)?;
        let loaded = tribunal_config::load(&sources)?;
        for note in &loaded.notes {
            eprintln!("note: {note}");
        }
        let root = std::path::absolute(&loaded.dir).unwrap_or_else(|_| loaded.dir.clone());
        let store = Arc::new(FileStore::new(&root).held_for(command_line()));
        let wanted = match loaded.config.run.sandbox {
            Confined::Auto => None,
            Confined::Bubblewrap => Some(Mechanism::Bubblewrap { landlock: false }),
            Confined::Landlock => Some(Mechanism::Landlock),
            Confined::None => Some(Mechanism::Copy),
        };
        let sandbox = Finder::new(std::env::current_exe().ok(), wanted);
        let index = Arc::new(KeptIndex::new(store.layout().index()));
        Ok(Self { loaded, root, store, clock: Arc::new(SystemClock), sandbox, index })
    }

    pub(crate) fn config(&self) -> &Config {
        &self.loaded.config
    }

    /// What confines processes here.
    pub(crate) async fn sandbox(&self) -> Result<&Sandbox, Failure> {
        let found = self.sandbox.get().await;
        found.map_err(|error| Failure::usage(error.to_string(), error.hint()))
    }

    pub(crate) fn layout(&self) -> &Layout {
        self.store.layout()
    }

    /// The folder of tribunal.toml.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The same agents under another configuration.
    pub(crate) fn with(&self, config: Config) -> Self {
        let loaded = Loaded { config, ..self.loaded.clone() };
        let (root, store, index) = (self.root.clone(), self.store.clone(), self.index.clone());
        Self { loaded, root, store, clock: self.clock.clone(), sandbox: self.sandbox.clone(), index }
    }

    /// The same agents at work in another folder, which keeps its runs for itself.
    pub(crate) fn at(&self, folder: &Path, config: Config) -> Self {
        let mut project = self.with(config);
        folder.clone_into(&mut project.loaded.config.run.workspace);
        project.store = Arc::new(FileStore::new(folder).held_for(command_line()));
        project.index = Arc::new(KeptIndex::new(project.layout().index()));
        project
    }

    /// The folder that the work belongs to, as runs name it.
    pub(crate) fn workspace(&self) -> PathBuf {
        let workspace = self.root().join(&self.config().run.workspace);
        workspace.canonicalize().unwrap_or(workspace)
    }

    /// The text of a blob, if it is there.
    pub(crate) fn text(&self, digest: Digest) -> Option<String> {
        text(self.layout(), digest)
    }

    /// A run, folded.
    pub(crate) async fn read(&self, run: RunId) -> Result<Run, Failure> {
        let entries = self.store.read(run).await?;
        let folded = Run::fold(&entries).map_err(tribunal_engine::DriveError::from)?;
        folded.ok_or_else(|| tribunal_engine::DriveError::Empty(run).into())
    }

    /// What every run was given, newest first. A log that cannot be read is skipped with a note: it must not keep the
    /// others from being found.
    pub(crate) async fn specs(&self) -> Result<Vec<RunSpec>, Failure> {
        let mut specs = Vec::new();
        for run in self.store.runs().await?.into_iter().rev() {
            match self.store.first(run).await {
                Ok(Some(Entry { event: Event::RunOpened { spec }, .. })) => specs.push(*spec),
                Ok(_) => {}
                Err(error) => eprintln!("note: {error}"),
            }
        }
        Ok(specs)
    }

    /// The newest run on an asset of this workspace. Forks are variations, and nobody goes on with them unasked.
    pub(crate) async fn newest_on(&self, asset: &str) -> Result<Option<RunId>, Failure> {
        let workspace = self.workspace().display().to_string();
        let fits = |spec: &RunSpec| spec.subject() == asset && spec.workspace == workspace && spec.fork.is_none();
        let mut runs = self.store.runs().await?;
        runs.reverse();
        if let Some(Hint { named, unknown }) = self.hint(asset, &workspace, &runs).await {
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
            match self.store.first(run).await {
                Ok(Some(Entry { event: Event::RunOpened { spec }, .. })) if fits(&spec) => return Some(run),
                Ok(_) => {}
                Err(error) => eprintln!("note: {error}"),
            }
        }
        None
    }

    /// What the index says of the runs on an asset, if there is one. It spares us the logs of all the others: what a run
    /// is about never changes. What it names is still verified, and what it does not know is read.
    async fn hint(&self, asset: &str, workspace: &str, runs: &[RunId]) -> Option<Hint> {
        let (index, runs) = (self.index.clone(), runs.to_vec());
        let path = self.layout().index();
        let (subject, workspace) = (Some(asset.to_owned()), Some(workspace.to_owned()));
        let limit = u32::try_from(HINTS).expect("a handful");
        let filter = Filter { subject, workspace, limit, ..Filter::default() };
        let asked = tokio::task::spawn_blocking(move || {
            // Whoever only looks makes none.
            path.is_file().then(|| index.with(|index| Ok((index.runs(&filter)?, index.missing(runs)?))))?.ok()
        });
        let (rows, missing) = asked.await.ok().flatten()?;
        Some(Hint { named: rows.iter().map(|row| row.run).collect(), unknown: missing.into_iter().collect() })
    }

    /// The run that somebody named: by its id, a part of it, or its asset. Nothing: the newest.
    pub(crate) async fn find(&self, name: Option<&str>) -> Result<RunId, Failure> {
        let specs = self.specs().await?;
        let none = || Failure::usage("there are no runs here", "`tribunal run` starts one; `-C DIR` looks elsewhere");
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
            [] => Err(Failure::usage(
                format!("there is no run or asset `{name}`"),
                "`tribunal status` lists the runs of this project",
            )),
            several => Err(Failure::usage(
                format!("`{name}` fits {} runs", several.len()),
                "give more of the id; `tribunal status` lists them",
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
pub(crate) fn text(layout: &Layout, digest: Digest) -> Option<String> {
    let bytes = blobs::get(layout, digest).ok()?;
    Some(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// What others are told about us when we hold a run.
fn command_line() -> String {
    let words: Vec<String> = std::env::args().take(3).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_kernel::spec::{Fork, LoopSettings};
    use tribunal_kernel::{Round, Time, review};
    use tribunal_store::Log as _;
    use uuid::Uuid;

    fn id(number: u128) -> RunId {
        RunId(Uuid::from_u128(number))
    }

    fn spec(project: &Project, number: u128, asset: &str, fork: Option<u128>) -> RunSpec {
        let settings = review::Settings {
            asset: asset.into(),
            max_iterations: 1,
            stop_on_needs_human: false,
            locked: false,
            given: review::Given::default(),
        };
        let (workspace, settings) = (project.workspace(), LoopSettings::Review { review: Box::new(settings) });
        let fork = fork.map(|of| Fork { run: id(of), from: Round(1), origin: id(of) });
        RunSpec { fork, ..RunSpec::new(id(number), workspace.display().to_string(), Digest::of("a brief"), settings) }
    }

    async fn open(project: &Project, spec: RunSpec, is_indexed: bool) {
        let mut log = project.store.create(spec.run).await.unwrap();
        let opened = Event::RunOpened { spec: Box::new(spec) };
        let entries = log.append(log.seq(), vec![(Time(1), opened)]).await.unwrap();
        if is_indexed {
            let run = Run::fold(&entries).unwrap().unwrap();
            project.index.with(|index| index.update(&run)).unwrap();
        }
    }

    #[tokio::test]
    async fn the_newest_run_is_found_whatever_the_index_knows() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Some(folder.path().to_owned());
        let global = Global { dir, config: None, set: Vec::new(), json: false, verbose: false };
        let project = Project::load(&global, Vec::new()).unwrap();
        let newest = async |asset: &str| project.newest_on(asset).await.unwrap();

        open(&project, spec(&project, 1, "slug", None), false).await;
        assert_eq!((newest("slug").await, newest("title").await), (Some(id(1)), None), "there is no index");
        assert!(!project.layout().index().exists(), "whoever looks makes none");
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
        std::fs::remove_dir_all(project.layout().run(id(4))).unwrap();
        std::fs::remove_dir_all(project.layout().run(id(2))).unwrap();
        assert_eq!(newest("slug").await, Some(id(1)));
        std::fs::write(project.layout().index(), "no index ".repeat(1000)).unwrap();
        assert_eq!((newest("slug").await, newest("title").await), (Some(id(1)), Some(id(3))), "it is damaged");
    }
}
