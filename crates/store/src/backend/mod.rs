//! The interface of a backend: everything that lasts, behind traits that any store can implement.
//!
//! Files implement all of it ([`crate::FileBackend`]); a stream, a database or a test may as well. Nothing above this
//! knows where or how things are kept. Every backend passes [`crate::conformance`].
//!
//! | file | noun |
//! |---|---|
//! | `logs`, `follow` | the log of a run: written by one, read and followed by all |
//! | `leases` | who may write it |
//! | `requests` | what others ask of a run that somebody drives |
//! | `questions` | what people are asked, and what they answer |
//! | `accounts` | what runs that share a limit hold of it |
//! | `blobs` | bytes under their digest |
//! | `queue` | whose turn it is, if many want to run |
//! | `lists` | which runs there are, and how they stand |
//! | `live` | what turns in flight say, which is not kept |
//! | `grades` | how well agents keep to the protocol |
//! | `stops` | what became of agents that said they were done |
//! | `servers` | where a server of this project answers |
//! | `votes` | links that vote: their key, and which of them were used |
//! | `space` | how much room all of it takes, and how some is made free |
//! | `scratch` | folders on this machine, for processes that need one |

mod accounts;
mod blobs;
mod follow;
mod grades;
mod leases;
mod lists;
mod live;
mod logs;
mod questions;
mod queue;
mod requests;
mod scratch;
mod servers;
mod space;
mod stops;
mod votes;

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use tribunal_kernel::{ProjectId, RunId};

use crate::StoreError;
use crate::verify::{self, VerifyReport};
pub use accounts::{AccountBook, AccountHold, AccountId, Accounts};
pub use blobs::{Blobs, FetchBlob};
pub use follow::Follow;
pub use grades::GradeBook;
pub use leases::{FencingToken, Holder, Lease, Leases, OpeningRight};
pub use lists::Lists;
pub use live::{Live, LiveListener};
pub use logs::{LogHead, LogMark, LogWriter, Logs, OpenedLog, Torn};
pub use questions::Questions;
pub use queue::{Queue, QueueTicket};
pub use requests::{RefusedRequest, Requests, RunRequest, TakenRequests};
pub use scratch::{Scratch, ScratchFolder};
pub use servers::{ServerAddress, ServerClaim, Servers};
pub use space::{KeptBlob, RemovedBlobs, Space, SpaceUsage};
pub use stops::StopBook;
pub use votes::{VoteKey, VoteLinks};

/// What a store gives back, later.
pub type StoreReply<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A place where runs are kept, with everything that belongs to them.
pub trait Backend: Debug + Send + Sync + 'static {
    /// What kind of store this is: `files`, …
    fn name(&self) -> &'static str;

    fn logs(&self) -> &dyn Logs;
    fn leases(&self) -> &dyn Leases;
    fn requests(&self) -> &dyn Requests;
    fn questions(&self) -> &dyn Questions;
    fn accounts(&self) -> &dyn Accounts;
    fn blobs(&self) -> &dyn Blobs;
    fn queue(&self) -> &dyn Queue;
    fn lists(&self) -> &dyn Lists;
    fn live(&self) -> &dyn Live;
    fn grades(&self) -> &dyn GradeBook;
    fn stops(&self) -> &dyn StopBook;
    fn servers(&self) -> &dyn Servers;
    fn votes(&self) -> &dyn VoteLinks;
    fn scratch(&self) -> &dyn Scratch;

    /// The room that it takes on this machine, where it takes some.
    fn space(&self) -> Option<&dyn Space> {
        None
    }

    /// Which project this is. It gets its id when somebody asks for the first time, and keeps it.
    fn project(&self) -> StoreReply<'_, ProjectId>;

    /// Removes what processes that were killed did not finish, where something can be left. Gives how much that was.
    fn sweep(&self) -> StoreReply<'_, usize> {
        Box::pin(std::future::ready(Ok(0)))
    }

    /// Whether everything that is kept is intact: these runs, or all of them, and all blobs. It never writes. Backends
    /// that can say more than what their parts say do.
    fn verify(&self, runs: Option<Vec<RunId>>) -> StoreReply<'_, VerifyReport> {
        Box::pin(verify::by_parts(self, runs))
    }

    /// Takes the lease of a run and opens its log for writing.
    fn open(&self, run: RunId) -> StoreReply<'_, OpenedLog> {
        Box::pin(async move {
            let lease = self.leases().take(run).await?;
            self.logs().open(lease).await
        })
    }
}
