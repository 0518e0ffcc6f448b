//! The snowball: what rolls through the run. Derived from the log, so a restart finds it as it was.

use tribunal_anchors::Anchor;

use super::settings::{MAIN, Settings};
use super::{COMPACT, JOUST};
use crate::mutation::{Mutation, Summon};
use crate::ruling::Ruling;
use crate::{Round, Run, Said, Score, SeatName, Turn};

/// What a seat said about the draft.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Remark<'r> {
    pub round: Round,
    pub seat: &'r SeatName,
    pub text: &'r str,
}

/// A specialist who was asked for, and by whom.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SummonRequest<'r> {
    /// Its number in the run, from 0.
    pub number: usize,
    pub summon: &'r Summon,
    pub requested_by: &'r SeatName,
    /// The round in which it was asked for.
    pub round: Round,
    /// Who is meant; nobody, if no specialist is called that: it is shown, and cannot be heard.
    pub seat: Option<&'r SeatName>,
}

impl SummonRequest<'_> {
    pub fn is_vacant(&self) -> bool {
        self.seat.is_none()
    }
}

/// The draft that was accepted last, with everything that came with it.
pub fn accepted(run: &Run) -> Option<(&Turn, &Mutation, &Ruling)> {
    mutations(run)
        .filter(|(_, _, ruling)| ruling.is_some_and(|ruling| ruling.accepted))
        .last()
        .map(|(turn, mutation, ruling)| (turn, mutation, ruling.expect("filtered for it")))
}

/// The draft that stood at the end of a round.
pub fn accepted_in(run: &Run, round: Round) -> Option<&Mutation> {
    // From the end of the round backwards: most of the time it is the first that is looked at.
    let until = run.turns_of(round).last().map_or(run.turns().len(), |turn| turn.id.0 as usize);
    let before = run.turns()[..until].iter().rev().filter(|turn| turn.round <= round);
    let mut taken = before.filter(|turn| turn.ruling.as_ref().is_some_and(|ruling| ruling.accepted));
    taken.find_map(|turn| match turn.said()? {
        Said::Mutation(mutation) => Some(&**mutation),
        _ => None,
    })
}

/// What drafts are judged against, until a person puts something else in its place.
pub(super) fn anchor(run: &Run) -> Option<&Anchor> {
    let bootstrapped = || mutations(run).find_map(|(_, mutation, _)| mutation.anchor.as_deref());
    run.spec().anchor.as_ref().or_else(bootstrapped)
}

/// Why this anchor, in the words of whoever chose it.
pub fn why<'r>(settings: &'r Settings, run: &'r Run) -> &'r str {
    let bootstrapped = mutations(run).find_map(|(_, mutation, _)| mutation.why.as_deref());
    bootstrapped.unwrap_or(&settings.why)
}

/// What was said since the trail was last put into few words.
pub fn trail(run: &Run) -> Vec<Remark<'_>> {
    let compacted = run.turns().iter().rposition(|turn| turn.task == COMPACT && turn.said().is_some());
    let since = compacted.map_or(0, |at| at + 1);
    mutations(run)
        // What the author of a rejected rewrite found wrong with the draft may be wrong itself.
        .filter(|(_, _, ruling)| ruling.is_some_and(|ruling| ruling.accepted))
        .filter(|(turn, _, _)| turn.id.0 as usize > since)
        .filter_map(|(turn, mutation, _)| {
            Some(Remark { round: turn.round, seat: &turn.seat, text: mutation.critique.as_deref()? })
        })
        .collect()
}

/// What is settled and need not be discussed again.
pub fn resolved(run: &Run) -> Vec<&str> {
    let resolved = run.turns().iter().filter_map(|turn| match turn.said()? {
        Said::Resolved { decisions } => Some(decisions),
        _ => None,
    });
    resolved.flatten().map(String::as_str).collect()
}

/// Every specialist that an accepted draft asked for, in order. Who asks for the same in the same round, or while it still
/// waits, asks for nothing new.
pub fn requests(run: &Run) -> Vec<SummonRequest<'_>> {
    let asked = mutations(run).filter(|(_, _, ruling)| ruling.is_some_and(|ruling| ruling.accepted));
    let mut requests: Vec<SummonRequest<'_>> = Vec::new();
    for (turn, summon) in asked.filter_map(|(turn, mutation, _)| Some((turn, mutation.summon.as_ref()?))) {
        let earlier = requests.iter().rev().find(|request| request.summon == summon);
        let is_new = earlier.is_none_or(|earlier| {
            let is_heard = |heard: &Turn| heard.task == summon_task(earlier.number) && heard.id < turn.id;
            earlier.round < turn.round && run.turns().iter().any(is_heard)
        });
        if is_new {
            let named = |seat: &&SeatName| seat.as_str().eq_ignore_ascii_case(summon.specialist.trim());
            let seat = run.spec().agent_seats().filter(|seat| **seat != *MAIN).find(named);
            let number = requests.len();
            requests.push(SummonRequest { number, summon, seat, requested_by: &turn.seat, round: turn.round });
        }
    }
    requests
}

/// Who can be summoned: everybody who is seated for nothing else.
pub fn specialists<'r>(settings: &'r Settings, run: &'r Run) -> impl Iterator<Item = &'r SeatName> {
    let Settings { jousters, linters, scorers, .. } = settings;
    let is_busy = move |seat: &SeatName| {
        *seat == *MAIN || [jousters, linters, scorers].into_iter().any(|seats| seats.contains(seat))
    };
    let is_ours = |seat: &SeatName| run.spec().def().engine_seats.contains(&seat.as_str());
    run.spec().seats.keys().filter(move |seat| !is_busy(seat) && !is_ours(seat))
}

/// The specialists that nobody has heard yet.
pub fn queue(run: &Run) -> Vec<SummonRequest<'_>> {
    let is_taken =
        |request: &SummonRequest<'_>| run.turns().iter().any(|turn| turn.task == summon_task(request.number));
    requests(run).into_iter().filter(|request| !is_taken(request)).collect()
}

/// What each round's draft was worth at its end; `under_this_anchor` leaves out rounds before the anchor was replaced.
pub fn history(run: &Run, under_this_anchor: bool) -> Vec<Score> {
    let since = run.anchored_since().filter(|_| under_this_anchor);
    let counts = |round: Round| since.is_none_or(|since| run.turns_of(round).any(|turn| turn.id >= since));
    let rounds = run.rounds().iter().filter(|state| counts(state.round));
    rounds.filter_map(|state| Some(state.tally.as_ref()?.composite)).collect()
}

/// The name of the call that hears a specialist.
pub(super) fn summon_task(number: usize) -> String {
    format!("summon:{number}")
}

/// Every rewrite that could be read, with what was ruled on it.
pub(super) fn mutations(run: &Run) -> impl Iterator<Item = (&Turn, &Mutation, Option<&Ruling>)> {
    run.turns().iter().filter_map(|turn| match turn.said()? {
        Said::Mutation(mutation) => Some((turn, &**mutation, turn.ruling.as_deref())),
        _ => None,
    })
}

/// Whether a seat was skipped in a round: none of its drafts was taken.
pub fn skipped(settings: &Settings, run: &Run, round: Round) -> Vec<SeatName> {
    let jousters = settings.jousters.iter().map(|seat| (seat, JOUST.to_owned()));
    let requests = requests(run);
    let specialists = requests.iter().filter_map(|request| Some((request.seat?, summon_task(request.number))));
    let is_skipped =
        |(seat, task): &(&SeatName, String)| matches!(run.slot(round, seat, task), crate::Slot::Exhausted { .. });
    jousters.chain(specialists).filter(is_skipped).map(|(seat, _)| seat.clone()).collect()
}

/// Who was skipped, and in which round.
pub fn tripped(run: &Run) -> impl Iterator<Item = (Round, &SeatName)> {
    let counted = run.rounds().iter().filter_map(|state| Some((state.round, state.tally.as_deref()?)));
    counted.flat_map(|(round, tally)| tally.missing.iter().map(move |seat| (round, seat)))
}

/// Whether the run has a draft to work on.
pub(super) fn has_begun(run: &Run) -> bool {
    accepted(run).is_some()
}
