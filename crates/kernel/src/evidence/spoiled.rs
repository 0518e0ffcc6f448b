//! Given tests, spoiled: one that passes is made to fail at its end, under the very name that it has.
//!
//! Whoever knows the names of given tests can make a runner lie about these and spare tests of ours. And where every test is a
//! process of its own, a program can leave in the middle of one and have it counted as passed. Neither of them can help a test
//! that must fail: told as passed, it is a lie about itself. It fails as tests fail, by an assertion, so that one who makes
//! assertions hold is found, too.
//!
//! Each of them says a number as it fails, which stands nowhere in its text: whoever failed before its end does not say it.
//! So a test that only seemed to pass before is not taken for one that was made to fail.

use std::collections::BTreeMap;

use super::report::{TestReport, TestState};
use super::runner::TestRunner;
use crate::Digest;
use crate::digest::Hasher;

/// So many tests are spoiled in one run.
const MOST_SPOILED: usize = 3;
/// So many are looked for, in so many files.
const MOST_TRIED: usize = 40;
const MOST_FILES: usize = 500;

/// Tests that must fail, and the files that make them fail.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpoiledTests {
    /// By their names in reports.
    pub names: Vec<String>,
    /// Paths, with the text that each has meanwhile.
    pub files: BTreeMap<String, String>,
    /// What each of them says when it has come to its end.
    marks: Vec<String>,
}

/// What a runner says of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpoiledSong {
    /// Each of them failed.
    True,
    /// This one was told as passed.
    Lied(String),
    /// Something else became of one: nothing follows.
    Unclear,
}

impl SpoiledTests {
    /// Spoils some of the tests that passed; those that did not pass at the base come first. `paths` are files in which they may
    /// stand, and `text_of` reads one.
    pub fn of(
        runner: TestRunner,
        seed: Digest,
        passed: &TestReport,
        base: Option<&TestReport>,
        paths: &[String],
        text_of: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let mut spoiled = Self::default();
        let Some(language) = SpoiledLanguage::of(runner) else { return spoiled };
        let was_green = |name: &str| {
            let seen = base.and_then(|base| base.tests.get(name));
            seen.is_some_and(|seen| seen.state == TestState::Passed)
        };
        // Of several tests of one name it is not known which is which.
        let single = |name: &&str| passed.tests.get(*name).is_some_and(|seen| seen.times == 1);
        let (old, new): (Vec<&str>, Vec<&str>) =
            passed.of(TestState::Passed).filter(single).partition(|name| was_green(name));
        let files = paths.iter().filter(|path| language.is_in(path)).take(MOST_FILES);
        let texts: BTreeMap<&String, String> = files.filter_map(|path| Some((path, text_of(path)?))).collect();
        for name in new.into_iter().chain(old).take(MOST_TRIED) {
            if spoiled.names.len() >= MOST_SPOILED {
                break;
            }
            let function = name.rsplit("::").next().unwrap_or(name);
            let is_word = !function.is_empty() && function.chars().all(|c| c.is_alphanumeric() || c == '_');
            if !is_word || spoiled.names.iter().any(|other| is_so_called(other, function)) {
                continue;
            }
            let mark = SpoiledMark::draw(seed, name);
            let places = texts.iter().filter(|(_, text)| text.contains(function));
            let found: Vec<(String, String)> = places
                .filter_map(|(path, text)| {
                    let now = spoiled.files.get(*path).unwrap_or(text);
                    Some(((*path).clone(), language.spoil(now, function, mark)?))
                })
                .collect();
            // Where two files have it, or two tests are called so, it is not known which is meant.
            if let [(path, text)] = found.as_slice()
                && language.is_meant(name, function, path, passed)
            {
                spoiled.files.insert(path.clone(), text.clone());
                spoiled.names.push(name.to_owned());
                spoiled.marks.push(mark.told());
            }
        }
        spoiled
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether each of them came to its end, by what was printed.
    pub fn came_to_their_ends(&self, printed: &str) -> bool {
        self.marks.iter().all(|mark| printed.contains(mark))
    }

    /// Holds a report against what they must have done.
    pub fn heard(&self, report: Option<&TestReport>) -> SpoiledSong {
        let Some(report) = report else { return SpoiledSong::Unclear };
        let state = |name: &String| report.tests.get(name).map(|seen| seen.state);
        if let Some(name) = self.names.iter().find(|name| state(name) == Some(TestState::Passed)) {
            return SpoiledSong::Lied(format!("`{name}` was made to fail, and is told as passed"));
        }
        let all_failed = self.names.iter().all(|name| state(name) == Some(TestState::Failed));
        if all_failed { SpoiledSong::True } else { SpoiledSong::Unclear }
    }
}

fn is_so_called(name: &str, function: &str) -> bool {
    name.rsplit("::").next() == Some(function)
}

/// What a test says as it fails: a sum, of which only the parts stand in its text, for runners print that, too.
#[derive(Debug, Clone, Copy)]
struct SpoiledMark(u64, u64);

impl SpoiledMark {
    fn draw(seed: Digest, name: &str) -> Self {
        let mut hasher = Hasher::default();
        hasher.field(b"spoiled").field(seed.to_string().as_bytes()).field(name.as_bytes());
        let drawn = hasher.finish().to_string();
        let number = |at: usize| drawn.get(at..at + 8).and_then(|hex| u64::from_str_radix(hex, 16).ok()).unwrap_or(1);
        // Twelve digits: nobody prints them by chance.
        Self(100_000_000_000 + number(0), 100_000_000_000 + number(8))
    }

    /// As it stands in the text: Python, Rust and Go write a sum alike.
    fn written(self) -> String {
        format!("{} + {}", self.0, self.1)
    }

    fn told(self) -> String {
        (self.0 + self.1).to_string()
    }
}

/// How tests are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpoiledLanguage {
    Python,
    Rust,
    Go,
}

impl SpoiledLanguage {
    fn of(runner: TestRunner) -> Option<Self> {
        match runner {
            TestRunner::Pytest | TestRunner::Unittest => Some(Self::Python),
            TestRunner::CargoTest | TestRunner::Nextest => Some(Self::Rust),
            TestRunner::GoTest => Some(Self::Go),
            TestRunner::NodeTest | TestRunner::Vitest | TestRunner::Jest | TestRunner::JunitWriter => None,
        }
    }

    fn is_in(self, path: &str) -> bool {
        let extension = match self {
            Self::Python => ".py",
            Self::Rust => ".rs",
            Self::Go => "_test.go",
        };
        path.ends_with(extension)
    }

    /// Whether a test is the one that a file has, and not another of the same name: of several it is the one whose name has
    /// most of the file's path in it.
    fn is_meant(self, name: &str, function: &str, path: &str, passed: &TestReport) -> bool {
        let mut others = passed.tests.keys().filter(|other| *other != name && is_so_called(other, function)).peekable();
        if others.peek().is_none() {
            return true;
        }
        let own = self.fit(name, path);
        own > 0 && others.all(|other| self.fit(other, path) < own)
    }

    /// How many parts of a path, from its end, stand in a row in the name of a test.
    fn fit(self, name: &str, path: &str) -> usize {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        // A package of Go's is its folder; other files are modules, unless they are called after their folder.
        if self != Self::Go && !matches!(stem, "__init__" | "lib" | "main" | "mod") {
            parts.push(stem);
        }
        let owners = name.rsplit_once("::").map_or("", |(owners, _)| owners);
        let owners: Vec<&str> = owners.split(['.', '/', ':', ' ', '$']).filter(|part| !part.is_empty()).collect();
        let stands = |count: &usize| {
            let tail = &parts[parts.len() - count..];
            owners.windows(*count).any(|window| window == tail)
        };
        (1..=parts.len()).take_while(stands).last().unwrap_or(0)
    }

    /// The file with this test made to fail when it has come to its end; nothing if it is not there once, or is none that an
    /// error makes fail.
    fn spoil(self, text: &str, function: &str, mark: SpoiledMark) -> Option<String> {
        let defined = |line: &str| match self {
            Self::Python => line.trim_start().strip_prefix("def ").is_some_and(|rest| is_called(rest, function)),
            Self::Rust => {
                let line = line.trim_start();
                let line = line.strip_prefix("pub ").unwrap_or(line);
                let line = line.strip_prefix("async ").unwrap_or(line);
                line.strip_prefix("fn ").is_some_and(|rest| is_called(rest, function))
            }
            Self::Go => line.strip_prefix("func ").is_some_and(|rest| is_called(rest, function)),
        };
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let places: Vec<usize> = (0..lines.len()).filter(|at| defined(lines[*at])).collect();
        let [at] = places.as_slice() else { return None };
        let (before, line, after) = (lines[..*at].concat(), lines[*at], lines[at + 1..].concat());
        let marks: Vec<&str> =
            lines[..*at].iter().rev().map(|line| line.trim()).take_while(|line| is_mark(line)).collect();
        if marks
            .iter()
            .any(|mark| ["raises", "xfail", "panic", "ignore", "Fail", "skip"].iter().any(|it| mark.contains(it)))
        {
            return None;
        }
        let sum = mark.written();
        match self {
            Self::Python => {
                let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
                let mark = format!(
                    "@(lambda f: __import__(\"functools\").wraps(f)(lambda *a, **k: (f(*a, **k), exec('raise AssertionError({sum})'))))"
                );
                // A generator has not run when it returns.
                let body = lines[at + 1..].iter().take_while(|line| {
                    let depth = line.len() - line.trim_start().len();
                    line.trim().is_empty() || depth > indent.len()
                });
                let is_plain = !body.clone().any(|line| line.contains("yield"));
                is_plain.then(|| format!("{before}{indent}{mark}\n{line}{after}"))
            }
            Self::Rust => {
                let is_test = |mark: &&str| *mark == "#[test]" || mark.starts_with("#[tokio::test");
                let at = line.find('{').filter(|_| marks.iter().any(is_test))?;
                let guard = format!(
                    "struct Spoiled; impl Drop for Spoiled {{ fn drop(&mut self) {{ if !std::thread::panicking() {{ \
                     assert_eq!(1, 2, \"{{}}\", {sum}u64) }} }} }} let _spoiled = Spoiled;"
                );
                Some(format!("{before}{} {guard}{}{after}", &line[..=at], &line[at + 1..]))
            }
            Self::Go => {
                let (head, rest) = line.split_once('(')?;
                let (own, _) = rest.split_once(" *testing.T)")?;
                let at = line.find('{')?;
                let fails = format!("{own}.Cleanup(func() {{ if !{own}.Failed() {{ {own}.Error(uint64({sum})) }} }});");
                let is_plain = !own.is_empty() && own.chars().all(char::is_alphanumeric) && head.len() < at;
                is_plain.then(|| format!("{before}{} {fails}{}{after}", &line[..=at], &line[at + 1..]))
            }
        }
    }
}

/// Whether what follows a keyword is this function.
fn is_called(rest: &str, function: &str) -> bool {
    rest.strip_prefix(function).is_some_and(|rest| rest.trim_start().starts_with('('))
}

/// What stands above a function and belongs to it.
fn is_mark(line: &str) -> bool {
    line.starts_with('@') || line.starts_with("#[") || line.starts_with("//")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed() -> Digest {
        Digest::of("seed")
    }

    const MARK: SpoiledMark = SpoiledMark(1, 2);

    fn report(tests: &[(&str, TestState)]) -> TestReport {
        let mut report = TestReport::default();
        for (name, state) in tests {
            report.add(name, *state);
        }
        report
    }

    #[test]
    fn a_test_is_made_to_fail_where_that_is_certain() {
        let rows = [
            (SpoiledLanguage::Python, "def test_a():\n    assert 1\n", true),
            (SpoiledLanguage::Python, "class T:\n    @patch('x')\n    def test_a(self):\n        pass\n", true),
            (SpoiledLanguage::Python, "@pytest.mark.xfail\ndef test_a():\n    assert 0\n", false),
            (SpoiledLanguage::Python, "async def test_a():\n    pass\n", false),
            (SpoiledLanguage::Python, "def test_a():\n    yield 1\n", false),
            (SpoiledLanguage::Python, "def test_ab():\n    pass\n", false),
            (SpoiledLanguage::Python, "def test_a():\n    pass\ndef test_a():\n    pass\n", false),
            (SpoiledLanguage::Rust, "#[test]\nfn test_a() {\n    assert!(true);\n}\n", true),
            (SpoiledLanguage::Rust, "#[test]\n#[should_panic]\nfn test_a() {}\n", false),
            (SpoiledLanguage::Rust, "fn test_a() {}\n", false),
            (SpoiledLanguage::Go, "func test_a(t *testing.T) {\n}\n", true),
            (SpoiledLanguage::Go, "func test_a(b *testing.B) {\n}\n", false),
        ];
        for (language, text, expected) in rows {
            assert_eq!(language.spoil(text, "test_a", MARK).is_some(), expected, "{text}");
        }
        let python =
            SpoiledLanguage::Python.spoil("class T:\n    def test_a(self):\n        pass\n", "test_a", MARK).unwrap();
        assert!(python.starts_with("class T:\n    @(lambda f: "), "{python}");
        let rust = SpoiledLanguage::Rust.spoil("#[test]\nfn test_a() { x(); }\n", "test_a", MARK).unwrap();
        assert!(rust.contains("fn test_a() { struct Spoiled;") && rust.ends_with("Spoiled; x(); }\n"), "{rust}");
    }

    #[test]
    fn those_that_the_work_turned_green_come_first_and_a_pass_is_a_lie() {
        let passed = report(&[("m::test_old", TestState::Passed), ("m::test_new", TestState::Passed)]);
        let base = report(&[("m::test_old", TestState::Passed), ("m::test_new", TestState::Failed)]);
        let text = "def test_old():\n    pass\n\ndef test_new():\n    pass\n";
        let paths = ["test_m.py".to_owned()];
        let spoiled =
            SpoiledTests::of(TestRunner::Pytest, seed(), &passed, Some(&base), &paths, |_| Some(text.to_owned()));
        assert_eq!(spoiled.names, ["m::test_new", "m::test_old"]);
        assert_eq!(spoiled.files["test_m.py"].matches("functools").count(), 2, "both stand in one file");
        let (fails, passes) = (TestState::Failed, TestState::Passed);
        let told = |new, old| spoiled.heard(Some(&report(&[("m::test_new", new), ("m::test_old", old)])));
        assert_eq!(told(fails, fails), SpoiledSong::True);
        let text = &spoiled.files["test_m.py"];
        assert!(spoiled.marks.iter().all(|mark| !text.contains(mark)), "runners print the text of what fails");
        assert!(spoiled.came_to_their_ends(&spoiled.marks.join("\n")));
        assert!(!spoiled.came_to_their_ends(&spoiled.marks[0]) && !spoiled.came_to_their_ends(text));
        assert!(matches!(told(passes, fails), SpoiledSong::Lied(_)));
        assert_eq!(spoiled.heard(None), SpoiledSong::Unclear);
        assert_eq!(spoiled.heard(Some(&report(&[("m::test_new", fails)]))), SpoiledSong::Unclear);
        let twice = [paths[0].clone(), "test_n.py".to_owned()];
        let unknown = SpoiledTests::of(TestRunner::Pytest, seed(), &passed, None, &twice, |_| Some(text.to_owned()));
        assert!(unknown.is_empty(), "it stands in two files");
        assert!(
            SpoiledTests::of(TestRunner::Jest, seed(), &passed, None, &paths, |_| Some(text.to_owned())).is_empty()
        );
    }

    #[test]
    fn a_new_test_of_the_same_name_is_not_taken_for_the_given_one() {
        for (runner, path, text, given, others) in [
            (
                TestRunner::Unittest,
                "tests/test_calc.py",
                "def test_a():\n    pass\n",
                "test_calc.Calc::test_a",
                &["test_new.Calc::test_a"][..],
            ),
            (
                TestRunner::Pytest,
                "tests/test_calc.py",
                "def test_a():\n    pass\n",
                "tests.test_calc::test_a",
                &["other.test_calc::test_a"],
            ),
            (
                TestRunner::CargoTest,
                "src/a.rs",
                "#[test]\nfn works() {\n    one();\n}\n",
                "a::tests::works",
                &["b::tests::works"],
            ),
            (
                TestRunner::GoTest,
                "a/a_test.go",
                "func TestIt(t *testing.T) {\n\tone()\n}\n",
                "example.org/m/a::TestIt",
                &["example.org/m/b::TestIt"],
            ),
            // It cannot be told which is which.
            (
                TestRunner::CargoTest,
                "src/lib.rs",
                "#[test]\nfn works() {\n    one();\n}\n",
                "",
                &["a::works", "b::works"],
            ),
        ] {
            let mut passed = TestReport::default();
            for name in others.iter().copied().chain(Some(given)).filter(|name| !name.is_empty()) {
                passed.add(name, TestState::Passed);
            }
            let spoiled = SpoiledTests::of(runner, Digest::of("seed"), &passed, None, &[path.to_owned()], |_| {
                Some(text.to_owned())
            });
            let expected: Vec<&str> = Some(given).filter(|name| !name.is_empty()).into_iter().collect();
            assert_eq!(spoiled.names, expected, "{path}");
        }
    }
}
