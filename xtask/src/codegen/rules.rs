//! `docs/rules/`: a page for every rule of `tribunal check`, and a list of them.

use anyhow::Result;
use std::fmt::Write as _;
use tribunal_checks::{Role, rule_page, rules};

use super::{Generated, MARKDOWN_NOTE};
use crate::repo::Repo;

const FOLDER: &str = "docs/rules";

const INTRO: &str = "\
# Rules

What `tribunal check` finds, by the id that every format shows.
`tribunal explain ID` prints the same pages, and [checks.md](../checks.md) says how findings become scores.
`[checks.levels]` in `tribunal.toml` changes a level or switches a rule off.
";

pub(super) fn files(repo: &Repo) -> Result<Vec<Generated>> {
    let mut list = format!("{MARKDOWN_NOTE}{INTRO}");
    let mut role = None;
    let mut files = Vec::new();
    for rule in rules() {
        if role != Some(rule.role) {
            role = Some(rule.role);
            let title = rule.role.map_or("the check itself", Role::as_str);
            write!(list, "\n## {title}\n\n| rule | level | |\n|---|---|---|\n")?;
        }
        writeln!(list, "| [`{id}`]({id}.md) | {} | {} |", rule.level(), rule.title, id = rule.id)?;
        let page = format!("{MARKDOWN_NOTE}# `{}`: {}\n\n{}", rule.id, rule.title, rule_page(rule));
        files.push(Generated::new(format!("{FOLDER}/{}.md", rule.id), page));
    }
    files.push(Generated::new(format!("{FOLDER}/README.md"), list));
    // What is no rule any more has no page.
    let folder = repo.root().join(FOLDER);
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = format!("{FOLDER}/{}", entry?.file_name().to_string_lossy());
        if !files.iter().any(|file| file.path == path) {
            files.push(Generated::gone(path));
        }
    }
    Ok(files)
}
