//! Links that vote: a message carries one for each answer, and whoever has it can give that answer, once.
//!
//! A link names the run, the question and the answer, and when it expires; the project's key signs all of it, so no part
//! can be changed. It is good for one vote: the question must still be open, and the link unused. Opening it casts
//! nothing, because programs that scan mail open links, too.

use std::fmt;
use tribunal_engine::Clock as _;
use tribunal_kernel::digest::Hasher;
use tribunal_kernel::{Digest, Run, RunId, Time, TurnId};
use tribunal_store::StoreError;
use tribunal_store::backend::VoteKey;

use crate::answer;
use crate::decide::{self, DecideRequest, Undecided};
use crate::error::AppError;
use crate::notify::signature;
use crate::people::{People, Question};
use crate::pool::RunPool;
use crate::project::Project;

/// Where links lead, on a server.
pub const VOTE_PATH: &str = "/vote";
/// Whose word it is, in the log.
const BY: &str = "a signed link";

/// What is voted on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VotedOn {
    /// What a person is asked.
    Turn(TurnId),
    /// An item that nobody could decide of a draft: the digest of both.
    Item(Digest),
}

/// A link, as it was opened. Nothing in it is believed before its signature is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoteLink {
    pub run: RunId,
    pub question: String,
    pub answer: String,
    /// In milliseconds since 1970.
    pub expires: u64,
    pub signature: String,
}

/// What a link would do, or did, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownVote {
    /// Which run, and whose turn.
    pub title: String,
    /// What is asked.
    pub asked: String,
    pub answer: String,
}

/// Why a link does not vote.
#[derive(Debug, thiserror::Error)]
pub enum VoteRefusal {
    #[error("this link was not made by this project, or was changed")]
    Forged,
    #[error("this link has expired")]
    Expired,
    #[error("this link was used already")]
    Used,
    #[error("this question is no longer open")]
    Closed,
    #[error("{0}")]
    Failed(#[from] AppError),
}

/// Who signs links, and checks them.
#[derive(Debug)]
pub struct Voter {
    key: VoteKey,
    /// Part of what is signed: a key that was copied to another project signs nothing of ours.
    project: String,
}

impl Voter {
    pub async fn of(project: &Project) -> Result<Self, StoreError> {
        let key = project.store.votes().key().await?;
        Ok(Self { key, project: project.store.project().await?.to_string() })
    }

    /// A link for this answer.
    pub fn sign(&self, run: RunId, question: &VotedOn, answer: &str, expires: Time) -> VoteLink {
        let link = VoteLink {
            run,
            question: question.to_string(),
            answer: answer.to_owned(),
            expires: expires.0,
            signature: String::new(),
        };
        VoteLink { signature: signature::sign(&self.key.0, &link.signed(&self.project)), ..link }
    }

    /// Whether a link is ours and still good.
    pub fn check(&self, link: &VoteLink, now: Time) -> Result<(), VoteRefusal> {
        if !signature::is_signed(&self.key.0, &link.signed(&self.project), &link.signature) {
            return Err(VoteRefusal::Forged);
        }
        if now.0 >= link.expires { Err(VoteRefusal::Expired) } else { Ok(()) }
    }
}

impl VoteLink {
    /// Its place on a server.
    pub fn path(&self) -> String {
        let Self { run, question, answer, expires, signature } = self;
        format!("{VOTE_PATH}/{run}/{question}/{answer}/{expires}/{signature}")
    }

    /// What its signature covers: every part with its length, so that no two links look alike.
    fn signed(&self, project: &str) -> Vec<u8> {
        let mut hash = Hasher::default();
        hash.field(b"tribunal vote 1").field(project.as_bytes()).field(self.run.0.as_bytes());
        hash.field(self.question.as_bytes()).field(self.answer.as_bytes()).field(&self.expires.to_le_bytes());
        hash.finish().0.to_vec()
    }

    /// What it is known by once it was used.
    fn id(&self) -> Digest {
        Digest::of(self.signature.as_bytes())
    }
}

impl VotedOn {
    /// An item of the draft that stands. Nothing, if none does.
    pub fn item(run: &Run, item: &str) -> Option<Self> {
        let round = run.rounds().last()?.round;
        let draft = run.standing(round)?.id;
        let mut hash = Hasher::default();
        hash.field(draft.to_string().as_bytes()).field(item.as_bytes());
        Some(Self::Item(hash.finish()))
    }
}

impl fmt::Display for VotedOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turn(turn) => write!(f, "turn-{turn}"),
            Self::Item(item) => write!(f, "item-{item}"),
        }
    }
}

/// What a link comes to: a text for a person's turn, or a word on an item.
enum Ballot {
    Answer(TurnId, String),
    Item(String),
}

/// What a link would do. It does nothing.
pub async fn show(project: &Project, link: &VoteLink) -> Result<ShownVote, VoteRefusal> {
    check(project, link).await?;
    Ok(find(project, link).await?.0)
}

/// Casts the vote of a link, and drives the run on.
pub async fn cast(project: &Project, pool: &RunPool, link: &VoteLink) -> Result<ShownVote, VoteRefusal> {
    check(project, link).await?;
    let (shown, ballot) = find(project, link).await?;
    let votes = project.store.votes();
    // Used up first: of two who use it at once, one does.
    if !votes.take(link.id()).await.map_err(AppError::from)? {
        return Err(VoteRefusal::Used);
    }
    let cast = async {
        match ballot {
            Ballot::Answer(turn, answer) => {
                answer::answer(project, pool, link.run, turn, serde_json::Value::String(answer)).await
            }
            Ballot::Item(item) => {
                let named = vec![item];
                let (met, broken) = if link.answer == "met" { (named, Vec::new()) } else { (Vec::new(), named) };
                let request = DecideRequest { by: BY.into(), met, broken, ..DecideRequest::default() };
                let session = decide::decide(project, link.run, request).await?;
                pool.take(project, vec![session]).await.map(drop)
            }
        }
    };
    match Box::pin(cast).await {
        Ok(()) => Ok(shown),
        Err(error) => {
            // Nothing was cast, so nothing was used. If it stays used up, a terminal still takes the answer.
            let _ = votes.give_back(link.id()).await;
            Err(error.into())
        }
    }
}

/// Whether a link is ours, in time, and unused.
async fn check(project: &Project, link: &VoteLink) -> Result<(), VoteRefusal> {
    let voter = Voter::of(project).await.map_err(AppError::from)?;
    voter.check(link, project.clock.now())?;
    if project.store.votes().is_used(link.id()).await.map_err(AppError::from)? {
        return Err(VoteRefusal::Used);
    }
    Ok(())
}

/// The open question that a link is about.
async fn find(project: &Project, link: &VoteLink) -> Result<(ShownVote, Ballot), VoteRefusal> {
    let run = std::sync::Arc::new(project.read(link.run).await?);
    let answer = link.answer.replace('_', " ");
    if link.question.starts_with("item-") {
        let open = Undecided::of(&run).map(|undecided| undecided.items).unwrap_or_default();
        let is_it = |name: &str| VotedOn::item(&run, name).is_some_and(|item| item.to_string() == link.question);
        let open = open.into_iter().find(|open| is_it(&open.item.item)).ok_or(VoteRefusal::Closed)?;
        let title = format!("{}: a person decides", run.spec().subject());
        return Ok((ShownVote { title, asked: open.words, answer }, Ballot::Item(open.item.item)));
    }
    let people = People::of(project.config());
    let open = people.open(&*project.store, &run).await.map_err(AppError::from)?;
    let turn = open.into_iter().find(|turn| VotedOn::Turn(turn.id).to_string() == link.question);
    let turn = turn.ok_or(VoteRefusal::Closed)?;
    let question = Question::of(&project.store, &run, turn).await?;
    let said = question.quick_answers().into_iter().find(|(word, _)| *word == link.answer);
    let (_, said) = said.ok_or(VoteRefusal::Closed)?;
    let shown = ShownVote { title: question.title(), asked: question.asked, answer };
    Ok((shown, Ballot::Answer(turn.id, said)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_link_is_for_one_project_run_question_and_answer_until_it_expires() {
        let voter = Voter { key: VoteKey([1; 32]), project: "shop".into() };
        let (run, other) = (RunId(Uuid::from_u128(1)), RunId(Uuid::from_u128(2)));
        let link = voter.sign(run, &VotedOn::Turn(TurnId(2)), "ok", Time(1000));
        assert!(voter.check(&link, Time(999)).is_ok());
        assert!(matches!(voter.check(&link, Time(1000)), Err(VoteRefusal::Expired)));
        let changed = [
            VoteLink { run: other, ..link.clone() },
            VoteLink { question: "turn-3".into(), ..link.clone() },
            VoteLink { answer: "changes_requested".into(), ..link.clone() },
            VoteLink { expires: 2000, ..link.clone() },
            VoteLink { signature: String::new(), ..link.clone() },
            // The same letters, cut elsewhere.
            VoteLink { question: "turn-2o".into(), answer: "k".into(), ..link.clone() },
        ];
        for changed in changed {
            assert!(matches!(voter.check(&changed, Time(0)), Err(VoteRefusal::Forged)), "{changed:?}");
        }
        for stranger in [
            Voter { key: VoteKey([2; 32]), project: "shop".into() },
            Voter { key: VoteKey([1; 32]), project: "bakery".into() },
        ] {
            assert!(matches!(stranger.check(&link, Time(0)), Err(VoteRefusal::Forged)));
        }
    }
}
