//! The campaign so far: what is verified, what failed, what comes next. Derived from the log, so a restart finds it as
//! it was.

use std::collections::BTreeMap;

use super::complaint::normalise;
use super::iteration::{DeskTrouble, Iteration, IterationEnd};
use super::receipt::Receipts;
use super::story::StoryId;
use super::survey::{Plan, Survey};
use super::test_spec::SpecCheck;
use super::work::Work;
use crate::breaker::Streak;
use crate::circles::{Circle, CirclePosition};
use crate::digest::Hasher;
use crate::evidence::{CommandEvidence, MayChange, TreeRole};
use crate::{Digest, Round, Run, Said};

/// Every iteration that is over, and what follows from them.
#[derive(Debug, Clone)]
pub struct Campaign<'r> {
    run: &'r Run,
    history: Vec<(Iteration<'r>, IterationEnd)>,
}

impl<'r> Campaign<'r> {
    /// The campaign up to the last iteration that was closed.
    pub fn of(run: &'r Run) -> Self {
        let mut campaign = Self { run, history: Vec::new() };
        let mut plan = None;
        for state in run.rounds().iter().filter(|state| state.closed.is_some()) {
            let iteration = Iteration::of(run, state.round);
            plan = iteration.survey.and_then(|survey| survey.plan.as_deref()).or(plan);
            if let Some(ending) = iteration.ending(plan) {
                campaign.history.push((iteration, ending));
            }
        }
        campaign
    }

    /// The same, with an iteration that is about to be closed.
    pub(super) fn with(mut self, iteration: Iteration<'r>, ending: IterationEnd) -> Self {
        self.history.push((iteration, ending));
        self
    }

    /// The iterations, oldest first.
    pub fn history(&self) -> &[(Iteration<'r>, IterationEnd)] {
        &self.history
    }

    /// The contract as it stands now.
    pub fn plan(&self) -> Option<&'r Plan> {
        self.surveys().filter_map(|survey| survey.plan.as_deref()).last()
    }

    /// The newest survey.
    pub fn survey(&self) -> Option<&'r Survey> {
        self.surveys().last()
    }

    /// Stories that were verified and whose text has not changed since, with the iteration that verified them.
    pub fn verified(&self) -> BTreeMap<StoryId, Round> {
        let mut verified = BTreeMap::new();
        let Some(now) = self.plan() else { return verified };
        let mut then: Option<&Plan> = None;
        for (iteration, ending) in &self.history {
            then = iteration.survey.and_then(|survey| survey.plan.as_deref()).or(then);
            if let IterationEnd::Pass { stories, .. } = ending {
                let promise = |plan: &Plan, story: &StoryId| plan.story(story).map(|story| story.digest);
                let is_same = |story: &&StoryId| then.and_then(|then| promise(then, story)) == promise(now, story);
                verified.extend(stories.iter().filter(is_same).map(|story| (story.clone(), iteration.round)));
            }
        }
        verified
    }

    /// Whether every story is verified.
    pub fn is_verified(&self) -> bool {
        let verified = self.verified();
        self.plan().is_some_and(|plan| plan.stories.iter().all(|story| verified.contains_key(&story.id)))
    }

    /// What a claim is judged for: what is claimed, or everything if that would be the last of it.
    pub fn scope(&self, work: &Work) -> Vec<StoryId> {
        let claimed = work.claim.as_ref().map(|claim| claim.stories.clone()).unwrap_or_default();
        let Some(plan) = self.plan() else { return claimed };
        let verified = self.verified();
        let is_last = plan.stories.iter().all(|story| claimed.contains(&story.id) || verified.contains_key(&story.id));
        if is_last { plan.stories.iter().map(|story| story.id.clone()).collect() } else { claimed }
    }

    /// What the stories in question allow to be changed.
    pub fn may_change(&self, work: &Work) -> MayChange {
        let scope = self.scope(work);
        let stories = self.plan().map(|plan| plan.stories.as_slice()).unwrap_or_default().iter();
        let stories = stories.filter(|story| scope.contains(&story.id));
        MayChange(stories.flat_map(|story| story.may_change.iter().cloned()).collect())
    }

    /// What was seen of the commands before, so that the base is not run again.
    pub fn known(&self) -> Vec<CommandEvidence> {
        let receipts = self.history.iter().filter_map(|(iteration, _)| iteration.receipts);
        let commands = receipts.filter_map(|receipts| receipts.evidence.as_deref()).flat_map(|seen| &seen.commands);
        commands.filter(|command| command.on(TreeRole::Base).is_some()).cloned().collect()
    }

    /// The checks that a claim has to pass.
    pub fn checks(&self, work: &Work) -> Vec<&'r SpecCheck> {
        let Some(plan) = self.plan() else { return Vec::new() };
        let scope = self.scope(work);
        let applies = |check: &&SpecCheck| scope.iter().any(|story| plan.spec.applies_to(story).contains(check));
        plan.spec.commands.iter().filter(applies).collect()
    }

    /// The receipts of the last claim that held.
    pub fn last_receipts(&self) -> Option<&'r Receipts> {
        let passed = self.history.iter().filter(|(_, ending)| matches!(ending, IterationEnd::Pass { .. }));
        passed.rev().find_map(|(iteration, _)| iteration.receipts)
    }

    /// The commit that an iteration began with: the last one before it that was not taken back.
    pub fn commit_before(&self, round: Round) -> Option<&'r str> {
        let kept = self.run.rounds().iter().rev().filter(|state| state.round < round).find_map(|state| {
            let iteration = Iteration::of(self.run, state.round);
            let work = iteration.work.filter(|_| !iteration.is_restored)?;
            // The commit may have been given another message, with what the checks had to say.
            let reworded = iteration.receipts.and_then(|receipts| receipts.commit.as_deref());
            Some(reworded.unwrap_or(&work.commit))
        });
        kept.or_else(|| self.surveys().next().map(|survey| survey.commit.as_str()))
    }

    /// What the worker is to do now: what the verifier says, or what the last worker or a person left.
    pub fn contract(&self) -> Option<&'r str> {
        let verdict = self.history.last().and_then(|(iteration, _)| iteration.inspection?.contract.as_deref());
        let written = self.survey().and_then(|survey| survey.memory.contract.as_deref());
        verdict.filter(|text| !text.trim().is_empty()).or(written)
    }

    /// What went wrong in the last iteration, if something did.
    pub fn last_trouble(&self) -> Option<&DeskTrouble> {
        match &self.history.last()?.1 {
            IterationEnd::Fail(trouble) => Some(trouble),
            IterationEnd::Continue | IterationEnd::Pass { .. } | IterationEnd::Blocked(_) => None,
        }
    }

    /// How often the same error came in a row, up to the last iteration.
    pub fn same_error(&self) -> u32 {
        let mut streak = Streak::default();
        for (_, ending) in &self.history {
            streak.see(match ending {
                IterationEnd::Fail(DeskTrouble { code, text }) => Some((*code, normalise(text))),
                IterationEnd::Continue | IterationEnd::Pass { .. } | IterationEnd::Blocked(_) => None,
            });
        }
        if streak.last().is_some_and(Option::is_some) { streak.length() } else { 0 }
    }

    /// Whether the last iteration claimed what had been refused before, after something else was tried in between.
    pub fn circle(&self) -> Option<Circle> {
        let refused = |at: &(Iteration<'r>, IterationEnd)| match (at.0.work, at.0.receipts, &at.1) {
            (Some(work), Some(_), IterationEnd::Fail(_)) => Some((at.0.round, work.tree.as_str())),
            _ => None,
        };
        let (round, tree) = refused(self.history.last()?)?;
        let earlier = || self.history.iter().rev().skip(1);
        let worked = |at: &(Iteration<'r>, IterationEnd)| Some((at.0.round, at.0.work?.tree.as_str()));
        let (other, _) = earlier().filter_map(worked).find(|(_, work)| *work != tree)?;
        let (first, _) = earlier().filter_map(refused).find(|(before, work)| *before < other && *work == tree)?;
        let what = format!(
            "iteration {round} brings back the work of iteration {first}, which was refused, after iteration {other} had tried another"
        );
        Some(Circle { what, positions: [first, other].map(|round| CirclePosition::of(self.run, round)) })
    }

    /// How many iterations failed in a row, up to the last one.
    pub fn failures(&self) -> u32 {
        let failed = self.history.iter().rev().take_while(|(_, ending)| matches!(ending, IterationEnd::Fail(_)));
        u32::try_from(failed.count()).unwrap_or(u32::MAX)
    }

    /// How many verifications failed since something last passed.
    pub(super) fn failed_verifications(&self) -> u32 {
        let since = self.history.iter().rev().take_while(|(_, ending)| !matches!(ending, IterationEnd::Pass { .. }));
        let is_failed = |ending: &IterationEnd| matches!(ending, IterationEnd::Fail(_));
        let failed = since.filter(|(iteration, ending)| is_failed(ending) && iteration.inspection.is_some());
        u32::try_from(failed.count()).unwrap_or(u32::MAX)
    }

    /// How many iterations in a row changed no file, and left context and verified stories as they were. Memory does not
    /// count: it is to be rewritten every time.
    pub fn unchanged(&self) -> u32 {
        let Some(first) = self.surveys().next() else { return 0 };
        let mut streak = Streak::default();
        let mut passed: Vec<&StoryId> = Vec::new();
        let mut changes = 0usize;
        streak.see(state(first.context, changes, &passed));
        for (iteration, ending) in &self.history {
            if let IterationEnd::Pass { stories, .. } = ending {
                passed.extend(stories);
                passed.sort();
                passed.dedup();
            }
            // A worker that brought nothing left everything as it was.
            let context = match (iteration.work, iteration.survey) {
                (Some(work), _) => work.context,
                (None, Some(survey)) => survey.context,
                (None, None) => continue,
            };
            changes += usize::from(iteration.work.is_some_and(|work| !work.changed.is_empty()));
            streak.see(state(context, changes, &passed));
        }
        streak.length().saturating_sub(1)
    }

    fn surveys(&self) -> impl Iterator<Item = &'r Survey> + use<'r> {
        self.run.turns().iter().filter_map(|turn| match turn.said()? {
            Said::Surveyed(survey) => Some(&**survey),
            _ => None,
        })
    }
}

/// A context as far as it says something: the numbers of iterations and the times in it do not.
pub(super) fn context_digest(text: &str) -> Digest {
    let mut kept: Vec<&str> = Vec::new();
    let mut is_numbered = false;
    for word in text.split_whitespace() {
        let core = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_number = core.starts_with(|c: char| c.is_ascii_digit());
        let is_time = is_number && core.contains([':', '-']);
        let parts =
            core.split_once(['-', '_']).filter(|(name, number)| is_iteration(name) && number.parse::<u64>().is_ok());
        if !(is_time || (is_number && is_numbered) || parts.is_some()) {
            kept.push(word);
        }
        is_numbered = is_iteration(core);
    }
    Digest::of(kept.join(" "))
}

fn is_iteration(word: &str) -> bool {
    ["iteration", "iterations", "iter", "turn", "round", "attempt"].contains(&word.to_lowercase().as_str())
}

fn state(context: Digest, changes: usize, verified: &[&StoryId]) -> Digest {
    let mut hash = Hasher::default();
    hash.field(&context.0).field(&changes.to_le_bytes());
    for story in verified {
        hash.field(story.as_str().as_bytes());
    }
    hash.finish()
}
