//! OpenAI Chat Completions.

use serde_json::{Value, json};

use super::{CREATED, Told, data, deltas, is_true, parts, required_model, text_of};
use crate::asked::{Asked, Refusal, role_of, shown};

pub(super) fn read(body: &Value) -> Result<Asked, Refusal> {
    let messages = body.get("messages").and_then(Value::as_array);
    let messages = messages.ok_or_else(|| Refusal::bad("Missing required parameter: 'messages'."))?;
    let is_stream = is_true(body, "stream");
    let max_tokens = body.get("max_completion_tokens").or_else(|| body.get("max_tokens"));
    let mut asked = Asked {
        model: required_model(body)?,
        is_stream,
        max_tokens: max_tokens.and_then(Value::as_u64),
        temperature: body.get("temperature").and_then(Value::as_f64),
        has_schema: body.get("response_format").is_some_and(|format| text_of(format, "type") == "json_schema"),
        wants_usage: body.get("stream_options").is_some_and(|options| is_true(options, "include_usage")),
        ..Asked::default()
    };
    for tool in body.get("tools").into_iter().flat_map(parts) {
        let name = tool.get("function").map(|function| text_of(function, "name")).unwrap_or_default();
        asked.add_tool(name, tool, false);
    }
    for message in messages {
        let role = role_of(text_of(message, "role"));
        asked.has_tool_results = role == "tool";
        let mut texts: Vec<String> =
            message.get("content").map(parts).unwrap_or_default().into_iter().map(shown).collect();
        if role == "user" {
            asked.user = texts.join("\n");
        }
        texts.extend(message.get("tool_calls").map(ToString::to_string));
        for text in texts {
            asked.add(role, text, false);
        }
    }
    Ok(asked)
}

pub(super) fn whole(asked: &Asked, told: &Told) -> Value {
    let mut message = json!({"role": "assistant", "content": content(told), "refusal": null});
    if !told.tools.is_empty() {
        message["tool_calls"] = (0..told.tools.len()).map(|index| call(told, index)).collect();
    }
    json!({
        "id": id(told), "object": "chat.completion", "created": CREATED, "model": asked.model,
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason(told)}],
        "usage": usage(told), "system_fingerprint": "fp_stub",
    })
}

pub(super) fn stream(asked: &Asked, told: &Told) -> Vec<Vec<u8>> {
    let chunk = |choices: Value, usage: Value| {
        let mut chunk = json!({
            "id": id(told), "object": "chat.completion.chunk", "created": CREATED, "model": asked.model,
            "system_fingerprint": "fp_stub", "choices": choices,
        });
        if asked.wants_usage {
            chunk["usage"] = usage;
        }
        data(&chunk)
    };
    let delta = |delta: Value| {
        chunk(json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": null}]), Value::Null)
    };
    let mut chunks = vec![delta(json!({"role": "assistant", "content": content(told).map(|_| "")}))];
    chunks.extend(deltas(&told.text).into_iter().map(|text| delta(json!({"content": text}))));
    for (index, tool) in told.tools.iter().enumerate() {
        let mut begin = call(told, index);
        begin["index"] = index.into();
        begin["function"]["arguments"] = "".into();
        chunks.push(delta(json!({"tool_calls": [begin]})));
        for piece in deltas(&tool.input.to_string()) {
            chunks.push(delta(json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})));
        }
    }
    let end = json!([{"index": 0, "delta": {}, "logprobs": null, "finish_reason": finish_reason(told)}]);
    chunks.push(chunk(end, Value::Null));
    if asked.wants_usage {
        chunks.push(chunk(json!([]), usage(told)));
    }
    chunks.push(b"data: [DONE]\n\n".to_vec());
    chunks
}

/// An error of OpenAI, on either of its wires.
pub(super) fn error(status: u16, message: &str) -> Value {
    let is_too_long = message.contains("maximum context length");
    let (kind, code) = match status {
        401 => ("invalid_request_error", Some("invalid_api_key")),
        403 => ("request_forbidden", Some("permission_denied")),
        429 => ("requests", Some("rate_limit_exceeded")),
        400 if is_too_long => ("invalid_request_error", Some("context_length_exceeded")),
        400..500 => ("invalid_request_error", None),
        _ => ("server_error", None),
    };
    json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
}

fn usage(told: &Told) -> Value {
    let tokens = told.tokens;
    json!({
        "prompt_tokens": tokens.input, "completion_tokens": tokens.output, "total_tokens": tokens.input + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cached, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": 0, "audio_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0,
        },
    })
}

/// A message that only calls tools has none.
fn content(told: &Told) -> Option<&str> {
    (!told.text.is_empty() || told.tools.is_empty()).then_some(told.text.as_str())
}

fn call(told: &Told, index: usize) -> Value {
    let tool = &told.tools[index];
    let function = json!({"name": tool.name, "arguments": tool.input.to_string()});
    json!({"id": format!("call_stub_{}_{index}", told.number), "type": "function", "function": function})
}

fn finish_reason(told: &Told) -> &'static str {
    match (told.tools.is_empty(), told.is_cut_off) {
        (false, _) => "tool_calls",
        (true, true) => "length",
        (true, false) => "stop",
    }
}

fn id(told: &Told) -> String {
    format!("chatcmpl-stub-{}", told.number)
}
