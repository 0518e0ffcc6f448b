//! Who shows pages as a browser does.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use tribunal_checks::seen::{Picture, View};

/// Whoever can show a page. The house itself has no browser.
pub trait PageViewer: Debug + Send + Sync {
    /// Shows a page; the error is that of a browser which was asked for by name and is of no use.
    fn view(&self, page: PageToView) -> Viewing<'_>;
}

/// A page on its way to being seen.
pub type Viewing<'a> = Pin<Box<dyn Future<Output = Result<PageSeen, ViewerError>> + Send + 'a>>;

/// A page that is to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageToView {
    /// Nothing outside of this folder is read.
    pub root: PathBuf,
    /// The folder that `/x` starts from.
    pub site_root: Option<PathBuf>,
    /// Where the page lies, or would lie.
    pub file: PathBuf,
    pub text: String,
    /// Texts that take the place of files, by their path below the root.
    pub instead: BTreeMap<String, String>,
    /// Whether its pixels are wanted, too.
    pub takes_pictures: bool,
    /// Whether it is looked at again, whatever is remembered of it.
    pub is_again: bool,
}

/// What was seen of a page.
#[derive(Debug, Clone, Default)]
pub struct PageSeen {
    /// One for every window; empty where nobody looked.
    pub views: Arc<[View]>,
    /// One for every window, where they were asked for.
    pub pictures: Arc<[Picture]>,
    /// Why nothing was seen, though somebody tried.
    pub unseen: Option<String>,
    /// How the page itself kept the browser from seeing it: it hangs, or breaks down. Nobody ever saw it as it is meant.
    pub hangs: Option<String>,
}

/// A browser that was asked for is of no use.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{what}")]
pub struct ViewerError {
    pub what: String,
    pub hint: String,
}
