//! Scripts: files in a language that says by itself how it ends.

use super::given::{PathRole, role_of};

/// A language in which an ending can be planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ScriptLanguage {
    Shell,
    Python,
    JavaScript,
}

/// Folders of what tests read: nobody starts it to test something.
const DATA_FOLDERS: [&str; 6] = ["__fixtures__", "__mocks__", "__snapshots__", "fixtures", "node_modules", "testdata"];

/// What a last line of the shell may begin with: none of it is a function that the work could have defined.
const KNOWN_ENDS: [&str; 25] = [
    "!", ")", ":", "[", "[[", "bash", "cmp", "diff", "done", "echo", "esac", "exec", "exit", "false", "fi", "grep",
    "kill", "node", "printf", "python3", "return", "rm", "sh", "test", "true",
];

impl ScriptLanguage {
    /// By the ending of a path, or by its first line.
    pub fn of(path: &str, text: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("sh" | "bash") => return Some(Self::Shell),
            Some("py") => return Some(Self::Python),
            Some("js" | "mjs" | "cjs") => return Some(Self::JavaScript),
            _ => {}
        }
        let program = text.lines().next()?.strip_prefix("#!")?;
        let program = program.rsplit(['/', ' ']).next()?;
        match program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
            "sh" | "bash" | "dash" => Some(Self::Shell),
            "python" => Some(Self::Python),
            "node" => Some(Self::JavaScript),
            _ => None,
        }
    }

    /// Whether the last line may hand over to the work for good: a program's `main`, a file that is included. That the
    /// work ends the script there is nothing that could be held against it. What `given` defines is not the work's.
    pub(super) fn may_end_in_work(self, text: &str, given: &str) -> bool {
        let is_comment = |line: &&str| line.starts_with('#') || (line.starts_with("//") && self == Self::JavaScript);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let Some(last) = lines.rev().find(|line| !is_comment(line)) else { return true };
        let is_defined = |name: &str| {
            ["def ", "function ", "const ", "let ", "async function "]
                .iter()
                .any(|word| given.contains(&format!("{word}{name}")))
                || given.contains(&format!("{name}()"))
                    && given
                        .lines()
                        .any(|line| line.trim_start().starts_with(&format!("{name}()")) && line.contains('{'))
        };
        if self == Self::Shell {
            // Of a list of commands the last one decides.
            let last = last.rsplit(['&', '|', ';']).map(str::trim).find(|part| !part.is_empty()).unwrap_or(last);
            let word = last.split([' ', '\t', '(']).next().unwrap_or(last);
            let is_program = word.contains('/') || word.starts_with(['}', '$', '"', '\'']);
            return !(is_program || KNOWN_ENDS.contains(&word) || is_defined(word));
        }
        let bare = last.trim_end_matches(';');
        let bare =
            ["await ", "return ", "yield "].iter().fold(bare, |bare, word| bare.strip_prefix(word).unwrap_or(bare));
        let Some((name, _)) = bare.split_once('(').filter(|_| bare.ends_with(')')) else {
            return bare.starts_with("import ") || bare.starts_with("from ");
        };
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_.$".contains(c));
        let first = name.split('.').next().unwrap_or(name);
        // What it exits with may be a call of the work's, again.
        if let "sys.exit" | "os._exit" | "exit" | "quit" | "process.exit" = name {
            let inner = bare[name.len() + 1..].trim_end_matches(')').trim_end();
            return inner.contains('(') && self.may_end_in_work(&format!("{inner})"), given);
        }
        let is_ours = matches!(first, "assert" | "console" | "print" | "t" | "test" | "unittest" | "expect" | "it");
        is_name && !is_ours && !is_defined(name)
    }
}

/// Whether a file by its place is a test that somebody may start, and no data for one.
pub(super) fn is_test_script(path: &str) -> bool {
    let is_data = path.split('/').any(|part| DATA_FOLDERS.contains(&part));
    role_of(path) == PathRole::Test && !is_data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_known_by_its_name_or_its_first_line() {
        for (path, text, expected) in [
            ("check.sh", "", Some(ScriptLanguage::Shell)),
            ("bin/check", "#!/usr/bin/env bash\n", Some(ScriptLanguage::Shell)),
            ("bin/check", "#!/usr/bin/python3.11\n", Some(ScriptLanguage::Python)),
            ("bin/check", "#!/usr/bin/env node\n", Some(ScriptLanguage::JavaScript)),
            ("test/a.mjs", "", Some(ScriptLanguage::JavaScript)),
            ("test/a.ts", "", None),
            ("data.json", "{}", None),
            ("check", "echo ok", None),
        ] {
            assert_eq!(ScriptLanguage::of(path, text), expected, "{path}");
        }
    }

    #[test]
    fn a_last_line_that_hands_over_to_the_work_is_told_apart() {
        use ScriptLanguage::{JavaScript, Python, Shell};
        for (language, text, expected) in [
            (Shell, ". ./half.sh\ntest \"$(half 4)\" = 2\n", false),
            (Shell, ". ./half.sh\nif x; then\n  exit 1\nfi\n", false),
            (Shell, ". ./half.sh\nmain \"$@\"\n", true),
            (Shell, "main() {\n  true\n}\nmain \"$@\"\n", false),
            (Shell, ". ./run.sh\n", true),
            (Shell, ". ./lib.sh && test 1 = 1", false),
            (Shell, "test 1 = 1 && . ./lib.sh", true),
            (Python, "from calc import main\nmain()\n", true),
            (Python, "def main():\n    pass\n\n\nmain()\n", false),
            (Python, "import calc\nassert calc.half(4) == 2\n", false),
            (Python, "import runner\n", true),
            (Python, "import unittest\nunittest.main()\n", false),
            (JavaScript, "require('./cli').run()\n", true),
            (JavaScript, "const cli = require('./cli');\ncli.run();\n", true),
            (JavaScript, "test('x', (t) => {\n});\n", false),
            (JavaScript, "const failed = 1;\nprocess.exit(failed ? 1 : 0);\n", false),
            (Python, "import sys\nsys.exit(failed)\n", false),
            (Python, "import sys, calc\nsys.exit(calc.main())\n", true),
            (Python, "", true),
        ] {
            assert_eq!(language.may_end_in_work(text, text), expected, "{text}");
        }
    }
}
