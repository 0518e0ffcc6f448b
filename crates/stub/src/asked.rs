//! A request to a model, the same for every wire.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// A request to a model.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    pub(crate) model: String,
    pub(crate) is_stream: bool,
    /// Tools, system prompt and messages, in the order in which a model reads them.
    pub(crate) blocks: Vec<Block>,
    /// The text of the last message of a user.
    pub(crate) user: String,
    pub(crate) max_tokens: Option<u64>,
    pub(crate) temperature: Option<f64>,
    pub(crate) has_schema: bool,
    pub(crate) tools: Vec<Tool>,
    pub(crate) has_tool_results: bool,
    /// Whether a stream ends with the usage; always, but on one wire.
    pub(crate) wants_usage: bool,
}

/// A piece of a prompt that is cached as a whole or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) role: &'static str,
    pub(crate) text: String,
    /// Whether the client asks for caching up to here.
    pub(crate) is_marked: bool,
    /// Whether it defines a tool: part of the prompt for the model, but nothing that anybody said.
    pub(crate) is_tool: bool,
}

/// A tool that was offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tool {
    pub(crate) name: String,
    /// Whether its input is a text instead of an object (the Responses wire alone).
    pub(crate) is_freeform: bool,
}

/// Why a request is refused; the wire has its own form for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn bad(message: impl Into<String>) -> Self {
        Self { status: 400, message: message.into() }
    }
}

impl Asked {
    /// The system prompt.
    pub(crate) fn system(&self) -> String {
        join(self.blocks.iter().filter(|block| !block.is_tool && block.role == "system"))
    }

    /// Everything that was said.
    pub(crate) fn prompt(&self) -> String {
        join(self.blocks.iter().filter(|block| !block.is_tool))
    }

    /// How many places are marked for the cache.
    pub(crate) fn marks(&self) -> usize {
        self.blocks.iter().filter(|block| block.is_marked).count()
    }

    /// Adds the definition of a tool.
    pub(super) fn add_tool(&mut self, name: &str, definition: &Value, is_freeform: bool) {
        self.tools.push(Tool { name: name.into(), is_freeform });
        let is_marked = definition.get("cache_control").is_some_and(Value::is_object);
        self.blocks.push(Block { role: "system", text: unmarked(definition), is_marked, is_tool: true });
    }

    /// Adds a text or part of a message, and whether it is marked.
    pub(super) fn add(&mut self, role: &'static str, text: impl Into<String>, is_marked: bool) {
        self.blocks.push(Block { role, text: text.into(), is_marked, is_tool: false });
    }
}

/// The text of a part that may be text, or something else: then as JSON, but for pictures, whose bytes nobody reads.
pub(crate) fn shown(part: &Value) -> String {
    match part {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            if let Some(text) = fields.get("text").and_then(Value::as_str) {
                return text.to_owned();
            }
            let is_picture = ["source", "image_url", "inlineData", "inline_data", "input_audio", "file_data"];
            if let Some(data) = is_picture.iter().find_map(|name| fields.get(*name)) {
                let digest: [u8; 32] = Sha256::digest(data.to_string()).into();
                return format!("[media {:02x}{:02x}{:02x}{:02x}]", digest[0], digest[1], digest[2], digest[3]);
            }
            unmarked(part)
        }
        other => other.to_string(),
    }
}

/// The role of a message, as one of ours. A model that reads its own words is the assistant.
pub(crate) fn role_of(name: &str) -> &'static str {
    match name {
        "system" | "developer" => "system",
        "assistant" | "model" => "assistant",
        "tool" | "function" => "tool",
        _ => "user",
    }
}

/// As JSON without the mark: where the mark stands must not change what is cached.
fn unmarked(value: &Value) -> String {
    let mut value = value.clone();
    if let Some(fields) = value.as_object_mut() {
        fields.remove("cache_control");
    }
    value.to_string()
}

fn join<'b>(blocks: impl Iterator<Item = &'b Block>) -> String {
    blocks.map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n\n")
}
