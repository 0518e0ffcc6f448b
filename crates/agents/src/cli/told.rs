//! What the events of a command line come to: an answer, or a fault.

use serde_json::Value;
use tribunal_kernel::Usage;

use super::lines::Lines;
use super::records::Records;
use super::{Cli, Vendor};
use crate::adapter::{Activity, Answer, ProcessExit, Reader};
use crate::fault::Fault;
use crate::{AgentError, Environment, Resumption, limit};

/// What was told so far.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The answer, as far as it goes.
    pub(super) text: String,
    pub(super) usage: Usage,
    /// What it calls the talk.
    pub(super) session: Option<Box<str>>,
    /// How it ended. Without an ending there is no answer, whatever was said before.
    pub(super) end: Option<Result<(), Fault>>,
    /// The event before the last may know more about a fault than the last.
    pub(super) word: Option<String>,
    /// When its provider takes requests again, in seconds since 1970, where an event of its own says so.
    pub(super) resets: Option<i64>,
    /// Whether it ended because it had reached what its turn may cost.
    pub(super) is_over_budget: bool,
    /// Whether its answer was longer than it may be.
    pub(super) is_cut_off: bool,
    /// Whether it would wait for ever.
    pub(super) is_hopeless: bool,
    /// Whether the text comes in pieces before it comes as a whole.
    pub(super) is_streamed: bool,
}

/// What an event means.
pub(super) type Hear = fn(&mut Told, &Value, &mut Vec<Activity>);

/// Reads the output of one call.
pub(super) struct Listener {
    agent: String,
    vendor: Vendor,
    /// The variable that holds its key, if the configuration names one.
    key: Option<String>,
    hear: Hear,
    /// Where it is written down what it took, if it does not say so.
    records: Option<Records>,
    lines: Lines,
    told: Told,
}

impl Listener {
    pub(super) fn new(cli: &Cli, hear: Hear, environment: &Environment) -> Self {
        let Cli { name: agent, vendor, api_key: key, .. } = cli.clone();
        let records = Records::of(vendor, environment);
        Self { agent, vendor, key, hear, records, lines: Lines::default(), told: Told::default() }
    }

    /// Looks up what the program did not say.
    fn look_up(&mut self) {
        if let (Some(records), Some(session)) = (self.records.take(), &self.told.session) {
            self.told.usage = records.spent(session).unwrap_or(self.told.usage);
        }
    }

    fn failed(&self, fault: &Fault) -> AgentError {
        let fault = fault.clone();
        let when = fault.when.or_else(|| self.told.resets.and_then(Resumption::at_second));
        let fault = Fault { when, ..fault };
        fault.error(&self.agent, self.key.as_deref(), self.vendor.login())
    }
}

impl Reader for Listener {
    fn push(&mut self, bytes: &[u8]) -> Vec<Activity> {
        let mut activities = Vec::new();
        let (told, hear) = (&mut self.told, self.hear);
        self.lines.push(bytes, &mut |event| {
            told.note_session(event);
            told.note_reset(event);
            hear(told, event, &mut activities);
        });
        activities
    }

    fn is_hopeless(&self) -> bool {
        self.told.is_hopeless
    }

    fn spent(&mut self) -> Option<Usage> {
        let (told, hear) = (&mut self.told, self.hear);
        self.lines.end(&mut |event| hear(told, event, &mut Vec::new()));
        self.look_up();
        Some(self.told.usage).filter(Usage::is_reported)
    }

    fn finish(mut self: Box<Self>, exit: ProcessExit, stderr_tail: &str) -> Result<Answer, AgentError> {
        let (told, hear) = (&mut self.told, self.hear);
        let mut unseen = Vec::new();
        self.lines.end(&mut |event| hear(told, event, &mut unseen));
        self.look_up();
        // Some say it to people alone.
        let last_words = limit::last_words(stderr_tail);
        let is_limited = limit::is_said_by_dead(&last_words);
        let died = |agent: String| AgentError::Died { agent, exit, stderr_tail: stderr_tail.to_owned() };
        match self.told.end.take() {
            Some(Err(fault)) if self.told.is_over_budget => Err(AgentError::OverBudget {
                agent: self.agent,
                why: format!("it has spent its budget ({})", fault.words),
            }),
            Some(Err(fault)) if self.told.is_cut_off => Err(AgentError::CutOff { agent: self.agent, why: fault.words }),
            Some(Err(fault)) => Err(self.failed(&fault)),
            // Both must say so.
            Some(Ok(())) if !exit.is_success() => Err(died(self.agent)),
            Some(Ok(())) if self.told.text.trim().is_empty() => Err(AgentError::Empty { agent: self.agent }),
            Some(Ok(())) => Ok(Answer { text: self.told.text, usage: self.told.usage, session: self.told.session }),
            None if self.vendor.is_locked_out(exit) => {
                let words = stderr_tail.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().to_owned();
                Err(self.failed(&Fault::new(Some(401), words)))
            }
            None if !exit.is_success() && is_limited => Err(self.failed(&Fault::new(None, last_words))),
            None if !exit.is_success() => Err(died(self.agent)),
            None if self.lines.strange > 0 => Err(AgentError::Garbled { agent: self.agent, lines: self.lines.strange }),
            None => Err(AgentError::Unfinished { agent: self.agent }),
        }
    }
}

impl Vendor {
    /// Whether an exit code without any word says that it has no account.
    fn is_locked_out(self, exit: ProcessExit) -> bool {
        self == Self::Gemini && exit == ProcessExit::Code(41)
    }
}

impl Told {
    /// Every command line names the talk in its first event.
    fn note_session(&mut self, event: &Value) {
        const NAMES: [&str; 3] = ["session_id", "thread_id", "sessionID"];
        if self.session.is_none() {
            self.session = NAMES.iter().find_map(|name| event[*name].as_str()).map(Into::into);
        }
    }

    /// What Claude Code and Codex say of limits in events of their own.
    fn note_reset(&mut self, event: &Value) {
        let info = &event["rate_limit_info"];
        if info["status"] == "rejected" {
            self.resets = info["resetsAt"].as_i64().or(self.resets);
        }
        for kind in ["primary", "secondary"] {
            let window = &event["rate_limits"][kind];
            if window["used_percent"].as_f64().is_some_and(|used| used >= 100.0) {
                self.resets = self.resets.max(window["resets_at"].as_i64());
            }
        }
    }

    /// The answer begins anew: what came before led to a tool.
    pub(super) fn begin(&mut self) {
        self.text.clear();
    }

    /// More of the answer, which is shown at once.
    pub(super) fn say(&mut self, text: &str, activities: &mut Vec<Activity>) {
        self.text.push_str(text);
        show(text, activities);
    }
}

/// Shows a text.
pub(super) fn show(text: &str, activities: &mut Vec<Activity>) {
    if !text.is_empty() {
        activities.push(Activity::Text(text.to_owned()));
    }
}

/// Shows that a tool is used.
pub(super) fn show_tool(name: &Value, activities: &mut Vec<Activity>) {
    if let Some(name) = name.as_str() {
        activities.push(Activity::Tool(name.to_owned()));
    }
}

/// Shows what the parts of a message in Claude Code's form say and do; a text only if it `is_said` to the reader.
pub(super) fn show_message(event: &Value, is_said: impl Fn(&str) -> bool, activities: &mut Vec<Activity>) {
    for part in event["message"]["content"].as_array().into_iter().flatten() {
        match text(&part["type"]) {
            "text" if is_said(text(&part["text"])) => show(text(&part["text"]), activities),
            "tool_use" => show_tool(&part["name"], activities),
            _ => {}
        }
    }
}

/// Whether an event in Claude Code's form is of a helper of the agent: what that says is not what the agent says.
pub(super) fn is_of_helper(event: &Value) -> bool {
    event["parent_tool_use_id"].is_string()
}

/// The text in a field; nothing is an empty text.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The number in a field; nothing is 0.
pub(super) fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

/// A status in a field.
pub(super) fn status(value: &Value) -> Option<u16> {
    value.as_u64().and_then(|status| u16::try_from(status).ok()).filter(|status| (100..600).contains(status))
}

/// The words and the code of a provider's error that is JSON inside of a text, if it is one.
pub(super) fn inner(words: &str) -> Option<(Value, String)> {
    let body: Value = serde_json::from_str(words).ok()?;
    let error = body.get("error")?;
    Some((error.clone(), text(error.get("message")?).to_owned()))
}
