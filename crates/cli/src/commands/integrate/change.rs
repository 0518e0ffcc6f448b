//! What would become of a file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tribunal_app::AppError;

use super::hook;
use super::json::{self, Refused};
use super::list;
use super::places::{How, Piece};
use super::section::{self, MARKDOWN, TOML, Torn};
use super::text;

/// Settings that are longer are none.
const MAX_FILE: u64 = 16 << 20;

/// A file before and after; nothing where there is no file.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) path: PathBuf,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    /// Why it stays as it is, although it is not as we would have it.
    pub(super) kept: Option<String>,
}

impl Change {
    pub(super) fn is_one(&self) -> bool {
        self.before != self.after
    }

    /// What is done, in a word.
    pub(super) fn word(&self) -> &'static str {
        match (&self.before, &self.after) {
            _ if self.kept.is_some() => "kept",
            (before, after) if before == after => "unchanged",
            (None, _) => "new",
            (_, None) => "removed",
            _ => "changed",
        }
    }

    /// Makes the file so.
    pub(super) fn apply(&self) -> Result<(), AppError> {
        // A link stays a link: what it leads to is written.
        let path = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        if let Some(text) = &self.after {
            return Ok(tribunal_store::atomic::write(&path, text.as_bytes()).map(drop)?);
        }
        fs::remove_file(&path)
            .map_err(|error| AppError::environment(format!("cannot remove {}: {error}", path.display()), None))?;
        // Folders that hold nothing any more go, too; the first that holds something stays.
        for folder in path.ancestors().skip(1).take(3) {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }
}

/// What becomes of every file. Where several pieces belong to one, each finds it as those before leave it.
pub(super) fn all(pieces: &[Piece], remove: bool) -> Result<Vec<Change>, AppError> {
    let mut changes: Vec<Change> = Vec::new();
    for piece in pieces {
        let known = changes.iter().position(|change| change.path == piece.path);
        let there = match known {
            Some(at) => changes[at].after.clone(),
            None => read(&piece.path)?,
        };
        let (after, kept) =
            if remove { take(piece, there.as_deref())? } else { (Some(put(piece, there.as_deref())?), None) };
        match known {
            Some(at) => {
                changes[at].after = after;
                changes[at].kept = changes[at].kept.take().or(kept);
            }
            None => changes.push(Change { path: piece.path.clone(), before: there, after, kept }),
        }
    }
    Ok(changes)
}

/// The file with the piece in it.
fn put(piece: &Piece, there: Option<&str>) -> Result<String, AppError> {
    Ok(match &piece.how {
        How::Whole(ours) => match there {
            Some(text) if text != ours && !text.contains(text::OURS) => {
                return Err(refused(
                    &piece.path,
                    "Tribunal did not write it",
                    "move it away, or keep it and add the server by hand",
                ));
            }
            _ => ours.clone(),
        },
        How::Entry(place, entry) => json::put(there, *place, entry).map_err(|error| not_edited(&piece.path, error))?,
        How::Element(place, element) => {
            list::put(there, *place, element, hook::is_ours).map_err(|error| not_edited(&piece.path, error))?
        }
        How::Section(ours) => section::put(there, MARKDOWN, ours).map_err(|Torn| torn(&piece.path))?,
        How::Table(ours) => {
            let table = |text: &str| text.parse::<toml::Table>();
            let parsed = table(there.unwrap_or_default())
                .map_err(|error| refused(&piece.path, &format!("it is not TOML: {}", error.message()), MEND))?;
            let after = section::put(there, TOML, ours).map_err(|Torn| torn(&piece.path))?;
            let is_there = parsed.get("mcp_servers").is_some_and(|servers| servers.get("tribunal").is_some());
            if is_there && !there.unwrap_or_default().contains(TOML.begin) {
                return Err(not_edited(&piece.path, Refused::Other));
            }
            // An inline table cannot be added to from below.
            table(&after).map_err(|error| {
                refused(&piece.path, &format!("a table cannot be added to it: {}", error.message()), MEND)
            })?;
            after
        }
    })
}

const MEND: &str = "fix it, or add the server by hand; docs/mcp.md shows the entry";

/// The file without the piece. What somebody has changed since is theirs and stays.
fn take(piece: &Piece, before: Option<&str>) -> Result<(Option<String>, Option<String>), AppError> {
    let Some(there) = before else { return Ok((None, None)) };
    let before = || before.map(str::to_owned);
    Ok(match &piece.how {
        How::Whole(ours) if there == ours => (None, None),
        How::Whole(_) => (before(), Some("it was changed, or Tribunal did not write it".to_owned())),
        How::Entry(place, entry) => match json::take(there, *place, entry) {
            Ok(after) => (after, None),
            Err(Refused::Other) => (before(), Some(format!("its `{}` is not the one that Tribunal wrote", place.name))),
            Err(error) => return Err(not_edited(&piece.path, error)),
        },
        How::Element(place, element) => match list::take(there, *place, element, hook::is_ours) {
            Ok(after) => (after, None),
            Err(Refused::Other) => (before(), Some("its stop hook is not the one that Tribunal wrote".to_owned())),
            Err(error) => return Err(not_edited(&piece.path, error)),
        },
        How::Section(_) => (section::take(there, MARKDOWN).map_err(|Torn| torn(&piece.path))?, None),
        How::Table(_) => (section::take(there, TOML).map_err(|Torn| torn(&piece.path))?, None),
    })
}

fn read(path: &Path) -> Result<Option<String>, AppError> {
    match fs::metadata(path) {
        Ok(file) if !file.is_file() => return Err(refused(path, "it is not a file", "move it away")),
        Ok(file) if file.len() > MAX_FILE => return Err(refused(path, "it is too long to be settings", "look at it")),
        _ => {}
    }
    match fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(refused(path, "it is not UTF-8 text", MEND)),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(refused(path, &error.to_string(), "look at its permissions")),
    }
}

fn not_edited(path: &Path, error: Refused) -> AppError {
    match error {
        Refused::Unreadable(why) => refused(path, &format!("it cannot be read as JSON: {why}"), MEND),
        Refused::Other => refused(
            path,
            "it already has a different server `tribunal`",
            "remove that entry, or keep it if it works for you",
        ),
    }
}

fn torn(path: &Path) -> AppError {
    refused(
        path,
        "one of the two markers of Tribunal's section is missing",
        "remove the other one and the text that belongs to it",
    )
}

fn refused(path: &Path, why: &str, hint: &str) -> AppError {
    AppError::invalid(format!("{} is not changed: {why}", path.display()), hint)
}
