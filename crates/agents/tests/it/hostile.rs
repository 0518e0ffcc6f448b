//! Output that nobody should print.

use tribunal_agents::{Adapter as _, AgentError, Environment, ProcessExit, Vendor};
use tribunal_kernel::turn::{TurnError, TurnErrorKind};

use crate::support::{cases, cli, read, recorded};

#[test]
fn what_is_no_event_is_no_answer() {
    for vendor in Vendor::ALL {
        for (name, output, expected) in [
            ("nothing", &b""[..], TurnErrorKind::Died),
            ("words", b"I am done.\n", TurnErrorKind::Misfit),
            ("no text at all", &[0xff, 0x00, 0x0a, 0xfe], TurnErrorKind::Misfit),
            ("other objects", b"{\"verdict\":\"ok\"}\n{\"type\":\"result\"", TurnErrorKind::Misfit),
            ("events of nobody", b"{\"type\":7}\n{\"type\":\"news\"}\n", TurnErrorKind::Died),
        ] {
            let (_, result) = read(vendor, output, 1, ProcessExit::Code(0), "");
            let error = TurnError::from(result.unwrap_err());
            assert_eq!(error.kind, expected, "{vendor} {name}: {}", error.message);
            assert!(error.hint.is_some(), "{vendor} {name}");
        }
    }
}

/// Every event with every one of its fields replaced by something else.
#[test]
fn events_of_another_form_do_no_harm() {
    let others = ["null", "7", "-1.5", "\"x\"", "[]", "[1]", "{}", "true"].map(|text| text.parse().unwrap());
    for vendor in Vendor::ALL {
        for case in cases(vendor) {
            for line in String::from_utf8(recorded(vendor, &case)).unwrap().lines() {
                let event: serde_json::Value = serde_json::from_str(line).unwrap();
                for name in event.as_object().unwrap().keys() {
                    for other in &others {
                        let mut changed = event.clone();
                        changed[name] = serde_json::Value::clone(other);
                        let _ = read(vendor, format!("{changed}\n").as_bytes(), usize::MAX, ProcessExit::Code(0), "");
                    }
                }
            }
        }
    }
}

#[test]
fn an_answer_after_a_line_that_is_too_long_is_still_heard() {
    for vendor in Vendor::ALL {
        let mut output = vec![b'x'; 17 * 1024 * 1024];
        output.push(b'\n');
        output.extend(recorded(vendor, "answer"));
        let (_, result) = read(vendor, &output, 64 * 1024, ProcessExit::Code(0), "");
        assert!(result.unwrap().text.starts_with("The answer is 42"), "{vendor}");
    }
}

#[test]
fn a_fault_is_named_by_its_status() {
    let claude = |status: &str| {
        format!(
            "{{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"api_error_status\":{status},\"result\":\"no\"}}\n"
        )
    };
    let codex = |status: &str| {
        format!("{{\"type\":\"turn.failed\",\"error\":{{\"message\":\"unexpected status {status} No: no\"}}}}\n")
    };
    let gemini = |status: &str| {
        let inner = format!("[API Error: {{\\\"error\\\":{{\\\"code\\\":{status},\\\"message\\\":\\\"no\\\"}}}}]");
        format!("{{\"type\":\"result\",\"status\":\"error\",\"error\":{{\"message\":\"{inner}\"}}}}\n")
    };
    let opencode = |status: &str| {
        let data = format!("{{\"message\":\"no\",\"statusCode\":{status}}}");
        format!("{{\"type\":\"error\",\"error\":{{\"name\":\"APIError\",\"data\":{data}}}}}\n")
    };
    for (status, is_retryable, word) in [
        ("401", false, "or set a key"),
        ("403", false, "or set a key"),
        ("404", false, "`agents.writer.model`"),
        ("429", true, "another agent"),
        ("500", true, "try again"),
        ("529", true, "another agent"),
    ] {
        let outputs = [claude(status), codex(status), gemini(status), opencode(status)];
        for (vendor, output) in Vendor::ALL.into_iter().zip(outputs) {
            let (_, result) = read(vendor, output.as_bytes(), 5, ProcessExit::Code(1), "");
            let error = result.unwrap_err();
            let is_limited = matches!(error, AgentError::Limited { .. });
            assert_eq!(is_limited, matches!(status, "429" | "529"), "{vendor} {status}: {error}");
            let error = TurnError::from(error);
            let hint = error.hint.unwrap_or_default();
            assert_eq!(error.kind.is_retryable(), is_retryable, "{vendor} {status}");
            assert!(error.message.contains("no") && hint.contains(word), "{vendor} {status}: {hint}");
        }
    }
}

#[test]
fn codex_is_not_left_to_wait_for_a_network() {
    let mut reader = cli(Vendor::Codex).reader(&Environment::default());
    reader.push(b"{\"type\":\"error\",\"message\":\"Reconnecting... 1/1 (high demand)\"}\n");
    assert!(!reader.is_hopeless());
    reader.push(b"{\"type\":\"error\",\"message\":\"Reconnecting... waiting for network (refused)\"}\n");
    assert!(reader.is_hopeless());
    let error = TurnError::from(reader.finish(ProcessExit::Signal(15), "").unwrap_err());
    assert!(error.kind.is_retryable() && error.message.ends_with("waiting for network (refused)"), "{}", error.message);
}

#[test]
fn gemini_without_an_account_says_so_by_its_exit_code_alone() {
    let (_, result) = read(Vendor::Gemini, b"", 1, ProcessExit::Code(41), "Please set an Auth method\n\n");
    let error = TurnError::from(result.unwrap_err());
    assert_eq!(error.kind, TurnErrorKind::Unavailable);
    assert!(error.message.contains("Please set an Auth method"), "{}", error.message);
}
