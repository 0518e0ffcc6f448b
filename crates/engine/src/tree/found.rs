//! A file as a change found it, whatever is in the folder now.

use std::path::{Component, Path, PathBuf};

use super::error::TreeError;
use super::git::Git;
use super::range::NamedChange;

/// So many links in a row are followed.
const MOST_LINKS: usize = 8;
/// How `ls-tree` names a link, and a plain file.
const LINK: &str = "120000";
const FILE: &str = "100";

/// What is at a path before a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundFile {
    Missing,
    Text(String),
    /// A link leads out of the repository, to this place.
    Outside(PathBuf),
}

impl NamedChange {
    /// The file at `path`, from the top of the repository, as the change found it. A link is followed as it was then.
    pub async fn found(&self, top: &Path, path: &str) -> Result<FoundFile, TreeError> {
        file_at(top, &self.base, path).await
    }

    /// Whether the change leaves a file, or a link, at this path.
    pub async fn leaves(&self, top: &Path, path: &str) -> Result<bool, TreeError> {
        Ok(entry(&Git::at(top), &self.head, path).await?.is_some())
    }

    /// Whether git has a file at this path in the commit that is checked out.
    pub async fn is_committed(top: &Path, path: &str) -> Result<bool, TreeError> {
        Ok(entry(&Git::at(top), "HEAD", path).await?.is_some())
    }
}

async fn file_at(top: &Path, commit: &str, path: &str) -> Result<FoundFile, TreeError> {
    let git = Git::at(top);
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Some((mode, object)) = entry(&git, commit, &path).await? else { return Ok(FoundFile::Missing) };
        if mode.starts_with(FILE) {
            return Ok(FoundFile::Text(text(&git, &object).await?));
        }
        if mode != LINK {
            return Ok(FoundFile::Missing);
        }
        let folder = Path::new(&path).parent().unwrap_or(Path::new(""));
        let target = folder.join(text(&git, &object).await?);
        match inside(&target) {
            Some(inner) => path = inner,
            None => return Ok(FoundFile::Outside(top.join(target))),
        }
    }
    Ok(FoundFile::Missing)
}

/// Mode and object of what is at a path.
async fn entry(git: &Git, commit: &str, path: &str) -> Result<Option<(String, String)>, TreeError> {
    let path = format!(":(top,literal){path}");
    let listed = git.call(&["ls-tree", "-z", "--full-tree", commit, "--", &path], &[]).await?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let mut words = listed.split(['\t', '\0']).next().unwrap_or_default().split(' ');
    let (mode, object) = (words.next(), words.nth(1));
    Ok(mode.filter(|mode| !mode.is_empty()).zip(object).map(|(mode, object)| (mode.to_owned(), object.to_owned())))
}

async fn text(git: &Git, object: &str) -> Result<String, TreeError> {
    Ok(String::from_utf8_lossy(&git.call(&["cat-file", "blob", object], &[]).await?).into_owned())
}

/// A path as git names it, if it stays inside.
fn inside(path: &Path) -> Option<String> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::Normal(part) => plain.push(part),
            Component::ParentDir if plain.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    plain.into_os_string().into_string().ok().filter(|path| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_leads_out_is_not_inside() {
        for (path, expected) in [
            ("a/b", Some("a/b")),
            ("./a/../b", Some("b")),
            ("../a", None),
            ("a/../../b", None),
            ("/etc/passwd", None),
            ("a/..", None),
        ] {
            assert_eq!(inside(Path::new(path)).as_deref(), expected, "{path}");
        }
    }
}
