//! Qwen Code. Its events have the form of Claude Code's; its errors do not.

use serde_json::{Value, json};
use std::path::PathBuf;
use tribunal_kernel::Usage;

use super::told::{Told, is_of_helper, number, show_message, text};
use super::{Call, Cli, Wanted, folders, mentioning, words};
use crate::adapter::Activity;
use crate::fault::Fault;

pub(super) const CREDENTIALS: &[&str] =
    &["ANTHROPIC_API_KEY", "DASHSCOPE_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"];
pub(super) const VARIABLES: &[&str] = &["OPENAI_BASE_URL", "OPENAI_MODEL", "QWEN_HOME", "QWEN_MODEL"];

/// Where it looks for settings that hold unless its user has others.
pub(super) const DEFAULTS: &str = "QWEN_CODE_SYSTEM_DEFAULTS_PATH";

/// Without a prompt among the arguments it reads it on stdin, and offers no tool that writes.
pub(super) fn call(wanted: Wanted<'_>) -> Call {
    let mut args = words(["-o", "stream-json", "--chat-recording=false"]);
    if wanted.works {
        args.extend(words(["--approval-mode", "yolo"]));
    } else {
        // By itself it decides on its own what it may do. In safe mode it also has no second model look for something to
        // remember, in the user's home, which would take as much again as the answer.
        args.extend(words(["--approval-mode", "default", "--safe-mode"]));
    }
    args.extend(wanted.model.into_iter().flat_map(|model| words(["-m", model])));
    let mut env = vec![("QWEN_CODE_NO_RELAUNCH", "true".to_owned())];
    env.push((DEFAULTS, defaults(wanted.cli).to_string_lossy().into_owned()));
    if let Some(url) = &wanted.cli.base_url {
        args.extend(words(["--auth-type", "openai"]));
        env.push(("OPENAI_BASE_URL", url.clone()));
    }
    env.extend(wanted.key.map(|key| ("OPENAI_API_KEY", key.to_owned())));
    args.extend(folders(&wanted).iter().flat_map(|folder| words(["--include-directories", folder])));
    Call { args, env, stdin: mentioning(&wanted) }
}

fn defaults(cli: &Cli) -> PathBuf {
    cli.state.join("qwen-defaults.json")
}

/// Waiting is ours: by default it asks a provider that is busy again after one minute, two, four and so on, ten times, and
/// says nothing meanwhile. Seven requests within some seconds it makes in any case.
pub(super) fn files(cli: &Cli) -> Vec<(PathBuf, String)> {
    let settings = json!({ "model": { "generationConfig": { "maxRetries": 0 } } });
    vec![(defaults(cli), format!("{settings:#}\n"))]
}

pub(super) fn hear(told: &mut Told, event: &Value, activities: &mut Vec<Activity>) {
    if is_of_helper(event) {
        return;
    }
    match text(&event["type"]) {
        "assistant" => show_message(event, |said| mishap(said).is_none(), activities),
        "result" => end(told, event),
        _ => {}
    }
}

/// Before 0.24 an error says `subtype: "success"`, `is_error: false` and exit code 0: it can be told by its text alone. Since
/// then the same text is in a field of its own.
fn end(told: &mut Told, event: &Value) {
    let used = &event["usage"];
    told.usage = Usage {
        input_tokens: number(&used["input_tokens"]),
        output_tokens: number(&used["output_tokens"]),
        cached_tokens: number(&used["cache_read_input_tokens"]),
        cache_write_tokens: 0,
        usd: None,
        estimated: false,
    };
    let said = text(&event["result"]);
    let is_well = event["is_error"] == false && event["subtype"] == "success";
    let broken = text(&event["error"]["message"]);
    told.end = Some(match mishap(said).or_else(|| mishap(broken)) {
        Some(fault) => Err(fault),
        None if is_well => {
            said.clone_into(&mut told.text);
            Ok(())
        }
        None => {
            let words = [broken, said, text(&event["subtype"])];
            let words = words.into_iter().find(|words| !words.is_empty()).unwrap_or_default();
            Err(Fault::new(None, words.to_owned()))
        }
    });
}

/// `[API Error: 401 Incorrect API key provided.]`, at the end of what was said before it.
fn mishap(said: &str) -> Option<Fault> {
    const MARK: &str = "[API Error: ";
    let words = said.trim_end().strip_suffix(']')?.get(said.rfind(MARK)? + MARK.len()..)?;
    // A bracket that is closed before the end is a quotation in an answer.
    let mut depth = 1;
    for c in words.chars() {
        depth += i32::from(c == '[') - i32::from(c == ']');
        if depth == 0 {
            return None;
        }
    }
    let status =
        words.split(' ').next().and_then(|word| word.parse().ok()).filter(|status| (100..600).contains(status));
    Some(Fault::new(status, words.to_owned()))
}
