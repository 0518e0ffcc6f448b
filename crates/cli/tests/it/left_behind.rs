//! What a turn leaves behind: nothing.

use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use crate::support::{Output, Project, is_alive};

/// Far beyond what even a loaded machine needs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A review whose creator seems to be Claude Code: it starts a tool in a session of its own, with two forks and an
/// empty environment, which is the best way there is to be forgotten. `marker` shows in its command line.
fn project(name: &str) -> (Project, String) {
    let marker = format!("987{:07}{name}", std::process::id());
    let project = Project::new("description", 2);
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && exec echo 2.1\ncat > /dev/null\necho \"$TMPDIR\" > tmpdir\ntouch \"$TMPDIR/rubbish\"\n(setsid sh -c 'env -i sleep {marker} &' &)\nwhile ! pgrep -f 'sleep {marker}$' > /dev/null; do sleep 0.05; done\ntouch started\nexec sleep 600\n"
    );
    project.agent("claude.sh", &script);
    let command = "kind = \"command\"\ncommand = [\"./creator.sh\"]";
    let cli = "kind = \"claude\"\ncommand = [\"./claude.sh\"]";
    project.write("tribunal.toml", &project.read("tribunal.toml").replace(command, cli));
    (project, format!("sleep\0{marker}"))
}

fn comes_true(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn started(project: &Project, args: &[&str], marker: &str) -> Child {
    let child = project.spawn(args);
    comes_true("the tool starts", || project.path("started").exists());
    assert!(is_alive(marker));
    child
}

/// Whether turns get a pid namespace here.
fn is_enclosed(project: &Project) -> bool {
    project.json(&["agents", "doctor", "--json"])["turns"].as_str().is_some_and(|turns| turns.contains("pid namespace"))
}

#[test]
fn a_cancelled_turn_leaves_no_process_and_no_file() {
    for (name, args) in [("1", &["run"] as &[&str]), ("2", &["run", "--set", "run.sandbox=none"])] {
        let (project, marker) = project(name);
        let child = started(&project, args, &marker);
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        kill_process(pid, Signal::INT).unwrap();
        let output = Output::of(child);
        assert_eq!(output.code, 130, "{}", output.all());
        assert!(!is_alive(&marker), "{args:?}");
        let tmpdir = project.read("tmpdir");
        assert_ne!(Path::new(tmpdir.trim()), std::env::temp_dir(), "a folder of its own");
        assert!(!Path::new(tmpdir.trim()).exists(), "{args:?}: {tmpdir}");
    }
}

/// Without the namespace nobody could: the process carries no mark, and whoever would look for it is dead.
#[test]
fn a_killed_tribunal_leaves_no_process() {
    let (project, marker) = project("3");
    if !is_enclosed(&project) {
        return;
    }
    let mut child = started(&project, &["run"], &marker);
    child.kill().unwrap();
    child.wait().unwrap();
    comes_true("the tool is gone", || !is_alive(&marker));
}

#[test]
fn plain_commands_have_a_folder_of_their_own_for_temporary_files() {
    let project = Project::with_answers("description", 2, &["done x", "ok"]);
    let playback = project.read("creator.sh");
    let noting = "#!/bin/sh\necho \"$TMPDIR\" >> tmpdirs\ntouch \"$TMPDIR/rubbish\"\n";
    project.agent("creator.sh", &playback.replace("#!/bin/sh\n", noting));
    project.agent("reviewer.sh", &playback.replace("#!/bin/sh\n", noting));
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    let folders: Vec<String> = project.read("tmpdirs").lines().map(str::to_owned).collect();
    assert_eq!(folders.len(), 2);
    assert_ne!(folders[0], folders[1]);
    assert!(folders.iter().all(|folder| !Path::new(folder).exists()), "{folders:?}");
}

#[test]
fn the_next_start_clears_away_what_a_killed_one_left() {
    let project = Project::with_answers("description", 2, &["done x", "ok"]);
    let waiting = "#!/bin/sh\n[ -e go ] || { touch \"$TMPDIR/rubbish\"; echo \"$TMPDIR\" > noting && mv noting tmpdir; }\nwhile [ ! -e go ]; do sleep 0.05; done\n";
    project.agent("creator.sh", &project.read("creator.sh").replace("#!/bin/sh\n", waiting));
    let mut child = project.spawn(&["run"]);
    comes_true("the turn begins", || project.path("tmpdir").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    let left = project.read("tmpdir");
    assert!(Path::new(left.trim()).join("rubbish").exists(), "whoever is killed removes nothing");
    project.write("go", "");
    let output = project.tribunal(&["resume"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(!Path::new(left.trim()).exists(), "{left}");
}
