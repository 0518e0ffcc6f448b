//! `tribunal-stub`: the server as a program, for agent command lines. It runs until it is ended.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program says where it listens, and why it cannot")]

use clap::Parser;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use tribunal_stub::{Refusing, Script, Stub, StubOptions};

/// A model server that follows a script, on 127.0.0.1.
///
/// Prints one line of JSON when it is ready: {"port": 40123}. Runs until Ctrl-C or TERM.
#[derive(Debug, Parser)]
#[command(after_help = "Example:\n  tribunal-stub --script script.json --log calls.ndjson")]
struct Args {
    /// What it answers. Without it: sensible answers to Tribunal's own prompts.
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Where it listens. 0 is any port that is free.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// A file to which every call is appended, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Takes the port and does not listen: every connection is refused.
    #[arg(long)]
    refuse: bool,
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("cannot read {}: {error}", path.display())]
    Script { path: PathBuf, error: std::io::Error },
    #[error(transparent)]
    Form(#[from] tribunal_stub::ScriptError),
    #[error("cannot listen: {0}")]
    Listen(#[from] std::io::Error),
}

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("tribunal-stub: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: Args) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    if args.refuse {
        let refusing = Refusing::at(args.port)?;
        say(refusing.port());
        return Ok(runtime.block_on(until_ended())?);
    }
    let script = match args.script {
        None => Script::tribunal(),
        Some(path) => {
            let text = std::fs::read_to_string(&path).map_err(|error| Failure::Script { path, error })?;
            Script::from_json(&text)?
        }
    };
    let stub = Stub::start_with(script, StubOptions { port: args.port, log: args.log, ..StubOptions::default() })?;
    say(stub.port());
    runtime.block_on(until_ended())?;
    stub.stop();
    Ok(())
}

fn say(port: u16) {
    println!("{{\"port\": {port}}}");
    // Whoever started us waits for the line.
    let _ = std::io::stdout().flush();
}

async fn until_ended() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(())
}
