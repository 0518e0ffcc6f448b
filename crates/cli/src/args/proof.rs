//! What `tribunal proof` is told.

use clap::Args as ClapArgs;
use std::path::PathBuf;

pub(super) const EXAMPLES: &str = "Examples:
  tribunal proof -o page.intoto.jsonl --key ~/.ssh/id_ed25519
  tribunal proof 019a --key ~/.ssh/id_ed25519.pub > proof.intoto.jsonl   # the key is in ssh-agent
  tribunal proof description --unsigned --texts";

#[derive(Debug, ClapArgs)]
pub(crate) struct Proof {
    /// A run id, a unique part of it, or an asset [default: the newest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Write the proof to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Sign with this SSH key: a private key, or a public key whose private half is in ssh-agent [default: `proof.key`]
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    /// Do not sign it: it proves nothing to others
    #[arg(long, conflicts_with = "key")]
    pub(crate) unsigned: bool,
    /// Include the brief, all drafts and all answers, so that everything can be read again
    #[arg(long)]
    pub(crate) texts: bool,
    /// Include the prompts as well
    #[arg(long)]
    pub(crate) prompts: bool,
}
