//! Whole runs from one seed: played once without trouble, then once for every event at which trouble can strike.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;
use tribunal_anchors::{Anchor, AnchorKind, Syntax};
use tribunal_engine::projection::NoView;
use tribunal_engine::{DriveError, Session};
use tribunal_kernel::desk;
use tribunal_kernel::draft::text_digest;
use tribunal_kernel::joust;
use tribunal_kernel::review::{self, SelectedContent};
use tribunal_kernel::theater::{self, Fallback, Panel};
use tribunal_kernel::turn::TurnErrorKind;
use tribunal_kernel::{
    Binding, Digest, Entry, Event, Limits, RunId, RunSpec, SeatName, Seq, Spend, Trial, TurnId, Usd,
};
use uuid::Uuid;

use crate::clock::SimClock;
use crate::dice::Dice;
use crate::disk::{Disk, DiskFault, PlannedFault};
use crate::script::{Calls, moody};

const BRIEF: &str = "Write something worth keeping.";
/// A run that needs more restarts than this does not get anywhere.
const MAX_RESTARTS: u32 = 50;

/// What a seed showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeedReport {
    /// Events of the run without trouble.
    pub events: usize,
    /// Runs with trouble that were compared to it.
    pub troubled: usize,
}

/// A seed that shows a bug.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub seed: u64,
    pub trouble: Option<PlannedFault>,
    pub what: String,
}

/// Plays everything that follows from `seed`.
pub fn run(seed: u64) -> Result<SeedReport, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime without IO can always be built");
    runtime.block_on(play_all(seed))
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "seed {}", self.seed)?;
        if let Some(PlannedFault { at, fault }) = self.trouble {
            write!(f, ", {fault:?} at event {at}")?;
        }
        write!(f, ": {}\nrepeat it with: cargo xtask sim --seed {}", self.what, self.seed)
    }
}

async fn play_all(seed: u64) -> Result<SeedReport, Failure> {
    let smooth = play(seed, None).await?;
    let mut troubled = 0;
    for at in 2..=smooth.len() as u64 {
        let mut dice = Dice::of(seed, &[at]);
        let fault = dice.pick(&DiskFault::ALL);
        let trouble = PlannedFault { at: Seq(at), fault };
        let entries = play(seed, Some(trouble)).await?;
        // A panel that speaks in one stream is closed when its performer dies: that is another log.
        let is_comparable = Shape::of(seed) != Shape::Single;
        if let Some(difference) = first_difference(&smooth, &entries).filter(|_| is_comparable) {
            let what = format!("the log differs from the one without trouble: {difference}");
            return Err(Failure { seed, trouble: Some(trouble), what });
        }
        troubled += 1;
    }
    Ok(SeedReport { events: smooth.len(), troubled })
}

/// Plays one run to its end, restarting as often as trouble strikes, and checks what must hold.
async fn play(seed: u64, trouble: Option<PlannedFault>) -> Result<Vec<Entry>, Failure> {
    let fail = |what: String| Failure { seed, trouble, what };
    let disk = Disk::default();
    let clock = Arc::new(SimClock::start());
    let spec = spec(seed);
    let id = spec.run;
    let calls = Calls::default();
    let seating = moody(seed, &calls);

    let first = Session::create(Arc::new(disk.clone()), clock.clone(), spec, &[BRIEF.to_owned()]).await;
    let mut session = first.map_err(|error| fail(format!("cannot create the run: {error}")))?;
    if let Some(trouble) = trouble {
        disk.plan(trouble);
    }
    let mut ended_turns = 0;
    // How often a turn may have been called again: once for every crash that found it in flight.
    let mut repeatable: BTreeMap<TurnId, u32> = BTreeMap::new();
    for _ in 0..MAX_RESTARTS {
        let result = session.drive(&seating, &mut NoView).await;
        let acknowledged = disk.acknowledged(id);
        drop(session);
        match result {
            Ok(_) => {
                let entries = disk.entries(id);
                check(&disk, &entries, &calls, acknowledged, &repeatable).map_err(fail)?;
                return Ok(entries);
            }
            Err(DriveError::Store(_)) => {}
            Err(error) => return Err(fail(format!("the engine gave up: {error}"))),
        }
        let before = disk.entries(id);
        if before.last().map(|entry| entry.seq).unwrap_or_default() < acknowledged {
            return Err(fail(format!("event {acknowledged} was acknowledged and is lost")));
        }
        ended_turns = before.iter().filter(|entry| turn_of_end(&entry.event).is_some()).count().max(ended_turns);
        for turn in in_flight(&before) {
            *repeatable.entry(turn).or_default() += 1;
        }
        disk.restart();
        let opened = Session::open(Arc::new(disk.clone()), clock.clone(), id).await;
        session = opened.map_err(|error| fail(format!("cannot open the run again: {error}")))?;
    }
    Err(fail(format!("still not over after {MAX_RESTARTS} restarts, {ended_turns} turns ended")))
}

/// What must hold of every finished run.
fn check(
    disk: &Disk,
    entries: &[Entry],
    calls: &Calls,
    acknowledged: Seq,
    repeatable: &BTreeMap<TurnId, u32>,
) -> Result<(), String> {
    let ends = entries.iter().filter(|entry| matches!(entry.event, Event::RunClosed { .. })).count();
    if ends != 1 {
        return Err(format!("{ends} outcomes"));
    }
    if entries.last().map(|entry| entry.seq) != Some(acknowledged) {
        return Err("the end was not acknowledged".into());
    }
    for entry in entries {
        if let Some(missing) = entry.event.cites().into_iter().find(|digest| !disk.has_blob(*digest)) {
            return Err(format!("event {} cites blob {missing}, which is not there", entry.seq));
        }
    }
    let mut settled = None;
    for entry in entries {
        if let Event::RoundClosed { decision, .. } = &entry.event {
            if settled.as_ref().is_some_and(|settled| settled != decision) {
                return Err(format!("event {} changes a locked decision", entry.seq));
            }
            settled = decision.is_settled().then(|| decision.clone());
        }
    }
    let may_be = |turn: &TurnId| 1 + repeatable.get(turn).copied().unwrap_or_default();
    let repeated: Vec<_> = calls.counts().into_iter().filter(|(turn, count)| *count > may_be(turn)).collect();
    if !repeated.is_empty() {
        return Err(format!("turns were repeated that had ended: {repeated:?}"));
    }
    Ok(())
}

/// The turns that a log says were begun and not ended.
fn in_flight(entries: &[Entry]) -> BTreeSet<TurnId> {
    let mut open = BTreeSet::new();
    for entry in entries {
        if let Event::TurnStarted { turn, .. } = &entry.event {
            open.insert(*turn);
        } else if let Some(turn) = turn_of_end(&entry.event) {
            open.remove(&turn);
        }
    }
    open
}

fn turn_of_end(event: &Event) -> Option<TurnId> {
    match event {
        Event::TurnAnswered { turn, .. }
        | Event::TurnFailed { turn, .. }
        | Event::TurnParked { turn, passed_to: Some(_), .. } => Some(*turn),
        _ => None,
    }
}

/// Where two logs differ, times aside.
fn first_difference(expected: &[Entry], actual: &[Entry]) -> Option<String> {
    let (expected, actual) = (comparable(expected), comparable(actual));
    let length = expected.len().max(actual.len());
    (0..length).find_map(|index| {
        let (left, right) = (expected.get(index), actual.get(index));
        (left != right).then(|| {
            let mut text = String::new();
            let _ = write!(text, "at event {}: expected {left:?}, found {right:?}", index + 1);
            text
        })
    })
}

/// The events, with turns that were cancelled together in the order of their numbers: which of them notices first is
/// nobody's business.
fn comparable(entries: &[Entry]) -> Vec<Event> {
    let mut events: Vec<Event> = entries.iter().map(timeless).collect();
    for together in events.chunk_by_mut(|left, right| is_cancelled(left) && is_cancelled(right)) {
        together.sort_by_key(turn_of_end);
    }
    events
}

fn is_cancelled(event: &Event) -> bool {
    matches!(event, Event::TurnFailed { error, .. } if error.kind == TurnErrorKind::Cancelled)
}

fn timeless(entry: &Entry) -> Event {
    let mut event = entry.event.clone();
    if let Event::TurnAnswered { bill, .. } | Event::TurnFailed { bill, .. } = &mut event {
        bill.elapsed_ms = 0;
    }
    event
}

/// What is played under a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Review,
    Seats,
    Single,
    Joust,
    Desk,
}

impl Shape {
    fn of(seed: u64) -> Self {
        match seed % 6 {
            0 => Self::Seats,
            1 => Self::Single,
            2 => Self::Joust,
            3 => Self::Desk,
            _ => Self::Review,
        }
    }
}

fn spec(seed: u64) -> RunSpec {
    match Shape::of(seed) {
        Shape::Review => review_spec(seed),
        Shape::Seats => theater_spec(seed, Panel::Seats),
        Shape::Single => theater_spec(seed, Panel::Single),
        Shape::Joust => joust_spec(seed),
        Shape::Desk => desk_spec(seed),
    }
}

fn theater_spec(seed: u64, panel: Panel) -> RunSpec {
    let mut dice = Dice::of(seed, &[0]);
    let settings = theater::Settings {
        max_rounds: 1 + dice.below(4),
        fallback: dice.pick(&[Fallback::ShipBest, Fallback::ShipLast, Fallback::Fail]),
        // Restarts take their time, and the clock does not stop for them: other tests are about time.
        per_round_timeout_ms: 1_000_000_000,
        total_timeout_ms: 1_000_000_000,
        ..theater::Settings::new("sim", "page", panel)
    };
    let mut seats: Vec<&str> = settings.seats();
    if dice.chance(50) {
        seats.push(theater::LINT);
    }
    let agent = Binding { agent: "writer".into(), ..Binding::default() };
    let seats = seats.into_iter().map(|seat| (SeatName::new(seat), agent.clone())).collect();
    let settings = settings.into();
    // Without retries and money: judges work at the same time, and one who is asked again, or who waits until another
    // has shown what it costs, would come in another order after a restart.
    let spec = review_spec(seed);
    let limits = Limits { usd: None, tokens: None, ..spec.limits };
    RunSpec { seats, settings, limits, max_retries: 0, ..spec }
}

fn desk_spec(seed: u64) -> RunSpec {
    let mut dice = Dice::of(seed, &[0]);
    let ladder: Vec<String> = ["small", "large"].map(str::to_owned).into();
    let desk = desk::Settings { ladder: ladder.clone(), verifier_ladder: ladder, ..desk::Settings::new("calc") };
    let agent = Binding { agent: "writer".into(), ..Binding::default() };
    let seats = [desk::WORKER, desk::VERIFIER, desk::DESK].map(|seat| (SeatName::new(seat), agent.clone())).into();
    let limits = Limits { rounds: Some(1 + dice.below(8)), ..Limits::default() };
    let settings = desk.into();
    RunSpec { seats, settings, limits, max_retries: 1, ..review_spec(seed) }
}

fn joust_spec(seed: u64) -> RunSpec {
    let mut dice = Dice::of(seed, &[0]);
    let mut anchor =
        "kind = \"invariants\"\nMUST = [{ kind = \"pattern\", pattern = \"(?m)^## Risks$\", rule = \"risks\" }"
            .to_owned();
    anchor.push_str(if dice.chance(50) { ", \"be brief\"]\n" } else { "]\n" });
    let anchor = Anchor::read(&anchor, Syntax::Toml).expect("this is an anchor");
    let settings = joust::Settings {
        max_rounds: 1 + dice.below(4),
        compaction_threshold: 1 + dice.below(6),
        ..joust::Settings::new("plan", AnchorKind::Invariants, &["skeptic", "editor"])
    };
    let agent = Binding { agent: "writer".into(), ..Binding::default() };
    let seats = [joust::MAIN, "skeptic", "editor", "dba"].map(|seat| (SeatName::new(seat), agent.clone())).into();
    let settings = settings.into();
    RunSpec { seats, settings, max_retries: 2, anchor: Some(anchor), ..review_spec(seed) }
}

fn review_spec(seed: u64) -> RunSpec {
    let mut dice = Dice::of(seed, &[0]);
    let bind = |agent: &str, reserve: u64| Binding {
        agent: agent.into(),
        effort: None,
        model: None,
        persona: None,
        reserve: Spend { tokens: 0, usd: Usd(reserve) },
        fallback: None,
    };
    let locked = dice.chance(30);
    let mut given = review::ReviewGiven::default();
    if locked {
        given.selection = Some(SelectedContent { text: text_digest("Text 1"), file: "copy/selected/slug.txt".into() });
    }
    RunSpec {
        seats: [
            (SeatName::new("creator"), bind("writer", dice.below(1000).into())),
            (SeatName::new("reviewer"), bind("critic", dice.below(1000).into())),
        ]
        .into(),
        limits: Limits {
            usd: dice.chance(30).then(|| Usd(dice.below(60_000).into())),
            tokens: dice.chance(20).then(|| dice.below(10_000).into()),
            wall_ms: None,
            rounds: dice.chance(20).then(|| 1 + dice.below(5)),
            stop_when_left: None,
        },
        max_retries: dice.below(4),
        ..RunSpec::new(
            RunId(Uuid::from_u128(u128::from(seed) + 1)),
            "sim".into(),
            Digest::of(BRIEF),
            review::Settings {
                asset: if locked { "slug".into() } else { "description".into() },
                max_iterations: 1 + dice.below(8),
                stop_in_circles: false,
                stop_on_needs_human: dice.chance(20),
                locked,
                given,
            },
        )
    }
}
