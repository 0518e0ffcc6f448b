//! The page: built by `web/`, checked in under `assets/`, part of the program.

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;
use std::sync::LazyLock;
use tribunal_kernel::Digest;

use crate::pack::takes_gzip;

/// Every built file, by its name: see `build.rs`.
static BUILT: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The same, as they are sent: made when somebody first asks, which is a page's first moment and not the program's.
static ASSETS: LazyLock<Vec<Asset>> =
    LazyLock::new(|| BUILT.iter().map(|(name, plain)| Asset::new(name, plain)).collect());

/// A file of the page.
struct Asset {
    name: &'static str,
    plain: &'static [u8],
    /// Shorter, where packing it makes it shorter.
    packed: Option<Bytes>,
    /// Another one for other contents.
    tag: HeaderValue,
}

/// The page's files; every other address is one of its views. Only names in the table count, so no path reaches the
/// disk.
pub(crate) async fn show(uri: Uri, headers: HeaderMap) -> Response {
    let name = uri.path().trim_start_matches('/');
    let name = if name.contains('.') { name } else { "index.html" };
    match ASSETS.iter().find(|asset| asset.name == name) {
        Some(asset) => asset.answer(&headers),
        None => (StatusCode::NOT_FOUND, "there is no such file\n").into_response(),
    }
}

impl Asset {
    fn new(name: &'static str, plain: &'static [u8]) -> Self {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        let packed = gzip.write_all(plain).and_then(|()| gzip.finish()).ok();
        let packed = packed.filter(|packed| packed.len() < plain.len()).map(Bytes::from);
        let tag = format!("\"{}\"", &Digest::of(plain).to_string()[..16]);
        Self { name, plain, packed, tag: HeaderValue::from_str(&tag).expect("hex digits in quotes") }
    }

    /// Whoever has it already is told so. Asked every time, since names stay when contents change.
    fn answer(&self, asked: &HeaderMap) -> Response {
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static(kind(self.name))),
            (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
            (header::ETAG, self.tag.clone()),
            (header::VARY, HeaderValue::from_static("accept-encoding")),
        ];
        let known = asked.get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok()).unwrap_or_default();
        if known.split(',').any(|tag| tag.trim().trim_start_matches("W/").as_bytes() == self.tag.as_bytes()) {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        match &self.packed {
            Some(packed) if takes_gzip(asked) => {
                let coding = [(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))];
                (headers, coding, Body::from(packed.clone())).into_response()
            }
            _ => (headers, Body::from(self.plain)).into_response(),
        }
    }
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
