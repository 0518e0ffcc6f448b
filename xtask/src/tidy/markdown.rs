//! Links in Markdown, as far as rules need to understand it.

use std::path::{Component, Path, PathBuf};

/// A link to something in the repository.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// In which line it stands.
    pub(super) line: usize,
    /// As it is written, without what follows a `#`.
    pub(super) target: String,
}

/// Every relative link in a page: `[text](target)`, images, and `[name]: target`. What stands in code is no link.
pub(super) fn links(page: &str) -> Vec<Link> {
    let mut links = Vec::new();
    let mut fence: Option<&str> = None;
    for (line, text) in (1..).zip(page.lines()) {
        let trimmed = text.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => {}
            (None, Some(mark)) => fence = Some(mark),
            (None, None) => {
                let text = without_code(text);
                let mut targets: Vec<&str> = text.split("](").skip(1).filter_map(inline_target).collect();
                targets.extend(definition(&text));
                let inside = targets.into_iter().filter_map(inside).map(str::to_owned);
                links.extend(inside.map(|target| Link { line, target }));
            }
        }
    }
    links
}

/// Where a link of the page at `from` leads, relative to the root; `None` when it leads out of the repository.
pub(super) fn resolve(from: &Path, target: &str) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    let start = if target.starts_with('/') { Path::new("") } else { from.parent().unwrap_or(Path::new("")) };
    for component in start.join(target.trim_start_matches('/')).components() {
        match component {
            Component::Normal(name) => path.push(name),
            Component::ParentDir => path.pop().then_some(())?,
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    Some(path)
}

/// The target of an inline link, from behind its `](`; a title behind it is cut off.
fn inline_target(rest: &str) -> Option<&str> {
    let target = match rest.strip_prefix('<') {
        Some(rest) => rest.split_once('>')?.0,
        None => rest.split_once(')')?.0.split(' ').next()?,
    };
    Some(target)
}

/// The target of a definition: `[name]: target`.
fn definition(text: &str) -> Option<&str> {
    let (_, target) = text.trim_start().strip_prefix('[')?.split_once("]: ")?;
    target.split_whitespace().next()
}

/// The part of a target that names a file here.
fn inside(target: &str) -> Option<&str> {
    let is_address = target.contains("://") || target.starts_with("mailto:");
    let file = target.split('#').next().unwrap_or_default();
    (!is_address && !file.is_empty()).then_some(file)
}

/// The text with everything between backticks left out.
fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found() {
        for (name, page, expected) in [
            ("plain", "See [a](a.md) and [b](x/b.md#part).", &["a.md", "x/b.md"][..]),
            ("image and title", "![pic](pic.png \"A title\")", &["pic.png"]),
            ("angle brackets", "[a](<a b.md>)", &["a b.md"]),
            ("definition", "[a]: a.md", &["a.md"]),
            ("address", "[a](https://example.com) [m](mailto:a@b.c) [h](#here)", &[]),
            ("code", "`[a](a.md)` and [b](b.md)", &["b.md"]),
            ("fence", "```md\n[a](a.md)\n```\n[b](b.md)", &["b.md"]),
            ("code as text", "[`a`](a.md)", &["a.md"]),
        ] {
            let found: Vec<String> = links(page).into_iter().map(|link| link.target).collect();
            assert_eq!(found, expected, "{name}");
        }
        assert_eq!(links("\n[a](a.md)")[0].line, 2);
    }

    #[test]
    fn links_start_from_their_page() {
        let resolve = |target| resolve(Path::new("docs/page.md"), target);
        assert_eq!(resolve("other.md"), Some("docs/other.md".into()));
        assert_eq!(resolve("../README.md"), Some("README.md".into()));
        assert_eq!(resolve("/docs"), Some("docs".into()));
        assert_eq!(resolve("../../outside.md"), None);
    }
}
