//! Claims that did not stand: what a seat said, and what counts instead.

use axum::Json;
use axum::extract::State;
use std::sync::Arc;
use tribunal_kernel::{Run, Verdict};

use super::asked::{Named, OfRun};
use super::blocking;
use super::problem::Refused;
use super::types::Overruled;
use crate::server::Desk;

pub(super) async fn list(
    State(desk): State<Arc<Desk>>,
    Named(OfRun { run }): Named<OfRun>,
) -> Result<Json<Vec<Overruled>>, Refused> {
    blocking(move || Ok(Json(of(desk.archive.run(run)?.as_ref())))).await
}

/// In the order of the turns.
fn of(run: &Run) -> Vec<Overruled> {
    let verdicts = run.turns().iter().filter_map(|turn| Some((turn, turn.said()?.verdict()?)));
    let overruled = verdicts.flat_map(|(turn, verdict)| {
        verdict.corrections.iter().map(|correction| {
            let dim = measured(verdict, &correction.why);
            Overruled {
                round: turn.round,
                role: turn.seat.clone(),
                rule: correction.rule.clone(),
                claimed: correction.given.clone(),
                counts: dim.and_then(|dim| dim.score),
                dim: dim.map(|dim| dim.name.clone()),
                why: correction.why.clone(),
            }
        })
    });
    overruled.collect()
}

/// The dimension whose measurement took the place of a claim: the reason begins with its name.
fn measured<'v>(verdict: &'v Verdict, why: &str) -> Option<&'v tribunal_kernel::verdict::Dim> {
    verdict.dims.iter().find(|dim| why.strip_prefix(&dim.name).is_some_and(|rest| rest.starts_with(" was measured: ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_kernel::verdict::Dim;
    use tribunal_kernel::{DraftId, Judgement, Score};

    #[test]
    fn the_dimension_of_a_claim_is_the_one_that_its_reason_names() {
        let dim = |name: &str, score| Dim { name: name.into(), score: Some(Score::points(score)), note: String::new() };
        let mut verdict = Verdict::new(DraftId(uuid::Uuid::nil()), Judgement::Pass);
        verdict.dims = vec![dim("contrast", 3), dim("contrast of links", 9)];
        let named = |why: &str| measured(&verdict, why).map(|dim| dim.name.as_str());
        assert_eq!(named("contrast was measured: 3, not 10"), Some("contrast"));
        assert_eq!(named("contrast of links was measured: 9, not 2"), Some("contrast of links"));
        assert_eq!(named("every contrast was measured and suffices"), None);
    }
}
