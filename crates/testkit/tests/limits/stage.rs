//! A review whose author is refused, with a clock of its own.

use jiff::Zoned;
use jiff::tz::TimeZone;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;
use tribunal_agents::{AgentError, Answer, Native, TurnRequest};
use tribunal_engine::projection::NoView;
use tribunal_engine::{Clock, Session};
use tribunal_kernel::spec::FallbackAgent;
use tribunal_kernel::{
    Binding, Digest, Event, Limits, Outcome, Run, RunId, RunSpec, SeatName, Spend, Time, Usd, review,
};
use tribunal_testkit::disk::Disk;
use tribunal_testkit::script::{Scripted, seat_all};

const BRIEF: &str = "Say hello.";
const DRAFT: &str = r#"{"done": true, "candidate": {"content": "Hello.", "format": "plain"}}"#;
const OK: &str = r#"{"verdict": "ok", "summary": "Good.", "issues": []}"#;

/// Wednesday, 18 November 2026, 14:00, wherever this is played: a time of day is meant where its reader sits.
pub(crate) fn start() -> Zoned {
    jiff::civil::date(2026, 11, 18).at(14, 0, 0, 0).to_zoned(TimeZone::system()).unwrap()
}

/// Simulated time, from [`start`] on.
#[derive(Debug)]
struct StageClock(Instant, Time);

impl Clock for StageClock {
    fn now(&self) -> Time {
        self.1.plus(self.0.elapsed())
    }
}

/// What is played.
#[derive(Debug, Clone)]
pub(crate) struct Act {
    /// What the author's adapter makes of what its provider says.
    pub(crate) heard: Result<Answer, AgentError>,
    /// How often it says so.
    pub(crate) refusals: u32,
    pub(crate) limits: Limits,
    /// What is set aside for another agent that may take over.
    pub(crate) fallback: Option<u64>,
    /// What that one hears first.
    pub(crate) other: Option<Result<Answer, AgentError>>,
    /// When whoever drives the run is killed, and for how long nobody drives it.
    pub(crate) kills: Vec<(Duration, Duration)>,
}

/// A call of the author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AuthorCall {
    pub(crate) agent: String,
    /// Since the beginning.
    pub(crate) at: Duration,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) outcome: Outcome,
    pub(crate) calls: Vec<AuthorCall>,
    /// Until when turns were parked, since the beginning.
    pub(crate) parked: Vec<Duration>,
    /// The attempt that brought the draft, or the last one.
    pub(crate) attempts: u32,
    /// Turns that failed.
    pub(crate) failed: usize,
    pub(crate) spent: Usd,
    pub(crate) lasted: Duration,
}

impl Act {
    pub(crate) fn refused_once(heard: &Result<Answer, AgentError>) -> Self {
        Self {
            heard: heard.clone(),
            refusals: 1,
            limits: Limits::default(),
            fallback: None,
            other: None,
            kills: Vec::new(),
        }
    }

    pub(crate) fn play(self) -> Played {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(self.played())
    }

    fn spec(&self) -> RunSpec {
        let settings = review::Settings {
            asset: "greeting".into(),
            max_iterations: 1,
            stop_in_circles: false,
            stop_on_needs_human: false,
            locked: false,
            given: review::ReviewGiven::default(),
        };
        let set_aside = |usd| Spend { tokens: 0, usd: Usd(usd) };
        let fallback = self.fallback.map(|usd| FallbackAgent {
            agent: "other".into(),
            model: None,
            effort: None,
            reserve: set_aside(usd),
        });
        let bind = |agent: &str| Binding { agent: agent.into(), reserve: set_aside(1000), ..Binding::default() };
        let seats = [
            (SeatName::new("creator"), Binding { fallback, ..bind("writer") }),
            (SeatName::new("reviewer"), bind("critic")),
        ];
        RunSpec {
            seats: seats.into(),
            limits: self.limits.clone(),
            max_retries: 0,
            ..RunSpec::new(RunId(uuid::Uuid::from_u128(1)), "stage".into(), Digest::of(BRIEF), settings)
        }
    }

    async fn played(self) -> Played {
        let (disk, begun) = (Disk::default(), Instant::now());
        let epoch = Time(u64::try_from(start().timestamp().as_millisecond()).unwrap());
        let clock = Arc::new(StageClock(begun, epoch));
        let calls: Arc<Mutex<Vec<AuthorCall>>> = Arc::default();
        let spec = self.spec();
        let id = spec.run;
        let agent = |name: &'static str, heard: Option<Result<Answer, AgentError>>, refusals: u32| {
            let (calls, left) = (calls.clone(), Arc::new(Mutex::new(refusals)));
            let native: Arc<dyn Native> = Arc::new(Scripted(move |_: TurnRequest| {
                calls.lock().unwrap().push(AuthorCall { agent: name.to_owned(), at: begun.elapsed() });
                let mut left = left.lock().unwrap();
                let heard = heard.clone().filter(|_| *left > 0);
                *left = left.saturating_sub(1);
                async move { heard.unwrap_or_else(|| Ok(answer(DRAFT))) }
            }));
            native
        };
        let writer = agent("writer", Some(self.heard.clone()), self.refusals);
        let other = agent("other", self.other.clone(), 1);
        let critic: Arc<dyn Native> = Arc::new(Scripted(|_: TurnRequest| async { Ok(answer(OK)) }));
        let seated = |native| tribunal_engine::Seated {
            agent: tribunal_agents::Agent::Native(native),
            bounds: tribunal_testkit::script::BOUNDS,
        };
        let seating = seat_all(&["critic"], &critic);
        let seating = seating.with_agent("writer", seated(writer)).with_agent("other", seated(other));
        let store = Arc::new(disk.clone());
        let mut session = Session::create(store.clone(), clock.clone(), spec, &[BRIEF.to_owned()]).await.unwrap();
        for (after, absence) in self.kills {
            let ended = tokio::time::timeout(after, session.drive(&seating, &mut NoView)).await;
            assert!(ended.is_err(), "it ended before");
            drop(session);
            disk.restart();
            tokio::time::sleep(absence).await;
            session = Session::open(store.clone(), clock.clone(), id).await.unwrap();
            session.resume(None).await.unwrap();
        }
        let end = session.drive(&seating, &mut NoView).await.unwrap();
        let entries = disk.entries(id);
        let parked = entries.iter().filter_map(|entry| match &entry.event {
            Event::TurnParked { until, passed_to: None, .. } => Some(until.since(epoch)),
            _ => None,
        });
        let failed = entries.iter().filter(|entry| matches!(entry.event, Event::TurnFailed { .. })).count();
        let run = Run::fold(&entries).unwrap().unwrap();
        let author = |turn: &&tribunal_kernel::Turn| turn.seat == *"creator";
        Played {
            outcome: end.outcome,
            parked: parked.collect(),
            attempts: run.turns().iter().filter(author).map(|turn| turn.attempt).max().unwrap(),
            failed,
            spent: run.budget().spent.usd,
            lasted: begun.elapsed(),
            calls: calls.lock().unwrap().clone(),
        }
    }
}

fn answer(text: &str) -> Answer {
    Answer { text: text.to_owned(), ..Answer::default() }
}

/// `3 h 12 min`, `34 s`, `0.45 s`.
pub(crate) fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 {
        return format!("{} s", time.as_secs_f64());
    }
    let parts = [(seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")];
    let said: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, unit)| format!("{count} {unit}")).collect();
    said.join(" ")
}
