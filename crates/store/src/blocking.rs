//! A backend for code that has a thread of its own, and may wait there.

use std::ops::Deref;
use std::sync::Arc;
use tokio::runtime::Handle;

use crate::backend::StoreReply;
use crate::{Backend, StoreError};

/// A backend, and the runtime that its replies need. Not for threads of the runtime itself: those must not wait.
#[derive(Debug, Clone)]
pub struct BlockingBackend {
    backend: Arc<dyn Backend>,
    runtime: Handle,
}

impl BlockingBackend {
    /// The same backend, with the runtime that we are in.
    pub fn new(backend: Arc<dyn Backend>) -> Self {
        Self { backend, runtime: Handle::current() }
    }

    /// Waits for a reply of the backend, or of something that came from it.
    pub fn wait<T>(&self, reply: StoreReply<'_, T>) -> Result<T, StoreError> {
        self.block_on(reply)
    }

    /// Waits for anything else that asks the backend.
    pub fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }
}

impl Deref for BlockingBackend {
    type Target = dyn Backend;

    fn deref(&self) -> &Self::Target {
        &*self.backend
    }
}
