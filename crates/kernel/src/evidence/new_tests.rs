//! New tests beside given ones. Most runners load them into one process, and a new test may change the program there that
//! the given ones test; so these have to be green without it, too.
//!
//! A new file is not taken away but emptied: who lists a folder finds it, and a package stays one.

use std::collections::BTreeSet;

use super::comparison::TestComparison;
use super::loads::{defines, is_told_missing, loads};
use super::plan::{ChangedPath, EvidencePlan, Touch, TouchedPath, TreeEdit, TreeRole};
use super::report::TestReport;
use super::run_seen::{RunSeen, RunState, named};
use super::source::SourceLanguage;
use super::test_text::has_tests;
use super::value::CommandEvidence;

/// A new file, and what stands in its place where the given tests run without it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTest {
    pub path: String,
    pub emptied: TreeEdit,
    /// As the work has it.
    text: String,
}

impl NewTest {
    /// What is new in a source file and built for tests alone: the file without that.
    pub(super) fn of_module(path: &str, text: String) -> Self {
        Self { path: path.to_owned(), emptied: TreeEdit::Write { path: path.to_owned(), text }, text: String::new() }
    }
}

/// The new tests that could change what given ones test. Not those of Rust and C, which are programs of their own or parts of
/// a source file, and not what somebody allowed.
pub(super) fn apart(
    plan: &EvidencePlan,
    changed: &[ChangedPath],
    base_paths: &[String],
    head_text: impl Fn(&str) -> Option<String>,
) -> Vec<NewTest> {
    let is_new = |touched: &&TouchedPath| touched.what == Touch::TestAdded && !touched.allowed;
    let is_beside = |path: &&str| {
        let language = SourceLanguage::of(path);
        let is_given = |other: &String| plan.roles.is_test(other) && SourceLanguage::of(other) == language;
        language.is_some_and(|language| language != SourceLanguage::Rust)
            && !is_linked(path)
            && base_paths.iter().any(is_given)
    };
    let new = plan.touched.iter().filter(is_new).map(|touched| touched.path.as_str());
    // A runner may load what only looks like a test.
    let is_loose =
        |path: &&str| plan.roles.is_loose(path) && !plan.touched.iter().any(|touched| touched.path == **path);
    let added = changed.iter().filter(|changed| !changed.is_at_base).map(|changed| changed.path.as_str());
    let new = new.chain(added.filter(is_loose)).filter(is_beside);
    let left_out = new.map(|path| {
        let text = head_text(path).unwrap_or_default();
        let emptied = match emptied(path, &text) {
            Some(text) => TreeEdit::Write { path: path.to_owned(), text },
            None => TreeEdit::Remove(path.to_owned()),
        };
        NewTest { path: path.to_owned(), emptied, text }
    });
    left_out.collect()
}

/// Whether a file is a program of its own, or linked into one.
fn is_linked(path: &str) -> bool {
    let extension = path.rsplit('.').next().unwrap_or_default();
    matches!(extension, "c" | "h" | "cc" | "cpp" | "hpp")
}

/// A file in which nothing happens, with the remarks at its beginning; nothing where there is no such file.
fn emptied(path: &str, text: &str) -> Option<String> {
    let language = SourceLanguage::of(path)?;
    let head = |sign: &str| -> String {
        let is_remark = |line: &&str| line.trim().is_empty() || line.starts_with(sign);
        text.split_inclusive('\n').take_while(is_remark).collect()
    };
    match language {
        SourceLanguage::Python => Some(head("#")),
        SourceLanguage::Go => {
            let package = text.lines().find(|line| line.starts_with("package "))?;
            Some(format!("{}{}\n", head("//"), package.split("//").next().unwrap_or(package).trim_end()))
        }
        SourceLanguage::Script => Some(emptied_script(path, text, &head("//"))),
        SourceLanguage::Rust | SourceLanguage::CLike => None,
    }
}

/// vitest and jest want a test in every file of tests: one that is skipped.
fn emptied_script(path: &str, text: &str, head: &str) -> String {
    let is_typed = path.rsplit('.').next().is_some_and(|extension| extension.contains("ts"));
    let marks = if is_typed { "/* eslint-disable */\n// @ts-nocheck\nexport {};\n" } else { "/* eslint-disable */\n" };
    let head = if head.ends_with('\n') || head.is_empty() { head.to_owned() } else { format!("{head}\n") };
    if !has_tests(SourceLanguage::Script, text) {
        return format!("{head}{marks}");
    }
    if text.contains("'vitest'") || text.contains("\"vitest\"") {
        return format!("{head}{marks}import {{ test }} from 'vitest';\ntest.skip('left out', () => {{}});\n");
    }
    let skip = "if (typeof test === 'function' && test.skip) test.skip('left out', () => {});\n";
    if ["node:test", "'tap'", "\"tap\"", "tape", "'ava'", "\"ava\""].iter().any(|runner| text.contains(runner)) {
        return format!("{head}{marks}");
    }
    format!("{head}{marks}{skip}")
}

impl EvidencePlan {
    /// From the head to the tree with the given tests and without the new ones, but for those that are kept.
    pub fn without_new_tests(&self, kept: &[String], removed: &[String]) -> Vec<TreeEdit> {
        let is_left_out = |path: &str| !kept.iter().any(|kept| kept == path);
        let new = self.new_beside.iter().filter(|new| is_left_out(&new.path)).map(|new| {
            if removed.contains(&new.path) { TreeEdit::Remove(new.path.clone()) } else { new.emptied.clone() }
        });
        // A file of the work is put back, or without what is new in it: never both.
        let is_twice = |edit: &&TreeEdit| match edit {
            TreeEdit::Write { path, .. } => self.new_beside.iter().any(|new| new.path == *path) && is_left_out(path),
            TreeEdit::Restore(_) | TreeEdit::Remove(_) => false,
        };
        self.given.iter().filter(|edit| !is_twice(edit)).cloned().chain(new).collect()
    }

    /// New files that given tests ask for: the base says itself that it lacks them.
    pub fn asked_for_at_base(&self, printed: &str) -> Vec<String> {
        // One that stands in the way of the work is not what was missing.
        let is_shadow = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            self.sources.iter().any(|source| source.rsplit('/').next() == Some(name))
        };
        let is_asked = |new: &&NewTest| {
            (is_told_missing(printed, &new.path) && !is_shadow(&new.path)) || defines(&new.path, &new.text, printed)
        };
        let mut kept: Vec<String> = self.new_beside.iter().filter(is_asked).map(|new| new.path.clone()).collect();
        self.close(&mut kept);
        kept
    }

    /// New files without tests that the work seems to load: `text_of` reads a file of the work.
    pub fn loaded_by_work(&self, text_of: impl Fn(&str) -> Option<String>) -> Vec<String> {
        let texts: Vec<(&String, String)> =
            self.sources.iter().filter_map(|path| Some((path, text_of(path)?))).collect();
        let is_loaded = |new: &&NewTest| {
            let language = SourceLanguage::of(&new.path);
            language.is_some_and(|language| !has_tests(language, &new.text))
                && texts.iter().any(|(path, text)| loads(path, text, &new.path))
        };
        self.new_beside.iter().filter(is_loaded).map(|new| new.path.clone()).collect()
    }

    /// Those among them that a run without them asked for, and what these need.
    pub fn missed(&self, removed: &[String], printed: &str) -> Vec<String> {
        let mut kept: Vec<String> = removed.iter().filter(|path| is_told_missing(printed, path)).cloned().collect();
        self.close(&mut kept);
        kept
    }

    /// What is kept needs what it loads itself.
    fn close(&self, kept: &mut Vec<String>) {
        let mut at = 0;
        while let Some(path) = kept.get(at).cloned() {
            at += 1;
            let text = self.new_beside.iter().find(|new| new.path == path).map_or("", |new| new.text.as_str());
            let seen: BTreeSet<&String> = kept.iter().collect();
            let more = self.new_beside.iter().filter(|new| !seen.contains(&new.path) && loads(&path, text, &new.path));
            let more: Vec<String> = more.map(|new| new.path.clone()).collect();
            kept.extend(more);
        }
    }
}

/// Whether a command asks for one of these files itself, by its path or as a module: then it is nothing without it.
pub(super) fn asks_for(line: &str, removed: &[&str], base_paths: &[String]) -> bool {
    let words = line.split(|c: char| c.is_whitespace() || "'\"`;&|()<>=,".contains(c));
    // A test in a file is asked for behind `::` or `#`.
    let words = words.filter_map(|word| word.split("::").next()?.split('#').next());
    let mut words = words.map(|word| word.trim_start_matches("./")).filter(|word| !word.is_empty());
    let ends =
        |path: &str, word: &str| path.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
    words.any(|word| {
        let is_asked = |path: &str| {
            let module = path.rsplit_once('.').map_or(path, |(module, _)| module);
            // `tests.test_a`, and `tests.test_a.Case.test_b`.
            let dotted = word.replace('.', "/");
            let is_module =
                |word: &str| ends(module, word) || word.strip_prefix(module).is_some_and(|rest| rest.starts_with('/'));
            ends(path, word) || is_module(&dotted)
        };
        removed.iter().any(|path| is_asked(path)) && !base_paths.iter().any(|path| is_asked(path))
    })
}

/// What the given tests say without the new ones, if they say something else beside them.
pub(super) fn only_beside(command: &CommandEvidence, may_change_tests: bool) -> Option<String> {
    let alone = command.on(TreeRole::WithoutNewTests)?;
    let base = command.on(TreeRole::Base).and_then(|base| base.report.as_ref());
    if !command.on(TreeRole::Given).is_some_and(RunSeen::is_green) {
        return None;
    }
    let is_empty = |report: Option<&TestReport>| report.is_none_or(|report| report.tests.is_empty());
    match &alone.state {
        RunState::Green => {
            let lost = TestComparison::of(base?, alone.report.as_ref()?);
            // Where tests may be changed, the ones of before may be gone.
            let gone =
                if may_change_tests { Vec::new() } else { [lost.vanished, lost.newly_skipped, lost.hidden].concat() };
            let names: Vec<&str> = lost.newly_failing.iter().chain(&gone).map(String::as_str).collect();
            (!names.is_empty()).then(|| format!("tests of the base do not pass: {}", named(&names)))
        }
        // Nothing is given that it could run.
        _ if command.is_reported() && is_empty(base) && is_empty(alone.report.as_ref()) => None,
        RunState::Red(why) => Some(format!("it is red: {why}")),
        RunState::Unreliable(why) => Some(format!("it cannot be believed: {why}")),
    }
}
