//! Tests of the measurements from outside.
//!
//! `contrast` has known ratios and the cascade; `a11y`, `critic`, `brand`, `copy` and `production` are tables of
//! small documents; `seen` is what a browser saw; `edit` is about the house editor; `hostile` about documents that are out to hurt. `rules` holds the table of codes against the sources; `fuzzed` checks
//! `bounds` over documents of `scraps` and such as `mutate` damaged.

mod a11y;
mod bounds;
mod brand;
mod contrast;
mod copy;
mod critic;
mod edit;
mod fuzzed;
mod gallery;
mod hostile;
mod lint;
mod mutate;
mod production;
mod rules;
mod scraps;
mod seen;
mod support;
