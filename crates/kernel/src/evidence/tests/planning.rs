//! Which trees are made of a change.

use std::collections::BTreeMap;

use crate::evidence::{ChangedPath, GivenRoles, MayChange, PlanInput, TreeEdit};

type Files = BTreeMap<&'static str, &'static str>;

fn shown(base: &[(&'static str, &'static str)], head: &[(&'static str, &'static str)], allowed: &[&str]) -> String {
    let (base, head): (Files, Files) = (base.iter().copied().collect(), head.iter().copied().collect());
    let mut paths: Vec<&str> = base.keys().chain(head.keys()).copied().collect();
    paths.sort_unstable();
    paths.dedup();
    let changed: Vec<ChangedPath> = paths
        .into_iter()
        .filter(|path| base.get(path) != head.get(path))
        .map(|path| ChangedPath {
            path: path.into(),
            is_at_base: base.contains_key(path),
            is_at_head: head.contains_key(path),
        })
        .collect();
    let base_paths: Vec<String> = base.keys().map(|path| (*path).to_owned()).collect();
    let texts = base.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let roles = GivenRoles::read(&changed, [], &texts, |path| head.get(path).map(|text| (*text).to_owned()));
    let plan = PlanInput {
        changed: &changed,
        base_paths: &base_paths,
        roles: &roles,
        named: &["check.sh".into()],
        may_change: &MayChange(allowed.iter().map(|path| (*path).to_owned()).collect()),
        base_text: |path: &str| base.get(path).map(|text| (*text).to_owned()),
        head_text: |path: &str| head.get(path).map(|text| (*text).to_owned()),
    }
    .plan();
    let edit = |edit: &TreeEdit| match edit {
        TreeEdit::Restore(path) => format!("restore {path}"),
        TreeEdit::Remove(path) => format!("remove {path}"),
        TreeEdit::Write { path, text } => {
            format!("write {path}: {}", text.split_whitespace().collect::<Vec<_>>().join(" "))
        }
    };
    let edits = |edits: &[TreeEdit]| edits.iter().map(edit).collect::<Vec<_>>().join(", ");
    let mut out = format!("given: {}\ntests only: {}", edits(&plan.given), edits(&plan.tests_only));
    let removed = plan.left_out().join(", ");
    if !removed.is_empty() {
        out = format!("{out}\nleft out once: {removed}");
    }
    if !plan.inline.is_empty() {
        out = format!("{out}\ninline: {}", plan.inline.join(", "));
    }
    out
}

#[test]
fn given_files_are_put_back_and_new_ones_that_steer_are_left_out() {
    let base = [("a.py", "1"), ("tests/test_a.py", "1"), ("tests/test_b.py", "1"), ("Makefile", "test:")];
    let head = [
        ("a.py", "2"),
        ("tests/test_a.py", "2"),
        ("tests/test_c.py", "new"),
        ("Makefile", "test: lax"),
        ("conftest.py", "new"),
        ("check.sh", "new"),
    ];
    insta::assert_snapshot!(shown(&base, &head, &[]), @r"
    given: restore Makefile, remove conftest.py, restore tests/test_a.py, restore tests/test_b.py
    tests only: restore check.sh, restore tests/test_a.py, restore tests/test_c.py
    left out once: tests/test_c.py
    ");
    insta::assert_snapshot!(shown(&base, &head, &["tests/…", "conftest.py"]), @r"
    given: restore Makefile
    tests only: restore check.sh, restore conftest.py, restore tests/test_a.py, remove tests/test_b.py, restore tests/test_c.py
    ");
}

#[test]
fn a_test_that_was_moved_is_put_back_where_it_was() {
    let base = [("tests/test_a.py", "1")];
    insta::assert_snapshot!(shown(&base, &[("tests/unit/test_a.py", "1")], &[]), @r"
    given: restore tests/test_a.py, remove tests/unit/test_a.py
    tests only: restore tests/unit/test_a.py
    ");
}

#[test]
fn a_project_from_nothing_may_bring_its_own_steering() {
    let head = [
        ("Makefile", "test:"),
        ("package.json", r#"{"scripts": {"test": "node --test"}}"#),
        ("a.js", "1"),
        ("a.test.js", "1"),
    ];
    insta::assert_snapshot!(shown(&[("README.md", "x")], &head, &[]), @r"
    given: 
    tests only: restore a.test.js
    ");
}

#[test]
fn only_the_steering_part_of_a_mixed_file_is_put_back() {
    let base = [("package.json", r#"{"scripts": {"test": "jest"}}"#), ("pyproject.toml", "[project]\n")];
    let head = [
        ("package.json", r#"{"scripts": {"test": "true"}, "author": "x"}"#),
        ("pyproject.toml", "[project]\nname = 'a'\n"),
        ("setup.cfg", "[tool:pytest]\naddopts = --co\n"),
    ];
    insta::assert_snapshot!(shown(&base, &head, &[]), @r#"
    given: write package.json: { "author": "x", "scripts": { "test": "jest" } }, write setup.cfg: 
    tests only: 
    "#);
}

#[test]
fn tests_in_a_source_file_are_put_back_with_their_module() {
    let base = "fn f() -> u8 { 1 }\n#[cfg(test)]\nmod tests { #[test] fn one() { assert_eq!(super::f(), 1); } }\n";
    let weak = "fn f() -> u8 { 2 }\n#[cfg(test)]\nmod tests { #[test] fn one() {} }\n";
    let more = "fn f() -> u8 { 2 }\n#[cfg(test)]\nmod tests { #[test] fn one() { assert_eq!(super::f(), 1); } #[test] fn two() {} }\n";
    let tests = ("tests/a.rs", "x");
    insta::assert_snapshot!(shown(&[("src/lib.rs", base), tests], &[("src/lib.rs", weak), tests], &[]), @r"
    given: write src/lib.rs: fn f() -> u8 { 2 } #[cfg(test)] mod tests { #[test] fn one() { assert_eq!(super::f(), 1); } }
    tests only: write src/lib.rs: fn f() -> u8 { 1 } #[cfg(test)] mod tests { #[test] fn one() {} }
    inline: src/lib.rs: one
    ");
    insta::assert_snapshot!(shown(&[("src/lib.rs", base), tests], &[("src/lib.rs", more), tests], &[]), @r"
    given: 
    tests only: write src/lib.rs: fn f() -> u8 { 1 } #[cfg(test)] mod tests { #[test] fn one() { assert_eq!(super::f(), 1); } #[test] fn two() {} }
    ");
}

#[test]
fn given_tests_run_once_without_the_new_ones_that_could_change_them() {
    let base = [("a.py", "1"), ("tests/test_a.py", "1"), ("a_test.go", "1"), ("src/lib.rs", "1"), ("tests/it.rs", "1")];
    let head = [
        ("a.py", "import helper, spec.grammar\n"),
        ("tests/test_a.py", "1"),
        ("a_test.go", "1"),
        ("src/lib.rs", "1"),
        ("tests/it.rs", "1"),
        ("tests/test_new.py", "import a; a.f = None"),
        ("tests/__init__.py", "import a; a.f = None"),
        ("b_test.go", "func init() {}"),
        // A part of the work in a folder of that name.
        ("spec/grammar.py", "1"),
        // One of Rust's is a program of its own, or a part of its file.
        ("tests/other.rs", "1"),
        ("src/parser/tests.rs", "1"),
        // Nothing of its language is given.
        ("web/a.test.ts", "1"),
    ];
    insta::assert_snapshot!(shown(&base, &head, &[]), @r"
    given: 
    tests only: restore b_test.go, restore spec/grammar.py, restore src/parser/tests.rs, restore tests/__init__.py, restore tests/other.rs, restore tests/test_new.py, restore web/a.test.ts
    left out once: b_test.go, spec/grammar.py, tests/__init__.py, tests/test_new.py
    ");
    insta::assert_snapshot!(shown(&base, &head, &["tests/…"]), @r"
    given: 
    tests only: restore b_test.go, restore spec/grammar.py, restore src/parser/tests.rs, restore tests/__init__.py, restore tests/other.rs, restore tests/test_new.py, restore web/a.test.ts
    left out once: b_test.go, spec/grammar.py
    ");
}

#[test]
fn a_command_that_asks_for_a_new_test_is_nothing_without_it() {
    let base = ["a.py", "tests/test_a.py"].map(str::to_owned);
    let changed = [ChangedPath { path: "tests/test_new.py".into(), is_at_base: false, is_at_head: true }];
    let none = |_: &str| None;
    let may_change = MayChange::default();
    let (named, base_text, head_text) = (&[], none, none);
    let roles = &GivenRoles::default();
    let may_change = &may_change;
    let plan =
        PlanInput { changed: &changed, base_paths: &base, named, may_change, roles, base_text, head_text }.plan();
    for (line, expected) in [
        ("python3 -m pytest -q", true),
        ("pytest tests", true),
        ("pytest tests/test_a.py", true),
        ("pytest tests/test_new.py", false),
        ("pytest ./tests/test_new.py::test_it", false),
        ("cd tests && python3 test_new.py", false),
        ("python3 -m unittest tests.test_new", false),
        ("python3 -m unittest tests.test_new.Case.test_it", false),
        ("python3 -m unittest test_new", false),
        // It has the words in it, and asks for something else.
        ("pytest --junitxml=out/new.py", true),
        ("pytest -k test_newer", true),
    ] {
        assert_eq!(plan.is_tried_without_new_tests(line, &base), expected, "{line}");
    }
}

#[test]
fn data_and_folders_of_tests_are_given_where_only_tests_read_them() {
    let test = "import json\ncases = json.load(open('cases/add.json'))\n";
    let listing = "from glob import glob\nfor path in glob('cases/*.json'): pass\n";
    for (what, files, expected) in [
        (
            "a test names it",
            [("calc.py", "x = 1\n"), ("tests/test_a.py", test), ("cases/add.json", "1")],
            "restore cases/add.json",
        ),
        (
            "a test lists its folder",
            [("calc.py", "x = 1\n"), ("tests/test_a.py", listing), ("cases/add.json", "1")],
            "restore cases/add.json",
        ),
        (
            "the program reads its folder, too",
            [("calc.py", "open('cases/' + name)\n"), ("tests/test_a.py", test), ("cases/add.json", "1")],
            "",
        ),
        ("no test reads it", [("calc.py", "x = 1\n"), ("tests/test_a.py", "x = 1\n"), ("cases/add.json", "1")], ""),
    ] {
        let head: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (*path, if *path == "cases/add.json" { "2" } else { *text })).collect();
        let told = shown(&files, &head, &[]);
        assert_eq!(told.lines().next(), Some(format!("given: {expected}").as_str()), "{what}");
    }
}

#[test]
fn a_new_file_in_the_place_of_pythons_own_is_left_out() {
    let base = [("calc.py", "x = 1\n"), ("tests/test_a.py", "import calc\n")];
    let head = [base[0], base[1], ("readline.py", "import calc\n")];
    assert!(shown(&base, &head, &[]).starts_with("given: remove readline.py\n"));
    assert!(shown(&base, &head, &["readline.py"]).starts_with("given: \n"));
    let was_there = [base[0], base[1], ("readline.py", "x = 1\n")];
    assert!(shown(&was_there, &head, &[]).starts_with("given: \n"), "a project may have had one of its own");
}
