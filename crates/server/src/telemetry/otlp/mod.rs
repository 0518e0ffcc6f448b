//! Spans on their way to a collector: OTLP over HTTP, as JSON.
//!
//! | file | noun |
//! |---|---|
//! | `json` | the form of a request |
//! | `post` | one batch, until it is taken or given up |
//!
//! A run never waits for a collector. Spans wait in a queue that has an end; when it is full, or when a batch is given
//! up, they are dropped and counted.

mod json;
mod post;

use prometheus_client::metrics::counter::Counter;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::span::TraceSpan;
use post::Post;

/// Spans that wait for the collector.
pub const MAX_QUEUE: usize = 8192;
/// Spans in one request.
pub const MAX_BATCH: usize = 512;
/// How often a batch is sent before it is given up.
pub const MAX_ATTEMPTS: u32 = 5;
/// What is waited at most before a batch is sent again, whatever the collector asks for.
pub const MAX_BACKOFF: Duration = Duration::from_secs(30);

/// How patient the courier is.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// How long the first span of a batch waits for others.
    pub linger: Duration,
    /// How long one request may take.
    pub timeout: Duration,
    /// What is waited before the second attempt; before each further one twice as long.
    pub backoff: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self { linger: Duration::from_secs(1), timeout: Duration::from_secs(10), backoff: Duration::from_millis(500) }
    }
}

/// Why spans cannot be sent anywhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OtlpError {
    #[error("`{endpoint}` is not a valid collector URL: {why}")]
    Endpoint { endpoint: String, why: String },
    #[error("cannot set up a client for the collector: {0}")]
    Client(String),
}

impl OtlpError {
    /// What the user can do.
    pub fn hint(&self) -> String {
        match self {
            Self::Endpoint { .. } => "use the URL without a path, for example `--otlp http://127.0.0.1:4318`".into(),
            Self::Client(_) => "a URL that starts with `http://` needs no certificates".into(),
        }
    }
}

/// Takes spans. Cheap to clone; every clone fills the same queue.
#[derive(Debug, Clone)]
pub struct Exporter {
    queue: mpsc::Sender<TraceSpan>,
    books: Arc<Books>,
}

/// Carries them to the collector, until it is told to finish.
#[derive(Debug)]
pub struct Courier {
    stop: oneshot::Sender<()>,
    worker: JoinHandle<()>,
    books: Arc<Books>,
}

/// What became of the spans so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExportReport {
    pub sent: u64,
    pub dropped: u64,
    /// Why the last batch that was not taken was not taken.
    pub trouble: Option<String>,
}

#[derive(Debug, Default)]
struct Books {
    sent: AtomicU64,
    dropped: Counter,
    /// In the queue or in a batch.
    waiting: AtomicU64,
    trouble: Mutex<Option<String>>,
}

/// The body of a request that carries these spans.
pub fn body(spans: &[TraceSpan]) -> String {
    json::request(spans).to_string()
}

/// Begins to carry spans to `{endpoint}/v1/traces`. `dropped` counts those that do not get there. Needs a tokio runtime.
pub fn start(endpoint: &str, pace: Pace, dropped: Counter) -> Result<(Exporter, Courier), OtlpError> {
    let post = Post::new(endpoint, pace)?;
    let books = Arc::new(Books { dropped, ..Books::default() });
    let (queue, spans) = mpsc::channel(MAX_QUEUE);
    let (stop, stopped) = oneshot::channel();
    let worker = tokio::spawn(carry(spans, stopped, post, pace.linger, Arc::clone(&books)));
    Ok((Exporter { queue, books: Arc::clone(&books) }, Courier { stop, worker, books }))
}

impl Exporter {
    /// Takes spans, as many as there is room for. Never waits.
    pub fn send(&self, spans: impl IntoIterator<Item = TraceSpan>) {
        for span in spans {
            self.books.waiting.fetch_add(1, Ordering::Relaxed);
            if let Err(TrySendError::Full(_) | TrySendError::Closed(_)) = self.queue.try_send(span) {
                self.books.lose(1, None);
            }
        }
    }

    pub fn report(&self) -> ExportReport {
        self.books.report()
    }
}

impl Courier {
    /// Sends what waits, for as long as `grace`; the rest is dropped. What comes in from now on is dropped, too.
    pub async fn finish(mut self, grace: Duration) -> ExportReport {
        // The worker may be gone; then there is nobody to be told.
        let _ = self.stop.send(());
        if tokio::time::timeout(grace, &mut self.worker).await.is_err() {
            self.worker.abort();
            // Cancelled is what it is now; a batch that it holds is lost with it.
            let _ = self.worker.await;
        }
        let lost = self.books.waiting.load(Ordering::Relaxed);
        if lost > 0 {
            self.books.lose(lost, Some("the server stopped before the collector answered".into()));
        }
        self.books.report()
    }
}

impl Books {
    fn take(&self, sent: u64) {
        self.settle(sent);
        self.sent.fetch_add(sent, Ordering::Relaxed);
    }

    fn lose(&self, dropped: u64, why: Option<String>) {
        self.settle(dropped);
        self.dropped.inc_by(dropped);
        if why.is_some() {
            *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = why;
        }
    }

    /// A span that comes in while the rest is given up may be counted by both sides: never below zero, then.
    fn settle(&self, spans: u64) {
        let fewer = |waiting: u64| Some(waiting.saturating_sub(spans));
        let _ = self.waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer);
    }

    fn report(&self) -> ExportReport {
        ExportReport {
            sent: self.sent.load(Ordering::Relaxed),
            dropped: self.dropped.get(),
            trouble: self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }
}

/// Batch after batch, until the queue is closed and empty.
async fn carry(
    mut spans: mpsc::Receiver<TraceSpan>,
    mut stop: oneshot::Receiver<()>,
    post: Post,
    linger: Duration,
    books: Arc<Books>,
) {
    let mut batch = Vec::with_capacity(MAX_BATCH);
    let mut is_over = false;
    while !is_over {
        is_over = collect(&mut spans, &mut stop, &mut batch, linger).await;
        if batch.is_empty() {
            continue;
        }
        let size = batch.len() as u64;
        match post.deliver(&batch).await {
            Ok(rejected) => {
                let rejected = rejected.min(size);
                books.take(size - rejected);
                if rejected > 0 {
                    books.lose(rejected, Some("the collector rejected some of them".into()));
                }
            }
            Err(why) => books.lose(size, Some(why)),
        }
        batch.clear();
    }
}

/// Fills a batch. True when nothing can follow.
async fn collect(
    spans: &mut mpsc::Receiver<TraceSpan>,
    stop: &mut oneshot::Receiver<()>,
    batch: &mut Vec<TraceSpan>,
    linger: Duration,
) -> bool {
    let mut deadline: Option<Instant> = None;
    while batch.len() < MAX_BATCH {
        let room = MAX_BATCH - batch.len();
        tokio::select! {
            biased;
            // Also when the courier was dropped: then nobody waits for the rest, and it is sent all the same.
            _ = &mut *stop, if !spans.is_closed() => spans.close(),
            received = spans.recv_many(batch, room) => {
                if received == 0 {
                    return true;
                }
                deadline.get_or_insert_with(|| Instant::now() + linger);
            }
            () = sleep_until(deadline), if deadline.is_some() => return false,
        }
    }
    false
}

async fn sleep_until(deadline: Option<Instant>) {
    if let Some(deadline) = deadline {
        tokio::time::sleep_until(deadline).await;
    }
}
