//! A person's own editor: where they write what a program cannot guess.

use std::fs;
use std::io;
use std::process::Command;

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("$EDITOR is not set")]
    None,
    #[error("cannot open the editor `{editor}`: {source}")]
    Io { editor: String, source: io::Error },
    #[error("the editor `{editor}` ended with {status}")]
    Ended { editor: String, status: std::process::ExitStatus },
}

/// Whether the person has one.
pub fn is_set() -> bool {
    setting().is_some()
}

fn setting() -> Option<String> {
    ["VISUAL", "EDITOR"].into_iter().find_map(|name| std::env::var(name).ok().filter(|it| !it.is_empty()))
}

/// Opens `text` in the person's editor, in the foreground, and returns what they made of it.
pub fn edit(text: &str) -> Result<String, EditError> {
    let editor = setting().ok_or(EditError::None)?;
    let io = |source| EditError::Io { editor: editor.clone(), source };
    let file = tempfile::Builder::new().prefix("tribunal-").suffix(".md").tempfile().map_err(io)?;
    fs::write(file.path(), text).map_err(io)?;
    // Editors are set with arguments, too: `code --wait`.
    let status = Command::new("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(file.path()).status();
    let status = status.map_err(io)?;
    if !status.success() {
        return Err(EditError::Ended { editor, status });
    }
    fs::read_to_string(file.path()).map_err(io)
}
