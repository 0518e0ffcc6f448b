//! Drafts as documents for a sandboxed frame, and the project's files beside them.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use pulldown_cmark::{Options, Parser, html};
use std::fmt::Write as _;
use std::sync::Arc;
use tribunal_kernel::{Format, Run, theater};

use crate::api::blocking;
use crate::api::problem::Refused;
use crate::api::runs::{drafted, found};
use crate::files;
use crate::gate::session::now;
use crate::gate::ticket::{PREVIEW_PATH, Ticket};
use crate::server::Desk;

/// What a text may do that is opened by itself: show itself. No scripts, no forms, nothing from elsewhere, an origin of
/// its own that has no cookies and may not call the API.
pub(crate) const SANDBOX: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; \
                                  base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// The name of a draft that came from no file.
const UNNAMED: &str = "draft.html";

/// Sends a reader to the document of a draft. Its address has the ticket, and mirrors the project's folders, so that
/// pictures are found where the page says they are.
pub(crate) fn send_to(desk: &Desk, ticket: &Ticket) -> Result<Response, Refused> {
    let run = desk.archive.run(ticket.run)?;
    found(&run, &ticket.round)?;
    let mut address = format!("{PREVIEW_PATH}/{}", ticket.issue(&desk.token, now()));
    for name in document_path(&run).split('/') {
        address.push('/');
        address.push_str(&escaped(name));
    }
    let mut response = Redirect::to(&address).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// A draft, or a file of the project that it shows.
pub(crate) async fn show(
    State(desk): State<Arc<Desk>>,
    Path((ticket, path)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let Some(wanted) = Ticket::read(&ticket, &desk.token, now()) else {
        return Err(Refused::new(StatusCode::FORBIDDEN, "ticket", "this address is no longer valid")
            .hint("open the draft from its run again"));
    };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let policy = policy(&format!("http://{host}{PREVIEW_PATH}/{ticket}/"));
    let is_shown = is_shown(&headers);
    blocking(move || {
        let run = desk.archive.run(wanted.run)?;
        if path == document_path(&run) {
            let (text, draft) = drafted(&desk, wanted.run, &wanted.round)?;
            let headers = [
                (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
                (header::CONTENT_SECURITY_POLICY, policy),
                (header::X_FRAME_OPTIONS, "SAMEORIGIN".to_owned()),
                (header::CACHE_CONTROL, "no-store".to_owned()),
            ];
            return Ok((headers, document(&text, draft.format)).into_response());
        }
        if !is_shown {
            return Err(Refused::new(
                StatusCode::FORBIDDEN,
                "shown",
                "a draft may show this file, and nobody may read it",
            )
            .hint("open the file in the project's folder"));
        }
        let file = files::read(&desk.workspace, &path);
        let (kind, bytes) = file.ok_or_else(|| Refused::unknown("there is no such picture, font or style sheet"))?;
        let headers = [
            (header::CONTENT_TYPE, kind),
            (header::CONTENT_SECURITY_POLICY, SANDBOX),
            (header::CACHE_CONTROL, "no-store"),
            // Whoever shows it belongs to nobody.
            (HeaderName::from_static("cross-origin-resource-policy"), "cross-origin"),
        ];
        let mut response = (headers, bytes).into_response();
        if kind.starts_with("font/") {
            // Browsers show no font without leave to read it. Pictures and style sheets need none and get none.
            response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("null"));
        }
        Ok(response)
    })
    .await
}

/// Whether a file is asked for to be shown. Scripts ask differently, and so do frames: even with a ticket that somebody
/// carried away, a page elsewhere reads no picture. A program that is no browser says nothing, and needs the ticket.
fn is_shown(headers: &HeaderMap) -> bool {
    headers
        .get(HeaderName::from_static("sec-fetch-dest"))
        .is_none_or(|place| ["image", "style", "font"].iter().any(|shown| place == shown))
}

/// What a draft may do in a frame: show itself, and what lies below this address.
fn policy(files: &str) -> String {
    format!(
        "sandbox; default-src 'none'; style-src 'unsafe-inline' {files}; img-src data: {files}; font-src data: {files}; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )
}

/// Where the document of a run would lie in the project, so that its links lead where they should.
fn document_path(run: &Run) -> String {
    let stage = theater::stage_of(run.spec());
    let is_inside =
        |folder: &&str| !folder.is_empty() && folder.split('/').all(|name| !name.is_empty() && name != "..");
    match stage.and_then(|stage| stage.given.folder.as_deref()).filter(is_inside) {
        Some(folder) => format!("{folder}/{UNNAMED}"),
        None => UNNAMED.to_owned(),
    }
}

/// A name as part of an address.
fn escaped(name: &str) -> String {
    let mut escaped = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

const STYLE: &str = "body{font:16px/1.6 system-ui,sans-serif;max-width:42rem;margin:2rem auto;padding:0 1rem;color:#1d1a16;background:#fff}\
                     pre{white-space:pre-wrap;overflow-wrap:anywhere}code{font-family:ui-monospace,monospace}\
                     table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:.25rem .5rem}img{max-width:100%}";

/// The document that shows a draft.
pub(crate) fn document(text: &str, format: Format) -> String {
    let body = match format {
        Format::Html => return text.to_owned(),
        Format::Markdown => {
            let mut body = String::new();
            html::push_html(&mut body, Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH));
            body
        }
        Format::Plain => {
            let mut escaped = String::from("<pre>");
            for c in text.chars() {
                match c {
                    '<' => escaped.push_str("&lt;"),
                    '>' => escaped.push_str("&gt;"),
                    '&' => escaped.push_str("&amp;"),
                    c => escaped.push(c),
                }
            }
            escaped.push_str("</pre>");
            escaped
        }
    };
    format!(
        "<!doctype html><html lang=\"\"><head><meta charset=\"utf-8\"><title>Draft</title><style>{STYLE}</style></head><body>{body}</body></html>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_becomes_a_document() {
        let body = |text, format| {
            let document = document(text, format);
            let from = document.find("<body>").map_or(0, |at| at + 6);
            document[from..].trim_end_matches("</body></html>").to_owned()
        };
        assert_eq!(body("# Hi\n\n*you*", Format::Markdown), "<h1>Hi</h1>\n<p><em>you</em></p>\n");
        assert_eq!(
            body("<script>1 && 2</script>", Format::Plain),
            "<pre>&lt;script&gt;1 &amp;&amp; 2&lt;/script&gt;</pre>"
        );
        assert_eq!(document("<h1>as it is</h1>", Format::Html), "<h1>as it is</h1>");
    }
}
