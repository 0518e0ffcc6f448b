//! `docs/cli.md`: the help of every command, asked of the binary itself.

use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{Generated, MARKDOWN_NOTE};
use crate::repo::Repo;

const INTRO: &str = "\
# Command line

What `--help` says, for every command.
The exit codes are in [exit-codes.md](exit-codes.md), the settings in [configuration.md](configuration.md).
";

/// More levels of commands than anybody would like to type.
const MAX_DEPTH: usize = 4;

pub(super) fn page(repo: &Repo) -> Result<Generated> {
    let mut text = format!("{MARKDOWN_NOTE}{INTRO}");
    describe(&repo.build_tribunal()?, &mut Vec::new(), &mut text)?;
    Ok(Generated::new("docs/cli.md", text))
}

/// The help of one command, then of those below it.
fn describe(binary: &Path, command: &mut Vec<String>, page: &mut String) -> Result<()> {
    let help = help(binary, command)?;
    let name = command.iter().fold("tribunal".to_owned(), |name, word| name + " " + word);
    write!(page, "\n## {name}\n\n```text\n{help}```\n").expect("a String takes every write");
    if command.len() < MAX_DEPTH {
        for below in commands(&help) {
            command.push(below);
            describe(binary, command, page)?;
            command.pop();
        }
    }
    Ok(())
}

/// What a command prints for `--help`: the same on every machine, whatever its terminal and environment.
fn help(binary: &Path, command: &[String]) -> Result<String> {
    let shown = || format!("tribunal {} --help", command.join(" "));
    let output = Command::new(binary)
        .args(command)
        .arg("--help")
        .env_clear()
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", shown()))?;
    if !output.status.success() {
        bail!("{} ended with {}: {}", shown(), output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    let text = String::from_utf8(output.stdout).with_context(|| format!("{} prints no UTF-8", shown()))?;
    Ok(text.trim().lines().map(|line| line.trim_end().to_owned() + "\n").collect())
}

/// Headings of a help under which there are no commands.
const OTHER_HEADINGS: [&str; 4] = ["Arguments:", "Options:", "Example:", "Examples:"];

/// The commands that a help lists, under one heading or under several. clap's own `help` is not one of ours.
fn commands(help: &str) -> Vec<String> {
    let mut is_list = false;
    let mut names = Vec::new();
    for line in help.lines().skip_while(|line| !line.starts_with("Usage:")) {
        if let Some(entry) = line.strip_prefix("  ") {
            // A name is indented by two; what explains it by more.
            let name = entry.split_whitespace().next().filter(|_| is_list && !entry.starts_with(' '));
            names.extend(name.filter(|name| *name != "help").map(str::to_owned));
        } else if !line.is_empty() {
            is_list = line.ends_with(':') && !OTHER_HEADINGS.contains(&line);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_from_a_help() {
        let help = "Puts work on trial.\n\nUsage: tribunal <COMMAND>\n\nCommands:\n  run     Runs a trial, with a text that\n          \
                    goes on\n  review  What only reviews have\n  help    Print this message\n\nOptions:\n  -h, --help  Print help\n";
        assert_eq!(commands(help), ["run", "review"]);
        let grouped = "Usage: tribunal [COMMAND]\n\nTry:\n  run  Runs\n\nSet up:\n  config  Shows\n  help    Prints\n\nOptions:\n  \
                       -h, --help  Print\n\nExamples:\n  tribunal run   try it\n";
        assert_eq!(commands(grouped), ["run", "config"]);
        assert_eq!(commands("Usage: tribunal run\n\nOptions:\n  -h, --help\n"), Vec::<String>::new());
    }
}
