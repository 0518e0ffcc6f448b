//! An agent that speaks ACP in a seat. What it can do wrong is tried in `engine::turn`; the real ones are tried by
//! `cargo xtask agents`.

use crate::support::{Output, Project};

const FAKE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/agents/acp.sh");

fn project(case: &str, more: &str) -> Project {
    let project = Project::with_answers("description", 2, &["done x", "ok"]);
    let command = "kind = \"command\"\ncommand = [\"./creator.sh\"]";
    let acp = format!("kind = \"acp\"\ncommand = [\"{FAKE}\", \"{case}\"]\nenv = [\"ACP_LOG\"]\n{more}");
    project.write("tribunal.toml", &project.read("tribunal.toml").replace(command, &acp));
    project
}

fn run(project: &Project, args: &[&str]) -> Output {
    let mut command = project.command(args);
    command.env("ACP_LOG", project.path("heard"));
    Output::of(command.spawn().unwrap())
}

#[test]
fn it_takes_a_seat() {
    let project = project("drafts", "model = \"big\"");
    let output = run(&project, &["run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(output.stderr.contains("it cannot be told its model, so `big` is ignored"), "{}", output.all());
    let heard = project.read("heard");
    let methods: Vec<&str> = ["initialize", "session/new", "session/set_model", "session/prompt"]
        .into_iter()
        .filter(|method| heard.contains(&format!("\"{method}\"")))
        .collect();
    assert_eq!(methods, ["initialize", "session/new", "session/prompt"], "{heard}");
    assert!(heard.contains("Describe the episode."), "{heard}");
    let folder = project.path(".").canonicalize().unwrap();
    assert!(heard.contains(&format!("\"cwd\":\"{}\"", folder.display())), "{heard}");
}

#[test]
fn an_agent_that_nobody_logged_in_ends_the_run_at_once() {
    let output = run(&project("logged-out", ""), &["run"]);
    assert_eq!(output.code, 4, "{}", output.all());
    assert!(output.stderr.contains("agent `writer` was refused: Authentication required"), "{}", output.all());
    assert!(output.stderr.contains("it offers: Log in on the web"), "{}", output.all());
}

#[test]
fn doctor_looks_for_its_program() {
    let project = project("drafts", "");
    assert!(run(&project, &["agents", "doctor"]).stdout.contains("writer (acp): can be started"));
    project.write("tribunal.toml", &project.read("tribunal.toml").replace(FAKE, "no-such-agent"));
    let output = run(&project, &["agents", "doctor"]);
    assert!(output.stdout.contains("writer (acp): `no-such-agent` is not on the PATH"), "{}", output.all());
}
