//! Late demands: raised against a text that the same judge saw before and had nothing against.

use crate::finding::Complaint;
use crate::verdict::Correction;
use crate::{Judgement, Severity, Turn, Verdict};

/// The correction of a demand that comes too late.
pub const LATE: &str = "late";

/// Contests the demands of a judge who passed the same text before. They are recorded and shown, and not obeyed: who judges
/// the same words twice does not get to change their mind for ever. Where anything was changed a demand may follow from
/// that, so it counts; and so does what an anchor demands or was measured. Gives a correction for each.
pub(crate) fn contest(turn: &Turn, before: &Verdict, demands: &mut [Complaint]) -> Vec<Correction> {
    if before.judgement != Judgement::Pass || before.must_fixes().next().is_some() {
        return Vec::new();
    }
    let mut corrections = Vec::new();
    for demand in demands.iter_mut().filter(|demand| demand.severity == Severity::MustFix) {
        demand.contested = true;
        let why = format!("{} passed the same text before, without this demand", turn.seat);
        corrections.push(Correction { given: demand.text.clone(), rule: LATE.into(), why });
    }
    corrections
}
