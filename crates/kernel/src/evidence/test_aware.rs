//! Work that asks whether it is being tested: what is green then says nothing of it anywhere else.
//!
//! Canaries and spoiled tests find who makes everything pass. Who knows the given tests by name, looks for a runner in its own
//! process or bends its assertions can make just those pass, and be honest with all others. No run shows that, so the text has
//! to: by what is new in it, since a plugin of a runner names the runner for a reason.

use std::collections::BTreeSet;
use std::fmt;

use super::given::{PathRole, role_of};
use super::source::{SourceLanguage, without_comments};

/// A file of the work, and what in it asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestAware {
    pub path: String,
    pub sign: String,
}

impl fmt::Display for TestAware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (`{}`)", self.path, self.sign)
    }
}

/// What asks for a runner in the process that it runs in, or bends its assertions. To use unittest is neither.
const PYTHON: [&str; 9] = [
    "_pytest",
    "PYTEST_CURRENT_TEST",
    "PYTEST_VERSION",
    "\"pytest\" in",
    "'pytest' in",
    "\"unittest\" in",
    "'unittest' in",
    "TestCase.",
    "setattr(unittest",
];
const SCRIPT: [&str; 18] = [
    "JEST_WORKER_ID",
    "NODE_TEST_CONTEXT",
    "VITEST_WORKER_ID",
    "VITEST_POOL_ID",
    "process.env.VITEST",
    "expect.extend",
    "expect.getState",
    "global.expect",
    "globalThis.expect",
    "global.test",
    "globalThis.test",
    "global.it ",
    "globalThis.it ",
    "typeof expect",
    "typeof describe",
    "typeof jest",
    "'node:test'",
    "\"node:test\"",
];
const GO: [&str; 6] = ["testing.Testing()", "flag.Lookup(\"test.", "\"-test.", "\"test.", "\".test\"", "\"testing\""];
const RUST: [&str; 4] = ["cfg!(test)", "cfg(not(test))", "RUST_TEST_", "NEXTEST"];
/// What tests assert with in Rust: a macro of the same name takes its place.
const RUST_ASSERTIONS: [&str; 9] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "matches",
    "panic",
    "unreachable",
];
/// Signs in one file that are told.
const MOST_TOLD: usize = 1;

/// What in the new lines of a file asks whether it is tested. `given` are the files with given tests.
pub(super) fn signs<'g>(
    path: &str,
    base: Option<&str>,
    head: &str,
    given: impl IntoIterator<Item = &'g str>,
) -> Vec<TestAware> {
    let Some(language) = SourceLanguage::of(path) else { return Vec::new() };
    let before = base.map(|base| without_comments(language, base)).unwrap_or_default();
    let known: BTreeSet<&str> = before.lines().map(str::trim).collect();
    let now = without_comments(language, head);
    let new: Vec<&str> = now.lines().map(str::trim).filter(|line| !line.is_empty() && !known.contains(line)).collect();
    let words: &[&str] = match language {
        SourceLanguage::Python => &PYTHON,
        SourceLanguage::Script => &SCRIPT,
        SourceLanguage::Go => &GO,
        SourceLanguage::Rust => &RUST,
        SourceLanguage::CLike => &[],
    };
    // Who named it before the change has a reason to.
    let mut found: Vec<String> = words
        .iter()
        .filter(|word| !before.contains(**word) && new.iter().any(|line| line.contains(**word)))
        .map(|word| word.trim().to_owned())
        .collect();
    if language == SourceLanguage::Python && !before.lines().any(looks_for_runner) {
        let asks = new.iter().any(|line| looks_for_runner(line));
        found.extend(asks.then(|| "sys.modules".to_owned()));
    }
    if language == SourceLanguage::Rust {
        found.extend(new.iter().filter_map(|line| redefined_assertion(line)));
    } else {
        let names = given.into_iter().filter_map(told_name);
        found.extend(names.filter(|name| new.iter().any(|line| line.contains(name))).map(str::to_owned));
    }
    found.truncate(MOST_TOLD);
    found.into_iter().map(|sign| TestAware { path: path.to_owned(), sign }).collect()
}

/// Whether a line looks for a runner among the modules that are loaded.
fn looks_for_runner(line: &str) -> bool {
    line.contains("modules") && ["pytest", "unittest"].iter().any(|runner| line.contains(runner))
}

fn redefined_assertion(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("macro_rules!")?;
    let name = rest.trim_start().split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    RUST_ASSERTIONS.contains(&name).then(|| format!("macro_rules! {name}"))
}

/// The name of a file with tests, where it says by itself that it is one.
fn told_name(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    let stem = name.split('.').next()?;
    let is_telling = role_of(name) == PathRole::Test && SourceLanguage::of(name).is_some();
    (is_telling && !matches!(stem, "test" | "tests" | "spec")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_asks_whether_it_is_tested_is_told() {
        let given = ["tests/test_calc.py", "test/calc.test.js", "calc_test.go", "tests/it/main.rs"];
        for (path, base, head, expected) in [
            ("calc.py", "", "import sys\nmod = sys.modules.get(\"_pytest.python\")\n", "_pytest"),
            ("calc.py", "", "if \"pytest\" in sys.modules:\n    pass\n", "\"pytest\" in"),
            ("calc.py", "", "mod = sys.modules.get('unittest')\n", "sys.modules"),
            ("calc.py", "", "unittest.TestCase.assertEqual = lambda *_: None\n", "TestCase."),
            ("calc.py", "", "import unittest\ncase = unittest.TestCase()\ncase.assertEqual(1, 1)\n", ""),
            ("testing.py", "", "import pytest\n", ""),
            ("calc.py", "", "p = here / \"tests\" / \"test_calc.py\"\n", "test_calc.py"),
            ("calc.py", "", "# not for _pytest\n\"\"\"\n_pytest\n\"\"\"\n", ""),
            ("plugin.py", "import _pytest\n", "import _pytest\nfrom _pytest import python\n", ""),
            ("calc.js", "", "if (typeof expect !== 'undefined') {}\n", "typeof expect"),
            ("calc.js", "", "expect.extend({ toBe() {} });\n", "expect.extend"),
            ("calc.js", "", "const text = read('test/calc.test.js');\n", "calc.test.js"),
            ("calc.js", "", "const latest = expectation;\n", ""),
            ("calc.go", "", "if flag.Lookup(\"test.v\") != nil {\n", "flag.Lookup(\"test."),
            ("calc.go", "", "b, _ := os.ReadFile(\"calc_test.go\")\n", "calc_test.go"),
            ("src/lib.rs", "", "macro_rules! assert_eq { ($($x:tt)*) => {} }\n", "macro_rules! assert_eq"),
            ("src/lib.rs", "", "#[cfg(not(test))]\nfn a() {}\n", "cfg(not(test))"),
            ("src/lib.rs", "", "#![cfg_attr(not(test), no_std)]\nmacro_rules! vector { () => {} }\n", ""),
            ("src/main.rs", "", "include!(\"main.rs\");\n", ""),
            ("notes.md", "", "import pytest\n", ""),
        ] {
            let seen = signs(path, Some(base), head, given);
            assert_eq!(seen.first().map_or("", |seen| seen.sign.as_str()), expected, "{path}: {head}");
        }
    }
}
