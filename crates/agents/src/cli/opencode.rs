//! `OpenCode`.

use serde_json::{Value, json};
use tribunal_kernel::Usd;

use super::told::{Told, number, show_tool, status, text};
use super::{Call, Wanted, words};
use crate::adapter::Activity;
use crate::fault::Fault;
use crate::resumption;
use crate::usage::micros;

/// It speaks to many providers: these are the common ones, `agents.NAME.env` adds others.
pub(super) const CREDENTIALS: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "OPENAI_API_KEY",
    "OPENCODE_API_KEY",
    "OPENROUTER_API_KEY",
];
pub(super) const VARIABLES: &[&str] = &["OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "OPENCODE_DISABLE_MODELS_FETCH"];

/// The provider with a base URL of ours.
const PROVIDER: &str = "tribunal";

pub(super) fn call(wanted: Wanted<'_>) -> Call {
    // With a title it does not ask the model for one.
    let mut args = words(["run", "--format", "json", "--title", "tribunal"]);
    let mut config = json!({ "autoupdate": false, "share": "disabled" });
    if wanted.works {
        config["permission"] = json!({ "*": "allow" });
    } else {
        config["permission"] = json!({ "*": "deny" });
        config["tools"] = json!({ "*": false });
    }
    let mut env =
        vec![("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned()), ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1".to_owned())];
    match (&wanted.cli.base_url, wanted.model) {
        (Some(url), model) => {
            let model = model.unwrap_or("default");
            let mut options = json!({ "baseURL": url });
            if let Some(key) = wanted.key {
                options["apiKey"] = key.into();
            }
            let mut about = json!({ "name": model });
            let_see(&mut about, &wanted);
            let models = json!({ model: about });
            config["provider"] = json!({ PROVIDER: {
                "npm": "@ai-sdk/openai-compatible", "name": PROVIDER, "options": options, "models": models,
            } });
            let model = format!("{PROVIDER}/{model}");
            config["small_model"] = model.as_str().into();
            args.extend(words(["-m", &model]));
            // Its list of models is of no use then.
            env.push(("OPENCODE_DISABLE_MODELS_FETCH", "1".into()));
        }
        (None, Some(model)) => {
            args.extend(words(["-m", model]));
            if let Some((provider, name)) = model.split_once('/') {
                let mut about = json!({});
                let_see(&mut about, &wanted);
                if about != json!({}) {
                    config["provider"][provider]["models"] = json!({ name: about });
                }
                if let Some(key) = wanted.key {
                    config["provider"][provider]["options"] = json!({ "apiKey": key });
                }
            }
        }
        (None, None) => {}
    }
    config.sort_all_objects();
    env.push(("OPENCODE_CONFIG_CONTENT", config.to_string()));
    args.extend(wanted.images.iter().filter_map(|image| Some(format!("--file={}", image.place()?))));
    Call { args, env, stdin: None }
}

/// Says that a model takes images. It knows of some that they do, and shows none to the others: it tells them to say that they
/// cannot see, and nobody else. A provider that takes none refuses, which is seen.
fn let_see(about: &mut Value, wanted: &Wanted<'_>) {
    if !wanted.images.is_empty() {
        about["attachment"] = true.into();
        about["modalities"] = json!({ "input": ["text", "image"], "output": ["text"] });
    }
}

/// Nothing says that all is over: it is when a step ends without asking for a tool.
pub(super) fn hear(told: &mut Told, event: &Value, activities: &mut Vec<Activity>) {
    let part = &event["part"];
    match text(&event["type"]) {
        "step_start" => {
            told.begin();
            told.end = None;
        }
        "text" => told.say(text(&part["text"]), activities),
        "tool_use" => show_tool(&part["tool"], activities),
        "step_finish" => {
            add(told, part);
            told.end = match text(&part["reason"]) {
                "tool-calls" => None,
                "stop" | "other" | "unknown" => Some(Ok(())),
                reason => Some(Err(Fault::new(None, format!("the answer ended early: {reason}")))),
            };
        }
        "error" => told.end = Some(Err(fault(&event["error"]))),
        _ => {}
    }
}

/// A step has its own tokens, and does not count those from the cache as input.
fn add(told: &mut Told, part: &Value) {
    let tokens = &part["tokens"];
    let (read, written) = (number(&tokens["cache"]["read"]), number(&tokens["cache"]["write"]));
    let usage = &mut told.usage;
    let sum = |parts: &[u64]| parts.iter().copied().fold(0, u64::saturating_add);
    usage.input_tokens = sum(&[usage.input_tokens, number(&tokens["input"]), read, written]);
    usage.output_tokens = sum(&[usage.output_tokens, number(&tokens["output"]), number(&tokens["reasoning"])]);
    usage.cached_tokens = sum(&[usage.cached_tokens, read]);
    usage.cache_write_tokens = sum(&[usage.cache_write_tokens, written]);
    // 0 is what it says of a model whose price it does not know.
    if let Some(cost) = part["cost"].as_f64().filter(|cost| *cost > 0.0) {
        usage.usd = Some(Usd(usage.usd.unwrap_or_default().0.saturating_add(micros(cost).0)));
    }
}

fn fault(error: &Value) -> Fault {
    let data = &error["data"];
    let by_name = match text(&error["name"]) {
        "ContextOverflowError" => Some(400),
        "ProviderAuthError" => Some(401),
        "ProviderModelNotFoundError" => Some(404),
        _ => None,
    };
    let words = [text(&data["message"]), text(&error["name"])].into_iter().find(|words| !words.is_empty());
    let when = resumption::in_headers(|name| data["responseHeaders"][name].as_str());
    Fault { when, ..Fault::new(status(&data["statusCode"]).or(by_name), words.unwrap_or_default().to_owned()) }
}
