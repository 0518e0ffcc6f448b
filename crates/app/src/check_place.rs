//! Where checks run: folders of the user's cache, and what is brought there.

use std::path::{Path, PathBuf};
use std::time::Duration;
use tribunal_agents::Environment;
use tribunal_engine::evidence::CheckHome;
use tribunal_engine::sandbox::{closed_at_home, closed_in_project};
use tribunal_kernel::{Digest, RunId};
use tribunal_store::backend::ScratchFolder;

use crate::project::Project;

/// Folders that git ignores and checks often need.
const CARRIED: [&str; 2] = ["node_modules", ".venv"];

/// A folder that nobody touched for so long belongs to nobody.
const LEFT_AFTER: Duration = Duration::from_secs(7 * 24 * 3600);

/// Where checkouts of a run are put: outside of the project, so that no tool that walks up finds it.
pub(crate) fn checkouts(run: RunId) -> PathBuf {
    cache().join("evidence").join(run.to_string())
}

/// An empty folder outside of every project, for command lines that judge a change: what lies where they start steers them.
pub(crate) fn apart(run: RunId) -> std::io::Result<PathBuf> {
    let all = cache().join("verifiers");
    for left in std::fs::read_dir(&all).into_iter().flatten().flatten() {
        let age = left.metadata().and_then(|it| it.modified()).ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| LEFT_AFTER < age) {
            let _ = std::fs::remove_dir_all(left.path());
        }
    }
    let own = all.join(run.to_string());
    std::fs::create_dir_all(&own)?;
    Ok(own)
}

/// The home that checks of a project have. What `setup` makes is kept for the next run.
pub(crate) fn check_home(project: &Path, environment: &Environment, setup: &[String]) -> Option<CheckHome> {
    let project = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    let name: String = Digest::of(project.to_string_lossy().as_bytes()).to_string().chars().take(16).collect();
    CheckHome::new(environment, cache(), name, setup.to_vec())
}

/// Folders that checks need and git does not have, each with where it is. By default those that are often needed, unless
/// `setup` makes them.
pub(crate) fn carried(project: &Path, named: &[String], setup: &[String]) -> Vec<(PathBuf, String)> {
    let usual = if setup.is_empty() { CARRIED.map(str::to_owned).to_vec() } else { Vec::new() };
    let names = if named.is_empty() { usual } else { named.to_vec() };
    carried_as(project, &names)
}

/// Those of these folders that are there.
pub(crate) fn carried_as(project: &Path, names: &[String]) -> Vec<(PathBuf, String)> {
    names.iter().map(|name| (project.join(name), name.clone())).filter(|(path, _)| path.is_dir()).collect()
}

fn cache() -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache"));
    cache.or_else(home).unwrap_or_else(std::env::temp_dir).join("tribunal")
}

/// What worker and verifier of a run must not see: secrets of the user's, the project's `.env` files, and other runs.
pub(crate) fn closed_to_agents(project: &Project, workspace: &Path, run: RunId) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let mut closed: Vec<PathBuf> = home.iter().flat_map(|home| closed_at_home(home)).collect();
    closed.extend(closed_in_project(workspace));
    let scratch = project.store.scratch();
    let own = scratch.path(&ScratchFolder::Trees(run));
    let others = own.parent().and_then(|trees| std::fs::read_dir(trees).ok()).into_iter().flatten().flatten();
    // Logs, its own among them: they say what checks draw from, and what others answered.
    let logs = own.parent().and_then(Path::parent).map(|store| store.join("runs"));
    closed.extend(logs.and_then(|logs| logs.canonicalize().ok()));
    closed.extend(
        others.map(|entry| entry.path()).filter(|path| *path != own).filter_map(|path| path.canonicalize().ok()),
    );
    closed
}
