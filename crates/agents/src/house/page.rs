//! A page, as the house looks at it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use tribunal_checks::{DesignTokens, Document};
use tribunal_kernel::Format;
use tribunal_kernel::theater::PageInput;

use super::{Files, HouseSettings, PageFiles, PageToView};

/// A page with its texts.
pub(super) type Page = PageInput<Arc<str>>;

/// What a page is called that has no file: addresses and browsers want a name.
const NAMELESS: &str = "page.html";

/// A page where it lies.
#[derive(Debug)]
pub(super) struct PlacedPage {
    pub(super) file: PathBuf,
    pub(super) root: PathBuf,
    pub(super) around: PageFiles,
    pub(super) document: Document,
    pub(super) is_markdown: bool,
    pub(super) tokens: DesignTokens,
}

impl PlacedPage {
    /// `workspace` is the folder that the page's own starts from.
    pub(super) fn of(page: &Page, workspace: &Path, settings: &HouseSettings) -> Self {
        // It comes from the run's spec: a page that was given may lie outside of the workspace.
        let folder = page.folder.as_ref().map_or_else(|| workspace.to_owned(), |folder| workspace.join(folder));
        let folder = folder.canonicalize().unwrap_or(folder);
        let root = settings.root.clone().unwrap_or_else(|| Files::root_of(&folder, Some(workspace)));
        let root = root.canonicalize().unwrap_or(root);
        let site = settings.site_root.as_deref();
        let file = folder.join(page.file.as_deref().unwrap_or(NAMELESS));
        let files = match &page.file {
            Some(_) => Files::within(&root, &file, site),
            None => Files::within(&root, &folder, site),
        };
        let is_markdown = format(page) != Format::Html;
        let document = if is_markdown {
            Document::markdown_at(&page.text, files.addresses())
        } else {
            Document::html_at(&page.text, files.addresses(), &|path| files.sheet(path))
        };
        let around = PageFiles::new(files, &root, &settings.built);
        Self { file, root, around, document, is_markdown, tokens: tokens(page) }
    }

    /// How it is shown; nothing for a text, which has no look.
    pub(super) fn view(&self, settings: &HouseSettings) -> Option<PageToView> {
        (!self.is_markdown).then(|| PageToView {
            root: self.root.clone(),
            site_root: settings.site_root.clone(),
            file: self.file.clone(),
            text: self.document.source().to_owned(),
            instead: std::collections::BTreeMap::new(),
            takes_pictures: false,
            is_again: false,
        })
    }
}

/// What it is, whatever its author calls it: a page that is called a text is a page.
pub(super) fn format(page: &Page) -> Format {
    if tribunal_checks::is_page(&page.text) { Format::Html } else { page.format }
}

/// What its design file asks for; nothing, if there is none.
fn tokens(page: &Page) -> DesignTokens {
    page.design.as_deref().map(DesignTokens::from_markdown).unwrap_or_default()
}
