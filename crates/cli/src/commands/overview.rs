//! `tribunal`: what can be done in this folder.

use std::fmt::Write as _;
use tribunal_app::overview::{self, Overview, Proposal};
use tribunal_app::{AppError, Exit, Project};

use super::print_json;
use crate::args::Global;

/// So many commands that test a project are named.
const TESTS_SHOWN: usize = 3;

pub(super) async fn overview(project: &Project, global: &Global) -> Result<Exit, AppError> {
    let overview = overview::overview(project).await?;
    if global.json {
        print_json(&overview.object());
    } else {
        print!("{}", text(&overview));
    }
    Ok(Exit::Pass)
}

fn text(overview: &Overview) -> String {
    let mut text =
        format!("Tribunal puts any agent's work on trial until it holds.\n\nIn {}:\n", overview.folder.display());
    for (what, found) in found(overview) {
        let _ = writeln!(text, "  {what:<8}{found}");
    }
    text.push_str("\nTry:\n");
    let proposals = overview.proposals();
    let width = proposals.iter().map(|proposal| proposal.command.chars().count()).max().unwrap_or_default();
    for Proposal { command, what_for } in proposals {
        let _ = writeln!(text, "  {command:<width$}  {what_for}");
    }
    text + "\n`tribunal help` lists all commands.\n"
}

/// What is here, in words.
fn found(overview: &Overview) -> Vec<(&'static str, String)> {
    let Overview { files, tests, agents, runs, .. } = overview;
    let mut found = Vec::new();
    let and_more = if files.is_complete { "" } else { " at least: the folder is large" };
    if files.pages + files.texts > 0 {
        let (pages, texts) = (counted(files.pages, "page"), counted(files.texts, "Markdown file"));
        found.push(("files", format!("{pages}, {texts}{and_more}")));
    }
    if !tests.is_empty() {
        let shown: Vec<&str> = tests.iter().take(TESTS_SHOWN).map(String::as_str).collect();
        let without = if overview.has_git { "" } else { " (no git repository: changes cannot be judged)" };
        found.push(("tests", format!("{}{without}", shown.join(", "))));
    }
    let named = |(vendor, is_usable): &(_, bool)| {
        if *is_usable { format!("{vendor}") } else { format!("{vendor} (not logged in)") }
    };
    let agents: Vec<String> = agents.iter().map(named).collect();
    let none = "none installed; checks and the house panel need none";
    found.push(("agents", if agents.is_empty() { none.to_owned() } else { agents.join(", ") }));
    if *runs > 0 {
        found.push(("runs", runs.to_string()));
    }
    found
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
