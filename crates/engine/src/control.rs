//! How a run in flight is told to stop, or what somebody wants of it.

use tokio::sync::{mpsc, watch};
use tribunal_store::backend::RunRequest;

/// The other end of a session: anybody who holds it can interrupt the run. Interrupting twice is the same as once.
#[derive(Debug, Clone)]
pub struct Control {
    interrupt: watch::Sender<Option<String>>,
    advise: mpsc::UnboundedSender<RunRequest>,
}

/// The session's end.
#[derive(Debug)]
pub(crate) struct Orders {
    interrupt: watch::Receiver<Option<String>>,
    advice: mpsc::UnboundedReceiver<RunRequest>,
}

impl Control {
    pub(crate) fn new() -> (Self, Orders) {
        let (interrupt, interrupted) = watch::channel(None);
        let (advise, advice) = mpsc::unbounded_channel();
        (Self { interrupt, advise }, Orders { interrupt: interrupted, advice })
    }

    /// Asks the run to stop; `by` stands in the log.
    pub fn interrupt(&self, by: &str) {
        self.interrupt.send_if_modified(|order| order.is_none() && order.insert(by.to_owned()) == by);
    }

    /// Tells the run what somebody wants of it.
    pub fn tell(&self, request: RunRequest) {
        match request {
            RunRequest::Interrupt { by } => self.interrupt(&by),
            // A session that is gone needs no advice.
            other => drop(self.advise.send(other)),
        }
    }

    /// Whether somebody asked the run to stop.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.borrow().is_some()
    }
}

impl Orders {
    /// Waits for the next order; for ever if nobody can give one any more. An interrupt is given once.
    pub(crate) async fn next(&mut self, may_be_interrupted: bool) -> RunRequest {
        let interrupted = async {
            match self.interrupt.wait_for(Option::is_some).await.map(|by| by.clone().unwrap_or_default()) {
                Ok(by) => RunRequest::Interrupt { by },
                Err(_) => std::future::pending().await,
            }
        };
        let advised = async {
            match self.advice.recv().await {
                Some(order) => order,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            order = interrupted, if may_be_interrupted => order,
            order = advised => order,
        }
    }
}
