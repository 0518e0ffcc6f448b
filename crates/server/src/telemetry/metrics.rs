//! Counters and histograms for Prometheus, in the `OpenMetrics` text form.
//!
//! | label | is |
//! |---|---|
//! | `adapter` | the name of an agent in the configuration: the one in the seat, or, where a whole run is meant, the one in the run's main seat |
//! | `model` | what the seat is configured with, or what the loop chose; `default` is the agent's own choice |
//! | `loop` | `review`, `joust`, `desk` or `theater` |
//! | `panelist` | the seat that demands a fix |
//!
//! Their values come from the configuration and from short lists of words, never from what an agent wrote: the number of
//! series stays small.

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry};
use std::time::Duration;
use tribunal_kernel::grade::Grades;
use tribunal_kernel::heard::Utterance;
use tribunal_kernel::theater::{self, PROTOCOL_VERSION, TheaterEvent};
use tribunal_kernel::turn::{Bill, TurnErrorKind};
use tribunal_kernel::{Entry, Event, Finding, Outcome, Run, Score, SeatName, Severity, Tally, Turn, Usage};

use super::labels;
use super::money::{Dollars, Till};

/// What `/metrics` is served as.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Seconds of a round. A theater's round may take 90 s and a whole theater 240 s, unless configured otherwise: a round
/// that ran into its timeout must be told from one that went past it, and an iteration of a desk takes its time.
pub const ROUND_BUCKETS: [f64; 15] =
    [1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 45.0, 60.0, 90.0, 120.0, 180.0, 240.0, 600.0, 1800.0, 3600.0];
/// Seconds of a turn.
pub const TURN_BUCKETS: [f64; 13] = [0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0, 90.0, 180.0, 600.0, 1800.0];
/// Points of ten. The threshold is 8 unless configured otherwise, so it is finer there.
pub const SCORE_BUCKETS: [f64; 13] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 7.5, 8.0, 8.5, 9.0, 9.5, 10.0];

/// Every way to end.
const OUTCOMES: [Outcome; 11] = [
    Outcome::Converged,
    Outcome::Shipped,
    Outcome::BelowThreshold,
    Outcome::NeedsHuman,
    Outcome::Blocked,
    Outcome::TimedOut,
    Outcome::OverBudget,
    Outcome::Interrupted,
    Outcome::Degraded,
    Outcome::Failed,
    Outcome::Legacy,
];
/// Why a panel is given up for a plain pass.
const FALLS: [&str; 5] =
    ["malformed_block", "oversize_block", "missing_artifact", "protocol_version_mismatch", "adapter_degraded"];

/// All that is counted. `observe` takes entries; the plain handles are the server's to turn.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    runs: Family<Ended, Counter>,
    runs_now: Family<Standing, Gauge>,
    rounds: Family<Shape, Counter>,
    round_duration: Family<Shape, Histogram>,
    composite: Family<Shape, Histogram>,
    must_fix: Family<Demanded, Counter>,
    degraded: Family<Fell, Counter>,
    interrupted: Family<Adapter, Counter>,
    parser_errors: Family<Misread, Counter>,
    protocol_version: Family<Version, Gauge>,
    conformance: Family<Caller, Gauge>,
    marked_until: Family<Caller, Gauge>,
    tokens: Family<Tokens, Counter>,
    cost: Family<Caller, Counter<Dollars, Till>>,
    turn_duration: Family<Caller, Histogram>,
    http_requests: Family<Answered, Counter>,
    /// Readers of event streams that are connected now.
    pub sse_subscribers: Gauge,
    /// Readers that fell behind and were let go, to come back with `Last-Event-ID`.
    pub sse_dropped: Counter,
    /// Spans that no collector took.
    pub otlp_dropped: Counter,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Ended {
    status: &'static str,
    adapter: String,
    r#loop: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Standing {
    state: &'static str,
}

/// How many runs have not ended, by what they do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenRuns {
    pub running: i64,
    pub queued: i64,
    /// A provider takes no requests for now.
    pub parked: i64,
    /// A person has to answer.
    pub waiting: i64,
    /// Nobody drives it.
    pub stopped: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Shape {
    adapter: String,
    r#loop: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Demanded {
    panelist: String,
    adapter: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Fell {
    reason: String,
    adapter: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Adapter {
    adapter: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Misread {
    kind: String,
    adapter: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Version {
    version: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Tokens {
    adapter: String,
    model: String,
    kind: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Caller {
    adapter: String,
    model: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    route: String,
    status: u16,
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    /// Nothing is counted yet.
    pub fn new() -> Self {
        let mut book = Book(Registry::default());
        let metrics = Self {
            // The book adds `_total` to counters when it writes them.
            runs: book.enter("tribunal_runs", "Runs that ended, by how they ended"),
            runs_now: book.enter("tribunal_runs_open", "Runs that have not ended, by what they do now"),
            rounds: book.enter("tribunal_rounds", "Rounds that were closed"),
            round_duration: book.keep(
                "tribunal_round_duration_seconds",
                "Time from a round's opening, or from the resume of its run, to its close",
                Family::new_with_constructor(|| Histogram::new(ROUND_BUCKETS)),
            ),
            composite: book.keep(
                "tribunal_composite_score",
                "Composites of closed rounds, as points of ten",
                Family::new_with_constructor(|| Histogram::new(SCORE_BUCKETS)),
            ),
            must_fix: book.enter("tribunal_must_fix", "Must-fixes that were demanded"),
            degraded: book.enter("tribunal_degraded", "Trials that were given up for a plain pass"),
            interrupted: book.enter("tribunal_interrupted", "Runs that were interrupted"),
            parser_errors: book.enter("tribunal_parser_errors", "What was put up with, or could not be, in an answer"),
            protocol_version: book.enter("tribunal_protocol_version", "Versions of the panel protocol that are spoken"),
            conformance: book.enter(
                "tribunal_agent_conformance",
                "Whether an agent's newest cycle of conformance passed: 1, or 0 below the bars",
            ),
            marked_until: book.enter(
                "tribunal_agent_marked_until_timestamp_seconds",
                "Until when an agent is marked and no panel relies on it, in seconds since 1970; 0 without a mark",
            ),
            tokens: book.enter("tribunal_tokens", "Tokens of turns that ended"),
            cost: book.enter("tribunal_cost_usd", "US dollars of turns that ended, where the price is known"),
            turn_duration: book.keep(
                "tribunal_turn_duration_seconds",
                "Time from a call to its end",
                Family::new_with_constructor(|| Histogram::new(TURN_BUCKETS)),
            ),
            http_requests: book.enter("tribunal_http_requests", "Requests that were answered"),
            sse_subscribers: book.enter("tribunal_sse_subscribers", "Readers of event streams that are connected"),
            sse_dropped: book.enter("tribunal_sse_dropped", "Readers of event streams that fell behind"),
            otlp_dropped: book.enter("tribunal_otlp_dropped", "Spans that no collector took"),
            registry: book.0,
        };
        metrics.protocol_version.get_or_create(&Version { version: PROTOCOL_VERSION }).set(1);
        metrics
    }

    /// Takes an entry that became durable; `run` is the run after it, or any later state of it in the same session.
    /// Each entry is taken once: nothing here remembers what was taken.
    pub fn observe(&self, run: &Run, entry: &Entry) {
        match &entry.event {
            Event::RunOpened { spec } => {
                self.begin(run);
                if let Some(settings) = spec.settings_of::<theater::Settings>() {
                    self.protocol_version.get_or_create(&Version { version: settings.protocol_version }).set(1);
                }
            }
            Event::Heard { utterances, .. } => {
                let adapter = labels::answerable(run, &entry.event);
                for utterance in utterances {
                    match utterance {
                        Utterance::Found { seat, finding, .. } => self.demand(seat, adapter, [finding]),
                        Utterance::Broke { reason, .. } => self.misread(reason, adapter),
                        _ => {}
                    }
                }
            }
            Event::TurnAnswered { turn, said, bill, .. } => {
                let Some(turn) = run.turn(*turn) else { return };
                if let Some(verdict) = said.verdict() {
                    self.demand(&turn.seat, labels::agent(run, turn), &verdict.findings);
                }
                self.bill(run, turn, bill);
                self.time(run, turn, bill);
            }
            Event::TurnFailed { turn, error, bill, .. } => {
                let Some(turn) = run.turn(*turn) else { return };
                if error.kind == TurnErrorKind::Misfit {
                    self.misread(labels::MISFIT, labels::agent(run, turn));
                }
                self.bill(run, turn, bill);
                // How long a call takes that we ended, or that never began, says nothing about its agent.
                if !matches!(error.kind, TurnErrorKind::Cancelled | TurnErrorKind::Lost | TurnErrorKind::Unavailable) {
                    self.time(run, turn, bill);
                }
            }
            // A refusal may have cost something all the same.
            Event::TurnParked { turn, bill, .. } => {
                let Some(turn) = run.turn(*turn) else { return };
                self.bill(run, turn, bill);
            }
            Event::RoundClosed { round, tally, .. } => {
                let shape = shape(run);
                self.rounds.get_or_create(&shape).inc();
                let took = labels::round_time(run, *round, entry.time);
                self.round_duration.get_or_create(&shape).observe(took.as_secs_f64());
                if let Some(Tally { composite, .. }) = tally.as_deref() {
                    self.composite.get_or_create(&shape).observe(of_ten(run, *composite));
                }
            }
            Event::RunClosed { outcome, .. } => {
                let Shape { adapter, r#loop } = shape(run);
                if *outcome == Outcome::Interrupted {
                    self.interrupted.get_or_create(&Adapter { adapter: adapter.clone() }).inc();
                }
                self.runs.get_or_create(&Ended { status: labels::status(run, *outcome), adapter, r#loop }).inc();
            }
            _ => {}
        }
        for shown in theater::events(run, entry) {
            match shown {
                TheaterEvent::Degraded { reason, adapter, .. } => {
                    self.degraded.get_or_create(&Fell { reason, adapter }).inc();
                }
                TheaterEvent::ParserWarning { kind, .. } => self.misread(&kind, labels::answerable(run, &entry.event)),
                _ => {}
            }
        }
    }

    /// Series begin at zero, so that the first failure is seen as a change. A series that is there from its first failure
    /// on has never risen, for whoever asks how fast it rises.
    fn begin(&self, run: &Run) {
        let Shape { adapter, r#loop } = shape(run);
        for outcome in OUTCOMES {
            let ended = Ended { status: labels::status(run, outcome), adapter: adapter.clone(), r#loop };
            self.runs.get_or_create(&ended).inc_by(0);
        }
        self.rounds.get_or_create(&shape(run)).inc_by(0);
        self.interrupted.get_or_create(&Adapter { adapter: adapter.clone() }).inc_by(0);
        if run.spec().settings_of::<theater::Settings>().is_some() {
            for reason in FALLS {
                self.degraded.get_or_create(&Fell { reason: reason.into(), adapter: adapter.clone() }).inc_by(0);
            }
        }
    }

    /// How many runs are open, in the place of how many were.
    pub fn open_runs(&self, now: OpenRuns) {
        let OpenRuns { running, queued, parked, waiting, stopped } = now;
        let all =
            [("running", running), ("queued", queued), ("parked", parked), ("waiting", waiting), ("stopped", stopped)];
        for (state, count) in all {
            self.runs_now.get_or_create(&Standing { state }).set(count);
        }
    }

    /// How agents stand, in the place of how they stood.
    pub fn grades(&self, grades: &Grades) {
        self.conformance.clear();
        self.marked_until.clear();
        for record in &grades.records {
            let Some(cycle) = record.grade() else { continue };
            let model = record.model.clone().unwrap_or_else(|| labels::UNNAMED_MODEL.to_owned());
            let caller = Caller { adapter: record.agent.clone(), model };
            self.conformance.get_or_create(&caller).set(i64::from(cycle.passes()));
            let until = record.mark.as_ref().map_or(0, |mark| mark.until.0 / 1000);
            self.marked_until.get_or_create(&caller).set(i64::try_from(until).unwrap_or(i64::MAX));
        }
    }

    /// Counts a request that was answered; `route` is the pattern that matched, not the path.
    pub fn http_request(&self, route: &str, status: u16) {
        self.http_requests.get_or_create(&Answered { route: route.to_owned(), status }).inc();
    }

    /// Everything, to be served as [`CONTENT_TYPE`].
    pub fn render(&self) -> String {
        let mut page = String::new();
        text::encode(&mut page, &self.registry).expect("a String takes everything that is written to it");
        page
    }

    fn demand<'a>(&self, seat: &SeatName, adapter: &str, findings: impl IntoIterator<Item = &'a Finding>) {
        // What is contested is recorded, and not obeyed.
        let counts = |finding: &&Finding| finding.severity == Severity::MustFix && !finding.contested;
        let demands = findings.into_iter().filter(counts).count() as u64;
        if demands > 0 {
            let demanded = Demanded { panelist: seat.to_string(), adapter: adapter.to_owned() };
            self.must_fix.get_or_create(&demanded).inc_by(demands);
        }
    }

    fn misread(&self, kind: &str, adapter: &str) {
        let misread = Misread { kind: kind.to_owned(), adapter: adapter.to_owned() };
        self.parser_errors.get_or_create(&misread).inc();
    }

    fn bill(&self, run: &Run, turn: &Turn, bill: &Bill) {
        let caller = caller(run, turn);
        let Usage { input_tokens, output_tokens, cached_tokens, usd, .. } = bill.usage;
        // Kinds do not overlap, so that their sum is what was used.
        let fresh = input_tokens.saturating_sub(cached_tokens);
        for (kind, tokens) in [("input", fresh), ("cached", cached_tokens), ("output", output_tokens)] {
            if tokens > 0 {
                let Caller { adapter, model } = caller.clone();
                self.tokens.get_or_create(&Tokens { adapter, model, kind }).inc_by(tokens);
            }
        }
        if let Some(usd) = usd {
            self.cost.get_or_create(&caller).inc_by(Dollars(usd));
        }
    }

    fn time(&self, run: &Run, turn: &Turn, bill: &Bill) {
        // An answer from another run's ledger took no time, and nobody was called.
        if bill.copied.is_none() {
            let took = Duration::from_millis(bill.elapsed_ms);
            self.turn_duration.get_or_create(&caller(run, turn)).observe(took.as_secs_f64());
        }
    }
}

/// Where metrics are entered while they are made.
struct Book(Registry);

impl Book {
    fn enter<M: Metric + Clone + Default>(&mut self, name: &str, help: &str) -> M {
        self.keep(name, help, M::default())
    }

    fn keep<M: Metric + Clone>(&mut self, name: &str, help: &str, metric: M) -> M {
        self.0.register(name, help, metric.clone());
        metric
    }
}

fn shape(run: &Run) -> Shape {
    let spec = run.spec();
    Shape { adapter: labels::main_agent(spec).to_owned(), r#loop: spec.kind().as_str() }
}

fn caller(run: &Run, turn: &Turn) -> Caller {
    Caller { adapter: labels::agent(run, turn).to_owned(), model: labels::model(run, turn).to_owned() }
}

/// Points of ten: a theater has a scale of its own, the other loops give a share of what is wanted.
fn of_ten(run: &Run, composite: Score) -> f64 {
    let scale = run.spec().settings_of::<theater::Settings>().map_or(1.0, |settings| settings.scale.as_f64());
    10.0 * composite.as_f64() / scale
}
