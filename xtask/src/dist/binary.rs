//! The binary of a release, and the oldest C library that it starts with.

use anyhow::{Context, Result, bail};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::TARGET;
use crate::repo::Repo;

/// What a release has to start with: Debian 11 and Ubuntu 20.04 have it.
const OLDEST: Glibc = Glibc { major: 2, minor: 31 };
/// From `PyPI`, which has them for every system that builds a release. zig is a linker and a C compiler that knows the
/// symbols of every glibc; `SQLite` and ring are in C.
const TOOLS: [&str; 2] = ["ziglang==0.17.0", "cargo-zigbuild==0.24.0"];

/// A binary without symbols.
#[derive(Debug)]
pub(super) struct Binary {
    pub(super) bytes: Vec<u8>,
    /// The oldest glibc that has everything it asks for.
    pub(super) glibc: Glibc,
    /// Where it can be started.
    pub(super) path: PathBuf,
    /// Keeps `path`, if nobody else does.
    _folder: Option<tempfile::TempDir>,
}

/// A version of glibc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Glibc {
    pub(super) major: u32,
    pub(super) minor: u32,
}

impl fmt::Display for Glibc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Binary {
    /// A binary that somebody else built.
    pub(super) fn stripped(path: &Path) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let stripped = folder.path().join("tribunal");
        let mut strip = Command::new("strip");
        run(strip.arg("-o").arg(&stripped).arg(path))?;
        Self::of(stripped, Some(folder))
    }

    /// A release, linked for old systems.
    pub(super) fn built(repo: &Repo) -> Result<Self> {
        let tools = tools(repo)?;
        let path = std::env::var("PATH").unwrap_or_default();
        let target = format!("{TARGET}.{OLDEST}");
        let words = ["zigbuild", "--release", "--locked", "--target", &target, "--package", "tribunal-cli"];
        run(repo.cargo(&words).env("PATH", format!("{}:{path}", tools.display())))?;
        let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| repo.root().join("target"), PathBuf::from);
        let binary = Self::of(folder.join(TARGET).join("release/tribunal"), None)?;
        if binary.glibc > OLDEST {
            bail!("the binary asks for glibc {}, and a release has to start with {OLDEST}", binary.glibc);
        }
        Ok(binary)
    }

    fn of(path: PathBuf, folder: Option<tempfile::TempDir>) -> Result<Self> {
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let told = Command::new("objdump").arg("-T").arg(&path).stderr(Stdio::inherit()).output();
        let told = told.context("cannot start objdump, which comes with every C compiler")?;
        let glibc = newest_asked(&String::from_utf8_lossy(&told.stdout));
        let glibc = glibc.with_context(|| format!("{} is not linked against glibc", path.display()))?;
        Ok(Self { bytes, glibc, path, _folder: folder })
    }
}

/// The newest version among those that symbols ask for.
fn newest_asked(symbols: &str) -> Option<Glibc> {
    let versions = symbols.split("GLIBC_").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let mut numbers = rest[..end].split('.');
        Some(Glibc { major: numbers.next()?.parse().ok()?, minor: numbers.next()?.parse().ok()? })
    });
    versions.max()
}

/// Where zig and cargo-zigbuild are; installed once.
fn tools(repo: &Repo) -> Result<PathBuf> {
    let venv = repo.root().join("target/zig");
    let bin = venv.join("bin");
    let noted = venv.join("installed");
    let wanted = TOOLS.join(" ");
    if fs::read_to_string(&noted).is_ok_and(|text| text == wanted) {
        return Ok(bin);
    }
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
    let mut pip = Command::new(bin.join("python"));
    run(pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(TOOLS))?;
    fs::write(noted, wanted)?;
    Ok(bin)
}

fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("cannot start {name}"))?;
    if !status.success() {
        bail!("{name} ended with {status}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_symbol_decides() {
        let symbols = "0 DF *UND* 0 (GLIBC_2.2.5) free\n0 DF *UND* 0 (GLIBC_2.29) pow\n0 DF *UND* 0 (GLIBC_2.9) x\n\
                       0 DF *UND* 0 (GCC_3.3) _Unwind\n";
        assert_eq!(newest_asked(symbols), Some(Glibc { major: 2, minor: 29 }));
        assert_eq!(newest_asked(symbols).unwrap().to_string(), "2.29");
        assert!(Glibc { major: 2, minor: 36 } > OLDEST);
        assert_eq!(newest_asked("0 DF *UND* 0 (GLIBC_PRIVATE) x"), None);
    }
}
