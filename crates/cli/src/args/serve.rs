//! What can be typed after `tribunal serve`.

use clap::Args as ClapArgs;
use std::net::IpAddr;
use std::path::PathBuf;

#[derive(Debug, ClapArgs)]
pub(crate) struct Serve {
    /// The port to listen at; 0 takes any free one
    #[arg(long, value_name = "N", default_value_t = 4747)]
    pub(crate) port: u16,
    /// The address to listen at; beyond this machine it needs a token of yours
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) bind: IpAddr,
    /// A name by which browsers may call this server, besides its address
    #[arg(long = "host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,
    /// Read the token from this file; or set `TRIBUNAL_TOKEN`
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Draw a new token; pages that are open have to be opened anew
    #[arg(long)]
    pub(crate) new_token: bool,
    /// Send traces to this collector: OTLP over HTTP, e.g. `http://127.0.0.1:4318`
    #[arg(long, value_name = "URL")]
    pub(crate) otlp: Option<String>,
    /// Leave runs alone that were cut short
    #[arg(long)]
    pub(crate) no_resume: bool,
}
