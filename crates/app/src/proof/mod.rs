//! Results that prove themselves to somebody who does not have the project.
//!
//! | file | noun |
//! |---|---|
//! | `envelope` | DSSE: a payload, and who signed it |
//! | `make` | a proof of a run |
//! | `check` | a proof, looked at by whoever gets it |
//! | `gate` | what the work had to hold against |
//! | `held` | what the reader has, held against what it is about |
//! | `found` | what came of looking at it |
//! | `strict` | JSON that says one thing to everybody |
//! | `rerun` | what can be run and measured once more |
//! | `anchor` | the hash of a log, where others keep it |

pub mod anchor;
mod check;
mod envelope;
mod found;
mod gate;
mod held;
mod make;
mod rerun;
pub(crate) mod strict;

pub use check::{CheckProofRequest, check_proof};
pub use envelope::{Envelope, EnvelopeSignature, NAMESPACE, PAYLOAD_TYPE};
pub use found::ProofFound;
pub use make::{MadeProof, ProofRequest, ProofTexts, prove};
