//! The selected content of an asset: what the loop agreed on, or what a person picked.

use std::path::Path;
use tribunal_kernel::{Draft, Format, Outcome, Run};

use super::base::Base;
use super::files::File;
use super::iteration::iteration;
use super::paths::Asset;
use super::{WorkspaceError, candidate, html, json};

/// The draft that this run has to show as selected; `None` leaves the workspace's selection as it is.
///
/// A person's pick comes first. A convergence replaces what was selected before it, once: when the workspace knows
/// the decision already and yet has another selection, a person changed it since, with a tool that does not write
/// into our log.
pub(super) fn choice<'a>(run: &'a Run, asset: &Asset, base: &Base) -> Option<&'a Draft> {
    if let Some(draft) = run.selection() {
        return Some(draft);
    }
    let draft = converged(run)?;
    let is_told = base.decision.as_ref() == Some(run.decision());
    let is_changed = base.state.selected(asset).is_some_and(|id| id != draft.id);
    (!(is_told && is_changed)).then_some(draft)
}

/// The file of the selected content, and for Markdown the same as HTML.
pub(super) fn files(asset: &Asset, format: Format, content: &str) -> Vec<File> {
    let mut files = vec![(asset.selected(format), candidate::text(content))];
    if format == Format::Markdown {
        files.push((asset.selected(Format::Html), html::render(content).into_bytes()));
    }
    files
}

/// The selected content in the workspace, and its file. `preferred` is the format of the candidate that `state.json`
/// names; without one the source comes before what is made from it.
pub(super) fn read(
    root: &Path,
    asset: &Asset,
    preferred: Option<Format>,
) -> Result<Option<(String, String)>, WorkspaceError> {
    for format in preferred.into_iter().chain([Format::Markdown, Format::Plain, Format::Html]) {
        let file = asset.selected(format);
        if let Some(text) = json::read_text(&root.join(&file))? {
            return Ok(Some((file.to_string_lossy().into_owned(), text)));
        }
    }
    Ok(None)
}

/// The candidate that both agreed on, as long as nobody reopened the decision. The last round counts, and not the
/// decision's `final_round`, which may be locked to something else.
fn converged(run: &Run) -> Option<&Draft> {
    let last = run.rounds().last()?;
    let (_, closing) = last.closed.as_ref()?;
    let agreed = [closing, run.decision()].iter().all(|decision| decision.outcome == Some(Outcome::Converged));
    if agreed { iteration(run, last.round).map(|iteration| iteration.draft) } else { None }
}
