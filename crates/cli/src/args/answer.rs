//! `tribunal answer`.

use clap::Args as ClapArgs;
use std::path::PathBuf;

#[derive(Debug, ClapArgs)]
pub(crate) struct Answer {
    /// A run id, a unique part of it, or an asset [default: the newest run that is waiting for a person]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// The seat to answer for, if the run is waiting for several people
    #[arg(long, value_name = "SEAT")]
    pub(crate) seat: Option<String>,
    /// The file with the answer, or `-` for stdin
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    pub(crate) file: Option<PathBuf>,
    /// An undecided item that is met: its number, its name, or `all`
    #[arg(long, value_name = "ITEM", conflicts_with_all = ["seat", "file"])]
    pub(crate) met: Vec<String>,
    /// An undecided item that is broken: its number, its name, or `all`
    #[arg(long, value_name = "ITEM", conflicts_with_all = ["seat", "file"])]
    pub(crate) broken: Vec<String>,
    /// Why you decide so; it is recorded
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: Option<String>,
    /// Let the commands run that a model wrote into the anchor, and judge the draft again
    #[arg(long, conflicts_with_all = ["seat", "file"])]
    pub(crate) allow_commands: bool,
}
