//! What a watcher sees: a fold over the events of the stage. Live and replayed, it is the same code.

use std::collections::BTreeMap;

use super::event::{RoundDecision, TheaterEvent};
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
    pub panelists: BTreeMap<SeatName, Panelist>,
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
pub struct Panelist {
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
    pub fn apply(&mut self, event: &TheaterEvent) {
        match event {
            TheaterEvent::RunStarted { cast, max_rounds, threshold, .. } => {
                self.cast.clone_from(cast);
                (self.max_rounds, self.threshold) = (*max_rounds, *threshold);
                self.status = RUNNING.into();
            }
            TheaterEvent::PanelistOpen { round, role, .. } => {
                if self.round != Some(*round) {
                    self.round = Some(*round);
                    self.panelists.clear();
                }
                self.panelists.insert(role.clone(), Panelist::default());
            }
            TheaterEvent::PanelistDim { role, dim_name, dim_score, .. } => {
                self.lane(role).dims.push((dim_name.clone(), *dim_score));
            }
            TheaterEvent::PanelistMustFix { role, text, .. } => self.lane(role).must_fix.push(text.clone()),
            TheaterEvent::PanelistClose { role, score, .. } => {
                let lane = self.lane(role);
                (lane.score, lane.is_done) = (*score, true);
            }
            TheaterEvent::RoundEnd { round, composite, must_fix, .. } => {
                self.rounds.push((*round, *composite, *must_fix));
            }
            TheaterEvent::Ship { round, composite, status, .. } => {
                self.shipped = Some((*round, *composite));
                self.status.clone_from(status);
            }
            TheaterEvent::Degraded { reason, .. } => {
                self.status = "degraded".into();
                self.cause = Some(reason.clone());
            }
            TheaterEvent::Interrupted { recovery, .. } => {
                self.status = "interrupted".into();
                self.cause.clone_from(recovery);
            }
            TheaterEvent::Failed { cause, .. } => {
                self.status = if cause == "below_threshold" || cause == "timed_out" { cause } else { "failed" }.into();
                self.cause = Some(cause.clone());
            }
            TheaterEvent::ParserWarning { kind, .. } => self.warnings.push(kind.clone()),
        }
    }

    /// An event in a line, for screens that cannot be drawn on. `None`: nothing to say.
    pub fn line(event: &TheaterEvent) -> Option<String> {
        let score = |score: &Option<Score>| score.map_or_else(|| "no score".to_owned(), |score| score.to_string());
        Some(match event {
            TheaterEvent::RunStarted { cast, max_rounds, threshold, scale, .. } => {
                let cast: Vec<&str> = cast.iter().map(SeatName::as_str).collect();
                format!("{}: at most {max_rounds} rounds, {threshold} of {scale} to pass", cast.join(", "))
            }
            TheaterEvent::PanelistOpen { round, role, .. } => format!("round {round}  {role} is speaking"),
            TheaterEvent::PanelistDim { round, role, dim_name, dim_score, dim_note, .. } => {
                format!("round {round}  {role}  {dim_name} {}  {dim_note}", score(dim_score))
            }
            TheaterEvent::PanelistMustFix { round, role, text, .. } => {
                format!("round {round}  {role}  must fix: {text}")
            }
            TheaterEvent::PanelistClose { score: None, .. } => return None,
            TheaterEvent::PanelistClose { round, role, score: given, .. } => {
                format!("round {round}  {role}  {}", score(given))
            }
            TheaterEvent::RoundEnd { round, composite, must_fix, decision, reason, .. } => {
                let verb = if *decision == RoundDecision::Ship { "ship" } else { "continue" };
                format!("round {round}  composite {composite}  must-fix {must_fix}  {verb}: {reason}")
            }
            TheaterEvent::Ship { round, composite, status, .. } => format!("{status}: round {round} with {composite}"),
            TheaterEvent::Degraded { reason, adapter, .. } => format!("degraded: {reason} (agent {adapter})"),
            TheaterEvent::Interrupted { best_round, composite, .. } => match (best_round, composite) {
                (Some(round), Some(composite)) => format!("interrupted: round {round} with {composite} is the best"),
                _ => "interrupted: no round was completed".into(),
            },
            TheaterEvent::Failed { cause, .. } => format!("failed: {cause}"),
            TheaterEvent::ParserWarning { kind, position, .. } => format!("warning: {kind} at byte {position}"),
        })
    }

    fn lane(&mut self, role: &SeatName) -> &mut Panelist {
        self.panelists.entry(role.clone()).or_default()
    }
}
