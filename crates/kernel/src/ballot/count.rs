//! What the votes of several judges amount to.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use tribunal_anchors::RequirementLevel;

use super::{Vote, VoteWord};

/// So many equal votes, of judges that are not the same, decide an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quorum(pub u32);

/// How an item stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemState {
    Met,
    Broken,
    /// Nobody could tell, judges disagree, or nobody was asked. Never a pass.
    Undecided,
}

/// An item, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedItem {
    pub level: RequirementLevel,
    pub item: String,
    pub state: ItemState,
    /// What is wrong, or why nobody could tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// A SHOULD that does not hold, and the author says why.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub justified: bool,
}

/// The proof that every item of a list is met. There is no other way to get one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AllMet(());

/// Why there is no such proof.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OpenItems<'a> {
    pub broken: Vec<&'a JudgedItem>,
    pub undecided: Vec<&'a JudgedItem>,
}

/// How an item stands after the votes of these judges, and why. Each says in whose name it votes: of judges that are the
/// same model of the same provider, the first one counts.
pub fn count(item: &str, judges: &[(String, &[Vote])], quorum: Quorum) -> (ItemState, Option<String>) {
    let mut heard = BTreeSet::new();
    let mut votes: BTreeMap<VoteWord, Vec<&Vote>> = BTreeMap::new();
    for (judge, said) in judges {
        if let Some(vote) = said.iter().find(|vote| vote.item == item)
            && heard.insert(judge)
        {
            votes.entry(vote.says).or_default().push(vote);
        }
    }
    let of = |says: VoteWord| votes.get(&says).map(Vec::as_slice).unwrap_or_default();
    let needed = quorum.0.max(1) as usize;
    let reasons = |votes: &[&Vote]| {
        let told: BTreeSet<&str> = votes.iter().filter_map(|vote| vote.why.as_deref()).collect();
        (!told.is_empty()).then(|| told.into_iter().collect::<Vec<_>>().join("; "))
    };
    match (of(VoteWord::Met), of(VoteWord::Broken)) {
        (met, broken) if met.len() >= needed && met.len() > broken.len() => (ItemState::Met, None),
        (met, broken) if broken.len() >= needed && broken.len() > met.len() => (ItemState::Broken, reasons(broken)),
        ([], []) if heard.is_empty() => (ItemState::Undecided, Some("no judge was heard".into())),
        ([], []) => (ItemState::Undecided, reasons(of(VoteWord::CannotTell))),
        (met, broken) => {
            let why = format!("{} say met, {} say broken, {needed} equal votes are needed", met.len(), broken.len());
            (ItemState::Undecided, Some(why))
        }
    }
}

impl AllMet {
    /// Every item is met, or is a SHOULD that somebody gave a reason for. An empty list proves nothing.
    pub fn of(items: &[JudgedItem]) -> Result<Self, OpenItems<'_>> {
        let open = OpenItems::of(items);
        if items.is_empty() || !open.is_empty() {
            return Err(open);
        }
        Ok(Self(()))
    }
}

impl<'a> OpenItems<'a> {
    /// Those that are not met.
    pub fn of(items: &'a [JudgedItem]) -> Self {
        let of = |state: ItemState| items.iter().filter(move |item| item.state == state && !item.justified).collect();
        Self { broken: of(ItemState::Broken), undecided: of(ItemState::Undecided) }
    }

    pub fn is_empty(&self) -> bool {
        self.broken.is_empty() && self.undecided.is_empty()
    }

    /// In a sentence, for outcomes. Nothing, if nothing is open.
    pub fn told(&self) -> Option<String> {
        let of = |word: &str, items: &[&JudgedItem]| {
            let names: Vec<String> = items.iter().map(|item| format!("`{}`", item.item)).collect();
            (!names.is_empty()).then(|| format!("{word}: {}", names.join(", ")))
        };
        let told: Vec<String> =
            of("broken", &self.broken).into_iter().chain(of("undecided", &self.undecided)).collect();
        (!told.is_empty()).then(|| told.join("; "))
    }
}

impl ItemState {
    /// The word itself.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Broken => "broken",
            Self::Undecided => "undecided",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `m` met, `b` broken, `c` cannot tell, `-` the judge said nothing of it; a digit after it names the judge.
    fn state(votes: &str, quorum: u32) -> ItemState {
        let said: Vec<(String, Vec<Vote>)> = votes
            .split_whitespace()
            .enumerate()
            .map(|(index, word)| {
                let says = match word.as_bytes()[0] {
                    b'm' => Some(VoteWord::Met),
                    b'b' => Some(VoteWord::Broken),
                    b'c' => Some(VoteWord::CannotTell),
                    _ => None,
                };
                let judge = word.get(1..).filter(|name| !name.is_empty()).map_or(index.to_string(), str::to_owned);
                let vote = |says| Vote { item: "x".into(), says, quote: None, why: None };
                (judge, says.map(vote).into_iter().collect())
            })
            .collect();
        let judges: Vec<(String, &[Vote])> =
            said.iter().map(|(judge, votes)| (judge.clone(), votes.as_slice())).collect();
        count("x", &judges, Quorum(quorum)).0
    }

    #[test]
    fn only_equal_votes_of_different_judges_decide() {
        use ItemState::{Broken, Met, Undecided};
        let rows = [
            ("m", 1, Met),
            ("b", 1, Broken),
            ("c", 1, Undecided),
            ("-", 1, Undecided),
            ("", 1, Undecided),
            ("", 0, Undecided),
            ("c m", 1, Met),
            ("m b", 1, Undecided),
            ("m b b", 1, Broken),
            ("m", 2, Undecided),
            ("m m", 2, Met),
            ("m7 m7", 2, Undecided),
            ("m b", 2, Undecided),
            ("m b m", 2, Met),
            ("b c b", 2, Broken),
            ("m b m b", 2, Undecided),
        ];
        for (votes, quorum, expected) in rows {
            assert_eq!(state(votes, quorum), expected, "{votes:?}, quorum {quorum}");
        }
    }

    #[test]
    fn nothing_but_decided_items_proves_that_all_are_met() {
        let item = |state, justified| JudgedItem {
            level: RequirementLevel::Should,
            item: "x".into(),
            state,
            why: None,
            justified,
        };
        assert!(AllMet::of(&[]).is_err(), "nobody judged anything");
        assert!(AllMet::of(&[item(ItemState::Met, false)]).is_ok());
        assert!(AllMet::of(&[item(ItemState::Met, false), item(ItemState::Broken, true)]).is_ok());
        for open in [ItemState::Broken, ItemState::Undecided] {
            assert!(AllMet::of(&[item(ItemState::Met, false), item(open, false)]).is_err());
        }
    }
}
