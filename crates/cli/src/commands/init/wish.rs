//! What somebody wants of a new project, and where.

use std::fs;
use std::path::{Path, PathBuf};
use tribunal_app::AppError;

/// What a person finds in the editor.
const PAGE: &str = "\n\n# Write the brief above. Lines at the end that start with `#` are ignored.\n";

/// Where, and what.
pub(super) struct Wish {
    pub(super) folder: PathBuf,
    pub(super) brief: Option<String>,
}

impl Wish {
    /// Of two words the first is the folder. A single one is the brief if it is a sentence or a file.
    pub(super) fn of(dir: &Path, mut about: Vec<String>, brief: Option<String>) -> Result<Self, AppError> {
        let is_brief = |word: &String| word.contains(char::is_whitespace) || dir.join(word).is_file();
        let said = if about.len() == 2 || about.last().is_some_and(is_brief) { about.pop() } else { None };
        let folder = about.pop().map_or_else(|| PathBuf::from("."), PathBuf::from);
        if said.is_some() && brief.is_some() {
            return Err(AppError::invalid("there are two briefs", "pass it as an argument or with --brief, not both"));
        }
        let brief = match said.or(brief) {
            Some(word) if word == "-" => Some(edited()?),
            Some(word) if dir.join(&word).is_file() => Some(read(&dir.join(&word))?),
            other => other,
        };
        if brief.as_deref().is_some_and(|brief| brief.trim().is_empty()) {
            return Err(AppError::invalid("the brief is empty", "write what you want"));
        }
        Ok(Self { folder, brief })
    }
}

fn read(path: &Path) -> Result<String, AppError> {
    fs::read_to_string(path)
        .map_err(|error| AppError::invalid(format!("cannot read {}: {error}", path.display()), "use a UTF-8 text file"))
}

/// What a person writes in their editor.
fn edited() -> Result<String, AppError> {
    let text = tribunal_engine::editor::edit(PAGE)
        .map_err(|error| AppError::invalid(error.to_string(), "set $EDITOR, or pass the brief as text or as a file"))?;
    let kept = text.trim_end().lines().rev().skip_while(|line| line.starts_with('#') || line.trim().is_empty());
    let mut kept: Vec<&str> = kept.collect();
    kept.reverse();
    Ok(kept.join("\n"))
}
