use serde_json::{Value, json};
use tribunal_stub::{Script, Stub, StubReply};

use crate::client::{get, post};

const WHOLE: &str = "/v1beta/models/gemini-2.5-pro:generateContent?key=secret-1";
const STREAM: &str = "/v1beta/models/gemini-2.5-pro:streamGenerateContent";

fn body() -> Value {
    json!({
        "systemInstruction": {"parts": [{"text": "Be kind."}]},
        "contents": [{"role": "user", "parts": [{"text": "Hello"}]}],
        "generationConfig": {"maxOutputTokens": 50, "temperature": 0, "responseSchema": {}},
        "tools": [{"functionDeclarations": [{"name": "weather"}]}],
    })
}

#[tokio::test]
async fn a_whole_answer() {
    let stub = Stub::start(Script::always("You said: {{user}}")).unwrap();
    let answer = post(&stub, WHOLE, &body()).await.json();
    let candidate = &answer["candidates"][0];
    assert_eq!(candidate["content"], json!({"role": "model", "parts": [{"text": "You said: Hello"}]}));
    assert_eq!(candidate["finishReason"], "STOP");
    // 18 bytes of tool, 8 and 5 of text.
    assert_eq!(
        answer["usageMetadata"],
        json!({"promptTokenCount": 8, "candidatesTokenCount": 4, "totalTokenCount": 12})
    );
    let call = &stub.calls()[0].call;
    assert_eq!((call.model.as_str(), call.max_tokens, call.has_schema), ("gemini-2.5-pro", Some(50), true));
    assert!(call.has_key && !call.path.contains("secret-1"), "{}", call.path);
}

#[tokio::test]
async fn a_stream_of_events_or_an_array() {
    let stub = Stub::start(Script::always("A text that comes in several pieces.")).unwrap();
    let got = post(&stub, &format!("{STREAM}?alt=sse"), &body()).await;
    let events: Vec<Value> = got.events().into_iter().map(|(_, data)| data).collect();
    let array = post(&stub, STREAM, &body()).await;
    assert_eq!(array.header("content-type"), Some("application/json"));
    let said = |pieces: &[Value]| -> String {
        let texts = pieces.iter().map(|piece| piece["candidates"][0]["content"]["parts"][0]["text"].as_str().unwrap());
        texts.collect()
    };
    assert_eq!(said(&events), "A text that comes in several pieces.");
    assert_eq!(said(array.json().as_array().unwrap()), said(&events));
    let last = events.last().unwrap();
    assert_eq!(
        (&last["candidates"][0]["finishReason"], &last["usageMetadata"]["candidatesTokenCount"]),
        (&json!("STOP"), &json!(9))
    );
}

#[tokio::test]
async fn functions_tokens_and_models() {
    let stub = Stub::start(Script::always(StubReply::tool("weather", json!({"place": "Oslo"})))).unwrap();
    let parts = post(&stub, WHOLE, &body()).await.json()["candidates"][0]["content"]["parts"].clone();
    assert_eq!(parts, json!([{"functionCall": {"name": "weather", "args": {"place": "Oslo"}}}]));
    let count = post(&stub, "/v1beta/models/gemini-2.5-pro:countTokens", &body()).await.json();
    assert_eq!(count, json!({"totalTokens": 8}));
    assert_eq!(get(&stub, "/v1beta/models/gemini-2.5-pro").await.json()["name"], "models/gemini-2.5-pro");
    assert!(get(&stub, "/v1beta/models").await.json()["models"].is_array());
}

#[tokio::test]
async fn beginnings_are_cached_of_themselves() {
    let stub = Stub::start(Script::always("Yes.")).unwrap();
    let long = json!({"contents": [{"role": "user", "parts": [{"text": "x".repeat(5000)}]}]});
    let usage = |answer: Value| answer["usageMetadata"]["cachedContentTokenCount"].clone();
    assert_eq!(usage(post(&stub, WHOLE, &long).await.json()), Value::Null);
    assert_eq!(usage(post(&stub, WHOLE, &long).await.json()), 1152);
}
