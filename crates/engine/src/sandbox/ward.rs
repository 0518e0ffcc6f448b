//! What a sandbox keeps from happening.

use std::fmt;

/// One thing that may be kept from happening. Whatever a sandbox does not cover is a hole of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ward {
    /// Writing outside of the folders that are meant for it.
    Writes,
    /// Writing to what is read-only inside of a folder that may be written.
    ReadOnly,
    /// Reading what is hidden.
    Hidden,
    /// Reaching the network while it is closed.
    Network,
    /// Seeing the machine's other processes, their arguments and environments.
    Processes,
    /// Sending signals to them.
    Signals,
    /// Living on when Tribunal was killed.
    Leftovers,
    /// Changing modes, owners and attributes of files outside.
    Modes,
    /// As root: mounting, loading modules, setting the clock, and so on.
    Machine,
    /// Opening the terminal of the user.
    Terminal,
    /// Asking a daemon of the machine to do any of it.
    Daemons,
    /// Not a danger but a loss: ending before the program had a chance to end by itself.
    HardEnd,
}

impl Ward {
    pub const ALL: [Self; 12] = [
        Self::Writes,
        Self::ReadOnly,
        Self::Hidden,
        Self::Network,
        Self::Processes,
        Self::Signals,
        Self::Leftovers,
        Self::Modes,
        Self::Machine,
        Self::Terminal,
        Self::Daemons,
        Self::HardEnd,
    ];

    /// What it means that this is not covered, and what is done about it.
    pub fn as_hole(self) -> &'static str {
        match self {
            Self::Writes => "it can write wherever its user can: it works in a copy, which is compared and thrown away",
            Self::ReadOnly => "it can change read-only files inside of its work tree: their digests are compared",
            Self::Hidden => "it can read whatever its user can",
            Self::Network => "it can use the network although it should not",
            Self::Processes => "it can see other processes, and the environments of those of its own user",
            Self::Signals => "it can send signals to other processes of its user, Tribunal among them",
            Self::Leftovers => "what it started may outlive a Tribunal that is killed, until the run is resumed",
            Self::Modes => "it can change modes and owners of its user's files outside, though not what is in them",
            Self::Machine => "as root it can change the machine itself",
            Self::Terminal => "it can open the user's terminal",
            Self::Daemons => "it can talk to a daemon that listens on a socket in the file system",
            Self::HardEnd => "it is not asked to end but ended at once",
        }
    }
}

/// As something that is covered.
impl fmt::Display for Ward {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Writes => "writes only where it may",
            Self::ReadOnly => "cannot write to read-only files inside of these folders",
            Self::Hidden => "cannot read what is hidden",
            Self::Network => "has no network when it is closed",
            Self::Processes => "sees no other processes",
            Self::Signals => "cannot send them signals",
            Self::Leftovers => "ends with Tribunal, however that ends",
            Self::Modes => "cannot change modes outside",
            Self::Machine => "cannot change the machine, even as root",
            Self::Terminal => "has no terminal",
            Self::Daemons => "cannot ask a daemon",
            Self::HardEnd => "is asked to end before it is ended",
        })
    }
}
