//! Finding `{"usage": …}` in an answer, where an agent offers it.

use serde_json::Value;
use tribunal_kernel::{Usage, Usd, answer};

/// The usage in the last JSON object of `text` that has one, on its own or as part of the answer. The names are those
/// that the common interfaces use.
pub fn find(text: &str) -> Usage {
    // Most answers have none: do not parse the whole text to learn that.
    if !text.contains("\"usage\"") {
        return Usage::default();
    }
    let last =
        answer::objects(text).filter_map(|object| object.get("usage").filter(|usage| usage.is_object()).cloned());
    last.last().map(|usage| read(&usage)).unwrap_or_default()
}

fn read(usage: &Value) -> Usage {
    let number = |names: &[&str]| names.iter().find_map(|name| usage.get(name)?.as_u64()).unwrap_or_default();
    let usd = ["usd", "cost_usd", "total_cost_usd"].iter().find_map(|name| usage.get(name)?.as_f64());
    Usage {
        input_tokens: number(&["input_tokens", "prompt_tokens"]),
        output_tokens: number(&["output_tokens", "completion_tokens"]),
        cached_tokens: number(&["cached_tokens", "cached_input_tokens", "cache_read_input_tokens"]),
        cache_write_tokens: number(&["cache_write_tokens", "cache_creation_input_tokens"]),
        usd: usd.filter(|usd| *usd >= 0.0).map(micros),
        estimated: false,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be positive; `as` saturates")]
pub(crate) fn micros(usd: f64) -> Usd {
    Usd((usd * 1e6).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_read_where_it_is_offered() {
        for (name, text, expected) in [
            ("none", r#"{"verdict":"ok"}"#, (0, 0, None)),
            (
                "beside the answer",
                r#"{"verdict":"ok"} {"usage":{"input_tokens":7,"output_tokens":2,"usd":0.01}}"#,
                (7, 2, Some(Usd(10_000))),
            ),
            (
                "inside the answer",
                r#"{"verdict":"ok","usage":{"prompt_tokens":7,"completion_tokens":2}}"#,
                (7, 2, None),
            ),
            ("a word about usage", r#"the "usage" of {"verdict":"ok"}"#, (0, 0, None)),
            ("negative price", r#"{"usage":{"usd":-1}}"#, (0, 0, None)),
        ] {
            let usage = find(text);
            assert_eq!((usage.input_tokens, usage.output_tokens, usage.usd), expected, "{name}");
        }
    }
}
