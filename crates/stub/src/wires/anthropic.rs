//! Anthropic Messages.

use serde_json::{Value, json};

use super::{Told, deltas, event, is_true, parts, required_model, text_of};
use crate::asked::{Asked, Refusal, role_of, shown};
use crate::call::Purpose;

/// Marks in a request at most.
const MAX_MARKS: usize = 4;

pub(super) fn read(body: &Value, purpose: Purpose) -> Result<Asked, Refusal> {
    let max_tokens = body.get("max_tokens").and_then(Value::as_u64);
    if max_tokens.is_none() && purpose == Purpose::Answer {
        return Err(Refusal::bad("max_tokens: Field required"));
    }
    let messages = body.get("messages").and_then(Value::as_array);
    let messages = messages.ok_or_else(|| Refusal::bad("messages: Field required"))?;
    let mut asked = Asked {
        model: required_model(body)?,
        is_stream: is_true(body, "stream"),
        max_tokens,
        temperature: body.get("temperature").and_then(Value::as_f64),
        has_schema: has_schema(body),
        wants_usage: true,
        ..Asked::default()
    };
    for tool in body.get("tools").into_iter().flat_map(parts) {
        asked.add_tool(text_of(tool, "name"), tool, false);
    }
    for part in body.get("system").into_iter().flat_map(parts) {
        asked.add("system", shown(part), is_marked(part));
    }
    for message in messages {
        let role = role_of(text_of(message, "role"));
        let parts = message.get("content").map(parts).unwrap_or_default();
        let is_result = |part: &&Value| text_of(part, "type") == "tool_result";
        asked.has_tool_results = parts.iter().any(is_result);
        if role == "user" && !asked.has_tool_results {
            asked.user = parts.iter().map(|part| shown(part)).collect::<Vec<_>>().join("\n");
        }
        for part in parts {
            asked.add(role, shown(part), is_marked(part));
        }
    }
    if MAX_MARKS < asked.marks() {
        let found = asked.marks();
        return Err(Refusal::bad(format!(
            "A maximum of {MAX_MARKS} blocks with cache_control may be provided. Found {found}."
        )));
    }
    // A mark on the request itself stands for one on its last block.
    if is_marked(body)
        && let Some(last) = asked.blocks.last_mut()
    {
        last.is_marked = true;
    }
    Ok(asked)
}

pub(super) fn whole(asked: &Asked, told: &Told) -> Value {
    let mut content = Vec::new();
    if !told.text.is_empty() || told.tools.is_empty() {
        content.push(json!({"type": "text", "text": told.text}));
    }
    for (index, tool) in told.tools.iter().enumerate() {
        content.push(json!({"type": "tool_use", "id": id(told, index), "name": tool.name, "input": tool.input}));
    }
    let mut message = message(asked, told);
    message["content"] = content.into();
    message["stop_reason"] = stop_reason(told).into();
    message["usage"]["output_tokens"] = told.tokens.output.into();
    message
}

pub(super) fn stream(asked: &Asked, told: &Told) -> Vec<Vec<u8>> {
    let mut events = vec![event("message_start", &json!({"type": "message_start", "message": message(asked, told)}))];
    let mut index = 0;
    let mut block = |begin: Value, deltas: Vec<Value>| {
        let start = json!({"type": "content_block_start", "index": index, "content_block": begin});
        events.push(event("content_block_start", &start));
        if index == 0 {
            events.push(event("ping", &json!({"type": "ping"})));
        }
        for delta in deltas {
            let delta = json!({"type": "content_block_delta", "index": index, "delta": delta});
            events.push(event("content_block_delta", &delta));
        }
        events.push(event("content_block_stop", &json!({"type": "content_block_stop", "index": index})));
        index += 1;
    };
    if !told.text.is_empty() || told.tools.is_empty() {
        let texts = deltas(&told.text).into_iter().map(|text| json!({"type": "text_delta", "text": text}));
        block(json!({"type": "text", "text": ""}), texts.collect());
    }
    for (number, tool) in told.tools.iter().enumerate() {
        let input = tool.input.to_string();
        let pieces = deltas(&input).into_iter().map(|json| json!({"type": "input_json_delta", "partial_json": json}));
        block(json!({"type": "tool_use", "id": id(told, number), "name": tool.name, "input": {}}), pieces.collect());
    }
    let delta = json!({
        "type": "message_delta",
        "delta": {"stop_reason": stop_reason(told), "stop_sequence": null},
        "usage": usage(told, told.tokens.output),
    });
    events.push(event("message_delta", &delta));
    events.push(event("message_stop", &json!({"type": "message_stop"})));
    events
}

pub(super) fn error(status: u16, message: &str) -> Value {
    let kind = match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        400..500 => "invalid_request_error",
        _ => "api_error",
    };
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_stub"})
}

/// The message as it begins: nothing said yet.
fn message(asked: &Asked, told: &Told) -> Value {
    json!({
        "id": format!("msg_stub_{}", told.number), "type": "message", "role": "assistant", "model": asked.model,
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage(told, 1),
    })
}

fn usage(told: &Told, output: u64) -> Value {
    let tokens = told.tokens;
    json!({
        "input_tokens": tokens.input - tokens.cached - tokens.cache_write,
        "cache_creation_input_tokens": tokens.cache_write,
        "cache_read_input_tokens": tokens.cached,
        "cache_creation": {"ephemeral_5m_input_tokens": tokens.cache_write, "ephemeral_1h_input_tokens": 0},
        "output_tokens": output,
        "service_tier": "standard",
    })
}

fn stop_reason(told: &Told) -> &'static str {
    match (told.tools.is_empty(), told.is_cut_off) {
        (false, _) => "tool_use",
        (true, true) => "max_tokens",
        (true, false) => "end_turn",
    }
}

fn id(told: &Told, index: usize) -> String {
    format!("toolu_stub_{}_{index}", told.number)
}

fn is_marked(part: &Value) -> bool {
    part.get("cache_control").is_some_and(Value::is_object)
}

/// The field moved once, and clients send either.
fn has_schema(body: &Value) -> bool {
    let format = body.get("output_format").or_else(|| body.get("output_config").and_then(|it| it.get("format")));
    format.is_some_and(|format| text_of(format, "type") == "json_schema")
}
