//! The scripts of `ci/gitlab.yml`, as a runner of GitLab executes them.

use serde_json::{Value, json};
use std::path::Path;

use super::host::Host;
use super::release::Release;
use super::{CHECK, broken, change, files, fixed, repository, scripted, tools, yaml};
use crate::check::{FAINT, GOOD};
use crate::support::{Output, Project};

/// A job that extends one of the template's, as GitLab merges them.
fn job(tools: &Path, name: &str) -> Value {
    let template = yaml(tools, "ci/gitlab.yml");
    let (base, own) = (&template[".tribunal"], &template[name]);
    assert_eq!(own["extends"], ".tribunal");
    let mut job = base.clone();
    for (key, value) in own.as_object().unwrap() {
        if let (Some(Value::Object(merged)), Value::Object(more)) = (job.get_mut(key), value) {
            merged.extend(more.clone());
        } else {
            job[key] = value.clone();
        }
    }
    job
}

fn run(project: &Project, job: &Value, host: &Host, release: &Release, variables: &[(&str, &str)]) -> Output {
    let mut environment: Vec<(&str, String)> = vec![
        ("GITLAB_CI", "true".into()),
        ("CI_API_V4_URL", host.address()),
        ("CI_PROJECT_ID", "12".into()),
        ("CI_MERGE_REQUEST_IID", "7".into()),
        ("CI_JOB_NAME", "tribunal: pages".into()),
        ("TRIBUNAL_GITLAB_TOKEN", "t0ken".into()),
    ];
    let own = job["variables"].as_object().unwrap();
    environment.extend(own.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap().to_owned())));
    // Instead of the release's page.
    environment.push(("TRIBUNAL_FROM", format!("file://{}", release.folder().display())));
    environment.extend(variables.iter().map(|(name, value)| (*name, (*value).to_owned())));
    let script = |keys: &[&str]| {
        let lines = keys.iter().flat_map(|key| job[key].as_array().unwrap());
        lines.map(|line| line.as_str().unwrap()).collect::<Vec<_>>().join("\n")
    };
    let mut output = scripted(project, &["sh", "-ec"], &script(&["before_script", "script"]), &environment);
    // A shell of its own, which nothing depends on.
    let after = scripted(project, &["sh", "-c"], &script(&["after_script"]), &environment);
    output.stdout += &after.stdout;
    output.stderr += &after.stderr;
    output
}

#[test]
fn a_bad_page_fails_and_the_repaired_one_passes() {
    let Some(tools) = tools() else { return };
    let (job, host, release, project) = (job(&tools, ".tribunal-check"), Host::new(&[]), Release::new(), repository());
    project.write("site/faint.html", FAINT);
    let variables = [("TRIBUNAL_PATHS", "site/*.html"), ("TRIBUNAL_ARGS", "--fail-on should")];
    let bad = run(&project, &job, &host, &release, &variables);
    assert_eq!(bad.code, 1, "{}", bad.all());
    let report = job["artifacts"]["reports"]["codequality"].as_str().unwrap();
    let issues: Value = serde_json::from_str(&project.read(report)).unwrap();
    assert_eq!(issues[0]["check_name"], json!("contrast.text"), "{issues}");
    assert!(bad.stdout.contains("contrast.text") && bad.stdout.contains("comment posted"), "{}", bad.all());
    project.write("site/faint.html", GOOD);
    let good = run(&project, &job, &host, &release, &variables);
    assert_eq!(good.code, 0, "{}", good.all());
    let comments = host.comments();
    let ours = "<!-- tribunal check: tribunal_ pages -->\n### ✅";
    assert!(matches!(&comments[..], [one] if one.starts_with(ours)), "{comments:?}");
    assert_eq!(host.asked().last().unwrap(), "PUT /projects/12/merge_requests/7/notes/1 t0ken");
    // Without a token the reports are all there is.
    let silent = run(&project, &job, &host, &release, &[("TRIBUNAL_PATHS", "site"), ("TRIBUNAL_GITLAB_TOKEN", "")]);
    assert!(silent.code == 0 && silent.stdout.contains("TRIBUNAL_GITLAB_TOKEN is not set"), "{}", silent.all());
}

#[test]
fn a_change_that_breaks_a_test_fails_and_the_fix_passes() {
    let Some(tools) = tools() else { return };
    let (job, host, release, project) = (job(&tools, ".tribunal-judge"), Host::new(&[]), Release::new(), repository());
    let args = format!("--mutants 0 --check \"{CHECK}\"");
    let variables = [("CI_MERGE_REQUEST_DIFF_BASE_SHA", "origin/main"), ("TRIBUNAL_ARGS", args.as_str())];
    change(&project, &files(&broken()));
    let bad = run(&project, &job, &host, &release, &variables);
    assert_eq!(bad.code, 1, "{}", bad.all());
    let report = job["artifacts"]["reports"]["junit"].as_str().unwrap();
    assert!(project.read(report).contains("<failure"), "{}", project.read(report));
    change(&project, &files(&fixed()));
    let good = run(&project, &job, &host, &release, &variables);
    assert_eq!(good.code, 0, "{}", good.all());
    assert!(!project.read(report).contains("<failure"), "{}", project.read(report));
}

#[test]
fn nothing_passes_where_nothing_could_be_installed() {
    let Some(tools) = tools() else { return };
    let (job, host, release, project) = (job(&tools, ".tribunal-check"), Host::new(&[]), Release::new(), repository());
    release.shell("echo more >> tribunal-x86_64-unknown-linux-gnu.tar.gz");
    let tampered = run(&project, &job, &host, &release, &[]);
    assert!(tampered.code != 0 && tampered.stderr.contains("checksum"), "{}", tampered.all());
    release.shell("rm install.sh");
    assert_ne!(run(&project, &job, &host, &release, &[]).code, 0);
}
