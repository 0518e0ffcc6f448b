//! `tribunal judge` with verifiers: whether a change does what it is asked to, by ballot, after what was run.

use crate::judge::{CHECK, CODE, NEW_TEST, TESTS, git, project};
use crate::support::{Output, Project};

/// A verifier that says of every item what its way is. It counts its calls.
const VERIFIER: &str = r#"#!/usr/bin/env python3
import json, os, re, sys
prompt = sys.stdin.read()
with open("calls", "a") as calls:
    calls.write(os.environ["TRIBUNAL_TASK"] + "\n")
with open("prompt", "w") as file:
    file.write(prompt)
way = sys.argv[1]
if way == "crash":
    sys.exit(3)
if way == "limited" and not os.path.exists("calls.limited"):
    open("calls.limited", "w").close()
    print("You've hit your session limit, try again in 1 second", file=sys.stderr)
    sys.exit(75)
def data(label):
    return re.search(r"— " + label + r":\n<<<(\w+)\n(.*?)\n?\1>>>", prompt, re.S)[2]
items = re.findall(r"^(R\d+): [A-Z_ ]+: (.*)$", data("what you vote on"), re.M)
draft = data("the draft")
added = [line[1:].strip() for line in draft.splitlines() if re.match(r"\+[^+]", line)]
words = lambda text: re.sub(r"\s+", " ", re.sub(r"(?m)^[-+ ]", "", text))
def vote(id, item):
    known = re.match(r'contains the words "(.*)"$', item)
    if way == "nods":
        return {"id": id, "says": "met", "quote": max(added, key=len)}
    if known:
        there = known[1] in words(draft)
        return {"id": id, "says": "met", "quote": known[1]} if there else {"id": id, "says": "broken", "absent": True}
    if way == "header":
        return {"id": id, "says": "met", "quote": draft.splitlines()[0]}
    if way == "context":
        return {"id": id, "says": "met", "quote": [line for line in draft.splitlines() if line.startswith("  ")][0]}
    if way == "half" and "inclusive" in item or way == "absent":
        return {"id": id, "says": "met", "quote": added[0]} if way == "half" else {"id": id, "says": "broken", "absent": True}
    if way == "invents":
        return {"id": id, "says": "met", "quote": "words that nobody ever wrote"}
    if way == "cannot" and "inclusive" in item:
        return {"id": id, "says": "cannot_tell", "why": "there is no documentation"}
    key = "int(b) + 1" if "inclusive" in item or "fix" in item else "test_end" if "test" in item else "\0"
    seen = [line for line in added if key in line]
    return {"id": id, "says": "met", "quote": "calc.py:3: " + seen[0]} if seen else {"id": id, "says": "broken", "absent": True, "why": "it is not there"}
ballot = [vote(*item) for item in items]
print(json.dumps({"ballot": [] if way == "silent" else ballot}))
"#;

const SPEC: &str = "# Ranges\n\n- a range is inclusive\n- a test shows it\n";

/// A repository with a fix that holds, and somebody who votes on it.
fn fixed(way: &str, controls: bool) -> Project {
    let project = project();
    project.write(
        "tribunal.toml",
        &format!(
            "[agents.eye]\nkind = \"command\"\ncommand = [\"./eye.py\", \"{way}\"]\ncontrols = {controls}\n[seats.verifier]\nagent \
             = \"eye\"\n[limits]\ngrace = \"500ms\"\n"
        ),
    );
    project.agent("eye.py", VERIFIER);
    project.write("spec.md", SPEC);
    project.write(".gitignore", ".tribunal/\n__pycache__/\ncalls*\nprompt\n");
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-qm", "who verifies"]);
    project.write("calc.py", &CODE.replace("int(b))", "int(b) + 1)"));
    project.write("tests/test_calc.py", &format!("{TESTS}{NEW_TEST}"));
    project
}

fn judge(project: &Project, more: &[&str]) -> Output {
    project.tribunal(&[&["judge", "--check", CHECK, "--mutants", "0"], more].concat())
}

fn calls(project: &Project) -> usize {
    std::fs::read_to_string(project.path("calls")).map_or(0, |text| text.lines().count())
}

#[test]
fn a_change_that_does_what_it_is_asked_to_holds() {
    for controls in [false, true] {
        let project = fixed("looks", controls);
        let held = judge(&project, &["--spec", "spec.md"]);
        assert_eq!(held.code, 0, "{}", held.all());
        assert!(held.stdout.contains("what it is asked to do: 2 of 2 met"), "{}", held.all());
        assert!(held.stdout.contains("\nholds: it does what it is asked to; every check holds"), "{}", held.all());
        assert_eq!(
            calls(&project),
            if controls { 3 } else { 1 },
            "a control and a recount, where it stands for a model"
        );
        let prompt = project.read("prompt");
        assert!(prompt.contains("red, then green") && prompt.contains("diff --git"), "{prompt}");
        let again = judge(&project, &["--spec", "spec.md"]);
        assert!(again.code == 0 && again.stderr.contains("judged already"), "{}", again.all());
        let object = project.json(&["judge", "--check", CHECK, "--mutants", "0", "--spec", "spec.md", "--json"]);
        assert_eq!(object["asked"][0]["state"], "met", "{object}");
        assert_eq!(object["asked"][0]["votes"][0]["seat"], "verifier", "{object}");
        // Something else is asked for: that is another judgement.
        project.write("other.md", "- it plays music\n");
        let other = judge(&project, &["--spec", "other.md"]);
        assert_eq!(other.code, 1, "{}", other.all());
        assert!(other.stdout.contains("not_as_asked: broken: `it plays music`"), "{}", other.all());
        assert_eq!(project.tribunal(&["verify"]).code, 0);
    }
}

#[test]
fn who_does_not_look_cannot_make_it_hold() {
    for (name, way, controls, told) in [
        ("nods everything through", "nods", true, "no vote: verifier got wrong what is known of the draft"),
        ("quotes what is not there", "invents", true, "undecided: `a range is inclusive`, `a test shows it`"),
        ("the same as a program", "invents", false, "undecided: `a range is inclusive`, `a test shows it`"),
        ("leaves everything out", "silent", false, "undecided: `a range is inclusive`, `a test shows it`"),
        ("quotes what git writes around it", "header", false, "undecided: `a range is inclusive`, `a test shows it`"),
        ("quotes what was there before", "context", false, "undecided: `a range is inclusive`, `a test shows it`"),
        ("sees one thing in everything", "half", true, "calls it met in a change that does nothing of it, too"),
        ("cannot tell one", "cannot", true, "undecided: `a range is inclusive`"),
        ("crashes", "crash", false, "verifier could not judge it"),
    ] {
        let project = fixed(way, controls);
        let output = judge(&project, &["--spec", "spec.md"]);
        assert_eq!(output.code, 1, "{name}: {}", output.all());
        assert!(output.stdout.contains("not decided (needs_human)"), "{name}: {}", output.all());
        assert!(output.stdout.contains(told), "{name}: {}", output.all());
        for format in ["json", "sarif", "junit", "markdown"] {
            let shown = judge(&project, &["--spec", "spec.md", "--format", format]);
            assert_eq!(shown.code, 1, "{name}, {format}: {}", shown.all());
            assert!(format != "markdown" || shown.stdout.contains("❌"), "{name}: {}", shown.all());
        }
    }
}

#[test]
fn a_change_does_not_say_what_it_has_to_do() {
    let project = fixed("looks", false);
    project.write("spec.md", "- a range is inclusive\n");
    let before = judge(&project, &["--spec", "spec.md"]);
    assert!(before.code == 0 && before.stdout.contains("2 of 2 met"), "it is taken from the base: {}", before.all());
    assert!(before.stderr.contains("spec.md is taken as it was before the change"), "{}", before.all());
    let prompt = project.read("prompt");
    assert!(!prompt.contains("diff --git a/spec.md"), "{prompt}");
    // A spec that comes with the change is no part of what is judged by it.
    project.write("new.md", "- it plays music and sings along with everybody\n");
    let proves_itself =
        VERIFIER.replace("key = \"int(b) + 1\"", "key = \"plays music\" if \"music\" in item else \"int(b) + 1\"");
    project.agent("eye.py", &proves_itself);
    git(&project, &["commit", "-qm", "another eye", "--", "eye.py"]);
    let output = judge(&project, &["--spec", "new.md"]);
    assert!(output.code == 1 && output.stdout.contains("not_as_asked"), "{}", output.all());
}

#[test]
fn what_is_not_in_the_part_that_was_shown_is_not_missing() {
    let project = fixed("absent", false);
    project.write("aaa.txt", &"one more line of a long file that nobody reads\n".repeat(4_000));
    let output = judge(&project, &["--spec", "spec.md"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stdout.contains("not decided (needs_human)"), "{}", output.all());
}

#[test]
fn nobody_is_asked_about_a_change_that_fails_its_checks() {
    let project = fixed("looks", false);
    project.write("calc.py", CODE);
    let output = judge(&project, &["--spec", "spec.md"]);
    assert_eq!((output.code, calls(&project)), (1, 0), "{}", output.all());
    assert!(output.stdout.contains("does not hold (blocked): checks_failed"), "{}", output.all());
}

#[test]
fn what_nobody_could_tell_a_person_decides() {
    for (says, code, outcome) in [("--met", 0, "converged"), ("--broken", 1, "blocked")] {
        let project = fixed("cannot", false);
        assert_eq!(judge(&project, &["--spec", "spec.md"]).code, 1);
        let answered = project.tribunal(&["answer", says, "1", "--why", "read the code"]);
        assert_eq!(answered.code, code, "{says}: {}", answered.all());
        let shown = judge(&project, &["--spec", "spec.md"]);
        assert_eq!(shown.code, code, "{says}: {}", shown.all());
        let object = project.json(&["judge", "--check", CHECK, "--mutants", "0", "--spec", "spec.md", "--json"]);
        assert_eq!(object["status"], outcome, "{object}");
    }
}

#[test]
fn without_a_spec_the_commits_say_what_they_do() {
    let project = fixed("looks", false);
    git(&project, &["checkout", "-qb", "ranges"]);
    git(&project, &["commit", "-qam", "fix the end of ranges"]);
    let held = judge(&project, &["--verifier", "eye"]);
    assert_eq!(held.code, 0, "{}", held.all());
    assert!(held.stdout.contains("met        fix the end of ranges"), "{}", held.all());
    project.write("notes.txt", "x\n");
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-qm", "play music"]);
    let output = judge(&project, &["--verifier", "eye"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stdout.contains("not_as_asked: broken: `play music`"), "{}", output.all());
}

#[test]
fn a_vote_that_cannot_be_held_is_refused_before_anybody_is_asked() {
    let project = fixed("looks", false);
    project.write("empty.md", "# Nothing\n");
    project.write(
        "rules.toml",
        "kind = \"invariants\"\nMUST = [{ kind = \"pattern\", pattern = \"x\", rule = \"has x\" }]\n",
    );
    project
        .write("quorum.toml", &(project.read("tribunal.toml") + "[judge]\nquorum = 2\nverifiers = [\"verifier\"]\n"));
    for (args, told) in [
        (&["judge", "--spec", "nowhere.md"][..], "cannot read the spec"),
        (&["judge", "--spec", "empty.md"], "it asks for nothing"),
        (&["judge", "--spec", "rules.toml"], "nobody could vote on them"),
        (&["judge", "--verifier", "nobody"], "nobody"),
        (&["judge", "--verifier", "eye"], "nothing says what the change has to do"),
        (&["judge", "--spec", "spec.md", "--config", "quorum.toml"], "quorum.toml is part of the change"),
        (
            &["judge", "--spec", "spec.md", "--config", "quorum.toml", "--use-changed-config"],
            "`judge.quorum` is 2, and the verifiers (verifier) have 1",
        ),
    ] {
        let output = project.tribunal(&[args, &["--check", CHECK]].concat());
        assert_eq!(output.code, 2, "{args:?}: {}", output.all());
        assert!(output.stderr.contains(told) && output.stderr.contains("hint:"), "{args:?}: {}", output.all());
    }
    assert_eq!(calls(&project), 0);
    project.write("tribunal.toml", "");
    git(&project, &["commit", "-qm", "nobody", "--", "tribunal.toml"]);
    let output = project.tribunal(&["judge", "--spec", "spec.md", "--check", CHECK]);
    assert_eq!(output.code, 2, "{}", output.all());
    assert!(
        output.stderr.contains("nobody is there to vote") && output.stderr.contains("--verifier"),
        "{}",
        output.all()
    );
}

#[test]
fn a_stop_hook_goes_by_a_spec_that_the_change_did_not_write() {
    let project = fixed("looks", false);
    let toml = project.read("tribunal.toml") + "[judge]\nspec = \"spec.md\"\n";
    project.write("tribunal.toml", &toml);
    git(&project, &["add", "tribunal.toml"]);
    git(&project, &["commit", "-qm", "what is asked", "--", "tribunal.toml"]);
    let stop = |project: &Project| {
        let output = project.tribunal(&["judge", "--stop-hook", "claude", "--check", CHECK]);
        assert_eq!(output.code, 0, "{}", output.all());
        output.stdout
    };
    assert!(stop(&project).contains("the change holds"), "{}", stop(&project));
    project.write("spec.md", "- nothing\n");
    assert!(stop(&project).contains("spec.md is changed"), "{}", stop(&project));
    project.write("spec.md", SPEC);
    project.write("tribunal.toml", &toml.replace("eye.py", "yes.py"));
    assert!(stop(&project).contains("tribunal.toml is changed"), "{}", stop(&project));
}

#[test]
fn a_verifier_that_has_to_wait_votes_later() {
    let (project, plain) = (fixed("limited", false), fixed("looks", false));
    let args = ["--spec", "spec.md"];
    let (output, expected) = (judge(&project, &args), judge(&plain, &args));
    assert_eq!((output.code, expected.code), (0, 0), "{}\n{}", output.all(), expected.all());
    assert_eq!(calls(&project), calls(&plain) + 1, "it was asked once more, and nobody else was");
    let log = project.read(&project.log().display().to_string());
    assert_eq!(
        (log.matches("\"turn_parked\"").count(), log.matches("\"turn_failed\"").count()),
        (1, 0),
        "{}",
        output.all()
    );
}
