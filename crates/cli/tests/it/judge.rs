//! `tribunal judge`: a change that somebody made, tried by what can be run.

use crate::check_formats::{SARIF, broken};
use crate::support::{Output, Project};
use std::process::Command;

pub(crate) const CODE: &str =
    "def parse_range(text):\n    a, b = text.split(\"-\")\n    return list(range(int(a), int(b)))\n";
pub(crate) const TESTS: &str = "import unittest\nfrom calc import parse_range\n\n\nclass Calc(unittest.TestCase):\n    def test_start(self):\n        self.assertEqual(parse_range(\"1-3\")[0], 1)\n";
pub(crate) const NEW_TEST: &str = "\n    def test_end(self):\n        self.assertEqual(parse_range(\"1-3\")[-1], 3)\n";
pub(crate) const CHECK: &str = "python3 -m unittest discover -s tests";

pub(crate) fn git(project: &Project, args: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=ada", "-c", "user.email=ada@example.org"]).args(args);
    let done = command.current_dir(project.path(".")).output().unwrap();
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A repository with a calculator that has an off-by-one, and a test that does not notice.
pub(crate) fn project() -> Project {
    let project = Project::bare();
    project.write("calc.py", CODE);
    project.write("tests/__init__.py", "");
    project.write("tests/test_calc.py", TESTS);
    project.write(".gitignore", ".tribunal/\n__pycache__/\n");
    git(&project, &["init", "-q", "-b", "main"]);
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-qm", "a calculator"]);
    project
}

/// A repository without any test.
pub(crate) fn untested() -> Project {
    let project = Project::bare();
    project.write("notes.txt", "notes\n");
    project.write(".gitignore", ".tribunal/\n");
    git(&project, &["init", "-q", "-b", "main"]);
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-qm", "notes"]);
    project
}

fn judge(project: &Project, more: &[&str]) -> Output {
    project.tribunal(&[&["judge", "--check", CHECK, "--mutants", "2"], more].concat())
}

#[test]
fn a_fix_with_a_test_that_was_red_before_holds() {
    let project = project();
    project.write("calc.py", &CODE.replace("int(b))", "int(b) + 1)"));
    project.write("tests/test_calc.py", &format!("{TESTS}{NEW_TEST}"));
    let before = std::fs::read(project.path(".git/index")).unwrap();
    let held = judge(&project, &[]);
    assert_eq!(held.code, 0, "{}", held.all());
    assert!(held.stdout.contains("red, then green:") && held.stdout.contains("test_end"), "{}", held.all());
    assert!(held.stdout.contains("canaries: they fail and pass as they must"), "{}", held.all());
    assert!(!held.stdout.contains("survived"), "the new test notices broken lines: {}", held.all());
    assert!(held.stdout.contains("\nholds: every check holds"), "{}", held.all());
    assert_eq!(std::fs::read(project.path(".git/index")).unwrap(), before, "the user's index is theirs");
    // Judged already: nothing is run again, and the answer is the same.
    let again = judge(&project, &[]);
    assert_eq!(again.code, 0, "{}", again.all());
    assert!(again.stderr.contains("judged already"), "{}", again.all());
    let object = project.json(&["judge", "--check", CHECK, "--mutants", "2", "--json"]);
    assert_eq!((&object["status"], &object["exit"]), (&"converged".into(), &0.into()), "{object}");
    assert_eq!(object["evidence"]["commands"][0]["command"]["line"], CHECK);
    git(&project, &["commit", "-qam", "fix"]);
    let committed = judge(&project, &["main~1..main", "--again"]);
    assert_eq!(committed.code, 0, "{}", committed.all());
    assert_eq!(project.tribunal(&["verify"]).code, 0);
}

#[test]
fn what_proves_nothing_or_lies_does_not_hold() {
    let broken = CODE.replace("return list", "return [] and list");
    let skipped = TESTS.replace("    def test_start", "    @unittest.skip(\"later\")\n    def test_start");
    let steered = "import os, atexit\natexit.register(os._exit, 0)\n";
    let stateful = "import os\ndef parse_range(text):\n    if os.path.exists(\".seen\"):\n        return [1, 2]\n    open(\".seen\", \"w\").close()\n    return []\n";
    let rows = [
        ("a test that fails", vec![], "checks_failed"),
        ("what the first run leaves makes the second green", vec![("calc.py", stateful)], "checks_failed"),
        ("the test is deleted", vec![("tests/test_calc.py", "")], "regressed"),
        ("the test is skipped", vec![("tests/test_calc.py", skipped.as_str())], "regressed"),
        ("a file steers the runner", vec![("sitecustomize.py", steered)], "checks_"),
    ];
    for (name, files, code) in rows {
        let project = project();
        project.write("calc.py", &broken);
        for (file, text) in files {
            project.write(file, text);
        }
        let output = judge(&project, &[]);
        assert_eq!(output.code, 1, "{name}: {}", output.all());
        assert!(
            output.stdout.contains("does not hold (blocked): ") && output.stdout.contains(code),
            "{name}: {}",
            output.all()
        );
    }
}

/// A fix that a given test stands against: what the test says has to change with it, and that is a person's to allow.
#[test]
fn a_given_test_changes_only_where_a_person_allows_it() {
    let wrong =
        TESTS.replace("self.assertEqual(parse_range(\"1-3\")[0], 1)", "self.assertEqual(len(parse_range(\"1-3\")), 2)");
    let project = project();
    project.write("tests/test_calc.py", &wrong);
    git(&project, &["commit", "-qam", "a test that is wrong"]);
    project.write("calc.py", &CODE.replace("int(b))", "int(b) + 1)"));
    project.write("tests/test_calc.py", &wrong.replace(", 2)", ", 3)"));
    let refused = judge(&project, &[]);
    assert_eq!(refused.code, 1, "{}", refused.all());
    assert!(refused.stdout.contains("checks_tampered"), "{}", refused.all());
    assert!(refused.stderr.contains("`tribunal judge --may-change tests/test_calc.py`"), "{}", refused.all());
    let other = judge(&project, &["--may-change", "tests/other.py"]);
    assert_eq!(other.code, 1, "another file: {}", other.all());
    let allowed = judge(&project, &["--may-change", "tests/…"]);
    assert_eq!(allowed.code, 0, "{}", allowed.all());
    let configured = judge(&project, &["--set", "judge.may_change=[\"tests/test_calc.py\"]", "--again"]);
    assert_eq!(configured.code, 0, "{}", configured.all());
    // A permission that comes with the change is none.
    project.write("tribunal.toml", "[judge]\nmay_change = [\"tests/…\"]\n");
    let own = judge(&project, &["--again"]);
    assert_eq!(own.code, 1, "{}", own.all());
    assert!(own.stderr.contains("is part of the change and allows nothing: tests/…"), "{}", own.all());
    std::fs::remove_file(project.path("tribunal.toml")).unwrap();
    // What is allowed to change still has to pass.
    project.write("calc.py", &CODE.replace("int(b))", "int(b) + 2)"));
    let broken = judge(&project, &["--may-change", "tests/…"]);
    assert_eq!(broken.code, 1, "{}", broken.all());
    assert!(broken.stdout.contains("checks_failed"), "{}", broken.all());
}

/// Git can be told to show another object in the place of one: the base is what was committed.
#[test]
fn nobody_puts_another_base_in_the_place_of_the_base() {
    let project = project();
    project.write("calc.py", &CODE.replace("return list", "return [] and list"));
    project.write("other.py", &TESTS.replace("[0], 1)", ", [])"));
    let said = |args: &[&str]| {
        let done = Command::new("git").args(args).current_dir(project.path(".")).output().unwrap();
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    };
    let (given, other) = (said(&["rev-parse", "main:tests/test_calc.py"]), said(&["hash-object", "-w", "other.py"]));
    std::fs::remove_file(project.path("other.py")).unwrap();
    git(&project, &["replace", &given, &other]);
    git(&project, &["checkout", "-q", "--", "tests"]);
    let output = judge(&project, &[]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stdout.contains("does not hold"), "{}", output.all());
}

#[test]
fn a_mistake_is_told_in_the_words_that_were_typed() {
    let project = project();
    for (args, told) in [
        (&["judge", "--check", " "][..], "`--check` names no command"),
        (&["judge", "--check", "true", "--verifier", "nobody"], "error: --verifier: "),
    ] {
        let output = project.tribunal(args);
        assert!(output.code == 2 && output.stderr.contains(told), "{args:?}: {}", output.all());
        assert!(!output.stderr.contains("--set"), "{args:?}: {}", output.all());
    }
    let unborn = Project::bare();
    git(&unborn, &["init", "-q", "-b", "main"]);
    let output = unborn.tribunal(&["judge", "--check", "true"]);
    assert!(output.code == 2 && output.stderr.contains("hint: make a first commit"), "{}", output.all());
    // A clone without what was before, and without a main branch.
    project.write("calc.py", "x = 1\n");
    git(&project, &["commit", "-qam", "second"]);
    let from = format!("file://{}", project.path(".").canonicalize().unwrap().display());
    let shallow = Project::bare();
    git(&shallow, &["clone", "-q", "--depth", "1", &from, "clone"]);
    git(&shallow, &["-C", "clone", "checkout", "-q", "--detach"]);
    for branch in ["refs/heads/main", "refs/remotes/origin/main", "refs/remotes/origin/HEAD"] {
        git(&shallow, &["-C", "clone", "update-ref", "--no-deref", "-d", branch]);
    }
    let output = shallow.tribunal(&["-C", "clone", "judge", "--check", "true"]);
    assert!(output.code == 2 && output.stderr.contains("the clone is shallow"), "{}", output.all());
    assert!(output.stderr.contains("git fetch --unshallow"), "{}", output.all());
}

#[test]
fn what_cannot_be_judged_is_refused_with_a_hint() {
    let project = project();
    for (args, told) in [
        (&["judge", "nowhere..main"][..], "nowhere"),
        (&["judge", "main..main"], "there is no change to judge"),
        (&["judge", "main"], "there is no change to judge"),
    ] {
        let output = project.tribunal(args);
        assert_eq!(output.code, 2, "{args:?}: {}", output.all());
        assert!(output.stderr.contains(told) && output.stderr.contains("hint:"), "{args:?}: {}", output.all());
    }
    let project = untested();
    let first = project.tribunal(&["judge"]);
    assert!(first.code == 2 && first.stderr.contains("there is no change to judge"), "{}", first.all());
    project.write("notes.txt", "other notes\n");
    let nothing = project.tribunal(&["judge"]);
    assert_eq!(nothing.code, 2, "{}", nothing.all());
    assert!(nothing.stderr.contains("no command that could prove the change"), "{}", nothing.all());
    let outside = Project::bare().tribunal(&["judge", "--check", "true"]);
    assert!(outside.code == 2 && outside.stderr.contains("not in a git repository"), "{}", outside.all());
}

#[test]
fn where_the_packages_are_below_the_hint_leads_there() {
    let project = untested();
    project.write("packages/calc/calc.py", CODE);
    project.write("packages/calc/tests/test_calc.py", TESTS);
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-qm", "a package"]);
    project.write("packages/calc/calc.py", &CODE.replace("int(b)", "int(b) + 1"));
    let output = project.tribunal(&["judge"]);
    assert_eq!(output.code, 2, "{}", output.all());
    assert!(output.stderr.contains("`tribunal -C packages/calc judge`"), "{}", output.all());
}

#[test]
fn what_the_configuration_says_is_used() {
    let project = project();
    project.write("calc.py", &CODE.replace("int(b))", "int(b) + 1)"));
    git(&project, &["commit", "-qam", "fix"]);
    project.write("data/known.txt", "3");
    project.write(".gitignore", ".tribunal/\n__pycache__/\ndata/\ntribunal.toml\n");
    let toml = "[judge]\nrange = \"main~1..main\"\nchecks = [\"python3 -m unittest discover -s tests\", \"test -e data/known.txt\", \"test -e made.txt\"]\n\
                mutants = 0\ncheck_timeout = \"2m\"\nnetwork = true\ncarry = [\"data\"]\nsetup = [\"echo made > made.txt\"]\n";
    project.write("tribunal.toml", toml);
    let output = project.tribunal(&["judge"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(output.stdout.starts_with("main~1..main: "), "{}", output.all());
    assert!(
        output.stdout.contains("`test -e data/known.txt`\n  at the base: green"),
        "it was carried: {}",
        output.all()
    );
    // Other conditions make another judgement of it.
    project.write("tribunal.toml", &toml.replace("carry = [\"data\"]\n", ""));
    let without = project.tribunal(&["judge"]);
    assert_eq!(without.code, 1, "what git ignores is not there by itself: {}", without.all());
    project.write("tribunal.toml", &toml.replace("network = true", "network = false"));
    let offline = project.tribunal(&["judge"]);
    assert!(!offline.stderr.contains("judged already"), "{}", offline.all());
    assert!(project.tribunal(&["judge"]).stderr.contains("judged already"), "the same twice is the same");
}

#[test]
fn what_is_committed_on_a_branch_and_what_is_not_are_judged_together() {
    let project = project();
    git(&project, &["checkout", "-qb", "fix"]);
    project.write("calc.py", &CODE.replace("int(b))", "int(b) + 1)"));
    git(&project, &["commit", "-qam", "fix"]);
    project.write("tests/test_calc.py", &format!("{TESTS}{NEW_TEST}"));
    let both = judge(&project, &[]);
    assert_eq!(both.code, 0, "{}", both.all());
    assert!(both.stdout.starts_with("branch with uncommitted changes: "), "{}", both.all());
    assert!(both.stdout.contains("red, then green:"), "the test is red where the branch began: {}", both.all());
}

#[test]
fn a_change_cannot_do_away_with_the_command_that_would_prove_it() {
    let project = untested();
    project.write("calc.sh", "echo 5\n");
    project.write("test.sh", "[ \"$(sh calc.sh)\" = 5 ] && echo 'ok 1' || { echo 'not ok 1'; exit 1; }\n");
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-qm", "a script"]);
    project.write("calc.sh", "echo 4\n");
    std::fs::remove_file(project.path("test.sh")).unwrap();
    let output = project.tribunal(&["judge", "--mutants", "0"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stdout.contains("`sh test.sh`") && output.stdout.contains("checks_"), "{}", output.all());
}

#[test]
fn every_format_says_what_speaks_against_a_change() {
    let project = project();
    project.write("calc.py", &CODE.replace("return list", "return [] and list"));
    std::fs::remove_file(project.path("tests/test_calc.py")).unwrap();
    let format = |name: &str| {
        let output = judge(&project, &["--format", name]);
        assert_eq!(output.code, 1, "{name}: {}", output.all());
        output.stdout
    };
    let json: serde_json::Value = serde_json::from_str(&format("json")).unwrap();
    assert_eq!(json["status"], "blocked");
    assert!(json["evidence"]["findings"].as_array().is_some_and(|found| !found.is_empty()), "{json}");

    let text = format("sarif");
    assert_eq!(broken(SARIF, &text), Vec::<String>::new(), "{text}");
    let sarif: serde_json::Value = serde_json::from_str(&text).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let errors: Vec<_> = results.iter().filter(|result| result["level"] == "error").collect();
    assert!(!errors.is_empty(), "{sarif}");
    for result in results {
        let at = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[at]["id"], result["ruleId"]);
        for location in result["locations"].as_array().into_iter().flatten() {
            let uri = location["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
            assert!(!uri.is_empty() && !uri.starts_with('/'), "{uri}");
        }
    }
    let touched = |result: &&&serde_json::Value| result.to_string().contains("\"uri\":\"tests/test_calc.py\"");
    assert!(results.iter().any(|result| touched(&&result)), "the deleted test is where it was: {sarif}");

    let junit = format("junit");
    assert!(junit.contains(&format!("<testsuite name=\"{CHECK}\"")) && junit.contains("<failure "), "{junit}");
    assert!(!junit.contains("failures=\"0\" errors=\"0\">\n  <testsuite"), "{junit}");

    let markdown = format("markdown");
    assert!(markdown.starts_with("### ❌ The change does not hold\n"), "{markdown}");
    assert!(
        markdown.contains("**Against it**") && markdown.contains("| with the given files put back | red"),
        "{markdown}"
    );

    let path = project.path("out/judgement.md");
    let written = judge(&project, &["--format", "markdown", "-o", "out/judgement.md"]);
    assert_eq!((written.code, written.stdout.as_str()), (1, ""), "{}", written.all());
    assert_eq!(std::fs::read_to_string(path).unwrap(), markdown);
}

#[test]
fn a_comment_for_a_pull_request_obeys_nobody() {
    let project = project();
    project.write("calc.py", &CODE.replace("int(b))", "int(b) + 1)"));
    let check = "true '\u{1b}[31m'";
    let args = ["judge", "--check", check, "--mutants", "0", "--format", "markdown"];
    let output = project.tribunal(&args);
    assert!(output.stdout.contains("true '\\u{1b}") && !output.stdout.contains('\u{1b}'), "{}", output.all());
    let written = project.tribunal(&[&args[..], &["-o", "judgement.md"]].concat());
    assert_eq!(project.read("judgement.md"), output.stdout, "{}", written.all());
}

#[test]
fn a_line_that_no_check_misses_stands_where_it_is() {
    let project = project();
    project.write("calc.py", &CODE.replace("int(b))", "int(b) + 1)"));
    let output = judge(&project, &["--format", "sarif"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!(broken(SARIF, &output.stdout), Vec::<String>::new(), "{}", output.stdout);
    let sarif: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let survived =
        results.iter().find(|result| result["ruleId"] == "mutant_survived").unwrap_or_else(|| panic!("{sarif}"));
    let place = &survived["locations"][0]["physicalLocation"];
    assert_eq!((&place["artifactLocation"]["uri"], &place["region"]["startLine"]), (&"calc.py".into(), &3.into()));
    let junit = judge(&project, &["--format", "junit"]).stdout;
    assert!(junit.contains("failures=\"0\"") && junit.contains("name=\"holds\"/>"), "{junit}");
    assert!(judge(&project, &["--format", "markdown"]).stdout.starts_with("### ✅ The change holds\n"));
}

/// What a change brings along does not take the place of what was run before it.
#[test]
fn a_change_does_not_choose_what_it_is_judged_by() {
    let project = project();
    project.write("calc.py", &CODE.replace("return list", "return [] and list"));
    project.write("tribunal.toml", "[judge]\nchecks = [\"true\"]\n");
    let own = project.tribunal(&["judge"]);
    assert_eq!(own.code, 1, "{}", own.all());
    assert!(own.stderr.contains("is part of the change, so what was run before is run, too"), "{}", own.all());
    assert!(own.stdout.contains("checks_failed") && own.stdout.contains("unittest"), "{}", own.all());
    // What a person says counts.
    let named = project.tribunal(&["judge", "--check", "true"]);
    assert!(!named.stderr.contains("is part of the change"), "{}", named.all());
    // Once it is on the main branch it is nobody's change.
    git(&project, &["add", "tribunal.toml"]);
    git(&project, &["commit", "-qm", "checks"]);
    let given = project.tribunal(&["judge"]);
    assert!(!given.stderr.contains("is part of the change"), "{}", given.all());
    assert!(!given.stdout.contains("unittest"), "{}", given.all());
}

/// Whoever can write the repository's settings could have git write other files than were committed.
#[test]
fn files_are_judged_as_they_are_committed() {
    let project = project();
    project.write("calc.py", &CODE.replace("return list", "return [] and list"));
    project.write(".gitattributes", "*.py filter=repair\n");
    git(&project, &["config", "filter.repair.smudge", "sed 's/return \\[\\] and /return /'"]);
    git(&project, &["config", "filter.repair.clean", "cat"]);
    let output = judge(&project, &[]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stdout.contains("does not hold"), "{}", output.all());
}
