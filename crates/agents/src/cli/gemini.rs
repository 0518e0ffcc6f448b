//! Gemini CLI.

use serde_json::{Value, json};
use std::path::PathBuf;
use tribunal_kernel::Usage;

use super::told::{Told, inner, number, show_tool, status, text};
use super::{Call, Cli, Wanted, folders, mentioning, words};
use crate::adapter::Activity;
use crate::fault::Fault;
use crate::{Resumption, limit};

pub(super) const CREDENTIALS: &[&str] = &["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"];
pub(super) const VARIABLES: &[&str] = &[
    "GEMINI_CLI_HOME",
    "GEMINI_MODEL",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_GENAI_USE_GCA",
    "GOOGLE_GENAI_USE_VERTEXAI",
];

/// Without `-p` and without a terminal it reads the prompt on stdin, and offers no tool that writes.
pub(super) fn call(wanted: Wanted<'_>) -> Call {
    let mut args = words(["-o", "stream-json"]);
    if wanted.works {
        args.extend(words(["--approval-mode", "yolo"]));
    }
    args.extend(wanted.model.into_iter().flat_map(|model| words(["-m", model])));
    let mut env = vec![
        // Its wrapper would not pass TERM on.
        ("GEMINI_CLI_NO_RELAUNCH", "true".to_owned()),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
        ("GEMINI_TELEMETRY_ENABLED", "false".to_owned()),
    ];
    if has_home(wanted.cli) {
        env.push(("GEMINI_CLI_HOME", wanted.cli.state.to_string_lossy().into_owned()));
    }
    env.extend(wanted.cli.base_url.iter().map(|url| ("GOOGLE_GEMINI_BASE_URL", url.clone())));
    env.extend(wanted.key.map(|key| ("GEMINI_API_KEY", key.to_owned())));
    args.extend(folders(&wanted).iter().flat_map(|folder| words(["--include-directories", folder])));
    Call { args, env, stdin: mentioning(&wanted) }
}

/// With a key it needs no login, and gets settings of our own. They cannot be given in another way: a base URL without
/// `selectedType` is refused, and a system-wide file must not lie in a folder like `/tmp`.
pub(super) fn has_home(cli: &Cli) -> bool {
    cli.api_key.is_some() || cli.base_url.is_some()
}

pub(super) fn files(cli: &Cli) -> Vec<(PathBuf, String)> {
    if !has_home(cli) {
        return Vec::new();
    }
    // Retrying is ours: by default a server that fails is asked ten times, for minutes.
    let mut settings = json!({
        "security": { "auth": { "selectedType": "gemini-api-key" } },
        "general": { "enableAutoUpdate": false, "disableAutoUpdate": true, "maxAttempts": 1 },
        "privacy": { "usageStatisticsEnabled": false },
    });
    settings.sort_all_objects();
    vec![(cli.state.join(".gemini/settings.json"), format!("{settings:#}\n"))]
}

pub(super) fn hear(told: &mut Told, event: &Value, activities: &mut Vec<Activity>) {
    match text(&event["type"]) {
        "message" if event["role"] == "assistant" => told.say(text(&event["content"]), activities),
        "tool_use" => show_tool(&event["tool_name"], activities),
        "tool_result" => told.begin(),
        "result" => end(told, event),
        _ => {}
    }
}

fn end(told: &mut Told, event: &Value) {
    let used = &event["stats"];
    told.usage = Usage {
        input_tokens: number(&used["input_tokens"]),
        output_tokens: number(&used["output_tokens"]),
        cached_tokens: number(&used["cached"]),
        cache_write_tokens: 0,
        usd: None,
        estimated: false,
    };
    told.end = Some(if event["status"] == "success" { Ok(()) } else { Err(fault(text(&event["error"]["message"]))) });
}

/// The provider's JSON stands between `[API Error: ` and `]`.
fn fault(words: &str) -> Fault {
    let words = words.trim();
    let words = words.strip_prefix("[API Error: ").and_then(|rest| rest.strip_suffix(']')).unwrap_or(words);
    match inner(words) {
        Some((error, said)) => {
            Fault { when: limit::delay_in(words).map(Resumption::In), ..Fault::new(status(&error["code"]), said) }
        }
        None => Fault::new(None, words.to_owned()),
    }
}
