//! The table of grades in `docs/agents.md`: `examples/conformance`, really played. Agents with a model behind them need
//! an account and differ from day to day, so the page shows only what everybody can repeat.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::Generated;
use crate::repo::Repo;

const PATH: &str = "docs/agents.md";
const EXAMPLE: &str = "examples/conformance";
const FILES: [&str; 3] = ["tribunal.toml", "agents/good.sh", "agents/bad.sh"];
const BEGIN: &str = "<!-- grades: made by `cargo xtask codegen` -->\n";
const END: &str = "<!-- grades: end -->\n";

/// The page with the table of today. The command line has been built already.
pub(super) fn page(repo: &Repo) -> Result<Generated> {
    let folder = tempfile::tempdir().context("cannot make a folder")?;
    fs::create_dir(folder.path().join("agents"))?;
    for file in FILES {
        fs::copy(repo.root().join(EXAMPLE).join(file), folder.path().join(file))
            .with_context(|| format!("cannot copy {EXAMPLE}/{file}"))?;
    }
    let binary = Repo::tribunal()?;
    let played = tribunal(&binary, folder.path(), &["agents", "conformance"])?;
    // One of the two is below the bars.
    if played.status.code() != Some(1) {
        bail!("the agents of {EXAMPLE} ended with {}: {}", played.status, String::from_utf8_lossy(&played.stderr));
    }
    let table = tribunal(&binary, folder.path(), &["agents", "conformance", "--table"])?;
    let table = String::from_utf8(table.stdout).context("the table is no UTF-8")?;
    let text = replaced(&repo.read(PATH)?, &table).with_context(|| format!("{PATH} has no place for the grades"))?;
    Ok(Generated::new(PATH, text))
}

fn tribunal(binary: &Path, folder: &Path, args: &[&str]) -> Result<Output> {
    let mut command = Command::new(binary);
    command.args(args).current_dir(folder).env_remove("TRIBUNAL_CONFIG").stdin(Stdio::null());
    command.output().with_context(|| format!("cannot run tribunal {}", args.join(" ")))
}

/// The page with this table between the marks.
fn replaced(page: &str, table: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{table}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let page = format!("before\n{BEGIN}old\n{END}after\n");
        let new = replaced(&page, "| new |\n").unwrap();
        assert_eq!(new, format!("before\n{BEGIN}\n| new |\n\n{END}after\n"));
        assert_eq!(replaced(&new, "| new |\n").unwrap(), new, "twice is the same");
        assert_eq!(replaced("no marks", "x"), None);
    }
}
