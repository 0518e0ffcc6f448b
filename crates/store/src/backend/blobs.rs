//! Blobs: bytes whose name is their digest, stored before an event cites them.

use tribunal_kernel::Digest;

use super::StoreReply;
use crate::StoreError;

/// Gets a blob, for whoever writes a view and may wait for it.
pub type FetchBlob<'a> = &'a dyn Fn(Digest) -> Result<Vec<u8>, StoreError>;

/// Bytes under their digest.
pub trait Blobs: Send + Sync {
    /// Stores a blob; durable when it returns. Storing the same bytes again changes nothing.
    fn put<'a>(&'a self, bytes: &'a [u8]) -> StoreReply<'a, Digest>;

    /// A blob's bytes, verified against their digest.
    fn get(&self, digest: Digest) -> StoreReply<'_, Vec<u8>>;
}
