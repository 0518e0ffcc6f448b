//! `tribunal man`: the manual pages.

use std::io;
use std::path::Path;
use tribunal_app::{AppError, Exit};

use crate::args::{self, Global};

pub(super) fn man(global: &Global, args: &args::Man) -> Result<Exit, AppError> {
    let mut command = args::command();
    // It names every command with those above it.
    command.build();
    match &args.to {
        Some(folder) => pages(&command, &global.dir.clone().unwrap_or_default().join(folder))?,
        None => crate::out::data(&String::from_utf8_lossy(&page(&command)?)),
    }
    Ok(Exit::Pass)
}

/// The page of a command, and those below it: `tribunal.1`, `tribunal-desk.1`, `tribunal-desk-run.1`.
fn pages(command: &clap::Command, folder: &Path) -> Result<(), AppError> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    tribunal_store::atomic::write(&folder.join(format!("{name}.1")), &page(command)?)?;
    // `help` says what the pages say.
    let mut below = command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help");
    below.try_for_each(|below| pages(below, folder))
}

/// With the version of the program, whichever command it is about.
fn page(command: &clap::Command) -> Result<Vec<u8>, AppError> {
    let mut page = Vec::new();
    let cannot = |error: io::Error| AppError::environment(format!("cannot write the manual: {error}"), None);
    let command = command.clone().version(env!("CARGO_PKG_VERSION"));
    clap_mangen::Man::new(command)
        .source(concat!("tribunal ", env!("CARGO_PKG_VERSION")))
        .render(&mut page)
        .map_err(cannot)?;
    Ok(page)
}
