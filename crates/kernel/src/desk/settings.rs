//! How a desk is run: by whom, with which models, and when it gives up.

use serde::{Deserialize, Serialize};

/// The seat that does the work.
pub const WORKER: &str = "worker";
/// The seat that judges a claim.
pub const VERIFIER: &str = "verifier";
/// The seat of the leader's own hands: it looks at the files, runs the checks, takes work back. No model sits there.
pub const DESK: &str = "desk";

/// How a desk is run. The most iterations are the run's limit of rounds: whoever resumes it may raise them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    pub slug: String,
    /// The desk's folder, relative to the workspace.
    pub root: String,
    /// Models of the worker, cheapest first. Without any the agent's own is taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ladder: Vec<String>,
    /// Models of the verifier, cheapest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verifier_ladder: Vec<String>,
    /// A person's choice: it wins over the ladder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker_model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verifier_model: Option<String>,
    /// Whether the work of an iteration whose claim does not hold is taken back, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub roll_back: bool,
    /// Iterations in which nothing changes before the run is blocked.
    pub stale_after: u32,
    /// Failed iterations in a row before the run is blocked.
    pub max_consecutive_failures: u32,
    #[serde(default, skip_serializing_if = "MutantUse::is_report")]
    pub mutants: MutantUse,
}

/// What becomes of changed lines that can be broken without a check noticing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MutantUse {
    /// They are told to the verifier, and stand in the report.
    #[default]
    Report,
    /// They keep the claim from holding.
    Gate,
    /// Nothing is broken.
    Off,
}

impl MutantUse {
    /// As they are written.
    pub const WORDS: &[&str] = &["report", "gate", "off"];

    /// Whether it is the usual one.
    pub fn is_report(&self) -> bool {
        *self == Self::Report
    }
}

impl Settings {
    /// A desk with the usual limits and no models of its own.
    pub fn new(slug: impl Into<String>) -> Self {
        Self {
            slug: slug.into(),
            root: ".tribunal/desk".into(),
            ladder: Vec::new(),
            verifier_ladder: Vec::new(),
            worker_model: None,
            verifier_model: None,
            roll_back: false,
            stale_after: 3,
            max_consecutive_failures: 6,
            mutants: MutantUse::Report,
        }
    }
}
