//! What asks Tribunal when an agent says that it is done.
//!
//! Claude Code, Codex and Gemini CLI ask a command before they stop, and go on if it refuses. `OpenCode` has no such hook:
//! a plugin sees that the session is idle and sends the reasons as the next message, which comes to the same except that
//! the answer before it is there to be read.

use serde_json::{Value, json};

use super::json::Place;
use super::places::{How, Piece, Scope};
use super::text::OURS;
use crate::args::IntegratedAgent;

/// How long a judgement may take, in seconds: agents kill a hook that takes longer, and go on without it.
const SECONDS: u64 = 1_800;
/// How long it may take to note what is so when a session begins.
const NOTING: u64 = 60;
const PLUGIN: &str = include_str!("texts/stop_hook.js");

/// The hooks, in the order in which they are put in: the one that asks at the end, and the one that notes the beginning.
pub(super) fn pieces(agent: IntegratedAgent, scope: &Scope) -> Vec<Piece> {
    let stop = piece(agent, scope);
    let How::Element(place, _) = &stop.how else { return vec![stop] };
    let command = format!("tribunal judge --session-start {} || exit 1", agent.as_str());
    // Gemini counts milliseconds.
    let timeout = if agent == IntegratedAgent::Gemini { NOTING * 1_000 } else { NOTING };
    let hook = json!({ "hooks": [{ "type": "command", "command": command, "timeout": timeout }] });
    let begin = How::Element(Place { table: place.table, name: "SessionStart" }, hook);
    let begin = Piece { path: stop.path.clone(), how: begin };
    vec![stop, begin]
}

/// The file with the hook that asks at the end.
fn piece(agent: IntegratedAgent, scope: &Scope) -> Piece {
    let folder = |name: &str| match scope {
        Scope::Project(root) => root.join(name),
        Scope::User(user) => user.folder.join(name),
    };
    // 2 means "go on" in all of them: a `tribunal` that does not know the flag must not keep an agent at work.
    let command = format!("tribunal judge --stop-hook {} || exit 1", agent.as_str());
    let hook = |timeout: u64| json!({ "hooks": [{ "type": "command", "command": command, "timeout": timeout }] });
    let element =
        |path, name, timeout| Piece { path, how: How::Element(Place { table: "hooks", name }, hook(timeout)) };
    match agent {
        IntegratedAgent::Claude => element(folder(".claude").join("settings.json"), "Stop", SECONDS),
        IntegratedAgent::Codex => {
            let own = match scope {
                Scope::Project(_) => None,
                Scope::User(user) => user.codex.clone(),
            };
            element(own.unwrap_or_else(|| folder(".codex")).join("hooks.json"), "Stop", SECONDS)
        }
        // Gemini counts milliseconds.
        IntegratedAgent::Gemini => element(folder(".gemini").join("settings.json"), "AfterAgent", SECONDS * 1_000),
        IntegratedAgent::Opencode => {
            let folder = match scope {
                Scope::Project(root) => root.join(".opencode"),
                Scope::User(user) => {
                    user.config.clone().unwrap_or_else(|| user.folder.join(".config")).join("opencode")
                }
            };
            let text = format!("// Written by `{OURS}`, which also removes it.\n{PLUGIN}");
            Piece { path: folder.join("plugin/tribunal-stop.js"), how: How::Whole(text) }
        }
    }
}

/// What our commands have in them.
const OUR_FLAGS: [&str; 2] = ["tribunal judge --stop-hook", "tribunal judge --session-start"];

/// Whether a hook is one of ours, whatever somebody made of it since.
pub(super) fn is_ours(element: &Value) -> bool {
    let hooks = element.get("hooks").and_then(Value::as_array);
    hooks.is_some_and(|hooks| {
        let command = |hook: &Value| hook.get("command").and_then(Value::as_str).map(str::to_owned);
        hooks.iter().filter_map(command).any(|command| OUR_FLAGS.iter().any(|flag| command.contains(flag)))
    })
}

/// What a person should know.
pub(super) fn note(agent: IntegratedAgent) -> &'static str {
    match agent {
        IntegratedAgent::Claude => {
            "from the next session on; `tribunal judge --let-go \"why\"` lets one stop through, and `tribunal status` shows it"
        }
        IntegratedAgent::Codex => {
            "codex asks once whether it may run the hook (`/hooks`), and runs it only in projects that it trusts; \
             `tribunal judge --let-go \"why\"` lets one stop through"
        }
        IntegratedAgent::Gemini => {
            "gemini needs a version with hooks (0.26 or later), and runs them only in folders that it trusts (`/permissions`; \
             `--skip-trust` is not enough); `tribunal judge --let-go \"why\"` lets one stop through"
        }
        IntegratedAgent::Opencode => {
            "opencode cannot be kept from stopping: its plugin sends the reasons as the next message, which \
             `opencode run` does not wait for; \
             `tribunal judge --let-go \"why\"` lets one stop through"
        }
    }
}
