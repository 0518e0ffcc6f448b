//! Stand-ins for the world: agents that follow a script, a disk that fails, a clock that is told the time, and a
//! simulator that plays whole runs on them from one seed.
//!
//! | file | noun |
//! |---|---|
//! | `dice` | random numbers from a seed |
//! | `clock` | simulated time |
//! | `disk` | a store in memory that fails when it is told to |
//! | `script` | agents whose behaviour follows from the seed |
//! | `sim` | whole runs, killed at every event, and what must hold afterwards |

pub mod clock;
pub mod dice;
pub mod disk;
pub mod script;
pub mod sim;
