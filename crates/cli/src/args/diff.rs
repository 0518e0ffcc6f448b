//! What `tribunal diff` is told.

use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct Diff {
    /// A run id, a unique part of it, or an asset [default: the newest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Two rounds, e.g. 1..3 [default: the last two]
    #[arg(long, value_name = "A..B", value_parser = round_range)]
    pub(crate) rounds: Option<(u32, u32)>,
    /// Every rewrite of this round, one after the other
    #[arg(long, value_name = "N", conflicts_with = "rounds")]
    pub(crate) round: Option<u32>,
}

fn round_range(text: &str) -> Result<(u32, u32), String> {
    let numbers = text.split_once("..").and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    numbers.filter(|(from, to)| *from >= 1 && from < to).ok_or_else(|| "expected two rounds, as in 1..3".to_owned())
}
