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
use crate::hub::{CaughtUp, History, Hub, Mailbox, ReaderPlace};
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
    let hub = desk.hub.clone();
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
    Ok((headers, body(hub, reading)).into_response())
}

/// Where a stream stands.
struct Place {
    hub: Arc<Hub>,
    greeting: bool,
    missed: Option<History>,
    mailbox: Arc<Mailbox>,
    /// Until something is taken from the mailbox.
    caught_up: Option<CaughtUp>,
}

impl Place {
    /// The next bytes. Nothing: the stream is over.
    async fn next(&mut self) -> Option<Bytes> {
        if std::mem::take(&mut self.greeting) {
            return Some(Bytes::from_static(RETRY.as_bytes()));
        }
        loop {
            if let Some(events) = self.next_missed().await {
                return Some(events);
            }
            let Ok(next) = tokio::time::timeout(HEARTBEAT, self.mailbox.next()).await else {
                return Some(Bytes::from_static(b": still here\n\n"));
            };
            let caught_up = self.caught_up.take();
            if next.is_some() || !self.mailbox.fell_behind() {
                return next;
            }
            // More came while it was told what it had missed than a mailbox holds. Its place is known, so it goes on.
            let (hub, caught_up) = (self.hub.clone(), caught_up?);
            let reading = tokio::task::spawn_blocking(move || hub.read_on(caught_up)).await.ok()?.ok()?;
            (self.missed, self.mailbox, self.caught_up) =
                (Some(reading.missed), reading.mailbox, Some(reading.caught_up));
        }
    }

    async fn next_missed(&mut self) -> Option<Bytes> {
        let mut missed = self.missed.take()?;
        if let Some(events) = missed.next_written() {
            self.missed = Some(missed);
            return Some(events);
        }
        let read = tokio::task::spawn_blocking(move || (missed.next_events(), missed));
        let Ok((Some(events), missed)) = read.await else { return None };
        self.missed = Some(missed);
        Some(events)
    }
}

fn body(hub: Arc<Hub>, ReaderPlace { missed, mailbox, caught_up }: ReaderPlace) -> Body {
    let place = Place { hub, greeting: true, missed: Some(missed), mailbox, caught_up: Some(caught_up) };
    let next = |mut place: Place| async { place.next().await.map(|bytes| (Ok::<_, Infallible>(bytes), place)) };
    Body::from_stream(stream::unfold(place, next))
}
