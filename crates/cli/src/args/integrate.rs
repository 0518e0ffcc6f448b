//! What `tribunal integrate` is told.

use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct Integrate {
    /// The agent
    #[arg(value_name = "AGENT", value_enum)]
    pub(crate) agent: IntegratedAgent,
    /// Write to your home folder instead of this project
    #[arg(long)]
    pub(crate) user: bool,
    /// Add the stop hook alone: `tribunal judge` tries what the agent calls done, and refuses it with the reasons
    #[arg(long)]
    pub(crate) stop_hook: bool,
    /// Remove what was added; with `--stop-hook`, that alone
    #[arg(long)]
    pub(crate) remove: bool,
    /// Do not ask for confirmation
    #[arg(short, long, conflicts_with = "plan_only")]
    pub(crate) yes: bool,
    /// Show what would be written, without writing it
    #[arg(long = "dry-run")]
    pub(crate) plan_only: bool,
}

/// The agents that Tribunal can be used from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum IntegratedAgent {
    Claude,
    Codex,
    Gemini,
    Opencode,
}

impl IntegratedAgent {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
        }
    }
}
