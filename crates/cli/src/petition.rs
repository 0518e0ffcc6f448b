//! A petition: what somebody who is not at the command line wants to be started.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tribunal_config::{Brief, Loop};
use tribunal_kernel::RunId;

use crate::args::{self, Global};
use crate::bench::Bench;
use crate::commands::run::{self, Docket};
use crate::failure::Failure;
use crate::fence::{Fence, MAX_TEXT, bounded};
use crate::progress::Screen;
use crate::project::Project;
use crate::render;

/// So many assets can be named in one call.
const MAX_ASSETS: usize = 16;

/// What to start. Nothing said: what is configured.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Petition {
    /// The shape of the trial instead of the configured one: `review`, `joust`, `desk` or `theater`.
    pub(crate) r#loop: Option<LoopWord>,
    /// What is wanted: the text itself, or a file inside of the project.
    pub(crate) brief: Option<String>,
    /// What to work on instead of what is configured: an asset of a review, an HTML or Markdown file for the house
    /// panel, the slug of a desk.
    pub(crate) asset: Option<String>,
    /// Several of them.
    pub(crate) assets: Vec<String>,
    /// A file inside of the project with what drafts are judged against, besides the brief.
    pub(crate) anchor: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LoopWord {
    Review,
    Joust,
    Desk,
    Theater,
}

/// What was begun, and what is decided already, each as an object.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) opened: Vec<(RunId, Value)>,
    pub(crate) settled: Vec<Value>,
}

/// Opens what is wished for, and drives it on the bench.
pub(crate) async fn begin(global: &Global, bench: &Bench, petition: Petition) -> Result<Begun, Failure> {
    bench.has_room()?;
    let (global, args) = settings(global, petition)?;
    let project = bench.with_index(Project::load(&global, run::settings(&global, &args)?)?);
    let screen = Screen::new(global.verbose, true);
    let Docket { results, sessions } = run::docket(&project, &screen, &global, &args).await?;
    let opened = sessions.iter().map(|session| (session.run().spec().run, render::summary(session.run()))).collect();
    bench.seat(&project, &screen, sessions).await?;
    Ok(Begun { opened, settled: results.into_iter().flatten().map(|result| result.object).collect() })
}

/// The petition as flags: what `tribunal run` would have been given.
fn settings(global: &Global, petition: Petition) -> Result<(Global, args::Run), Failure> {
    let mut global = global.clone();
    if let Some(word) = petition.r#loop {
        let word = match word {
            LoopWord::Review => Loop::Review,
            LoopWord::Joust => Loop::Joust,
            LoopWord::Desk => Loop::Desk,
            LoopWord::Theater => Loop::Theater,
        };
        global.set.push(("run.loop".into(), word.to_string()));
    }
    let project = Project::load(&global, Vec::new())?;
    let fence = Fence::of(&project);
    let mut assets = petition.assets;
    assets.extend(petition.asset);
    if assets.len() > MAX_ASSETS {
        return Err(Failure::usage(
            format!("{} assets are too many", assets.len()),
            format!("at most {MAX_ASSETS} a call"),
        ));
    }
    if project.config().run.r#loop == Loop::Desk {
        if assets.len() > 1 {
            return Err(Failure::usage("a desk works on one campaign at a time", "name one slug"));
        }
        global.set.extend(assets.drain(..).map(|slug| ("desk.slug".to_owned(), slug)));
    }
    for asset in &mut assets {
        // No asset has such a name: a file is meant.
        if asset.contains(['.', '/']) {
            *asset = fence.file(asset)?.display().to_string();
        }
    }
    let brief = petition.brief.map(|text| brief(&fence, &project, text)).transpose()?;
    let anchor = petition.anchor.map(|path| Ok::<_, Failure>(fence.file(&path)?.display().to_string())).transpose()?;
    Ok((global, args::Run { assets, brief, anchor, ..args::Run::default() }))
}

/// A brief may be a file; then it is one inside of the project.
fn brief(fence: &Fence, project: &Project, text: String) -> Result<String, Failure> {
    bounded("the brief", &text, MAX_TEXT)?;
    let brief = Brief { text: text.clone(), base: project.root().to_owned() };
    match brief.path() {
        Some(path) if brief.must_be_file() || path.exists() => Ok(fence.file(text.trim())?.display().to_string()),
        _ => Ok(text),
    }
}
