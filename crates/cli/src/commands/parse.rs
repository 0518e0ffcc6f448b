//! `tribunal parse`: the wire protocol in, events out, as parser and scoreboard give them.

use serde_json::json;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use tribunal_app::loops::theater;
use tribunal_app::{AppError, Exit};
use tribunal_config::Sources;
use tribunal_kernel::theater::{PANEL, Rehearsal, Settings, TheaterEvent};

use crate::args::{self, Global};

/// What is read at once where nobody says otherwise.
const CHUNK: u32 = 64 * 1024;

pub(super) fn parse(global: &Global, args: &args::Parse) -> Result<Exit, AppError> {
    let mut input: Box<dyn Read> = match args.file.as_deref() {
        None => Box::new(io::stdin()),
        Some(path) if path.as_os_str() == "-" => Box::new(io::stdin()),
        Some(path) => Box::new(File::open(path).map_err(|error| {
            AppError::invalid(format!("cannot read {}: {error}", path.display()), "pass a file, or `-` for stdin")
        })?),
    };
    let mut rehearsal = Rehearsal::new(settings(global, args)?, args.run_id.clone());
    let mut out = BufWriter::new(crate::out::Stdout);
    let mut chunk = vec![0; args.chunk.unwrap_or(CHUNK) as usize];
    loop {
        match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(bytes) => print(&mut out, &rehearsal.push(&chunk[..bytes]))?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(AppError::environment(format!("cannot read the stream: {error}"), None)),
        }
    }
    let (shown, broke) = rehearsal.finish();
    print(&mut out, &shown)?;
    let Some(broke) = broke else { return Ok(Exit::Pass) };
    // The keys in the order in which other events have theirs.
    let (run, reason, position) = (json!(args.run_id), json!(broke.reason), broke.position);
    let adapter = json!(PANEL);
    writeln!(out, r#"{{"type":"degraded","runId":{run},"reason":{reason},"adapter":{adapter},"position":{position}}}"#)
        .and_then(|()| out.flush())
        .map_err(|error| unwritable(&error))?;
    eprintln!("{}", broke.message);
    Ok(Exit::NotPassed)
}

/// The default configuration, and what flags change of it. The project's own does not count: what a stream says is the
/// same everywhere.
fn settings(global: &Global, args: &args::Parse) -> Result<Settings, AppError> {
    let flags = global.set.iter().map(|(key, value)| (full_key(key), value.clone())).collect();
    let loaded = tribunal_config::load(&Sources { flags, ..Sources::default() })?;
    let settings = theater::settings(&loaded.config.theater, args.project.clone());
    Ok(Settings { artifact: args.artifact.clone(), ..settings })
}

/// `maxRounds` and `max_rounds` are short for `theater.max_rounds`.
fn full_key(key: &str) -> String {
    let mut snake = String::new();
    for letter in key.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    let is_short = !snake.contains('.') || snake.starts_with("weights.");
    if is_short { format!("theater.{snake}") } else { snake }
}

fn print(out: &mut impl Write, shown: &[TheaterEvent]) -> Result<(), AppError> {
    for critique in shown {
        let line = serde_json::to_string(critique).expect("an event is plain JSON");
        writeln!(out, "{}", crate::out::visible_json(&line)).map_err(|error| unwritable(&error))?;
    }
    // Whoever follows a live stream sees an event when it is complete, not when a buffer is full.
    if shown.is_empty() { Ok(()) } else { out.flush().map_err(|error| unwritable(&error)) }
}

fn unwritable(error: &io::Error) -> AppError {
    AppError::environment(format!("cannot print: {error}"), None)
}
