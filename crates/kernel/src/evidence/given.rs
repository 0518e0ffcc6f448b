//! What is given: the files that a change is judged by, and therefore may not decide about.

use serde::{Deserialize, Serialize};

/// What a file is for the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathRole {
    /// A test, or what tests read, by the conventions of its runner.
    Test,
    /// It decides what a runner does.
    Steering,
    /// A part of it does.
    Mixed,
    /// The work itself.
    Work,
}

/// Folders that hold tests and what they read.
const TEST_FOLDERS: [&str; 11] = [
    "__fixtures__",
    "__mocks__",
    "__snapshots__",
    "__tests__",
    "e2e",
    "fixtures",
    "spec",
    "specs",
    "test",
    "testdata",
    "tests",
];

/// Files that steer a runner, by their whole name.
const STEERING: [&str; 45] = [
    ".babelrc",
    ".coveragerc",
    ".env",
    ".envrc",
    ".justfile",
    ".node-version",
    ".npmrc",
    ".nvmrc",
    ".nycrc",
    ".pnpmfile.cjs",
    ".pytest.ini",
    ".pytest.toml",
    ".python-version",
    ".rspec",
    ".swcrc",
    ".tool-versions",
    ".yarnrc",
    ".yarnrc.yml",
    "CTestTestfile.cmake",
    "GNUmakefile",
    "Justfile",
    "Makefile",
    "build.rs",
    "bunfig.toml",
    "conftest.py",
    "deno.json",
    "go.work",
    "jsconfig.json",
    "justfile",
    "lerna.json",
    "makefile",
    "nextest.toml",
    "noxfile.py",
    "nx.json",
    "phpunit.xml",
    "phpunit.xml.dist",
    "pnpm-workspace.yaml",
    "pytest.ini",
    "pytest.toml",
    "rust-toolchain",
    "rust-toolchain.toml",
    "sitecustomize.py",
    "tox.ini",
    "turbo.json",
    "usercustomize.py",
];

/// Files that steer a runner, by the beginning of their name.
const STEERING_BEGINS: [&str; 15] = [
    ".babelrc.",
    ".env.",
    ".mocharc",
    ".nycrc.",
    "babel.config.",
    "jest-",
    "jest.config.",
    "jest.preset.",
    "jest.setup.",
    "karma.conf.",
    "tsconfig.",
    "vite.config.",
    "vitest.config.",
    "vitest.setup.",
    "vitest.workspace.",
];

/// Folders whose files are started or loaded before anything of the project.
const STEERING_FOLDERS: [&str; 8] =
    [".cargo", ".pytest_cache", ".venv", "__pycache__", "node_modules", "site-packages", "venv", ".yarn"];

/// Modules at the top of a project that would be loaded in the place of a runner, or of what it is made of.
const SHADOWS: [&str; 16] = [
    "_pytest",
    "ast",
    "coverage",
    "doctest",
    "importlib",
    "iniconfig",
    "inspect",
    "json",
    "linecache",
    "os",
    "pluggy",
    "pytest",
    "traceback",
    "types",
    "unittest",
    "xml",
];

/// Files of which a part steers.
const MIXED: [&str; 5] = ["Cargo.toml", "go.mod", "package.json", "pyproject.toml", "setup.cfg"];

/// What a path is for the checks. Steering comes first: a `conftest.py` among the tests steers them.
pub fn role_of(path: &str) -> PathRole {
    let parts: Vec<&str> = path.split('/').collect();
    let (name, folders) = parts.split_last().map_or(("", &[][..]), |(name, folders)| (*name, folders));
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_shadow = match folders.first() {
        None => extension == "py" && SHADOWS.contains(&stem),
        Some(first) => extension == "py" && SHADOWS.contains(first),
    };
    if STEERING.contains(&name)
        || STEERING_BEGINS.iter().any(|begin| name.starts_with(begin))
        || folders.iter().any(|folder| STEERING_FOLDERS.contains(folder) || is_package_info(folder))
        || matches!(extension, "pth" | "pyc" | "pyo" | "mk")
        || is_shadow
    {
        return PathRole::Steering;
    }
    if MIXED.contains(&name) {
        return PathRole::Mixed;
    }
    if folders.iter().any(|folder| TEST_FOLDERS.contains(folder)) || is_test_name(stem, extension) {
        return PathRole::Test;
    }
    PathRole::Work
}

/// Whether a path is a whole folder of tests: for git, only a submodule or a link is.
pub(super) fn is_folder_of_tests(path: &str) -> bool {
    // Scripts are called `test`, too.
    path.rsplit('/').next().is_some_and(|name| name != "test" && TEST_FOLDERS.contains(&name))
}

fn is_test_name(stem: &str, extension: &str) -> bool {
    match extension {
        "py" => stem.starts_with("test_") || stem.ends_with("_test") || matches!(stem, "test" | "tests"),
        "go" => stem.ends_with("_test"),
        "rs" => matches!(stem, "test" | "tests") || stem.ends_with("_test") || stem.ends_with("_tests"),
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" | "vue" | "svelte" => {
            [".test", ".spec"].iter().any(|end| stem.ends_with(end))
                || stem.starts_with("test-")
                || stem.ends_with("_test")
        }
        "java" | "kt" | "cs" | "swift" | "scala" | "php" => {
            stem.ends_with("Test") || stem.ends_with("Tests") || stem.ends_with("Spec") || stem.starts_with("Test")
        }
        "c" | "cc" | "cpp" => stem.starts_with("test_") || stem.ends_with("_test") || stem.ends_with("_tests"),
        "rb" => stem.ends_with("_test") || stem.ends_with("_spec"),
        "snap" | "bats" | "t" => true,
        _ => false,
    }
}

/// Whether a folder tells Python of a package, and with it of plugins that runners load.
fn is_package_info(folder: &str) -> bool {
    folder.ends_with(".egg-info") || folder.ends_with(".dist-info")
}

/// Which given files somebody may change all the same: a story says `may change: tests/…`, or a person does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MayChange(pub Vec<String>);

impl MayChange {
    /// Whether a path is meant: named itself, below a folder that is named, or matched by `*` in a name.
    pub fn allows(&self, path: &str) -> bool {
        self.0.iter().any(|pattern| {
            let pattern = pattern.trim().trim_start_matches("./");
            let folder = pattern.trim_end_matches('…').trim_end_matches("**").trim_end_matches("...");
            let folder = folder.trim_end_matches('/');
            let is_below = path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            (!folder.is_empty() && is_below) || (pattern.contains('*') && matches(pattern, path))
        })
    }
}

/// Whether a path fits a pattern: `*` is anything inside of a name, `**` anything at all.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    if let Some((before, after)) = pattern.split_once('*') {
        let (after, crosses) = after.strip_prefix('*').map_or((after, false), |after| (after, true));
        let Some(rest) = path.strip_prefix(before) else { return false };
        let mut ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
        return ends.any(|end| (crosses || !rest[..end].contains('/')) && matches(after, &rest[end..]));
    }
    pattern == path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_its_role_by_the_conventions_of_runners() {
        for (role, paths) in [
            (
                PathRole::Test,
                "tests/test_a.py tests/data/x.json a_test.go src/a.test.ts src/a.spec.js src/__tests__/a.js tests/it/main.rs \
                 crates/x/tests/y.rs src/parser/tests.rs test_x.py pkg/testdata/in.txt CalcTest.java a.bats src/__snapshots__/a.snap",
            ),
            (
                PathRole::Steering,
                "conftest.py tests/conftest.py pytest.ini tox.ini Makefile sub/makefile GNUmakefile .npmrc jest.config.js \
                 vitest.config.mts vite.config.ts .mocharc.json babel.config.cjs .cargo/config.toml .cargo/config build.rs \
                 rust-toolchain.toml .config/nextest.toml go.work sitecustomize.py usercustomize.py x.pth .env .env.test \
                 node_modules/.bin/jest .pytest_cache/x noxfile.py tsconfig.json tsconfig.test.json src/__pycache__/a.pyc \
                 pytest.py unittest/__init__.py rules.mk calc.egg-info/entry_points.txt sub/x.dist-info/METADATA",
            ),
            (
                PathRole::Mixed,
                "package.json sub/package.json pyproject.toml setup.cfg Cargo.toml crates/a/Cargo.toml go.mod",
            ),
            (
                PathRole::Work,
                "src/main.rs calc.py lib/index.js README.md docs/testing.md attest.py src/contest.go latest/x.py",
            ),
        ] {
            for path in paths.split_whitespace() {
                assert_eq!(role_of(path), role, "{path}");
            }
        }
    }

    #[test]
    fn a_story_may_allow_changes() {
        let allowed =
            MayChange(vec!["tests/…".into(), "src/*.test.ts".into(), "**/snap.json".into(), "Makefile".into()]);
        for (path, expected) in [
            ("tests/test_a.py", true),
            ("tests", true),
            ("tests2/test_a.py", false),
            ("src/a.test.ts", true),
            ("src/b/a.test.ts", false),
            ("a/b/snap.json", true),
            ("Makefile", true),
            ("GNUmakefile", false),
        ] {
            assert_eq!(allowed.allows(path), expected, "{path}");
        }
        assert!(!MayChange(vec![String::new(), "…".into()]).allows("tests/a.py"), "an empty pattern allows nothing");
    }
}
