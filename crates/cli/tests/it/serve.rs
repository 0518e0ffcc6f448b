//! `tribunal serve` as a process; what it answers is tested in `crates/server`.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use crate::support::Project;

#[test]
fn a_server_may_have_as_many_readers_as_the_system_allows_files() {
    let project = Project::bare();
    let serve = project.command(&["serve", "--json", "--port", "0"]);
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -Sn 64 && exec \"$0\" \"$@\""]).arg(serve.get_program()).args(serve.get_args());
    limited.current_dir(project.path("."));
    let envs = serve.get_envs();
    envs.for_each(|(name, value)| {
        drop(value.map_or_else(|| limited.env_remove(name), |value| limited.env(name, value)))
    });
    let mut server = limited.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let limits = fs::read_to_string(format!("/proc/{}/limits", server.id())).unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    let files = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let [soft, hard] = [3, 4].map(|field| files.split_whitespace().nth(field).unwrap());
    assert_eq!(soft, hard, "{line}");
}
