//! `tribunal serve` as a process: its start, what it is asked, and what it holds (Linux).

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::ops::Deref;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::announced::Announced;

/// The unit of processor times in /proc, the same on every Linux that we know of.
const TICK: Duration = Duration::from_millis(10);

/// A server that answers; ends with this.
#[derive(Debug)]
pub(super) struct Served {
    child: Child,
    announced: Announced,
    /// From its start to its first answer.
    pub(super) ready: Duration,
}

/// In MB.
#[derive(Debug, Clone, Copy)]
pub(super) struct Memory {
    pub(super) now: f64,
    pub(super) most: f64,
}

/// What the process holds at a moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Holds {
    pub(super) memory: Memory,
    pub(super) descriptors: usize,
    pub(super) threads: usize,
}

impl Served {
    pub(super) fn start(tribunal: &Path, project: &Path) -> Result<Self> {
        let begun = Instant::now();
        let mut command = Command::new(tribunal);
        // The run in the log is ours: nobody is to drive it.
        command.args(["serve", "--json", "--port", "0", "--no-resume"]).current_dir(project);
        // Nobody else's settings, and nobody reads what it takes down.
        command.env("XDG_CONFIG_HOME", project).env_remove("TRIBUNAL_TOKEN");
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let stdout = child.stdout.take().context("the server has no stdout")?;
        let announced = Announced::read(stdout)?;
        let mut served = Self { child, announced, ready: Duration::ZERO };
        served.first_answer()?;
        served.ready = begun.elapsed();
        Ok(served)
    }

    fn first_answer(&self) -> Result<()> {
        let mut socket = TcpStream::connect(self.address)?;
        socket.write_all(self.announced.get("/healthz", "Connection: close\r\n").as_bytes())?;
        let mut answer = String::new();
        socket.read_to_string(&mut answer)?;
        if !answer.starts_with("HTTP/1.1 200 ") {
            bail!("the server answered {answer:?}");
        }
        Ok(())
    }

    /// One of its metrics.
    pub(super) async fn metric(&self, name: &str) -> Result<u64> {
        let (_, answer) = self.send(&self.announced.get("/metrics", "Connection: close\r\n")).await?;
        let value = answer.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.with_context(|| format!("no {name} in the metrics"))?.trim().parse().with_context(|| name.to_owned())
    }

    /// The status and the text of what is at a path of its project.
    pub(super) async fn get(&self, path: &str) -> Result<(u16, String)> {
        self.send(&self.announced.get(&self.in_project(path), "Connection: close\r\n")).await
    }

    /// The status and the text of the answer to a request that changes something.
    pub(super) async fn post(&self, path: &str, body: &Value) -> Result<(u16, String)> {
        let request = self.announced.post(&self.in_project(path), body);
        self.send(&request).await
    }

    async fn send(&self, request: &str) -> Result<(u16, String)> {
        let mut socket = tokio::net::TcpStream::connect(self.address).await?;
        socket.write_all(request.as_bytes()).await?;
        let mut answer = String::new();
        socket.read_to_string(&mut answer).await?;
        let (head, body) = answer.split_once("\r\n\r\n").with_context(|| format!("the server answered {answer:?}"))?;
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Ok((status.with_context(|| format!("the server answered {head:?}"))?, body.to_owned()))
    }

    /// Memory, descriptors and threads.
    pub(super) fn holds(&self) -> Result<Holds> {
        let count =
            |of: &str| -> Result<usize> { Ok(fs::read_dir(format!("/proc/{}/{of}", self.child.id()))?.count()) };
        Ok(Holds { memory: self.memory()?, descriptors: count("fd")?, threads: count("task")? })
    }

    pub(super) fn memory(&self) -> Result<Memory> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let value = |name: &str| -> Result<f64> {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let kb: f64 =
                line.with_context(|| format!("no {name} in /proc"))?.trim().trim_end_matches(" kB").parse()?;
            Ok(kb / 1e3)
        };
        Ok(Memory { now: value("VmRSS:")?, most: value("VmHWM:")? })
    }

    pub(super) fn processor_time(&self) -> Result<Duration> {
        processor_time(&self.child.id().to_string())
    }
}

pub(super) fn own_processor_time() -> Result<Duration> {
    processor_time("self")
}

fn processor_time(process: &str) -> Result<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The program's name may hold anything; behind it, user and system time are the fields 12 and 13.
    let (_, rest) = stat.rsplit_once(')').context("no name in /proc")?;
    let ticks: u32 = rest.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u32>().ok()).sum();
    Ok(TICK * ticks)
}

impl Deref for Served {
    type Target = Announced;

    fn deref(&self) -> &Announced {
        &self.announced
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It keeps nothing that a kill could break.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
