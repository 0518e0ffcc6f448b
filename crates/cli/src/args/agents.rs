//! `tribunal agents …`.

use clap::{Args as ClapArgs, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum AgentsCommand {
    /// List the agents of tribunal.toml and their seats
    #[command(after_help = "Example:\n  tribunal agents list")]
    List,
    /// Check whether agents can be started and are logged in, and what the sandbox prevents
    #[command(after_help = "Examples:\n  tribunal agents doctor --json\n  tribunal agents doctor --ping")]
    Doctor(Doctor),
    /// Grade how well agents follow the panel protocol: ten briefs, each run as a theater
    ///
    /// A cycle passes if 90 % of the trials ship in time and 95 % of those parse cleanly. After two failed cycles in a
    /// row, an agent is marked for 24 hours: theaters that rely on it fall back to a single pass without a panel. Trials
    /// run in a folder of their own; the runs of the project are not touched.
    #[command(
        after_help = "Examples:\n  tribunal agents conformance\n  tribunal agents conformance writer --template japanese\n  tribunal agents conformance writer --cycles 2 --json\n  tribunal agents conformance --clear writer\n\nExit codes: 0 passed, 1 failed, 4 an agent is not available."
    )]
    Conformance(Conformance),
    /// Try judges on twenty known faults in ten texts, and save how many they notice
    ///
    /// Ten calls for each agent. The share that is caught and the share of false alarms are shown with the range in which
    /// they lie with a probability of 95 %; `doctor` and `plan` show them, too.
    #[command(after_help = "Examples:\n  tribunal agents controls\n  tribunal agents controls critic --json")]
    Controls(ControlsArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ControlsArgs {
    /// Agents of tribunal.toml [default: all models]
    #[arg(value_name = "AGENT")]
    pub(crate) names: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Doctor {
    /// Ask every agent for one word and wait up to a minute; CLI agents send their own instructions along, so an agent
    /// that is paid by the token may cost a few cents
    #[arg(long)]
    pub(crate) ping: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Conformance {
    /// Agents of tribunal.toml [default: all that can be graded]
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Run only this brief; the result is shown but not saved
    #[arg(long, value_name = "NAME", value_parser = tribunal_app::conformance::TEMPLATES)]
    pub(crate) template: Option<String>,
    /// How many times to run all briefs
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub(crate) cycles: u32,
    /// Clear the mark of this agent, without calling any
    #[arg(long, value_name = "NAME", conflicts_with_all = ["names", "template", "cycles", "table"])]
    pub(crate) clear: Option<String>,
    /// Print the saved grades as a Markdown table, without calling any agent
    #[arg(long, conflicts_with_all = ["names", "template", "cycles"])]
    pub(crate) table: bool,
}
