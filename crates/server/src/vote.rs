//! Links that vote: a page that says what a link would do, with a button that does it.
//!
//! Whoever has the link may vote; no token is asked for. Opening it changes nothing: programs that scan mail open links,
//! too.

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use serde::Deserialize;
use std::sync::Arc;
use tribunal_app::vote::{ShownVote, VoteLink, VoteRefusal};
use tribunal_kernel::RunId;

use crate::api::problem::status_of;
use crate::server::Desk;

/// Nothing but the form, and that goes to us alone.
const POLICY: &str = "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The parts of a link's address.
#[derive(Debug, Deserialize)]
pub(crate) struct LinkParts {
    run: String,
    question: String,
    answer: String,
    expires: String,
    signature: String,
}

impl LinkParts {
    fn link(self) -> Result<VoteLink, VoteRefusal> {
        let Self { run, question, answer, expires, signature } = self;
        let run = RunId::parse(&run).ok_or(VoteRefusal::Forged)?;
        // Only the form that we write counts: its signature is over the number.
        let written = expires.parse().ok().filter(|number: &u64| number.to_string() == expires);
        let expires = written.ok_or(VoteRefusal::Forged)?;
        Ok(VoteLink { run, question, answer, expires, signature })
    }
}

/// Shows what a link would do.
pub(crate) async fn show(State(desk): State<Arc<Desk>>, Path(parts): Path<LinkParts>) -> Response {
    let shown = async { desk.app.show_vote(parts.link()?).await };
    match shown.await {
        Ok(ShownVote { title, asked, answer }) => page(
            StatusCode::OK,
            &title,
            &format!(
                "<p>{}</p>\n<p>Your answer: <strong>{}</strong></p>\n<form method=\"post\"><button>Send this \
                 answer</button></form>",
                lines(&asked),
                escaped(&answer)
            ),
        ),
        Err(refusal) => refused(&refusal),
    }
}

/// Casts the vote.
pub(crate) async fn cast(State(desk): State<Arc<Desk>>, Path(parts): Path<LinkParts>) -> Response {
    let cast = async { desk.app.vote(parts.link()?).await };
    match cast.await {
        Ok(ShownVote { title, answer, .. }) => page(
            StatusCode::OK,
            &title,
            &format!("<p>Thank you. Your answer is recorded: <strong>{}</strong></p>", escaped(&answer)),
        ),
        Err(refusal) => refused(&refusal),
    }
}

fn refused(refusal: &VoteRefusal) -> Response {
    let (status, hint) = match refusal {
        VoteRefusal::Forged => (StatusCode::FORBIDDEN, "Open the link exactly as it was sent to you."),
        VoteRefusal::Expired => (StatusCode::GONE, "Answer in a terminal with `tribunal answer`, or on the page."),
        VoteRefusal::Used => (StatusCode::CONFLICT, "A link is good for one answer, and that one counts."),
        VoteRefusal::Closed => (StatusCode::CONFLICT, "Somebody else may have answered it, or the run went on."),
        VoteRefusal::Failed(error) => {
            let (status, _) = status_of(error.kind);
            let hint = error.hint().map(escaped).unwrap_or_default();
            let text = format!("<p>{}</p>\n<p>{hint}</p>", escaped(&error.message()));
            return page(status, "Not recorded", &text);
        }
    };
    let what = refusal.to_string();
    let what = what[..1].to_uppercase() + &what[1..];
    page(status, "Not recorded", &format!("<p>{}.</p>\n<p>{}</p>", escaped(&what), escaped(hint)))
}

fn page(status: StatusCode, title: &str, text: &str) -> Response {
    let title = escaped(title);
    let html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"robots\" \
         content=\"noindex\">\n<title>{title}</title>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n{text}\n</main>\n</body>\n</html>\n"
    );
    let headers = [(header::CONTENT_SECURITY_POLICY, POLICY), (header::CACHE_CONTROL, "no-store")];
    (status, headers, Html(html)).into_response()
}

fn lines(text: &str) -> String {
    escaped(text).replace('\n', "<br>\n")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}
