//! `kind = "claude"` and its like: command lines that speak JSON, a line an event.
//!
//! | file | noun |
//! |---|---|
//! | `claude`, `codex`, `copilot`, `gemini`, `goose`, `opencode`, `qwen` | one command line: how it is called, what its events mean |
//! | `account` | what tells whether somebody is logged in, and which versions are known to work |
//! | `standing` | how far its adapter is relied on, and what that rests on |
//! | `usual` | its models and the places of its state, where nobody says otherwise |
//! | `records` | what it writes down of a session, beside what it prints |
//! | `told` | what the events come to: an answer, or a fault |
//! | `lines` | JSON objects from bytes that are cut anywhere |
//!
//! Two kinds of seats: one that speaks gets no tool that writes, and one that works on files in the desk's sandbox
//! gets every tool, without questions. That sandbox is what holds it, not the command line's own.
//!
//! The form of an answer is asked for in the prompt. Claude Code is held to it besides (`--json-schema`); Codex is not:
//! its provider takes schemas in strict form alone.

mod account;
mod claude;
mod codex;
mod copilot;
mod gemini;
mod goose;
mod lines;
mod opencode;
mod qwen;
mod records;
mod standing;
mod told;
mod usual;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use tribunal_kernel::quote::TurnMeter;

use crate::adapter::{Adapter, Invocation, Reader};
use crate::{AttachedFile, Environment, TurnRequest};
use told::Listener;

pub use account::{Traces, Version};
pub use standing::AdapterStatus;
pub use usual::StateHome;

/// What every program on a network may need; no secrets.
pub(crate) const NETWORK: &[&str] = &[
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NODE_EXTRA_CA_CERTS",
    "NO_PROXY",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// A command line that we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vendor {
    Claude,
    Codex,
    Gemini,
    Opencode,
    Qwen,
    Copilot,
    Goose,
}

/// A command line as an agent.
#[derive(Debug, Clone)]
pub struct Cli {
    pub vendor: Vendor,
    /// Its name in the configuration.
    pub name: String,
    /// The program and arguments that come before ours; empty is the vendor's own, on the PATH.
    pub command: Vec<String>,
    /// The folder it works in.
    pub cwd: PathBuf,
    /// Variables it may see besides the usual ones.
    pub env: Vec<String>,
    /// Where its model is, in the form that it expects itself.
    pub base_url: Option<String>,
    /// The variable that holds its key. The key itself is looked up for every turn and never kept.
    pub api_key: Option<String>,
    /// A folder of ours for files that it must find; see [`Cli::files`].
    pub state: PathBuf,
}

/// What a vendor adds to a call.
#[derive(Debug, Default)]
struct Call {
    args: Vec<String>,
    env: Vec<(&'static str, String)>,
    /// What it reads, where that is not the prompt alone.
    stdin: Option<String>,
}

/// What a call depends on.
#[derive(Debug, Clone, Copy)]
struct Wanted<'a> {
    cli: &'a Cli,
    model: Option<&'a str>,
    key: Option<&'a str>,
    /// How hard the model shall think, in our words.
    effort: Option<&'a str>,
    /// The JSON schema of the answer, on one line.
    form: Option<&'a str>,
    /// Whether the seat works on files, in a sandbox.
    works: bool,
    prompt: &'a str,
    /// What the model has to look at besides.
    images: &'a [&'a AttachedFile],
    /// What the turn may cost, where there is a limit.
    meter: Option<TurnMeter>,
}

impl Vendor {
    pub const ALL: [Self; 7] =
        [Self::Claude, Self::Codex, Self::Gemini, Self::Opencode, Self::Qwen, Self::Copilot, Self::Goose];

    /// The vendor of this name.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|vendor| vendor.program() == word)
    }

    /// Its program, which is its name, too.
    pub fn program(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Qwen => "qwen",
            Self::Copilot => "copilot",
            Self::Goose => "goose",
        }
    }

    /// How to get it.
    pub fn installation(self) -> &'static str {
        match self {
            Self::Claude => "npm install -g @anthropic-ai/claude-code",
            Self::Codex => "npm install -g @openai/codex",
            Self::Gemini => "npm install -g @google/gemini-cli",
            Self::Opencode => "npm install -g opencode-ai",
            Self::Qwen => "npm install -g @qwen-code/qwen-code",
            Self::Copilot => "npm install -g @github/copilot",
            Self::Goose => "brew install block-goose-cli",
        }
    }

    /// How to be let in by its provider.
    pub fn login(self) -> &'static str {
        match self {
            Self::Claude => "run `claude` and `/login`, or set ANTHROPIC_API_KEY",
            Self::Codex => "run `codex login`, or set CODEX_API_KEY",
            Self::Gemini => "run `gemini` and log in, or set GEMINI_API_KEY",
            Self::Opencode => "run `opencode auth login`",
            Self::Qwen => "run `qwen auth`, or set OPENAI_API_KEY",
            Self::Copilot => "run `copilot login`, or set COPILOT_GITHUB_TOKEN",
            Self::Goose => "run `goose configure`",
        }
    }

    /// Variables by which it finds its account. Not passed on where the configuration names a key.
    fn credentials(self) -> &'static [&'static str] {
        match self {
            Self::Claude => claude::CREDENTIALS,
            Self::Codex => codex::CREDENTIALS,
            Self::Gemini => gemini::CREDENTIALS,
            Self::Opencode => opencode::CREDENTIALS,
            Self::Qwen => qwen::CREDENTIALS,
            Self::Copilot => copilot::CREDENTIALS,
            Self::Goose => goose::CREDENTIALS,
        }
    }

    fn variables(self) -> &'static [&'static str] {
        match self {
            Self::Claude => claude::VARIABLES,
            Self::Codex => codex::VARIABLES,
            Self::Gemini => gemini::VARIABLES,
            Self::Opencode => opencode::VARIABLES,
            Self::Qwen => qwen::VARIABLES,
            Self::Copilot => copilot::VARIABLES,
            Self::Goose => goose::VARIABLES,
        }
    }

    /// Whether it can be shown an image, in a seat that speaks.
    pub fn takes_images(self) -> bool {
        !matches!(self, Self::Goose)
    }

    fn call(self, wanted: Wanted<'_>) -> Call {
        match self {
            Self::Claude => claude::call(wanted),
            Self::Codex => codex::call(wanted),
            Self::Gemini => gemini::call(wanted),
            Self::Opencode => opencode::call(wanted),
            Self::Qwen => qwen::call(wanted),
            Self::Copilot => copilot::call(wanted),
            Self::Goose => goose::call(wanted),
        }
    }
}

impl Cli {
    /// The program that is started.
    pub fn program(&self) -> &str {
        self.command.first().map_or(self.vendor.program(), String::as_str)
    }

    /// Where it keeps its state; `variable` looks into the environment.
    pub fn homes(&self, variable: impl Fn(&str) -> Option<String>) -> Vec<StateHome> {
        let ours = gemini::has_home(self).then(|| StateHome { path: self.state.clone(), is_file: false });
        ours.map_or_else(|| self.vendor.homes(variable), |ours| vec![ours])
    }

    /// Files that must be there before a turn, with their text. None is in the user's home.
    pub fn files(&self) -> Vec<(PathBuf, String)> {
        match self.vendor {
            Vendor::Gemini => gemini::files(self),
            Vendor::Qwen => qwen::files(self),
            _ => Vec::new(),
        }
    }
}

impl Adapter for Cli {
    fn invocation(&self, request: &TurnRequest, environment: &Environment) -> Invocation {
        let key = self.api_key.as_deref().and_then(|name| environment.get(name));
        let form = request.form.as_ref().map(ToString::to_string);
        let images: Vec<&AttachedFile> = request.images().collect();
        let wanted = Wanted {
            cli: self,
            model: request.model.as_deref(),
            key,
            effort: request.effort.as_deref(),
            works: request.works_on_files,
            form: form.as_deref(),
            prompt: &request.prompt,
            images: &images,
            meter: Some(request.meter).filter(|meter| meter.allowance.is_limited()),
        };
        let call = self.vendor.call(wanted);
        let credentials = if self.api_key.is_some() { &[] } else { self.vendor.credentials() };
        let allowed = [NETWORK, self.vendor.variables(), credentials].concat();
        let allowed: Vec<String> = allowed.into_iter().map(str::to_owned).chain(self.env.iter().cloned()).collect();
        let mut env: BTreeMap<String, String> = environment.select(&allowed, request).into_iter().collect();
        for (name, value) in call.env {
            // A user's own bound holds where it is the tighter one.
            let number = |text: &str| text.parse::<u64>().ok();
            let own = env.get(name).filter(|_| name.ends_with("_MAX_OUTPUT_TOKENS")).and_then(|own| number(own));
            let is_tighter = own.zip(number(&value)).is_some_and(|(own, ours)| own < ours);
            // Whose defaults are named in `agents.NAME.env` has reasons for them.
            let is_given = name == qwen::DEFAULTS && env.contains_key(name);
            if !is_tighter && !is_given {
                env.insert(name.to_owned(), value);
            }
        }
        Invocation {
            program: self.program().to_owned(),
            args: self.command.iter().skip(1).cloned().chain(call.args).collect(),
            env: env.into_iter().collect(),
            cwd: self.cwd.clone(),
            stdin: call.stdin.unwrap_or_else(|| request.prompt.clone()),
        }
    }

    fn is_enclosed(&self) -> bool {
        true
    }

    fn reader(&self, environment: &Environment) -> Box<dyn Reader> {
        let hear = match self.vendor {
            Vendor::Claude => claude::hear,
            Vendor::Codex => codex::hear,
            Vendor::Gemini => gemini::hear,
            Vendor::Opencode => opencode::hear,
            Vendor::Qwen => qwen::hear,
            Vendor::Copilot => copilot::hear,
            Vendor::Goose => goose::hear,
        };
        Box::new(Listener::new(self, hear, environment))
    }

    fn is_metered(&self) -> bool {
        true
    }
}

impl fmt::Display for Vendor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.program())
    }
}

/// A prompt, and behind it where its images lie, in the way in which some programs take files into what they send.
fn mentioning(wanted: &Wanted<'_>) -> Option<String> {
    let places: Vec<String> = wanted.images.iter().filter_map(|image| Some(format!("@{}", image.place()?))).collect();
    (!places.is_empty())
        .then(|| format!("{}\nThe attached images, in the same order:\n{}\n", wanted.prompt, places.join("\n")))
}

/// The folders in which images lie: such programs read nothing outside of those that they are told.
fn folders(wanted: &Wanted<'_>) -> Vec<String> {
    let mut folders: Vec<String> = wanted
        .images
        .iter()
        .filter_map(|image| Some(image.path.as_ref()?.parent()?.to_string_lossy().into_owned()))
        .collect();
    folders.dedup();
    folders
}

/// Words as arguments.
fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).into()
}
