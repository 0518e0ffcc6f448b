//! A theater for an artifact.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tribunal_agents::house::House;
use tribunal_config::{self as config, AgentKind, Config, FallbackPolicy, PanelMode};
use tribunal_kernel::loops::RegisteredLoop;
use tribunal_kernel::rules::RULES;
use tribunal_kernel::theater::{
    self, DESIGNER, Fallback, LINT, MEASURE, PANEL, Panel, Settings, TheaterGiven, WEIGHTS,
};
use tribunal_kernel::{Attachment, Binding, Digest, Draft, DraftId, Format, LoopKind, Run, RunId, Score, SeatName};
use tribunal_kernel::{RunSpec, Trial};
use uuid::Uuid;

use super::{Later, Opener, Opening, SpecFor, Wanted, anchor, names, policy};
use crate::error::AppError;
use crate::grading;
use crate::input::{MAX_TEXT, read_text};
use crate::measuring;
use crate::newest::NewestRuns;
use crate::project::Project;
use crate::seating::{house, is_built_in, rules};
use crate::stale::ComparedSettings;

/// The judge who needs a design.
const BRAND: &str = "brand";
/// The artifact's name where nobody gave one.
const ARTIFACT: &str = "artifact";

/// Opens theaters.
#[derive(Debug)]
pub struct Theater;

impl Opener for Theater {
    fn kind(&self) -> LoopKind {
        <Settings as RegisteredLoop>::KIND
    }

    fn find<'a>(&'a self, project: &'a Project, wanted: Wanted<'a>) -> Later<'a, Vec<(String, Opening)>> {
        Box::pin(async move {
            let mut sources: Vec<Option<&Path>> = wanted.sources.iter().map(|file| Some(file.as_path())).collect();
            if sources.is_empty() {
                sources.push(None);
            }
            let mut openings = Vec::new();
            let (several, newest) = (sources.len(), NewestRuns::of(project).await?);
            for source in sources {
                let opening = Opening::one_of(several, find(project, &newest, wanted, source).await)?;
                let name = source.map(|file| file.display().to_string());
                let subject = opening.subject().map(str::to_owned).or(name);
                openings.push((subject.unwrap_or_default(), opening));
            }
            Ok(openings)
        })
    }

    fn refresh<'a>(&'a self, project: &'a Project, spec: &'a mut RunSpec) -> Later<'a, ()> {
        Box::pin(async move {
            let seats = spec.seats.clone();
            if let Some(theater) = spec.settings_of_mut::<Settings>() {
                theater.mark = grading::mark_on(project, theater, &seats).await?;
            }
            Ok(())
        })
    }

    fn configured<'a>(&'a self, project: &'a Project, old: &'a Run) -> Later<'a, RunSpec> {
        Box::pin(async move { Ok(spec(project, true, None, Some(prior(project, old).await?), SpecFor::Run).await?.0) })
    }

    fn compared(&self) -> ComparedSettings {
        ComparedSettings {
            keys: &[
                ("scale", "theater.score_scale"),
                ("threshold", "theater.score_threshold"),
                ("fallback", "theater.fallback_policy"),
                ("given.design", "design"),
                ("given.checks", "checks"),
            ],
            left_out: &["given.design", "given.checks"],
        }
    }

    fn level(&self, was: &mut RunSpec, is: &RunSpec, _: bool) {
        level(was, is);
    }
}

/// What a rerun starts from.
#[derive(Debug)]
pub struct Prior {
    pub run: RunId,
    pub draft: Draft,
    pub text: String,
    pub brief: String,
    pub attachments: Vec<Attachment>,
}

/// Finds out what there is to do. Changes nothing.
///
/// A run that was cut short goes on, or is watched if somebody else drives it. What passed stays as it is, unless the page itself is
/// another one. Everything else is a new trial.
async fn find(
    project: &Project,
    newest: &NewestRuns<'_>,
    wanted: Wanted<'_>,
    source: Option<&Path>,
) -> Result<Opening, AppError> {
    let source = source.or(project.config().theater.source.as_deref());
    let read = || source.map(|path| PageSource::read(project, path)).transpose();
    let (now, _) = spec(project, wanted.panel, read()?, None, SpecFor::Comparison).await?;
    if let Some(id) = newest.on(now.subject()).await {
        let run = project.read(id).await?;
        match run.end() {
            // One that another process drives is not paid for a second time. Another page, or another wish, is another trial.
            None if !project.is_driven(id).await? || is_same_trial(run.spec(), &now) => {
                return Ok(Opening::Continue(Box::new(run)));
            }
            Some(end) if end.outcome.is_pass() && !wanted.again && is_same_page(run.spec(), &now) => {
                let had_panel = has_panel(run.spec());
                // Whoever asks for a panel by name gets one; whoever does not has no less than what there was.
                if had_panel && !wanted.panel {
                    let (now, _) = spec(project, true, read()?, None, SpecFor::Comparison).await?;
                    return Ok(Opening::settled(run, &now));
                }
                if !(wanted.panel && !had_panel && has_panel(&now)) {
                    return Ok(Opening::settled(run, &now));
                }
            }
            Some(_) | None => {}
        }
    }
    let (spec, cited) = spec(project, wanted.panel, read()?, None, SpecFor::run(wanted.again)).await?;
    Ok(Opening::New { spec: Box::new(spec), cited })
}

/// The spec of a new run, and what it cites.
pub async fn spec(
    project: &Project,
    wants_panel: bool,
    source: Option<PageSource>,
    prior: Option<Prior>,
    purpose: SpecFor,
) -> Result<(RunSpec, Vec<Vec<u8>>), AppError> {
    let config = project.config();
    let mut attached = purpose.attached(project)?;
    if let Some(prior) = prior.as_ref().filter(|_| config.run.attachments.is_empty()) {
        attached.list.clone_from(&prior.attachments);
    }
    let brief = match (&prior, &source) {
        (Some(prior), _) if config.run.brief.is_none() => prior.brief.clone(),
        (None, Some(source)) if config.run.brief.is_none() => source.brief(),
        _ => purpose.brief(config)?,
    };
    let policy = policy::find(config, &brief, &project.workspace(), wants_panel)?;
    let mut settings = settings(&config.theater, project_name(project));
    settings.policy = policy.reason;
    if !policy.seats_panel {
        settings.panel = Panel::Off;
    }
    settings.given.checks = measuring::digest(project)?;
    settings.given.skill = names::skill(&policy::skill_file(&project.workspace()));
    let mut texts = vec![brief.clone()];
    if let Some(path) = &config.theater.design {
        let design = read_text(path, MAX_TEXT).map_err(|error| {
            AppError::not_found(
                format!("cannot read the design file {}: {error}", path.display()),
                "`theater.design` is relative to the folder of tribunal.toml",
            )
        })?;
        settings.given.design = Some(Digest::of(&design));
        settings.given.brand = names::brand(&design);
        texts.push(design);
    }
    if let Some(PageSource { name, text, draft, folder, file }) = source {
        if config.theater.artifact.is_none() {
            settings.artifact = name;
        }
        settings.given = TheaterGiven { prior: Some(draft), folder, file, ..settings.given };
        texts.push(text);
    }
    if let Some(Prior { run, draft, text, .. }) = prior {
        settings.given = TheaterGiven { prior: Some(draft), rerun_of: Some(run), ..settings.given };
        texts.push(text);
    }
    let mut bound = seats(config, &mut settings, purpose)?;
    settings.mark = grading::mark_on(project, &settings, &bound).await?;
    let anchor = anchor(config)?;
    bound.extend(anchor.iter().map(|_| (SeatName::new(RULES), rules())));
    let spec = RunSpec {
        seats: bound,
        attachments: attached.list.clone(),
        max_retries: config.run.max_retries,
        anchor,
        ..RunSpec::new(RunId(tribunal_store::new_id()), project.workspace_name(), Digest::of(&brief), settings)
    };
    Ok((purpose.grant(project, spec).await?, super::cited(texts, attached)))
}

/// Who sits where. The house takes what nobody was configured for and what it can do: it judges, and it fixes a page
/// that is there. Without a design file there is no brand to judge by, and its seat stays empty.
fn seats(config: &Config, settings: &mut Settings, purpose: SpecFor) -> Result<BTreeMap<SeatName, Binding>, AppError> {
    let takes = |seat: &str, settings: &Settings| {
        config.agent_in(seat).is_none()
            && (House::can_judge(seat) || (seat == DESIGNER && settings.given.prior.is_some()))
    };
    if settings.panel == Panel::Seats && settings.given.design.is_none() && takes(BRAND, settings) {
        settings.cast.retain(|role| *role != *BRAND);
        settings.weights.remove(&SeatName::new(BRAND));
    }
    let (built_in, mut configured): (Vec<&str>, Vec<&str>) =
        settings.seats().into_iter().partition(|seat| takes(seat, settings));
    if settings.panel == Panel::Single && config.agent_in(DESIGNER).is_some() {
        configured.push(DESIGNER);
    }
    // Where no panel sits, whoever would have played all of it drafts: a switch that is off needs no other agent.
    let is_designer = |seat: &&str| *seat == DESIGNER;
    let stands_in = settings.panel == Panel::Off
        && configured.iter().any(&is_designer)
        && config.agent_in(DESIGNER).is_none()
        && config.agent_in(PANEL).is_some();
    if stands_in {
        configured.retain(|seat| !is_designer(seat));
        configured.push(PANEL);
    }
    let mut bound = purpose.bindings(config, &configured)?;
    if stands_in && let Some(panel) = bound.remove(&SeatName::new(PANEL)) {
        bound.insert(SeatName::new(DESIGNER), panel);
    }
    bound.extend(built_in.into_iter().map(|seat| (SeatName::new(seat), house())));
    if settings.panel != Panel::Off {
        bound.insert(SeatName::new(LINT), house());
    }
    let measures = |binding: &Binding| {
        is_built_in(binding) || config.agents.get(&binding.agent).is_some_and(|agent| agent.kind == AgentKind::House)
    };
    // Who measures needs no evidence; who does not gets it.
    if settings.panel == Panel::Seats && settings.judges().any(|judge| !bound.get(judge).is_some_and(measures)) {
        bound.insert(SeatName::new(MEASURE), house());
    }
    Ok(bound)
}

/// A page or a text to start from.
#[derive(Debug)]
pub struct PageSource {
    name: String,
    text: String,
    draft: Draft,
    folder: Option<String>,
    file: Option<String>,
}

impl PageSource {
    /// No artifact is longer.
    const MAX: u64 = 16 << 20;

    /// Whether a file looks like something to start from.
    pub fn is_one(path: &Path) -> bool {
        path.is_file() && format(path).is_some()
    }

    fn read(project: &Project, path: &Path) -> Result<Self, AppError> {
        let cannot = |why: String| {
            AppError::not_found(format!("cannot start from {}: {why}", path.display()), "use an HTML or Markdown file")
        };
        let size = fs::metadata(path).map_err(|error| cannot(error.to_string()))?.len();
        if size > Self::MAX {
            return Err(cannot(format!("it has {size} bytes; the limit is {}", Self::MAX)));
        }
        let bytes = fs::read(path).map_err(|error| cannot(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| cannot("it is not UTF-8 text".into()))?;
        if text.trim().is_empty() {
            return Err(cannot("it is empty".into()));
        }
        let workspace = project.workspace();
        let real = path.canonicalize().ok();
        let file = real.as_deref().and_then(|path| path.file_name()?.to_str()).map(str::to_owned);
        let folder = real.and_then(|path| Some(path.parent()?.to_owned()));
        let folder = folder.filter(|folder| *folder != workspace);
        // Relative where it can be, so that the same trial is the same in a copy of the project.
        let relative = |folder: &Path| folder.strip_prefix(&workspace).unwrap_or(folder).to_string_lossy().into_owned();
        let format = format(path).unwrap_or(Format::Plain);
        let id = DraftId(RunId(Uuid::nil()).derive("source", &[text.as_bytes()]));
        let draft = Draft::of(id, &text, format);
        Ok(Self { name: name_of(path), draft, folder: folder.as_deref().map(relative), file, text })
    }

    fn brief(&self) -> String {
        format!(
            "Mend `{}` until it holds: keep what it says and what it is for, and settle what is measured.\n",
            self.name
        )
    }
}

fn format(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "html" | "htm" | "xhtml" => Some(Format::Html),
        "md" | "markdown" => Some(Format::Markdown),
        _ => None,
    }
}

/// A file's name as an artifact's: `Landing Page.html` is `landing_page`.
fn name_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let name: String =
        stem.chars().map(|c| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '_' }).collect();
    let name = name.trim_matches('_');
    match name.chars().next() {
        Some(first) if first.is_ascii_lowercase() => name.to_owned(),
        Some(_) => format!("page_{name}"),
        None => ARTIFACT.to_owned(),
    }
}

/// What a run handed over, or else its last draft, as prior art.
pub async fn prior(project: &Project, run: &Run) -> Result<Prior, AppError> {
    let missing = |what: &str| {
        AppError::conflict(format!("run {} has no {what}", run.spec().run), "`tribunal status RUN` shows what it made")
    };
    let ship = run.end().and_then(|end| end.ship.as_deref()).map(|ship| &ship.draft);
    let draft = ship.or_else(|| run.drafts().last()).ok_or_else(|| missing("artifact to start from"))?.clone();
    let text = project.text(draft.content).await.ok_or_else(|| missing("readable artifact"))?;
    let brief = project.text(run.spec().brief).await.ok_or_else(|| missing("readable brief"))?;
    let attachments = run.spec().attachments.clone();
    Ok(Prior { run: run.spec().run, draft, text, brief, attachments })
}

/// The settings that the configuration asks for.
pub fn settings(theater: &config::TheaterConfig, project: String) -> Settings {
    let score = |decimal: tribunal_config::Decimal| Score(decimal.micros());
    let panel = match theater.panel {
        PanelMode::Single => Panel::Single,
        PanelMode::Seats => Panel::Seats,
    };
    let artifact = theater.artifact.clone().unwrap_or_else(|| ARTIFACT.into());
    Settings {
        cast: theater.cast.iter().map(SeatName::new).collect(),
        weights: weights(theater),
        max_rounds: theater.max_rounds,
        scale: score(theater.score_scale),
        threshold: score(theater.score_threshold),
        per_round_timeout_ms: theater.per_round_timeout_ms,
        total_timeout_ms: theater.total_timeout_ms,
        max_block_bytes: theater.parser_max_block_bytes,
        fallback: match theater.fallback_policy {
            FallbackPolicy::ShipBest => Fallback::ShipBest,
            FallbackPolicy::ShipLast => Fallback::ShipLast,
            FallbackPolicy::Fail => Fallback::Fail,
        },
        protocol_version: theater.protocol_version,
        ..Settings::new(project, artifact, panel)
    }
}

/// The configured weights; without any, the usual ones, or equal ones where the cast is not the usual one.
fn weights(theater: &config::TheaterConfig) -> BTreeMap<SeatName, Score> {
    if !theater.weights.is_empty() {
        return theater.weights.iter().map(|(role, weight)| (SeatName::new(role), Score(weight.micros()))).collect();
    }
    let usual: Option<BTreeMap<SeatName, Score>> = theater
        .cast
        .iter()
        .map(|role| WEIGHTS.iter().find(|(name, _)| name == role))
        .map(|found| found.map(|(role, weight)| (SeatName::new(*role), Score::from_f64(*weight))))
        .collect();
    usual.unwrap_or_else(|| {
        let judges = theater.cast.iter().filter(|role| *role != DESIGNER);
        judges.map(|role| (SeatName::new(role), Score::points(1))).collect()
    })
}

fn has_panel(spec: &RunSpec) -> bool {
    theater::stage_of(spec).is_some_and(|settings| settings.panel != Panel::Off)
}

/// Whether it is about the same page as it was.
fn is_same_page(old: &RunSpec, new: &RunSpec) -> bool {
    let (Some(was), Some(is)) = (theater::stage_of(old), theater::stage_of(new)) else { return false };
    let source = |settings: &Settings| settings.given.prior.as_ref().map(|draft| draft.content);
    was.given.folder == is.given.folder && (was.given.rerun_of.is_some() || source(was) == source(is))
}

/// Whether it is the same page, judged by the same brief and what is attached to it.
fn is_same_trial(old: &RunSpec, new: &RunSpec) -> bool {
    is_same_page(old, new) && old.brief == new.brief && old.attachments == new.attachments
}

/// Limits, what passed before, and what follows from something else.
fn level(was: &mut RunSpec, is: &RunSpec) {
    let brand = SeatName::new(BRAND);
    let has_design = |spec: &RunSpec| theater::stage_of(spec).is_some_and(|settings| settings.given.design.is_some());
    let is_ours = |spec: &RunSpec| spec.seats.get(&brand).is_none_or(is_built_in);
    if has_design(was) != has_design(is) && is_ours(was) && is_ours(is) {
        // Without a design nobody sits there unasked.
        was.seats.remove(&brand);
        was.seats.extend(is.seats.get(&brand).map(|binding| (brand.clone(), binding.clone())));
    }
    let (Some(was), Some(is)) = (was.settings_of_mut::<Settings>(), is.settings_of::<Settings>()) else { return };
    let (design, checks) = (was.given.design, was.given.checks);
    if design.is_some() != is.given.design.is_some() {
        let without = |cast: &[SeatName]| cast.iter().filter(|role| **role != brand).cloned().collect::<Vec<_>>();
        let unweighed = |weights: &BTreeMap<SeatName, Score>| {
            weights.iter().filter(|(role, _)| **role != brand).map(|(role, weight)| (role.clone(), *weight)).collect()
        };
        if without(&was.cast) == without(&is.cast) {
            was.cast.clone_from(&is.cast);
        }
        let (old, new): (BTreeMap<_, _>, BTreeMap<_, _>) = (unweighed(&was.weights), unweighed(&is.weights));
        if old == new {
            was.weights.clone_from(&is.weights);
        }
    }
    *was = Settings {
        cast: was.cast.clone(),
        weights: was.weights.clone(),
        panel: was.panel,
        scale: was.scale,
        threshold: was.threshold,
        fallback: was.fallback,
        protocol_version: was.protocol_version,
        given: TheaterGiven { design, checks, ..is.given.clone() },
        ..is.clone()
    };
}

/// What events call the project: the name of its folder.
fn project_name(project: &Project) -> String {
    let root = project.root().canonicalize().unwrap_or_else(|_| project.root().to_owned());
    root.file_name().map_or_else(|| "project".into(), |name| name.to_string_lossy().into_owned())
}
