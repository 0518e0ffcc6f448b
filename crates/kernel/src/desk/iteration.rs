//! One iteration: what happened in it, and how it ended.

use super::inspection::Inspection;
use super::memory::StopStatus;
use super::receipt::Receipts;
use super::settings::{DESK, VERIFIER, WORKER};
use super::story::StoryId;
use super::survey::{Plan, Survey};
use super::verdict_file::{Transition, VerdictWord};
use super::work::{Incident, Work};
use super::{CHECK, RESTORE, SURVEY, VERIFY, WORK};
use crate::evidence::{EvidenceCode, EvidenceFinding, EvidenceWeight};
use crate::{Judgement, Round, Run, Said, SeatName, Slot, Turn, TurnError};

/// How an iteration ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IterationEnd {
    /// The worker has more to do.
    Continue,
    /// What was claimed holds, for these stories; `complete` if the verifier would stop here.
    Pass { stories: Vec<StoryId>, complete: bool },
    /// It does not, or there was nothing to judge.
    Fail(DeskTrouble),
    /// Somebody says that a person is needed.
    Blocked(DeskTrouble),
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeskTrouble {
    /// As a word for programs.
    pub code: &'static str,
    pub text: String,
}

/// Everything that happened in one iteration, as far as it got.
#[derive(Debug, Clone, Copy)]
pub struct Iteration<'r> {
    pub round: Round,
    pub survey: Option<&'r Survey>,
    pub worker: Option<&'r Turn>,
    pub work: Option<&'r Work>,
    /// Why the worker brought nothing.
    pub worker_error: Option<&'r TurnError>,
    pub receipts: Option<&'r Receipts>,
    pub verifier: Option<&'r Turn>,
    pub inspection: Option<&'r Inspection>,
    /// Why the verifier brought nothing.
    pub verifier_error: Option<&'r TurnError>,
    pub is_restored: bool,
}

impl<'r> Iteration<'r> {
    /// What is known of an iteration.
    pub fn of(run: &'r Run, round: Round) -> Self {
        let seat = |name| SeatName::new(name);
        let last = |name: &str| run.turns_of(round).filter(|turn| turn.seat == *name).last();
        let survey = match run.slot(round, &seat(DESK), SURVEY) {
            Slot::Answered { said: Said::Surveyed(survey), .. } => Some(&**survey),
            _ => None,
        };
        // A worker is not asked twice in an iteration: what went wrong is told to the next one, by a fresh context.
        let (work, worker_error) = match run.slot(round, &seat(WORKER), WORK) {
            Slot::Answered { said: Said::Worked(work), .. } => (Some(&**work), None),
            Slot::Open { feedback, .. } => (None, feedback),
            Slot::Exhausted { error, .. } => (None, Some(error)),
            Slot::InFlight | Slot::Answered { .. } => (None, None),
        };
        let receipts = match run.slot(round, &seat(DESK), CHECK) {
            Slot::Answered { said: Said::Checked(receipts), .. } => Some(&**receipts),
            _ => None,
        };
        let (inspection, verifier_error) = match run.slot(round, &seat(VERIFIER), VERIFY) {
            Slot::Answered { said: Said::Inspected(inspection), .. } => (Some(&**inspection), None),
            Slot::Exhausted { error, .. } => (None, Some(error)),
            Slot::Open { .. } | Slot::InFlight | Slot::Answered { .. } => (None, None),
        };
        // What a closed iteration failed by stays so, also when a resumed run tries the next one afresh.
        let is_closed = run.rounds().iter().any(|state| state.round == round && state.closed.is_some());
        let died = |name: &str| last(name).filter(|_| is_closed).and_then(Turn::error);
        let worker_error = worker_error.or_else(|| died(WORKER).filter(|_| work.is_none()));
        let verifier_error = verifier_error.or_else(|| died(VERIFIER).filter(|_| inspection.is_none()));
        let is_restored = matches!(run.slot(round, &seat(DESK), RESTORE), Slot::Answered { .. });
        Self {
            round,
            survey,
            worker: last(WORKER),
            work,
            worker_error,
            receipts,
            verifier: last(VERIFIER),
            inspection,
            verifier_error,
            is_restored,
        }
    }

    /// How it ended, if it is known by now.
    pub fn ending(&self, plan: Option<&Plan>) -> Option<IterationEnd> {
        if let Some(error) = self.worker_error {
            return Some(fail("worker_failed", &error.message));
        }
        let work = self.work?;
        if let Some(trouble) = self.misdeed(plan) {
            return Some(IterationEnd::Fail(trouble));
        }
        match (work.memory.stop, &work.memory.error) {
            (None, error) => {
                let why = error.as_deref().unwrap_or("the memory cannot be read");
                return Some(fail("no_stop_status", why));
            }
            (Some(StopStatus::Continue), _) => return Some(IterationEnd::Continue),
            (Some(StopStatus::Blocked), _) => {
                let why = work.memory.contract.as_deref().unwrap_or("the worker says that it is blocked");
                return Some(IterationEnd::Blocked(DeskTrouble { code: "worker_blocked", text: why.to_owned() }));
            }
            (Some(StopStatus::Verify), _) => {}
        }
        if let Some(trouble) = idle_claim(plan?, work) {
            return Some(IterationEnd::Fail(trouble));
        }
        if let Some(trouble) = self.unbelievable() {
            return Some(IterationEnd::Fail(trouble));
        }
        if let Some(error) = self.verifier_error {
            return Some(fail("verifier_failed", &error.message));
        }
        let inspection = self.inspection?;
        let blocked = inspection.word == VerdictWord::Blocked || inspection.transition == Transition::Blocked;
        let summary = || inspection.verdict.summary.clone().unwrap_or_default();
        Some(match inspection.verdict.judgement {
            _ if blocked => IterationEnd::Blocked(DeskTrouble { code: "verifier_blocked", text: summary() }),
            Judgement::Pass => IterationEnd::Pass {
                stories: inspection.scope.clone(),
                complete: inspection.transition == Transition::Complete,
            },
            _ => {
                let issues: Vec<&str> = inspection.verdict.must_fixes().map(|finding| finding.text.as_str()).collect();
                let text = if issues.is_empty() { summary() } else { issues.join("\n") };
                fail("not_verified", &text)
            }
        })
    }

    /// What the worker did that is not its to do. Its work is taken back.
    pub fn misdeed(&self, plan: Option<&Plan>) -> Option<DeskTrouble> {
        let (survey, work) = (self.survey?, self.work?);
        // Also before a claim: what one story allows is not taken back while it is worked on.
        let may_change = plan.map(Plan::may_change).unwrap_or_default();
        let changed: Vec<&str> = survey
            .files
            .iter()
            .filter(|(path, before)| before.is_some() && work.files.get(*path) != Some(*before))
            .filter(|(path, _)| !may_change.allows(super::file_of(path)))
            .map(|(path, _)| path.as_str())
            .collect();
        if !changed.is_empty() {
            let text = format!("the checks are not yours to change, and these were: {}", changed.join(", "));
            return Some(DeskTrouble { code: "checks_tampered", text });
        }
        let incidents: Vec<&Incident> = work.incidents.iter().filter(|incident| !incident.is_link()).collect();
        let incident = incidents.first()?;
        let code = match incident.code.as_str() {
            "plans_changed" => "checks_tampered",
            "wrote_sentinel" | "wrote_verdict" => "forged",
            _ => "escaped",
        };
        let details: Vec<&str> = incidents.iter().map(|incident| incident.detail.as_str()).collect();
        Some(DeskTrouble { code, text: details.join("\n") })
    }

    /// Checks that somebody made to say what they say prove nothing: there is nothing to judge.
    fn unbelievable(&self) -> Option<DeskTrouble> {
        let evidence = self.receipts?.evidence.as_deref()?;
        let is_lie = |finding: &&EvidenceFinding| {
            let is_code = matches!(finding.code, EvidenceCode::ChecksTampered | EvidenceCode::ChecksUnreliable);
            is_code && finding.weight == EvidenceWeight::Fails
        };
        let lies: Vec<&EvidenceFinding> = evidence.findings.iter().filter(is_lie).collect();
        let code = lies.first()?.code.as_str();
        let text = lies.iter().map(|finding| finding.text.as_str()).collect::<Vec<_>>().join("\n");
        Some(DeskTrouble { code, text })
    }
}

/// Why there is nothing to verify, if there is not.
fn idle_claim(plan: &Plan, work: &Work) -> Option<DeskTrouble> {
    let trouble = |code, text: String| Some(DeskTrouble { code, text });
    let Some(claim) = &work.claim else {
        let why = work.claim_error.clone();
        let why = why.unwrap_or_else(|| "the stop status is `verify`, and there is no done-claim".into());
        return trouble("no_claim", why);
    };
    let unknown = claim.stories.iter().filter(|story| plan.story(story).is_none()).map(ToString::to_string);
    let unknown: Vec<String> = unknown.chain(claim.unknown.iter().cloned()).collect();
    if !unknown.is_empty() {
        return trouble("no_claim", format!("the PRD has no such story: {}", unknown.join(", ")));
    }
    if claim.stories.is_empty() {
        return trouble("no_claim", "the done-claim names no story in `stories_completed`".into());
    }
    None
}

fn fail(code: &'static str, text: &str) -> IterationEnd {
    IterationEnd::Fail(DeskTrouble { code, text: text.to_owned() })
}
