//! What can be typed after `tribunal init`.

use clap::{Args as ClapArgs, ValueEnum};

#[derive(Debug, ClapArgs)]
pub(crate) struct Init {
    /// The folder to create, and the brief: text or a file
    #[arg(value_name = "DIR|BRIEF", num_args = 0..=2)]
    pub(crate) about: Vec<String>,
    /// The loop to use
    #[arg(long = "loop", value_enum, default_value = "review")]
    pub(crate) kind: InitLoop,
    /// The asset to work on
    #[arg(long, default_value = "description")]
    pub(crate) asset: String,
    /// The brief: text, a file, or `-` to write it in $EDITOR
    #[arg(long, value_name = "TEXT|FILE|-", allow_hyphen_values = true)]
    pub(crate) brief: Option<String>,
    /// Joust: the kind of anchor to start with [default: what the brief suggests]
    #[arg(long, value_name = "KIND", value_parser = ["invariants", "acceptance", "exemplars", "assertions", "rubric", "goal"])]
    pub(crate) anchor: Option<String>,
    /// Use the example agents, even if others are installed
    #[arg(long)]
    pub(crate) examples: bool,
}

/// The loops that a project can start with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InitLoop {
    Review,
    Joust,
    Theater,
    Desk,
}
