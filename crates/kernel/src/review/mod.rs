//! Loop 1, review: a creator writes a candidate for one asset, a reviewer judges it, until both agree.

mod answers;
mod def;
mod gate;
mod prompts;

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

use crate::answer::Misfit;
use crate::ballot::{self, BallotReading, JudgedItem, OpenItems, Vote, VoteWord};
use crate::circles::Circle;
use crate::finding::Complaint;
use crate::prompt::Prompt;
use crate::rules;
use crate::trial::{Ask, Exhibits, Outlook, Reading, Step, Trial};
use crate::turn::TurnErrorKind;
use crate::verdict::Correction;
use crate::{
    Decision, Digest, Draft, DraftId, Judgement, Outcome, Round, Run, Said, SeatName, Severity, Slot, Turn, Verdict,
};

pub use answers::{CreatorAnswer, ReviewWord, ReviewerAnswer};
pub use def::{DEF, KEYS};

/// The seat that drafts, and what it is asked.
pub const CREATOR: &str = "creator";
/// The seat that judges.
pub const REVIEWER: &str = "reviewer";
/// The creator's task.
pub const DRAFT: &str = "draft";
/// The reviewer's task.
pub const REVIEW: &str = "review";

/// The settings of a review, and what its workspace held when the run was opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    pub asset: String,
    pub max_iterations: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop_on_needs_human: bool,
    /// A run that goes in circles ends before its last iteration.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop_in_circles: bool,
    /// Once content is selected for this asset it may not change.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub locked: bool,
    #[serde(default)]
    pub given: ReviewGiven,
}

/// What was there before the run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReviewGiven {
    /// The newest candidate, shown to the creator's first turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<Draft>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<SelectedContent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior: Option<PriorIterations>,
    /// Ids that other candidates have.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub taken: BTreeSet<DraftId>,
}

/// Content that was selected earlier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectedContent {
    pub text: Digest,
    /// The file that holds it, relative to the workspace.
    pub file: String,
}

/// Iterations that are not in this run's log: another program made them, or an older run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriorIterations {
    pub iterations: Round,
    /// The blob with the iterations, as the workspace held them.
    pub protocol: Digest,
    /// The blob with the last review.
    pub review: Digest,
}

impl Trial for Settings {
    fn subject(&self) -> &str {
        &self.asset
    }

    fn main_seat(&self) -> &str {
        CREATOR
    }

    fn seats(&self) -> Vec<&str> {
        vec![CREATOR, REVIEWER]
    }

    fn next(&self, run: &Run) -> Step {
        let decision = run.decision();
        if let (true, Some(outcome)) = (decision.is_settled(), decision.outcome) {
            return Step::End { outcome, reason: decision.reason.clone().unwrap_or_default() };
        }
        let last = run.last_round(self.max_iterations);
        let round = match run.rounds().last() {
            None => return open(self.first_round(), last),
            Some(state) if state.closed.is_some() => return open(state.round.next(), last),
            Some(state) => state.round,
        };

        let creator = SeatName::new(CREATOR);
        let (drafted, done) = match run.slot(round, &creator, DRAFT) {
            Slot::Answered { turn, said: Said::Draft { done, .. } } => match rules::hold(run, turn) {
                Some(step) => return step,
                None => (turn, done.unwrap_or_default()),
            },
            // The creator answers, and every draft breaks a rule: that is a judgement of the work, for a person to look at.
            Slot::Exhausted { error, .. } if run.turns_of(round).any(|turn| turn.rejection.is_some()) => {
                let reason = format!("no draft keeps the rules: {}", error.message);
                return Step::close(round, Decision::terminal(Outcome::NeedsHuman, round, reason));
            }
            Slot::Exhausted { error, attempts } => return exhausted(&creator, attempts, &error.message),
            Slot::Open { .. } | Slot::InFlight | Slot::Answered { .. } => {
                return Step::Ask(vec![Ask::new(round, creator, DRAFT)]);
            }
        };

        let reviewer = SeatName::new(REVIEWER);
        match run.slot(round, &reviewer, REVIEW) {
            Slot::Answered { .. } if let Some(why) = run.why_no_vote(&reviewer) => no_vote(round, &why),
            Slot::Answered { said: Said::Verdict(verdict), .. } => {
                let held = rules::held(run, drafted, &[(run.spec().voter(&reviewer), verdict)]);
                let circle = Circle::of(run, round).filter(|_| self.stop_in_circles);
                Step::close(round, gate::decide(self, round, last, done, verdict, &held, circle.as_ref()))
            }
            Slot::Exhausted { error, .. } if error.kind == TurnErrorKind::Inattentive => {
                no_vote(round, &format!("{reviewer} got wrong what is known of the draft"))
            }
            Slot::Exhausted { error, attempts } => exhausted(&reviewer, attempts, &error.message),
            Slot::Open { .. } | Slot::InFlight | Slot::Answered { .. } => {
                Step::Ask(vec![Ask::new(round, reviewer, REVIEW)])
            }
        }
    }

    fn prompt(&self, run: &Run, ask: &Ask) -> Prompt {
        if ask.task == DRAFT { prompts::creator(self, run, ask.round) } else { prompts::reviewer(self, run, ask) }
    }

    fn read(&self, run: &Run, turn: &Turn, answer: &str, exhibits: &Exhibits) -> Result<Reading, Misfit> {
        if turn.task == DRAFT {
            self.read_draft(run, turn, answer)
        } else {
            self.read_review(run, turn, answer, exhibits)
        }
    }

    fn judges(&self) -> Vec<&str> {
        vec![REVIEWER]
    }

    fn judged<'r>(&self, run: &'r Run, ask: &Ask) -> Option<&'r Draft> {
        (ask.task == REVIEW).then(|| draft_of(run, ask.round)).flatten()
    }

    fn open_items(&self, run: &Run) -> Vec<JudgedItem> {
        let Some(round) = run.rounds().last().map(|state| state.round) else { return Vec::new() };
        let Slot::Answered { turn, .. } = run.slot(round, &SeatName::new(CREATOR), DRAFT) else { return Vec::new() };
        let reviewer = SeatName::new(REVIEWER);
        let verdict = verdict_of(run, round).filter(|_| !run.has_no_vote(&reviewer));
        let judges: Vec<_> = verdict.into_iter().map(|verdict| (run.spec().voter(&reviewer), verdict)).collect();
        let items = rules::items(run, turn, &judges);
        let OpenItems { broken, undecided } = OpenItems::of(&items);
        broken.into_iter().chain(undecided).cloned().collect()
    }

    fn exhibits(&self, run: &Run, turn: &Turn) -> Vec<Digest> {
        let is_vote = turn.task == REVIEW && rules::is_balloted(run, &rules::ballot(run), &turn.seat);
        let judged = draft_of(run, turn.round).filter(|_| is_vote);
        judged.map(|draft| draft.content).into_iter().collect()
    }

    fn outlook(&self, done: u32) -> Outlook {
        let left = self.max_iterations.saturating_sub(self.rounds_before()).saturating_sub(done);
        Outlook::new(self.max_iterations, [CREATOR, REVIEWER].map(|seat| (SeatName::new(seat), left)))
    }

    fn cites(&self) -> Vec<Digest> {
        let mut blobs: Vec<Digest> = self.given.seed.iter().map(|draft| draft.content).collect();
        blobs.extend(self.given.prior.iter().flat_map(|prior| [prior.protocol, prior.review]));
        blobs
    }

    fn rounds_before(&self) -> u32 {
        self.given.prior.as_ref().map_or(0, |prior| prior.iterations.0)
    }

    fn inherited(&self) -> Option<&Decision> {
        self.given.decision.as_ref()
    }
}

impl Settings {
    /// The number of the first iteration that this run makes.
    pub fn first_round(&self) -> Round {
        Round(self.rounds_before() + 1)
    }

    /// The file that holds the selected content of `draft`, relative to the workspace.
    pub fn selected_file(&self, draft: &Draft) -> String {
        format!("copy/selected/{}.{}", self.asset, draft.format.extension())
    }

    fn read_draft(&self, run: &Run, turn: &Turn, answer: &str) -> Result<Reading, Misfit> {
        let CreatorAnswer { done, candidate } = crate::answer::read(answer)?;
        if candidate.content.trim().is_empty() {
            return Err(Misfit::Unacceptable("candidate.content is empty".into()));
        }
        let is_taken = |id: DraftId| self.given.taken.contains(&id) || run.drafts().any(|draft| draft.id == id);
        let proposed = candidate.id.as_deref().and_then(|id| id.parse().ok()).map(DraftId);
        let mut draft = Draft::proposed(run.spec().run, turn.id, &candidate.content, candidate.format);
        draft.id = proposed.filter(|id| !is_taken(*id)).unwrap_or(draft.id);
        Ok(Reading { said: Said::Draft { draft, done: Some(done), notes: None }, blobs: vec![candidate.content] })
    }

    fn read_review(&self, run: &Run, turn: &Turn, answer: &str, exhibits: &Exhibits) -> Result<Reading, Misfit> {
        let ReviewerAnswer { verdict: given, summary, issues, ballot: lines } = crate::answer::read(answer)?;
        let Some(draft) = draft_of(run, turn.round) else {
            return Err(Misfit::Unacceptable("there is no candidate to review".into()));
        };
        let selected = self.selected(run);
        let BallotReading { votes, mut corrections } =
            rules::cast(run, turn, &rules::ballot(run), draft, &lines, exhibits)?;
        let mut complaints: Vec<Complaint> = issues.into_iter().map(Complaint::from).collect();
        complaints.extend(rules::ballot(run).complaints(&votes));
        let mut word = given;
        let mut correct = |word: &mut ReviewWord, rule: &str, why: String| {
            if *word == ReviewWord::Ok {
                corrections.push(Correction { given: word.as_str().into(), rule: rule.into(), why });
                *word = ReviewWord::ChangesRequested;
            }
        };
        if complaints.iter().any(|complaint| complaint.severity == Severity::MustFix) {
            correct(&mut word, "ok_with_errors", "`ok` contradicts the errors beside it".into());
        }
        // A model that approves says what of. Who quotes nothing has shown nothing.
        let rests_on_words = || {
            let is_shown = |vote: &Vote| vote.says == VoteWord::Met && vote.quote.is_some();
            let text = exhibits.text(&draft.content).unwrap_or_default();
            votes.iter().any(is_shown) || summary.as_deref().is_some_and(|said| ballot::cites(text, said))
        };
        if word == ReviewWord::Ok && run.spec().is_controlled(&turn.seat) && !rests_on_words() {
            if turn.attempt <= run.spec().max_retries {
                let why = "`ok` needs a `summary` that quotes the words of the candidate which do what the brief asks";
                return Err(Misfit::Unacceptable(why.into()));
            }
            correct(&mut word, OK_WITHOUT_EVIDENCE, "no words of the candidate are quoted".into());
        }
        if let Some(SelectedContent { text, file }) = &selected {
            if *text == draft.text {
                // The text is settled. Who asks for another one contests that, and is recorded but not obeyed.
                for complaint in &mut complaints {
                    complaint.contested = complaint.severity == Severity::MustFix;
                }
            } else {
                let text =
                    format!("The content of `{}` is selected and locked; keep it as it is in {file}.", self.asset);
                correct(&mut word, LOCKED_SELECTION, text.clone());
                complaints.push(Complaint {
                    severity: Severity::MustFix,
                    text,
                    code: Some(LOCKED_SELECTION.into()),
                    target: Some("content".into()),
                    contested: false,
                });
            }
        }
        let findings = run.findings().identify(run.spec().run, &turn.seat, complaints);
        let verdict = Verdict {
            word: word.as_str().into(),
            summary,
            findings,
            votes,
            corrections,
            ..Verdict::new(draft.id, Judgement::from(word))
        };
        Ok(Reading { said: Said::Verdict(verdict), blobs: Vec::new() })
    }

    /// The selected content, where it may not change any more: a person's pick in this run, or what was there before.
    fn selected(&self, run: &Run) -> Option<SelectedContent> {
        if !self.locked {
            return None;
        }
        let picked = run.selection().map(|draft| SelectedContent { text: draft.text, file: self.selected_file(draft) });
        picked.or_else(|| self.given.selection.clone())
    }
}

/// The correction of an `ok` that rests on nothing.
pub const OK_WITHOUT_EVIDENCE: &str = "ok_without_evidence";

/// The code of the finding that a locked selection adds.
pub const LOCKED_SELECTION: &str = "locked_selection";

/// The candidate of an iteration.
pub fn draft_of(run: &Run, round: Round) -> Option<&Draft> {
    match run.slot(round, &SeatName::new(CREATOR), DRAFT) {
        Slot::Answered { said: Said::Draft { draft, .. }, .. } => Some(draft),
        _ => None,
    }
}

/// The review of an iteration.
pub fn verdict_of(run: &Run, round: Round) -> Option<&Verdict> {
    match run.slot(round, &SeatName::new(REVIEWER), REVIEW) {
        Slot::Answered { said: Said::Verdict(verdict), .. } => Some(verdict),
        _ => None,
    }
}

fn open(round: Round, last: Round) -> Step {
    if last < round {
        // Only an outcome that is locked to "in progress", or a limit that was lowered, leads here.
        return Step::End { outcome: Outcome::NeedsHuman, reason: gate::ITERATION_LIMIT.into() };
    }
    Step::Open(round)
}

/// Nobody who may judge is left.
fn no_vote(round: Round, why: &str) -> Step {
    Step::close(round, Decision::terminal(Outcome::NeedsHuman, round, format!("no judge passed its control: {why}")))
}

fn exhausted(seat: &SeatName, attempts: u32, error: &str) -> Step {
    let attempts = if attempts == 1 { "1 attempt".to_owned() } else { format!("{attempts} attempts") };
    Step::End { outcome: Outcome::Failed, reason: format!("{seat} brought no usable answer in {attempts}: {error}") }
}

impl From<ReviewWord> for Judgement {
    fn from(word: ReviewWord) -> Self {
        match word {
            ReviewWord::Ok => Self::Pass,
            ReviewWord::ChangesRequested => Self::Fail,
            ReviewWord::NeedsHuman => Self::Abstain,
        }
    }
}
