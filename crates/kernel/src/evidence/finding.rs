//! What the evidence says against a change, in codes and in sentences.

use serde::{Deserialize, Serialize};

/// A thing that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceFinding {
    pub code: EvidenceCode,
    pub weight: EvidenceWeight,
    /// The command it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    pub text: String,
}

/// What kind of thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceCode {
    /// A check is red, with the given files and with the work's own.
    ChecksFailed,
    /// A check is green only with given files changed, or with new files that steer it.
    ChecksTampered,
    /// What a runner says cannot be believed.
    ChecksUnreliable,
    /// A test that passed at the base does not any more.
    Regressed,
    /// A check is green without the work as well.
    NotShownRed,
    /// The work removes, skips or changes tests, though the given ones pass.
    TestsChanged,
    /// The work touches what steers a runner.
    SteeringTouched,
    /// No tests of ours could be run.
    NoCanary,
    /// Only the exit code is known.
    ExitOnly,
    /// The checks do not notice when the work is broken.
    MutantsSurvived,
    /// There was no time for everything.
    NotFinished,
    /// A check could not begin, with the work or without it: packages that it needs are not there.
    PackagesMissing,
}

impl EvidenceCode {
    /// As it is written in receipts and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ChecksFailed => "checks_failed",
            Self::ChecksTampered => "checks_tampered",
            Self::ChecksUnreliable => "checks_unreliable",
            Self::Regressed => "regressed",
            Self::NotShownRed => "not_shown_red",
            Self::TestsChanged => "tests_changed",
            Self::SteeringTouched => "steering_touched",
            Self::NoCanary => "no_canary",
            Self::ExitOnly => "exit_only",
            Self::MutantsSurvived => "mutants_survived",
            Self::NotFinished => "not_finished",
            Self::PackagesMissing => "packages_missing",
        }
    }
}

/// How much it weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceWeight {
    /// To be known.
    Note,
    /// The evidence shows less than it could.
    Weakens,
    /// The claim does not hold.
    Fails,
}
