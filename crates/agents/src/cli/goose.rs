//! goose. Built from its documentation and source, and not tried with the program: it is on no registry of packages.

use serde_json::Value;
use tribunal_kernel::Usage;

use super::told::{Told, number, show_tool, text};
use super::{Call, Wanted, words};
use crate::adapter::Activity;
use crate::fault::Fault;

/// It speaks to many providers: these are the common ones, `agents.NAME.env` adds others.
pub(super) const CREDENTIALS: &[&str] =
    &["ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"];
pub(super) const VARIABLES: &[&str] = &["ANTHROPIC_HOST", "GOOSE_MODEL", "GOOSE_PROVIDER", "OPENAI_HOST"];

/// How an error of the provider begins.
const MISHAP: &str = "Ran into this error: ";

/// `--quiet` keeps its banner off stdout; where an older one prints it all the same, it is a line that is no event.
pub(super) fn call(wanted: Wanted<'_>) -> Call {
    let mut args = words(["run", "--no-session", "--quiet", "--output-format", "stream-json", "-i", "-"]);
    args.extend(wanted.model.into_iter().flat_map(|model| words(["--model", model])));
    // In `chat` it has no tools.
    let mode = if wanted.works { "auto" } else { "chat" };
    let mut env = vec![("GOOSE_MODE", mode.to_owned())];
    if let Some(url) = &wanted.cli.base_url {
        args.extend(words(["--provider", "openai"]));
        env.push(("OPENAI_HOST", url.clone()));
    }
    env.extend(wanted.key.map(|key| ("OPENAI_API_KEY", key.to_owned())));
    Call { args, env, stdin: None }
}

pub(super) fn hear(told: &mut Told, event: &Value, activities: &mut Vec<Activity>) {
    match text(&event["type"]) {
        "message" if event["message"]["role"] == "assistant" => {
            for part in event["message"]["content"].as_array().into_iter().flatten() {
                match text(&part["type"]) {
                    "text" => told.say(text(&part["text"]), activities),
                    "toolRequest" => {
                        show_tool(&part["toolCall"]["value"]["name"], activities);
                        told.begin();
                    }
                    _ => {}
                }
            }
        }
        "error" => told.end = Some(Err(fault(text(&event["error"])))),
        "complete" => {
            told.usage = Usage {
                input_tokens: number(&event["input_tokens"]),
                output_tokens: number(&event["output_tokens"]),
                ..Usage::default()
            };
            // It completes after an error, too, and words most of them as what the agent says.
            let end = match told.text.trim_start().strip_prefix(MISHAP) {
                Some(words) => Err(fault(words)),
                None => Ok(()),
            };
            told.end.get_or_insert(end);
        }
        _ => {}
    }
}

fn fault(words: &str) -> Fault {
    let status = ["Authentication error", "Context length exceeded"].into_iter().zip([401, 400]);
    let status = status.filter(|(mark, _)| words.contains(mark)).map(|(_, status)| status).next();
    Fault::new(status, words.to_owned())
}
