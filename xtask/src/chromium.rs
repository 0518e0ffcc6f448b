//! Chromium: where it is, and how it is had where it is missing.

use anyhow::{Result, bail};
use std::env;
use std::path::{Path, PathBuf};

use crate::repo::Repo;
use crate::sandbox::apt_get;

/// Says where it is; empty says that there is none.
pub(crate) const VARIABLE: &str = "CHROMIUM";
/// Where Debian puts it.
const PLACE: &str = "/usr/bin/chromium";

/// Its path, or why there is none.
pub(crate) fn find() -> Result<Result<PathBuf, String>> {
    Ok(match env::var_os(VARIABLE) {
        Some(path) if path.is_empty() => Err(format!("{VARIABLE} is empty")),
        Some(path) if Path::new(&path).is_file() => Ok(PathBuf::from(path)),
        Some(path) => bail!("{VARIABLE} names {}, which is not there", Path::new(&path).display()),
        None if Path::new(PLACE).is_file() => Ok(PathBuf::from(PLACE)),
        None => Err(format!("no Chromium at {PLACE} or in {VARIABLE}")),
    })
}

/// The same; installed by apt-get where we may and nobody has said that there is none.
pub(crate) fn have() -> Result<Result<PathBuf, String>> {
    let found = find()?;
    if found.is_ok() || env::var_os(VARIABLE).is_some() {
        return Ok(found);
    }
    let install = ["install", "--yes", "--no-install-recommends", "chromium"];
    // A fresh machine has no lists of packages yet.
    if apt_get(&install) || (apt_get(&["update"]) && apt_get(&install)) {
        return find();
    }
    Ok(found)
}

/// Installs it where it is missing and we may: tests of the browser's eye need it. Without it they are left out, or fail
/// where `CI` is set, so this never fails.
pub(crate) fn prepare(_: &Repo) -> Result<bool> {
    match have()? {
        Ok(path) => eprintln!("Chromium is at {}", path.display()),
        Err(why) => eprintln!("skipped: {why}; tests that need it are left out"),
    }
    Ok(true)
}
