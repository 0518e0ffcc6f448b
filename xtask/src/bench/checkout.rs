//! A checkout for checks, and a folder for a worker: what they cost beside `git worktree add`.

use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use tribunal_engine::tree::{CommitReader, Trees};

use super::Bench;
use super::sample::median_of;
use super::table::{Row, Target};

const FILES: usize = 5000;
const TIMES: usize = 7;

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let folder = bench.empty()?;
    let project = folder.path().join("project");
    for number in 0..FILES {
        let path = project.join(format!("src/part{}/file{number}.txt", number % 97));
        std::fs::create_dir_all(path.parent().unwrap_or(&project))?;
        let text = format!("{number}: a line of a file like any other\n").repeat(40);
        std::fs::write(path, text)?;
    }
    git(&project, &["init", "--quiet"])?;
    git(&project, &["add", "--all"])?;
    git(&project, &["commit", "--quiet", "--message", "everything"])?;
    git(&project, &["gc", "--quiet"])?;
    let reader = bench.runtime.block_on(CommitReader::of(&project))?;
    let mut number = 0;
    let ours = median_of(TIMES, || {
        number += 1;
        let root = folder.path().join(format!("ours-{number}"));
        let begun = Instant::now();
        let checkout = bench.runtime.block_on(async {
            let (checkout, _) = reader.lay_out_apart("HEAD", root).await?;
            reader.seal("HEAD", &checkout, false).await.map(|()| checkout)
        })?;
        let took = begun.elapsed().as_secs_f64() * 1e3;
        drop(checkout);
        Ok(took)
    })?;
    let bare = median_of(TIMES, || {
        number += 1;
        let name = folder.path().join(format!("bare-{number}"));
        let name = name.to_str().context("a folder with a plain name")?;
        let begun = Instant::now();
        git(&project, &["worktree", "add", "--quiet", "--detach", name])?;
        let took = begun.elapsed().as_secs_f64() * 1e3;
        git(&project, &["worktree", "remove", "--force", name])?;
        Ok(took)
    })?;
    let worker = median_of(TIMES, || {
        number += 1;
        let home = folder.path().join(format!("worker-{number}"));
        let begun = Instant::now();
        let branch = format!("tribunal/bench-{number}");
        let trees = bench.runtime.block_on(Trees::open(&project, &home, &branch, &[]))?;
        let took = begun.elapsed().as_secs_f64() * 1e3;
        bench.runtime.block_on(trees.remove(true))?;
        Ok(took)
    })?;
    Ok(vec![
        Row::new(
            format!("a worker's folder of {FILES} files, beside `git worktree add`"),
            worker / bare,
            "times",
            Target::AtMost(2.0),
        ),
        Row::beside("a worker's folder with a repository of its own", worker, "ms"),
        Row::new(
            format!("a checkout of {FILES} files, beside `git worktree add`"),
            ours / bare,
            "times",
            Target::AtMost(2.0),
        ),
        Row::beside("a checkout with a repository of its own", ours, "ms"),
        Row::beside("`git worktree add`", bare, "ms"),
    ])
}

fn git(project: &Path, args: &[&str]) -> Result<()> {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0"]);
    let done = command.args(args).current_dir(project).output().context("cannot start git")?;
    if !done.status.success() {
        bail!("git {args:?}: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(())
}
