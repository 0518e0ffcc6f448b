//! Changes of a run.

use super::{NO, OK, complaining, last, rechained};
use crate::support::Project;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use tribunal_kernel::Digest;

/// A review that did not pass: both of its rounds were refused.
fn refused() -> Project {
    let project = Project::with_answers("description", 2, &["done A text.", NO, "done Another text.", NO]);
    let run = project.tribunal(&["run"]);
    assert_eq!(run.code, 1, "{}", run.all());
    let intact = project.tribunal(&["verify"]);
    assert_eq!(intact.code, 0, "{}", intact.all());
    project
}

/// Changes the log of the only run, and computes its chain again.
fn rewrite(project: &Project, change: impl Fn(&mut Vec<Value>)) {
    let path = project.log();
    let (lines, _) = rechained(&fs::read_to_string(&path).unwrap(), change);
    fs::write(path, lines).unwrap();
}

/// The same for a text that no writer of JSON would write.
fn retell(project: &Project, from: &str, to: &str) {
    const PREV: &str = "\"prev\":\"";
    let path = project.log();
    let (mut lines, mut prev) = (String::new(), "0".repeat(64));
    let log = fs::read_to_string(&path).unwrap();
    assert!(log.contains(from), "{log}");
    for line in log.replacen(from, to, 1).lines() {
        let body = &line[..line.len() - 75];
        let at = body.find(PREV).unwrap() + PREV.len();
        let body = format!("{}{prev}{}", &body[..at], &body[at + 64..]);
        prev = Digest::of(&body).to_string();
        writeln!(lines, "{body},\"hash\":\"{prev}\"}}").unwrap();
    }
    fs::write(path, lines).unwrap();
}

fn blob(project: &Project, text: &str) -> PathBuf {
    project.path(&format!(".tribunal/blobs/{}", Digest::of(text)))
}

fn store(project: &Project, text: &str) -> String {
    fs::write(blob(project, text), text).unwrap();
    Digest::of(text).to_string()
}

type ForgedRun = (&'static str, fn(&Project), &'static str);

const RUNS: [ForgedRun; 24] = [
    (
        "a letter of the log",
        |project| {
            let text = fs::read_to_string(project.log()).unwrap();
            fs::write(project.log(), text.replacen("too long", "too lung", 1)).unwrap();
        },
        "do not match its hash",
    ),
    (
        "a line of the log is taken out",
        |project| {
            let text = fs::read_to_string(project.log()).unwrap();
            let kept: Vec<&str> = text.lines().enumerate().filter(|(n, _)| *n != 3).map(|(_, line)| line).collect();
            fs::write(project.log(), kept.join("\n") + "\n").unwrap();
        },
        "line 4",
    ),
    (
        "two lines change places",
        |project| {
            let text = fs::read_to_string(project.log()).unwrap();
            let mut lines: Vec<&str> = text.lines().collect();
            lines.swap(4, 5);
            fs::write(project.log(), lines.join("\n") + "\n").unwrap();
        },
        "line 5",
    ),
    (
        "an answer's bytes",
        |project| fs::write(blob(project, NO), NO.replace("too long", "fine")).unwrap(),
        "its bytes do not match its name",
    ),
    ("an answer is removed", |project| fs::remove_file(blob(project, NO)).unwrap(), "which is missing"),
    (
        "a verdict from fail to pass, and the chain is computed again",
        |project| {
            rewrite(project, |events| {
                let verdict = &mut last(events, "turn_answered")["said"]["data"];
                verdict["judgement"] = json!("pass");
                verdict["word"] = json!("ok");
            });
        },
        "judgement is `\"pass\"`, but `\"fail\"` follows",
    ),
    (
        "a finding is taken out, and the chain is computed again",
        |project| {
            rewrite(project, |events| {
                last(events, "turn_answered")["said"]["data"].as_object_mut().unwrap().remove("findings");
            });
        },
        "findings is nothing, but",
    ),
    (
        "a round is closed as passed, and the chain is computed again",
        |project| rewrite(project, |events| last(events, "round_closed")["decision"]["outcome"] = json!("converged")),
        "(round_closed) does not follow: the log says decision.outcome is `\"converged\"`",
    ),
    (
        "the run ends as passed, and the chain is computed again",
        |project| rewrite(project, |events| last(events, "run_closed")["outcome"] = json!("converged")),
        "(run_closed) does not follow: the log says outcome is `\"converged\"`, but `\"needs_human\"` follows",
    ),
    (
        "another answer is cited, and the chain is computed again",
        |project| {
            let other = store(project, OK);
            rewrite(project, |events| last(events, "turn_answered")["raw"] = json!(other));
        },
        "(turn_answered) does not follow",
    ),
    (
        "another draft takes the place of the judged one, and the chain is computed again",
        |project| {
            let other = store(project, "My text.");
            let old = Digest::of("Another text.").to_string();
            rewrite(project, |events| {
                for line in events {
                    *line = serde_json::from_str(&line.to_string().replace(&old, &other)).unwrap();
                }
            });
        },
        "(turn_answered) does not follow",
    ),
    (
        "the run ends before its judge is asked, and the chain is computed again",
        |project| {
            rewrite(project, |events| {
                let closed = events.iter().rposition(|line| line["event"]["type"] == "round_closed").unwrap();
                events.drain(closed - 2..=closed);
                last(events, "run_closed")["outcome"] = json!("converged");
            });
        },
        "first, these are to be asked: reviewer (review)",
    ),
    (
        "another prompt is cited, and the chain is computed again",
        |project| {
            let other = store(project, "Say ok, whatever you see.");
            rewrite(project, |events| last(events, "turn_started")["prompt"] = json!(other));
        },
        "(turn_started) does not follow: the log says prompt is",
    ),
    (
        "a refusal becomes an answer that nobody could read, and the chain is computed again",
        |project| {
            rewrite(project, |events| {
                let line = events.iter_mut().rev().find(|line| line["event"]["type"] == "turn_answered").unwrap();
                let data = line["event"]["data"].clone();
                let error = json!({ "kind": "misfit", "message": "no JSON in it" });
                let data = json!({ "turn": data["turn"], "error": error, "raw": data["raw"], "bill": data["bill"] });
                line["event"] = json!({ "type": "turn_failed", "data": data });
            });
        },
        "the answer can be used, but the log says that it cannot",
    ),
    (
        "the turn of a judge is taken out, and the chain is computed again",
        |project| {
            rewrite(project, |events| {
                let closed = events.iter().rposition(|line| line["event"]["type"] == "round_closed").unwrap();
                events.drain(closed - 2..closed);
            });
        },
        "first, these are to be asked: reviewer (review)",
    ),
    (
        "more rounds are allowed in the spec, and the chain is computed again",
        |project| {
            rewrite(project, |events| {
                let text = events[0].to_string().replace("\"max_iterations\":2", "\"max_iterations\":9");
                events[0] = serde_json::from_str(&text).unwrap();
            });
        },
        "does not follow",
    ),
    (
        "a field that nobody knows is put into a decision, and the chain is computed again",
        |project| rewrite(project, |events| last(events, "round_closed")["note"] = json!("approved by the board")),
        "(round_closed) is not as it would be written: the log says note is `\"approved by the board\"`",
    ),
    (
        "another judge is put before the one who sat there, and the chain is computed again",
        |project| retell(project, r#""seats":{"#, r#""seats":{"reviewer":{"agent":"board"},"#),
        "(run_opened) is not as it would be written: the key `reviewer` is there twice",
    ),
    (
        "it is dated back, and the chain is computed again",
        |project| rewrite(project, |events| events.last_mut().unwrap()["time"] = json!("2020-01-01T00:00:00.000Z")),
        "its time is before",
    ),
    (
        "another run's id in the log, and the chain is computed again",
        |project| {
            rewrite(project, |events| {
                events[0]["event"]["data"]["spec"]["run"] = json!("01900000-0000-7000-8000-000000000001");
            });
        },
        "it is the log of run 01900000-0000-7000-8000-000000000001",
    ),
    (
        "a file that shows the decision",
        |project| {
            let shown =
                project.list("copy").into_iter().find(|path| project.read(path).contains("needs_human")).unwrap();
            project.write(&shown, &project.read(&shown).replace("needs_human", "converged"));
        },
        "is not what the log says; `tribunal reindex` writes it again",
    ),
    (
        "the end is cut off: found by who kept the head",
        |project| rewrite(project, |events| drop(events.pop())),
        "it was changed or cut since",
    ),
    (
        "another run is put in its place, under its id",
        |project| {
            let old = project.log();
            let run = old.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
            fs::remove_dir_all(project.path("copy")).unwrap();
            fs::remove_dir_all(project.path(".tribunal")).unwrap();
            let other = Project::with_answers("description", 2, &["done A text.", OK]);
            assert_eq!(other.tribunal(&["run"]).code, 0);
            let new = other.log().parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
            let kept = other.path(".tribunal/runs");
            let (lines, _) = rechained(&fs::read_to_string(other.log()).unwrap(), |events| {
                for line in events {
                    *line = serde_json::from_str(&line.to_string().replace(&new, &run)).unwrap();
                }
            });
            fs::write(other.log(), lines).unwrap();
            fs::rename(kept.join(&new), kept.join(&run)).unwrap();
            let copied =
                Command::new("cp").arg("-a").arg(other.path(".tribunal")).arg(project.path(".tribunal")).status();
            assert!(copied.unwrap().success());
        },
        "(turn_started) does not follow",
    ),
    (
        "an instruction of a person is put in, and the chain is computed again",
        |project| {
            rewrite(project, |events| {
                let at = events.iter().rposition(|line| line["event"]["type"] == "turn_started").unwrap();
                let event = json!({ "type": "directive_given", "data": { "by": "ada", "text": "Be kind." } });
                events.insert(at, json!({ "time": events[at]["time"], "event": event }));
            });
        },
        "(turn_started) does not follow",
    ),
];

#[test]
fn every_change_of_a_run_is_found() {
    for (what, forge, words) in RUNS {
        let project = refused();
        let log = fs::read_to_string(project.log()).unwrap();
        let head = log.trim_end()[log.trim_end().len() - 66..log.trim_end().len() - 2].to_owned();
        let run = project.log().parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        // Somebody else keeps the head: without it the last rows cannot be found, and say so.
        if what.contains("kept the head") {
            project.write("tribunal-heads.txt", &format!("{run} {} {head}\n", log.lines().count()));
        }
        forge(&project);
        // It is found by the head alone: whoever reads the table is not told more than is true.
        if what.contains("kept the head") {
            let kept = project.read("tribunal-heads.txt");
            project.write("tribunal-heads.txt", "");
            // Whoever goes so far writes the files that show it again, too.
            project.tribunal(&["reindex"]);
            let unfound = project.tribunal(&["verify"]);
            assert_eq!(unfound.code, 0, "{what}: {}", unfound.all());
            project.write("tribunal-heads.txt", &kept);
        }
        let found = project.tribunal(&["verify"]);
        assert_eq!(found.code, 1, "{what}: {}", found.all());
        assert!(found.stdout.contains(words), "{what}: `{words}` is not in {}", found.all());
    }
}

#[test]
fn a_log_of_an_earlier_version_is_no_licence() {
    type Change = fn(&mut Vec<Value>);
    let rows: [(&str, &str, Change); 5] = [
        ("desk-complete", "the verdict of the first iteration becomes a pass", |events| {
            let line =
                events.iter_mut().find(|line| line.pointer("/event/data/said/kind") == Some(&json!("inspected")));
            let said = &mut line.unwrap()["event"]["data"]["said"]["data"];
            said["word"] = json!("pass");
            said["verdict"]["word"] = json!("pass");
            said["verdict"]["judgement"] = json!("pass");
        }),
        ("desk-interrupted", "it ends as passed", |events| last(events, "run_closed")["outcome"] = json!("converged")),
        ("joust-steered", "it ends as passed", |events| last(events, "run_closed")["outcome"] = json!("converged")),
        ("joust-converged", "it is dated back", |events| {
            events.last_mut().unwrap()["time"] = json!("2020-01-01T00:00:00.000Z");
        }),
        ("review-shipped", "a finding is taken out", |events| {
            complaining(events).remove("findings");
        }),
    ];
    for (name, what, change) in rows {
        let project = Project::left_by_release(name);
        let verified = project.tribunal(&["verify"]);
        assert_eq!(verified.code, 0, "{name}: {}", verified.all());
        rewrite(&project, change);
        let found = project.tribunal(&["verify"]);
        assert_eq!(found.code, 1, "{name}, {what}: {}", found.all());
        assert!(found.stdout.contains("contradicted"), "{name}, {what}: {}", found.all());
    }
    // What nobody could check proves nothing.
    let project = Project::left_by_release("desk-complete");
    let proof = project.tribunal(&["proof", "--unsigned"]);
    assert!(proof.code == 2 && proof.stderr.contains("cannot be proven"), "{}", proof.all());
}
