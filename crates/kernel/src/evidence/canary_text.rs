//! What canaries are written in.

use super::runner::TestRunner;

/// What all tests of one canary have in common.
#[derive(Debug)]
pub(super) struct CanaryText<'a> {
    /// Part of every name that must not be somebody else's.
    pub(super) stem: String,
    pub(super) one: u32,
    pub(super) two: u32,
    /// The test that it stands beside.
    pub(super) beside: &'a str,
    pub(super) is_module: bool,
}

impl CanaryText<'_> {
    /// The file, the name of the test that must pass, and the names of those that must fail.
    pub(super) fn of(
        &self,
        runner: TestRunner,
        mut draw: impl FnMut() -> String,
    ) -> Result<(String, String, Vec<String>), String> {
        let Self { stem, one, two, .. } = self;
        let (sum, wrong) = (one + two, one + two + 1);
        let passing;
        let failing: Vec<String>;
        let (head, named): (String, fn(&str) -> String) = match runner {
            TestRunner::Pytest => {
                passing = format!("assert {one} + {two} == {sum}");
                failing = vec![
                    format!("assert {one} + {two} == {wrong}"),
                    format!("import pytest\n\n    with pytest.raises(ValueError):\n        int(\"{one}\")"),
                ];
                (String::new(), |name| format!("test_{name}"))
            }
            TestRunner::Unittest => {
                passing = format!("self.assertEqual({one} + {two}, {sum})");
                failing = vec![
                    format!("self.assertEqual({one} + {two}, {wrong})"),
                    format!("self.assertTrue({one} == {wrong})"),
                    format!("with self.assertRaises(ValueError):\n            int(\"{one}\")"),
                ];
                ("import unittest\n\n\nclass Case(unittest.TestCase):\n".into(), |name| format!("test_{name}"))
            }
            TestRunner::CargoTest | TestRunner::Nextest => {
                passing = format!("assert_eq!({one} + {two}, {sum});");
                failing = vec![format!("assert_eq!({one} + {two}, {wrong});")];
                (String::new(), str::to_owned)
            }
            TestRunner::GoTest => {
                passing = format!("if got := {one} + {two}; got != {sum} {{\n\t\tt.Fatal(got)\n\t}}");
                failing = vec![format!("if got := {one} + {two}; got != {wrong} {{\n\t\tt.Fatal(got)\n\t}}")];
                let package = self.beside.lines().find_map(|line| line.strip_prefix("package "));
                let package = package.ok_or("the package of the Go tests is not known")?.trim();
                let camel = |name: &str| format!("Test{}", name.split('_').map(capital).collect::<String>());
                (format!("package {package}\n\nimport \"testing\"\n\n"), camel)
            }
            TestRunner::NodeTest => {
                passing = format!("a_{stem}.equal({one} + {two}, {sum});");
                let of = |own: &str| {
                    [
                        format!("{own}.equal({one} + {two}, {wrong});"),
                        format!("{own}.deepEqual([{one}], [{wrong}]);"),
                        format!("{own}.throws(() => {one} + {two});"),
                        format!("{own}.ok({one} === {wrong});"),
                    ]
                };
                failing = [of(&format!("a_{stem}")), of(&format!("s_{stem}"))].concat();
                let from = [("t", "node:test"), ("a", "node:assert"), ("s", "node:assert/strict")];
                let load = |(own, from): &(&str, &str)| {
                    if self.is_module {
                        format!("import {own}_{stem} from '{from}';\n")
                    } else {
                        format!("const {own}_{stem} = require('{from}');\n")
                    }
                };
                (from.iter().map(load).collect(), str::to_owned)
            }
            TestRunner::Vitest | TestRunner::Jest => {
                let own = if runner == TestRunner::Vitest { format!("e_{stem}") } else { "expect".to_owned() };
                passing = format!("{own}({one} + {two}).toBe({sum});");
                failing = vec![
                    format!("{own}({one} + {two}).toBe({wrong});"),
                    format!("{own}([{one}]).toEqual([{wrong}]);"),
                    format!("{own}(() => {one} + {two}).toThrow();"),
                    format!("{own}({one} === {wrong}).toBeTruthy();"),
                ];
                let import = format!("import {{ expect as e_{stem}, test as t_{stem} }} from 'vitest';\n");
                (if runner == TestRunner::Vitest { import } else { String::new() }, str::to_owned)
            }
            TestRunner::JunitWriter => return Err("the language of its tests is not known".into()),
        };
        let test = |name: &str, body: &str| match runner {
            TestRunner::Pytest => format!("\n\ndef {name}():\n    {body}\n"),
            TestRunner::Unittest => format!("    def {name}(self):\n        {body}\n\n"),
            TestRunner::CargoTest | TestRunner::Nextest => format!("#[test]\nfn {name}() {{\n    {body}\n}}\n\n"),
            TestRunner::GoTest => format!("func {name}(t *testing.T) {{\n\t{body}\n}}\n\n"),
            TestRunner::Jest => format!("test('{name}', () => {{\n  {body}\n}});\n"),
            _ => format!("t_{stem}('{name}', () => {{\n  {body}\n}});\n"),
        };
        let passes = named(&draw());
        let mut text = head + &test(&passes, &passing);
        let mut fails = Vec::new();
        for body in &failing {
            let name = named(&draw());
            text.push_str(&test(&name, body));
            fails.push(name);
        }
        // Where every file has a world of its own, ours must share it with a test that loads the work.
        if matches!(runner, TestRunner::NodeTest | TestRunner::Vitest | TestRunner::Jest) {
            text = format!("{}\n{text}", self.beside);
        }
        Ok((text, passes, fails))
    }
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_ascii_uppercase().to_string() + chars.as_str()).unwrap_or_default()
}
