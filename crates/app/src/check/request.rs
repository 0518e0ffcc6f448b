//! Checking files: what is asked for, and how it is done.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tribunal_agents::house::{Files, MeasuredText, Measuring, PageFiles, PageSeen, PageToView, UNREADABLE};
use tribunal_anchors::Anchor;
use tribunal_anchors::report::{FileReport, ReportLevel, ReportedFinding, Standing, fingerprint};
use tribunal_checks::{DesignTokens, Document, exceptions, is_page};

use super::baseline::Baseline;
use super::changed::ChangedFiles;
use super::outcome::{CheckedFile, CheckedFiles};
use super::parallel::in_parallel;
use super::select::select;
use super::{Page, commands, has_text_name, read_design, votes_on};
use crate::error::AppError;
use crate::eyes::BrowserEyes;
use crate::loops::read_anchor;
use crate::measuring::{built, measuring};
use crate::project::Project;
use crate::seating::seating;

/// No page is longer.
const MAX_PAGE: u64 = 64 << 20;
/// So many pages a browser shows before they are measured.
const SHOWN_AT_ONCE: usize = 16;
/// What a text from stdin is called.
const STDIN: &str = "stdin";

/// What to check, and by what.
#[derive(Debug, Default)]
pub struct CheckRequest {
    /// Files, folders and globs, seen from the folder that is passed with it.
    pub paths: Vec<PathBuf>,
    /// A text that is in no file, and what it is called.
    pub given: Option<(Option<PathBuf>, Vec<u8>)>,
    pub design: Option<PathBuf>,
    pub anchor: Option<PathBuf>,
    /// Whether linters are asked about rules that need an opinion.
    pub semantic: bool,
    pub root: Option<PathBuf>,
    /// Only what changed, against a commit or against what is committed.
    pub changed: Option<Option<String>>,
    pub baseline: Option<PathBuf>,
    pub update_baseline: bool,
}

impl CheckRequest {
    /// Checks files. `dir` is where paths start from.
    pub async fn run(self, project: &Project, dir: &Path) -> Result<CheckedFiles, AppError> {
        let measuring = measuring(project)?;
        let anchor = self.anchor.as_ref().map(|path| read_anchor(&dir.join(path))).transpose()?;
        let tokens = match &self.design {
            Some(design) => read_design(&dir.join(design))?,
            None => DesignTokens::default(),
        };
        let known = match &self.baseline {
            Some(path) if self.update_baseline && !dir.join(path).exists() => Some(Baseline::default()),
            Some(path) => Some(Baseline::read(&dir.join(path))?),
            None => None,
        };
        let mut sources: Vec<Source> = select(dir, &self.paths)?.into_iter().map(Source::File).collect();
        let found = sources.len();
        let changed = self.changed.as_ref().map(|base| ChangedFiles::against(dir, base.as_deref())).transpose()?;
        if let Some(changed) = &changed {
            sources.retain(|source| matches!(source, Source::File(path) if changed.lines(&dir.join(path)).is_some()));
        }
        let unchanged = found - sources.len();
        sources.extend(self.given.clone().map(|(name, bytes)| Source::Given(name, bytes)));

        // Without a design file an anchor is asked for alone.
        let measures = anchor.is_none() || self.design.is_some();
        let check = Check {
            project,
            dir,
            root: self.root.as_deref(),
            tokens,
            measuring,
            anchor,
            measures,
            files: Mutex::default(),
        };
        let mut looked_at = Vec::new();
        let viewer = BrowserEyes::of(&project.config().checks).filter(|_| measures);
        // What a browser shows of a page is large: no more of it is held than is looked at together.
        for some in sources.chunks(if viewer.is_some() { SHOWN_AT_ONCE } else { sources.len().max(1) }) {
            let mut both: Vec<(&Source, PageSeen)> = Vec::with_capacity(some.len());
            for source in some {
                let seen = match (&viewer, check.view(source)) {
                    (Some(viewer), Some(view)) => viewer.view(view).await?,
                    _ => PageSeen::default(),
                };
                both.push((source, seen));
            }
            looked_at.extend(in_parallel(&both, |(source, seen)| check.file(source, seen)));
        }
        let mut files: Vec<CheckedFile> = match &check.anchor {
            None => looked_at.into_iter().map(|(file, _)| file).collect(),
            Some(anchor) => check.held_against(anchor, looked_at, self.semantic).await?,
        };
        say_once(files.iter_mut().map(|file| &mut file.report));
        let root = check.root_for(dir);
        let linked = |file: &str| below(&root, &dir.join(file)).unwrap_or_else(|| file.to_owned());
        let known = match (&self.baseline, known) {
            (Some(path), Some(known)) if self.update_baseline => {
                let found = files.iter().map(|file| (file.below.clone(), &file.report));
                let known = known.updated(found, &linked, |file| root.join(file).exists());
                known.write(&dir.join(path))?;
                Some(known)
            }
            (_, known) => known,
        };
        for (file, source) in files.iter_mut().zip(&sources) {
            if let Some(known) = &known {
                known.mark(&file.below, &linked, &mut file.report);
            }
            if let (Some(changed), Source::File(path)) = (&changed, source) {
                let lines = |file: &str| changed.lines(&dir.join(file));
                let page = path.to_string_lossy();
                file.report.findings.retain(|finding| {
                    lines(finding.path(&page))
                        .is_some_and(|lines| lines.has(finding.span.as_ref().map(|span| span.line)))
                });
            }
        }
        Ok(CheckedFiles { files, unchanged })
    }
}

/// Something to check.
#[derive(Debug)]
enum Source {
    File(PathBuf),
    Given(Option<PathBuf>, Vec<u8>),
}

struct Check<'c> {
    project: &'c Project,
    dir: &'c Path,
    root: Option<&'c Path>,
    tokens: DesignTokens,
    measuring: Measuring,
    anchor: Option<Anchor>,
    measures: bool,
    /// What is known of files, by their root.
    files: Mutex<BTreeMap<PathBuf, Files>>,
}

impl Check<'_> {
    /// Where something lies, and what it is called.
    fn place_of(&self, source: &Source) -> (PathBuf, String) {
        match source {
            Source::File(path) => (self.dir.join(path), path.display().to_string()),
            Source::Given(name, _) => {
                let name = name.clone().unwrap_or_else(|| PathBuf::from(STDIN));
                (self.dir.join(&name), name.display().to_string())
            }
        }
    }

    /// How a page is shown, if it has a look. What cannot be read is said when it is measured.
    fn view(&self, source: &Source) -> Option<PageToView> {
        let (path, _) = self.place_of(source);
        let text = text_of(source, &path).ok()?;
        let folder = folder_of(&path);
        (self.measures && !is_text(source, &path, &text)).then(|| PageToView {
            root: self.root_for(&folder),
            site_root: self.project.config().checks.site_root.clone(),
            file: path,
            text,
            instead: BTreeMap::new(),
            takes_pictures: false,
            is_again: false,
        })
    }

    /// What is measured of one file, and the page where an anchor is to be asked.
    fn file(&self, source: &Source, seen: &PageSeen) -> (CheckedFile, Option<Page>) {
        let (path, name) = self.place_of(source);
        let folder = folder_of(&path);
        let root = self.root_for(&folder);
        let mut checked = CheckedFile {
            report: FileReport { path: name.clone(), ..FileReport::default() },
            scores: Vec::new(),
            linted: None,
            below: below(&root, &path).unwrap_or_else(|| name.clone()),
        };
        let text = match text_of(source, &path) {
            Ok(text) => text,
            Err(why) => {
                checked.report.findings.push(unreadable(&name, &why));
                return (checked, None);
            }
        };
        let is_markdown = is_text(source, &path, &text);
        let around = self.around(&path, &root);
        if self.measures {
            let files = &around.files;
            let document = if is_markdown {
                Document::markdown_at(&text, files.addresses())
            } else {
                Document::html_at(&text, files.addresses(), &|path| files.sheet(path))
            };
            let file = path.canonicalize().unwrap_or(path);
            let page =
                MeasuredText { name: &name, document: &document, is_markdown, file: &file, around: &around, seen };
            let found = self.measuring.findings(&page, &self.tokens, &|file| self.shown(&root, file));
            (checked.report, checked.scores) = (found.report, found.scores);
        } else {
            let excused = exceptions(&text, is_markdown);
            self.measuring.policy.apply(&path.canonicalize().unwrap_or(path), &excused, &mut checked.report);
        }
        let page = self.anchor.is_some().then(|| Page::of_text(&name, text, is_markdown, folder));
        (checked, page)
    }

    /// The same with what the rules of an anchor say: its commands are run, and whoever sits for the linters is asked.
    async fn held_against(
        &self,
        anchor: &Anchor,
        looked_at: Vec<(CheckedFile, Option<Page>)>,
        semantic: bool,
    ) -> Result<Vec<CheckedFile>, AppError> {
        let seating = seating(self.project);
        let mut files = Vec::new();
        for (mut file, page) in looked_at {
            if let Some(page) = page {
                let mut result = page.linted(anchor);
                commands::run(&seating, anchor, &page, &mut result).await;
                if semantic {
                    votes_on(self.project, anchor, &page, &mut result).await?;
                }
                let result = result.closing();
                file.report.add(&result);
                file.linted = Some(result);
            }
            files.push(file);
        }
        Ok(files)
    }

    /// What lies around a page. What was looked up for one is known for all with the same root.
    fn around(&self, page: &Path, root: &Path) -> PageFiles {
        let checks = &self.project.config().checks;
        let page = page.canonicalize().unwrap_or_else(|_| self.dir.canonicalize().unwrap_or_default().join(page));
        let site = checks.site_root.as_deref();
        let mut known = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let files = match known.get(root) {
            Some(files) => files.for_page(&page, site),
            None => known.entry(root.to_owned()).or_insert_with(|| Files::within(root, &page, site)).clone(),
        };
        PageFiles::new(files, root, &built(self.project))
    }

    /// A file below the root, as it is called from here.
    fn shown(&self, root: &Path, file: &str) -> String {
        let here = if self.dir.as_os_str().is_empty() { Path::new(".") } else { self.dir };
        let path = root.join(file);
        let shown = here.canonicalize().ok().and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
        shown.unwrap_or(path).display().to_string()
    }

    /// The folder that links of a page in `folder` stay inside of.
    fn root_for(&self, folder: &Path) -> PathBuf {
        let named = self.root.map(|root| self.dir.join(root));
        let named = named.or_else(|| self.project.config().checks.root.clone());
        let root = named.unwrap_or_else(|| Files::root_of(folder, Some(self.project.root())));
        root.canonicalize().unwrap_or(root)
    }
}

/// What is in a file that several pages link is said once, with the first of them.
pub(crate) fn say_once<'r>(reports: impl IntoIterator<Item = &'r mut FileReport>) {
    let mut said = BTreeSet::new();
    for report in reports {
        report.findings.retain(|finding| {
            let (Some(linked), Some(span)) = (&finding.file, &finding.span) else { return true };
            said.insert((linked.clone(), span.line, span.column, finding.rule.clone(), finding.message.clone()))
        });
    }
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

fn is_text(source: &Source, path: &Path, text: &str) -> bool {
    match source {
        Source::Given(None, _) => !is_page(text),
        _ => has_text_name(path),
    }
}

fn text_of(source: &Source, path: &Path) -> Result<String, String> {
    let not_text = |_| "it is not UTF-8 text".to_owned();
    let too_long = |length: u64| format!("it has {length} bytes; the limit is {MAX_PAGE}");
    match source {
        Source::Given(_, bytes) if bytes.len() as u64 > MAX_PAGE => Err(too_long(bytes.len() as u64)),
        Source::Given(_, bytes) => String::from_utf8(bytes.clone()).map_err(not_text),
        Source::File(_) => {
            let about = fs::metadata(path).map_err(|error| error.to_string())?;
            if !about.is_file() {
                return Err("it is not a file".to_owned());
            }
            if about.len() > MAX_PAGE {
                return Err(too_long(about.len()));
            }
            String::from_utf8(fs::read(path).map_err(|error| error.to_string())?).map_err(not_text)
        }
    }
}

fn unreadable(path: &str, why: &str) -> ReportedFinding {
    ReportedFinding {
        rule: UNREADABLE.into(),
        level: ReportLevel::Must,
        message: format!("the file cannot be checked: {why}"),
        evidence: String::new(),
        measured: None,
        file: None,
        span: None,
        selector: None,
        source: None,
        fingerprint: fingerprint([UNREADABLE, path]),
        standing: Standing::Open,
    }
}

/// A path below the root, in the form that it has on every system.
fn below(root: &Path, path: &Path) -> Option<String> {
    let real = path.canonicalize().ok()?;
    let parts = real.strip_prefix(root).ok()?.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    Some(parts.collect::<Vec<_>>().join("/"))
}
