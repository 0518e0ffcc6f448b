//! The typed configuration. Its fields and the rows of the schema match one to one; a test sees to it.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use serde::{Deserialize, Deserializer, Serialize};
use tribunal_anchors::AnchorKind;
use tribunal_kernel::LoopKind;

use crate::{
    brief::Brief,
    decimal::Decimal,
    duration::{as_millis, as_millis_if_any},
    money::UsdAmount,
    prices::Price,
    secret::EnvRef,
    words::{
        AgentKind, CheckLevel, Confined, Effort, Eyes, FallbackPolicy, NotifyOn, PanelMode, Policy, ProofAnchor,
        Scheme, Tools, Unpriced, WhenParked,
    },
};

/// Everything that is configured, with defaults filled in. As data (serde), money is in micro-dollars, decimal numbers
/// are in millionths, durations in milliseconds and sizes in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub run: RunConfig,
    pub agents: BTreeMap<String, AgentConfig>,
    pub seats: BTreeMap<String, SeatConfig>,
    pub limits: LimitsConfig,
    pub controls: ControlsConfig,
    pub notify: NotifyConfig,
    pub proof: ProofConfig,
    pub prices: BTreeMap<String, Price>,
    /// What was measured and is waived, by the number or the name of its table.
    #[serde(default)]
    pub waive: BTreeMap<String, WaiverConfig>,
    #[serde(default)]
    pub checks: ChecksConfig,
    #[serde(default)]
    pub copy: CopyConfig,
    pub review: ReviewConfig,
    pub theater: TheaterConfig,
    pub joust: JoustConfig,
    pub desk: DeskConfig,
    pub judge: JudgeConfig,
}

/// A measured demand that a person lets stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaiverConfig {
    pub code: String,
    pub target: Option<String>,
    pub why: String,
}

/// What pages and texts are measured by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChecksConfig {
    pub eyes: Eyes,
    /// None: the first known one on PATH.
    pub browser: Option<PathBuf>,
    #[serde(deserialize_with = "numbers")]
    pub widths: Vec<u32>,
    pub schemes: Vec<Scheme>,
    /// None: the repository's folder, or else the project's.
    pub root: Option<PathBuf>,
    pub site_root: Option<PathBuf>,
    pub links: LinksConfig,
    /// By the id of the rule.
    #[serde(default)]
    pub levels: BTreeMap<String, CheckLevel>,
    /// By the number or the name of its table.
    #[serde(default)]
    pub ignore: BTreeMap<String, IgnoreConfig>,
}

/// Where links may lead.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinksConfig {
    /// Folders, relative to that of tribunal.toml.
    pub built: Vec<String>,
}

/// Files that are excused from rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IgnoreConfig {
    pub path: String,
    pub rules: Vec<String>,
    pub reason: String,
}

/// Words of the house.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CopyConfig {
    pub banned: Vec<String>,
    /// What to write instead, by what is not to be written.
    #[serde(default)]
    pub preferred: BTreeMap<String, String>,
    pub names: Vec<String>,
}

impl Default for ChecksConfig {
    fn default() -> Self {
        Self {
            eyes: Eyes::Auto,
            browser: None,
            widths: vec![1280],
            schemes: vec![Scheme::Light],
            root: None,
            site_root: None,
            links: LinksConfig::default(),
            levels: BTreeMap::new(),
            ignore: BTreeMap::new(),
        }
    }
}

/// Whole numbers, which lists of the configuration keep as texts.
fn numbers<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u32>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(u32),
        Text(String),
    }
    let written = Vec::<Written>::deserialize(from)?;
    let number = |one: Written| match one {
        Written::Number(number) => Ok(number),
        Written::Text(text) => text.parse().map_err(serde::de::Error::custom),
    };
    written.into_iter().map(number).collect()
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunConfig {
    pub r#loop: LoopKind,
    pub brief: Option<Brief>,
    #[serde(default)]
    pub attachments: Vec<PathBuf>,
    pub workspace: PathBuf,
    pub max_retries: u32,
    pub anchor: Option<PathBuf>,
    pub sandbox: Confined,
    pub when_parked: WhenParked,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentConfig {
    pub kind: AgentKind,
    /// As written: a relative program is the caller's to resolve.
    #[serde(default)]
    pub command: Vec<String>,
    pub model: Option<String>,
    pub effort: Option<Effort>,
    pub tools: Option<Tools>,
    /// Whether its votes as a judge are controlled; by default those of models are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controls: Option<bool>,
    /// Who takes its turns over while its provider takes no requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// Who it is.
    #[serde(default)]
    pub persona: Option<Brief>,
    /// The run whose answers a replay gives.
    pub run: Option<String>,
    pub provider: Option<String>,
    pub base_url: Option<String>,
    pub api_key: Option<EnvRef>,
    /// Names of variables to pass on beyond the usual ones.
    #[serde(default)]
    pub env: Vec<String>,
    pub cwd: Option<PathBuf>,
    pub reserve_usd: Option<UsdAmount>,
    pub reserve_tokens: Option<u64>,
    /// Instead of the limit of the same name; [`Config::turn_limits`] settles which applies.
    #[serde(default, with = "as_millis_if_any")]
    pub turn: Option<Duration>,
    #[serde(default, with = "as_millis_if_any")]
    pub idle: Option<Duration>,
    pub output: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatConfig {
    /// A name in [`Config::agents`]: loading refuses any other.
    pub agent: String,
    pub model: Option<String>,
    pub effort: Option<Effort>,
    #[serde(default)]
    pub persona: Option<Brief>,
}

/// Limits of a run, where `None` is no limit, and of every turn in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsConfig {
    pub usd: Option<UsdAmount>,
    pub tokens: Option<u64>,
    #[serde(default, with = "as_millis_if_any")]
    pub wall: Option<Duration>,
    pub rounds: Option<u32>,
    #[serde(default)]
    pub stop_when_left: Option<Decimal>,
    #[serde(with = "as_millis")]
    pub turn: Duration,
    #[serde(with = "as_millis")]
    pub idle: Duration,
    #[serde(with = "as_millis")]
    pub grace: Duration,
    pub output: u64,
    #[serde(default = "refused")]
    pub unpriced: Unpriced,
}

/// How it is found out whether judges notice anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControlsConfig {
    pub per_judge: u32,
    pub min_catch: Decimal,
    pub share: Decimal,
    #[serde(with = "as_millis")]
    pub fresh: Duration,
}

/// Who is told when a run needs somebody, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotifyConfig {
    pub on: Vec<NotifyOn>,
    pub desktop: bool,
    pub webhook: Option<String>,
    pub secret: Option<EnvRef>,
    pub command: Option<Vec<String>>,
    pub url: Option<String>,
    #[serde(with = "as_millis")]
    pub link_expires: Duration,
    #[serde(with = "as_millis")]
    pub parked_after: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProofConfig {
    pub anchor: Vec<ProofAnchor>,
    pub file: PathBuf,
    pub key: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewConfig {
    /// From `asset` or `assets`, whichever is configured; empty if neither is.
    #[serde(default, alias = "asset", deserialize_with = "one_or_many")]
    pub assets: Vec<String>,
    pub max_iterations: u32,
    pub locked_assets: Vec<String>,
    pub stop_in_circles: bool,
    pub stop_on_needs_human: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TheaterConfig {
    pub enabled: bool,
    pub policy: Policy,
    pub panel: PanelMode,
    /// The designer and at least one judge: loading refuses any other.
    pub cast: Vec<String>,
    pub max_rounds: u32,
    pub score_scale: Decimal,
    /// At most the scale.
    pub score_threshold: Decimal,
    /// Of roles in the cast; together 1, or empty where the loop's own apply.
    #[serde(default)]
    pub weights: BTreeMap<String, Decimal>,
    pub per_round_timeout_ms: u64,
    pub total_timeout_ms: u64,
    pub parser_max_block_bytes: u64,
    pub fallback_policy: FallbackPolicy,
    pub protocol_version: u32,
    /// `None` is as many as there are cores, which is the caller's to count.
    pub max_concurrent_runs: Option<u32>,
    pub design: Option<PathBuf>,
    pub source: Option<PathBuf>,
    pub artifact: Option<String>,
}

/// Editors who rewrite one draft in turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JoustConfig {
    pub name: String,
    pub jousters: Vec<String>,
    pub linters: Vec<String>,
    pub scorers: Vec<String>,
    #[serde(default)]
    pub specialists: Vec<String>,
    pub anchor_kind: Option<AnchorKind>,
    pub max_rounds: u32,
    pub max_retries: u32,
    pub max_summons_per_round: u32,
    pub compaction_threshold: u32,
    pub plateau_rounds: u32,
    pub plateau_epsilon: Decimal,
    pub quorum: u32,
    pub allow_commands: bool,
    /// Files with rubrics, relative to the folder of tribunal.toml.
    #[serde(default)]
    pub scoring: Vec<String>,
    pub pause_every: u32,
    #[serde(default, with = "as_millis_if_any")]
    pub time_box: Option<Duration>,
}

/// A worker and a verifier, each with a fresh context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeskConfig {
    pub slug: Option<String>,
    /// The desk's folder; `None` is the one that is there, or ours.
    pub root: Option<String>,
    pub max_iter: u32,
    /// `None` is the ladder of the agent's kind; an empty one is none at all.
    pub ladder: Option<Vec<String>>,
    pub verifier_ladder: Option<Vec<String>>,
    pub worker_model: Option<String>,
    pub verifier_model: Option<String>,
    pub roll_back: bool,
    pub stale_after: u32,
    pub max_consecutive_failures: u32,
    pub checks_network: bool,
    #[serde(default = "is_open")]
    pub verifier_network: bool,
    #[serde(with = "as_millis")]
    pub check_timeout: Duration,
    #[serde(default)]
    pub mutants: tribunal_kernel::desk::MutantUse,
    #[serde(default)]
    pub writable: Vec<String>,
    #[serde(default)]
    pub carry: Vec<String>,
    #[serde(default)]
    pub setup: Vec<String>,
}

/// A change that somebody made, tried by what can be run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeConfig {
    /// `None` is what is not committed, or else the branch that is checked out.
    pub range: Option<String>,
    /// None: what the project's files show.
    #[serde(default)]
    pub checks: Vec<String>,
    /// None: the messages of the commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<PathBuf>,
    /// None: the usual one where there is a spec, and nobody otherwise.
    #[serde(default)]
    pub verifiers: Vec<String>,
    pub quorum: u32,
    #[serde(default)]
    pub may_change: Vec<String>,
    pub mutants: u32,
    #[serde(with = "as_millis")]
    pub check_timeout: Duration,
    pub refusals: u32,
    pub network: bool,
    #[serde(default)]
    pub carry: Vec<String>,
    #[serde(default)]
    pub setup: Vec<String>,
}

/// What earlier configurations did not say.
fn refused() -> Unpriced {
    Unpriced::Refuse
}

/// What earlier configurations did not say.
fn is_open() -> bool {
    true
}

/// The limits of one agent's turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnLimits {
    pub turn: Duration,
    pub idle: Duration,
    pub output: u64,
}

impl Config {
    /// The limits of an agent's turns: its own where it has them, the run's otherwise.
    pub fn turn_limits(&self, agent: &str) -> TurnLimits {
        let agent = self.agents.get(agent);
        TurnLimits {
            turn: agent.and_then(|agent| agent.turn).unwrap_or(self.limits.turn),
            idle: agent.and_then(|agent| agent.idle).unwrap_or(self.limits.idle),
            output: agent.and_then(|agent| agent.output).unwrap_or(self.limits.output),
        }
    }

    /// The agent in a seat, with its name.
    pub fn agent_in(&self, seat: &str) -> Option<(&str, &AgentConfig)> {
        let (name, agent) = self.agents.get_key_value(&self.seats.get(seat)?.agent)?;
        Some((name, agent))
    }

    /// The model in a seat: the seat's own, or else its agent's.
    pub fn model_in(&self, seat: &str) -> Option<&str> {
        let own = self.seats.get(seat)?.model.as_deref();
        own.or_else(|| self.agent_in(seat)?.1.model.as_deref())
    }
}

fn one_or_many<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }
    Ok(match OneOrMany::deserialize(from)? {
        OneOrMany::One(name) => vec![name],
        OneOrMany::Many(names) => names,
    })
}
