//! Where the work of a run is, in the project as it stands now.
//!
//! A run spec names its folder relative to the project's, so that a project that was moved or copied goes on where it
//! is. Runs of the first format name it as it was on the machine that opened them; what that means here is told by the
//! project's configuration.

use std::path::{Component, Path, PathBuf};

/// The folder that `named` means in the project at `root`, whose work is in `configured`.
pub(crate) fn resolve(root: &Path, configured: &Path, named: &str) -> PathBuf {
    let named = Path::new(named);
    if named.is_relative() {
        let place = root.join(named);
        return place.canonicalize().unwrap_or_else(|_| root.join(plain(named)));
    }
    if named.starts_with(root) {
        return named.to_owned();
    }
    let own = configured.strip_prefix(root);
    match own {
        // The project was somewhere else then: in a folder that ended in the same way, or all of it was the workspace.
        Ok(own) if named.ends_with(own) => configured.to_owned(),
        // A folder beside the project, which nobody moved.
        _ if named.is_dir() => named.to_owned(),
        _ => configured.to_owned(),
    }
}

/// Without `.`.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_named_elsewhere_is_found_here() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (root, beside) = (base.join("p"), base.join("beside"));
        std::fs::create_dir_all(root.join("site")).unwrap();
        std::fs::create_dir_all(&beside).unwrap();
        let (site, gone) = (root.join("site"), "/nobody/has/this");
        let table: [(&str, &Path, &str, &Path); 8] = [
            ("relative", &root, ".", &root),
            ("relative, a part of it", &root, "site", &site),
            ("relative, and not there yet", &root, "./new", &root.join("new")),
            ("relative, beside it", &root, "../beside", &beside),
            ("as it was, and still is", &site, site.to_str().unwrap(), &site),
            ("the whole project moved", &root, gone, &root),
            ("its site moved with it", &site, "/nobody/has/this/site", &site),
            ("a folder that nobody moved", &site, beside.to_str().unwrap(), &beside),
        ];
        for (what, configured, named, expected) in table {
            assert_eq!(resolve(&root, configured, named), *expected, "{what}");
        }
    }
}
