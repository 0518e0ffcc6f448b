//! The editor: mechanical fixes, each explained, none that makes anything worse.
//!
//! An edit is *certain* when the page says the same afterwards, looks the same but for the fault, and measures better.
//! Whatever else could be done is a suggestion.
//!
//! | file | noun |
//! |---|---|
//! | `proposal` | an edit that could be made, and what it may change |
//! | `bench` | pages and their sheets, on which proposals are tried |
//! | `standing` | what an edit must not make worse |
//! | `links` | how far links stand out from their text |
//! | `look` | what a page says and how it looks, before and after |
//! | `page`, `headings`, `style`, `contrast`, `text` | the proposals |

mod bench;
mod contrast;
mod headings;
mod links;
mod look;
mod page;
mod proposal;
mod standing;
mod style;
mod text;

use std::collections::BTreeMap;

use crate::{DesignTokens, document::Document, place::SourceLocation};
use bench::Bench;
pub use look::{TouchedElement, touched_elements};
pub(crate) use proposal::Proposal;

/// Whether an edit can be made without asking anybody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Certainty {
    Certain,
    /// Somebody has to look at it: why.
    Suggested(String),
}

/// An edit that was made, or that could be.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// The code of the finding that it answers.
    pub code: &'static str,
    pub why: String,
    pub before: String,
    pub after: String,
    /// The file that it changes: a page, or one of its style sheets.
    pub file: String,
    /// Where it was made, in the file as it was then.
    pub place: Option<SourceLocation>,
    pub certainty: Certainty,
}

/// A page to be fixed.
#[derive(Debug)]
pub struct FixPage<'d> {
    /// Its file, as edits name it.
    pub name: &'d str,
    pub document: &'d Document,
}

/// What may be done, and to what.
pub struct Fixing<'f> {
    pub tokens: &'f DesignTokens,
    /// Whether suggestions are edits, too.
    pub takes_suggestions: bool,
    /// Whether a linked style sheet, by its path, is the user's own to change. What is minified or made by a program is
    /// left alone whatever this says.
    pub may_change: &'f dyn Fn(&str) -> bool,
    /// Whether an edit that could be made is wanted.
    pub wants: &'f mut dyn FnMut(&Edit) -> bool,
}

impl std::fmt::Debug for Fixing<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fixing").field("takes_suggestions", &self.takes_suggestions).finish_non_exhaustive()
    }
}

/// What came of fixing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fixed {
    /// The new text of every file that changed: pages by their name, style sheets by their path.
    pub texts: BTreeMap<String, String>,
    pub edits: Vec<Edit>,
    /// What could be done, too, if somebody says so.
    pub suggestions: Vec<Edit>,
    /// Edits that would have made a measurement worse, or change what is not at fault, with the reason.
    pub refused: Vec<(Edit, String)>,
}

/// Makes every edit that is certain, on all pages and on the style sheets that they share.
pub fn fix_all(pages: &[FixPage<'_>], fixing: Fixing<'_>) -> Fixed {
    Bench::new(pages, fixing).run()
}

/// Makes every edit to a page alone that is certain. Its linked style sheets stay what they are; its file has no name.
pub fn fix(document: &Document, tokens: &DesignTokens) -> Fixed {
    let page = FixPage { name: "", document };
    let fixing = Fixing { tokens, takes_suggestions: false, may_change: &|_| false, wants: &mut |_| true };
    fix_all(&[page], fixing)
}

impl Fixed {
    /// The page's text after [`fix`].
    pub fn text<'f>(&'f self, document: &'f Document) -> &'f str {
        self.texts.get("").map_or(document.source(), String::as_str)
    }
}
