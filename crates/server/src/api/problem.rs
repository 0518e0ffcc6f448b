//! Why a request was not answered, in one form.

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use tribunal_store::StoreError;

use super::types::{Problem, ProblemDetail};
use crate::archive::ReadError;
use crate::office::{Refusal, RefusalKind};

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
        Self::broken(error.to_string()).hint("`tribunal verify` says more")
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let Self { status, code, message, hint } = self;
        (status, Json(Problem { error: ProblemDetail { code: code.into(), message, hint } })).into_response()
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        let (status, code) = match refusal.kind {
            RefusalKind::Unknown => (StatusCode::NOT_FOUND, "unknown"),
            RefusalKind::Invalid => (StatusCode::BAD_REQUEST, "invalid"),
            RefusalKind::Misfit => (StatusCode::UNPROCESSABLE_ENTITY, "misfit"),
            RefusalKind::Conflict => (StatusCode::CONFLICT, "conflict"),
            RefusalKind::Broken => (StatusCode::INTERNAL_SERVER_ERROR, "broken"),
        };
        Self { status, code, message: refusal.message, hint: refusal.hint }
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
