//! `tribunal export`: a run's drafts, verdicts, prompts and log in a folder that needs nothing else to be read.

use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use tribunal_kernel::{Run, TurnState};
use tribunal_store::Backend as _;

use super::print_json;
use crate::args::{self, Global};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::person::People;
use crate::project::Project;
use crate::render;

pub(super) async fn export(project: &Project, global: &Global, args: &args::Export) -> Result<Exit, Failure> {
    let run = project.read(project.find(args.run.as_deref()).await?).await?;
    let id = run.spec().run;
    let folder = args.output.clone().unwrap_or_else(|| PathBuf::from(format!("tribunal-{id}")));
    fs::create_dir(&folder).map_err(|error| {
        Failure::usage(
            format!("cannot create {}: {error}", folder.display()),
            "choose a folder that does not exist with `--output DIR`",
        )
    })?;
    let files = files(project, &run, project.store.logs().bytes(id).await?)?;
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

fn files(project: &Project, run: &Run, log: Vec<u8>) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let missing = |what: String| {
        Failure::environment(format!("{what} is missing"), Some("`tribunal verify` says what else is".into()))
    };
    let brief = project.text(run.spec().brief).ok_or_else(|| missing("the brief".into()))?;
    let detail = render::detail(run, &People::of(project.config()));
    let mut files = vec![
        ("log.ndjson".to_owned(), log),
        ("run.json".to_owned(), format!("{detail:#}\n").into_bytes()),
        ("brief.md".to_owned(), brief.into_bytes()),
    ];
    for turn in run.turns() {
        let name = format!("round-{:02}-turn-{:03}-{}", turn.round.0, turn.id.0, turn.seat);
        let prompt = project.text(turn.prompt).ok_or_else(|| missing(format!("the prompt of turn {}", turn.id)))?;
        files.push((format!("{name}.prompt.md"), prompt.into_bytes()));
        if let TurnState::Answered { raw, .. } = &turn.state {
            let answer = project.text(*raw).ok_or_else(|| missing(format!("the answer of turn {}", turn.id)))?;
            files.push((format!("{name}.answer.txt"), answer.into_bytes()));
            for (_, draft) in turn.drafts() {
                let text = project.text(draft.content).ok_or_else(|| missing(format!("draft {}", draft.id)))?;
                files.push((format!("{name}.draft.{}", draft.format.extension()), text.into_bytes()));
            }
        }
    }
    Ok(files)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    fs::write(path, bytes)
        .map_err(|error| Failure::environment(format!("cannot write {}: {error}", path.display()), None))
}
