//! The scoreboard: what a round's votes amount to, whether they pass, and what is shipped if none do.

use super::evidence::CONTRADICTED;
use super::settings::{DESIGNER, Fallback, Settings};
use super::stream::SCORE_CLAMPED;
use crate::ballot::{ItemState, JudgedItem, OpenItems, QUOTE_NOT_FOUND};
use crate::heard::Claim;
use crate::late::LATE;
use crate::run::RoundState;
use crate::verdict::Correction;
use crate::waiver::WAIVED;
use crate::{Finding, Round, Score, SeatName, Tally, Verdict};

/// A claimed composite that is further off than this is worth a warning.
const TOLERANCE: Score = Score(50_000);

/// Everything that was said in a round.
#[derive(Debug, Clone, Default)]
pub struct Votes<'a> {
    /// Who spoke at all.
    pub spoke: Vec<&'a SeatName>,
    pub verdicts: Vec<(&'a SeatName, &'a Verdict)>,
    /// What the panel itself says about its round.
    pub claim: Option<&'a Claim>,
    /// What the engine found in the draft: it weighs as much as any demand.
    pub lint: Vec<&'a Finding>,
    /// What the anchor asks for and is not met: broken, or undecided.
    pub open: Vec<JudgedItem>,
}

/// What the gate says of a tally.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RoundRuling {
    Ship(String),
    Continue(String),
    /// No round is left: the fallback policy decides.
    Exhausted(String),
}

/// Counts. `is_final`: no round follows this one.
pub fn tally(settings: &Settings, votes: &Votes<'_>, is_final: bool) -> Tally {
    let missing: Vec<SeatName> = settings.cast.iter().filter(|role| !votes.spoke.contains(role)).cloned().collect();
    let composite = Score::mean(settings.judges().filter_map(|role| {
        let score = if missing.contains(role) { Score::ZERO } else { votes.of(role)?.score? };
        Some((settings.weight(role), score))
    }));
    let demanded = votes.verdicts.iter().flat_map(|(_, verdict)| verdict.must_fixes()).count();
    let open = demanded + missing.len() + votes.lint.len();
    let mut tally = Tally {
        composite,
        must_fix: u32::try_from(open).unwrap_or(u32::MAX),
        missing,
        open: votes.open.clone(),
        warnings: vec![],
    };
    let passes = matches!(gate(settings, votes, &tally, is_final), RoundRuling::Ship(_));
    tally.warnings.extend(tally.missing.iter().map(|_| "missing_role".to_owned()));
    if !is_final && !passes && !is_debated(settings, votes) {
        tally.warnings.push("weak_debate".into());
    }
    if votes.claim.is_some_and(|claim| is_off(claim, composite)) {
        tally.warnings.push(COMPOSITE_MISMATCH.into());
    }
    tally
}

/// The warning about a composite that is not ours.
pub const COMPOSITE_MISMATCH: &str = "composite_mismatch";

/// Whether a claimed composite is not ours.
pub fn is_off(claim: &Claim, composite: Score) -> bool {
    claim.composite.is_some_and(|claimed| claimed.distance(composite) > TOLERANCE)
}

/// Decides on a tally. The numbers must suffice, and they must be numbers: nobody passes on a score that was not given
/// or that had to be corrected.
pub fn gate(settings: &Settings, votes: &Votes<'_>, tally: &Tally, is_final: bool) -> RoundRuling {
    let mut against = Vec::new();
    if tally.composite < settings.threshold {
        against.push(format!("composite {} is below {}", tally.composite, settings.threshold));
    }
    match tally.must_fix {
        0 => {}
        1 => against.push("1 must-fix is open".into()),
        open => against.push(format!("{open} must-fixes are open")),
    }
    for role in settings.judges().filter(|role| !tally.missing.contains(role)) {
        match votes.of(role) {
            Some(Verdict { score: None, .. }) | None if settings.weight(role) > Score::ZERO => {
                against.push(format!("{role} gave no score"));
            }
            Some(verdict) => {
                // What a measurement put right counts as it was measured, and a score a little over the scale as the most.
                let counts = |correction: &&Correction| {
                    ![CONTRADICTED, QUOTE_NOT_FOUND, WAIVED, LATE].contains(&correction.rule.as_str())
                        && !is_overstated(correction, settings.scale)
                };
                let wrong = verdict.corrections.iter().filter(counts);
                against.extend(wrong.map(|correction| format!("{role}: {}", correction.why)));
            }
            None => {}
        }
    }
    against.extend(OpenItems::of(&tally.open).told());
    if against.is_empty() {
        let reason = format!("composite {} reaches {}, no must-fix is open", tally.composite, settings.threshold);
        return RoundRuling::Ship(said(votes, true, reason));
    }
    let reason = said(votes, false, against.join("; "));
    if is_final { RoundRuling::Exhausted(reason) } else { RoundRuling::Continue(reason) }
}

/// Up to so many times the scale, a score means “the best there is”. What is further beyond was given on another scale, and
/// says nothing on this one.
const OVERSTATED: f64 = 1.5;

/// Whether a correction is about a score that was a little over the scale.
fn is_overstated(correction: &Correction, scale: Score) -> bool {
    let said = correction.given.parse::<f64>();
    correction.rule == SCORE_CLAMPED && said.is_ok_and(|said| said <= scale.as_f64() * OVERSTATED)
}

/// Whether nothing keeps a round from passing but items that nobody has decided.
pub fn is_only_undecided(settings: &Settings, votes: &Votes<'_>, tally: &Tally) -> bool {
    let is_undecided = !tally.open.is_empty() && tally.open.iter().all(|item| item.state == ItemState::Undecided);
    let decided = Tally { open: Vec::new(), ..tally.clone() };
    is_undecided && matches!(gate(settings, votes, &decided, true), RoundRuling::Ship(_))
}

/// The round that is handed over when none passed.
pub fn fallback(policy: Fallback, rounds: &[(Round, Score)]) -> Option<(Round, Score)> {
    match policy {
        Fallback::ShipBest => best(rounds),
        Fallback::ShipLast => rounds.last().copied(),
        Fallback::Fail => None,
    }
}

/// The best round; of equals the later one, which has had more care.
pub fn best(rounds: &[(Round, Score)]) -> Option<(Round, Score)> {
    rounds.iter().copied().max_by_key(|(round, composite)| (*composite, *round))
}

/// The rounds that were completed, with what each was worth.
pub fn completed(rounds: &[RoundState]) -> Vec<(Round, Score)> {
    rounds.iter().filter_map(|state| Some((state.round, state.tally.as_ref()?.composite))).collect()
}

/// The panel's own reason where it agrees with the gate, ours otherwise.
fn said(votes: &Votes<'_>, ships: bool, ours: String) -> String {
    match votes.claim {
        Some(claim) if claim.wants_to_ship == ships && !claim.text.is_empty() => claim.text.clone(),
        _ => ours,
    }
}

/// Whether two judges want different things.
fn is_debated(settings: &Settings, votes: &Votes<'_>) -> bool {
    let mut demands = settings.judges().filter_map(|role| {
        let mut texts: Vec<&str> = votes.of(role)?.must_fixes().map(|finding| finding.text.as_str()).collect();
        texts.sort_unstable();
        Some(texts)
    });
    let first = demands.next();
    demands.any(|other| Some(other) != first)
}

impl<'a> Votes<'a> {
    fn of(&self, role: &SeatName) -> Option<&'a Verdict> {
        self.verdicts.iter().find(|(seat, _)| *seat == role).map(|(_, verdict)| *verdict)
    }

    /// The verdicts that count: the designer never scores.
    pub fn judges(&self) -> impl Iterator<Item = (&'a SeatName, &'a Verdict)> {
        self.verdicts.iter().copied().filter(|(seat, _)| **seat != *DESIGNER)
    }
}
