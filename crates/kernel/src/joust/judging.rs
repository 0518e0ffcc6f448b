//! Ruling on a draft: what rules, linters and scorers say of it, and whether it may stand.
//!
//! The order is the price: rules that need no opinion have spoken when the answer was read; then commands and files;
//! only then models. Every item of the anchor is decided by name, or it is undecided: nothing holds because nobody
//! objected.

use std::collections::{BTreeMap, BTreeSet};
use tribunal_anchors::{
    Aggregate, Anchor, CriterionScore as Points, DraftStanding, RequirementLevel, Rubric, Rule, Test,
};

use super::settings::Settings;
use super::snowball::accepted;
use super::{BOOTSTRAP, LINT, RECOUNT, SCORE, mutation_of};
use crate::ballot::{self, AllMet, Ballot, ItemState, JudgedItem, Quorum, Vote, VoteWord};
use crate::mutation::Mutation;
use crate::rules::{self, Heard, RULES, heard, needs_seat};
use crate::ruling::Ruling;
use crate::trial::{Step, Trial as _};
use crate::{Run, Score, SeatName, Turn, Verdict};

/// The rule of exemplars that are too close to call by measuring.
const CLOSER: &str = "closer to the positive exemplars, and further from the negative ones, than the draft before";
/// What a measured goal is worth at its target.
const WHOLE: u32 = 1_000_000;

/// What follows for a rewrite that was read and not ruled on yet.
pub(super) fn judge(settings: &Settings, run: &Run, turn: &Turn, mutation: &Mutation) -> Step {
    let before = match accepted(run).map(|(turn, mutation, ruling)| standing(settings, run, turn, mutation, ruling)) {
        Some(Err(step)) => return step,
        Some(Ok(ruling)) => Some(ruling),
        None => None,
    };
    match examine(settings, run, turn, mutation) {
        Err(step) => step,
        Ok(exam) => Step::Rule { turn: turn.id, ruling: exam.ruling(run, turn, mutation, before.as_ref()) },
    }
}

/// What was ruled on the draft that stands, under the anchor that holds now: a ruling under another one is void, and the
/// draft is judged again. The error is what has to come first.
pub(super) fn standing(
    settings: &Settings,
    run: &Run,
    turn: &Turn,
    mutation: &Mutation,
    ruling: &Ruling,
) -> Result<Ruling, Step> {
    // What somebody said who has lost the vote since is void, too; and what was said of the same text since counts as well.
    let is_said_again = twins(run, turn, mutation).any(|twin| twin.id > turn.id);
    if ruling.under == Some(run.reanchorings()) && silenced(settings, run).is_empty() && !is_said_again {
        return Ok(ruling.clone());
    }
    let exam = examine(settings, run, turn, mutation)?;
    Ok(exam.ruling(run, turn, mutation, None))
}

/// The items that only somebody with an opinion can decide, for this draft.
pub(super) fn ballot(run: &Run, mutation: &Mutation) -> Ballot {
    let mut rules = anchor_of(run, mutation).map(rules::semantic).unwrap_or_default();
    if mutation.measured.near_tie && is_measured_now(run, mutation) {
        let rule = Rule { test: Test::Semantic, id: None, rule: CLOSER.to_owned() };
        rules.push((RequirementLevel::Must, rule));
    }
    Ballot::of(rules.iter().map(|(level, rule)| (*level, rule)))
}

/// The items of a call, in the order of the call.
pub(super) fn ballot_of(run: &Run, task: &str) -> Ballot {
    let mutation = rules::subject_of(task).and_then(|turn| mutation_of(run, turn));
    let ballot = mutation.map(|mutation| ballot(run, mutation)).unwrap_or_default();
    if task.starts_with(RECOUNT) { ballot.reversed() } else { ballot }
}

/// What is known of a draft, under the anchor that holds now.
#[derive(Default)]
struct Exam<'r> {
    anchor: Option<&'r Anchor>,
    items: Vec<JudgedItem>,
    /// What was measured beside the items: likeness, for example.
    beside: Vec<Points>,
    /// What the rules' own seat said, where it was asked.
    rules: Option<&'r Verdict>,
    /// What is scored, a strategy each, and who scored it.
    rubrics: Vec<&'r Rubric>,
    scores: Vec<(&'r SeatName, Vec<(String, f64)>)>,
    /// Why it cannot be taken, whatever else is said.
    failed: Vec<String>,
    /// It breaks a rule that needs no opinion, and nobody else was asked.
    is_cut: bool,
}

/// Everything that is said of a draft. The error is what has to come first.
fn examine<'r>(settings: &'r Settings, run: &'r Run, turn: &Turn, mutation: &'r Mutation) -> Result<Exam<'r>, Step> {
    let Some(anchor) = anchor_of(run, mutation) else {
        let failed = vec!["there is no anchor to judge it by".into()];
        return Ok(Exam { failed, ..Exam::default() });
    };
    let is_measured = is_measured_now(run, mutation);
    let rubrics = settings.rubrics(Some(anchor)).collect();
    let mut exam = Exam { anchor: Some(anchor), rubrics, ..Exam::default() };
    if needs_seat(anchor) || !is_measured {
        match heard(run, turn, &SeatName::new(RULES), RULES) {
            Heard::Ask(ask) => return Err(Step::Ask(vec![ask])),
            Heard::Said(verdict) => {
                exam.items = rules::checked(anchor, Ok(verdict));
                exam.rules = Some(verdict);
                let unmeasured = verdict.must_fixes().find(|finding| finding.target.as_deref() == Some(rules::MEASURE));
                exam.failed.extend(unmeasured.map(rules::told));
                // What nobody was allowed to measure is undecided, by name.
                let held_back = |vote: &&Vote| vote.item == rules::MEASURE && vote.says == VoteWord::CannotTell;
                exam.items.extend(verdict.votes.iter().find(held_back).map(|vote| JudgedItem {
                    level: RequirementLevel::Must,
                    item: vote.item.clone(),
                    state: ItemState::Undecided,
                    why: vote.why.clone(),
                    justified: false,
                }));
            }
            Heard::Failed(why) => exam.items = rules::checked(anchor, Err(&why)),
        }
    } else {
        exam.items = measured_items(anchor, mutation);
    }
    if is_measured {
        let is_item = |name: &str| exam.items.iter().any(|item| item.item == name);
        exam.beside = mutation.measured.scores.iter().filter(|score| !is_item(&score.name)).cloned().collect();
    }
    exam.is_cut =
        exam.items.iter().any(|item| item.state == ItemState::Broken && item.level != RequirementLevel::Should);
    // Nobody is paid for an opinion on what cannot stand anyway.
    let voters = if exam.is_cut {
        Vec::new()
    } else {
        let lint = |seat: &SeatName| heard(run, turn, seat, LINT);
        ballot::poll(run, &ballot(run, mutation), &settings.linters, settings.quorum, lint)?
    };
    let voters = without_contradictions(settings, run, turn, mutation, voters);
    let voters: Vec<(String, &[Vote])> =
        voters.iter().map(|(voter, votes)| (voter.clone(), votes.as_slice())).collect();
    for item in ballot(run, mutation).items() {
        let (state, why) = ballot::count(&item.name, &voters, Quorum(settings.quorum));
        let why = if exam.is_cut { Some("not asked: the draft breaks a rule".into()) } else { why };
        exam.items.push(JudgedItem { level: item.level, item: item.name.clone(), state, why, justified: false });
    }
    for item in exam.items.iter_mut().filter(|item| item.level == RequirementLevel::Should) {
        item.justified = item.state == ItemState::Broken && is_justified(&mutation.justifications, &item.item);
    }
    // Nobody is paid for scoring what cannot stand anyway, unless it is all that there is.
    let is_scored = matches!(anchor, Anchor::Rubric(_)) || !exam.is_cut;
    if !exam.rubrics.is_empty() && is_scored {
        let (mut asks, mut lost) = (Vec::new(), silenced(settings, run));
        for seat in settings.scorers.iter().filter(|seat| !run.has_no_vote(seat)) {
            match heard(run, turn, seat, SCORE) {
                Heard::Said(verdict) => {
                    // Of the same text, the lowest points count that a scorer ever gave.
                    let mut given = points(verdict);
                    for (name, score) in said_of_twins(run, turn, mutation, seat, SCORE).into_iter().flat_map(points) {
                        let known = given.iter_mut().filter(|(known, _)| *known == name);
                        known.for_each(|(_, known)| *known = known.min(score));
                    }
                    exam.scores.push((seat, given));
                }
                Heard::Ask(ask) => asks.push(ask),
                Heard::Failed(why) => lost.push(why),
            }
        }
        if !asks.is_empty() {
            return Err(Step::Ask(asks));
        }
        // Who brings no usable answer costs its own vote; without any, nothing is taken.
        if exam.scores.is_empty() {
            exam.failed.extend(lost);
        }
    }
    Ok(exam)
}

/// Other rewrites with the same text.
fn twins<'r>(run: &'r Run, turn: &Turn, mutation: &Mutation) -> impl Iterator<Item = &'r Turn> {
    let (own, text) = (turn.id, mutation.draft.text);
    let same = super::snowball::mutations(run).filter(move |(other, it, _)| other.id != own && it.draft.text == text);
    same.map(|(other, ..)| other)
}

/// What a seat said of other rewrites with the same text, under the anchor that holds now.
fn said_of_twins<'r>(run: &'r Run, turn: &Turn, mutation: &Mutation, seat: &SeatName, task: &str) -> Vec<&'r Verdict> {
    let said = twins(run, turn, mutation).filter_map(|twin| match heard(run, twin, seat, task) {
        Heard::Said(verdict) => Some(verdict),
        Heard::Ask(_) | Heard::Failed(_) => None,
    });
    said.collect()
}

/// The votes of linters as they count: who calls an item met, and called it broken in the same text, cannot tell.
fn without_contradictions(
    settings: &Settings,
    run: &Run,
    turn: &Turn,
    mutation: &Mutation,
    voters: Vec<(String, &[Vote])>,
) -> Vec<(String, Vec<Vote>)> {
    let mut broken: BTreeSet<(String, &str)> = BTreeSet::new();
    for seat in &settings.linters {
        let said = said_of_twins(run, turn, mutation, seat, LINT).into_iter().flat_map(|verdict| &verdict.votes);
        let said = said.filter(|vote| vote.says == VoteWord::Broken);
        broken.extend(said.map(|vote| (run.spec().voter(seat), vote.item.as_str())));
    }
    let counted = |voter: &String, vote: &Vote| {
        let is_contradicted = vote.says == VoteWord::Met && broken.contains(&(voter.clone(), vote.item.as_str()));
        let why = Some(format!("{voter} called it met and broken in the same text"));
        if is_contradicted {
            Vote { says: VoteWord::CannotTell, quote: None, why, ..vote.clone() }
        } else {
            vote.clone()
        }
    };
    let votes = voters.into_iter().map(|(voter, votes)| {
        let votes = votes.iter().map(|vote| counted(&voter, vote)).collect();
        (voter, votes)
    });
    votes.collect()
}

/// Why judges have no vote, each in a sentence.
pub(super) fn silenced(settings: &Settings, run: &Run) -> Vec<String> {
    settings.judges().into_iter().filter_map(|seat| run.why_no_vote(&SeatName::new(seat))).collect()
}

/// What would pass on one linter's word is counted again.
pub(super) fn recount(
    settings: &Settings,
    run: &Run,
    turn: &Turn,
    mutation: &Mutation,
    items: &mut [JudgedItem],
    may_ask: bool,
) -> Result<(), Step> {
    let said = |seat: &SeatName, again: bool| heard(run, turn, seat, if again { RECOUNT } else { LINT });
    ballot::recount(run, &ballot(run, mutation), (&settings.linters, settings.quorum), items, may_ask, said)
}

impl Exam<'_> {
    /// Whether the draft may take the place of the one `before`.
    fn ruling(&self, run: &Run, turn: &Turn, mutation: &Mutation, before: Option<&Ruling>) -> Ruling {
        let is_seed = turn.task == BOOTSTRAP;
        let mut reasons = self.failed.clone();
        let covered = before.into_iter().flat_map(|before| &before.items).filter(|item| item.state == ItemState::Met);
        let covered: Vec<&str> = covered.map(|item| item.item.as_str()).collect();
        let open = &mutation.measured.open;
        for item in self.items.iter().filter(|item| item.state == ItemState::Broken) {
            match item.level {
                RequirementLevel::Should if item.justified => {}
                RequirementLevel::Should => reasons.push(format!("SHOULD: {} (unjustified)", item.item)),
                // What a program finds missing may come later, as long as it was not there before.
                RequirementLevel::Item if open.contains(&item.item) && !covered.contains(&item.item.as_str()) => {}
                RequirementLevel::Item | RequirementLevel::Must | RequirementLevel::MustNot => {
                    reasons.push(match &item.why {
                        Some(why) if *why != item.item => format!("{}: {why}", item.item),
                        _ => item.item.clone(),
                    });
                }
            }
        }
        let points = self.items.iter().map(|item| Points::met(&item.item, item.state == ItemState::Met, item.level));
        let mut scores: Vec<Points> = points.chain(self.beside.iter().cloned()).collect();
        let goal = self.goal(run, before.is_some(), &mut reasons);
        scores.extend(goal.iter().map(|goal| goal.points.clone()));
        let mut strategies: Vec<Vec<Points>> = if scores.is_empty() { Vec::new() } else { vec![scores] };
        self.scored(run, before.is_some(), &mut strategies, &mut reasons);
        let standing = DraftStanding::of(&strategies);
        if let Some(old) = before.filter(|_| !is_seed) {
            let old = DraftStanding { tier: old.tier, aggregate: Aggregate(old.score.unwrap_or_default().0) };
            if reasons.is_empty() && !standing.may_replace(old) {
                reasons.push(format!("it scores {}, and the draft before has {}", standing.aggregate, old.aggregate));
            }
        }
        let is_met = AllMet::of(&self.items).is_ok();
        let complete = reasons.is_empty()
            && match self.anchor {
                Some(Anchor::Invariants(_) | Anchor::Acceptance(_) | Anchor::Assertions(_)) => is_met,
                Some(Anchor::Goal(_)) => (is_met || self.items.is_empty()) && goal.is_some_and(|goal| goal.is_reached),
                Some(Anchor::Exemplars(_) | Anchor::Rubric(_)) | None => false,
            };
        Ruling {
            accepted: reasons.is_empty() || is_seed,
            reasons,
            tier: standing.tier,
            complete,
            score: (!self.is_unscored() && (!self.is_cut || is_seed)).then_some(Score(standing.aggregate.0)),
            items: self.items.clone(),
            under: Some(run.reanchorings()),
        }
    }

    /// Whether it should have been scored, and nobody did: that is worth nothing.
    fn is_unscored(&self) -> bool {
        !self.rubrics.is_empty() && self.scores.is_empty()
    }

    /// The dimensions of each rubric, each scorer's beside what it gave the draft that stands.
    fn scored(&self, run: &Run, has_before: bool, strategies: &mut Vec<Vec<Points>>, reasons: &mut Vec<String>) {
        let earlier = accepted(run).filter(|_| has_before).map(|(turn, ..)| turn);
        for (scorer, given) in &self.scores {
            let before = earlier.and_then(|earlier| match heard(run, earlier, scorer, SCORE) {
                Heard::Said(verdict) => Some(points(verdict)),
                Heard::Ask(_) | Heard::Failed(_) => None,
            });
            for rubric in &self.rubrics {
                let previous = before.as_ref().map(|before| rubric.scores(before));
                let judged = rubric.judge(rubric.scores(given), previous.as_deref());
                reasons.extend(judged.violations.into_iter().map(|violation| violation.message));
                strategies.push(judged.scores);
            }
        }
    }

    /// How far a goal has come: what was measured, between the first measurement and the target. Jitter within the noise is
    /// neither progress nor the opposite.
    fn goal(&self, run: &Run, has_before: bool, reasons: &mut Vec<String>) -> Option<GoalProgress> {
        let Some(Anchor::Goal(goal)) = self.anchor else { return None };
        let measure = goal.measure.as_ref()?;
        let now = self.rules?.score?;
        let measured = |turn: &Turn| match heard(run, turn, &SeatName::new(RULES), RULES) {
            Heard::Said(verdict) => Some(verdict),
            Heard::Ask(_) | Heard::Failed(_) => None,
        };
        let wants_less = measure.direction == tribunal_anchors::Direction::Minimise;
        let mut counted = now;
        let before = accepted(run).filter(|_| has_before).and_then(|(turn, ..)| measured(turn));
        if let Some((before, was)) = before.and_then(|verdict| Some((verdict, verdict.score?))) {
            let noise = before.dims.first().and_then(|dim| dim.score).unwrap_or_default();
            let is_worse = if wants_less { now > was } else { now < was };
            if is_worse && now.distance(was) > noise {
                reasons.push(format!("measured {now}, and the draft before had {was}"));
            } else if is_worse {
                counted = was;
            }
        }
        let target = measure.target.and_then(|target| Some(Score(u64::try_from(target.millionths()).ok()?)));
        let first = super::snowball::mutations(run).find_map(|(turn, ..)| measured(turn)?.score).unwrap_or(now);
        let is_reached = target.is_some_and(|target| if wants_less { now <= target } else { now >= target });
        let score = if is_reached {
            WHOLE
        } else {
            progress(first.as_f64(), counted.as_f64(), target.map(Score::as_f64), wants_less)
        };
        let points = Points { name: rules::MEASURE.to_owned(), score, max: WHOLE, weight: 1, floor: None };
        Some(GoalProgress { points, is_reached })
    }
}

struct GoalProgress {
    points: Points,
    is_reached: bool,
}

/// How much of the way is behind us, in millionths; without a target, how much of the first value is gone, or of the
/// present one was added.
fn progress(first: f64, now: f64, target: Option<f64>, wants_less: bool) -> u32 {
    let (gained, whole) = match target {
        Some(target) => (first - now, first - target),
        None if wants_less => (first - now, first),
        None => (now - first, now),
    };
    let share = if whole == 0.0 { 0.0 } else { gained / whole };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and a million")]
    let millionths = (share.clamp(0.0, 1.0) * f64::from(WHOLE)) as u32;
    millionths
}

/// The items that were decided when the draft was read.
fn measured_items(anchor: &Anchor, mutation: &Mutation) -> Vec<JudgedItem> {
    let measured = &mutation.measured;
    let judged = rules::checkable(anchor).into_iter().map(|(level, rule)| {
        let name = rule.name();
        let score = measured.scores.iter().find(|score| score.name == name);
        let (state, why) = match (measured.broken.get(name), score) {
            (Some(why), _) => (ItemState::Broken, Some(why.clone())),
            (None, Some(score)) if score.score == score.max => (ItemState::Met, None),
            (None, Some(_)) => (ItemState::Broken, None),
            (None, None) => (ItemState::Undecided, Some("it was not checked".into())),
        };
        JudgedItem { level, item: name.to_owned(), state, why, justified: false }
    });
    judged.collect()
}

/// What a draft is judged by: what a person put in the place of the first anchor, or what the first draft brought.
fn anchor_of<'r>(run: &'r Run, mutation: &'r Mutation) -> Option<&'r Anchor> {
    run.reanchored().or(mutation.anchor.as_deref()).or_else(|| run.anchor())
}

/// Whether what was found when the draft was read was found under the anchor that holds now.
fn is_measured_now(run: &Run, mutation: &Mutation) -> bool {
    mutation.measured.under == run.reanchorings()
}

fn is_justified(justifications: &BTreeMap<String, String>, item: &str) -> bool {
    justifications.iter().any(|(said, why)| {
        let said = said.trim();
        let bare = said.strip_prefix("SHOULD:").map_or(said, str::trim_start);
        (said == item || bare == item) && !why.trim().is_empty()
    })
}

pub(super) fn points(verdict: &Verdict) -> Vec<(String, f64)> {
    verdict.dims.iter().map(|dim| (dim.name.clone(), dim.score.unwrap_or_default().as_f64())).collect()
}
