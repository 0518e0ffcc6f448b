//! Verifiers: whether a change does what it is asked to, by ballot. They are asked only about what holds by what was run.

use serde::Serialize;

use super::{REVERIFY, Settings, VERIFY, judge_of};
use crate::ballot::{self, AllMet, Ballot, ItemState, JudgedItem, OpenItems, Quorum, Vote, VoteWord};
use crate::prompt::{Content, Part, Prompt};
use crate::rules::{self, Heard};
use crate::trial::{Ask, Step};
use crate::{Decision, Draft, Outcome, Round, Run, SeatName, Tally, Turn, Verdict};

/// The change as text, if somebody votes on it.
pub(super) fn change_of(run: &Run) -> Option<&Draft> {
    judge_of(run.spec())?.change.as_ref()
}

/// How everything stands that the change is asked to do. The error is what has to come first.
pub(super) fn items(settings: &Settings, run: &Run, collected: &Turn, may_ask: bool) -> Result<Vec<JudgedItem>, Step> {
    let ballot = rules::ballot(run);
    let heard =
        |seat: &SeatName, again: bool| rules::heard(run, collected, seat, if again { REVERIFY } else { VERIFY });
    ballot::poll(run, &ballot, &settings.verifiers, settings.quorum, |seat| heard(seat, false))?;
    let votes: Vec<(String, Vec<Vote>)> = settings
        .verifiers
        .iter()
        .filter_map(|seat| {
            Some((run.spec().voter(seat), counted(settings, run, seat, &voted(run, collected, seat)?.votes)))
        })
        .collect();
    let votes: Vec<(String, &[Vote])> = votes.iter().map(|(voter, votes)| (voter.clone(), votes.as_slice())).collect();
    let judged = ballot.items().iter().map(|item| {
        let (state, why) = ballot::count(&item.name, &votes, Quorum(settings.quorum));
        JudgedItem { level: item.level, item: item.name.clone(), state, why, justified: false }
    });
    let mut items: Vec<JudgedItem> = judged.collect();
    let person = |items: &mut [JudgedItem]| {
        if let Some(change) = &settings.change {
            run.take_person_votes(change.id, items);
        }
    };
    person(&mut items);
    // Only what would pass is counted again.
    if AllMet::of(&items).is_ok() {
        let seats = (settings.verifiers.as_slice(), settings.quorum);
        ballot::recount(run, &ballot, seats, &mut items, may_ask, heard)?;
        person(&mut items);
    }
    Ok(items)
}

/// The votes of a verifier as they count: who called something met in a change that does nothing cannot tell; and what is not
/// seen in a part of the change may be in the rest.
fn counted(settings: &Settings, run: &Run, seat: &SeatName, votes: &[Vote]) -> Vec<Vote> {
    let missed = run.missed_in_control(seat);
    let ballot = rules::ballot(run);
    let is_missed = |vote: &Vote| {
        let item = ballot.items().iter().find(|item| item.name == vote.item);
        item.is_some_and(|item| missed.contains(item.words.as_str()))
    };
    let counted = votes.iter().map(|vote| {
        let why = match vote.says {
            VoteWord::Met if is_missed(vote) => {
                Some(format!("{seat} calls it met in a change that does nothing of it, too"))
            }
            VoteWord::Broken if vote.quote.is_none() && settings.is_cut => {
                Some("it is not in the part of the change that was shown".to_owned())
            }
            _ => None,
        };
        match why {
            Some(why) => Vote { says: VoteWord::CannotTell, quote: None, why: Some(why), ..vote.clone() },
            None => vote.clone(),
        }
    });
    counted.collect()
}

/// What becomes of a change that holds, once everything was put to the vote.
pub(super) fn decide(
    settings: &Settings,
    run: &Run,
    (collected, items): (&Turn, &[JudgedItem]),
    (held, tally): (Decision, Tally),
    round: Round,
) -> Step {
    let open = OpenItems::of(items);
    let decision = match AllMet::of(items) {
        Ok(_) => {
            let reason = held.reason.unwrap_or_default();
            Decision::terminal(Outcome::Converged, round, format!("it does what it is asked to; {reason}"))
        }
        Err(open) if !open.broken.is_empty() => {
            let told = open.told().unwrap_or_default();
            Decision::terminal(Outcome::Blocked, round, format!("not_as_asked: {told}"))
        }
        Err(open) => {
            let told = open.told().unwrap_or_else(|| "nothing was put to the vote".to_owned());
            let lost = lost(settings, run, collected);
            let reason = [told].into_iter().chain(lost).collect::<Vec<_>>().join("; ");
            Decision::terminal(Outcome::NeedsHuman, round, reason)
        }
    };
    let must_fix = u32::try_from(open.broken.len()).unwrap_or(u32::MAX);
    let open: Vec<JudgedItem> = open.broken.into_iter().chain(open.undecided).cloned().collect();
    let missing = settings.verifiers.iter().filter(|seat| voted(run, collected, seat).is_none()).cloned().collect();
    let composite = if open.is_empty() { tally.composite } else { crate::Score::ZERO };
    let tally = Tally { composite, must_fix, missing, open, ..tally };
    Step::Close { round, decision, tally: Some(Box::new(tally)) }
}

/// Verifiers whose word does not count, and why.
fn lost(settings: &Settings, run: &Run, collected: &Turn) -> Vec<String> {
    let why = |seat: &SeatName| match (run.why_no_vote(seat), rules::heard(run, collected, seat, VERIFY)) {
        (Some(why), _) => Some(format!("no vote: {why}")),
        (None, Heard::Failed(why)) => Some(why),
        (None, Heard::Said(_) | Heard::Ask(_)) => None,
    };
    settings.verifiers.iter().filter_map(why).collect()
}

/// What a verifier said, as far as it counts.
fn voted<'r>(run: &'r Run, collected: &Turn, seat: &SeatName) -> Option<&'r Verdict> {
    match rules::heard(run, collected, seat, VERIFY) {
        Heard::Said(verdict) if !run.has_no_vote(seat) => Some(verdict),
        Heard::Said(_) | Heard::Ask(_) | Heard::Failed(_) => None,
    }
}

/// Everything that was asked of the change: how it stands, and what each verifier says of it. Nothing, if nobody was to vote.
pub fn asked_of(run: &Run) -> Vec<AskedItem<'_>> {
    let (Some(settings), Some(collected)) = (judge_of(run.spec()), super::collected(run)) else { return Vec::new() };
    if settings.verifiers.is_empty() {
        return Vec::new();
    }
    // What holds no water by what was run was not put to the vote.
    let items = items(settings, run, collected, false).unwrap_or_default();
    let votes_on = |item: &str| {
        let seats = settings.verifiers.iter();
        let said = seats.filter_map(|seat| Some((seat, voted(run, collected, seat)?)));
        let votes = said.filter_map(|(seat, said)| {
            let Vote { says, quote, why, .. } = said.votes.iter().find(|vote| vote.item == item)?;
            Some(SeatVote { seat, says: *says, quote: quote.as_deref(), why: why.as_deref() })
        });
        votes.collect()
    };
    let asked = items.into_iter().map(|item| AskedItem { votes: votes_on(&item.item), item });
    asked.collect()
}

/// One thing that the change is asked to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AskedItem<'r> {
    #[serde(flatten)]
    pub item: JudgedItem,
    /// What the verifiers say of it.
    pub votes: Vec<SeatVote<'r>>,
}

/// What one of them says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeatVote<'r> {
    pub seat: &'r SeatName,
    pub says: VoteWord,
    pub quote: Option<&'r str>,
    pub why: Option<&'r str>,
}

impl AskedItem<'_> {
    pub fn is_met(&self) -> bool {
        self.item.state == ItemState::Met
    }

    /// What it rests on: the words that somebody quotes, or why it is not met.
    pub fn told(&self) -> Option<String> {
        let quoted = || self.votes.iter().find_map(|vote| Some(format!("{}: {}", vote.seat, vote.quote?)));
        self.item.why.clone().or_else(quoted)
    }
}

/// The items of a call, in the order of the call.
pub(super) fn ballot_of(run: &Run, task: &str) -> Ballot {
    let ballot = rules::ballot(run);
    if task.split(':').next() == Some(REVERIFY) { ballot.reversed() } else { ballot }
}

pub(super) fn prompt(settings: &Settings, run: &Run, ask: &Ask) -> Prompt {
    let change = change_of(run);
    let [items, how] = rules::put(run, ask, &ballot_of(run, &ask.task), change);
    let mut parts = vec![Part::Text(format!(
        "Seat: {}\nChange: {}\n\nSomebody changed a repository. You judge whether the change does what it is asked to, item \
         by item, and nothing else. The draft below is the change as a patch: what it does not show, it does not do. Only \
         if its last line says that more is missing, you cannot tell what you do not see. Quote lines that it adds; one that it \
         takes away with its `-`.",
        ask.seat, settings.name
    ))];
    parts.extend([items, Part::Break]);
    if let Some(evidence) = super::evidence_of(run) {
        let text = evidence.side_by_side();
        parts.push(Part::Text("What was run, without the change and with it:".into()));
        parts.push(Part::Material { label: "what was seen", content: Content::Text(text) });
    }
    let draft = change.map(|change| Part::Material { label: rules::DRAFT, content: Content::Blob(change.content) });
    parts.extend(draft);
    parts.push(Part::ForPerson("Please judge whether the change does what it is asked to, item by item.".into()));
    parts.push(how);
    parts.push(Part::answer_form::<ballot::BallotAnswer>());
    Prompt { template: "judge_verify", parts }
}
