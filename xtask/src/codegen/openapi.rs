//! `docs/openapi.json`: what the server answers. The page's types are made from it.

use anyhow::Result;

use super::Generated;

pub(super) fn file() -> Result<Generated> {
    let text = serde_json::to_string_pretty(&tribunal_server::openapi())? + "\n";
    Ok(Generated { path: "docs/openapi.json", text })
}
