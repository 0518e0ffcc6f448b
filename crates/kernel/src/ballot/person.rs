//! What people decide where judges could not.

use serde::Serialize;

use super::{ItemState, JudgedItem, Vote, VoteWord};
use crate::{DraftId, Run};

/// What a person decided of an item that judges had left undecided, for one draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PersonVote {
    pub draft: DraftId,
    pub by: String,
    pub vote: Vote,
}

impl PersonVote {
    /// For whoever writes or judges next: what a person found wanting.
    pub(crate) fn told(&self) -> Option<String> {
        let Vote { item, says, why, .. } = &self.vote;
        let reason = why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        (*says == VoteWord::Broken).then(|| format!("The draft before did not do this: {item}{reason}"))
    }
}

impl JudgedItem {
    /// Takes a person's word: for what nobody else could tell, and for what is broken, whoever calls it met.
    fn take(&mut self, PersonVote { by, vote, .. }: &PersonVote) {
        self.state = match (vote.says, self.state) {
            (VoteWord::Broken, _) => ItemState::Broken,
            (VoteWord::Met, ItemState::Undecided) => ItemState::Met,
            (VoteWord::Met | VoteWord::CannotTell, _) => return,
        };
        let reason = vote.why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        self.why = Some(format!("decided by {by}{reason}"));
    }
}

impl Run {
    /// What is asked of the draft that stands and is not known to be met, as the last round left it.
    pub fn open_items(&self) -> Vec<JudgedItem> {
        self.spec().trial().open_items(self)
    }

    /// Takes people's word on a draft, or on the same text when it comes back; their last word counts.
    pub(crate) fn take_person_votes(&self, draft: DraftId, items: &mut [JudgedItem]) {
        if self.person_votes().is_empty() {
            return;
        }
        let text = |id: DraftId| self.drafts().find(|draft| draft.id == id).map(|draft| draft.text);
        let now = text(draft);
        let is_about = |cast: &&PersonVote| cast.draft == draft || now.is_some() && text(cast.draft) == now;
        let cast: Vec<&PersonVote> = self.person_votes().iter().filter(is_about).collect();
        for item in items {
            if let Some(vote) = cast.iter().rev().find(|cast| cast.vote.item == item.item) {
                item.take(vote);
            }
        }
    }
}
