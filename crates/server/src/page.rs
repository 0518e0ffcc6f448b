//! The page: built by `web/`, checked in under `assets/`, part of the program.

use axum::body::Body;
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

mod assets {
    include!("assets.rs");
}

/// The page itself. Every address that is not the API's is one of its views.
pub(crate) async fn index() -> Response {
    file("index.html")
}

pub(crate) async fn asset(Path(name): Path<String>) -> Response {
    file(&name)
}

/// A built file. Only names in the table count, so no path reaches the disk.
fn file(name: &str) -> Response {
    let Some((_, bytes)) = assets::ASSETS.iter().find(|(known, _)| *known == name) else {
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
        Some("json" | "webmanifest") => "application/json",
        _ => "application/octet-stream",
    }
}
