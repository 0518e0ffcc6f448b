//! `state.json`: the snapshot of the whole workspace, shared with other assets, other tools and people.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use tribunal_kernel::{DraftId, Format, Time};

use super::json::{self as files, RawJson};
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
    /// Everything beside the assets.
    rest: BTreeMap<String, RawJson>,
    assets: Vec<StateAsset>,
    /// Where an asset stands among them.
    places: HashMap<String, usize>,
}

/// An asset in it: as it was found, and as far as we need it.
#[derive(Debug, Clone, PartialEq)]
struct StateAsset {
    found: RawJson,
    known: Known,
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
        let episode_id = Value::from(episode_id.into());
        let rest = BTreeMap::from([("episode_id".to_owned(), episode_id.into())]);
        Self { rest, assets: Vec::new(), places: HashMap::new() }
    }

    /// The state of the workspace at `root`.
    pub fn read(root: &Path) -> Result<Self, WorkspaceError> {
        let path = root.join(STATE);
        match files::read_text(&path)? {
            Some(text) => Self::parse(&path, &text),
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
    pub(super) fn candidate_values(&self, asset: &Asset) -> Result<Vec<Value>, WorkspaceError> {
        let Some(it) = self.asset(asset) else { return Ok(Vec::new()) };
        let mut value: Value = it.found.read().map_err(|error| invalid(&error))?;
        Ok(value["candidates"].as_array_mut().map(std::mem::take).unwrap_or_default())
    }

    /// The format of the selected candidate.
    pub(super) fn selected_format(&self, asset: &Asset) -> Option<Format> {
        let known = self.known(asset)?;
        let selected = known.selected_candidate_id?;
        known.candidates.iter().find(|candidate| candidate.candidate_id == selected).map(|candidate| candidate.format)
    }

    /// Takes in what a run has to say of its asset. All the rest stays as it is.
    pub(super) fn absorb(&mut self, asset: &Asset, update: Update) -> Result<(), WorkspaceError> {
        for (key, default) in [
            ("schema_version", json!(VERSION)),
            ("root_dir", json!(".")),
            ("chapters", json!([])),
            ("tracks", json!([])),
            ("provenance", json!([])),
            ("created_at", files::to_value(&update.now)),
        ] {
            self.rest.entry(key.to_owned()).or_insert_with(|| default.into());
        }
        let place = self.places.get(asset.as_str()).copied();
        let mut entry: Value = match place {
            Some(place) => self.assets[place].found.read().map_err(|error| invalid(&error))?,
            None => json!({ "asset_id": asset.as_str() }),
        };
        merge(entry.as_object_mut().expect("`parse` looked at it"), asset, update);
        entry.sort_all_objects();
        let known = Known::deserialize(&entry).map_err(|error| invalid(&error))?;
        let made = StateAsset { found: entry.into(), known };
        if let Some(place) = place {
            self.assets[place] = made;
        } else {
            self.places.insert(asset.as_str().to_owned(), self.assets.len());
            self.assets.push(made);
        }
        Ok(())
    }

    /// The file that holds it.
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, WorkspaceError> {
        let mut document: BTreeMap<&str, Part<'_>> =
            self.rest.iter().map(|(key, value)| (key.as_str(), Part::Found(value))).collect();
        document.insert("assets", Part::Assets(self.assets.iter().map(|it| Part::Found(&it.found)).collect()));
        files::write(&document).map_err(|error| invalid(&error))
    }

    fn parse(path: &Path, text: &str) -> Result<Self, WorkspaceError> {
        let whole: RawJson = serde_json::from_str(text)
            .map_err(|error| WorkspaceError::damaged(path, format!("it is not valid JSON: {error}")))?;
        let wrong = |why: String| WorkspaceError::damaged(path, format!("it has the wrong shape: {why}"));
        // Our types would take a list for an object whose keys are left out.
        if !whole.is_object() {
            return Err(wrong("an object is expected".into()));
        }
        // From the text once more: that way an error knows its line.
        let shape: Shape = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if shape.schema_version != VERSION {
            return Err(WorkspaceError::Version { path: path.to_owned(), found: shape.schema_version, known: VERSION });
        }
        let mut names = HashSet::new();
        for asset in &shape.assets {
            let name = &asset.asset_id;
            let damaged = |why: String| Err(WorkspaceError::damaged(path, format!("asset `{name}`: {why}")));
            if !names.insert(name) {
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
        let mut rest: BTreeMap<String, RawJson> = serde_json::from_str(text).map_err(|error| invalid(&error))?;
        let assets = rest.remove("assets").map(|list| list.read()).transpose().map_err(|error| invalid(&error))?;
        let assets: Vec<RawJson> = assets.unwrap_or_default();
        if !assets.iter().all(RawJson::is_object) {
            return Err(wrong("an object is expected".into()));
        }
        let assets = assets.into_iter().zip(shape.assets).map(|(found, known)| StateAsset { found, known });
        let assets: Vec<StateAsset> = assets.collect();
        let places = assets.iter().enumerate().map(|(place, it)| (it.known.asset_id.clone(), place)).collect();
        Ok(Self { rest, assets, places })
    }

    fn asset(&self, asset: &Asset) -> Option<&StateAsset> {
        self.places.get(asset.as_str()).map(|place| &self.assets[*place])
    }

    fn known(&self, asset: &Asset) -> Option<&Known> {
        self.asset(asset).map(|it| &it.known)
    }
}

fn merge(entry: &mut Map<String, Value>, asset: &Asset, update: Update) {
    let list = |entry: &mut Map<String, Value>, key: &str| match entry.remove(key) {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    };

    let mut candidates = list(entry, "candidates");
    let mut places: HashMap<Option<DraftId>, usize> = HashMap::new();
    for (place, candidate) in candidates.iter().enumerate() {
        places.entry(uuid(&candidate["candidate_id"])).or_insert(place);
    }
    for candidate in update.candidates {
        match places.entry(uuid(&candidate["candidate_id"])) {
            Entry::Occupied(place) => candidates[*place.get()] = candidate,
            Entry::Vacant(free) => {
                free.insert(candidates.len());
                candidates.push(candidate);
            }
        }
    }
    entry.insert("candidates".into(), Value::Array(candidates));

    let mut reviews = list(entry, "reviews");
    // The last one of an iteration counts.
    let given: HashSet<Option<u64>> = update.reviews.iter().map(|review| review["iteration"].as_u64()).collect();
    reviews.retain(|other| !given.contains(&other["iteration"].as_u64()));
    let mut seen = HashSet::new();
    let mut new: Vec<Value> = update.reviews;
    new.reverse();
    new.retain(|review| seen.insert(review["iteration"].as_u64()));
    new.reverse();
    reviews.append(&mut new);
    reviews.sort_by_key(|review| review["iteration"].as_u64());
    entry.insert("reviews".into(), Value::Array(reviews));

    if let Some(id) = update.selected {
        entry.insert("selected_candidate_id".into(), files::to_value(&id));
    }
    entry.entry("selected_candidate_id").or_insert(Value::Null);
    let kind = KINDS.iter().find(|kind| **kind == asset.as_str());
    entry.entry("kind").or_insert_with(|| json!(kind));
}

/// What only shows when a part of the file is looked at.
fn invalid(error: &serde_json::Error) -> WorkspaceError {
    WorkspaceError::damaged(Path::new(STATE), format!("it is not valid JSON: {error}"))
}

fn uuid(value: &Value) -> Option<DraftId> {
    DraftId::deserialize(value).ok()
}

/// A part of the file that is written.
#[derive(Serialize)]
#[serde(untagged)]
enum Part<'a> {
    Found(&'a RawJson),
    Assets(Vec<Part<'a>>),
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
