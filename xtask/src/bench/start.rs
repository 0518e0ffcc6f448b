//! Start-up: how long `tribunal --version` takes, from start to end.

use anyhow::{Result, bail};
use std::process::{Command, Stdio};
use std::time::Instant;

use super::Bench;
use super::sample::median_of;
use super::table::{Row, Target};

const TIMES: usize = 50;

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let tribunal = bench.tribunal()?;
    let start = |program: &mut Command| {
        let begun = Instant::now();
        let status = program.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        let took = begun.elapsed();
        if !status.success() {
            bail!("{} ended with {status}", program.get_program().display());
        }
        Ok(took.as_secs_f64() * 1e3)
    };
    let version = median_of(TIMES, || start(Command::new(&tribunal).arg("--version")))?;
    let nothing = median_of(TIMES, || start(&mut Command::new("/bin/true")))?;
    Ok(vec![
        Row::new("start of `tribunal --version`", version, "ms", Target::AtMost(10.0)),
        Row::beside("start of /bin/true", nothing, "ms"),
    ])
}
