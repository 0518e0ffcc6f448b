//! Grades: how well an agent keeps to the protocol of the panel, and what follows if it does not.
//!
//! An agent plays the same briefs again and again, a *cycle* at a time. A cycle passes two bars: enough of its trials
//! shipped in time, and enough of those were read without trouble. Who misses a bar twice in a row is marked for a
//! day, and theaters that would rely on it fall back to one plain pass.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

use crate::theater::{PANEL, TheaterEvent, events};
use crate::turn::TurnErrorKind;
use crate::{Entry, Format, Outcome, Run, RunId, Time, TurnState};

/// So many of a hundred trials have to ship in time.
pub const SHIPPED_BAR: usize = 90;
/// So many of a hundred that shipped have to be read without trouble.
pub const CLEAN_BAR: usize = 95;
/// Whose cycles miss a bar so often in a row is marked.
pub const MISSES: usize = 2;
/// How long a mark lasts.
pub const MARK_LASTS: Duration = Duration::from_secs(24 * 60 * 60);
/// A brief is played so often at most: once more after a panel that could not be read.
pub const ATTEMPTS: u32 = 2;
/// So many cycles of an agent are kept.
pub const CYCLES_KEPT: usize = 20;
/// The form of the grades as they are kept.
pub const VERSION: u32 = 1;

/// Warnings about how a panel counts and debates. It was understood all the same, so they are no trouble; every other
/// warning says that something was dropped, guessed or put right.
const HARMLESS: [&str; 3] = ["composite_mismatch", "config_mismatch", "weak_debate"];

/// Whether a warning says that the panel was not read as it was meant.
pub fn is_trouble(warning: &str) -> bool {
    !HARMLESS.contains(&warning)
}

/// How one trial of a brief went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    pub outcome: Outcome,
    /// Why the panel could not be followed to its end.
    pub degraded: Option<String>,
    /// The kinds of warnings that are trouble, each once.
    pub trouble: Vec<String>,
    /// Why the agent could not be asked at all, which says nothing about how it answers.
    pub unavailable: Option<String>,
}

impl Attempt {
    /// What the log of a trial that is over shows; `None` while it is not.
    pub fn of(run: &Run, entries: &[Entry]) -> Option<Self> {
        let outcome = run.end()?.outcome;
        let (mut degraded, mut trouble) = (None, Vec::new());
        for event in entries.iter().flat_map(|entry| events(run, entry)) {
            match event {
                TheaterEvent::Degraded { reason, .. } => degraded = Some(reason),
                TheaterEvent::ParserWarning { kind, .. } if is_trouble(&kind) && !trouble.contains(&kind) => {
                    trouble.push(kind);
                }
                _ => {}
            }
        }
        let unavailable = run.turns().iter().filter(|turn| turn.seat == *PANEL).find_map(|turn| match &turn.state {
            TurnState::Failed { error, .. } if error.kind == TurnErrorKind::Unavailable => Some(error.to_string()),
            _ => None,
        });
        Some(Self { outcome, degraded, trouble, unavailable })
    }

    /// Whether the brief is played once more, after `attempts` of them: a panel that could not be read is given a
    /// second chance, and everything else counts as it is.
    pub fn is_played_again(&self, attempts: u32) -> bool {
        self.degraded.is_some() && self.outcome != Outcome::Interrupted && attempts < ATTEMPTS
    }
}

/// How a brief went in the end: what its last attempt showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Played {
    pub template: String,
    pub outcome: Outcome,
    pub attempts: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trouble: Vec<String>,
    pub elapsed_ms: u64,
}

impl Played {
    pub fn is_shipped(&self) -> bool {
        self.outcome == Outcome::Shipped && self.degraded.is_none()
    }

    /// Whether it shipped and was read without trouble.
    pub fn is_clean(&self) -> bool {
        self.is_shipped() && self.trouble.is_empty()
    }
}

impl fmt::Display for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.degraded {
            Some(reason) => write!(f, "degraded ({reason})")?,
            None => write!(f, "{}", self.outcome)?,
        }
        if self.is_shipped() {
            match self.trouble.as_slice() {
                [] => f.write_str(", clean")?,
                trouble => write!(f, ", with {}", trouble.join(", "))?,
            }
        }
        if self.attempts > 1 { write!(f, ", attempt {}", self.attempts) } else { Ok(()) }
    }
}

/// Every brief, played once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cycle {
    pub at: Time,
    /// The version of this program.
    pub tribunal: String,
    /// What the agent's program says of its version, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    pub played: Vec<Played>,
}

/// A cycle in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    pub played: usize,
    pub shipped: usize,
    pub clean: usize,
}

impl Cycle {
    pub fn count(&self) -> Count {
        let count = |fits: fn(&Played) -> bool| self.played.iter().filter(|played| fits(played)).count();
        Count { played: self.played.len(), shipped: count(Played::is_shipped), clean: count(Played::is_clean) }
    }

    pub fn passes(&self) -> bool {
        self.count().passes()
    }
}

impl Count {
    /// Whether both bars are reached. Nothing played passes nothing.
    pub fn passes(self) -> bool {
        self.played > 0
            && self.shipped * 100 >= SHIPPED_BAR * self.played
            && self.clean * 100 >= CLEAN_BAR * self.shipped
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { played, shipped, clean } = self;
        write!(f, "{shipped} of {played} shipped, {clean} of {shipped} clean")
    }
}

/// Says that an agent is not to be relied on for a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    pub agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub since: Time,
    pub until: Time,
    pub why: String,
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self.model.as_deref().map(|model| format!(" ({model})")).unwrap_or_default();
        write!(f, "agent `{}`{model} is marked degraded until {}: {}", self.agent, self.until, self.why)
    }
}

/// What is known of an agent with a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GradeRecord {
    pub agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Oldest first.
    pub cycles: Vec<Cycle>,
    /// The last mark, also when its time is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
    /// When a person lifted a mark: what was before does not count towards another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cleared: Option<Time>,
}

impl GradeRecord {
    pub fn new(agent: impl Into<String>, model: Option<String>) -> Self {
        Self { agent: agent.into(), model, cycles: Vec::new(), mark: None, cleared: None }
    }

    /// The newest cycle.
    pub fn grade(&self) -> Option<&Cycle> {
        self.cycles.last()
    }

    /// Takes in a cycle. One that passes lifts the mark: the reason for it is gone.
    pub fn take(&mut self, cycle: Cycle) {
        let at = cycle.at;
        let passes = cycle.passes();
        self.cycles.push(cycle);
        let surplus = self.cycles.len().saturating_sub(CYCLES_KEPT);
        self.cycles.drain(..surplus);
        if passes {
            self.mark = None;
            return;
        }
        let counts = |cycle: &&Cycle| self.cleared.is_none_or(|cleared| cleared < cycle.at);
        let missed: Vec<&Cycle> = self.cycles.iter().rev().filter(counts).take_while(|cycle| !cycle.passes()).collect();
        if missed.len() >= MISSES {
            let last = missed.first().map(|cycle| cycle.count().to_string()).unwrap_or_default();
            let why = format!("below the bars in {MISSES} cycles in a row, the last with {last}");
            let (agent, model) = (self.agent.clone(), self.model.clone());
            self.mark = Some(Mark { agent, model, since: at, until: at.plus(MARK_LASTS), why });
        }
    }

    /// The mark that holds at this moment.
    pub fn mark_at(&self, now: Time) -> Option<&Mark> {
        self.mark.as_ref().filter(|mark| now < mark.until)
    }

    /// Lifts the mark. Gives whether there was one that held.
    pub fn clear(&mut self, now: Time) -> bool {
        let held = self.mark_at(now).is_some();
        self.mark = None;
        self.cleared = Some(now);
        held
    }
}

/// What is known of all agents of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grades {
    pub version: u32,
    pub records: Vec<GradeRecord>,
    /// Judges that passed a control in some run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub controls: Vec<ControlRecord>,
    /// What judges notice of the built-in set of faults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<CatchRate>,
}

/// What a judge noticed of faults that are known, and what it only thought it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatchRate {
    /// Its provider and model.
    pub voter: String,
    pub at: Time,
    pub faults: u32,
    pub caught: u32,
    /// Demands that were met.
    pub fair: u32,
    /// Those that it called broken.
    pub alarms: u32,
}

impl fmt::Display for CatchRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { faults, caught, fair, alarms, .. } = self;
        let alarm = if *alarms == 1 { "false alarm" } else { "false alarms" };
        write!(f, "caught {caught} of {faults} faults ({})", percent(*caught, *faults))?;
        write!(f, ", {alarms} {alarm} in {fair} ({})", percent(*alarms, *fair))
    }
}

/// `90 %, between 70 and 97`: the share, and where it lies with a probability of 95 %.
fn percent(hits: u32, of: u32) -> String {
    let (low, high) = interval(hits, of);
    let share = if of == 0 { 0.0 } else { f64::from(hits) / f64::from(of) };
    format!("{:.0} %, between {:.0} and {:.0}", share * 100.0, low * 100.0, high * 100.0)
}

/// Where a share lies with a probability of 95 %, by Wilson's score interval: it stays within 0 and 1, and says something
/// also of few trials.
pub fn interval(hits: u32, of: u32) -> (f64, f64) {
    const Z: f64 = 1.959_964;
    if of == 0 {
        return (0.0, 1.0);
    }
    let (share, of) = (f64::from(hits) / f64::from(of), f64::from(of));
    let spread = Z * (share * (1.0 - share) / of + Z * Z / (4.0 * of * of)).sqrt();
    let (middle, scale) = (share + Z * Z / (2.0 * of), 1.0 + Z * Z / of);
    (((middle - spread) / scale).max(0.0), ((middle + spread) / scale).min(1.0))
}

/// That a judge passed a control: the last one for drafts of this format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlRecord {
    /// Its provider and model.
    pub voter: String,
    pub format: Format,
    pub run: RunId,
    pub at: Time,
    /// Control calls that it answered for it.
    #[serde(default)]
    pub calls: u32,
    pub planted: u32,
    pub caught: u32,
}

impl Default for Grades {
    fn default() -> Self {
        Self { version: VERSION, records: Vec::new(), controls: Vec::new(), rates: Vec::new() }
    }
}

impl Grades {
    /// What is known of how a judge does on known faults.
    pub fn rate_of(&self, voter: &str) -> Option<&CatchRate> {
        self.rates.iter().find(|rate| rate.voter == voter)
    }

    /// Keeps how a judge did; what it did before does not count any more.
    pub fn remember_rate(&mut self, rate: CatchRate) {
        self.rates.retain(|known| known.voter != rate.voter);
        self.rates.push(rate);
    }

    pub fn of(&self, agent: &str, model: Option<&str>) -> Option<&GradeRecord> {
        self.records.iter().find(|record| record.agent == agent && record.model.as_deref() == model)
    }

    /// The record of an agent with a model, made if there is none.
    pub fn entry(&mut self, agent: &str, model: Option<&str>) -> &mut GradeRecord {
        let place = self.records.iter().position(|record| record.agent == agent && record.model.as_deref() == model);
        let place = place.unwrap_or_else(|| {
            self.records.push(GradeRecord::new(agent, model.map(str::to_owned)));
            self.records.sort_by(|a, b| (&a.agent, &a.model).cmp(&(&b.agent, &b.model)));
            let is_ours = |record: &GradeRecord| record.agent == agent && record.model.as_deref() == model;
            self.records.iter().position(is_ours).expect("it was pushed")
        });
        &mut self.records[place]
    }

    /// What a judge passed, a format each.
    pub fn controls_of(&self, voter: &str) -> impl Iterator<Item = &ControlRecord> {
        self.controls.iter().filter(move |record| record.voter == voter)
    }

    /// Remembers that a judge passed, in the place of what it passed before.
    pub fn pass_control(&mut self, passed: ControlRecord) {
        self.forget_controls(&passed.voter, passed.format);
        self.controls.push(passed);
    }

    /// A judge failed: what it passed before counts no more.
    pub fn forget_controls(&mut self, voter: &str, format: Format) {
        self.controls.retain(|record| (record.voter.as_str(), record.format) != (voter, format));
    }

    /// The mark that holds on an agent with a model at this moment.
    pub fn mark_at(&self, agent: &str, model: Option<&str>, now: Time) -> Option<&Mark> {
        self.of(agent, model)?.mark_at(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3_600_000;

    fn played(outcome: Outcome, trouble: &[&str]) -> Played {
        let trouble = trouble.iter().map(|&kind| kind.to_owned()).collect();
        Played { template: "t".into(), outcome, attempts: 1, degraded: None, trouble, elapsed_ms: 1 }
    }

    /// A cycle of ten: so many clean ones, so many that shipped with trouble, and the rest too late.
    fn cycle(at: u64, clean: usize, troubled: usize) -> Cycle {
        let mut all = vec![played(Outcome::Shipped, &[]); clean];
        all.extend(vec![played(Outcome::Shipped, &["unknown_tag"]); troubled]);
        all.resize(10, played(Outcome::TimedOut, &[]));
        Cycle { at: Time(at), tribunal: "0".into(), program: None, played: all }
    }

    #[test]
    fn a_cycle_has_to_reach_both_bars() {
        for (name, clean, troubled, passes) in [
            ("all", 10, 0, true),
            ("nine of ten shipped", 9, 0, true),
            ("eight of ten shipped", 8, 0, false),
            ("one of ten with trouble is 90 of 100", 9, 1, false),
            ("one of nine with trouble", 8, 1, false),
            ("nothing", 0, 0, false),
            ("only with trouble", 0, 10, false),
        ] {
            assert_eq!(cycle(0, clean, troubled).passes(), passes, "{name}");
        }
        let large = |clean, troubled| Count { played: 100, shipped: clean + troubled, clean }.passes();
        assert!(large(95, 5), "exactly 95 of 100 are enough");
        assert!(!large(94, 6));
        assert!(!Count { played: 0, shipped: 0, clean: 0 }.passes(), "nothing played passes nothing");
    }

    #[test]
    fn two_misses_in_a_row_mark_for_a_day() {
        // `+` passes, `-` misses, `c` is lifted by a person; an hour apart.
        for (cycles, marked_since) in [
            ("-", None),
            ("--", Some(1)),
            ("-+-", None),
            ("+--", Some(2)),
            ("--+", None),
            ("--+-", None),
            ("---", Some(2)),
            ("--c", None),
            ("--c-", None),
            ("--c--", Some(4)),
            ("-c-", None),
        ] {
            let mut record = GradeRecord::new("actor", None);
            for (hour, step) in (0..).zip(cycles.chars()) {
                match step {
                    'c' => drop(record.clear(Time(hour * HOUR))),
                    step => record.take(cycle(hour * HOUR, if step == '+' { 10 } else { 3 }, 0)),
                }
            }
            let now = Time(u64::try_from(cycles.len()).unwrap() * HOUR);
            let since = record.mark_at(now).map(|mark| mark.since.0 / HOUR);
            assert_eq!(since, marked_since, "{cycles}");
            if let Some(mark) = record.mark_at(now) {
                assert_eq!(mark.until, mark.since.plus(MARK_LASTS), "{cycles}");
                assert!(record.mark_at(Time(mark.until.0 - 1)).is_some(), "{cycles}: to the last moment");
                assert!(record.mark_at(mark.until).is_none(), "{cycles}: and no longer");
            }
        }
    }

    #[test]
    fn only_a_panel_that_cannot_be_read_is_played_again() {
        let attempt = |outcome, degraded: Option<&str>| Attempt {
            outcome,
            degraded: degraded.map(str::to_owned),
            trouble: vec![],
            unavailable: None,
        };
        for (name, attempt, attempts, again) in [
            ("degraded", attempt(Outcome::Degraded, Some("malformed_block")), 1, true),
            ("degraded, and nothing to hand over", attempt(Outcome::Failed, Some("malformed_block")), 1, true),
            ("degraded twice", attempt(Outcome::Degraded, Some("malformed_block")), 2, false),
            ("interrupted meanwhile", attempt(Outcome::Interrupted, Some("malformed_block")), 1, false),
            ("too late", attempt(Outcome::TimedOut, None), 1, false),
            ("below the threshold", attempt(Outcome::BelowThreshold, None), 1, false),
            ("shipped", attempt(Outcome::Shipped, None), 1, false),
        ] {
            assert_eq!(attempt.is_played_again(attempts), again, "{name}");
        }
    }

    #[test]
    fn records_are_kept_apart_by_model_and_cycles_are_forgotten() {
        let mut grades = Grades::default();
        grades.entry("b", None).take(cycle(1, 10, 0));
        grades.entry("a", Some("large")).take(cycle(2, 10, 0));
        for hour in 0..30 {
            grades.entry("a", Some("small")).take(cycle(hour * HOUR, 0, 0));
        }
        let names: Vec<_> = grades.records.iter().map(|record| (&*record.agent, record.model.as_deref())).collect();
        assert_eq!(names, [("a", Some("large")), ("a", Some("small")), ("b", None)]);
        assert_eq!(grades.of("a", Some("small")).unwrap().cycles.len(), CYCLES_KEPT);
        let now = Time(29 * HOUR + 1);
        assert!(grades.mark_at("a", Some("small"), now).is_some());
        assert_eq!((grades.mark_at("a", Some("large"), now), grades.mark_at("a", None, now)), (None, None));
        let text = serde_json::to_string(&grades).unwrap();
        assert_eq!(serde_json::from_str::<Grades>(&text).unwrap(), grades);
    }
}
