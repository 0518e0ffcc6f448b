//! Late demands: raised against words that the same judge saw before and let stand.

use crate::ballot::quoted_in_both;
use crate::finding::Complaint;
use crate::verdict::Correction;
use crate::{Run, Severity, Turn};

/// The correction of a demand that comes too late.
pub const LATE: &str = "late";

/// Contests demands about words that stood in the draft which this judge judged last, and were not demanded then. They are
/// recorded and shown, and not obeyed: who judges the same words twice does not get to change their mind for ever. What an
/// anchor demands or was measured is not among them. Gives a correction for each.
pub(crate) fn contest(run: &Run, turn: &Turn, before: &str, now: &str, demands: &mut [Complaint]) -> Vec<Correction> {
    let mut corrections = Vec::new();
    for demand in demands.iter_mut().filter(|demand| demand.severity == Severity::MustFix) {
        let is_known = run.findings().iter().any(|life| life.by == turn.seat && life.finding.text == demand.text);
        if let Some(quote) = quoted_in_both(before, now, &demand.text).filter(|_| !is_known) {
            demand.contested = true;
            corrections.push(Correction {
                given: demand.text.clone(),
                rule: LATE.into(),
                why: format!("{quote:?} stood there when {} judged it last, and was not objected to", turn.seat),
            });
        }
    }
    corrections
}
