//! What an agent says that the turn took. Every agent has a place of its own for it, and some have two.

use serde_json::{Map, Value};
use tribunal_kernel::Usage;

use crate::usage::micros;

/// A context that has grown by no more is that of the same request, told again with a word more.
const WORD: u64 = 16;

/// What was said so far.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// What the session cost, in dollars, by the last word about it.
    cost: Option<f64>,
    /// The requests that were reported one by one, together.
    requests: Option<Usage>,
    /// The tokens of every request, sent and received, as far as the size of the context tells.
    contexts: u64,
    /// The size that was told last. It is told more than once for a request.
    size: u64,
}

impl Meter {
    /// A request as Qwen reports it: in the notes of an empty message.
    pub(super) fn request(&mut self, notes: Option<&Map<String, Value>>) {
        let Some(used) = notes.and_then(|notes| notes.get("usage")).filter(|used| used.is_object()) else { return };
        self.requests = Some(self.requests.unwrap_or_default().plus(camel(used)));
    }

    /// The context has grown to `size` tokens, which were all sent or received by the request that was just answered.
    pub(super) fn context(&mut self, size: u64, cost: Option<f64>) {
        self.cost = cost.or(self.cost);
        if self.size.abs_diff(size) <= WORD {
            self.contexts = self.contexts.saturating_sub(self.size).saturating_add(size.max(self.size));
        } else {
            self.contexts = self.contexts.saturating_add(size);
        }
        self.size = size;
    }

    /// What the turn took: by its last word, else request by request, else by the size of the context, which leaves open
    /// how much of it was the answer, and is marked as our guess.
    pub(super) fn read(&self, result: &Value, answer: &str) -> Usage {
        let by_context = || {
            let output = Usage::guess(answer).min(self.contexts);
            let input_tokens = self.contexts - output;
            Usage { input_tokens, output_tokens: output, estimated: 0 < self.contexts, ..Usage::default() }
        };
        let usage = last_word(result).filter(Usage::is_reported).or(self.requests).unwrap_or_else(by_context);
        Usage { usd: self.cost.filter(|cost| *cost > 0.0).map(micros), ..usage }
    }
}

/// What stands beside the reason why it stopped. By model is the whole; without that there is a sum, in which Claude's
/// bridge has only what its main model took.
fn last_word(result: &Value) -> Option<Usage> {
    let quota = &result["_meta"]["quota"];
    let by_model = quota["model_usage"].as_array().into_iter().flatten().map(|of| &of["token_count"]);
    let by_model: Vec<Usage> = by_model.filter(|count| count.is_object()).map(count).collect();
    let sum = &quota["token_count"];
    if !by_model.is_empty() {
        let whole = by_model.into_iter().fold(Usage::default(), Usage::plus);
        // Claude's bridge has a title found by a call of its own, which may end after the turn and is in no report then.
        let lacks_title = sum.get("cachedWriteTokens").is_some() && count(sum) == whole;
        return Some(Usage { estimated: lacks_title, ..whole });
    }
    let used = &result["usage"];
    sum.is_object().then(|| count(sum)).or_else(|| used.is_object().then(|| camel(used)))
}

/// In either spelling.
fn count(count: &Value) -> Usage {
    if count.get("input_tokens").is_none() {
        return camel(count);
    }
    Usage {
        input_tokens: number(count, &["input_tokens"]),
        output_tokens: number(count, &["output_tokens"]),
        ..Usage::default()
    }
}

fn camel(used: &Value) -> Usage {
    let input = number(used, &["inputTokens"]);
    let output = number(used, &["outputTokens"]);
    let cached_tokens = number(used, &["cachedReadTokens", "cachedInputTokens"]);
    let cache_write_tokens = number(used, &["cachedWriteTokens"]);
    let thought = number(used, &["thoughtTokens", "reasoningOutputTokens"]);
    let total = number(used, &["totalTokens"]);
    // Whether the parts are in the whole already, only the total tells.
    let cache = cached_tokens.saturating_add(cache_write_tokens);
    let (mut whole, mut input_tokens, mut output_tokens) = (input.saturating_add(output), input, output);
    for (part, of) in [(cache, &mut input_tokens), (thought, &mut output_tokens)] {
        if whole.saturating_add(part) <= total {
            whole = whole.saturating_add(part);
            *of = of.saturating_add(part);
        }
    }
    Usage { input_tokens, output_tokens, cached_tokens, cache_write_tokens, ..Usage::default() }
}

/// What is no number, or less than nothing, is 0: it is for the engine not to believe it.
fn number(of: &Value, names: &[&str]) -> u64 {
    names.iter().find_map(|name| of.get(name)?.as_u64()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(usage: Usage) -> (u64, u64, u64, bool) {
        (usage.input_tokens, usage.cached_tokens, usage.output_tokens, usage.estimated)
    }

    /// As the agents of these names said it.
    #[test]
    fn the_last_word_is_read_in_every_spelling() {
        for (name, result, expected) in [
            ("none", json!({ "stopReason": "end_turn" }), (0, 0, 0, false)),
            (
                "gemini 0.61",
                json!({ "_meta": { "quota": {
                    "token_count": { "input_tokens": 7, "output_tokens": 2 },
                    "model_usage": [{ "model": "m", "token_count": { "input_tokens": 7, "output_tokens": 2 } }],
                } } }),
                (7, 0, 2, false),
            ),
            (
                "gemini without models",
                json!({ "_meta": { "quota": { "token_count": { "input_tokens": 7, "output_tokens": 2 } } } }),
                (7, 0, 2, false),
            ),
            (
                "claude-agent-acp 0.100: the title that it asked for is among the models alone",
                json!({
                    "usage": { "inputTokens": 0, "outputTokens": 2, "cachedReadTokens": 0, "cachedWriteTokens": 11299, "totalTokens": 11301 },
                    "_meta": { "quota": {
                        "token_count": { "totalTokens": 11301, "inputTokens": 0, "cachedInputTokens": 0, "cachedWriteTokens": 11299, "outputTokens": 2, "reasoningOutputTokens": 0 },
                        "model_usage": [{ "model": "claude-opus-5-5", "token_count": { "totalTokens": 12164, "inputTokens": 861, "cachedInputTokens": 0, "cachedWriteTokens": 11299, "outputTokens": 4, "reasoningOutputTokens": 0 } }],
                    } },
                }),
                (12_160, 0, 4, false),
            ),
            (
                "claude-agent-acp 0.100: the title came after the turn",
                json!({ "_meta": { "quota": {
                    "token_count": { "totalTokens": 11301, "inputTokens": 0, "cachedInputTokens": 0, "cachedWriteTokens": 11299, "outputTokens": 2, "reasoningOutputTokens": 0 },
                    "model_usage": [{ "model": "claude-opus-5-5", "token_count": { "totalTokens": 11301, "inputTokens": 0, "cachedInputTokens": 0, "cachedWriteTokens": 11299, "outputTokens": 2, "reasoningOutputTokens": 0 } }],
                } } }),
                (11_299, 0, 2, true),
            ),
            (
                "copilot 1.0.102",
                json!({ "usage": { "inputTokens": 10426, "outputTokens": 2, "totalTokens": 10428, "thoughtTokens": 0, "cachedReadTokens": 0, "cachedWriteTokens": 0 } }),
                (10_426, 0, 2, false),
            ),
            (
                "parts beside the whole",
                json!({ "usage": { "inputTokens": 7, "outputTokens": 2, "cachedReadTokens": 5, "thoughtTokens": 3, "totalTokens": 17 } }),
                (12, 5, 5, false),
            ),
            (
                "parts inside of the whole",
                json!({ "usage": { "inputTokens": 7, "outputTokens": 2, "cachedReadTokens": 5, "thoughtTokens": 1, "totalTokens": 9 } }),
                (7, 5, 2, false),
            ),
            (
                "nonsense is nothing",
                json!({ "usage": { "inputTokens": -7, "outputTokens": "2", "totalTokens": 1.5 } }),
                (0, 0, 0, false),
            ),
        ] {
            assert_eq!(told(Meter::default().read(&result, "")), expected, "{name}");
        }
    }

    #[test]
    fn requests_are_added_up() {
        let mut meter = Meter::default();
        let note =
            |input: u64| json!({ "usage": { "inputTokens": input, "outputTokens": 2, "totalTokens": input + 2 } });
        for notes in [note(20_211), note(20_300), json!({ "durationMs": 3 }), json!({ "usage": "lots" })] {
            meter.request(notes.as_object());
        }
        meter.request(None);
        meter.context(20_211, None);
        assert_eq!(told(meter.read(&json!({}), "hello")), (40_511, 0, 4, false), "and the context is no more of them");
    }

    #[test]
    fn a_context_is_a_guess_for_every_request() {
        let mut meter = Meter::default();
        // Codex' bridge tells it once a request, Claude's again with every few words.
        for size in [11_526, 11_526, 11_530, 12_400] {
            meter.context(size, None);
        }
        assert_eq!(told(meter.read(&json!({ "stopReason": "end_turn" }), "sixteen bytes ok")), (23_926, 0, 4, true));
        let mut silent = Meter::default();
        silent.context(0, None);
        assert_eq!(told(silent.read(&json!({}), "text")), (0, 0, 0, false), "0 is no report");
    }
}
