//! A joust over a draft.

use std::collections::BTreeSet;
use tribunal_anchors::{Anchor, choose};
use tribunal_kernel::RunSpec;
use tribunal_kernel::joust::{MAIN, SPECIALISTS, Settings};
use tribunal_kernel::last_look::LAST_LOOK;
use tribunal_kernel::loops::RegisteredLoop;
use tribunal_kernel::rules::RULES;
use tribunal_kernel::{Binding, Digest, LoopKind, Run, RunId, Score, SeatName};

use super::{Later, Opener, Opening, SpecFor, Wanted, anchor, read_anchor};
use crate::check::reachable_quorum;
use crate::error::AppError;
use crate::project::Project;
use crate::seating::{house, rules};
use crate::stale::ComparedSettings;

/// Why the anchor is of its kind where the configuration says so.
const ASKED_FOR: &str = "it was asked for";

/// Opens jousts.
#[derive(Debug)]
pub struct Joust;

impl Opener for Joust {
    fn kind(&self) -> LoopKind {
        <Settings as RegisteredLoop>::KIND
    }

    fn find<'a>(&'a self, project: &'a Project, wanted: Wanted<'a>) -> Later<'a, Vec<(String, Opening)>> {
        Box::pin(async move { Ok(vec![(project.config().joust.name.clone(), find(project, wanted.again).await?)]) })
    }

    fn configured<'a>(&'a self, project: &'a Project, _: &'a Run) -> Later<'a, RunSpec> {
        Box::pin(async move { Ok(spec(project, SpecFor::Run).await?.0) })
    }

    fn compared(&self) -> ComparedSettings {
        ComparedSettings { keys: &[("kind", "joust.anchor_kind")], left_out: &["allow_commands", "scoring"] }
    }

    fn level(&self, was: &mut RunSpec, is: &RunSpec, is_about_another: bool) {
        let (Some(was), Some(is)) = (was.settings_of_mut::<Settings>(), is.settings_of::<Settings>()) else { return };
        // Unless somebody asked for a kind, it follows from the brief or from the anchor.
        if is_about_another || ![&was.why, &is.why].iter().any(|why| *why == ASKED_FOR) {
            was.kind = is.kind;
        }
        was.why.clone_from(&is.why);
        was.max_rounds = is.max_rounds;
        (was.pause_every, was.time_box_ms) = (is.pause_every, is.time_box_ms);
    }
}

/// Finds out what there is to do. Changes nothing.
async fn find(project: &Project, again: bool) -> Result<Opening, AppError> {
    if let Some(id) = project.newest_on(&project.config().joust.name).await? {
        let run = project.read(id).await?;
        if !run.end().is_some_and(|end| end.outcome.is_sticky()) {
            return Ok(Opening::Continue(Box::new(run)));
        }
        if !again {
            let (now, _) = spec(project, SpecFor::Comparison).await?;
            return Ok(Opening::settled(run, &now));
        }
    }
    let (spec, cited) = spec(project, SpecFor::run(again)).await?;
    Ok(Opening::New { spec: Box::new(spec), cited })
}

/// The spec of a new run, and what it cites.
async fn spec(project: &Project, purpose: SpecFor) -> Result<(RunSpec, Vec<Vec<u8>>), AppError> {
    let config = project.config();
    let joust = &config.joust;
    let brief = purpose.brief(config)?;
    let attached = purpose.attached(project)?;
    let mut wanted = vec![MAIN];
    let named = [&joust.jousters, &joust.linters, &joust.scorers, &joust.specialists];
    wanted.extend(named.into_iter().flatten().map(String::as_str));
    wanted.sort_unstable();
    wanted.dedup();
    let mut seats = purpose.bindings(config, &wanted)?;
    if purpose != SpecFor::Comparison {
        reachable_quorum(project, ("joust", "linters"), joust.quorum, &joust.linters, &seats)?;
    }
    // Whom nobody seated is played by who begins the draft.
    if let Some(main) = seats.get(&SeatName::new(MAIN)).cloned() {
        for (name, persona) in SPECIALISTS {
            let filled = || Binding { persona: Some(persona.to_owned()), ..main.clone() };
            seats.entry(SeatName::new(name)).or_insert_with(filled);
        }
    }
    seats.insert(SeatName::new(RULES), rules());
    seats.insert(SeatName::new(LAST_LOOK), house());
    let anchor = anchor(config)?;
    let chosen = choose(&brief);
    let (kind, why) = match (&anchor, joust.anchor_kind) {
        (Some(anchor), _) => (anchor.kind(), "the file says so".to_owned()),
        (None, Some(kind)) => (kind, ASKED_FOR.to_owned()),
        (None, None) => (chosen.kind, chosen.why),
    };
    let named = |names: &[String]| names.iter().map(SeatName::new).collect::<Vec<_>>();
    let settings = Settings {
        why,
        jousters: named(&joust.jousters),
        linters: named(&joust.linters),
        scorers: named(&joust.scorers),
        quorum: joust.quorum,
        allow_commands: joust.allow_commands,
        max_rounds: joust.max_rounds,
        max_summons_per_round: joust.max_summons_per_round,
        compaction_threshold: joust.compaction_threshold,
        plateau_rounds: joust.plateau_rounds,
        plateau_epsilon: Score(joust.plateau_epsilon.micros()),
        scoring: rubrics(project, anchor.as_ref())?,
        pause_every: joust.pause_every,
        time_box_ms: joust.time_box.map(|time_box| u64::try_from(time_box.as_millis()).unwrap_or(u64::MAX)),
        ..Settings::new(joust.name.clone(), kind, &[])
    };
    let spec = RunSpec {
        seats,
        attachments: attached.list.clone(),
        max_retries: joust.max_retries.saturating_sub(1),
        anchor,
        ..RunSpec::new(RunId(tribunal_store::new_id()), project.workspace_name(), Digest::of(&brief), settings)
    };
    Ok((purpose.grant(project, spec).await?, super::cited([brief], attached)))
}

/// The rubrics that drafts are scored by besides the anchor. A dimension has one name, whichever rubric it is in.
fn rubrics(project: &Project, anchor: Option<&Anchor>) -> Result<Vec<Anchor>, AppError> {
    let mut rubrics = Vec::new();
    let mut names: BTreeSet<String> = anchor.into_iter().flat_map(dimensions).collect();
    for file in &project.config().joust.scoring {
        let rubric = read_anchor(&project.root().join(file))?;
        if !matches!(rubric, Anchor::Rubric(_)) {
            return Err(AppError::misconfigured(
                format!("`joust.scoring`: {file} is of kind `{}`", rubric.kind().as_str()),
                "name files of kind `rubric`; docs/anchors.md has an example",
            ));
        }
        if let Some(name) = dimensions(&rubric).into_iter().find(|name| !names.insert(name.clone())) {
            return Err(AppError::misconfigured(
                format!("`joust.scoring`: the dimension `{name}` of {file} is there already"),
                "give every dimension a name of its own",
            ));
        }
        rubrics.push(rubric);
    }
    Ok(rubrics)
}

fn dimensions(anchor: &Anchor) -> Vec<String> {
    match anchor {
        Anchor::Rubric(rubric) => rubric.dims.iter().map(|dim| dim.name.to_lowercase()).collect(),
        _ => Vec::new(),
    }
}
