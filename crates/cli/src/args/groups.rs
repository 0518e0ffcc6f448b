//! The commands in the order in which somebody needs them, under what they want.

use clap::{Command, CommandFactory as _};
use std::fmt::Write as _;

use super::Args;

/// Every command, once. clap knows one heading for all of them; a stranger needs to know where to begin.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Try", &["demo", "init", "run", "plan", "desk"]),
    ("Judge", &["check", "fix", "judge", "explain"]),
    ("Watch", &["status", "watch", "serve", "log", "diff", "replay"]),
    (
        "Decide",
        &["adopt", "answer", "steer", "interrupt", "resume", "rerun", "fork", "reopen", "reanchor", "review", "ask"],
    ),
    ("Audit", &["verify", "proof", "export", "reindex", "clean", "parse"]),
    ("Set up", &["agents", "prices", "config", "integrate", "mcp", "completions", "man", "help"]),
];
/// Where explanations begin.
const INDENT: usize = 15;

/// The command line with its commands in groups.
pub(crate) fn command() -> Command {
    let command = Args::command();
    let template = template(&command);
    command.help_template(template)
}

fn template(command: &Command) -> String {
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n\n");
    for (heading, names) in GROUPS {
        let _ = writeln!(text, "{heading}:");
        for name in names {
            let about = command.find_subcommand(name).and_then(|below| below.get_about().map(ToString::to_string));
            let about = about.unwrap_or_else(|| "Print the help of a command".to_owned());
            let _ = writeln!(text, "  {name:<width$}{about}", width = INDENT - 2);
        }
        text.push('\n');
    }
    text + "Options:\n{options}{after-help}"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What fits a terminal of 80 columns.
    const NARROW: usize = 80;

    #[test]
    fn every_command_is_in_one_group() {
        let command = Args::command();
        let mut known: Vec<&str> =
            command.get_subcommands().filter(|below| !below.is_hide_set()).map(Command::get_name).collect();
        known.push("help");
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        known.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, known);
    }

    #[test]
    fn a_command_is_explained_on_a_line_of_a_narrow_terminal() {
        for line in template(&Args::command()).lines() {
            assert!(line.chars().count() <= NARROW, "too long: {line}");
        }
    }
}
