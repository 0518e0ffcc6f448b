//! What lies around a document: the files that its links lead to.

use std::{collections::BTreeSet, sync::Arc};

use crate::{address::percent_decode, dom::Dom, lint::is_page, markdown::Markdown, parse};

/// Answers for paths below the root, as [`Addresses`](crate::Addresses) resolves them.
pub trait Surroundings {
    /// Whether there is such a file or folder.
    fn exists(&self, path: &str) -> bool;

    /// The anchors of another page; `None` when it is no page or cannot be read, and its anchors are not judged then.
    fn anchors(&self, path: &str) -> Option<Arc<Anchors>>;
}

/// Files of which no more is known than whether they are there.
pub struct KnownFiles<'f>(pub &'f dyn Fn(&str) -> bool);

impl std::fmt::Debug for KnownFiles<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KnownFiles")
    }
}

impl Surroundings for KnownFiles<'_> {
    fn exists(&self, path: &str) -> bool {
        (self.0)(path)
    }

    fn anchors(&self, _: &str) -> Option<Arc<Anchors>> {
        None
    }
}

/// The places of a page that a link can name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Anchors {
    ids: BTreeSet<String>,
    /// Renderers of Markdown do not care for the case of the ids that they make.
    folded: bool,
}

impl Anchors {
    /// The anchors of HTML, or of Markdown, whichever the text is.
    pub fn of(text: &str, is_markdown: bool) -> Self {
        if is_markdown && !is_page(text) {
            Self::of_markdown(&Markdown::read(text))
        } else {
            Self::of_dom(&parse::parse(text))
        }
    }

    /// Every id, and the names of `<a>`.
    pub(crate) fn of_dom(dom: &Dom) -> Self {
        let named = dom.elements().flat_map(|(_, element)| {
            let name = (&*element.name == "a").then(|| element.attr("name")).flatten();
            element.attr("id").into_iter().chain(name)
        });
        Self { ids: named.map(str::to_owned).collect(), folded: false }
    }

    pub(crate) fn of_markdown(markdown: &Markdown) -> Self {
        let ids = markdown.anchors().map(|id| id.to_lowercase()).collect();
        Self { ids, folded: true }
    }

    /// Whether a fragment, as it is written, leads somewhere: a browser looks for it as it is, then decoded.
    pub fn has(&self, fragment: &str) -> bool {
        let decoded = percent_decode(fragment);
        // The page's start by definition; routes of scripts; words instead of an id.
        let needs_none = decoded.eq_ignore_ascii_case("top")
            || ["/", "!", ":~:"].iter().any(|start| fragment.starts_with(start))
            || fragment.contains(":~:");
        needs_none || [fragment, decoded.as_str()].iter().any(|id| self.holds(id))
    }

    fn holds(&self, id: &str) -> bool {
        if self.folded { self.ids.contains(&id.to_lowercase()) } else { self.ids.contains(id) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_are_compared_as_browsers_do() {
        let page = "<p id=a><p id='über'><a name=old></a><p name=no><p id='50%'><p id='a%20b'><p id='x y'>";
        let markdown = "# Setting Up\n\n## Notes\n\n## Notes\n\n## Notes 1\n\n## C++ & `code`\n\n<a id=\"Own\"></a>\n";
        for (name, text, is_markdown, fragment, want) in [
            ("an id", page, false, "a", true),
            ("another case", page, false, "A", false),
            ("decoded", page, false, "%C3%BCber", true),
            ("not decoded", page, false, "über", true),
            ("the name of a link", page, false, "old", true),
            ("the name of anything else", page, false, "no", false),
            ("a bare per cent", page, false, "50%", true),
            ("an id that looks encoded", page, false, "a%20b", true),
            ("an id with a blank", page, false, "x%20y", true),
            ("the start of the page", page, false, "TOP", true),
            ("a route", page, false, "/settings", true),
            ("an old route", page, false, "!settings", true),
            ("words", page, false, ":~:text=hello", true),
            ("nothing like it", page, false, "gone", false),
            ("a heading", markdown, true, "setting-up", true),
            ("a heading in another case", markdown, true, "Setting-Up", true),
            ("a heading again", markdown, true, "notes-1", true),
            ("a number that is taken", markdown, true, "notes-1-1", true),
            ("no third one", markdown, true, "notes-2", false),
            ("marks are left out", markdown, true, "c--code", true),
            ("HTML in Markdown", markdown, true, "own", true),
            ("no such heading", markdown, true, "setup", false),
            ("a page that is called a text", "<!doctype html><p id=a>", true, "a", true),
        ] {
            assert_eq!(Anchors::of(text, is_markdown).has(fragment), want, "{name}: {fragment}");
        }
    }
}
