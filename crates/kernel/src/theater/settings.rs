//! The settings of a theater, and what it was given.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

use crate::grade::Mark;
use crate::{Digest, Draft, RunId, Score, SeatName};

/// The seat that drafts.
pub const DESIGNER: &str = "designer";
/// The seat of a panel that speaks in one stream.
pub const PANEL: &str = "panel";
/// The seat that finds in every round what must not be shipped: nobody's opinion, only what is found.
pub const LINT: &str = "lint";
/// The seat that measures the draft, for judges who cannot.
pub const MEASURE: &str = "measure";
/// What a judge's weight is, where nobody configured it.
pub const WEIGHTS: [(&str, f64); 5] = [(DESIGNER, 0.0), ("critic", 0.4), ("brand", 0.2), ("a11y", 0.2), ("copy", 0.2)];
/// The version of the wire protocol that is spoken.
pub const PROTOCOL_VERSION: u32 = 1;

/// How a panel is seated, what it takes to pass, and what the run works from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// The project that the artifact belongs to, as events name it.
    pub project: String,
    pub artifact: String,
    pub panel: Panel,
    /// Roles in the order in which they are shown; the designer is one of them.
    pub cast: Vec<SeatName>,
    /// By role. What is not in here weighs nothing.
    pub weights: BTreeMap<SeatName, Score>,
    pub max_rounds: u32,
    pub scale: Score,
    pub threshold: Score,
    pub per_round_timeout_ms: u64,
    pub total_timeout_ms: u64,
    pub max_block_bytes: u64,
    pub fallback: Fallback,
    /// Whether every round of a panel in seats is linted. Runs that do not say were linted only where they would pass.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lints_every_round: bool,
    pub protocol_version: u32,
    /// Why the panel is seated as it is, where a policy says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// The mark on the agent that the panel would rely on: instead of a trial there is one plain pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
    #[serde(default)]
    pub given: TheaterGiven,
}

/// The ways to seat a panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Panel {
    /// One agent plays all roles in one stream.
    Single,
    /// Every role is a seat of its own.
    Seats,
    /// No panel: one plain pass of the designer.
    Off,
}

/// What is handed over when no round passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    ShipBest,
    ShipLast,
    Fail,
}

/// What was there before the run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TheaterGiven {
    /// An artifact to start from: prior art.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior: Option<Draft>,
    /// The run that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerun_of: Option<RunId>,
    /// The folder that the artifact's links start from, relative to the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The name of the file in that folder which the artifact came from, and is adopted to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The design file's blob.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub design: Option<Digest>,
    /// What the design file calls the brand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brand: Option<String>,
    /// What the project's skill is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// What the configuration says of rules, where it says anything: another one is another trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<Digest>,
}

impl Settings {
    /// The default panel, seated like this.
    pub fn new(project: impl Into<String>, artifact: impl Into<String>, panel: Panel) -> Self {
        Self {
            project: project.into(),
            artifact: artifact.into(),
            panel,
            cast: WEIGHTS.map(|(role, _)| SeatName::new(role)).to_vec(),
            weights: WEIGHTS.map(|(role, weight)| (SeatName::new(role), Score::from_f64(weight))).into(),
            max_rounds: 3,
            scale: Score::points(10),
            threshold: Score::points(8),
            per_round_timeout_ms: 90_000,
            total_timeout_ms: 240_000,
            max_block_bytes: 262_144,
            fallback: Fallback::ShipBest,
            lints_every_round: true,
            protocol_version: PROTOCOL_VERSION,
            policy: None,
            mark: None,
            given: TheaterGiven::default(),
        }
    }

    /// Everybody in the cast who judges.
    pub fn judges(&self) -> impl Iterator<Item = &SeatName> {
        self.cast.iter().filter(|role| **role != *DESIGNER)
    }

    /// What a role's score weighs. The designer never scores.
    pub fn weight(&self, role: &SeatName) -> Score {
        if *role == *DESIGNER { Score::ZERO } else { self.weights.get(role).copied().unwrap_or_default() }
    }

    pub(super) fn per_round(&self) -> Duration {
        Duration::from_millis(self.per_round_timeout_ms)
    }

    pub(super) fn total(&self) -> Duration {
        Duration::from_millis(self.total_timeout_ms)
    }
}
