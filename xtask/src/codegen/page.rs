//! The page: `web/src/api/schema.ts`, its types of what the server answers, and `crates/server/assets`, what it is built
//! into and what the server embeds. Made by its own tools, so only where node and npm are.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Generated, openapi};
use crate::repo::Repo;
use crate::web::{self, npm};

const TYPES: &str = "web/src/api/schema.ts";
const ASSETS: &str = "crates/server/assets";

/// All files of both, and those that are there and ought not to be.
pub(crate) fn files(repo: &Repo) -> Result<Vec<Generated>> {
    let scratch = tempfile::tempdir().context("cannot create a folder")?;
    let mut files = vec![types(repo, scratch.path())?];
    files.extend(built(repo, scratch.path())?);
    Ok(files)
}

/// Types of what the server answers now, even if the document in `docs/` is of yesterday.
fn types(repo: &Repo, scratch: &Path) -> Result<Generated> {
    let (document, types) = (scratch.join("openapi.json"), scratch.join("schema.ts"));
    fs::write(&document, openapi::text()?)?;
    let mut command = npm(repo, &["exec", "--offline", "--", "openapi-typescript"]);
    run(command.arg(&document).arg("-o").arg(&types))?;
    Ok(Generated::new(TYPES, fs::read_to_string(types).context("openapi-typescript wrote nothing")?))
}

fn built(repo: &Repo, scratch: &Path) -> Result<Vec<Generated>> {
    let folder = scratch.join("assets");
    let mut command =
        npm(repo, &["run", "--silent", "build", "--", "--emptyOutDir", "--logLevel", "error", "--outDir"]);
    run(command.arg(&folder))?;
    let mut files = Vec::new();
    for name in names(&folder)? {
        let text = fs::read_to_string(folder.join(&name)).with_context(|| format!("{name} is no text"))?;
        files.push(Generated::new(format!("{ASSETS}/{name}"), text));
    }
    if files.is_empty() {
        bail!("the build of {} made nothing", web::FOLDER);
    }
    let are_built: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
    let there = names(&repo.root().join(ASSETS)).unwrap_or_default();
    let there = there.iter().map(|name| format!("{ASSETS}/{name}"));
    files.extend(there.filter(|path| !are_built.contains(path)).map(Generated::gone));
    Ok(files)
}

/// What a folder holds; a build has no folders in it.
fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut names: Vec<String> =
        entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect::<Result<_>>()?;
    names.sort_unstable();
    Ok(names)
}

fn run(command: &mut Command) -> Result<()> {
    let output = command.output().context("cannot start npm")?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        bail!("{command:?} ended with {}:\n{}", output.status, String::from_utf8_lossy(&said).trim());
    }
    Ok(())
}
