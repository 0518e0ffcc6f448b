//! A run for an asset or an artifact: a new one, one to go on with, or none because it is decided.

pub mod desk;
pub mod joust;
pub mod judge;
mod names;
mod packages;
pub mod policy;
pub mod review;
pub mod theater;

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use tribunal_anchors::{Anchor, Syntax};
use tribunal_config::{Brief, Config};
use tribunal_engine::Session;
use tribunal_kernel::loops::RoundLimit;
use tribunal_kernel::{Binding, Decision, Limits, LoopKind, Run, RunSpec, SeatName};

use crate::allowance;
use crate::attachments::{self, AttachedFiles};
use crate::error::{AppError, ErrorKind};
use crate::input::{MAX_TEXT, read_text};
use crate::project::Project;
use crate::seating::{bindings, seated};
use crate::stale::{self, ComparedSettings, InputChange};

/// What there is to do for an asset.
#[derive(Debug)]
pub enum Opening {
    /// A decision stands: nobody is called. The run it was made in, where it is ours, and what its inputs are otherwise now.
    Settled { decision: Decision, run: Option<Box<Run>>, changes: Vec<InputChange> },
    /// A run that is not over goes on.
    Continue(Box<Run>),
    /// A new run, and what its spec cites: texts, and what is attached to the brief.
    New { spec: Box<RunSpec>, cited: Vec<Vec<u8>> },
    /// The run there is cannot be read: nothing is begun in its place, and the others are not kept waiting.
    Unreadable(Box<AppError>),
}

impl Opening {
    /// What a run decided, and what a new one would be given otherwise.
    fn settled(run: Run, now: &RunSpec) -> Self {
        let changes = stale::changes(&run, now);
        Self::Settled { decision: run.decision().clone(), run: Some(Box::new(run)), changes }
    }

    /// What was found for one subject of several: damage to one of them is said, and hides no other.
    fn one_of(several: usize, found: Result<Self, AppError>) -> Result<Self, AppError> {
        match found {
            Err(error) if several > 1 && error.kind == ErrorKind::Environment => Ok(Self::Unreadable(Box::new(error))),
            found => found,
        }
    }

    /// What it is about, as far as a run says so.
    pub fn subject(&self) -> Option<&str> {
        match self {
            Self::Settled { run: Some(run), .. } | Self::Continue(run) => Some(run.spec().subject()),
            Self::Settled { run: None, .. } | Self::Unreadable(_) => None,
            Self::New { spec, .. } => Some(spec.subject()),
        }
    }
}

/// What somebody wants to be opened.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// Files to start from; `None` where the configuration says what the work is about.
    pub sources: &'a [PathBuf],
    /// Whether a panel is asked for, where the policy leaves that to the user.
    pub panel: bool,
    /// Whether what is decided is tried again, in a new run.
    pub again: bool,
}

/// What a spec is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecFor {
    /// A new run.
    Run,
    /// A new run on what is decided already.
    Again,
    /// Nobody: it is compared with what a run was given. Whether anybody could be asked is not looked at, and a seat may be
    /// empty.
    Comparison,
}

impl SpecFor {
    fn run(again: bool) -> Self {
        if again { Self::Again } else { Self::Run }
    }

    /// Who sits where.
    fn bindings(self, config: &Config, seats: &[&str]) -> Result<BTreeMap<SeatName, Binding>, AppError> {
        match self {
            Self::Run | Self::Again => bindings(config, seats),
            Self::Comparison => Ok(seated(config, seats)),
        }
    }

    /// The brief's text. No text where there is none any more.
    fn brief(self, config: &Config) -> Result<String, AppError> {
        match self {
            Self::Run | Self::Again => brief(config.run.brief.as_ref()),
            Self::Comparison => Ok(brief(config.run.brief.as_ref()).unwrap_or_default()),
        }
    }

    /// What is attached to the brief. For a comparison, what cannot be attached is named.
    fn attached(self, project: &Project) -> Result<AttachedFiles, AppError> {
        match self {
            Self::Run | Self::Again => AttachedFiles::configured(project),
            Self::Comparison => Ok(AttachedFiles::compared(project)),
        }
    }

    /// The spec with everything that the run may use.
    async fn grant(self, project: &Project, spec: RunSpec) -> Result<RunSpec, AppError> {
        match self {
            Self::Run | Self::Again => allowance::grant(project, spec).await,
            Self::Comparison => Ok(allowance::described(project, spec)),
        }
    }
}

/// What a loop does outside of the kernel: how its runs are found and opened. One file a loop, one line in [`OPENERS`].
pub trait Opener: Sync {
    /// The loop that it opens runs of.
    fn kind(&self) -> LoopKind;

    /// What there is to do, by what it is about. Changes nothing.
    fn find<'a>(&'a self, project: &'a Project, wanted: Wanted<'a>) -> Later<'a, Vec<(String, Opening)>>;

    /// Creates the run that [`Opening::New`] describes.
    fn create<'a>(
        &'a self,
        project: &'a Project,
        spec: RunSpec,
        cited: &'a [Vec<u8>],
        _again: bool,
    ) -> Later<'a, Session> {
        Box::pin(create(project, spec, cited))
    }

    /// How its settings are compared. Not at all, unless it says: a desk's sentinel decides whether it is over, and a
    /// judgement is of two trees.
    fn compared(&self) -> ComparedSettings {
        ComparedSettings { keys: &[], left_out: &[] }
    }

    /// Makes equal in `was` what makes no other trial of it, such as limits, and what nobody configured.
    /// `_is_about_another`: the brief or the anchor is another one, and what follows from them may be, too.
    fn level(&self, was: &mut RunSpec, is: &RunSpec, _is_about_another: bool) {
        was.settings.clone_from(&is.settings);
    }

    /// What a run on the same subject would be given by the configuration now.
    fn configured<'a>(&'a self, _project: &'a Project, old: &'a Run) -> Later<'a, RunSpec> {
        Box::pin(std::future::ready(Ok(old.spec().clone())))
    }

    /// Brings what a spec of another day says of this one's agents up to date.
    fn refresh<'a>(&'a self, _project: &'a Project, _spec: &'a mut RunSpec) -> Later<'a, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// Creates a run: from here on it belongs to this project.
pub(crate) async fn create(project: &Project, spec: RunSpec, cited: &[Vec<u8>]) -> Result<Session, AppError> {
    let version = Some(crate::verify::VERSION.to_owned());
    let spec = RunSpec { project: Some(project.store.project().await?), version, ..spec };
    allowance::check_priced(project, &spec, &spec.limits)?;
    attachments::check_seen(&spec)?;
    Ok(Session::create(project.store.clone(), project.clock.clone(), spec, cited).await?)
}

/// What is ready later, or why not.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = Result<T, AppError>> + Send + 'a>>;

/// What a spec cites, as it is kept.
pub(crate) fn cited(texts: impl IntoIterator<Item = String>, attached: AttachedFiles) -> Vec<Vec<u8>> {
    texts.into_iter().map(String::into_bytes).chain(attached.bytes).collect()
}

/// Every loop's.
static OPENERS: [&dyn Opener; 5] = [&review::Review, &theater::Theater, &joust::Joust, &desk::Desk, &judge::Judge];

/// Who opens runs of this loop.
pub fn opener(kind: LoopKind) -> &'static dyn Opener {
    let is_meant = |opener: &&'static dyn Opener| opener.kind() == kind;
    OPENERS.into_iter().find(is_meant).expect("every loop has an opener; a test sees to it")
}

/// Who opens runs of the loop that is configured.
pub fn configured(config: &Config) -> &'static dyn Opener {
    opener(config.run.r#loop)
}

/// The limits of a run of this loop, given those of every run.
pub(crate) fn limits(kind: LoopKind, config: &Config, limits: Limits) -> Limits {
    let RoundLimit::Run { key } = kind.def().round_limit else { return limits };
    let most = number(config, key).map(|most| u32::try_from(most).unwrap_or(u32::MAX));
    Limits { rounds: limits.rounds.into_iter().chain(most).min(), ..limits }
}

/// How many runs of this loop may be driven at once in a project; the others wait for their turn. As many as there are
/// cores, where nobody says.
pub(crate) fn most_at_once(kind: LoopKind, config: &Config) -> Option<usize> {
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let limit = number(config, kind.def().most_at_once?);
    Some(limit.map_or_else(cores, |limit| usize::try_from(limit).unwrap_or(usize::MAX)))
}

/// The number that a key of the configuration has, if it has one.
fn number(config: &Config, key: &str) -> Option<u64> {
    let config = serde_json::to_value(config).expect("a configuration is plain data");
    config.pointer(&format!("/{}", key.replace('.', "/")))?.as_u64()
}

/// The brief's text.
pub fn brief(brief: Option<&Brief>) -> Result<String, AppError> {
    let Some(brief) = brief else {
        return Err(AppError::misconfigured(
            "there is no brief",
            "set `brief = \"brief.md\"` under `[run]`, or pass `--brief TEXT`",
        ));
    };
    text_of(brief, "brief")
}

/// A text that stands in the configuration, or in a file that it names; `what` it is, for messages.
pub(crate) fn text_of(brief: &Brief, what: &str) -> Result<String, AppError> {
    let Some(path) = brief.path() else { return Ok(brief.text.clone()) };
    match read_text(&path, MAX_TEXT) {
        Ok(text) if text.trim().is_empty() => Err(AppError::misconfigured(
            format!("the {what} {} is empty", path.display()),
            "write what you want into it",
        )),
        Ok(text) => Ok(text),
        Err(error) if !brief.must_be_file() && error.kind() == io::ErrorKind::NotFound => Ok(brief.text.clone()),
        Err(error) => Err(AppError::not_found(
            format!("cannot read the {what} {}: {error}", path.display()),
            "paths are relative to the folder of tribunal.toml",
        )),
    }
}

/// The anchor that the configuration names.
pub fn anchor(config: &Config) -> Result<Option<Anchor>, AppError> {
    config.run.anchor.as_deref().map(read_anchor).transpose()
}

/// Refuses an anchor by which nobody in this loop would decide anything.
pub(crate) fn check_anchor(spec: &RunSpec, anchor: &Anchor) -> Result<(), AppError> {
    if spec.trial().takes_anchor(anchor) {
        return Ok(());
    }
    let kind = anchor.kind().as_str();
    Err(AppError::misconfigured(
        format!(
            "a {} is judged item by item, and this anchor of kind `{kind}` has nothing to decide like that",
            spec.kind()
        ),
        "use an anchor of kind `invariants`, `acceptance` or `assertions` with at least one item, or a joust",
    ))
}

/// The anchor in a file; every mistake in it with its place.
pub fn read_anchor(path: &Path) -> Result<Anchor, AppError> {
    let text = read_text(path, MAX_TEXT).map_err(|error| {
        AppError::not_found(
            format!("cannot read the anchor {}: {error}", path.display()),
            "use a TOML or JSON file; docs/anchors.md has examples",
        )
    })?;
    anchor_of(&path.display().to_string(), &text, Syntax::of_path(&path.to_string_lossy()))
}

/// The anchor in a text that is called `name`; every mistake in it with its place.
pub fn anchor_of(name: &str, text: &str, syntax: Syntax) -> Result<Anchor, AppError> {
    Anchor::read(text, syntax).map_err(|mistakes| {
        let told: Vec<String> = mistakes.iter().map(|mistake| format!("{name}:{mistake}")).collect();
        let hint = mistakes.iter().find_map(tribunal_anchors::AnchorError::hint);
        AppError::invalid(told.join("\n"), hint.unwrap_or_else(|| "docs/anchors.md describes every kind".into()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_kernel::loops::LOOPS;

    #[test]
    fn every_loop_has_an_opener() {
        for kind in LOOPS {
            assert_eq!(opener(*kind).kind(), *kind);
        }
    }
}
