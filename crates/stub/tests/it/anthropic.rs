use serde_json::{Value, json};
use tribunal_stub::{Matcher, Script, Stub, StubReply};

use crate::client::{Connection, post};

const PATH: &str = "/v1/messages?beta=true";

fn body(more: &Value) -> Value {
    let mut body = json!({
        "model": "claude-sonnet-4-5", "max_tokens": 1000, "temperature": 0.5,
        "system": "Be kind.", "messages": [{"role": "user", "content": "Say hello to 世界."}],
    });
    body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    body
}

#[tokio::test]
async fn a_whole_answer() {
    let stub = Stub::start(Script::always("You said: {{user}}")).unwrap();
    let got = post(&stub, PATH, &body(&json!({}))).await;
    assert_eq!((got.status, got.header("content-type")), (200, Some("application/json")));
    let message = got.json();
    assert_eq!(message["content"], json!([{"type": "text", "text": "You said: Say hello to 世界."}]));
    assert_eq!((&message["stop_reason"], &message["role"]), (&json!("end_turn"), &json!("assistant")));
    // 8 and 20 bytes in, 30 bytes out.
    assert_eq!(message["usage"]["input_tokens"], 7);
    assert_eq!(message["usage"]["output_tokens"], 8);

    let call = &stub.calls()[0];
    assert_eq!((call.call.prompt.as_str(), call.call.system.as_str()), ("Be kind.\n\nSay hello to 世界.", "Be kind."));
    assert_eq!((call.call.max_tokens, call.call.temperature), (Some(1000), Some(0.5)));
    assert!(call.call.has_key && !format!("{call:?}").contains("secret-1"));
    assert_eq!((call.status, call.fault, call.answer.len()), (Some(200), None, 30));
}

#[tokio::test]
async fn a_stream() {
    let text = "A text that comes in several pieces, as models write it.";
    let stub = Stub::start(Script::always(text)).unwrap();
    let got = post(&stub, PATH, &body(&json!({"stream": true}))).await;
    assert!(got.is_whole);
    let events = got.events();
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "message_start",
            "content_block_start",
            "ping",
            "content_block_delta",
            "content_block_delta",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop"
        ]
    );
    assert!(events.iter().all(|(name, data)| data["type"] == **name));
    let said: String = events.iter().filter_map(|(_, data)| data["delta"]["text"].as_str()).collect();
    assert_eq!(said, text);
    assert_eq!(events[0].1["message"]["usage"]["input_tokens"], 7);
    assert_eq!(events[7].1["usage"]["output_tokens"], 14);
    assert_eq!(events[7].1["delta"]["stop_reason"], "end_turn");
}

#[tokio::test]
async fn tools_are_called_and_their_results_come_back() {
    let script = Script::new()
        .rule(Matcher { tool_results: Some(true), ..Matcher::default() }, "It is warm.")
        .rule(Matcher::default(), StubReply::tool("weather", json!({"place": "Oslo"})));
    let stub = Stub::start(script).unwrap();
    let tools = json!({"tools": [{"name": "weather", "input_schema": {"type": "object"}}]});

    let message = post(&stub, PATH, &body(&tools)).await.json();
    assert_eq!(message["stop_reason"], "tool_use");
    let call = message["content"][0].clone();
    assert_eq!(
        (&call["type"], &call["name"], &call["input"]["place"]),
        (&json!("tool_use"), &json!("weather"), &json!("Oslo"))
    );

    let mut streamed = body(&tools);
    streamed["stream"] = true.into();
    let events = post(&stub, PATH, &streamed).await.events();
    let input: String = events.iter().filter_map(|(_, data)| data["delta"]["partial_json"].as_str()).collect();
    assert_eq!(serde_json::from_str::<Value>(&input).unwrap(), json!({"place": "Oslo"}));

    let mut next = body(&tools);
    let messages = next["messages"].as_array_mut().unwrap();
    messages.push(json!({"role": "assistant", "content": [call]}));
    let result = json!({"type": "tool_result", "tool_use_id": call["id"], "content": "20 degrees"});
    messages.push(json!({"role": "user", "content": [result]}));
    assert_eq!(post(&stub, PATH, &next).await.json()["content"][0]["text"], "It is warm.");
    let calls = stub.calls();
    assert_eq!(
        (&calls[0].call.tools, &calls[0].tool_calls),
        (&vec!["weather".to_owned()], &vec!["weather".to_owned()])
    );
    assert_eq!(calls[2].call.user, "Say hello to 世界.", "results of tools are not what the user said");
}

#[tokio::test]
async fn the_cache_is_written_and_read_as_marks_say() {
    let stub = Stub::start(Script::always("Yes.")).unwrap();
    let mark = json!({"type": "ephemeral"});
    let ask = |user: &str, model: &str| {
        body(&json!({
            "model": model,
            "system": [{"type": "text", "text": "x".repeat(8000), "cache_control": mark}],
            "messages": [{"role": "user", "content": [{"type": "text", "text": user, "cache_control": mark}]}],
        }))
    };
    let mut connection = Connection::to(&stub).await;
    for (name, user, model, expected) in [
        ("written", "What?", "claude-sonnet-4-5", [0, 2002, 0]),
        ("all of it is read", "What?", "claude-sonnet-4-5", [0, 0, 2002]),
        ("the beginning is read", "Who is it?", "claude-sonnet-4-5", [0, 3, 2000]),
        ("another model", "What?", "claude-haiku-4-5", [0, 2002, 0]),
    ] {
        let usage = connection.post(PATH, &ask(user, model)).await.json()["usage"].clone();
        let names = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
        assert_eq!(names.map(|name| usage[name].as_u64().unwrap()), expected, "{name}");
    }
    let totals = stub.totals().tokens;
    assert_eq!((totals.input, totals.cached, totals.cache_write), (8009, 4002, 4007));
    assert!(stub.calls().iter().all(|record| record.call.cache_marks == 2));
}

#[tokio::test]
async fn what_the_provider_refuses_is_refused() {
    let stub = Stub::start(Script::always("Yes.")).unwrap();
    let marked = json!({"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}});
    for (name, body) in [
        ("no max_tokens", json!({"model": "m", "messages": []})),
        ("no model", json!({"max_tokens": 1, "messages": []})),
        ("no messages", json!({"model": "m", "max_tokens": 1})),
        ("five marks", body(&json!({"system": vec![marked; 5]}))),
        ("no object", json!([1, 2])),
    ] {
        let got = post(&stub, PATH, &body).await;
        assert_eq!((got.status, &got.json()["error"]["type"]), (400, &json!("invalid_request_error")), "{name}");
    }
}

#[tokio::test]
async fn tokens_are_counted_schemas_noticed_and_long_answers_cut_off() {
    let stub = Stub::start(Script::always("A long answer.")).unwrap();
    let count = json!({"model": "m", "messages": [{"role": "user", "content": "12345678"}]});
    assert_eq!(post(&stub, "/v1/messages/count_tokens", &count).await.json(), json!({"input_tokens": 2}));
    assert_eq!(stub.totals().calls, 0, "to count is not to ask");

    let schema = json!({"type": "json_schema", "schema": {}});
    let short = body(&json!({"max_tokens": 2, "output_format": schema}));
    let message = post(&stub, PATH, &short).await.json();
    assert_eq!((&message["stop_reason"], &message["content"][0]["text"]), (&json!("max_tokens"), &json!("A long a")));
    assert!(stub.calls()[1].call.has_schema);
}
