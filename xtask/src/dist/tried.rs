//! Each package, installed as its users install it, in a fresh place; and what is damaged, which must not be installed.

use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use super::{SUMS, TARGET};
use crate::node;
use crate::repo::Repo;

/// A way to install.
struct Way {
    name: &'static str,
    /// What it takes.
    programs: &'static [&'static str],
    /// How the name of its package ends.
    ending: &'static str,
    /// Installs the package into the empty folder, and gives the program that is there then.
    install: fn(package: &Path, into: &Path) -> Result<PathBuf>,
}

const WAYS: [Way; 5] = [
    Way { name: "archive", programs: &["tar"], ending: ".tar.gz", install: archive },
    Way { name: "installer", programs: &["sh", "tar", "sha256sum"], ending: ".tar.gz", install: installer },
    Way { name: "wheel", programs: &["python3"], ending: ".whl", install: wheel },
    Way { name: "npm", programs: &["node", "npm"], ending: ".tgz", install: npm },
    Way { name: "deb", programs: &["dpkg", "dpkg-deb"], ending: ".deb", install: deb },
];

/// Tries all of them; whether each one works. A way whose programs are missing is left out, unless `CI` says that they
/// have to be there.
pub(super) fn all(repo: &Repo, folder: &Path) -> Result<bool> {
    let version = super::About::of(repo)?.version;
    let mut works = true;
    run(Command::new("sha256sum").args(["--quiet", "--strict", "-c", SUMS]).current_dir(folder))
        .context("the packages are not those of SHA256SUMS")?;
    for way in WAYS {
        if let Some(missing) = way.programs.iter().find(|program| !is_there(program)) {
            let must = node::is_strict();
            works &= !must;
            println!("{}  {:9}  no {missing} on this machine", if must { "FAILED  " } else { "left out" }, way.name);
            continue;
        }
        let package = package(folder, way.ending)?;
        let size = super::size(usize::try_from(fs::metadata(&package)?.len())?);
        let into = tempfile::tempdir()?;
        let begun = Instant::now();
        let tried = (way.install)(&package, into.path()).and_then(|program| {
            let took = begun.elapsed().as_secs_f64();
            starts(&program, &version).map(|()| took)
        });
        match tried {
            Ok(took) => println!("ok        {:9}  {size:>8}  {took:5.1} s", way.name),
            Err(error) => {
                works = false;
                println!("FAILED    {:9}  {error:#}", way.name);
            }
        }
    }
    let refused = refuses_damage(folder);
    println!("{}  a damaged archive is refused", if refused.is_ok() { "ok      " } else { "FAILED  " });
    if let Err(error) = &refused {
        println!("          {error:#}");
    }
    Ok(works && refused.is_ok())
}

/// The only package with this ending.
fn package(folder: &Path, ending: &str) -> Result<PathBuf> {
    let names = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let mut found = names.into_iter().filter(|path| path.to_string_lossy().ends_with(ending));
    found.next().with_context(|| format!("there is no package that ends with {ending}"))
}

/// What was installed says its version, and does something that takes all of it.
fn starts(program: &Path, version: &str) -> Result<()> {
    let told = Command::new(program).arg("--version").output().context("it does not start")?;
    let told = String::from_utf8_lossy(&told.stdout).trim().to_owned();
    ensure!(told == format!("tribunal {version}"), "it says {told:?}");
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("page.html"), "<title>x</title><p style='color:#bbb'>too faint</p>")?;
    let mut check = Command::new(program);
    check.args(["check", "page.html"]).current_dir(folder.path()).env("TRIBUNAL_CHECKS_EYES", "static");
    let checked = check.output()?;
    let found = String::from_utf8_lossy(&checked.stdout).into_owned();
    ensure!(checked.status.code() == Some(1) && found.contains("contrast.text"), "it checks nothing: {found}");
    Ok(())
}

fn archive(package: &Path, into: &Path) -> Result<PathBuf> {
    run(Command::new("tar").arg("-xzf").arg(package).arg("-C").arg(into))?;
    let top = into.join(format!("tribunal-{TARGET}"));
    for part in
        ["completions/tribunal.bash", "completions/_tribunal", "man/man1/tribunal.1", "man/man1/tribunal-judge.1"]
    {
        ensure!(fs::metadata(top.join(part)).is_ok_and(|file| file.len() > 100), "no {part} in it");
    }
    run(Command::new("sh").args(["-n"]).arg(top.join("completions/tribunal.bash")).stderr(Stdio::null()))
        .or_else(|_| run(Command::new("bash").args(["-n"]).arg(top.join("completions/tribunal.bash"))))?;
    Ok(top.join("tribunal"))
}

fn installer(package: &Path, into: &Path) -> Result<PathBuf> {
    let folder = package.parent().unwrap_or(package);
    run(Command::new("sh").arg(folder.join("install.sh")).arg("--from").arg(folder).arg("--to").arg(into))?;
    Ok(into.join("tribunal"))
}

fn wheel(package: &Path, into: &Path) -> Result<PathBuf> {
    run(Command::new("python3").args(["-m", "venv"]).arg(into))?;
    let mut pip = Command::new(into.join("bin/python"));
    run(pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]).arg(package))?;
    // It notices what is missing, or was not listed.
    let mut listed = Command::new(into.join("bin/python"));
    run(listed.args(["-m", "pip", "show", "--files", "tribunal-cli"]))?;
    Ok(into.join("bin/tribunal"))
}

fn npm(package: &Path, into: &Path) -> Result<PathBuf> {
    fs::write(into.join("package.json"), "{\"private\": true}\n")?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--no-audit", "--no-fund", "--offline"]).arg(package).current_dir(into);
    run(&mut npm)?;
    Ok(into.join("node_modules/.bin/tribunal"))
}

/// Into a root of its own, whose list of packages is empty: so nothing that it depends on is there.
fn deb(package: &Path, into: &Path) -> Result<PathBuf> {
    let books = into.join("var/lib/dpkg");
    for folder in ["info", "updates", "triggers"] {
        fs::create_dir_all(books.join(folder))?;
    }
    fs::write(books.join("status"), "")?;
    run(Command::new("dpkg-deb").arg("--info").arg(package))?;
    let dpkg = |words: &[&str]| {
        let mut dpkg = Command::new("dpkg");
        dpkg.arg(format!("--root={}", into.display())).args(["--force-depends", "--force-not-root", "--log=/dev/null"]);
        dpkg.args(words);
        dpkg
    };
    run(&mut dpkg(&["--install", &package.to_string_lossy()]))?;
    run(&mut dpkg(&["--verify", "tribunal"]))?;
    ensure!(into.join("usr/share/man/man1/tribunal.1.gz").is_file(), "no manual page in it");
    ensure!(into.join("usr/share/bash-completion/completions/tribunal").is_file(), "no completions in it");
    Ok(into.join("usr/bin/tribunal"))
}

/// An archive with one byte more is not installed.
fn refuses_damage(folder: &Path) -> Result<()> {
    let copy = tempfile::tempdir()?;
    let archive = package(folder, ".tar.gz")?;
    for path in [&archive, &folder.join(SUMS)] {
        fs::copy(path, copy.path().join(path.file_name().unwrap_or_default()))?;
    }
    let damaged = copy.path().join(archive.file_name().unwrap_or_default());
    let mut bytes = fs::read(&damaged)?;
    bytes.push(0);
    fs::write(&damaged, bytes)?;
    let to = copy.path().join("bin");
    let mut installer = Command::new("sh");
    installer.arg(folder.join("install.sh")).arg("--from").arg(copy.path()).arg("--to").arg(&to);
    let told = installer.output()?;
    let why = String::from_utf8_lossy(&told.stderr).into_owned();
    ensure!(!told.status.success() && why.contains("checksum") && !to.exists(), "it was installed: {why}");
    Ok(())
}

fn is_there(program: &str) -> bool {
    let mut ask = Command::new(program);
    ask.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    ask.status().is_ok()
}

/// Runs a program quietly; what it said is shown if it failed.
fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {name}"))?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        bail!("{name} ended with {}: {}", output.status, said.trim());
    }
    Ok(())
}
