//! `state.json`: the snapshot of the whole workspace, shared with other assets, other tools and people.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::Path;
use tribunal_kernel::{DraftId, Format, Time};

use super::json as files;
use super::paths::{Asset, STATE};
use super::{WorkspaceError, episode};

/// The only version there is.
const VERSION: u64 = 1;

/// The assets that other tools have a kind for; its word is the asset's name.
const KINDS: [&str; 13] = [
    "description",
    "shownotes",
    "summary_short",
    "title_detail",
    "title_seo",
    "subtitle_auphonic",
    "slug",
    "cms_tags",
    "audio_tags",
    "itunes_keywords",
    "mastodon",
    "linkedin",
    "youtube_description",
];

/// A workspace's `state.json` as it was found, or a new one. Known to have the shape that is promised.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkspaceState {
    document: Map<String, Value>,
    /// What is in `document`, as far as we need it.
    assets: Vec<Known>,
}

/// What a run has to say of its asset.
pub(super) struct Update {
    pub(super) candidates: Vec<Value>,
    pub(super) reviews: Vec<Value>,
    pub(super) selected: Option<DraftId>,
    /// When the workspace was created, in case this creates it.
    pub(super) now: Time,
}

impl WorkspaceState {
    /// The state of a workspace that has none yet.
    pub fn fresh(episode_id: impl Into<String>) -> Self {
        let episode_id = episode_id.into();
        let document = Map::from_iter([("episode_id".to_owned(), Value::from(episode_id))]);
        Self { document, assets: Vec::new() }
    }

    /// The state of the workspace at `root`.
    pub fn read(root: &Path) -> Result<Self, WorkspaceError> {
        let path = root.join(STATE);
        match files::read(&path)? {
            Some((shape, value)) => Self::parse(&path, shape, &value),
            None => Ok(Self::fresh(episode::id(root)?)),
        }
    }

    /// The candidate that is selected for `asset`.
    pub fn selected(&self, asset: &Asset) -> Option<DraftId> {
        self.known(asset)?.selected_candidate_id
    }

    /// The ids of the candidates of `asset`.
    pub fn candidates(&self, asset: &Asset) -> impl Iterator<Item = DraftId> {
        self.known(asset).into_iter().flat_map(|known| &known.candidates).map(|candidate| candidate.candidate_id)
    }

    /// The whole candidates of `asset`, as they were found.
    pub(super) fn candidate_values(&self, asset: &Asset) -> &[Value] {
        let assets = self.document.get("assets").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let found = assets.iter().find(|value| value["asset_id"] == asset.as_str());
        found.and_then(|value| value["candidates"].as_array()).map(Vec::as_slice).unwrap_or_default()
    }

    /// The format of the selected candidate.
    pub(super) fn selected_format(&self, asset: &Asset) -> Option<Format> {
        let known = self.known(asset)?;
        let selected = known.selected_candidate_id?;
        known.candidates.iter().find(|candidate| candidate.candidate_id == selected).map(|candidate| candidate.format)
    }

    /// The state with what a run has to say of its asset. All the rest stays as it is.
    pub(super) fn updated(&self, asset: &Asset, update: Update) -> Value {
        let mut document = self.document.clone();
        for (key, default) in [
            ("schema_version", json!(VERSION)),
            ("root_dir", json!(".")),
            ("assets", json!([])),
            ("chapters", json!([])),
            ("tracks", json!([])),
            ("provenance", json!([])),
            ("created_at", files::to_value(&update.now)),
        ] {
            document.entry(key).or_insert(default);
        }
        let assets = document.get_mut("assets").and_then(Value::as_array_mut).expect("`parse` looked at it");
        let place = assets.iter().position(|value| value["asset_id"] == asset.as_str()).unwrap_or_else(|| {
            assets.push(json!({ "asset_id": asset.as_str() }));
            assets.len() - 1
        });
        merge(assets[place].as_object_mut().expect("`parse` looked at it"), asset, update);
        Value::Object(document)
    }

    fn parse(path: &Path, shape: Shape, value: &Value) -> Result<Self, WorkspaceError> {
        if shape.schema_version != VERSION {
            return Err(WorkspaceError::Version { path: path.to_owned(), found: shape.schema_version, known: VERSION });
        }
        for (index, asset) in shape.assets.iter().enumerate() {
            let name = &asset.asset_id;
            let damaged = |why: String| Err(WorkspaceError::damaged(path, format!("asset `{name}`: {why}")));
            if shape.assets[..index].iter().any(|other| other.asset_id == *name) {
                return damaged("it is there twice".into());
            }
            if !asset.reviews.is_sorted_by(|a, b| a.iteration < b.iteration) {
                return damaged("the iterations of its reviews do not increase".into());
            }
            if let Some(id) = asset.selected_candidate_id
                && !asset.candidates.iter().any(|candidate| candidate.candidate_id == id)
            {
                return damaged(format!("the selected candidate {id} is not among its candidates"));
            }
        }
        let document: Map<String, Value> = files::part(path, value)?;
        for asset in document.get("assets").and_then(Value::as_array).into_iter().flatten() {
            files::part::<Map<String, Value>>(path, asset)?;
        }
        Ok(Self { document, assets: shape.assets })
    }

    fn known(&self, asset: &Asset) -> Option<&Known> {
        self.assets.iter().find(|known| known.asset_id == asset.as_str())
    }
}

fn merge(entry: &mut Map<String, Value>, asset: &Asset, update: Update) {
    let list = |entry: &mut Map<String, Value>, key: &str| match entry.remove(key) {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    };

    let mut candidates = list(entry, "candidates");
    for candidate in update.candidates {
        let same = |other: &Value| uuid(&other["candidate_id"]) == uuid(&candidate["candidate_id"]);
        match candidates.iter().position(same) {
            Some(place) => candidates[place] = candidate,
            None => candidates.push(candidate),
        }
    }
    entry.insert("candidates".into(), Value::Array(candidates));

    let mut reviews = list(entry, "reviews");
    for review in update.reviews {
        reviews.retain(|other| other["iteration"] != review["iteration"]);
        reviews.push(review);
    }
    reviews.sort_by_key(|review| review["iteration"].as_u64());
    entry.insert("reviews".into(), Value::Array(reviews));

    if let Some(id) = update.selected {
        entry.insert("selected_candidate_id".into(), files::to_value(&id));
    }
    entry.entry("selected_candidate_id").or_insert(Value::Null);
    let kind = KINDS.iter().find(|kind| **kind == asset.as_str());
    entry.entry("kind").or_insert_with(|| json!(kind));
}

fn uuid(value: &Value) -> Option<DraftId> {
    DraftId::deserialize(value).ok()
}

#[derive(Deserialize)]
struct Shape {
    #[serde(default = "first_version")]
    schema_version: u64,
    #[serde(rename = "episode_id")]
    _episode_id: String,
    #[serde(default)]
    assets: Vec<Known>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Known {
    asset_id: String,
    #[serde(default)]
    candidates: Vec<KnownCandidate>,
    #[serde(default)]
    reviews: Vec<KnownReview>,
    #[serde(default)]
    selected_candidate_id: Option<DraftId>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct KnownCandidate {
    candidate_id: DraftId,
    #[serde(default)]
    format: Format,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct KnownReview {
    iteration: u32,
}

fn first_version() -> u64 {
    VERSION
}
