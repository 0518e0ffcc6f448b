//! Fixing pages where they are: what is certain, and on request what is suggested. Prints nothing.

use serde_json::{Value, json};
use similar::TextDiff;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use tribunal_agents::house::{
    Files, FixedPage, MeasuredText, Measuring, PageFiles, PageFindings, PageSeen, PageToView, PageViewer, SeenFixing,
    counts, fix_seen,
};
use tribunal_anchors::report::{FileReport, ReportLevel, ReportedFinding};
use tribunal_checks::{Certainty, DesignTokens, Document, Edit, Fixed};

use crate::check::{finding_object, plain, read_design, say_once, select};
use crate::error::AppError;
use crate::eyes::BrowserEyes;
use crate::in_place::{self, Replaced};
use crate::measuring::{built, measuring};
use crate::patch::patch_name;
use crate::project::Project;

/// No page is longer.
const MAX_PAGE: u64 = 16 << 20;
/// So many pages are fixed together.
const MAX_PAGES: usize = 5000;
/// Folders of what others wrote.
const FOREIGN: [&str; 8] =
    ["node_modules", "bower_components", "vendor", "vendors", "third_party", "third-party", "site-packages", "_vendor"];

/// What to fix, and how.
#[derive(Debug, Default)]
pub struct FixRequest {
    /// Names are relative to this folder.
    pub dir: PathBuf,
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// Nothing outside of it is read or changed [default: the git repository, else `dir`, else the page's folder].
    pub root: Option<PathBuf>,
    pub design: Option<PathBuf>,
    pub takes_suggestions: bool,
    /// Whether files are changed, or only shown.
    pub writes: bool,
}

/// A file that was changed, or would be.
#[derive(Debug)]
pub struct FixedFile {
    pub name: String,
    pub diff: String,
    /// Where its old text is, if it was replaced and git does not have it.
    pub backup: Option<String>,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct FixOutcome {
    pub files: Vec<FixedFile>,
    pub edits: Vec<Edit>,
    pub suggestions: Vec<Edit>,
    /// Edits that were not made, with the reason.
    pub left_alone: Vec<(Edit, String)>,
    /// Files that were not touched, with the reason.
    pub refused: Vec<(String, String)>,
    /// What must be fixed still, by page: what `check` would list.
    pub must_fix: Vec<(String, ReportedFinding)>,
    /// How much had to be fixed before.
    pub must_fix_before: usize,
    /// What else was found and is left.
    pub others: usize,
    /// How many pages a browser showed before and after.
    pub seen: usize,
    /// Pages that a browser should have shown and did not, with the reason.
    pub unseen: Vec<(String, String)>,
}

/// What is the same for all pages.
struct FixWork<'w> {
    request: &'w FixRequest,
    project: &'w Project,
    tokens: DesignTokens,
    measuring: Measuring,
    viewer: Option<Arc<dyn PageViewer>>,
}

/// Fixes pages. `wants` is asked before each edit.
pub async fn fix(
    project: &Project,
    request: &FixRequest,
    wants: &mut (dyn FnMut(&Edit) -> bool + Send),
) -> Result<FixOutcome, AppError> {
    let tokens = match &request.design {
        Some(design) => read_design(&request.dir.join(design))?,
        None => DesignTokens::default(),
    };
    let viewer = BrowserEyes::of(&project.config().checks);
    let work = FixWork { request, project, tokens, measuring: measuring(project)?, viewer };
    let mut outcome = FixOutcome::default();
    let mut by_root: BTreeMap<PathBuf, Vec<OpenPage>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for path in pages(request)? {
        match OpenPage::open(&work, &path) {
            Ok((root, page)) if seen.insert(page.path.clone()) => by_root.entry(root).or_default().push(page),
            Ok(_) => {}
            Err(why) => outcome.refused.push((shown(request, &path), why)),
        }
    }
    for (root, pages) in by_root {
        fix_below(&work, &root, &pages, wants, &mut outcome).await?;
    }
    Ok(outcome)
}

/// Fixes the pages below one root together: they share style sheets.
async fn fix_below(
    work: &FixWork<'_>,
    root: &Path,
    pages: &[OpenPage],
    wants: &mut (dyn FnMut(&Edit) -> bool + Send),
    outcome: &mut FixOutcome,
) -> Result<(), AppError> {
    let request = work.request;
    let mut before = Vec::with_capacity(pages.len());
    for page in pages {
        let (found, seen) = page.findings(work, root, &page.document, &BTreeMap::new()).await?;
        before.push(found.report);
        outcome.seen += usize::from(!seen.views.is_empty());
        outcome.unseen.extend(seen.unseen.map(|why| (shown(request, &page.path), why)));
    }
    say_once(&mut before);
    outcome.must_fix_before += before.iter().flat_map(|report| &report.findings).filter(|one| is_grave(one)).count();
    let given: Vec<FixedPage<'_>> = pages
        .iter()
        .map(|page| FixedPage { name: &page.below, document: &page.document, view: page.view(work, root) })
        .collect();
    let may_change = |path: &str| is_own(path) && in_place::refusal(&root.join(path), root).is_none();
    let fixing = SeenFixing {
        tokens: &work.tokens,
        takes_suggestions: request.takes_suggestions,
        may_change: &may_change,
        viewer: work.viewer.as_deref(),
    };
    let Fixed { texts, edits, suggestions, refused } = fix_seen(&given, &fixing, wants).await?;
    let named = |edit: Edit| Edit { file: shown(request, &root.join(&edit.file)), ..edit };
    outcome.edits.extend(edits.into_iter().map(named));
    outcome.suggestions.extend(suggestions.into_iter().map(named));
    outcome.left_alone.extend(refused.into_iter().map(|(edit, why)| (named(edit), why)));
    let mut failed: BTreeSet<&str> = BTreeSet::new();
    for (below, new) in &texts {
        let path = root.join(below);
        let name = shown(request, &path);
        let old = old_text(pages, below).ok_or_else(|| AppError::environment(format!("{name} is gone"), None))?;
        let diff = TextDiff::from_lines(old, new.as_str())
            .unified_diff()
            .header(&patch_name("a", &name), &patch_name("b", &name))
            .to_string();
        let mut file = FixedFile { name: name.clone(), diff, backup: None };
        if request.writes {
            match in_place::replace(&path, old.as_bytes(), new.as_bytes()) {
                Ok(Replaced { backup, .. }) => file.backup = backup.map(|path| shown(request, &path)),
                Err(error) => {
                    outcome.refused.push((name, error.message()));
                    failed.insert(below);
                    continue;
                }
            }
        }
        outcome.files.push(file);
    }
    // What could not be written is still as it was.
    let is_made = |below: &str| request.writes && !failed.contains(below);
    let made: BTreeMap<String, String> = texts.iter().filter(|(below, _)| is_made(below)).map(cloned).collect();
    let mut left: Vec<FileReport> = Vec::with_capacity(pages.len());
    for page in pages {
        let text = made.get(&page.below).map_or(page.document.source(), String::as_str);
        let now = page.document.rewritten(text, &made);
        left.push(page.findings(work, root, &now, &made).await?.0.report);
    }
    say_once(&mut left);
    for (page, report) in pages.iter().zip(left) {
        for finding in report.findings.into_iter().filter(counts) {
            if is_grave(&finding) {
                outcome.must_fix.push((shown(request, &page.path), finding));
            } else {
                outcome.others += 1;
            }
        }
    }
    Ok(())
}

fn cloned((below, text): (&String, &String)) -> (String, String) {
    (below.clone(), text.clone())
}

fn is_grave(finding: &ReportedFinding) -> bool {
    finding.level == ReportLevel::Must && counts(finding)
}

/// The text of a page, or of a style sheet of one, as it was read.
fn old_text<'p>(pages: &'p [OpenPage], below: &str) -> Option<&'p str> {
    let page = pages.iter().find(|page| page.below == below).map(|page| page.document.source());
    page.or_else(|| pages.iter().find_map(|page| page.document.sheet_text(below)))
}

/// Whether a path is of the user's own files by its names.
fn is_own(below: &str) -> bool {
    Path::new(below).components().all(|part| match part {
        Component::Normal(name) => {
            let name = name.to_string_lossy();
            !name.starts_with('.') && !FOREIGN.iter().any(|foreign| name.eq_ignore_ascii_case(foreign))
        }
        _ => false,
    })
}

/// A page that may be changed.
#[derive(Debug)]
struct OpenPage {
    path: PathBuf,
    /// Its path below the root.
    below: String,
    around: PageFiles,
    document: Document,
    is_markdown: bool,
}

impl OpenPage {
    /// Opens a page, or says why it is not to be changed.
    fn open(work: &FixWork<'_>, path: &Path) -> Result<(PathBuf, Self), String> {
        let FixWork { request, project, .. } = work;
        let checks = &project.config().checks;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let named = request.root.as_ref().map(|root| request.dir.join(root)).or_else(|| checks.root.clone());
        let root = named.unwrap_or_else(|| Files::root_of(folder, Some(project.root())));
        if let Some(why) = in_place::refusal(path, &root) {
            return Err(why);
        }
        let Some(is_markdown) = kind(path) else { return Err("it is not an HTML or Markdown file".to_owned()) };
        let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
        if size > MAX_PAGE {
            return Err(format!("it has {size} bytes; the limit is {MAX_PAGE}"));
        }
        let bytes = fs::read(path).map_err(|error| error.to_string())?;
        let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
        let real = path.canonicalize().map_err(|error| error.to_string())?;
        let root = root.canonicalize().map_err(|error| error.to_string())?;
        let below = real.strip_prefix(&root).map_err(|_| "it lies outside".to_owned())?;
        let below = below.to_str().ok_or_else(|| "its name is not UTF-8".to_owned())?.to_owned();
        let files = Files::within(&root, &real, checks.site_root.as_deref());
        let document = if is_markdown {
            Document::markdown_at(&text, files.addresses())
        } else {
            Document::html_at(&text, files.addresses(), &|path| files.sheet(path))
        };
        let around = PageFiles::new(files, &root, &built(project));
        Ok((root, Self { path: real, below, around, document, is_markdown }))
    }

    /// How it is shown as it is; nothing for a text.
    fn view(&self, work: &FixWork<'_>, root: &Path) -> Option<PageToView> {
        (!self.is_markdown).then(|| PageToView {
            root: root.to_owned(),
            site_root: work.project.config().checks.site_root.clone(),
            file: self.path.clone(),
            text: self.document.source().to_owned(),
            instead: BTreeMap::new(),
            takes_pictures: false,
            is_again: false,
        })
    }

    /// What `check` finds in it, with some texts in the place of others, and what a browser saw of it.
    async fn findings(
        &self,
        work: &FixWork<'_>,
        root: &Path,
        document: &Document,
        instead: &BTreeMap<String, String>,
    ) -> Result<(PageFindings, PageSeen), AppError> {
        let linked = instead.iter().filter(|(path, _)| document.sheet_text(path).is_some());
        let instead: BTreeMap<String, String> = linked.map(cloned).collect();
        let seen = match (&work.viewer, self.view(work, root)) {
            (Some(viewer), Some(view)) => {
                // What is fixed next is looked at in pictures.
                let takes_pictures = !work.request.takes_suggestions;
                let text = document.source().to_owned();
                viewer.view(PageToView { text, instead, takes_pictures, ..view }).await?
            }
            _ => PageSeen::default(),
        };
        let page = MeasuredText {
            name: &shown(work.request, &self.path),
            document,
            is_markdown: self.is_markdown,
            file: &self.path,
            around: &self.around,
            seen: &seen,
        };
        let found = work.measuring.findings(&page, &work.tokens, &|file| shown(work.request, &root.join(file)));
        Ok((found, seen))
    }
}

/// Whether a file is Markdown, or HTML; nothing for any other.
fn kind(path: &Path) -> Option<bool> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "html" | "htm" | "xhtml" => Some(false),
        "md" | "markdown" => Some(true),
        _ => None,
    }
}

/// The files that `check` would look at, but for those in folders that others wrote.
fn pages(request: &FixRequest) -> Result<Vec<PathBuf>, AppError> {
    let named: Vec<PathBuf> = request.paths.iter().map(|path| plain(path)).collect();
    // Where a folder lies is the user's business; what is inside of it may be others'.
    let is_wanted = |path: &PathBuf| {
        let below = named.iter().find_map(|named| path.strip_prefix(named).ok()).unwrap_or(path);
        below.to_str().is_none_or(|below| below.is_empty() || is_own(below))
    };
    let found = select(&request.dir, &request.paths)?;
    let list: Vec<PathBuf> = found.into_iter().filter(is_wanted).map(|path| request.dir.join(path)).collect();
    if list.len() > MAX_PAGES {
        let hint = "name folders inside of it, one after the other";
        return Err(AppError::too_large(format!("there are more than {MAX_PAGES} pages"), hint));
    }
    Ok(list)
}

/// A file as results name it: relative to where the user is, where it can be.
fn shown(request: &FixRequest, path: &Path) -> String {
    let dir = if request.dir.as_os_str().is_empty() { Path::new(".") } else { &request.dir };
    let real = |path: &Path| path.canonicalize().ok();
    let whole = match (path.parent().and_then(real), path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    };
    let own = real(dir).and_then(|dir| whole.strip_prefix(dir).ok().map(Path::to_owned));
    own.unwrap_or(whole).display().to_string()
}

impl FixOutcome {
    /// For programs.
    pub fn object(&self) -> Value {
        let files: Vec<Value> = self
            .files
            .iter()
            .map(|file| json!({ "file": file.name, "diff": file.diff, "backup": file.backup }))
            .collect();
        let left: Vec<Value> = self
            .must_fix
            .iter()
            .map(|(page, finding)| {
                let mut object = finding_object(finding);
                object["page"] = json!(page);
                object
            })
            .collect();
        let refused: Vec<Value> = self.refused.iter().map(|(file, why)| json!({ "file": file, "why": why })).collect();
        let left_alone = self.left_alone.iter().map(|(edit, why)| {
            let mut object = edit_object(edit);
            object["left_alone"] = json!(why);
            object
        });
        json!({
            "files": files,
            "edits": self.edits.iter().map(edit_object).collect::<Vec<_>>(),
            "suggestions": self.suggestions.iter().map(edit_object).collect::<Vec<_>>(),
            "left_alone": left_alone.collect::<Vec<_>>(),
            "refused": refused,
            "seen_by_browser": self.seen,
            "unseen": self.unseen.iter().map(|(file, why)| json!({ "file": file, "why": why })).collect::<Vec<_>>(),
            "must_fix_before": self.must_fix_before,
            "must_fix": left,
        })
    }

    /// Whether nothing must be fixed any more, in any file that was named.
    pub fn passes(&self) -> bool {
        self.must_fix.is_empty() && self.refused.is_empty()
    }
}

/// An edit as an object.
pub fn edit_object(edit: &Edit) -> Value {
    let why_not = match &edit.certainty {
        Certainty::Certain => None,
        Certainty::Suggested(why) => Some(why.as_str()),
    };
    let place = edit.place.as_ref();
    json!({
        "file": edit.file, "code": edit.code, "why": edit.why, "before": edit.before, "after": edit.after,
        "line": place.map(|place| place.line), "column": place.map(|place| place.column), "uncertain": why_not,
    })
}
