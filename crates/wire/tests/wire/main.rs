//! Tests of the parser and the writer from outside.
//!
//! `table` follows the specification row by row; `specimen` reads its example; `splits`, `noise` and `roundtrip` are
//! properties over generated streams; `hostile` is about streams that are out to hurt; `fuzzed` runs the check of the
//! fuzz target, which shares `bounds`, `mutate` and `scraps`, over fixed seeds.

mod bounds;
mod fuzzed;
mod hostile;
mod mutate;
mod noise;
mod roundtrip;
mod scraps;
mod specimen;
mod splits;
mod streams;
mod support;
mod table;
