//! Pure crates: what they depend on is a budget, not a habit. Nothing there may do IO.

use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::path::Path;

use super::Fault;
use crate::repo::Repo;

/// What a crate may depend on, and what it does depend on.
const BUDGETS: &[(&str, &[&str])] = &[
    (
        "crates/kernel/Cargo.toml",
        &["schemars", "serde", "serde_json", "sha2", "thiserror", "tribunal-anchors", "tribunal-wire", "uuid"],
    ),
    ("crates/anchors/Cargo.toml", &["regex", "regex-automata", "serde", "serde_json", "strsim", "thiserror", "toml"]),
    (
        "crates/checks/Cargo.toml",
        &["cssparser", "html5ever", "palette", "precomputed-hash", "pulldown-cmark", "selectors", "tribunal-anchors"],
    ),
    ("crates/wire/Cargo.toml", &["memchr"]),
];

pub(super) fn rule(repo: &Repo) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    for (manifest, budget) in BUDGETS {
        let text = repo.read(Path::new(manifest))?;
        let parsed: toml::Table = text.parse().with_context(|| (*manifest).to_owned())?;
        let used: BTreeSet<&str> = match parsed.get("dependencies").and_then(toml::Value::as_table) {
            Some(table) => table.keys().map(String::as_str).collect(),
            None => BTreeSet::new(),
        };
        let budget: BTreeSet<&str> = budget.iter().copied().collect();
        let beyond = used.difference(&budget).map(|name| format!("a pure crate may not depend on `{name}`"));
        let unused = budget.difference(&used).map(|name| format!("`{name}` is in its budget and not used any more"));
        faults.extend(beyond.chain(unused).map(|what| Fault::file(*manifest, what)));
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::super::tests::faults;
    use super::BUDGETS;

    #[test]
    fn what_is_beyond_a_budget_or_left_of_it_is_named() {
        let manifest = |names: &[&str]| {
            let lines = names.iter().map(|name| format!("{name}.workspace = true\n")).collect::<Vec<_>>().concat();
            format!("[package]\nname = \"a\"\n\n[dependencies]\n{lines}\n[dev-dependencies]\nproptest = \"1\"\n")
        };
        let mut files: Vec<(&str, String)> = BUDGETS.iter().map(|(path, budget)| (*path, manifest(budget))).collect();
        let given = |files: &[(&str, String)]| {
            let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
            faults(super::rule, &files)
        };
        assert_eq!(given(&files), [] as [String; 0]);
        files[3].1 = manifest(&["tokio"]);
        assert_eq!(
            given(&files),
            [
                "crates/wire/Cargo.toml: a pure crate may not depend on `tokio`",
                "crates/wire/Cargo.toml: `memchr` is in its budget and not used any more",
            ]
        );
    }
}
