//! What `tribunal verify` is told.

use clap::Args as ClapArgs;
use std::path::PathBuf;

pub(super) const EXAMPLES: &str = "Examples:
  tribunal verify
  tribunal verify description --expect 5f3c…
  tribunal verify page.intoto.jsonl --artifact page.html --signers allowed_signers
  tribunal verify pr.intoto.jsonl --commit HEAD --base origin/main --signers allowed_signers --rerun";

#[derive(Debug, ClapArgs)]
pub(crate) struct Verify {
    /// Run ids or assets [default: everything], or the file of a proof
    #[arg(value_name = "RUN|PROOF")]
    pub(crate) runs: Vec<String>,
    /// The hash that the log has to end with
    #[arg(long, value_name = "HASH")]
    pub(crate) expect: Option<String>,
    /// The file that the proof has to be about
    #[arg(long, value_name = "FILE")]
    pub(crate) artifact: Option<PathBuf>,
    /// The commit that the proof has to be about
    #[arg(long, value_name = "REV")]
    pub(crate) commit: Option<String>,
    /// The commit that the change has to have been held against
    #[arg(long, value_name = "REV")]
    pub(crate) base: Option<String>,
    /// Who may sign the proof: a file of allowed signers, as `ssh-keygen` reads it
    #[arg(long, value_name = "FILE")]
    pub(crate) signers: Option<PathBuf>,
    /// Keys that may not sign any more: a file of public keys, or one that `ssh-keygen -k` made
    #[arg(long, value_name = "FILE", requires = "signers")]
    pub(crate) revoked: Option<PathBuf>,
    /// Run the checks and measurements of the proof again
    #[arg(long)]
    pub(crate) rerun: bool,
}
