//! A change that somebody made.

use std::path::Path;
use tribunal_anchors::{Anchor, Syntax};
use tribunal_engine::evidence::EvidenceSeat;
use tribunal_engine::temporary::{FolderUse, TemporaryFolder};
use tribunal_engine::tree::{CommitReader, FoundFile, NamedChange, ShownPatch};
use tribunal_kernel::evidence::EvidenceCommand;
use tribunal_kernel::judge::asked::{self, AskedError};
use tribunal_kernel::judge::{EVIDENCE, Settings, VERIFIER, lacked_packages};
use tribunal_kernel::loops::RegisteredLoop;
use tribunal_kernel::{Binding, Digest, Draft, DraftId, Format, LoopKind, Run, RunId, RunSpec, SeatName};
use uuid::Uuid;

use super::packages;
use super::{Later, Opener, Opening, SpecFor, Wanted, anchor_of};
use crate::check::reachable_quorum;
use crate::check_place::carried;
use crate::desk::test_commands;
use crate::error::AppError;
use crate::found_settings::{change_of, no_change, plain};
use crate::input::{MAX_TEXT, bounded};
use crate::project::Project;
use crate::seating::bindings;
use crate::stop::steered;

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
    let (spec, cited) = spec(project).await?;
    let who = |spec: &RunSpec| -> Vec<(SeatName, String, Option<String>)> {
        spec.seats.iter().map(|(seat, it)| (seat.clone(), it.agent.clone(), it.model.clone())).collect()
    };
    let same = |run: &Run| {
        let before = run.spec();
        before.settings_of::<Settings>() == spec.settings_of::<Settings>()
            && before.anchor == spec.anchor
            && who(before) == who(&spec)
    };
    if let Some(id) = project.newest_on(spec.subject()).await? {
        let run = project.read(id).await?;
        if same(&run) && run.end().is_none_or(|end| !end.outcome.is_sticky()) {
            return Ok(Opening::Continue(Box::new(run)));
        }
        if same(&run) && !again && !lacked_packages(&run) {
            let decision = run.decision().clone();
            return Ok(Opening::Settled { decision, run: Some(Box::new(run)), changes: Vec::new() });
        }
    }
    Ok(Opening::New { spec: Box::new(spec), cited })
}

/// The spec of a new run, and what it cites.
async fn spec(project: &Project) -> Result<(RunSpec, Vec<Vec<u8>>), AppError> {
    let judge = &project.config().judge;
    let change =
        change_of(project.came_from(), &project.workspace(), judge.range.as_deref()).await.map_err(no_change)?;
    if change.base == change.head {
        return Err(AppError::invalid(
            format!("{}: there is no change to judge", change.name),
            "name one: `tribunal judge main..feature`",
        ));
    }
    if !project.is_as_changed()
        && let Some(top) = NamedChange::top(&project.workspace()).await
        && let Some((file, why)) = steered::programs(project, &change, &top).await
    {
        return Err(AppError::conflict(
            format!("{file} is part of the change, and {why}"),
            "judge without it (`--verifier` names another agent), or read the file and allow it: `--use-changed-config`",
        ));
    }
    let lines = checks(project, &change).await?;
    if lines.is_empty() {
        return Err(AppError::misconfigured(
            "there is no command that could prove the change",
            packages::hint(&project.workspace(), &change).await,
        ));
    }
    let command = |(number, line): (usize, String)| EvidenceCommand::new(format!("C{number}"), line);
    let Vote { verifiers, anchor, patch } = vote(project, &change).await?;
    let is_cut = patch.as_ref().is_some_and(|patch| patch.is_cut);
    let patch = patch.map(|patch| patch.text);
    let mut settings = Settings {
        commands: (1..).zip(lines).map(command).collect(),
        may_change: judge.may_change.clone(),
        mutants: judge.mutants,
        check_timeout_ms: u64::try_from(judge.check_timeout.as_millis()).unwrap_or(u64::MAX),
        network: judge.network,
        carry: brought_along(project, &change).await,
        setup: judge.setup.clone(),
        verifiers: verifiers.iter().map(SeatName::new).collect(),
        quorum: judge.quorum,
        change: None,
        is_cut,
        unheeded: project.unheeded().map(|unheeded| unheeded.keys.clone()).unwrap_or_default(),
        as_changed: project.is_as_changed(),
        name: change.name,
        base: change.base,
        head: change.head,
    };
    // The same change is the same draft in every judgement of it.
    settings.change = patch.as_ref().map(|patch| {
        let ends = [settings.base.as_bytes(), settings.head.as_bytes()];
        Draft::of(DraftId(RunId(Uuid::nil()).derive("change", &ends)), patch, Format::Plain)
    });
    let brief = format!("Does this change hold? {}: {} to {}\n", settings.name, settings.base, settings.head);
    let evidence = Binding { agent: EvidenceSeat::NAME.into(), ..Binding::default() };
    let mut seats = bindings(project.config(), &verifiers.iter().map(String::as_str).collect::<Vec<_>>())?;
    if !verifiers.is_empty() {
        reachable_quorum(project, ("judge", "verifiers"), judge.quorum, &verifiers, &seats)?;
    }
    seats.insert(SeatName::new(EVIDENCE), evidence);
    let spec = RunSpec {
        seats,
        anchor,
        ..RunSpec::new(RunId(tribunal_store::new_id()), project.workspace_name(), Digest::of(&brief), settings)
    };
    Ok((SpecFor::Run.grant(project, spec).await?, [brief].into_iter().chain(patch).map(String::into_bytes).collect()))
}

/// The commands that prove the change. Those that it brings along itself are run, and take the place of no other one.
async fn checks(project: &Project, change: &NamedChange) -> Result<Vec<String>, AppError> {
    let named = &project.config().judge.checks;
    let mut lines = if named.is_empty() { shown(project, change).await? } else { named.clone() };
    if let Some(unheeded) = project.unheeded().filter(|_| !project.is_as_changed()) {
        let new = unheeded.new_checks.iter().filter(|line| !lines.contains(line)).cloned().collect::<Vec<_>>();
        lines.extend(new);
    }
    Ok(lines)
}

/// The folders of the checkout that are there for the commands. One that the change brings along is part of the change, and
/// laid out with it.
async fn brought_along(project: &Project, change: &NamedChange) -> Vec<String> {
    let (judge, workspace) = (&project.config().judge, project.workspace());
    let mut names: Vec<String> =
        carried(&workspace, &judge.carry, &judge.setup).into_iter().map(|(_, name)| name).collect();
    let top = NamedChange::top(&workspace).await;
    let (Some(top), false) = (top, names.is_empty()) else { return names };
    let Ok(changed) = change.paths(&top).await else { return Vec::new() };
    names.retain(|name| {
        let folder = plain(&workspace.join(name));
        let is_changed = changed.iter().any(|path| top.join(path).starts_with(&folder));
        if is_changed {
            project.console.note(&format!("{name} is part of the change, and is not carried into every tree"));
        }
        !is_changed
    });
    names
}

/// Who votes on what.
#[derive(Default)]
struct Vote {
    verifiers: Vec<String>,
    anchor: Option<Anchor>,
    /// The change, as they see it.
    patch: Option<ShownPatch>,
}

/// What is put to the vote, if anybody votes: the spec, or what the commits say of themselves.
async fn vote(project: &Project, change: &NamedChange) -> Result<Vote, AppError> {
    let judge = &project.config().judge;
    let verifiers = match (judge.verifiers.as_slice(), &judge.spec) {
        ([], None) => return Ok(Vote::default()),
        ([], Some(_)) if project.config().agent_in(VERIFIER).is_none() => {
            return Err(AppError::misconfigured(
                "nobody is there to vote on the spec",
                format!(
                    "name an agent: `--verifier claude`; or add `[seats.{VERIFIER}]` with `agent = \"NAME\"` to tribunal.toml"
                ),
            ));
        }
        ([], Some(_)) => vec![VERIFIER.to_owned()],
        (named, _) => named.to_vec(),
    };
    let workspace = project.workspace();
    let mut aside = Vec::new();
    let anchor = if let Some(path) = &judge.spec {
        let inside = inside(&workspace, path);
        let given = match &inside {
            Some(name) => found_spec(change, &workspace, name).await?,
            None => None,
        };
        // What the change itself says of what it has to do shows nothing of what it does.
        aside.extend(inside);
        read_spec(project, path, given)?
    } else {
        let said = change.messages(&workspace).await.map_err(|error| unavailable(&error))?;
        asked::of_messages(&said).map_err(|error| {
            let what = match error {
                AskedError::Nothing => "nothing says what the change has to do, so verifiers cannot vote".to_owned(),
                AskedError::TooMuch(_) => format!("the messages of the commits: {error}"),
            };
            let hint = "name a file that says it: `tribunal judge --spec FILE`; or commit the change with a message";
            AppError::misconfigured(what, hint)
        })?
    };
    let reader = CommitReader::of(&workspace).await.map_err(|error| unavailable(&error))?;
    let patch = reader.patch(&change.base, &change.head, &aside).await.map_err(|error| unavailable(&error))?;
    Ok(Vote { verifiers, anchor: Some(anchor), patch })
}

/// A path as it is seen from the workspace, if it is written as one in it: where a link leads is the change's to say.
fn inside(workspace: &Path, path: &Path) -> Option<String> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let path = plain(path);
    let folder = real(path.parent()?);
    let inner = folder.join(path.file_name()?);
    Some(inner.strip_prefix(real(workspace)).ok()?.to_string_lossy().into_owned())
}

/// The spec as the change found it, if it was there.
async fn found_spec(change: &NamedChange, workspace: &Path, name: &str) -> Result<Option<String>, AppError> {
    let Some(top) = NamedChange::top(workspace).await else { return Ok(None) };
    let Ok(path) = workspace.join(name).strip_prefix(&top).map(|path| path.to_string_lossy().into_owned()) else {
        return Ok(None);
    };
    match change.found(&top, &path).await.map_err(|error| unavailable(&error))? {
        FoundFile::Missing => Ok(None),
        FoundFile::Text(text) => Ok(Some(text)),
        FoundFile::Outside(place) => Ok(std::fs::read_to_string(place).ok()),
    }
}

/// What a spec asks for: as it was before the change, where it was there. A file of rules has to leave them all to the vote:
/// they are not about a change.
fn read_spec(project: &Project, path: &Path, before: Option<String>) -> Result<Anchor, AppError> {
    let cannot = |error: &dyn std::fmt::Display| {
        AppError::not_found(
            format!("cannot read the spec {}: {error}", path.display()),
            "name a Markdown or text file that says what the change has to do",
        )
    };
    let text = match before {
        Some(before) => {
            if std::fs::read_to_string(path).ok().as_ref() != Some(&before) {
                project.console.note(&format!("{} is taken as it was before the change", path.display()));
            }
            before
        }
        None => std::fs::read_to_string(path).map_err(|error| cannot(&error))?,
    };
    bounded(&format!("the spec {}", path.display()), &text, MAX_TEXT)?;
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if matches!(extension, "toml" | "json") {
        let anchor = anchor_of(&path.display().to_string(), &text, Syntax::of_path(&path.to_string_lossy()))?;
        if anchor.items().is_empty() || !tribunal_kernel::rules::checkable(&anchor).is_empty() {
            return Err(AppError::misconfigured(
                format!("{}: its rules are checked in texts, and nobody could vote on them", path.display()),
                "write what the change has to do as a list in a Markdown file, or as rules in plain words",
            ));
        }
        return Ok(anchor);
    }
    asked::of_spec(&text)
        .map_err(|error| AppError::misconfigured(format!("the spec {}: {error}", path.display()), error.hint()))
}

fn unavailable(error: &dyn std::fmt::Display) -> AppError {
    AppError::environment(error.to_string(), None)
}

/// The test commands that the project's files show: before the change, so that it cannot do away with them, and now.
async fn shown(project: &Project, change: &NamedChange) -> Result<Vec<String>, AppError> {
    let workspace = project.workspace();
    let reader = CommitReader::of(&workspace).await.map_err(|error| unavailable(&error))?;
    let folder = TemporaryFolder::make(FolderUse::Survey).map_err(|error| unavailable(&error))?;
    // The files themselves: what they say decides, and not only that they are there.
    let before = reader.lay_out(&change.base, folder.path().join("tree")).await.map_err(|error| unavailable(&error))?;
    let mut lines = test_commands(before.path());
    let new = test_commands(&workspace).into_iter().filter(|line| !lines.contains(line)).collect::<Vec<_>>();
    lines.extend(new);
    Ok(lines)
}
