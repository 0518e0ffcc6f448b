//! Claude Code.

use serde_json::{Value, json};
use tribunal_kernel::quote::{COMMAND_LINE, SPEAKER, TurnMeter, USEFUL};
use tribunal_kernel::tokens::{most_image_tokens, most_tokens};
use tribunal_kernel::{Usage, Usd};

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

/// It asks for no longer answer by itself.
const MAX_OUTPUT: u64 = 32_000;

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
    if let Some(TurnCap { budget, output }) = wanted.meter.and_then(|meter| cap(meter, wanted)) {
        args.extend(words(["--max-budget-usd", &format!("{}.{:06}", budget.0 / 1_000_000, budget.0 % 1_000_000)]));
        env.push(("CLAUDE_CODE_MAX_OUTPUT_TOKENS", output.to_string()));
    }
    // Who works speaks through files.
    args.extend(wanted.form.filter(|_| !wanted.works).into_iter().flat_map(|form| words(["--json-schema", form])));
    args.extend(wanted.model.into_iter().flat_map(|model| words(["--model", model])));
    args.extend(wanted.effort.into_iter().flat_map(|effort| words(["--effort", effort])));
    env.extend(wanted.cli.base_url.iter().map(|url| ("ANTHROPIC_BASE_URL", url.clone())));
    env.extend(wanted.key.map(|key| ("ANTHROPIC_API_KEY", key.to_owned())));
    let stdin = (!wanted.images.is_empty()).then(|| message(wanted));
    if stdin.is_some() {
        args.extend(words(["--input-format", "stream-json"]));
    }
    Call { args, env, stdin }
}

/// The prompt with its images, as a message of its streaming input: the only way in which it takes images without a tool.
fn message(wanted: Wanted<'_>) -> String {
    let shown = wanted.images.iter().map(|image| {
        let source = json!({ "type": "base64", "media_type": image.media_type.as_str(), "data": image.base64() });
        json!({ "type": "image", "source": source })
    });
    let content: Vec<Value> = shown.chain([json!({ "type": "text", "text": wanted.prompt })]).collect();
    let mut message = json!({ "type": "user", "message": { "role": "user", "content": content } });
    message.sort_all_objects();
    format!("{message}\n")
}

/// What holds a turn to what it may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TurnCap {
    /// It begins no request once it has spent so much.
    budget: Usd,
    /// No answer of its model is longer.
    output: u64,
}

/// It looks at its budget after a request, and not before. So the budget is what is left when one more request has cost as
/// much as it can: a prompt of ours and all that it adds, and an answer as long as it may be.
fn cap(meter: TurnMeter, wanted: Wanted<'_>) -> Option<TurnCap> {
    let (usd, rate) = (meter.allowance.usd?, meter.rate?);
    let form = wanted.form.map_or(0, most_tokens);
    let added = if wanted.works { COMMAND_LINE } else { SPEAKER };
    let shown = most_image_tokens(Some("claude"), wanted.model).saturating_mul(wanted.images.len() as u64);
    let input = most_tokens(wanted.prompt).saturating_add(shown).saturating_add(form).saturating_add(added);
    let half = Usd(usd.0 / 2);
    let output = rate.output_within(half, input).clamp(USEFUL, rate.max_output.unwrap_or(MAX_OUTPUT).min(MAX_OUTPUT));
    let request = rate.most(input, output);
    // Nothing would be no budget at all.
    Some(TurnCap { budget: Usd(usd.0.saturating_sub(request.0).max(1)), output })
}

pub(super) fn hear(told: &mut Told, event: &Value, activities: &mut Vec<Activity>) {
    count(told, event);
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

/// Keeps count on the way, for a turn whose end nobody hears: what goes in at the beginning of a message, what comes out at
/// its end.
fn count(told: &mut Told, event: &Value) {
    let event = &event["event"];
    let used = match text(&event["type"]) {
        "message_start" => &event["message"]["usage"],
        "message_delta" => &event["usage"],
        _ => return,
    };
    let is_start = event["type"] == "message_start";
    let said = Usage { output_tokens: number(&used["output_tokens"]), estimated: true, ..Usage::default() };
    told.usage =
        told.usage.plus(if is_start { Usage { output_tokens: 0, estimated: true, ..usage(used) } } else { said });
}

fn usage(used: &Value) -> Usage {
    let cached = number(&used["cache_read_input_tokens"]);
    let written = number(&used["cache_creation_input_tokens"]);
    Usage {
        input_tokens: number(&used["input_tokens"]).saturating_add(written).saturating_add(cached),
        output_tokens: number(&used["output_tokens"]),
        cached_tokens: cached,
        cache_write_tokens: written,
        usd: None,
        estimated: false,
    }
}

/// An error says `subtype: "success"`, too; `is_error` is what counts. Its text is worded for people.
fn end(told: &mut Told, event: &Value) {
    let usd = event["total_cost_usd"].as_f64().filter(|usd| *usd >= 0.0).map(micros);
    told.usage = Usage { usd, ..usage(&event["usage"]) };
    told.is_over_budget = event["subtype"] == "error_max_budget_usd";
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
            Some("rate_limit") => Some(429),
            _ => None,
        };
        told.is_cut_off = said.contains("output token maximum");
        let words = if said.is_empty() { text(&event["subtype"]) } else { said };
        Err(Fault::new(status(&event["api_error_status"]).or(by_word), words.to_owned()))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_kernel::Rate;
    use tribunal_kernel::budget::Remainder;

    use crate::{Cli, Vendor};

    #[test]
    fn its_budget_leaves_room_for_one_more_request() {
        let cli = Cli {
            vendor: Vendor::Claude,
            name: "it".into(),
            command: vec![],
            cwd: "/".into(),
            env: vec![],
            base_url: None,
            api_key: None,
            state: "/".into(),
        };
        let rate = Rate {
            input: Usd(5_000_000),
            cached: Usd(500_000),
            output: Usd(25_000_000),
            cache_write: Some(Usd(6_250_000)),
            long: None,
            max_output: Some(128_000),
        };
        for usd in [250_000, 500_000, 2_000_000, 50_000_000] {
            let allowance = Remainder { usd: Some(Usd(usd)), tokens: None };
            let meter = TurnMeter { rate: Some(rate), allowance };
            let wanted = Wanted {
                cli: &cli,
                model: None,
                key: None,
                effort: None,
                form: None,
                works: false,
                prompt: "Judge this.",
                images: &[],
                meter: Some(meter),
            };
            let TurnCap { budget, output } = cap(meter, wanted).unwrap();
            assert!((USEFUL..=MAX_OUTPUT).contains(&output), "{usd}: {output}");
            assert!(budget.0 + rate.most(SPEAKER, output).0 <= usd, "{usd}: {budget} and {output} tokens");
            let args = call(wanted).args.join(" ");
            assert!(args.contains("--max-budget-usd "), "{args}");
            let free = call(Wanted { meter: None, ..wanted }).args.join(" ");
            assert!(!free.contains("--max-budget-usd"), "{free}");
        }
    }
}
