//! Programs and libraries in Python, which tests compare us with.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder for `PYTHONPATH` that has these packages, if pip can install them. Several tests may ask at once: one
/// installs them, and the others wait.
pub(crate) fn installed(name: &str, imports: &str, packages: &[&str]) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let are_there = || {
        let asked = Command::new("python3").args(["-c", imports]).env("PYTHONPATH", &folder).output();
        asked.is_ok_and(|said| said.status.success())
    };
    fs::create_dir_all(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let lock = File::create(folder.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    if are_there() {
        return Some(folder);
    }
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade", "--target"]);
    let installed = pip.arg(&folder).args(packages).output().is_ok_and(|said| said.status.success());
    (installed && are_there()).then_some(folder)
}
