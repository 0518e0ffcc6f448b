//! What a judge's answer counts as: its scores held against what was measured, its demands against what it let stand.

use super::answers::{GivenDim, GivenScore, JudgeAnswer};
use super::settings::{LINT, Settings};
use super::{JUDGE, draft_at, evidence, stream};
use crate::answer::Misfit;
use crate::ballot;
use crate::finding::Complaint;
use crate::late;
use crate::rules;
use crate::trial::{Exhibits, Reading};
use crate::verdict::Dim;
use crate::waiver::waive;
use crate::{Draft, Finding, Judgement, Round, Run, Said, Score, Turn, Verdict};

impl Settings {
    /// A model has to speak of everything that was measured in its field, by name; who invents dimensions is told.
    fn misses_dims(run: &Run, turn: &Turn, dims: &[GivenDim], exhibits: &Exhibits) -> Result<(), Misfit> {
        let is_last = turn.attempt > run.spec().max_retries;
        if is_last || exhibits.is_planted() || !run.spec().is_controlled(&turn.seat) {
            return Ok(());
        }
        let listed = evidence::listed(run, turn.round, &turn.seat);
        let is_named = |name: &&&str| dims.iter().any(|dim| evidence::is_same(&dim.name, name));
        let missing: Vec<&str> = listed.iter().filter(|name| !is_named(name)).copied().collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(Misfit::Unacceptable(format!(
            "`dims` must score each of {} by its name: {} is missing",
            listed.join(", "),
            missing.join(", ")
        )))
    }

    pub(super) fn read_verdict(
        &self,
        run: &Run,
        turn: &Turn,
        answer: &str,
        exhibits: &Exhibits,
    ) -> Result<Reading, Misfit> {
        let JudgeAnswer { score, dims, must_fix, measured, ballot: lines } = crate::answer::read(answer)?;
        let Some(draft) = draft_at(run, turn.round) else {
            return Err(Misfit::Unacceptable("there is no artifact to judge".into()));
        };
        let scale = self.scale.as_f64();
        let read = |given: Option<&GivenScore>| given.and_then(|given| given.read(scale));
        let given = read(score.as_ref());
        let beyond = given.filter(|score| score.is_clamped() && score.said > 0.0);
        let score = given.map(|score| Score::from_f64(score.value));
        let cast = rules::cast(run, turn, &rules::ballot(run), draft, &lines, exhibits)?;
        Self::misses_dims(run, turn, &dims, exhibits)?;
        // What a program of ours measured has a code; nobody else's has, whatever they say.
        let measured = measured.into_iter().filter(|_| run.spec().is_measured(&turn.seat)).map(Complaint::from);
        let claimed = must_fix.into_iter().filter(|text| is_demand(text)).map(Complaint::must_fix);
        let mut claimed: Vec<Complaint> = claimed.collect();
        let before = judged_before(run, turn).filter(|(before, _)| {
            let texts = exhibits.text(&before.content).zip(exhibits.text(&draft.content));
            !exhibits.is_planted() && texts.is_some_and(|(before, now)| ballot::is_same_text(before, now))
        });
        let late = before.map(|(_, before)| late::contest(turn, before, &mut claimed));
        let mut demands: Vec<Complaint> = measured.collect();
        if turn.seat == *LINT {
            demands.retain(|complaint| !is_said(self, run, turn.round, complaint));
        }
        let waived = waive(&run.spec().waivers, &mut demands);
        demands.extend(claimed.into_iter().chain(rules::ballot(run).complaints(&cast.votes)));
        let findings: Vec<Finding> = run.findings().identify(run.spec().run, &turn.seat, demands);
        let dim = |dim: GivenDim| Dim {
            score: read(dim.score.as_ref()).map(|score| Score::from_f64(score.value)),
            name: dim.name,
            note: dim.note,
        };
        let mut verdict = Verdict {
            score,
            dims: dims.into_iter().map(dim).collect(),
            corrections: beyond
                .map(|score| stream::beyond_the_scale(score.said, self.scale))
                .into_iter()
                .chain(cast.corrections)
                .chain(waived)
                .chain(late.unwrap_or_default())
                .collect(),
            votes: cast.votes,
            ..Verdict::new(draft.id, Judgement::Abstain)
        };
        verdict.findings = findings;
        if let Some(measured) = evidence::of(run, turn.round).filter(|_| !exhibits.is_planted()) {
            evidence::hold_against(&mut verdict, &turn.seat, measured, self.scale);
        }
        let demands = verdict.must_fixes().count() > 0;
        verdict.judgement = stream::judgement(self, verdict.score, demands);
        Ok(Reading { said: Said::Verdict(verdict), blobs: Vec::new() })
    }
}

/// Whether a judge of the round demands exactly this: what a judge measures, the linter finds again.
fn is_said(settings: &Settings, run: &Run, round: Round, complaint: &Complaint) -> bool {
    let votes = settings.votes(run, round);
    let is_same = |finding: &Finding| (&finding.code, &finding.text) == (&complaint.code, &complaint.text);
    votes.judges().any(|(_, verdict)| verdict.must_fixes().any(is_same))
}

/// The draft that a judge judged last, before this turn, and what it said of it.
pub(super) fn judged_before<'r>(run: &'r Run, turn: &Turn) -> Option<(&'r Draft, &'r Verdict)> {
    if turn.task != JUDGE || run.spec().is_measured(&turn.seat) {
        return None;
    }
    let is_vote = |earlier: &&Turn| earlier.seat == turn.seat && earlier.task == JUDGE && earlier.round < turn.round;
    let vote = run.turns().iter().rev().filter(is_vote).find_map(|earlier| earlier.said()?.verdict())?;
    Some((run.drafts().find(|draft| draft.id == vote.draft)?, vote))
}

/// Whether a judge demands anything: many say in words that there is nothing.
fn is_demand(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && !tribunal_wire::says_nothing(text)
}
