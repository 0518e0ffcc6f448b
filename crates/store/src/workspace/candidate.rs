//! Candidates: what the creator proposed.

use serde::Serialize;
use serde_json::Value;
use tribunal_kernel::draft::with_final_newline;
use tribunal_kernel::{Draft, DraftId, Format, Run, Time};

use super::files::File;
use super::iteration::Iteration;
use super::paths::Asset;
use super::provenance::Provenance;
use super::{html, json};

/// A candidate, as files hold it.
#[derive(Debug, Serialize)]
pub(super) struct Candidate<'a> {
    #[serde(rename = "candidate_id")]
    id: DraftId,
    asset_id: &'a str,
    format: Format,
    content: &'a str,
    created_at: Time,
    provenance: Vec<Provenance<'a>>,
}

impl<'a> Candidate<'a> {
    /// The candidate of an iteration.
    pub(super) fn proposed(run: &'a Run, asset: &'a Asset, iteration: &Iteration<'_>, content: &'a str) -> Self {
        let provenance = Provenance::of(run, iteration.turn, None);
        Self { provenance, ..Self::picked(asset, iteration.draft, content, iteration.at) }
    }

    /// A candidate that a person picked and of which only the draft is known.
    pub(super) fn picked(asset: &'a Asset, draft: &Draft, content: &'a str, created_at: Time) -> Self {
        Self {
            id: draft.id,
            asset_id: asset.as_str(),
            format: draft.format,
            content,
            created_at,
            provenance: Vec::new(),
        }
    }

    /// The text alone and then the whole, so that whoever finds the whole finds the text.
    pub(super) fn files(&self, asset: &Asset) -> Vec<File> {
        let path = |extension: &str| asset.candidate(self.id, extension);
        let mut files = vec![(path(self.format.extension()), text(self.content))];
        if self.format == Format::Markdown {
            files.push((path(Format::Html.extension()), html::render(self.content).into_bytes()));
        }
        files.push((path("json"), json::to_bytes(self)));
        files
    }

    /// For `state.json` and the protocol.
    pub(super) fn to_value(&self) -> Value {
        json::to_value(self)
    }
}

/// The file with a candidate's text.
pub(super) fn text(content: &str) -> Vec<u8> {
    with_final_newline(content).into_owned().into_bytes()
}
