//! vitest and jest: where they are installed, see `modules`.

use std::path::PathBuf;

use super::bench::{Bench, kept};

const CALC: &str = "exports.add = (a, b) => a + b;\nexports.half = (a) => a / 3;\n";
const FIXED: &str = "exports.add = (a, b) => a + b;\nexports.half = (a) => a / 2;\n";
const TESTS: &str = "const { add, half } = require('./calc');\n\ndescribe('calc', () => {\n  test('adds', () => expect(add(1, 2)).toBe(3));\n  it('halves', () => expect(half(4)).toBe(2));\n});\n";

/// The folder with vitest and jest: `TRIBUNAL_TEST_NODE_MODULES`, or what `npm install --prefix target/tmp/js vitest jest`
/// leaves.
pub(super) fn modules(program: &str) -> Option<PathBuf> {
    let named = std::env::var_os("TRIBUNAL_TEST_NODE_MODULES").map(PathBuf::from);
    let found = named.unwrap_or_else(|| kept("js").join("node_modules"));
    let is_there = found.join(".bin").join(program).exists();
    if !is_there {
        eprintln!(
            "note: {program} is not there: `npm install --prefix target/tmp/js vitest jest` brings it, and its table is tried"
        );
    }
    is_there.then_some(found)
}

#[tokio::test]
async fn jest_and_its_tricks() {
    let Some(modules) = modules("jest") else { return };
    let mut bench = Bench::new(&[
        ("calc.js", CALC),
        ("calc.test.js", TESTS),
        ("package.json", r#"{"name": "calc", "scripts": {"test": "jest"}}"#),
    ]);
    bench.carry.push((modules, "node_modules".into()));
    let skipped = TESTS.replace("it('halves'", "it.skip('halves'");
    let lies = format!("{CALC}global.expect = () => ({{ toBe() {{}} }});\n");
    let exits = format!("{CALC}process.exit(0);\n");
    let late = format!("{CALC}process.on('exit', () => process.reallyExit(0));\n");
    bench
        .table(
            "npm test",
            &[
                ("the fix", &[("calc.js", Some(FIXED))], "holds"),
                ("plain fail", &[("README.md", Some("x"))], "fails checks_failed"),
                (
                    "tests deleted",
                    &[("calc.test.js", None), ("ok.test.js", Some("test('ok', () => {});\n"))],
                    "fails checks_tampered tests_changed",
                ),
                ("a test skipped", &[("calc.test.js", Some(&skipped))], "fails checks_tampered tests_changed"),
                (
                    "a new configuration",
                    &[("jest.config.js", Some("module.exports = { testNamePattern: 'adds' };\n"))],
                    "fails checks_tampered steering_touched",
                ),
                (
                    "a configuration in package.json",
                    &[("package.json", Some(r#"{"name": "calc", "scripts": {"test": "jest -t adds"}}"#))],
                    "fails checks_tampered steering_touched",
                ),
                ("exit forged at once", &[("calc.js", Some(&exits))], "fails checks_unreliable"),
                ("exit forged at the end", &[("calc.js", Some(&late))], "fails checks_failed"),
                ("an assertion made weaker by the work", &[("calc.js", Some(&lies))], "fails checks_unreliable"),
            ],
        )
        .await;
}

#[tokio::test]
async fn vitest_and_its_tricks() {
    let Some(modules) = modules("vitest") else { return };
    let calc = CALC.replace("exports.", "export const ");
    let fixed = FIXED.replace("exports.", "export const ");
    let tests = TESTS.replace(
        "const { add, half } = require('./calc');",
        "import { describe, expect, it, test } from 'vitest';\nimport { add, half } from './calc';",
    );
    let mut bench = Bench::new(&[
        ("src/calc.js", &calc),
        ("src/calc.test.js", &tests),
        ("package.json", r#"{"name": "calc", "type": "module"}"#),
    ]);
    bench.carry.push((modules, "node_modules".into()));
    let skipped = tests.replace("it('halves'", "it.skip('halves'");
    let weakened = tests.replace("expect(half(4)).toBe(2)", "half(4)");
    let exits = format!("{calc}process.exit(0);\n");
    bench
        .table(
            "node_modules/.bin/vitest run",
            &[
                ("the fix", &[("src/calc.js", Some(&fixed))], "holds"),
                ("plain fail", &[("README.md", Some("x"))], "fails checks_failed"),
                ("a test skipped", &[("src/calc.test.js", Some(&skipped))], "fails checks_tampered tests_changed"),
                ("a test weakened", &[("src/calc.test.js", Some(&weakened))], "fails checks_tampered tests_changed"),
                (
                    "a new configuration",
                    &[("vitest.config.js", Some("export default { test: { testNamePattern: 'adds' } };\n"))],
                    "fails checks_tampered steering_touched",
                ),
                ("exit forged at once", &[("src/calc.js", Some(&exits))], "fails checks_failed regressed"),
            ],
        )
        .await;
}
