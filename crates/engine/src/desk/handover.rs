//! What a worker left beside its commit, so that nobody who was killed in between has to ask it again.
//!
//! The log is the only outbox, and a commit is not in it before the turn is answered. So the commit says whose it is,
//! in the last lines of its message, and names a blob with the rest of the answer. Whoever takes the turn up again finds
//! the commit, and answers as the one before it would have.
//!
//! # What binds it
//! - The commit is the last good one by our own books (`tree::state`), not by HEAD or a branch: those are the agent's
//!   to move.
//! - The three lines are the last ones of the message. An agent's words come before them, whatever they say.
//! - The blob names run, turn, parent and tree. It proves nothing by itself: a check prints what the work makes it
//!   print, and that is stored, too.
//!
//! # What does not hold
//! An agent without a sandbox that writes the leader's own files can forge all three, and the log as well. What it wins
//! is little: what was changed and the digests of the checks' files are looked up again, and checks and verifier come
//! after it.

use serde::{Deserialize, Serialize};
use tribunal_agents::{Answer, TurnRequest};
use tribunal_kernel::desk::{Incident, WorkAnswer};
use tribunal_kernel::{Digest, RunId, TurnId, Usage};

use crate::tree::{Recorded, Tip};

/// The last line of a worker's commit names the blob.
const ANSWER: &str = "Tribunal-Answer: ";

/// Everything of a worker's answer that its commit does not say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Handover {
    run: RunId,
    turn: TurnId,
    /// The commit that the work began from.
    pub(super) parent: String,
    tree: String,
    printed: String,
    memory: Option<String>,
    context: Option<String>,
    claim: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    blocked: Option<String>,
    incidents: Vec<Incident>,
    usage: Usage,
    session: Option<Box<str>>,
}

impl Handover {
    /// What a turn left: `work` so far, what the agent answered, and what the commit will hold.
    pub(super) fn new(request: &TurnRequest, recorded: &Recorded, work: WorkAnswer, answer: Answer) -> Self {
        Self {
            run: request.run,
            turn: request.turn,
            parent: recorded.parent.clone(),
            tree: recorded.tree.clone(),
            printed: answer.text,
            memory: work.memory,
            context: work.context,
            claim: work.claim,
            signal: work.signal,
            blocked: work.blocked,
            incidents: work.incidents,
            usage: answer.usage,
            session: answer.session,
        }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a handover is plain JSON")
    }

    /// What is in these bytes, if it was left by this turn in this commit.
    pub(super) fn read(bytes: &[u8], request: &TurnRequest, tip: &Tip) -> Option<Self> {
        let found: Self = serde_json::from_slice(bytes).ok()?;
        let is_of_turn = (found.run, found.turn) == (request.run, request.turn);
        let is_of_commit = found.tree == tip.tree && tip.parent.as_ref().is_none_or(|parent| *parent == found.parent);
        (is_of_turn && is_of_commit).then_some(found)
    }

    /// The work, as far as it does not follow from the commit; and the answer that it goes into.
    pub(super) fn open(self) -> (WorkAnswer, Answer) {
        let answer = Answer { text: String::new(), usage: self.usage, session: self.session };
        let work = WorkAnswer {
            printed: self.printed,
            memory: self.memory,
            context: self.context,
            claim: self.claim,
            signal: self.signal,
            blocked: self.blocked,
            tree: self.tree,
            incidents: self.incidents,
            ..WorkAnswer::default()
        };
        (work, answer)
    }
}

/// The last lines of the commit of a turn.
pub(super) fn trailers(request: &TurnRequest, answer: Digest) -> String {
    format!("Tribunal-Run: {}\nTribunal-Turn: {}\n{ANSWER}{answer}\n", request.run, request.turn)
}

/// The blob that a commit names, if it is this turn's.
pub(super) fn named(message: &str, request: &TurnRequest) -> Option<Digest> {
    let last = message.trim_end().lines().last()?.strip_prefix(ANSWER)?;
    let answer = Digest::parse(last)?;
    message.ends_with(&format!("\n\n{}", trailers(request, answer))).then_some(answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_kernel::{Round, SeatName};

    fn request(run: u128, turn: u32) -> TurnRequest {
        TurnRequest {
            place: String::new(),
            run: RunId(uuid::Uuid::from_u128(run)),
            r#loop: None,
            works_on_files: true,
            judges: false,
            round: Round(1),
            turn: TurnId(turn),
            seat: SeatName::new("worker"),
            task: "work".into(),
            model: None,
            effort: None,
            prompt: String::new(),
            stable: 0,
            attachments: Vec::new(),
            form: None,
            input: None,
            meter: tribunal_kernel::quote::TurnMeter::default(),
            is_resumed: false,
        }
    }

    #[test]
    fn the_last_lines_say_whose_a_commit_is_and_no_others_do() {
        let (ours, blob, other) = (request(1, 2), Digest::of("x"), Digest::of("forged"));
        let message = |summary: &str| format!("calc: iteration 1\n\n{summary}\n\n{}", trailers(&ours, blob));
        assert_eq!(named(&message("It adds."), &ours), Some(blob));
        // A worker writes the summary, and may write there what it likes.
        let forged = message(&format!("It adds.\n\n{}", trailers(&request(1, 6), other)));
        assert_eq!((named(&forged, &ours), named(&forged, &request(1, 6))), (Some(blob), None));
        for (name, text) in [
            ("another run", format!("x\n\n{}", trailers(&request(9, 2), blob))),
            ("another turn", format!("x\n\n{}", trailers(&request(1, 3), blob))),
            ("no digest", message("x").replace(&blob.to_string(), "x")),
            ("in a paragraph", format!("x\n{}", trailers(&ours, blob))),
            ("something after it", message("x") + "Receipt: test-1 passed\n"),
            ("nothing", String::new()),
        ] {
            assert_eq!(named(&text, &ours), None, "{name}");
        }
    }

    #[test]
    fn a_blob_counts_for_the_turn_and_the_commit_that_it_names() {
        let recorded = Recorded { tree: "tree".into(), parent: "parent".into(), left_out: Vec::new() };
        let ours = request(1, 2);
        let answer = Answer { text: "Done.".into(), ..Answer::default() };
        let bytes = Handover::new(&ours, &recorded, WorkAnswer::default(), answer).bytes();
        let tip = |tree: &str, parent: &str| Tip {
            id: "commit".into(),
            tree: tree.into(),
            parent: Some(parent.into()),
            message: String::new(),
        };
        let tip_of_work = tip("tree", "parent");
        assert_eq!(Handover::read(&bytes, &ours, &tip_of_work).unwrap().open().0.printed, "Done.");
        for (name, request, tip) in [
            ("another run", request(9, 2), tip_of_work.clone()),
            ("another turn", request(1, 3), tip_of_work.clone()),
            ("another tree", ours.clone(), tip("other", "parent")),
            ("another parent", ours.clone(), tip("tree", "other")),
        ] {
            assert!(Handover::read(&bytes, &request, &tip).is_none(), "{name}");
        }
        for bytes in [b"".as_slice(), b"{}", b"what a test printed"] {
            assert!(Handover::read(bytes, &ours, &tip_of_work).is_none());
        }
    }
}
