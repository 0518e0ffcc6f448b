//! A run for an asset or an artifact: a new one, one to go on with, or none because it is decided.

pub(crate) mod allowance;
pub(crate) mod desk;
pub(crate) mod joust;
pub(crate) mod policy;
pub(crate) mod review;
pub(crate) mod theater;

use std::fs;
use std::path::Path;
use tribunal_anchors::{Anchor, Syntax};
use tribunal_config::{Brief, Config};
use tribunal_engine::{DriveError, Session};
use tribunal_kernel::{Decision, LoopKind, Run, RunSpec};
use tribunal_store::StoreError;

use crate::failure::Failure;
use crate::project::Project;
use crate::seating::{bindings, is_built_in};

/// What there is to do for an asset.
#[derive(Debug)]
pub(crate) enum Opening {
    /// A decision stands: nobody is called. The run it was made in, where it is ours.
    Settled { decision: Decision, run: Option<Box<Run>> },
    /// A run that is not over goes on.
    Continue(Box<Run>),
    /// A new run, and the texts that its spec cites.
    New { spec: Box<RunSpec>, texts: Vec<String> },
}

/// Creates the run that [`Opening::New`] describes.
pub(crate) async fn create(project: &Project, spec: RunSpec, texts: &[String]) -> Result<Session, Failure> {
    match spec.kind() {
        // What the workspace holds may have changed since: it is looked at again, under its lock.
        LoopKind::Review => review::create(project, spec.subject()).await,
        LoopKind::Theater | LoopKind::Joust | LoopKind::Desk => {
            Ok(Session::create(project.store.clone(), project.clock.clone(), spec, texts).await?)
        }
    }
}

/// A run that is not decided, open for writing under today's limits. Nothing, if somebody else drives it.
pub(crate) async fn take_up(project: &Project, run: &Run) -> Result<Option<Session>, Failure> {
    let seats = run.spec().seats.iter().filter(|(_, binding)| !is_built_in(binding));
    bindings(project.config(), &seats.map(|(seat, _)| seat.as_str()).collect::<Vec<_>>())?;
    match Session::open(project.store.clone(), project.clock.clone(), run.spec().run).await {
        Ok(mut session) => {
            session.resume(Some(allowance::limits_of(project, run.spec().kind())?)).await?;
            Ok(Some(session))
        }
        Err(DriveError::Store(StoreError::Held { .. })) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The brief's text.
pub(crate) fn brief(brief: Option<&Brief>) -> Result<String, Failure> {
    let Some(brief) = brief else {
        return Err(Failure::usage(
            "there is no brief",
            "say what is wanted: `brief = \"brief.md\"` under `[run]`, or `--brief TEXT`",
        ));
    };
    let Some(path) = brief.path() else { return Ok(brief.text.clone()) };
    match fs::read_to_string(&path) {
        Ok(text) if text.trim().is_empty() => {
            Err(Failure::usage(format!("the brief {} is empty", path.display()), "write down what is wanted"))
        }
        Ok(text) => Ok(text),
        Err(_) if !brief.must_be_file() => Ok(brief.text.clone()),
        Err(error) => Err(Failure::usage(
            format!("cannot read the brief {}: {error}", path.display()),
            "the path is relative to the folder of tribunal.toml",
        )),
    }
}

/// The anchor that the configuration names.
pub(crate) fn anchor(config: &Config) -> Result<Option<Anchor>, Failure> {
    config.run.anchor.as_deref().map(read_anchor).transpose()
}

/// The anchor in a file; every mistake in it with its place.
pub(crate) fn read_anchor(path: &Path) -> Result<Anchor, Failure> {
    let text = fs::read_to_string(path).map_err(|error| {
        Failure::usage(
            format!("cannot read the anchor {}: {error}", path.display()),
            "name a TOML or JSON file; docs/anchors.md has examples",
        )
    })?;
    anchor_of(&path.display().to_string(), &text, Syntax::of_path(&path.to_string_lossy()))
}

/// The anchor in a text that is called `name`; every mistake in it with its place.
pub(crate) fn anchor_of(name: &str, text: &str, syntax: Syntax) -> Result<Anchor, Failure> {
    Anchor::read(text, syntax).map_err(|mistakes| {
        let told: Vec<String> = mistakes.iter().map(|mistake| format!("{name}:{mistake}")).collect();
        let hint = mistakes.iter().find_map(tribunal_anchors::AnchorError::hint);
        Failure::usage(told.join("\n"), hint.unwrap_or_else(|| "docs/anchors.md has the form of every kind".into()))
    })
}
