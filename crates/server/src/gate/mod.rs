//! The gate: who may come in, how often, and with how much.
//!
//! | file | noun |
//! |---|---|
//! | `origin` | hosts and origins that are ours |
//! | `token` | the key that every reader and writer of data needs |
//! | `pace` | how many requests in how much time |
//! | `repeat` | requests that are sent twice and done once |
//! | `headers` | what every answer tells the browser |

pub(crate) mod headers;
pub(crate) mod origin;
pub(crate) mod pace;
pub(crate) mod repeat;
pub(crate) mod token;

/// No request has a longer body.
pub(crate) const MAX_BODY: usize = 1 << 20;
