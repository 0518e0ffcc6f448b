//! The model behind a wire, on the loopback.

use anyhow::{Context, Result};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use super::goods::Goods;

/// A server that ends with us: it reads our end of its stdin.
#[derive(Debug)]
pub(super) struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// Loads the model, which takes a second or two.
    pub(super) fn start(goods: &Goods) -> Result<Self> {
        let mut node = Command::new("node");
        node.arg(&goods.script).arg(&goods.folder).arg(&goods.weights).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = node.spawn().context("cannot start node")?;
        let mut line = String::new();
        let stdout = child.stdout.take().context("node has no stdout")?;
        BufReader::new(stdout).read_line(&mut line)?;
        let port = line.trim().parse().with_context(|| format!("instead of a port it says {line:?}"));
        match port {
            Ok(port) => Ok(Self { child, port }),
            Err(error) => {
                child.kill()?;
                child.wait()?;
                Err(error)
            }
        }
    }

    /// What comes before `/chat/completions`.
    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing can be done about a server that is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
