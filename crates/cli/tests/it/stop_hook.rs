//! The stop hook: what an agent that says it is done is told, over the same binary that its settings name.

use crate::judge::{CHECK, CODE, NEW_TEST, TESTS, git, project};
use crate::support::{Output, Project};
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;

/// What the hook of an agent prints. It never fails: 2 would keep the agent at work.
fn stop(project: &Project, agent: &str, event: &Value, more: &[&str]) -> Value {
    said(&asked(project, agent, &event.to_string(), more, &[]))
}

fn asked(project: &Project, agent: &str, event: &str, more: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = project.command(&[&["judge", "--stop-hook", agent], more].concat());
    command.stdin(std::process::Stdio::piped()).envs(variables.iter().copied());
    for name in ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"] {
        if !variables.iter().any(|(key, _)| *key == name) {
            command.env_remove(name);
        }
    }
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(event.as_bytes()).unwrap();
    Output::of(child)
}

fn said(output: &Output) -> Value {
    assert_eq!(output.code, 0, "{}", output.all());
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", output.all()))
}

fn event(session: &str) -> Value {
    json!({ "session_id": session, "hook_event_name": "Stop", "stop_hook_active": false })
}

fn broken(project: &Project) {
    project.write("calc.py", &CODE.replace("return list", "return [] and list"));
}

#[test]
fn a_false_done_is_refused_and_a_true_one_gets_through() {
    for (agent, word) in [("claude", "block"), ("gemini", "deny")] {
        let project = project();
        let checks = ["--check", CHECK];
        assert_eq!(stop(&project, agent, &event("s"), &checks), json!({}), "{agent}: nothing was changed");
        broken(&project);
        fs::remove_file(project.path("tests/test_calc.py")).unwrap();
        let refused = stop(&project, agent, &event("s"), &checks);
        assert_eq!(refused["decision"], word, "{agent}: {refused}");
        let reason = refused["reason"].as_str().unwrap();
        assert!(reason.contains("checks_") && reason.contains("refusal 1 of 3"), "{agent}: {reason}");
        project.write("calc.py", &CODE.replace("int(b))", "int(b) + 1)"));
        project.write("tests/test_calc.py", &format!("{TESTS}{NEW_TEST}"));
        let held = stop(&project, agent, &event("s"), &checks);
        assert!(held.get("decision").is_none(), "{agent}: {held}");
        assert!(held["systemMessage"].as_str().unwrap().contains("the change holds"), "{agent}: {held}");
    }
}

#[test]
fn nobody_is_refused_for_ever_and_whoever_gets_through_is_shown() {
    let project = project();
    broken(&project);
    project.write(".tribunal-note", "");
    let checks = ["--check", CHECK, "--set", "judge.refusals=2"];
    for number in 1..=2 {
        let refused = stop(&project, "claude", &event("s"), &checks);
        assert!(refused["reason"].as_str().unwrap().contains(&format!("refusal {number} of 2")), "{refused}");
    }
    let other = stop(&project, "claude", &event("t"), &checks);
    assert_eq!(other["decision"], "block", "another session has its own count: {other}");
    let through = stop(&project, "claude", &event("s"), &checks);
    assert!(through.get("decision").is_none(), "{through}");
    assert!(through["systemMessage"].as_str().unwrap().contains("although it does not hold"), "{through}");
    let status = project.tribunal(&["status"]);
    assert!(status.stdout.contains("claude stopped, let through after too many refusals"), "{}", status.all());
    let object = project.json(&["status", "--json"]);
    assert_eq!(object["unproven_stops"][0]["end"], "let_through", "{object}");
    assert_eq!(stop(&project, "claude", &event("s"), &checks)["decision"], "block", "and then it counts anew");
    let never = stop(&project, "codex", &event("s"), &["--check", CHECK, "--set", "judge.refusals=0"]);
    assert!(never.get("decision").is_none() && never["systemMessage"].is_string(), "{never}");
}

#[test]
fn a_person_lets_one_stop_go_and_it_is_recorded() {
    let project = project();
    broken(&project);
    let checks = ["--check", CHECK];
    let empty = project.tribunal(&["judge", "--let-go", " "]);
    assert!(empty.code == 2 && empty.stderr.contains("there is no reason"), "{}", empty.all());
    assert_eq!(project.tribunal(&["judge", "--let-go", "the test is flaky"]).code, 0);
    let gone = stop(&project, "gemini", &event("s"), &checks);
    assert!(gone.get("decision").is_none() && gone.to_string().contains("the test is flaky"), "{gone}");
    assert_eq!(stop(&project, "gemini", &event("s"), &checks)["decision"], "deny", "it was good for one");
    let status = project.tribunal(&["status"]).stdout;
    assert!(status.contains("gemini stopped, let go by a person: the test is flaky"), "{status}");
}

#[test]
fn what_cannot_be_judged_gets_through_and_says_so() {
    let nowhere = Project::bare();
    nowhere.write("a.py", "x = 1\n");
    let said = stop(&nowhere, "claude", &event("s"), &["--check", "true"]);
    assert!(said.get("decision").is_none(), "{said}");
    assert!(said["systemMessage"].as_str().unwrap().contains("did not judge this change"), "{said}");
    assert!(nowhere.tribunal(&["status"]).stdout.contains("it could not be judged"));

    let project = crate::judge::untested();
    project.write("notes.txt", "other notes\n");
    let none = stop(&project, "claude", &event("s"), &[]);
    assert!(none.get("decision").is_none() && none.to_string().contains("no command that could prove"), "{none}");
}

#[test]
fn whoever_is_judged_does_not_say_by_what() {
    let project = project();
    broken(&project);
    project.write("tribunal.toml", "[judge]\nchecks = [\"true\"]\n");
    let refused = stop(&project, "claude", &event("s"), &[]);
    assert_eq!(refused["decision"], "block", "{refused}");
    assert!(refused["reason"].as_str().unwrap().contains("tribunal.toml is changed"), "{refused}");
    // The same settings where they were before the change are nobody's trick.
    project.write("calc.py", CODE);
    project.write("tribunal.toml", &format!("[judge]\nchecks = [\"{CHECK}\"]\n"));
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-qm", "settings"]);
    broken(&project);
    let refused = stop(&project, "claude", &event("u"), &[]);
    assert!(refused["reason"].as_str().unwrap().contains("checks_failed"), "{refused}");
}

#[test]
fn what_an_agent_tells_or_does_not_tell_gets_nobody_through() {
    let project = project();
    broken(&project);
    for text in ["", "not json", "[]", "{\"session_id\": null}"] {
        let refused = said(&asked(&project, "claude", text, &["--check", CHECK, "--set", "judge.refusals=20"], &[]));
        assert_eq!(refused["decision"], "block", "{text:?}: {refused}");
    }
    // It went elsewhere since: its project is still this one.
    let elsewhere = Project::bare();
    let root = project.path(".").display().to_string();
    let event = event("s").to_string();
    let moved = asked(&elsewhere, "claude", &event, &["--check", CHECK], &[("CLAUDE_PROJECT_DIR", &root)]);
    assert_eq!(said(&moved)["decision"], "block", "{}", moved.all());
    // A seat of a run is no session of the user's.
    let seat = asked(&project, "claude", &event, &["--check", CHECK], &[("TRIBUNAL_TURN", "3")]);
    assert_eq!(said(&seat), json!({}));
}

/// Commits what is there.
fn commit(project: &Project) {
    git(project, &["add", "-A"]);
    git(project, &["commit", "-qm", "as it is"]);
}

/// The change is refused, and the reason says this.
fn refused(project: &Project, session: &str, told: &str) {
    let answer = stop(project, "claude", &event(session), &[]);
    assert_eq!(answer["decision"], "block", "{told}: {answer}");
    assert!(answer["reason"].as_str().unwrap().contains(told), "{told}: {answer}");
}

#[test]
fn no_setting_is_changed_by_whoever_is_judged() {
    let checks = format!("[judge]\nchecks = [\"{CHECK}\"]\n");
    for (name, files) in [
        ("the sandbox", vec![("tribunal.toml", format!("{checks}[run]\nsandbox = \"none\"\n"))]),
        ("the time", vec![("tribunal.toml", format!("{checks}[limits]\nwall = \"1s\"\n"))]),
        ("another folder", vec![("tribunal.toml", format!("{checks}[run]\nworkspace = \"/tmp\"\n"))]),
        ("none at all", vec![("tribunal.toml", String::new())]),
    ] {
        let project = project();
        project.write("tribunal.toml", &checks);
        commit(&project);
        broken(&project);
        for (file, text) in files {
            project.write(file, &text);
        }
        refused(&project, name, "tribunal.toml is changed");
        fs::remove_file(project.path("tribunal.toml")).unwrap();
        refused(&project, "gone", "tribunal.toml is changed");
    }
    // A file that git does not see is read all the same.
    let project = project();
    broken(&project);
    project.write("tribunal.toml", "[judge]\nchecks = [\"true\"]\n");
    project.write(".git/info/exclude", "tribunal.toml\n");
    refused(&project, "hidden", "tribunal.toml is changed");
    // What is said about settings is no setting, and one that the repository itself leaves out is a person's.
    project.write(".git/info/exclude", "");
    project.write("calc.py", CODE);
    project.write("tribunal.toml", &checks);
    commit(&project);
    broken(&project);
    project.write("tribunal.toml", &format!("# So it is.\n\n{}", checks.replace(" = ", "=")));
    refused(&project, "comment", "checks_failed");
    git(&project, &["checkout", "-q", "."]);
    git(&project, &["rm", "-q", "--cached", "tribunal.toml"]);
    project.write(".gitignore", ".tribunal/\n__pycache__/\ntribunal.toml\n");
    commit(&project);
    broken(&project);
    refused(&project, "ignored", "checks_failed");
}

#[test]
fn a_verifier_is_not_rewritten_by_whoever_it_judges() {
    let verifier = "#!/bin/sh\ncat > /dev/null\necho no\n";
    for command in ["[\"./v.sh\"]", "[\"sh\", \"v.sh\"]", "[\"sh\", \"-c\", \"exec ./v.sh\"]"] {
        for verifiers in ["", "verifiers = [\"second\"]\n"] {
            let project = project();
            let seat = if verifiers.is_empty() { "verifier" } else { "second" };
            let text = format!(
                "[judge]\nspec = \"spec.md\"\nchecks = [\"true\"]\n{verifiers}[agents.v]\nkind = \"command\"\n\
                 command = {command}\n[seats.{seat}]\nagent = \"v\"\n"
            );
            project.write("tribunal.toml", &text);
            project.write("spec.md", "- It parses a range.\n");
            project.write("v.sh", verifier);
            commit(&project);
            broken(&project);
            project.write("v.sh", "#!/bin/sh\necho yes\n");
            refused(&project, "rewritten", "v.sh is changed, and a verifier runs it");
            fs::remove_file(project.path("v.sh")).unwrap();
            refused(&project, "gone", "v.sh is changed, and a verifier runs it");
        }
    }
}

#[test]
fn whoever_breaks_the_settings_is_refused_as_often_as_anybody_and_shown_after_that() {
    let project = project();
    broken(&project);
    project.write("tribunal.toml", "[judge\n");
    let again = json!({ "session_id": "s", "stop_hook_active": true });
    for number in 1..=3 {
        let answer = stop(&project, "claude", &again, &[]);
        assert!(answer["reason"].as_str().unwrap().contains(&format!("refusal {number} of 3")), "{answer}");
    }
    let through = stop(&project, "claude", &again, &[]);
    assert!(through.get("decision").is_none() && through.to_string().contains("tribunal.toml is changed"), "{through}");
    fs::remove_file(project.path("tribunal.toml")).unwrap();
    let status = project.tribunal(&["status"]).stdout;
    assert!(status.contains("claude stopped, let through after too many refusals"), "{status}");
}

#[test]
fn a_record_that_cannot_be_read_is_kept_and_forgives_nothing() {
    let project = project();
    broken(&project);
    let again = json!({ "session_id": "s", "stop_hook_active": true });
    let checks = ["--check", CHECK, "--set", "judge.refusals=1"];
    assert_eq!(stop(&project, "claude", &again, &checks)["decision"], "block");
    project.write(".tribunal/stops.json", "garbage");
    assert_eq!(stop(&project, "claude", &again, &checks)["decision"], "block", "it counts anew");
    assert_eq!(fs::read_to_string(project.path(".tribunal/stops.unreadable-1.json")).unwrap(), "garbage");
    let through = stop(&project, "claude", &again, &checks);
    assert!(through.get("decision").is_none(), "{through}");
    let status = project.tribunal(&["status"]).stdout;
    assert!(status.contains("stops.unreadable-1.json") && status.contains("too many refusals"), "{status}");
    // Nothing can be kept at all: refused, and then nobody says that it is recorded.
    fs::remove_dir_all(project.path(".tribunal")).unwrap();
    project.write(".tribunal", "no folder");
    assert_eq!(stop(&project, "claude", &event("s"), &checks)["decision"], "block");
    let through = stop(&project, "claude", &again, &checks);
    assert!(through.get("decision").is_none() && through.to_string().contains("could not be recorded"), "{through}");
}

#[test]
fn whoever_went_into_a_folder_is_judged_from_the_top() {
    let project = project();
    project.write("sub/a.txt", "a\n");
    commit(&project);
    broken(&project);
    for sub in ["sub", "new"] {
        fs::create_dir_all(project.path(sub)).unwrap();
        let mut event = event(sub);
        event["cwd"] = project.path(sub).canonicalize().unwrap().display().to_string().into();
        let answer = stop(&project, "claude", &event, &["--check", CHECK]);
        assert!(answer["reason"].as_str().unwrap_or_default().contains("checks_failed"), "{sub}: {answer}");
        // Settings on the way there are settings.
        project.write(&format!("{sub}/tribunal.toml"), "");
        event["session_id"] = format!("{sub} again").into();
        let answer = stop(&project, "claude", &event, &[]);
        let told = format!("{sub}/tribunal.toml is changed");
        assert!(answer["reason"].as_str().unwrap_or_default().contains(&told), "{sub}: {answer}");
        fs::remove_file(project.path(sub).join("tribunal.toml")).unwrap();
    }
}

#[test]
fn a_damaged_log_gets_nobody_through() {
    let project = project();
    broken(&project);
    let checks = ["--check", CHECK];
    assert_eq!(stop(&project, "claude", &event("s"), &checks)["decision"], "block");
    let run = fs::read_dir(project.path(".tribunal/runs")).unwrap().next().unwrap().unwrap().path();
    let mut log = fs::OpenOptions::new().append(true).open(run.join("log.ndjson")).unwrap();
    log.write_all(b"x\n").unwrap();
    let again = stop(&project, "claude", &event("s"), &checks);
    assert_eq!(again["decision"], "block", "{again}");
}

/// Git can be told that the files are elsewhere, where nothing was changed.
#[test]
fn nobody_makes_git_look_elsewhere() {
    let project = project();
    broken(&project);
    let elsewhere = tempfile::tempdir().unwrap();
    git(&project, &["--work-tree", elsewhere.path().to_str().unwrap(), "checkout", "-q", "main", "--", "."]);
    git(&project, &["config", "core.worktree", elsewhere.path().to_str().unwrap()]);
    let refused = stop(&project, "claude", &event("s"), &["--check", CHECK]);
    assert_eq!(refused["decision"], "block", "{refused}");
    assert!(refused["reason"].as_str().unwrap().contains("core.worktree"), "{refused}");
}

/// The hook that agents ask when a session begins.
fn begin(project: &Project, session: &str) {
    let mut command = project.command(&["judge", "--session-start", "claude"]);
    command.stdin(std::process::Stdio::piped()).env_remove("CLAUDE_PROJECT_DIR").env_remove("GEMINI_PROJECT_DIR");
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(event(session).to_string().as_bytes()).unwrap();
    let begun = Output::of(child);
    assert_eq!((begun.code, begun.stdout.trim()), (0, "{}"), "{}", begun.all());
}

fn head(project: &Project) -> String {
    let done = std::process::Command::new("git").args(["rev-parse", "HEAD"]).current_dir(project.path(".")).output();
    String::from_utf8(done.unwrap().stdout).unwrap().trim().to_owned()
}

/// Whoever works in a repository can write its books. What was noted when the session began counts.
#[test]
fn nothing_that_is_made_of_the_main_branch_hides_the_work() {
    type Hide = fn(&Project);
    let rows: [(&str, Hide); 8] = [
        ("the main branch is moved", |project| git(project, &["branch", "-f", "main", "HEAD"])),
        ("another name for it", |project| git(project, &["branch", "-m", "main", "trunk"])),
        ("what is known of the remote", |project| {
            git(project, &["update-ref", "refs/remotes/origin/main", "HEAD"]);
            git(project, &["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
        }),
        ("committed to it", |project| {
            git(project, &["checkout", "-q", "main"]);
            git(project, &["merge", "-q", "feature"]);
        }),
        ("grafts", |project| {
            fs::create_dir_all(project.path(".git/info")).unwrap();
            project.write(".git/info/grafts", &format!("{}\n", head(project)));
        }),
        ("cut off", |project| project.write(".git/shallow", &format!("{}\n", head(project)))),
        ("no work tree", |project| git(project, &["config", "core.bare", "true"])),
        ("no settings that can be read", |project| project.write(".git/config", "[core\n")),
    ];
    for (name, hide) in rows {
        let project = project();
        project.write("tribunal.toml", &format!("[judge]\nchecks = [\"{CHECK}\"]\n"));
        commit(&project);
        begin(&project, name);
        git(&project, &["checkout", "-qb", "feature"]);
        broken(&project);
        commit(&project);
        hide(&project);
        let answer = stop(&project, "claude", &event(name), &[]);
        assert_eq!(answer["decision"], "block", "{name}: {answer}");
        // Nobody is refused for ever, and a person's word counts.
        if name == "no work tree" || name == "the main branch is moved" {
            assert_eq!(project.tribunal(&["judge", "--let-go", "we know"]).code, 0, "{name}");
            let gone = stop(&project, "claude", &event(name), &[]);
            assert!(gone.get("decision").is_none() && gone.to_string().contains("we know"), "{name}: {gone}");
        }
    }
}

/// Without a note there is no main branch to hold the work against but today's; books that lie are seen through all the same.
#[test]
fn books_that_lie_are_seen_through_without_a_note() {
    type Hide = fn(&Project);
    let rows: [(&str, Hide); 4] = [
        ("grafts", |project| {
            fs::create_dir_all(project.path(".git/info")).unwrap();
            project.write(".git/info/grafts", &format!("{}\n", head(project)));
        }),
        ("cut off", |project| project.write(".git/shallow", &format!("{}\n", head(project)))),
        ("no work tree", |project| git(project, &["config", "core.bare", "true"])),
        ("no settings that can be read", |project| project.write(".git/config", "[core\n")),
    ];
    for (name, hide) in rows {
        let project = project();
        project.write("tribunal.toml", &format!("[judge]\nchecks = [\"{CHECK}\"]\n"));
        commit(&project);
        git(&project, &["checkout", "-qb", "feature"]);
        broken(&project);
        commit(&project);
        hide(&project);
        let answer = stop(&project, "claude", &event(name), &[]);
        assert_eq!(answer["decision"], "block", "{name}: {answer}");
        let other = project.tribunal(&["judge"]);
        assert_ne!(other.code, 0, "{name}: {}", other.all());
    }
}

/// What is outside of the repository, and what the hook is told, is not changed by whoever is judged.
#[test]
fn what_was_noted_when_a_session_began_is_held_against_what_is_so_at_its_end() {
    let outside = Project::bare();
    outside.write("repo/calc.py", CODE);
    outside.write("repo/tests/__init__.py", "");
    outside.write("repo/tests/test_calc.py", TESTS);
    outside.write("repo/.gitignore", ".tribunal/\n__pycache__/\n");
    for args in [&["init", "-q", "-b", "main"][..], &["add", "-A"], &["commit", "-qm", "a calculator"]] {
        git(&outside, &[&["-C", "repo"], args].concat());
    }
    let top = outside.path("repo").canonicalize().unwrap();
    let asked_there = |session: &str, more: &[&str], variables: &[(&str, &str)]| {
        let mut event = event(session);
        event["cwd"] = top.display().to_string().into();
        said(&asked(&outside, "claude", &event.to_string(), more, variables))
    };
    fs::write(top.join("calc.py"), CODE.replace("return list", "return [] and list")).unwrap();
    let checks = ["--check", CHECK];
    assert_eq!(asked_there("above", &checks, &[])["decision"], "block", "the first stop notes what is so");
    outside.write("tribunal.toml", "[judge]\nchecks = [\"true\"]\n");
    let above = asked_there("above", &checks, &[]);
    assert!(above["reason"].as_str().unwrap_or_default().contains("tribunal.toml is changed since"), "{above}");
    fs::remove_file(outside.path("tribunal.toml")).unwrap();
    let flags = asked_there("above", &["--check", "true"], &[]);
    assert!(flags["reason"].as_str().unwrap_or_default().contains("other flags"), "{flags}");
    let first = asked_there("variables", &checks, &[]);
    assert!(first["reason"].as_str().unwrap_or_default().contains("checks_failed"), "{first}");
    let variable = asked_there("variables", &checks, &[("TRIBUNAL_RUN_SANDBOX", "none")]);
    let reason = variable["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("the variable TRIBUNAL_RUN_SANDBOX"), "{variable}");
    // A note that is gone was taken away.
    fs::remove_dir_all(outside.state().join("tribunal/sessions")).unwrap();
    let gone = asked_there("variables", &checks, &[]);
    assert!(gone["reason"].as_str().unwrap_or_default().contains("is gone"), "{gone}");
    // So was the repository.
    assert_eq!(asked_there("git", &checks, &[])["decision"], "block");
    fs::rename(top.join(".git"), outside.path("hidden")).unwrap();
    let hidden = asked_there("git", &checks, &[]);
    assert!(hidden["reason"].as_str().unwrap_or_default().contains("git does not see it now"), "{hidden}");
}

#[test]
fn a_true_done_gets_through_whatever_was_noted_and_says_what_was_trusted() {
    let project = project();
    project.write("tribunal.toml", &format!("[judge]\nchecks = [\"{CHECK}\"]\n"));
    commit(&project);
    begin(&project, "noted");
    let fix = |project: &Project| {
        project.write("calc.py", &CODE.replace("int(b))", "int(b) + 1)"));
        project.write("tests/test_calc.py", &format!("{TESTS}{NEW_TEST}"));
    };
    fix(&project);
    // An agent that commits straight to the main branch has done something, too.
    commit(&project);
    let held = stop(&project, "claude", &event("noted"), &[]);
    let message = held["systemMessage"].as_str().unwrap_or_default();
    assert!(message.contains("the change holds") && !message.contains("was trusted"), "{held}");
    git(&project, &["reset", "-q", "--hard", "HEAD~1"]);
    fix(&project);
    let trusted = stop(&project, "claude", &event("not noted"), &[]);
    assert!(trusted["systemMessage"].as_str().unwrap_or_default().contains("was trusted"), "{trusted}");
}
