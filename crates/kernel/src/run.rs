//! A run: the state that follows from its log, and what follows from the state.

mod check;
mod drafts;
mod settle;

use std::collections::BTreeMap;
use tribunal_anchors::Anchor;

use crate::answer::Misfit;
use crate::ballot::PersonVote;
use crate::breaker::{MAX_FAILURES_IN_A_ROW, Streak};
use crate::budget::Budget;
use crate::call::{Call, Caller};
use crate::control::{JudgeRecords, LOOKS};
use crate::finding::Findings;
use crate::heard::Heard;
use crate::last_look;
use crate::parking::{AgentLimit, Pauses};
use crate::quote::CostliestCall;
use crate::rules;
use crate::tally::{Ship, Tally};
use crate::trial::{Deadline, Exhibits, Reading};
use crate::turn::{TurnError, TurnErrorKind};
use crate::{
    Decision, Digest, Draft, Entry, Event, Limits, Outcome, Round, RunSpec, SeatName, Seq, Slot, Step, Time, Turn,
    TurnId, TurnState,
};

/// The state of a run. Built by [`Run::open`] and [`Run::apply`] alone.
#[derive(Debug, Clone)]
pub struct Run {
    spec: RunSpec,
    seq: Seq,
    opened: Time,
    /// When the wall clock began to count: at the opening, or at the last resume.
    clock_from: Time,
    limits: Limits,
    rounds: Vec<RoundState>,
    turns: Vec<Turn>,
    in_flight: Vec<TurnId>,
    budget: Budget,
    /// The costliest call so far of each agent with each model.
    costliest: BTreeMap<(String, Option<String>), CostliestCall>,
    /// The last turn that ended because it had reached what was set aside for it, until it is tried again.
    cut: Option<TurnId>,
    findings: Findings,
    decision: Decision,
    /// The last round that a person allowed by reopening the decision.
    allowance: Option<Round>,
    selection: Option<Draft>,
    /// What people put in the place of the anchor, oldest first, each with the first turn that it holds for.
    anchors: Vec<(TurnId, Box<Anchor>)>,
    directives: Vec<Directive>,
    /// What people decided where judges could not.
    person_votes: Vec<PersonVote>,
    /// How many of them some turn has been told.
    acknowledged: u32,
    interrupt: Option<String>,
    failures: Streak<bool>,
    /// Agents whose providers take no requests, or took none when they were last asked.
    limited: BTreeMap<String, AgentLimit>,
    /// Turns that were listened to: what they say may belong to other rounds than their own.
    streams: Vec<TurnId>,
    pauses: Pauses,
    judges: JudgeRecords,
    /// Attempts count from this turn on: a resumed run tries again what had failed before.
    fresh_from: TurnId,
    end: Option<RunEnd>,
}

/// A round, as far as it got.
#[derive(Debug, Clone)]
pub struct RoundState {
    pub round: Round,
    pub opened: Time,
    /// The index of the round's first turn.
    first_turn: usize,
    pub closed: Option<(Time, Decision)>,
    /// What its verdicts amounted to, where the loop counts.
    pub tally: Option<Box<Tally>>,
}

/// What a person wants, said while the run goes on.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Directive {
    pub by: String,
    pub text: String,
    pub at: Time,
}

/// How and why a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEnd {
    pub outcome: Outcome,
    pub reason: String,
    pub at: Time,
    /// What is handed over.
    pub ship: Option<Box<Ship>>,
}

/// What the engine should do now.
#[derive(Debug)]
#[must_use]
pub enum Next {
    /// A fact that follows from what is known.
    Record(Event),
    /// Calls to make: render the prompt, store it, record `TurnStarted`.
    Ask(Vec<Call>),
    /// Nobody needs these calls any more: end them. Nothing else follows before they have ended.
    Cancel(Vec<TurnId>),
    /// Nothing before a call in flight ends.
    Wait,
    Done(RunEnd),
}

/// An event that cannot follow what came before it. A log with one was not written by this program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {seq} ({name}) does not fit: {why}")]
pub struct Impossible {
    pub seq: Seq,
    pub name: &'static str,
    pub why: &'static str,
}

impl Run {
    /// The run that a log's first entry opens.
    pub fn open(entry: impl Into<Entry>) -> Result<Self, Impossible> {
        let Entry { seq, time, event } = entry.into();
        let name = event.name();
        let impossible = |why| Impossible { seq, name, why };
        let Event::RunOpened { spec } = event else {
            return Err(impossible("a log begins with run_opened"));
        };
        if spec.format > crate::spec::FORMAT {
            return Err(impossible("its format is newer than this program"));
        }
        if seq != Seq(1) {
            return Err(impossible("the first event has the number 1"));
        }
        Ok(Self {
            seq,
            opened: time,
            clock_from: time,
            limits: spec.limits.clone(),
            rounds: Vec::new(),
            turns: Vec::new(),
            in_flight: Vec::new(),
            budget: Budget::default(),
            costliest: BTreeMap::new(),
            cut: None,
            findings: Findings::default(),
            decision: spec.trial().inherited().cloned().unwrap_or_default(),
            allowance: None,
            selection: None,
            anchors: Vec::new(),
            directives: Vec::new(),
            person_votes: Vec::new(),
            acknowledged: 0,
            interrupt: None,
            failures: Streak::default(),
            limited: BTreeMap::new(),
            streams: Vec::new(),
            pauses: Pauses::default(),
            judges: JudgeRecords::default(),
            fresh_from: TurnId(1),
            end: None,
            spec: *spec,
        })
    }

    /// The state after a whole log; `None` when the log is empty.
    pub fn fold<E: Into<Entry>>(entries: impl IntoIterator<Item = E>) -> Result<Option<Self>, Impossible> {
        let mut entries = entries.into_iter();
        let Some(first) = entries.next() else { return Ok(None) };
        let mut run = Self::open(first)?;
        for entry in entries {
            run.apply(entry)?;
        }
        Ok(Some(run))
    }

    /// Takes in what happened.
    pub fn apply(&mut self, entry: impl Into<Entry>) -> Result<(), Impossible> {
        let entry = entry.into();
        self.check(&entry).map_err(|why| Impossible { seq: entry.seq, name: entry.event.name(), why })?;
        let Entry { seq, time: at, event } = entry;
        match event {
            Event::RunOpened { .. } => {}
            Event::RoundOpened { round } => {
                let first_turn = self.turns.len();
                self.rounds.push(RoundState { round, opened: at, first_turn, closed: None, tally: None });
            }
            Event::TurnStarted {
                turn,
                round,
                seat,
                task,
                attempt,
                prompt,
                stable,
                request,
                reserved,
                routed,
                taken_by,
                directives,
            } => {
                self.budget.reserve(reserved);
                self.in_flight.push(turn);
                let is_again = |cut: &Turn| cut.round == round && cut.seat == seat && cut.task == task;
                self.cut = self.cut.filter(|cut| !is_again(&self.turns[index(*cut)]));
                self.acknowledged = self.acknowledged.max(directives);
                let (id, started, state) = (turn, at, TurnState::InFlight);
                self.turns.push(Turn {
                    id,
                    round,
                    seat,
                    task,
                    attempt,
                    prompt,
                    stable,
                    request,
                    reserved,
                    routed,
                    started,
                    state,
                    ruling: None,
                    rejection: None,
                    heard: None,
                    parked: None,
                    stand_in: taken_by.map(Into::into),
                });
                self.judges.see(&self.turns[index(turn)]);
            }
            Event::Heard { turn, utterances } => {
                if self.turns[index(turn)].heard.is_none() {
                    self.streams.push(turn);
                }
                let heard: &mut Heard = self.turns[index(turn)].heard.get_or_insert_default();
                for utterance in utterances {
                    if let Some((round, seat, verdict)) = heard.apply(utterance) {
                        self.findings.record(round, seat, &verdict.findings);
                    }
                }
            }
            Event::TurnAnswered { turn, raw, said, bill } => {
                if let Some(verdict) = said.verdict() {
                    let turn = &self.turns[index(turn)];
                    self.findings.record(turn.round, &turn.seat, &verdict.findings);
                }
                self.settle(turn, bill.usage, TurnState::Answered { said, raw, bill, at });
                self.failures.see(false);
                // Whoever answers is refused no more: should it be again, that is the first time.
                let agent = self.agent_of(&self.turns[index(turn)]).to_owned();
                if self.limited.get(&agent).is_some_and(|limit| limit.until <= at) {
                    self.limited.remove(&agent);
                }
            }
            Event::TurnParked { turn, agent, until, why, taken_by, passed_to, bill } => {
                self.limited.entry(agent).or_default().see(at, until);
                if passed_to.is_some() {
                    let error = TurnError { kind: TurnErrorKind::Cancelled, message: why, hint: None };
                    self.settle(turn, bill.usage, TurnState::Failed { error, bill, at });
                } else {
                    self.park(turn, at, until, why, taken_by, bill.usage);
                }
            }
            Event::Ruled { turn, ruling } => {
                let turn = &mut self.turns[index(turn)];
                turn.rejection = ruling.rejection().map(Box::new);
                turn.ruling = Some(Box::new(ruling));
            }
            Event::Reanchored { anchor, .. } => {
                // What was decided under another anchor is void.
                if self.anchor() != Some(&*anchor) {
                    self.person_votes.clear();
                }
                self.anchors.push((self.next_turn(), anchor));
            }
            Event::DirectiveGiven { by, text } => self.directives.push(Directive { by, text, at }),
            Event::TurnFailed { turn, error, bill, .. } => {
                // An answer that does not fit is the agent's own failure: its attempts are counted elsewhere.
                let is_its_own = matches!(error.kind, TurnErrorKind::Misfit | TurnErrorKind::Inattentive);
                // Nor is it one that its allowance was too small.
                let is_cut = error.kind == TurnErrorKind::OverBudget;
                self.cut = if is_cut { Some(turn) } else { self.cut };
                if !is_cut && error.kind != TurnErrorKind::Cancelled && !is_its_own {
                    self.failures.see(true);
                }
                self.settle(turn, bill.usage, TurnState::Failed { error, bill, at });
            }
            Event::RoundClosed { decision, tally, .. } => {
                if let Some(state) = self.rounds.last_mut() {
                    state.closed = Some((at, decision.clone()));
                    state.tally = tally;
                }
                self.decision = decision;
            }
            Event::InterruptRequested { by } => self.interrupt = Some(by),
            Event::DraftSelected { draft, .. } => self.selection = Some(draft),
            Event::DecisionReopened { why, rounds, .. } => {
                let last = self.rounds.last().map_or(self.spec.trial().rounds_before(), |state| state.round.0);
                self.allowance = Some(Round(last.saturating_add(rounds)));
                self.decision = Decision::in_progress(Some(why));
                self.restart(at);
            }
            Event::ItemsDecided { by, draft, votes } => {
                let cast = votes.into_iter().map(|vote| PersonVote { draft, by: by.clone(), vote });
                self.person_votes.extend(cast);
                // The round is judged again with what is known of it; nobody is asked again for what they failed to say.
                if let Some(state) = self.rounds.last_mut() {
                    (state.closed, state.tally) = (None, None);
                }
                self.decision = Decision::in_progress(None);
                (self.end, self.interrupt, self.failures) = (None, None, Streak::default());
                self.clock_from = at;
            }
            Event::RunResumed { limits } => {
                self.limits = limits;
                self.restart(at);
            }
            Event::SpentElsewhere { spend } => self.budget.elsewhere = spend,
            Event::RunClosed { outcome, reason, ship } => self.end = Some(RunEnd { outcome, reason, at, ship }),
        }
        self.seq = seq;
        Ok(())
    }

    /// What follows. The order of the checks is the policy: an end is an end; then what a person wants; then limits,
    /// before the call that would break them; then the loop.
    pub fn next(&self, now: Time) -> Next {
        if let Some(end) = &self.end {
            return Next::Done(end.clone());
        }
        if let Some(by) = &self.interrupt {
            return self.close(Outcome::Interrupted, format!("by {by}"));
        }
        if let Some(Deadline { at, outcome, reason }) = self.next_deadline()
            && at <= now
        {
            return self.close(outcome, reason);
        }
        if self.failures.last() == Some(&true) && self.failures.length() >= MAX_FAILURES_IN_A_ROW {
            return self.close(Outcome::Failed, format!("{MAX_FAILURES_IN_A_ROW} turns in a row failed"));
        }
        if let Some(turn) = self.cut.and_then(|turn| self.turn(turn))
            && !self.affords_twice(turn)
        {
            return if self.in_flight.is_empty() {
                self.close(Outcome::OverBudget, format!("{} reached what was left for its turn", turn.seat))
            } else {
                Next::Wait
            };
        }
        match self.looked_at(self.controlled(self.spec.trial().next(self))) {
            Step::Open(round) => match self.limits.rounds {
                Some(limit) if limit < round.0 => {
                    self.close(Outcome::TimedOut, format!("the limit of {limit} rounds is reached"))
                }
                _ => match self.few_left() {
                    Some(reason) => self.close(Outcome::TimedOut, reason),
                    None => Next::Record(Event::RoundOpened { round }),
                },
            },
            Step::Ask(asks) => self.calls(asks, now),
            Step::Cancel(turn) => Next::Cancel(vec![turn]),
            Step::Rule { turn, ruling } => Next::Record(Event::Ruled { turn, ruling }),
            Step::Close { round, decision, tally } => {
                Next::Record(Event::RoundClosed { round, decision: self.decision.merge(decision), tally })
            }
            Step::End { outcome, reason } => self.close(outcome, reason),
        }
    }

    /// Where the call of `seat` for `task` in `round` stands.
    pub fn slot(&self, round: Round, seat: &SeatName, task: &str) -> Slot<'_> {
        let (mut attempts, mut inattentive) = (0, 0);
        let mut failed: Option<&TurnError> = None;
        for turn in self.turns_of(round).filter(|turn| turn.seat == *seat && turn.task == task) {
            match &turn.state {
                TurnState::InFlight => return Slot::InFlight,
                // A draft that was sent back is an attempt like any other.
                TurnState::Answered { said, .. } => match &turn.rejection {
                    Some(rejection) => {
                        attempts += 1;
                        failed = Some(rejection);
                    }
                    None => return Slot::Answered { turn, said },
                },
                // A turn that we ended ourselves says nothing about the agent.
                TurnState::Failed { error, .. }
                    if matches!(error.kind, TurnErrorKind::Cancelled | TurnErrorKind::OverBudget) => {}
                TurnState::Failed { .. } if turn.id < self.fresh_from => {}
                TurnState::Failed { error, .. } => {
                    attempts += 1;
                    inattentive += u32::from(error.kind == TurnErrorKind::Inattentive);
                    failed = Some(error);
                }
            }
        }
        let is_given_up = attempts > self.spec.max_retries.max(LOOKS - 1) || inattentive >= LOOKS;
        match failed {
            Some(error) if error.kind == TurnErrorKind::Inattentive && !is_given_up => {
                Slot::Open { attempt: attempts + 1, feedback: None }
            }
            Some(error) if attempts > self.spec.max_retries || is_given_up || !error.kind.is_retryable() => {
                Slot::Exhausted { error, attempts }
            }
            feedback => Slot::Open { attempt: attempts + 1, feedback },
        }
    }

    /// When the run's time is up: by its wall limit, or by its loop's own.
    pub fn deadline(&self) -> Option<Time> {
        self.next_deadline().map(|deadline| deadline.at)
    }

    /// Since when the clock counts: the opening, or the last resume.
    pub fn clock_from(&self) -> Time {
        self.clock_from
    }

    /// Whether a turn was begun since the opening, or since the last resume.
    pub(crate) fn is_fresh(&self, turn: TurnId) -> bool {
        self.fresh_from <= turn
    }

    /// The last round that is allowed: what the loop's settings say, unless a person allowed more.
    pub fn last_round(&self, configured: u32) -> Round {
        self.allowance.unwrap_or(Round(configured))
    }

    pub fn spec(&self) -> &RunSpec {
        &self.spec
    }

    /// The number of the last event.
    pub fn seq(&self) -> Seq {
        self.seq
    }

    pub fn opened(&self) -> Time {
        self.opened
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The costliest call so far of an agent with a model.
    pub(crate) fn costliest(&self, caller: &Caller<'_>) -> Option<&CostliestCall> {
        self.costliest.get(&(caller.agent.to_owned(), caller.model.map(str::to_owned)))
    }

    /// What is known of an agent whose provider takes no requests, or took none when it was last asked.
    pub(crate) fn limit_of(&self, agent: &str) -> Option<&AgentLimit> {
        self.limited.get(agent)
    }

    pub(crate) fn pauses(&self) -> &Pauses {
        &self.pauses
    }

    pub(crate) fn judges(&self) -> &JudgeRecords {
        &self.judges
    }

    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// The decision as it stands.
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// What its work came to: what was shipped, else what a person picked, else the draft that stood in the last round.
    pub fn last_work(&self) -> Option<&Draft> {
        let shipped = self.end().and_then(|end| end.ship.as_deref()).map(|ship| &ship.draft);
        let last = || self.standing(self.rounds().last()?.round);
        shipped.or_else(|| self.selection()).or_else(last)
    }

    /// What a person picked in this run.
    pub fn selection(&self) -> Option<&Draft> {
        self.selection.as_ref()
    }

    pub fn end(&self) -> Option<&RunEnd> {
        self.end.as_ref()
    }

    pub fn rounds(&self) -> &[RoundState] {
        &self.rounds
    }

    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// The turn with this number.
    pub fn turn(&self, id: TurnId) -> Option<&Turn> {
        self.turns.get(index(id))
    }

    /// Turns that were started and are not known to have ended: what the engine has to perform.
    pub fn in_flight(&self) -> impl Iterator<Item = &Turn> {
        self.in_flight.iter().map(|id| &self.turns[index(*id)])
    }

    /// What an answer means; `exhibits` has the texts that [`Run::exhibits`] asks for.
    pub fn read(&self, turn: &Turn, answer: &str, exhibits: &Exhibits) -> Result<Reading, Misfit> {
        if turn.seat == *rules::RULES {
            return rules::read(self, turn, answer);
        }
        if turn.seat == *last_look::LAST_LOOK {
            return last_look::read(self, turn, answer);
        }
        let control = self.read_control(turn, answer, exhibits);
        control.unwrap_or_else(|| self.spec.trial().read(self, turn, answer, exhibits))
    }

    /// The texts that an answer of this turn is read against.
    pub fn exhibits(&self, turn: &Turn) -> Vec<Digest> {
        if turn.seat == *rules::RULES {
            return rules::exhibits(self, turn);
        }
        if turn.seat == *last_look::LAST_LOOK {
            return Vec::new();
        }
        self.control_exhibits(turn).unwrap_or_else(|| self.spec.trial().exhibits(self, turn))
    }

    /// What people said while the run went on.
    pub fn directives(&self) -> &[Directive] {
        &self.directives
    }

    /// What people decided where judges could not, oldest first.
    pub fn person_votes(&self) -> &[PersonVote] {
        &self.person_votes
    }

    /// How many of the directives some turn has been told.
    pub fn acknowledged(&self) -> u32 {
        self.acknowledged
    }

    /// Whether somebody asked the run to stop.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.is_some()
    }

    fn next_deadline(&self) -> Option<Deadline> {
        let wall = self.limits.wall().map(|wall| Deadline {
            at: self.clock_from.plus(wall),
            outcome: Outcome::TimedOut,
            reason: format!("the wall limit of {} s is reached", wall.as_secs_f64()),
        });
        wall.into_iter().chain(self.spec.trial().deadline(self)).min_by_key(|deadline| deadline.at)
    }

    pub(crate) fn next_turn(&self) -> TurnId {
        TurnId(u32::try_from(self.turns.len()).expect("fewer turns than u32 counts") + 1)
    }

    /// Ends the run once nothing is in flight.
    pub(crate) fn close(&self, outcome: Outcome, reason: String) -> Next {
        if !self.in_flight.is_empty() {
            return Next::Cancel(self.in_flight.clone());
        }
        let ship = self.spec.trial().ship(self, outcome).map(Box::new);
        Next::Record(Event::RunClosed { outcome, reason, ship })
    }
}

/// Turns are numbered from 1.
fn index(turn: TurnId) -> usize {
    (turn.0 as usize).wrapping_sub(1)
}
