//! `cargo xtask dist`: what a release consists of.
//!
//! | file | noun |
//! |---|---|
//! | `binary` | the binary, and the oldest C library that it starts with |
//! | `goods` | what goes with it: completions, manual pages, licences |
//! | `tar`, `zip`, `ar` | archives, byte for byte the same whenever they are made |
//! | `tarball`, `wheel`, `npm`, `deb` | packages, one a file |
//! | `tried` | each package installed as its users install it |

mod ar;
mod binary;
mod deb;
mod goods;
mod npm;
mod tar;
mod tarball;
mod tried;
mod wheel;
mod zip;

use anyhow::{Context, Result};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use crate::args::Args;
use crate::repo::Repo;
use binary::Binary;
use goods::Goods;

const HELP: &str = "\
What a release consists of: a binary for old systems, in every package that carries it, with SHA256SUMS.

Usage: cargo xtask dist [OPTIONS]

Options:
  --binary FILE  Package this binary instead of building one
  --to DIR       Where the packages go [default: target/dist]
  --try          Install every package as its users do, and start what it installed

Without --binary a release is built with zig as its linker, for glibc 2.31 (Debian 11, Ubuntu 20.04) and newer. zig and
cargo-zigbuild come from PyPI, into target/zig. That takes a while: thin LTO over everything.

Examples:
  cargo xtask dist --try
  cargo xtask dist --binary target/debug/tribunal --to /tmp/dist
";

/// What is built for. Its name is in those of the packages.
const TARGET: &str = "x86_64-unknown-linux-gnu";
/// The checksums of all packages.
const SUMS: &str = "SHA256SUMS";
/// What stands beside the packages of a release, and where it is in the repository.
const BESIDE: [(&str, &str); 3] =
    [("install.sh", "install.sh"), ("comment.py", "ci/comment.py"), ("gitlab.yml", "ci/gitlab.yml")];

/// What packages say of themselves.
#[derive(Debug)]
struct About {
    version: String,
    repository: String,
    licence: String,
}

const SUMMARY: &str = "Puts any agent's work on trial until it holds";
const DESCRIPTION: &str = "Tribunal checks pages and texts, judges changes together with their tests, and lets agents draft and critics judge \
                           until the work passes. One binary; no runtime and no database.";

pub(crate) fn main(mut args: Args) -> Result<ExitCode> {
    if args.wants_help() {
        return Ok(crate::help(HELP));
    }
    let (given, to, tries) = (args.option("--binary")?, args.option("--to")?, args.flag("--try"));
    args.end()?;
    let repo = Repo::here()?;
    let to = to.map_or_else(|| repo.root().join("target/dist"), PathBuf::from);
    let begun = Instant::now();
    let binary = match given {
        Some(path) => Binary::stripped(Path::new(&path))?,
        None => Binary::built(&repo)?,
    };
    packages(&repo, &binary, &to)?;
    eprintln!("took {:.0} s", begun.elapsed().as_secs_f64());
    if tries && !tried::all(&repo, &to)? {
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// The step of `cargo xtask test`: packages of the binary that the tests have, each of them tried. Old systems cannot start
/// that one; everything else is as in a release.
pub(crate) fn check(repo: &Repo) -> Result<bool> {
    let folder = tempfile::tempdir()?;
    let binary = Binary::stripped(&repo.build_tribunal()?)?;
    packages(repo, &binary, folder.path())?;
    tried::all(repo, folder.path())
}

/// Writes everything to `to`, and nothing else stays there that has our name.
fn packages(repo: &Repo, binary: &Binary, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for old in fs::read_dir(to)? {
        let old = old?.path();
        let name = old.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("tribunal") || name == SUMS {
            fs::remove_file(&old).with_context(|| format!("cannot remove {}", old.display()))?;
        }
    }
    let about = About::of(repo)?;
    let goods = Goods::of(repo, binary)?;
    let mut files = vec![
        tarball::package(&goods)?,
        wheel::package(&goods, &about, binary.glibc)?,
        npm::package(&goods, &about)?,
        deb::package(&goods, &about, binary.glibc)?,
    ];
    for (name, path) in BESIDE {
        files.push((name.to_owned(), fs::read(repo.root().join(path)).with_context(|| format!("cannot read {path}"))?));
    }
    files.sort();
    let mut sums = String::new();
    println!("{:>9}  tribunal, for glibc {}", size(goods.binary.len()), binary.glibc);
    for (name, bytes) in files {
        let path = to.join(&name);
        fs::write(&path, &bytes).with_context(|| format!("cannot write {}", path.display()))?;
        writeln!(sums, "{}  {name}", hex(&Sha256::digest(&bytes))).expect("a String takes every write");
        println!("{:>9}  {}", size(bytes.len()), path.display());
    }
    fs::write(to.join(SUMS), sums)?;
    Ok(())
}

impl About {
    fn of(repo: &Repo) -> Result<Self> {
        let manifest: toml::Table = repo.read("Cargo.toml")?.parse().context("cannot read Cargo.toml")?;
        let package = &manifest["workspace"]["package"];
        let text = |key: &str| {
            let value = package.get(key).and_then(toml::Value::as_str);
            value.map(str::to_owned).with_context(|| format!("Cargo.toml has no `workspace.package.{key}`"))
        };
        Ok(Self { version: text("version")?, repository: text("repository")?, licence: text("license")? })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a String takes every write");
        text
    })
}

fn size(bytes: usize) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the project is found is said once, and repeated where no program can look it up.
    #[test]
    fn everything_names_the_same_repository() {
        let repo = Repo::here().unwrap();
        let about = About::of(&repo).unwrap();
        let (_, own) = about.repository.split_once("github.com/").unwrap();
        for file in ["install.sh", "ci/gitlab.yml", "docs/install.md", "docs/ci.md"] {
            let text = repo.read(file).unwrap();
            assert!(text.contains(own), "{file} does not name {own}");
        }
    }

    #[test]
    fn the_installer_is_for_what_is_built() {
        let repo = Repo::here().unwrap();
        assert!(repo.read("install.sh").unwrap().contains(&format!("target={TARGET} ")));
        assert!(repo.read("crates/cli/Cargo.toml").unwrap().contains("tribunal-{ target }"));
    }
}
