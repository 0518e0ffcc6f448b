//! A measurement: one dimension, its score, and what it rests on.

use crate::finding::{Findings, MeasuredFinding, Weight};

/// Who looked at the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Eye {
    /// The built-in cascade, without a layout.
    Static,
    /// A browser that laid the page out.
    Browser,
}

impl Eye {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Browser => "browser",
        }
    }
}

/// One measured dimension. `docs/checks.md` has every scoring curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    pub dimension: &'static str,
    /// From 0 to 10 in tenths; nothing while it is not decided.
    pub score: f64,
    /// Whether anything could be measured. What is undecided as a whole has no score and counts for nothing.
    pub decided: bool,
    /// The measured values in words.
    pub evidence: Vec<String>,
    pub findings: Vec<MeasuredFinding>,
    /// What could not be measured, and why. It counts neither for nor against the score.
    pub undecided: Vec<String>,
    /// Whose answer this is.
    pub eye: Eye,
}

impl std::fmt::Display for Measurement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.decided {
            write!(f, "{} {:.1}: {}", self.dimension, self.score, self.evidence.join("; "))?;
        } else {
            write!(f, "{} undecided: {}", self.dimension, self.evidence.join("; "))?;
        }
        for finding in &self.findings {
            write!(f, "\n  {finding}")?;
        }
        for reason in &self.undecided {
            write!(f, "\n  undecided: {reason}")?;
        }
        Ok(())
    }
}

/// A dimension with a must-fix is below every reasonable threshold.
pub(crate) const MUST_FIX_CAP: f64 = 6.9;

/// Reasons why something is undecided are listed up to this number.
pub(crate) const MAX_REASONS: usize = 10;

/// Collects one measurement.
#[derive(Debug)]
pub(crate) struct Gauge {
    dimension: &'static str,
    pub(crate) findings: Findings,
    pub(crate) evidence: Vec<String>,
    undecided: Vec<String>,
    left_out: usize,
}

impl Gauge {
    pub(crate) fn new(dimension: &'static str) -> Self {
        Self { dimension, findings: Findings::default(), evidence: Vec::new(), undecided: Vec::new(), left_out: 0 }
    }

    pub(crate) fn says(&mut self, evidence: impl Into<String>) {
        self.evidence.push(evidence.into());
    }

    /// Whether one more reason would be listed: finding words for it costs time.
    pub(crate) fn has_room(&self) -> bool {
        self.undecided.len() < MAX_REASONS
    }

    /// Whether anything is undecided so far.
    pub(crate) fn is_open(&self) -> bool {
        !self.undecided.is_empty()
    }

    pub(crate) fn undecided(&mut self, reason: impl Into<String>) {
        let reason = reason.into();
        if self.undecided.contains(&reason) {
            return;
        }
        if self.undecided.len() < MAX_REASONS {
            self.undecided.push(reason);
        } else {
            self.left_out += 1;
        }
    }

    /// Nothing could be decided.
    pub(crate) fn leave_open(self) -> Measurement {
        Measurement { decided: false, ..self.finish(0.0) }
    }

    pub(crate) fn finish(mut self, score: f64) -> Measurement {
        let findings = self.findings.finish();
        let must_fix = findings.iter().any(|finding| finding.weight == Weight::MustFix);
        let score = if must_fix { score.min(MUST_FIX_CAP) } else { score };
        if self.left_out > 0 {
            self.undecided.push(format!("{} more places", self.left_out));
        }
        Measurement {
            dimension: self.dimension,
            score: tenths(score),
            decided: true,
            evidence: self.evidence,
            findings,
            undecided: self.undecided,
            eye: Eye::Static,
        }
    }
}

/// Rounded to tenths within the scale; what is no number is nothing.
pub(crate) fn tenths(score: f64) -> f64 {
    if score.is_finite() { (score.clamp(0.0, 10.0) * 10.0).round() / 10.0 } else { 0.0 }
}

/// Ten times the part that is good; ten when there is nothing.
pub(crate) fn share(good: usize, all: usize) -> f64 {
    if all == 0 { 10.0 } else { 10.0 * good as f64 / all as f64 }
}

/// Ten up to `free`, then `step` less for each one more.
pub(crate) fn beyond(count: usize, free: usize, step: f64) -> f64 {
    (10.0 - step * count.saturating_sub(free) as f64).max(0.0)
}

/// Ten inside `best`, falling in a straight line to nothing at the ends of `worst`.
pub(crate) fn band(value: f64, best: (f64, f64), worst: (f64, f64)) -> f64 {
    let fall = |distance: f64, room: f64| if room <= 0.0 { 0.0 } else { 10.0 * (1.0 - distance / room) };
    if value < best.0 {
        fall(best.0 - value, best.0 - worst.0).max(0.0)
    } else if value > best.1 {
        fall(value - best.1, worst.1 - best.1).max(0.0)
    } else {
        10.0
    }
}

pub(crate) fn mean(scores: &[f64]) -> f64 {
    if scores.is_empty() { 10.0 } else { scores.iter().sum::<f64>() / scores.len() as f64 }
}

/// `1 link`, `2 links`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves() {
        for (name, got, want) in [
            ("share of nothing", share(0, 0), 10.0),
            ("share", share(3, 4), 7.5),
            ("up to the free ones", beyond(2, 2, 2.0), 10.0),
            ("beyond them", beyond(4, 2, 2.0), 6.0),
            ("never below nothing", beyond(40, 2, 2.0), 0.0),
            ("inside the band", band(5.0, (4.0, 6.0), (0.0, 10.0)), 10.0),
            ("below the band", band(2.0, (4.0, 6.0), (0.0, 10.0)), 5.0),
            ("above the band", band(9.0, (4.0, 6.0), (0.0, 10.0)), 2.5),
            ("outside", band(11.0, (4.0, 6.0), (0.0, 10.0)), 0.0),
            ("no number", tenths(f64::NAN), 0.0),
        ] {
            assert!((got - want).abs() < 1e-9, "{name}: {got}, not {want}");
        }
    }
}
