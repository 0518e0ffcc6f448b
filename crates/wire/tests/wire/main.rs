//! Tests of the parser and the writer from outside.
//!
//! `table` follows the specification row by row; `specimen` reads its example; `splits`, `noise` and `roundtrip` are
//! properties over generated streams; `hostile` is about streams that are out to hurt.

mod hostile;
mod noise;
mod purity;
mod roundtrip;
mod specimen;
mod splits;
mod streams;
mod support;
mod table;
