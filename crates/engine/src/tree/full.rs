//! A disk that is full, as git tells it: in many words, of which few name the reason.

use std::path::{Path, PathBuf};

/// What the system says, where git passes it on.
const REASONS: [&str; 2] = ["No space left on device", "Disk quota exceeded"];
/// What git says of what it could not do, often without a reason.
const WRITING: [&str; 6] = ["write", "rename", "create", "copy", "close", "mkdir"];
/// Less than this is none: git removes what it could not finish, and leaves a little.
const NONE: u64 = 64 << 10;

/// Which of these places has no space left, if that is why git failed. The first one where nobody can tell.
pub(super) fn full_place<'p>(told: &str, places: &[&'p Path], is_full: impl Fn(&Path) -> bool) -> Option<&'p Path> {
    let is_said = REASONS.iter().any(|reason| told.contains(reason));
    let is_writing = WRITING.iter().any(|word| told.contains(word));
    let full = places.iter().find(|place| (is_said || is_writing) && is_full(place));
    full.or(places.first().filter(|_| is_said)).copied()
}

/// Whether the file system of a path has no space or no files left.
pub(super) fn is_full(path: &Path) -> bool {
    let there: Option<PathBuf> = path.ancestors().find(|path| path.exists()).map(Path::to_owned);
    let Some(found) = there.and_then(|path| rustix::fs::statvfs(&path).ok()) else { return false };
    let has_no_files = 0 < found.f_files && found.f_favail == 0;
    has_no_files || found.f_bavail.saturating_mul(found.f_frsize) < NONE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_says_it_in_many_words() {
        let (cache, books) = (Path::new("/cache"), Path::new("/books"));
        for (name, told, full, expected) in [
            ("a reason", "error: file write error: No space left on device", &[cache][..], Some(cache)),
            ("a quota", "fatal: cannot create: Disk quota exceeded", &[books], Some(books)),
            ("a reason, and nobody is full any more", "write error: No space left on device", &[], Some(cache)),
            ("no reason", "fatal: unable to write new index file", &[books], Some(books)),
            ("a rename", "error: unable to rename temporary file", &[cache], Some(cache)),
            ("no reason, and there is space", "fatal: unable to write new index file", &[], None),
            ("something else", "fatal: not a git repository", &[cache], None),
        ] {
            assert_eq!(full_place(told, &[cache, books], |place| full.contains(&place)), expected, "{name}");
        }
        assert!(!is_full(&std::env::temp_dir().join("none/none")));
    }
}
