//! What a watcher sees: a fold over the events of the stage. Live and replayed, it is the same code.

use std::collections::BTreeMap;

use super::critique::{Critique, Verb};
use super::settings::Settings;
use crate::{Round, Score, SeatName};

/// The status of a trial that goes on.
const RUNNING: &str = "running";

/// The stage, as the events so far show it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stage {
    pub cast: Vec<SeatName>,
    pub threshold: Score,
    pub max_rounds: u32,
    pub round: Option<Round>,
    /// By role, in the round that is shown.
    pub lanes: BTreeMap<SeatName, Lane>,
    /// Every round that is over: its composite and its open must-fixes.
    pub rounds: Vec<(Round, Score, u32)>,
    pub warnings: Vec<String>,
    /// `running`, or how it ended.
    pub status: String,
    pub shipped: Option<(Round, Score)>,
    /// Why it did not end well, where it did not.
    pub cause: Option<String>,
}

/// One panelist.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lane {
    pub dims: Vec<(String, Option<Score>)>,
    pub must_fix: Vec<String>,
    pub score: Option<Score>,
    pub is_done: bool,
}

impl Stage {
    /// The stage before the curtain rises.
    pub fn new(settings: &Settings) -> Self {
        Self {
            cast: settings.cast.clone(),
            threshold: settings.threshold,
            max_rounds: settings.max_rounds,
            status: RUNNING.into(),
            ..Self::default()
        }
    }

    /// Takes in an event.
    pub fn apply(&mut self, event: &Critique) {
        match event {
            Critique::RunStarted { cast, max_rounds, threshold, .. } => {
                self.cast.clone_from(cast);
                (self.max_rounds, self.threshold) = (*max_rounds, *threshold);
                self.status = RUNNING.into();
            }
            Critique::PanelistOpen { round, role, .. } => {
                if self.round != Some(*round) {
                    self.round = Some(*round);
                    self.lanes.clear();
                }
                self.lanes.insert(role.clone(), Lane::default());
            }
            Critique::PanelistDim { role, dim_name, dim_score, .. } => {
                self.lane(role).dims.push((dim_name.clone(), *dim_score));
            }
            Critique::PanelistMustFix { role, text, .. } => self.lane(role).must_fix.push(text.clone()),
            Critique::PanelistClose { role, score, .. } => {
                let lane = self.lane(role);
                (lane.score, lane.is_done) = (*score, true);
            }
            Critique::RoundEnd { round, composite, must_fix, .. } => self.rounds.push((*round, *composite, *must_fix)),
            Critique::Ship { round, composite, status, .. } => {
                self.shipped = Some((*round, *composite));
                self.status.clone_from(status);
            }
            Critique::Degraded { reason, .. } => {
                self.status = "degraded".into();
                self.cause = Some(reason.clone());
            }
            Critique::Interrupted { recovery, .. } => {
                self.status = "interrupted".into();
                self.cause.clone_from(recovery);
            }
            Critique::Failed { cause, .. } => {
                self.status = if cause == "below_threshold" || cause == "timed_out" { cause } else { "failed" }.into();
                self.cause = Some(cause.clone());
            }
            Critique::ParserWarning { kind, .. } => self.warnings.push(kind.clone()),
        }
    }

    /// An event in a line, for screens that cannot be drawn on. `None`: nothing to say.
    pub fn line(event: &Critique) -> Option<String> {
        let score = |score: &Option<Score>| score.map_or_else(|| "no score".to_owned(), |score| score.to_string());
        Some(match event {
            Critique::RunStarted { cast, max_rounds, threshold, scale, .. } => {
                let cast: Vec<&str> = cast.iter().map(SeatName::as_str).collect();
                format!("{}: at most {max_rounds} rounds, {threshold} of {scale} to pass", cast.join(", "))
            }
            Critique::PanelistOpen { round, role, .. } => format!("round {round}  {role} has the word"),
            Critique::PanelistDim { round, role, dim_name, dim_score, dim_note, .. } => {
                format!("round {round}  {role}  {dim_name} {}  {dim_note}", score(dim_score))
            }
            Critique::PanelistMustFix { round, role, text, .. } => format!("round {round}  {role}  must fix: {text}"),
            Critique::PanelistClose { score: None, .. } => return None,
            Critique::PanelistClose { round, role, score: given, .. } => {
                format!("round {round}  {role}  {}", score(given))
            }
            Critique::RoundEnd { round, composite, must_fix, decision, reason, .. } => {
                let verb = if *decision == Verb::Ship { "ship" } else { "continue" };
                format!("round {round}  composite {composite}  must-fix {must_fix}  {verb}: {reason}")
            }
            Critique::Ship { round, composite, status, .. } => format!("{status}: round {round} with {composite}"),
            Critique::Degraded { reason, adapter, .. } => format!("degraded: {reason} (agent {adapter})"),
            Critique::Interrupted { best_round, composite, .. } => match (best_round, composite) {
                (Some(round), Some(composite)) => format!("interrupted: round {round} with {composite} is the best"),
                _ => "interrupted: no round was completed".into(),
            },
            Critique::Failed { cause, .. } => format!("failed: {cause}"),
            Critique::ParserWarning { kind, position, .. } => format!("warning: {kind} at byte {position}"),
        })
    }

    fn lane(&mut self, role: &SeatName) -> &mut Lane {
        self.lanes.entry(role.clone()).or_default()
    }
}
