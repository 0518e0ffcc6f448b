//! What another program left of a campaign: a status, a sentinel, a verdict. The files are all that there is of it.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use tribunal_store::desk::DeskFiles;

use super::planned::planned;
use crate::error::AppError;
use crate::loops::desk;
use crate::project::Project;

/// The most that is read of a file that somebody else wrote.
const MOST: u64 = 1 << 20;

/// A campaign of which there is no run here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftCampaign {
    pub slug: String,
    /// As it stands in `status.json`, if that can be read.
    pub status: Option<Value>,
    /// `complete` or `blocked`, and what the sentinel says.
    pub sentinel: Option<(&'static str, String)>,
    /// The last verdict, if there is one.
    pub verdict: Option<Value>,
}

/// Campaigns that others ran here: the one that is named, or all but those that have runs of ours.
pub(super) fn left(
    project: &Project,
    slug: Option<&str>,
    ours: &BTreeSet<String>,
) -> Result<Vec<LeftCampaign>, AppError> {
    let slugs: Vec<String> = match slug {
        Some(slug) => vec![slug.to_owned()],
        None => planned(&desk::files(project, "any")?),
    };
    let mut found = Vec::new();
    for slug in slugs.into_iter().filter(|slug| !ours.contains(slug) && desk::is_slug(slug)) {
        found.extend(read(&desk::files(project, &slug)?));
    }
    Ok(found)
}

fn read(files: &DeskFiles) -> Option<LeftCampaign> {
    let text = |name: &str| {
        let path = files.path(name);
        let is_fine = fs::metadata(&path).is_ok_and(|found| found.is_file() && found.len() <= MOST);
        is_fine.then(|| fs::read_to_string(&path).ok()).flatten()
    };
    let object = |name: &str| serde_json::from_str::<Value>(&text(name)?).ok().filter(Value::is_object);
    // Later versions of the original keep it one folder deeper.
    let status = object(&files.status()).or_else(|| object(&format!("{}/runtime/status.json", files.logs())));
    let sentinel = [("complete", files.complete()), ("blocked", files.blocked())];
    let sentinel = sentinel.into_iter().find_map(|(kind, name)| Some((kind, text(&name)?)));
    let verdict = object(&files.verdict());
    let is_there = status.is_some() || sentinel.is_some();
    is_there.then(|| LeftCampaign { slug: files.slug().to_owned(), status, sentinel, verdict })
}

impl LeftCampaign {
    /// For programs.
    pub fn object(&self) -> Value {
        let sentinel = self.sentinel.as_ref().map(|(kind, text)| json!({ "kind": kind, "text": text }));
        json!({
            "slug": self.slug, "run": null, "status": self.status, "sentinel": sentinel, "verdict": self.verdict,
        })
    }

    /// A field of its status, as text.
    pub fn says(&self, field: &str) -> Option<String> {
        match self.status.as_ref()?.get(field)? {
            Value::Null => None,
            Value::String(text) if text.is_empty() => None,
            Value::String(text) => Some(text.clone()),
            Value::Array(all) => {
                let all: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
                (!all.is_empty()).then(|| all.join(", "))
            }
            other => Some(other.to_string()),
        }
    }

    /// The stories that are said to be verified.
    pub fn verified(&self) -> Option<String> {
        self.says("verified").or_else(|| self.says("verified_us"))
    }
}
