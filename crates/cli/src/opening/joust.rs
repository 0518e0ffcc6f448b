//! A joust over a draft.

use std::fs;
use std::path::Path;
use tribunal_anchors::{Anchor, Kind, Syntax, choose};
use tribunal_engine::Rules;
use tribunal_kernel::charter::{Charter, FORMAT, LoopSettings};
use tribunal_kernel::joust::{MAIN, RULES, Settings};
use tribunal_kernel::{Binding, Digest, RunId, Score, SeatName, Spend};
use uuid::Uuid;

use super::{Opening, brief, limits};
use crate::failure::Failure;
use crate::project::Project;
use crate::seating::bindings;

/// Finds out what there is to do. Changes nothing.
pub(crate) async fn find(project: &Project) -> Result<Opening, Failure> {
    let (charter, texts) = charter(project)?;
    if let Some(id) = project.newest_on(charter.subject()).await? {
        let run = project.read(id).await?;
        match run.end() {
            Some(end) if end.outcome.is_sticky() => {
                if run.charter().brief == charter.brief && run.charter().settings == charter.settings {
                    return Ok(Opening::Settled { decision: run.decision().clone(), run: Some(Box::new(run)) });
                }
            }
            Some(_) | None => return Ok(Opening::Continue(Box::new(run))),
        }
    }
    Ok(Opening::New { charter: Box::new(charter), texts })
}

/// The charter of a new run, and the texts that it cites.
fn charter(project: &Project) -> Result<(Charter, Vec<String>), Failure> {
    let config = project.config();
    let joust = &config.joust;
    let brief = brief(config.run.brief.as_ref())?;
    let anchor = joust.anchor.as_deref().map(read_anchor).transpose()?;
    let chosen = choose(&brief);
    let (kind, why) = match (&anchor, joust.anchor_kind) {
        (Some(anchor), _) => (anchor.kind(), "the file says so".to_owned()),
        (None, Some(kind)) => (Kind::from_word(kind.as_str()).unwrap_or(chosen.kind), "it was asked for".to_owned()),
        (None, None) => (chosen.kind, chosen.why),
    };
    let seats = |names: &[String]| names.iter().map(SeatName::new).collect::<Vec<_>>();
    let settings = Settings {
        anchor,
        why,
        jousters: seats(&joust.jousters),
        linters: seats(&joust.linters),
        scorers: seats(&joust.scorers),
        quorum: joust.quorum,
        max_rounds: joust.max_rounds,
        max_summons_per_round: joust.max_summons_per_round,
        compaction_threshold: joust.compaction_threshold,
        plateau_rounds: joust.plateau_rounds,
        plateau_epsilon: Score(joust.plateau_epsilon.micros()),
        ..Settings::new(joust.name.clone(), kind, &[])
    };
    let mut wanted = vec![MAIN];
    let named = [&joust.jousters, &joust.linters, &joust.scorers, &joust.specialists];
    wanted.extend(named.into_iter().flatten().map(String::as_str));
    wanted.sort_unstable();
    wanted.dedup();
    let mut bound = bindings(config, &wanted)?;
    let rules = Binding { agent: Rules::NAME.into(), model: None, reserve: Spend::default() };
    bound.insert(SeatName::new(RULES), rules);
    let charter = Charter {
        format: FORMAT,
        run: RunId(Uuid::now_v7()),
        workspace: project.workspace().display().to_string(),
        brief: Digest::of(&brief),
        seats: bound,
        limits: limits(project),
        max_retries: joust.max_retries.saturating_sub(1),
        settings: LoopSettings::Joust { joust: Box::new(settings) },
    };
    Ok((charter, vec![brief]))
}

/// The anchor in a file; every mistake in it with its place.
pub(crate) fn read_anchor(path: &Path) -> Result<Anchor, Failure> {
    let text = fs::read_to_string(path).map_err(|error| {
        Failure::usage(
            format!("cannot read the anchor {}: {error}", path.display()),
            "name a TOML or JSON file; docs/anchors.md has examples",
        )
    })?;
    Anchor::read(&text, Syntax::of_path(&path.to_string_lossy())).map_err(|mistakes| {
        let told: Vec<String> = mistakes.iter().map(|mistake| format!("{}:{mistake}", path.display())).collect();
        let hint = mistakes.iter().find_map(tribunal_anchors::AnchorError::hint);
        Failure::usage(told.join("\n"), hint.unwrap_or_else(|| "docs/anchors.md has the form of every kind".into()))
    })
}
