//! What `tribunal adopt` is told.

use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct Adopt {
    /// A run id, a unique part of it, or a campaign or artifact [default: the newest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Take what there is, even if the run is not complete or did not pass
    #[arg(long)]
    pub(crate) unfinished: bool,
    /// Replace a page even if it changed since the run began
    #[arg(long)]
    pub(crate) force: bool,
}
