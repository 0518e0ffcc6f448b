//! What watchers of a run are told, whatever its loop. Live and replayed it is the same, because both come from the log.
//!
//! The events of all loops are one enum; the theater's own are one of its variants, as the protocol of the stage has
//! them, and the other loops borrow those that fit (who speaks, scores, demands).

mod event;
mod live;

use std::collections::BTreeMap;

use crate::finding::FindingState;
use crate::heard::Utterance;
use crate::run::Impossible;
use crate::theater::status;
use crate::turn::Bill;
use crate::{
    Digest, Draft, Entry, Event, FindingId, Round, Run, RunSpec, Said, SeatName, Ship, Turn, TurnError, TurnId,
};

pub use event::{
    Allowance, CheckReceipt, FindingStatus, Handover, PersonAct, SaidKind, SeatedAgent, StoryStatus, TurnFault,
    WatchEvent, WatchFrame,
};
pub use live::LiveFrame;

/// Follows a run's log, entry by entry, and gives what its watchers are told.
#[derive(Debug, Clone, Default)]
pub struct Watcher {
    run: Option<Run>,
    /// What was last said of every finding.
    findings: BTreeMap<FindingId, (FindingState, String)>,
    /// What was last said of the stories.
    stories: Vec<StoryStatus>,
}

impl Watcher {
    /// The run as far as it was followed.
    pub fn run(&self) -> Option<&Run> {
        self.run.as_ref()
    }

    /// Takes in the next entry and gives what it tells.
    pub fn follow(&mut self, entry: &Entry) -> Result<Vec<WatchFrame>, Impossible> {
        match &mut self.run {
            Some(run) => run.apply(entry)?,
            none => *none = Some(Run::open(entry)?),
        }
        let Some(run) = self.run.take() else { return Ok(Vec::new()) };
        let mut entry_events = EntryEvents { id: run.spec().run.to_string(), run: &run, events: Vec::new() };
        entry_events.before(&entry.event);
        entry_events.on_stage(entry);
        entry_events.after(&entry.event);
        self.findings(&mut entry_events, &entry.event);
        self.stories(&mut entry_events, &entry.event);
        entry_events.end(&entry.event);
        let frame = |event| WatchFrame { event, time: entry.time, seq: entry.seq };
        let frames = entry_events.events.into_iter().map(frame).collect();
        self.run = Some(run);
        Ok(frames)
    }

    /// What has become of findings.
    fn findings(&mut self, entry_events: &mut EntryEvents<'_>, event: &Event) {
        if !matches!(event, Event::TurnAnswered { .. } | Event::Heard { .. }) {
            return;
        }
        for life in entry_events.run.findings().iter() {
            let finding = &life.finding;
            let known = self.findings.get(&finding.id);
            if known.is_some_and(|(state, text)| *state == life.state && *text == finding.text) {
                continue;
            }
            self.findings.insert(finding.id, (life.state, finding.text.clone()));
            let round = match life.state {
                FindingState::Fixed { round } | FindingState::Reopened { round } => round,
                FindingState::Open | FindingState::Contested => life.raised,
            };
            entry_events.tell(|run_id| WatchEvent::Finding {
                run_id,
                id: finding.id,
                role: life.by.clone(),
                raised: life.raised,
                round,
                severity: finding.severity,
                text: finding.text.clone(),
                code: finding.code.clone(),
                target: finding.target.clone(),
                state: life.state.into(),
            });
        }
    }

    /// What has become of the stories, in a loop that has some.
    fn stories(&mut self, entry_events: &mut EntryEvents<'_>, event: &Event) {
        if !matches!(event, Event::TurnAnswered { .. } | Event::RoundClosed { .. }) {
            return;
        }
        let stories = entry_events.run.spec().trial().stories(entry_events.run);
        if stories != self.stories {
            self.stories.clone_from(&stories);
            entry_events.tell(|run_id| WatchEvent::Stories { run_id, stories });
        }
    }
}

/// What one entry tells.
struct EntryEvents<'r> {
    id: String,
    run: &'r Run,
    events: Vec<WatchEvent>,
}

impl EntryEvents<'_> {
    /// What has to be known before what an entry shows on the stage.
    fn before(&mut self, event: &Event) {
        match event {
            Event::RunOpened { spec } => self.scene(spec),
            Event::RoundOpened { round } => self.tell(|run_id| WatchEvent::RoundOpened { run_id, round: *round }),
            Event::TurnStarted { turn, round, seat, task, attempt, prompt, routed, .. } => {
                let (model, why) = match routed.as_deref() {
                    Some(routed) => (Some(routed.model.clone()), Some(routed.why.clone())),
                    None => (None, None),
                };
                let (turn, round, attempt, prompt) = (*turn, *round, *attempt, *prompt);
                let (role, task) = (seat.clone(), task.clone());
                self.tell(|run_id| WatchEvent::TurnStarted {
                    run_id,
                    turn,
                    round,
                    role,
                    task,
                    attempt,
                    model,
                    why,
                    prompt,
                });
            }
            Event::TurnParked { turn, agent, until, why, taken_by, passed_to, .. } => {
                let Some(turn) = self.run.turn(*turn) else { return };
                let (round, role) = (turn.round, turn.seat.clone());
                let (turn, until, agent) = (turn.id, *until, agent.clone());
                let (why, taken_by) = (why.clone(), passed_to.clone().or_else(|| taken_by.clone()));
                self.tell(|run_id| WatchEvent::Parked { run_id, turn, round, role, agent, until, why, taken_by });
            }
            Event::InterruptRequested { by } => self.person(by, PersonAct::Interrupted, String::new()),
            Event::DirectiveGiven { by, text } => self.person(by, PersonAct::Steered, text.clone()),
            Event::Reanchored { by, anchor } => {
                self.person(by, PersonAct::Reanchored, anchor.kind().as_str().to_owned());
            }
            Event::DraftSelected { by, draft } => self.person(by, PersonAct::Selected, draft.id.to_string()),
            Event::DecisionReopened { by, why, .. } => self.person(by, PersonAct::Reopened, why.clone()),
            Event::ItemsDecided { by, votes, .. } => {
                let told: Vec<String> =
                    votes.iter().map(|vote| format!("{}: {}", vote.item, vote.says.as_str())).collect();
                self.person(by, PersonAct::Decided, told.join("; "));
            }
            Event::RunResumed { .. } => self.tell(|run_id| WatchEvent::Resumed { run_id }),
            _ => {}
        }
    }

    /// What the protocol of the stage has a word for.
    fn on_stage(&mut self, entry: &Entry) {
        let shown = self.run.spec().trial().on_stage(self.run, entry);
        self.events.extend(shown.into_iter().map(WatchEvent::Theater));
    }

    /// What follows from an entry.
    fn after(&mut self, event: &Event) {
        match event {
            Event::Heard { turn, utterances } => {
                let Some(turn) = self.run.turn(*turn) else { return };
                for utterance in utterances {
                    if let Utterance::Drafted { round, draft } = utterance {
                        self.draft(*round, &SeatName::new(self.run.spec().def().author), turn.id, draft);
                    }
                }
            }
            Event::TurnAnswered { turn, raw, said, bill } => {
                let Some(turn) = self.run.turn(*turn) else { return };
                match &**said {
                    Said::Draft { draft, .. } => self.draft(turn.round, &turn.seat, turn.id, draft),
                    Said::Mutation(mutation) => self.draft(turn.round, &turn.seat, turn.id, &mutation.draft),
                    Said::Checked(receipts) => {
                        let (round, tree) = (turn.round, receipts.tree.clone());
                        let receipts = receipts.receipts.iter().map(CheckReceipt::from).collect();
                        self.tell(|run_id| WatchEvent::Receipts { run_id, round, tree, receipts });
                    }
                    _ => {}
                }
                self.turn_ended(turn, Some(said), None, Some(*raw), bill);
            }
            Event::TurnFailed { turn, error, raw, bill } => {
                let Some(turn) = self.run.turn(*turn) else { return };
                self.turn_ended(turn, None, Some(error), *raw, bill);
            }
            // Passed on, it is over.
            Event::TurnParked { turn, passed_to: Some(_), bill, .. } => {
                let Some(turn) = self.run.turn(*turn) else { return };
                self.turn_ended(turn, None, turn.error(), None, bill);
            }
            Event::Ruled { turn, ruling } => {
                let Some(turn) = self.run.turn(*turn) else { return };
                let (id, round, role) = (turn.id, turn.round, turn.seat.clone());
                let (accepted, score, reasons) = (ruling.accepted, ruling.score, ruling.reasons.clone());
                self.tell(|run_id| WatchEvent::Ruled { run_id, turn: id, round, role, accepted, score, reasons });
            }
            _ => {}
        }
    }

    /// What ends a round or the run.
    fn end(&mut self, event: &Event) {
        match event {
            Event::RoundClosed { round, decision, tally } if !self.run.spec().def().ends_rounds_on_stage => {
                let (outcome, reason) = (decision.outcome, decision.reason.clone());
                let composite = tally.as_ref().map(|tally| tally.composite);
                let must_fix = tally.as_ref().map(|tally| tally.must_fix);
                self.tell(|run_id| WatchEvent::RoundClosed {
                    run_id,
                    round: *round,
                    outcome,
                    reason,
                    composite,
                    must_fix,
                });
            }
            Event::RunClosed { outcome, reason, ship } => {
                let (outcome, reason, ship) = (*outcome, reason.clone(), ship.as_deref().map(Handover::from));
                let status = status(outcome).to_owned();
                self.tell(|run_id| WatchEvent::RunClosed { run_id, outcome, status, reason, ship });
            }
            _ => {}
        }
    }

    fn scene(&mut self, spec: &RunSpec) {
        let seats = spec.seats.iter().map(|(seat, binding)| SeatedAgent {
            seat: seat.clone(),
            agent: binding.agent.clone(),
            model: binding.model.clone(),
        });
        let limits = &spec.limits;
        let limits =
            Allowance { usd_micros: limits.usd.map(|usd| usd.0), tokens: limits.tokens, wall_ms: limits.wall_ms };
        let max_rounds = spec.most_rounds();
        let scene = |run_id| WatchEvent::Scene {
            run_id,
            r#loop: spec.kind(),
            subject: spec.subject().to_owned(),
            brief: spec.brief,
            seats: seats.collect(),
            max_rounds,
            limits,
            fork_of: spec.fork.map(|fork| fork.run),
        };
        self.tell(scene);
    }

    fn draft(&mut self, round: Round, role: &SeatName, turn: TurnId, draft: &Draft) {
        let Draft { id, content, format, .. } = *draft;
        let role = role.clone();
        self.tell(|run_id| WatchEvent::Draft { run_id, round, role, turn, draft: id, content, format });
    }

    fn turn_ended(
        &mut self,
        turn: &Turn,
        said: Option<&Said>,
        error: Option<&TurnError>,
        raw: Option<Digest>,
        bill: &Bill,
    ) {
        let spent = self.run.budget().spent;
        let usage = bill.usage;
        self.tell(|run_id| WatchEvent::TurnEnded {
            run_id,
            turn: turn.id,
            round: turn.round,
            role: turn.seat.clone(),
            task: turn.task.clone(),
            said: said.map_or(SaidKind::Nothing, SaidKind::from),
            summary: said.and_then(summary),
            word: said.and_then(word),
            error: error.map(TurnFault::from),
            raw,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cached_tokens: usage.cached_tokens,
            usd_micros: usage.usd.map(|usd| usd.0),
            elapsed_ms: bill.elapsed_ms,
            copied: bill.copied,
            spent_tokens: spent.tokens,
            spent_usd_micros: spent.usd.0,
        });
    }

    fn person(&mut self, by: &str, act: PersonAct, text: String) {
        self.tell(|run_id| WatchEvent::Person { run_id, by: by.to_owned(), act, text });
    }

    fn tell(&mut self, event: impl FnOnce(String) -> WatchEvent) {
        self.events.push(event(self.id.clone()));
    }
}

/// What whoever spoke says about it.
fn summary(said: &Said) -> Option<String> {
    match said {
        Said::Draft { notes, .. } => notes.clone(),
        Said::Mutation(mutation) => mutation.critique.clone(),
        Said::Resolved { decisions } => Some(decisions.join("\n")),
        Said::Controlled(control) => Some(control.to_string()),
        Said::Worked(work) => work.claim.as_ref().map(|claim| claim.summary.clone()).filter(|text| !text.is_empty()),
        Said::Verdict(_) | Said::Inspected(_) => said.verdict().and_then(|verdict| verdict.summary.clone()),
        Said::Surveyed(_) | Said::Checked(_) | Said::Collected(_) | Said::Done | Said::Heard => None,
    }
}

/// The loop's own word for what was said.
fn word(said: &Said) -> Option<String> {
    let word = match said {
        Said::Verdict(_) | Said::Inspected(_) => said.verdict().map(|verdict| verdict.word.clone()),
        Said::Worked(work) => work.memory.stop.map(|stop| stop.as_str().to_owned()),
        _ => None,
    };
    word.filter(|word| !word.is_empty())
}

impl From<&Said> for SaidKind {
    fn from(said: &Said) -> Self {
        match said {
            Said::Draft { .. } => Self::Draft,
            Said::Verdict(_) => Self::Verdict,
            Said::Controlled(_) => Self::Controlled,
            Said::Mutation(_) => Self::Mutation,
            Said::Resolved { .. } => Self::Resolved,
            Said::Surveyed(_) => Self::Surveyed,
            Said::Worked(_) => Self::Worked,
            Said::Checked(_) => Self::Checked,
            Said::Inspected(_) => Self::Inspected,
            Said::Collected(_) => Self::Collected,
            Said::Done => Self::Done,
            Said::Heard => Self::Heard,
        }
    }
}

impl From<&TurnError> for TurnFault {
    fn from(error: &TurnError) -> Self {
        Self { kind: error.kind, message: error.message.clone(), hint: error.hint.clone() }
    }
}

impl From<&crate::desk::Receipt> for CheckReceipt {
    fn from(receipt: &crate::desk::Receipt) -> Self {
        Self {
            check: receipt.check.clone(),
            purpose: receipt.purpose.clone(),
            line: receipt.line.clone(),
            exit: receipt.exit,
            passed: receipt.has_passed(),
            failure: receipt.failure(),
            elapsed_ms: receipt.elapsed_ms,
            output: receipt.output,
            kept: receipt.kept,
            tail: receipt.tail.clone(),
            tests_passed: receipt.tests.map(|tests| tests.passed),
            tests_failed: receipt.tests.map(|tests| tests.failed),
            tests_skipped: receipt.tests.map(|tests| tests.skipped),
        }
    }
}

impl From<&Ship> for Handover {
    fn from(ship: &Ship) -> Self {
        Self {
            round: ship.round,
            composite: ship.composite,
            content: ship.draft.content,
            format: ship.draft.format,
            summary: ship.summary.clone(),
        }
    }
}
