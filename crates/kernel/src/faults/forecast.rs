//! What is left, and what another round would find and cost.

use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;

use super::fault_ledger::FaultLedger;
use super::hidden::HiddenFaults;
use super::sighting::is_anybody_silent;
use crate::ballot::{ItemState, JudgedItem};
use crate::{Digest, Round, Run, RunId, SeatName, Severity, Spend, Usd};

/// Of fewer faults, or of fewer that two judges found, nothing follows.
const LEAST_FOUND: u32 = 3;
const LEAST_SHARED: u32 = 2;
/// A limit looks at so many rounds, from the last one on.
const LOOKED_BACK: usize = 32;
/// An interval that reaches beyond so many hidden faults for each found one says nothing.
const WIDEST: u32 = 2;

/// How many faults are likely left in the text that was judged last.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forecast {
    /// The text that it is about.
    #[serde(skip)]
    judged: Option<Digest>,
    /// Judges that know nothing of each other.
    pub judges: u32,
    /// Faults that they found in texts that all of them judged, each where it was first found,
    pub found: u32,
    /// and those of them that more than one found.
    pub shared: u32,
    /// Faults that are known and stand in the text.
    pub open: u32,
    /// Faults that nobody has found. Nothing, where it is too few to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<HiddenFaults>,
    /// The known ones and those to be expected besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<f64>,
    /// Why it is too few to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub too_few: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_round: Option<NextRound>,
}

/// What another round would bring.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NextRound {
    /// Of the faults that nobody has found.
    pub finds: f64,
    /// As the rounds before it, on average.
    pub tokens: u64,
    #[serde(rename = "usd_micros")]
    pub usd: Usd,
}

/// A fault, for who asks who found what.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundFault<'r> {
    pub text: &'r str,
    pub severity: Severity,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'r str>,
    pub found_by: Vec<FaultFinder<'r>>,
    /// Whether it was found in the text that was judged last.
    pub is_open: bool,
}

/// Who found a fault: a seat, in a round of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FaultFinder<'r> {
    pub run: RunId,
    pub round: Round,
    pub seat: &'r SeatName,
}

impl Forecast {
    /// Of a thing, from everything that was found in its runs. Nothing, if nobody judged anything.
    pub fn of(ledger: &FaultLedger<'_>, run: &Run) -> Option<Self> {
        let (standing, judges) = ledger.standing()?;
        let shared_texts = ledger.judged_by(judges);
        let first = ledger.faults().iter().map(|fault| &fault.first).filter(|(text, _)| shared_texts.contains(text));
        let mut by_finders = vec![0; judges.len()];
        let mut finders: BTreeSet<&String> = BTreeSet::new();
        for (_, by) in first {
            // Whoever found it there without judging the last text is nobody whose eyes we know.
            let known = by.intersection(judges).count();
            if let Some(count) = known.checked_sub(1).and_then(|at| by_finders.get_mut(at)) {
                *count += 1;
                finders.extend(by.intersection(judges));
            }
        }
        let open = ledger.faults().iter().filter(|fault| fault.last == standing).count();
        let mut forecast = Self { judged: Some(standing), ..Self::of_counts(&by_finders, finders.len(), open) };
        let rounds = run.rounds().iter().filter(|state| state.closed.is_some()).count().max(1) as u64;
        if let Some(next) = &mut forecast.next_round {
            let Spend { tokens, usd } = run.budget().spent;
            (next.tokens, next.usd) = (tokens / rounds, Usd(usd.0 / rounds));
        }
        Some(forecast)
    }

    /// From how many faults exactly one judge found, how many exactly two, and so on up to all of them; of how many judges that
    /// found anything; and from how many faults stand open. What a round costs is not in it.
    pub fn of_counts(by_finders: &[u32], finders: usize, open: usize) -> Self {
        let (found, shared) = (by_finders.iter().sum(), by_finders.iter().skip(1).sum());
        let mut forecast = Self {
            judged: None,
            judges: count(by_finders.len()),
            found,
            shared,
            open: count(open),
            hidden: None,
            left: None,
            too_few: None,
            next_round: None,
        };
        match forecast.why_too_few(finders) {
            Some(why) => forecast.too_few = Some(why),
            None => forecast.look_ahead(by_finders),
        }
        forecast
    }

    fn why_too_few(&self, finders: usize) -> Option<String> {
        let faults = |count: u32| if count == 1 { "1 fault".to_owned() } else { format!("{count} faults") };
        if self.judges < 2 {
            return Some("one judge; it takes two that are not the same model".into());
        }
        if self.found < LEAST_FOUND {
            return Some(format!("{} found by {} judges", faults(self.found), self.judges));
        }
        if finders < 2 {
            return Some(format!("only one of {} judges found anything", self.judges));
        }
        (self.shared < LEAST_SHARED).then(|| {
            let shared = if self.shared == 0 { "none".to_owned() } else { self.shared.to_string() };
            format!("of {} {shared} was found by more than one judge", faults(self.found))
        })
    }

    fn look_ahead(&mut self, by_finders: &[u32]) {
        let hidden = HiddenFaults::of(by_finders).filter(|hidden| hidden.most <= self.found.saturating_mul(WIDEST));
        let Some(hidden) = hidden else {
            self.too_few = Some("the judges agree on too little".into());
            return;
        };
        self.left = Some(f64::from(self.open) + hidden.expected);
        // How often a fault is found by one of the judges, on average, and so by any of them.
        let finds: u32 = (1_u32..).zip(by_finders).map(|(times, count)| times * count).sum();
        let all = f64::from(self.found) + hidden.expected;
        let rate = f64::from(finds) / (all * f64::from(self.judges));
        let caught = 1.0 - (1.0 - rate).powf(f64::from(self.judges));
        self.next_round = Some(NextRound { finds: hidden.expected * caught, tokens: 0, usd: Usd(0) });
        self.hidden = Some(hidden);
    }

    /// Whether there are judges to compare. With one, nothing can be said, and every review would say so.
    pub fn is_comparison(&self) -> bool {
        2 <= self.judges
    }

    /// Whether no more than so many are likely left. Where it is too few to say nobody knows, and that is no.
    pub fn is_few(&self, most: f64) -> bool {
        self.left.is_some_and(|left| left <= most)
    }
}

impl Run {
    /// How many faults are likely left, from this run alone.
    pub fn forecast(&self) -> Option<Forecast> {
        Forecast::of(&FaultLedger::of([self]), self)
    }

    /// Why no further round is worth its price, where the run's limit says so. What is undecided, or was not judged by
    /// everybody who should have, is not known to be good, so that it keeps the run going; and so does too little to say.
    pub(crate) fn few_left(&self) -> Option<String> {
        let most = self.limits().stop_when_left?;
        let last = self.rounds().last().filter(|state| state.closed.is_some())?;
        let is_undecided = |item: &JudgedItem| item.state == ItemState::Undecided && !item.justified;
        let tally = last.tally.as_deref();
        let is_anybody_missing = tally.is_some_and(|tally| !tally.missing.is_empty());
        if is_anybody_missing || is_anybody_silent(self, last.round) || self.open_items().iter().any(is_undecided) {
            return None;
        }
        // As far back as one can tell what is still the same: a long run costs no more with every round.
        let forecast = Forecast::of(&FaultLedger::of_rounds(self, LOOKED_BACK), self)?;
        let left = forecast
            .left
            .filter(|_| forecast.judged == standing_text(self, last.round) && forecast.is_few(most.as_f64()))?;
        Some(format!("about {left:.1} faults are likely left, and the limit is {most}"))
    }
}

/// The text that stands at the end of a round.
fn standing_text(run: &Run, round: Round) -> Option<Digest> {
    run.standing(round).map(|draft| draft.text)
}

impl<'r> FaultLedger<'r> {
    /// Every fault, and who found it.
    pub fn found(&self) -> Vec<FoundFault<'r>> {
        let standing = self.standing().map(|(text, _)| text);
        let told = self.faults().iter().filter_map(|fault| {
            let last = fault.sightings.last()?;
            let by = |it: &super::Sighting<'r>| FaultFinder { run: it.run, round: it.round, seat: it.seat };
            Some(FoundFault {
                text: &last.finding.text,
                severity: last.finding.severity,
                rule: last.finding.code.as_deref().or(last.finding.target.as_deref()),
                found_by: fault.sightings.iter().map(by).collect(),
                is_open: Some(fault.last) == standing,
            })
        });
        told.collect()
    }
}

impl fmt::Display for Forecast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = |f: &mut fmt::Formatter<'_>| match self.open {
            0 => Ok(()),
            1 => f.write_str(", besides 1 that is known"),
            open => write!(f, ", besides {open} that are known"),
        };
        let Some(hidden) = &self.hidden else {
            let why = self.too_few.as_deref().unwrap_or("nothing is known");
            return write!(f, "too few findings to say how many faults are left: {why}");
        };
        let HiddenFaults { expected, least, most } = hidden;
        write!(f, "about {expected:.1} faults are likely left that nobody found (90 %: {least} to {most})")?;
        known(f)?;
        if let Some(NextRound { finds, tokens, usd }) = &self.next_round {
            write!(f, "; another round would find about {finds:.1} of them for {tokens} tok {usd}")?;
        }
        Ok(())
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
