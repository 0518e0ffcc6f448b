use serde_json::{Value, json};
use tribunal_stub::{Script, Stub, StubReply};

use crate::client::post;

const PATH: &str = "/v1/chat/completions";

fn body(more: &Value) -> Value {
    let mut body = json!({
        "model": "gpt-5",
        "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": [{"type": "text", "text": "Hello"}]}],
    });
    body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    body
}

#[tokio::test]
async fn a_whole_answer() {
    let stub = Stub::start(Script::always("You said: {{user}}")).unwrap();
    let format = json!({"type": "json_schema", "json_schema": {"name": "x", "schema": {}}});
    let answer =
        post(&stub, PATH, &body(&json!({"max_completion_tokens": 50, "response_format": format}))).await.json();
    assert_eq!(answer["choices"][0]["message"]["content"], "You said: Hello");
    assert_eq!(answer["choices"][0]["finish_reason"], "stop");
    assert_eq!(answer["usage"]["prompt_tokens"], 4);
    assert_eq!(answer["usage"]["total_tokens"], 8);
    let call = &stub.calls()[0].call;
    assert_eq!((call.max_tokens, call.has_schema, call.system.as_str()), (Some(50), true, "Be kind."));
}

#[tokio::test]
async fn a_stream_with_usage_only_if_it_is_wanted() {
    let stub = Stub::start(Script::always("A text that comes in several pieces.")).unwrap();
    for wants_usage in [false, true] {
        let options = json!({"stream": true, "stream_options": {"include_usage": wants_usage}});
        let got = post(&stub, PATH, &body(&options)).await;
        assert!(got.is_whole && got.text().ends_with("data: [DONE]\n\n"));
        let chunks: Vec<Value> = got.events().into_iter().map(|(_, data)| data).collect();
        let said: String = chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str()).collect();
        assert_eq!(said, "A text that comes in several pieces.");
        let finish: Vec<&Value> = chunks.iter().map(|chunk| &chunk["choices"][0]["finish_reason"]).collect();
        assert_eq!(finish.iter().filter(|reason| **reason == "stop").count(), 1);
        let usage = chunks.iter().find(|chunk| chunk["usage"].is_object());
        assert_eq!(usage.map(|chunk| &chunk["usage"]["completion_tokens"]), wants_usage.then_some(&json!(9)));
    }
}

#[tokio::test]
async fn tools_are_called() {
    let stub = Stub::start(Script::always(StubReply::tool("weather", json!({"place": "Tromsø"})))).unwrap();
    let tools = json!({"tools": [{"type": "function", "function": {"name": "weather"}}]});
    let choice = post(&stub, PATH, &body(&tools)).await.json()["choices"][0].clone();
    assert_eq!((&choice["finish_reason"], &choice["message"]["content"]), (&json!("tool_calls"), &Value::Null));
    let function = &choice["message"]["tool_calls"][0]["function"];
    assert_eq!((&function["name"], &function["arguments"]), (&json!("weather"), &json!(r#"{"place":"Tromsø"}"#)));

    let mut streamed = body(&tools);
    streamed["stream"] = true.into();
    let events = post(&stub, PATH, &streamed).await.events();
    let calls: Vec<&Value> = events.iter().map(|(_, data)| &data["choices"][0]["delta"]["tool_calls"][0]).collect();
    assert_eq!(calls.iter().filter_map(|call| call["id"].as_str()).count(), 1);
    let arguments: String = calls.iter().filter_map(|call| call["function"]["arguments"].as_str()).collect();
    assert_eq!(arguments, r#"{"place":"Tromsø"}"#);
    assert_eq!(stub.calls()[1].call.tools, ["weather"]);
}

#[tokio::test]
async fn beginnings_are_cached_of_themselves() {
    let stub = Stub::start(Script::always("Yes.")).unwrap();
    let ask = |user: &str| {
        body(&json!({"messages": [
            {"role": "system", "content": "x".repeat(6000)}, {"role": "user", "content": user}
        ]}))
    };
    for (user, expected) in [("one", 0), ("two", 1408), ("three", 1408)] {
        let usage = post(&stub, PATH, &ask(user)).await.json()["usage"].clone();
        assert_eq!(usage["prompt_tokens_details"]["cached_tokens"], expected, "{user}");
        assert_eq!(usage["prompt_tokens"], 1500 + (user.len() as u64).div_ceil(4), "{user}");
    }
}
