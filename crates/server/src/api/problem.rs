//! Why a request was not answered, in one form.

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::response::{IntoResponse, Response};
use tribunal_app::{AppError, ErrorKind};
use tribunal_store::StoreError;

use super::types::Problem;
use crate::archive::ReadError;

/// A status and what it means here.
#[derive(Debug, Clone)]
pub(crate) struct Refused {
    pub(crate) status: StatusCode,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Refused {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), hint: None }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    pub(crate) fn unknown(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "unknown", message)
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid", message)
    }

    pub(crate) fn broken(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "broken", message)
    }

    fn damaged(error: &dyn std::error::Error) -> Self {
        Self::broken(error.to_string()).hint("`tribunal verify` shows details")
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let Self { status, code, message, hint } = self;
        let problem = Problem {
            r#type: format!("urn:tribunal:problem:{code}"),
            title: status.canonical_reason().unwrap_or("Problem").to_owned(),
            status: status.as_u16(),
            detail: message,
            code: code.into(),
            hint,
        };
        let mut response = (status, Json(problem)).into_response();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        response
    }
}

/// The one table from kinds of errors to statuses.
pub(crate) fn status_of(kind: ErrorKind) -> (StatusCode, &'static str) {
    match kind {
        ErrorKind::NotFound => (StatusCode::NOT_FOUND, "unknown"),
        ErrorKind::Invalid => (StatusCode::BAD_REQUEST, "invalid"),
        ErrorKind::Forbidden => (StatusCode::FORBIDDEN, "forbidden"),
        ErrorKind::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "too_large"),
        ErrorKind::Misfit => (StatusCode::UNPROCESSABLE_ENTITY, "misfit"),
        // The request is fine; it is the project that has to be put right first.
        ErrorKind::Config => (StatusCode::CONFLICT, "config"),
        ErrorKind::Stale => (StatusCode::CONFLICT, "stale"),
        ErrorKind::Conflict | ErrorKind::Held => (StatusCode::CONFLICT, "conflict"),
        ErrorKind::Busy | ErrorKind::Interrupted => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
        ErrorKind::Environment => (StatusCode::INTERNAL_SERVER_ERROR, "broken"),
    }
}

impl From<AppError> for Refused {
    fn from(error: AppError) -> Self {
        let (status, code) = status_of(error.kind);
        Self { status, code, message: error.message(), hint: error.hint().map(str::to_owned) }
    }
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NoRun { run, .. } => Self::unknown(format!("there is no run {run}")),
            error => Self::damaged(&error),
        }
    }
}

impl From<ReadError> for Refused {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Store(error) => error.into(),
            ReadError::Impossible(..) => Self::damaged(&error),
        }
    }
}

impl From<JsonRejection> for Refused {
    fn from(rejection: JsonRejection) -> Self {
        let status = rejection.status();
        let code = if status == StatusCode::PAYLOAD_TOO_LARGE { "too_large" } else { "invalid" };
        Self::new(status, code, rejection.body_text())
    }
}

impl From<QueryRejection> for Refused {
    fn from(rejection: QueryRejection) -> Self {
        Self::invalid(rejection.body_text())
    }
}
