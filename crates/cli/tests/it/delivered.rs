//! What is announced is there: made again from the log, or the exit code says otherwise.

use crate::support::{Output, Project};
use std::fs;
use std::path::PathBuf;

const PAGE: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Bread we bake every \
                    day</title></head><body><main><h1>Bread we bake</h1><p>We bake bread each morning.</p></main></body></html>";

fn shipped() -> (Project, PathBuf) {
    let project = Project::bare();
    project.write("page.html", PAGE);
    let output = project.tribunal(&["run", "page.html"]);
    assert_eq!(output.code, 0, "{}", output.all());
    let file = project.artifact("shipped.html");
    (project, file)
}

#[test]
fn a_file_that_was_removed_is_made_again_before_it_is_announced() {
    let (project, file) = shipped();
    let run = project.log().parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
    for args in
        [&["run", "page.html"][..], &["run", "page.html", "--json"], &["resume", &run], &["resume", &run, "--json"]]
    {
        fs::remove_dir_all(file.parent().unwrap()).unwrap();
        let output = project.tribunal(args);
        assert_eq!(output.code, 0, "{args:?}: {}", output.all());
        assert!(output.stdout.contains("shipped.html"), "{args:?}: {}", output.all());
        for name in ["shipped.html", "report.md", "transcript.ndjson"] {
            assert!(file.with_file_name(name).exists(), "{args:?}: {name} is not there");
        }
    }
    let output = project.tribunal(&["run", "page.html", "-o", "out.html"]);
    assert_eq!((output.code, project.path("out.html").exists()), (0, true), "{}", output.all());
}

#[test]
fn a_file_that_cannot_be_made_again_is_no_success() {
    let (project, file) = shipped();
    // A folder is in its place, and its blob is gone as well.
    fs::remove_file(&file).unwrap();
    fs::create_dir_all(file.join("full")).unwrap();
    for args in [&["run", "page.html"][..], &["run", "page.html", "--json"]] {
        let output = project.tribunal(args);
        assert_eq!(output.code, 4, "{args:?}: {}", output.all());
    }
}

#[test]
fn an_output_that_is_not_written_is_no_success() {
    let (project, _) = shipped();
    project.write("other.html", PAGE);
    let output = project.tribunal(&["run", "page.html", "other.html", "-o", "out.html"]);
    assert!(!project.path("out.html").exists() && output.code != 0, "{}", output.all());
    assert!(output.stderr.contains("out.html was not written"), "{}", output.all());
    assert!(output.stdout.contains("other: shipped"), "how they ended is said all the same: {}", output.all());
}

#[test]
fn a_reviews_text_goes_where_it_is_wanted() {
    let project = Project::with_answers("description", 1, &["done Bread.", "ok"]);
    for again in ["run", "decided"] {
        let output = project.tribunal(&["run", "-o", "out.md"]);
        assert_eq!((output.code, project.read("out.md").as_str()), (0, "Bread."), "{again}: {}", output.all());
        fs::remove_file(project.path("out.md")).unwrap();
    }
    let piped = project.tribunal(&["run", "-o", "-"]);
    assert_eq!((piped.code, piped.stdout.as_str()), (0, "Bread."), "{}", piped.all());
}

#[test]
fn a_review_that_does_not_pass_hands_nothing_over_and_says_how_it_ended() {
    let project = Project::with_answers("description", 1, &["done Bread.", "changes_requested"]);
    let output = project.tribunal(&["run", "-o", "out.md"]);
    assert_eq!((output.code, project.path("out.md").exists()), (1, false), "{}", output.all());
    assert!(output.stdout.contains("needs_human (iteration_limit)"), "{}", output.all());
    assert!(output.stderr.contains("out.md was not written: nothing was handed over"), "{}", output.all());
}

#[test]
fn a_result_that_the_log_does_not_have_is_found() {
    let (project, file) = shipped();
    assert_eq!(project.tribunal(&["verify"]).code, 0);
    for name in ["shipped.md", "round-9.html"] {
        let planted = file.with_file_name(name);
        fs::write(&planted, "forged").unwrap();
        let verified = project.tribunal(&["verify"]);
        assert!(verified.code == 1 && verified.all().contains(name), "{name}: {}", verified.all());
        fs::remove_file(planted).unwrap();
    }
    // Nobody writes into a pipe that was put there, and nobody waits for it.
    fs::remove_file(&file).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
    let verified = project.tribunal(&["verify"]);
    assert!(verified.code == 1 && verified.all().contains("is not what the log says"), "{}", verified.all());
}

#[test]
fn a_run_whose_log_is_gone_or_no_file_is_named_and_hides_no_other() {
    for (name, damage) in [("removed", "rm log"), ("a folder", "rm log; mkdir log"), ("a pipe", "rm log; mkfifo log")] {
        let (project, file) = shipped();
        project.write("other.html", PAGE);
        assert_eq!(project.tribunal(&["run", "other.html"]).code, 0);
        let folder = file.ancestors().nth(3).unwrap();
        let damage = damage.replace("log", "log.ndjson");
        let done = std::process::Command::new("sh").args(["-c", &damage]).current_dir(folder).status().unwrap();
        assert!(done.success());
        let run = folder.file_name().unwrap().to_str().unwrap();
        let verified = project.tribunal(&["verify"]);
        assert_eq!(verified.code, 1, "{name}: {}", verified.all());
        assert!(
            verified.all().contains("the log cannot be read") && verified.all().contains(run),
            "{}",
            verified.all()
        );
        let status = project.tribunal(&["status"]);
        assert!(status.stdout.contains("other") && status.all().contains(run), "{name}: {}", status.all());
        assert_eq!(status.code, 4, "{name}: {}", status.all());
    }
}

#[test]
fn a_log_that_an_agent_rewrote_is_no_success() {
    let project = Project::with_answers("description", 1, &["done Bread.", "ok"]);
    let reviewer = project.read("reviewer.sh");
    let rewrites =
        "for log in .tribunal/runs/*/log.ndjson; do cp \"$log\" copied; rm \"$log\"; mv copied \"$log\"; done\n";
    let (first, rest) = reviewer.split_once('\n').unwrap();
    project.agent("reviewer.sh", &format!("{first}\n{rewrites}{rest}"));
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 4, "{}", output.all());
    assert!(output.stderr.contains("in the place of the log"), "{}", output.all());
}

#[test]
fn a_theater_that_was_killed_at_its_end_has_its_report_after_the_next_start() {
    let (project, file) = shipped();
    // As a process leaves it that is killed right after the last event: nothing listed, nothing written.
    fs::remove_dir_all(file.parent().unwrap()).unwrap();
    fs::remove_file(project.path(".tribunal/index.sqlite")).unwrap();
    project.write("other.html", PAGE);
    let output = project.tribunal(&["run", "other.html"]);
    assert_eq!(output.code, 0, "{}", output.all());
    for name in ["shipped.html", "report.md", "transcript.ndjson"] {
        assert!(file.with_file_name(name).exists(), "{name} is not there");
    }
}

#[test]
fn a_workspace_that_cannot_be_written_is_no_success() {
    let project = Project::with_answers("description", 1, &["done a", "ok"]);
    project.write("copy", "a file is in the place of the folder");
    let output = project.tribunal(&["run"]);
    assert_eq!((output.code, project.calls("creator")), (4, 0), "nobody is paid for it: {}", output.all());
    assert!(output.stderr.contains("copy/protocol"), "{}", output.all());
    // Once it can be, they are there.
    fs::remove_file(project.path("copy")).unwrap();
    let output = project.tribunal(&["run"]);
    assert_eq!((output.code, project.calls("creator")), (0, 1), "{}", output.all());
    assert!(project.path("copy/selected/description.txt").exists());
}

#[test]
fn an_agent_that_removes_our_folder_is_no_success() {
    for who in ["creator", "reviewer"] {
        let project = Project::with_answers("description", 1, &["done a", "ok"]);
        let script = project.read(&format!("{who}.sh"));
        project.agent(&format!("{who}.sh"), &format!("{script}rm -rf .tribunal\n"));
        let output = project.tribunal(&["run"]);
        assert_eq!(output.code, 4, "{who}: {}", output.all());
        assert!(output.stderr.contains("is gone"), "{who}: {}", output.all());
    }
}

#[test]
fn a_state_that_nobody_can_read_is_set_aside_and_made_again() {
    let project = Project::with_answers("description", 1, &["done a", "ok"]);
    assert_eq!(project.tribunal(&["run"]).code, 0);
    let whole = project.read("state.json");
    let protocol = project.read("copy/protocol/description/state.json");
    for (broken, file, before) in [
        ("{\"episode_id\": \"x", "state.json", &whole),
        ("[]", "state.json", &whole),
        ("nonsense", "copy/protocol/description/state.json", &protocol),
    ] {
        project.write(file, broken);
        let output = project.tribunal(&["reindex"]);
        assert_eq!(output.code, 0, "{broken}: {}", output.all());
        assert!(output.stderr.contains("damaged-"), "{broken}: {}", output.all());
        let made: serde_json::Value = serde_json::from_str(&project.read(file)).unwrap();
        let was: serde_json::Value = serde_json::from_str(before).unwrap();
        assert_eq!(made["assets"], was["assets"], "{broken}");
        assert_eq!(made["iterations"], was["iterations"], "{broken}");
        let kept: Vec<String> = project.list("").into_iter().filter(|name| name.contains("damaged-")).collect();
        assert!(kept.iter().any(|name| project.read(name) == broken), "{kept:?}");
    }
}

#[test]
fn nothing_is_not_intact() {
    let project = Project::bare();
    for args in [&["verify"][..], &["verify", "--json"]] {
        let output: Output = project.tribunal(args);
        assert_eq!(output.code, 2, "{}", output.all());
        assert!(output.stderr.contains("nothing to verify") && !output.stdout.contains("intact"), "{}", output.all());
    }
}

#[test]
fn a_pipe_as_brief_holds_nobody_up() {
    let project = Project::with_answers("description", 1, &["done a", "ok"]);
    let made = std::process::Command::new("mkfifo").arg(project.path("brief.md")).status().unwrap();
    assert!(made.success());
    let output = project.tribunal(&["run", "--brief", "brief.md"]);
    assert_eq!(output.code, 2, "{}", output.all());
    assert!(output.stderr.contains("brief.md is empty"), "{}", output.all());
}
