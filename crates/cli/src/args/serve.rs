//! What can be typed after `tribunal serve`.

use clap::Args as ClapArgs;
use std::net::IpAddr;
use std::path::PathBuf;

#[derive(Debug, ClapArgs)]
pub(crate) struct Serve {
    /// The port to listen on; 0 picks a free one
    #[arg(long, value_name = "N", default_value_t = 4747)]
    pub(crate) port: u16,
    /// The address to listen on; any but a loopback address needs your own token
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) bind: IpAddr,
    /// A host name that browsers may use for this server, besides its address
    #[arg(long = "host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,
    /// Read the token from this file; or set `TRIBUNAL_TOKEN`
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Create a new token; open pages have to be opened again
    #[arg(long)]
    pub(crate) new_token: bool,
    /// Send traces to this collector: OTLP over HTTP, e.g. `http://127.0.0.1:4318`
    #[arg(long, value_name = "URL")]
    pub(crate) otlp: Option<String>,
    /// Do not resume unfinished runs
    #[arg(long)]
    pub(crate) no_resume: bool,
}
