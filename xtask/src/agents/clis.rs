//! The command lines: whether they can be had, and where they are.

use anyhow::{Context, Result};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::node;
use crate::repo::Repo;

/// What to install.
const FOLDER: &str = "xtask/agents";
const FILES: [&str; 2] = ["package.json", "package-lock.json"];
/// What npm writes when it has installed everything.
const INSTALLED: &str = "node_modules/.package-lock.json";

/// Command lines that are installed.
#[derive(Debug)]
pub(super) struct Clis {
    programs: PathBuf,
}

impl Clis {
    /// Installs what the lock file says, unless it is installed; or says what keeps us from it.
    pub(super) fn find(repo: &Repo) -> Result<Result<Self, String>> {
        if let Some(missing) = node::missing() {
            return Ok(Err(missing));
        }
        let exe = env::current_exe().context("cannot say where xtask is")?;
        let target = exe.ancestors().nth(2).context("xtask lies in no target folder")?;
        let folder = target.join("agent-clis");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let is_new =
            |file: &str| fs::read_to_string(folder.join(file)).ok() != repo.read(PathBuf::from(FOLDER).join(file)).ok();
        if FILES.iter().any(|file| is_new(file)) || !folder.join(INSTALLED).is_file() {
            for file in FILES {
                fs::write(folder.join(file), repo.read(PathBuf::from(FOLDER).join(file))?)?;
            }
            let mut npm = Command::new("npm");
            // Not `ci`: it wants packages of every platform in the lock file, and not every registry has them.
            npm.args(["install", "--no-save", "--no-audit", "--no-fund", "--silent"]).current_dir(&folder);
            npm.stdin(Stdio::null()).stdout(Stdio::null());
            let status = npm.status().context("cannot start npm")?;
            if !status.success() {
                // Without a network that is nobody's fault.
                return Ok(Err(format!("`npm install` with {FOLDER}/{} ended with {status}", FILES[1])));
            }
        }
        Ok(Ok(Self { programs: folder.join("node_modules/.bin") }))
    }

    /// The PATH on which they are found first, and then the `tribunal` that their hooks call.
    pub(super) fn path(&self) -> Result<OsString> {
        let others = env::var_os("PATH").unwrap_or_default();
        let tribunal = Repo::tribunal()?;
        let ours = tribunal.parent().context("a program lies in a folder")?;
        let all = [self.programs.clone(), ours.to_owned()].into_iter().chain(env::split_paths(&others));
        env::join_paths(all).context("the PATH cannot be extended")
    }
}
