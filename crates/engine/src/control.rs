//! How a run in flight is told to stop.

use tokio::sync::watch;

/// The other end of a session: anybody who holds it can interrupt the run. Interrupting twice is the same as once.
#[derive(Debug, Clone)]
pub struct Control(watch::Sender<Option<String>>);

/// The session's end.
#[derive(Debug, Clone)]
pub(crate) struct Orders(watch::Receiver<Option<String>>);

impl Control {
    pub(crate) fn new() -> (Self, Orders) {
        let (sender, receiver) = watch::channel(None);
        (Self(sender), Orders(receiver))
    }

    /// Asks the run to stop; `by` stands in the log.
    pub fn interrupt(&self, by: &str) {
        self.0.send_if_modified(|order| order.is_none() && order.insert(by.to_owned()) == by);
    }

    /// Whether somebody asked the run to stop.
    pub fn is_interrupted(&self) -> bool {
        self.0.borrow().is_some()
    }
}

impl Orders {
    /// Waits until somebody interrupts; for ever if nobody can any more.
    pub(crate) async fn interrupted(&mut self) -> String {
        let by = self.0.wait_for(Option::is_some).await.map(|by| by.clone());
        match by {
            Ok(by) => by.unwrap_or_default(),
            Err(_) => std::future::pending().await,
        }
    }
}
