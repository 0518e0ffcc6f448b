//! Every crate takes part in the lints of the workspace. Without the line it silently has none.

use anyhow::Result;

use super::Fault;
use crate::repo::Repo;

pub(super) fn rule(repo: &Repo) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    for manifest in repo.files(&["Cargo.toml"])? {
        let text = repo.read(&manifest)?;
        let mut sections = text.split("\n[");
        let is_package = text.starts_with("[package]") || text.contains("\n[package]");
        let has_lints = sections.any(|section| {
            let mut lines = section.lines().map(str::trim);
            lines.next().is_some_and(|name| name.trim_start_matches('[') == "lints]")
                && lines.any(|line| line == "workspace = true")
        });
        // An example that is copied and built elsewhere is its own workspace, and has no lints of ours.
        let is_apart = manifest.starts_with("examples") && text.contains("\n[workspace]");
        if is_package && !has_lints && !is_apart {
            faults.push(Fault::file(manifest, "a crate without `[lints] workspace = true`"));
        }
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::super::tests::faults;

    #[test]
    fn a_crate_without_lints_is_named() {
        let good = "[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n";
        let bad = "[package]\nname = \"b\"\nlints = 1\n[dependencies]\nworkspace = true\n";
        let files = [("Cargo.toml", "[workspace]\n"), ("crates/a/Cargo.toml", good), ("crates/b/Cargo.toml", bad)];
        assert_eq!(faults(super::rule, &files), ["crates/b/Cargo.toml: a crate without `[lints] workspace = true`"]);
    }
}
