//! What turns in flight say, on its way to whoever looks on: gathered for a moment, told, and forgotten.

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tribunal_agents::Activity;
use tribunal_kernel::text::head;
use tribunal_kernel::watch::LiveFrame;
use tribunal_kernel::{Run, RunId, TurnId};
use tribunal_store::Backend;

/// For so long what is said is gathered. Nobody reads faster.
const GATHER: Duration = Duration::from_millis(100);
/// More pieces than this in that time are lost.
const PIECES: usize = 1024;
/// A piece is at most so long, in bytes: a turn that says everything at once is told by the log a moment later.
const LONGEST: usize = 16 * 1024;

/// Tells what turns of one run say, for as long as somebody drives it here.
#[derive(Debug)]
pub(crate) struct LiveText {
    pieces: mpsc::Sender<LiveFrame>,
    telling: JoinHandle<()>,
}

impl LiveText {
    /// Begins to tell. What whoever drove the run before us left is gone.
    pub(crate) fn begin(store: Arc<dyn Backend>, run: RunId) -> Self {
        let (pieces, gathered) = mpsc::channel(PIECES);
        let telling = tokio::spawn(tell(store, run, gathered));
        Self { pieces, telling }
    }

    /// Nothing more will be said. Comes back when nothing of it is left.
    pub(crate) async fn end(self) {
        drop(self.pieces);
        let _ = self.telling.await;
    }

    /// A turn says or does something. Never waits: what is too much is lost.
    pub(crate) fn glimpse(&self, run: &Run, turn: TurnId, activity: &Activity) {
        let (text, tool) = match activity {
            Activity::Text(text) => (head(text, LONGEST).to_owned(), None),
            Activity::Tool(tool) => (String::new(), Some(tool.clone())),
            Activity::Note(_) | Activity::Parked(_) | Activity::Spent(_) => return,
        };
        if let Some(turn) = run.turn(turn) {
            let _ = self.pieces.try_send(LiveFrame { turn: turn.id, role: turn.seat.clone(), text, tool });
        }
    }
}

async fn tell(store: Arc<dyn Backend>, run: RunId, mut pieces: mpsc::Receiver<LiveFrame>) {
    let _ = store.live().end(run).await;
    while let Some(first) = pieces.recv().await {
        tokio::time::sleep(GATHER).await;
        let more = std::iter::from_fn(|| pieces.try_recv().ok());
        let frames = LiveFrame::joined(std::iter::once(first).chain(more));
        // Nobody relies on it.
        let _ = store.live().tell(run, frames).await;
    }
    let _ = store.live().end(run).await;
}
