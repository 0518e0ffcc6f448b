//! What is gathered, and how each registry is asked.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const LIST: &str = include_str!("../../corpus/packages.toml");
const HELD_OUT: &str = include_str!("../../corpus/held-out.toml");
/// Pages of one package: one theme is one opinion, however many pages it has.
const MOST: usize = 6;
/// The same of packages that are held out: many of them say more than much of each.
const MOST_HELD_OUT: usize = 2;

/// All packages, in the order of the file.
#[derive(Debug)]
pub(super) struct List {
    pub(super) packages: Vec<Package>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Package {
    registry: Registry,
    name: String,
    version: String,
    /// How many pages are taken; none of what is only there for others to link to.
    most: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Registry {
    Npm,
    Pypi,
    Crates,
    Debian,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    npm: BTreeMap<String, String>,
    pypi: BTreeMap<String, String>,
    #[serde(default)]
    crates: BTreeMap<String, String>,
    debian_support: BTreeMap<String, String>,
    debian: BTreeMap<String, String>,
}

impl List {
    /// The packages that rules were written beside.
    pub(super) fn read() -> Result<Self> {
        Self::parse(LIST, MOST).context("cannot read xtask/corpus/packages.toml")
    }

    /// Packages that no rule was written beside.
    pub(super) fn held_out() -> Result<Self> {
        Self::parse(HELD_OUT, MOST_HELD_OUT).context("cannot read xtask/corpus/held-out.toml")
    }

    fn parse(text: &str, most: usize) -> Result<Self> {
        let of = |registry, most, list: BTreeMap<String, String>| {
            list.into_iter().map(move |(name, version)| Package { registry, name, version, most })
        };
        let Written { npm, pypi, crates, debian_support, debian } = toml::from_str(text)?;
        let packages = of(Registry::Npm, most, npm)
            .chain(of(Registry::Pypi, most, pypi))
            .chain(of(Registry::Crates, most, crates))
            .chain(of(Registry::Debian, 0, debian_support))
            .chain(of(Registry::Debian, most, debian));
        Ok(Self { packages: packages.collect() })
    }
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}@{}", self.registry.as_str(), self.name, self.version)
    }
}

impl Registry {
    fn as_str(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pypi => "pypi",
            Self::Crates => "crates",
            Self::Debian => "debian",
        }
    }
}

impl Package {
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Where it is unpacked. Packages of Debian link to each other, as on a system that has them installed.
    pub(super) fn place(&self, folder: &Path) -> PathBuf {
        let folder = folder.join(self.registry.as_str());
        match self.registry {
            Registry::Debian => folder,
            Registry::Npm | Registry::Pypi | Registry::Crates => {
                folder.join(format!("{}-{}", self.name.replace('/', "+"), self.version))
            }
        }
    }

    /// Fetches and unpacks it; gives its files.
    pub(super) fn fetch(&self, place: &Path) -> Result<Vec<PathBuf>> {
        fs::create_dir_all(place)?;
        let place = place.canonicalize()?;
        let parent = place.parent().context("a folder without a parent")?;
        let scratch = tempfile::Builder::new().prefix(".fetching-").tempdir_in(parent)?;
        let Self { name, version, .. } = self;
        match self.registry {
            Registry::Npm => {
                quiet(Command::new("npm").args(["pack", "--silent", &format!("{name}@{version}")]), scratch.path())?;
            }
            Registry::Pypi => self.download(scratch.path())?,
            // Cargo has no command that fetches one crate as it was published.
            Registry::Crates => {
                let address = format!("https://static.crates.io/crates/{name}/{name}-{version}.crate");
                quiet(Command::new("curl").args(["-sSfLO", &address]), scratch.path())?;
            }
            Registry::Debian => {
                quiet(Command::new("apt-get").args(["download", "-qq", &format!("{name}={version}")]), scratch.path())?;
            }
        }
        let archive = fs::read_dir(scratch.path())?.next().context("nothing was fetched")??.path();
        let contents = scratch.path().join("contents");
        fs::create_dir(&contents)?;
        unpack(&archive, &contents)?;
        let mut files = Vec::new();
        settle(&contents, &contents, &place, &mut files)?;
        files.sort();
        Ok(files)
    }

    /// The source as it was published, else a wheel. pip would start a build to learn the name of what it has already.
    fn download(&self, scratch: &Path) -> Result<()> {
        let Self { name, version, .. } = self;
        let listed = scratch.join("listed.html");
        let address = format!("https://pypi.org/simple/{name}/");
        quiet(Command::new("curl").args(["-sSfL", "-o", "listed.html", &address]), scratch)?;
        let index = fs::read_to_string(&listed).context("cannot read PyPI's answer")?;
        fs::remove_file(listed)?;
        let file = file_of(&index, version).context("PyPI has no file of it")?;
        quiet(Command::new("curl").args(["-sSfLO", file]), scratch)
    }
}

/// The file of a version in an index of PEP 503, which every mirror of `PyPI` has: its source, else a wheel.
fn file_of<'i>(index: &'i str, version: &str) -> Option<&'i str> {
    let addresses = || index.split("href=\"").skip(1).filter_map(|rest| rest.split(['"', '#']).next());
    let name = |address: &&'i str| address.rsplit('/').next().unwrap_or_default();
    let is_source = |address: &&'i str| {
        let stem = [".tar.gz", ".tar.bz2", ".zip"].iter().find_map(|end| name(address).strip_suffix(end));
        stem.is_some_and(|stem| stem.ends_with(&format!("-{version}")))
    };
    let is_wheel = |address: &&'i str| {
        name(address).strip_suffix(".whl").is_some_and(|stem| stem.contains(&format!("-{version}-")))
    };
    addresses().find(is_source).or_else(|| addresses().find(is_wheel))
}

fn quiet(command: &mut Command, folder: &Path) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let command = command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let output = command.output().with_context(|| format!("cannot start {program}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        bail!("{program} ended with {}: {last}", output.status);
    }
    Ok(())
}

fn unpack(archive: &Path, to: &Path) -> Result<()> {
    let file = archive.as_os_str();
    match archive.extension().and_then(|ending| ending.to_str()) {
        Some("deb") => return quiet(Command::new("dpkg-deb").arg("-x").arg(file).arg("."), to),
        Some("whl" | "zip") => {
            return quiet(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(file).arg("."), to);
        }
        _ => {}
    }
    quiet(Command::new("tar").args(["--no-same-owner", "-xf"]).arg(file), to)
}

/// Moves files to their place. Links stay links, so that what they lead to may come with another package.
fn settle(from: &Path, root: &Path, place: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = place.join(entry.path().strip_prefix(root)?);
        let kind = entry.file_type()?;
        if kind.is_dir() {
            fs::create_dir_all(&to)?;
            settle(&entry.path(), root, place, files)?;
        } else if kind.is_file() || kind.is_symlink() {
            if fs::symlink_metadata(&to).is_ok() {
                fs::remove_file(&to)?;
            }
            fs::rename(entry.path(), &to).with_context(|| format!("cannot put {} in its place", to.display()))?;
            if kind.is_file() {
                files.push(to);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_has_one_version() {
        let (list, held_out) = (List::read().unwrap(), List::held_out().unwrap());
        assert!(list.packages.len() > 60 && held_out.packages.len() > 60);
        for package in list.packages.iter().chain(&held_out.packages) {
            let is_pinned = package.version.starts_with(|c: char| c.is_ascii_digit())
                && !package.version.contains(['^', '*', '<', '>', 'x', ' ']);
            assert!(is_pinned || package.registry == Registry::Debian, "{package}");
        }
    }

    #[test]
    fn what_is_held_out_was_never_looked_at() {
        let list = List::read().unwrap();
        for held in List::held_out().unwrap().packages.iter().filter(|package| package.most > 0) {
            let is_same = |other: &&Package| (other.registry, &other.name) == (held.registry, &held.name);
            assert_eq!(list.packages.iter().find(is_same), None, "{held}");
        }
    }

    #[test]
    fn a_source_is_taken_before_a_wheel() {
        let index = r#"<a href="https://x/a/ply-3.1.tar.gz#sha256=1">a</a><a href="https://x/b/ply-3.11-py3-none-any.whl">b</a>
            <a href="https://x/c/ply-3.11.tar.gz#sha256=2">c</a><a href="https://x/d/ply-4.0-py3-none-any.whl">d</a>"#;
        for (version, want) in [
            ("3.1", Some("https://x/a/ply-3.1.tar.gz")),
            ("3.11", Some("https://x/c/ply-3.11.tar.gz")),
            ("4.0", Some("https://x/d/ply-4.0-py3-none-any.whl")),
            ("1", None),
        ] {
            assert_eq!(file_of(index, version), want, "{version}");
        }
    }

    #[test]
    fn packages_of_debian_share_a_place() {
        let package = |registry| Package { registry, name: "@a/b".into(), version: "1.0".into(), most: 1 };
        let folder = Path::new("/c");
        assert_eq!(package(Registry::Debian).place(folder), Path::new("/c/debian"));
        assert_eq!(package(Registry::Npm).place(folder), Path::new("/c/npm/@a+b-1.0"));
    }
}
