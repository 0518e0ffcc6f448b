//! Where there is no Landlock.

use std::io;

use super::launcher::Orders;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Support {
    pub(super) signals: bool,
}

pub(super) fn support() -> Option<Support> {
    None
}

pub(super) fn enter(_: &Orders) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "there is no Landlock on this system"))
}
