//! Where things are kept is known to the file backend alone: nobody else makes a path into `.tribunal/`.
//!
//! Another backend keeps nothing there, so whoever needs a place asks the backend for it.

use anyhow::Result;

use super::Fault;
use crate::repo::Repo;

/// The crate that has the file backend.
const BACKEND: &str = "crates/store/src/";
/// What gives a path away, and what is said of it.
const PATHS: [(&str, &str); 4] = [
    ("Layout", "`Layout` is the file backend's own: ask the backend"),
    (".layout()", "`layout()` is for tests: ask the backend"),
    ("\".tribunal\"", "a path into `.tribunal`: ask the backend"),
    (".tribunal/", "a path into `.tribunal`: ask the backend"),
];
/// The desk's folder is the user's, wherever it is; this is where it is if nobody says otherwise.
const DESK: &str = ".tribunal/desk";
/// Hides our folder from models by its name, as it does git's.
const HIDING: &str = "crates/agents/src/hidden.rs";

pub(super) fn rule(repo: &Repo) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    for file in repo.files(&[".rs"])? {
        let path = file.to_string_lossy();
        let is_product = path.starts_with("crates/") && path.contains("/src/") && !path.starts_with("crates/testkit/");
        if !is_product || path.starts_with(BACKEND) || path == HIDING || path.ends_with("tests.rs") {
            continue;
        }
        let text = repo.read(&file)?;
        let product = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
        for (number, line) in (1..).zip(product) {
            let code = line.split("//").next().unwrap_or_default().replace(DESK, "");
            if let Some((_, what)) = PATHS.iter().find(|(path, _)| names(&code, path)) {
                faults.push(Fault::line(&file, number, (*what).to_owned()));
            }
        }
    }
    Ok(faults)
}

/// Whether a line has this in it, and not as part of a longer word.
fn names(code: &str, path: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let is_open = |at: usize| path.starts_with(char::is_alphanumeric) && is_word(code[..at].chars().next_back());
    let goes_on = |end: usize| path.ends_with(char::is_alphanumeric) && is_word(code[end..].chars().next());
    code.match_indices(path).any(|(at, _)| !is_open(at) && !goes_on(at + path.len()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::faults;
    use super::*;

    #[test]
    fn a_path_into_our_folder_is_a_fault_outside_of_the_file_backend() {
        let named = "use tribunal_store::Layout;\nlet index = root.join(\".tribunal/index.sqlite\");\n";
        let asked = "let log = store.layout().log(run); // .tribunal/runs\n";
        let fine = "/// In `.tribunal/runs`.\nstruct PageLayout;\nlet root = \".tribunal/desk\";\n#[cfg(test)]\nlet a = \".tribunal/x\";\n";
        assert_eq!(
            faults(
                rule,
                &[
                    ("crates/store/src/layout.rs", named),
                    ("crates/app/src/a.rs", named),
                    ("crates/server/src/b.rs", asked),
                    ("crates/cli/src/c.rs", fine),
                    ("crates/cli/tests/d.rs", named),
                ]
            ),
            [
                "crates/app/src/a.rs:1: `Layout` is the file backend's own: ask the backend",
                "crates/app/src/a.rs:2: a path into `.tribunal`: ask the backend",
                "crates/server/src/b.rs:1: `layout()` is for tests: ask the backend",
            ]
        );
    }
}
