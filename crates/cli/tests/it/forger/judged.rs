//! A judgement with a proof, in the hands of a forger whose key is allowed.

use super::proven::{Proven, payload};
use crate::judge::{CHECK, CODE, NEW_TEST, TESTS, git, project as calculator};
use crate::support::Project;
use serde_json::{Value, json};
use std::process::Command;

/// A repository whose branch `fix` fixes the calculator, and whose branch `evil` does something else.
fn repository() -> Project {
    let project = calculator();
    git(&project, &["checkout", "-qb", "fix"]);
    project.write("calc.py", &CODE.replace("int(b))", "int(b) + 1)"));
    project.write("tests/test_calc.py", &format!("{TESTS}{NEW_TEST}"));
    git(&project, &["commit", "-qam", "include the end"]);
    git(&project, &["checkout", "-qb", "evil", "main"]);
    project.write("calc.py", &CODE.replace("int(b))", "int(b) + 666)"));
    git(&project, &["commit", "-qam", "something else"]);
    git(&project, &["checkout", "-q", "fix"]);
    Proven::key(&project, "ada");
    project.write("signers", &format!("ada@example.org {}", project.read("ada.pub")));
    project
}

/// The same, judged and proven.
fn judged(more: &[&str]) -> Proven {
    let project = repository();
    let judge = ["judge", "main..fix", "--mutants", "0", "--prove", "proof.jsonl", "--key", "ada"];
    let judged = project.tribunal(&[&judge[..], more].concat());
    assert_eq!(judged.code, 0, "{}", judged.all());
    Proven { project }
}

/// What git says, without the line's end.
fn said(project: &Project, args: &[&str]) -> String {
    let output = Command::new("git").args(args).current_dir(project.path(".")).output().unwrap();
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// Puts a digest beside the others in both statements, and signs them.
fn put_digest(proven: &Proven, key: &str, value: &str) {
    for number in [0, 1] {
        proven.change(number, |statement| statement["subject"][0]["digest"][key] = json!(value));
    }
    proven.sign("ada", "tribunal-proof");
}

fn verify(project: &Project, args: &[&str]) -> (i32, String) {
    let output = project.tribunal(&[&["verify", "proof.jsonl", "--signers", "signers"], args].concat());
    (output.code, output.all())
}

#[test]
fn a_tree_that_the_log_does_not_have_makes_no_commit_a_judged_one() {
    let proven = judged(&["--check", CHECK]);
    let project = &proven.project;
    assert_eq!(verify(project, &["--commit", "fix"]).0, 0);
    let proof = project.read("proof.jsonl");
    // The tree of something that nobody judged, signed by somebody who may sign.
    let tree = said(project, &["rev-parse", "evil^{tree}"]);
    put_digest(&proven, "gitTree", &tree);
    for more in [&[][..], &["--rerun"]] {
        let (code, told) = verify(project, &[&["--commit", "evil"], more].concat());
        assert!(code == 1 && told.contains("with another tree than it has"), "{told}");
        assert!(!told.contains("evil has the files that were judged"), "{told}");
    }

    // Other digests beside it are no better.
    project.write("proof.jsonl", &proof);
    put_digest(&proven, "sha256", &tribunal_kernel::Digest::of("a page").to_string());
    project.write("page.html", "a page");
    let (code, told) = verify(project, &["--artifact", "page.html"]);
    assert!(code == 1 && told.contains("it is not about what its log is about"), "{told}");

    // Another commit with the same files: they are what was judged as long as the judged commit can be asked.
    project.write("proof.jsonl", &proof);
    let judged = said(project, &["rev-parse", "fix"]);
    git(project, &["commit", "-q", "--amend", "-m", "in other words"]);
    let (code, told) = verify(project, &["--commit", "fix"]);
    assert!(code == 0 && told.contains("in another commit"), "{told}");
    git(project, &["reflog", "expire", "--expire=now", "--all"]);
    git(project, &["gc", "-q", "--prune=now"]);
    let (code, told) = verify(project, &["--commit", "fix"]);
    assert!(code == 1 && told.contains(&format!("{judged} is not in this repository; fetch it")), "{told}");
}

#[test]
fn what_is_checked_out_does_not_say_how_it_is_run_again() {
    let project = repository();
    let escaped = project.path("escaped");
    let check = format!("sh -c 'touch {} 2>/dev/null; {CHECK}'", escaped.display());
    let judge = ["judge", "main..fix", "--mutants", "0", "--prove", "proof.jsonl", "--key", "ada", "--check", &check];
    let judged = project.tribunal(&judge);
    assert_eq!(judged.code, 0, "{}", judged.all());
    assert!(!escaped.exists(), "a sandbox closes the project");
    for text in ["this is no configuration", "[run]\nsandbox = \"none\"\n"] {
        project.write("tribunal.toml", text);
        let (code, told) = verify(&project, &["--commit", "fix", "--rerun"]);
        assert_eq!(code, 0, "{text}: {told}");
        assert!(told.contains("run and measured again, with the same result: 1 turn"), "{text}: {told}");
        assert!(!escaped.exists(), "{text}: {told}");
    }
    // What the reader says counts.
    let (code, told) = verify(&project, &["--commit", "fix", "--rerun", "--set", "run.sandbox=nonsense"]);
    assert!(code == 2 && told.contains("run.sandbox"), "{told}");
}

#[test]
fn the_gate_is_named() {
    let proven = judged(&["--check", "true", "--may-change", "tests/test_calc.py", "--use-changed-config"]);
    let project = &proven.project;
    let main = said(project, &["rev-parse", "main"]);
    let (code, told) = verify(project, &["--commit", "fix", "--base", "main"]);
    assert_eq!(code, 0, "{told}");
    for words in [
        "a command that had to succeed: `true`",
        &format!("what the change was held against: {main}"),
        &format!("main is what the change was held against: commit {main}"),
        "checks_tampered at tests/test_calc.py: a person lets the change alter it",
        "settings_of_change: a person lets the settings count that the change itself brings along",
    ] {
        assert!(told.contains(words), "`{words}` is not in {told}");
    }
    let waived: Value = payload(&proven.envelopes()[1])["predicate"]["waivers"].clone();
    assert_eq!(waived.as_array().unwrap().len(), 2, "{waived}");

    // A base that was moved before it was judged is another one.
    let (code, told) = verify(project, &["--commit", "fix", "--base", "evil"]);
    assert!(code == 1 && told.contains("the change was not held against evil, which is "), "{told}");
    assert_eq!(verify(project, &["--commit", "fix", "--base", "nothing"]).0, 2);
    let review = Proven::new();
    let args = ["verify", "proof.jsonl", "--artifact", "artifact.txt", "--signers", "signers", "--base", "HEAD"];
    git(&review.project, &["init", "-q"]);
    git(&review.project, &["commit", "-q", "--allow-empty", "-m", "x"]);
    let told = review.project.tribunal(&args);
    assert!(told.code == 1 && told.stdout.contains("no change was judged"), "{}", told.all());
}

#[test]
fn a_program_beside_a_page_does_not_look_at_it() {
    let project = Project::bare();
    project.write("a.html", PAGE);
    Proven::key(&project, "ada");
    project.write("signers", &format!("ada@example.org {}", project.read("ada.pub")));
    project.write("page/evil.sh", "#!/bin/sh\ntouch \"$(dirname \"$0\")/escaped\"\n");
    make_executable(&project, "page/evil.sh");
    let ran = project.tribunal(&["run", "a.html", "-o", "page/page.html"]);
    assert!([0, 1].contains(&ran.code), "{}", ran.all());
    assert_eq!(project.tribunal(&["proof", "-o", "proof.jsonl", "--key", "ada"]).code, 0);
    // Whoever looks for a browser takes the one that is named.
    let verify = || {
        let args = ["verify", "proof.jsonl", "--signers", "signers", "--artifact", "page/page.html", "--rerun"];
        let output = project.seen_by("auto", &args);
        (output.code, output.all())
    };
    let before = verify();
    project.write("page/tribunal.toml", "[checks]\nbrowser = \"./evil.sh\"\neyes = \"browser\"\n");
    let after = verify();
    assert!(!project.path("page/escaped").exists(), "{}", after.1);
    assert_eq!(after, before, "nothing that lies beside the page counts");
}

const PAGE: &str = "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>A page</title>\
    <meta name=\"viewport\" content=\"width=device-width\"></head><body><main><h1>A page</h1><p>Some words.</p></main></body></html>\n";

fn make_executable(project: &Project, name: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(project.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
}
