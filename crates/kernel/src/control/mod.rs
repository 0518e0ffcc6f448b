//! Control calls: whether a judge notices what is wrong.
//!
//! A judge that could not have said no proves nothing. Each is shown, once and without being told, a draft whose faults we
//! planted ourselves; who does not see them has no vote in the run. The calls come with a judge's first real one and are
//! settled before anything is ruled, in every loop: a loop says which calls judge ([`Trial::judged`]) and asks
//! [`Run::has_no_vote`], and knows nothing else of this.
//!
//! | file | noun |
//! |---|---|
//! | `plant` | a draft with faults that are known |

mod plant;

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::answer::Misfit;
use crate::ballot::{self, Vote, VoteWord};
use crate::joust::{LINT, RECOUNT};
use crate::judge::{REVERIFY, VERIFY};
use crate::prompt::{Content, Part, Prompt};
use crate::trial::{Ask, Exhibits, Outlook, Reading, Step};
use crate::turn::TurnErrorKind;
use crate::{
    Digest, Draft, Format, Run, RunId, RunSpec, Said, Score, SeatName, Slot, Spend, Time, Turn, TurnId, TurnState,
};

pub use plant::Plant;
pub(crate) use plant::PlantedDraft;

/// What the task of a control call begins with; its number and the task that it looks like follow.
const CONTROL: &str = "control:";

/// A judge who got wrong what is known of a draft is asked once more, with other items; then it has no vote.
pub(crate) const LOOKS: u32 = 2;

/// How the judges of a run are controlled.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Controls {
    /// Control calls for each judge; none: they are off.
    pub per_judge: u32,
    /// Who catches a smaller share of what was planted has no vote.
    pub min_catch: Score,
    /// The share of the run's money that they may take together.
    pub share: Score,
    /// Judges that passed one lately, for drafts of a format: they are not asked again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<PassedControl>,
}

impl Controls {
    /// Whether nobody is controlled.
    pub fn is_off(&self) -> bool {
        self.per_judge == 0
    }
}

/// That a judge passed its control in an earlier run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassedControl {
    pub seat: SeatName,
    pub format: Format,
    pub run: RunId,
    pub at: Time,
    pub planted: u32,
    pub caught: u32,
}

/// What a judge made of a draft with planted faults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlReading {
    pub format: Format,
    pub planted: u32,
    pub caught: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missed: Vec<String>,
}

impl fmt::Display for ControlReading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.planted == 1 { "fault" } else { "faults" };
        write!(f, "caught {} of {} planted {noun}", self.caught, self.planted)
    }
}

/// A fault that was planted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlantedFault {
    /// What is wrong, for people.
    pub(crate) what: String,
    /// The item that is broken; nothing where the draft as a whole is unfit.
    pub(crate) item: Option<String>,
}

/// How a judge stood up to what is known, in one run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JudgeRecord {
    /// Faults in its control calls.
    pub planted: u32,
    /// Those that it saw.
    pub caught: u32,
    /// How often it called missing what is there.
    pub false_alarms: u32,
    /// Its control calls by number, each with the last turn that was made for it.
    controls: BTreeMap<u32, TurnId>,
    /// Control calls that it answered.
    answered: u32,
    /// Calls in which it got wrong what is known of the draft, until they are answered.
    missed: BTreeMap<String, u32>,
    /// It got it wrong again when it was asked again.
    is_inattentive: bool,
}

impl PlantedFault {
    pub(super) fn of_the_draft(what: &str) -> Self {
        Self { what: what.to_owned(), item: None }
    }
}

/// The task that a call looks like: its own, or for a control call or a recount that of the call which it imitates.
pub fn shown_task(task: &str) -> Cow<'_, str> {
    let shown = parse(task).map_or(task, |(_, shown)| shown);
    let like = |again: &str, first: &str| {
        let rest = shown.strip_prefix(again).filter(|rest| rest.starts_with(':'))?;
        Some(format!("{first}{rest}"))
    };
    like(RECOUNT, LINT).or_else(|| like(REVERIFY, VERIFY)).map_or(shown.into(), Cow::Owned)
}

/// Whether a call is a control.
pub fn is_control(task: &str) -> bool {
    parse(task).is_some()
}

fn parse(task: &str) -> Option<(u32, &str)> {
    let (number, shown) = task.strip_prefix(CONTROL)?.split_once('/')?;
    Some((number.parse().ok()?, shown))
}

impl JudgeRecord {
    /// Takes in what a judge's turn came to.
    fn see(&mut self, turn: &Turn) {
        match &turn.state {
            TurnState::Answered { said, .. } => {
                self.missed.remove(&turn.task);
                if let Said::Controlled(reading) = &**said {
                    self.answered += 1;
                    self.planted += reading.planted;
                    self.caught += reading.caught;
                }
            }
            TurnState::Failed { error, .. } if error.kind == TurnErrorKind::Inattentive => {
                self.false_alarms +=
                    u32::from(error.message == Misfit::Inattentive { is_false_alarm: true }.to_string());
                let misses = self.missed.entry(turn.task.clone()).or_default();
                *misses += 1;
                self.is_inattentive |= *misses >= LOOKS;
            }
            TurnState::Failed { .. } | TurnState::InFlight => {}
        }
    }
}

/// What a judge's controls come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgedControls {
    pub calls: u32,
    pub planted: u32,
    pub caught: u32,
    pub is_passed: bool,
}

/// What is known of the judges of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct JudgeRecords {
    of: BTreeMap<SeatName, JudgeRecord>,
    /// What control calls have taken so far.
    spent: Spend,
}

impl JudgeRecords {
    /// Takes in a turn that was started, or has ended.
    pub(crate) fn see(&mut self, turn: &Turn) {
        if let Some((number, _)) = parse(&turn.task) {
            self.of.entry(turn.seat.clone()).or_default().controls.insert(number, turn.id);
            self.spent = self.spent.plus(turn.bill().map(|bill| Spend::from(bill.usage)).unwrap_or_default());
        }
        let is_missed = turn.error().is_some_and(|error| error.kind == TurnErrorKind::Inattentive);
        if is_missed || self.of.contains_key(&turn.seat) {
            self.of.entry(turn.seat.clone()).or_default().see(turn);
        }
    }
}

impl RunSpec {
    /// What is to be expected when `done` rounds are over, control calls included.
    pub fn outlook(&self, done: u32) -> Outlook {
        let mut outlook = self.trial().outlook(done);
        let controls = if done == 0 { self.controls.per_judge } else { 0 };
        for seat in self.judges_to_control() {
            let calls = outlook.calls.entry(seat).or_default();
            *calls = calls.saturating_add(controls);
        }
        outlook
    }

    /// Which models judge here without being controlled, and why: a sentence each.
    pub fn not_controlled(&self) -> Vec<String> {
        let main = SeatName::new(self.trial().main_seat());
        let none = self.trial().no_control().filter(|_| !self.controls.is_off() && self.is_controlled(&main));
        let judges: Vec<SeatName> = self.trial().judges().into_iter().map(SeatName::new).collect();
        let is_off = self.controls.is_off() && judges.iter().any(|seat| self.is_controlled(seat));
        let off = is_off.then(|| "no judge is shown planted faults: `controls.per_judge = 0`".to_owned());
        // Runs from before there were controls say nothing of them.
        let is_left_out = |seat: &&SeatName| {
            let agent = self.seats.get(*seat).and_then(|binding| self.agents.get(&binding.agent));
            let said = agent.and_then(|agent| agent.0.get("controls")?.as_bool());
            said == Some(false) && self.is_model(seat)
        };
        let left_out = judges.iter().filter(is_left_out);
        let told = left_out.map(|seat| format!("{seat} is a model and is not controlled: `controls = false`"));
        none.map(str::to_owned).into_iter().chain(off).chain(told).collect()
    }

    /// The judges that are controlled in this run, and have not passed lately: one for each agent and model.
    pub fn judges_to_control(&self) -> Vec<SeatName> {
        if self.controls.is_off() {
            return Vec::new();
        }
        let mut voters = BTreeSet::new();
        let judges = self.trial().judges().into_iter().map(SeatName::new);
        let is_open = |seat: &SeatName| {
            self.is_controlled(seat) && !self.controls.passed.iter().any(|passed| passed.seat == *seat)
        };
        judges.filter(is_open).filter(|seat| voters.insert(self.judge_key(seat))).collect()
    }
}

/// Where the controls of a judge stand.
enum ControlState {
    /// None are needed, or it passed.
    Settled,
    Open(Vec<Ask>),
    Failed(String),
}

impl Run {
    /// How a judge stood up to what is known, where anything is.
    pub fn judge_record(&self, seat: &SeatName) -> Option<&JudgeRecord> {
        self.judges().of.get(seat)
    }

    /// What a judge's controls in this run come to, once all of them are answered.
    pub fn controls_of(&self, seat: &SeatName) -> Option<JudgedControls> {
        let JudgeRecord { planted, caught, answered, .. } = *self.judge_record(seat)?;
        let is_failed = self.has_no_vote(seat);
        let is_passed = answered >= self.spec().controls.per_judge && !is_failed;
        (answered > 0 && (is_passed || is_failed)).then_some(JudgedControls {
            calls: answered,
            planted,
            caught,
            is_passed,
        })
    }

    /// The items, in words, that a judge did not find broken in a draft that breaks all of them.
    pub(crate) fn missed_in_control(&self, seat: &SeatName) -> BTreeSet<&str> {
        let asked = self.stand_in(seat);
        let own = self.turns().iter().filter(|turn| turn.seat == asked).filter_map(Turn::said);
        own.filter_map(|said| match said {
            Said::Controlled(reading) => Some(reading.missed.iter().map(String::as_str)),
            _ => None,
        })
        .flatten()
        .collect()
    }

    /// Whether a judge has no vote in this run.
    pub fn has_no_vote(&self, seat: &SeatName) -> bool {
        self.why_no_vote(seat).is_some()
    }

    /// Why a judge has no vote in this run, if it has none.
    pub fn why_no_vote(&self, seat: &SeatName) -> Option<String> {
        if self.judge_record(seat).is_some_and(|record| record.is_inattentive) {
            return Some(format!("{seat} got wrong what is known of the draft"));
        }
        match self.control_state(seat, None) {
            ControlState::Failed(why) => Some(why),
            ControlState::Settled | ControlState::Open(_) => None,
        }
    }

    /// How the judges of this run stood up to what is known, a line each.
    pub fn controls_told(&self) -> Vec<String> {
        let judges = self.spec().trial().judges().into_iter().map(SeatName::new);
        let told = judges.filter(|seat| self.spec().is_controlled(seat)).filter_map(|seat| self.control_told(&seat));
        told.chain(self.spec().not_controlled()).collect()
    }

    fn control_told(&self, seat: &SeatName) -> Option<String> {
        let own = self.judge_record(seat).filter(|record| record.planted > 0).map(|record| {
            let alarms = if record.false_alarms == 1 { "false alarm" } else { "false alarms" };
            format!("{seat} · caught {} of {}, {} {alarms}", record.caught, record.planted, record.false_alarms)
        });
        let cited = self.spec().controls.passed.iter().find(|passed| passed.seat == *seat);
        let told = own.or_else(|| {
            cited.map(|passed| format!("{seat} · caught {} of {} in run {}", passed.caught, passed.planted, passed.run))
        });
        match (told, self.why_no_vote(seat)) {
            (Some(told), None) => Some(told),
            (Some(told), Some(_)) => Some(format!("{told} · no vote")),
            // What another seat of the same agent and model shows is told there.
            (None, why) => why.filter(|_| self.stand_in(seat) == *seat).map(|why| format!("{why} · no vote")),
        }
    }

    /// The loop's step, with the control calls that come with it, or that have to come first.
    pub(crate) fn controlled(&self, step: Step) -> Step {
        if self.spec().controls.is_off() {
            return step;
        }
        match step {
            Step::Ask(asks) => {
                let mut all = self.open_controls();
                for ask in asks {
                    let controls = match self.spec().trial().judged(self, &ask) {
                        Some(draft) => self.asks_for(&ask, draft),
                        None => Vec::new(),
                    };
                    // In random order with the real call.
                    if self.draw(&ask).0[10].is_multiple_of(2) {
                        self.add_controls(&mut all, controls);
                        all.push(ask);
                    } else {
                        all.push(ask);
                        self.add_controls(&mut all, controls);
                    }
                }
                Step::Ask(all)
            }
            // Nothing is ruled on before it is known whose votes count.
            Step::Rule { .. } | Step::Close { .. } => match self.open_controls() {
                open if open.is_empty() => step,
                open => Step::Ask(open),
            },
            Step::Open(_) | Step::Cancel(_) | Step::End { .. } => step,
        }
    }

    /// Control calls that judges of this round still owe us.
    fn open_controls(&self) -> Vec<Ask> {
        let Some(round) = self.rounds().last().map(|state| state.round) else { return Vec::new() };
        let mut open: Vec<Ask> = Vec::new();
        for turn in self.turns_of(round).filter(|turn| turn.said().is_some() && !is_control(&turn.task)) {
            let ask = Ask::of(turn);
            if let Some(draft) = self.spec().trial().judged(self, &ask) {
                self.add_controls(&mut open, self.asks_for(&ask, draft));
            }
        }
        open
    }

    /// Adds control calls to others: one for all seats of the same agent and model.
    fn add_controls(&self, all: &mut Vec<Ask>, controls: Vec<Ask>) {
        for ask in controls {
            let number = parse(&ask.task).map(|(number, _)| number);
            let is_same = |other: &Ask| {
                parse(&other.task).map(|(number, _)| number) == number
                    && self.spec().judge_key(&other.seat) == self.spec().judge_key(&ask.seat)
            };
            if !all.iter().any(is_same) {
                all.push(ask);
            }
        }
    }

    /// The seat whose controls count for a judge: its own, or one of the same agent and model that was asked before.
    fn stand_in(&self, seat: &SeatName) -> SeatName {
        let is_asked = |seat: &SeatName| self.judge_record(seat).is_some_and(|record| !record.controls.is_empty());
        if is_asked(seat) {
            return seat.clone();
        }
        let key = self.spec().judge_key(seat);
        let mut others = self.judges().of.keys().filter(|other| is_asked(other));
        others.find(|other| self.spec().judge_key(other) == key).unwrap_or(seat).clone()
    }

    fn asks_for(&self, ask: &Ask, draft: &Draft) -> Vec<Ask> {
        match self.control_state(&ask.seat, Some((ask, draft))) {
            ControlState::Open(asks) => asks,
            ControlState::Settled | ControlState::Failed(_) => Vec::new(),
        }
    }

    /// Where the controls of a judge stand; with what it is about to judge they can be asked for.
    fn control_state(&self, seat: &SeatName, real: Option<(&Ask, &Draft)>) -> ControlState {
        let controls = &self.spec().controls;
        if controls.is_off() || !self.spec().is_controlled(seat) {
            return ControlState::Settled;
        }
        let cited = controls.passed.iter().filter(|passed| passed.seat == *seat);
        let seat = &self.stand_in(seat);
        let record = self.judge_record(seat).filter(|record| !record.controls.is_empty());
        // What it passed before, for another format perhaps, does not outweigh what it shows in this run.
        let is_cited = |passed: &PassedControl| match real {
            Some((_, draft)) => passed.format == draft.format,
            None => record.is_none(),
        };
        if let Some(JudgeRecord { planted, caught, answered, .. }) = record
            && *answered > 0
        {
            if Score::share(*caught as usize, *planted as usize) < controls.min_catch {
                return ControlState::Failed(format!("{seat} caught {caught} of {planted} planted faults"));
            }
            if *answered >= controls.per_judge {
                return ControlState::Settled;
            }
        }
        if cited.into_iter().any(is_cited) {
            return ControlState::Settled;
        }
        let now = self.rounds().last().map(|state| state.round);
        // What is to be asked again after a resume is asked in the round that is open.
        let can_be_asked = |control: &Ask| {
            let is_open = matches!(self.slot(control.round, seat, &control.task), Slot::Open { .. });
            !is_open || Some(control.round) == now
        };
        let asked = |number: u32| self.turn(*record?.controls.get(&number)?).map(Ask::of).filter(can_be_asked);
        let mut open = Vec::new();
        for number in 1..=controls.per_judge {
            let control = match (asked(number), real) {
                (Some(control), _) => control,
                (None, _) if self.is_share_spent(seat) => {
                    let why = format!("{seat} could not be controlled: `controls.share` of the money is spent");
                    return ControlState::Failed(why);
                }
                (None, Some((ask, _))) => Ask { task: format!("{CONTROL}{number}/{}", ask.task).into(), ..ask.clone() },
                (None, None) => continue,
            };
            match self.slot(control.round, seat, &control.task) {
                Slot::Answered { .. } => {}
                Slot::Exhausted { error, .. } => {
                    return ControlState::Failed(format!("{seat} did not answer its control: {error}"));
                }
                Slot::Open { .. } | Slot::InFlight => open.push(control),
            }
            // Where money is limited, what one of them took is known before the next.
            if self.limits().usd.is_some() && !open.is_empty() {
                break;
            }
        }
        if open.is_empty() { ControlState::Settled } else { ControlState::Open(open) }
    }

    /// Whether another control of this judge would take more than their share of the money.
    fn is_share_spent(&self, seat: &SeatName) -> bool {
        let Some(limit) = self.limits().usd else { return false };
        let allowed = u128::from(limit.0) * u128::from(self.spec().controls.share.0) / 1_000_000;
        let spent = u128::from(self.judges().spent.usd.0);
        let reserve = self.spec().seats.get(seat).map_or(0, |binding| binding.reserve.usd.0);
        spent >= allowed || spent + u128::from(reserve) > allowed
    }

    /// What is drawn for a call: where its control stands, and what is planted.
    fn draw(&self, ask: &Ask) -> Digest {
        let round = ask.round.0.to_le_bytes();
        let origin = self.spec().origin();
        ballot::seed(&[
            CONTROL.as_bytes(),
            origin.0.as_bytes(),
            &round,
            ask.seat.as_str().as_bytes(),
            ask.task.as_bytes(),
        ])
    }

    /// The call that a control imitates, what it judges, and what is planted there.
    fn imitated(&self, ask: &Ask) -> Option<(Ask, &Draft, Prompt)> {
        let (_, shown) = parse(&ask.task)?;
        let real = Ask { task: shown.to_owned().into(), ..ask.clone() };
        let draft = self.spec().trial().judged(self, &real)?;
        let prompt = self.spec().trial().prompt(self, &real);
        Some((real, draft, prompt))
    }

    /// What a judge is told in a control call: what the real one tells it, with another draft.
    pub(crate) fn control_prompt(&self, ask: &Ask) -> Option<Prompt> {
        let (_, draft, mut prompt) = self.imitated(ask)?;
        let plant = self.plant(ask, draft, &prompt);
        for part in &mut prompt.parts {
            if let Part::Material { content, .. } | Part::Ballot { draft: content, .. } = part
                && *content == Content::Blob(draft.content)
            {
                *content = Content::Planted { draft: draft.content, plant: plant.clone() };
            }
        }
        Some(prompt)
    }

    fn plant(&self, ask: &Ask, draft: &Draft, prompt: &Prompt) -> Plant {
        let ballot = prompt.parts.iter().find_map(|part| match part {
            Part::Ballot { ballot, .. } => Some(ballot.clone()),
            _ => None,
        });
        Plant { ballot: ballot.unwrap_or_default(), format: draft.format, seed: self.draw(ask) }
    }

    /// The text that a control's answer is read against.
    pub(crate) fn control_exhibits(&self, turn: &Turn) -> Option<Vec<Digest>> {
        let (_, draft, _) = self.imitated(&Ask::of(turn))?;
        Some(vec![draft.content])
    }

    /// What a judge made of its control.
    pub(crate) fn read_control(
        &self,
        turn: &Turn,
        answer: &str,
        exhibits: &Exhibits,
    ) -> Option<Result<Reading, Misfit>> {
        let ask = Ask::of(turn);
        let (real, draft, prompt) = self.imitated(&ask)?;
        let text = exhibits.text(&draft.content).unwrap_or_default();
        let planted = self.plant(&ask, draft, &prompt).planted(text);
        let exhibits = exhibits.planted(draft.content, &planted.text);
        let turn = Turn { task: real.task.into_owned(), ..turn.clone() };
        let trial = self.spec().trial();
        Some(trial.read(self, &turn, answer, &exhibits).map(|reading| {
            let verdict = reading.said.verdict();
            let votes = verdict.map(|verdict| verdict.votes.as_slice()).unwrap_or_default();
            let notices = || verdict.is_some_and(|verdict| trial.notices(self, verdict));
            let reading = ControlReading::of(&planted.faults, draft.format, votes, notices);
            Reading { said: Said::Controlled(reading), blobs: Vec::new() }
        }))
    }
}

impl ControlReading {
    /// What these votes show of planted faults; `notices` says whether the draft as a whole was found unfit.
    pub(crate) fn of(faults: &[PlantedFault], format: Format, votes: &[Vote], notices: impl Fn() -> bool) -> Self {
        let is_broken = |item: &str| votes.iter().any(|vote| vote.item == item && vote.says == VoteWord::Broken);
        let is_caught = |fault: &&PlantedFault| fault.item.as_deref().map_or_else(&notices, is_broken);
        let (caught, missed): (Vec<&PlantedFault>, Vec<_>) = faults.iter().partition(is_caught);
        Self {
            format,
            planted: count(faults.len()),
            caught: count(caught.len()),
            missed: missed.into_iter().map(|fault| fault.what.clone()).collect(),
        }
    }

    /// The share of the faults that were seen.
    pub fn caught_share(&self) -> Score {
        Score::share(self.caught as usize, self.planted as usize)
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
