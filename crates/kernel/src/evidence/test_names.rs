//! Names that make a file a test: by a runner's own habit, by the command, or by the settings at the base.

use std::collections::BTreeMap;

use super::adapt::join;
use super::given::matches;
use super::source::SourceLanguage;

/// Settings that may say which files are tests.
const SETTINGS: [&str; 6] = [".pytest.ini", "package.json", "pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini"];
const SETTINGS_BEGIN: [&str; 4] = [".mocharc", "jest.config.", "vite.config.", "vitest.config."];
/// What a line has in it that runs tests: others name files, too.
const RUNNERS: [&str; 11] =
    ["unittest", "pytest", "py.test", "nose2", "--test", "vitest", "jest", "mocha", "tape", "uvu", "ava "];
/// Patterns of one project.
const MOST_PATTERNS: usize = 200;

/// The names of tests, beside those that every runner knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct TestNames(Vec<String>);

/// Whether a file may say which files are tests.
pub(super) fn is_setting(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    SETTINGS.contains(&name) || SETTINGS_BEGIN.iter().any(|begin| name.starts_with(begin))
}

/// Whether some runner takes a file for a test by its name, though programs have such names, too: `testcalc.py` of unittest,
/// `test.js` and `calc-test.js` of Node.
pub(super) fn is_loosely_named(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, _) = name.rsplit_once('.').unwrap_or((name, ""));
    match SourceLanguage::of(path) {
        Some(SourceLanguage::Python) => stem.starts_with("test"),
        Some(SourceLanguage::Script) => matches!(stem, "test" | "spec") || stem.ends_with("-test"),
        _ => false,
    }
}

impl TestNames {
    /// What the lines name, each with the folder that it works in, and what the settings say.
    pub(super) fn read(lines: &[(String, String)], settings: &BTreeMap<String, String>) -> Self {
        let mut found = Vec::new();
        for (folder, line) in lines.iter().filter(|(_, line)| RUNNERS.iter().any(|runner| line.contains(runner))) {
            let is_unittest = line.contains("unittest");
            for word in line.split_whitespace().filter(|word| !word.starts_with('-') || word.contains('=')) {
                let word = word.rsplit('=').next().unwrap_or(word).trim_matches(['\'', '"']);
                let word = word.split("::").next().unwrap_or(word);
                if word.contains('*') || SourceLanguage::of(word).is_some() {
                    found.push(if word.contains('/') { join(folder, word) } else { word.to_owned() });
                } else if is_unittest && !matches!(word, "unittest" | "discover" | "") {
                    found.extend(modules(word).map(|path| join(folder, &path)));
                }
            }
        }
        for (path, text) in settings {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let name = path.rsplit('/').next().unwrap_or(path);
            let keys: &[&str] = match name {
                "package.json" => &["\"testMatch\"", "\"spec\""],
                name if name.starts_with(".mocharc") => &["spec"],
                name if name.starts_with("jest.") => &["testMatch"],
                name if name.starts_with("vite") => &["include"],
                _ => &["python_files"],
            };
            let patterns = keys.iter().flat_map(|key| values(text, key));
            found.extend(patterns.map(|pattern| if pattern.contains('/') { join(folder, &pattern) } else { pattern }));
        }
        found.truncate(MOST_PATTERNS);
        Self(found)
    }

    pub(super) fn fits(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_meant = |pattern: &String| {
            let bare = pattern.strip_prefix("**/").unwrap_or(pattern);
            let near = bare.replace("/**/", "/");
            if pattern.contains('/') {
                [pattern.as_str(), bare, &near].iter().any(|it| matches(it, path))
            } else {
                matches(bare, name)
            }
        };
        SourceLanguage::of(path).is_some() && self.0.iter().any(is_meant)
    }
}

/// The files that a module may be: `tests.test_a.Case` is in one of `tests.py` and `tests/test_a.py`.
fn modules(dotted: &str) -> impl Iterator<Item = String> {
    let is_name = |part: &str| part.chars().all(|c| c.is_alphanumeric() || c == '_') && !part.is_empty();
    let parts: Vec<&str> = dotted.split('.').collect();
    let count = if parts.iter().all(|part| is_name(part)) { parts.len() } else { 0 };
    (1..=count).map(move |count| format!("{}.py", parts[..count].join("/"))).collect::<Vec<_>>().into_iter()
}

/// The patterns that a setting has after a key: up to the end of its list, or of the lines that go on with it.
fn values(text: &str, key: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(key) {
        let rest = text[at + key.len()..].trim_start_matches([' ', '"', '\'', ':', '=']);
        let end = if rest.starts_with('[') {
            list_end(rest)
        } else {
            // An INI file goes on with lines that are indented.
            let mut end = 0;
            for (number, line) in rest.split_inclusive('\n').enumerate() {
                if number > 0 && !line.starts_with([' ', '\t']) {
                    break;
                }
                end += line.len();
            }
            end
        };
        let words = rest[..end].split(|c: char| c.is_whitespace() || "'\",".contains(c));
        let words = words.map(|word| word.trim_start_matches('['));
        found.extend(words.filter(|word| word.contains('*') || SourceLanguage::of(word).is_some()).map(plain));
    }
    found
}

/// Where a list ends, past brackets inside of its strings.
fn list_end(text: &str) -> usize {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '\'' | '"' | '`') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, ']') => return at,
            _ => {}
        }
    }
    text.len()
}

/// A pattern with nothing in it but `*`: what chooses between endings is any ending.
fn plain(pattern: &str) -> String {
    let pattern = pattern.trim_start_matches("<rootDir>/").trim_start_matches("./");
    let end = ["?(", "+(", "@(", "{", "["].iter().filter_map(|sign| pattern.find(sign)).min();
    end.map_or_else(|| pattern.to_owned(), |end| format!("{}*", &pattern[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_known_by_what_the_base_calls_one() {
        let lines = |line: &str| [(String::new(), line.to_owned())];
        let none = BTreeMap::new();
        for (line, path, expected) in [
            ("node --test cases/*.js", "cases/a.js", true),
            ("node --test cases/*.js", "src/a.js", false),
            ("python3 -m unittest discover -p check_*.py", "tools/check_a.py", true),
            ("python3 -m unittest discover --pattern=check_*.py", "check_a.py", true),
            ("python3 -m unittest calc_checks.Case", "calc_checks.py", true),
            ("python3 -m unittest suite.basic", "suite/basic.py", true),
            ("pytest checks/basic.py::test_a", "checks/basic.py", true),
            ("pytest -q", "calc.py", false),
        ] {
            assert_eq!(TestNames::read(&lines(line), &none).fits(path), expected, "{line}: {path}");
        }
        for (setting, text, path, expected) in [
            ("pytest.ini", "[pytest]\npython_files = check_*.py\n    probe_*.py\naddopts = -q\n", "a/probe_x.py", true),
            ("pytest.ini", "[pytest]\npython_files = check_*.py\naddopts = x.py\n", "x.py", false),
            (
                "pyproject.toml",
                "[tool.pytest.ini_options]\npython_files = [\n  \"check_*.py\",\n]\n",
                "check_a.py",
                true,
            ),
            ("package.json", "{\"jest\": {\"testMatch\": [\"<rootDir>/checks/**/*.js\"]}}", "checks/a/b.js", true),
            ("vitest.config.ts", "test: { include: ['probes/**/*.?(c|m)[jt]s'] }", "probes/a.ts", true),
            ("web/vitest.config.ts", "test: { include: ['probes/**'] }", "web/probes/a.ts", true),
        ] {
            let settings = BTreeMap::from([(setting.to_owned(), text.to_owned())]);
            assert_eq!(TestNames::read(&[], &settings).fits(path), expected, "{setting}: {path}");
        }
    }

    #[test]
    fn runners_have_names_that_programs_have_too() {
        for (path, expected) in [
            ("testcalc.py", true),
            ("calc.py", false),
            ("test.js", true),
            ("calc-test.mjs", true),
            ("latest.js", false),
            ("testing.go", false),
        ] {
            assert_eq!(is_loosely_named(path), expected, "{path}");
        }
    }
}
