//! Every loop, with every seat refused once: the run comes to the same end as without that, nobody fails, and nobody else is
//! called more often.

use crate::joust;
use crate::support::{Project, creator, reviewer};
use serde_json::Value;

/// Everybody is content.
const ACTORS: &str = r#"#!/bin/sh
cat > /dev/null
case "$TRIBUNAL_SEAT" in
  designer) printf '{"artifact": {"mime": "text/html", "content": "<h1>v%s</h1>"}}' "$TRIBUNAL_ROUND" ;;
  panel) cat ships.txt ;;
  *) echo '{"score": 9, "must_fix": []}' ;;
esac
"#;

fn project(name: &str) -> (Project, &'static [&'static str]) {
    match name {
        "review" => {
            let project = Project::new("description", 1);
            let play = "#!/bin/sh\ncat > /dev/null\ncat \"answers/$TRIBUNAL_SEAT\"\n";
            project.agent("creator.sh", play);
            project.agent("reviewer.sh", play);
            project.write("answers/creator", &creator("done A text."));
            project.write("answers/reviewer", &reviewer("ok"));
            (project, &["creator.sh", "reviewer.sh"])
        }
        "joust" => (joust::project(joust::RISKS), &["agent.sh"]),
        panel => {
            let project = Project::theater(panel, ACTORS, "");
            project.write("ships.txt", include_str!("../../../../testdata/theater/ships-in-round-2.txt"));
            (project, &["agent.sh"])
        }
    }
}

/// Who is asked is refused the first time, and then does what it did.
fn refuse(project: &Project, scripts: &[&str], seat: &str) {
    for script in scripts {
        let real = format!("real-{script}");
        std::fs::rename(project.path(script), project.path(&real)).unwrap();
        let gate = format!(
            "#!/bin/sh\nif [ \"$TRIBUNAL_SEAT\" = {seat} ] && [ ! -e limited ]; then\n  cat > /dev/null\n  touch limited\n  \
             echo \"You've hit your session limit, try again in 1 second\" >&2\n  exit 75\nfi\nexec ./{real}\n"
        );
        project.agent(script, &gate);
    }
}

/// How often an event is in the log, and the turns as `seat attempt`, those that were answered.
fn played(project: &Project) -> (usize, usize, Vec<String>) {
    let log = project.read(&project.log().display().to_string());
    let entries: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let count = |name: &str| entries.iter().filter(|entry| entry["event"]["type"] == name).count();
    let started = entries.iter().filter(|entry| entry["event"]["type"] == "turn_started");
    let mut turns: Vec<String> = started
        .map(|entry| {
            let data = &entry["event"]["data"];
            format!("{} {} {}", data["seat"], data["round"], data["attempt"])
        })
        .collect();
    turns.sort();
    (count("turn_parked"), count("turn_failed"), turns)
}

#[test]
fn no_loop_notices_that_a_seat_had_to_wait() {
    for (name, seat) in [
        ("review", "creator"),
        ("review", "reviewer"),
        ("joust", "main"),
        ("joust", "skeptic"),
        ("seats", "designer"),
        ("seats", "critic"),
        ("single", "panel"),
    ] {
        let (plain, _) = project(name);
        let expected = plain.tribunal(&["run"]);
        let (limited, scripts) = project(name);
        refuse(&limited, scripts, seat);
        let output = limited.tribunal(&["run"]);
        assert_eq!(output.code, expected.code, "{name}, {seat}: {}", output.all());
        let ((_, failed, turns), (parked, failed_too, turns_too)) = (played(&plain), played(&limited));
        assert_eq!((parked, failed_too), (1, failed), "{name}, {seat}: {}", output.all());
        assert_eq!(turns_too, turns, "{name}, {seat}: the same turns, and the same attempts");
        assert!(limited.path("limited").exists(), "{name}, {seat}: somebody was refused");
        assert_eq!(limited.tribunal(&["verify"]).code, 0, "{name}, {seat}");
    }
}
