//! Codex.

use serde_json::Value;
use tribunal_kernel::Usage;

use super::told::{Told, inner, number, show_tool, status, text};
use super::{Call, Wanted, words};
use crate::adapter::Activity;
use crate::fault::Fault;

pub(super) const CREDENTIALS: &[&str] = &["CODEX_API_KEY", "OPENAI_API_KEY"];
pub(super) const VARIABLES: &[&str] = &["CODEX_HOME", "OPENAI_BASE_URL", "OPENAI_ORGANIZATION", "OPENAI_PROJECT"];

/// The variable in which a provider of the configuration finds its key.
const KEY: &str = "TRIBUNAL_AGENT_KEY";

/// Everything is said in arguments: its configuration file is the user's.
pub(super) fn call(wanted: Wanted<'_>) -> Call {
    let mut args = words(["exec", "--json", "--skip-git-repo-check", "--ephemeral"]);
    if wanted.works {
        // Ours holds it; a second sandbox cannot start inside of it.
        args.push("--dangerously-bypass-approvals-and-sandbox".into());
    } else {
        args.extend(words(["--sandbox", "read-only"]));
    }
    let mut set = |setting: String| args.extend(["-c".to_owned(), setting]);
    // Each of them is a wait of seconds where there is no network.
    for off in ["analytics.enabled", "features.apps", "features.plugins"] {
        set(format!("{off}=false"));
    }
    // Its words are ours: low, medium, high.
    if let Some(effort) = wanted.effort {
        set(format!("model_reasoning_effort={}", Value::from(effort)));
    }
    let mut env = Vec::new();
    match &wanted.cli.base_url {
        Some(url) => {
            let key = wanted.key.map(|_| format!(",env_key={KEY:?}")).unwrap_or_default();
            // Retrying is ours; the two retries would multiply.
            set(format!(
                "model_providers.tribunal={{name=\"tribunal\",base_url={},wire_api=\"responses\"{key},\
                 request_max_retries=0,stream_max_retries=0}}",
                Value::from(url.as_str())
            ));
            set("model_provider=\"tribunal\"".to_owned());
            env.extend(wanted.key.map(|key| (KEY, key.to_owned())));
        }
        None => env.extend(wanted.key.map(|key| ("CODEX_API_KEY", key.to_owned()))),
    }
    args.extend(wanted.model.into_iter().flat_map(|model| words(["-m", model])));
    // As one word each: it takes every word after `--image` for one more.
    args.extend(wanted.images.iter().filter_map(|image| Some(format!("--image={}", image.place()?))));
    args.push("-".into());
    Call { args, env, stdin: None }
}

/// Only `turn.completed` and `turn.failed` end a turn: an `error` may be followed by another attempt, but for one.
pub(super) fn hear(told: &mut Told, event: &Value, activities: &mut Vec<Activity>) {
    let item = &event["item"];
    match (text(&event["type"]), text(&item["type"])) {
        ("item.completed", "agent_message") => {
            told.begin();
            told.say(text(&item["text"]), activities);
        }
        ("item.started", "command_execution") => show_tool(&item["command"], activities),
        ("item.started", "mcp_tool_call") => show_tool(&item["tool"], activities),
        ("turn.completed", _) => {
            let used = &event["usage"];
            told.usage = Usage {
                input_tokens: number(&used["input_tokens"]),
                output_tokens: number(&used["output_tokens"]),
                cached_tokens: number(&used["cached_input_tokens"]),
                cache_write_tokens: number(&used["cache_write_input_tokens"]),
                usd: None,
                estimated: false,
            };
            told.end = Some(Ok(()));
        }
        ("turn.failed", _) => told.end = Some(Err(fault(text(&event["error"]["message"])))),
        // It would go on for ever, whatever the retries are set to.
        ("error", _) if text(&event["message"]).contains("waiting for network") => {
            told.is_hopeless = true;
            told.end = Some(Err(fault(text(&event["message"]))));
        }
        _ => {}
    }
}

/// The status is in the text, or it is lost. A provider's own words come as JSON, and only where it refuses.
fn fault(words: &str) -> Fault {
    if let Some((error, words)) = inner(words) {
        let status = status(&error["code"]).or((error["type"] == "invalid_request_error").then_some(400));
        return Fault::new(status, words);
    }
    let after = |mark: &str| words.split_once(mark).and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
    let status = after("unexpected status ").or_else(|| after("last status: "));
    Fault::new(status, words.to_owned())
}
