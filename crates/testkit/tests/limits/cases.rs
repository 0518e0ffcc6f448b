//! What agents are told, in the words of those who tell it: recorded from the command lines (versions in the notes beside
//! `crates/agents/tests/fixtures`), or taken from their sources and documentation.

use jiff::fmt::rfc2822;
use jiff::{ToSpan as _, Zoned};
use serde_json::{Value, json};
use tribunal_agents::adapter::Adapter as _;
use tribunal_agents::{
    AgentError, Answer, Cli, CommandAgent, Environment, ProcessExit, Resumption, TurnRequest, Vendor,
};
use tribunal_kernel::{Round, RunId, SeatName, TurnId};

use crate::stage::start;
use crate::wires::{Refused, WIRES};
use crate::{acp, wires};

/// An agent, what it is told, and what its adapter makes of it.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) agent: String,
    pub(crate) told: String,
    pub(crate) heard: Result<Answer, AgentError>,
}

pub(crate) fn limited(when: Option<Resumption>) -> AgentError {
    AgentError::Limited { agent: "writer".into(), why: "not now".into(), when }
}

pub(crate) fn request(model: Option<&str>) -> TurnRequest {
    TurnRequest {
        place: String::new(),
        run: RunId(uuid::Uuid::nil()),
        r#loop: Some("review"),
        works_on_files: false,
        judges: false,
        round: Round(1),
        turn: TurnId(1),
        seat: SeatName::new("creator"),
        task: "draft".into(),
        model: model.map(str::to_owned),
        effort: None,
        prompt: "Say hello.".into(),
        stable: 0,
        attachments: Vec::new(),
        form: None,
        input: None,
        meter: tribunal_kernel::quote::TurnMeter::default(),
        is_resumed: false,
    }
}

fn cli(vendor: Vendor) -> Cli {
    Cli {
        vendor,
        name: "writer".into(),
        command: vec![],
        cwd: "/work".into(),
        env: vec![],
        base_url: None,
        api_key: None,
        state: "/work/.tribunal/agents/writer".into(),
    }
}

/// What a command line's adapter makes of events, an exit code and stderr.
fn heard(vendor: Vendor, events: &[Value], exit: i32, stderr: &str) -> Result<Answer, AgentError> {
    let mut reader = cli(vendor).reader(&Environment::default());
    for event in events {
        reader.push(format!("{event}\n").as_bytes());
    }
    reader.finish(ProcessExit::Code(exit), stderr)
}

fn command(exit: i32, stdout: &str, stderr: &str) -> Result<Answer, AgentError> {
    let agent =
        CommandAgent { name: "writer".into(), program: "./it".into(), args: vec![], cwd: "/".into(), env: vec![] };
    let mut reader = agent.reader(&Environment::default());
    reader.push(stdout.as_bytes());
    reader.finish(ProcessExit::Code(exit), stderr)
}

fn hours(hours: i64) -> Zoned {
    start().checked_add(hours.hours()).unwrap()
}

fn http_date(moment: &Zoned) -> String {
    rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&moment.timestamp()).unwrap()
}

/// Everything that parks a turn.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = command_lines();
    cases.extend(dialogues());
    for (provider, model) in WIRES {
        for (told, refused) in refusals(provider) {
            cases.push(Case {
                agent: format!("http, {provider}"),
                told,
                heard: wires::heard(provider, model, &refused),
            });
        }
    }
    for said in ["", "try again in 20 minutes", "resets at 17:00", "Retry after 30 s"] {
        let told = format!("exit code 75, `{said}`").replace(", ``", "");
        cases.push(Case { agent: "command".into(), told, heard: command(75, "", said) });
    }
    cases
}

fn command_lines() -> Vec<Case> {
    let in_2_hours = hours(2).timestamp().as_second();
    let claude = |words: &str, status: Value| {
        vec![
            json!({"type": "result", "subtype": "success", "is_error": true, "api_error_status": status, "result": words,
            "total_cost_usd": 0, "usage": {}}),
        ]
    };
    let codex = |words: &str| vec![json!({"type": "turn.failed", "error": {"message": words}})];
    let gemini = |words: &str| {
        vec![json!({"type": "result", "status": "error", "error": {"type": "unknown", "message": words}, "stats": {}})]
    };
    let opencode =
        |data: Value| vec![json!({"type": "error", "sessionID": "ses_1", "error": {"name": "APIError", "data": data}})];
    let qwen = |words: &str| {
        vec![
            json!({"type": "result", "subtype": "success", "is_error": false, "result": format!("[API Error: {words}]"), "usage": {}}),
        ]
    };
    let copilot = |status: Value, words: &str| {
        vec![
            json!({"type": "session.error", "data": {"errorType": "rate_limit", "statusCode": status, "message": words}}),
            json!({"type": "result", "sessionId": "s", "exitCode": 1, "usage": {}}),
        ]
    };
    let goose =
        |words: &str| vec![json!({"type": "error", "error": words}), json!({"type": "complete", "total_tokens": null})];
    let retry_info = r#"[API Error: {"error":{"code":429,"message":"Resource has been exhausted (e.g. check quota).","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}]"#;
    let gemini_quota =
        "[API Error: You have exhausted your capacity on this model. Your quota will reset after 10h22m5s.]";
    let gemini_limit = "[API Error: This request would exceed the rate limit for your organization.]\nPlease wait and try again later.";
    let opencode_limit = |headers: Value| json!({"message": "Rate limit reached for requests.", "statusCode": 429, "responseHeaders": headers});
    let event = |told: &str, mut first: Vec<Value>, then: Vec<Value>| {
        first.extend(then);
        (told.to_owned(), first)
    };
    let plain = |told: &str, events: Vec<Value>| (told.to_owned(), events);
    let rows = [
        (
            Vendor::Claude,
            plain(
                "429",
                claude(
                    "API Error: Request rejected (429) · This request would exceed the rate limit for your organization.",
                    json!(429),
                ),
            ),
        ),
        (Vendor::Claude, plain("529", claude("API Error: Repeated 529 Overloaded errors", json!(529)))),
        (
            Vendor::Claude,
            plain("session limit, a time of day", claude("You've hit your session limit · resets 5pm", Value::Null)),
        ),
        (Vendor::Claude, plain("a model's limit", claude("You've hit your Opus limit · resets 3:45pm", Value::Null))),
        (Vendor::Claude, plain("a model's limit, reached", claude("Sonnet limit reached ∙ resets 5pm", Value::Null))),
        (Vendor::Claude, plain("extra usage", claude("You're out of extra usage · resets 4pm", Value::Null))),
        (Vendor::Claude, plain("usage credits", claude("You're out of usage credits · resets 3am", Value::Null))),
        (
            Vendor::Claude,
            event(
                "a word of its own, and no time",
                vec![json!({"type": "assistant", "message": {"content": []}, "error": "rate_limit"})],
                claude("You've hit your limit for Fable", Value::Null),
            ),
        ),
        (
            Vendor::Claude,
            plain(
                "weekly limit, a day of the week",
                claude("You've hit your weekly limit · resets Mon 12:00am", Value::Null),
            ),
        ),
        (
            Vendor::Claude,
            plain("weekly limit, a day", claude("You've hit your weekly limit · resets Nov 20 at 2pm", Value::Null)),
        ),
        (Vendor::Claude, plain("5-hour limit, tomorrow", claude("5-hour limit reached ∙ resets 3am", Value::Null))),
        (
            Vendor::Claude,
            plain(
                "usage limit, a time stamp",
                claude(&format!("Claude AI usage limit reached|{in_2_hours}"), Value::Null),
            ),
        ),
        (
            Vendor::Claude,
            event(
                "an event of its own",
                vec![
                    json!({"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": in_2_hours}}),
                ],
                claude("You've reached your usage limit", json!(429)),
            ),
        ),
        (Vendor::Codex, plain("429", codex("exceeded retry limit, last status: 429 Too Many Requests"))),
        (Vendor::Codex, plain("429, no word", codex("Error: 429 status code (no body)"))),
        (
            Vendor::Codex,
            plain("a limit by another name", codex("You have reached your 5-hour message limit. Try again at 17:00")),
        ),
        (
            Vendor::Codex,
            plain(
                "usage limit, a span",
                codex("You've hit your usage limit. Upgrade to Pro or try again in 3 hours 12 minutes."),
            ),
        ),
        (
            Vendor::Codex,
            plain(
                "usage limit, a time of day",
                codex("You've hit your usage limit. To get more access now, try again at 5:30 PM."),
            ),
        ),
        (
            Vendor::Codex,
            plain("usage limit, a date", codex("You've hit your usage limit. Try again at Nov 19th, 2026 2:00 PM.")),
        ),
        (
            Vendor::Codex,
            plain(
                "tokens per minute",
                codex("Rate limit reached for gpt-5 on tokens per min (TPM). Please try again in 6m0s."),
            ),
        ),
        (
            Vendor::Codex,
            event(
                "an event of its own",
                vec![
                    json!({"type": "token_count", "rate_limits": {"primary": {"used_percent": 100.0, "resets_at": in_2_hours}}}),
                ],
                codex("You've hit your usage limit."),
            ),
        ),
        (Vendor::Gemini, plain("429", gemini(gemini_limit))),
        (Vendor::Gemini, plain("429, `RetryInfo`", gemini(retry_info))),
        (Vendor::Gemini, plain("quota, a span", gemini(gemini_quota))),
        (Vendor::Opencode, plain("429", opencode(opencode_limit(json!({}))))),
        (Vendor::Opencode, plain("429, `retry-after`", opencode(opencode_limit(json!({"retry-after": "90"}))))),
        (
            Vendor::Opencode,
            plain(
                "429, reset headers",
                opencode(opencode_limit(
                    json!({"x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-remaining-tokens": "0"}),
                )),
            ),
        ),
        (Vendor::Opencode, plain("overloaded", opencode(json!({"message": "Overloaded", "statusCode": 529})))),
        (Vendor::Qwen, plain("429", qwen("429 Rate limit reached for requests."))),
        (Vendor::Qwen, plain("quota, a span", qwen("429 You exceeded your quota. Retry after 20 seconds"))),
        (Vendor::Copilot, plain("429", copilot(json!(429), "Rate limit reached for requests."))),
        (
            Vendor::Copilot,
            plain(
                "a span",
                copilot(
                    Value::Null,
                    "Sorry, you've hit a rate limit that restricts the number of requests. Please try again in 2 hours.",
                ),
            ),
        ),
        (Vendor::Goose, plain("429", goose("Rate limit exceeded: Too Many Requests"))),
        (Vendor::Goose, plain("a span", goose("Rate limit exceeded: try again in 1 minute and 5 seconds"))),
    ];
    let mut cases: Vec<Case> = rows
        .into_iter()
        .map(|(vendor, (told, events))| Case { agent: vendor.to_string(), told, heard: heard(vendor, &events, 1, "") })
        .collect();
    for vendor in Vendor::ALL {
        let stderr = "starting\nError: rate limit reached, try again in 10 minutes";
        let told = "nothing but stderr, and exit code 1".to_owned();
        cases.push(Case { agent: vendor.to_string(), told, heard: heard(vendor, &[], 1, stderr) });
    }
    cases.sort_by_key(|case| Vendor::ALL.iter().position(|vendor| vendor.to_string() == case.agent));
    cases
}

fn dialogues() -> Vec<Case> {
    let error = |code: i64, message: &str| json!({"error": {"code": code, "message": message}});
    let rows = [
        ("acp, gemini", "429", error(429, "This request would exceed the rate limit for your organization.")),
        ("acp, opencode", "an internal error", error(-32603, "Internal error: Rate limit reached for requests.")),
        (
            "acp, claude",
            "session limit, a time of day",
            error(-32603, "Internal error: You've hit your session limit · resets 5pm"),
        ),
        (
            "acp, codex",
            "usage limit, in its data",
            json!({"error": {"code": -32603, "message": "Internal error",
            "data": {"details": "You've hit your usage limit. Try again in 3 hours 12 minutes."}}}),
        ),
        ("acp, others", "503, overloaded", error(503, "the model is overloaded")),
    ];
    rows.into_iter()
        .map(|(agent, told, reply)| Case { agent: agent.into(), told: told.into(), heard: acp::heard(&reply) })
        .collect()
}

/// A wire's own ways to refuse.
fn refusals(provider: &str) -> Vec<(String, Refused)> {
    let body = |kind: &str, code: u16, message: &str| match provider {
        "anthropic" => json!({"type": "error", "error": {"type": kind, "message": message}}).to_string(),
        "gemini" => json!([{"error": {"code": code, "message": message, "status": "RESOURCE_EXHAUSTED"}}]).to_string(),
        _ => json!({"error": {"message": message, "type": kind, "code": null, "param": null}}).to_string(),
    };
    let limit = |headers: Vec<(&'static str, String)>| Refused {
        status: 429,
        headers,
        body: body("rate_limit_error", 429, "Rate limit reached for requests."),
    };
    let busy = if provider == "anthropic" { 529 } else { 503 };
    let mut rows = vec![
        ("429".to_owned(), limit(vec![])),
        ("429, `retry-after` in seconds".into(), limit(vec![("retry-after", "7200".into())])),
        ("429, `retry-after` as a date".into(), limit(vec![("retry-after", http_date(&hours(3)))])),
        ("429, `retry-after` that is over".into(), limit(vec![("retry-after", http_date(&hours(-3)))])),
        ("429, `retry-after` that is no date".into(), limit(vec![("retry-after", "in a while".into())])),
        (
            format!("{busy}, overloaded"),
            Refused {
                status: busy,
                headers: vec![],
                body: body("overloaded_error", busy, "The model is overloaded. Please try again later."),
            },
        ),
    ];
    match provider {
        "anthropic" => {
            let moment = hours(1).timestamp().to_string();
            let headers = vec![
                ("anthropic-ratelimit-tokens-remaining", "0".into()),
                ("anthropic-ratelimit-tokens-reset", moment),
            ];
            rows.push(("429, reset headers".into(), limit(headers)));
            let stamp = hours(4).timestamp().as_second().to_string();
            rows.push((
                "429, reset of a subscription".into(),
                limit(vec![("anthropic-ratelimit-unified-reset", stamp)]),
            ));
        }
        "gemini" => {
            let info = json!([{"error": {"code": 429, "message": "You exceeded your current quota, please check your plan and billing details.",
                "status": "RESOURCE_EXHAUSTED", "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.074s"}]}}]);
            rows.push((
                "429, quota with `RetryInfo`".into(),
                Refused { status: 429, headers: vec![], body: info.to_string() },
            ));
        }
        _ => {
            let headers =
                vec![("x-ratelimit-remaining-tokens", "0".into()), ("x-ratelimit-reset-tokens", "6m0s".into())];
            rows.push(("429, reset headers".into(), limit(headers)));
            let words =
                body("tokens", 429, "Rate limit reached for gpt-5 on tokens per min (TPM). Please try again in 450ms.");
            rows.push(("429, in words".into(), Refused { status: 429, headers: vec![], body: words }));
        }
    }
    rows
}

/// What looks like a limit and is none.
pub(crate) fn none() -> Vec<Case> {
    const TRAP: &str = "Rate limit reached (429). You've hit your session limit · resets 5pm; try again in 3 hours. [API Error: 429 x] Too Many Requests [see notes]";
    let answers = [
        (
            Vendor::Claude,
            vec![json!({"type": "result", "subtype": "success", "is_error": false, "result": TRAP, "usage": {}})],
        ),
        (
            Vendor::Codex,
            vec![
                json!({"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": TRAP}}),
                json!({"type": "turn.completed", "usage": {}}),
            ],
        ),
        (
            Vendor::Gemini,
            vec![
                json!({"type": "message", "role": "assistant", "content": TRAP}),
                json!({"type": "result", "status": "success", "stats": {}}),
            ],
        ),
        (
            Vendor::Opencode,
            vec![
                json!({"type": "step_start", "part": {}}),
                json!({"type": "text", "part": {"text": TRAP}}),
                json!({"type": "step_finish", "part": {"reason": "stop", "tokens": {}}}),
            ],
        ),
        (
            Vendor::Qwen,
            vec![json!({"type": "result", "subtype": "success", "is_error": false, "result": TRAP, "usage": {}})],
        ),
        (
            Vendor::Copilot,
            vec![
                json!({"type": "assistant.message", "data": {"content": TRAP}}),
                json!({"type": "result", "sessionId": "s", "exitCode": 0}),
            ],
        ),
        (
            Vendor::Goose,
            vec![
                json!({"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": TRAP}]}}),
                json!({"type": "complete", "total_tokens": 3}),
            ],
        ),
    ];
    let mut cases = Vec::new();
    let mut add = |agent: String, told: &str, heard| cases.push(Case { agent, told: told.to_owned(), heard });
    for (vendor, events) in &answers {
        add(vendor.to_string(), "the words of a limit in its answer", heard(*vendor, events, 0, TRAP));
        add(vendor.to_string(), "an answer, and then a crash", heard(*vendor, events, 1, "Segmentation fault"));
        let long_ago = format!("{TRAP}\n{}out of memory", "at frame\n".repeat(12));
        add(vendor.to_string(), "a crash long after the words", heard(*vendor, &[], 1, &long_ago));
        let file = "starting\nError: ENOENT: no such file or directory, open '/home/me/rate-limiter/package.json'";
        add(vendor.to_string(), "a crash in a folder with such a name", heard(*vendor, &[], 1, file));
    }
    add("command".into(), "the words of a limit in its answer", command(0, TRAP, TRAP));
    add("command".into(), "the words of a limit, and another exit code than 75", command(1, "", TRAP));
    let poor = r#"{"error": {"message": "You exceeded your current quota, please check your plan and billing details.", "type": "insufficient_quota", "code": "insufficient_quota"}}"#;
    for (provider, model) in WIRES {
        let refuse = |status: u16, body: &str| {
            wires::heard(
                provider,
                model,
                &Refused { status, headers: vec![("retry-after", "60".into())], body: body.into() },
            )
        };
        add(
            format!("http, {provider}"),
            "400, with the words of a limit",
            refuse(400, &json!({"error": {"message": "the rate limit is fine"}}).to_string()),
        );
        add(format!("http, {provider}"), "429, an account without money", refuse(429, poor));
    }
    cases
}
