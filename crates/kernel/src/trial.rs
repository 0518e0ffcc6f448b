//! The interface between the kernel and a loop.
//!
//! A loop is a small pure module: it looks at the run and names the next step, and it reads an answer in the words
//! of what was asked. Everything else — retries with feedback, budgets, timeouts, persistence, streaming — is written
//! once, in [`crate::run`] and in the engine.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;
use tribunal_anchors::{Anchor, PageInspector};

use crate::answer::Misfit;
use crate::ballot::JudgedItem;
use crate::heard::Utterance;
use crate::input::TurnInput;
use crate::loops::LoopRefusal;
use crate::prompt::Prompt;
use crate::ruling::Ruling;
use crate::tally::{Ship, Tally};
use crate::theater::TheaterEvent;
use crate::watch::StoryStatus;
use crate::{
    Decision, Digest, Draft, Entry, Judgement, Outcome, Round, Run, Said, SeatName, Time, Turn, TurnId, Verdict,
};

/// The shape of a trial.
pub trait Trial {
    /// What the run works on, in a word: an asset's name, a slug, a file.
    fn subject(&self) -> &str;

    /// The seat that the run stands and falls with: who speaks for the others, or who drafts.
    fn main_seat(&self) -> &str;

    /// The seats that somebody has to sit in before the run can begin, besides those that we take ourselves.
    fn seats(&self) -> Vec<&str>;

    /// Seats that the main seat's agent takes where nobody else is configured, and who each of them is then.
    fn filled_seats(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The models that the loop may choose for a turn, instead of the seat's own.
    fn models(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Whether a run like this can be played again from a later round on, with one thing changed.
    fn can_fork(&self) -> Result<(), LoopRefusal> {
        Ok(())
    }

    /// What the run needs next. Called again after every event; must not depend on anything but `run`.
    fn next(&self, run: &Run) -> Step;

    /// What the seat is told. Called once for each attempt, when the call is about to be made.
    fn prompt(&self, run: &Run, ask: &Ask) -> Prompt;

    /// What a program in the seat works on, where programs can sit there: the value that the prompt is made from. Called
    /// whenever a turn is performed, also by the next leader, so it must not change while the turn is in flight.
    fn input(&self, _run: &Run, _ask: &Ask) -> Option<TurnInput> {
        None
    }

    /// What an answer means; `exhibits` has the texts that [`Trial::exhibits`] asks for. The error is fed back to the
    /// seat when the turn is tried again.
    fn read(&self, run: &Run, turn: &Turn, answer: &str, exhibits: &Exhibits) -> Result<Reading, Misfit>;

    /// What drafts are judged against besides the brief, until a person puts something else in its place.
    fn anchor<'r>(&'r self, run: &'r Run) -> Option<&'r Anchor> {
        run.spec().anchor.as_ref()
    }

    /// Whether drafts can be judged by an anchor of this kind: what nobody would decide must not look like a gate. By default
    /// those that have items, all of which can be met.
    fn takes_anchor(&self, anchor: &Anchor) -> bool {
        let is_measured = matches!(anchor, Anchor::Goal(goal) if goal.measure.is_some());
        !anchor.items().is_empty() && !is_measured
    }

    /// Whether what drafts are judged against may run commands: a person wrote it, or allowed it.
    fn may_run_commands(&self, _run: &Run) -> bool {
        true
    }

    /// What is asked of the draft that stands and is not known to be met. By default what the last round counted.
    fn open_items(&self, run: &Run) -> Vec<JudgedItem> {
        run.rounds().last().and_then(|state| state.tally.as_ref()).map(|tally| tally.open.clone()).unwrap_or_default()
    }

    /// The seats that judge, of those that may be asked.
    fn judges(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Why nobody who judges can be controlled, in a trial where nobody can.
    fn no_control(&self) -> Option<&'static str> {
        None
    }

    /// The draft that a call judges, where it judges one. Who judges is controlled: see [`crate::control`].
    fn judged<'r>(&self, _run: &'r Run, _ask: &Ask) -> Option<&'r Draft> {
        None
    }

    /// Whether a verdict tells what its judge has seen. One that does not is no sign that there is nothing to see.
    fn is_told(&self, _verdict: &Verdict) -> bool {
        true
    }

    /// Whether a judge who says this has found the draft as a whole unfit.
    fn notices(&self, _run: &Run, verdict: &Verdict) -> bool {
        verdict.judgement != Judgement::Pass
    }

    /// The texts that an answer of this turn is read against.
    fn exhibits(&self, _run: &Run, _turn: &Turn) -> Vec<Digest> {
        Vec::new()
    }

    /// Who follows a turn while it speaks. By default nobody: the answer is read when it is there.
    fn listen(&self, _run: &Run, _turn: &Turn) -> Option<Box<dyn Listener>> {
        None
    }

    /// Whether a turn that was in flight when its performer was killed may be performed again.
    fn is_repeatable(&self, _turn: &Turn) -> bool {
        true
    }

    /// When the loop's own time is up, beside the run's limits.
    fn deadline(&self, _run: &Run) -> Option<Deadline> {
        None
    }

    /// The draft that stands at the end of a round.
    fn standing<'r>(&self, run: &'r Run, round: Round) -> Option<&'r Draft> {
        run.draft_of(round)
    }

    /// What is handed over when the run ends like this.
    fn ship(&self, _run: &Run, _outcome: Outcome) -> Option<Ship> {
        None
    }

    /// What is to be expected when `done` rounds are over: rounds in all, and calls that are left, without retries.
    fn outlook(&self, done: u32) -> Outlook;

    /// What an entry of the log shows on the stage; `run` is the run after it. By default: who speaks, and with which
    /// scores and demands.
    fn on_stage(&self, run: &Run, entry: &Entry) -> Vec<TheaterEvent> {
        crate::theater::seats_on_stage(run, entry)
    }

    /// The stories that the run has to verify, as they stand, in a loop that has some.
    fn stories(&self, _run: &Run) -> Vec<StoryStatus> {
        Vec::new()
    }

    /// The blobs that the loop's settings cite.
    fn cites(&self) -> Vec<Digest> {
        Vec::new()
    }

    /// How many rounds there had been before the run was opened: it counts on from there.
    fn rounds_before(&self) -> u32 {
        0
    }

    /// A decision that was already there when the run was opened.
    fn inherited(&self) -> Option<&Decision> {
        None
    }
}

/// What a loop wants.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Step {
    /// A new round begins.
    Open(Round),
    /// These turns are needed before anything else can be said. They may run at once; those that have
    /// been answered or are in flight may be named again.
    Ask(Vec<Ask>),
    /// Nobody needs to hear this turn any more.
    Cancel(TurnId),
    /// A draft that a turn brought is judged: taken, or sent back with reasons.
    Rule { turn: TurnId, ruling: Ruling },
    /// The round is judged.
    Close { round: Round, decision: Decision, tally: Option<Box<Tally>> },
    /// The trial is over.
    End { outcome: Outcome, reason: String },
}

impl Step {
    /// The round is judged, and the loop does not count.
    pub fn close(round: Round, decision: Decision) -> Self {
        Self::Close { round, decision, tally: None }
    }
}

/// Follows a turn that speaks for several seats.
pub trait Listener: Debug + Send + Sync {
    /// Takes in the next piece of the answer, wherever it was cut.
    fn push(&mut self, text: &str);

    /// The answer is complete.
    fn finish(&mut self);

    /// What was said next, as far as the run can take it now: a round that is over is ruled on before the next one is
    /// listened to.
    fn next(&mut self, run: &Run) -> Option<Hearing>;

    /// Whether everything that came in has been passed on.
    fn is_drained(&self) -> bool;
}

/// What an answer is read against: texts by their digests, and who reads pages for the rules of an anchor.
#[derive(Debug, Clone)]
pub struct Exhibits {
    texts: BTreeMap<Digest, Arc<str>>,
    /// One of them is not what it was: faults were planted into it.
    is_planted: bool,
    pages: &'static dyn PageInspector,
}

impl Exhibits {
    pub fn new(pages: &'static dyn PageInspector) -> Self {
        Self { texts: BTreeMap::new(), is_planted: false, pages }
    }

    pub fn insert(&mut self, digest: Digest, text: Arc<str>) {
        self.texts.insert(digest, text);
    }

    pub(crate) fn text(&self, digest: &Digest) -> Option<&str> {
        self.texts.get(digest).map(AsRef::as_ref)
    }

    /// The same with another text in the place of a draft.
    pub(crate) fn planted(&self, draft: Digest, text: &str) -> Self {
        let mut planted = Self { is_planted: true, ..self.clone() };
        planted.insert(draft, text.into());
        planted
    }

    pub(crate) fn is_planted(&self) -> bool {
        self.is_planted
    }

    pub(crate) fn pages(&self) -> &dyn PageInspector {
        self.pages
    }
}

impl Extend<(Digest, Arc<str>)> for Exhibits {
    fn extend<T: IntoIterator<Item = (Digest, Arc<str>)>>(&mut self, texts: T) {
        self.texts.extend(texts);
    }
}

/// What a listener understood, and the texts it brought, which are stored before it is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hearing {
    pub utterances: Vec<Utterance>,
    pub blobs: Vec<String>,
}

/// The most that a run may come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlook {
    pub rounds: u32,
    /// Calls by seat.
    pub calls: BTreeMap<SeatName, u32>,
}

impl Outlook {
    /// So many rounds, and so many calls of each seat; a seat may be named several times.
    pub fn new(rounds: u32, calls: impl IntoIterator<Item = (SeatName, u32)>) -> Self {
        let mut sums = BTreeMap::<SeatName, u32>::new();
        for (seat, calls) in calls {
            let sum = sums.entry(seat).or_default();
            *sum = sum.saturating_add(calls);
        }
        Self { rounds, calls: sums }
    }

    /// All calls together.
    pub fn total(&self) -> u32 {
        self.calls.values().fold(0, |sum, calls| sum.saturating_add(*calls))
    }
}

/// When a run's time is up, and how it ends then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deadline {
    pub at: Time,
    pub outcome: Outcome,
    pub reason: String,
}

impl Ask {
    /// A call of `seat` in `round`.
    pub fn new(round: Round, seat: SeatName, task: impl Into<Cow<'static, str>>) -> Self {
        Self { round, seat, task: task.into(), routed: None }
    }

    /// The call that a turn was made for.
    pub(crate) fn of(turn: &Turn) -> Self {
        Self::new(turn.round, turn.seat.clone(), turn.task.clone())
    }

    /// The same, with a model that the loop chose.
    #[must_use]
    pub fn routed(self, routed: Option<Routed>) -> Self {
        Self { routed, ..self }
    }
}

/// A call that a loop needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    pub round: Round,
    pub seat: SeatName,
    /// Together with round and seat it names the call; retries of it are counted under this name.
    pub task: Cow<'static, str>,
    /// The model that the loop chose, instead of the seat's own.
    pub routed: Option<Routed>,
}

/// A model, and why this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Routed {
    pub model: String,
    pub why: String,
}

/// An answer that was understood, and the texts it brought, which are stored before it is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    pub said: Said,
    pub blobs: Vec<String>,
}
