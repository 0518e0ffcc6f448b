//! What a file is for the checks where its name does not say it: by what commands and settings at the base name, what its
//! text is there, and what loads it there. A change has no say in any of that.

use std::collections::{BTreeMap, BTreeSet};

use super::given::{PathRole, role_of};
use super::given_script::lines_behind;
use super::loads::loads;
use super::plan::ChangedPath;
use super::source::{SourceLanguage, without_comments};
use super::standard_modules::shadows_standard_module;
use super::test_modules::{is_test_module, parents};
use super::test_names::{TestNames, is_loosely_named, is_setting};
use super::test_text::{has_tests, names_tests};

/// The roles of files that are not what they are called.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GivenRoles {
    roles: BTreeMap<String, PathRole>,
    names: TestNames,
}

/// Files of the base that are looked into for what they load.
const MOST_READ: usize = 2000;
/// Words in the names of helpers of tests, and of their folders.
const HELPERS: [&str; 14] = [
    "assert",
    "assertion",
    "expect",
    "fake",
    "harness",
    "helper",
    "matcher",
    "mock",
    "test",
    "testing",
    "testkit",
    "testlib",
    "testutil",
    "testhelper",
];
/// Changed files of data that are looked for in the sources of the base.
const MOST_DATA: usize = 500;
/// What helpers of tests have in their text.
const TEST_LIBRARIES: [&str; 12] = [
    "AssertionError",
    "import pytest",
    "from pytest",
    "import unittest",
    "from unittest",
    "node:assert",
    "'assert'",
    "\"assert\"",
    "chai",
    "@jest/globals",
    "vitest",
    "testing.T",
];

impl GivenRoles {
    /// The files of the base that have to be read first.
    pub fn wanted(changed: &[ChangedPath], base_paths: &[String]) -> Vec<String> {
        let mut wanted: BTreeSet<&str> =
            base_paths.iter().map(String::as_str).filter(|path| is_setting(path) || is_recipe(path)).collect();
        let at_base = || changed.iter().filter(|changed| changed.is_at_base).map(|changed| changed.path.as_str());
        wanted.extend(at_base().filter(|path| SourceLanguage::of(path).is_some()));
        let all: BTreeSet<&str> = base_paths.iter().map(String::as_str).collect();
        for path in at_base().filter(|path| SourceLanguage::of(path) == Some(SourceLanguage::Rust)) {
            wanted.extend(parents(path).into_iter().filter_map(|path| all.get(path.as_str()).copied()));
        }
        let is_unclear = |path: &str| {
            let is_source = SourceLanguage::of(path).is_some();
            match role_of(path) {
                PathRole::Test => is_source,
                PathRole::Work => is_loosely_named(path) || is_helper(path) || is_data(path),
                PathRole::Steering | PathRole::Mixed => false,
            }
        };
        if at_base().any(is_unclear) {
            let sources = base_paths.iter().map(String::as_str).filter(|path| SourceLanguage::of(path).is_some());
            wanted.extend(sources.take(MOST_READ));
        }
        wanted.into_iter().map(str::to_owned).collect()
    }

    /// Reads what the base says: `lines` are the commands, `base` has the texts of the files that were wanted.
    pub fn read<'l>(
        changed: &[ChangedPath],
        lines: impl IntoIterator<Item = &'l str>,
        base: &BTreeMap<String, String>,
        head_text: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let behind: Vec<(String, String)> = lines.into_iter().flat_map(|line| lines_behind(line, base)).collect();
        let settings = base.iter().filter(|(path, _)| is_setting(path));
        let names = TestNames::read(&behind, &settings.map(|(path, text)| (path.clone(), text.clone())).collect());
        let mut found = Self { roles: BTreeMap::new(), names };
        let is_changed_data = |changed: &&ChangedPath| changed.is_at_base && is_data(&changed.path);
        let data: BTreeSet<&str> =
            changed.iter().filter(is_changed_data).map(|changed| changed.path.as_str()).take(MOST_DATA).collect();
        let code =
            if data.is_empty() { SourceCode::default() } else { SourceCode::of(base, |path| found.is_test(path)) };
        for changed in changed {
            let path = changed.path.as_str();
            let role = match base.get(path).filter(|_| changed.is_at_base) {
                _ if data.contains(path) => code.role_of_data(path),
                Some(text) => found.role_at_base(path, text, base),
                None if !changed.is_at_base && shadows_standard_module(path) => Some(PathRole::Steering),
                None if !changed.is_at_base && found.is_loose(path) => {
                    let language = SourceLanguage::of(path);
                    let text = head_text(path).unwrap_or_default();
                    language.filter(|language| found.is_called_test(path, *language, &text)).map(|_| PathRole::Test)
                }
                None => None,
            };
            found.roles.extend(role.map(|role| (path.to_owned(), role)));
        }
        found
    }

    /// What a path is for the checks.
    pub fn role_of(&self, path: &str) -> PathRole {
        self.roles.get(path).copied().unwrap_or_else(|| role_of(path))
    }

    /// Whether it is a test, or may be one.
    pub fn is_test(&self, path: &str) -> bool {
        match self.roles.get(path) {
            Some(role) => *role == PathRole::Test,
            None => role_of(path) == PathRole::Test || self.is_loose(path),
        }
    }

    /// Whether nothing but its name says that a runner may load a file of the work.
    pub(super) fn is_loose(&self, path: &str) -> bool {
        role_of(path) == PathRole::Work && (self.names.fits(path) || is_loosely_named(path))
    }

    /// Whether it has a name that some runner takes, and tests in it: what a pattern alone finds has to say so more clearly.
    fn is_called_test(&self, path: &str, language: SourceLanguage, text: &str) -> bool {
        (is_loosely_named(path) && has_tests(language, text)) || (self.names.fits(path) && names_tests(language, text))
    }

    fn role_at_base(&self, path: &str, text: &str, base: &BTreeMap<String, String>) -> Option<PathRole> {
        let language = SourceLanguage::of(path)?;
        let text_of = |path: &str| base.get(path).map(String::as_str);
        match role_of(path) {
            PathRole::Test => {
                let is_work = !has_tests(language, text)
                    && self.is_loaded(path, base, false)
                    && !(language == SourceLanguage::Rust && is_test_module(path, text_of));
                is_work.then_some(PathRole::Work)
            }
            PathRole::Work if language == SourceLanguage::Rust => {
                is_test_module(path, text_of).then_some(PathRole::Test)
            }
            PathRole::Work if self.is_called_test(path, language, text) => {
                (!self.is_loaded(path, base, false)).then_some(PathRole::Test)
            }
            PathRole::Work => {
                let is_given = is_helper(path)
                    && TEST_LIBRARIES.iter().any(|library| text.contains(library))
                    && self.is_loaded(path, base, true)
                    && !self.is_loaded(path, base, false)
                    && !is_published(path, base);
                is_given.then_some(PathRole::Test)
            }
            PathRole::Steering | PathRole::Mixed => None,
        }
    }

    /// Whether a test, or something of the work, loads a file at the base.
    fn is_loaded(&self, path: &str, base: &BTreeMap<String, String>, by_test: bool) -> bool {
        let language = SourceLanguage::of(path);
        let is_meant = |own: &str| {
            let is_kind =
                if by_test { self.is_test(own) } else { self.role_of(own) == PathRole::Work && !self.is_test(own) };
            own != path && is_kind && SourceLanguage::of(own) == language
        };
        base.iter().filter(|(own, _)| is_meant(own)).any(|(own, text)| loads(own, text, path))
    }
}

/// The code of the base's sources, without remarks.
#[derive(Debug, Default)]
struct SourceCode {
    tests: Vec<String>,
    work: Vec<String>,
}

impl SourceCode {
    fn of(base: &BTreeMap<String, String>, is_test: impl Fn(&str) -> bool) -> Self {
        let mut code = Self::default();
        for (path, text) in base {
            let Some(language) = SourceLanguage::of(path) else { continue };
            let of_kind = if is_test(path) { &mut code.tests } else { &mut code.work };
            of_kind.push(without_comments(language, text));
        }
        code
    }

    /// Data is given if a test names it, or lists its folder, and the program names neither.
    fn role_of_data(&self, path: &str) -> Option<PathRole> {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (stem, ending) = name.find('.').map_or((name, ""), |at| name.split_at(at));
        let folder = folders.rsplit('/').next().unwrap_or_default();
        let names_folder = |code: &String| {
            !folder.is_empty() && ["/", "\"", "'", "`"].iter().any(|end| code.contains(&format!("{folder}{end}")))
        };
        let is_read = self.tests.iter().any(|code| code.contains(name) || names_folder(code));
        let is_used = self.work.iter().any(|code| {
            // It may put the name together.
            let is_built = !ending.is_empty() && code.contains(stem) && code.contains(ending);
            code.contains(name) || is_built || (!folder.is_empty() && code.contains(folder))
        });
        (is_read && !is_used).then_some(PathRole::Test)
    }
}

fn is_recipe(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("GNUmakefile" | "Makefile" | "makefile" | "package.json"))
}

fn is_helper(path: &str) -> bool {
    SourceLanguage::of(path).is_some() && has_part(path, &HELPERS)
}

/// Whether its name, or its folder's, has one of these words in it.
fn has_part(path: &str, words: &[&str]) -> bool {
    let path = path.to_ascii_lowercase();
    let near = path.rsplit('/').take(2).flat_map(|name| name.split(['_', '-', '.']));
    near.into_iter()
        .any(|part| words.iter().any(|word| part.strip_prefix(word).is_some_and(|rest| matches!(rest, "" | "s"))))
}

/// Whether the project's description names a file: as a program, a plugin, or where it begins.
fn is_published(path: &str, base: &BTreeMap<String, String>) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let is_description = |own: &str| matches!(own, "package.json" | "pyproject.toml" | "setup.cfg" | "setup.py");
    base.iter().any(|(own, text)| is_description(own.rsplit('/').next().unwrap_or(own)) && text.contains(stem))
}

/// Whether a file may be data that tests read: neither source nor something for people.
fn is_data(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_for_people = matches!(extension, "" | "md" | "rst" | "lock" | "adoc");
    role_of(path) == PathRole::Work && SourceLanguage::of(path).is_none() && !is_for_people
}
