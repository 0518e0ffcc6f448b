//! `kind = "http"`: a model behind HTTP.
//!
//! | file | noun |
//! |---|---|
//! | `provider` | whose interface is spoken: addresses, keys |
//! | `line` | the client, and where it calls |
//! | `talk` | one request and the stream that comes back: the only file that knows how genai speaks |
//! | `failure` | why a call brought nothing, and whether to ask again |
//! | `meter` | what a turn may still cost, and how long an answer may be |
//! | `patience` | how long to wait, and how often |
//! | `tools`, `place` | files that a model may read, and which those are |
//!
//! A turn is one call, or several where the model reads files in between. What was shown cannot be taken back, so a call
//! is repeated only as long as nothing of its answer was seen; after that, asking again is the engine's.

mod failure;
mod line;
mod meter;
mod patience;
mod place;
mod provider;
mod talk;
mod tools;

use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tribunal_kernel::Usage;

use crate::adapter::{Activity, Answer, Answering, Native, Show};
use crate::{AgentError, Environment, TurnRequest};
use failure::{Failure, What};
use line::Line;
use meter::Meter;
pub use patience::Patience;
use patience::Waiting;
pub use provider::Provider;
use talk::{Asking, Manner, Said, Talk};
use tools::Library;

/// Calls of a model in one turn at most: each but the last brought results of tools.
const MAX_CALLS: usize = 24;

/// A model behind HTTP as an agent.
pub struct Http {
    /// Its name in the configuration.
    pub name: String,
    pub provider: Provider,
    /// Another address than the provider's own.
    pub base_url: Option<String>,
    /// The variable that holds its key, instead of the provider's usual one.
    pub api_key: Option<String>,
    /// Where the key is looked up, for every turn.
    pub environment: Environment,
    /// The longest that it may be silent.
    pub idle: Duration,
    /// The most bytes that it may say in a turn.
    pub output: u64,
    /// The folder whose files it may read.
    pub library: Option<PathBuf>,
    pub patience: Patience,
    /// Whether the part of a prompt that stays the same is marked for the provider's cache, where marks are needed.
    pub marks: bool,
    line: OnceLock<Line>,
    /// Models that did not take the form of an answer. The prompt asks for it all the same.
    formless: Mutex<BTreeSet<String>>,
    /// Models that did not take a temperature.
    untempered: Mutex<BTreeSet<String>>,
}

impl Http {
    /// An agent with the usual limits, which reads no files.
    pub fn new(name: impl Into<String>, provider: Provider, environment: Environment) -> Self {
        Self {
            name: name.into(),
            provider,
            base_url: None,
            api_key: None,
            environment,
            idle: Duration::from_secs(120),
            output: 8 << 20,
            library: None,
            patience: Patience::default(),
            marks: true,
            line: OnceLock::new(),
            formless: Mutex::default(),
            untempered: Mutex::default(),
        }
    }

    /// Whether a turn with this model could begin, as far as that can be said without asking anybody.
    pub fn check(&self, model: Option<&str>) -> Result<(), AgentError> {
        self.model(model).and(self.address()).and(self.key().map(drop))
    }

    fn model<'m>(&self, model: Option<&'m str>) -> Result<&'m str, AgentError> {
        let name = &self.name;
        model.ok_or_else(|| {
            self.unavailable(
                "it has no model".into(),
                format!("set `agents.{name}.model`, or `model` of the seat; {}", self.provider.example()),
            )
        })
    }

    fn address(&self) -> Result<String, AgentError> {
        self.provider.address(self.base_url.as_deref()).ok_or_else(|| {
            self.unavailable(
                format!("the provider `{}` has no default URL", self.provider),
                format!(
                    "set `agents.{}.base_url` to an OpenAI-compatible server, or use anthropic, openai, openai-chat or \
                     gemini",
                    self.name
                ),
            )
        })
    }

    /// The variable that holds the key, if there is one.
    fn variable(&self) -> Option<&str> {
        self.api_key.as_deref().or(self.provider.variable())
    }

    /// The key; nothing where none is needed: a server of one's own may let everybody in.
    fn key(&self) -> Result<Option<&str>, AgentError> {
        let Some(variable) = self.variable() else { return Ok(None) };
        let key = self.environment.get(variable).map(str::trim).filter(|key| !key.is_empty());
        if key.is_none() && (self.api_key.is_some() || self.base_url.is_none()) {
            return Err(self.unavailable(
                format!("the environment variable `${variable}` with its API key is not set"),
                format!("set it, or use another variable: `agents.{}.api_key`", self.name),
            ));
        }
        Ok(key)
    }

    /// The line is made when it is first needed: most commands need none.
    fn line(&self) -> Result<&Line, AgentError> {
        if let Some(line) = self.line.get() {
            return Ok(line);
        }
        let made = Line::new(&self.address()?)
            .map_err(|why| self.unavailable(why, "install the system's certificates, or set `SSL_CERT_FILE`".into()))?;
        Ok(self.line.get_or_init(|| made))
    }

    fn unavailable(&self, reason: String, hint: String) -> AgentError {
        AgentError::Unavailable { agent: self.name.clone(), reason, hint: Some(hint) }
    }

    async fn turn(&self, request: &TurnRequest, show: Show<'_>) -> Result<Answer, AgentError> {
        let model = self.model(request.model.as_deref())?;
        let key = self.key()?;
        let asking = Asking {
            line: self.line()?,
            provider: &self.provider,
            key,
            model,
            effort: request.effort.as_deref(),
            idle: self.idle,
            cache_key: format!("{}-{}", request.run, request.seat),
        };
        let mut library = self.library.as_ref().map(|root| Library::new(root.clone(), request.run));
        let mut talk = Talk::new(request, &self.provider, self.marks && self.provider.needs_marks(), library.is_some());
        let (form, is_cold) = (self.form(request, model), self.is_cold(request, model));
        let meter = Meter::new(request.meter, show);
        let mut turn = Turn { http: self, asking, show, form, is_cold, waiting: Waiting::default(), meter: &meter };
        let (mut text, mut room) = (String::new(), self.output);
        for _ in 0..MAX_CALLS {
            let said = turn.ask(&talk, room).await?;
            text.push_str(&said.text);
            room = room.saturating_sub(said.bytes);
            let (false, Some(library)) = (said.calls.is_empty(), library.as_mut()) else {
                return self.whole(text, meter.spent(), &said);
            };
            let mut results = Vec::new();
            for call in &said.calls {
                show(Activity::Tool(call.name.clone()));
                results.push(library.perform(call).await);
            }
            talk.go_on(said, results);
        }
        Err(Failure::broken("it went on asking for files instead of answering").error(self))
    }

    fn whole(&self, text: String, usage: Usage, last: &Said) -> Result<Answer, AgentError> {
        if !last.calls.is_empty() {
            return Err(Failure::broken("it called a tool that it was not offered").error(self));
        }
        if last.text.trim().is_empty() {
            return Err(Failure::broken("its answer is empty").error(self));
        }
        Ok(Answer { text, usage, session: None })
    }

    /// The form of the answer, unless the model did not take it before.
    fn form(&self, request: &TurnRequest, model: &str) -> Option<Value> {
        let is_refused = self.formless.lock().unwrap_or_else(PoisonError::into_inner).contains(model);
        request.form.clone().filter(|form| !is_refused && form.is_object())
    }

    fn remember_formless(&self, model: &str) {
        self.formless.lock().unwrap_or_else(PoisonError::into_inner).insert(model.to_owned());
    }

    /// Whether the lowest temperature is asked for: of whoever judges, unless the model did not take one before.
    fn is_cold(&self, request: &TurnRequest, model: &str) -> bool {
        let is_refused = self.untempered.lock().unwrap_or_else(PoisonError::into_inner).contains(model);
        request.judges && !is_refused && self.provider.takes_temperature(request.effort.as_deref())
    }

    fn remember_untempered(&self, model: &str) {
        self.untempered.lock().unwrap_or_else(PoisonError::into_inner).insert(model.to_owned());
    }
}

impl Native for Http {
    fn answer<'a>(&'a self, request: TurnRequest, show: Show<'a>) -> Answering<'a> {
        Box::pin(async move { self.turn(&request, show).await })
    }

    fn is_metered(&self) -> bool {
        true
    }
}

/// Without the form and the line, which say nothing.
impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http")
            .field("name", &self.name)
            .field("provider", &self.provider)
            .field("base_url", &self.base_url)
            .field("api_key", &self.variable())
            .finish_non_exhaustive()
    }
}

/// A turn on its way.
struct Turn<'t> {
    http: &'t Http,
    asking: Asking<'t>,
    show: Show<'t>,
    form: Option<Value>,
    /// Whether the lowest temperature is asked for.
    is_cold: bool,
    waiting: Waiting,
    meter: &'t Meter<'t>,
}

impl Turn<'_> {
    /// One call, as often as it takes and patience allows.
    async fn ask(&mut self, talk: &Talk, room: u64) -> Result<Said, AgentError> {
        let mut refused_form = false;
        loop {
            let input = talk.most_tokens(self.form.as_ref());
            let over = |why| AgentError::OverBudget { agent: self.http.name.clone(), why };
            let cap = self.meter.cap(input).map_err(over)?;
            let manner = Manner { form: self.form.as_ref(), is_cold: self.is_cold, cap };
            let charge = self.meter.begin(input, cap);
            let failure = match self.asking.say(talk, manner, room, charge, self.show).await {
                Ok(said) => {
                    if refused_form {
                        self.http.remember_formless(self.asking.model);
                    }
                    return Ok(said);
                }
                // Asked again, it would be cut off again, and paid for twice.
                Err(Failure { what: What::CutOff(_), .. }) if cap.is_some_and(|cap| cap.is_limit) => {
                    let tokens = cap.map_or(0, |cap| cap.tokens);
                    return Err(over(format!("the answer was cut off after {tokens} tokens")));
                }
                Err(failure) => failure,
            };
            if self.is_cold && failure.is_about_the_temperature() {
                self.is_cold = false;
                self.http.remember_untempered(self.asking.model);
                let model = self.asking.model;
                (self.show)(Activity::Note(format!("`{model}` takes no temperature: it judges at its own")));
                continue;
            }
            if self.form.is_some() && failure.may_be_about_the_form() {
                (self.form, refused_form) = (None, true);
                continue;
            }
            let Some(pause) = self.waiting.after(&failure, &self.http.patience) else {
                return Err(failure.error(self.http));
            };
            if pause.is_parked {
                (self.show)(Activity::Parked(pause.time));
            }
            tokio::time::sleep(pause.time).await;
        }
    }
}
