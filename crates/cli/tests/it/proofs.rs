//! Results that prove themselves: heads, anchors, proofs, and whoever reads them elsewhere.

use crate::judge::{CHECK, CODE, NEW_TEST, TESTS, git, project as calculator};
use crate::pip;
use crate::support::Project;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A review that passes at once.
fn reviewed() -> Project {
    Project::with_answers("description", 2, &["done A text.", "ok"])
}

/// A key, and a file that lets its owner sign.
fn key(project: &Project) {
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-C", "ada", "-f"])
        .arg(project.path("key"))
        .status();
    assert!(made.unwrap().success());
    project.write("signers", &format!("ada@example.org {}", project.read("key.pub")));
}

/// The head of the only run, as its log has it.
fn head(project: &Project) -> String {
    let log = fs::read_to_string(project.log()).unwrap();
    let log = log.trim_end();
    log[log.len() - 66..log.len() - 2].to_owned()
}

#[test]
fn the_head_is_wherever_a_run_is_told() {
    let project = reviewed();
    let ran = project.tribunal(&["run"]);
    let head = head(&project);
    assert!(ran.stdout.trim_end().ends_with(&format!("\n  head {head}")), "{}", ran.all());
    assert_eq!(project.json(&["run", "--json"])["runs"][0]["head"], *head);
    assert_eq!(project.json(&["status", "--json"])["runs"][0]["head"], *head);
    assert_eq!(project.json(&["status", "description", "--json"])["head"], *head);
    let log = project.tribunal(&["log", "--json"]);
    let last: serde_json::Value = serde_json::from_str(log.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["hash"], *head);
    let verified = project.tribunal(&["verify"]);
    assert!(verified.stdout.contains(&format!("head {head}")), "{}", verified.all());
    assert_eq!(project.json(&["verify", "--json"])["runs"][0]["head"]["hash"], *head);

    let expect = |hash: &str| project.tribunal(&["verify", "description", "--expect", hash]);
    assert_eq!(expect(&head).code, 0, "{}", expect(&head).all());
    let other = expect(&"ab".repeat(32));
    assert!(other.code == 1 && other.stdout.contains("was expected"), "{}", other.all());
    assert_eq!(expect("abc").code, 2, "{}", expect("abc").all());
    // A log that goes on is not the one that was expected either.
    let first = fs::read_to_string(project.log()).unwrap();
    let first = first.lines().next().unwrap();
    let inner = expect(&first[first.len() - 66..first.len() - 2]);
    assert!(inner.code == 1 && inner.stdout.contains("its log goes on behind event 1"), "{}", inner.all());
    assert_eq!(Project::bare().tribunal(&["verify", "--expect", &head]).code, 2, "there is no run");
}

#[test]
fn a_proof_holds_in_an_empty_folder_and_for_the_libraries_of_others() {
    let project = reviewed();
    key(&project);
    assert_eq!(project.tribunal(&["run"]).code, 0);
    let made = project.tribunal(&["proof", "description", "-o", "proof.intoto.jsonl", "--key", "key", "--json"]);
    assert_eq!(made.code, 0, "{}", made.all());
    let secret = "Describe the episode.";
    assert!(!decoded(&project.read("proof.intoto.jsonl")).contains(secret), "the brief is there by its digest alone");

    let elsewhere = Project::bare();
    for name in ["proof.intoto.jsonl", "signers"] {
        elsewhere.write(name, &project.read(name));
    }
    elsewhere.write("description.txt", "A text.");
    let args = ["verify", "proof.intoto.jsonl", "--artifact", "description.txt", "--signers", "signers"];
    let verified = elsewhere.tribunal(&args);
    assert_eq!(verified.code, 0, "{}", verified.all());
    for words in ["description.txt is what was judged", "signed by ada@example.org", "follows from what was answered"] {
        assert!(verified.stdout.contains(words), "{words}: {}", verified.all());
    }
    assert_eq!(elsewhere.list(".").len(), 3, "looking at a proof leaves nothing behind");
    // A configuration that cannot be read is no business of a proof.
    elsewhere.write("tribunal.toml", "this is no configuration");
    assert_eq!(elsewhere.tribunal(&args).code, 0);

    // With everything in it, everything is read again.
    let whole = project.tribunal(&["proof", "--key", "key", "--texts", "--prompts"]);
    assert!(decoded(&whole.stdout).contains(secret), "somebody asked for it");
    elsewhere.write("proof.intoto.jsonl", &whole.stdout);
    let verified = elsewhere.tribunal(&args);
    assert!(verified.code == 0 && !verified.stdout.contains("not in the proof"), "{}", verified.all());

    let Some(libraries) = libraries() else {
        assert!(std::env::var_os("CI").is_none(), "pip cannot install in-toto's libraries");
        eprintln!("left out: pip cannot install in-toto's libraries");
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = Command::new("python3")
        .env("PYTHONPATH", libraries)
        .arg(root.join("testdata/proof/read.py"))
        .args([project.path("proof.intoto.jsonl"), project.path("signers")])
        .arg("ada@example.org")
        .arg(root.join("docs/schemas/proof.json"))
        .output()
        .unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let kinds = String::from_utf8(read.stdout).unwrap();
    assert_eq!(kinds, "https://in-toto.io/attestation/test-result/v0.1\nurn:tribunal:proof:v1\n");
}

/// The payloads of a proof as text.
fn decoded(proof: &str) -> String {
    use base64::Engine as _;
    let payload = |line: &str| {
        let envelope: serde_json::Value = serde_json::from_str(line).unwrap();
        let bytes = base64::engine::general_purpose::STANDARD.decode(envelope["payload"].as_str().unwrap()).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    proof.lines().map(payload).collect()
}

/// Where in-toto's libraries for Python are, if pip can install them.
fn libraries() -> Option<PathBuf> {
    let packages = ["in-toto-attestation==0.9.3", "securesystemslib==1.6.0", "jsonschema==4.26.0"];
    pip::installed("in-toto", "import in_toto_attestation, securesystemslib, jsonschema", &packages)
}

#[test]
fn a_proof_needs_a_key_and_a_run_that_has_ended_and_holds() {
    let project = reviewed();
    key(&project);
    assert_eq!(project.tribunal(&["run"]).code, 0);
    let without = project.tribunal(&["proof"]);
    assert!(without.code == 2 && without.stderr.contains("no key to sign with"), "{}", without.all());
    let missing = project.tribunal(&["proof", "--key", "nothing"]);
    assert!(missing.code == 4 && missing.stdout.is_empty(), "{}", missing.all());
    let unsigned = project.tribunal(&["proof", "--unsigned"]);
    assert_eq!(unsigned.code, 0, "{}", unsigned.all());
    project.write("unsigned.jsonl", &unsigned.stdout);
    project.write("text", "A text.");
    let args = ["verify", "unsigned.jsonl", "--artifact", "text", "--signers", "signers"];
    assert!(project.tribunal(&args).code == 1 && project.tribunal(&args).stdout.contains("nobody signed"));
    // The configured key is as good as one that is typed.
    project.write("tribunal.toml", &format!("{}[proof]\nkey = \"key\"\n", project.read("tribunal.toml")));
    assert_eq!(project.tribunal(&["proof", "-o", "proof.jsonl"]).code, 0);
    let args = ["verify", "proof.jsonl", "--artifact", "text", "--signers", "signers"];
    assert_eq!(project.tribunal(&args).code, 0);

    // One that was changed is not proven.
    let log = fs::read_to_string(project.log()).unwrap();
    fs::write(project.log(), log.replacen("description", "Description", 1)).unwrap();
    let damaged = project.tribunal(&["proof", "--key", "key"]);
    assert!(damaged.code != 0 && damaged.stdout.is_empty(), "{}", damaged.all());
}

#[test]
fn a_page_that_the_house_measured_is_measured_again() {
    let project = Project::bare();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/landing");
    for name in ["index.html", "DESIGN.md", "oven.svg"] {
        project.write(name, &fs::read_to_string(folder.join(name)).unwrap());
    }
    key(&project);
    assert_eq!(project.tribunal(&["run", "index.html", "--design", "DESIGN.md", "-o", "shipped.html"]).code, 0);
    let verified = project.tribunal(&["verify"]);
    assert_eq!(verified.code, 0, "{}", verified.all());
    assert_eq!(project.tribunal(&["proof", "--key", "key", "-o", "proof.jsonl"]).code, 0);
    // By somebody who has the page and what it shows, and neither the design nor any draft.
    let stranger = Project::bare();
    for name in ["proof.jsonl", "shipped.html", "signers", "oven.svg"] {
        fs::copy(project.path(name), stranger.path(name)).unwrap();
    }
    let args = ["verify", "proof.jsonl", "--artifact", "shipped.html", "--signers", "signers", "--rerun"];
    let verified = stranger.tribunal(&args);
    assert_eq!(verified.code, 0, "{}", verified.all());
    assert!(verified.stdout.contains("run and measured again, with the same result"), "{}", verified.all());
    // A page whose picture is not there is measured otherwise, and nobody says that it is the same.
    fs::remove_file(stranger.path("oven.svg")).unwrap();
    let verified = stranger.tribunal(&args);
    assert!(verified.code == 1 && verified.stdout.contains("says something else"), "{}", verified.all());

    // Every file that shows it is held against the log.
    for name in ["shipped.html", "round-1.html", "report.md", "transcript.ndjson"] {
        let file = project.artifact(name);
        let kept = fs::read(&file).unwrap();
        fs::write(&file, [&kept[..], b" "].concat()).unwrap();
        let changed = project.tribunal(&["verify"]);
        assert!(changed.code == 1 && changed.stdout.contains("is not what the log says"), "{name}: {}", changed.all());
        fs::remove_file(&file).unwrap();
        let missing = project.tribunal(&["verify"]);
        assert!(missing.code == 0 && missing.stderr.contains("is missing"), "{name}: {}", missing.all());
        fs::write(&file, kept).unwrap();
    }
}

/// A repository whose last commit fixes the calculator.
fn fixed() -> Project {
    let project = calculator();
    git(&project, &["checkout", "-qb", "fix"]);
    project.write("calc.py", &CODE.replace("int(b))", "int(b) + 1)"));
    project.write("tests/test_calc.py", &format!("{TESTS}{NEW_TEST}"));
    git(&project, &["commit", "-qam", "include the end"]);
    key(&project);
    project
}

#[test]
fn a_pull_request_brings_a_proof_of_its_head() {
    let project = fixed();
    let judge = ["judge", "main..HEAD", "--check", CHECK, "--mutants", "0", "--prove", "proof.jsonl"];
    let without = project.tribunal(&judge);
    assert!(without.code == 2 && without.stderr.contains("no key to sign with"), "{}", without.all());
    assert!(project.list(".tribunal/runs").is_empty(), "whoever has no key learns it before anything is run");
    let judged = project.tribunal(&[&judge[..], &["--key", "key"]].concat());
    assert_eq!(judged.code, 0, "{}", judged.all());
    let verify = |commit: &str, more: &[&str]| {
        project.tribunal(&[&["verify", "proof.jsonl", "--signers", "signers", "--commit", commit], more].concat())
    };
    let verified = verify("HEAD", &["--rerun"]);
    assert_eq!(verified.code, 0, "{}", verified.all());
    assert!(verified.stdout.contains("HEAD is what was judged: commit "), "{}", verified.all());
    assert!(verified.stdout.contains("run and measured again, with the same result: 1 turn"), "{}", verified.all());
    let other = verify("main", &[]);
    assert!(other.code == 1 && other.stdout.contains("main is not what was judged"), "{}", other.all());
    assert_eq!(verify("nothing", &[]).code, 2);
    // Another message, the same files: they are what was judged. Another file: they are not.
    git(&project, &["commit", "-q", "--amend", "-m", "include the end of the range"]);
    let reworded = verify("HEAD", &[]);
    assert!(reworded.code == 0 && reworded.stdout.contains("in another commit"), "{}", reworded.all());
    project.write("calc.py", &CODE.replace("int(b))", "int(b) + 2)"));
    git(&project, &["commit", "-qa", "--amend", "-m", "include the end"]);
    let changed = verify("HEAD", &[]);
    assert!(changed.code == 1 && changed.stdout.contains("HEAD is not what was judged"), "{}", changed.all());
}

#[test]
fn others_keep_the_head_where_the_configuration_says() {
    let project = fixed();
    project.write("tribunal.toml", "[proof]\nanchor = [\"file\", \"note\", \"trailer\"]\nfile = \"heads.txt\"\n");
    let judged = project.tribunal(&["judge", "main..HEAD", "--check", CHECK, "--mutants", "0"]);
    assert_eq!(judged.code, 0, "{}", judged.all());
    let head = head(&project);
    assert!(project.read("heads.txt").trim_end().ends_with(&head), "{}", project.read("heads.txt"));
    let notes =
        Command::new("git").args(["notes", "--ref", "tribunal", "show"]).current_dir(project.path(".")).output();
    let notes = String::from_utf8(notes.unwrap().stdout).unwrap();
    assert!(notes.contains("Tribunal-Head: ") && notes.contains(&head), "{notes}");
    let verified = project.tribunal(&["verify"]);
    assert_eq!(verified.code, 0, "{}", verified.all());
    for kept in ["heads.txt has its head", "the note of commit "] {
        assert!(verified.stderr.contains(kept), "{kept}: {}", verified.all());
    }
    // The file alone is not enough for who would rewrite the run: the note says something else.
    let log = fs::read_to_string(project.log()).unwrap();
    let cut: Vec<&str> = log.lines().collect();
    fs::write(project.log(), cut[..cut.len() - 1].join("\n") + "\n").unwrap();
    project.write("heads.txt", "");
    let found = project.tribunal(&["verify"]);
    assert!(found.code == 1 && found.stdout.contains("the note of commit"), "{}", found.all());
    // A run that is not here is no fault of this clone.
    fs::remove_dir_all(project.path(".tribunal")).unwrap();
    let clone = project.tribunal(&["verify"]);
    assert!(clone.stderr.contains("which is not here"), "{}", clone.all());
}

#[test]
fn adopting_a_page_leaves_a_trailer() {
    let project = Project::bare();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/landing");
    for name in ["index.html", "DESIGN.md", "oven.svg"] {
        project.write(name, &fs::read_to_string(folder.join(name)).unwrap());
    }
    project.write(".gitignore", ".tribunal/\n");
    // The note that the run leaves when it ends takes the place of no trailer.
    project.write("tribunal.toml", "[proof]\nanchor = [\"note\", \"trailer\"]\n");
    git(&project, &["init", "-q", "-b", "main"]);
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-qm", "a page"]);
    project.write("staged.txt", "staged\n");
    git(&project, &["add", "staged.txt"]);
    assert_eq!(project.tribunal(&["run", "index.html", "--design", "DESIGN.md"]).code, 0);
    let adopted = project.tribunal(&["adopt"]);
    assert_eq!(adopted.code, 0, "{}", adopted.all());
    let said = Command::new("git").args(["log", "-1", "--format=%B"]).current_dir(project.path(".")).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    assert!(said.contains(&head(&project)) && said.contains("Tribunal-Head: "), "{said}");
    let status = Command::new("git").args(["status", "--porcelain"]).current_dir(project.path(".")).output().unwrap();
    let status = String::from_utf8(status.stdout).unwrap();
    assert!(status.contains("A  staged.txt"), "what was staged stays staged: {status}");
    // Once is enough.
    assert_eq!(project.tribunal(&["adopt"]).code, 0);
    let count =
        Command::new("git").args(["rev-list", "--count", "HEAD"]).current_dir(project.path(".")).output().unwrap();
    assert_eq!(String::from_utf8(count.stdout).unwrap().trim(), "2");
    let verified = project.tribunal(&["verify"]);
    assert!(verified.code == 0 && verified.stderr.contains("has its head"), "{}", verified.all());
}

#[test]
fn heads_that_cannot_be_read_are_not_taken_for_none() {
    let project = reviewed();
    assert_eq!(project.tribunal(&["run"]).code, 0);
    let (run, head) = (project.log(), head(&project));
    let run = run.parent().unwrap().file_name().unwrap().to_str().unwrap();
    let verify = || project.tribunal(&["verify"]);
    let kept = format!("{run} 7 {head}");
    for (text, words) in [
        (format!("\u{feff}{kept}\n"), None),
        (format!("Tribunal-Head: {kept}\n"), None),
        (kept[..kept.len() - 1].to_owned(), Some("line 1 of ")),
        (format!("{kept}\nheads\n"), Some("line 2 of ")),
    ] {
        project.write("tribunal-heads.txt", &text);
        let found = verify();
        assert_eq!(found.code, i32::from(words.is_some()), "{text}: {}", found.all());
        assert!(found.stdout.contains(words.unwrap_or("intact")), "{text}: {}", found.all());
    }
    // A byte that is no text hides no line beside it.
    let other = kept.replace(&head, &"ab".repeat(32));
    fs::write(project.path("tribunal-heads.txt"), [b"\xff\n", other.as_bytes()].concat()).unwrap();
    let found = verify();
    assert!(found.code == 1 && found.stdout.contains("it was changed or cut since"), "{}", found.all());
    fs::remove_file(project.path("tribunal-heads.txt")).unwrap();
    fs::create_dir(project.path("tribunal-heads.txt")).unwrap();
    let found = verify();
    assert!(found.code == 1 && found.stdout.contains("cannot be read"), "{}", found.all());
    assert!(found.stdout.contains("not known to be intact: 1 runs"), "{}", found.all());
    fs::remove_dir(project.path("tribunal-heads.txt")).unwrap();
    assert_eq!(verify().code, 0, "{}", verify().all());

    // A repository without a commit keeps nothing; one that git refuses may keep anything.
    git(&project, &["init", "-q"]);
    let found = verify();
    assert!(found.code == 0 && !found.stderr.contains("git"), "{}", found.all());
    git(&project, &["config", "core.repositoryformatversion", "99"]);
    let found = verify();
    assert!(found.code == 0 && found.stderr.contains("whether git keeps heads of runs"), "{}", found.all());
    project.write("tribunal.toml", &format!("{}[proof]\nanchor = [\"note\"]\n", project.read("tribunal.toml")));
    let found = verify();
    assert!(found.code == 1 && found.stdout.contains("whether git keeps heads of runs"), "{}", found.all());
    assert!(
        found.stdout.contains("repositoryformatversion") || found.stdout.contains("repo version"),
        "{}",
        found.all()
    );
}
