//! The project's files that a draft may show: pictures, fonts and style sheets, and nothing else.
//!
//! Every name on the way is opened as what it is and never through a link, so that no link, whoever changes it when, leads
//! out of the folder. Names that begin with a dot are nobody's to see: secrets and repositories have such names.

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// A longer file is not shown.
const MAX_FILE: u64 = 16 << 20;
/// More folders than this are between no page and its pictures.
const MAX_DEPTH: usize = 32;

/// Kinds of files, by the end of their names.
const KINDS: [(&str, &str); 14] = [
    ("avif", "image/avif"),
    ("bmp", "image/bmp"),
    ("gif", "image/gif"),
    ("ico", "image/x-icon"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("webp", "image/webp"),
    ("css", "text/css; charset=utf-8"),
    ("otf", "font/otf"),
    ("ttf", "font/ttf"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
];

/// What is at `path` in the folder `root`, and its kind. `path` is as a browser asks for it, decoded once.
pub(crate) fn read(root: &Path, path: &str) -> Option<(&'static str, Vec<u8>)> {
    let kind = kind(path)?;
    let names: Vec<&str> = path.split('/').collect();
    let (last, folders) = names.split_last()?;
    if names.len() > MAX_DEPTH || !names.iter().all(|name| is_plain(name)) {
        return None;
    }
    let folder = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    let mut place = openat(CWD, root, folder, Mode::empty()).ok()?;
    for name in folders {
        place = openat(&place, *name, folder | OFlags::NOFOLLOW, Mode::empty()).ok()?;
    }
    // A pipe would keep us waiting for somebody who writes into it.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = openat(&place, *last, flags, Mode::empty()).ok()?;
    if FileType::from_raw_mode(fstat(&file).ok()?.st_mode) != FileType::RegularFile {
        return None;
    }
    let mut bytes = Vec::new();
    File::from(file).take(MAX_FILE + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MAX_FILE).then_some((kind, bytes))
}

/// Whether a name names something in its folder, and nothing hidden.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['\\', '\0'])
}

fn kind(path: &str) -> Option<&'static str> {
    let (_, end) = path.rsplit_once('.')?;
    KINDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(end)).map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn pictures_are_read_and_nothing_else_is() {
        let outside = tempfile::tempdir().unwrap();
        let root = outside.path().join("project");
        fs::create_dir_all(root.join("art/.private")).unwrap();
        for (name, text) in [
            ("art/bread.png", "bread"),
            ("BREAD.SVG", "<svg/>"),
            ("art/.private/secret.png", "SECRET"),
            (".env.png", "SECRET"),
            ("tribunal.toml", "SECRET"),
            ("page.html", "SECRET"),
            ("../outside.png", "SECRET"),
            ("key.pem", "SECRET"),
        ] {
            fs::write(root.join(name), text).unwrap();
        }
        symlink("../outside.png", root.join("link.png")).unwrap();
        symlink("/etc/passwd", root.join("passwd.png")).unwrap();
        symlink("key.pem", root.join("inside.png")).unwrap();
        symlink("..", root.join("up")).unwrap();
        fs::create_dir(root.join("folder.png")).unwrap();
        let root = root.as_path();
        assert_eq!(read(root, "art/bread.png"), Some(("image/png", b"bread".to_vec())));
        assert_eq!(read(root, "BREAD.SVG"), Some(("image/svg+xml", b"<svg/>".to_vec())));
        for path in [
            "art/.private/secret.png",
            ".env.png",
            "tribunal.toml",
            "page.html",
            "key.pem",
            "../outside.png",
            "art/../../outside.png",
            "art/../art/bread.png",
            "./art/bread.png",
            "/art/bread.png",
            "art//bread.png",
            "art\\..\\..\\outside.png",
            "%2e%2e/outside.png",
            "link.png",
            "passwd.png",
            "inside.png",
            "up/outside.png",
            "folder.png",
            "key.pem\0.png",
            "missing.png",
            "",
            "png",
        ] {
            assert_eq!(read(root, path), None, "{path}");
        }
    }

    #[test]
    fn what_is_too_long_or_never_ends_is_not_read() {
        let root = tempfile::tempdir().unwrap();
        let long = File::create(root.path().join("long.png")).unwrap();
        long.set_len(MAX_FILE + 1).unwrap();
        assert_eq!(read(root.path(), "long.png"), None);
        rustix::fs::mkfifoat(CWD, root.path().join("pipe.png"), Mode::RUSR).unwrap();
        assert_eq!(read(root.path(), "pipe.png"), None);
    }
}
