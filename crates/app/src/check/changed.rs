//! What changed: files, and the lines of them, as git sees it.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::AppError;

/// Nothing of the user's that would make git do more than it is asked to.
const CONFIG: [&str; 5] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.quotePath=false",
    "diff.renames=false",
];
const ENV: [(&str, &str); 3] = [("GIT_OPTIONAL_LOCKS", "0"), ("GIT_TERMINAL_PROMPT", "0"), ("LC_ALL", "C")];

/// What changed in a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ChangedFiles {
    /// Without a link on the way.
    top: PathBuf,
    files: BTreeMap<PathBuf, ChangedLines>,
}

/// The lines of a file that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ChangedLines {
    /// The file is new.
    All,
    Some(Vec<RangeInclusive<u32>>),
}

impl ChangedLines {
    /// Whether this line changed. What is in no line is in the file as a whole.
    pub(super) fn has(&self, line: Option<u32>) -> bool {
        match (self, line) {
            (Self::All, _) | (_, None) => true,
            (Self::Some(ranges), Some(line)) => ranges.iter().any(|range| range.contains(&line)),
        }
    }
}

impl ChangedFiles {
    /// What is different from `reference`, or from what is committed, in the work tree around `dir`: changes that are not
    /// committed, and files that git does not know, too. A branch is compared with where the two parted.
    pub(super) fn against(dir: &Path, reference: Option<&str>) -> Result<Self, AppError> {
        let top = git(dir, &["rev-parse", "--show-toplevel"])
            .map_err(|error| hinted(&error, "`--changed` needs a git repository"))?;
        let top = PathBuf::from(top.trim_end_matches('\n'));
        let top = top.canonicalize().unwrap_or(top);
        let mut changed = Self { top: top.clone(), files: BTreeMap::new() };
        let commit = |name: &str| {
            git(&top, &["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{name}^{{commit}}")])
                .map(|hash| hash.trim().to_owned())
        };
        let head = commit("HEAD").ok();
        let base = match (reference, &head) {
            (Some(name), head) => {
                let named = commit(name).map_err(|_| {
                    AppError::not_found(
                        format!("`--changed={name}`: git knows no such commit"),
                        "name a branch, a tag or a commit",
                    )
                })?;
                let parted = head.as_ref().and_then(|head| git(&top, &["merge-base", head, &named]).ok());
                Some(parted.map_or(named, |hash| hash.trim().to_owned()))
            }
            (None, head) => head.clone(),
        };
        match base {
            Some(base) => {
                let diff = [
                    "diff",
                    "--no-color",
                    "--no-ext-diff",
                    "--no-textconv",
                    "--unified=0",
                    "--src-prefix=a/",
                    "--dst-prefix=b/",
                    &base,
                    "--",
                ];
                changed.read(&git(&top, &diff)?);
            }
            // Without a commit everything is new.
            None => changed.all_of(&git(&top, &["ls-files", "-z"])?),
        }
        changed.all_of(&git(&top, &["ls-files", "-z", "--others", "--exclude-standard"])?);
        Ok(changed)
    }

    /// The lines of a file that changed, if any did.
    pub(super) fn lines(&self, path: &Path) -> Option<&ChangedLines> {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.files.get(real.strip_prefix(&self.top).ok()?)
    }

    fn all_of(&mut self, names: &str) {
        let names = names.split('\0').filter(|name| !name.is_empty());
        self.files.extend(names.map(|name| (PathBuf::from(name), ChangedLines::All)));
    }

    /// Reads a diff without context.
    fn read(&mut self, diff: &str) {
        let mut current: Option<PathBuf> = None;
        let mut is_new = false;
        // Inside of a hunk a line may look like anything.
        let (mut removed, mut added) = (0_u32, 0_u32);
        for line in diff.lines() {
            if removed > 0 || added > 0 {
                match line.as_bytes().first() {
                    Some(b'-') => removed = removed.saturating_sub(1),
                    Some(b'+') => added = added.saturating_sub(1),
                    _ => {}
                }
                continue;
            }
            if line.starts_with("diff --git ") {
                (current, is_new) = (None, false);
            } else if line.starts_with("--- ") {
                is_new = line == "--- /dev/null";
            } else if let Some(path) = line.strip_prefix("+++ ") {
                current = unquoted(path).and_then(|path| path.strip_prefix("b/").map(PathBuf::from));
                if let Some(path) = &current {
                    let lines = if is_new { ChangedLines::All } else { ChangedLines::Some(Vec::new()) };
                    self.files.insert(path.clone(), lines);
                }
            } else if let Some((old, new)) = hunk(line) {
                (removed, added) = (old, new.1);
                if let Some(ChangedLines::Some(ranges)) = current.as_ref().and_then(|path| self.files.get_mut(path)) {
                    // Where lines are gone, what stands around the gap has changed.
                    ranges.push(if new.1 == 0 { new.0..=new.0 + 1 } else { new.0..=new.0 + new.1 - 1 });
                }
            }
        }
    }
}

/// `@@ -a,b +c,d @@`: how many lines are gone, and where how many are new.
fn hunk(line: &str) -> Option<(u32, (u32, u32))> {
    let mut words = line.strip_prefix("@@ ")?.split(' ');
    let pair = |word: &str| -> Option<(u32, u32)> {
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let old = pair(words.next()?.strip_prefix('-')?)?;
    let new = pair(words.next()?.strip_prefix('+')?)?;
    Some((old.1, new))
}

/// Git quotes names with marks in them, and puts a tab behind those with blanks.
fn unquoted(name: &str) -> Option<String> {
    let name = name.trim_end_matches('\t');
    let Some(inner) = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) else {
        return Some(name.to_owned());
    };
    let mut bytes = Vec::new();
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next()? {
            b'n' => bytes.push(b'\n'),
            b't' => bytes.push(b'\t'),
            b'r' => bytes.push(b'\r'),
            digit @ b'0'..=b'3' => {
                let mut value = digit - b'0';
                for _ in 0..2 {
                    value = value.wrapping_mul(8).wrapping_add(rest.next()?.wrapping_sub(b'0'));
                }
                bytes.push(value);
            }
            other => bytes.push(other),
        }
    }
    String::from_utf8(bytes).ok()
}

fn git(dir: &Path, args: &[&str]) -> Result<String, AppError> {
    let mut command = Command::new("git");
    command.current_dir(if dir.as_os_str().is_empty() { Path::new(".") } else { dir });
    for setting in CONFIG {
        command.args(["-c", setting]);
    }
    // A repository that somebody else names is not the one that we are in.
    command.envs(ENV).env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env_remove("GIT_INDEX_FILE");
    let failed = |why: &str| AppError::environment(format!("git {}: {why}", args.first().unwrap_or(&"")), None);
    let output = command.args(args).output().map_err(|error| failed(&error.to_string()))?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        return Err(failed(told.trim().lines().last().unwrap_or("it failed without a message")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn hinted(error: &AppError, hint: &str) -> AppError {
    AppError::invalid(error.message(), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_says_which_lines_are_new() {
        let diff = "diff --git a/a.html b/a.html\nindex 1..2 100644\n--- a/a.html\n+++ b/a.html\n@@ -3 +3,2 @@ x\n-old\n+new\n+--- b\n@@ \
                    -9,2 +10,0 @@\n-gone\n---- a/x\ndiff --git a/n.md b/n.md\nnew file mode 100644\n--- /dev/null\n+++ b/n.md\n@@ -0,0 +1 \
                    @@\n+x\ndiff --git a/g.md b/g.md\ndeleted file mode 100644\n--- a/g.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\ndiff --git \
                    \"a/\\303\\244 \\\"b.md\" \"b/\\303\\244 \\\"b.md\"\n--- \"a/\\303\\244 \\\"b.md\"\n+++ \"b/\\303\\244 \\\"b.md\"\n@@ -1 +1 @@\n-x\n+y\n";
        let mut changed = ChangedFiles::default();
        changed.read(diff);
        let names: Vec<String> = changed.files.keys().map(|path| path.display().to_string()).collect();
        assert_eq!(names, ["a.html", "n.md", "ä \"b.md"], "what is gone is not checked");
        let a = &changed.files[Path::new("a.html")];
        for (line, want) in
            [(2, false), (3, true), (4, true), (5, false), (9, false), (10, true), (11, true), (12, false)]
        {
            assert_eq!(a.has(Some(line)), want, "line {line}");
        }
        assert!(a.has(None), "what has no line is in the file");
        assert_eq!(changed.files[Path::new("n.md")], ChangedLines::All);
    }
}
