//! What the desk's own seat is sent to do, and what a verifier's place is laid out with.

use super::campaign::Campaign;
use super::criterion::Criterion;
use super::iteration::Iteration;
use super::named_things::MOST_NAMES;
use super::receipt::Receipts;
use super::settings::MutantUse;
use super::story::StoryId;
use super::survey::Plan;
use super::test_spec::SpecCheck;
use super::{CHECK, RESTORE, SURVEY, VERIFY};
use crate::evidence::{CommandEvidence, MayChange};
use crate::input::TurnInput;
use crate::trial::Ask;
use crate::{Round, Run};

/// What the leader does itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Errand {
    /// Look at the desk's files.
    Survey,
    /// Run the commands of the test spec.
    Check(CheckInput),
    /// Take work back: everything is to be as it was at this commit.
    Restore { commit: String },
}

/// A claim to be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckInput {
    pub commit: String,
    pub checks: Vec<SpecCheck>,
    /// The files that the checks consist of.
    pub files: Vec<String>,
    /// What a new commit claims, in a line. Nothing, if there is no new one.
    pub claim: Option<String>,
    /// Given files that the claimed stories allow to be changed.
    pub may_change: MayChange,
    /// What was seen of the base before.
    pub known: Vec<CommandEvidence>,
    /// What the criteria in question name: whether it was there before has to be looked up.
    pub names: Vec<String>,
    /// Whether changed lines are broken to see whether the checks notice.
    pub sabotages: bool,
}

/// What a verifier is shown in files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InspectInput {
    pub receipts: Receipts,
}

/// What the seat that is asked works on. A worker works on files alone.
pub(super) fn of(run: &Run, ask: &Ask) -> Option<TurnInput> {
    match &*ask.task {
        VERIFY => inspected(run, ask.round).map(TurnInput::Inspect),
        _ => errand(run, ask).map(TurnInput::Errand),
    }
}

/// What was seen when the checks of an iteration ran.
pub(super) fn inspected(run: &Run, round: Round) -> Option<InspectInput> {
    let receipts = Iteration::of(run, round).receipts?.clone();
    Some(InspectInput { receipts })
}

/// What the desk's own seat is asked to do.
pub(super) fn errand(run: &Run, ask: &Ask) -> Option<Errand> {
    match &*ask.task {
        SURVEY => Some(Errand::Survey),
        CHECK => check(run, ask).map(Errand::Check),
        RESTORE => {
            let commit = Campaign::of(run).commit_before(ask.round)?.to_owned();
            Some(Errand::Restore { commit })
        }
        _ => None,
    }
}

fn names(plan: &Plan, scope: &[StoryId]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in Criterion::of(plan, scope).iter().flat_map(|criterion| criterion.names(plan)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.truncate(MOST_NAMES);
    names
}

fn check(run: &Run, ask: &Ask) -> Option<CheckInput> {
    let campaign = Campaign::of(run);
    let (work, plan) = (Iteration::of(run, ask.round).work?, campaign.plan()?);
    let claim = work.claim.as_ref().filter(|_| !work.changed.is_empty()).map(|claim| {
        let stories: Vec<&str> = claim.stories.iter().map(StoryId::as_str).collect();
        let summary = claim.summary.lines().next().unwrap_or_default();
        format!("{} claimed: {summary}", stories.join(", "))
    });
    Some(CheckInput {
        commit: work.commit.clone(),
        checks: campaign.checks(work).into_iter().cloned().collect(),
        files: plan.spec.files.clone(),
        claim,
        may_change: campaign.may_change(work),
        known: campaign.known(),
        names: names(plan, &campaign.scope(work)),
        sabotages: super::desk_of(run.spec()).is_none_or(|settings| settings.mutants != MutantUse::Off),
    })
}
