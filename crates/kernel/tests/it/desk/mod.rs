//! The nouns of the desk: what people and agents write, read as it is meant or refused with a reason.

mod complaints;
mod counts;
mod hostile;
mod memory;
mod prd;
mod receipts;
mod signals;
mod test_spec;
pub(crate) mod trials;
