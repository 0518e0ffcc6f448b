//! Evidence from real runners: honest work and tricks, a table for each runner, and what must be seen.
//!
//! A row is a change of the runner's project. What is expected is whether the evidence holds, and the codes of what
//! was found, heaviest first, without notes.

mod bench;
mod cargo;
mod given;
mod go;
mod matrix;
mod measures;
mod node;
mod plain;
mod python;
mod script;
