//! A joust over a draft.

use tribunal_anchors::choose;
use tribunal_kernel::RunSpec;
use tribunal_kernel::joust::{MAIN, Settings};
use tribunal_kernel::loops::RegisteredLoop;
use tribunal_kernel::rules::RULES;
use tribunal_kernel::{Digest, LoopKind, Run, RunId, Score, SeatName};
use uuid::Uuid;

use super::{Later, Opener, Opening, Wanted, anchor, brief};
use crate::allowance;
use crate::check::reachable_quorum;
use crate::error::AppError;
use crate::project::Project;
use crate::seating::{bindings, rules};

/// Opens jousts.
#[derive(Debug)]
pub struct Joust;

impl Opener for Joust {
    fn kind(&self) -> LoopKind {
        <Settings as RegisteredLoop>::KIND
    }

    fn find<'a>(&'a self, project: &'a Project, _: Wanted<'a>) -> Later<'a, Vec<(String, Opening)>> {
        Box::pin(async move { Ok(vec![(project.config().joust.name.clone(), find(project).await?)]) })
    }

    fn configured<'a>(&'a self, project: &'a Project, _: &'a Run) -> Later<'a, RunSpec> {
        Box::pin(async move { Ok(spec(project).await?.0) })
    }
}

/// Finds out what there is to do. Changes nothing.
async fn find(project: &Project) -> Result<Opening, AppError> {
    let (spec, texts) = spec(project).await?;
    if let Some(id) = project.newest_on(spec.subject()).await? {
        let run = project.read(id).await?;
        match run.end() {
            Some(end) if end.outcome.is_sticky() => {
                if is_same_trial(run.spec(), &spec) {
                    return Ok(Opening::Settled { decision: run.decision().clone(), run: Some(Box::new(run)) });
                }
            }
            Some(_) | None => return Ok(Opening::Continue(Box::new(run))),
        }
    }
    Ok(Opening::New { spec: Box::new(spec), texts })
}

/// The spec of a new run, and the texts that it cites.
async fn spec(project: &Project) -> Result<(RunSpec, Vec<String>), AppError> {
    let config = project.config();
    let joust = &config.joust;
    let brief = brief(config.run.brief.as_ref())?;
    let mut wanted = vec![MAIN];
    let named = [&joust.jousters, &joust.linters, &joust.scorers, &joust.specialists];
    wanted.extend(named.into_iter().flatten().map(String::as_str));
    wanted.sort_unstable();
    wanted.dedup();
    let mut seats = bindings(config, &wanted)?;
    reachable_quorum(project, joust.quorum, &joust.linters, &seats)?;
    seats.insert(SeatName::new(RULES), rules());
    let anchor = anchor(config)?;
    let chosen = choose(&brief);
    let (kind, why) = match (&anchor, joust.anchor_kind) {
        (Some(anchor), _) => (anchor.kind(), "the file says so".to_owned()),
        (None, Some(kind)) => (kind, "it was asked for".to_owned()),
        (None, None) => (chosen.kind, chosen.why),
    };
    let named = |names: &[String]| names.iter().map(SeatName::new).collect::<Vec<_>>();
    let settings = Settings {
        why,
        jousters: named(&joust.jousters),
        linters: named(&joust.linters),
        scorers: named(&joust.scorers),
        quorum: joust.quorum,
        max_rounds: joust.max_rounds,
        max_summons_per_round: joust.max_summons_per_round,
        compaction_threshold: joust.compaction_threshold,
        plateau_rounds: joust.plateau_rounds,
        plateau_epsilon: Score(joust.plateau_epsilon.micros()),
        ..Settings::new(joust.name.clone(), kind, &[])
    };
    let spec = RunSpec {
        seats,
        max_retries: joust.max_retries.saturating_sub(1),
        anchor,
        ..RunSpec::new(RunId(Uuid::now_v7()), project.workspace_name(), Digest::of(&brief), settings)
    };
    Ok((allowance::grant(project, spec).await?, vec![brief]))
}

/// Whether a new run would be the old one over again.
fn is_same_trial(old: &RunSpec, new: &RunSpec) -> bool {
    old.brief == new.brief && old.settings == new.settings && old.anchor == new.anchor
}
