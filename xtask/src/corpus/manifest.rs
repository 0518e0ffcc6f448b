//! What was gathered: `manifest.json` in the corpus.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

use super::package::Package;

const FILE: &str = "manifest.json";

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// Packages that were looked through, those without pages, too.
    pub(crate) packages: Vec<String>,
    pub(crate) pages: Vec<CorpusPage>,
}

/// A page of the corpus; paths are relative to its folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CorpusPage {
    pub(crate) page: PathBuf,
    /// The folder that the page's links stay inside of.
    pub(crate) root: PathBuf,
    pub(crate) package: String,
}

impl Manifest {
    /// Empty where nothing was gathered yet.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).with_context(|| format!("cannot read {}", path.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    pub(super) fn has(&self, package: &Package) -> bool {
        self.packages.contains(&package.to_string())
    }

    pub(super) fn add(&mut self, package: &Package, pages: Vec<CorpusPage>) {
        self.packages.push(package.to_string());
        self.pages.extend(pages);
    }

    /// Put in place whole: whoever is interrupted goes on from the package before.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let (path, new) = (folder.join(FILE), folder.join("manifest.json.new"));
        fs::write(&new, serde_json::to_string_pretty(self)? + "\n")
            .with_context(|| format!("cannot write {}", new.display()))?;
        fs::rename(&new, &path).with_context(|| format!("cannot write {}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_folder_has_nothing_and_garbage_is_said() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Manifest::read(folder.path()).unwrap().pages.is_empty());
        fs::write(folder.path().join(FILE), "{").unwrap();
        assert!(Manifest::read(folder.path()).is_err());
    }
}
