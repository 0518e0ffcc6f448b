//! Whether what was decided is what would be asked for now: which inputs are otherwise since.
//!
//! Compared are the brief and what is attached to it, the anchor, the design, the loop's settings and who sits in its seats. Limits, prices, retries and
//! keys say how far a run may go and not what it is about, so they are not. A log of another release may not know
//! everything that is known now: only what both know is compared.

use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt;
use tribunal_kernel::spec::AgentDefinition;
use tribunal_kernel::{Attachment, Binding, Digest, Run, RunSpec, SeatName};

use crate::error::AppError;
use crate::loops::opener;

/// What is said of an agent and makes no other trial: its seat says model and effort, and the rest is money, time and keys.
const OF_AGENTS: [&str; 9] =
    ["model", "effort", "api_key", "env", "reserve_usd", "reserve_tokens", "turn", "idle", "output"];

/// An input of a run that is otherwise now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputChange {
    /// `brief`, `attachments`, `anchor`, `design`, a key of the configuration, or `seats.NAME`.
    pub input: String,
    /// In which way, where a line can say so.
    how: Option<String>,
}

/// How the fields of a loop's settings are compared.
#[derive(Debug, Clone, Copy)]
pub struct ComparedSettings {
    /// Fields whose key in the configuration has another name.
    pub keys: &'static [(&'static str, &'static str)],
    /// Fields that a log leaves out where they have their default. Other fields that are missing were not known yet.
    pub left_out: &'static [&'static str],
}

impl InputChange {
    fn new(input: impl Into<String>, how: Option<String>) -> Self {
        Self { input: input.into(), how }
    }
}

impl fmt::Display for InputChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { input, how } = self;
        if input.contains('.') {
            write!(f, "`{input}`")?;
        } else {
            write!(f, "the {input}")?;
        }
        how.as_ref().map_or(Ok(()), |how| write!(f, " ({how})"))
    }
}

/// The inputs of a run that are otherwise now; `now` is what a new run would be given.
pub fn changes(run: &Run, now: &RunSpec) -> Vec<InputChange> {
    let was = run.spec();
    let mut changes: Vec<InputChange> = Vec::new();
    if was.brief != now.brief {
        let is_gone = now.brief == Digest::of("");
        changes.push(InputChange::new("brief", is_gone.then(|| "there is none now".to_owned())));
    }
    if was.attachments != now.attachments {
        changes.push(InputChange::new("attachments", attached_otherwise(was, now)));
    }
    // A person may have put another anchor in place, and into the file only later.
    if was.anchor != now.anchor && run.anchor() != now.anchor.as_ref() {
        let how = match (&was.anchor, &now.anchor) {
            (None, Some(_)) => Some("there was none"),
            (Some(_), None) => Some("there is none now"),
            _ => None,
        };
        changes.push(InputChange::new("anchor", how.map(str::to_owned)));
    }
    if was.waivers != now.waivers {
        changes.push(InputChange::new("waivers", None));
    }
    let mut was = was.clone();
    opener(now.kind()).level(&mut was, now, !changes.is_empty());
    changes.extend(settings(&was, now));
    changes.extend(seats(&was, now));
    changes
}

/// Which attachments are otherwise now.
fn attached_otherwise(was: &RunSpec, now: &RunSpec) -> Option<String> {
    let names = |some: &RunSpec, others: &RunSpec| -> Vec<String> {
        let is_new = |one: &&Attachment| !others.attachments.contains(one);
        some.attachments.iter().filter(is_new).map(|one| one.name.clone()).collect()
    };
    let mut names: BTreeSet<String> = names(was, now).into_iter().chain(names(now, was)).collect();
    for gone in now.attachments.iter().filter(|one| one.bytes == 0) {
        names.remove(&gone.name);
        names.insert(format!("{} cannot be attached", gone.name));
    }
    (!names.is_empty()).then(|| names.into_iter().collect::<Vec<_>>().join(" "))
}

/// Several changes in a line.
pub fn told(changes: &[InputChange]) -> String {
    changes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Why nothing is started for somebody who is not at this machine.
pub(crate) fn refusal(subject: &str, run: &Run, changes: &[InputChange]) -> AppError {
    let id = run.spec().run;
    AppError::stale(
        format!("`{subject}` was decided by run {id}, and changed since: {}", told(changes)),
        format!("start it with `again` for a new run, or reopen run {id} to continue as it was given"),
    )
}

fn settings(was: &RunSpec, now: &RunSpec) -> Vec<InputChange> {
    let ComparedSettings { keys, left_out } = opener(now.kind()).compared();
    let mut found = Vec::new();
    walk(&fields(was), &fields(now), "", left_out, &mut found);
    let named = |(field, how): (String, Option<String>)| {
        let key = keys.iter().find(|(name, _)| *name == field).map(|(_, key)| (*key).to_owned());
        InputChange::new(key.unwrap_or_else(|| format!("{}.{field}", now.kind())), how)
    };
    found.into_iter().map(named).collect()
}

/// The settings of a loop as they are written.
fn fields(spec: &RunSpec) -> Value {
    let mut value = serde_json::to_value(&spec.settings).expect("settings are plain JSON");
    value.get_mut(spec.kind().as_str()).map(Value::take).unwrap_or_default()
}

/// The fields that differ, with their paths, and how where it is short.
fn walk(was: &Value, is: &Value, path: &str, left_out: &[&str], found: &mut Vec<(String, Option<String>)>) {
    let (Value::Object(old), Value::Object(new)) = (was, is) else {
        if was != is {
            found.push((path.to_owned(), instead(was, is)));
        }
        return;
    };
    for key in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        if !old.contains_key(key) && !left_out.contains(&path.as_str()) {
            continue;
        }
        let value = |fields: &Map<String, Value>| fields.get(key).cloned().unwrap_or_default();
        // What a user names is one thing, however many names there are.
        match (value(old), value(new)) {
            (was, is) if was == is => {}
            (was @ Value::Object(_), is @ Value::Object(_)) if path == "given" => {
                walk(&was, &is, &path, left_out, found);
            }
            (was, is) => found.push((path, instead(&was, &is))),
        }
    }
}

/// `2 instead of 1`, where both can be read at a glance.
fn instead(was: &Value, is: &Value) -> Option<String> {
    let short = |value: &Value| match value {
        Value::Null => Some("none".to_owned()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::String(text) if text.len() <= 60 => Some(text.clone()),
        Value::Array(list) if list.len() <= 6 => {
            let words: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
            words.map(|words| words.join(" "))
        }
        _ => None,
    };
    Some(format!("{} instead of {}", short(is)?, short(was)?))
}

fn seats(was: &RunSpec, now: &RunSpec) -> Vec<InputChange> {
    // Whom nobody configured is who the main seat is.
    let is_filled = |seat: &&SeatName| now.is_filled(seat) && (was.is_filled(seat) || !was.seats.contains_key(seat));
    let all: BTreeSet<&SeatName> = was.agent_seats().chain(now.agent_seats()).filter(|seat| !is_filled(seat)).collect();
    let change = |seat: &SeatName| {
        let how = match (was.seats.get(seat), now.seats.get(seat)) {
            (Some(old), Some(new)) => reseated((was, old), (now, new))?,
            (None, Some(new)) => format!("{} joined", new.agent),
            (Some(old), None) => format!("{} left", old.agent),
            (None, None) => return None,
        };
        Some(InputChange::new(format!("seats.{seat}"), Some(how)))
    };
    all.into_iter().filter_map(change).collect()
}

/// What is otherwise in a seat; nothing if nothing is.
fn reseated((was, old): (&RunSpec, &Binding), (now, new): (&RunSpec, &Binding)) -> Option<String> {
    if old.agent != new.agent {
        return Some(format!("{} instead of {}", new.agent, old.agent));
    }
    let text = |value: &Option<String>| value.clone().map_or(Value::Null, Value::String);
    let mut found: Vec<String> = [
        ("model", &old.model, &new.model),
        ("effort", &old.effort, &new.effort),
        ("persona", &old.persona, &new.persona),
    ]
    .into_iter()
    .filter(|(_, old, new)| old != new)
    .map(|(name, old, new)| format!("{name}{}", how(&text(old), &text(new))))
    .collect();
    if let (Some(AgentDefinition(Value::Object(old))), Some(AgentDefinition(Value::Object(new)))) =
        (was.agents.get(&old.agent), now.agents.get(&new.agent))
    {
        let differs = |key: &&String| {
            !OF_AGENTS.contains(&key.as_str()) && new.get(*key).is_some_and(|value| *value != old[*key])
        };
        found.extend(old.keys().filter(differs).map(|key| format!("{key}{}", how(&old[key], &new[key]))));
    }
    (!found.is_empty()).then(|| found.join(", "))
}

fn how(was: &Value, is: &Value) -> String {
    instead(was, is).map(|how| format!(" {how}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tribunal_kernel::{RunId, desk};
    use uuid::Uuid;

    #[test]
    fn settings_are_compared_as_far_as_both_know_them() {
        for (name, was, is, left_out, expected) in [
            ("same", json!({"a": 1}), json!({"a": 1}), &[][..], ""),
            ("changed", json!({"a": 1}), json!({"a": 2}), &[], "a (2 instead of 1)"),
            ("not known yet", json!({"a": 1}), json!({"a": 1, "b": true}), &[], ""),
            ("left out then", json!({}), json!({"b": true}), &["b"], "b (true instead of none)"),
            ("left out now", json!({"b": true}), json!({}), &["b"], "b (none instead of true)"),
            ("names", json!({"a": ["x"]}), json!({"a": ["x", "y"]}), &[], "a (x y instead of x)"),
            ("a table is one thing", json!({"a": {"x": 1, "y": 2}}), json!({"a": {"x": 2, "y": 1}}), &[], "a"),
            (
                "given",
                json!({"given": {}}),
                json!({"given": {"design": "d"}}),
                &["given.design"],
                "given.design (d instead of none)",
            ),
        ] {
            let mut found = Vec::new();
            walk(&was, &is, "", left_out, &mut found);
            let told =
                |(path, how): (String, Option<String>)| how.map_or(path.clone(), |how| format!("{path} ({how})"));
            assert_eq!(found.into_iter().map(told).collect::<Vec<_>>().join(", "), expected, "{name}");
        }
    }

    fn spec(agent: &str, model: Option<&str>, definition: Option<Value>) -> RunSpec {
        let mut spec = RunSpec::new(RunId(Uuid::nil()), ".".into(), Digest::of("b"), desk::Settings::new("calc"));
        let binding = Binding { agent: agent.into(), model: model.map(str::to_owned), ..Binding::default() };
        spec.seats.insert(SeatName::new("worker"), binding);
        spec.agents.extend(definition.map(|definition| (agent.to_owned(), AgentDefinition(definition))));
        spec
    }

    #[test]
    fn seats_are_compared_as_far_as_both_know_them() {
        let of = |kind: &str| Some(json!({"kind": kind, "command": ["a"], "api_key": "$A", "env": ["A"], "turn": 1}));
        for (name, was, is, expected) in [
            ("same", spec("a", None, of("claude")), spec("a", None, of("claude")), ""),
            ("an old log knows names alone", spec("a", None, None), spec("a", None, of("claude")), ""),
            (
                "kind",
                spec("a", None, of("claude")),
                spec("a", None, of("codex")),
                "`seats.worker` (kind codex instead of claude)",
            ),
            ("a key that is new", spec("a", None, Some(json!({"kind": "claude"}))), spec("a", None, of("claude")), ""),
            (
                "keys and limits",
                spec("a", None, of("claude")),
                spec(
                    "a",
                    None,
                    Some(json!({"kind": "claude", "command": ["a"], "api_key": "$B", "env": [], "turn": 2})),
                ),
                "",
            ),
            (
                "model",
                spec("a", Some("m1"), None),
                spec("a", Some("m2"), None),
                "`seats.worker` (model m2 instead of m1)",
            ),
            ("agent", spec("a", Some("m1"), None), spec("b", Some("m1"), None), "`seats.worker` (b instead of a)"),
        ] {
            assert_eq!(told(&seats(&was, &is)), expected, "{name}");
        }
        let mut empty = spec("a", None, None);
        empty.seats.clear();
        assert_eq!(told(&seats(&spec("a", None, None), &empty)), "`seats.worker` (a left)");
        assert_eq!(told(&seats(&empty, &spec("a", None, None))), "`seats.worker` (a joined)");
    }
}
