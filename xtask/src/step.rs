//! One command of `test`: shown while it runs, timed, its closing lines remembered.

use anyhow::{Context, Result};
use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::thread;

/// What test runners print when they are done.
const CLOSING: &[&str] = &["Summary [", "test result:"];
/// Crates without tests of some kind close with this, too. Nobody wants to read it again.
const NOTHING_RUN: &str = "0 passed; 0 failed";

/// How a command ended, and the closing lines of the test runner that it started, if it did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: ExitStatus,
    pub(crate) closing: Vec<String>,
}

/// Runs a command and shows what it prints, line by line.
pub(crate) fn run(mut command: Command) -> Result<Ran> {
    if wants_colour() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {program}"))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let closing = Mutex::new(Vec::new());
    thread::scope(|scope| {
        scope.spawn(|| stdout.map(|from| show(from, std::io::stdout(), &closing)));
        scope.spawn(|| stderr.map(|from| show(from, std::io::stderr(), &closing)));
    });
    let status = child.wait().with_context(|| format!("cannot wait for {program}"))?;
    Ok(Ran { status, closing: closing.into_inner().unwrap_or_default() })
}

fn show(from: impl Read, mut to: impl Write, closing: &Mutex<Vec<String>>) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while matches!(from.read_until(b'\n', &mut line), Ok(read) if read > 0) {
        // A terminal that is gone is no reason to stop a test run.
        let _ = to.write_all(&line).and_then(|()| to.flush());
        let text = plain(&String::from_utf8_lossy(&line));
        let text = text.trim();
        let is_closing = CLOSING.iter().any(|start| text.starts_with(start)) && !text.contains(NOTHING_RUN);
        if is_closing && let Ok(mut closing) = closing.lock() {
            closing.push(text.to_owned());
        }
        line.clear();
    }
}

fn wants_colour() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// The text without colours.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, code)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        rest = code.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        rest = rest.get(1..).unwrap_or_default();
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_taken_off() {
        assert_eq!(plain("\u{1b}[32;1m     Summary\u{1b}[0m [   1.0s] 3 tests"), "     Summary [   1.0s] 3 tests");
        assert_eq!(plain("plain"), "plain");
        assert_eq!(plain("cut \u{1b}["), "cut ");
    }

    #[test]
    fn closing_lines_are_remembered_and_all_lines_are_shown() {
        let printed = "running 2 tests\ntest result: ok. 2 passed; 0 failed; 0 ignored\n\
                       test result: ok. 0 passed; 0 failed; 0 ignored\n  Summary [ 1s] 2 tests run: 2 passed\nno newline";
        let (mut shown, closing) = (Vec::new(), Mutex::new(Vec::new()));
        show(printed.as_bytes(), &mut shown, &closing);
        assert_eq!(String::from_utf8(shown).unwrap(), printed);
        assert_eq!(
            closing.into_inner().unwrap(),
            ["test result: ok. 2 passed; 0 failed; 0 ignored", "Summary [ 1s] 2 tests run: 2 passed"]
        );
    }
}
