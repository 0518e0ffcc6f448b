//! Loop 4, theater: a designer drafts, judges score and demand, until a round passes the gate.
//!
//! | file | noun |
//! |---|---|
//! | `def` | what the loop is called, needs, shows and writes |
//! | `settings` | how the panel is seated and what it takes to pass |
//! | `board` | the scoreboard: composite, gate, fallback |
//! | `stream` | following a panel that speaks in one stream |
//! | `answers`, `prompts` | what seats return and what they are told |
//! | `input` | what programs on the panel work on |
//! | `judged` | what a judge's answer counts as |
//! | `evidence` | what was measured, held against what is claimed |
//! | `event`, `events` | the events that are watched, and how the log becomes them |
//! | `stage` | what a watcher sees: a fold over those events |
//! | `report` | a trial for people who were not there |
//! | `rehearsal` | a stream that is followed without anybody performing it |

mod answers;
pub mod board;
mod def;
mod event;
mod events;
mod evidence;
mod input;
mod judged;
mod prompts;
mod rehearsal;
mod report;
mod settings;
mod stage;
mod stream;

use std::time::Duration;

use crate::answer::Misfit;
use crate::ballot::{JudgedItem, OpenItems, Vote};
use crate::circles::Circle;
use crate::heard::{Break, Heard};
use crate::input::TurnInput;
use crate::loops::LoopRefusal;
use crate::prompt::Prompt;
use crate::rules;
use crate::spec::RunSpec;
use crate::trial::{Ask, Deadline, Exhibits, Listener, Outlook, Reading, Step, Trial};
use crate::turn::TurnErrorKind;
use crate::{
    Decision, Digest, Draft, Entry, Outcome, Round, Run, Said, Score, SeatName, Ship, Slot, Time, Turn, TurnState,
    Verdict,
};

use board::{RoundRuling, Votes};
use stream::Stream;

pub use answers::{DesignerAnswer, JudgeAnswer};
pub use def::{DEF, KEYS};
pub use event::{ArtifactRef, RoundDecision, TheaterEvent};
pub(crate) use events::seats_on_stage;
pub use events::{cause, events, status};
pub use input::{FixInput, MeasureInput, PageInput};
pub use rehearsal::{Broke, Rehearsal};
pub use report::report;
pub use settings::{
    DESIGNER, Fallback, LINT, MEASURE, PANEL, PROTOCOL_VERSION, Panel, Settings, TheaterGiven, WEIGHTS,
};
pub use stage::{Panelist, Stage};

/// The designer's task.
pub const DRAFT: &str = "draft";
/// A judge's task.
pub const JUDGE: &str = "judge";
/// The task of a panel that speaks in one stream.
pub const PERFORM: &str = "perform";
/// One pass without a panel.
pub const PLAIN: &str = "plain";
/// Why a stream that nobody follows any more was given up.
pub const DAEMON_RESTART: &str = "daemon_restart";

/// The settings of a run, if it is a theater.
pub fn stage_of(spec: &RunSpec) -> Option<&Settings> {
    spec.settings_of()
}

impl Trial for Settings {
    fn subject(&self) -> &str {
        &self.artifact
    }

    /// A judge who cannot be read has only not voted, and nobody passes by silence.
    fn main_seat(&self) -> &str {
        match self.panel {
            Panel::Single => PANEL,
            Panel::Seats | Panel::Off => DESIGNER,
        }
    }

    fn seats(&self) -> Vec<&str> {
        match self.panel {
            Panel::Single => vec![PANEL],
            Panel::Seats => self.cast.iter().map(SeatName::as_str).collect(),
            Panel::Off => vec![DESIGNER],
        }
    }

    fn can_fork(&self) -> Result<(), LoopRefusal> {
        match self.panel {
            Panel::Single => Err(LoopRefusal::new(
                "was played in one stream, which has no rounds to branch off from",
                "`tribunal rerun` plays it again",
            )),
            Panel::Seats | Panel::Off => Ok(()),
        }
    }

    fn next(&self, run: &Run) -> Step {
        let decision = run.decision();
        if let (true, Some(outcome)) = (decision.is_settled(), decision.outcome) {
            if self.panel == Panel::Single && may_still_speak(run) {
                return perform();
            }
            return Step::End { outcome, reason: decision.reason.clone().unwrap_or_default() };
        }
        let round = match run.rounds().last() {
            None => return Step::Open(Round(1)),
            Some(state) if state.closed.is_some() => return Step::Open(state.round.next()),
            Some(state) => state.round,
        };
        if let Some(mark) = &self.mark {
            return next_plain(run, round, Outcome::Degraded, &mark.to_string());
        }
        match self.panel {
            Panel::Off => next_plain(run, round, Outcome::Legacy, "the panel is off"),
            Panel::Single => self.next_in_stream(run, round),
            Panel::Seats => self.next_in_seats(run, round),
        }
    }

    fn prompt(&self, run: &Run, ask: &Ask) -> Prompt {
        match &*ask.task {
            PERFORM => prompts::panel(self, run),
            PLAIN => prompts::plain(self, run),
            DRAFT => prompts::designer(self, run, ask.round),
            _ if ask.seat == *LINT || ask.seat == *MEASURE => prompts::measure(self, run, ask.round, &ask.seat),
            _ => prompts::judge(self, run, ask.round, &ask.seat),
        }
    }

    fn judges(&self) -> Vec<&str> {
        match self.panel {
            Panel::Seats if self.mark.is_none() => Settings::judges(self).map(SeatName::as_str).collect(),
            Panel::Seats | Panel::Single | Panel::Off => Vec::new(),
        }
    }

    fn no_control(&self) -> Option<&'static str> {
        let why = "a panel in one stream judges itself: it is not controlled, and what was measured binds it";
        (self.panel == Panel::Single).then_some(why)
    }

    fn judged<'r>(&self, run: &'r Run, ask: &Ask) -> Option<&'r Draft> {
        (ask.task == JUDGE).then(|| draft_at(run, ask.round)).flatten()
    }

    /// Who gives no score has not judged, and who gives less than half of it and names nothing keeps to itself what is wrong.
    fn is_told(&self, verdict: &Verdict) -> bool {
        let is_poor = |score: Score| score.as_f64() * 2.0 < self.scale.as_f64();
        verdict.score.is_some_and(|score| !verdict.findings.is_empty() || !is_poor(score))
    }

    fn input(&self, run: &Run, ask: &Ask) -> Option<TurnInput> {
        input::of(self, run, ask)
    }

    fn exhibits(&self, run: &Run, turn: &Turn) -> Vec<Digest> {
        let is_vote = turn.task == JUDGE && rules::is_balloted(run, &rules::ballot(run), &turn.seat);
        let before = judged::judged_before(run, turn).map(|(draft, _)| draft);
        let judged = draft_at(run, turn.round).filter(|_| is_vote || before.is_some());
        judged.into_iter().chain(before).map(|draft| draft.content).collect()
    }

    fn read(&self, run: &Run, turn: &Turn, answer: &str, exhibits: &Exhibits) -> Result<Reading, Misfit> {
        match turn.task.as_str() {
            PERFORM => Ok(Reading { said: Said::Heard, blobs: Vec::new() }),
            PLAIN => {
                let (content, format) = answers::plain(answer).ok_or_else(no_artifact)?;
                Ok(drafted(run, turn, content, format, None))
            }
            DRAFT => {
                let DesignerAnswer { notes, artifact } = crate::answer::read(answer)?;
                if artifact.content.trim().is_empty() {
                    return Err(no_artifact());
                }
                Ok(drafted(run, turn, artifact.content, crate::Format::of_mime(&artifact.mime), notes))
            }
            _ => self.read_verdict(run, turn, answer, exhibits),
        }
    }

    fn listen(&self, _run: &Run, turn: &Turn) -> Option<Box<dyn Listener>> {
        (turn.task == PERFORM).then(|| Box::new(Stream::new(self, turn.id)) as Box<dyn Listener>)
    }

    fn is_repeatable(&self, turn: &Turn) -> bool {
        turn.task != PERFORM
    }

    fn deadline(&self, run: &Run) -> Option<Deadline> {
        let since = run.clock_from();
        // While a provider takes no requests, nobody is slow.
        let due = |from: Time, limit: Duration| from.plus(limit).plus(run.paused_since(from));
        let total = (due(since, self.total()), format!("{} ms are over", self.total_timeout_ms));
        let of_round = run.rounds().last().filter(|_| !self.is_plain(run)).map(|state| {
            let reason = format!("the {} ms of round {} are over", self.per_round_timeout_ms, state.round);
            (due(state.opened.max(since), self.per_round()), reason)
        });
        let (at, reason) = [Some(total), of_round].into_iter().flatten().min_by_key(|(at, _)| *at)?;
        // A decision that stands is not undone by the time that its decoration takes.
        let decided = run.decision().outcome.filter(|_| run.decision().is_settled());
        let reason = if decided.is_some() { run.decision().reason.clone().unwrap_or_default() } else { reason };
        Some(Deadline { at, outcome: decided.unwrap_or(Outcome::TimedOut), reason })
    }

    /// A round that was closed without a draft of its own stands on the one before.
    fn standing<'r>(&self, run: &'r Run, round: Round) -> Option<&'r Draft> {
        let is_closed = run.round(round).is_some_and(|state| state.closed.is_some());
        run.draft_of(round).or_else(|| draft_at(run, round).filter(|_| is_closed))
    }

    fn ship(&self, run: &Run, outcome: Outcome) -> Option<Ship> {
        let completed = board::completed(run.rounds());
        let (round, composite) = match outcome {
            Outcome::Legacy | Outcome::Degraded => {
                if let Some((round, draft)) = plain_draft(run) {
                    return Some(Ship { round, draft: draft.clone(), composite: None, summary: None });
                }
                board::best(&completed)
            }
            Outcome::Shipped => {
                let last = run.decision().final_round;
                completed.iter().copied().find(|(round, _)| Some(*round) == last)
            }
            Outcome::BelowThreshold => board::fallback(self.fallback, &completed),
            _ => board::best(&completed),
        }?;
        let (claim, own) = match heard(run).and_then(Heard::ship) {
            Some((of, claim, draft)) if of.is_none_or(|of| of == round) => (Some(claim), draft),
            _ => (None, None),
        };
        // What was judged is what ships: a stream that hands over other bytes at its end has not had them judged.
        let judged = draft_at(run, round);
        let own = own.filter(|own| judged.is_none_or(|judged| judged.text == own.text));
        let draft = own.or(judged)?.clone();
        let summary = claim.map(|claim| claim.text.clone()).filter(|text| !text.is_empty());
        Some(Ship { round, draft, composite: Some(composite), summary })
    }

    fn on_stage(&self, run: &Run, entry: &Entry) -> Vec<TheaterEvent> {
        events(run, entry)
    }

    fn outlook(&self, done: u32) -> Outlook {
        let left = self.max_rounds.saturating_sub(done);
        match self.panel {
            _ if self.mark.is_some() => Outlook::new(1, [(SeatName::new(self.main_seat()), 1)]),
            Panel::Seats => Outlook::new(self.max_rounds, self.cast.iter().map(|seat| (seat.clone(), left))),
            Panel::Single => Outlook::new(self.max_rounds, [(SeatName::new(PANEL), 1)]),
            Panel::Off => Outlook::new(1, [(SeatName::new(DESIGNER), 1)]),
        }
    }

    fn cites(&self) -> Vec<Digest> {
        self.given.prior.iter().map(|draft| draft.content).chain(self.given.design).collect()
    }
}

impl Settings {
    fn next_in_stream(&self, run: &Run, round: Round) -> Step {
        let Some(turn) = performance(run) else { return perform() };
        let heard = turn.heard.as_deref();
        if heard.is_some_and(|heard| heard.claim(round).is_some()) {
            return self.rule(run, round);
        }
        if let Some(broke) = heard.and_then(Heard::broke) {
            if turn.state == TurnState::InFlight {
                return Step::Cancel(turn.id);
            }
            return next_plain(run, round, Outcome::Degraded, &broke.message);
        }
        if heard.is_some_and(Heard::is_over) {
            let reason = format!("the panel stopped in round {round}, before the gate let it pass");
            return Step::End { outcome: Outcome::BelowThreshold, reason };
        }
        match &turn.state {
            TurnState::InFlight => perform(),
            TurnState::Failed { error, .. } => match error.kind {
                TurnErrorKind::Lost => Step::End { outcome: Outcome::Interrupted, reason: DAEMON_RESTART.into() },
                TurnErrorKind::Misfit => next_plain(run, round, Outcome::Degraded, &error.message),
                // A stream cannot be begun again from where it was cut off.
                TurnErrorKind::OverBudget => {
                    Step::End { outcome: Outcome::OverBudget, reason: format!("{PANEL}: {error}") }
                }
                _ => Step::End { outcome: Outcome::Failed, reason: format!("{PANEL}: {error}") },
            },
            TurnState::Answered { .. } => {
                next_plain(run, round, Outcome::Degraded, "the panel said nothing that can be read")
            }
        }
    }

    fn next_in_seats(&self, run: &Run, round: Round) -> Step {
        let designer = SeatName::new(DESIGNER);
        match run.slot(round, &designer, DRAFT) {
            Slot::Answered { turn, .. } => {
                if let Some(step) = rules::hold(run, turn) {
                    return step;
                }
            }
            // What breaks the rules is not handed over by another way.
            Slot::Exhausted { error, .. } if run.turns_of(round).any(|turn| turn.rejection.is_some()) => {
                return Step::End { outcome: Outcome::BelowThreshold, reason: error.message.clone() };
            }
            Slot::Exhausted { error, .. } if error.kind == TurnErrorKind::Misfit => {
                return next_plain(run, round, Outcome::Degraded, &error.message);
            }
            Slot::Exhausted { error, .. } => return failed(&designer, &error.message),
            Slot::Open { .. } | Slot::InFlight => {
                return Step::Ask(vec![Ask::new(round, designer, DRAFT)]);
            }
        }
        let measure = SeatName::new(MEASURE);
        if run.spec().seats.contains_key(&measure)
            && let Slot::Open { .. } | Slot::InFlight = run.slot(round, &measure, JUDGE)
        {
            return Step::Ask(vec![Ask::new(round, measure, JUDGE)]);
        }
        let mut asks = Vec::new();
        for judge in Settings::judges(self).filter(|judge| !run.has_no_vote(judge)) {
            match run.slot(round, judge, JUDGE) {
                Slot::Open { .. } | Slot::InFlight => asks.push(Ask::new(round, judge.clone(), JUDGE)),
                // Whom nobody can start is a matter of the machine, and no round would help.
                Slot::Exhausted { error, .. } if error.kind == TurnErrorKind::Unavailable => {
                    return failed(judge, &error.message);
                }
                // Who does not look, cannot be read or fails has not voted, and that costs nobody else's vote.
                Slot::Exhausted { .. } | Slot::Answered { .. } => {}
            }
        }
        if asks.is_empty() { self.rule(run, round) } else { Step::Ask(asks) }
    }

    /// All have voted: what becomes of the round? What is wrong is found in every round of a panel in seats, whatever its
    /// judges say, and never passes.
    fn rule(&self, run: &Run, round: Round) -> Step {
        // Who goes in circles ends as if no round were left.
        let circle = Circle::of(run, round);
        let is_final = run.last_round(self.max_rounds) <= round || circle.is_some();
        let mut votes = self.votes(run, round);
        votes.open = Self::unmet(run, round, &votes);
        let passes = |votes: &Votes<'_>| {
            let tally = board::tally(self, votes, is_final);
            matches!(board::gate(self, votes, &tally, is_final), RoundRuling::Ship(_))
        };
        // A panel in one stream cannot be told which rules its draft breaks; it does not pass with them.
        let checked = performance(run).filter(|_| self.panel == Panel::Single && passes(&votes));
        match checked.and_then(|turn| rules::verdict(run, turn)) {
            Some(rules::Heard::Ask(ask)) => return Step::Ask(vec![ask]),
            Some(rules::Heard::Failed(why)) => return Step::End { outcome: Outcome::Failed, reason: why },
            Some(rules::Heard::Said(verdict)) => votes.lint = verdict.must_fixes().collect(),
            None => {}
        }
        let lint = SeatName::new(LINT);
        let is_linted = (self.lints_every_round && self.panel == Panel::Seats) || passes(&votes);
        if run.spec().seats.contains_key(&lint) && is_linted {
            match run.slot(round, &lint, JUDGE) {
                Slot::Answered { said: Said::Verdict(verdict), .. } => votes.lint = verdict.must_fixes().collect(),
                Slot::Exhausted { error, .. } => return failed(&lint, &error.message),
                Slot::Open { .. } | Slot::InFlight | Slot::Answered { .. } => {
                    return Step::Ask(vec![Ask::new(round, lint, JUDGE)]);
                }
            }
        }
        let tally = board::tally(self, &votes, is_final);
        let ruling = match (board::gate(self, &votes, &tally, is_final), circle) {
            (RoundRuling::Exhausted(reason), Some(circle)) => RoundRuling::Exhausted(format!("{circle}; {reason}")),
            (ruling, _) => ruling,
        };
        let decision = match ruling {
            // Whoever got wrong what is known has no vote, and without it nothing passes: a person looks.
            RoundRuling::Exhausted(reason) if Settings::judges(self).any(|judge| run.has_no_vote(judge)) => {
                let mut silenced: Vec<String> =
                    Settings::judges(self).filter_map(|judge| run.why_no_vote(judge)).collect();
                silenced.dedup();
                let reason = format!("no vote for who failed its control: {}; {reason}", silenced.join(", "));
                Decision::terminal(Outcome::NeedsHuman, round, reason)
            }
            // A judge whose agent failed has not said no: somebody has to judge in its place.
            RoundRuling::Exhausted(reason) if let Some(why) = self.lost_judges(run, round) => {
                Decision::terminal(Outcome::NeedsHuman, round, format!("{why}; {reason}"))
            }
            // All that is missing is that somebody decides: a person does.
            RoundRuling::Exhausted(reason) if board::is_only_undecided(self, &votes, &tally) => {
                Decision::terminal(Outcome::NeedsHuman, round, reason)
            }
            RoundRuling::Ship(reason) => Decision::terminal(Outcome::Shipped, round, reason),
            RoundRuling::Continue(reason) => Decision::in_progress(Some(reason)),
            RoundRuling::Exhausted(reason) => {
                let mut completed = board::completed(run.rounds());
                completed.push((round, tally.composite));
                let chosen = board::fallback(self.fallback, &completed).map_or(round, |(round, _)| round);
                Decision::terminal(Outcome::BelowThreshold, chosen, reason)
            }
        };
        Step::Close { round, decision, tally: Some(Box::new(tally)) }
    }

    /// Judges that brought no answer in this round because their agents failed, and how.
    fn lost_judges(&self, run: &Run, round: Round) -> Option<String> {
        let lost = Settings::judges(self).filter_map(|judge| match run.slot(round, judge, JUDGE) {
            Slot::Exhausted { error, .. } if error.kind != TurnErrorKind::Misfit => {
                Some(format!("{judge} could not judge: {error}"))
            }
            _ => None,
        });
        let lost: Vec<String> = lost.collect();
        (!lost.is_empty()).then(|| lost.join("; "))
    }

    fn votes<'r>(&'r self, run: &'r Run, round: Round) -> Votes<'r> {
        let mut votes = Votes::default();
        if let (Panel::Single, Some(heard)) = (self.panel, heard(run)) {
            votes.spoke = self.cast.iter().filter(|role| heard.has_spoken(round, role)).collect();
            votes.verdicts = heard.verdicts(round).collect();
            votes.claim = heard.claim(round);
            return votes;
        }
        for role in &self.cast {
            let task = if *role == *DESIGNER { DRAFT } else { JUDGE };
            if let Slot::Answered { said, .. } = run.slot(round, role, task)
                && !run.has_no_vote(role)
            {
                votes.spoke.push(role);
                if let Said::Verdict(verdict) = said {
                    votes.verdicts.push((role, verdict));
                }
            }
        }
        votes
    }

    /// What the anchor asks for and is not met, as far as anybody with an opinion has to tell. What programs check is sent
    /// back, or counts among the must-fixes.
    fn unmet(run: &Run, round: Round, votes: &Votes<'_>) -> Vec<JudgedItem> {
        let voters: Vec<(String, &[Vote])> =
            votes.judges().map(|(seat, verdict)| (run.spec().voter(seat), verdict.votes.as_slice())).collect();
        let items = rules::opinions(run, &voters, draft_at(run, round).map(|draft| draft.id));
        let OpenItems { broken, undecided } = OpenItems::of(&items);
        broken.into_iter().chain(undecided).cloned().collect()
    }

    fn is_plain(&self, run: &Run) -> bool {
        self.panel == Panel::Off || self.mark.is_some() || run.turns().last().is_some_and(|turn| turn.task == PLAIN)
    }
}

/// One pass without a panel, and then the end.
fn next_plain(run: &Run, round: Round, outcome: Outcome, why: &str) -> Step {
    let seat = plain_seat(run);
    match run.slot(round, &seat, PLAIN) {
        Slot::Answered { turn, .. } => {
            rules::hold(run, turn).unwrap_or_else(|| Step::End { outcome, reason: why.to_owned() })
        }
        Slot::Exhausted { .. } if outcome == Outcome::Degraded && !board::completed(run.rounds()).is_empty() => {
            Step::End { outcome, reason: why.to_owned() }
        }
        Slot::Exhausted { error, .. } => failed(&seat, &error.message),
        Slot::Open { .. } | Slot::InFlight => Step::Ask(vec![Ask::new(round, seat, PLAIN)]),
    }
}

/// Whether a panel whose trial is decided may still say how it hands its work over.
fn may_still_speak(run: &Run) -> bool {
    let Some(turn) = performance(run).filter(|turn| turn.state == TurnState::InFlight) else { return false };
    let last = run.rounds().last().map(|state| state.round);
    turn.heard.as_ref().is_none_or(|heard| heard.ship().is_none() && !heard.is_over() && heard.latest_round() <= last)
}

/// The draft that stands at the end of a round: its own, or the last one before it.
pub fn draft_at(run: &Run, round: Round) -> Option<&Draft> {
    let counts = |turn: &&Turn| turn.task != PLAIN && turn.rejection.is_none();
    let drafts = run.turns().iter().filter(counts).flat_map(Turn::drafts);
    drafts.filter(|(of, _)| *of <= round).last().map(|(_, draft)| draft)
}

/// The turn of a panel that speaks in one stream.
fn performance(run: &Run) -> Option<&Turn> {
    run.turns().iter().rev().find(|turn| turn.task == PERFORM)
}

fn heard(run: &Run) -> Option<&Heard> {
    performance(run).and_then(|turn| turn.heard.as_deref())
}

/// Why a panel could not be followed.
fn break_of(run: &Run) -> Option<&Break> {
    heard(run).and_then(Heard::broke)
}

fn plain_draft(run: &Run) -> Option<(Round, &Draft)> {
    let counts = |turn: &&Turn| turn.task == PLAIN && turn.rejection.is_none();
    run.turns().iter().rev().filter(counts).flat_map(Turn::drafts).next()
}

/// Who makes the plain pass: the designer, or whoever plays all roles.
fn plain_seat(run: &Run) -> SeatName {
    let designer = SeatName::new(DESIGNER);
    if run.spec().seats.contains_key(&designer) { designer } else { SeatName::new(PANEL) }
}

fn perform() -> Step {
    Step::Ask(vec![Ask::new(Round(1), SeatName::new(PANEL), PERFORM)])
}

fn failed(seat: &SeatName, error: &str) -> Step {
    Step::End { outcome: Outcome::Failed, reason: format!("{seat}: {error}") }
}

fn no_artifact() -> Misfit {
    Misfit::Unacceptable("artifact.content is empty".into())
}

fn drafted(run: &Run, turn: &Turn, content: String, format: crate::Format, notes: Option<String>) -> Reading {
    let draft = Draft::proposed(run.spec().run, turn.id, &content, format);
    Reading { said: Said::Draft { draft, done: None, notes }, blobs: vec![content] }
}
