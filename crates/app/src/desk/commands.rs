//! The commands that prove work on a project: what its files show, and what the words of a wish suggest.

use std::fs;
use std::path::Path;

use super::answers::CommandAnswer;
use crate::project::Project;

const PYTEST: &str = "python3 -m pytest -q";
const UNITTEST: &str = "python3 -m unittest";
/// So many files of a folder are looked at for tests.
const MOST_FILES: usize = 500;
/// So much of a test file is read to see what runs it.
const MOST_READ: usize = 64 * 1024;
/// Files that say by their name alone what tests a project.
const TELLING: [(&str, &str); 6] = [
    ("deno.json", "deno test"),
    ("pom.xml", "mvn -q test"),
    ("gradlew", "./gradlew test"),
    ("mix.exs", "mix test"),
    ("Package.swift", "swift test"),
    ("stack.yaml", "stack test"),
];
/// Words of a wish that say what its tests will be, strongest first.
const WORDS: [(&str, &str); 15] = [
    ("pytest", PYTEST),
    ("unittest", UNITTEST),
    ("vitest", "npx vitest run"),
    ("jest", "npx jest"),
    ("cargo", "cargo test"),
    ("golang", "go test ./..."),
    ("python", PYTEST),
    ("py", PYTEST),
    ("rust", "cargo test"),
    ("rs", "cargo test"),
    ("node", "node --test"),
    ("javascript", "node --test"),
    ("js", "node --test"),
    ("bash", "sh test.sh"),
    ("shell", "sh test.sh"),
];

/// The commands that test a project: what is configured, or else what its files show.
pub fn checks(project: &Project) -> Vec<String> {
    let configured = &project.config().judge.checks;
    if configured.is_empty() { test_commands(&project.workspace()) } else { configured.clone() }
}

/// The commands that test a project, as far as its files show.
pub(crate) fn test_commands(project: &Path) -> Vec<String> {
    let shown = known_commands(project).into_iter().filter(|command| command.purpose == "Test");
    shown.map(|command| command.line).collect()
}

/// The commands that work on a project is checked with: from its files, or else from the words of the wish.
pub(super) fn commands_for(project: &Path, wish: &str) -> Vec<CommandAnswer> {
    let mut commands = known_commands(project);
    if !commands.iter().any(|command| command.purpose == "Test") {
        commands.extend(suggested(wish).map(|line| command("Test", line)));
    }
    commands
}

/// The command that the words of a wish suggest.
pub(super) fn suggested(wish: &str) -> Option<&'static str> {
    let wish = wish.to_lowercase();
    let words: Vec<&str> = wish.split(|c: char| !c.is_alphanumeric()).collect();
    WORDS.into_iter().find(|(word, _)| words.contains(word)).map(|(_, line)| line)
}

fn known_commands(project: &Path) -> Vec<CommandAnswer> {
    let has = |name: &str| project.join(name).exists();
    let mut commands = Vec::new();
    if has("Cargo.toml") {
        commands.extend([
            command("Build", "cargo build --quiet"),
            command("Test", "cargo test"),
            command("Lint", "cargo clippy -- -D warnings"),
        ]);
    }
    commands.extend(of_node(project).map(|line| command("Test", line)));
    if has("go.mod") {
        commands.extend([command("Build", "go build ./..."), command("Test", "go test ./...")]);
    }
    commands.extend(of_python(project).map(|line| command("Test", line)));
    commands.extend(TELLING.into_iter().filter(|(name, _)| has(name)).map(|(_, line)| command("Test", line)));
    if commands.is_empty() {
        commands.extend(of_make(project).map(|line| command("Test", line)));
    }
    if commands.is_empty() && has("test.sh") {
        commands.push(command("Test", "sh test.sh"));
    }
    commands
}

pub(super) fn command(purpose: &str, line: &str) -> CommandAnswer {
    CommandAnswer { purpose: purpose.into(), line: line.into() }
}

/// What `package.json` runs, or else what its tests are written for. A package without tests has no command.
fn of_node(project: &Path) -> Option<&'static str> {
    let text = fs::read_to_string(project.join("package.json")).ok()?;
    let Ok(package) = serde_json::from_str::<serde_json::Value>(&text) else { return Some("npm test") };
    // The one that `npm init` writes fails whatever is done.
    let script = package["scripts"]["test"].as_str().filter(|script| !script.contains("no test specified"));
    if script.is_some() {
        return Some("npm test");
    }
    let needs = |name: &str| ["dependencies", "devDependencies"].iter().any(|kind| package[*kind].get(name).is_some());
    if needs("vitest") {
        return Some("npx vitest run");
    }
    if needs("jest") {
        return Some("npx jest");
    }
    let is_test = |name: &str| [".test.js", ".test.mjs", ".test.cjs"].iter().any(|end| name.ends_with(end));
    tests_in(project, is_test).next().map(|_| "node --test")
}

fn of_python(project: &Path) -> Option<&'static str> {
    const MARKS: [&str; 6] = ["pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "pytest.ini", "requirements.txt"];
    let is_test =
        |name: &str| name.strip_suffix(".py").is_some_and(|stem| stem.starts_with("test_") || stem.ends_with("_test"));
    let tests: Vec<String> = tests_in(project, is_test).collect();
    let is_python = !tests.is_empty() || MARKS.iter().any(|name| project.join(name).exists());
    let settings = ["pytest.ini", "conftest.py", "tests/conftest.py"].iter().any(|name| project.join(name).exists());
    let names_pytest = MARKS.iter().filter_map(|name| fs::read_to_string(project.join(name)).ok());
    let needs_pytest = settings || names_pytest.chain(tests.iter().cloned()).any(|text| text.contains("pytest"));
    let is_unittest = !tests.is_empty() && tests.iter().all(|text| text.contains("import unittest"));
    is_python.then_some(if is_unittest && !needs_pytest { UNITTEST } else { PYTEST })
}

/// The target that tests, where a Makefile has one.
fn of_make(project: &Path) -> Option<&'static str> {
    let names = ["GNUmakefile", "makefile", "Makefile"];
    let text = names.iter().find_map(|name| fs::read_to_string(project.join(name)).ok())?;
    let has = |target: &str| {
        let rest = |line: &str| line.strip_prefix(target).map(|rest| rest.trim_start().to_owned());
        text.lines().filter_map(rest).any(|rest| rest.starts_with(':') && !rest.starts_with(":="))
    };
    [("test", "make test"), ("check", "make check")].into_iter().find(|(target, _)| has(target)).map(|(_, line)| line)
}

/// The texts of the test files in a project and its usual folders for tests.
fn tests_in<'p>(project: &'p Path, is_test: impl Fn(&str) -> bool + Copy + 'p) -> impl Iterator<Item = String> + 'p {
    let folders = ["", "tests", "test", "src"].map(|folder| project.join(folder));
    let entries =
        folders.into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flat_map(|entries| entries.take(MOST_FILES));
    let files = entries.flatten().filter(move |entry| entry.file_name().to_str().is_some_and(is_test));
    files.filter_map(|entry| {
        let bytes = fs::read(entry.path()).ok()?;
        Some(String::from_utf8_lossy(&bytes[..bytes.len().min(MOST_READ)]).into_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        dir
    }

    #[test]
    fn a_project_shows_what_tests_it() {
        for (name, files, expected) in [
            ("nothing", &[][..], &[][..]),
            ("words are no test", &[("README.md", "pytest")], &[]),
            ("rust", &[("Cargo.toml", "")], &["cargo test"]),
            ("go", &[("go.mod", "")], &["go test ./..."]),
            ("a test file alone", &[("test_range.py", "def test_x(): pass")], &[PYTEST]),
            ("in a folder", &[("tests/test_range.py", "import pytest")], &[PYTEST]),
            ("unittest", &[("tests/test_a.py", "import unittest\n")], &[UNITTEST]),
            ("unittest, run by pytest", &[("tests/test_a.py", "import unittest\n"), ("pytest.ini", "")], &[PYTEST]),
            ("python", &[("pyproject.toml", "")], &[PYTEST]),
            ("npm", &[("package.json", r#"{"scripts": {"test": "node --test"}}"#)], &["npm test"]),
            ("npm init", &[("package.json", r#"{"scripts": {"test": "echo \"Error: no test specified\""}}"#)], &[]),
            ("vitest", &[("package.json", r#"{"devDependencies": {"vitest": "1"}}"#)], &["npx vitest run"]),
            ("node", &[("package.json", "{}"), ("test/a.test.js", "")], &["node --test"]),
            ("no package yet", &[("package.json", "{")], &["npm test"]),
            ("make", &[("Makefile", "all:\n\ttrue\ntest: all\n\ttrue\n")], &["make test"]),
            ("make without tests", &[("Makefile", "all:\n\ttrue\ntest := x\ntests:\n")], &[]),
            ("a script", &[("test.sh", "")], &["sh test.sh"]),
            (
                "several",
                &[("Cargo.toml", ""), ("package.json", r#"{"scripts": {"test": "x"}}"#)],
                &["cargo test", "npm test"],
            ),
        ] {
            assert_eq!(test_commands(project(files).path()), expected, "{name}");
        }
    }

    #[test]
    fn the_words_of_a_wish_count_where_files_say_nothing() {
        for (wish, expected) in [
            ("Implement a Python calculator with pytest tests", Some(PYTEST)),
            ("add unittest cases in Python", Some(UNITTEST)),
            ("fix parse.py", Some(PYTEST)),
            ("a Rust parser", Some("cargo test")),
            ("go on with the node server", Some("node --test")),
            ("make it trustworthy", None),
            ("", None),
        ] {
            let found = commands_for(project(&[]).path(), wish);
            assert_eq!(found.first().map(|command| command.line.as_str()), expected, "{wish}");
        }
        let both = commands_for(project(&[("go.mod", "")]).path(), "like the Python one, with pytest");
        assert!(both.iter().all(|command| command.line.starts_with("go ")), "files first: {both:?}");
    }
}
