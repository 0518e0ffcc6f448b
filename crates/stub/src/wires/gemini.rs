//! Gemini.

use serde_json::{Value, json};

use super::{Route, Told, deltas, parts, text_of};
use crate::asked::{Asked, Refusal, role_of, shown};
use crate::call::{Purpose, Wire};

/// `/models/NAME:METHOD`.
pub(super) fn route(path: &str) -> Option<Route> {
    let (model, method) = path.strip_prefix("/models/")?.rsplit_once(':')?;
    let (purpose, is_stream) = match method {
        "generateContent" => (Purpose::Answer, false),
        "streamGenerateContent" => (Purpose::Answer, true),
        "countTokens" => (Purpose::CountTokens, false),
        _ => return None,
    };
    Some(Route { wire: Some(Wire::Gemini), purpose, model: Some(model.to_owned()), is_stream })
}

pub(super) fn read(body: &Value, route: &Route) -> Result<Asked, Refusal> {
    // A count can be asked for a whole request, too.
    let body = body.get("generateContentRequest").unwrap_or(body);
    let contents = body
        .get("contents")
        .ok_or_else(|| Refusal::bad("GenerateContentRequest.contents: contents is not specified"))?;
    let field = |name: &str, snake: &str| body.get(name).or_else(|| body.get(snake));
    let config = field("generationConfig", "generation_config").cloned().unwrap_or_default();
    let schemas = ["responseSchema", "responseJsonSchema", "response_schema"];
    let mut asked = Asked {
        model: route.model.clone().unwrap_or_default(),
        is_stream: route.is_stream,
        max_tokens: config.get("maxOutputTokens").and_then(Value::as_u64),
        temperature: config.get("temperature").and_then(Value::as_f64),
        has_schema: schemas.iter().any(|name| config.get(*name).is_some()),
        wants_usage: true,
        ..Asked::default()
    };
    for tool in body.get("tools").into_iter().flat_map(parts) {
        for function in tool.get("functionDeclarations").into_iter().flat_map(parts) {
            asked.add_tool(text_of(function, "name"), function, false);
        }
    }
    let system = field("systemInstruction", "system_instruction").and_then(|content| content.get("parts"));
    for part in system.into_iter().flat_map(parts) {
        asked.add("system", shown(part), false);
    }
    for content in parts(contents) {
        let role = role_of(text_of(content, "role"));
        let parts = content.get("parts").map(parts).unwrap_or_default();
        asked.has_tool_results = parts.iter().any(|part| part.get("functionResponse").is_some());
        if role == "user" && !asked.has_tool_results {
            asked.user = parts.iter().map(|part| shown(part)).collect::<Vec<_>>().join("\n");
        }
        for part in parts {
            asked.add(role, shown(part), false);
        }
    }
    Ok(asked)
}

pub(super) fn whole(asked: &Asked, told: &Told) -> Value {
    let text = (!told.text.is_empty() || told.tools.is_empty()).then(|| json!({"text": told.text}));
    let parts: Vec<Value> = text.into_iter().chain(calls(told)).collect();
    response(asked, told, &parts, true)
}

/// Server-sent events, or one array whose elements come one after the other.
pub(super) fn stream(asked: &Asked, told: &Told, is_sse: bool) -> Vec<Vec<u8>> {
    let mut parts: Vec<Value> = deltas(&told.text).into_iter().map(|text| json!({"text": text})).collect();
    parts.extend(calls(told));
    if parts.is_empty() {
        parts.push(json!({"text": ""}));
    }
    let last = parts.len() - 1;
    let pieces = parts.into_iter().enumerate().map(|(at, part)| response(asked, told, &[part], at == last));
    if is_sse {
        return pieces.map(|piece| format!("data: {piece}\r\n\r\n").into_bytes()).collect();
    }
    let array = pieces.enumerate().map(|(at, piece)| format!("{}{piece}", if at == 0 { "[" } else { ",\r\n" }));
    array.chain(["]".to_owned()]).map(String::into_bytes).collect()
}

pub(super) fn error(status: u16, message: &str) -> Value {
    let name = match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 => "UNAVAILABLE",
        400..500 => "INVALID_ARGUMENT",
        _ => "INTERNAL",
    };
    json!({"error": {"code": status, "message": message, "status": name}})
}

fn response(asked: &Asked, told: &Told, parts: &[Value], is_last: bool) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    let output = if is_last { told.tokens.output } else { 0 };
    let mut usage = json!({
        "promptTokenCount": told.tokens.input, "candidatesTokenCount": output,
        "totalTokenCount": told.tokens.input + output,
    });
    if 0 < told.tokens.cached {
        usage["cachedContentTokenCount"] = told.tokens.cached.into();
    }
    if is_last {
        candidate["finishReason"] = if told.is_cut_off { "MAX_TOKENS" } else { "STOP" }.into();
    }
    json!({
        "candidates": [candidate], "usageMetadata": usage, "modelVersion": asked.model,
        "responseId": format!("stub-{}", told.number),
    })
}

fn calls(told: &Told) -> impl Iterator<Item = Value> {
    told.tools.iter().map(|tool| json!({"functionCall": {"name": tool.name, "args": tool.input}}))
}
