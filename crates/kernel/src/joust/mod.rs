//! Loop 2, joust: editors rewrite one draft in turn, under an anchor.
//!
//! | file | noun |
//! |---|---|
//! | `def` | what the loop is called, needs, shows and writes |
//! | `settings` | who jousts, under what, and when it is enough |
//! | `snowball` | what rolls through the run, derived from the log |
//! | `judging` | whether a rewrite may replace the draft |
//! | `anchor_form` | the first answer where it has to bring an anchor |
//! | `answers`, `prompts` | what seats return and what they are told |

mod anchor_form;
mod answers;
mod def;
mod judging;
mod prompts;
mod settings;
pub mod snowball;

use std::collections::BTreeSet;
use tribunal_anchors::{Aggregate, Anchor, lint, plateau};

use crate::answer::Misfit;
use crate::ballot::{AllMet, Ballot, JudgedItem, OpenItems};
use crate::circles::Circle;
use crate::mutation::{Measured, Mutation};
use crate::prompt::Prompt;
use crate::rules;
use crate::spec::RunSpec;
use crate::trial::{Ask, Exhibits, Outlook, Reading, Step, Trial};
use crate::verdict::Dim;
use crate::{
    Decision, Digest, Draft, Format, Judgement, Outcome, Round, Run, Said, Score, SeatName, Ship, Slot, Tally, Turn,
    Verdict,
};

pub use answers::{BootstrapAnswer, CompactionAnswer, MutationAnswer, ScoreAnswer};
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
/// The dimensions of a rubric.
pub const SCORE: &str = "score";

/// The most that a scorer gives.
const MOST_POINTS: u32 = 13;

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
            Some(state) if state.closed.is_some() => return Step::Open(state.round.next()),
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
            LINT => prompts::lint(self, run, ask),
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
            LINT => {
                let mutation = rules::subject_of(&turn.task).and_then(|turn| mutation_of(run, turn));
                let ballot = mutation.map(|mutation| judging::ballot(run, mutation)).unwrap_or_default();
                rules::read_ballot(run, turn, &ballot, answer, exhibits)
            }
            SCORE => read_scores(run, turn, answer, exhibits),
            _ => read_mutation(run, turn, answer, exhibits),
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
            LINT | SCORE => rules::judged(run, &ask.task, ask.round),
            _ => None,
        }
    }

    /// A scorer finds a draft unfit whose scores do not reach half of what there is to give.
    fn notices(&self, verdict: &Verdict) -> bool {
        let scores = verdict.dims.iter().map(|dim| (Score::points(1), dim.score.unwrap_or_default()));
        Score::mean(scores) < Score(Score::points(MOST_POINTS).0 / 2)
    }

    fn exhibits(&self, run: &Run, turn: &Turn) -> Vec<Digest> {
        if turn.task.starts_with(LINT) || turn.task.starts_with(SCORE) {
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
        Outlook::new(self.max_rounds, main.into_iter().chain(jousters).chain(linters))
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
        run.take_person_votes(mutation.draft.id, &mut items);
        let is_decided_now = items != ruling.items;
        let composite = ruling.score.unwrap_or_default();
        let skipped = snowball::skipped(self, run, round);
        let warnings = if skipped.is_empty() { Vec::new() } else { vec!["needs_attention".to_owned()] };
        let open = OpenItems::of(&items);
        let must_fix = u32::try_from(open.broken.len()).unwrap_or(u32::MAX);
        let silenced = judging::silenced(self, run);
        let no_vote = (!silenced.is_empty()).then(|| format!("no vote: {}", silenced.join(", ")));
        // What keeps it from passing besides items: a scorer that nobody heard, for example.
        let besides = ruling.reasons.first().filter(|_| open.is_empty()).cloned();
        let told = open
            .told()
            .into_iter()
            .chain(besides)
            .chain(no_vote)
            .fold(String::new(), |all, told| format!("{all}; {told}"));
        let is_passed = open.is_empty() && turn.task != BOOTSTRAP && is_judged(run, &items);
        let is_complete = ruling.complete
            || is_decided_now && ruling.reasons.is_empty() && has_items_alone(run) && AllMet::of(&items).is_ok();
        let open = open.broken.into_iter().chain(open.undecided).cloned().collect();
        let tally = Tally { composite, must_fix, missing: skipped, open, warnings };
        let mut history: Vec<Aggregate> = snowball::history(run).into_iter().map(|score| Aggregate(score.0)).collect();
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
        } else {
            Decision::in_progress(None)
        };
        Step::Close { round, decision, tally: Some(Box::new(tally)) }
    }

    fn read_bootstrap(&self, run: &Run, turn: &Turn, answer: &str, exhibits: &Exhibits) -> Result<Reading, Misfit> {
        let BootstrapAnswer { draft, anchor, why } = crate::answer::read(answer)?;
        let anchor = match (&run.spec().anchor, anchor) {
            (Some(_), _) => None,
            (None, None) => return Err(Misfit::Unacceptable("`anchor` is missing".into())),
            (None, Some(value)) => Some(rules::written(value, self.kind)?),
        };
        let judged = run.reanchored().or(anchor.as_ref()).or(run.spec().anchor.as_ref());
        let measured = judged.map(|anchor| measured(run, &lint(anchor, &draft, None, &|_| true, exhibits.pages())));
        let mutation = Mutation {
            draft: new_draft(run, turn, &draft)?,
            critique: None,
            summon: None,
            justifications: std::collections::BTreeMap::new(),
            anchor: anchor.map(Box::new),
            why,
            measured: measured.unwrap_or_default(),
        };
        Ok(Reading { said: Said::Mutation(Box::new(mutation)), blobs: vec![draft] })
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

fn read_mutation(run: &Run, turn: &Turn, answer: &str, exhibits: &Exhibits) -> Result<Reading, Misfit> {
    let MutationAnswer { draft, critique, summon, justifications } = crate::answer::read(answer)?;
    let anchor = run.anchor();
    let before = snowball::accepted(run).map(|(_, mutation, _)| mutation);
    let previous = before.and_then(|mutation| exhibits.text(&mutation.draft.content));
    let mut found = Measured::default();
    if let Some(anchor) = anchor {
        // Files and commands have their turn later; nobody is paid for what can be told from the text.
        let mut result = lint(anchor, &draft, previous, &|_| true, exhibits.pages()).settle(&justifications);
        if let Some(before) = before {
            result = result.keep(&before.measured.covered);
        }
        if !result.violations.is_empty() {
            let told: Vec<String> = result
                .violations
                .iter()
                .map(|violation| match &violation.span {
                    Some(span) => {
                        format!("{}: {} (line {}: {:?})", violation.rule, violation.message, span.line, span.quote)
                    }
                    None => format!("{}: {}", violation.rule, violation.message),
                })
                .collect();
            return Err(Misfit::Unacceptable(format!("the draft was rejected:\n- {}", told.join("\n- "))));
        }
        found = measured(run, &result);
    }
    let mutation = Mutation {
        draft: new_draft(run, turn, &draft)?,
        critique: critique.filter(|text| !text.trim().is_empty()),
        summon: summon.filter(|summon| !summon.specialist.trim().is_empty()),
        justifications,
        anchor: None,
        why: None,
        measured: found,
    };
    Ok(Reading { said: Said::Mutation(Box::new(mutation)), blobs: vec![draft] })
}

/// What the rules that need no opinion said.
fn measured(run: &Run, result: &tribunal_anchors::LintResult) -> Measured {
    let broken = result.violations.iter().chain(&result.should_violations).chain(&result.open);
    Measured {
        broken: broken.map(|violation| (violation.rule.clone(), violation.message.clone())).collect(),
        under: run.reanchorings(),
        scores: result.scores.clone(),
        covered: result.covered(),
        open: result.open.iter().map(|item| item.rule.clone()).collect(),
        near_tie: result.near_tie,
    }
}

fn read_scores(run: &Run, turn: &Turn, answer: &str, exhibits: &Exhibits) -> Result<Reading, Misfit> {
    let ScoreAnswer { scores, ballot: lines } = crate::answer::read(answer)?;
    let draft = rules::judged(run, &turn.task, turn.round).ok_or_else(rules::nothing_to_judge)?;
    rules::cast(run, turn, &Ballot::default(), draft, &lines, exhibits)?;
    if let Some(Anchor::Rubric(rubric)) = run.anchor() {
        let is_it = |given: &str, name: &str| given.trim().eq_ignore_ascii_case(name.trim());
        let wanted =
            rubric.dims.iter().map(|dim| (&dim.name, scores.iter().filter(|it| is_it(&it.name, &dim.name)).count()));
        let mut wrong: Vec<String> =
            wanted.filter(|(_, times)| *times != 1).map(|(name, _)| format!("`{name}`")).collect();
        let unknown = scores.iter().filter(|it| !rubric.dims.iter().any(|dim| is_it(&it.name, &dim.name)));
        wrong.extend(unknown.map(|it| format!("`{}`, which is none of them", it.name)));
        if !wrong.is_empty() {
            let why =
                format!("`scores` must name every dimension of the anchor once, by its name; see {}", wrong.join(", "));
            return Err(Misfit::Unacceptable(why));
        }
    }
    let dims = scores
        .into_iter()
        .map(|scored| Dim {
            name: scored.name,
            score: Some(Score::points(tribunal_anchors::snap(scored.score))),
            note: scored.rationale,
        })
        .collect();
    let verdict = Verdict { dims, ..Verdict::new(draft.id, Judgement::Abstain) };
    Ok(Reading { said: Said::Verdict(verdict), blobs: Vec::new() })
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

fn new_draft(run: &Run, turn: &Turn, text: &str) -> Result<Draft, Misfit> {
    if text.trim().is_empty() {
        return Err(Misfit::Unacceptable("`draft` is empty".into()));
    }
    Ok(Draft::proposed(run.spec().run, turn.id, text, Format::Markdown))
}
