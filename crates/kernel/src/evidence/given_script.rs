//! The given scripts that a command may start: those that it names, those that these name, and tests by their place.

use std::collections::{BTreeMap, BTreeSet};

use super::adapt::{enter, join, make_lines};
use super::recipe;
use super::runner::{Starts, starts};
use super::script::{ScriptLanguage, is_test_script};
use super::shell;
use crate::desk::looks_like_tests;
use crate::evidence::EvidenceCommand;

/// A script that the work did not change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenScript {
    /// Without one it is the command line itself.
    pub path: Option<String>,
    pub language: ScriptLanguage,
    pub text: String,
    /// Whether the command, or what stands behind it, names it: then it waits for its end.
    pub is_named: bool,
}

impl GivenScript {
    /// As it is called in a sentence.
    pub fn told(&self) -> String {
        self.path.as_ref().map_or_else(|| "the command line".to_owned(), |path| format!("`{path}`"))
    }

    /// Whether its last line may hand over to the work for good, and not to another script that is given.
    pub fn may_end_in_work(&self, all: &[GivenScript]) -> bool {
        let last = self.text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        let stem = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            name.split('.').next().unwrap_or(name).to_owned()
        };
        let others = all.iter().filter_map(|script| script.path.as_deref());
        let others = others.filter(|path| Some(*path) != self.path.as_deref());
        if self.path.is_some() && others.map(stem).any(|stem| last.contains(&format!("/{stem}"))) {
            return false;
        }
        let given: Vec<&str> = all.iter().map(|script| script.text.as_str()).collect();
        self.language.may_end_in_work(&self.text, &given.join("\n"))
    }
}

/// Scripts that call scripts.
const DEEPEST: usize = 4;
/// Scripts of one command.
const MOST_SCRIPTS: usize = 60;
/// Lines behind one command.
const MOST_LINES: usize = 200;

/// The scripts of a command, those last that decide most. `texts` are the files that commands may stand in; `unchanged`
/// reads a file that is as it was at the base.
pub fn given_scripts(
    command: &EvidenceCommand,
    texts: &BTreeMap<String, String>,
    base_paths: &[String],
    unchanged: impl Fn(&str) -> Option<String>,
) -> Vec<GivenScript> {
    let lines = lines_behind(&command.line, texts);
    let all: BTreeSet<&str> = base_paths.iter().map(String::as_str).collect();
    let mut found: Vec<GivenScript> = Vec::new();
    let add = |path: &str, is_named: bool, found: &mut Vec<GivenScript>| {
        if found.len() >= MOST_SCRIPTS || found.iter().any(|script| script.path.as_deref() == Some(path)) {
            return;
        }
        let Some(text) = unchanged(path) else { return };
        let Some(language) = ScriptLanguage::of(path, &text) else { return };
        found.push(GivenScript { path: Some(path.to_owned()), language, text, is_named });
    };
    for (folder, line) in &lines {
        for path in named(line, folder, &all) {
            add(path, !has_background(line), &mut found);
        }
    }
    let direct: Vec<Option<String>> = found.iter().map(|script| script.path.clone()).collect();
    // Named by scripts that are named, from wherever they are.
    for script in found.clone() {
        let folder = script.path.as_deref().and_then(|path| path.rsplit_once('/')).map_or("", |(folder, _)| folder);
        for place in BTreeSet::from(["", folder]) {
            for path in named(&script.text, place, &all) {
                add(path, false, &mut found);
            }
        }
    }
    let is_test =
        looks_like_tests(&command.line, &command.purpose) || lines.iter().any(|(_, line)| looks_like_tests(line, ""));
    if is_test {
        for path in base_paths.iter().filter(|path| is_test_script(path)) {
            add(path, false, &mut found);
        }
    }
    // By their place, then those that others name, then those that the command names, in its order.
    found.sort_by_key(|script| (script.is_named, direct.contains(&script.path)));
    found
}

/// A line, and the lines behind it, each with the folder that it works in.
pub(super) fn lines_behind(line: &str, texts: &BTreeMap<String, String>) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    follow(line, "", texts, 0, &mut lines);
    lines
}

/// A line, and the lines behind `npm test` and `make`, each with its folder.
fn follow(line: &str, folder: &str, texts: &BTreeMap<String, String>, depth: usize, found: &mut Vec<(String, String)>) {
    if depth > DEEPEST || found.len() >= MOST_LINES {
        return;
    }
    let Ok(commands) = shell::read(line) else {
        found.push((folder.to_owned(), line.to_owned()));
        return;
    };
    let mut folder = folder.to_owned();
    for command in &commands {
        let words = command.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        match starts(command) {
            Starts::Folder => match enter(&folder, command) {
                Ok(entered) => folder = entered,
                Err(_) => return,
            },
            Starts::Script { name, .. } => {
                let name = name.map_or("test", |name| command.words[name].text.as_str());
                let package = texts.get(&join(&folder, "package.json"));
                if let Some(script) = package.and_then(|package| recipe::script(package, name, "").ok()) {
                    follow(&script, &folder, texts, depth + 1, found);
                }
            }
            Starts::Make { at } => {
                if let Ok((place, lines)) = make_lines(texts, command, at, &folder) {
                    for line in &lines {
                        follow(line, &place, texts, depth + 1, found);
                    }
                }
            }
            Starts::Runner { .. } | Starts::Other => found.push((folder.clone(), words)),
        }
    }
}

/// Whether a line may start something that it does not wait for.
fn has_background(line: &str) -> bool {
    let rest = ["&&", ">&", "&>", "|&"].iter().fold(line.to_owned(), |line, sign| line.replace(sign, " "));
    rest.contains('&')
}

/// The paths that stand in a text, in its order.
fn named<'p>(text: &str, folder: &str, all: &BTreeSet<&'p str>) -> Vec<&'p str> {
    let is_edge = |c: char| c.is_whitespace() || "'\"`;&|()<>=,[]{}".contains(c);
    let mut found: Vec<&str> = Vec::new();
    for word in text.split(is_edge).filter(|word| !word.is_empty()) {
        let path = join(folder, word.trim_start_matches("$PWD/"));
        if let Some(path) = all.get(path.as_str()).filter(|path| !found.contains(path)) {
            found.push(path);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_found_behind_what_names_them() {
        let texts = BTreeMap::from([
            (
                "package.json".to_owned(),
                r#"{"scripts": {"test": "npm run unit", "unit": "tape test/*.js"}}"#.to_owned(),
            ),
            ("Makefile".to_owned(), "check: build\n\tsh ci/check.sh\nbuild:\n\techo\n".to_owned()),
        ]);
        let files = BTreeMap::from([
            ("check.sh", ". ./lib.sh\nsh tests/more.sh\n"),
            ("ci/check.sh", "python3 ci/a.py\n"),
            ("ci/a.py", ""),
            ("tests/more.sh", ""),
            ("test/a.js", ""),
            ("test/b.js", ""),
            ("test/fixtures/bad.js", ""),
            ("lib.sh", ""),
            ("data.json", "{}"),
            ("bin/check", "#!/bin/sh\n"),
        ]);
        let paths: Vec<String> = files.keys().map(|path| (*path).to_owned()).chain(["changed.sh".into()]).collect();
        for (line, expected) in [
            ("bash check.sh", "lib.sh tests/more.sh check.sh!"),
            ("cd ci && sh ./check.sh", "ci/a.py ci/check.sh!"),
            ("./bin/check --all", "bin/check!"),
            ("make check", "ci/a.py test/a.js test/b.js tests/more.sh ci/check.sh!"),
            ("npm test", "test/a.js test/b.js tests/more.sh"),
            ("sh check.sh && sh tests/more.sh", "lib.sh check.sh! tests/more.sh!"),
            ("if true; then sh check.sh; fi", "lib.sh tests/more.sh check.sh!"),
            ("sh check.sh & wait", "lib.sh tests/more.sh check.sh"),
            ("sh changed.sh", ""),
            ("sh data.json", ""),
            ("grep -q 2 value", ""),
        ] {
            let found = given_scripts(&EvidenceCommand::new("c", line), &texts, &paths, |path| {
                files.get(path).map(|text| (*text).to_owned())
            });
            let shown: Vec<String> = found
                .iter()
                .map(|script| script.path.clone().unwrap() + if script.is_named { "!" } else { "" })
                .collect();
            assert_eq!(shown.join(" "), expected, "{line}");
        }
    }
}
