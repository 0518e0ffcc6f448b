//! What the agent says on the way: text, tools.

use agent_client_protocol::v1::schema::{ContentBlock, SessionUpdate, ToolCall};
use serde_json::Value;
use tribunal_kernel::Usage;

use super::meter::Meter;
use crate::Activity;

/// What was heard so far.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// The answer, as far as it goes: the text since the last tool, because what stands before a tool is about what it
    /// will do and not what it found. An agent that ends with a tool and says no more has answered before it.
    pub(super) text: String,
    /// Whether the next text begins the answer anew.
    used_a_tool: bool,
    /// What it says that it took.
    meter: Meter,
}

impl Heard {
    /// Takes in one update, and says what there is to show of it.
    pub(super) fn update(&mut self, update: SessionUpdate) -> Option<Activity> {
        match update {
            SessionUpdate::AgentMessageChunk(chunk) => {
                self.meter.request(chunk.meta.as_ref());
                match chunk.content {
                    ContentBlock::Text(piece) if !piece.text.is_empty() => {
                        if std::mem::take(&mut self.used_a_tool) {
                            self.text.clear();
                        }
                        self.text.push_str(&piece.text);
                        Some(Activity::Text(piece.text))
                    }
                    _ => None,
                }
            }
            SessionUpdate::ToolCall(call) => {
                self.used_a_tool = true;
                Some(Activity::Tool(name_of(&call)))
            }
            SessionUpdate::ToolCallUpdate(_) => {
                self.used_a_tool = true;
                None
            }
            SessionUpdate::UsageUpdate(usage) => {
                let cost = usage.cost.filter(|cost| cost.currency == "USD").map(|cost| cost.amount);
                self.meter.context(usage.used, cost);
                None
            }
            _ => None,
        }
    }

    /// What the turn used, as its last word says.
    pub(super) fn usage(&self, result: &Value) -> Usage {
        self.meter.read(result, &self.text)
    }
}

/// A title may be a whole command line.
fn name_of(call: &ToolCall) -> String {
    const MAX_CHARS: usize = 80;
    let line = call.title.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(MAX_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn heard(updates: &[Value]) -> (Heard, String) {
        let mut heard = Heard::default();
        let mut shown = String::new();
        for update in updates {
            match heard.update(serde_json::from_value(update.clone()).unwrap()) {
                Some(Activity::Text(text)) => shown.push_str(&text),
                Some(Activity::Tool(tool)) => shown.extend(["[", tool.as_str(), "]"]),
                _ => {}
            }
        }
        (heard, shown)
    }

    fn says(text: &str) -> Value {
        json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } })
    }

    fn thinks(text: &str) -> Value {
        json!({ "sessionUpdate": "agent_thought_chunk", "content": { "type": "text", "text": text } })
    }

    fn uses(title: &str) -> Value {
        json!({ "sessionUpdate": "tool_call", "toolCallId": "t", "title": title })
    }

    fn used() -> Value {
        json!({ "sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed" })
    }

    #[test]
    fn the_answer_is_what_follows_the_last_tool() {
        for (name, updates, answer, shown) in [
            ("pieces", vec![says("One "), says("answer.")], "One answer.", "One answer."),
            ("thoughts are its own", vec![thinks("Hm."), says("Yes.")], "Yes.", "Yes."),
            (
                "a tool between",
                vec![says("I look."), uses("cat  x\ny"), used(), says("Found "), says("it.")],
                "Found it.",
                "I look.[cat x y]Found it.",
            ),
            ("a tool at the end", vec![says("All done."), uses("ls"), used()], "All done.", "All done.[ls]"),
            ("no answer", vec![uses("ls"), used()], "", "[ls]"),
        ] {
            let (heard, seen) = heard(&updates);
            assert_eq!((heard.text.as_str(), seen.as_str()), (answer, shown), "{name}");
        }
    }

    #[test]
    fn a_price_in_dollars_counts() {
        let update = |amount: f64, currency: &str| json!({ "sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": { "amount": amount, "currency": currency } });
        let (heard, _) = heard(&[update(0.01, "USD"), update(0.02, "USD"), update(9.0, "EUR")]);
        assert_eq!(heard.usage(&json!({})).usd.map(|usd| usd.0), Some(20_000), "the last sum in dollars");
    }
}
