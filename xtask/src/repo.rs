//! The repository: its root, its files, its binaries.

use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A repository on disk.
#[derive(Debug)]
pub(crate) struct Repo {
    root: PathBuf,
}

/// Folders that hold nothing of ours: builds, git's own, what runs leave behind.
const SKIPPED: &[&str] = &["target", ".git", ".tribunal", "node_modules"];

impl Repo {
    /// The repository that this program was built from.
    pub(crate) fn here() -> Result<Self> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = manifest.parent().context("xtask lies in no folder")?;
        if !root.join("Cargo.toml").is_file() {
            bail!("{} is not the repository any more; build xtask again", root.display());
        }
        Ok(Self::at(root))
    }

    /// The repository at `root`.
    pub(crate) fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A file's text.
    pub(crate) fn read(&self, path: impl AsRef<Path>) -> Result<String> {
        let path = path.as_ref();
        fs::read_to_string(self.root.join(path)).with_context(|| format!("cannot read {}", path.display()))
    }

    pub(crate) fn has(&self, path: impl AsRef<Path>) -> bool {
        self.root.join(path).exists()
    }

    /// Every file whose name ends with one of `endings`, sorted, relative to the root.
    pub(crate) fn files(&self, endings: &[&str]) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            let here = self.root.join(&folder);
            for entry in fs::read_dir(&here).with_context(|| format!("cannot list {}", here.display()))? {
                let entry = entry?;
                let name = entry.file_name();
                let path = folder.join(&name);
                if entry.file_type()?.is_dir() {
                    if !is_skipped(&path) {
                        folders.push(path);
                    }
                } else if endings.iter().any(|ending| name.to_string_lossy().ends_with(ending)) {
                    found.push(path);
                }
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    /// cargo, in this repository.
    pub(crate) fn cargo(&self, args: &[&str]) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let mut command = Command::new(cargo);
        command.args(args).current_dir(&self.root);
        // Set by `cargo run` for xtask itself; build scripts of other packages would see them and build again.
        let is_ours = |name: &str| name.starts_with("CARGO_MANIFEST_") || name.starts_with("CARGO_PKG_");
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_ours)) {
            command.env_remove(name);
        }
        command
    }

    /// The binary `tribunal` of what is here now, as the tests of the workspace have it: their features are not those
    /// of a plain build, and whoever ran the tests is not to build everything once more.
    pub(crate) fn build_tribunal(&self) -> Result<PathBuf> {
        let built = self.cargo(&["test", "--quiet", "--workspace", "--no-run", "--test", "it"]).status();
        if !built.context("cannot start cargo")?.success() {
            bail!("tribunal does not build");
        }
        Self::tribunal()
    }

    /// The binary `tribunal`, which cargo puts beside this one.
    pub(crate) fn tribunal() -> Result<PathBuf> {
        let mut path = std::env::current_exe().context("cannot say where xtask is")?;
        path.set_file_name(format!("tribunal{}", std::env::consts::EXE_SUFFIX));
        if !path.is_file() {
            bail!("{} was not built", path.display());
        }
        Ok(path)
    }
}

/// What an example leaves behind when it is run in place is not ours either.
fn is_skipped(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default();
    SKIPPED.iter().any(|skipped| name == *skipped) || (folder.starts_with("examples") && name == "copy")
}
