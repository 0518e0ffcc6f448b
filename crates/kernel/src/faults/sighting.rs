//! A finding, who made it, and on which text.

use std::collections::BTreeMap;

use crate::ballot::VoteWord;
use crate::{Ask, Digest, Finding, Round, Run, RunId, Said, SeatName, Severity, Turn, Verdict};

/// What a judge held against a text.
#[derive(Debug, Clone)]
pub struct Sighting<'r> {
    pub run: RunId,
    pub round: Round,
    pub seat: &'r SeatName,
    pub finding: &'r Finding,
    /// The words of the text that it is about, where a ballot asked for them.
    pub(super) quote: Option<&'r str>,
}

/// A judge who looked at a text, and what came of it.
#[derive(Debug, Clone)]
pub(super) struct Look<'r> {
    /// In whose name it votes: the same model in two seats has one opinion.
    pub(super) judge: String,
    pub(super) text: Digest,
    pub(super) sightings: Vec<Sighting<'r>>,
}

/// Every look of a judge with an opinion, in order. What we measured ourselves is none: a program always finds what it looks
/// for and never anything else, so that it says nothing of what is overlooked. Nor is a turn that speaks for several seats:
/// they know of each other.
pub(super) fn looks(run: &Run) -> Vec<Look<'_>> {
    looks_among(run, run.turns())
}

/// Whether somebody with an opinion answered in a round without telling what it saw.
pub(super) fn is_anybody_silent(run: &Run, round: Round) -> bool {
    let trial = run.spec().trial();
    let is_silent = |turn: &Turn| {
        let verdict = turn.said().and_then(Said::verdict);
        verdict.is_some_and(|verdict| has_opinion(run, &turn.seat) && !trial.is_told(verdict))
    };
    run.turns_of(round).any(is_silent)
}

fn has_opinion(run: &Run, seat: &SeatName) -> bool {
    let spec = run.spec();
    let is_ours = spec.is_measured(seat) || spec.def().engine_seats.contains(&seat.as_str());
    !is_ours && !run.has_no_vote(seat)
}

/// Those that these turns took.
pub(super) fn looks_among<'r>(run: &'r Run, turns: impl IntoIterator<Item = &'r Turn>) -> Vec<Look<'r>> {
    let (spec, trial) = (run.spec(), run.spec().trial());
    let judges: BTreeMap<&SeatName, String> =
        spec.seats.keys().filter(|seat| has_opinion(run, seat)).map(|seat| (seat, spec.voter(seat))).collect();
    let look = |turn: &'r Turn| {
        let (judge, verdict) = (judges.get(&turn.seat)?, turn.said()?.verdict()?);
        if !trial.is_told(verdict) {
            return None;
        }
        let text = trial.judged(run, &Ask::of(turn))?.text;
        let sightings = verdict.findings.iter().filter(|finding| is_fault(finding)).map(|finding| Sighting {
            run: spec.run,
            round: turn.round,
            seat: &turn.seat,
            finding,
            quote: quote_of(verdict, finding),
        });
        Some(Look { judge: judge.clone(), text, sightings: sightings.collect() })
    };
    turns.into_iter().filter_map(look).collect()
}

/// What speaks against something settled, came too late, or would merely be nice is no fault.
fn is_fault(finding: &Finding) -> bool {
    !finding.contested && Severity::Should <= finding.severity
}

fn quote_of<'r>(verdict: &'r Verdict, finding: &Finding) -> Option<&'r str> {
    let item = finding.target.as_deref()?;
    let vote = verdict.votes.iter().find(|vote| vote.item == item && vote.says == VoteWord::Broken)?;
    vote.quote.as_deref()
}
