//! Folders below the project that have tests of their own: where a project is many packages, its top has none.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tribunal_engine::tree::NamedChange;

use crate::desk::test_commands;

const NAME_ONE: &str = "name one: `tribunal judge --check \"python3 -m pytest\"`, or set `checks` under `[judge]`";
/// So many folders are named.
const MOST_NAMED: usize = 5;

/// What to do where the project's own files show no command.
pub(super) async fn hint(workspace: &Path, change: &NamedChange) -> String {
    let Some(top) = NamedChange::top(workspace).await else { return NAME_ONE.to_owned() };
    let changed = change.paths(&top).await.unwrap_or_default();
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (top, workspace) = (real(&top), real(workspace));
    told(&packages(&workspace, changed.iter().map(|path| top.join(path))))
}

/// The outermost folders below the workspace that hold changed files and show what tests them.
fn packages(workspace: &Path, changed: impl Iterator<Item = PathBuf>) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for path in changed {
        let folders: Vec<&Path> = path
            .ancestors()
            .skip(1)
            .take_while(|folder| *folder != workspace && folder.starts_with(workspace))
            .collect();
        for folder in folders.into_iter().rev() {
            if seen.insert(folder.to_owned()) && !test_commands(folder).is_empty() {
                found.insert(folder.to_owned());
            }
            if found.contains(folder) {
                break;
            }
        }
    }
    found
}

fn told(packages: &BTreeSet<PathBuf>) -> String {
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
    let shown = |path: &PathBuf| path.strip_prefix(&here).unwrap_or(path).display().to_string();
    let names: Vec<String> = packages.iter().take(MOST_NAMED).map(shown).collect();
    match names.as_slice() {
        [] => NAME_ONE.to_owned(),
        [only] => format!("the tests of what changed are in {only}: `tribunal -C {only} judge`; or {NAME_ONE}"),
        [first, ..] => format!(
            "the tests of what changed are in {}: judge each of them, as in `tribunal -C {first} judge`; or {NAME_ONE}",
            names.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outermost_folder_with_tests_is_the_package() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for path in ["packages/calc/tests/test_calc.py", "packages/web/src/deep/a.js", "docs/a.md", "Makefile.txt"] {
            std::fs::create_dir_all(top.join(path).parent().unwrap()).unwrap();
            std::fs::write(top.join(path), "").unwrap();
        }
        std::fs::write(top.join("packages/web/go.mod"), "").unwrap();
        for (name, changed, expected) in [
            ("a program", &["packages/calc/calc.py"][..], &["packages/calc"][..]),
            ("a test", &["packages/calc/tests/test_calc.py"], &["packages/calc"]),
            ("deep", &["packages/web/src/deep/a.js", "packages/web/b"], &["packages/web"]),
            ("two", &["packages/web/b", "packages/calc/calc.py"], &["packages/calc", "packages/web"]),
            ("none", &["docs/a.md", "Makefile.txt"], &[]),
            ("elsewhere", &["../other/test_a.py"], &[]),
        ] {
            let found = packages(&top, changed.iter().map(|path| top.join(path)));
            let expected: BTreeSet<PathBuf> = expected.iter().map(|path| top.join(path)).collect();
            assert_eq!(found, expected, "{name}");
        }
        assert!(told(&BTreeSet::new()).starts_with("name one"));
    }
}
