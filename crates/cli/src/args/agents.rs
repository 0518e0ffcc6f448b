//! `tribunal agents …`.

use clap::{Args as ClapArgs, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum AgentsCommand {
    /// The agents of tribunal.toml, and where they sit
    #[command(after_help = "Example:\n  tribunal agents list")]
    List,
    /// Whether they can be started, who is logged in, and what the sandbox keeps from happening
    #[command(after_help = "Examples:\n  tribunal agents doctor --json\n  tribunal agents doctor --ping")]
    Doctor(Doctor),
    /// How well they keep to the protocol of the panel: ten briefs, each played as a theater
    ///
    /// A cycle passes when 90 of 100 trials ship in time and 95 of 100 of those are read without trouble. Two cycles in a
    /// row below either bar mark an agent for 24 hours: theaters that rely on it fall back to one plain pass. The trials
    /// have a folder of their own; the runs of the project are not touched.
    #[command(
        after_help = "Examples:\n  tribunal agents conformance\n  tribunal agents conformance writer --template japanese\n  tribunal agents conformance writer --cycles 2 --json\n  tribunal agents conformance --clear writer\n\nExit codes: 0 passes, 1 below a bar, 4 an agent cannot be asked."
    )]
    Conformance(Conformance),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Doctor {
    /// Ask every agent for one word, and wait a minute at most; command lines send their own instructions along, so
    /// one that is paid by the token may cost some cents
    #[arg(long)]
    pub(crate) ping: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Conformance {
    /// Agents of tribunal.toml [default: all that can speak]
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Play this brief alone; the result is shown and not kept
    #[arg(long, value_name = "NAME", value_parser = crate::commands::TEMPLATES)]
    pub(crate) template: Option<String>,
    /// How often all of them are played
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub(crate) cycles: u32,
    /// Lift the mark of this agent, and call nobody
    #[arg(long, value_name = "NAME", conflicts_with_all = ["names", "template", "cycles", "table"])]
    pub(crate) clear: Option<String>,
    /// Print the grades as a table in Markdown, and call nobody
    #[arg(long, conflicts_with_all = ["names", "template", "cycles"])]
    pub(crate) table: bool,
}
