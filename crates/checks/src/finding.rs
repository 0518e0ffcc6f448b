//! What a measurement found: how grave, where, and the value that says so.

use crate::place::SourceLocation;

/// How grave a finding is. `MustFix` keeps the work from shipping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    MustFix,
    Should,
    Note,
}

impl Weight {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MustFix => "must_fix",
            Self::Should => "should",
            Self::Note => "note",
        }
    }
}

/// One finding: a code that lasts, a sentence for people, and the measured value behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredFinding {
    /// Stable and dotted, such as `contrast.text`: `docs/checks.md` lists them all.
    pub code: &'static str,
    pub weight: Weight,
    pub text: String,
    pub place: Option<SourceLocation>,
    /// The measured value, such as `3.9:1, needs 4.5:1`.
    pub evidence: String,
}

impl std::fmt::Display for MeasuredFinding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.weight.as_str(), self.code)?;
        if let Some(place) = &self.place {
            write!(f, " at {place}")?;
        }
        write!(f, ": {}", self.text)?;
        if self.evidence.is_empty() { Ok(()) } else { write!(f, " [{}]", self.evidence) }
    }
}

/// Findings of one code are listed up to this number; the rest is counted in one note.
pub const MAX_FINDINGS_PER_CODE: usize = 100;

/// Collects findings and keeps the list readable when a page has the same flaw ten thousand times.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<MeasuredFinding>,
    counts: std::collections::BTreeMap<&'static str, usize>,
}

impl Findings {
    /// `make` is called only for findings that are listed: finding a place and a selector costs time.
    pub(crate) fn add(&mut self, code: &'static str, make: impl FnOnce() -> MeasuredFinding) {
        let count = self.counts.entry(code).or_insert(0);
        *count += 1;
        if *count <= MAX_FINDINGS_PER_CODE {
            self.list.push(make());
        }
    }

    pub(crate) fn count(&self, code: &str) -> usize {
        self.counts.get(code).copied().unwrap_or(0)
    }

    pub(crate) fn finish(mut self) -> Vec<MeasuredFinding> {
        for (code, count) in &self.counts {
            if *count > MAX_FINDINGS_PER_CODE {
                self.list.push(MeasuredFinding {
                    code,
                    weight: Weight::Note,
                    text: format!("{} more findings of this kind are not listed", count - MAX_FINDINGS_PER_CODE),
                    place: None,
                    evidence: format!("{count} in total"),
                });
            }
        }
        self.list
    }
}
