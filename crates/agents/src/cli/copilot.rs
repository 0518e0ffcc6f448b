//! GitHub Copilot CLI.

use serde_json::Value;

use super::told::{Told, show, show_tool, status, text};
use super::{Call, Wanted, words};
use crate::adapter::Activity;
use crate::fault::Fault;

pub(super) const CREDENTIALS: &[&str] =
    &["COPILOT_GITHUB_TOKEN", "COPILOT_PROVIDER_API_KEY", "COPILOT_PROVIDER_BEARER_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"];
/// A user may have a provider of their own: `copilot help providers`.
pub(super) const VARIABLES: &[&str] = &[
    "COPILOT_HOME",
    "COPILOT_MODEL",
    "COPILOT_OFFLINE",
    "COPILOT_PROVIDER_AZURE_API_VERSION",
    "COPILOT_PROVIDER_BASE_URL",
    "COPILOT_PROVIDER_MODEL_ID",
    "COPILOT_PROVIDER_TYPE",
    "COPILOT_PROVIDER_WIRE_API",
    "COPILOT_PROVIDER_WIRE_MODEL",
    "GH_HOST",
];

/// Without `-p` and without a terminal it reads the prompt on stdin. Whatever would need permission is denied then, but
/// with `--allow-all`.
pub(super) fn call(wanted: Wanted<'_>) -> Call {
    let mut args = words(["--output-format", "json", "--no-ask-user", "--no-color", "--disable-builtin-mcps"]);
    if wanted.works {
        args.push("--allow-all".into());
    } else {
        args.push("--no-custom-instructions".into());
    }
    args.extend(wanted.model.into_iter().flat_map(|model| words(["--model", model])));
    args.extend(wanted.effort.into_iter().flat_map(|effort| words(["--reasoning-effort", effort])));
    let mut env = vec![("COPILOT_AUTO_UPDATE", "false".to_owned())];
    match &wanted.cli.base_url {
        Some(url) => {
            env.push(("COPILOT_PROVIDER_BASE_URL", url.clone()));
            env.extend(wanted.key.map(|key| ("COPILOT_PROVIDER_API_KEY", key.to_owned())));
            // With a provider of our own it needs nobody else.
            env.push(("COPILOT_OFFLINE", "true".into()));
        }
        None => env.extend(wanted.key.map(|key| ("COPILOT_GITHUB_TOKEN", key.to_owned()))),
    }
    args.extend(
        wanted.images.iter().filter_map(|image| image.place()).flat_map(|place| words(["--attachment", &place])),
    );
    Call { args, env, stdin: None }
}

/// It counts its own "premium requests" and says nothing of tokens: those are in its record of the session.
pub(super) fn hear(told: &mut Told, event: &Value, activities: &mut Vec<Activity>) {
    let data = &event["data"];
    match text(&event["type"]) {
        "assistant.message_delta" => {
            told.is_streamed = true;
            show(text(&data["deltaContent"]), activities);
        }
        "assistant.message" => {
            let said = text(&data["content"]);
            if !told.is_streamed {
                show(said, activities);
            }
            if !said.is_empty() {
                said.clone_into(&mut told.text);
            }
        }
        "tool.execution_start" => show_tool(&data["toolName"], activities),
        // Others may follow; the last one counts, and none if the result says that all went well.
        "session.error" => told.end = Some(Err(fault(data))),
        "result" => {
            told.session = event["sessionId"].as_str().map(Into::into);
            if event["exitCode"] == 0 {
                told.end = Some(Ok(()));
            } else if told.end.is_none() {
                told.end = Some(Err(Fault::new(None, String::new())));
            }
        }
        _ => {}
    }
}

fn fault(data: &Value) -> Fault {
    let by_kind = (data["errorType"] == "authentication").then_some(401);
    Fault::new(status(&data["statusCode"]).or(by_kind), text(&data["message"]).to_owned())
}
