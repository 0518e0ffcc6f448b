//! `docs/openapi.json`: what the server answers. The page's types are made from it.

use anyhow::Result;

use super::Generated;

pub(super) fn file() -> Result<Generated> {
    Ok(Generated::new("docs/openapi.json", text()?))
}

pub(super) fn text() -> Result<String> {
    Ok(serde_json::to_string_pretty(&tribunal_server::openapi())? + "\n")
}
