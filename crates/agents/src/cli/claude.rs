//! Claude Code.

use serde_json::Value;
use tribunal_kernel::Usage;

use super::told::{Told, is_of_helper, number, show, show_message, status, text};
use super::{Call, Wanted, words};
use crate::adapter::Activity;
use crate::fault::Fault;
use crate::usage::micros;

pub(super) const CREDENTIALS: &[&str] = &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];
pub(super) const VARIABLES: &[&str] = &[
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_DEFAULT_HAIKU_MODEL",
    "ANTHROPIC_DEFAULT_OPUS_MODEL",
    "ANTHROPIC_DEFAULT_SONNET_MODEL",
    "ANTHROPIC_MODEL",
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CONFIG_DIR",
];

pub(super) fn call(wanted: Wanted<'_>) -> Call {
    let mut args = words(["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"]);
    args.extend(words(["--no-session-persistence", "--strict-mcp-config"]));
    // Retrying is ours.
    let mut env = vec![("CLAUDE_CODE_MAX_RETRIES", "0".to_owned())];
    env.push(("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()));
    env.push(("DISABLE_AUTOUPDATER", "1".into()));
    if wanted.works {
        args.extend(words(["--permission-mode", "bypassPermissions"]));
        // Without it the mode is refused to root.
        env.push(("IS_SANDBOX", "1".into()));
    } else {
        // No tools, and nothing that the user or the workspace adds: hooks, plugins, CLAUDE.md.
        args.extend(words(["--tools", ""]));
        env.push(("CLAUDE_CODE_SAFE_MODE", "1".into()));
    }
    // Who works speaks through files.
    args.extend(wanted.form.filter(|_| !wanted.works).into_iter().flat_map(|form| words(["--json-schema", form])));
    args.extend(wanted.model.into_iter().flat_map(|model| words(["--model", model])));
    args.extend(wanted.effort.into_iter().flat_map(|effort| words(["--effort", effort])));
    env.extend(wanted.cli.base_url.iter().map(|url| ("ANTHROPIC_BASE_URL", url.clone())));
    env.extend(wanted.key.map(|key| ("ANTHROPIC_API_KEY", key.to_owned())));
    Call { args, env }
}

pub(super) fn hear(told: &mut Told, event: &Value, activities: &mut Vec<Activity>) {
    if is_of_helper(event) {
        return;
    }
    match text(&event["type"]) {
        "stream_event" => {
            let delta = &event["event"]["delta"];
            if delta["type"] == "text_delta" {
                told.is_streamed = true;
                show(text(&delta["text"]), activities);
            }
        }
        "assistant" => {
            told.word = event["error"].as_str().map(str::to_owned);
            let is_new = !told.is_streamed && told.word.is_none();
            show_message(event, |_| is_new, activities);
        }
        "result" => end(told, event),
        _ => {}
    }
}

/// An error says `subtype: "success"`, too; `is_error` is what counts. Its text is worded for people.
fn end(told: &mut Told, event: &Value) {
    let used = &event["usage"];
    let cached = number(&used["cache_read_input_tokens"]);
    told.usage = Usage {
        input_tokens: number(&used["input_tokens"]) + number(&used["cache_creation_input_tokens"]) + cached,
        output_tokens: number(&used["output_tokens"]),
        cached_tokens: cached,
        usd: event["total_cost_usd"].as_f64().filter(|usd| *usd >= 0.0).map(micros),
        estimated: false,
    };
    let said = text(&event["result"]);
    told.end = Some(if event["is_error"] == false && event["subtype"] == "success" {
        // Who is held to a schema answers in a field of its own.
        match event.get("structured_output").filter(|answer| answer.is_object()) {
            Some(answer) => told.text = answer.to_string(),
            None => said.clone_into(&mut told.text),
        }
        Ok(())
    } else {
        let by_word = match told.word.as_deref() {
            Some("authentication_failed") => Some(401),
            Some("billing_error") => Some(402),
            Some("invalid_request") => Some(400),
            _ => None,
        };
        let words = if said.is_empty() { text(&event["subtype"]) } else { said };
        Err(Fault::new(status(&event["api_error_status"]).or(by_word), words.to_owned()))
    });
}
