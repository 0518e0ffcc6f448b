use serde_json::{Value, json};
use tribunal_stub::{Script, Stub, StubReply, ToolCall};

use crate::client::post;

const PATH: &str = "/v1/responses";

fn body(more: &Value) -> Value {
    let mut body = json!({
        "model": "gpt-5-codex", "instructions": "Be kind.",
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello"}]}],
    });
    body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    body
}

#[tokio::test]
async fn a_whole_answer() {
    let stub = Stub::start(Script::always("You said: {{user}}")).unwrap();
    for input in [body(&json!({}))["input"].clone(), json!("Hello")] {
        let answer = post(&stub, PATH, &body(&json!({"input": input}))).await.json();
        assert_eq!(answer["status"], "completed");
        assert_eq!(answer["output"][0]["content"][0]["text"], "You said: Hello");
        assert_eq!((&answer["usage"]["input_tokens"], &answer["usage"]["output_tokens"]), (&json!(4), &json!(4)));
    }
}

#[tokio::test]
async fn a_stream() {
    let stub = Stub::start(Script::always("In several pieces, as models do.")).unwrap();
    let format = json!({"format": {"type": "json_schema", "name": "x", "schema": {}}});
    let got = post(&stub, PATH, &body(&json!({"stream": true, "text": format}))).await;
    let events = got.events();
    let names: Vec<&str> = events.iter().map(|(name, _)| name.trim_start_matches("response.")).collect();
    assert_eq!(
        names,
        [
            "created",
            "in_progress",
            "output_item.added",
            "content_part.added",
            "output_text.delta",
            "output_text.delta",
            "output_text.done",
            "content_part.done",
            "output_item.done",
            "completed"
        ]
    );
    for (at, (name, data)) in events.iter().enumerate() {
        assert_eq!((&data["type"], &data["sequence_number"]), (&json!(name), &json!(at)));
    }
    let said: String = events.iter().filter_map(|(_, data)| data["delta"].as_str()).collect();
    assert_eq!(said, "In several pieces, as models do.");
    assert_eq!(events[9].1["response"]["usage"]["output_tokens"], 8);
    assert_eq!(events[9].1["response"]["output"][0], events[8].1["item"]);
    assert!(stub.calls()[0].call.has_schema);
}

#[tokio::test]
async fn functions_and_freeform_tools_are_called() {
    let call = |name: &str, input: Value| ToolCall { name: name.into(), input };
    let tools = vec![call("shell", json!({"command": ["ls"]})), call("apply_patch", json!("*** Begin Patch"))];
    let stub = Stub::start(Script::always(StubReply { tools, ..StubReply::default() })).unwrap();
    let offered = json!({
        "stream": true,
        "tools": [{"type": "function", "name": "shell"}, {"type": "custom", "name": "apply_patch"}],
    });
    let events = post(&stub, PATH, &body(&offered)).await.events();
    let done = |name: &str| -> Vec<Value> {
        events.iter().filter(|(event, _)| event == name).map(|(_, data)| data.clone()).collect()
    };
    assert_eq!(done("response.function_call_arguments.done")[0]["arguments"], r#"{"command":["ls"]}"#);
    assert_eq!(done("response.custom_tool_call_input.done")[0]["input"], "*** Begin Patch");
    let items: Vec<Value> = done("response.output_item.done").into_iter().map(|data| data["item"].clone()).collect();
    assert_eq!((&items[0]["type"], &items[1]["type"]), (&json!("function_call"), &json!("custom_tool_call")));
    assert!(items[0]["call_id"].is_string());
}

#[tokio::test]
async fn an_answer_that_is_cut_off_says_so_and_results_are_noticed() {
    let stub = Stub::start(Script::always("A long answer.")).unwrap();
    let output = json!([
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello"}]},
        {"type": "function_call", "call_id": "1", "name": "shell", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": "x"},
    ]);
    let answer = post(&stub, PATH, &body(&json!({"max_output_tokens": 1, "input": output}))).await.json();
    assert_eq!(
        (&answer["status"], &answer["incomplete_details"]["reason"]),
        (&json!("incomplete"), &json!("max_output_tokens"))
    );
    let call = &stub.calls()[0].call;
    assert!(call.has_tool_results && call.user == "Hello");
}
