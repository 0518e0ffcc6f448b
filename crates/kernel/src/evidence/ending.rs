//! Endings of ours, planted in given scripts: each script notes that it runs and that it comes to its end, and one of them
//! is made to fail there. A command that stays green then does not look, or is lied to.
//!
//! Whatever is planted at the beginning of a script is there before anything of the work is loaded.

use super::script::ScriptLanguage;
use super::shell::{self, quoted};
use super::shell_words::{calls, leaving_words, sources};

/// What is planted in a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptEnding {
    /// It only notes that it runs and how it ends.
    Note,
    /// The same, and where it ended badly that is noted, too.
    Watch,
    /// It fails at its end, in the way in which scripts of its language fail.
    FailAtEnd,
    /// It fails where a word of its own ends it, and only there: for what others include.
    FailAtExit,
    /// It is killed at its end: nothing that the work left behind can make a good exit of that.
    DieAtEnd,
    /// It is killed before its first line.
    DieAtStart,
}

impl ScriptEnding {
    fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Watch => "watch",
            Self::FailAtEnd => "fail_at_end",
            Self::FailAtExit => "fail_at_exit",
            Self::DieAtEnd => "die_at_end",
            Self::DieAtStart => "die_at_start",
        }
    }
}

/// Plants endings for one run.
#[derive(Debug, Clone, Copy)]
pub struct Planter<'a> {
    /// The folder of the notes, outside of the tree.
    pub folder: &'a str,
    /// What planted names begin with: drawn, so that they are nobody else's.
    pub name: &'a str,
    /// The exit code of a script that is made to fail.
    pub code: u8,
    /// Files that the work changed, as the machine names them: who leaves from there does not leave by what is given.
    pub changed: &'a [String],
}

/// The file of the notes, in its folder.
pub const MARKS: &str = "marks";
const PYTHON: &str = include_str!("hook.py");
const JAVASCRIPT: &str = include_str!("hook.cjs");

/// Whoever looks at the style of scripts before it starts them is asked to pass these over.
const SHELL_LINTS: &str = "# shellcheck disable=all\n";
const PYTHON_LINTS: &str = "# ruff: noqa\n# flake8: noqa\n# pylint: skip-file\n# fmt: off\n";
const JAVASCRIPT_LINTS: &str = "/* eslint-disable */ ";

/// Programs and words of the shell that say whether something is so, and a call of each that must say no.
const SHELL_CHECKS: [(&str, &str); 6] = [
    ("test", "test 1 = 2"),
    ("[", "[ 1 = 2 ]"),
    ("grep", "echo 1 | grep -q 2"),
    ("diff", "diff /dev/null MARKS >/dev/null 2>&1"),
    ("cmp", "cmp /dev/null MARKS >/dev/null 2>&1"),
    ("false", "false"),
];

impl Planter<'_> {
    /// Files that must be in the folder of the notes before anything runs.
    pub fn files(&self) -> Vec<(String, String)> {
        let texts = [("hook.py", PYTHON), ("hook.cjs", JAVASCRIPT), (MARKS, "")];
        texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    fn marks(&self) -> String {
        format!("{}/{MARKS}", self.folder)
    }

    /// A script with its ending, and a file beside the notes that it needs; or why there is no place for one.
    pub fn plant(
        &self,
        number: usize,
        language: ScriptLanguage,
        text: &str,
        plant: ScriptEnding,
    ) -> Result<(String, Option<(String, String)>), String> {
        match language {
            ScriptLanguage::Shell => Ok((self.shell(number, text, plant)?, None)),
            ScriptLanguage::Python => Ok((self.python(number, text, plant), None)),
            ScriptLanguage::JavaScript => self.javascript(number, text, plant),
        }
    }

    /// The same for a command line, which is a script of the shell's, too: whether something else can be written after it.
    pub fn plant_line(&self, number: usize, line: &str, plant: ScriptEnding) -> Result<String, String> {
        if !sources(line) {
            return Err("it includes no file".into());
        }
        // What cannot be read as plain commands may still be followed by a line, unless it is not over.
        if let Err(why) = shell::read(line)
            && ["background", "feeds text", "not closed", "too long", "leads nowhere"].iter().any(|it| why.contains(it))
        {
            return Err(why);
        }
        self.shell(number, line, plant)
    }

    fn shell(&self, number: usize, text: &str, plant: ScriptEnding) -> Result<String, String> {
        if text.contains('\r') {
            return Err("its lines end with a carriage return".into());
        }
        let (name, marks, code) = (self.name, quoted(&self.marks()), self.code);
        if text.trim_end_matches('\n').ends_with('\\') {
            return Err("its last line goes on".into());
        }
        let note = |word: &str| format!("echo {word} {number} $$ >>{marks}");
        let last = match plant {
            ScriptEnding::FailAtEnd | ScriptEnding::FailAtExit => format!("exit {code}"),
            ScriptEnding::DieAtEnd => "kill -9 $$".to_owned(),
            _ => String::new(),
        };
        // `exit 1` becomes `NAME_exit 1`, and `exec program` becomes `NAME_exec program`.
        let leave = |word: &str, real: &str| {
            let real = if last.is_empty() { real } else { last.as_str() };
            format!("{name}_{number}_{word}() {{ {name}_s=$?; {name}_{number}_check; {}; {real}; }}", note("exit"))
        };
        let exit = leave("exit", &format!("exit ${{1-${name}_s}}"));
        let exec = leave("exec", "exec \"$@\"");
        let start = if plant == ScriptEnding::DieAtStart { "; kill -9 $$" } else { "" };
        let is_watched = matches!(plant, ScriptEnding::Watch | ScriptEnding::FailAtEnd) && !text.contains("trap");
        let over = format!("{name}_{number}_over");
        let trap = format!(
            "; {over}=; {over}() {{ {name}_s=$?; if [ ${name}_s != 0 ]; then {}; elif [ -z \"${over}\" ]; then {}; fi; }}; trap {over} EXIT",
            note("left"),
            note("gone")
        );
        let trap = if is_watched { trap.as_str() } else { "" };
        let (first, rest) = match text.split_once('\n') {
            Some((first, rest)) if first.starts_with("#!") => (format!("{first}\n"), rest),
            _ => (String::new(), text),
        };
        let digits = number.to_string();
        let mut body = String::new();
        let mut at = 0;
        for (from, word) in leaving_words(rest) {
            body.push_str(&rest[at..from]);
            body.extend([name, "_", digits.as_str(), "_", word]);
            at = from + word.len();
        }
        body.push_str(&rest[at..]);
        // A name that the script does not use may mean whatever the work wants it to.
        let checks: Vec<String> = SHELL_CHECKS
            .iter()
            .filter(|(program, _)| calls(rest, program))
            .map(|(_, call)| format!("if {}; then {}; fi; ", call.replace("MARKS", &marks), note("lied")))
            .collect();
        let checks = checks.concat();
        let check = format!("{name}_{number}_check() {{ {checks}:; }}");
        let start = format!("{check}; {exit}; {exec}; {}{start}{trap}\n", note("start"));
        let is_over = last.is_empty() || plant == ScriptEnding::FailAtExit;
        let last = if is_over { format!("(exit ${name}_s)") } else { last };
        Ok(format!(
            "{first}{SHELL_LINTS}{start}{body}\n{name}_s=$?\n{name}_{number}_check; {over}=1; {}\n{last}\n",
            note("end")
        ))
    }

    fn call(&self, number: usize, text: &str, plant: ScriptEnding) -> String {
        let json = |value: serde_json::Value| value.to_string();
        let checks: Vec<&str> = ["unittest", "assert"].into_iter().filter(|word| text.contains(word)).collect();
        let words = [
            number.to_string(),
            json(format!("{}_{number}", self.name).into()),
            json(plant.as_str().into()),
            json(self.marks().into()),
            self.code.to_string(),
            json(self.changed.into()),
            json(checks.into()),
        ];
        words.join(", ")
    }

    fn python(&self, number: usize, text: &str, plant: ScriptEnding) -> String {
        let name = format!("{}_{number}", self.name);
        let hook = serde_json::Value::from(format!("{}/hook.py", self.folder)).to_string();
        let call = self.call(number, text, plant);
        let start = format!(
            "{name}_w = {{}}; exec(compile(open({hook}).read(), \"<hook>\", \"exec\"), {name}_w); {name}_w[\"plant\"]({call})  # noqa\n"
        );
        let at = python_begins(text);
        let (head, body) = text.split_at(at);
        let head = if head.is_empty() || head.ends_with('\n') { head.to_owned() } else { format!("{head}\n") };
        let body = body.replace("raise SystemExit", &format!("{name}_x(); raise SystemExit"));
        format!("{head}{PYTHON_LINTS}{start}{body}\n{name}()\n")
    }

    fn javascript(
        &self,
        number: usize,
        text: &str,
        plant: ScriptEnding,
    ) -> Result<(String, Option<(String, String)>), String> {
        if text.lines().any(|line| line.starts_with("return")) {
            return Err("it may return before its end".into());
        }
        let name = format!("{}_{number}", self.name);
        let call = self.call(number, text, plant);
        let hook = |file: &str| serde_json::Value::from(format!("{}/{file}", self.folder)).to_string();
        let words = ["import ", "import{", "export ", "export{", "import'", "import\""];
        let is_module = text.lines().any(|line| words.iter().any(|word| line.starts_with(word)));
        let end = format!("\n;globalThis[\"{name}\"]();\n");
        let is_strict = |line: &str| matches!(line.trim().trim_end_matches(';'), "'use strict'" | "\"use strict\"");
        let lines = text.split_inclusive('\n');
        let before = lines.clone().position(is_strict).map(|at| at + 1);
        let before = before.unwrap_or(usize::from(text.starts_with("#!")));
        let at: usize = lines.take(before).map(str::len).sum();
        let (head, body) = text.split_at(at);
        let head = if head.is_empty() || head.ends_with('\n') { head.to_owned() } else { format!("{head}\n") };
        if is_module {
            // Modules are loaded before anything of the script runs: the first of them is ours.
            let file = format!("hook-{number}.mjs");
            let own = format!("import hook from {};\nhook({call});\n", hook("hook.cjs"));
            return Ok((format!("{head}{JAVASCRIPT_LINTS}import {};\n{body}{end}", hook(&file)), Some((file, own))));
        }
        // A line before it may end without a semicolon.
        let load = format!(
            "(typeof require === 'function' ? require : process.getBuiltinModule('module').createRequire('/'))({})",
            hook("hook.cjs")
        );
        Ok((format!("{head}{JAVASCRIPT_LINTS};{load}({call});\n{body}{end}"), None))
    }
}

/// Where a Python program begins: after its comments, its description and what it imports from the future.
fn python_begins(text: &str) -> usize {
    let mut at = 0;
    let mut open: Option<&str> = None;
    let mut is_in_list = false;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        if let Some(quote) = open {
            at += line.len();
            if trimmed.ends_with(quote) {
                open = None;
            }
            continue;
        }
        if is_in_list {
            at += line.len();
            is_in_list = !trimmed.contains(')');
            continue;
        }
        let bare = trimmed.trim_start_matches(['r', 'R', 'u', 'U']);
        let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| bare.starts_with(quote));
        if let Some(quote) = quote {
            let is_closed = bare.len() >= 2 * quote.len() && bare[quote.len()..].contains(quote);
            open = (!is_closed).then_some(quote);
        } else if trimmed.starts_with("from __future__") {
            is_in_list = trimmed.contains('(') && !trimmed.contains(')');
        } else if !(trimmed.is_empty() || trimmed.starts_with('#')) {
            break;
        }
        at += line.len();
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLANTER: Planter<'_> = Planter { folder: "/m", name: "k", code: 70, changed: &[] };

    #[test]
    fn a_program_in_python_begins_after_its_future() {
        for (text, expected) in [
            ("import a\n", 0),
            ("#!/usr/bin/python3\n# -*- coding: utf-8 -*-\nimport a\n", 43),
            ("\"\"\"What it does.\"\"\"\nfrom __future__ import annotations\nimport a\n", 55),
            ("'''\nWhat\nit does.\n'''\nimport a\n", 22),
            ("from __future__ import (\n    annotations,\n)\nx = 1\n", 44),
            ("", 0),
        ] {
            assert_eq!(python_begins(text), expected, "{text}");
        }
    }

    #[test]
    fn a_script_of_the_shell_notes_each_of_its_ends() {
        let script = "#!/bin/sh\n. ./a.sh\ntest 1 = 1 || exit 1\n";
        let (text, _) = PLANTER.plant(3, ScriptLanguage::Shell, script, ScriptEnding::FailAtEnd).unwrap();
        for part in [
            "#!/bin/sh\n# shellcheck",
            "if test 1 = 2; then echo lied 3 $$ >>/m/marks; fi",
            "echo exit 3 $$ >>/m/marks; exit 70; }",
            "\n. ./a.sh\ntest 1 = 1 || k_3_exit 1\n",
            "trap k_3_over EXIT",
            "echo end 3 $$ >>/m/marks\nexit 70\n",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(!text.contains("grep") && !text.contains("kill"), "what it does not call is not tried\n{text}");
        let (text, _) = PLANTER.plant(3, ScriptLanguage::Shell, script, ScriptEnding::Note).unwrap();
        assert!(
            text.contains("exit ${1-$k_s}; }") && text.ends_with("(exit $k_s)\n") && !text.contains("trap"),
            "{text}"
        );
        let (text, _) = PLANTER.plant(3, ScriptLanguage::Shell, script, ScriptEnding::DieAtStart).unwrap();
        assert!(text.find("kill -9 $$").unwrap() < text.find("a.sh").unwrap(), "{text}");
    }

    #[test]
    fn what_has_no_place_for_an_ending_is_refused() {
        for (line, expected) in [
            ("sh check.sh", "it includes no file"),
            (". ./a.sh &", "it starts something in the background"),
            (". ./a.sh; cat <<E", "it feeds text or a process to a command"),
            (". ./a.sh; test 'a", "a quote is not closed"),
            (". ./a.sh; test a \\", "its last line goes on"),
            (". ./a.sh && test \"$(half 4)\" = 2", "planted"),
            ("if . ./a.sh; then test 1 = 1; fi", "planted"),
        ] {
            let said = PLANTER.plant_line(0, line, ScriptEnding::Note).map_or_else(|why| why, |_| "planted".into());
            assert_eq!(said, expected, "{line}");
        }
        for (language, text, expected) in [
            (ScriptLanguage::Shell, "echo a\r\n", "its lines end with a carriage return"),
            (ScriptLanguage::JavaScript, "return;\n", "it may return before its end"),
        ] {
            assert_eq!(PLANTER.plant(0, language, text, ScriptEnding::Note).unwrap_err(), expected, "{text}");
        }
    }

    #[test]
    fn a_module_loads_ours_first_and_a_strict_script_stays_strict() {
        let of = |text| PLANTER.plant(1, ScriptLanguage::JavaScript, text, ScriptEnding::Note).unwrap();
        let (module, file) = of("#!/usr/bin/env node\nimport a from './a.js';\n");
        assert!(
            module.starts_with("#!/usr/bin/env node\n/* eslint-disable */ import \"/m/hook-1.mjs\";\nimport a"),
            "{module}"
        );
        assert_eq!(file.unwrap().0, "hook-1.mjs");
        let (strict, file) = of("// a\n'use strict';\nrequire('./a');\n");
        assert!(
            strict.starts_with("// a\n'use strict';\n/* eslint-disable */ ;(typeof require") && file.is_none(),
            "{strict}"
        );
        assert!(strict.ends_with("\n;globalThis[\"k_1\"]();\n"), "{strict}");
    }
}
