//! The one table of known keys. The check for unknown keys, the nearest key, the names of environment variables,
//! the listing of `tribunal config` and the reference in the docs all derive from it.
//!
//! To add a setting: add a row here and a field of the same path in `config.rs`; a test holds the two together. What is
//! said about a loop's own settings, and their defaults, are in its definition (`kernel`, `<loop>/def.rs`).

use tribunal_anchors::AnchorKind;
use tribunal_kernel::loops::{LOOP_NAMES, LoopKey};
use tribunal_kernel::{desk, joust, judge, review, theater};

use crate::{
    bytes::{GIB, KIB},
    kind::{ListItem, ValueKind},
    text::PREFIX,
    words::{
        AgentKind, CheckLevel, Confined, Effort, Eyes, FallbackPolicy, NotifyOn, PanelMode, Policy, ProofAnchor,
        Scheme, Tools, Unpriced, WhenParked,
    },
};

/// A million million: more tokens than money can buy, few enough that sums of them cannot overflow.
const MOST_TOKENS: u64 = 1_000_000_000_000;

/// A day: a panel that sits longer has been forgotten.
const MOST_MILLIS: u64 = 86_400_000;

/// One known key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// The dotted path; `*` stands for a name that the user chooses.
    pub path: &'static str,
    pub kind: ValueKind,
    /// One line for people.
    pub doc: &'static str,
    /// As it would be given to a flag.
    pub default: Option<&'static str>,
    /// Whether whoever is named in place of the `*` must have it.
    pub required: bool,
    /// Other spellings of the same path.
    pub aliases: &'static [&'static str],
    /// The key that says the same in another form: one source may give one of the two, and the stronger source wins.
    pub rival: Option<&'static str>,
}

#[rustfmt::skip]
pub static KEYS: &[Key] = &[
    Key::new("run.loop", ValueKind::Word(LOOP_NAMES), "the loop to run").or("review"),
    Key::new("run.brief", ValueKind::Brief, "what is wanted: the text itself, or a file that contains it"),
    Key::new("run.attachments", ValueKind::List { of: ListItem::Path, min: 0 },
        "files to show along with the brief: images (PNG, JPEG, GIF, WebP) and texts").or("[]"),
    Key::new("run.workspace", ValueKind::Path, "the folder to work in; by default that of `tribunal.toml`")
        .or(".").also(&["review.workspace", "workspace"]),
    Key::new("run.max_retries", ValueKind::Integer { min: 0, max: 10 },
        "how many times to retry a turn that failed or did not parse")
        .or("2").also(&["review.max_retries"]),
    Key::new("run.anchor", ValueKind::Path, "the file with the anchor to judge drafts against, besides the brief")
        .also(&["joust.anchor"]),
    Key::new("run.sandbox", ValueKind::Word(Confined::WORDS), "the sandbox for commands, workers and verifiers; `auto` picks the strongest that works here")
        .or("auto"),

    Key::new("run.when_parked", ValueKind::Word(WhenParked::WORDS),
        "what a command does while a run only waits for providers that take no requests: `wait` until they do, or `leave` it to whoever continues it (exit code 3)")
        .or("wait"),

    Key::new("agents.*.kind", ValueKind::Word(AgentKind::WORDS), "the kind of agent").required(),
    Key::new("agents.*.command", ValueKind::List { of: ListItem::Argument, min: 1 }, "the program to run and its arguments"),
    Key::new("agents.*.model", ValueKind::Text, "the model, by the agent's own name for it"),
    Key::new("agents.*.effort", ValueKind::Word(Effort::WORDS), "how hard the model thinks, for agents that support it"),
    Key::new("agents.*.tools", ValueKind::Word(Tools::WORDS), "whether an HTTP model may read the files of the workspace; by default it may not"),
    Key::new("agents.*.controls", ValueKind::Bool,
        "whether its votes as a judge are controlled: by default those of models are, and those of programs and people are not"),
    Key::new("agents.*.fallback", ValueKind::Text,
        "the agent that takes its turns over while its provider takes no requests, instead of waiting; judges wait"),
    Key::new("agents.*.persona", ValueKind::Brief, "who it is: a text that every prompt of it begins with, or a file that contains it"),
    Key::new("agents.*.run", ValueKind::Text, "the run whose answers are replayed"),
    Key::new("agents.*.provider", ValueKind::Text,
        "the HTTP API to use: anthropic, openai, openai-chat, gemini, or the name of a compatible one"),
    Key::new("agents.*.base_url", ValueKind::Url, "the URL of an HTTP model, without credentials"),
    Key::new("agents.*.api_key", ValueKind::Secret,
        "the environment variable with the API key, as `$NAME`; never the key itself"),
    Key::new("agents.*.env", ValueKind::List { of: ListItem::Variable, min: 0 },
        "environment variables to pass on, besides the default ones"),
    Key::new("agents.*.cwd", ValueKind::Path, "the folder to start the agent in"),
    Key::new("agents.*.reserve_usd", ValueKind::Usd, "money to reserve before each of its turns"),
    Key::new("agents.*.reserve_tokens", ValueKind::Integer { min: 0, max: MOST_TOKENS },
        "tokens to reserve before each of its turns"),
    Key::new("agents.*.turn", ValueKind::Duration, "the time limit of its turns, instead of `limits.turn`"),
    Key::new("agents.*.idle", ValueKind::Duration, "how long it may be silent, instead of `limits.idle`"),
    Key::new("agents.*.output", OUTPUT, "how much one of its turns may print, instead of `limits.output`"),

    Key::new("seats.*.agent", ValueKind::Text, "the agent in this seat").required(),
    Key::new("seats.*.model", ValueKind::Text, "the model in this seat, instead of the agent's own"),
    Key::new("seats.*.persona", ValueKind::Brief, "who it is in this seat, instead of the agent's own"),
    Key::new("seats.*.effort", ValueKind::Word(Effort::WORDS), "how hard it thinks in this seat, instead of the agent's own"),

    Key::new("prices.*.input", ValueKind::Usd, "the price of a model for a million input tokens, instead of the listed one; the name is exact, or ends with `*`").required(),
    Key::new("prices.*.cached", ValueKind::Usd, "the price for a million input tokens from the provider's cache"),
    Key::new("prices.*.cache_write", ValueKind::Usd, "the price for a million input tokens that the provider puts into its cache"),
    Key::new("prices.*.output", ValueKind::Usd, "the price for a million output tokens").required(),
    Key::new("prices.*.max_output", ValueKind::Integer { min: 1, max: MOST_TOKENS }, "the most tokens that the model answers with"),

    Key::new("limits.usd", ValueKind::Usd, "how much a run may spend; no limit if not set"),
    Key::new("limits.tokens", ValueKind::Integer { min: 0, max: MOST_TOKENS },
        "how many tokens a run may use; no limit if not set"),
    Key::new("limits.wall", ValueKind::Duration, "how long a run may take; no limit if not set"),
    Key::new("limits.rounds", ValueKind::Integer { min: 1, max: 1000 },
        "how many rounds a run may have; no limit if not set"),
    Key::new("limits.stop_when_left", ValueKind::Number { min: 0, max: 1000 },
        "no further round where so few faults are likely left, by how often judges found the same; it never makes a run pass"),
    Key::new("limits.turn", ValueKind::Duration, "how long a turn may take").or("10m"),
    Key::new("limits.idle", ValueKind::Duration, "how long an agent may be silent").or("2m"),
    Key::new("limits.grace", ValueKind::Duration,
        "how long a process has to stop before it is killed").or("2s"),
    Key::new("limits.output", OUTPUT, "how much a turn may print").or("8MiB"),
    Key::new("limits.unpriced", ValueKind::Word(Unpriced::WORDS),
        "whether a run with a limit on money may have seats whose price nobody knows").or("refuse"),

    Key::new("controls.per_judge", ValueKind::Integer { min: 0, max: 5 },
        "how many drafts with planted faults every judge is shown that is a model; 0 turns controls off").or("1"),
    Key::new("controls.min_catch", ValueKind::Number { min: 0, max: 1 },
        "the share of planted faults that a judge has to catch; below it, it has no vote").or("0.5"),
    Key::new("controls.share", ValueKind::Number { min: 0, max: 1 },
        "the share of `limits.usd` that control calls may take").or("0.3"),
    Key::new("controls.fresh", ValueKind::Duration,
        "how long a passed control counts for the same agent, model and format").or("7d"),

    Key::new("notify.on", ValueKind::List { of: ListItem::Word(NotifyOn::WORDS), min: 1 },
        "what to send messages about: a run needs a person, has ended, a turn waits for its provider, or an agent fails its conformance cycle").or("needs_person,ended,parked,agent"),
    Key::new("notify.desktop", ValueKind::Bool, "whether to show messages on this desktop, with `notify-send`").or("false"),
    Key::new("notify.webhook", ValueKind::Url, "where to post messages, as signed JSON"),
    Key::new("notify.secret", ValueKind::Secret,
        "the environment variable with the secret that posted messages are signed with, as `$NAME`; never the secret itself"),
    Key::new("notify.command", ValueKind::List { of: ListItem::Argument, min: 1 },
        "a program to start for each message, which gets it as JSON on stdin"),
    Key::new("notify.url", ValueKind::Url, "the URL at which people reach `tribunal serve`, for links in messages; by default the address that it listens on"),
    Key::new("notify.link_expires", ValueKind::Duration, "how long the links in a message can be used to answer").or("1d"),
    Key::new("notify.parked_after", ValueKind::Duration, "how long a turn has to wait for its provider before a message is sent").or("5m"),

    Key::new("proof.anchor", ValueKind::List { of: ListItem::Word(ProofAnchor::WORDS), min: 0 },
        "where to write the hash that a run's log ends with, so that others keep it: a `file`, a git `note`, or the `trailer` of a commit that `adopt` makes").or("[]"),
    Key::new("proof.file", ValueKind::Path, "the file for `anchor = [\"file\"]`: one line per run").or("tribunal-heads.txt"),
    Key::new("proof.key", ValueKind::Path, "the SSH key that `tribunal proof` signs with: a private key, or a public key whose private half is in ssh-agent"),

    Key::new("waive.*.code", ValueKind::Text, "the measurement to waive, as `[[waive]]`: its code, such as `contrast.text`").required(),
    Key::new("waive.*.target", ValueKind::Text, "words of the finding, such as its place, where alone it is waived; by default everywhere"),
    Key::new("waive.*.why", ValueKind::Text, "the reason, which is recorded and shown").required(),

    Key::new("checks.eyes", ValueKind::Word(Eyes::WORDS),
        "who looks at pages: `static` is the built-in cascade, `browser` a Chrome or Chromium, `auto` a browser where there is one").or("auto"),
    Key::new("checks.browser", ValueKind::Path, "the Chrome or Chromium to look with; by default the first one on PATH"),
    Key::new("checks.widths", ValueKind::List { of: ListItem::Pixels, min: 1 },
        "the widths of the windows that a browser shows a page in").or("1280"),
    Key::new("checks.schemes", ValueKind::List { of: ListItem::Word(Scheme::WORDS), min: 1 },
        "the colour schemes that a browser shows a page in").or("light"),
    Key::new("checks.root", ValueKind::Path, "the folder that links of pages stay inside of; by default that of the repository"),
    Key::new("checks.site_root", ValueKind::Path, "the folder that `/` in links means; by default nobody knows"),
    Key::new("checks.links.built", ValueKind::List { of: ListItem::Text, min: 0 },
        "folders that a build makes: links to what is below them are left alone").or("[]"),
    Key::new("checks.levels.*", ValueKind::Word(CheckLevel::WORDS),
        "how grave findings of a rule are, under its id, such as `contrast.text`; `tribunal explain` lists them"),
    Key::new("checks.ignore.*.path", ValueKind::Text,
        "files to excuse, in `[[checks.ignore]]`: a glob such as `vendor/**`, from the folder of `tribunal.toml`").required(),
    Key::new("checks.ignore.*.rules", ValueKind::List { of: ListItem::Text, min: 1 }, "the rules to excuse them from").required(),
    Key::new("checks.ignore.*.reason", ValueKind::Text, "the reason, which reports show").required(),

    Key::new("copy.banned", ValueKind::List { of: ListItem::Text, min: 0 }, "words and phrases that texts must not have").or("[]"),
    Key::new("copy.preferred.*", ValueKind::Text, "what to write instead of a word or phrase, under the word itself"),
    Key::new("copy.names", ValueKind::List { of: ListItem::Text, min: 0 },
        "names that stay as they are: no rule about words looks at them").or("[]"),

    Key::of(review::KEYS, "review.asset", ValueKind::Name).instead_of("review.assets"),
    Key::of(review::KEYS, "review.assets", ValueKind::List { of: ListItem::Name, min: 1 }).instead_of("review.asset"),
    Key::of(review::KEYS, "review.max_iterations", ValueKind::Integer { min: 1, max: 1000 }),
    Key::of(review::KEYS, "review.locked_assets", ValueKind::List { of: ListItem::Name, min: 0 }),
    Key::of(review::KEYS, "review.stop_in_circles", ValueKind::Bool),
    Key::of(review::KEYS, "review.stop_on_needs_human", ValueKind::Bool),

    Key::of(theater::KEYS, "theater.enabled", ValueKind::Bool),
    Key::of(theater::KEYS, "theater.policy", ValueKind::Word(Policy::WORDS)),
    Key::of(theater::KEYS, "theater.panel", ValueKind::Word(PanelMode::WORDS)),
    Key::of(theater::KEYS, "theater.cast", ValueKind::List { of: ListItem::Name, min: 1 }),
    Key::of(theater::KEYS, "theater.max_rounds", ValueKind::Integer { min: 1, max: 10 }),
    Key::of(theater::KEYS, "theater.score_scale", ValueKind::Number { min: 1, max: 100 }),
    Key::of(theater::KEYS, "theater.score_threshold", ValueKind::Number { min: 0, max: 100 }),
    Key::of(theater::KEYS, "theater.weights.*", ValueKind::Number { min: 0, max: 1 }),
    Key::of(theater::KEYS, "theater.per_round_timeout_ms", ValueKind::Integer { min: 1000, max: MOST_MILLIS }),
    Key::of(theater::KEYS, "theater.total_timeout_ms", ValueKind::Integer { min: 1000, max: MOST_MILLIS }),
    Key::of(theater::KEYS, "theater.parser_max_block_bytes", ValueKind::Integer { min: KIB, max: GIB }),
    Key::of(theater::KEYS, "theater.fallback_policy", ValueKind::Word(FallbackPolicy::WORDS)),
    Key::of(theater::KEYS, "theater.protocol_version", ValueKind::Integer { min: 1, max: 1 }),
    Key::of(theater::KEYS, "theater.max_concurrent_runs", ValueKind::Integer { min: 1, max: 1024 }),
    Key::of(theater::KEYS, "theater.design", ValueKind::Path),
    Key::of(theater::KEYS, "theater.source", ValueKind::Path),
    Key::of(theater::KEYS, "theater.artifact", ValueKind::Name),

    Key::of(joust::KEYS, "joust.name", ValueKind::Name),
    Key::of(joust::KEYS, "joust.jousters", ValueKind::List { of: ListItem::Name, min: 1 }),
    Key::of(joust::KEYS, "joust.linters", ValueKind::List { of: ListItem::Name, min: 1 }),
    Key::of(joust::KEYS, "joust.scorers", ValueKind::List { of: ListItem::Name, min: 1 }),
    Key::of(joust::KEYS, "joust.specialists", ValueKind::List { of: ListItem::Name, min: 0 }),
    Key::of(joust::KEYS, "joust.anchor_kind", ValueKind::Word(AnchorKind::WORDS)),
    Key::of(joust::KEYS, "joust.max_rounds", ValueKind::Integer { min: 1, max: 100 }),
    Key::of(joust::KEYS, "joust.max_retries", ValueKind::Integer { min: 1, max: 10 }),
    Key::of(joust::KEYS, "joust.max_summons_per_round", ValueKind::Integer { min: 0, max: 10 }),
    Key::of(joust::KEYS, "joust.compaction_threshold", ValueKind::Integer { min: 1, max: 1000 }),
    Key::of(joust::KEYS, "joust.plateau_rounds", ValueKind::Integer { min: 1, max: 100 }),
    Key::of(joust::KEYS, "joust.plateau_epsilon", ValueKind::Number { min: 0, max: 1 }),
    Key::of(joust::KEYS, "joust.quorum", ValueKind::Integer { min: 1, max: 2 }),
    Key::of(joust::KEYS, "joust.allow_commands", ValueKind::Bool),
    Key::of(joust::KEYS, "joust.scoring", ValueKind::List { of: ListItem::Text, min: 0 }),
    Key::of(joust::KEYS, "joust.pause_every", ValueKind::Integer { min: 0, max: 100 }),
    Key::of(joust::KEYS, "joust.time_box", ValueKind::Duration),

    Key::of(desk::KEYS, "desk.slug", ValueKind::Text),
    Key::of(desk::KEYS, "desk.root", ValueKind::Text),
    Key::of(desk::KEYS, "desk.max_iter", ValueKind::Integer { min: 1, max: 10_000 }),
    Key::of(desk::KEYS, "desk.ladder", ValueKind::List { of: ListItem::Text, min: 0 }),
    Key::of(desk::KEYS, "desk.verifier_ladder", ValueKind::List { of: ListItem::Text, min: 0 }),
    Key::of(desk::KEYS, "desk.worker_model", ValueKind::Text),
    Key::of(desk::KEYS, "desk.verifier_model", ValueKind::Text),
    Key::of(desk::KEYS, "desk.roll_back", ValueKind::Bool),
    Key::of(desk::KEYS, "desk.stale_after", ValueKind::Integer { min: 1, max: 100 }),
    Key::of(desk::KEYS, "desk.max_consecutive_failures", ValueKind::Integer { min: 1, max: 100 }),
    Key::of(desk::KEYS, "desk.checks_network", ValueKind::Bool),
    Key::of(desk::KEYS, "desk.verifier_network", ValueKind::Bool),
    Key::of(desk::KEYS, "desk.check_timeout", ValueKind::Duration),
    Key::of(desk::KEYS, "desk.mutants", ValueKind::Word(desk::MutantUse::WORDS)),
    Key::of(desk::KEYS, "desk.writable", ValueKind::List { of: ListItem::Text, min: 0 }),
    Key::of(desk::KEYS, "desk.carry", ValueKind::List { of: ListItem::Text, min: 0 }),
    Key::of(desk::KEYS, "desk.setup", ValueKind::List { of: ListItem::Text, min: 0 }),
    Key::of(judge::KEYS, "judge.range", ValueKind::Text),
    Key::of(judge::KEYS, "judge.checks", ValueKind::List { of: ListItem::Text, min: 0 }),
    Key::of(judge::KEYS, "judge.spec", ValueKind::Path),
    Key::of(judge::KEYS, "judge.verifiers", ValueKind::List { of: ListItem::Name, min: 0 }),
    Key::of(judge::KEYS, "judge.quorum", ValueKind::Integer { min: 1, max: 2 }),
    Key::of(judge::KEYS, "judge.may_change", ValueKind::List { of: ListItem::Text, min: 0 }),
    Key::of(judge::KEYS, "judge.mutants", ValueKind::Integer { min: 0, max: 500 }),
    Key::of(judge::KEYS, "judge.check_timeout", ValueKind::Duration),
    Key::of(judge::KEYS, "judge.refusals", ValueKind::Integer { min: 0, max: 20 }),
    Key::of(judge::KEYS, "judge.network", ValueKind::Bool),
    Key::of(judge::KEYS, "judge.carry", ValueKind::List { of: ListItem::Text, min: 0 }),
    Key::of(judge::KEYS, "judge.setup", ValueKind::List { of: ListItem::Text, min: 0 }),
];

/// Tables in which names can be any text: ids with dots in them, phrases.
const FREE: [&str; 2] = ["checks.levels", "copy.preferred"];

/// What stands for the dot of a name where paths are texts: nobody can type it.
const DOT_TEXT: &str = "\u{1f}";

const OUTPUT: ValueKind = ValueKind::Bytes { min: KIB, max: GIB };

/// What a dotted path is.
pub(crate) enum Found {
    /// A known key, with its canonical path, and the names in place of `*`.
    Key(&'static Key, String, Vec<String>),
    /// The way to known keys; `named` if its last part is a name that the user chose.
    Table {
        named: bool,
    },
    Unknown,
}

impl Key {
    /// The environment variable of this key; `<NAME>` stands for a name that the user chooses.
    pub fn variable(&self) -> String {
        variable(&self.path.replace('*', "<NAME>"))
    }

    /// The path and its aliases.
    pub(crate) fn spellings(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.path).chain(self.aliases.iter().copied())
    }

    /// A key of a loop's section. What is said about it, and what it is by default, are the loop's own to say.
    const fn of(keys: &'static [LoopKey], path: &'static str, kind: ValueKind) -> Self {
        let mut at = 0;
        while at < keys.len() {
            if is_in_section(path.as_bytes(), keys[at].name.as_bytes()) {
                return Self { default: keys[at].default, ..Self::new(path, kind, keys[at].doc) };
            }
            at += 1;
        }
        panic!("the loop's definition has no such key")
    }

    const fn new(path: &'static str, kind: ValueKind, doc: &'static str) -> Self {
        Self { path, kind, doc, default: None, required: false, aliases: &[], rival: None }
    }

    const fn or(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }

    const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    const fn also(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    const fn instead_of(mut self, rival: &'static str) -> Self {
        self.rival = Some(rival);
        self
    }
}

/// Whether a path is this name behind the name of its section.
const fn is_in_section(path: &[u8], name: &[u8]) -> bool {
    let Some(start) = path.len().checked_sub(name.len()) else { return false };
    let mut at = 0;
    while at < name.len() {
        if path[start + at] != name[at] {
            return false;
        }
        at += 1;
    }
    0 < start && path[start - 1] == b'.'
}

/// Looks a path up under every spelling.
pub(crate) fn find(path: &[&str]) -> Found {
    let mut found = Found::Unknown;
    for key in KEYS {
        for spelling in key.spellings() {
            let pattern: Vec<&str> = spelling.split('.').collect();
            if path.len() > pattern.len() || !path.iter().zip(&pattern).all(|(part, p)| *p == "*" || part == p) {
                continue;
            }
            if path.len() == pattern.len() {
                let names: Vec<String> = names_in(&pattern, path).map(|name| name.replace('.', DOT_TEXT)).collect();
                let canonical = fill(key.path, &names.iter().map(String::as_str).collect::<Vec<_>>());
                return Found::Key(key, canonical, names);
            }
            found = Found::Table { named: path.len().checked_sub(1).is_some_and(|last| pattern[last] == "*") };
        }
    }
    found
}

/// Whether names in a table can be any text.
pub(crate) fn is_free(table: &str) -> bool {
    FREE.contains(&table)
}

/// The parts of a path that somebody typed: what follows a table with free names is one name.
pub(crate) fn parts(path: &str) -> Vec<&str> {
    let free = FREE.iter().find_map(|table| Some((*table, path.strip_prefix(table)?.strip_prefix('.')?)));
    match free {
        Some((table, name)) => table.split('.').chain([name]).collect(),
        None => path.split('.').collect(),
    }
}

/// A name as it is part of a path, where a dot would be the end of it.
pub(crate) fn without_dots(name: &str) -> String {
    name.replace('.', DOT_TEXT)
}

/// Whether names in this table are what others call their models, with whatever is in them.
pub(crate) fn is_of_models(table: &str) -> bool {
    table == "prices"
}

/// A name, or a path, with the dots that names have.
pub(crate) fn with_dots(text: &str) -> String {
    text.replace(DOT_TEXT, ".")
}

/// The variable of a path: `limits.usd` → `TRIBUNAL_LIMITS_USD`, `agents.a-b.model` → `TRIBUNAL_AGENTS_A_B_MODEL`.
pub(crate) fn variable(path: &str) -> String {
    format!("{PREFIX}{}", path.replace(['.', '-', ' ', '\u{1f}'], "_").to_uppercase())
}

/// The table whose names stand for the `*` of a pattern: `agents` for `agents.*.kind`, `theater.weights` for
/// `theater.weights.*`.
pub(crate) fn named_table(pattern: &str) -> Option<&str> {
    pattern.split_once(".*").map(|(table, _)| table)
}

/// Puts names in place of the `*`s of a pattern.
pub(crate) fn fill(pattern: &str, names: &[&str]) -> String {
    let mut names = names.iter();
    let parts = pattern.split('.').map(|part| if part == "*" { names.next().copied().unwrap_or("*") } else { part });
    parts.collect::<Vec<_>>().join(".")
}

/// A path as people read it: a part that is no plain word is quoted, so that `"limits.usd"` does not look like the key.
pub(crate) fn dotted(path: &[&str]) -> String {
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
    let parts = path.iter().map(|part| if plain(part) { (*part).to_owned() } else { format!("{part:?}") });
    parts.collect::<Vec<_>>().join(".")
}

fn names_in<'p>(pattern: &'p [&str], path: &'p [&str]) -> impl Iterator<Item = &'p str> {
    pattern.iter().zip(path).filter(|(pattern, _)| **pattern == "*").map(|(_, part)| *part)
}
