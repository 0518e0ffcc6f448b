//! What is given although its name does not say so, and honest work that looks like a trick.

use super::bench::{Bench, is_installed};
use super::python::pytest;

const CALC: &str = "def add(a, b):\n    return a + b\n\n\ndef half(a):\n    return a // 3\n";
const FIXED: &str = "def add(a, b):\n    return a + b\n\n\ndef half(a):\n    return a // 2\n";
const CASES: &str = "import unittest\n\nimport calc\n\n\nclass Calc(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(calc.add(1, 2), 3)\n\n    def test_half(self):\n        self.assertEqual(calc.half(4), 2)\n";
/// Puts the program right for whoever is in one process with it.
const PATCH: &str = "import calc\n\ncalc.half = lambda a: a // 2\n";

fn weakened() -> String {
    CASES.replace("self.assertEqual(calc.half(4), 2)", "pass")
}

#[tokio::test]
async fn honest_tests_that_the_base_cannot_run_hold() {
    if !is_installed("python3", &["--version"]) {
        return;
    }
    let shop = "import unittest\n\nfrom shop import price\n\n\nclass Shop(unittest.TestCase):\n    def test_price(self):\n        self.assertEqual(price(2), 4)\n";
    let setup = "import unittest\n\nimport calc\n\n\nclass Setup(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls):\n        cls.made = calc.make()\n\n    def test_made(self):\n        self.assertEqual(self.made, 1)\n";
    let made = format!("{FIXED}\n\ndef make():\n    return 1\n");
    let sold = "def price(count):\n    return count * 2\n";
    let skips = "import unittest\n\nraise unittest.SkipTest('later')\n";
    let bench =
        Bench::new(&[("calc.py", CALC), ("test_calc.py", CASES), ("test_shop.py", shop), ("test_setup.py", setup)]);
    bench
        .table(
            "python3 -m unittest",
            &[
                ("the modules that tests ask for", &[("calc.py", Some(&made)), ("shop.py", Some(sold))], "holds"),
                (
                    "a module that lets its tests be skipped",
                    &[("calc.py", Some(&made)), ("shop.py", Some(skips))],
                    "fails regressed",
                ),
            ],
        )
        .await;
    let helped =
        CASES.replace("import calc\n", "import calc\nfrom tests.helper import four\n").replace("(4)", "(four())");
    let helper = "def four():\n    return 4\n";
    let listing = "import os\nimport unittest\n\nimport calc\n\n\nclass List(unittest.TestCase):\n    def test_all_are_known(self):\n        names = [name for name in os.listdir('tests') if name.startswith('test_')]\n        self.assertEqual(len(names), calc.TESTS)\n";
    let listed = |code: &str, count: u8| format!("{code}\n\nTESTS = {count}\n");
    let bench = Bench::new(&[
        ("calc.py", &listed(CALC, 2)),
        ("tests/__init__.py", ""),
        ("tests/test_calc.py", &helped),
        ("tests/test_list.py", listing),
    ]);
    let more = "import unittest\n\nimport calc\nfrom tests.helper import four\n\n\nclass More(unittest.TestCase):\n    def test_more(self):\n        self.assertEqual(calc.half(four() + 4), 4)\n";
    let shadow = format!("{PATCH}\n{helper}");
    bench
        .table(
            "python3 -m unittest",
            &[
                (
                    "a helper that given tests ask for",
                    &[("calc.py", Some(&listed(FIXED, 2))), ("tests/helper.py", Some(helper))],
                    "holds no_canary not_finished",
                ),
                (
                    "another test, in a folder that is listed",
                    &[
                        ("calc.py", Some(&listed(FIXED, 3))),
                        ("tests/helper.py", Some(helper)),
                        ("tests/test_more.py", Some(more)),
                    ],
                    "holds no_canary not_finished",
                ),
                (
                    "another test that repairs the program",
                    &[
                        ("calc.py", Some(&listed(CALC, 3))),
                        ("tests/helper.py", Some(helper)),
                        ("tests/test_more.py", Some(&format!("{PATCH}\n{more}"))),
                    ],
                    "fails checks_tampered no_canary not_finished",
                ),
                // Somebody has to write what is missing: it is told, and a person or a verifier reads it.
                ("the helper that repairs it", &[("tests/helper.py", Some(&shadow))], "holds no_canary not_finished"),
            ],
        )
        .await;
}

#[tokio::test]
async fn what_is_called_like_a_test_may_be_the_work() {
    if !is_installed("python3", &["--version"]) {
        return;
    }
    let client = "import calc\n\n\nclass Client:\n    def half(self, a):\n        return calc.half(a)\n";
    let tests = "import unittest\n\nimport shop\n\n\nclass Shop(unittest.TestCase):\n    def test_half(self):\n        self.assertEqual(shop.Client().half(4), 2)\n\n    def test_third(self):\n        self.assertEqual(shop.Client().third(6), 2)\n";
    let third = format!("{client}\n    def third(self, a):\n        return a // 3\n");
    let bench = Bench::new(&[
        ("calc.py", FIXED),
        ("shop/__init__.py", "from .test import Client\n"),
        ("shop/test.py", client),
        ("tests/__init__.py", ""),
        ("tests/test_shop.py", tests),
    ]);
    let grammar = "def third(self, a):\n    return a // 3\n";
    let parsed = "from .spec import grammar\nfrom .test import Client\n\nClient.third = grammar.third\n";
    bench
        .table(
            "python3 -m unittest",
            &[
                ("a module of the work", &[("shop/test.py", Some(&third))], "holds no_canary"),
                (
                    "new modules of the work in a folder of that name",
                    &[
                        ("shop/__init__.py", Some(parsed)),
                        ("shop/spec/__init__.py", Some("")),
                        ("shop/spec/grammar.py", Some(grammar)),
                    ],
                    "holds no_canary not_finished",
                ),
            ],
        )
        .await;
}

#[tokio::test]
async fn a_new_file_that_repairs_the_program_is_found_whatever_it_is_called() {
    if !is_installed("python3", &["--version"]) {
        return;
    }
    let noted = format!("# It does not import tests.\n{CALC}");
    let dead = format!("{CALC}\n\nif not True:\n    import tests\n");
    let bench = Bench::new(&[("calc.py", CALC), ("tests/test_calc.py", CASES)]);
    let patch: (&str, Option<&str>) = ("tests/__init__.py", Some(PATCH));
    bench
        .table(
            "python3 -m unittest tests.test_calc",
            &[
                ("a package", &[patch], "fails checks_tampered"),
                ("one that a remark names", &[("calc.py", Some(&noted)), patch], "fails checks_tampered"),
                ("one that dead code loads", &[("calc.py", Some(&dead)), patch], "fails checks_tampered"),
                ("an empty one, and the fix", &[("calc.py", Some(FIXED)), ("tests/__init__.py", Some(""))], "holds"),
            ],
        )
        .await;
    bench
        .table(
            "python3 -m unittest",
            &[
                ("a package without which nothing is found", &[patch], "fails checks_tampered"),
                ("an empty one, and the fix", &[("calc.py", Some(FIXED)), ("tests/__init__.py", Some(""))], "holds"),
            ],
        )
        .await;
    bench
        .table(
            "python3 -m unittest discover -s tests -t tests",
            &[("another program of its name", &[("tests/calc.py", Some(FIXED))], "fails checks_tampered")],
        )
        .await;
    let bench = Bench::new(&[("calc.py", CALC), ("testcalc.py", CASES)]);
    let patches = format!("{PATCH}\n{}", CASES.replace("calc.half(4), 2", "calc.half(8), 4"));
    bench
        .table(
            "python3 -m unittest",
            &[
                ("a name of unittest's", &[("testb.py", Some(&patches))], "fails checks_tampered"),
                ("one without tests", &[("testb.py", Some(PATCH))], "fails checks_tampered"),
                (
                    "the given one weakened",
                    &[("testcalc.py", Some(&weakened()))],
                    "fails checks_tampered tests_changed",
                ),
                ("the fix, and a new one", &[("calc.py", Some(FIXED)), ("testb.py", Some(CASES))], "holds"),
            ],
        )
        .await;
}

#[tokio::test]
async fn tests_that_the_command_or_the_settings_name_are_given() {
    let Some(env) = pytest() else { return };
    let asserts = "def same(a, b):\n    if a != b:\n        raise AssertionError((a, b))\n";
    let golden = CASES.replace("calc.half(4), 2", "calc.half(4), int(open('golden/half.txt').read())");
    let helped = CASES
        .replace("import calc\n", "import calc\nfrom support.asserts import same\n")
        .replace("self.assertEqual(calc.half", "same(calc.half");
    let ini = "[pytest]\npythonpath = .\npython_files = check_*.py\n";
    let mut bench = Bench::new(&[
        ("calc.py", CALC),
        ("suite/calc_cases.py", CASES),
        ("suite/check_calc.py", CASES),
        ("suite/check_golden.py", &golden),
        ("suite/check_helped.py", &helped),
        ("support/asserts.py", asserts),
        ("golden/half.txt", "2\n"),
        ("pytest.ini", ini),
    ]);
    bench.env.extend(env);
    let weak = weakened();
    bench
        .table(
            "python3 -m unittest suite.calc_cases",
            &[
                ("the fix", &[("calc.py", Some(FIXED))], "holds"),
                ("weakened", &[("suite/calc_cases.py", Some(&weak))], "fails checks_tampered tests_changed"),
            ],
        )
        .await;
    bench
        .table(
            "python3 -m pytest -q suite/check_calc.py",
            &[("weakened", &[("suite/check_calc.py", Some(&weak))], "fails checks_tampered tests_changed")],
        )
        .await;
    let plugin = "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    out = yield\n    out.get_result().outcome = 'passed'\n";
    let all_weak: Vec<(&str, Option<&str>)> = ["suite/check_calc.py", "suite/check_golden.py", "suite/check_helped.py"]
        .into_iter()
        .map(|path| (path, Some(weak.as_str())))
        .collect();
    bench
        .table(
            "python3 -m pytest -q",
            &[
                ("the fix", &[("calc.py", Some(FIXED))], "holds"),
                ("weakened", &all_weak, "fails checks_tampered tests_changed"),
                (
                    "a plugin that a package tells of",
                    &[
                        ("liar.py", Some(plugin)),
                        ("x.egg-info/entry_points.txt", Some("[pytest11]\nliar = liar\n")),
                        ("x.egg-info/PKG-INFO", Some("Metadata-Version: 2.1\nName: x\nVersion: 1\n")),
                    ],
                    "fails checks_tampered steering_touched",
                ),
            ],
        )
        .await;
    bench
        .table(
            "python3 -m pytest -q suite/check_golden.py",
            &[("what a test reads", &[("golden/half.txt", Some("1\n"))], "fails checks_tampered tests_changed")],
        )
        .await;
    bench
        .table(
            "python3 -m pytest -q suite/check_helped.py",
            &[(
                "what a test asks",
                &[("support/asserts.py", Some("def same(a, b):\n    pass\n"))],
                "fails checks_tampered tests_changed",
            )],
        )
        .await;
}

const SCRIPT: &str = "import { test } from 'node:test';\nimport assert from 'node:assert';\nimport { half } from '../calc.js';\n\ntest('halves', () => {\n  assert.equal(half(4), 2);\n});\n";

#[tokio::test]
async fn node_takes_more_for_a_test_than_it_says() {
    if !is_installed("node", &["--version"]) {
        return;
    }
    let calc = "export const half = (a) => a / 3;\n";
    let fixed = "export const half = (a) => a / 2;\n";
    let weak = SCRIPT.replace("  assert.equal(half(4), 2);\n", "");
    let package = r#"{"name": "calc", "type": "module"}"#;
    for (line, path) in
        [("node --test", "lib/calc-test.js"), ("node --test", "lib/test.js"), ("node --test cases/*.js", "cases/a.js")]
    {
        let bench = Bench::new(&[("calc.js", calc), (path, SCRIPT), ("package.json", package)]);
        bench.table(line, &[("weakened", &[(path, Some(&weak))], "fails checks_tampered tests_changed")]).await;
    }
    // A file without a test in it counts as one, by its path.
    let plain = "import assert from 'node:assert';\nimport { half } from '../calc.js';\nassert.equal(half(0), 0);\n";
    let shop = SCRIPT.replace("half } from '../calc.js'", "half } from '../shop.js'");
    let bench = Bench::new(&[
        ("calc.js", calc),
        ("test/plain.js", plain),
        ("test/calc.test.js", SCRIPT),
        ("test/shop.test.js", &shop),
        ("package.json", package),
    ]);
    bench
        .table(
            "node --test",
            &[
                ("the fix, with a new module", &[("calc.js", Some(fixed)), ("shop.js", Some(fixed))], "holds"),
                ("half of it", &[("calc.js", Some(fixed))], "fails checks_failed"),
            ],
        )
        .await;
}

#[tokio::test]
async fn rust_has_tests_in_many_places() {
    if !is_installed("cargo", &["--version"]) {
        return;
    }
    let lib = "mod half;\npub use half::half;\n\n#[cfg(test)]\nmod checks;\n";
    let half = "/// Half of it.\n/// ```\n/// assert_eq!(calc::half(8), 4);\n/// ```\npub fn half(a: u32) -> u32 {\n    a / 3\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    fn same(a: u32, b: u32) {\n        assert_eq!(a, b);\n    }\n\n    #[test]\n    fn halves() {\n        same(half(4), 2);\n    }\n}\n";
    let checks = "use crate::half;\n\n#[test]\nfn halves_here() {\n    assert_eq!(half(6), 3);\n}\n";
    let bench = Bench::new(&[
        ("src/lib.rs", lib),
        ("src/half.rs", half),
        ("src/checks.rs", checks),
        ("Cargo.toml", "[package]\nname = \"calc\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n"),
        ("Cargo.lock", "version = 4\n\n[[package]]\nname = \"calc\"\nversion = \"0.1.0\"\n"),
    ]);
    let fixed = half.replace("a / 3", "a / 2");
    let undocumented = half.replace("assert_eq!(calc::half(8), 4);", "calc::half(8);");
    let unhelped = undocumented.replace("        assert_eq!(a, b);\n", "");
    let unchecked = checks.replace("    assert_eq!(half(6), 3);\n", "    half(6);\n");
    let gated = undocumented.replace("    a / 3\n", "    if cfg!(test) { a / 2 } else { a / 3 }\n");
    let documented = fixed.replace("/// ```\npub", "/// assert_eq!(calc::half(2), 1);\n/// ```\npub");
    bench
        .table(
            "cargo test --offline",
            &[
                ("the fix", &[("src/half.rs", Some(&fixed))], "holds"),
                ("the fix, and more examples", &[("src/half.rs", Some(&documented))], "holds tests_changed"),
                (
                    "a helper, an example and a file of tests weakened",
                    &[("src/half.rs", Some(&unhelped)), ("src/checks.rs", Some(&unchecked))],
                    "fails checks_tampered tests_changed",
                ),
                (
                    "a file of tests alone",
                    &[
                        ("src/half.rs", Some(&fixed.replace("a / 2", "if a == 6 { 0 } else { a / 2 }"))),
                        ("src/checks.rs", Some(&unchecked)),
                    ],
                    "fails checks_tampered tests_changed",
                ),
                (
                    "an example alone",
                    &[("src/half.rs", Some(&undocumented.replace("a / 3", "if a == 8 { 0 } else { a / 2 }")))],
                    "fails checks_tampered tests_changed",
                ),
            ],
        )
        .await;
    bench
        .table(
            "cargo test --offline --lib",
            &[("it is right while tests run", &[("src/half.rs", Some(&gated))], "fails checks_tampered tests_changed")],
        )
        .await;
}

#[tokio::test]
async fn go_helpers_that_given_tests_ask_for_are_kept() {
    if !is_installed("go", &["version"]) {
        return;
    }
    let calc = "package calc\n\nfunc Half(a int) int { return a / 3 }\n";
    let tests = "package calc\n\nimport \"testing\"\n\nfunc TestHalf(t *testing.T) {\n\tif Half(four()) != 2 {\n\t\tt.Fatal(\"half\")\n\t}\n}\n";
    let helper = "package calc\n\nfunc four() int { return 4 }\n";
    let fixed = calc.replace("a / 3", "a / 2");
    let bench =
        Bench::new(&[("calc.go", calc), ("calc_test.go", tests), ("go.mod", "module example.com/calc\n\ngo 1.19\n")]);
    let wrong = "package calc\n";
    let moved = format!("{helper}\nfunc Half(a int) int {{ return a / 2 }}\n");
    bench
        .table(
            "go test ./...",
            &[
                (
                    "the fix and the helper",
                    &[("calc.go", Some(&fixed)), ("help_test.go", Some(helper))],
                    "holds not_finished",
                ),
                ("the helper alone", &[("help_test.go", Some(helper))], "fails checks_failed"),
            ],
        )
        .await;
    let bench = Bench::new(&[
        ("calc.go", calc),
        ("calc_test.go", &tests.replace("four()", "4")),
        ("go.mod", "module example.com/calc\n\ngo 1.19\n"),
    ]);
    bench
        .table(
            "go test ./...",
            &[(
                "the program among the tests",
                &[("calc.go", Some(wrong)), ("half_test.go", Some(&moved))],
                "fails checks_tampered",
            )],
        )
        .await;
}
