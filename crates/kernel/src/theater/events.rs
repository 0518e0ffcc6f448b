//! From the log to what is watched. Both ways of seating a panel give the same events.

use super::PLAIN;
use super::board;
use super::event::{ArtifactRef, RoundDecision, TheaterEvent};
use super::settings::{Fallback, LINT, PANEL, Panel, Settings};
use crate::control;
use crate::heard::Utterance;
use crate::trial::Trial as _;
use crate::turn::TurnErrorKind;
use crate::verdict::Dim;
use crate::{Entry, Event, Finding, Outcome, Round, Run, Score, SeatName, Ship, TurnId, TurnState, Verdict};

/// The reason of a run that falls back because its agent is marked.
const ADAPTER_DEGRADED: &str = "adapter_degraded";

/// What an entry of a theater's log shows. `run` is the run after it, or any later state of it.
pub fn events(run: &Run, entry: &Entry) -> Vec<TheaterEvent> {
    events_as(run, entry, &run.spec().run.to_string())
}

/// The same for a run that goes by another name.
pub(super) fn events_as(run: &Run, entry: &Entry, id: &str) -> Vec<TheaterEvent> {
    let Some(settings) = run.spec().settings_of::<Settings>() else { return Vec::new() };
    let mut scene = Scene { run, settings, id, shown: Vec::new() };
    scene.play(&entry.event);
    scene.shown
}

/// What an entry of any other loop's log shows: its seats come and go like panelists.
pub(crate) fn seats_on_stage(run: &Run, entry: &Entry) -> Vec<TheaterEvent> {
    let run_id = run.spec().run.to_string();
    match &entry.event {
        Event::TurnStarted { round, seat, task, attempt: 1, .. } if !control::is_control(task) => {
            vec![TheaterEvent::PanelistOpen { run_id, round: *round, role: seat.clone() }]
        }
        Event::TurnAnswered { turn, said, .. } => {
            let Some(turn) = run.turn(*turn).filter(|turn| !control::is_control(&turn.task)) else { return Vec::new() };
            let (round, role, verdict) = (turn.round, turn.seat.clone(), said.verdict());
            let mut shown = verdict.map(|it| TheaterEvent::judged(&run_id, round, &role, it)).unwrap_or_default();
            let score = verdict.and_then(|verdict| verdict.score);
            shown.push(TheaterEvent::PanelistClose { run_id, round, role, score });
            shown
        }
        _ => Vec::new(),
    }
}

struct Scene<'a> {
    run: &'a Run,
    settings: &'a Settings,
    id: &'a str,
    shown: Vec<TheaterEvent>,
}

impl Scene<'_> {
    fn play(&mut self, event: &Event) {
        match event {
            Event::RunOpened { .. } => {
                let Settings { protocol_version, cast, max_rounds, threshold, scale, .. } = self.settings.clone();
                self.show(|run_id| TheaterEvent::RunStarted {
                    run_id,
                    protocol_version,
                    cast,
                    max_rounds,
                    threshold,
                    scale,
                });
            }
            Event::TurnStarted { round, seat, task, attempt: 1, .. } if task == PLAIN => self.plain(*round, seat),
            Event::TurnStarted { round, seat, task, attempt: 1, .. }
                if self.is_cast(seat) && !control::is_control(task) =>
            {
                self.show(|run_id| TheaterEvent::PanelistOpen { run_id, round: *round, role: seat.clone() });
            }
            Event::Heard { utterances, .. } => utterances.iter().for_each(|utterance| self.hear(utterance)),
            Event::TurnAnswered { turn, said, .. } if self.settings.lints_every_round && self.is_lint(*turn) => {
                let round = self.run.turn(*turn).map_or(Round(1), |turn| turn.round);
                for finding in said.verdict().into_iter().flat_map(Verdict::must_fixes) {
                    self.must_fix(round, &SeatName::new(LINT), finding);
                }
            }
            Event::TurnAnswered { turn, said, .. } => {
                let Some(turn) = self.run.turn(*turn).filter(|turn| self.is_cast(&turn.seat) && turn.task != PLAIN)
                else {
                    return;
                };
                if control::is_control(&turn.task) {
                    return;
                }
                let (round, role) = (turn.round, turn.seat.clone());
                match said.verdict() {
                    Some(verdict) => self.verdict(round, &role, verdict),
                    None => self.close(round, &role, None),
                }
            }
            Event::RoundClosed { round, decision, tally: Some(tally) } => {
                let position = self.claim_position(*round);
                for kind in &tally.warnings {
                    self.warn(kind, position);
                }
                let decision_word = match decision.outcome {
                    Some(Outcome::Shipped) => RoundDecision::Ship,
                    Some(_) if self.settings.fallback != Fallback::Fail => RoundDecision::Ship,
                    Some(_) | None => RoundDecision::Continue,
                };
                self.show(|run_id| TheaterEvent::RoundEnd {
                    run_id,
                    round: *round,
                    composite: tally.composite,
                    must_fix: tally.must_fix,
                    decision: decision_word,
                    reason: decision.reason.clone().unwrap_or_default(),
                });
            }
            Event::RunClosed { outcome, reason, ship } => self.end(*outcome, reason, ship.as_deref()),
            _ => {}
        }
    }

    fn hear(&mut self, utterance: &Utterance) {
        match utterance.clone() {
            Utterance::Opened { round, seat: role } => {
                self.show(|run_id| TheaterEvent::PanelistOpen { run_id, round, role });
            }
            Utterance::Scored { round, seat, dim } => self.dim(round, &seat, &dim),
            Utterance::Found { round, seat, finding } => self.must_fix(round, &seat, &finding),
            Utterance::Closed { round, seat, score, .. } => self.close(round, &seat, score),
            Utterance::Warned { warning, position } => self.warn(&warning, position),
            Utterance::Began
            | Utterance::Drafted { .. }
            | Utterance::RoundEnded { .. }
            | Utterance::Shipped { .. }
            | Utterance::Broke { .. }
            | Utterance::Ended => {}
        }
    }

    fn verdict(&mut self, round: Round, role: &SeatName, verdict: &Verdict) {
        self.shown.extend(TheaterEvent::judged(self.id, round, role, verdict));
        for correction in &verdict.corrections {
            self.warn(&correction.rule, 0);
        }
        if verdict.score.is_none() {
            self.warn("score_missing", 0);
        }
        self.close(round, role, verdict.score);
    }

    /// The panel gave up, or there is none.
    fn plain(&mut self, round: Round, seat: &SeatName) {
        if self.settings.panel == Panel::Off {
            self.show(|run_id| TheaterEvent::PanelistOpen { run_id, round, role: seat.clone() });
            return;
        }
        let reason = match &self.settings.mark {
            Some(_) => ADAPTER_DEGRADED,
            None => super::break_of(self.run).map_or("missing_artifact", |broke| broke.reason.as_str()),
        };
        let (reason, who) = (reason.to_owned(), self.settings.main_seat());
        let adapter = self.run.spec().seats.get(&SeatName::new(who)).map(|binding| binding.agent.clone());
        let adapter = adapter.unwrap_or_default();
        self.show(|run_id| TheaterEvent::Degraded { run_id, reason, adapter });
    }

    fn end(&mut self, outcome: Outcome, reason: &str, ship: Option<&Ship>) {
        let composite = ship.and_then(|ship| ship.composite);
        match outcome {
            Outcome::Interrupted => {
                let recovery = (reason == super::DAEMON_RESTART).then(|| reason.to_owned());
                let best_round = ship.map(|ship| ship.round);
                self.show(|run_id| TheaterEvent::Interrupted { run_id, best_round, composite, recovery });
            }
            Outcome::Failed => {
                let cause = cause(self.run).to_owned();
                self.show(|run_id| TheaterEvent::Failed { run_id, cause });
            }
            _ if ship.is_none() => self.show(|run_id| TheaterEvent::Failed { run_id, cause: outcome.to_string() }),
            _ => {}
        }
        // What nobody judged is handed over, but it is not on the scoreboard.
        let (Some(ship), Some(composite)) = (ship, composite) else { return };
        if let Some((_, claim, _)) = super::heard(self.run).and_then(|heard| heard.ship())
            && board::is_off(claim, composite)
        {
            self.warn(board::COMPOSITE_MISMATCH, claim.position);
        }
        let Settings { project, artifact, .. } = self.settings;
        let artifact_ref = ArtifactRef { project_id: project.clone(), artifact_id: artifact.clone() };
        self.show(|run_id| TheaterEvent::Ship {
            run_id,
            round: ship.round,
            composite,
            status: status(outcome).into(),
            artifact_ref,
            summary: ship.summary.clone().unwrap_or_default(),
        });
    }

    fn claim_position(&self, round: Round) -> u64 {
        super::heard(self.run).and_then(|heard| heard.claim(round)).map_or(0, |claim| claim.position)
    }

    fn is_lint(&self, turn: TurnId) -> bool {
        self.run.turn(turn).is_some_and(|turn| turn.seat == *LINT && !control::is_control(&turn.task))
    }

    fn is_cast(&self, seat: &SeatName) -> bool {
        *seat != *LINT && *seat != *PANEL && self.settings.cast.contains(seat)
    }

    fn dim(&mut self, round: Round, role: &SeatName, dim: &Dim) {
        let Dim { name: dim_name, score: dim_score, note: dim_note } = dim.clone();
        self.show(|run_id| TheaterEvent::PanelistDim {
            run_id,
            round,
            role: role.clone(),
            dim_name,
            dim_score,
            dim_note,
        });
    }

    fn must_fix(&mut self, round: Round, role: &SeatName, finding: &Finding) {
        let (role, text) = (role.clone(), finding.text.clone());
        self.show(|run_id| TheaterEvent::PanelistMustFix { run_id, round, role, text });
    }

    fn close(&mut self, round: Round, role: &SeatName, score: Option<Score>) {
        self.show(|run_id| TheaterEvent::PanelistClose { run_id, round, role: role.clone(), score });
    }

    fn warn(&mut self, kind: &str, position: u64) {
        self.show(|run_id| TheaterEvent::ParserWarning { run_id, kind: kind.to_owned(), position });
    }

    fn show(&mut self, event: impl FnOnce(String) -> TheaterEvent) {
        self.shown.push(event(self.id.to_owned()));
    }
}

/// The stage's word for an outcome: one of the seven terminal statuses.
pub fn status(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Shipped | Outcome::Converged => "shipped",
        Outcome::BelowThreshold | Outcome::NeedsHuman | Outcome::Blocked => "below_threshold",
        Outcome::TimedOut => "timed_out",
        Outcome::Interrupted => "interrupted",
        Outcome::Degraded => "degraded",
        Outcome::Failed | Outcome::OverBudget => "failed",
        Outcome::Legacy => "legacy",
    }
}

/// Why the run failed, as a word for programs: what happened to the turn that failed last.
pub fn cause(run: &Run) -> &'static str {
    let errors = run.turns().iter().rev().filter_map(|turn| match &turn.state {
        TurnState::Failed { error, .. } => Some(error.kind),
        TurnState::InFlight | TurnState::Answered { .. } => None,
    });
    match errors.into_iter().find(|kind| *kind != TurnErrorKind::Cancelled) {
        Some(TurnErrorKind::Died) => "cli_exit_nonzero",
        Some(TurnErrorKind::Silent) => "silent",
        Some(TurnErrorKind::Overtime) => "turn_timeout",
        Some(TurnErrorKind::TooMuchOutput) => "too_much_output",
        Some(TurnErrorKind::OverBudget) => "over_budget",
        Some(TurnErrorKind::Unavailable) => "agent_unavailable",
        Some(TurnErrorKind::Misfit | TurnErrorKind::Inattentive) => "unusable_answer",
        Some(TurnErrorKind::Cancelled | TurnErrorKind::Lost) | None => "orchestrator_internal",
    }
}
