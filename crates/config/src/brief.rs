//! The brief as configured: the text itself, or the path of a file that holds it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Longer than any path a system takes; a brief beyond it is text.
const PATH_MAX: usize = 4096;

/// What the user wrote, and the folder that a path in it starts from. Which of the two it is can only be settled
/// by looking at the disk, which is the caller's business.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Brief {
    pub text: String,
    pub base: PathBuf,
}

impl Brief {
    /// The file to try first, if the text could name one.
    pub fn path(&self) -> Option<PathBuf> {
        let text = self.text.trim();
        (text.len() <= PATH_MAX && !text.contains('\n')).then(|| self.base.join(text))
    }

    /// Whether the text can hardly be anything but a path: one word with a file extension, or with a folder in front.
    /// If that file is missing, say so: the path of a file makes a poor brief.
    pub fn must_be_file(&self) -> bool {
        let text = self.text.trim();
        let (stem, extension) = text.rsplit_once('.').unwrap_or((text, ""));
        let has_extension = !stem.is_empty()
            && (1..=8).contains(&extension.len())
            && extension.bytes().all(|b| b.is_ascii_alphanumeric());
        let has_folder = text.starts_with(['/', '.', '~']) && text.contains('/');
        !text.contains(char::is_whitespace) && (has_extension || has_folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_told_from_a_text() {
        for (text, path, must) in [
            ("brief.md", true, true),
            ("briefs/launch.txt", true, true),
            ("./brief", true, true),
            ("my brief.md", true, false),
            ("haiku", true, false),
            ("Write a haiku.", true, false),
            ("and/or", true, false),
            ("line one\nline two", false, false),
        ] {
            let brief = Brief { text: text.to_owned(), base: PathBuf::from("/p") };
            assert_eq!((brief.path().is_some(), brief.must_be_file()), (path, must), "{text:?}");
        }
    }

    #[test]
    fn a_path_starts_from_the_folder_of_its_source() {
        let brief = Brief { text: " brief.md\n".to_owned(), base: PathBuf::from("/p") };
        assert_eq!(brief.path(), Some(PathBuf::from("/p/brief.md")));
    }
}
