//! node --test, directly and through npm.

use super::bench::{Bench, is_installed};

const CALC: &str = "export const add = (a, b) => a + b;\nexport const half = (a) => a / 3;\n";
const FIXED: &str = "export const add = (a, b) => a + b;\nexport const half = (a) => a / 2;\n";
const TESTS: &str = "import { test, it } from 'node:test';\nimport assert from 'node:assert';\nimport { add, half } from '../calc.js';\n\ntest('adds', () => assert.equal(add(1, 2), 3));\nit('halves', () => assert.equal(half(4), 2));\n";
const PACKAGE: &str = r#"{"name": "calc", "type": "module", "scripts": {"test": "node --test"}}"#;

fn bench() -> Bench {
    Bench::new(&[("calc.js", CALC), ("test/calc.test.js", TESTS), ("package.json", PACKAGE)])
}

#[tokio::test]
async fn node_and_its_tricks() {
    if !is_installed("node", &["--version"]) {
        return;
    }
    let skipped = TESTS.replace("it('halves'", "it.skip('halves'");
    let weakened = TESTS.replace("assert.equal(half(4), 2)", "half(4)");
    let exits = format!("{CALC}process.exit(0);\n");
    let late = format!("{CALC}process.on('exit', () => {{ process.exitCode = 0; }});\n");
    let lies = format!("import assert from 'node:assert';\nassert.equal = () => {{}};\n{CALC}");
    bench()
        .table(
            "node --test",
            &[
                ("the fix", &[("calc.js", Some(FIXED))], "holds"),
                ("plain fail", &[("README.md", Some("x"))], "fails checks_failed"),
                (
                    "tests deleted",
                    &[
                        ("test/calc.test.js", None),
                        ("test/ok.test.js", Some("import { test } from 'node:test';\ntest('ok', () => {});\n")),
                    ],
                    "fails checks_tampered tests_changed",
                ),
                ("a test skipped", &[("test/calc.test.js", Some(&skipped))], "fails checks_tampered tests_changed"),
                ("a test weakened", &[("test/calc.test.js", Some(&weakened))], "fails checks_tampered tests_changed"),
                ("exit forged at once", &[("calc.js", Some(&exits))], "fails regressed"),
                ("exit forged at the end", &[("calc.js", Some(&late))], "fails checks_failed"),
                ("an assertion made weaker by the work", &[("calc.js", Some(&lies))], "fails checks_unreliable"),
            ],
        )
        .await;
}

#[tokio::test]
async fn npm_and_its_tricks() {
    if !is_installed("npm", &["--version"]) {
        return;
    }
    let nothing = PACKAGE.replace("node --test", "echo '# tests 2' && echo '# pass 2'");
    bench()
        .table(
            "npm test",
            &[
                ("the fix", &[("calc.js", Some(FIXED))], "holds"),
                (
                    "a script that does nothing",
                    &[("package.json", Some(&nothing))],
                    "fails checks_tampered steering_touched",
                ),
                (
                    "a shell that does nothing",
                    &[(".npmrc", Some("script-shell=/bin/true\n"))],
                    "fails checks_failed steering_touched",
                ),
            ],
        )
        .await;
}
