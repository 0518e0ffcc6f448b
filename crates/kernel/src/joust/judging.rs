//! Ruling on a rewrite: what rules, linters and scorers say of it, and whether it may replace the draft.
//!
//! The order is the price: rules that need no opinion have spoken when the answer was read; then commands and files;
//! only then models.

use std::collections::BTreeSet;
use tribunal_anchors::{Aggregate, Anchor, CriterionScore as Points, DraftStanding, RequirementLevel, Rule, Test};

use super::settings::Settings;
use super::snowball::accepted;
use super::{BOOTSTRAP, LINT, SCORE};
use crate::mutation::Mutation;
use crate::rules::{Heard, RULES, heard, needs_seat, told};
use crate::ruling::Ruling;
use crate::trial::Step;
use crate::{Finding, Run, Score, SeatName, Severity, Turn, TurnId, Verdict};

/// The rule of exemplars that are too close to call by measuring.
pub(super) const CLOSER: &str =
    "closer to the positive exemplars, and further from the negative ones, than the draft before";

/// What follows for a rewrite that was read and not ruled on yet.
pub(super) fn judge(settings: &Settings, run: &Run, turn: &Turn, mutation: &Mutation) -> Step {
    let Some(anchor) = mutation.anchor.as_deref().or_else(|| run.anchor()) else {
        return rule(turn.id, Ruling::reject(vec!["there is no anchor to judge it by".into()], None));
    };
    let is_seed = turn.task == BOOTSTRAP;
    let mut votes = Votes::default();
    if needs_seat(anchor) {
        match heard(run, turn, &SeatName::new(RULES), RULES) {
            Heard::Said(verdict) => votes.rules = Some(verdict),
            Heard::Ask(ask) => return Step::Ask(vec![ask]),
            Heard::Failed(why) => return rule(turn.id, Ruling::reject(vec![why], None)),
        }
        let broken: Vec<String> = votes.rules.iter().flat_map(|verdict| verdict.must_fixes()).map(told).collect();
        if !broken.is_empty() && !is_seed {
            return rule(turn.id, Ruling::reject(broken, None));
        }
    }
    let mut asks = Vec::new();
    let opinions: [(&[SeatName], &str, bool, &mut Vec<_>); 2] = [
        (&settings.linters, LINT, has_opinions(anchor, mutation), &mut votes.lints),
        (&settings.scorers, SCORE, matches!(anchor, Anchor::Rubric(_)), &mut votes.scores),
    ];
    for (seats, task, is_needed, said) in opinions {
        for seat in seats.iter().filter(|_| is_needed) {
            match heard(run, turn, seat, task) {
                Heard::Said(verdict) => said.push((seat, verdict)),
                Heard::Ask(ask) => asks.push(ask),
                Heard::Failed(why) => return rule(turn.id, Ruling::reject(vec![why], None)),
            }
        }
    }
    if !asks.is_empty() {
        return Step::Ask(asks);
    }
    rule(turn.id, ruling(settings, run, turn, mutation, anchor, &votes))
}

/// The rules that only somebody with an opinion can decide.
pub(super) fn semantic(anchor: &Anchor) -> Vec<(RequirementLevel, &Rule)> {
    anchor.rules().into_iter().filter(|(_, rule)| matches!(rule.test, Test::Semantic)).collect()
}

/// What was said of a rewrite.
#[derive(Default)]
struct Votes<'r> {
    rules: Option<&'r Verdict>,
    lints: Vec<(&'r SeatName, &'r Verdict)>,
    scores: Vec<(&'r SeatName, &'r Verdict)>,
}

fn rule(turn: TurnId, ruling: Ruling) -> Step {
    Step::Rule { turn, ruling }
}

fn ruling(
    settings: &Settings,
    run: &Run,
    turn: &Turn,
    mutation: &Mutation,
    anchor: &Anchor,
    votes: &Votes<'_>,
) -> Ruling {
    let before = accepted(run);
    let mut reasons = Vec::new();
    let mut scores = mutation.measured.scores.clone();
    let mut uncovered: Vec<&str> = mutation.measured.open.iter().map(String::as_str).collect();
    for (level, rule) in semantic(anchor) {
        let is_broken = is_violated(settings, run, votes, rule.name());
        scores.push(Points::met(rule.name(), !is_broken, level));
        match level {
            _ if !is_broken => {}
            RequirementLevel::Item => uncovered.push(rule.name()),
            RequirementLevel::Should if mutation.justifications.keys().any(|name| rule.is_called(name)) => {}
            RequirementLevel::Should => reasons.push(format!("SHOULD: {} (unjustified)", rule.name())),
            RequirementLevel::Must | RequirementLevel::MustNot => reasons.extend(objections(votes, rule.name())),
        }
    }
    if mutation.measured.near_tie && is_violated(settings, run, votes, CLOSER) {
        reasons.extend(objections(votes, CLOSER));
    }
    if let Some((_, earlier, _)) = before {
        let fell = earlier.measured.covered.iter().filter(|item| uncovered.contains(&item.as_str()));
        reasons.extend(fell.map(|item| format!("`{item}` was covered and is not any more")));
    }
    let mut strategies: Vec<Vec<Points>> = if scores.is_empty() { Vec::new() } else { vec![scores] };
    if let Anchor::Rubric(rubric) = anchor {
        let earlier = before.map(|(turn, _, _)| rubric_scores(run, settings, turn));
        for (index, (_, verdict)) in votes.scores.iter().enumerate() {
            let given: Vec<(String, f64)> = verdict.dims.iter().map(points).collect();
            let previous = earlier.as_ref().and_then(|earlier| earlier.get(index)).map(|dims| rubric.scores(dims));
            let judged = rubric.judge(rubric.scores(&given), previous.as_deref());
            reasons.extend(judged.violations.into_iter().map(|violation| violation.message));
            strategies.push(judged.scores);
        }
    }
    let measured = votes.rules.and_then(|verdict| verdict.score);
    let target_reached = measure(anchor, measured, run, before.map(|(turn, _, _)| turn), &mut reasons);
    let standing = DraftStanding::of(&strategies);
    if let Some((_, _, old)) = before.filter(|_| turn.task != BOOTSTRAP) {
        let old = DraftStanding { tier: old.tier, aggregate: Aggregate(old.score.unwrap_or_default().0) };
        if !standing.may_replace(old) {
            reasons.push(format!("it scores {}, and the draft before has {}", standing.aggregate, old.aggregate));
        }
    }
    let complete = uncovered.is_empty()
        && match anchor {
            Anchor::Invariants(_) | Anchor::Acceptance(_) | Anchor::Assertions(_) => true,
            Anchor::Goal(_) => target_reached,
            Anchor::Exemplars(_) | Anchor::Rubric(_) => false,
        };
    let accepted = reasons.is_empty() || turn.task == BOOTSTRAP;
    let complete = complete && reasons.is_empty();
    Ruling { accepted, reasons, tier: standing.tier, complete, score: Some(Score(standing.aggregate.0)) }
}

/// Whether enough linters, of different agents, say that a rule is broken.
fn is_violated(settings: &Settings, run: &Run, votes: &Votes<'_>, rule: &str) -> bool {
    let seats = &run.spec().seats;
    let objecting: BTreeSet<&str> = votes
        .lints
        .iter()
        .filter(|(_, verdict)| verdict.findings.iter().any(|finding| is_about(finding, rule)))
        .map(|(seat, _)| seats.get(*seat).map_or(seat.as_str(), |binding| binding.agent.as_str()))
        .collect();
    let needed = (settings.quorum as usize).min(settings.linters.len()).max(1);
    objecting.len() >= needed
}

fn objections(votes: &Votes<'_>, rule: &str) -> Vec<String> {
    let findings = votes.lints.iter().flat_map(|(_, verdict)| &verdict.findings);
    findings.filter(|finding| is_about(finding, rule)).map(told).collect()
}

fn is_about(finding: &Finding, rule: &str) -> bool {
    !finding.contested && finding.severity != Severity::Note && finding.target.as_deref() == Some(rule)
}

/// Whether what was measured is no worse than before; jitter within the noise is neither progress nor the opposite.
fn measure(anchor: &Anchor, now: Option<Score>, run: &Run, before: Option<&Turn>, reasons: &mut Vec<String>) -> bool {
    let Anchor::Goal(goal) = anchor else { return false };
    let (Some(measure), Some(now)) = (&goal.measure, now) else { return false };
    let earlier = before.and_then(|turn| match heard(run, turn, &SeatName::new(RULES), RULES) {
        Heard::Said(verdict) => Some(verdict),
        Heard::Ask(_) | Heard::Failed(_) => None,
    });
    let wants_less = measure.direction == tribunal_anchors::Direction::Minimise;
    if let Some((earlier, was)) = earlier.and_then(|verdict| Some((verdict, verdict.score?))) {
        let noise = earlier.dims.first().and_then(|dim| dim.score).unwrap_or_default();
        let is_worse = if wants_less { now > was } else { now < was };
        if is_worse && now.distance(was) > noise {
            reasons.push(format!("measured {now}, and the draft before had {was}"));
        }
    }
    let target = measure.target.map(|target| Score(u64::try_from(target.millionths()).unwrap_or_default()));
    target.is_some_and(|target| if wants_less { now <= target } else { now >= target })
}

fn rubric_scores(run: &Run, settings: &Settings, turn: &Turn) -> Vec<Vec<(String, f64)>> {
    let said = settings.scorers.iter().filter_map(|seat| match heard(run, turn, seat, SCORE) {
        Heard::Said(verdict) => Some(verdict.dims.iter().map(points).collect()),
        Heard::Ask(_) | Heard::Failed(_) => None,
    });
    said.collect()
}

fn points(dim: &crate::verdict::Dim) -> (String, f64) {
    (dim.name.clone(), dim.score.unwrap_or_default().as_f64())
}

fn has_opinions(anchor: &Anchor, mutation: &Mutation) -> bool {
    !semantic(anchor).is_empty() || mutation.measured.near_tie
}
