//! What belongs where, for every agent: paths, and how each file is written.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};

use super::json::Place;
use super::text;
use crate::args::IntegratedAgent;

/// What is written to one file.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) path: PathBuf,
    pub(super) how: How,
}

/// How a file is written.
#[derive(Debug)]
pub(super) enum How {
    /// All of it is ours.
    Whole(String),
    /// One entry of a JSON file.
    Entry(Place, Value),
    /// One element of a list in a JSON file: the stop hook.
    Element(Place, Value),
    /// A section of a Markdown file.
    Section(String),
    /// A table at the end of a TOML file.
    Table(String),
}

/// Where an agent looks for things.
#[derive(Debug)]
pub(super) enum Scope {
    /// In the project's folder.
    Project(PathBuf),
    User(Home),
}

/// The user's own folders.
#[derive(Debug)]
pub(super) struct Home {
    pub(super) folder: PathBuf,
    /// `CODEX_HOME`, where it is set.
    pub(super) codex: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, where it is set.
    pub(super) config: Option<PathBuf>,
}

/// Everything that is written for an agent.
pub(super) fn pieces(agent: IntegratedAgent, scope: &Scope) -> Vec<Piece> {
    let whole = |path: PathBuf, text: String| Piece { path, how: How::Whole(text) };
    let section = |path: PathBuf| Piece { path, how: How::Section(text::section()) };
    let entry = |path: PathBuf, table, entry| Piece { path, how: How::Entry(Place { table, name: "tribunal" }, entry) };
    let started = || json!({ "command": "tribunal", "args": ["mcp"] });
    match agent {
        IntegratedAgent::Claude => {
            let (folder, servers) = match scope {
                Scope::Project(root) => (root.join(".claude"), root.join(".mcp.json")),
                Scope::User(user) => (user.folder.join(".claude"), user.folder.join(".claude.json")),
            };
            vec![
                whole(folder.join("commands/tribunal.md"), text::command()),
                whole(folder.join("skills/tribunal/SKILL.md"), text::skill()),
                entry(servers, "mcpServers", started()),
            ]
        }
        IntegratedAgent::Codex => {
            let server = "[mcp_servers.tribunal]\ncommand = \"tribunal\"\nargs = [\"mcp\"]\ntool_timeout_sec = 120\n";
            let table = |path: PathBuf| Piece { path, how: How::Table(server.to_owned()) };
            match scope {
                Scope::Project(root) => vec![
                    whole(root.join(".agents/skills/tribunal/SKILL.md"), text::skill()),
                    table(root.join(".codex/config.toml")),
                    section(root.join("AGENTS.md")),
                ],
                Scope::User(user) => {
                    let folder = user.codex.clone().unwrap_or_else(|| user.folder.join(".codex"));
                    vec![
                        whole(folder.join("skills/tribunal/SKILL.md"), text::skill()),
                        // Versions before skills had prompts; later ones leave them alone.
                        whole(folder.join("prompts/tribunal.md"), text::command()),
                        table(folder.join("config.toml")),
                        section(folder.join("AGENTS.md")),
                    ]
                }
            }
        }
        IntegratedAgent::Gemini => {
            let (folder, memory) = match scope {
                Scope::Project(root) => (root.join(".gemini"), root.join("GEMINI.md")),
                Scope::User(user) => (user.folder.join(".gemini"), user.folder.join(".gemini/GEMINI.md")),
            };
            vec![
                whole(folder.join("commands/tribunal.toml"), text::toml_command()),
                entry(folder.join("settings.json"), "mcpServers", started()),
                section(memory),
            ]
        }
        IntegratedAgent::Opencode => {
            let (folder, settings) = match scope {
                Scope::Project(root) => (root.join(".opencode"), root.join("opencode.json")),
                Scope::User(user) => {
                    let config = user.config.clone().unwrap_or_else(|| user.folder.join(".config"));
                    (config.join("opencode"), config.join("opencode/opencode.json"))
                }
            };
            vec![
                whole(folder.join("command/tribunal.md"), text::command()),
                whole(folder.join("skills/tribunal/SKILL.md"), text::skill()),
                entry(settings, "mcp", json!({ "type": "local", "command": ["tribunal", "mcp"], "enabled": true })),
            ]
        }
    }
}

/// What a person should know besides.
pub(super) fn note(agent: IntegratedAgent, scope: &Scope) -> Option<&'static str> {
    match (agent, scope) {
        (IntegratedAgent::Claude, Scope::Project(_)) => {
            Some("claude asks once whether it may use the server of .mcp.json")
        }
        (IntegratedAgent::Codex, Scope::Project(_)) => {
            Some("codex reads .codex/config.toml in projects that it trusts; in a session, `$tribunal` uses the skill")
        }
        (IntegratedAgent::Codex, Scope::User(_)) => {
            Some("in a session, `$tribunal` uses the skill; in old versions the command is `/prompts:tribunal`")
        }
        _ => None,
    }
}

/// A path as it is shown: relative to the project, or with `~`.
pub(super) fn shown(path: &Path, scope: &Scope) -> String {
    match scope {
        Scope::Project(root) => path.strip_prefix(root).unwrap_or(path).display().to_string(),
        Scope::User(user) => match path.strip_prefix(&user.folder) {
            Ok(inner) => format!("~/{}", inner.display()),
            Err(_) => path.display().to_string(),
        },
    }
}
