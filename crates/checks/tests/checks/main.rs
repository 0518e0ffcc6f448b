//! Tests of the measurements from outside.
//!
//! `contrast` has known ratios and the cascade; `a11y`, `critic`, `brand`, `copy` and `production` are tables of
//! small documents; `edit` is about the house editor; `hostile` about documents that are out to hurt.

mod a11y;
mod brand;
mod contrast;
mod copy;
mod critic;
mod edit;
mod hostile;
mod lint;
mod production;
mod purity;
mod support;
