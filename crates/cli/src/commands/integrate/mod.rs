//! `tribunal integrate`: what makes Tribunal usable from within a session of an agent.
//!
//! | file | noun |
//! |---|---|
//! | `places` | what belongs where, for every agent |
//! | `text` | what is written into sessions |
//! | `change` | what would become of a file |
//! | `json`, `list`, `section` | an entry, an element or a section, put in and taken out to the byte |
//! | `hook` | what asks Tribunal when an agent says it is done |

mod change;
mod hook;
mod json;
mod list;
mod places;
mod section;
mod text;

use serde_json::{Value, json};
use similar::TextDiff;
use std::env;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::PathBuf;
use tribunal_app::{AppError, Exit, programs};

use super::print_json;
use crate::args::{Global, Integrate};
use change::Change;
use places::{Home, Scope};

pub(super) fn integrate(global: &Global, args: &Integrate) -> Result<Exit, AppError> {
    let scope = scope(global, args)?;
    let mut pieces = if args.stop_hook { Vec::new() } else { places::pieces(args.agent, &scope) };
    if args.stop_hook || args.remove {
        pieces.extend(hook::pieces(args.agent, &scope));
    }
    if args.remove {
        // What was put in last is taken out first, so that every file is what it was.
        pieces.reverse();
    }
    // All files are looked at before one is written.
    let changes = change::all(&pieces, args.remove)?;
    let wanted: Vec<&Change> = changes.iter().filter(|change| change.is_one()).collect();
    if !global.json {
        show(&changes, &scope);
    }
    let goes_on = !wanted.is_empty() && !args.plan_only && (args.yes || asked(global)?);
    if goes_on {
        for change in &wanted {
            change.apply()?;
        }
    }
    if global.json {
        let files: Vec<Value> = changes.iter().map(|change| object(change, &scope)).collect();
        print_json(&json!({ "agent": args.agent.as_str(), "user": args.user, "files": files, "written": goes_on }));
    }
    if wanted.is_empty() {
        eprintln!("nothing to do");
        return Ok(Exit::Pass);
    }
    if !goes_on && !args.plan_only && !io::stdin().is_terminal() {
        return Err(AppError::invalid(
            "nothing was written: cannot ask without a terminal",
            "`--yes` skips the question",
        ));
    }
    if !goes_on {
        eprintln!("nothing was written");
        return Ok(Exit::Pass);
    }
    let files = if wanted.len() == 1 { "1 file".to_owned() } else { format!("{} files", wanted.len()) };
    eprintln!("{files} written");
    if !args.remove {
        let note = if args.stop_hook { Some(hook::note(args.agent)) } else { places::note(args.agent, &scope) };
        if let Some(note) = note {
            eprintln!("note: {note}");
        }
        if programs::find("tribunal").is_none() {
            eprintln!("note: `tribunal` is not on the PATH; {} needs it there", args.agent.as_str());
        }
    }
    Ok(Exit::Pass)
}

fn scope(global: &Global, args: &Integrate) -> Result<Scope, AppError> {
    let folder = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if args.user {
        let home = folder("HOME").ok_or_else(|| AppError::environment("HOME is not set", Some("set it".into())))?;
        return Ok(Scope::User(Home { folder: home, codex: folder("CODEX_HOME"), config: folder("XDG_CONFIG_HOME") }));
    }
    let root = match &global.dir {
        Some(dir) => dir.clone(),
        None => env::current_dir()
            .map_err(|error| AppError::environment(format!("cannot find the current folder: {error}"), None))?,
    };
    if !root.is_dir() {
        return Err(AppError::invalid(format!("no such folder: {}", root.display()), "use an existing one with `-C`"));
    }
    Ok(Scope::Project(root))
}

/// Whether a person who was asked agrees. Nobody can be asked without a terminal.
fn asked(global: &Global) -> Result<bool, AppError> {
    if global.json || !io::stdin().is_terminal() {
        return Ok(false);
    }
    eprint!("write this? [y/N] ");
    let cannot = |error: io::Error| AppError::environment(format!("cannot ask: {error}"), Some("use `--yes`".into()));
    io::stderr().flush().map_err(cannot)?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(cannot)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn show(changes: &[Change], scope: &Scope) {
    for change in changes {
        let name = places::shown(&change.path, scope);
        match &change.kept {
            Some(why) => eprintln!("{name} is kept: {why}"),
            None if change.is_one() => crate::out::data(&diff(change, &name)),
            None => {}
        }
    }
}

fn diff(change: &Change, name: &str) -> String {
    let (before, after) = (change.before.as_deref(), change.after.as_deref());
    let header = |side: Option<&str>| side.map_or_else(|| "/dev/null".to_owned(), |_| name.to_owned());
    let diff = TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
    diff.unified_diff().header(&header(before), &header(after)).to_string()
}

fn object(change: &Change, scope: &Scope) -> Value {
    let name = places::shown(&change.path, scope);
    let diff = change.is_one().then(|| diff(change, &name));
    json!({ "file": name, "action": change.word(), "why": change.kept, "diff": diff })
}
