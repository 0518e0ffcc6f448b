//! The files that the commands of a test spec name: what it checks with, and therefore what a worker may not quietly change.
//!
//! Prose and criteria tell what the work is about, and name no such files. Nor does a command that looks at a file without
//! running it: that one is the work. Tests and what steers a runner are given by their names, whoever names them.

use serde_json::Value;
use std::collections::BTreeSet;

use crate::Digest;

/// Extensions that make a file of a word.
const EXTENSIONS: [&str; 65] = [
    "bash", "bats", "c", "cc", "cfg", "cjs", "clj", "conf", "cpp", "cs", "css", "csv", "cts", "dart", "ex", "exs",
    "feature", "go", "gradle", "h", "hpp", "hs", "html", "ini", "ipynb", "java", "jl", "js", "json", "jsonc", "jsx",
    "kt", "kts", "lock", "lua", "md", "mjs", "mk", "ml", "mts", "php", "pl", "proto", "ps1", "py", "pyi", "r", "rb",
    "rs", "scala", "sh", "snap", "sql", "svelte", "swift", "t", "tf", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml",
    "yml",
];

/// Files that are known without an extension.
const NAMES: [&str; 6] = ["Dockerfile", "Justfile", "Makefile", "Rakefile", "justfile", "makefile"];

/// What runs a command that stands in a file: the program, and the part of the file that counts.
const INDIRECT: [(&[&str], &str); 3] =
    [(&["make", "gmake"], "Makefile"), (&["just"], "justfile"), (&["npm", "pnpm", "yarn", "bun"], SCRIPTS)];

/// The commands of a Node project. Its dependencies are the worker's to change, what `npm test` does is not.
const SCRIPTS: &str = "package.json#scripts";

/// A path that is longer than this is none.
const LONGEST: usize = 256;

/// Collects names, each once, in the order in which they come.
#[derive(Debug, Default)]
pub(super) struct NamedFiles {
    files: Vec<String>,
    seen: BTreeSet<String>,
}

impl NamedFiles {
    /// Takes in a command: every relative path counts, with or without an extension.
    pub(super) fn in_command(&mut self, line: &str) {
        for command in line.split(['&', '|', ';', '\n']) {
            let mut words = command.split_whitespace().skip_while(|word| word.contains('='));
            let program = words.next().map(|word| word.rsplit('/').next().unwrap_or(word)).unwrap_or_default();
            let file = INDIRECT.iter().find(|(programs, _)| programs.contains(&program)).map(|(_, file)| *file);
            if let Some(file) = file.filter(|file| self.seen.insert((*file).to_owned())) {
                self.files.push(file.to_owned());
            }
        }
        let counts = |path: &str| path.contains('/') || is_file(path);
        match looking(line) {
            Some(rest) => rest.iter().for_each(|word| self.collect(word, counts)),
            None => self.collect(line, counts),
        }
    }

    /// What was named.
    pub(super) fn finish(self) -> Vec<String> {
        self.files
    }

    fn collect(&mut self, line: &str, counts: impl Fn(&str) -> bool) {
        let is_between = |c: char| c.is_whitespace() || "\"'`(),;|&<>=[]{}".contains(c);
        for word in line.split(is_between) {
            if let Some(path) = path_of(word).filter(|path| counts(path))
                && self.seen.insert(path.to_owned())
            {
                self.files.push(path.to_owned());
            }
        }
    }
}

/// Programs that look at files and run none of them, with the options that take no value: what follows any other option may
/// be one. `black` and others read their settings from files that steer, which are given by their names.
const LOOKS: [(&str, &[&str]); 18] = [
    ("[", &["!", "-d", "-e", "-f", "-r", "-s", "-x"]),
    ("bash -n", &[]),
    ("black", &["--check", "--diff", "--quiet", "-q"]),
    ("flake8", &[]),
    ("gofmt", &["-d", "-l"]),
    ("grep", &["-E", "-F", "-c", "-i", "-n", "-q", "-qE", "-qF", "-w"]),
    ("isort", &["--check", "--check-only", "--diff"]),
    ("mypy", &["--strict"]),
    ("node --check", &[]),
    ("pyflakes", &[]),
    ("python -m compileall", &["-f", "-q"]),
    ("python -m mypy", &["--strict"]),
    ("python -m py_compile", &["-q"]),
    ("python3 -m compileall", &["-f", "-q"]),
    ("python3 -m mypy", &["--strict"]),
    ("python3 -m py_compile", &["-q"]),
    ("sh -n", &[]),
    ("test", &["!", "-d", "-e", "-f", "-r", "-s", "-x"]),
];

/// The words of a line that count where some of its commands only look; nothing if none does, or the line is more than
/// commands one after the other: what is looked at may then be handed on to somebody who runs it.
fn looking(line: &str) -> Option<Vec<&str>> {
    let commands: Vec<&str> = line.split("&&").flat_map(|part| part.split(';')).map(str::trim).collect();
    let is_whole = |command: &&str| ['"', '\''].iter().all(|mark| command.matches(*mark).count() % 2 == 0);
    if line.replace("&&", "").contains(['|', '&', '`', '$', '<', '>', '(', '\\', '\n'])
        || !commands.iter().all(is_whole)
    {
        return None;
    }
    let mut rest = Vec::new();
    for command in &commands {
        let words: Vec<&str> = command.split_whitespace().collect();
        let program = LOOKS.iter().find(|(program, _)| {
            let program: Vec<&str> = program.split(' ').collect();
            words.starts_with(&program)
        });
        let Some((program, flags)) = program else {
            rest.push(*command);
            continue;
        };
        let own = program.split(' ').count();
        let before = |at: usize| words[at - 1];
        let takes_value = |option: &str| option.starts_with('-') && !option.contains('=') && !flags.contains(&option);
        let may_be_value = |at: usize| at > own && takes_value(before(at));
        rest.extend((own..words.len()).filter(|at| words[*at].contains('=') || may_be_value(*at)).map(|at| words[at]));
    }
    Some(rest)
}

/// The relative path that a word is, without a test's name, a line number, and the punctuation around it.
fn path_of(word: &str) -> Option<&str> {
    if word.len() > LONGEST || word.contains("://") || word.starts_with(['-', '~', '@', '$', '\\', '+', '#']) {
        return None;
    }
    let word = word.split("::").next().unwrap_or(word);
    let word = word.trim_end_matches(['.', ':', '!', '*', '_']).trim_start_matches(['*', '_', ':']);
    let word = match word.rsplit_once(':') {
        Some((path, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => path,
        _ => word,
    };
    let mut path = word;
    while let Some(rest) = path.strip_prefix("./") {
        path = rest;
    }
    let is_odd = path.is_empty()
        || path.starts_with(['/', '-'])
        || path.ends_with('/')
        || path.contains(['$', '*', '?', '\\', ':', '%', '^', '!', '~'])
        || path.contains("//")
        || path.split('/').any(|part| part.chars().all(|c| c == '.'));
    (!is_odd).then_some(path)
}

/// The file that a name is about: `package.json` of `package.json#scripts`.
pub fn file_of(name: &str) -> &str {
    name.split_once('#').map_or(name, |(file, _)| file)
}

/// The digest of what a name stands for in its file: all of it, or the part after the `#`, however it is written.
pub fn digest_of(name: &str, bytes: &[u8]) -> Digest {
    let part = name.split_once('#').map(|(_, part)| part);
    let value = part.and_then(|part| serde_json::from_slice::<Value>(bytes).ok()?.get(part).cloned());
    value.map_or_else(|| Digest::of(bytes), |value| Digest::of(value.to_string()))
}

fn is_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension);
    NAMES.contains(&name) || extension.is_some_and(|extension| EXTENSIONS.binary_search(&extension).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_runs_by_name_counts_as_named() {
        let mut named = NamedFiles::default();
        named.in_command("CI=1 npm test && make check; sh tests/run.sh");
        assert_eq!(named.finish(), [SCRIPTS, "Makefile", "tests/run.sh"]);
        let of = |text: &str| digest_of(SCRIPTS, text.as_bytes());
        let before = of(r#"{"scripts": {"test": "jest"}, "dependencies": {}}"#);
        assert_eq!(
            before,
            of(r#"{"dependencies": {"x": "1"}, "scripts":{"test":"jest"}}"#),
            "a dependency is no check"
        );
        assert_ne!(before, of(r#"{"scripts": {"test": "true"}}"#));
        assert_eq!(file_of(SCRIPTS), "package.json");
    }

    #[test]
    fn what_a_command_only_looks_at_is_the_work() {
        for (line, expected) in [
            ("python3 -m py_compile calc.py", ""),
            ("python3 -m py_compile calc.py && python3 check.py", "check.py"),
            ("python3 -m py_compile check.py; python3 check.py", "check.py"),
            ("test -f calc.py", ""),
            ("[ -s src/calc.py ] && grep -q mul src/calc.py", ""),
            ("black --check calc.py", ""),
            // Whatever is run, or may be, is given.
            ("python3 check.py", "check.py"),
            ("python3 -m check.py_compile x.py", "x.py"),
            ("sh check.sh calc.py", "check.sh calc.py"),
            ("cat check.py | python3", "check.py"),
            ("cat check.sh | sh", "check.sh"),
            ("sh run.sh && diff -u expected.txt out.txt", "run.sh expected.txt out.txt"),
            ("grep -f words.txt calc.py", "words.txt"),
            ("black --config=own.toml calc.py", "own.toml"),
            ("mypy --config-file own.ini calc.py", "own.ini"),
            ("python3 -c \"exec(open('check.py').read())\"", "check.py"),
            ("./grep calc.py", "calc.py"),
            ("sh -c 'cat a.py; sh b.sh'", "a.py b.sh"),
            ("python3 $(cat run.txt)", "run.txt"),
            ("python3 < check.py", "check.py"),
        ] {
            let mut named = NamedFiles::default();
            named.in_command(line);
            assert_eq!(named.finish().join(" "), expected, "{line}");
        }
    }

    #[test]
    fn extensions_are_sorted_for_the_search() {
        assert!(EXTENSIONS.is_sorted());
    }
}
