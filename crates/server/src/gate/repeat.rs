//! Requests that are sent twice and done once: whoever lost an answer may ask again with the same key.

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;
use tribunal_kernel::Digest;
use tribunal_kernel::digest::Hasher;

use super::MAX_BODY;
use crate::api::problem::Refused;
use crate::server::Desk;

const KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// So many answers are kept; the oldest goes first.
const KEPT: usize = 1024;
/// A longer key is none.
const LONGEST: usize = 128;

/// Answers that were given, by the keys of their requests.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    given: Mutex<VecDeque<(String, Arc<Given>)>>,
}

/// The answer to one request. A second one with the same key waits for it.
#[derive(Debug)]
struct Given {
    request: Digest,
    answer: OnceCell<Answer>,
}

#[derive(Debug, Clone)]
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl Repeats {
    fn find(&self, key: &str, request: Digest) -> Arc<Given> {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = given.iter().find(|(known, _)| known == key) {
            return found.clone();
        }
        let new = Arc::new(Given { request, answer: OnceCell::new() });
        if given.len() == KEPT {
            given.pop_front();
        }
        given.push_back((key.to_owned(), new.clone()));
        new
    }
}

pub(crate) async fn check(State(desk): State<Arc<Desk>>, request: Request, next: Next) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MAX_BODY).await else {
        let why = format!("the request is longer than {MAX_BODY} bytes, or incomplete");
        return Refused::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", why).into_response();
    };
    let key = match parts.headers.get(&KEY).map(|key| key.to_str()) {
        None => return next.run(Request::from_parts(parts, Body::from(body))).await,
        Some(Ok(key)) if !key.is_empty() && key.len() <= LONGEST => key.to_owned(),
        Some(_) => {
            return Refused::invalid(format!("an Idempotency-Key must have 1 to {LONGEST} characters")).into_response();
        }
    };
    let digest = digest(&parts, &body);
    let given = desk.repeats.find(&key, digest);
    if given.request != digest {
        let refused = Refused::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "key_reused",
            "this Idempotency-Key was used for another request",
        );
        return refused.hint("use a new key for every new request").into_response();
    }
    let answer = given.answer.get_or_try_init(|| async {
        let response = next.run(Request::from_parts(parts, Body::from(body))).await;
        let (head, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
        let answer = Answer { status: head.status, headers: head.headers, body };
        // A failure of ours may be tried again.
        if answer.status.is_server_error() { Err(answer) } else { Ok(answer) }
    });
    match answer.await {
        Ok(answer) => answer.clone().into_response(),
        Err(answer) => answer.into_response(),
    }
}

fn digest(parts: &Parts, body: &Bytes) -> Digest {
    let mut hash = Hasher::default();
    hash.field(parts.method.as_str().as_bytes()).field(parts.uri.path().as_bytes()).field(body);
    hash.finish()
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        (self.status, self.headers, self.body).into_response()
    }
}
