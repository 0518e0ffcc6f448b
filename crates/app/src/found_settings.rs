//! The settings of a judgement: as the change found them. Whoever is judged says neither by what, nor which programs run here.
//!
//! A configuration file in the repository counts as it is at the change's base, wherever the change moved it, whatever it made
//! of it, and also where it put one that was not there. The user's own configuration, flags and variables count as ever, and
//! so does a file that is no part of the repository. What the file says otherwise now is told, and recorded.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use tribunal_config::{FILE_NAME, KeyReach, Loaded, Origin, reach_of};
use tribunal_engine::tree::{FoundFile, NamedChange, TreeError};
use tribunal_kernel::RunSpec;
use tribunal_kernel::judge::judge_of;

use crate::console::{Console, Silent};
use crate::error::AppError;
use crate::project::{GivenFile, Project, ProjectAt};

/// The variable that names a change, as the flag does.
const RANGE_VARIABLE: &str = "TRIBUNAL_JUDGE_RANGE";
const RANGE: &str = "judge.range";
const CHECKS: &str = "judge.checks";
const MAY_CHANGE: &str = "judge.may_change";
/// So many keys are named.
const NAMED: usize = 6;

/// A file of settings, and its text.
type SettingsFile = Option<(PathBuf, String)>;

/// What the file of settings says now, and did not say before the change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Unheeded {
    /// Keys that matter to a judgement.
    pub(crate) keys: Vec<String>,
    /// Commands that were not among the checks.
    pub(crate) new_checks: Vec<String>,
    /// Files that it would have been let alter.
    pub(crate) new_may_change: Vec<String>,
}

impl Unheeded {
    /// What cannot be compared may be anything.
    pub(crate) fn everything() -> Self {
        Self { keys: vec!["everything".into()], ..Self::default() }
    }
}

/// The project as the base of the change that is to be judged configures it.
pub(crate) async fn found_project(at: &ProjectAt, console: Arc<dyn Console>) -> Result<Project, AppError> {
    let Some(place) = Place::of(at).await else { return Project::load(at, console) };
    let asked = range_asked(at);
    let change = match change_of(at, &place.top, asked.as_deref()).await {
        Ok(change) => change,
        // Nothing is committed, so nothing was there before.
        Err(TreeError::NoCommitYet) => return Project::load(at, console),
        // The names may be those of the repository that is worked in, if that is another one.
        Err(error) => change_of(at, &place.top, None).await.map_err(|_| no_change(error))?,
    };
    let file = place.file(at, &change).await?;
    let first = Project::load(&given(at, file.clone()), Arc::new(Silent))?;
    // What was found may itself say which change is meant, and where.
    let (range, workspace) = (first.config().judge.range.clone(), first.workspace());
    let file = if workspace.starts_with(&place.top) {
        let change = change_of(at, &workspace, range.as_deref()).await.map_err(no_change)?;
        place.file(at, &change).await?
    } else {
        file
    };
    let mut project = Project::load(&given(at, file), console)?;
    project.loaded.config.judge.range = range;
    let unheeded = unheeded(&project, at);
    tell(&project, &unheeded, at);
    Ok(project.beside(unheeded))
}

/// The same for a judgement that goes on: its base is known.
pub(crate) async fn of_run(project: &Project, spec: &RunSpec) -> Result<Project, AppError> {
    let plain = || Ok(project.clone());
    let Some(settings) = judge_of(spec).filter(|settings| !settings.as_changed) else { return plain() };
    let at = project.came_from();
    if at.given.is_some() {
        return plain();
    }
    let Some(place) = Place::of(at).await else { return plain() };
    if !project.folder_of(spec).starts_with(&place.top) {
        return plain();
    }
    let (name, base, head) = (settings.name.clone(), settings.base.clone(), settings.head.clone());
    let file = place.file(at, &NamedChange { name, base, head }).await?;
    Ok(Project::load(&given(at, file), project.console.clone())?.keeping_store_of(project))
}

/// The change that is meant: against what was noted when a session began, if one is judged.
pub(crate) async fn change_of(at: &ProjectAt, folder: &Path, range: Option<&str>) -> Result<NamedChange, TreeError> {
    let aside = [tribunal_store::FOLDER];
    match &at.since {
        Some(main) => NamedChange::since(folder, main, &aside).await,
        None => NamedChange::of(folder, range, &aside).await,
    }
}

/// What is wrong with the change that somebody named.
pub(crate) fn no_change(error: TreeError) -> AppError {
    match error {
        TreeError::NoCommit { name } => AppError::invalid(
            format!("there is no commit `{name}` here"),
            "name commits or branches of this repository: `tribunal judge main..feature`",
        ),
        error => AppError::invalid(error.to_string(), error.hint()),
    }
}

fn given(at: &ProjectAt, file: SettingsFile) -> ProjectAt {
    ProjectAt { given: Some(GivenFile(file)), ..at.clone() }
}

/// The change that whoever asks names: nothing of a file counts here.
fn range_asked(at: &ProjectAt) -> Option<String> {
    let flag = at.settings.iter().rev().find(|(key, _)| key == RANGE).map(|(_, range)| range.clone());
    flag.or_else(|| std::env::var(RANGE_VARIABLE).ok())
}

/// Where we stand in a repository, with no link on the way.
struct Place {
    dir: PathBuf,
    top: PathBuf,
}

impl Place {
    async fn of(at: &ProjectAt) -> Option<Self> {
        let dir = at.dir().ok()?.canonicalize().ok()?;
        let top = NamedChange::top(&dir).await?;
        Some(Self { dir, top })
    }

    /// The file that counts: the named one, or the nearest one on the way up, as the change found it.
    async fn file(&self, at: &ProjectAt, change: &NamedChange) -> Result<SettingsFile, AppError> {
        if let Some(named) = &at.config {
            let path = plain(&self.dir.join(named));
            return match self.found(&path, change).await? {
                Some(file) => Ok(Some(file)),
                None if self.is_of_change(&path, change).await => Err(AppError::conflict(
                    format!("{} is part of the change, and says how changes are judged", named.display()),
                    "use a file that is there without the change; `--use-changed-config` takes this one",
                )),
                None => Ok(Some((path.clone(), read(&path)?))),
            };
        }
        for folder in self.dir.ancestors() {
            let path = folder.join(FILE_NAME);
            if let Some(file) = self.found(&path, change).await? {
                return Ok(Some(file));
            }
            if path.is_file() && !self.is_of_change(&path, change).await {
                let text = read(&path)?;
                return Ok(Some((path, text)));
            }
        }
        Ok(None)
    }

    /// A file as it is at the base of the change, if it was there.
    async fn found(&self, path: &Path, change: &NamedChange) -> Result<SettingsFile, AppError> {
        let Some(inner) = self.inner(path) else { return Ok(None) };
        let found = change.found(&self.top, &inner).await;
        match found.map_err(|error| AppError::environment(error.to_string(), Some(error.hint())))? {
            FoundFile::Missing => Ok(None),
            FoundFile::Text(text) => Ok(Some((path.to_owned(), text))),
            FoundFile::Outside(place) => Ok(Some((path.to_owned(), read(&place)?))),
        }
    }

    /// Whether a file that was not there before the change may come from it. What cannot be told may.
    async fn is_of_change(&self, path: &Path, change: &NamedChange) -> bool {
        let Some(inner) = self.inner(path) else { return false };
        let is_left = change.leaves(&self.top, &inner).await.unwrap_or(true);
        is_left || NamedChange::is_committed(&self.top, &inner).await.unwrap_or(true)
    }

    fn inner(&self, path: &Path) -> Option<String> {
        Some(path.strip_prefix(&self.top).ok()?.to_string_lossy().into_owned())
    }
}

fn read(path: &Path) -> Result<String, AppError> {
    let cannot = |error| AppError::environment(format!("cannot read `{}`: {error}", path.display()), None);
    std::fs::read_to_string(path).map_err(cannot)
}

/// Without `.` and `..`.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// What the file that is there now would have said otherwise.
pub(crate) fn unheeded(project: &Project, at: &ProjectAt) -> Unheeded {
    let now = Project::load(&ProjectAt { given: None, ..at.clone() }, Arc::new(Silent));
    let Ok(now) = now else { return Unheeded::everything() };
    let before = &project.loaded;
    let mut keys: Vec<(KeyReach, String)> = [(&now.loaded, before), (before, &now.loaded)]
        .into_iter()
        .flat_map(|(one, other)| differing(one, other))
        .map(|key| (reach_of(&key), key))
        .filter(|(reach, _)| *reach != KeyReach::Elsewhere)
        .collect();
    keys.sort();
    keys.dedup();
    let (had, has) = (&before.config.judge, &now.config().judge);
    let new = |key: &str, had: &[String], has: &[String]| -> Vec<String> {
        let is_of_file = now.loaded.settings.iter().any(|it| it.key == key && is_file(&it.origin));
        has.iter().filter(|item| is_of_file && !had.contains(item)).cloned().collect()
    };
    Unheeded {
        keys: keys.into_iter().map(|(_, key)| key).collect(),
        new_checks: new(CHECKS, &had.checks, &has.checks),
        new_may_change: new(MAY_CHANGE, &had.may_change, &has.may_change),
    }
}

/// Keys that a file gives a value that the other one does not.
fn differing(one: &Loaded, other: &Loaded) -> Vec<String> {
    let value = |key: &str| other.settings.iter().find(|it| it.key == key).map(|it| &it.value);
    let own = one.settings.iter().filter(|it| is_file(&it.origin) && value(&it.key) != Some(&it.value));
    own.map(|it| it.key.clone()).collect()
}

fn is_file(origin: &Origin) -> bool {
    matches!(origin, Origin::Project(_))
}

fn tell(project: &Project, unheeded: &Unheeded, at: &ProjectAt) {
    let console = &project.console;
    let file = at.config.as_ref().map_or_else(|| FILE_NAME.to_owned(), |file| file.display().to_string());
    if !unheeded.new_checks.is_empty() {
        console.note(&format!(
            "`{CHECKS}` of {file} is part of the change, so what was run before is run, too; to choose yourself, use `--check`"
        ));
    }
    if !unheeded.new_may_change.is_empty() {
        console.note(&format!(
            "`{MAY_CHANGE}` of {file} is part of the change and allows nothing: {}; say it yourself with `--may-change`",
            unheeded.new_may_change.join(", ")
        ));
    }
    let is_told = |key: &str| key == CHECKS || (key == MAY_CHANGE && !unheeded.new_may_change.is_empty());
    let keys: Vec<&String> = unheeded.keys.iter().filter(|key| !is_told(key)).collect();
    if !keys.is_empty() {
        let named = keys.iter().take(NAMED).map(|key| format!("`{key}` ({})", reach_of(key).told()));
        let more = keys.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        console.note(&format!(
            "{file} counts as it was before the change; what it says now does not: {}{more}. `--use-changed-config` takes it as \
             it is, with the programs that it names",
            named.collect::<Vec<_>>().join(", ")
        ));
    }
}
