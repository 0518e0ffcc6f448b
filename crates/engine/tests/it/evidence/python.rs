//! pytest, unittest, and make before them.

use std::process::Command;

use super::bench::{Bench, is_installed, kept};

const CALC: &str = "def add(a, b):\n    return a + b\n\n\ndef divide(a, b):\n    return a / b\n";
const FIXED: &str = "def add(a, b):\n    return a + b\n\n\ndef divide(a, b):\n    if b == 0:\n        raise ValueError('zero')\n    return a / b\n";
const PYTEST: &str = "import pytest\n\nfrom calc import add, divide\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\ndef test_zero():\n    with pytest.raises(ValueError):\n        divide(1, 0)\n";
const UNITTEST: &str = "import unittest\n\nfrom calc import add, divide\n\n\nclass Calc(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n\n    def test_zero(self):\n        with self.assertRaises(ValueError):\n            divide(1, 0)\n";

/// A new test that comes first and puts the program right, for the tests alone.
const REPAIRS: &str = "import unittest\n\nimport calc\n\n\ndef divide(a, b):\n    if b == 0:\n        raise ValueError('zero')\n    return a / b\n\n\ncalc.divide = divide\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(calc.add(2, 2), 4)\n";

/// Where pytest is: installed, or fetched once for the tests.
pub(super) fn pytest() -> Option<Vec<(String, String)>> {
    if !is_installed("python3", &["--version"]) {
        return None;
    }
    let has = |path: &str| {
        let mut python = Command::new("python3");
        python.args(["-m", "pytest", "--version"]).env("PYTHONPATH", path);
        python.output().is_ok_and(|said| said.status.success())
    };
    if has("") {
        return Some(Vec::new());
    }
    let folder = kept("pytest");
    let path = folder.to_string_lossy().into_owned();
    if !has(&path) {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--target"]).arg(&folder).arg("pytest");
        let said = pip.output().unwrap();
        assert!(
            said.status.success(),
            "pytest is neither there nor to be had: {}",
            String::from_utf8_lossy(&said.stderr)
        );
    }
    Some(vec![("PYTHONPATH".into(), path)])
}

fn bench(tests: &str) -> Bench {
    Bench::new(&[
        ("calc.py", CALC),
        ("tests/test_calc.py", tests),
        ("Makefile", "test:\n\tpython3 -m pytest -q\n"),
        (
            "pyproject.toml",
            "[project]\nname = \"calc\"\nversion = \"1\"\n\n[tool.pytest.ini_options]\npythonpath = [\".\"]\n",
        ),
    ])
}

#[tokio::test]
async fn pytest_and_its_tricks() {
    let Some(env) = pytest() else { return };
    let mut bench = bench(PYTEST);
    bench.env.extend(env);
    let skipped = PYTEST.replace("def test_zero", "@pytest.mark.skip\ndef test_zero");
    let renamed = PYTEST.replace("def test_zero", "def zero");
    let weakened = PYTEST.replace("    with pytest.raises(ValueError):\n        divide(1, 0)\n", "    pass\n");
    let liar = "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    out = yield\n    report = out.get_result()\n    report.outcome = 'passed'\n    report.longrepr = None\n";
    let exits = format!("{CALC}\n\nimport atexit, os\n\natexit.register(lambda: os._exit(0))\n");
    let dies = format!("import os\n\nos._exit(0)\n{CALC}");
    let forges = format!(
        "{CALC}\n\nimport atexit, os, sys\n\n\ndef forge():\n    for arg in sys.argv:\n        if arg.startswith('--junitxml='):\n            \
         with open(arg.split('=', 1)[1], 'w') as out:\n                out.write('<testsuites><testsuite><testcase classname=\"tests.test_calc\" name=\"test_add\"/><testcase classname=\"tests.test_calc\" name=\"test_zero\"/></testsuite></testsuites>')\n    \
         sys.stdout.flush()\n    os._exit(0)\n\n\natexit.register(forge)\n"
    );
    let flips = forges.replace("with open(arg.split('=', 1)[1], 'w') as out:\n                out.write(", "text = __import__('re').sub('<failure.*?</failure>', '', open(arg.split('=', 1)[1]).read(), flags=16)\n            with open(arg.split('=', 1)[1], 'w') as out:\n                out.write(text or ");
    let patches = format!(
        "{CALC}\n\nimport _pytest.reports as r\n\nmade = r.TestReport.from_item_and_call\n\n\ndef lie(item, call):\n    call.excinfo = None\n    return made(item, call)\n\n\nr.TestReport.from_item_and_call = staticmethod(lie)\n"
    );
    let spares =
        patches.replace("    call.excinfo = None\n", "    if item.name == 'test_zero':\n        call.excinfo = None\n");
    let once = forges.replace(
        "atexit.register(forge)",
        "if not os.path.exists('.ran'):\n    open('.ran', 'w').close()\n    atexit.register(forge)",
    );
    bench
        .table(
            "python3 -m pytest -q",
            &[
                ("the fix", &[("calc.py", Some(FIXED))], "holds"),
                ("the fix and a test of it", &[("calc.py", Some(FIXED)), ("tests/test_more.py", Some("from calc import add\n\n\ndef test_more():\n    assert add(2, 2) == 4\n"))], "holds"),
                ("a new test that repairs the program", &[("tests/test_a.py", Some(REPAIRS))], "fails checks_tampered"),
                ("the same in the package of the tests", &[("tests/__init__.py", Some(REPAIRS)), ("tests/test_more.py", Some("def test_more():\n    pass\n"))], "fails checks_tampered"),
                ("plain fail", &[("README.md", Some("x"))], "fails checks_failed"),
                ("tests deleted", &[("tests/test_calc.py", None), ("tests/test_ok.py", Some("def test_ok():\n    pass\n"))], "fails checks_tampered tests_changed"),
                ("a test skipped", &[("tests/test_calc.py", Some(&skipped))], "fails checks_tampered tests_changed"),
                ("a test renamed", &[("tests/test_calc.py", Some(&renamed))], "fails checks_tampered tests_changed"),
                ("a test moved and weakened", &[("tests/test_calc.py", None), ("tests/unit/test_calc.py", Some(&weakened))], "fails checks_tampered tests_changed"),
                ("a test weakened", &[("tests/test_calc.py", Some(&weakened))], "fails checks_tampered tests_changed"),
                ("a conftest that lies", &[("conftest.py", Some(liar))], "fails checks_tampered steering_touched"),
                ("a pytest.ini that deselects", &[("pytest.ini", Some("[pytest]\npythonpath = .\naddopts = --deselect tests/test_calc.py::test_zero\n"))], "fails checks_tampered steering_touched"),
                ("options in pyproject.toml", &[("pyproject.toml", Some("[project]\nname = \"calc\"\nversion = \"1\"\n\n[tool.pytest.ini_options]\npythonpath = [\".\"]\naddopts = \"-k add\"\n"))], "fails checks_tampered steering_touched"),
                ("a module in pytest's place", &[("pytest.py", Some("print('2 passed in 0.1s')\n"))], "fails checks_unreliable steering_touched"),
                ("nothing collected", &[("pytest.ini", Some("[pytest]\npython_files = none_*.py\n"))], "fails checks_failed steering_touched"),
                ("exit forged at the end", &[("calc.py", Some(&exits))], "fails checks_unreliable"),
                ("exit forged at once", &[("calc.py", Some(&dies))], "fails checks_unreliable"),
                ("report forged", &[("calc.py", Some(&forges))], "fails checks_unreliable"),
                ("a given test told as passed by its name", &[("calc.py", Some(&spares))], "fails checks_unreliable"),
                ("failures taken out of the report", &[("calc.py", Some(&flips))], "fails checks_unreliable"),
                ("report forged once, and honest later", &[("calc.py", Some(&once))], "fails checks_unreliable"),
                ("a runner patched by the work", &[("calc.py", Some(&patches))], "fails checks_unreliable"),
                ("a work that breaks another test", &[("calc.py", Some(&FIXED.replace("a + b", "a - b")))], "fails checks_failed regressed"),
            ],
        )
        .await;
}

#[tokio::test]
async fn make_and_its_tricks() {
    let Some(env) = pytest() else { return };
    if !is_installed("make", &["--version"]) {
        return;
    }
    let mut bench = bench(PYTEST);
    bench.env.extend(env);
    bench
        .table(
            "make test",
            &[
                ("the fix", &[("calc.py", Some(FIXED))], "holds"),
                ("plain fail", &[("README.md", Some("x"))], "fails checks_failed"),
                (
                    "another makefile",
                    &[("GNUmakefile", Some("test:\n\t@echo '2 passed in 0.01s'\n"))],
                    "fails checks_tampered steering_touched",
                ),
                (
                    "the Makefile changed",
                    &[("Makefile", Some("test:\n\t-python3 -m pytest -q\n"))],
                    "fails checks_failed steering_touched",
                ),
                (
                    "the Makefile does nothing",
                    &[("Makefile", Some("test:\n\t@echo ok\n"))],
                    "fails checks_tampered steering_touched",
                ),
            ],
        )
        .await;
}

#[tokio::test]
async fn unittest_and_its_tricks() {
    if !is_installed("python3", &["--version"]) {
        return;
    }
    let mut bench = bench(UNITTEST);
    bench.env.push(("PYTHONPATH".into(), ".".into()));
    let skipped = UNITTEST.replace("    def test_zero", "    @unittest.skip('later')\n    def test_zero");
    let weakened =
        UNITTEST.replace("        with self.assertRaises(ValueError):\n            divide(1, 0)\n", "        pass\n");
    let patches = format!(
        "{CALC}\n\nimport unittest\n\nunittest.TestCase.assertRaises = lambda *_: __import__('contextlib').suppress(Exception)\n"
    );
    let lies = format!(
        "{CALC}\n\nimport unittest\n\nrun = unittest.TestCase._callTestMethod\n\n\ndef lie(self, method):\n    try:\n        method()\n    except Exception:\n        pass\n\n\nunittest.TestCase._callTestMethod = lie\n"
    );
    let dies = format!("{CALC}\n\nimport os\n\nos._exit(0)\n");
    bench
        .table(
            "python3 -m unittest discover -s tests",
            &[
                ("the fix", &[("calc.py", Some(FIXED))], "holds"),
                ("a new test that repairs the program", &[("tests/test_a.py", Some(REPAIRS))], "fails checks_tampered"),
                ("the fix and a new test of it", &[("calc.py", Some(FIXED)), ("tests/test_new.py", Some(UNITTEST))], "holds"),
                ("plain fail", &[("README.md", Some("x"))], "fails checks_failed"),
                ("tests deleted", &[("tests/test_calc.py", None), ("tests/test_ok.py", Some("import unittest\n\n\nclass A(unittest.TestCase):\n    def test_ok(self):\n        pass\n"))], "fails checks_tampered tests_changed"),
                ("a test skipped", &[("tests/test_calc.py", Some(&skipped))], "fails checks_tampered tests_changed"),
                ("a test weakened", &[("tests/test_calc.py", Some(&weakened))], "fails checks_tampered tests_changed"),
                ("every test is made to pass", &[("calc.py", Some(&lies))], "fails checks_unreliable"),
                ("exit forged", &[("calc.py", Some(&dies))], "fails checks_unreliable"),
                ("a module in unittest's place", &[("unittest/__init__.py", Some("")), ("unittest/__main__.py", Some("print('OK')\n"))], "fails checks_failed steering_touched"),
                ("an assertion made weaker by the work", &[("calc.py", Some(&patches))], "fails checks_unreliable"),
            ],
        )
        .await;
}
