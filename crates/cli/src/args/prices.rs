//! `tribunal prices`.

use clap::{Args as ClapArgs, Subcommand};
use std::path::PathBuf;

#[derive(Debug, ClapArgs)]
pub(crate) struct Prices {
    /// A model, by whatever name an agent has for it
    #[arg(value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Where it is used: anthropic, openai, gemini, bedrock, groq, …
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Option<PricesCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PricesCommand {
    #[command(
        after_help = "Example:\n  tribunal prices update api.json\n  tribunal prices update model_prices.json --as-of 2026-11-01"
    )]
    /// Read a newer list: that of models.dev (`api.json`) or `LiteLLM`'s
    Update(PricesUpdate),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PricesUpdate {
    /// The list, as it was downloaded
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The day of the list, instead of the day of its file
    #[arg(long, value_name = "DATE")]
    pub(crate) as_of: Option<String>,
    /// What to call the list
    #[arg(long, value_name = "NAME")]
    pub(crate) source: Option<String>,
    /// Where to write the table, instead of the user's configuration folder
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
