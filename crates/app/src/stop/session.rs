//! What was so when an agent's session began, kept where the work is not.
//!
//! Whoever works in a repository can write its books: move the main branch, or what is known of the remote's, so that
//! nothing seems to be changed. So a hook notes at the beginning what the work will be held against, and when the agent says
//! that it is done that counts, whatever git says by then. The first note of a session stays; a later one is none.
//! An agent that may run any command can find the note and change it: that leaves the session without one, which is told.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tribunal_engine::tree::NamedChange;
use tribunal_kernel::Digest;
use tribunal_store::atomic;

use super::{CONFIG, StopEvent};
use crate::error::AppError;
use crate::project::{ProjectAt, SettingText};

/// The form in which it is kept.
const VERSION: u32 = 1;
/// Variables that set something.
const PREFIX: &str = "TRIBUNAL_";
/// A session that is older has ended.
const KEPT: Duration = Duration::from_secs(60 * 24 * 3600);
/// A file of settings that is longer is none.
const LONGEST: u64 = 1 << 20;

/// What was so when a session began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionRecord {
    version: u32,
    /// Where the agent began.
    pub(crate) folder: PathBuf,
    /// The top of the repository that this was in.
    pub(crate) top: Option<PathBuf>,
    /// What the main branch was, or else the commit that was checked out.
    pub(crate) main: Option<String>,
    /// Files of settings outside of the repository, by what was in them.
    settings: BTreeMap<PathBuf, Digest>,
    variables: BTreeMap<String, Digest>,
    /// What the hook itself was told when it first asked.
    #[serde(default)]
    flags: Option<Vec<SettingText>>,
}

impl SessionRecord {
    /// What is so now.
    async fn now(folder: &Path) -> Self {
        let top = NamedChange::top(folder).await;
        let main = match &top {
            Some(top) => NamedChange::held_against(top).await,
            None => None,
        };
        Self {
            version: VERSION,
            settings: settings(folder, top.as_deref()),
            folder: folder.to_owned(),
            top,
            main,
            variables: variables(std::env::vars_os()),
            flags: None,
        }
    }

    /// Notes what is so now, unless there is a note of this session. Whether it is a new one.
    pub(crate) async fn note(folder: &Path, event: &StopEvent) -> Result<bool, AppError> {
        let Some(path) = path(event) else { return Ok(false) };
        match Self::at(&path) {
            // Its folder is gone: that was another session with the same name.
            Some(record) if !record.folder.is_dir() => drop(fs::remove_file(&path)),
            Some(_) => return Ok(false),
            None => {}
        }
        let record = Self::now(folder).await;
        let cannot = |error| AppError::environment(format!("cannot write {}: {error}", path.display()), None);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(cannot)?;
            forget(parent);
        }
        let text = serde_json::to_vec(&record).map_err(|error| cannot(error.into()))?;
        match fs::OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => file.write_all(&text).map(|()| true).map_err(cannot),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(cannot(error)),
        }
    }

    /// The note of a session, if there is one that can be read.
    pub(crate) fn of(event: &StopEvent) -> Option<Self> {
        Self::at(&path(event)?).filter(|record| record.folder.is_dir())
    }

    fn at(path: &Path) -> Option<Self> {
        let record: Self = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        (record.version == VERSION).then_some(record)
    }

    /// What is otherwise than it was and decides how the work is judged, in words for the agent. Nothing: all is as it was.
    pub(crate) async fn otherwise(&self) -> Option<String> {
        if let Some(top) = &self.top
            && NamedChange::top(&self.folder).await.as_ref() != Some(top)
        {
            return Some(format!(
                "there was a git repository in {} when this session began, and git does not see it now",
                top.display()
            ));
        }
        let now = settings(&self.folder, self.top.as_deref());
        let paths = self.settings.keys().chain(now.keys());
        if let Some(path) = paths.into_iter().find(|path| self.settings.get(*path) != now.get(*path)) {
            return Some(format!(
                "{} is changed since this session began, and it says how changes are judged",
                path.display()
            ));
        }
        let now = variables(std::env::vars_os());
        let names = self.variables.keys().chain(now.keys());
        let name = names.into_iter().find(|name| self.variables.get(*name) != now.get(*name))?;
        Some(format!(
            "the variable {name} is not what it was when this session began, and it says how changes are judged"
        ))
    }

    /// Whether the hook asks with other flags than at first: they are in a file that the agent can write.
    pub(crate) fn asked_otherwise(&self, event: &StopEvent, at: &ProjectAt, more: &[SettingText]) -> Option<String> {
        let config = at.config.iter().map(|file| ("--config".to_owned(), file.display().to_string()));
        let flags: Vec<SettingText> = config.chain(at.settings.iter().cloned()).chain(more.iter().cloned()).collect();
        match &self.flags {
            Some(before) if *before == flags => None,
            Some(_) => Some(
                "the hook has other flags than when this session began, and they say how changes are judged".into(),
            ),
            None => {
                let noted = Self { flags: Some(flags), ..self.clone() };
                if let (Some(path), Ok(text)) = (path(event), serde_json::to_vec(&noted)) {
                    let _ = atomic::write(&path, &text);
                }
                None
            }
        }
    }
}

/// Files of settings on the way up from a folder that are outside of its repository, and the user's own.
fn settings(folder: &Path, top: Option<&Path>) -> BTreeMap<PathBuf, Digest> {
    let above = folder.ancestors().filter(|folder| top.is_none_or(|top| !folder.starts_with(top)));
    let prices = tribunal_config::user_prices(std::env::vars_os());
    let own = prices.iter().map(|path| path.with_file_name("config.toml")).chain(prices.clone());
    let files = above.map(|folder| folder.join(CONFIG)).chain(own);
    files.filter_map(|file| Some((digest(&file)?, file))).map(|(digest, file)| (file, digest)).collect()
}

fn digest(file: &Path) -> Option<Digest> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    fs::File::open(file).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
    Some(Digest::of(bytes))
}

fn variables(all: impl Iterator<Item = (OsString, OsString)>) -> BTreeMap<String, Digest> {
    let texts = all.filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into_owned())));
    texts.filter(|(name, _)| name.starts_with(PREFIX)).map(|(name, value)| (name, Digest::of(value))).collect()
}

/// Where the note of a session is kept: with the user's other state, outside of every project. None without a session.
fn path(event: &StopEvent) -> Option<PathBuf> {
    if event.session.is_empty() {
        return None;
    }
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
    let name = Digest::of(format!("{}\n{}", event.agent, event.session));
    Some(state.join("tribunal/sessions").join(format!("{name}.json")))
}

/// Removes notes of sessions that ended long ago.
fn forget(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|it| it.modified()).ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| KEPT < age) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_variables_that_set_something_are_noted() {
        let all = [("TRIBUNAL_LIMITS_USD", "2"), ("PATH", "/bin")].map(|(name, value)| (name.into(), value.into()));
        assert_eq!(variables(all.into_iter()).keys().collect::<Vec<_>>(), ["TRIBUNAL_LIMITS_USD"]);
    }

    #[test]
    fn settings_above_the_repository_are_noted_and_those_in_it_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (top, sub) = (root.join("repo"), root.join("repo/sub"));
        fs::create_dir_all(&sub).unwrap();
        for folder in [&root, &top, &sub] {
            fs::write(folder.join(CONFIG), "").unwrap();
        }
        let noted = settings(&sub, Some(&top));
        assert!(noted.contains_key(&root.join(CONFIG)));
        assert!(!noted.contains_key(&top.join(CONFIG)) && !noted.contains_key(&sub.join(CONFIG)));
    }
}
