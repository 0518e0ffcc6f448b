//! `--comment-file`, and what posts it.

use std::process::Command;

use super::host::Host;
use super::{CHECK, broken, change, files, fixed, repository, root};
use crate::check::{FAINT, GOOD};
use crate::support::{Output, Project};

/// Comments of others, more than a page of them.
fn others() -> Vec<String> {
    let mut others: Vec<String> = (1..=120).map(|number| format!("remark {number}")).collect();
    others.push("> <!-- tribunal check -->\nwhy this?".to_owned());
    others
}

/// `ci/comment.py` on the comment of a project, in a workflow of GitHub for pull request 7.
fn posted(project: &Project, host: &Host, words: &[&str], event: &str) -> Output {
    project.write("event.json", event);
    let mut python = Command::new("python3");
    python.arg(root().join("ci/comment.py")).args(words).current_dir(project.path("."));
    python.env_remove("GITLAB_CI").env("GITHUB_EVENT_PATH", project.path("event.json"));
    python.env("GITHUB_API_URL", host.address()).env("GITHUB_REPOSITORY", "ada/bread").env("GITHUB_TOKEN", "t0ken");
    let output = python.output().unwrap();
    Output {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

const PULL_REQUEST: &str = r#"{"pull_request": {"number": 7}}"#;

#[test]
fn a_check_writes_a_comment_beside_what_it_prints() {
    let project = Project::bare();
    project.write("page.html", FAINT);
    let args = ["check", "page.html", "--format", "github", "--comment-file", "out/comment.md"];
    let output = project.tribunal(&args);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stdout.starts_with("::error file=page.html"), "{}", output.all());
    let comment = project.read("out/comment.md");
    assert!(comment.starts_with("<!-- tribunal check -->\n### ❌ "), "{comment}");
    assert!(comment.contains("`contrast.text`"), "{comment}");
    project.write("page.html", GOOD);
    let output = project.tribunal(&args);
    assert_eq!((output.code, output.stdout.as_str()), (0, ""), "{}", output.all());
    assert!(project.read("out/comment.md").starts_with("<!-- tribunal check -->\n### ✅ "));
}

#[test]
fn a_judgement_writes_a_comment_and_annotations() {
    let project = repository();
    let args = ["judge", "origin/main...HEAD", "--check", CHECK, "--mutants", "0", "--format", "github"];
    let args = [&args[..], &["--comment-file", "comment.md"]].concat();
    change(&project, &files(&broken()));
    let output = project.tribunal(&args);
    assert_eq!(output.code, 1, "{}", output.all());
    let error = output.stdout.lines().find(|line| line.starts_with("::error title=checks_failed::"));
    assert!(error.is_some(), "{}", output.all());
    let comment = project.read("comment.md");
    assert!(comment.starts_with("<!-- tribunal judge -->\n### ❌ The change does not hold\n"), "{comment}");
    change(&project, &files(&fixed()));
    let output = project.tribunal(&args);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(!output.stdout.contains("::error"), "{}", output.all());
    assert!(project.read("comment.md").starts_with("<!-- tribunal judge -->\n### ✅ The change holds\n"));
}

#[test]
fn the_next_run_replaces_our_comment_and_no_other() {
    let project = Project::bare();
    let before = others();
    let host = Host::new(&before.iter().map(String::as_str).collect::<Vec<_>>());
    for (text, said) in [("first", "posted"), ("second", "updated")] {
        project.write("comment.md", &format!("<!-- tribunal check -->\n{text}\n"));
        let output = posted(&project, &host, &["comment.md"], PULL_REQUEST);
        assert_eq!((output.code, output.stdout.as_str()), (0, &*format!("comment {said}\n")), "{}", output.all());
    }
    // Another job has a comment of its own, and its name ends no marker.
    let output = posted(&project, &host, &["comment.md", "docs --> <b>"], PULL_REQUEST);
    assert_eq!(output.stdout, "comment posted\n", "{}", output.all());
    let after = host.comments();
    assert_eq!(after[..before.len()], before);
    let ours = ["<!-- tribunal check -->\nsecond\n", "<!-- tribunal check: docs __ _b_ -->\nsecond\n"];
    assert_eq!(after[before.len()..], ours);
    let asked = host.asked();
    assert_eq!(asked[0], "GET /repos/ada/bread/issues/7/comments?per_page=100&page=1 Bearer t0ken");
    assert!(asked.contains(&"PATCH /repos/ada/bread/issues/comments/122 Bearer t0ken".to_owned()), "{asked:?}");
}

#[test]
fn where_nothing_can_be_posted_it_is_said() {
    let project = Project::bare();
    project.write("comment.md", "<!-- tribunal check -->\ntext\n");
    let host = Host::refusing();
    let refused = posted(&project, &host, &["comment.md"], PULL_REQUEST);
    assert_eq!(refused.code, 1, "{}", refused.all());
    assert!(refused.stderr.contains("403") && refused.stderr.contains("pull-requests: write"), "{}", refused.all());
    let pushed = posted(&project, &host, &["comment.md"], r#"{"ref": "main"}"#);
    assert_eq!((pushed.code, pushed.stdout.as_str()), (0, "no comment: this is no pull request\n"), "{}", pushed.all());
    // A text that is not ours is posted nowhere.
    project.write("comment.md", "text\n");
    let other = posted(&project, &host, &["comment.md"], PULL_REQUEST);
    assert_eq!(other.code, 2, "{}", other.all());
    assert_eq!(host.comments(), Vec::<String>::new());
}
