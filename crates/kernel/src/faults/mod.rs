//! Faults: what several judges hold against the same words, as one; and how many are likely left that nobody has found.
//!
//! Findings are what one judge says. The same fault is found by several judges, in several words, and what counts for a
//! forecast is how often each was found by judges who did not know of each other.
//!
//! | file | noun |
//! |---|---|
//! | `sighting` | a finding, who made it, and on which text |
//! | `likeness` | whether two findings mean the same: rule, place, words |
//! | `fault_ledger` | findings that are one, over rounds and runs, and who found each |
//! | `hidden` | how many nobody has found |
//! | `forecast` | what is left, and what another round would find and cost |

mod fault_ledger;
mod forecast;
mod hidden;
mod likeness;
mod sighting;

pub use fault_ledger::{Fault, FaultLedger};
pub use forecast::{FaultFinder, Forecast, FoundFault, NextRound};
pub use hidden::HiddenFaults;
pub use sighting::Sighting;
