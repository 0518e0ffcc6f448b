//! Mechanical fixes as a draft.

use serde_json::json;
use std::fmt::Write as _;
use tribunal_checks::{Certainty, Edit, Fixed};

use super::certain::{FixedPage, SeenFixing, fix_seen};
use super::page::{Page, PlacedPage};
use super::{HouseSettings, ViewerError};

/// The draft as it was given, until somebody demands changes.
pub(super) fn unchanged(page: &Page) -> String {
    draft(page, &page.text, "As it was given, to be measured.\n")
}

/// The draft with every fix that is certain.
pub(super) async fn edit(page: &Page, placed: &PlacedPage, settings: &HouseSettings) -> Result<String, ViewerError> {
    let given = FixedPage { name: "", document: &placed.document, view: placed.view(settings) };
    let fixing = SeenFixing {
        tokens: &placed.tokens,
        takes_suggestions: false,
        may_change: &|_| false,
        viewer: settings.viewer.as_deref(),
    };
    let fixed = fix_seen(&[given], &fixing, |_| true).await?;
    let Fixed { edits, suggestions, refused, .. } = &fixed;
    let mut notes = String::new();
    if edits.is_empty() {
        notes.push_str("Nothing can be fixed with certainty: what is demanded needs a person or a model.\n");
    }
    for made in edits {
        let _ = writeln!(notes, "{}", told(made));
    }
    for edit in suggestions {
        let Certainty::Suggested(doubt) = &edit.certainty else { continue };
        let _ = writeln!(notes, "suggested: {}, but {doubt}", told(edit));
    }
    for (edit, why) in refused {
        let _ = writeln!(notes, "left alone: {}: {why}", told(edit));
    }
    Ok(draft(page, fixed.text(&placed.document), &notes))
}

fn draft(page: &Page, text: &str, notes: &str) -> String {
    json!({ "notes": notes, "artifact": { "mime": page.format.mime(), "content": text } }).to_string()
}

fn told(edit: &Edit) -> String {
    let place = edit.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
    format!("{place}{} [{}]: `{}` to `{}`", edit.why, edit.code, short(&edit.before), short(&edit.after))
}

/// Enough to see what it is.
fn short(text: &str) -> String {
    const MOST: usize = 80;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MOST { line } else { line.chars().take(MOST).chain(['…']).collect() }
}
