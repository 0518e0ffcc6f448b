//! A change that somebody made.

use tribunal_engine::evidence::EvidenceSeat;
use tribunal_engine::tree::{CommitReader, NamedChange, TreeError};
use tribunal_kernel::evidence::EvidenceCommand;
use tribunal_kernel::judge::{EVIDENCE, Settings};
use tribunal_kernel::loops::RegisteredLoop;
use tribunal_kernel::{Binding, Digest, LoopKind, Run, RunId, RunSpec, SeatName};
use uuid::Uuid;

use super::{Later, Opener, Opening, SpecFor, Wanted};
use crate::check_place::carried;
use crate::desk::test_commands;
use crate::error::AppError;
use crate::project::Project;

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
    let lines = if judge.checks.is_empty() { shown(project, &change).await? } else { judge.checks.clone() };
    if lines.is_empty() {
        return Err(AppError::misconfigured(
            "there is no command that could prove the change",
            "name one: `tribunal judge --check \"python3 -m pytest\"`, or set `checks` under `[judge]`",
        ));
    }
    let command = |(number, line): (usize, String)| EvidenceCommand::new(format!("C{number}"), line);
    let settings = Settings {
        commands: (1..).zip(lines).map(command).collect(),
        mutants: judge.mutants,
        check_timeout_ms: u64::try_from(judge.check_timeout.as_millis()).unwrap_or(u64::MAX),
        network: judge.network,
        carry: carried(&project.workspace(), &judge.carry, &judge.setup).into_iter().map(|(_, name)| name).collect(),
        setup: judge.setup.clone(),
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

/// The test commands that the project's files show: before the change, so that it cannot do away with them, and now.
async fn shown(project: &Project, change: &NamedChange) -> Result<Vec<String>, AppError> {
    let workspace = project.workspace();
    let unavailable = |error: &dyn std::fmt::Display| AppError::environment(error.to_string(), None);
    let reader = CommitReader::of(&workspace).await.map_err(|error| unavailable(&error))?;
    let folder = tempfile::tempdir().map_err(|error| unavailable(&error))?;
    // The files themselves: what they say decides, and not only that they are there.
    let before = reader.lay_out(&change.base, folder.path().join("tree")).await.map_err(|error| unavailable(&error))?;
    let mut lines = test_commands(before.path());
    let new = test_commands(&workspace).into_iter().filter(|line| !lines.contains(line)).collect::<Vec<_>>();
    lines.extend(new);
    Ok(lines)
}
