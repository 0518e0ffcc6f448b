//! What `tribunal clean` is told.

use clap::Args as ClapArgs;
use std::time::Duration;

pub(super) const EXAMPLES: &str = "Examples:
  tribunal clean
  tribunal clean --older-than 7d --yes
  tribunal clean --dry-run --json";

#[derive(Debug, ClapArgs)]
pub(crate) struct Clean {
    /// Only runs that ended before this: `30d`, `12h`
    #[arg(long, value_name = "DURATION", default_value = "30d", value_parser = duration)]
    pub(crate) older_than: Duration,
    /// Remove without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Only show what would be removed
    #[arg(long = "dry-run", conflicts_with = "yes")]
    pub(crate) plan_only: bool,
}

fn duration(text: &str) -> Result<Duration, String> {
    tribunal_config::parse_duration(text)
        .ok_or_else(|| "a duration is `30d`, `12h` or `1h30m`, up to a year".to_owned())
}
