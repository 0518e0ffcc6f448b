//! The settings of a joust.

use serde::{Deserialize, Serialize};
use tribunal_anchors::{Anchor, AnchorKind, Rubric};

use crate::{Draft, Score, SeatName};

/// The seat that begins, polishes and keeps the trail short.
pub const MAIN: &str = "main";

/// Specialists that can be summoned without anybody configuring them, and who each of them is.
pub const SPECIALISTS: [(&str, &str); 6] = [
    (
        "cfo",
        "You are a chief financial officer. You look for costs that nobody counted, benefits that nobody measured, and money that is spent before it is needed.",
    ),
    (
        "dba",
        "You are a database administrator. You look for data that can be lost or become inconsistent, migrations that cannot be undone, and queries that grow with the data.",
    ),
    (
        "legal",
        "You are a lawyer. You look for promises that cannot be kept, terms that are not defined, and duties that the law adds: privacy, licences, consumers, employment.",
    ),
    (
        "perf",
        "You are a performance engineer. You look for work that grows faster than its input, waits that nobody budgeted, and claims of speed without a measurement.",
    ),
    (
        "security",
        "You are a security engineer. You look for what an attacker would do: trust that is not checked, input that reaches an interpreter, secrets that travel, rights that are wider than the task.",
    ),
    (
        "ux",
        "You are a user-experience designer. You look for what people will not understand, steps they do not need, states that are not shown, and people who are left out.",
    ),
];

/// Who jousts, under what, and when it is enough.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// What the draft is called.
    pub name: String,
    /// The kind of anchor that the first draft brings, where none is given, and why that.
    pub kind: AnchorKind,
    pub why: String,
    /// In the order in which they joust.
    pub jousters: Vec<SeatName>,
    /// Who judges rules that need an opinion.
    pub linters: Vec<SeatName>,
    /// Who scores the dimensions of a rubric.
    pub scorers: Vec<SeatName>,
    /// So many linters must agree before a rule counts as violated.
    pub quorum: u32,
    pub max_rounds: u32,
    pub max_summons_per_round: u32,
    /// The trail is put into few words when it has so many entries.
    pub compaction_threshold: u32,
    pub plateau_rounds: u32,
    pub plateau_epsilon: Score,
    /// A person allowed the commands of an anchor that the main seat writes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_commands: bool,
    /// Rubrics that drafts are scored by besides the anchor, each a strategy of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scoring: Vec<Anchor>,
    /// After every so many rounds the run stops, for a person to look; 0: never.
    #[serde(default, skip_serializing_if = "crate::event::is_default")]
    pub pause_every: u32,
    /// After so long no further round begins; the one that is open is played to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_box_ms: Option<u64>,
    /// A text to begin from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<Draft>,
}

impl Settings {
    /// A joust with the usual limits.
    pub fn new(name: impl Into<String>, kind: AnchorKind, jousters: &[&str]) -> Self {
        Self {
            name: name.into(),
            kind,
            why: String::new(),
            jousters: jousters.iter().map(|seat| SeatName::new(*seat)).collect(),
            linters: vec![SeatName::new(MAIN)],
            scorers: vec![SeatName::new(MAIN)],
            quorum: 1,
            max_rounds: 5,
            max_summons_per_round: 1,
            compaction_threshold: 10,
            plateau_rounds: 2,
            plateau_epsilon: Score::from_f64(0.02),
            allow_commands: false,
            scoring: Vec::new(),
            pause_every: 0,
            time_box_ms: None,
            seed: None,
        }
    }

    /// Everything that is scored under this anchor, a strategy each.
    pub(super) fn rubrics<'r>(&'r self, anchor: Option<&'r Anchor>) -> impl Iterator<Item = &'r Rubric> {
        anchor.into_iter().chain(&self.scoring).filter_map(|anchor| match anchor {
            Anchor::Rubric(rubric) => Some(rubric),
            _ => None,
        })
    }
}
