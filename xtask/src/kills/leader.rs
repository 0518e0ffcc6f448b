//! Who leads a run and is killed: the command line, or a server that was asked to start it.

use anyhow::{Context, Result};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};
use std::thread::JoinHandle;

use super::scene::{Kind, Scene};
use crate::announced::Announced;

#[derive(Debug)]
pub(super) struct Leader {
    child: Child,
    /// Of a server: whether it was asked already.
    asked: Option<JoinHandle<Result<()>>>,
}

/// How one ended that nobody killed.
#[derive(Debug)]
pub(super) struct LeaderEnd {
    pub(super) trouble: Option<String>,
}

impl Leader {
    pub(super) fn start(tribunal: &Path, scene: &Scene, kind: Kind<'_>) -> Result<Self> {
        let Kind { play, is_served, .. } = kind;
        let words = if is_served { &["serve", "--json", "--port", "0"][..] } else { play.start };
        let mut command = scene.tribunal(tribunal, words);
        command.stdout(if is_served { Stdio::piped() } else { Stdio::null() }).stderr(Stdio::null());
        let mut child = command.spawn()?;
        // Not waited for: it may be killed before it answers, and then nobody is asked.
        let asked = child.stdout.take().map(|stdout| std::thread::spawn(move || ask(stdout)));
        Ok(Self { child, asked })
    }

    /// Nothing while it goes on. A server is ended when its run is over.
    pub(super) fn ended(&mut self, scene: &Scene) -> Result<Option<LeaderEnd>> {
        if let Some(status) = self.child.try_wait()? {
            let is_well = status.code() == Some(0) && self.asked.is_none();
            return Ok(Some(LeaderEnd { trouble: (!is_well).then(|| format!("ended with {status}")) }));
        }
        let is_asked = self.asked.as_ref().is_some_and(JoinHandle::is_finished);
        if is_asked && scene.end()?.is_some() { self.stop().map(Some) } else { Ok(None) }
    }

    /// A server that is told to end does, with what it still has to write.
    fn stop(&mut self) -> Result<LeaderEnd> {
        let process = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(process, rustix::process::Signal::TERM)?;
        let status = self.child.wait()?;
        let is_well = status.code() == Some(0);
        Ok(LeaderEnd { trouble: (!is_well).then(|| format!("ended with {status} when it was told to")) })
    }

    pub(super) fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

/// Asks a server to start the run of the project. One that it has taken up already is the same one.
fn ask(stdout: ChildStdout) -> Result<()> {
    let announced = Announced::read(stdout)?;
    let mut socket = TcpStream::connect(announced.address).context("the server does not answer")?;
    socket.write_all(announced.post(&announced.in_project("/runs"), &json!({})).as_bytes())?;
    socket.read_to_end(&mut Vec::new())?;
    Ok(())
}
