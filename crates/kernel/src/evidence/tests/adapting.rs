//! How each runner is asked for its report, and when it is not.

use std::collections::BTreeMap;

use crate::Digest;
use crate::evidence::{Adapted, Canary, ReportWish, TestRunner, adapt, canary};

fn texts() -> BTreeMap<String, String> {
    let package = r#"{"scripts": {"test": "jest", "unit": "tsc && vitest run", "node": "node --test", "odd": "a; jest", "loop": "npm run loop"}}"#;
    let makefile = "test:\n\tpython3 -m pytest -q\njs:\n\tjest\ngo:\n\tgo test ./...\ntwo:\n\tpytest\n\tpytest b\n\
                    lax:\n\t-pytest\nrust:\n\tcargo test\nlint:\n\truff check\n";
    BTreeMap::from([
        ("package.json".into(), package.into()),
        ("Makefile".into(), makefile.into()),
        ("sub/package.json".into(), r#"{"scripts": {"test": "vitest"}}"#.into()),
    ])
}

fn shown(line: &str, canary: Option<&Canary>) -> String {
    let wish = ReportWish { folder: "/r", canary, ..ReportWish::default() };
    match adapt(line, &texts(), &wish) {
        Adapted::No { why } => format!("no: {why}"),
        Adapted::Yes(adapted) => {
            let mut out = adapted.line.clone();
            for (name, value) in
                adapted.env.iter().filter(|(name, _)| !name.starts_with("CARGO") && !name.starts_with("RUST"))
            {
                out = format!("{name}={value} {out}");
            }
            if adapted.hides_exit {
                out += " (exit hidden)";
            }
            if !adapted.folder.is_empty() {
                out = format!("{out} (in {})", adapted.folder);
            }
            out
        }
    }
}

#[test]
fn every_runner_is_asked_for_its_report() {
    for (line, expected) in [
        ("pytest -q tests", "pytest -q tests --junitxml=/r/report-1.xml"),
        (
            "CI=1 uv run pytest -k 'a b' | tee log",
            "CI=1 uv run pytest -k 'a b' --junitxml=/r/report-1.xml | tee log (exit hidden)",
        ),
        (
            "cd sub && python -m pytest && echo ok",
            "cd sub && python -m pytest --junitxml=/r/report-1.xml && echo ok (in sub)",
        ),
        ("pytest a && pytest b", "pytest a --junitxml=/r/report-1.xml && pytest b --junitxml=/r/report-2.xml"),
        ("python3 -m unittest discover -s tests", "python3 /r/unittest_report.py /r/report-1.xml discover -s tests"),
        ("cargo test -q -p a -- --nocapture", "cargo test  -p a -- "),
        ("cargo nextest run -P ci", "cargo nextest run --tool-config-file tribunal:/r/nextest.toml -P ci"),
        (
            "node --test tests/",
            "node --test --test-reporter=junit --test-reporter-destination=/r/report-1.xml --test-reporter=spec --test-reporter-destination=stdout tests/",
        ),
        (
            "npx vitest run src",
            "npx vitest run --reporter=default --reporter=junit --outputFile.junit=/r/report-1.xml src",
        ),
        ("vitest", "vitest --run --reporter=default --reporter=junit --outputFile.junit=/r/report-1.xml"),
        ("jest --ci", "jest --json --outputFile=/r/report-1.json --ci"),
        ("go test ./...", "go test -json ./..."),
        ("phpunit tests", "phpunit tests --log-junit /r/report-1.xml"),
        ("npm test", "jest --json --outputFile=/r/report-1.json"),
        ("npm test -- --ci", "jest --json --outputFile=/r/report-1.json --ci"),
        ("npm run unit", "tsc && vitest run --reporter=default --reporter=junit --outputFile.junit=/r/report-1.xml"),
        (
            "cd sub && npm test",
            "cd sub && vitest --run --reporter=default --reporter=junit --outputFile.junit=/r/report-1.xml (in sub)",
        ),
        ("make", "PYTEST_ADDOPTS=--junitxml=/r/report-1.xml make"),
        ("make -j2 test", "PYTEST_ADDOPTS=--junitxml=/r/report-1.xml make -j2 test"),
        ("make go", "GOFLAGS=-json make go"),
        ("make lax", "PYTEST_ADDOPTS=--junitxml=/r/report-1.xml make lax (exit hidden)"),
        ("make rust", "make rust"),
        ("make js", "no: its Makefile starts jest, which takes no options from the environment"),
        ("make two", "no: its Makefile starts several test runs"),
        ("make lint", "no: its Makefile starts no test runner that is known"),
        ("make none", "no: the Makefile has no target `none`"),
        ("make -n test", "no: `make -n` is not followed"),
        ("npm run odd && echo", "no: the script `odd` is more than commands that follow each other"),
        ("npm run loop", "no: scripts call each other too often"),
        ("npm run none", "no: package.json has no script `none`"),
        ("pytest $(ls)", "no: it runs a command inside of another"),
        ("cd \"$X\" && pytest", "no: it changes to a folder that is not known"),
        ("cd .. && pytest", "no: it changes to a folder that is not known"),
        ("./check.sh", "no: no test runner that is known"),
        ("ruff check .", "no: no test runner that is known"),
    ] {
        assert_eq!(shown(line, None), expected, "{line}");
    }
}

fn canary_of(runner: TestRunner, folder: &str) -> Canary {
    let tests: Vec<String> = [
        "conftest.py",
        "tests/test_a.py",
        "sub/test_s.py",
        "pkg/a_test.go",
        "src/a.spec.ts",
        "test/a.test.js",
        "tests/it.rs",
    ]
    .map(str::to_owned)
    .into();
    let text = |path: &str| match path {
        "pkg/a_test.go" => Some("// x\npackage pkg_test\n".to_owned()),
        "Cargo.toml" => Some("[package]\nname = \"a\"\n".to_owned()),
        _ => None,
    };
    canary(runner, Digest::of("seed"), folder, &tests, text).unwrap()
}

#[test]
fn canaries_look_like_the_tests_beside_them() {
    let places: Vec<String> = [
        TestRunner::Pytest,
        TestRunner::Unittest,
        TestRunner::CargoTest,
        TestRunner::NodeTest,
        TestRunner::Vitest,
        TestRunner::Jest,
        TestRunner::GoTest,
    ]
    .map(|runner| canary_of(runner, "").path)
    .into();
    let stem = places[2].trim_start_matches("tests/").trim_end_matches(".rs").to_owned();
    let places: Vec<String> = places.iter().map(|place| place.replace(&stem, "X")).collect();
    assert_eq!(
        places,
        [
            "tests/test_X.py",
            "tests/test_X.py",
            "tests/X.rs",
            "test/X.test.js",
            "src/X.spec.ts",
            "src/X.spec.ts",
            "pkg/X_test.go"
        ]
    );
    assert!(canary_of(TestRunner::Pytest, "sub").path.starts_with("sub/test_"));
    assert!(!stem.contains("canary") && stem.contains('_'), "{stem}");
    assert!(canary_of(TestRunner::GoTest, "").text.starts_with("package pkg_test\n"));
    let none = canary(TestRunner::GoTest, Digest::of(""), "", &[], |_| None);
    assert_eq!(none.unwrap_err(), "there is no Go test that it could be put beside");
    assert!(canary(TestRunner::CargoTest, Digest::of(""), "", &[], |_| None).is_err(), "a workspace without a package");
}

#[test]
fn a_choice_of_tests_is_widened_so_that_canaries_run() {
    for (line, runner, expected) in [
        ("pytest", TestRunner::Pytest, "pytest --junitxml=/r/report-1.xml --maxfail=0"),
        (
            "pytest tests/test_a.py",
            TestRunner::Pytest,
            "pytest tests/test_a.py --junitxml=/r/report-1.xml --maxfail=0 FILE",
        ),
        (
            "pytest -k fast",
            TestRunner::Pytest,
            "pytest -k '(fast) or PASS or FAIL or FAIL' --junitxml=/r/report-1.xml --maxfail=0",
        ),
        ("cargo test", TestRunner::CargoTest, "cargo test --no-fail-fast"),
        (
            "cargo test --lib parse",
            TestRunner::CargoTest,
            "cargo test --no-fail-fast --test STEM --lib parse -- PASS FAIL",
        ),
        ("cargo test -- parse", TestRunner::CargoTest, "cargo test --no-fail-fast -- PASS FAIL parse"),
        (
            "jest src -t fast",
            TestRunner::Jest,
            "jest --json --outputFile=/r/report-1.json src -t '(fast)|PASS|FAIL|FAIL|FAIL|FAIL' --bail=0 FILE",
        ),
        ("go test -run=Fast ./pkg", TestRunner::GoTest, "go test -json '-run=(Fast)|PASS|FAIL' ./pkg"),
        ("go test ./other", TestRunner::GoTest, "go test -json ./other ./pkg"),
    ] {
        let canary = canary_of(runner, "");
        let stem = canary.path.rsplit('/').next().unwrap().trim_end_matches(".rs").to_owned();
        let line = shown(line, Some(&canary)).replace(&canary.path, "FILE");
        let line = line.replace(&stem, "STEM").replace(&canary.passes, "PASS");
        let line = canary.fails.iter().fold(line, |line, name| line.replace(name, "FAIL"));
        assert_eq!(line, expected);
    }
}

#[test]
fn only_new_tests_run_where_a_runner_takes_files() {
    let narrowed = |line: &str, only: &[&str]| {
        let only: Vec<String> = only.iter().map(|path| (*path).to_owned()).collect();
        let wish = ReportWish { folder: "/r", only: &only, ..ReportWish::default() };
        match adapt(line, &texts(), &wish) {
            Adapted::Yes(adapted) => adapted.line.split_whitespace().collect::<Vec<_>>().join(" "),
            Adapted::No { why } => why,
        }
    };
    for (line, only, expected) in [
        ("pytest -q", &["tests/test_a.py"][..], "pytest -q --junitxml=/r/report-1.xml tests/test_a.py"),
        ("pytest tests -x", &["tests/test_a.py"], "pytest -x --junitxml=/r/report-1.xml tests/test_a.py"),
        // What stands elsewhere, is chosen already, or is not a test by its name: everything runs.
        ("pytest unit", &["tests/test_a.py"], "pytest unit --junitxml=/r/report-1.xml"),
        ("pytest -k a", &["tests/test_a.py"], "pytest -k a --junitxml=/r/report-1.xml"),
        ("pytest", &["tests/test_a.py", "tests/data.json"], "pytest --junitxml=/r/report-1.xml"),
        ("pytest tests/test_b.py", &["tests/test_a.py"], "pytest tests/test_b.py --junitxml=/r/report-1.xml"),
        ("cd sub && pytest", &["tests/test_a.py"], "cd sub && pytest --junitxml=/r/report-1.xml"),
        ("cd sub && pytest", &["sub/test_a.py"], "cd sub && pytest --junitxml=/r/report-1.xml test_a.py"),
        ("jest", &["a.test.js"], "jest --json --outputFile=/r/report-1.json --runTestsByPath a.test.js"),
        (
            "vitest run",
            &["src/a.spec.ts"],
            "vitest run --reporter=default --reporter=junit --outputFile.junit=/r/report-1.xml src/a.spec.ts",
        ),
        ("python3 -m unittest -b", &["t/test_a.py"], "python3 /r/unittest_report.py /r/report-1.xml -b t/test_a.py"),
        (
            "python3 -m unittest discover t",
            &["t/test_a.py"],
            "python3 /r/unittest_report.py /r/report-1.xml discover t",
        ),
        ("go test ./...", &["a_test.go"], "go test -json ./..."),
    ] {
        assert_eq!(narrowed(line, only), expected, "{line} {only:?}");
    }
}
