//! The folder we are in: configuration, store, index.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use tribunal_config::{Config, Confined, Loaded};
use tribunal_engine::SystemClock;
use tribunal_engine::sandbox::{Finder, Mechanism, Sandbox};
use tribunal_kernel::spec::RunSpec;
use tribunal_kernel::{Digest, Entry, Event, Run, RunId};
use tribunal_store::index::Index;
use tribunal_store::{Backend as _, FileBackend, Layout, blobs};

use crate::args::Global;
use crate::failure::Failure;

/// A project, loaded.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) loaded: Loaded,
    /// The folder of tribunal.toml, where its programs are.
    root: PathBuf,
    pub(crate) store: Arc<FileBackend>,
    pub(crate) clock: Arc<SystemClock>,
    /// Looked for when it is first needed.
    pub(crate) sandbox: Finder,
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
        let store = Arc::new(FileBackend::new(&root).held_for(command_line()));
        let wanted = match loaded.config.run.sandbox {
            Confined::Auto => None,
            Confined::Bubblewrap => Some(Mechanism::Bubblewrap { landlock: false }),
            Confined::Landlock => Some(Mechanism::Landlock),
            Confined::None => Some(Mechanism::Copy),
        };
        let sandbox = Finder::new(std::env::current_exe().ok(), wanted);
        Ok(Self { loaded, root, store, clock: Arc::new(SystemClock), sandbox })
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
        let (root, store) = (self.root.clone(), self.store.clone());
        Self { loaded, root, store, clock: self.clock.clone(), sandbox: self.sandbox.clone() }
    }

    /// The same agents at work in another folder, which keeps its runs for itself.
    pub(crate) fn at(&self, folder: &Path, config: Config) -> Self {
        let mut project = self.with(config);
        folder.clone_into(&mut project.loaded.config.run.workspace);
        project.store = Arc::new(FileBackend::new(folder).held_for(command_line()));
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
        let entries = self.store.logs().read(run).await?;
        let folded = Run::fold(&entries).map_err(tribunal_engine::DriveError::from)?;
        folded.ok_or_else(|| tribunal_engine::DriveError::Empty(run).into())
    }

    /// What every run was given, newest first. A log that cannot be read is skipped with a note: it must not keep the
    /// others from being found.
    pub(crate) async fn specs(&self) -> Result<Vec<RunSpec>, Failure> {
        let mut specs = Vec::new();
        for run in self.store.logs().runs().await?.into_iter().rev() {
            match self.store.logs().first(run).await {
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
        let specs = self.specs().await?;
        let fits = |spec: &&RunSpec| spec.subject() == asset && spec.workspace == workspace && spec.fork.is_none();
        Ok(specs.iter().find(fits).map(|spec| spec.run))
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

    /// The index. It is a view: without it everything works, more slowly.
    pub(crate) fn index(&self) -> Result<Index, Failure> {
        Ok(Index::open(&self.layout().index())?)
    }
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
