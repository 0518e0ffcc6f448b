//! Attention items: whether a judge looks at all.
//!
//! Every judging call of a model carries two more items of known truth, numbered and worded like the others: words that
//! the draft has, and words that it does not have. A judge who gets one of them wrong, or leaves one out, has not looked,
//! and its vote does not count.

use super::quote::QuotedDraft;
use super::{Ballot, BallotItem, BallotLine, BallotReading, VoteWord};
use crate::Digest;
use crate::answer::Misfit;
use crate::digest::Hasher;
use tribunal_anchors::RequirementLevel;

/// So many words of the draft are asked for.
const WORDS: usize = 4;

/// What stands in no word.
const MARKS: [char; 12] = ['"', '{', '}', '<', '>', ';', '=', '(', ')', '[', ']', '|'];

/// Words that hardly any draft has; where one does, the next is taken. Never from a brief or a rule.
const ELSEWHERE: [&str; 24] = [
    "the ferry leaves at a quarter past six",
    "her uncle repaired clocks in Trieste",
    "seven goats stood on the garage roof",
    "nobody had wound the church clock since May",
    "the baker kept his ledger in green ink",
    "a heron landed beside the parked tram",
    "they painted the lighthouse every other spring",
    "the violin had been mended with fish glue",
    "his sister grew melons behind the station",
    "the ski lift ran backwards until noon",
    "four letters arrived without any stamps",
    "the museum lent its whale to a school",
    "an orange umbrella hung over the well",
    "the choir practised in an empty pool",
    "snow fell on the last day of harvest",
    "the postmaster collected foreign bus tickets",
    "two brothers shared a single winter coat",
    "the windmill was sold with all its owls",
    "she learned to juggle on a slow freighter",
    "the mayor's parrot answered the telephone",
    "they buried the time capsule under the stove",
    "a retired diver tuned the village pianos",
    "the map showed a lake that had never existed",
    "every chair in the library was a different blue",
];

/// A ballot with two items more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AttendedBallot {
    ballot: Ballot,
    /// Items, by id, and the only right answer.
    known: Vec<(String, VoteWord)>,
}

/// Where the two items stand and what they ask for: drawn from this, so that whoever reads the answer knows them, too.
pub(crate) fn seed(parts: &[&[u8]]) -> Digest {
    let mut hash = Hasher::default();
    hash.field(b"attention");
    for part in parts {
        hash.field(part);
    }
    hash.finish()
}

impl Ballot {
    /// The same with two items about this draft.
    pub(crate) fn attended(&self, draft: &str, seed: Digest) -> AttendedBallot {
        let drawn = |at: usize| usize::from(u16::from_le_bytes([seed.0[at], seed.0[at + 1]]));
        let mut items: Vec<(BallotItem, Option<VoteWord>)> =
            self.items.iter().cloned().map(|item| (item, None)).collect();
        let elsewhere = (0..ELSEWHERE.len()).map(|at| ELSEWHERE[(at + drawn(0)) % ELSEWHERE.len()]);
        let quoted = QuotedDraft::new(draft);
        let absent =
            elsewhere.into_iter().find(|words| !quoted.has(words)).map(|words| (words.to_owned(), VoteWord::Broken));
        let present = some_words(draft, drawn(2)).map(|words| (words, VoteWord::Met));
        // Worded like the others: what must not be is left aside, because something absent is right there.
        let levels: Vec<RequirementLevel> =
            self.items.iter().map(|item| item.level).filter(|level| *level != RequirementLevel::MustNot).collect();
        for (at, (words, right)) in [(4, absent), (6, present)].into_iter().filter_map(|(at, known)| Some((at, known?)))
        {
            let words = format!("contains the words \"{words}\"");
            let level = levels.get(drawn(at + 4) % levels.len().max(1)).copied().unwrap_or(RequirementLevel::Must);
            let item = BallotItem { id: String::new(), level, name: words.clone(), words };
            items.insert(drawn(at) % (items.len() + 1), (item, Some(right)));
        }
        let mut known = Vec::new();
        let numbered = items.into_iter().zip(1..).map(|((item, right), number)| {
            let id = format!("R{number}");
            known.extend(right.map(|right| (id.clone(), right)));
            BallotItem { id, ..item }
        });
        let ballot = Ballot { items: numbered.collect() };
        AttendedBallot { ballot, known }
    }
}

impl AttendedBallot {
    pub(crate) fn ballot(&self) -> &Ballot {
        &self.ballot
    }

    /// What the answer counts as, without the two items. The error is also a judge who has not looked.
    pub(crate) fn read(&self, lines: &[BallotLine], draft: &str, is_last: bool) -> Result<BallotReading, Misfit> {
        let quotable = QuotedDraft::new(draft);
        let known: Vec<(&BallotItem, VoteWord)> = self
            .known
            .iter()
            .filter_map(|(id, right)| Some((self.ballot.items.iter().find(|item| item.id == *id)?, *right)))
            .collect();
        // Before anything else is fed back: who leaves them out is not told which they are. Whoever sees words can quote
        // some, be they fewer than a rule would need.
        for (item, right) in &known {
            let given: Vec<&BallotLine> = lines.iter().filter(|line| line.is_about(item)).collect();
            let is_right = match given.as_slice() {
                [line] if *right == VoteWord::Met => {
                    line.says == *right && line.quote.as_deref().is_some_and(|quote| quotable.has(quote))
                }
                [line] => line.says == *right,
                _ => false,
            };
            if !is_right {
                let is_false_alarm = *right == VoteWord::Met && given.iter().any(|line| line.says == VoteWord::Broken);
                return Err(Misfit::Inattentive { is_false_alarm });
            }
        }
        let mut reading = self.ballot.read(lines, draft, is_last)?;
        let is_known = |name: &str| known.iter().any(|(item, _)| name.starts_with(&item.name));
        reading.votes.retain(|vote| !is_known(&vote.item));
        reading.corrections.retain(|correction| !is_known(&correction.given));
        Ok(reading)
    }
}

/// A few words of the draft, as its readers see it: words, and not what a page or a program is made of.
fn some_words(draft: &str, drawn: usize) -> Option<String> {
    let quoted = QuotedDraft::new(draft);
    let text = quoted.readable();
    let is_word = |word: &&str| word.chars().any(char::is_alphanumeric) && !word.contains(MARKS);
    let runs = text.lines().flat_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let runs = words.split(|word| !is_word(word)).map(<[&str]>::to_vec);
        runs.collect::<Vec<_>>()
    });
    let longest = runs.clone().map(|run| run.len()).max().unwrap_or_default();
    let length = WORDS.min(longest).max(1);
    let windows: Vec<String> =
        runs.flat_map(|run| run.windows(length).map(|words| words.join(" ")).collect::<Vec<_>>()).collect();
    let mut from_there = (0..windows.len()).map(|at| &windows[(drawn + at) % windows.len()]);
    from_there.find(|words| quoted.has(words)).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_anchors::{Rule, Test};

    const DRAFT: &str = "<p>We <b>move</b> in June, all of us, with everything that we have.</p>";

    fn attended(number: u8) -> AttendedBallot {
        let rule = Rule { test: Test::Semantic, id: None, rule: "says when".into() };
        Ballot::of([(RequirementLevel::Must, &rule)]).attended(DRAFT, seed(&[&[number]]))
    }

    /// Answers every item; `known` says how those of known truth are.
    fn answer(ballot: &AttendedBallot, known: impl Fn(VoteWord) -> Option<VoteWord>) -> Vec<BallotLine> {
        let line = |id: &str, says| BallotLine {
            id: id.to_owned(),
            says,
            quote: Some("We move in June".into()),
            absent: true,
            why: None,
        };
        let of = |item: &BallotItem| match ballot.known.iter().find(|(id, _)| *id == item.id) {
            Some((_, right)) => known(*right).map(|says| line(&item.id, says)),
            None => Some(line(&item.id, VoteWord::Met)),
        };
        ballot.ballot.items.iter().filter_map(of).collect()
    }

    #[test]
    fn who_looks_is_heard_and_who_does_not_is_not() {
        let mut places = std::collections::BTreeSet::new();
        for number in 0..40 {
            let ballot = attended(number);
            assert_eq!((ballot.ballot.items.len(), ballot.known.len()), (3, 2));
            places.insert(ballot.known.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>());
            for (id, right) in &ballot.known {
                let item = ballot.ballot.items.iter().find(|item| item.id == *id).unwrap();
                let words = item.words.split('"').nth(1).unwrap();
                assert_eq!(QuotedDraft::new(DRAFT).has(words), *right == VoteWord::Met, "{words}");
            }
            let votes = ballot.read(&answer(&ballot, Some), DRAFT, false).unwrap().votes;
            assert_eq!(votes.iter().map(|vote| vote.item.as_str()).collect::<Vec<_>>(), ["says when"]);
            for says in [VoteWord::Met, VoteWord::Broken, VoteWord::CannotTell] {
                let always = answer(&ballot, |_| Some(says));
                let read = ballot.read(&always, DRAFT, false);
                let is_false_alarm = says == VoteWord::Broken;
                assert_eq!(read, Err(Misfit::Inattentive { is_false_alarm }), "who always says {says:?}");
            }
            let left_out = ballot.read(&answer(&ballot, |_| None), DRAFT, true);
            assert_eq!(left_out, Err(Misfit::Inattentive { is_false_alarm: false }), "left out");
        }
        assert_eq!(places.len(), 3, "they stand anywhere: {places:?}");
    }

    #[test]
    fn an_empty_draft_has_no_words_to_ask_for() {
        let ballot = Ballot::default().attended("", seed(&[]));
        assert_eq!(ballot.known.iter().map(|(_, right)| *right).collect::<Vec<_>>(), [VoteWord::Broken]);
        let ballot = Ballot::default().attended("Bread", seed(&[]));
        assert_eq!(ballot.known.len(), 2);
        let page = "<style>p { color: #111; margin: 2rem } /* some words of a style */</style><!-- a note to nobody at all -->\
                    <h1>Move it all</h1><p>Every <b>draft</b> is judged before it ships.</p><ul><li>Bring it all here</ul>";
        for number in 0..40 {
            let words = some_words(page, number).unwrap();
            let is_whole = ["Every draft is judged before it ships.", "Bring it all here"]
                .iter()
                .any(|line| line.contains(&words));
            assert!(is_whole && QuotedDraft::new(page).has(&words), "{words}");
        }
    }
}
