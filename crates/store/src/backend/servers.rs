//! Where a server of this project answers, and its key. One server at a time; others find it here.

use serde::{Deserialize, Serialize};
use std::fmt::Debug;

use super::StoreReply;

/// The server of a project.
pub trait Servers: Send + Sync {
    /// Claims to be the project's server. `None`: another one is.
    fn claim(&self) -> StoreReply<'_, Option<Box<dyn ServerClaim>>>;

    /// Where the server answers now, if there is one.
    fn find(&self) -> StoreReply<'_, Option<ServerAddress>>;
}

/// The right to be the project's server, until it is dropped or its process is gone.
pub trait ServerClaim: Debug + Send + Sync {
    /// What the server before left.
    fn before(&self) -> &ServerAddress;

    /// Says where we answer.
    fn publish<'a>(&'a mut self, address: &'a ServerAddress) -> StoreReply<'a, ()>;
}

/// Where a server answers. It stays when the server goes, so that the next one has the same key and open pages find it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ServerAddress {
    /// `http://127.0.0.1:4747`
    pub address: String,
    pub token: String,
    pub project: String,
}
