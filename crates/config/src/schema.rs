//! The one table of known keys. The check for unknown keys, the nearest key, the names of environment variables,
//! the listing of `tribunal config` and the reference in the docs all derive from it.
//!
//! To add a setting: add a row here and a field of the same path in `config.rs`; a test holds the two together.

use tribunal_anchors::AnchorKind;

use crate::{
    bytes::{GIB, KIB},
    kind::{ListItem, ValueKind},
    text::PREFIX,
    words::{AgentKind, Confined, Effort, FallbackPolicy, Loop, PanelMode, Policy, Tools},
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
    Key::new("run.loop", ValueKind::Word(Loop::WORDS), "the shape of the trial").or("review"),
    Key::new("run.brief", ValueKind::Brief, "what is wanted: the text itself, or a file that holds it"),
    Key::new("run.workspace", ValueKind::Path, "the folder that the run works on; by default that of `tribunal.toml`")
        .or(".").also(&["review.workspace", "workspace"]),
    Key::new("run.max_retries", ValueKind::Integer { min: 0, max: 10 },
        "how often a turn that failed or did not parse is tried again")
        .or("2").also(&["review.max_retries"]),
    Key::new("run.anchor", ValueKind::Path, "the file with the anchor that drafts are judged against, besides the brief")
        .also(&["joust.anchor"]),
    Key::new("run.sandbox", ValueKind::Word(Confined::WORDS), "what confines commands, workers and verifiers; `auto` takes the strongest that works here")
        .or("auto"),

    Key::new("agents.*.kind", ValueKind::Word(AgentKind::WORDS), "what takes the agent's turns").required(),
    Key::new("agents.*.command", ValueKind::List { of: ListItem::Argument, min: 1 }, "the program to run and its arguments"),
    Key::new("agents.*.model", ValueKind::Text, "the model, by the name that the agent knows it by"),
    Key::new("agents.*.effort", ValueKind::Word(Effort::WORDS), "how hard the model thinks, where that can be said"),
    Key::new("agents.*.tools", ValueKind::Word(Tools::WORDS), "whether an HTTP model may read the files of the workspace; by default it may not"),
    Key::new("agents.*.run", ValueKind::Text, "the run whose answers a replay gives"),
    Key::new("agents.*.provider", ValueKind::Text,
        "whose HTTP interface to speak: anthropic, openai, openai-chat, gemini, or a compatible one"),
    Key::new("agents.*.base_url", ValueKind::Url, "the address of an HTTP model, without credentials"),
    Key::new("agents.*.api_key", ValueKind::Secret,
        "the environment variable that holds the key, as `$NAME`; never the key itself"),
    Key::new("agents.*.env", ValueKind::List { of: ListItem::Variable, min: 0 },
        "environment variables to pass on beyond the usual ones"),
    Key::new("agents.*.cwd", ValueKind::Path, "the folder that the agent is started in"),
    Key::new("agents.*.reserve_usd", ValueKind::Usd, "money set aside before each of its turns"),
    Key::new("agents.*.reserve_tokens", ValueKind::Integer { min: 0, max: MOST_TOKENS },
        "tokens set aside before each of its turns"),
    Key::new("agents.*.turn", ValueKind::Duration, "the longest that one of its turns may take, instead of `limits.turn`"),
    Key::new("agents.*.idle", ValueKind::Duration, "the longest that it may be silent, instead of `limits.idle`"),
    Key::new("agents.*.output", OUTPUT, "the most that one of its turns may print, instead of `limits.output`"),

    Key::new("seats.*.agent", ValueKind::Text, "the agent that sits here").required(),
    Key::new("seats.*.model", ValueKind::Text, "the model in this seat, instead of the agent's own"),
    Key::new("seats.*.effort", ValueKind::Word(Effort::WORDS), "how hard it thinks in this seat, instead of the agent's own"),

    Key::new("prices.*.input", ValueKind::Usd, "a model's price for a million tokens of input, instead of the built-in table's").required(),
    Key::new("prices.*.cached", ValueKind::Usd, "the price for a million tokens of input from the provider's cache"),
    Key::new("prices.*.output", ValueKind::Usd, "the price for a million tokens of output").required(),

    Key::new("limits.usd", ValueKind::Usd, "the most that a run may spend; no limit if not set"),
    Key::new("limits.tokens", ValueKind::Integer { min: 0, max: MOST_TOKENS },
        "the most tokens that a run may use; no limit if not set"),
    Key::new("limits.wall", ValueKind::Duration, "the longest that a run may take; no limit if not set"),
    Key::new("limits.rounds", ValueKind::Integer { min: 1, max: 1000 },
        "the most rounds that a run may have; no limit if not set"),
    Key::new("limits.turn", ValueKind::Duration, "the longest that a turn may take").or("10m"),
    Key::new("limits.idle", ValueKind::Duration, "the longest that an agent may be silent").or("2m"),
    Key::new("limits.grace", ValueKind::Duration,
        "how long a process that is asked to stop has before it is killed").or("2s"),
    Key::new("limits.output", OUTPUT, "the most that a turn may print").or("8MiB"),

    Key::new("review.asset", ValueKind::Name, "the asset to work on").instead_of("review.assets"),
    Key::new("review.assets", ValueKind::List { of: ListItem::Name, min: 1 },
        "several assets to work on, each as a run of its own")
        .instead_of("review.asset"),
    Key::new("review.max_iterations", ValueKind::Integer { min: 1, max: 1000 },
        "how many drafts there are before a person is asked").or("3"),
    Key::new("review.locked_assets", ValueKind::List { of: ListItem::Name, min: 0 },
        "assets whose content may not change once it is selected")
        .or("slug,title_detail,title_seo,subtitle_auphonic"),
    Key::new("review.stop_on_needs_human", ValueKind::Bool, "whether a reviewer's `needs_human` ends the run").or("false"),

    Key::new("theater.enabled", ValueKind::Bool, "whether there is a panel; without it the designer makes one plain pass")
        .or("true"),
    Key::new("theater.policy", ValueKind::Word(Policy::WORDS), "when the panel sits, if no brief or skill says otherwise")
        .or("always"),
    Key::new("theater.panel", ValueKind::Word(PanelMode::WORDS),
        "one agent plays all roles, or every role has a seat and an agent of its own")
        .or("seats"),
    Key::new("theater.cast", ValueKind::List { of: ListItem::Name, min: 1 }, "the roles: `designer`, and those who judge")
        .or("designer,critic,brand,a11y,copy"),
    Key::new("theater.max_rounds", ValueKind::Integer { min: 1, max: 10 }, "the most rounds before the fallback policy decides")
        .or("3"),
    Key::new("theater.score_scale", ValueKind::Number { min: 1, max: 100 }, "the best score that a judge can give").or("10"),
    Key::new("theater.score_threshold", ValueKind::Number { min: 0, max: 100 },
        "the composite score from which a round ships; at most the scale")
        .or("8.0"),
    Key::new("theater.weights.*", ValueKind::Number { min: 0, max: 1 },
        "a judge's share in the composite score; given any, a judge without one has 0, and together they are 1"),
    Key::new("theater.per_round_timeout_ms", ValueKind::Integer { min: 1000, max: MOST_MILLIS },
        "the longest that a round may take from its opening, in milliseconds")
        .or("90000"),
    Key::new("theater.total_timeout_ms", ValueKind::Integer { min: 1000, max: MOST_MILLIS },
        "the longest that all rounds together may take, in milliseconds")
        .or("240000"),
    Key::new("theater.parser_max_block_bytes", ValueKind::Integer { min: KIB, max: GIB },
        "the most bytes between matching tags of the panel's stream")
        .or("262144"),
    Key::new("theater.fallback_policy", ValueKind::Word(FallbackPolicy::WORDS),
        "what ships if the last round has not met the threshold")
        .or("ship_best"),
    Key::new("theater.protocol_version", ValueKind::Integer { min: 1, max: 1 }, "the version of the panel's stream").or("1"),
    Key::new("theater.max_concurrent_runs", ValueKind::Integer { min: 1, max: 1024 },
        "how many panels may sit at once, further ones wait; by default as many as there are cores"),
    Key::new("theater.design", ValueKind::Path, "the design file that the brand is judged by"),
    Key::new("theater.source", ValueKind::Path, "a page or a text to start from, as prior art"),
    Key::new("theater.artifact", ValueKind::Name, "what the artifact is called"),

    Key::new("joust.name", ValueKind::Name, "what the draft is called").or("draft"),
    Key::new("joust.jousters", ValueKind::List { of: ListItem::Name, min: 1 }, "who rewrites the draft, in this order").or("editor"),
    Key::new("joust.linters", ValueKind::List { of: ListItem::Name, min: 1 }, "who judges rules that need an opinion").or("main"),
    Key::new("joust.scorers", ValueKind::List { of: ListItem::Name, min: 1 }, "who scores the dimensions of a rubric").or("main"),
    Key::new("joust.specialists", ValueKind::List { of: ListItem::Name, min: 0 }, "who can be summoned"),
    Key::new("joust.anchor_kind", ValueKind::Word(AnchorKind::WORDS), "the kind of anchor, instead of the one that the brief suggests"),
    Key::new("joust.max_rounds", ValueKind::Integer { min: 1, max: 100 }, "the most rounds").or("5"),
    Key::new("joust.max_retries", ValueKind::Integer { min: 1, max: 10 }, "attempts at a rewrite before its author is skipped").or("3"),
    Key::new("joust.max_summons_per_round", ValueKind::Integer { min: 0, max: 10 }, "specialists that are heard in a round").or("1"),
    Key::new("joust.compaction_threshold", ValueKind::Integer { min: 1, max: 1000 }, "remarks before the talk is put into few words").or("10"),
    Key::new("joust.plateau_rounds", ValueKind::Integer { min: 1, max: 100 }, "rounds without a gain that are enough").or("2"),
    Key::new("joust.plateau_epsilon", ValueKind::Number { min: 0, max: 1 }, "what counts as a gain").or("0.02"),
    Key::new("joust.quorum", ValueKind::Integer { min: 1, max: 2 }, "linters of different agents that must agree on a violation").or("1"),

    Key::new("desk.slug", ValueKind::Text, "the campaign to work on"),
    Key::new("desk.root", ValueKind::Text, "the desk's folder, relative to the workspace; by default `.claude/ralph-desk` or `.rlp-desk` if it is there, else `.tribunal/desk`"),
    Key::new("desk.max_iter", ValueKind::Integer { min: 1, max: 10_000 }, "the most iterations").or("100"),
    Key::new("desk.ladder", ValueKind::List { of: ListItem::Text, min: 0 }, "models of the worker, cheapest first; none: the agent's own").or("haiku,sonnet,opus"),
    Key::new("desk.verifier_ladder", ValueKind::List { of: ListItem::Text, min: 0 }, "models of the verifier, cheapest first").or("haiku,sonnet,opus"),
    Key::new("desk.worker_model", ValueKind::Text, "the worker's model, whatever the ladder says"),
    Key::new("desk.verifier_model", ValueKind::Text, "the verifier's model, whatever the ladder says"),
    Key::new("desk.roll_back", ValueKind::Bool, "whether the work of an iteration whose claim does not hold is taken back").or("false"),
    Key::new("desk.stale_after", ValueKind::Integer { min: 1, max: 100 }, "iterations without any change before it is blocked").or("3"),
    Key::new("desk.max_consecutive_failures", ValueKind::Integer { min: 1, max: 100 }, "failed iterations in a row before it is blocked").or("6"),
    Key::new("desk.checks_network", ValueKind::Bool, "whether checks may use the network").or("true"),
    Key::new("desk.check_timeout", ValueKind::Duration, "the longest that a check may take").or("10m"),
    Key::new("desk.writable", ValueKind::List { of: ListItem::Text, min: 0 }, "folders that worker and verifier may write besides their place: an agent's own state"),
];

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
                let names: Vec<&str> = names_in(&pattern, path).collect();
                let canonical = fill(key.path, &names);
                return Found::Key(key, canonical, names.into_iter().map(str::to_owned).collect());
            }
            found = Found::Table { named: path.len().checked_sub(1).is_some_and(|last| pattern[last] == "*") };
        }
    }
    found
}

/// The variable of a path: `limits.usd` → `TRIBUNAL_LIMITS_USD`, `agents.a-b.model` → `TRIBUNAL_AGENTS_A_B_MODEL`.
pub(crate) fn variable(path: &str) -> String {
    format!("{PREFIX}{}", path.replace(['.', '-'], "_").to_uppercase())
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
