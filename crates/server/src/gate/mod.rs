//! The gate: who may come in, how often, and with how much.
//!
//! | file | noun |
//! |---|---|
//! | `origin` | hosts and origins that are ours |
//! | `token` | the key that every reader and writer of data needs |
//! | `session` | a browser that brought the key: two halves, which are good together and not for ever |
//! | `ticket` | leave to look at one draft, and the project's pictures with it |
//! | `pace` | how many requests in how much time |
//! | `repeat` | requests that are sent twice and done once |
//! | `headers` | what every answer tells the browser |

pub(crate) mod headers;
pub(crate) mod origin;
pub(crate) mod pace;
pub(crate) mod repeat;
pub(crate) mod session;
pub(crate) mod ticket;
pub(crate) mod token;

/// No request has a longer body.
pub(crate) const MAX_BODY: usize = 1 << 20;
