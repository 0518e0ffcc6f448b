//! A change that somebody made.

use std::path::Path;
use tribunal_anchors::{Anchor, Syntax};
use tribunal_config::Origin;
use tribunal_engine::evidence::EvidenceSeat;
use tribunal_engine::tree::{CommitReader, NamedChange, ShownPatch, TreeError};
use tribunal_kernel::evidence::EvidenceCommand;
use tribunal_kernel::judge::asked::{self, AskedError};
use tribunal_kernel::judge::{EVIDENCE, Settings, VERIFIER, lacked_packages};
use tribunal_kernel::loops::RegisteredLoop;
use tribunal_kernel::{Binding, Digest, Draft, DraftId, Format, LoopKind, Run, RunId, RunSpec, SeatName};
use uuid::Uuid;

use super::{Later, Opener, Opening, SpecFor, Wanted, anchor_of};
use crate::check::reachable_quorum;
use crate::check_place::carried;
use crate::desk::test_commands;
use crate::error::AppError;
use crate::input::{MAX_TEXT, bounded};
use crate::project::Project;
use crate::seating::bindings;

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
    let lines = checks(project, &change).await?;
    if lines.is_empty() {
        return Err(AppError::misconfigured(
            "there is no command that could prove the change",
            "name one: `tribunal judge --check \"python3 -m pytest\"`, or set `checks` under `[judge]`",
        ));
    }
    let command = |(number, line): (usize, String)| EvidenceCommand::new(format!("C{number}"), line);
    let Vote { verifiers, anchor, patch } = vote(project, &change).await?;
    let is_cut = patch.as_ref().is_some_and(|patch| patch.is_cut);
    let patch = patch.map(|patch| patch.text);
    let mut settings = Settings {
        commands: (1..).zip(lines).map(command).collect(),
        may_change: permitted(project, &change).await?,
        mutants: judge.mutants,
        check_timeout_ms: u64::try_from(judge.check_timeout.as_millis()).unwrap_or(u64::MAX),
        network: judge.network,
        carry: carried(&project.workspace(), &judge.carry, &judge.setup).into_iter().map(|(_, name)| name).collect(),
        setup: judge.setup.clone(),
        verifiers: verifiers.iter().map(SeatName::new).collect(),
        quorum: judge.quorum,
        change: None,
        is_cut,
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
    Ok((SpecFor::Run.grant(project, spec).await?, [brief].into_iter().chain(patch).collect()))
}

/// The commands that prove the change. Those that it brings along itself are run, and take the place of no other one.
async fn checks(project: &Project, change: &NamedChange) -> Result<Vec<String>, AppError> {
    let named = &project.config().judge.checks;
    if named.is_empty() {
        return shown(project, change).await;
    }
    let Some(Brought { path, before, new }) = brought(project, change, "checks", named).await? else {
        return Ok(named.clone());
    };
    let given = if before.is_empty() { shown(project, change).await? } else { before };
    if !new.is_empty() || given.iter().any(|line| !named.contains(line)) {
        project.console.note(&format!(
            "`judge.checks` of {path} is part of the change, so what was run before is run, too; to choose yourself, use `--check`"
        ));
    }
    let (kept, others): (Vec<String>, Vec<String>) = named.iter().cloned().partition(|line| given.contains(line));
    let missing = given.into_iter().filter(|line| !kept.contains(line));
    Ok(kept.iter().cloned().chain(missing).chain(others).collect())
}

/// The given files that a person lets the change alter. A permission that the change brings along itself is none.
async fn permitted(project: &Project, change: &NamedChange) -> Result<Vec<String>, AppError> {
    let allowed = &project.config().judge.may_change;
    let Some(Brought { path, before, new }) = brought(project, change, "may_change", allowed).await? else {
        return Ok(allowed.clone());
    };
    if !new.is_empty() {
        project.console.note(&format!(
            "`judge.may_change` of {path} is part of the change and allows nothing: {}; say it yourself with `--may-change`",
            new.join(", ")
        ));
    }
    Ok(allowed.iter().filter(|path| before.contains(path)).cloned().collect())
}

/// A list of `[judge]` in a file that the change may have written.
struct Brought {
    /// The file.
    path: String,
    /// The list as the change found it.
    before: Vec<String>,
    /// What is in the list now, and was not.
    new: Vec<String>,
}

/// Where a list comes from, if that is a file of the repository. What a person said on the command line, or in a file that is
/// nobody's change, is theirs.
async fn brought(
    project: &Project,
    change: &NamedChange,
    key: &str,
    now: &[String],
) -> Result<Option<Brought>, AppError> {
    let whole = format!("judge.{key}");
    let origin = project.loaded.settings.iter().find(|setting| setting.key == whole).map(|it| &it.origin);
    let Some(Origin::Project(spot)) = origin.filter(|_| !now.is_empty()) else { return Ok(None) };
    let Some(path) = inside(&project.workspace(), &spot.file) else { return Ok(None) };
    let [before, after] = change.file(&project.workspace(), &path).await.map_err(|error| unavailable(&error))?;
    if after.is_none() {
        return Ok(None);
    }
    let given = |text: &str| -> Option<Vec<String>> {
        let table: toml::Table = text.parse().ok()?;
        let list = table.get("judge")?.get(key)?.as_array()?;
        Some(list.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect())
    };
    let before = before.as_deref().and_then(given).unwrap_or_default();
    let new = now.iter().filter(|item| !before.contains(item)).cloned().collect();
    Ok(Some(Brought { path, before, new }))
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
            Some(name) => change.file(&workspace, name).await.map_err(|error| unavailable(&error))?,
            None => [None, None],
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

/// A path as it is seen from the workspace, if it is in it.
fn inside(workspace: &Path, path: &Path) -> Option<String> {
    let (workspace, path) = (workspace.canonicalize().ok()?, path.canonicalize().ok()?);
    Some(path.strip_prefix(workspace).ok()?.to_string_lossy().into_owned())
}

/// What a spec asks for: as it was before the change, where it was there. A file of rules has to leave them all to the vote:
/// they are not about a change.
fn read_spec(project: &Project, path: &Path, [before, after]: [Option<String>; 2]) -> Result<Anchor, AppError> {
    let cannot = |error: &dyn std::fmt::Display| {
        AppError::not_found(
            format!("cannot read the spec {}: {error}", path.display()),
            "name a Markdown or text file that says what the change has to do",
        )
    };
    let text = match before {
        Some(before) => {
            let now = std::fs::read_to_string(path).ok();
            if now.as_ref() != Some(&before) || after.is_some_and(|after| after != before) {
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
    let folder = tempfile::tempdir().map_err(|error| unavailable(&error))?;
    // The files themselves: what they say decides, and not only that they are there.
    let before = reader.lay_out(&change.base, folder.path().join("tree")).await.map_err(|error| unavailable(&error))?;
    let mut lines = test_commands(before.path());
    let new = test_commands(&workspace).into_iter().filter(|line| !lines.contains(line)).collect::<Vec<_>>();
    lines.extend(new);
    Ok(lines)
}
