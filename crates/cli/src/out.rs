//! What is printed, to readers who may be gone.
//!
//! `println!` of the standard library panics when nobody reads any more: `tribunal log | head -1` is no bug of ours. The
//! macros of these names below take its place in all of this crate but `mcp`, whose stdout is a protocol.
//!
//! - What cannot be printed because the reader is gone is dropped, and the command goes on: a run is driven to its end,
//!   and its exit code is what it would have been.
//! - A command that does nothing but show something ends there ([`end_with_reader`]).
//! - A result that cannot be written for another reason, such as a full disk, is an error ([`exit`]).
//! - Whatever is wrong with stderr, nobody could be told.
//! - What others wrote says nothing to a terminal: all that is printed goes through here, where control characters and
//!   marks of direction are made visible.

use std::fmt;
use std::io::{self, IsTerminal as _, Write};
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use tribunal_anchors::report::{visible, visible_json};
use tribunal_app::Exit;

/// What a shell says of a program that ended because its reader was gone: 128 and the number of SIGPIPE.
const READER_GONE: i32 = 141;

/// Whether there is nothing left to do when the reader is gone.
static ENDS_WITH_READER: AtomicBool = AtomicBool::new(false);
/// Whether a part of the result was lost although somebody wanted it.
static IS_LOST: AtomicBool = AtomicBool::new(false);

macro_rules! print {
    ($($text:tt)*) => { $crate::out::show(::std::format_args!($($text)*)) };
}

macro_rules! println {
    () => { $crate::out::show(::std::format_args!("\n")) };
    ($($text:tt)*) => { $crate::out::show(::std::format_args!("{}\n", ::std::format_args!($($text)*))) };
}

macro_rules! eprint {
    ($($text:tt)*) => { $crate::out::tell(::std::format_args!($($text)*)) };
}

macro_rules! eprintln {
    () => { $crate::out::tell(::std::format_args!("\n")) };
    ($($text:tt)*) => { $crate::out::tell(::std::format_args!("{}\n", ::std::format_args!($($text)*))) };
}

/// From now on the process ends, quietly, when nobody reads what it prints.
pub(crate) fn end_with_reader() {
    ENDS_WITH_READER.store(true, Ordering::Relaxed);
}

/// How the process ends: a result that was lost is not a success.
pub(crate) fn exit(exit: Exit) -> Exit {
    // What is still buffered is written here, where its failure can be seen.
    note(Stdout.flush());
    if IS_LOST.load(Ordering::Relaxed) { exit.max(Exit::Failed) } else { exit }
}

/// Prints a part of the result for people. What a terminal would obey is made visible, also in a pipe: most of them end at
/// a terminal.
pub(crate) fn show(text: fmt::Arguments<'_>) {
    note(unless_gone(io::stdout().write_all(visible(&text.to_string()).as_bytes()), ()));
}

/// Prints a result that somebody goes on with, such as a page or a patch: byte for byte, unless it ends at a terminal.
pub(crate) fn data(text: &str) {
    let shown = if io::stdout().is_terminal() { visible(text) } else { text.into() };
    note(unless_gone(io::stdout().write_all(shown.as_bytes()), ()));
}

/// Prints an object for programs, on a line or on several. It says the same to them, and nothing to a terminal.
pub(crate) fn json(text: &str) {
    let line = format!("{}\n", visible_json(text));
    note(unless_gone(io::stdout().write_all(line.as_bytes()), ()));
}

/// Prints a text in which everything that others wrote was made visible before, and nothing else is left to escape.
pub(crate) fn show_made_visible(text: &str) {
    note(unless_gone(io::stdout().write_all(text.as_bytes()), ()));
}

/// Says something beside the result.
pub(crate) fn tell(text: fmt::Arguments<'_>) {
    let _ = io::stderr().write_all(visible(&text.to_string()).as_bytes());
}

/// Standard output for those who write to it themselves, and say themselves what was lost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stdout;

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        unless_gone(io::stdout().write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        unless_gone(io::stdout().flush(), ())
    }
}

/// What a write came to. One that nobody is there to read has succeeded, or ends the process.
fn unless_gone<T>(written: io::Result<T>, all: T) -> io::Result<T> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            if ENDS_WITH_READER.load(Ordering::Relaxed) {
                std::process::exit(READER_GONE);
            }
            Ok(all)
        }
        written => written,
    }
}

/// Says once that a part of the result was lost.
fn note(written: io::Result<()>) {
    if let Err(error) = written
        && !IS_LOST.swap(true, Ordering::Relaxed)
    {
        eprintln!("error: cannot write the result: {error}");
    }
}
