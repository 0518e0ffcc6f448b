//! Every recording, as a line: what the turn came to.

use std::fmt::Write as _;
use tribunal_agents::{Activity, Answer, ProcessExit, Vendor};
use tribunal_kernel::turn::TurnError;

use crate::support::{cases, read, recorded};

/// The exit codes that were seen with the recordings that failed; all others ended with 0.
const CODES: [(Vendor, &str, i32); 10] = [
    (Vendor::Gemini, "unauthorized", 145),
    (Vendor::Gemini, "server_error", 244),
    (Vendor::Gemini, "too_long", 144),
    (Vendor::Gemini, "cut", 1),
    (Vendor::Claude, "partial", 0),
    (Vendor::Qwen, "unauthorized", 0),
    (Vendor::Qwen, "server_error", 0),
    (Vendor::Qwen, "too_long", 0),
    (Vendor::Qwen, "cut", 0),
    (Vendor::Qwen, "newest_unauthorized", 1),
];

fn exit(vendor: Vendor, case: &str) -> ProcessExit {
    let known = CODES.iter().find(|(of, name, _)| *of == vendor && *name == case);
    let failed = ["unauthorized", "server_error", "too_long", "cut"].contains(&case);
    ProcessExit::Code(known.map_or(i32::from(failed), |(_, _, code)| *code))
}

fn shown(activities: &[Activity], result: Result<Answer, TurnError>) -> String {
    let text: String = activities
        .iter()
        .filter_map(|one| if let Activity::Text(text) = one { Some(text.as_str()) } else { None })
        .collect();
    let tools: Vec<&str> = activities
        .iter()
        .filter_map(|one| if let Activity::Tool(tool) = one { Some(tool.as_str()) } else { None })
        .collect();
    let mut line = match result {
        Ok(Answer { text, usage, .. }) => {
            let usd = usage.usd.map(|usd| format!(", {} µ$", usd.0)).unwrap_or_default();
            let (input, cached, output) = (usage.input_tokens, usage.cached_tokens, usage.output_tokens);
            let text: String = text.chars().take(30).collect();
            format!("{text:?} for {input} ({cached} cached) + {output} tokens{usd}")
        }
        Err(error) => format!("{:?}: {}\n    hint: {}", error.kind, error.message, error.hint.unwrap_or_default()),
    };
    let _ = write!(line, "\n    shown: {} characters", text.chars().count());
    if !tools.is_empty() {
        let _ = write!(line, ", tools: {}", tools.join(", "));
    }
    line
}

#[test]
fn every_recording_is_an_answer_or_an_error_with_a_hint() {
    let mut table = String::new();
    for vendor in Vendor::ALL {
        for case in cases(vendor) {
            let (activities, result) = read(vendor, &recorded(vendor, &case), usize::MAX, exit(vendor, &case), "");
            let _ = writeln!(table, "{vendor} {case}: {}", shown(&activities, result.map_err(TurnError::from)));
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn every_chunking_gives_the_same() {
    for vendor in Vendor::ALL {
        for case in cases(vendor) {
            let output = recorded(vendor, &case);
            let whole = read(vendor, &output, usize::MAX, exit(vendor, &case), "");
            for size in [1, 2, 3, 7, 64, 4096] {
                assert_eq!(read(vendor, &output, size, exit(vendor, &case), ""), whole, "{vendor} {case} {size}");
            }
        }
    }
}

#[test]
fn without_its_last_line_nothing_is_an_answer() {
    for vendor in Vendor::ALL {
        for case in cases(vendor) {
            let output = recorded(vendor, &case);
            let end = output.trim_ascii_end().iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            // A recording of two errors is an error without the second.
            for cut in [end, output.trim_ascii_end().len() - 1] {
                let (_, result) = read(vendor, &output[..cut], usize::MAX, ProcessExit::Code(0), "");
                assert!(result.is_err(), "{vendor} {case}: {result:?}");
            }
        }
    }
}

#[test]
fn an_exit_code_can_take_an_answer_back_but_not_give_one() {
    for vendor in Vendor::ALL {
        for code in [ProcessExit::Code(1), ProcessExit::Code(137), ProcessExit::Signal(15)] {
            let (_, result) = read(vendor, &recorded(vendor, "answer"), usize::MAX, code, "it broke");
            let error = TurnError::from(result.unwrap_err());
            assert!(error.kind.is_retryable() && error.message.contains("it broke"), "{vendor}: {}", error.message);
        }
        let (_, result) = read(vendor, &recorded(vendor, "unauthorized"), usize::MAX, ProcessExit::Code(0), "");
        assert!(!TurnError::from(result.unwrap_err()).kind.is_retryable(), "{vendor}");
    }
}
