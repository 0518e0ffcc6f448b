//! Links that vote: the key they are signed with, and which of them were used.

use tribunal_kernel::Digest;

use super::StoreReply;

/// The links of a project that vote.
pub trait VoteLinks: Send + Sync {
    /// What they are signed with. It is made when somebody asks for the first time, and nobody but the project's owner can
    /// read it.
    fn key(&self) -> StoreReply<'_, VoteKey>;

    /// Whether a link was used.
    fn is_used(&self, link: Digest) -> StoreReply<'_, bool>;

    /// Uses a link up. Whether it had not been used before.
    fn take(&self, link: Digest) -> StoreReply<'_, bool>;

    /// Gives a link back whose vote could not be cast.
    fn give_back(&self, link: Digest) -> StoreReply<'_, ()>;
}

/// A secret: it is not shown, not even by mistake.
#[derive(Clone, PartialEq, Eq)]
pub struct VoteKey(pub [u8; 32]);

impl std::fmt::Debug for VoteKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("VoteKey(…)")
    }
}
