//! Whether a file has tests in it, by its text.

use super::source::{SourceLanguage, code_of};

/// What a line of JavaScript begins with that is a test, or a part of one.
const SCRIPT_TESTS: [&str; 14] = [
    "test(",
    "test.",
    "it(",
    "it.",
    "describe(",
    "describe.",
    "suite(",
    "t.test(",
    "tap.",
    "await test(",
    "await t.test(",
    "assert(",
    "assert.",
    "expect(",
];

/// What makes a test of a file that has no names of tests in it.
const ASSERTS: [&str; 4] = ["assert ", "assert(", "assert.", "expect("];

/// Whether tests have names in this file.
pub(super) fn names_tests(language: SourceLanguage, text: &str) -> bool {
    let is_named = |line: &&str| !ASSERTS.iter().any(|word| line.trim_start().starts_with(word));
    has_tests(language, &text.lines().filter(is_named).collect::<Vec<_>>().join("\n"))
}

/// Whether somebody who runs this file runs tests.
pub(super) fn has_tests(language: SourceLanguage, text: &str) -> bool {
    let code = String::from_utf8_lossy(&code_of(language, text)).into_owned();
    let begins = |line: &str, words: &[&str]| words.iter().any(|word| line.starts_with(word));
    code.lines().any(|line| {
        let bare = line.trim_start();
        match language {
            SourceLanguage::Python => {
                begins(bare, &["def test", "async def test", "def runTest"]) || line.starts_with("assert ")
            }
            SourceLanguage::Script => begins(bare, &SCRIPT_TESTS),
            SourceLanguage::Go => begins(bare, &["func Test", "func Fuzz", "func Example", "func Benchmark"]),
            SourceLanguage::Rust => bare.contains("#[") && bare.contains("test"),
            SourceLanguage::CLike => {
                ["@Test", "TEST(", "TEST_F(", "TEST_CASE(", "[Test", "[Fact", "TestCase", "XCTest", "assert("]
                    .iter()
                    .any(|word| bare.contains(word))
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_told_from_what_is_only_called_so() {
        use SourceLanguage::{Go, Python, Rust, Script};
        for (language, text, expected) in [
            (Python, "class A(TestCase):\n    def test_a(self):\n        pass\n", true),
            (Python, "import calc\n\nassert calc.add(1, 2) == 3\n", true),
            (Python, "def invoke(app):\n    assert app\n    return app()\n", false),
            (Python, "# def test_a():\nclass TestClient:\n    pass\n", false),
            (Script, "import test from 'node:test';\ntest('a', () => {});\n", true),
            (Script, "module.exports = function runTest(a) { return a; };\n", false),
            (Go, "package a\n\nfunc TestA(t *testing.T) {}\n", true),
            (Go, "package a\n\nfunc testable() {}\n", false),
            (Rust, "#[test]\nfn a() {}\n", true),
            (Rust, "#[derive(Debug)]\npub struct Spec;\n", false),
        ] {
            assert_eq!(has_tests(language, text), expected, "{text}");
            assert_eq!(names_tests(language, text), expected && !text.contains("assert "), "{text}");
        }
    }
}
