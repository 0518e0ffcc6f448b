//! The forger's table: ways to change a run, a proof, an artifact or a signature after the fact, and what `verify` says.
//!
//! Whoever can write a log can compute its chain again: where a row says "and the chain is computed again", that is done
//! here as well. What is found only with an anchor says so.
//!
//! | file | has |
//! |---|---|
//! | `runs` | changes of a run |
//! | `proofs` | changes of a proof, its artifact, its signatures and the list of who may sign |
//! | `judged` | a judgement with a proof, and what lies around it |
//! | `proven` | a run with a proof, and what a forger can do to it |

mod judged;
mod proofs;
mod proven;
mod runs;

use serde_json::{Value, json};
use std::fmt::Write as _;
use tribunal_kernel::{Digest, Entry};

const NO: &str =
    r#"{"verdict": "changes_requested", "summary": "s", "issues": [{"message": "too long", "severity": "error"}]}"#;
const OK: &str =
    r#"{"verdict": "ok", "summary": "s", "issues": [{"message": "a comma too many", "severity": "warning"}]}"#;
/// A log with changed events, its chain computed again.
fn rechained(log: &str, change: impl Fn(&mut Vec<Value>)) -> (String, Vec<Entry>) {
    let mut events: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    change(&mut events);
    let (mut lines, mut entries, mut prev) = (String::new(), Vec::new(), "0".repeat(64));
    for (seq, line) in (1..).zip(events) {
        let (time, event) = (line["time"].as_str().unwrap(), &line["event"]);
        let body = format!(r#"{{"seq":{seq},"time":"{time}","prev":"{prev}","event":{event}"#);
        prev = Digest::of(&body).to_string();
        writeln!(lines, "{body},\"hash\":\"{prev}\"}}").unwrap();
        entries.push(serde_json::from_value(json!({ "seq": seq, "time": time, "event": event })).unwrap());
    }
    (lines, entries)
}

/// The last event of this type.
fn last<'e>(events: &'e mut [Value], name: &str) -> &'e mut Value {
    let found = events.iter_mut().rev().find(|line| line["event"]["type"] == name);
    &mut found.unwrap()["event"]["data"]
}

/// The last verdict that complains.
fn complaining(events: &mut [Value]) -> &mut serde_json::Map<String, Value> {
    let said = events.iter_mut().rev().filter_map(|line| line.pointer_mut("/event/data/said/data"));
    said.filter_map(Value::as_object_mut).find(|verdict| verdict.contains_key("findings")).unwrap()
}
