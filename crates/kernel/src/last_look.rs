//! The last look: what is measured of exactly the bytes that would pass, whoever judged them.
//!
//! In loops whose drafts nobody measures on the way, the seat [`LAST_LOOK`] is taken by the house and asked when a round
//! would end as passed. What must be fixed by its measurements, and is not waived, keeps the draft from passing: the loop
//! goes on with it as a demand, or ends for a person to look at.

use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

use crate::answer::Misfit;
use crate::finding::Complaint;
use crate::prompt::{Content, Part, Prompt};
use crate::theater::{MeasureInput, PageInput};
use crate::trial::{Ask, Reading, Step};
use crate::waiver::waive;
use crate::{
    Decision, Draft, Finding, Judgement, Outcome, Round, Run, Said, Score, SeatName, Slot, Turn, TurnInput, Verdict,
};

/// The seat that measures what would pass, and what it is asked.
pub const LAST_LOOK: &str = "last_look";

/// What the house found that must be fixed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LastLookAnswer {
    pub must_fix: Vec<MeasuredDemand>,
}

/// Something that must be fixed, by a measurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeasuredDemand {
    /// What is wrong, what was measured, and where.
    pub text: String,
    /// Stable and dotted, such as `contrast.text`.
    pub code: String,
}

impl From<MeasuredDemand> for Complaint {
    fn from(demand: MeasuredDemand) -> Self {
        Self { code: Some(demand.code), ..Self::must_fix(demand.text) }
    }
}

impl Run {
    /// The loop's step, after the last look where a draft would pass.
    pub(crate) fn looked_at(&self, step: Step) -> Step {
        let seat = SeatName::new(LAST_LOOK);
        let Step::Close { round, decision, tally } = step else { return step };
        let passes = decision.outcome == Some(Outcome::Converged);
        if !passes || !self.spec().seats.contains_key(&seat) {
            return Step::Close { round, decision, tally };
        }
        let against = match self.slot(round, &seat, LAST_LOOK) {
            Slot::Open { .. } | Slot::InFlight => return Step::Ask(vec![Ask::new(round, seat, LAST_LOOK)]),
            Slot::Exhausted { error, .. } => Some(format!("it could not be measured: {error}")),
            Slot::Answered { said: Said::Verdict(verdict), .. } => told(verdict),
            Slot::Answered { .. } => Some("it was not measured".to_owned()),
        };
        let Some(why) = against else { return Step::Close { round, decision, tally } };
        let is_last = self.last_round(self.spec().trial().outlook(0).rounds) <= round;
        let decision = if is_last {
            let reason = format!("the last look found what must be fixed, or waived by its code: {why}");
            Decision::terminal(Outcome::NeedsHuman, round, reason)
        } else {
            Decision::in_progress(Some(format!("the last look found what must be fixed: {why}")))
        };
        Step::Close { round, decision, tally }
    }

    /// What the last look of a round found that must be fixed.
    pub fn last_look_of(&self, round: Round) -> impl Iterator<Item = &Finding> {
        let verdict = match self.slot(round, &SeatName::new(LAST_LOOK), LAST_LOOK) {
            Slot::Answered { said: Said::Verdict(verdict), .. } => Some(verdict),
            _ => None,
        };
        verdict.into_iter().flat_map(Verdict::must_fixes)
    }
}

/// What must be fixed, in a sentence. Nothing, if nothing must be.
fn told(verdict: &Verdict) -> Option<String> {
    const NAMED: usize = 3;
    let named = |finding: &Finding| match &finding.code {
        Some(code) => format!("{} [{code}]", finding.text),
        None => finding.text.clone(),
    };
    let demands: Vec<String> = verdict.must_fixes().map(named).collect();
    let more = demands.len().saturating_sub(NAMED);
    let mut named = demands.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ");
    if more > 0 {
        let _ = write!(named, "; and {more} more");
    }
    (!demands.is_empty()).then_some(named)
}

/// For whoever writes the next draft: what was measured of the one before.
pub(crate) fn material(run: &Run, round: Round) -> Option<Part> {
    let found: Vec<String> = run.last_look_of(round).map(|finding| format!("- {}\n", finding.text)).collect();
    let content = Content::Text(found.concat());
    (!found.is_empty()).then_some(Part::Material { label: "what was measured and must be fixed", content })
}

/// For the record: what is measured.
pub(crate) fn prompt(run: &Run, ask: &Ask) -> Prompt {
    let mut parts = vec![Part::Text(format!("Seat: {}\nDraft: {}", ask.seat, run.spec().subject()))];
    let draft = run.standing(ask.round);
    parts.extend(draft.map(|draft| Part::Material { label: "the draft", content: Content::Blob(draft.content) }));
    Prompt { template: LAST_LOOK, parts }
}

/// What the house works on.
pub(crate) fn input(run: &Run, turn: &Turn) -> Option<TurnInput> {
    let Draft { content, format, .. } = run.standing(turn.round)?;
    let page = PageInput { text: *content, format: *format, folder: None, file: None, design: None };
    Some(TurnInput::Measure(MeasureInput { page, scale: Score::points(10) }))
}

pub(crate) fn read(run: &Run, turn: &Turn, answer: &str) -> Result<Reading, Misfit> {
    let LastLookAnswer { must_fix } = crate::answer::own(answer)?;
    let draft = run.standing(turn.round).ok_or_else(crate::rules::nothing_to_judge)?;
    let mut complaints: Vec<Complaint> = must_fix.into_iter().map(Complaint::from).collect();
    let corrections = waive(&run.spec().waivers, &mut complaints);
    let findings = run.findings().identify(run.spec().run, &turn.seat, complaints);
    let is_clean = findings.iter().all(|finding| finding.contested);
    let judgement = if is_clean { Judgement::Pass } else { Judgement::Fail };
    let verdict = Verdict { findings, corrections, ..Verdict::new(draft.id, judgement) };
    Ok(Reading { said: Said::Verdict(verdict), blobs: Vec::new() })
}
