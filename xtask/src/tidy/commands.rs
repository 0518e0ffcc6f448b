//! Every command shows an example in its help.

use anyhow::Result;

use super::Fault;
use crate::repo::Repo;

const PAGE: &str = "docs/cli.md";

pub(super) fn rule(repo: &Repo) -> Result<Vec<Fault>> {
    let page = repo.read(PAGE)?;
    let mut faults = Vec::new();
    for section in page.split("\n## ").skip(1) {
        let (command, help) = section.split_once('\n').unwrap_or((section, ""));
        // One that only holds others says nothing that an example could show.
        let is_group = help.lines().any(|line| line == "Commands:");
        if !is_group && !help.lines().any(|line| line.starts_with("Example")) {
            faults.push(Fault::file(PAGE, format!("`{command} --help` has no `Example:`")));
        }
    }
    if page.split("\n## ").nth(1).is_none() {
        faults.push(Fault::file(PAGE, "it describes no command"));
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::super::tests::faults;
    use super::*;

    #[test]
    fn a_command_without_an_example_is_named() {
        let page = "# Command line\n\n## tribunal\n\nCommands:\n  run\n\n## tribunal run\n\nExamples:\n  tribunal run\n\n\
                    ## tribunal log\n\nUsage: tribunal log\n";
        assert_eq!(faults(rule, &[(PAGE, page)]), ["docs/cli.md: `tribunal log --help` has no `Example:`"]);
        assert_eq!(faults(rule, &[(PAGE, "# Command line\n")]), ["docs/cli.md: it describes no command"]);
    }
}
