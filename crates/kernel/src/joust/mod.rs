//! Loop 2, joust: editors rewrite one draft in turn, under an anchor.
//!
//! | file | noun |
//! |---|---|
//! | `def` | what the loop is called, needs, shows and writes |
//! | `settings` | who jousts, under what, and when it is enough |
//! | `snowball` | what rolls through the run, derived from the log |
//! | `judging` | whether a rewrite may replace the draft |
//! | `anchor_form` | the first answer where it has to bring an anchor |
//! | `answers`, `prompts`, `reading` | what seats return, what they are told, and what an answer counts as |

mod anchor_form;
mod answers;
mod def;
mod judging;
mod prompts;
mod reading;
mod settings;
pub mod snowball;

use std::collections::BTreeSet;
use tribunal_anchors::{Aggregate, Anchor, AnchorKind, Scale, plateau};

use crate::answer::Misfit;
use crate::ballot::{AllMet, JudgedItem, OpenItems};
use crate::circles::Circle;
use crate::mutation::Mutation;
use crate::prompt::Prompt;
use crate::rules;
use crate::ruling::Ruling;
use crate::spec::RunSpec;
use crate::trial::{Ask, Exhibits, Outlook, Reading, Step, Trial};
use crate::{
    Decision, Digest, Draft, Outcome, Round, Run, Said, SeatName, Ship, Slot, Tally, Turn, TurnState, Verdict,
};

pub use answers::{BootstrapAnswer, CompactionAnswer, MutationAnswer, ScoreAnswer, Scored};
pub use def::{DEF, KEYS};
pub use settings::{MAIN, SPECIALISTS, Settings};

/// The first draft, and the anchor where none is given.
pub const BOOTSTRAP: &str = "bootstrap";
/// A jouster's rewrite.
pub const JOUST: &str = "joust";
/// The main seat's rewrite at a round's end.
pub const POLISH: &str = "polish";
/// The trail in few words.
pub const COMPACT: &str = "compact";
/// Rules that need an opinion.
pub const LINT: &str = "lint";
/// The same rules again, in another order, before a draft passes on one judge's word.
pub const RECOUNT: &str = "recount";
/// The dimensions of a rubric.
pub const SCORE: &str = "score";

/// The settings of a run, if it is a joust.
pub fn joust_of(spec: &RunSpec) -> Option<&Settings> {
    spec.settings_of()
}

/// Where a rewrite stands.
enum Progress {
    /// This comes first.
    Step(Step),
    Accepted,
    /// No attempt is left: the run goes on without it.
    Skipped,
}

impl Trial for Settings {
    fn subject(&self) -> &str {
        &self.name
    }

    fn main_seat(&self) -> &str {
        MAIN
    }

    fn seats(&self) -> Vec<&str> {
        let named = [&self.jousters, &self.linters, &self.scorers].into_iter().flatten().map(SeatName::as_str);
        let seats: BTreeSet<&str> = named.chain([MAIN]).collect();
        seats.into_iter().collect()
    }

    fn filled_seats(&self) -> &'static [(&'static str, &'static str)] {
        &SPECIALISTS
    }

    fn next(&self, run: &Run) -> Step {
        let decision = run.decision();
        if let (true, Some(outcome)) = (decision.is_settled(), decision.outcome) {
            return Step::End { outcome, reason: decision.reason.clone().unwrap_or_default() };
        }
        let round = match run.rounds().last() {
            None => return Step::Open(Round(1)),
            Some(state) if state.closed.is_some() => {
                return self.pause(run, state.round).unwrap_or_else(|| Step::Open(state.round.next()));
            }
            Some(state) => state.round,
        };
        if !snowball::has_begun(run) {
            let main = SeatName::new(MAIN);
            return match self.mutate(run, round, &main, BOOTSTRAP) {
                Progress::Step(step) => step,
                Progress::Accepted | Progress::Skipped => {
                    Step::End { outcome: Outcome::Failed, reason: "there is no first draft".into() }
                }
            };
        }
        self.play(run, round).unwrap_or_else(|| self.close(run, round))
    }

    fn prompt(&self, run: &Run, ask: &Ask) -> Prompt {
        match ask.task.split(':').next().unwrap_or_default() {
            BOOTSTRAP => prompts::bootstrap(self, run),
            COMPACT => prompts::compaction(self, run),
            LINT | RECOUNT => prompts::lint(self, run, ask),
            SCORE => prompts::scorer(self, run, ask),
            _ => prompts::mutation(self, run, ask),
        }
    }

    fn read(&self, run: &Run, turn: &Turn, answer: &str, exhibits: &Exhibits) -> Result<Reading, Misfit> {
        match turn.task.split(':').next().unwrap_or_default() {
            BOOTSTRAP => self.read_bootstrap(run, turn, answer, exhibits),
            COMPACT => {
                let CompactionAnswer { resolved_decisions: decisions } = crate::answer::read(answer)?;
                Ok(Reading { said: Said::Resolved { decisions }, blobs: Vec::new() })
            }
            LINT | RECOUNT => rules::read_ballot(run, turn, &judging::ballot_of(run, &turn.task), answer, exhibits),
            SCORE => self.read_scores(run, turn, answer, exhibits),
            _ => reading::read_mutation(run, turn, answer, exhibits),
        }
    }

    fn anchor<'r>(&'r self, run: &'r Run) -> Option<&'r Anchor> {
        snowball::anchor(run)
    }

    fn takes_anchor(&self, _: &Anchor) -> bool {
        true
    }

    /// The main seat's own anchor runs nothing until a person allowed it, or put an anchor in its place.
    fn may_run_commands(&self, run: &Run) -> bool {
        self.allow_commands || run.spec().anchor.is_some() || run.reanchored().is_some()
    }

    fn judges(&self) -> Vec<&str> {
        let judges: BTreeSet<&str> = self.linters.iter().chain(&self.scorers).map(SeatName::as_str).collect();
        judges.into_iter().collect()
    }

    fn judged<'r>(&self, run: &'r Run, ask: &Ask) -> Option<&'r Draft> {
        match ask.task.split(':').next().unwrap_or_default() {
            LINT | RECOUNT | SCORE => rules::judged(run, &ask.task, ask.round),
            _ => None,
        }
    }

    /// A scorer finds a draft unfit whose scores do not reach half of what there is to give.
    fn notices(&self, run: &Run, verdict: &Verdict) -> bool {
        let given = judging::points(verdict);
        let strategies: Vec<_> =
            self.rubrics(run.anchor()).map(|rubric| Aggregate::of(&rubric.scores(&given))).collect();
        tribunal_anchors::overall(&strategies).0 < Aggregate::ONE.0 / 2
    }

    fn exhibits(&self, run: &Run, turn: &Turn) -> Vec<Digest> {
        if [LINT, RECOUNT, SCORE].iter().any(|task| turn.task.starts_with(task)) {
            return rules::exhibits(run, turn);
        }
        snowball::accepted(run).map(|(_, mutation, _)| mutation.draft.content).into_iter().collect()
    }

    fn outlook(&self, done: u32) -> Outlook {
        let left = self.max_rounds.saturating_sub(done);
        let rewrites = u32::try_from(self.jousters.len()).unwrap_or(u32::MAX).saturating_add(1).saturating_mul(left);
        let main = [(SeatName::new(MAIN), left.saturating_add(u32::from(done == 0)))];
        let jousters = self.jousters.iter().map(|seat| (seat.clone(), left));
        // Whether rules need an opinion shows with the anchor; the plan is for the case that they do.
        let linters = self.linters.iter().map(|seat| (seat.clone(), rewrites));
        // What would pass is counted again by one of them.
        let recounts = self.linters.first().filter(|_| self.quorum < 2).map(|seat| (seat.clone(), 1));
        let is_scored = self.kind == AnchorKind::Rubric || !self.scoring.is_empty();
        let scorers = self.scorers.iter().filter(|_| is_scored).map(|seat| (seat.clone(), rewrites));
        Outlook::new(self.max_rounds, main.into_iter().chain(jousters).chain(linters).chain(recounts).chain(scorers))
    }

    fn standing<'r>(&self, run: &'r Run, round: Round) -> Option<&'r Draft> {
        snowball::accepted_in(run, round).map(|mutation| &mutation.draft)
    }

    fn ship(&self, run: &Run, _: Outcome) -> Option<Ship> {
        let (turn, mutation, ruling) = snowball::accepted(run)?;
        let draft = mutation.draft.clone();
        // It may have been judged again since, under another anchor.
        let closed = run.rounds().last().and_then(|state| state.tally.as_ref()).map(|tally| tally.composite);
        let composite = closed.filter(|_| ruling.score.is_some()).or(ruling.score);
        Some(Ship { round: turn.round, draft, composite, summary: mutation.critique.clone() })
    }

    fn cites(&self) -> Vec<Digest> {
        self.seed.iter().map(|draft| draft.content).collect()
    }
}

impl Settings {
    /// What the round needs next; nothing when everybody has had their turn.
    fn play(&self, run: &Run, round: Round) -> Option<Step> {
        let mut summons = self.max_summons_per_round;
        let mut requests = snowball::requests(run);
        // Whom nobody sits for must not keep the others waiting.
        requests.retain(|request| !request.is_vacant());
        let heard_before = |number: usize| {
            run.turns().iter().any(|turn| turn.task == snowball::summon_task(number) && turn.round < round)
        };
        // First what was left over from the rounds before, oldest first.
        let waiting = requests.iter().filter(|request| request.round < round && !heard_before(request.number));
        for request in waiting.take(summons as usize) {
            summons -= 1;
            if let Some(step) = self.summon(run, round, request) {
                return Some(step);
            }
        }
        for jouster in &self.jousters {
            if let Progress::Step(step) = self.mutate(run, round, jouster, JOUST) {
                return Some(step);
            }
            // Then whom this one asks for, if nobody was heard yet and nobody waits.
            let asked = requests.iter().find(|request| request.round == round && request.requested_by == jouster);
            let is_first = |number: usize| {
                requests
                    .iter()
                    .all(|other| other.number >= number || heard_before(other.number) || is_heard(run, other))
            };
            if let Some(request) = asked.filter(|request| summons > 0 && is_first(request.number)) {
                summons -= 1;
                if let Some(step) = self.summon(run, round, request) {
                    return Some(step);
                }
            }
        }
        let main = SeatName::new(MAIN);
        let is_long = snowball::trail(run).len() >= self.compaction_threshold as usize;
        if is_long && let Slot::Open { .. } | Slot::InFlight = run.slot(round, &main, COMPACT) {
            return Some(Step::Ask(vec![Ask::new(round, main, COMPACT)]));
        }
        match self.mutate(run, round, &main, POLISH) {
            Progress::Step(step) => Some(step),
            Progress::Accepted | Progress::Skipped => None,
        }
    }

    /// Hears a specialist.
    fn summon(&self, run: &Run, round: Round, request: &snowball::SummonRequest<'_>) -> Option<Step> {
        let seat = request.seat?;
        match self.mutate(run, round, seat, &snowball::summon_task(request.number)) {
            Progress::Step(step) => Some(step),
            Progress::Accepted | Progress::Skipped => None,
        }
    }

    /// One rewrite, from the call to the ruling: of jousters, specialists and the main seat alike.
    fn mutate(&self, run: &Run, round: Round, seat: &SeatName, task: &str) -> Progress {
        match run.slot(round, seat, task) {
            Slot::Open { .. } | Slot::InFlight => {
                Progress::Step(Step::Ask(vec![Ask::new(round, seat.clone(), task.to_owned())]))
            }
            Slot::Exhausted { .. } => Progress::Skipped,
            Slot::Answered { turn, said: Said::Mutation(mutation) } if turn.ruling.is_none() => {
                Progress::Step(judging::judge(self, run, turn, mutation))
            }
            Slot::Answered { .. } => Progress::Accepted,
        }
    }

    /// Everybody has had their turn: is it enough? The draft that stands is judged itself, under the anchor that holds now.
    fn close(&self, run: &Run, round: Round) -> Step {
        let (turn, mutation, ruling) = snowball::accepted(run).expect("a run that has begun has a draft");
        let ruling = match judging::standing(self, run, turn, mutation, ruling) {
            Ok(ruling) => ruling,
            Err(step) => return step,
        };
        // What nobody could tell, a person may have decided since.
        let mut items = ruling.items.clone();
        if let Err(step) = judging::recount(self, run, turn, mutation, &mut items, false) {
            return step;
        }
        run.take_person_votes(mutation.draft.id, &mut items);
        let (decision, tally) = self.decide(run, round, turn, &ruling, &items);
        if decision.outcome != Some(Outcome::Converged) {
            return Step::Close { round, decision, tally: Some(Box::new(tally)) };
        }
        let mut counted = ruling.items.clone();
        if let Err(step) = judging::recount(self, run, turn, mutation, &mut counted, true) {
            return step;
        }
        run.take_person_votes(mutation.draft.id, &mut counted);
        let (decision, tally) = self.decide(run, round, turn, &ruling, &counted);
        Step::Close { round, decision, tally: Some(Box::new(tally)) }
    }

    /// What follows for a round whose draft stands like this.
    fn decide(&self, run: &Run, round: Round, turn: &Turn, ruling: &Ruling, items: &[JudgedItem]) -> (Decision, Tally) {
        let composite = ruling.score.unwrap_or_default();
        let skipped = snowball::skipped(self, run, round);
        let warnings = if skipped.is_empty() { Vec::new() } else { vec!["needs_attention".to_owned()] };
        let open = OpenItems::of(items);
        let must_fix = u32::try_from(open.broken.len()).unwrap_or(u32::MAX);
        let silenced = judging::silenced(self, run);
        let no_vote = (!silenced.is_empty()).then(|| format!("no vote: {}", silenced.join(", ")));
        // What keeps it from passing besides items: a scorer that nobody heard, for example.
        let is_first = turn.task == BOOTSTRAP && open.is_empty() && ruling.reasons.is_empty();
        let only = || is_first.then(|| "no rewrite was taken, so the first draft stands".to_owned());
        let besides = ruling.reasons.first().filter(|_| open.is_empty()).cloned().or_else(only);
        let told = open
            .told()
            .into_iter()
            .chain(besides)
            .chain(no_vote)
            .fold(String::new(), |all, told| format!("{all}; {told}"));
        let is_passed = open.is_empty() && ruling.reasons.is_empty() && turn.task != BOOTSTRAP && is_judged(run, items);
        let is_met = ruling.reasons.is_empty() && has_items_alone(run) && AllMet::of(items).is_ok();
        let is_complete = open.is_empty() && (ruling.complete || is_met);
        let open = open.broken.into_iter().chain(open.undecided).cloned().collect();
        let tally = Tally { composite, must_fix, missing: skipped, open, warnings };
        // What was worth something under another anchor says nothing of a gain under this one.
        let mut history: Vec<Aggregate> =
            snowball::history(run, true).into_iter().map(|score| Aggregate(score.0)).collect();
        history.push(Aggregate(composite.0));
        let is_flat = plateau(&history, self.plateau_rounds as usize, Aggregate(self.plateau_epsilon.0));
        // Only what was decided, item by item, is met; where nothing can be, the last rewrite that was taken is the result.
        let outcome = if is_passed { Outcome::Converged } else { Outcome::NeedsHuman };
        let decision = if is_complete {
            Decision::terminal(Outcome::Converged, round, "every item of the anchor is met")
        } else if is_flat {
            let reason = format!("plateau: no gain in {} rounds{told}", self.plateau_rounds);
            Decision::terminal(outcome, round, reason)
        } else if let Some(circle) = Circle::of_drafts(run, round) {
            Decision::terminal(outcome, round, format!("{circle}{told}"))
        } else if run.last_round(self.max_rounds) <= round {
            Decision::terminal(outcome, round, format!("the rounds are used up{told}"))
        } else if self.is_time_up(run) {
            Decision::terminal(outcome, round, format!("the time box is used up{told}"))
        } else {
            Decision::in_progress(None)
        };
        (decision, tally)
    }

    /// Whether the time box is used up, as far as anybody who answered can tell.
    fn is_time_up(&self, run: &Run) -> bool {
        let latest = run.turns().iter().rev().find_map(|turn| match &turn.state {
            TurnState::Answered { at, .. } => Some(*at),
            TurnState::InFlight | TurnState::Failed { .. } => None,
        });
        let end = self.time_box_ms.map(|box_ms| run.clock_from().plus(std::time::Duration::from_millis(box_ms)));
        latest.zip(end).is_some_and(|(latest, end)| latest >= end)
    }

    /// The stop for a person to look, where this round was played since the run was begun or resumed.
    fn pause(&self, run: &Run, round: Round) -> Option<Step> {
        let is_due = self.pause_every > 0 && round.0.is_multiple_of(self.pause_every);
        let is_new = run.turns_of(round).any(|turn| run.is_fresh(turn.id));
        (is_due && is_new).then(|| Step::End {
            outcome: Outcome::Interrupted,
            reason: format!("paused after round {round} for you to look: `tribunal resume` continues"),
        })
    }
}

/// What a dimension is scored on, for whoever scores it.
fn scale_told(scale: Scale) -> &'static str {
    match scale {
        Scale::Points => "0, 1, 2, 3, 5, 8 or 13",
        Scale::Color => "0 for red, 1 for yellow or 2 for green",
    }
}

/// Whether the anchor is met as soon as every item of it is.
fn has_items_alone(run: &Run) -> bool {
    matches!(run.anchor(), Some(Anchor::Invariants(_) | Anchor::Acceptance(_) | Anchor::Assertions(_)))
}

/// Whether a draft of which nothing is open was judged by anything: likeness, a rubric's scores, a measure. Of a goal that
/// nobody measures, by its constraints; what can be met is not passed before it is.
fn is_judged(run: &Run, items: &[JudgedItem]) -> bool {
    match run.anchor() {
        Some(Anchor::Exemplars(_) | Anchor::Rubric(_)) => true,
        Some(Anchor::Goal(goal)) => match &goal.measure {
            Some(measure) => measure.target.is_none(),
            None => AllMet::of(items).is_ok(),
        },
        _ => false,
    }
}

fn is_heard(run: &Run, request: &snowball::SummonRequest<'_>) -> bool {
    run.turns().iter().any(|turn| turn.task == snowball::summon_task(request.number))
}

fn mutation_of(run: &Run, turn: crate::TurnId) -> Option<&Mutation> {
    match run.turn(turn)?.said()? {
        Said::Mutation(mutation) => Some(mutation),
        _ => None,
    }
}
