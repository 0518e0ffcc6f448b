//! The same ten changes for every runner, and what is seen of each: the table of `docs/evidence.md`, kept true.
//!
//! Each test is a column. `TRIBUNAL_WRITE_TABLE=1 cargo test -p tribunal-engine --test it matrix -- --test-threads=1`
//! writes what was seen; otherwise it is compared. A runner that is not here is said, and its column is not checked.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::bench::{Bench, is_installed, kept};
use super::python::pytest;
use super::script::modules;
use tribunal_kernel::evidence::{Evidence, EvidenceWeight};

/// The changes, as the table calls them.
const ROWS: [&str; 10] = [
    "the work is right",
    "nothing is done",
    "tests deleted",
    "a test skipped",
    "a test renamed",
    "a test moved",
    "a test weakened",
    "a new file steers",
    "the report forged",
    "the exit forged",
];

/// What each change does, in the order of [`ROWS`]. Without a text the file is deleted.
type Changes = [Vec<(&'static str, Option<String>)>; 10];

#[expect(clippy::unnecessary_wraps, reason = "beside a text that is written stands `None`, for a file that is deleted")]
fn some(text: impl Into<String>) -> Option<String> {
    Some(text.into())
}

/// What is shown of a change: that it holds, or what speaks against it.
fn cell(evidence: &Evidence) -> String {
    let fails = evidence.findings.iter().filter(|finding| finding.weight == EvidenceWeight::Fails);
    let mut codes: Vec<&str> = fails.map(|finding| finding.code.as_str()).collect();
    codes.dedup();
    if codes.is_empty() {
        "holds".to_owned()
    } else {
        codes.iter().map(|code| format!("`{code}`")).collect::<Vec<_>>().join(", ")
    }
}

fn document() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/evidence.md")
}

/// The lines of the table, each with its cells.
fn table(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().filter(|line| line.starts_with('|'));
    let lines = lines.skip_while(|line| !line.starts_with("| change |"));
    lines
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>())
        .take(ROWS.len() + 2)
        .collect()
}

/// Plays a column, and holds it against the document.
async fn column(name: &str, bench: &Bench, line: &str, changes: Changes) {
    let mut seen = Vec::new();
    let mut told = String::new();
    for (row, change) in ROWS.iter().zip(&changes) {
        let change: Vec<(&str, Option<&str>)> = change.iter().map(|(path, text)| (*path, text.as_deref())).collect();
        let evidence = bench.evidence(line, &change).await;
        let _ = writeln!(told, "--- {row}\n{}", evidence.side_by_side());
        seen.push(cell(&evidence));
    }
    let text = fs::read_to_string(document()).unwrap();
    let written = table(&text);
    assert_eq!(written.len(), ROWS.len() + 2, "the table of docs/evidence.md has a line for each change");
    let at = written[0].iter().position(|head| head == name);
    let at = at.unwrap_or_else(|| panic!("docs/evidence.md has no column `{name}`"));
    if std::env::var_os("TRIBUNAL_WRITE_TABLE").is_some() {
        let mut out = text.clone();
        for (cells, (row, now)) in written[2..].iter().zip(ROWS.iter().zip(&seen)) {
            let mut new = cells.clone();
            (*row).clone_into(&mut new[0]);
            new[at].clone_from(now);
            let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
            out = out.replace(&line(cells), &line(&new));
        }
        fs::write(document(), out).unwrap();
        return;
    }
    let documented: Vec<String> = written[2..].iter().map(|cells| cells[at].clone()).collect();
    assert_eq!(seen, documented, "{name}: docs/evidence.md says something else\n{told}");
}

const PY: &str = "def add(a, b):\n    return a + b\n\n\ndef half(a):\n    return a // 3\n";

/// A report of pytest, unittest or nose2 in which all is well, written when the process ends.
fn forging_python() -> String {
    format!(
        "{PY}\n\nimport atexit, os, sys\n\n\ndef forge():\n    import __main__\n    names = [arg.split('=')[-1] for arg in sys.argv if arg.endswith('.xml')]\n    \
         names.append(getattr(__main__, 'report', 'report.xml'))\n    for name in names:\n        with open(name, 'w') as out:\n            \
         out.write('<testsuites><testsuite>')\n            for test in ['test_add', 'test_half']:\n                \
         out.write('<testcase classname=\"test_calc.Calc\" name=\"%s\"/>' % test)\n                out.write('<testcase classname=\"tests.test_calc\" name=\"%s\"/>' % test)\n            \
         out.write('</testsuite></testsuites>')\n    sys.stdout.flush()\n    os._exit(0)\n\n\natexit.register(forge)\n"
    )
}

/// The changes of a project in Python, with its tests in `path`.
fn python(path: &'static str, tests: &str, skip: (&str, &str), steer: (&'static str, &str)) -> Changes {
    let half = tests.split("test_half").nth(1).unwrap_or_default();
    let weakened = tests.replace(half, &half[..=half.find('\n').unwrap()].replace("):", "):\n        pass"));
    let deeper = if path.contains('/') { "tests/unit/test_calc.py" } else { "deeper/test_calc.py" };
    let package = if path.contains('/') { "tests/unit/__init__.py" } else { "deeper/__init__.py" };
    let exits = format!("{PY}\n\nimport atexit, os\n\natexit.register(os._exit, 0)\n");
    let ok = tests.replace("test_half", "ignored").replace("calc.half(4)", "2").replace("half(4)", "2");
    let ok_path = if path.contains('/') { "tests/test_ok.py" } else { "test_ok.py" };
    [
        vec![("calc.py", some(PY.replace("// 3", "// 2")))],
        vec![("README.md", some("x"))],
        vec![(path, None), (ok_path, some(ok))],
        vec![(path, some(tests.replace(skip.0, skip.1)))],
        vec![(path, some(tests.replace("test_half", "half_test")))],
        vec![(path, None), (deeper, some(weakened.clone())), (package, some(""))],
        vec![(path, some(weakened))],
        vec![(steer.0, some(steer.1))],
        vec![("calc.py", some(forging_python()))],
        vec![("calc.py", some(exits))],
    ]
}

const CASES: &str = "import unittest\n\nimport calc\n\n\nclass Calc(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(calc.add(1, 2), 3)\n\n    def test_half(self):\n        self.assertEqual(calc.half(4), 2)\n";

#[tokio::test]
async fn a_column_for_pytest() {
    let Some(env) = pytest() else { return };
    let tests = "import pytest\n\nfrom calc import add, half\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\ndef test_half():\n    assert half(4) == 2\n";
    let mut bench = Bench::new(&[
        ("calc.py", PY),
        ("tests/test_calc.py", tests),
        ("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = [\".\"]\n"),
    ]);
    bench.env.extend(env);
    let liar = "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    out = yield\n    out.get_result().outcome = 'passed'\n";
    let skip = ("def test_half", "@pytest.mark.skip\ndef test_half");
    column("pytest", &bench, "python3 -m pytest -q", python("tests/test_calc.py", tests, skip, ("conftest.py", liar)))
        .await;
}

#[tokio::test]
async fn a_column_for_unittest() {
    if !is_installed("python3", &["--version"]) {
        return;
    }
    let bench = Bench::new(&[("calc.py", PY), ("test_calc.py", CASES)]);
    let skip = ("    def test_half", "    @unittest.skip('later')\n    def test_half");
    let liar = "print('Ran 2 tests in 0.001s')\nprint('OK')\nraise SystemExit(0)\n";
    column("unittest", &bench, "python3 -m unittest", python("test_calc.py", CASES, skip, ("unittest.py", liar))).await;
}

#[tokio::test]
async fn a_column_for_nose2() {
    if !is_installed("python3", &["--version"]) {
        return;
    }
    let folder = kept("nose2");
    if !folder.join("bin/nose2").exists() {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--target"]).arg(&folder).arg("nose2");
        if !pip.output().is_ok_and(|said| said.status.success()) {
            eprintln!("note: nose2 is neither here nor to be had: its column of docs/evidence.md is not checked");
            return;
        }
    }
    let config = "[unittest]\nplugins = nose2.plugins.junitxml\n\n[junit-xml]\nalways-on = True\n";
    let mut bench = Bench::new(&[("calc.py", PY), ("test_calc.py", CASES), ("unittest.cfg", config)]);
    bench.env.push(("PYTHONPATH".into(), folder.to_string_lossy().into_owned()));
    let skip = ("    def test_half", "    @unittest.skip('later')\n    def test_half");
    let steer = ("nose2.cfg", "[unittest]\ntest-file-pattern = ok_*.py\n");
    let line = format!("{}/bin/nose2", folder.to_string_lossy());
    column("JUnit writers (nose2)", &bench, &line, python("test_calc.py", CASES, skip, steer)).await;
}

#[tokio::test]
async fn a_column_for_make() {
    if !is_installed("make", &["--version"]) || !is_installed("python3", &["--version"]) {
        return;
    }
    let cases = format!("{CASES}\n\nunittest.main()\n");
    let skip = ("    def test_half", "    @unittest.skip('later')\n    def test_half");
    let steer = ("GNUmakefile", "check:\n\t@echo Ran 2 tests; echo OK\n");
    let bench =
        Bench::new(&[("calc.py", PY), ("test_calc.py", &cases), ("Makefile", "check:\n\tpython3 test_calc.py\n")]);
    column("make", &bench, "make check", python("test_calc.py", &cases, skip, steer)).await;
}

const SH: &str = "add() { echo $(($1 + $2)); }\nhalf() { echo $(($1 / 3)); }\n";
const CHECK: &str = "#!/bin/sh\n. ./calc.sh\ntest \"$(add 1 2)\" = 3 || exit 1\necho 'ok 1 - adds'\ntest \"$(half 4)\" = 2 || exit 1\necho 'ok 2 - halves'\n";

#[tokio::test]
async fn a_column_for_a_plain_command() {
    let bench = Bench::new(&[("calc.sh", SH), ("test/check.sh", CHECK)]);
    let weak = CHECK.replace("test \"$(half 4)\" = 2 || exit 1\n", "");
    let path = "test/check.sh";
    let changes = [
        vec![("calc.sh", some(SH.replace("/ 3", "/ 2")))],
        vec![("README.md", some("x"))],
        vec![(path, some("echo 'ok 1 - nothing'\n"))],
        vec![(path, some(CHECK.replace("test \"$(half 4)\" = 2 || exit 1", "# skip")))],
        vec![(path, some(CHECK.replace("$(half 4)", "$(add 1 1)")))],
        vec![(path, some("sh test/unit/check.sh\n")), ("test/unit/check.sh", some(weak.clone()))],
        vec![(path, some(weak))],
        vec![(".env", some("PATH=/nowhere\n")), ("test/env.sh", some("exit 0\n"))],
        vec![("calc.sh", some(format!("{SH}echo 'ok 1 - adds'; echo 'ok 2 - halves'; exit 0\n")))],
        vec![("calc.sh", some(format!("{SH}trap 'exit 0' EXIT\n")))],
    ];
    column("plain command", &bench, "sh test/check.sh", changes).await;
}

const RS: &str = "pub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n\npub fn half(a: u32) -> u32 {\n    a / 3\n}\n";
const RS_TESTS: &str = "#[test]\nfn adds() {\n    assert_eq!(calc::add(1, 2), 3);\n}\n\n#[test]\nfn halves() {\n    assert_eq!(calc::half(4), 2);\n}\n";
const MANIFEST: &str = "[package]\nname = \"calc\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";

fn rust_bench() -> Bench {
    let lock = "version = 4\n\n[[package]]\nname = \"calc\"\nversion = \"0.1.0\"\n";
    Bench::new(&[("src/lib.rs", RS), ("tests/it.rs", RS_TESTS), ("Cargo.toml", MANIFEST), ("Cargo.lock", lock)])
}

fn rust(steer: (&'static str, &str)) -> Changes {
    let path = "tests/it.rs";
    let weakened = RS_TESTS.replace("assert_eq!(calc::half(4), 2);", "calc::half(4);");
    let prints = "    println!(\"\\ntest halves ... ok\\n\\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\\n\");\n    std::process::exit(0 * a as i32)";
    [
        vec![("src/lib.rs", some(RS.replace("/ 3", "/ 2")))],
        vec![("README.md", some("x"))],
        vec![(path, None), ("tests/ok.rs", some("#[test]\nfn ok() {}\n"))],
        vec![(path, some(RS_TESTS.replace("#[test]\nfn halves", concat!("#[test]\n#[", "ignore]\nfn halves"))))],
        vec![(path, some(RS_TESTS.replace("#[test]\nfn halves", "#[allow(dead_code)]\nfn halves")))],
        vec![(path, None), ("tests/unit/main.rs", some(weakened.clone()))],
        vec![(path, some(weakened))],
        vec![(steer.0, some(steer.1))],
        vec![("src/lib.rs", some(RS.replace("    a / 3", prints)))],
        vec![("src/lib.rs", some(RS.replace("    a / 3", "    std::process::exit(0 * a as i32)")))],
    ]
}

#[tokio::test]
async fn a_column_for_cargo_test() {
    if !is_installed("cargo", &["--version"]) {
        return;
    }
    let steer = (".cargo/config.toml", "[target.'cfg(all())']\nrunner = \"true\"\n");
    column("cargo test", &rust_bench(), "cargo test --offline -q", rust(steer)).await;
}

#[tokio::test]
async fn a_column_for_nextest() {
    if !is_installed("cargo", &["nextest", "--version"]) {
        return;
    }
    let steer = (".config/nextest.toml", "[profile.default]\ndefault-filter = 'test(adds)'\n");
    column("nextest", &rust_bench(), "cargo nextest run --offline", rust(steer)).await;
}

const GO: &str = "package calc\n\nfunc Add(a, b int) int { return a + b }\n\nfunc Half(a int) int { return a / 3 }\n";
const GO_TESTS: &str = "package calc\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal(\"add\")\n\t}\n}\n\nfunc TestHalf(t *testing.T) {\n\tif Half(4) != 2 {\n\t\tt.Fatal(\"half\")\n\t}\n}\n";

#[tokio::test]
async fn a_column_for_go_test() {
    if !is_installed("go", &["version"]) {
        return;
    }
    let bench =
        Bench::new(&[("calc.go", GO), ("calc_test.go", GO_TESTS), ("go.mod", "module example.com/calc\n\ngo 1.19\n")]);
    let path = "calc_test.go";
    let ok = "package calc\n\nimport \"testing\"\n\nfunc TestOk(t *testing.T) {}\n";
    let weakened = GO_TESTS.replace("if Half(4) != 2", "if false");
    let main = "package calc\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n";
    let leaves = |text: &str| {
        GO.replace("package calc\n", "package calc\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n")
            .replace("return a / 3", &format!("fmt.Print({text:?}); os.Exit(0); return a"))
    };
    let report = "\n--- PASS: TestHalf (0.00s)\nPASS\n";
    let changes = [
        vec![("calc.go", some(GO.replace("/ 3", "/ 2")))],
        vec![("README.md", some("x"))],
        vec![(path, None), ("ok_test.go", some(ok))],
        vec![(path, some(GO_TESTS.replace("\tif Half", "\tt.Skip(\"later\")\n\tif Half")))],
        vec![(path, some(GO_TESTS.replace("TestHalf(t", "halfTest(t")))],
        vec![
            (path, None),
            ("unit/calc_test.go", some(ok.replace("TestOk", "TestHalf").replace("package calc", "package unit"))),
        ],
        vec![(path, some(weakened))],
        vec![("main_test.go", some(main))],
        vec![("calc.go", some(leaves(report)))],
        vec![("calc.go", some(leaves("")))],
    ];
    column("go test", &bench, "go test ./...", changes).await;
}

/// The changes of a project in JavaScript.
fn javascript(
    work: &str,
    source: &'static str,
    path: &'static str,
    tests: &str,
    steer: (&'static str, &str),
    names: [&'static str; 2],
) -> Changes {
    let weakened = tests.replace("half(4)", "2");
    let ok = tests.replace("half(4)", "2").replace("halves", "other");
    let prints =
        "console.log('✔ halves (0.1ms)'); console.log('# pass 2'); console.log('# fail 0'); process.exit(0);\n";
    [
        vec![(source, some(work.replace("/ 3", "/ 2")))],
        vec![("README.md", some("x"))],
        vec![(path, None), (names[0], some(ok))],
        vec![(path, some(tests.replace("it('halves'", "it.skip('halves'")))],
        vec![(path, some(tests.replace("it('halves'", "it('is fine'").replace("half(4)", "2")))],
        vec![(path, None), (names[1], some(weakened.clone().replace("'../", "'../../").replace("'./", "'../")))],
        vec![(path, some(weakened))],
        vec![(steer.0, some(steer.1))],
        vec![(source, some(format!("{work}{prints}")))],
        vec![(source, some(format!("{work}process.on('exit', () => {{ process.exitCode = 0; }});\n")))],
    ]
}

#[tokio::test]
async fn a_column_for_node() {
    if !is_installed("node", &["--version"]) {
        return;
    }
    let work = "export const add = (a, b) => a + b;\nexport const half = (a) => a / 3;\n";
    let tests = "import { test, it } from 'node:test';\nimport assert from 'node:assert';\nimport { add, half } from '../calc.js';\n\ntest('adds', () => assert.equal(add(1, 2), 3));\nit('halves', () => assert.equal(half(4), 2));\n";
    let package = r#"{"name": "calc", "type": "module", "scripts": {"test": "node --test"}}"#;
    let bench = Bench::new(&[("calc.js", work), ("test/calc.test.js", tests), ("package.json", package)]);
    let steer = (".npmrc", "node-options=--test-name-pattern=adds\n");
    let names = ["test/ok.test.js", "test/unit/calc.test.js"];
    column("node --test", &bench, "npm test", javascript(work, "calc.js", "test/calc.test.js", tests, steer, names))
        .await;
}

#[tokio::test]
async fn a_column_for_vitest() {
    let Some(modules) = modules("vitest") else { return };
    let work = "export const add = (a, b) => a + b;\nexport const half = (a) => a / 3;\n";
    let tests = "import { expect, it, test } from 'vitest';\nimport { add, half } from './calc';\n\ntest('adds', () => expect(add(1, 2)).toBe(3));\nit('halves', () => expect(half(4)).toBe(2));\n";
    let package = r#"{"name": "calc", "type": "module"}"#;
    let mut bench = Bench::new(&[("src/calc.js", work), ("src/calc.test.js", tests), ("package.json", package)]);
    bench.carry.push((modules, "node_modules".into()));
    let steer = ("vitest.config.js", "export default { test: { testNamePattern: 'adds' } };\n");
    let names = ["src/ok.test.js", "src/unit/calc.test.js"];
    let changes = javascript(work, "src/calc.js", "src/calc.test.js", tests, steer, names);
    column("vitest", &bench, "node_modules/.bin/vitest run", changes).await;
}

#[tokio::test]
async fn a_column_for_jest() {
    let Some(modules) = modules("jest") else { return };
    let work = "exports.add = (a, b) => a + b;\nexports.half = (a) => a / 3;\n";
    let tests = "const { add, half } = require('./calc');\n\ntest('adds', () => expect(add(1, 2)).toBe(3));\nit('halves', () => expect(half(4)).toBe(2));\n";
    let package = r#"{"name": "calc", "scripts": {"test": "jest"}}"#;
    let mut bench = Bench::new(&[("calc.js", work), ("calc.test.js", tests), ("package.json", package)]);
    bench.carry.push((modules, "node_modules".into()));
    let steer = ("jest.config.js", "module.exports = { testNamePattern: 'adds' };\n");
    let changes = javascript(work, "calc.js", "calc.test.js", tests, steer, ["ok.test.js", "unit/calc.test.js"]);
    column("jest", &bench, "npm test", changes).await;
}
