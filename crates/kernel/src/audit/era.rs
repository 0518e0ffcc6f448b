//! What earlier versions decided by other rules.
//!
//! A log shows in which format its spec is written, and with that by which rules it was decided. Where they were others
//! than today's, a difference says nothing: neither that the log is right, nor that it is wrong. Here is which events that
//! are; everything else of an old run has to follow like that of a new one.

use super::AuditAbout;
use crate::desk::desk_of;
use crate::joust::joust_of;
use crate::{Entry, Event, Outcome, Run, Said, Verdict};

/// The format of the specs that version 0.1 wrote.
const FIRST: u32 = 1;

/// Why a difference in this event says nothing, if it does not.
pub(super) fn unchecked(run: &Run, entry: &Entry, about: AuditAbout) -> Option<&'static str> {
    let spec = run.spec();
    if spec.format != FIRST || !matches!(about, AuditAbout::Said | AuditAbout::Decided) {
        return None;
    }
    // How a run ends was said by its last decision then as now.
    if let Event::RunClosed { outcome, .. } = &entry.event
        && (run.decision().outcome.is_some_and(|decided| decided != *outcome) || is_unearned(run, entry))
    {
        return None;
    }
    if joust_of(spec).is_some() {
        return Some("version 0.1 judged jousts without ballots, and recorded none");
    }
    if desk_of(spec).is_some() {
        return Some("version 0.1 judged desks by other rules, and recorded less of what was seen");
    }
    None
}

/// Whether a verdict is not what its seat said. The rules that change what counts are others than they were; what somebody
/// answered is the same at all times.
pub(super) fn is_turned(then: &Said, now: &Said) -> bool {
    let own = |verdict: &Verdict| verdict.corrections.first().map_or(&verdict.word, |it| &it.given).clone();
    match (then.verdict(), now.verdict()) {
        (Some(then), Some(now)) => own(then) != own(now) || (then.word == now.word && then.judgement != now.judgement),
        (None, None) => false,
        _ => true,
    }
}

/// Whether a run ends as passed that no round decided to pass.
fn is_unearned(run: &Run, entry: &Entry) -> bool {
    let is_pass = matches!(&entry.event, Event::RunClosed { outcome, .. } if outcome.is_pass());
    is_pass && !run.decision().outcome.is_some_and(Outcome::is_pass)
}
