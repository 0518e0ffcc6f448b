//! A scratch project with two kinds of short runs: pages for the house, and reviews by programs that answer at once.

use anyhow::Result;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// So many pages take turns: some runs are on a page that another run is on, too.
const PAGES: usize = 8;
/// One run in so many is a review. Each has an asset of its own, because one that is decided is decided for good, and all
/// assets of a workspace stand in one `state.json`, which grows by what is there and not by what was done.
const REVIEWS: usize = 10;

const CREATOR: &str = r#"{"done": true, "candidate": {"content": "Bread from a stone oven.", "format": "markdown"}}"#;
const REVIEWER: &str = r#"{"verdict": "ok", "summary": "Good.", "issues": []}"#;

const SETTINGS: &str = r#"[run]
loop = "review"
brief = "Describe the bread."
[agents.writer]
kind = "command"
command = ["/bin/cat", "creator.json"]
[agents.critic]
kind = "command"
command = ["/bin/cat", "reviewer.json"]
[seats.creator]
agent = "writer"
[seats.reviewer]
agent = "critic"
[theater]
max_concurrent_runs = 8
"#;

pub(super) fn write(folder: &Path) -> Result<()> {
    fs::write(folder.join("tribunal.toml"), SETTINGS)?;
    fs::write(folder.join("creator.json"), CREATOR)?;
    fs::write(folder.join("reviewer.json"), REVIEWER)?;
    for page in 0..PAGES {
        fs::write(folder.join(name(page)), html(page))?;
    }
    Ok(())
}

/// What run `number` is started with. No two are the same trial, so none is settled before it began.
pub(super) fn start(number: usize) -> Value {
    let brief = format!("Say what bread we bake, in the words of day {number}.");
    if number.is_multiple_of(REVIEWS) {
        json!({ "brief": brief, "assets": [format!("text_{number}")], "source": null })
    } else {
        json!({ "brief": brief, "assets": [], "source": name(number % PAGES) })
    }
}

fn name(page: usize) -> String {
    format!("page-{page}.html")
}

/// A small page with something to fix.
fn html(page: usize) -> String {
    format!(
        "<!doctype html><html><head><title></title></head><body><h1>Loaf {page}</h1><h3>What we bake</h3>\
         <p style=\"color:#999;background:#fff\">Bread from a stone oven.</p><img src=\"oven.svg\"></body></html>\n"
    )
}
