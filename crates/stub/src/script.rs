//! What the server answers: rules, the first that fits decides.

use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::call::{StubCall, Wire};
use crate::fault::StubFault;
use crate::tribunal;

/// Rules in order.
#[derive(Debug, Default)]
pub struct Script {
    rules: Vec<Rule>,
}

/// One rule.
#[derive(Debug)]
struct Rule {
    when: Matcher,
    then: Then,
    /// How many calls everything but `nth` and `first` fitted.
    fitted: AtomicU32,
}

/// Which calls a rule is for. What is left out fits every call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Matcher {
    pub wire: Option<Wire>,
    /// The model's name contains this.
    pub model: Option<String>,
    /// The whole prompt contains this.
    pub prompt: Option<String>,
    /// The last words of the user contain this.
    pub user: Option<String>,
    /// Whether a key was sent.
    pub key: Option<bool>,
    /// Whether tools were offered. Command lines ask for titles and summaries without any.
    pub tools: Option<bool>,
    /// Whether the last message brings results of tools.
    pub tool_results: Option<bool>,
    /// Only the nth call, from 1, of those that everything above fits.
    pub nth: Option<u32>,
    /// Only the first so many calls of those that everything above fits.
    pub first: Option<u32>,
}

/// What a rule says.
enum Then {
    Reply(StubReply),
    Ask(Arc<dyn Fn(&StubCall) -> StubReply + Send + Sync>),
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StubReply {
    /// May hold `{{prompt}}`, `{{user}}`, `{{system}}`, `{{model}}`, `{{wire}}` and `{{number}}`.
    pub text: String,
    pub tools: Vec<ToolCall>,
    pub fault: Option<StubFault>,
}

/// A tool that the model wants to use.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    pub name: String,
    #[serde(default)]
    pub input: Value,
}

/// Why a script cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the script: {0}")]
pub struct ScriptError(#[from] serde_json::Error);

impl Script {
    /// No rules: every call is refused with 400.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same answer to everything.
    pub fn always(reply: impl Into<StubReply>) -> Self {
        Self::new().rule(Matcher::default(), reply)
    }

    /// Whatever `answer` says.
    pub fn answering(answer: impl Fn(&StubCall) -> StubReply + Send + Sync + 'static) -> Self {
        Self::new().ask(Matcher::default(), answer)
    }

    /// Answers the prompts of Tribunal's own loops: reviews and theaters converge in their second round.
    pub fn tribunal() -> Self {
        Self::answering(tribunal::answer)
    }

    /// What [`Script::tribunal`] says to a call, for scripts that say more.
    pub fn tribunal_reply(call: &StubCall) -> StubReply {
        tribunal::answer(call)
    }

    /// The script in this JSON text. The form is in the documentation of the crate.
    pub fn from_json(text: &str) -> Result<Self, ScriptError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Form {
            rules: Vec<RuleForm>,
            #[serde(default)]
            otherwise: Option<Otherwise>,
        }
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct RuleForm {
            #[serde(default)]
            when: Matcher,
            then: StubReply,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum Otherwise {
            Tribunal,
        }
        let form: Form = serde_json::from_str(text)?;
        let script = form.rules.into_iter().fold(Self::new(), |script, rule| script.rule(rule.when, rule.then));
        Ok(match form.otherwise {
            Some(Otherwise::Tribunal) => script.ask(Matcher::default(), tribunal::answer),
            None => script,
        })
    }

    /// Adds a rule behind the others.
    pub fn rule(mut self, when: Matcher, then: impl Into<StubReply>) -> Self {
        self.rules.push(Rule::new(when, Then::Reply(then.into())));
        self
    }

    /// Adds a rule behind the others that is decided by a function.
    pub fn ask(mut self, when: Matcher, then: impl Fn(&StubCall) -> StubReply + Send + Sync + 'static) -> Self {
        self.rules.push(Rule::new(when, Then::Ask(Arc::new(then))));
        self
    }

    /// Before everything else: the first `count` calls meet `fault`, and then all is well.
    pub fn failing_first(mut self, count: u32, fault: StubFault) -> Self {
        let when = Matcher { first: Some(count), ..Matcher::default() };
        self.rules.insert(0, Rule::new(when, Then::Reply(StubReply::fault(fault))));
        self
    }

    /// The number of the rule that decides, and what it says.
    pub(crate) fn decide(&self, call: &StubCall) -> Option<(usize, StubReply)> {
        // Every rule before the one that decides counts the call; those behind it never see it.
        let (number, rule) = self.rules.iter().enumerate().find(|(_, rule)| rule.fits(call))?;
        let mut reply = match &rule.then {
            Then::Reply(reply) => StubReply { text: fill(&reply.text, call), ..reply.clone() },
            Then::Ask(answer) => answer(call),
        };
        // A stream that breaks needs something to break in.
        if reply.text.is_empty() && reply.tools.is_empty() && reply.fault.is_some_and(StubFault::has_answer) {
            reply.text = FILLER.into();
        }
        Some((number, reply))
    }
}

/// What a fault is applied to where a script says nothing else.
const FILLER: &str = "This answer meets a fault on its way: déjà vu, naïveté, 中文. It is long enough to be broken.";

impl Rule {
    fn new(when: Matcher, then: Then) -> Self {
        Self { when, then, fitted: AtomicU32::new(0) }
    }

    fn fits(&self, call: &StubCall) -> bool {
        if !self.when.fits(call) {
            return false;
        }
        let nth = self.fitted.fetch_add(1, Ordering::Relaxed) + 1;
        self.when.nth.is_none_or(|wanted| wanted == nth) && self.when.first.is_none_or(|count| nth <= count)
    }
}

impl Matcher {
    fn fits(&self, call: &StubCall) -> bool {
        let contains = |text: &str, part: &Option<String>| part.as_ref().is_none_or(|part| text.contains(part));
        self.wire.is_none_or(|wire| Some(wire) == call.wire)
            && contains(&call.model, &self.model)
            && contains(&call.prompt, &self.prompt)
            && contains(&call.user, &self.user)
            && self.key.is_none_or(|key| key == call.has_key)
            && self.tools.is_none_or(|wanted| wanted != call.tools.is_empty())
            && self.tool_results.is_none_or(|wanted| wanted == call.has_tool_results)
    }
}

impl StubReply {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub fn fault(fault: StubFault) -> Self {
        Self { fault: Some(fault), ..Self::default() }
    }

    pub fn tool(name: impl Into<String>, input: Value) -> Self {
        Self { tools: vec![ToolCall { name: name.into(), input }], ..Self::default() }
    }

    /// The same answer, with a fault on its way.
    pub fn with_fault(self, fault: StubFault) -> Self {
        Self { fault: Some(fault), ..self }
    }
}

impl From<&str> for StubReply {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<StubFault> for StubReply {
    fn from(fault: StubFault) -> Self {
        Self::fault(fault)
    }
}

impl std::fmt::Debug for Then {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Reply(reply) => reply.fmt(f),
            Self::Ask(_) => f.write_str("Ask"),
        }
    }
}

/// Fills in a template, once: what is filled in may look like a template and stays as it is.
fn fill(template: &str, call: &StubCall) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once("{{") {
        text.push_str(before);
        let named = behind.split_once("}}").and_then(|(name, after)| Some((value(name.trim(), call)?, after)));
        if let Some((value, after)) = named {
            text.push_str(&value);
            rest = after;
        } else {
            text.push_str("{{");
            rest = behind;
        }
    }
    text + rest
}

fn value(name: &str, call: &StubCall) -> Option<String> {
    match name {
        "prompt" => Some(call.prompt.clone()),
        "user" => Some(call.user.clone()),
        "system" => Some(call.system.clone()),
        "model" => Some(call.model.clone()),
        "wire" => Some(call.wire.map_or("", Wire::as_str).to_owned()),
        "number" => Some(call.number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::call::Purpose;

    pub(crate) fn call(user: &str) -> StubCall {
        StubCall {
            number: 7,
            purpose: Purpose::Answer,
            wire: Some(Wire::Chat),
            method: "POST".into(),
            path: "/v1/chat/completions".into(),
            model: "gpt-5".into(),
            stream: false,
            headers: Vec::new(),
            has_key: true,
            system: "Be kind.".into(),
            user: user.into(),
            prompt: format!("Be kind.\n\n{user}"),
            max_tokens: None,
            temperature: None,
            has_schema: false,
            tools: Vec::new(),
            cache_marks: 0,
            has_tool_results: false,
            body: Value::Null,
        }
    }

    fn texts(script: &Script, users: &[&str]) -> Vec<String> {
        users.iter().map(|user| script.decide(&call(user)).map_or("-".into(), |(_, reply)| reply.text)).collect()
    }

    #[test]
    fn the_first_rule_that_fits_decides() {
        let script = Script::from_json(
            r#"{"rules": [
                {"when": {"user": "tea", "nth": 2}, "then": {"text": "second tea"}},
                {"when": {"user": "tea"}, "then": {"text": "tea"}},
                {"when": {"wire": "gemini"}, "then": {"text": "never"}},
                {"when": {"tools": true}, "then": {"text": "never"}},
                {"when": {"first": 1}, "then": {"text": "once"}},
                {"when": {"model": "gpt", "key": true, "tools": false}, "then": {"text": "{{user}} {{number}}"}}
            ]}"#,
        );
        let script = script.unwrap();
        let users = ["tea", "milk", "tea", "milk", "tea"];
        assert_eq!(texts(&script, &users), ["tea", "once", "second tea", "milk 7", "tea"]);
        assert_eq!(script.decide(&call("milk")).unwrap().0, 5);
    }

    #[test]
    fn a_fault_strikes_the_first_calls_alone() {
        let script = Script::always("well").failing_first(2, StubFault::ServerError);
        let faults: Vec<_> = (0..4).map(|_| script.decide(&call("x")).unwrap().1.fault).collect();
        assert_eq!(faults, [Some(StubFault::ServerError), Some(StubFault::ServerError), None, None]);
    }

    #[test]
    fn templates_are_filled_once() {
        for (template, expected) in [
            ("{{user}}", "say {{model}}"),
            ("{{ model }}/{{wire}}", "gpt-5/chat"),
            ("{{unknown}} {{", "{{unknown}} {{"),
            ("{\"a\": {\"b\": 1}}", "{\"a\": {\"b\": 1}}"),
        ] {
            assert_eq!(fill(template, &call("say {{model}}")), expected);
        }
    }

    #[test]
    fn faults_have_a_form_in_json() {
        for (form, expected) in [
            (r#""unauthorized""#, StubFault::Unauthorized),
            (r#"{"rate_limited": {"retry_after_ms": 1500}}"#, StubFault::RateLimited { retry_after_ms: 1500 }),
            (r#"{"cut": {}}"#, StubFault::Cut { bytes: None }),
            (r#"{"cut": {"bytes": 9}}"#, StubFault::Cut { bytes: Some(9) }),
            (r#"{"slow": {"bytes_per_second": 10}}"#, StubFault::Slow { bytes_per_second: 10 }),
            (r#""cut_character""#, StubFault::CutCharacter),
        ] {
            let fault: StubFault = serde_json::from_str(form).unwrap();
            assert_eq!(fault, expected, "{form}");
            assert!(form.contains(fault.as_str()), "{form}");
        }
    }

    #[test]
    fn a_script_with_a_mistake_is_refused() {
        for text in ["", "[]", r#"{"rules": [{"then": {"txt": "x"}}]}"#, r#"{"rules": [], "otherwise": "x"}"#] {
            assert!(Script::from_json(text).is_err(), "{text}");
        }
        assert!(Script::from_json(r#"{"rules": [], "otherwise": "tribunal"}"#).is_ok());
    }
}
