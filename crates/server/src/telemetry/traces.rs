//! How long everything took, as spans that the entries' times show.
//!
//! | span | from | to |
//! |---|---|---|
//! | `run` | its opening, or its last resume | its end |
//! | `round` | its opening, or the resume | its close, or the run's end |
//! | `turn` | its start, before the call | its end, with the answer read |
//! | `parse` | the first thing that was heard of it | the last one; for an answer that is read at once see below |
//! | `score` | the last thing that was said in the round | the round's close |
//! | `persist` | see below | |
//! | `ship` | the decision that settled it | the run's end; where nothing was decided, see below |
//!
//! An entry has one time: when it was recorded, before the disk was asked. Reading an answer and writing an entry happen
//! around that moment, and how long they take is not in the log. Such a span starts and ends there: it says that it
//! happened and how it went, and no duration is made up for it.

use std::collections::BTreeMap;
use tribunal_kernel::turn::{Bill, TurnErrorKind};
use tribunal_kernel::{
    Entry, Event, Outcome, Round, Run, RunId, Score, Ship, Tally, Time, Turn, TurnId, TurnState, Usage,
};

use super::labels;
use super::money::dollars;
use super::span::{SpanId, SpanStatus, TraceId, TraceSpan, Value};

const RUN: &str = "run";
const ROUND: &str = "round";
const TURN: &str = "turn";
const PARSE: &str = "parse";
const SCORE: &str = "score";
const PERSIST: &str = "persist";
const SHIP: &str = "ship";

/// Gives spans when they are finished. All that it remembers is since when turns in flight speak, which a run does not
/// know; the rest is in the run, so a server that starts in the middle of one goes on with its trace.
#[derive(Debug, Default)]
pub struct Tracer {
    heard: BTreeMap<(RunId, TurnId), Heard>,
}

/// When a turn in flight said something.
#[derive(Debug, Clone, Copy)]
struct Heard {
    first: Time,
    last: Time,
}

impl Tracer {
    /// Takes an entry that became durable, in the order of the log; `run` is the run after it, or any later state of it
    /// in the same session. Gives the spans that end with it, the inner ones first.
    pub fn fold(&mut self, run: &Run, entry: &Entry) -> Vec<TraceSpan> {
        let scene = Scene { run, entry };
        let id = run.spec().run;
        match &entry.event {
            Event::Heard { turn, .. } => {
                let at = entry.time;
                self.heard.entry((id, *turn)).or_insert(Heard { first: at, last: at }).last = at;
                Vec::new()
            }
            Event::TurnAnswered { turn, bill, .. } => {
                let heard = self.heard.remove(&(id, *turn));
                run.turn(*turn).map(|turn| scene.turn(turn, bill, None, heard)).unwrap_or_default()
            }
            Event::TurnFailed { turn, error, bill, .. } => {
                let heard = self.heard.remove(&(id, *turn));
                run.turn(*turn).map(|turn| scene.turn(turn, bill, Some(error.kind), heard)).unwrap_or_default()
            }
            Event::RoundClosed { round, decision, tally } => {
                let outcome = labels::decision(run, decision);
                let spoke = self.heard.range((id, TurnId(0))..=(id, TurnId(u32::MAX))).map(|(_, heard)| heard.last);
                vec![scene.score(*round, outcome, tally.as_deref(), spoke.max()), scene.round(*round, outcome)]
            }
            Event::RunClosed { outcome, ship, .. } => scene.end(*outcome, ship.as_deref()),
            _ => Vec::new(),
        }
    }

    /// Nobody will hear of this run again, although it has not ended.
    pub fn forget(&mut self, run: RunId) {
        self.heard.retain(|(of, _), _| *of != run);
    }
}

/// An entry, and the run that it belongs to.
#[derive(Clone, Copy)]
struct Scene<'a> {
    run: &'a Run,
    entry: &'a Entry,
}

impl Scene<'_> {
    fn turn(self, turn: &Turn, bill: &Bill, failed: Option<TurnErrorKind>, heard: Option<Heard>) -> Vec<TraceSpan> {
        let (run, at) = (self.run, self.entry.time);
        let number = u64::from(turn.id.0);
        // A turn that speaks for a panel goes on when its round is over: it is part of the run, then.
        let state = run.rounds().iter().find(|state| state.round == turn.round);
        let is_outlived = state.and_then(|state| state.closed.as_ref()).is_some_and(|(closed, _)| *closed < at);
        let parent = if is_outlived { self.run_id() } else { self.round_id(turn.round) };
        let id = self.id(TURN, &[number]);
        let mut spans = Vec::new();
        if heard.is_some() || failed.is_none_or(|kind| kind == TurnErrorKind::Misfit) {
            let broke = turn.heard.as_deref().and_then(|heard| heard.broke());
            let flaw = broke.map(|broke| broke.reason.as_str()).or(failed.map(labels::failure));
            let (start, end) = heard.map_or((at, at), |heard| (heard.first, heard.last));
            let parse = self.span(PARSE, self.id(PARSE, &[number]), Some(id), (start, end));
            spans.push(parse.with("outcome", flaw.unwrap_or("ok")).ends(status_of(flaw.is_some())));
        }
        let persist = self.span(PERSIST, self.id(PERSIST, &[number]), Some(id), (at, at));
        spans.push(persist.with("seq", self.entry.seq.0));

        let Usage { input_tokens, output_tokens, cached_tokens, usd, .. } = bill.usage;
        let span = self.span(TURN, id, Some(parent), (turn.started.max(run.clock_from()), at));
        let mut span = span
            .with("seat", turn.seat.as_str())
            .with("task", turn.task.as_str())
            .with("round", turn.round.0)
            .with("attempt", turn.attempt)
            .with("agent", labels::agent(run, turn))
            .with("model", labels::model(run, turn))
            .with("input_tokens", input_tokens)
            .with("output_tokens", output_tokens)
            .with("cached_tokens", cached_tokens)
            // What the agent itself took, as the engine measured it: the span has the waiting around it, too.
            .with("elapsed_ms", bill.elapsed_ms)
            .with("outcome", failed.map_or("answered", labels::failure))
            .ends(match failed {
                None => SpanStatus::Ok,
                Some(TurnErrorKind::Cancelled) => SpanStatus::Unset,
                Some(_) => SpanStatus::Error,
            });
        if let Some(usd) = usd {
            span = span.with("usd", dollars(usd));
        }
        if let Some(copied) = bill.copied {
            span = span.with("copied", copied.to_string().as_str());
        }
        spans.push(span);
        spans
    }

    fn score(self, round: Round, outcome: &str, tally: Option<&Tally>, spoke: Option<Time>) -> TraceSpan {
        let at = self.entry.time;
        let ended = self.run.turns_of(round).filter_map(|turn| match &turn.state {
            TurnState::Answered { at, .. } | TurnState::Failed { at, .. } => Some(*at),
            TurnState::InFlight => None,
        });
        let said = ended.chain(spoke).filter(|said| *said <= at).max().unwrap_or(at);
        let start = self.round_start(round);
        let id = self.id(SCORE, &[u64::from(round.0), start.0]);
        let span = self.span(SCORE, id, Some(self.round_id(round)), (said.max(start), at));
        let span = span.with("round", round.0).with("outcome", outcome);
        match tally {
            Some(tally) => span.with("composite", tally.composite.as_f64()).with("must_fix", tally.must_fix),
            None => span,
        }
    }

    fn round(self, round: Round, outcome: &str) -> TraceSpan {
        let start = self.round_start(round);
        let span = self.span(ROUND, self.round_id(round), Some(self.run_id()), (start, self.entry.time));
        span.with("round", round.0).with("outcome", outcome)
    }

    fn end(self, outcome: Outcome, ship: Option<&Ship>) -> Vec<TraceSpan> {
        let (run, at) = (self.run, self.entry.time);
        let word = labels::status(run, outcome);
        let mut spans = Vec::new();
        let last = run.rounds().last();
        if let Some(Ship { round, composite, .. }) = ship {
            let settled = last.and_then(|state| state.closed.as_ref()).filter(|(_, decision)| decision.is_settled());
            let start = settled.map_or(at, |(closed, _)| (*closed).max(run.clock_from()));
            let span = self.span(SHIP, self.id(SHIP, &[self.entry.seq.0]), Some(self.run_id()), (start, at));
            let span = span.with("round", round.0).with("outcome", word);
            spans.push(match composite.map(Score::as_f64) {
                Some(composite) => span.with("composite", composite),
                None => span,
            });
        }
        if let Some(state) = last.filter(|state| state.closed.is_none()) {
            spans.push(self.round(state.round, word));
        }
        let spent = run.budget().spent;
        let span = self.span(RUN, self.run_id(), None, (run.clock_from(), at));
        let span = span
            .with("loop", run.spec().kind().as_str())
            .with("agent", labels::main_agent(run.spec()))
            .with("rounds", run.rounds().len() as u64)
            .with("turns", run.turns().len() as u64)
            .with("tokens", spent.tokens)
            .with("usd", dollars(spent.usd))
            .with("outcome", word)
            .ends(match outcome {
                Outcome::Failed => SpanStatus::Error,
                _ if outcome.is_pass() => SpanStatus::Ok,
                _ => SpanStatus::Unset,
            });
        spans.push(span);
        spans
    }

    fn span(self, name: &'static str, id: SpanId, parent: Option<SpanId>, (start, end): (Time, Time)) -> TraceSpan {
        let trace = TraceId::from(self.run.spec().run);
        TraceSpan { trace, id, parent, name, start, end, attributes: Vec::new(), status: SpanStatus::Unset }
    }

    fn round_start(self, round: Round) -> Time {
        labels::round_start(self.run, round).unwrap_or(self.entry.time)
    }

    /// A run that is resumed, and a round that goes on then, have a span for each time.
    fn run_id(self) -> SpanId {
        self.id(RUN, &[self.run.clock_from().0])
    }

    fn round_id(self, round: Round) -> SpanId {
        self.id(ROUND, &[u64::from(round.0), self.round_start(round).0])
    }

    fn id(self, name: &str, parts: &[u64]) -> SpanId {
        SpanId::derive(self.run.spec().run, name, parts)
    }
}

impl TraceSpan {
    fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.attributes.push((name, value.into()));
        self
    }

    fn ends(self, status: SpanStatus) -> Self {
        Self { status, ..self }
    }
}

fn status_of(is_flawed: bool) -> SpanStatus {
    if is_flawed { SpanStatus::Error } else { SpanStatus::Ok }
}
