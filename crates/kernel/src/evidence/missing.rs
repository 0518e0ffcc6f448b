//! Packages that are not there: a check that could not even begin says nothing about a change.

/// Who would bring a package, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PackageTool {
    Pip,
    Uv,
    Npm,
    Cargo,
    Go,
}

/// A package, or a program of one, that a command asked for in vain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MissingPackage {
    pub(super) tool: PackageTool,
    /// As the command called it; nothing where it did not say.
    pub(super) name: Option<String>,
}

/// What a line has before the name of what is missing, and what after it.
const NAMED: [(PackageTool, &str, &[char]); 11] = [
    (PackageTool::Pip, "ModuleNotFoundError: No module named ", &[]),
    (PackageTool::Pip, ": No module named ", &[]),
    (PackageTool::Npm, "Cannot find module ", &[]),
    (PackageTool::Npm, "Cannot find package ", &[]),
    (PackageTool::Npm, "Failed to resolve import ", &[]),
    (PackageTool::Uv, "error: Failed to download ", &[]),
    (PackageTool::Cargo, "no matching package named ", &[]),
    (PackageTool::Cargo, "failed to download ", &[]),
    (PackageTool::Go, "cannot find module providing package ", &[':']),
    (PackageTool::Go, "no required module provides package ", &[';']),
    (PackageTool::Go, "missing go.sum entry for module providing package ", &[' ', ';']),
];
/// What a tool says that may not ask the network; the name stands elsewhere, if at all.
const OFFLINE: [(PackageTool, &str); 7] = [
    (PackageTool::Cargo, "you're using offline mode"),
    (PackageTool::Cargo, "--offline was specified"),
    (PackageTool::Go, "module lookup disabled by GOPROXY=off"),
    (PackageTool::Uv, "the network was disabled"),
    (PackageTool::Uv, "Network connectivity is disabled"),
    (PackageTool::Npm, "ENOTCACHED"),
    (PackageTool::Npm, "could not determine executable to run"),
];
/// Programs that come as packages, where a shell does not find them.
const PROGRAMS: [(PackageTool, &[&str]); 3] = [
    (
        PackageTool::Npm,
        &["vitest", "jest", "mocha", "tape", "ava", "tap", "c8", "nyc", "tsc", "tsx", "ts-node", "eslint"],
    ),
    (PackageTool::Pip, &["pytest", "py.test", "tox", "nox", "coverage", "hatch", "pdm", "poetry"]),
    (PackageTool::Uv, &["uv", "uvx"]),
];
/// What a shell exits with if a program is not there, and if it may not be run.
const NOT_FOUND: i32 = 127;
const NOT_EXECUTABLE: i32 = 126;
/// So much of what a shell said is told.
const MOST_SAID: usize = 200;
/// The longest name that is told.
const MOST_NAME: usize = 100;

impl MissingPackage {
    /// The first one that an output tells of.
    pub(super) fn in_output(output: &str) -> Option<Self> {
        let found: Vec<Self> = output.lines().filter_map(Self::in_line).collect();
        let named = found.iter().find(|missing| missing.name.is_some()).or(found.first())?;
        // What uv runs says of itself what Python says; uv is who can bring it.
        let by_uv = found.iter().any(|missing| missing.tool == PackageTool::Uv);
        Some(Self { tool: if by_uv { PackageTool::Uv } else { named.tool }, name: named.name.clone() })
    }

    fn in_line(line: &str) -> Option<Self> {
        for (tool, before, ends) in NAMED {
            if let Some((_, rest)) = line.split_once(before) {
                let Some(name) = name_in(rest, ends) else { continue };
                // A path is a file of the project's, and no package.
                if tool == PackageTool::Npm && name.starts_with(['.', '/']) {
                    return None;
                }
                return Some(Self { tool, name: Some(name) });
            }
        }
        if let Some((tool, _)) = OFFLINE.into_iter().find(|(_, said)| line.contains(said)) {
            return Some(Self { tool, name: None });
        }
        let rest = line.strip_suffix(": not found").or_else(|| line.strip_suffix(": command not found"))?;
        let program = rest.rsplit([' ', ':']).next().unwrap_or(rest);
        let (tool, _) = PROGRAMS.into_iter().find(|(_, programs)| programs.contains(&program))?;
        Some(Self { tool, name: Some(program.to_owned()) })
    }

    /// What is missing, and what to do about it.
    pub(super) fn told(&self) -> String {
        self.told_where(", with the change and without it")
    }

    /// The same where only the change lacks it: it may need a package that was not needed before.
    pub(super) fn told_of_change(&self) -> String {
        self.told_where(" with the change")
    }

    fn told_where(&self, when: &str) -> String {
        let what = match &self.name {
            Some(name) => format!("`{name}` is"),
            None => "packages are".to_owned(),
        };
        let (own, setup) = match self.tool {
            PackageTool::Pip => {
                ("install it into `.venv`", "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt")
            }
            PackageTool::Uv => ("run `uv sync`", "uv sync"),
            PackageTool::Npm => ("run `npm ci`", "npm ci"),
            PackageTool::Cargo => ("run `cargo fetch`", "cargo fetch"),
            PackageTool::Go => ("run `go mod download`", "go mod download"),
        };
        format!(
            "{what} missing where checks run{when}: {own} in your checkout, or set \
             `setup = [\"{setup}\"]` under `[judge]` (`[desk]` for a desk)"
        )
    }
}

/// A program that a shell did not find, or may not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MissingProgram {
    pub(super) name: String,
    /// Whether it is there at all.
    is_there: bool,
    /// What the shell said of it.
    said: String,
}

impl MissingProgram {
    /// By the exit code, which shells keep for that, and the line in which they say so: a script may end with it, too.
    pub(super) fn in_output(exit: Option<i32>, output: &str) -> Option<Self> {
        let (is_there, words): (bool, &[&str]) = match exit? {
            NOT_FOUND => (false, &[": not found", ": command not found", ": No such file or directory"]),
            NOT_EXECUTABLE => {
                (true, &[": Permission denied", ": Is a directory", ": Exec format error", ": cannot execute"])
            }
            _ => return None,
        };
        output.lines().rev().find_map(|line| {
            let before = match line.split_once(": command not found: ") {
                Some((_, name)) if !is_there => name,
                _ => words.iter().find_map(|word| line.rsplit_once(word))?.0,
            };
            let name = before.rsplit(": ").next()?.trim_matches(['\'', '"', '`', '‘', '’', ' ']);
            let is_name = !name.is_empty() && name.len() <= MOST_NAME && !name.contains(char::is_control);
            let said = crate::text::head(line.trim(), MOST_SAID).to_owned();
            is_name.then(|| Self { name: name.to_owned(), is_there, said })
        })
    }

    /// What is missing, and what to do about it.
    pub(super) fn told(&self) -> String {
        let Self { name, said, .. } = self;
        let (what, remedy) = if self.is_there {
            ("cannot be executed", "make it executable (`chmod +x`)")
        } else {
            ("is not found", "install it")
        };
        format!(
            "`{name}` {what} where checks run, with the change and without it: {remedy}, or name another check; it printed `{said}`"
        )
    }
}

/// A name, with or without quotation marks.
fn name_in(rest: &str, ends: &[char]) -> Option<String> {
    let quoted = |mark: char| rest.strip_prefix(mark)?.split(mark).next();
    let bare = || rest.split(|c: char| c.is_whitespace() || ends.contains(&c)).next();
    let name = ['\'', '"', '`'].into_iter().find_map(quoted).or_else(bare)?;
    let is_name = !name.is_empty() && name.len() <= MOST_NAME && !name.contains(char::is_control);
    is_name.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_told_apart_from_what_is_wrong() {
        for (output, expected) in [
            ("/usr/bin/python3: No module named pytest\n", Some((PackageTool::Pip, "pytest"))),
            ("E   ModuleNotFoundError: No module named 'requests'\n", Some((PackageTool::Pip, "requests"))),
            ("Error: Cannot find module 'left-pad'\nRequire stack:\n", Some((PackageTool::Npm, "left-pad"))),
            ("Cannot find package '@scope/a' imported from /x/tree/a.js", Some((PackageTool::Npm, "@scope/a"))),
            ("sh: 1: vitest: not found\n", Some((PackageTool::Npm, "vitest"))),
            ("sh: line 1: tape: command not found\n", Some((PackageTool::Npm, "tape"))),
            ("npm error code ENOTCACHED\n", Some((PackageTool::Npm, ""))),
            ("error: no matching package named `itoa` found\n", Some((PackageTool::Cargo, "itoa"))),
            ("As a reminder, you're using offline mode (--offline)", Some((PackageTool::Cargo, ""))),
            (
                "a.go:3:8: no required module provides package example.org/a; to add it",
                Some((PackageTool::Go, "example.org/a")),
            ),
            ("go: example.org/a@v1.0.0: module lookup disabled by GOPROXY=off", Some((PackageTool::Go, ""))),
            ("hint: Packages were unavailable because the network was disabled.", Some((PackageTool::Uv, ""))),
            // Files of the project's, and failures.
            ("Error: Cannot find module './lib/missing'\n", None),
            ("Error: Cannot find module '/x/tree/test/a.js'\n", None),
            ("AssertionError: 1 != 2\n", None),
            ("ImportError: cannot import name 'x' from 'y'\n", None),
            ("sh: 1: ./run.sh: not found\n", None),
            ("", None),
        ] {
            let found = MissingPackage::in_output(output);
            let found = found.as_ref().map(|missing| (missing.tool, missing.name.as_deref().unwrap_or_default()));
            assert_eq!(found, expected, "{output}");
        }
    }

    #[test]
    fn a_program_is_missing_only_where_a_shell_says_so() {
        for (exit, output, expected) in [
            (127, "sh: 1: nosuch: not found\n", Some("nosuch")),
            (127, "bash: line 1: nosuch: command not found\n", Some("nosuch")),
            (127, "bash: line 1: ./run.sh: No such file or directory\n", Some("./run.sh")),
            (127, "zsh: command not found: nosuch\n", Some("nosuch")),
            (127, "env: 'nosuch': No such file or directory\n", Some("nosuch")),
            (126, "sh: 1: ./run.sh: Permission denied\n", Some("./run.sh")),
            // Another end, or nobody who says so.
            (1, "sh: 1: nosuch: not found\n", None),
            (126, "sh: 1: nosuch: not found\n", None),
            (127, "1 failed\n", None),
            (127, "", None),
        ] {
            let found = MissingProgram::in_output(Some(exit), output);
            assert_eq!(found.as_ref().map(|missing| missing.name.as_str()), expected, "{exit} {output}");
        }
        assert_eq!(MissingProgram::in_output(None, "sh: 1: nosuch: not found\n"), None);
    }
}
