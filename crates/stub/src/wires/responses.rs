//! OpenAI Responses, as the Codex command line speaks it.

use serde_json::{Value, json};

use super::{CREATED, Told, deltas, event, is_true, parts, required_model, text_of};
use crate::asked::{Asked, Refusal, role_of, shown};

pub(super) fn read(body: &Value) -> Result<Asked, Refusal> {
    let input = body.get("input").ok_or_else(|| Refusal::bad("Missing required parameter: 'input'."))?;
    let format = body.get("text").and_then(|text| text.get("format"));
    let mut asked = Asked {
        model: required_model(body)?,
        is_stream: is_true(body, "stream"),
        max_tokens: body.get("max_output_tokens").and_then(Value::as_u64),
        temperature: body.get("temperature").and_then(Value::as_f64),
        has_schema: format.is_some_and(|format| text_of(format, "type") == "json_schema"),
        wants_usage: true,
        ..Asked::default()
    };
    body.get("tools").into_iter().flat_map(parts).for_each(|tool| add_tool(&mut asked, tool));
    if let Some(instructions) = body.get("instructions").and_then(Value::as_str) {
        asked.add("system", instructions, false);
    }
    for item in parts(input) {
        let kind = text_of(item, "type");
        if kind == "additional_tools" {
            item.get("tools").into_iter().flat_map(parts).for_each(|tool| add_tool(&mut asked, tool));
            continue;
        }
        asked.has_tool_results = kind.ends_with("_call_output");
        if item.get("content").is_none() && !item.is_string() {
            // A call of a tool, its result, or reasoning.
            let role = if asked.has_tool_results { "tool" } else { "assistant" };
            asked.add(role, shown(item), false);
            continue;
        }
        let role = if item.is_string() { "user" } else { role_of(text_of(item, "role")) };
        let texts: Vec<String> = parts(item.get("content").unwrap_or(item)).into_iter().map(shown).collect();
        if role == "user" {
            asked.user = texts.join("\n");
        }
        for text in texts {
            asked.add(role, text, false);
        }
    }
    Ok(asked)
}

/// A tool, or a group of them: newer versions of Codex offer theirs in groups, as the first item of what they say.
fn add_tool(asked: &mut Asked, tool: &Value) {
    if text_of(tool, "type") == "namespace" {
        return tool.get("tools").into_iter().flat_map(parts).for_each(|tool| add_tool(asked, tool));
    }
    let named = ["name", "type"].into_iter().map(|field| text_of(tool, field));
    let name = named.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
    asked.add_tool(name, tool, text_of(tool, "type") == "custom");
}

pub(super) fn whole(asked: &Asked, told: &Told) -> Value {
    response(asked, told, true)
}

pub(super) fn stream(asked: &Asked, told: &Told) -> Vec<Vec<u8>> {
    let mut events = Vec::new();
    let mut add = |name: &str, mut fields: Value| {
        fields["type"] = name.into();
        fields["sequence_number"] = events.len().into();
        events.push(event(name, &fields));
    };
    add("response.created", json!({"response": response(asked, told, false)}));
    add("response.in_progress", json!({"response": response(asked, told, false)}));
    for (index, item) in items(asked, told).into_iter().enumerate() {
        let id = item["id"].clone();
        let place = |mut fields: Value| {
            fields["output_index"] = index.into();
            fields["item_id"] = id.clone();
            fields
        };
        let mut begun = item.clone();
        begun["status"] = "in_progress".into();
        let piecewise = ["content", "arguments", "input"].into_iter().find(|name| item.get(*name).is_some());
        let piecewise = piecewise.expect("an item is a message or a call");
        begun[piecewise] = if piecewise == "content" { json!([]) } else { "".into() };
        add("response.output_item.added", json!({"output_index": index, "item": begun}));
        match piecewise {
            "content" => {
                let empty = json!({"type": "output_text", "text": "", "annotations": []});
                add("response.content_part.added", place(json!({"content_index": 0, "part": empty})));
                for text in deltas(&told.text) {
                    add(
                        "response.output_text.delta",
                        place(json!({"content_index": 0, "delta": text, "logprobs": []})),
                    );
                }
                let done = json!({"content_index": 0, "text": told.text, "logprobs": []});
                add("response.output_text.done", place(done));
                add("response.content_part.done", place(json!({"content_index": 0, "part": item["content"][0]})));
            }
            name => {
                let kind = if name == "input" { "custom_tool_call_input" } else { "function_call_arguments" };
                for piece in deltas(text_of(&item, name)) {
                    add(&format!("response.{kind}.delta"), place(json!({"delta": piece})));
                }
                add(&format!("response.{kind}.done"), place(json!({name: item[name]})));
            }
        }
        add("response.output_item.done", json!({"output_index": index, "item": item}));
    }
    let last = if told.is_cut_off { "response.incomplete" } else { "response.completed" };
    add(last, json!({"response": response(asked, told, true)}));
    events
}

fn response(asked: &Asked, told: &Told, is_done: bool) -> Value {
    let status = match (is_done, told.is_cut_off) {
        (false, _) => "in_progress",
        (true, true) => "incomplete",
        (true, false) => "completed",
    };
    let why = (is_done && told.is_cut_off).then(|| json!({"reason": "max_output_tokens"}));
    json!({
        "id": format!("resp_stub_{}", told.number), "object": "response", "created_at": CREATED, "status": status,
        "model": asked.model, "error": null, "incomplete_details": why,
        "output": if is_done { items(asked, told) } else { Vec::new() },
        "usage": is_done.then(|| usage(told)), "parallel_tool_calls": true, "store": false,
    })
}

/// What was said, and then the calls.
fn items(asked: &Asked, told: &Told) -> Vec<Value> {
    let mut items = Vec::new();
    if !told.text.is_empty() || told.tools.is_empty() {
        let content = json!([{"type": "output_text", "text": told.text, "annotations": []}]);
        let status = if told.is_cut_off { "incomplete" } else { "completed" };
        items.push(json!({
            "id": format!("msg_stub_{}", told.number), "type": "message", "role": "assistant", "status": status,
            "content": content,
        }));
    }
    for (index, tool) in told.tools.iter().enumerate() {
        let is_freeform = asked.tools.iter().any(|offered| offered.is_freeform && offered.name == tool.name);
        let mut item = json!({
            "id": format!("fc_stub_{}_{index}", told.number), "call_id": format!("call_stub_{}_{index}", told.number),
            "name": tool.name, "status": "completed",
        });
        if is_freeform {
            item["type"] = "custom_tool_call".into();
            item["input"] = shown(&tool.input).into();
        } else {
            item["type"] = "function_call".into();
            item["arguments"] = tool.input.to_string().into();
        }
        items.push(item);
    }
    items
}

fn usage(told: &Told) -> Value {
    let tokens = told.tokens;
    json!({
        "input_tokens": tokens.input, "input_tokens_details": {"cached_tokens": tokens.cached},
        "output_tokens": tokens.output, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens.input + tokens.output,
    })
}
