//! A campaign at a desk.

use std::path::{Component, Path};
use tribunal_agents::Vendor;
use tribunal_config::Config;
use tribunal_engine::desk::DeskSeat;
use tribunal_kernel::RunSpec;
use tribunal_kernel::desk::{DESK, Plan, Settings, VERIFIER, WORKER};
use tribunal_kernel::loops::RegisteredLoop;
use tribunal_kernel::{Binding, Decision, Digest, LoopKind, Outcome, Round, RunId, SeatName};
use tribunal_store::desk::{self, DeskFiles};

use super::{Later, Opener, Opening, Wanted};
use crate::allowance;
use crate::desk::only_plan;
use crate::error::AppError;
use crate::input::{MAX_TEXT, read_text};
use crate::project::Project;
use crate::seating::bindings;

/// Opens campaigns.
#[derive(Debug)]
pub struct Desk;

impl Opener for Desk {
    fn kind(&self) -> LoopKind {
        <Settings as RegisteredLoop>::KIND
    }

    fn find<'a>(&'a self, project: &'a Project, wanted: Wanted<'a>) -> Later<'a, Vec<(String, Opening)>> {
        Box::pin(async move {
            let (slug, opening) = find(project).await?;
            if let (true, Opening::Settled { decision, .. }) = (wanted.again, &opening) {
                return Err(AppError::conflict(
                    format!("desk `{slug}` is decided: {}", decision.reason.as_deref().unwrap_or("it has ended")),
                    format!("`tribunal desk clean {slug}` prepares it for another run"),
                ));
            }
            Ok(vec![(slug, opening)])
        })
    }
}

/// The desk of a project, for a campaign. Its folder is inside of the project and never all of it: agents find a copy
/// of it where they work, and what was there before is cleared away.
pub fn files(project: &Project, slug: &str) -> Result<DeskFiles, AppError> {
    let workspace = project.workspace();
    let root = project.config().desk.root.clone();
    let root = root.unwrap_or_else(|| DeskFiles::find_root(&workspace).to_owned());
    let is_inside = |part: Component<'_>| matches!(part, Component::Normal(_));
    if root.is_empty() || !Path::new(&root).components().all(is_inside) {
        return Err(AppError::invalid(
            format!("`{root}` cannot be the folder of a desk"),
            "use a folder inside the project, without `..`: `--root plans/desk`",
        ));
    }
    Ok(DeskFiles::new(workspace, root, slug))
}

/// Finds out what there is to do. Changes nothing.
async fn find(project: &Project) -> Result<(String, Opening), AppError> {
    let slug = match project.config().desk.slug.clone() {
        Some(slug) => slug,
        None => only_plan(project)?,
    };
    if !is_slug(&slug) {
        return Err(AppError::invalid(
            format!("`{slug}` cannot be a slug"),
            "use letters, digits, `-` and `_`: it becomes part of file names and of a branch name",
        ));
    }
    let files = files(project, &slug)?;
    let newest = match project.newest_on(&slug).await? {
        Some(id) => Some(project.read(id).await?).filter(|run| run.spec().settings_of::<Settings>().is_some()),
        None => None,
    };
    // Whoever left a sentinel, it counts.
    for (name, outcome) in [(files.complete(), Outcome::Converged), (files.blocked(), Outcome::Blocked)] {
        if files.path(&name).exists() {
            let reason = format!("{} is there", files.path(&name).display());
            let run = newest.filter(|run| run.end().is_some_and(|end| end.outcome == outcome)).map(Box::new);
            let decision = Decision::terminal(outcome, Round(0), reason);
            return Ok((slug, Opening::Settled { decision, run, changes: Vec::new() }));
        }
    }
    if let Some(run) = newest {
        match run.end() {
            Some(end) if end.outcome.is_sticky() => {
                // It ended, and was killed before it could leave its sentinel.
                if desk::is_behind(&files, &run) {
                    let decision = run.decision().clone();
                    return Ok((slug, Opening::Settled { decision, run: Some(Box::new(run)), changes: Vec::new() }));
                }
            }
            _ => return Ok((slug, Opening::Continue(Box::new(run)))),
        }
    }
    let (spec, cited) = spec(project, &slug, &files).await?;
    Ok((slug, Opening::New { spec: Box::new(spec), cited }))
}

/// Whether a name can stand in file names and branches.
pub fn is_slug(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 60
        && !text.starts_with('-')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

/// The models of a seat, cheapest first: as configured, or those of its agent's kind. A model that is named for the
/// agent or the seat is the only one, and what stands behind another address has names that nobody here knows.
fn ladder(config: &Config, seat: &str, configured: Option<&Vec<String>>) -> Vec<String> {
    let Some((_, agent)) = config.agent_in(seat).filter(|_| config.model_in(seat).is_none()) else { return Vec::new() };
    if let Some(configured) = configured {
        return configured.clone();
    }
    let vendor = Vendor::from_word(agent.kind.as_str()).filter(|_| agent.base_url.is_none());
    vendor.map(Vendor::ladder).unwrap_or_default().iter().map(|model| (*model).to_owned()).collect()
}

async fn spec(project: &Project, slug: &str, files: &DeskFiles) -> Result<(RunSpec, Vec<Vec<u8>>), AppError> {
    let config = project.config();
    let read = |name: String| {
        let path = files.path(&name);
        read_text(&path, MAX_TEXT).map_err(|error| {
            AppError::not_found(
                format!("cannot read {}: {error}", path.display()),
                format!("`tribunal desk init {slug}` creates one; `--set desk.root=DIR` looks elsewhere"),
            )
        })
    };
    let (prd, test_spec) = (read(files.prd())?, read(files.test_spec())?);
    // Nobody is paid for a plan that cannot be read.
    let plan = Plan::read(&prd, &test_spec)
        .map_err(|why| AppError::misconfigured(why, format!("edit {}", files.path(&files.test_spec()).display())))?;
    for noted in plan.spec.passed_over.iter().chain(&plan.spec.placeholders) {
        let place = format!("{}:{}", files.test_spec(), noted.line);
        project.console.note(&format!("{place}: not used as a command: {}", noted.text));
    }
    let desk = &config.desk;
    let settings = Settings {
        root: files.root().to_owned(),
        ladder: ladder(config, WORKER, desk.ladder.as_ref()),
        verifier_ladder: ladder(config, VERIFIER, desk.verifier_ladder.as_ref()),
        worker_model: desk.worker_model.clone(),
        verifier_model: desk.verifier_model.clone(),
        roll_back: desk.roll_back,
        stale_after: desk.stale_after,
        max_consecutive_failures: desk.max_consecutive_failures,
        mutants: desk.mutants,
        ..Settings::new(slug)
    };
    let mut seats = bindings(config, &[WORKER, VERIFIER])?;
    let desk = Binding { agent: DeskSeat::NAME.into(), ..Binding::default() };
    seats.insert(SeatName::new(DESK), desk);
    let spec = RunSpec {
        seats,
        max_retries: config.run.max_retries,
        ..RunSpec::new(RunId(tribunal_store::new_id()), project.workspace_name(), Digest::of(&prd), settings)
    };
    Ok((allowance::grant(project, spec).await?, vec![prd.into_bytes()]))
}
