//! What a refusal or the end of the line means for the turn.

use agent_client_protocol::v1::schema::AuthMethod;
use agent_client_protocol::{Error, ErrorCode};
use serde_json::Value;

use crate::AgentError;
use crate::fault::Fault;

/// An error that the agent answered with. Some give the status of HTTP as its code.
pub(super) fn refusal(agent: &str, error: &Error, ways: &[AuthMethod]) -> AgentError {
    let status = u16::try_from(error.code.value()).ok().filter(|status| (100..600).contains(status));
    if error.code == ErrorCode::AUTH_REQUIRED || matches!(status, Some(401 | 403)) {
        return AgentError::Refused { agent: agent.to_owned(), why: words(error), hint: login(agent, ways) };
    }
    Fault::new(status, words(error)).error(agent, None, "")
}

/// The agent did not return the greeting. That it speaks another version, the crate finds out and says in its data.
pub(super) fn greeting(agent: &str, error: &Error) -> AgentError {
    let words = words(error);
    match words.split_once("peer negotiated ") {
        Some((_, version)) => {
            let version: String = version.chars().take_while(char::is_ascii_digit).collect();
            AgentError::Unavailable {
                agent: agent.to_owned(),
                reason: format!("it uses version {version} of ACP, but only version 1 is supported"),
                hint: Some(format!("use a release of `agents.{agent}` that supports version 1")),
            }
        }
        None => stranger(agent, format!("it does not greet as ACP has it: {words}")),
    }
}

/// The agent does not take part in the protocol.
pub(super) fn stranger(agent: &str, reason: String) -> AgentError {
    let hint = format!("check `agents.{agent}.command`: many programs need a flag like `--acp`");
    AgentError::Unavailable { agent: agent.to_owned(), reason, hint: Some(hint) }
}

/// It stopped, and not because its answer was complete.
pub(super) fn stopped(agent: &str, result: &Value) -> Option<AgentError> {
    let agent = agent.to_owned();
    let early = |what: &str| format!("the answer ended early: {what}");
    let why = match result["stopReason"].as_str() {
        Some("end_turn") => return None,
        Some("refusal") => {
            let hint = "change the brief, or put another agent in the seat".to_owned();
            return Some(AgentError::Refused { agent, why: "the model refuses to answer".into(), hint });
        }
        Some("max_tokens") => early("it has reached the most tokens"),
        Some("max_turn_requests") => early("it has reached the most requests of a turn"),
        Some("cancelled") => early("the agent says that it was cancelled"),
        Some(other) => early(other),
        None => "it does not say why it stopped".to_owned(),
    };
    Some(AgentError::Provider { agent, status: None, why })
}

/// The message, and what the data adds to it.
fn words(error: &Error) -> String {
    let data = error.data.as_ref();
    let detail = data.and_then(|data| match data {
        Value::String(text) => Some(text.as_str()),
        data => ["details", "message", "error"].iter().find_map(|name| data[*name].as_str()),
    });
    match detail {
        Some(detail) if !error.message.contains(detail) => format!("{}: {detail}", error.message),
        _ => error.message.clone(),
    }
}

fn login(agent: &str, ways: &[AuthMethod]) -> String {
    let ways: Vec<&str> = ways.iter().map(AuthMethod::name).collect();
    let offers = if ways.is_empty() { String::new() } else { format!(" (it offers: {})", ways.join(", ")) };
    format!(
        "log in with the program of `agents.{agent}` itself{offers}, or pass its key on: `agents.{agent}.env = [\"NAME\"]`"
    )
}
