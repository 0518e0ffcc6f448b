//! Who is asked for a vote, who after them, and who once more.

use super::{Ballot, ItemState, JudgedItem, Quorum, Vote, count};
use crate::rules::Heard;
use crate::trial::{Ask, Step};
use crate::{Run, SeatName};

/// What judges vote: as many as the quorum needs are asked, then one after the other while something is undecided. One who
/// brings no usable answer costs its own vote, and who has none is not asked. The error is what has to come first.
pub(crate) fn poll<'r>(
    run: &'r Run,
    ballot: &Ballot,
    judges: &[SeatName],
    quorum: u32,
    heard: impl Fn(&SeatName) -> Heard<'r>,
) -> Result<Vec<(String, &'r [Vote])>, Step> {
    let (mut votes, mut asks): (Vec<(String, &[Vote])>, Vec<Ask>) = (Vec::new(), Vec::new());
    if ballot.is_empty() {
        return Ok(votes);
    }
    let is_decided = |votes: &[(String, &[Vote])]| {
        ballot.items().iter().all(|item| count(&item.name, votes, Quorum(quorum)).0 != ItemState::Undecided)
    };
    let mut needed = quorum.max(1) as usize;
    for seat in judges.iter().filter(|seat| !run.has_no_vote(seat)) {
        if votes.len() + asks.len() >= needed {
            if !asks.is_empty() || is_decided(&votes) {
                break;
            }
            needed += 1;
        }
        match heard(seat) {
            Heard::Said(verdict) => votes.push((run.spec().voter(seat), &verdict.votes)),
            Heard::Ask(ask) => asks.push(ask),
            Heard::Failed(_) => {}
        }
    }
    if asks.is_empty() { Ok(votes) } else { Err(Step::Ask(asks)) }
}

/// What would pass on one judge's word is counted again before it does: by another judge where one is seated, otherwise by
/// the same one, who gets the items in reverse order (`heard` is told so). What is not met both times is undecided. The error
/// is what has to come first; where nobody may be asked, what is known counts.
pub(crate) fn recount<'r>(
    run: &'r Run,
    ballot: &Ballot,
    (judges, quorum): (&[SeatName], u32),
    items: &mut [JudgedItem],
    may_ask: bool,
    heard: impl Fn(&SeatName, bool) -> Heard<'r>,
) -> Result<(), Step> {
    let voter = |seat: &SeatName| run.spec().voter(seat);
    let with_vote: Vec<&SeatName> = judges.iter().filter(|seat| !run.has_no_vote(seat)).collect();
    let has_voted = |seat: &&&SeatName| matches!(heard(seat, false), Heard::Said(_));
    let Some(first) = with_vote.iter().find(has_voted) else { return Ok(()) };
    // A program says the same each time, and a quorum has counted twice already.
    if ballot.is_empty() || quorum > 1 || run.spec().controls.is_off() || !run.spec().is_controlled(first) {
        return Ok(());
    }
    let others = with_vote.iter().filter(|seat| voter(seat) != voter(first)).map(|seat| (*seat, false));
    let (mut second, mut asked): (Option<(&SeatName, &[Vote])>, Vec<Ask>) = (None, Vec::new());
    for (seat, again) in others.chain([(*first, true)]) {
        match heard(seat, again) {
            Heard::Said(verdict) => second = Some((seat, &verdict.votes)),
            Heard::Ask(_) if !may_ask => return Ok(()),
            Heard::Ask(ask) => asked.push(ask),
            // Who brings no usable answer costs its own vote: the next one counts.
            Heard::Failed(_) => continue,
        }
        break;
    }
    if !asked.is_empty() {
        return Err(Step::Ask(asked));
    }
    for item in items.iter_mut().filter(|item| item.state == ItemState::Met) {
        if !ballot.items().iter().any(|asked| asked.name == item.item) {
            continue;
        }
        let (state, why) = match second {
            Some((seat, votes)) => count(&item.item, &[(voter(seat), votes)], Quorum(1)),
            None => (ItemState::Undecided, Some("nobody counted it again".to_owned())),
        };
        if state != ItemState::Met {
            let why = why.map(|why| format!(": {why}")).unwrap_or_default();
            let by = second.map_or(String::new(), |(seat, _)| format!(" by {seat}"));
            item.why = Some(format!("met by {first}, and {} when it was counted again{by}{why}", state.as_str()));
            item.state = ItemState::Undecided;
        }
    }
    Ok(())
}
