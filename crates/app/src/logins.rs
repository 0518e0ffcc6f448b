//! Who is logged in on this machine, as far as that can be told without a call.

use std::env;
use std::fmt;
use std::path::PathBuf;
use tribunal_agents::Vendor;

use crate::programs;

/// What tells whether a command line has an account to work with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Login {
    /// This variable is set.
    Variable(String),
    /// This file is there. Nobody has looked into it.
    File(PathBuf),
    /// Whoever is logged in leaves a trace, and there is none.
    Missing,
    /// There is no trace, but there need not be one.
    Unknown,
}

impl Login {
    /// What is found for a vendor's own account.
    pub fn of(vendor: Vendor) -> Self {
        let traces = vendor.traces(|name| env::var(name).ok());
        if let Some(name) = traces.variables.iter().find(|name| is_set(name)) {
            return Self::Variable((*name).to_owned());
        }
        match traces.files.into_iter().find(|file| file.is_file()) {
            Some(file) => Self::File(file),
            None if traces.are_certain => Self::Missing,
            None => Self::Unknown,
        }
    }

    pub fn is_found(&self) -> bool {
        matches!(self, Self::Variable(_) | Self::File(_))
    }

    /// The word for it in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Variable(_) | Self::File(_) => "found",
            Self::Missing => "missing",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "logged in ({name} is set)"),
            Self::File(file) => write!(f, "logged in ({} is there)", file.display()),
            Self::Missing => f.write_str("not logged in"),
            Self::Unknown => f.write_str("no login found, but it may still work"),
        }
    }
}

/// The command lines that could sit in a seat right now: installed, and somebody is logged in. In order of preference,
/// which is the order in which we know them: the same on every machine.
pub fn usable() -> Vec<Vendor> {
    let is_usable = |vendor: &Vendor| programs::find(vendor.program()).is_some() && Login::of(*vendor).is_found();
    Vendor::ALL.into_iter().filter(is_usable).collect()
}

/// The same, and after them those that may be logged in without a trace. For whoever shows them and asks first.
pub fn likely() -> Vec<Vendor> {
    let is_likely =
        |vendor: &Vendor| programs::find(vendor.program()).is_some() && Login::of(*vendor) == Login::Unknown;
    usable().into_iter().chain(Vendor::ALL.into_iter().filter(is_likely)).collect()
}

/// Whether a variable is there and holds something.
pub fn is_set(name: &str) -> bool {
    env::var_os(name).is_some_and(|value| !value.is_empty())
}
