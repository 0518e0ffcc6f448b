//! What asks this process to stop.

use tokio::signal::unix::{SignalKind, signal};

use crate::error::AppError;

/// Ctrl-C, SIGTERM and SIGHUP, counted.
#[derive(Debug)]
pub struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
    count: u32,
}

impl Signals {
    pub fn new() -> Result<Self, AppError> {
        let listen =
            |kind| signal(kind).map_err(|error| AppError::environment(format!("cannot handle signals: {error}"), None));
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hangup: listen(SignalKind::hangup())?,
            count: 0,
        })
    }

    /// The next one, and how many there have been.
    pub async fn next(&mut self) -> (&'static str, u32) {
        let name = tokio::select! {
            _ = self.interrupt.recv() => "Ctrl-C",
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.hangup.recv() => "SIGHUP",
        };
        self.count += 1;
        (name, self.count)
    }
}
