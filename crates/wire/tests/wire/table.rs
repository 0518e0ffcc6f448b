//! The parser's table in the specification, row by row.

mod artifacts;
mod blocks;
mod skipped_and_understood;
