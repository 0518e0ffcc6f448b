//! Files of which only a part steers a runner: the work keeps its own part, and the steering part is as at the base.

use serde_json::{Map, Value};

/// Keys of `package.json` that say what a test command does.
const PACKAGE_KEYS: [&str; 12] =
    ["ava", "babel", "bin", "c8", "jest", "mocha", "nyc", "overrides", "pnpm", "resolutions", "scripts", "vitest"];

/// The head's text with the base's steering part; the head's own where no part of it steers. Without a base nothing
/// steers. A text that cannot be read is the base's as a whole, or nothing.
pub fn merged(path: &str, base: Option<&str>, head: &str) -> Option<String> {
    match path.rsplit('/').next().unwrap_or(path) {
        "package.json" => merge_package(base, head),
        "go.mod" => Some(merge_go(base.unwrap_or_default(), head)),
        name => Some(merge_sections(name, base.unwrap_or_default(), head)),
    }
}

/// Whether the steering part of a file is another one now.
pub fn is_steered_anew(path: &str, base: Option<&str>, head: Option<&str>) -> bool {
    let part = |text: &str| -> String {
        match path.rsplit('/').next().unwrap_or(path) {
            "package.json" => match serde_json::from_str::<Map<String, Value>>(text) {
                Ok(package) => {
                    PACKAGE_KEYS.iter().filter_map(|key| Some(format!("{key}:{}", package.get(*key)?))).collect()
                }
                Err(_) => text.to_owned(),
            },
            "go.mod" => go_steering(text).join("\n"),
            name => {
                let sections = sections(text);
                sections.iter().map(|section| section.steering(name)).filter(|part| !part.trim().is_empty()).collect()
            }
        }
    };
    part(base.unwrap_or_default()) != part(head.unwrap_or_default())
}

fn merge_package(base: Option<&str>, head: &str) -> Option<String> {
    let mut package: Map<String, Value> = serde_json::from_str(head).ok()?;
    let given: Map<String, Value> = base.and_then(|base| serde_json::from_str(base).ok()).unwrap_or_default();
    if PACKAGE_KEYS.iter().all(|key| package.get(*key) == given.get(*key)) {
        return Some(head.to_owned());
    }
    for key in PACKAGE_KEYS {
        package.remove(key);
        if let Some(value) = given.get(key) {
            package.insert(key.to_owned(), value.clone());
        }
    }
    serde_json::to_string_pretty(&package).ok().map(|text| text + "\n")
}

/// `replace`, `exclude` and `toolchain` of `go.mod`, each with its block.
fn go_steering(text: &str) -> Vec<&str> {
    let mut is_in_block = false;
    let mut found = Vec::new();
    for line in text.lines() {
        let word = line.split_whitespace().next().unwrap_or_default();
        let is_steering = is_in_block || matches!(word, "replace" | "exclude" | "toolchain");
        if is_in_block && word == ")" {
            is_in_block = false;
        } else if is_steering && line.trim_end().ends_with('(') {
            is_in_block = true;
        }
        if is_steering {
            found.push(line);
        }
    }
    found
}

fn merge_go(base: &str, head: &str) -> String {
    let (given, own) = (go_steering(base), go_steering(head));
    if given == own {
        return head.to_owned();
    }
    let mut own = own.into_iter().peekable();
    let mut out: Vec<&str> = Vec::new();
    for line in head.lines() {
        if own.peek().is_some_and(|next| std::ptr::eq(*next, line)) {
            own.next();
        } else {
            out.push(line);
        }
    }
    out.extend(given);
    out.join("\n") + "\n"
}

/// A section of a TOML or INI file: its header, and its statements with the lines they span.
#[derive(Debug, Default)]
struct Section<'t> {
    /// As it is written; empty before the first one.
    header: &'t str,
    statements: Vec<Statement<'t>>,
}

#[derive(Debug)]
struct Statement<'t> {
    key: &'t str,
    text: String,
}

impl Section<'_> {
    fn steers(&self, file: &str) -> bool {
        let name = self.header.trim_matches(['[', ']', ' ']).replace(['"', '\'', ' '], "");
        let begins = |names: &[&str]| {
            names.iter().any(|begin| {
                name.strip_prefix(begin).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ':']))
            })
        };
        match file {
            "pyproject.toml" => begins(&[
                "tool.pytest",
                "tool.coverage",
                "tool.tox",
                "tool.nox",
                "tool.hatch.envs",
                "tool.pdm.scripts",
                "tool.poe",
                "tool.taskipy",
                "project.entry-points.pytest11",
            ]),
            "setup.cfg" => begins(&["tool:pytest", "pytest", "coverage", "aliases", "tox"]),
            _ => begins(&[
                "test",
                "profile",
                "patch",
                "replace",
                "package.metadata.nextest",
                "workspace.metadata.nextest",
            ]),
        }
    }

    /// Whether one statement steers although its section does not.
    fn steers_by(&self, file: &str, key: &str) -> bool {
        let section = self.header.trim_matches(['[', ']', ' ']);
        let key = key.replace(['"', '\'', ' '], "");
        match (file, section) {
            ("pyproject.toml", "") => ["tool.pytest", "tool.coverage"].iter().any(|begin| key.starts_with(begin)),
            ("pyproject.toml", "tool") => ["pytest", "coverage", "tox"].iter().any(|begin| key.starts_with(begin)),
            ("Cargo.toml", "package") => matches!(key.as_str(), "build" | "autotests" | "autobins" | "autobenches"),
            ("Cargo.toml", "lib" | "bin" | "example") => {
                // By its name a library is what tests test.
                matches!(key.as_str(), "test" | "harness" | "doctest" | "path") || (section == "lib" && key == "name")
            }
            ("Cargo.toml", "") => ["profile", "patch"].iter().any(|begin| key.starts_with(begin)),
            _ => false,
        }
    }

    fn steering(&self, file: &str) -> String {
        let steers = self.steers(file);
        let text: String = self
            .statements
            .iter()
            .filter(|statement| steers || self.steers_by(file, statement.key))
            .map(|statement| statement.text.as_str())
            .collect();
        if steers || !text.trim().is_empty() { format!("{}\n{text}", self.header) } else { String::new() }
    }
}

fn merge_sections(file: &str, base: &str, head: &str) -> String {
    let (given, own) = (sections(base), sections(head));
    let part = |all: &[Section<'_>]| all.iter().map(|section| section.steering(file)).collect::<String>();
    if part(&given) == part(&own) {
        return head.to_owned();
    }
    let mut out = String::new();
    let mut placed = vec![false; given.len()];
    for section in own.iter().filter(|section| !section.steers(file)) {
        if !section.header.is_empty() {
            out.push_str(section.header);
            out.push('\n');
        }
        // The base's own statements of the same section come where its header is.
        let same = given.iter().position(|other| other.header == section.header && !other.steers(file));
        if let Some(same) = same.filter(|same| !std::mem::replace(&mut placed[*same], true)) {
            let kept = given[same].statements.iter().filter(|statement| given[same].steers_by(file, statement.key));
            out.extend(kept.map(|statement| statement.text.as_str()));
        }
        let kept = section.statements.iter().filter(|statement| !section.steers_by(file, statement.key));
        out.extend(kept.map(|statement| statement.text.as_str()));
    }
    for (section, is_placed) in given.iter().zip(placed) {
        let part = section.steering(file);
        if !is_placed && !part.is_empty() {
            out.push_str(&part);
        }
    }
    out
}

/// Splits a file at its headers. Strings and lists over several lines belong to the statement that they begin in.
fn sections(text: &str) -> Vec<Section<'_>> {
    let mut found = vec![Section::default()];
    let mut open: Option<&str> = None;
    let mut depth = 0i32;
    for line in text.lines() {
        let trimmed = line.trim();
        let is_inside = open.is_some() || depth > 0;
        let is_header =
            !is_inside && trimmed.starts_with('[') && trimmed.split('#').next().unwrap_or("").trim_end().ends_with(']');
        if is_header {
            let header = trimmed.split('#').next().unwrap_or(trimmed).trim_end();
            found.push(Section { header, statements: Vec::new() });
            continue;
        }
        let section = found.last_mut().expect("there is always one");
        // An INI file goes on with a line that is indented.
        let goes_on = is_inside || (line.starts_with([' ', '\t']) && !line.contains('=') && !trimmed.is_empty());
        if let Some(statement) = section.statements.last_mut().filter(|_| goes_on) {
            statement.text = format!("{}{line}\n", statement.text);
        } else {
            let key = trimmed.split(['=', ':']).next().unwrap_or_default().trim();
            section.statements.push(Statement { key, text: format!("{line}\n") });
        }
        for quote in ["\"\"\"", "'''"] {
            let is_odd = line.matches(quote).count() % 2 == 1;
            if is_odd && open.is_none_or(|open| open == quote) {
                open = if open.is_some() { None } else { Some(quote) };
            }
        }
        if open.is_none() {
            depth += brackets(line);
        }
    }
    found
}

/// How many more brackets a line opens than it closes, outside of strings and comments.
fn brackets(line: &str) -> i32 {
    let mut quote = None;
    let mut depth = 0;
    for c in line.chars() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, '#') => break,
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            _ => {}
        }
    }
    depth
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(path: &str, base: &str, head: &str) -> String {
        merged(path, Some(base), head).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_steering_part_is_put_back_and_the_rest_stays() {
        for (what, path, base, head, expected) in [
            (
                "a script that does nothing",
                "package.json",
                r#"{"scripts": {"test": "jest"}}"#,
                r#"{"scripts": {"test": "true"}, "jest": {"bail": 1}, "dependencies": {"x": "1"}}"#,
                r#"{ "dependencies": { "x": "1" }, "scripts": { "test": "jest" } }"#,
            ),
            (
                "a plug-in and options of pytest",
                "pyproject.toml",
                "[project]\nname = \"a\"\n[tool.pytest.ini_options]\ntestpaths = [\n  \"tests\",\n]\n",
                "[project]\nname = \"a\"\ndependencies = [\"x\"]\n[tool.pytest.ini_options]\naddopts = \"-k nothing\"\n[project.entry-points.pytest11]\nx = \"a\"\n",
                "[project] name = \"a\" dependencies = [\"x\"] [tool.pytest.ini_options] testpaths = [ \"tests\", ]",
            ),
            (
                "dotted keys",
                "pyproject.toml",
                "",
                "tool.pytest.ini_options.addopts = \"--co\"\n[tool]\npytest.x = 1\nruff.y = 2\n",
                "[tool] ruff.y = 2",
            ),
            (
                "an INI section",
                "setup.cfg",
                "[metadata]\nname = a\n",
                "[metadata]\nname = a\n[tool:pytest]\naddopts =\n    --co\n",
                "[metadata] name = a",
            ),
            (
                "test targets, profiles and keys of Cargo",
                "Cargo.toml",
                "[package]\nname = \"a\"\n\n[dependencies]\n",
                "[package]\nname = \"a\"\nautotests = false\nbuild = \"b.rs\"\n\n[dependencies]\nx = \"1\"\n\n[[test]]\nname = \"t\"\nharness = false\n\n[profile.test]\npanic = \"abort\"\n\n[lib]\ntest = false\n",
                "[package] name = \"a\" [dependencies] x = \"1\" [lib]",
            ),
            (
                "a target that is given comes back",
                "Cargo.toml",
                "[package]\nname = \"a\"\n[[test]]\nname = \"t\"\n",
                "[package]\nname = \"a\"\nversion = \"1.0.0\"\n",
                "[package] name = \"a\" version = \"1.0.0\" [[test]] name = \"t\"",
            ),
            (
                "replace lines of go.mod",
                "go.mod",
                "module a\n\nreplace b => ../b\n",
                "module a\n\nrequire x v1\n\nreplace (\n\ty => ./y\n)\nreplace z => ./z\n",
                "module a require x v1 replace b => ../b",
            ),
        ] {
            assert_eq!(shown(path, base, head), expected, "{what}");
            assert!(is_steered_anew(path, Some(base), Some(head)), "{what}");
        }
    }

    #[test]
    fn a_change_of_the_works_own_part_stays_as_it_is_written() {
        for (path, base, head) in [
            (
                "package.json",
                r#"{"scripts":{"test":"jest"}}"#,
                r#"{"scripts":{"test":"jest"},   "dependencies":{"x":"1"}}"#,
            ),
            (
                "pyproject.toml",
                "[tool.pytest]\na = 1\n[project]\n",
                "# new\n[project]\nx = \"\"\"\n[tool.pytest]\n\"\"\"\n[tool.pytest]\na = 1\n",
            ),
            ("Cargo.toml", "[package]\nname = \"a\"\n", "[package]\nname = \"a\"\n[features]\nx = []\n"),
            ("go.mod", "module a\n", "module a\n\nrequire x v1 // indirect\n"),
        ] {
            assert_eq!(merged(path, Some(base), head).as_deref(), Some(head), "{path}");
            assert!(!is_steered_anew(path, Some(base), Some(head)), "{path}");
        }
        assert_eq!(merged("package.json", Some("{}"), "{broken"), None);
    }
}
