//! Whether what a log says follows from what the run was given: every answer is read and every decision is made once more.
//!
//! A chain of hashes shows that lines are as somebody wrote them, and whoever can write them can compute the chain again. A
//! verdict that was turned from fail to pass still does not follow from the answer that it cites, and a round that was
//! closed as passed still does not follow from its verdicts. That is what is looked at here, with nothing but the log and
//! the texts that it cites.
//!
//! What comes from outside follows from nothing, and is taken as it stands: what agents answered, what it cost, what failed,
//! what people did, and what the run was opened with. [`Audited::given`] counts it.
//!
//! | file | noun |
//! |---|---|
//! | `difference` | where two values differ, in words |
//! | `era` | what earlier versions decided by other rules |
//! | `heard` | a panel that speaks in one stream, listened to again |

mod difference;
mod era;
mod heard;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tribunal_anchors::PageInspector;

use crate::call::Call;
use crate::prompt::Rendered;
use crate::run::Impossible;
use crate::trial::Exhibits;
use crate::{Digest, Entry, Event, Next, Outcome, Run, Said, Seq, Time, Turn, TurnError, TurnId};
pub use difference::difference;
use heard::Relistened;

/// More differences than this are counted, not listed: what follows from one is seldom another.
const MAX_LISTED: usize = 100;

/// Fetches the text of a blob, if it is there.
pub type FetchText<'t> = &'t dyn Fn(Digest) -> Option<Arc<str>>;

/// What came of going through a log once more.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct Audited {
    /// Events that follow from what came before them.
    pub followed: u64,
    /// Events that come from outside and follow from nothing.
    pub given: u64,
    /// Events that could not be looked at in full, because a text that they need is not here.
    pub unread: u64,
    /// Those of them that say how the work was judged: whoever believes one without its text believes whoever wrote it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread_judgements: Vec<Seq>,
    /// Events that an earlier version decided by other rules. They are neither confirmed nor contradicted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unchecked: Vec<UncheckedEvent>,
    pub differences: Vec<AuditDifference>,
    /// How many there are beyond those that are listed.
    pub unlisted: u64,
}

/// An event that is not what follows.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct AuditDifference {
    pub seq: Seq,
    pub event: &'static str,
    pub about: AuditAbout,
    pub what: String,
}

/// An event that an earlier version decided by other rules, and what today's make of it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct UncheckedEvent {
    pub seq: Seq,
    pub event: &'static str,
    pub why: &'static str,
    pub what: String,
}

/// What a difference is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditAbout {
    /// What a seat was told. Another version of this program may put it into other words.
    Asked,
    /// What an answer meant.
    Said,
    /// What followed from the answers.
    Decided,
    /// When it happened, or that it can have happened at all.
    Order,
}

impl AuditDifference {
    fn of(entry: &Entry, about: AuditAbout, what: String) -> Self {
        Self { seq: entry.seq, event: entry.event.name(), about, what }
    }
}

impl Audited {
    /// Whether everything was looked at, and follows.
    pub fn is_complete(&self) -> bool {
        self.unread == 0 && self.unchecked.is_empty() && self.differences.is_empty()
    }

    /// Differences in what was said and decided; how a seat was asked is another matter.
    pub fn is_contradicted(&self) -> bool {
        self.differences.iter().any(|difference| difference.about != AuditAbout::Asked)
    }
}

/// Whether an event says how the work was judged, by somebody or by what was run, or that a judge said nothing of use.
pub fn is_judgement(event: &Event) -> bool {
    match event {
        Event::TurnAnswered { said, .. } => matches!(
            **said,
            Said::Verdict(_)
                | Said::Controlled(_)
                | Said::Collected(_)
                | Said::Checked(_)
                | Said::Inspected(_)
                | Said::Heard
        ),
        Event::TurnFailed { raw, .. } => raw.is_some(),
        event => matches!(event, Event::Heard { .. }),
    }
}

/// Goes through a log once more. `texts` has what it cites, as far as that is here.
pub fn audit(log: &[Entry], texts: FetchText<'_>, pages: &'static dyn PageInspector) -> Audited {
    let answers = log.iter().filter_map(|entry| match &entry.event {
        Event::TurnAnswered { turn, raw, .. } => Some((*turn, *raw)),
        _ => None,
    });
    let mut auditor = Auditor {
        texts,
        pages,
        answers: answers.collect(),
        due: VecDeque::new(),
        heard: BTreeMap::new(),
        audited: Audited::default(),
    };
    let mut entries = log.iter();
    let Some(first) = entries.next() else { return auditor.audited };
    let mut run = match Run::open(first) {
        Ok(run) => run,
        Err(impossible) => {
            auditor.impossible(&impossible);
            return auditor.audited;
        }
    };
    auditor.audited.given += 1;
    let mut latest = first.time;
    for entry in entries {
        if entry.time < latest {
            auditor.differs(
                &run,
                entry,
                AuditAbout::Order,
                format!("its time is before {latest}, when the event before it happened"),
            );
        }
        latest = latest.max(entry.time);
        auditor.look(&run, entry);
        if let Err(impossible) = run.apply(entry) {
            auditor.impossible(&impossible);
            break;
        }
    }
    auditor.audited
}

struct Auditor<'t> {
    texts: FetchText<'t>,
    pages: &'static dyn PageInspector,
    /// What every turn answered, by the log.
    answers: BTreeMap<TurnId, Digest>,
    /// Turns that are begun together with the last one.
    due: VecDeque<Event>,
    heard: BTreeMap<TurnId, Relistened>,
    audited: Audited,
}

/// What follows from a state.
enum Due {
    Fact(Box<Event>),
    /// Calls, and the events that begin them, where the texts of their prompts are here.
    Calls(Vec<Call>, Option<Vec<Event>>),
    Nothing(&'static str),
}

impl Auditor<'_> {
    /// Looks at an event; `run` is the run before it.
    fn look(&mut self, run: &Run, entry: &Entry) {
        if !matches!(entry.event, Event::TurnStarted { .. }) {
            self.due.clear();
        }
        match &entry.event {
            Event::RoundOpened { .. } | Event::Ruled { .. } | Event::RoundClosed { .. } | Event::RunClosed { .. } => {
                self.decided(run, entry);
            }
            Event::TurnStarted { .. } => self.started(run, entry),
            Event::TurnAnswered { turn, raw, said, .. } => self.answered(run, entry, (*turn, *raw), Ok(said)),
            Event::TurnFailed { turn, raw: Some(raw), error, .. } => {
                self.answered(run, entry, (*turn, *raw), Err(error));
            }
            Event::Heard { turn, utterances } => {
                match self.relistened(run, *turn).map(|relistened| relistened.compare(run, utterances)) {
                    Some(Ok(())) => self.audited.followed += 1,
                    Some(Err(what)) => self.differs(run, entry, AuditAbout::Said, what),
                    None if self.answers.contains_key(turn) => self.unread(run, entry),
                    None => self.audited.given += 1,
                }
            }
            Event::RunOpened { .. }
            | Event::TurnParked { .. }
            | Event::TurnFailed { .. }
            | Event::InterruptRequested { .. }
            | Event::DirectiveGiven { .. }
            | Event::Reanchored { .. }
            | Event::DraftSelected { .. }
            | Event::DecisionReopened { .. }
            | Event::ItemsDecided { .. }
            | Event::RunResumed { .. }
            | Event::SpentElsewhere { .. } => self.audited.given += 1,
        }
    }

    fn decided(&mut self, run: &Run, entry: &Entry) {
        let what = match self.due_at(run, entry.time) {
            Due::Fact(due) if *due == entry.event => {
                self.audited.followed += 1;
                return;
            }
            Due::Fact(due) if due.name() == entry.event.name() => difference(&entry.event, &*due),
            Due::Fact(due) => format!("{} follows here", told(&due)),
            // Whether a call is still affordable is only known with its prompt. Whoever cannot afford to ask does not pass.
            Due::Calls(_, None) if matches!(entry.event, Event::RunClosed { outcome: Outcome::OverBudget, .. }) => {
                self.unread(run, entry);
                return;
            }
            Due::Calls(calls, _) => {
                let waits: Vec<String> =
                    calls.iter().map(|call| format!("{} ({})", call.ask.seat, call.ask.task)).collect();
                format!("first, these are to be asked: {}", waits.join(", "))
            }
            Due::Nothing(why) => why.to_owned(),
        };
        self.differs(run, entry, AuditAbout::Decided, what);
    }

    fn started(&mut self, run: &Run, entry: &Entry) {
        if self.due.front() == Some(&entry.event) {
            self.due.pop_front();
            self.audited.followed += 1;
            return;
        }
        let Event::TurnStarted { round, seat, task, attempt, .. } = &entry.event else { return };
        let what = match self.due_at(run, entry.time) {
            Due::Calls(_, Some(events)) => {
                self.due = events.into();
                match self.due.pop_front() {
                    Some(due) if due == entry.event => {
                        self.audited.followed += 1;
                        return;
                    }
                    Some(due) if is_same_call(&due, &entry.event) => {
                        let what = difference(&entry.event, &due);
                        return self.differs(run, entry, AuditAbout::Asked, what);
                    }
                    Some(due) => difference(&entry.event, &due),
                    None => "nobody is to be asked here".to_owned(),
                }
            }
            Due::Calls(calls, None) => {
                let asked = |call: &Call| {
                    (call.ask.round, &call.ask.seat, &*call.ask.task, call.attempt) == (*round, seat, task, *attempt)
                };
                if calls.iter().any(asked) {
                    self.unread(run, entry);
                    return;
                }
                "somebody else is to be asked here".to_owned()
            }
            Due::Fact(due) => format!("{} follows here", told(&due)),
            Due::Nothing(why) => why.to_owned(),
        };
        self.differs(run, entry, AuditAbout::Decided, what);
    }

    /// Reads an answer again. `recorded` is what the log says it meant, or why it could not be used.
    fn answered(&mut self, run: &Run, entry: &Entry, (id, raw): (TurnId, Digest), recorded: Result<&Said, &TurnError>) {
        let Some(turn) = run.turn(id) else { return };
        let mut exhibits = Exhibits::new(self.pages);
        for digest in run.exhibits(turn) {
            let Some(text) = (self.texts)(digest) else {
                self.unread(run, entry);
                return;
            };
            exhibits.insert(digest, text);
        }
        let Some(answer) = (self.texts)(raw) else {
            self.unread(run, entry);
            return;
        };
        let read = run.read(turn, &answer, &exhibits);
        let is_turned = matches!((&read, recorded), (Ok(now), Ok(then)) if era::is_turned(then, &now.said));
        let what = match (read, recorded) {
            (Ok(reading), Ok(said)) if reading.said == *said => self.unheard(run, turn, entry.time),
            (Ok(reading), Ok(said)) => Some(difference(said, &reading.said)),
            (Ok(_), Err(error)) => Some(format!("the answer can be used, but the log says that it cannot: {error}")),
            (Err(misfit), Ok(_)) => Some(format!("the answer cannot be used: {misfit}")),
            (Err(misfit), Err(error)) if misfit.kind() == error.kind && misfit.to_string() == error.message => None,
            (Err(misfit), Err(_)) => Some(format!("the answer cannot be used for another reason: {misfit}")),
        };
        match what {
            None => self.audited.followed += 1,
            Some(what) => {
                let what = format!("turn {id}, {}: {what}", turn.seat);
                if is_turned {
                    self.list(AuditDifference::of(entry, AuditAbout::Said, what));
                } else {
                    self.differs(run, entry, AuditAbout::Said, what);
                }
            }
        }
    }

    /// What an answer says that the log does not have, where it was listened to.
    fn unheard(&mut self, run: &Run, turn: &Turn, at: Time) -> Option<String> {
        let rest = self.relistened(run, turn.id)?.rest(run)?;
        // Nobody waits for the rest of a turn that is cancelled.
        if matches!(run.next(at), Next::Cancel(_)) { None } else { Some(rest) }
    }

    fn relistened(&mut self, run: &Run, id: TurnId) -> Option<&mut Relistened> {
        if !self.heard.contains_key(&id) {
            let turn = run.turn(id)?;
            let listener = run.spec().trial().listen(run, turn)?;
            let answer = (self.texts)(*self.answers.get(&id)?)?;
            self.heard.insert(id, Relistened::new(listener, &answer));
        }
        self.heard.get_mut(&id)
    }

    /// What follows now.
    fn due_at(&self, run: &Run, now: Time) -> Due {
        match run.next(now) {
            Next::Record(event) => Due::Fact(Box::new(event)),
            Next::Ask(calls) => {
                let Some(prompts) = self.rendered(run, &calls) else { return Due::Calls(calls, None) };
                match run.start(calls.iter().zip(&prompts)) {
                    Ok(events) => Due::Calls(calls, Some(events)),
                    Err(instead) => match *instead {
                        Next::Record(event) => Due::Fact(Box::new(event)),
                        _ => Due::Nothing("the turns in flight are to be waited for"),
                    },
                }
            }
            Next::Cancel(_) => Due::Nothing("the turns in flight are to be ended first"),
            Next::Wait => Due::Nothing("the turns in flight are to be waited for"),
            Next::Done(_) => Due::Nothing("the run has ended"),
        }
    }

    fn rendered(&self, run: &Run, calls: &[Call]) -> Option<Vec<Rendered>> {
        let render = |call: &Call| {
            let texts: BTreeMap<Digest, Arc<str>> =
                call.prompt.blobs().filter_map(|digest| Some((digest, (self.texts)(digest)?))).collect();
            call.prompt.render(run.spec().origin(), |digest| texts.get(&digest).map(AsRef::as_ref)).ok()
        };
        calls.iter().map(render).collect()
    }

    fn unread(&mut self, run: &Run, entry: &Entry) {
        if let Some(why) = era::unchecked(run, entry, AuditAbout::Decided) {
            let what = "a text that it needs today is not here".to_owned();
            self.audited.unchecked.push(UncheckedEvent { seq: entry.seq, event: entry.event.name(), why, what });
            return;
        }
        self.audited.unread += 1;
        if is_judgement(&entry.event) && self.audited.unread_judgements.len() < MAX_LISTED {
            self.audited.unread_judgements.push(entry.seq);
        }
    }

    fn impossible(&mut self, Impossible { seq, name, why }: &Impossible) {
        let difference = AuditDifference { seq: *seq, event: name, about: AuditAbout::Order, what: (*why).to_owned() };
        self.list(difference);
    }

    fn differs(&mut self, run: &Run, entry: &Entry, about: AuditAbout, what: String) {
        if let Some(why) = era::unchecked(run, entry, about) {
            self.audited.unchecked.push(UncheckedEvent { seq: entry.seq, event: entry.event.name(), why, what });
            return;
        }
        self.list(AuditDifference::of(entry, about, what));
    }

    fn list(&mut self, difference: AuditDifference) {
        if self.audited.differences.len() < MAX_LISTED {
            self.audited.differences.push(difference);
        } else {
            self.audited.unlisted += 1;
        }
    }
}

/// Whether two events begin the same call, however it is put.
fn is_same_call(one: &Event, other: &Event) -> bool {
    let call = |event: &Event| match event {
        Event::TurnStarted { turn, round, seat, task, attempt, .. } => {
            Some((*turn, *round, seat.clone(), task.clone(), *attempt))
        }
        _ => None,
    };
    call(one) == call(other)
}

/// What follows instead, in a few words.
fn told(event: &Event) -> String {
    match event {
        Event::RoundOpened { round } => format!("that round {round} opens"),
        Event::RoundClosed { round, decision, .. } => {
            let outcome = decision.outcome.map_or("goes on", |outcome| outcome.as_str());
            format!("that round {round} closes ({outcome})")
        }
        Event::RunClosed { outcome, .. } => format!("that the run ends ({outcome})"),
        event => event.name().to_owned(),
    }
}
