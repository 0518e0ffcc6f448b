//! The page: built by `web/`, checked in under `assets/`, part of the program.

use axum::body::Body;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

/// Every built file, by its name: see `build.rs`.
static ASSETS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The page's files; every other address is one of its views. Only names in the table count, so no path reaches the
/// disk.
pub(crate) async fn show(uri: Uri) -> Response {
    let name = uri.path().trim_start_matches('/');
    let name = if name.contains('.') { name } else { "index.html" };
    let Some((_, bytes)) = ASSETS.iter().find(|(known, _)| *known == name) else {
        return (StatusCode::NOT_FOUND, "there is no such file\n").into_response();
    };
    let headers = [(header::CONTENT_TYPE, kind(name)), (header::CACHE_CONTROL, "no-cache")];
    (headers, Body::from(*bytes)).into_response()
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}
