//! The `run:` steps of `action.yml`, as a runner of GitHub executes them.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::host::Host;
use super::release::Release;
use super::{CHECK, broken, change, files, fixed, repository, root, scripted, tools, yaml};
use crate::check::FAINT;
use crate::support::{Output, Project};

/// The runner: what it puts into the environment of every step, and where comments are kept.
struct Runner {
    action: Value,
    host: Host,
    release: Release,
}

impl Runner {
    fn new(tools: &Path) -> Self {
        Self { action: yaml(tools, "action.yml"), host: Host::new(&[]), release: Release::new() }
    }

    /// All steps, until one fails.
    fn run(&self, project: &Project, inputs: &[(&str, &str)]) -> Output {
        for (name, _) in inputs {
            assert!(self.action["inputs"][name].is_object(), "action.yml has no input `{name}`");
        }
        let event = r#"{"pull_request": {"number": 7}}"#;
        project.write("runner/event.json", event);
        let path_file = project.path("runner/path");
        fs::write(&path_file, "").unwrap();
        let text = |name: &str| project.path(name).display().to_string();
        let mut all = Output { code: 0, stdout: String::new(), stderr: String::new() };
        let mut path = std::env::var("PATH").unwrap();
        for step in self.action["runs"]["steps"].as_array().unwrap() {
            assert_eq!(step["shell"], "bash");
            let script = step["run"].as_str().unwrap();
            assert!(!script.contains("${{"), "what comes from outside must not be part of a script: {script}");
            let mut environment = vec![
                ("PATH", path.clone()),
                ("GITHUB_ACTIONS", "true".to_owned()),
                ("GITHUB_ACTION_PATH", root().display().to_string()),
                ("GITHUB_API_URL", self.host.address()),
                ("GITHUB_REPOSITORY", "ada/bread".to_owned()),
                ("GITHUB_BASE_REF", "main".to_owned()),
                ("GITHUB_EVENT_PATH", text("runner/event.json")),
                ("GITHUB_PATH", text("runner/path")),
                ("GITHUB_STEP_SUMMARY", text("runner/summary")),
                ("RUNNER_TEMP", text("runner")),
                // Instead of the release's page.
                ("TRIBUNAL_FROM", self.release.folder().display().to_string()),
            ];
            for (name, value) in step["env"].as_object().unwrap() {
                environment.push((name.as_str(), self.value(value.as_str().unwrap(), inputs)));
            }
            let output =
                scripted(project, &["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"], script, &environment);
            all =
                Output { code: output.code, stdout: all.stdout + &output.stdout, stderr: all.stderr + &output.stderr };
            if all.code != 0 {
                break;
            }
            path = fs::read_to_string(&path_file).unwrap().lines().fold(path, |path, line| format!("{line}:{path}"));
        }
        all
    }

    /// The value of `${{ inputs.NAME }}`.
    fn value(&self, expression: &str, inputs: &[(&str, &str)]) -> String {
        let name = expression.strip_prefix("${{ inputs.").and_then(|rest| rest.strip_suffix(" }}")).unwrap();
        let given = inputs.iter().find(|(input, _)| *input == name).map(|(_, value)| (*value).to_owned());
        let default = self.action["inputs"][name]["default"].as_str().unwrap();
        given.unwrap_or_else(|| default.replace("${{ github.token }}", "t0ken"))
    }
}

#[test]
fn it_is_what_github_documents() {
    let Some(tools) = tools() else { return };
    for (schema, file) in [
        ("vendor.github-actions", "action.yml"),
        ("vendor.gitlab-ci", "ci/gitlab.yml"),
        ("vendor.github-workflows", ".github/workflows/release.yml"),
    ] {
        let mut checker = Command::new("python3");
        checker.args(["-m", "check_jsonschema", "--builtin-schema", schema]).arg(root().join(file));
        let read = checker.env("PYTHONPATH", &tools).output().unwrap();
        assert!(read.status.success(), "{file}: {}", String::from_utf8_lossy(&read.stdout));
    }
}

#[test]
fn a_bad_page_fails_and_the_repaired_one_passes_in_the_same_comment() {
    let Some(tools) = tools() else { return };
    let (runner, project) = (Runner::new(&tools), repository());
    change(&project, &[("site/index.html", FAINT)]);
    let inputs = [("paths", "site\n"), ("args", "--changed=origin/main\n  --fail-on=should")];
    let bad = runner.run(&project, &inputs);
    assert_eq!(bad.code, 1, "{}", bad.all());
    assert!(bad.stdout.contains("::error file=site/index.html,line=6"), "{}", bad.all());
    assert!(bad.stdout.contains("comment posted"), "{}", bad.all());
    change(&project, &[("site/index.html", &FAINT.replace("#999", "#222"))]);
    let good = runner.run(&project, &inputs);
    assert_eq!(good.code, 0, "{}", good.all());
    assert!(good.stdout.contains("comment updated"), "{}", good.all());
    let comments = runner.host.comments();
    assert!(matches!(&comments[..], [one] if one.starts_with("<!-- tribunal check -->\n### ✅")), "{comments:?}");
    assert!(project.read("runner/summary").contains("contrast.text"));
}

#[test]
fn a_change_that_breaks_a_test_fails_and_the_fix_passes() {
    let Some(tools) = tools() else { return };
    let (runner, project) = (Runner::new(&tools), repository());
    let check = format!("--check={CHECK}\n--mutants=0");
    let inputs = [("command", "judge"), ("args", check.as_str()), ("name", "tests")];
    change(&project, &files(&broken()));
    let bad = runner.run(&project, &inputs);
    assert_eq!(bad.code, 1, "{}", bad.all());
    assert!(bad.stdout.contains("::error title=checks_failed"), "{}", bad.all());
    change(&project, &files(&fixed()));
    let good = runner.run(&project, &inputs);
    assert_eq!(good.code, 0, "{}", good.all());
    let comments = runner.host.comments();
    let ours = "<!-- tribunal judge: tests -->\n### ✅ The change holds";
    assert!(matches!(&comments[..], [one] if one.starts_with(ours)), "{comments:?}");
}

#[test]
fn what_cannot_be_tried_fails() {
    let Some(tools) = tools() else { return };
    let (mut runner, project) = (Runner::new(&tools), repository());
    let no_binary = runner.run(&project, &[("binary", "/nowhere/tribunal")]);
    assert_eq!(no_binary.code, 127, "{}", no_binary.all());
    let no_command = runner.run(&project, &[("command", "fix; echo owned")]);
    assert!(no_command.code == 2 && !no_command.stdout.contains("owned"), "{}", no_command.all());
    let no_pages = runner.run(&project, &[("paths", "nowhere $(echo owned)")]);
    assert!(no_pages.code == 2 && !no_pages.stdout.contains("\nowned"), "{}", no_pages.all());
    assert_eq!(runner.host.comments(), Vec::<String>::new(), "nothing came to a result");
    // Who may not post is not held up by it, and a bad page still fails.
    runner.host = Host::refusing();
    let good = runner.run(&project, &[("paths", "site")]);
    assert!(good.code == 0 && good.stderr.contains("warning: no comment: 403"), "{}", good.all());
    project.write("site/index.html", FAINT);
    assert_eq!(runner.run(&project, &[("paths", "site")]).code, 1);
    let silent = runner.run(&project, &[("paths", "site"), ("comment", "false")]);
    assert!(silent.code == 1 && !silent.stderr.contains("no comment"), "{}", silent.all());
    runner.release.shell("echo more >> tribunal-x86_64-unknown-linux-gnu.tar.gz");
    let tampered = runner.run(&project, &[("paths", "site")]);
    assert!(tampered.code == 1 && tampered.stderr.contains("checksum"), "{}", tampered.all());
}
