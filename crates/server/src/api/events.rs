//! Server-sent events: what was missed, from the log, then what comes.

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use super::asked::{InProject, Params};
use super::blocking;
use super::problem::Refused;
use super::types::EventQuery;
use crate::hub::{History, Mailbox, ReaderPlace};
use crate::server::Desk;

/// How often a silent stream shows that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// How long a browser waits before it comes back.
const RETRY: &str = "retry: 1000\n\n";
/// More readers than this are refused.
const MAX_READERS: usize = 4096;

pub(super) async fn events(
    State(desk): State<Arc<Desk>>,
    InProject: InProject,
    headers: HeaderMap,
    Params(query): Params<EventQuery>,
) -> Result<Response, Refused> {
    if desk.hub.readers() >= MAX_READERS {
        return Err(Refused::new(StatusCode::SERVICE_UNAVAILABLE, "too_many", "too many readers at once"));
    }
    let last = headers.get(HeaderName::from_static("last-event-id")).and_then(|id| id.to_str().ok());
    let after = last.map(str::to_owned).or(query.after).filter(|id| !id.is_empty());
    let reading = if let Some(run) = query.run {
        let after = super::runs::place(after.as_deref())?.unwrap_or_default();
        blocking(move || Ok(desk.hub.read(run, after)?)).await?
    } else {
        let read = |id: String| id.parse().map_err(|error| Refused::invalid(format!("`Last-Event-ID`: {error}")));
        let after = after.map(read).transpose()?;
        blocking(move || Ok(desk.hub.read_all(after))).await?
    };
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((headers, body(reading)).into_response())
}

/// Where a stream stands.
struct Place {
    greeting: bool,
    missed: Option<History>,
    mailbox: Arc<Mailbox>,
}

fn body(ReaderPlace { missed, mailbox }: ReaderPlace) -> Body {
    let place = Place { greeting: true, missed: Some(missed), mailbox };
    Body::from_stream(stream::unfold(place, |mut place| async {
        if std::mem::take(&mut place.greeting) {
            return Some((Ok::<Bytes, Infallible>(Bytes::from_static(RETRY.as_bytes())), place));
        }
        while let Some(mut missed) = place.missed.take() {
            if let Some(events) = missed.next_written() {
                place.missed = Some(missed);
                return Some((Ok(events), place));
            }
            let read = tokio::task::spawn_blocking(move || (missed.next_events(), missed));
            if let Ok((Some(events), missed)) = read.await {
                place.missed = Some(missed);
                return Some((Ok(events), place));
            }
        }
        let next = match tokio::time::timeout(HEARTBEAT, place.mailbox.next()).await {
            Ok(Some(events)) => events,
            Ok(None) => return None,
            Err(_) => Bytes::from_static(b": still here\n\n"),
        };
        Some((Ok(next), place))
    }))
}
