//! Node and npm: whether they are there, and the packages of a folder.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

const LOCK: &str = "package-lock.json";
/// What npm writes when it has installed everything.
const INSTALLED: &str = "node_modules/.package-lock.json";

/// Packages as npm writes them down.
#[derive(Debug, Default, Deserialize)]
struct Packages {
    packages: BTreeMap<String, Package>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Package {
    version: Option<String>,
    /// For another system: not installed on this one.
    #[serde(default)]
    optional: bool,
}

/// What of them is not there.
pub(crate) fn missing() -> Option<String> {
    let missing = ["node", "npm"].into_iter().find(|program| !answers(program))?;
    Some(format!("no {missing} on PATH"))
}

/// Whether a program is there and starts.
pub(crate) fn answers(program: &str) -> bool {
    let mut ask = Command::new(program);
    ask.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    ask.status().is_ok_and(|status| status.success())
}

/// Whether everything is checked for good: there a step that is left out would look like one that passed.
pub(crate) fn is_strict() -> bool {
    env::var_os("CI").is_some_and(|value| !value.is_empty())
}

/// Node with the packages of `folder`, or what keeps us from having it. Without a network that is nobody's fault,
/// except where everything is checked for good.
pub(crate) fn ready(folder: &Path) -> Result<Result<(), String>> {
    let missing = match missing() {
        Some(missing) => missing,
        None => match install(folder) {
            Ok(()) => return Ok(Ok(())),
            Err(error) => format!("{error:#}"),
        },
    };
    if is_strict() {
        bail!("{missing}");
    }
    Ok(Err(missing))
}

/// Installs what the lock file says, unless it is installed.
pub(crate) fn install(folder: &Path) -> Result<()> {
    install_with(folder, &[])
}

/// The same, with more to say to npm.
pub(crate) fn install_with(folder: &Path, words: &[&str]) -> Result<()> {
    let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_default();
    if is_installed(&read(LOCK), &read(INSTALLED)) {
        return Ok(());
    }
    let mut npm = Command::new("npm");
    // Not `ci`: it wants packages of every platform in the lock file, and not every registry has them.
    npm.args(["install", "--no-save", "--no-audit", "--no-fund", "--silent"]).args(words).current_dir(folder);
    // stdout carries what we have to say.
    let status = npm.stdin(Stdio::null()).stdout(Stdio::null()).status().context("cannot start npm")?;
    if !status.success() {
        bail!("`npm install` in {} ended with {status}", folder.display());
    }
    Ok(())
}

/// Whether everything is there that the lock file wants on every system, and nothing in another version.
fn is_installed(lock: &str, installed: &str) -> bool {
    let (Ok(lock), Ok(installed)) =
        (serde_json::from_str::<Packages>(lock), serde_json::from_str::<Packages>(installed))
    else {
        return false;
    };
    lock.packages.iter().filter(|(name, _)| !name.is_empty()).all(|(name, wanted)| {
        installed.packages.get(name).map_or(wanted.optional, |there| there.version == wanted.version)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_installed_is_compared_by_version() {
        let lock = r#"{"packages": {
            "": {"name": "us"}, "node_modules/a": {"version": "1.0.0"},
            "node_modules/b": {"version": "2.0.0", "optional": true}
        }}"#;
        let installed = |packages: &str| is_installed(lock, &format!("{{\"packages\": {{{packages}}}}}"));
        assert!(installed(r#""node_modules/a": {"version": "1.0.0"}"#), "what is optional may be missing");
        assert!(installed(r#""node_modules/a": {"version": "1.0.0"}, "node_modules/c": {"version": "3.0.0"}"#));
        assert!(!installed(r#""node_modules/a": {"version": "1.0.1"}"#));
        let other = r#""node_modules/a": {"version": "1.0.0"}, "node_modules/b": {"version": "2.0.1"}"#;
        assert!(!installed(other), "another version of what is optional is another version");
        assert!(!installed(""));
        assert!(!is_installed(lock, ""), "nothing is installed");
    }
}
