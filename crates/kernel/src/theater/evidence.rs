//! What was measured, held against what is claimed.
//!
//! A judge's score of a dimension that was measured, too, must be near the measured one. If it is not, the measured
//! one counts. Where the claim was too good, the judge's score of the whole is held down, too: nobody passes on what
//! was measured to be false. A judge that is harsher than the measurement is flagged, and may be right about the rest.

use std::fmt::Write as _;

use super::JUDGE;
use super::settings::MEASURE;
use crate::verdict::{Correction, Dim};
use crate::{Round, Run, Said, Score, SeatName, Slot, Verdict};

/// The rule by which a claim was put right.
pub(super) const CONTRADICTED: &str = "contradicted";
/// How far a claim may be from what was measured: a fifth of the scale.
const TOLERANCE_PARTS: u64 = 5;
/// A dimension with a score of at least nineteen twentieths of the scale has nothing to complain about.
const FLAWLESS_PARTS: (u64, u64) = (19, 20);

/// What was measured in a round; dimensions are named `role.dimension`.
pub(super) fn of(run: &Run, round: Round) -> Option<&[Dim]> {
    match run.slot(round, &SeatName::new(MEASURE), JUDGE) {
        Slot::Answered { said: Said::Verdict(verdict), .. } => Some(&verdict.dims),
        _ => None,
    }
}

/// The dimensions of a seat's field that were measured, by name.
pub(super) fn listed<'r>(run: &'r Run, round: Round, seat: &SeatName) -> Vec<&'r str> {
    let field = format!("{seat}.");
    let measured = of(run, round).unwrap_or_default().iter().filter(|dim| dim.score.is_some());
    measured.filter_map(|dim| dim.name.strip_prefix(&field)).collect()
}

/// Whether a judge means this dimension: letter case, white space, hyphens and underscores aside.
pub(super) fn is_same(given: &str, name: &str) -> bool {
    let folded =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    folded(given) == folded(name)
}

/// The measurements, a line each.
pub(super) fn told(measured: &[Dim]) -> String {
    let mut text = String::new();
    for dim in measured {
        let score = dim.score.map(|score| format!(" {score}")).unwrap_or_default();
        let _ = writeln!(text, "{}{score}: {}", dim.name, dim.note);
    }
    text
}

/// Puts right what the measurements contradict.
pub(super) fn hold_against(verdict: &mut Verdict, seat: &SeatName, measured: &[Dim], scale: Score) {
    let field = format!("{seat}.");
    let find = |name: &str| {
        measured.iter().find(|dim| dim.name.strip_prefix(&field).is_some_and(|known| is_same(name, known)))
    };
    let mut is_inflated = false;
    for dim in &mut verdict.dims {
        let Some((known, claimed)) = find(&dim.name).and_then(|known| known.score).zip(dim.score) else { continue };
        if known.distance(claimed).0 > scale.0 / TOLERANCE_PARTS {
            is_inflated |= claimed > known;
            verdict.corrections.push(Correction {
                given: claimed.to_string(),
                rule: CONTRADICTED.into(),
                why: format!("{} was measured: {known}, not {claimed}", dim.name),
            });
            dim.score = Some(known);
        }
    }
    if is_inflated {
        let mean = Score::mean(verdict.dims.iter().filter_map(|dim| Some((Score::points(1), dim.score?))));
        verdict.score = verdict.score.map(|score| score.min(mean));
    }
    // A demand that names a contrast where every contrast was measured and found sufficient speaks against evidence.
    // Black on white is what a page without colours has: whoever speaks of a ratio there sees something that we do not.
    let contrast = measured.iter().find(|dim| dim.name == "a11y.contrast" && !dim.note.contains("lowest 21"));
    let contrast = contrast.and_then(|dim| dim.score);
    let is_flawless = contrast.is_some_and(|score| score.0 * FLAWLESS_PARTS.1 >= scale.0 * FLAWLESS_PARTS.0);
    for finding in verdict.findings.iter_mut().filter(|finding| is_flawless && names_a_contrast(&finding.text)) {
        finding.contested = true;
        verdict.corrections.push(Correction {
            given: finding.text.clone(),
            rule: CONTRADICTED.into(),
            why: "every contrast was measured and suffices".into(),
        });
    }
}

/// Whether a text says something like `contrast 3.9:1`.
fn names_a_contrast(text: &str) -> bool {
    let has_ratio = text.match_indices(":1").any(|(at, _)| text[..at].ends_with(|c: char| c.is_ascii_digit()));
    has_ratio && text.to_lowercase().contains("contrast")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DraftId, Finding, FindingId, Judgement, Severity};
    use uuid::Uuid;

    fn dim(name: &str, score: f64) -> Dim {
        Dim { name: name.into(), score: Some(Score::from_f64(score)), note: String::new() }
    }

    fn verdict(score: f64, dims: Vec<Dim>) -> Verdict {
        Verdict { score: Some(Score::from_f64(score)), dims, ..Verdict::new(DraftId(Uuid::nil()), Judgement::Pass) }
    }

    #[test]
    fn a_claim_that_a_measurement_contradicts_does_not_count() {
        let measured = [dim("a11y.contrast", 3.0), dim("a11y.focus", 9.0), dim("critic.contrast", 9.0)];
        for (name, dims, expected, corrections) in [
            ("near enough", vec![dim("contrast", 4.5), dim("focus", 8.0)], "9.5", 0),
            ("inflated", vec![dim("contrast", 10.0), dim("focus", 9.0)], "6", 1),
            ("too harsh: flagged, and its score stands", vec![dim("Focus", 1.0)], "9.5", 1),
            ("not measured", vec![dim("tone", 10.0)], "9.5", 0),
        ] {
            let mut verdict = verdict(9.5, dims);
            hold_against(&mut verdict, &SeatName::new("a11y"), &measured, Score::points(10));
            assert_eq!(verdict.score.unwrap().to_string(), expected, "{name}");
            assert_eq!(verdict.corrections.len(), corrections, "{name}");
        }
    }

    #[test]
    fn a_demand_against_evidence_is_contested() {
        let demand = |text: &str| Finding {
            id: FindingId(Uuid::nil()),
            severity: Severity::MustFix,
            text: text.into(),
            code: None,
            target: None,
            contested: false,
        };
        let mut verdict = verdict(5.0, Vec::new());
        verdict.findings = vec![demand("Contrast of the button is 3.9:1."), demand("Say more.")];
        hold_against(&mut verdict, &SeatName::new("critic"), &[dim("a11y.contrast", 10.0)], Score::points(10));
        let open: Vec<&str> = verdict.must_fixes().map(|finding| finding.text.as_str()).collect();
        assert_eq!(open, ["Say more."]);
    }
}
