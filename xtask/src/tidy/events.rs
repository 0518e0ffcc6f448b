//! Every event has a frozen example: what was written once must stay readable for ever.

use anyhow::Result;

use super::Fault;
use crate::repo::Repo;

const SOURCE: &str = "crates/kernel/src/event.rs";
const EXAMPLES: &str = "testdata/events";

pub(super) fn rule(repo: &Repo) -> Result<Vec<Fault>> {
    let source = repo.read(SOURCE)?;
    let names = names(&source);
    if names.is_empty() {
        return Ok(vec![Fault::file(SOURCE, "no names of events found: `Self::… => \"name\"`")]);
    }
    let examples = names.iter().map(|name| (name, format!("{EXAMPLES}/{name}.json")));
    let missing = examples.filter(|(_, example)| !repo.has(example));
    Ok(missing.map(|(name, example)| Fault::file(example, format!("missing: a frozen example of `{name}`"))).collect())
}

/// The names in the arms of `Event::name`.
fn names(source: &str) -> Vec<&str> {
    let arms = source.lines().map(str::trim).filter(|line| line.starts_with("Self::"));
    arms.filter_map(|arm| arm.split_once("=> \"")?.1.strip_suffix("\",")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::faults;
    use super::*;

    #[test]
    fn an_event_without_an_example_is_named() {
        let source = "match self {\n  Self::RunOpened { .. } => \"run_opened\",\n  Self::RunClosed { .. } => \"run_closed\",\n  \
                      Self::X => 1,\n}\n";
        assert_eq!(names(source), ["run_opened", "run_closed"]);
        assert_eq!(
            faults(rule, &[(SOURCE, source), ("testdata/events/run_opened.json", "{}")]),
            ["testdata/events/run_closed.json: missing: a frozen example of `run_closed`"]
        );
    }
}
