//! `tribunal export`: a run's drafts, verdicts, prompts and log in a folder that needs nothing else to be read.

use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use tribunal_app::export::{self, Exported};
use tribunal_app::{AppError, Exit, Project};

use super::print_json;
use crate::args::{self, Global};

pub(super) async fn export(project: &Project, global: &Global, args: &args::Export) -> Result<Exit, AppError> {
    let Exported { run, files } = export::export(project, args.run.as_deref()).await?;
    let id = run.spec().run;
    let folder = args.output.clone().unwrap_or_else(|| PathBuf::from(format!("tribunal-{id}")));
    fs::create_dir(&folder).map_err(|error| {
        AppError::invalid(
            format!("cannot create {}: {error}", folder.display()),
            "choose a new folder with `--output DIR`",
        )
    })?;
    for (name, bytes) in &files {
        write(&folder.join(name), bytes)?;
    }
    if global.json {
        let names: Vec<&String> = files.iter().map(|(name, _)| name).collect();
        print_json(&json!({ "run": id, "folder": folder, "files": names }));
    } else {
        println!("{}", folder.display());
        eprintln!("{} files of run {id}", files.len());
    }
    Ok(Exit::Pass)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), AppError> {
    fs::write(path, bytes)
        .map_err(|error| AppError::environment(format!("cannot write {}: {error}", path.display()), None))
}
