//! What a turn in flight does, for whoever looks on now. Nothing of it is durable, and nothing is decided on it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{SeatName, TurnId};

/// Some of what a turn says or does before it ends. What it amounted to is told by the log, when it is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LiveFrame {
    pub turn: TurnId,
    pub role: SeatName,
    /// What comes next of its text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The tool that it uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

impl LiveFrame {
    /// The same with fewer frames: text of one turn that comes in pieces is one piece.
    pub fn joined(frames: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut joined: Vec<Self> = Vec::new();
        for frame in frames {
            match joined.last_mut() {
                Some(last) if last.turn == frame.turn && last.tool.is_none() && frame.tool.is_none() => {
                    last.text.push_str(&frame.text);
                }
                _ => joined.push(frame),
            }
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_one_turn_are_joined_and_nothing_else_is() {
        let said = |turn, text: &str| LiveFrame {
            turn: TurnId(turn),
            role: SeatName::new("critic"),
            text: text.into(),
            tool: None,
        };
        let used = LiveFrame { tool: Some("Bash".into()), ..said(1, "") };
        let frames = [said(1, "a"), said(1, "b"), used.clone(), said(1, "c"), said(2, "d"), said(2, "")];
        assert_eq!(LiveFrame::joined(frames), [said(1, "ab"), used, said(1, "c"), said(2, "d")]);
    }
}
