//! What programs find in their environment that nobody configured. Which program it is, its command does not have to say:
//! each of them looks for its own, and to others it says nothing.

use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Settings that `OpenCode` puts over those of its files.
const OPENCODE: &str = "OPENCODE_CONFIG_CONTENT";

pub(super) fn set(env: &mut BTreeMap<String, String>) {
    // Gemini's wrapper would not pass TERM on.
    env.insert("GEMINI_CLI_NO_RELAUNCH".into(), "true".into());
    // Without it Claude's bridge does not start for root. What it may do, it still asks us.
    env.insert("IS_SANDBOX".into(), "1".into());
    // Waiting is ours: by default Claude's bridge asks a provider that is busy again and again, and says nothing meanwhile.
    env.entry("CLAUDE_CODE_MAX_RETRIES".into()).or_insert_with(|| "0".into());
    if let Some(settings) = without_titles(env.get(OPENCODE).map(String::as_str)) {
        env.insert(OPENCODE.into(), settings);
    }
}

/// `OpenCode` has a model find a title for every session, which costs as much again as a short answer and is in none of its
/// reports. Nobody reads these titles: a session of ours is one turn. Nothing, where its user's settings say otherwise or are
/// not what they should be: that is for `OpenCode` to say.
fn without_titles(given: Option<&str>) -> Option<String> {
    let mut settings: Value = match given.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => serde_json::from_str(text).ok()?,
        None => json!({}),
    };
    let agents = settings.as_object_mut()?.entry("agent").or_insert_with(|| json!({}));
    let title = agents.as_object_mut()?.entry("title").or_insert_with(|| json!({}));
    title.as_object_mut()?.entry("disable").or_insert(Value::Bool(true));
    Some(settings.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_off_unless_somebody_wants_them() {
        for (name, given, expected) in [
            ("nothing", None, Some(r#"{"agent":{"title":{"disable":true}}}"#)),
            ("empty", Some(" "), Some(r#"{"agent":{"title":{"disable":true}}}"#)),
            ("others", Some(r#"{"model":"a/b"}"#), Some(r#"{"model":"a/b","agent":{"title":{"disable":true}}}"#)),
            (
                "another agent",
                Some(r#"{"agent":{"plan":{"disable":true}}}"#),
                Some(r#"{"agent":{"plan":{"disable":true},"title":{"disable":true}}}"#),
            ),
            (
                "a title that is wanted",
                Some(r#"{"agent":{"title":{"disable":false}}}"#),
                Some(r#"{"agent":{"title":{"disable":false}}}"#),
            ),
            ("no JSON", Some("{model: 1}"), None),
            ("a list", Some("[]"), None),
            ("agents that are none", Some(r#"{"agent":1}"#), None),
            ("a title that is none", Some(r#"{"agent":{"title":"no"}}"#), None),
        ] {
            let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            assert_eq!(without_titles(given).map(|text| read(&text)), expected.map(read), "{name}");
        }
    }

    #[test]
    fn what_is_set_stays() {
        let mut env = BTreeMap::from([("CLAUDE_CODE_MAX_RETRIES".to_owned(), "3".to_owned())]);
        set(&mut env);
        assert_eq!(env["CLAUDE_CODE_MAX_RETRIES"], "3");
        let mut env = BTreeMap::new();
        set(&mut env);
        assert_eq!(env["CLAUDE_CODE_MAX_RETRIES"], "0");
    }
}
