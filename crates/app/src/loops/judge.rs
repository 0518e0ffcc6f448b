//! A change that somebody made.

use std::path::{Path, PathBuf};
use tribunal_engine::evidence::EvidenceSeat;
use tribunal_engine::tree::{NamedChange, TreeError};
use tribunal_kernel::evidence::{CommandExpectation, EvidenceCommand};
use tribunal_kernel::judge::{EVIDENCE, Settings};
use tribunal_kernel::loops::RegisteredLoop;
use tribunal_kernel::{Binding, Digest, LoopKind, Run, RunId, RunSpec, SeatName};
use uuid::Uuid;

use super::{Later, Opener, Opening, SpecFor, Wanted};
use crate::desk::test_commands;
use crate::error::AppError;
use crate::project::Project;
use crate::stale::ComparedSettings;

/// Folders that git ignores and checks often need.
const CARRIED: [&str; 2] = ["node_modules", ".venv"];
/// What checks must not see of a home.
const SECRETS: [&str; 8] =
    [".ssh", ".aws", ".gnupg", ".config/gh", ".config/gcloud", ".netrc", ".docker/config.json", ".kube"];

/// Opens judgements.
#[derive(Debug)]
pub struct Judge;

impl Opener for Judge {
    fn kind(&self) -> LoopKind {
        <Settings as RegisteredLoop>::KIND
    }

    fn find<'a>(&'a self, project: &'a Project, wanted: Wanted<'a>) -> Later<'a, Vec<(String, Opening)>> {
        Box::pin(async move {
            let opening = find(project, wanted.again).await?;
            let subject = opening.subject().unwrap_or_default().to_owned();
            Ok(vec![(subject, opening)])
        })
    }

    /// A judgement is of two trees: of others there is another one.
    fn compared(&self) -> ComparedSettings {
        ComparedSettings { keys: &[], left_out: &[] }
    }

    fn level(&self, was: &mut RunSpec, is: &RunSpec, _: bool) {
        was.settings.clone_from(&is.settings);
    }

    fn configured<'a>(&'a self, _: &'a Project, old: &'a Run) -> Later<'a, RunSpec> {
        Box::pin(std::future::ready(Ok(old.spec().clone())))
    }
}

/// Finds out what there is to do. Changes nothing.
async fn find(project: &Project, again: bool) -> Result<Opening, AppError> {
    let (spec, texts) = spec(project).await?;
    let same = |run: &Run| run.spec().settings_of::<Settings>() == spec.settings_of::<Settings>();
    if let Some(id) = project.newest_on(spec.subject()).await? {
        let run = project.read(id).await?;
        if same(&run) && run.end().is_none_or(|end| !end.outcome.is_sticky()) {
            return Ok(Opening::Continue(Box::new(run)));
        }
        if same(&run) && !again {
            let decision = run.decision().clone();
            return Ok(Opening::Settled { decision, run: Some(Box::new(run)), changes: Vec::new() });
        }
    }
    Ok(Opening::New { spec: Box::new(spec), texts })
}

/// The spec of a new run, and the texts that it cites.
async fn spec(project: &Project) -> Result<(RunSpec, Vec<String>), AppError> {
    let judge = &project.config().judge;
    let aside = [tribunal_store::FOLDER];
    let change = NamedChange::of(&project.workspace(), judge.range.as_deref(), &aside).await;
    let change = change.map_err(|error| match error {
        TreeError::NoCommit { name } => AppError::invalid(
            format!("there is no commit `{name}` here"),
            "name commits or branches of this repository: `tribunal judge main..feature`",
        ),
        error => AppError::invalid(error.to_string(), error.hint()),
    })?;
    if change.base == change.head {
        return Err(AppError::invalid(
            format!("{}: there is no change to judge", change.name),
            "name one: `tribunal judge main..feature`",
        ));
    }
    let lines = if judge.checks.is_empty() { test_commands(&project.workspace()) } else { judge.checks.clone() };
    if lines.is_empty() {
        return Err(AppError::misconfigured(
            "there is no command that could prove the change",
            "name one: `tribunal judge --check \"python3 -m pytest\"`, or set `checks` under `[judge]`",
        ));
    }
    let command = |(number, line): (usize, String)| EvidenceCommand {
        id: format!("C{number}"),
        line,
        expects: CommandExpectation::default(),
    };
    let settings = Settings {
        commands: (1..).zip(lines).map(command).collect(),
        mutants: judge.mutants,
        check_timeout_ms: u64::try_from(judge.check_timeout.as_millis()).unwrap_or(u64::MAX),
        name: change.name,
        base: change.base,
        head: change.head,
    };
    let brief = format!("Does this change hold? {}: {} to {}\n", settings.name, settings.base, settings.head);
    let seat = Binding { agent: EvidenceSeat::NAME.into(), ..Binding::default() };
    let spec = RunSpec {
        seats: [(SeatName::new(EVIDENCE), seat)].into(),
        ..RunSpec::new(RunId(Uuid::now_v7()), project.workspace_name(), Digest::of(&brief), settings)
    };
    Ok((SpecFor::Run.grant(project, spec).await?, vec![brief]))
}

/// Folders that checks need and git does not have, each with where it is.
pub(crate) fn carried(project: &Project) -> Vec<(PathBuf, String)> {
    let named = &project.config().judge.carry;
    let names = if named.is_empty() { CARRIED.map(str::to_owned).to_vec() } else { named.clone() };
    let workspace = project.workspace();
    names.into_iter().map(|name| (workspace.join(&name), name)).filter(|(path, _)| path.is_dir()).collect()
}

/// Where checkouts of a run are put: outside of the project, so that no tool that walks up finds it.
pub(crate) fn folder(run: RunId) -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache"));
    cache.or_else(home).unwrap_or_else(std::env::temp_dir).join("tribunal").join("evidence").join(run.to_string())
}

/// What checks must not see: secrets of the user's, and the project itself, unless they need something of it.
pub(crate) fn hidden(project: &Path, is_carried: bool) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let holds_home = home.as_ref().is_some_and(|home| home.starts_with(project));
    let own = project.canonicalize().ok().filter(|_| !is_carried && !holds_home);
    let secrets = home.into_iter().flat_map(|home| SECRETS.map(|name| home.join(name)));
    own.into_iter().chain(secrets).filter(|path| path.exists()).collect()
}
