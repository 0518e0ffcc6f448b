//! What an agent that says it is done is answered, in the words of its own hooks.
//!
//! The exit code is always 0: in every one of these agents 2 means "go on", and no mistake of ours shall keep one at work.

use serde_json::{Value, json};
use std::env;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::PathBuf;
use tribunal_app::stop::{self, StopAnswer, StopEvent};
use tribunal_app::{Exit, ProjectAt};

use crate::args::{self, Global, IntegratedAgent};
use crate::progress::Screen;

/// An event that is longer is none.
const MAX_EVENT: u64 = 1 << 20;
/// Where a turn of ours says that it is one.
const OURS: &str = "TRIBUNAL_TURN";

pub(super) async fn answer(global: &Global, args: &args::Judge, agent: IntegratedAgent) -> Exit {
    // A seat of a run is no session of the user's: its work is judged where it sits.
    let answer = if env::var_os(OURS).is_some() {
        StopAnswer::Quiet
    } else {
        let (at, event) = asked(global, agent);
        stop::judge(&at, Screen::shared(&Global { json: true, ..global.clone() }), &event, super::settings(args)).await
    };
    crate::out::json(&said(agent, &answer).to_string());
    Exit::Pass
}

/// A session begins: what its work will be held against is noted. Nothing is said: some agents take it for part of the talk.
pub(super) async fn begin(global: &Global, agent: IntegratedAgent) -> Exit {
    if env::var_os(OURS).is_none() {
        let (at, event) = asked(global, agent);
        if let Err(error) = stop::begin(&at, &event).await {
            Screen::shared(&Global { json: true, ..global.clone() }).note(&error.message());
        }
    }
    crate::out::json("{}");
    Exit::Pass
}

/// Who asks, and where.
fn asked(global: &Global, agent: IntegratedAgent) -> (ProjectAt, StopEvent) {
    let event = StopEvent::read(agent.as_str(), &read());
    let dir = global.dir.clone().or_else(project_of_agent).or_else(|| event.folder.clone());
    (ProjectAt::of(dir, global.config.clone(), global.set.clone()), event)
}

/// The folder that the session belongs to, wherever the agent went since.
fn project_of_agent() -> Option<PathBuf> {
    let named = ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"].into_iter().find_map(env::var_os);
    named.map(PathBuf::from).filter(|folder| folder.is_dir())
}

fn read() -> String {
    let mut bytes = Vec::new();
    if !io::stdin().is_terminal() {
        let _ = io::stdin().lock().take(MAX_EVENT).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Always an object: Codex and Gemini take nothing else.
fn said(agent: IntegratedAgent, answer: &StopAnswer) -> Value {
    let refuses = match agent {
        IntegratedAgent::Claude | IntegratedAgent::Codex | IntegratedAgent::Opencode => "block",
        IntegratedAgent::Gemini => "deny",
    };
    match answer {
        StopAnswer::Quiet => json!({}),
        StopAnswer::Stops(message) => json!({ "systemMessage": message }),
        StopAnswer::GoesOn(reason) => json!({ "decision": refuses, "reason": reason }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_is_answered_in_its_own_words() {
        let agents = [
            (IntegratedAgent::Claude, "block"),
            (IntegratedAgent::Codex, "block"),
            (IntegratedAgent::Gemini, "deny"),
            (IntegratedAgent::Opencode, "block"),
        ];
        for (agent, word) in agents {
            let refused = said(agent, &StopAnswer::GoesOn("red".into()));
            assert_eq!(refused, json!({ "decision": word, "reason": "red" }), "{agent:?}");
            assert_eq!(said(agent, &StopAnswer::Quiet), json!({}), "{agent:?}");
            let told = said(agent, &StopAnswer::Stops("green".into()));
            assert!(told.get("decision").is_none() && told["systemMessage"] == "green", "{agent:?}");
        }
    }
}
