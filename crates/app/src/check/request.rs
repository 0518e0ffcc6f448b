//! Checking files: what is asked for, and what comes of it.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;
use tribunal_agents::house::Files;
use tribunal_anchors::report::{
    FileReport, ReportLevel, ReportTotals, ReportedFinding, Standing, UndecidedRule, fingerprint,
};
use tribunal_anchors::{Anchor, LintResult};
use tribunal_checks::seen::View;
use tribunal_checks::{DesignTokens, Measurement, Role, RoleReport, WordLists, exceptions, is_page, rule};
use tribunal_config::{CopyConfig, Eyes};

use super::baseline::Baseline;
use super::changed::ChangedFiles;
use super::excuse::CheckPolicy;
use super::finding::{LinkedText, SourceText, reported};
use super::page_files::PageFiles;
use super::select::select;
use super::{Page, UNREADABLE, commands, dim_object, has_text_name, read_design, votes_on};
use crate::error::AppError;
use crate::eyes;
use crate::loops::read_anchor;
use crate::project::Project;
use crate::seating::seating;

/// No page is longer.
const MAX_PAGE: u64 = 64 << 20;
/// So many threads measure at once.
const MAX_THREADS: usize = 8;
/// So many pages a browser shows before they are measured.
const SHOWN_AT_ONCE: usize = 16;
/// Trees are walked deeply: as much room as the first thread of a program has.
const STACK: usize = 8 << 20;
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

/// What came of it.
#[derive(Debug)]
pub struct CheckedFiles {
    pub files: Vec<CheckedFile>,
    /// How many files were left out because nothing in them changed.
    pub unchanged: usize,
}

/// What was found in one file.
#[derive(Debug)]
pub struct CheckedFile {
    pub report: FileReport,
    /// Scores of the roles; their findings are in the report.
    pub scores: Vec<RoleReport>,
    pub linted: Option<LintResult>,
    /// Its path below the root.
    below: String,
}

impl CheckRequest {
    /// Checks files. `dir` is where paths start from.
    pub async fn run(self, project: &Project, dir: &Path) -> Result<CheckedFiles, AppError> {
        let policy = CheckPolicy::of(
            project.config(),
            &project.root().canonicalize().unwrap_or_else(|_| project.root().to_owned()),
        )?;
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
            policy,
            anchor,
            measures,
            words: Arc::new(word_lists(&project.config().copy)),
            files: Mutex::default(),
        };
        let mut looked_at = Vec::new();
        // What a browser shows of a page is large: no more of it is held than is looked at together.
        for some in sources.chunks(if check.has_browser() { SHOWN_AT_ONCE } else { sources.len().max(1) }) {
            let shown = check.shown_by_browser(some).await?;
            let both: Vec<(&Source, PageShown)> = some.iter().zip(shown).collect();
            looked_at.extend(in_parallel(&both, |(source, shown)| check.file(source, shown)));
        }
        let mut files: Vec<CheckedFile> = match &check.anchor {
            None => looked_at.into_iter().map(|(file, _)| file).collect(),
            Some(anchor) => check.held_against(anchor, looked_at, self.semantic).await?,
        };
        say_once(&mut files);
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
    policy: CheckPolicy,
    anchor: Option<Anchor>,
    measures: bool,
    words: Arc<WordLists>,
    /// What is known of files, by their root.
    files: Mutex<BTreeMap<PathBuf, Files>>,
}

/// How a browser showed a page.
#[derive(Debug, Clone, Default)]
struct PageShown {
    views: Arc<[View]>,
    /// Why it did not, though it was asked to.
    failed: Option<String>,
}

impl Check<'_> {
    fn has_browser(&self) -> bool {
        self.measures && self.project.config().checks.eyes != Eyes::Static
    }

    /// Lets a browser look at pages, where it is wanted.
    async fn shown_by_browser(&self, sources: &[Source]) -> Result<Vec<PageShown>, AppError> {
        let mut shown = vec![PageShown::default(); sources.len()];
        if !self.has_browser() {
            return Ok(shown);
        }
        let checks = &self.project.config().checks;
        let mut by_root: BTreeMap<PathBuf, (Vec<usize>, Vec<Page>)> = BTreeMap::new();
        for (number, source) in sources.iter().enumerate() {
            let (path, name) = self.place_of(source);
            let folder = folder_of(&path);
            // What cannot be read is said when it is measured.
            let Ok(text) = text_of(source, &path) else { continue };
            let is_markdown = is_text(source, &path, &text);
            let (numbers, pages) = by_root.entry(self.root_for(&folder)).or_default();
            numbers.push(number);
            pages.push(Page::of_text(&name, text, is_markdown, folder));
        }
        for (root, (numbers, mut pages)) in by_root {
            let site = checks.site_root.as_deref();
            let failed = eyes::see(checks, &root, site, &mut pages, &CancellationToken::new()).await?;
            for (number, page) in numbers.into_iter().zip(pages) {
                let failed = failed.iter().find_map(|(name, why)| (*name == page.name).then(|| why.clone()));
                shown[number] = PageShown { views: page.seen, failed };
            }
        }
        Ok(shown)
    }

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

    /// What is measured of one file, and the page where an anchor is to be asked.
    fn file(&self, source: &Source, shown: &PageShown) -> (CheckedFile, Option<Page>) {
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
        let files = around.files.clone();
        let mut page = Page::of_text(&name, text, is_markdown, folder).among(around).with_words(self.words.clone());
        page.saw(shown.views.clone());
        if let Some(why) = &shown.failed {
            let rule = "browser".to_owned();
            checked.report.undecided.push(UndecidedRule { rule, why: why.clone(), fails: false });
        }
        if self.measures {
            let measured = page.measured(&self.tokens);
            let source = SourceText::new(&page.text, is_markdown);
            let read =
                |file: &str| LinkedText { shown: self.shown(&root, file), text: files.sheet(file).unwrap_or_default() };
            let mut texts = PageTexts { source, sheets: BTreeMap::new(), read: &read };
            for mut report in measured.reports {
                report.must_fix.clear();
                for dim in &mut report.dims {
                    let role = report.role.as_str();
                    texts.take(&mut checked.report, role, dim);
                }
                checked.scores.push(report);
            }
        }
        self.policy.apply(
            &path.canonicalize().unwrap_or(path),
            &exceptions(&page.text, is_markdown),
            &mut checked.report,
        );
        let page = self.anchor.is_some().then_some(page);
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
        let built: Vec<PathBuf> = checks.links.built.iter().map(|folder| self.project.root().join(folder)).collect();
        PageFiles::new(files, root, &built)
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

/// The text of a page, and those that it links.
struct PageTexts<'t> {
    source: SourceText<'t>,
    sheets: BTreeMap<String, LinkedText>,
    read: &'t dyn Fn(&str) -> LinkedText,
}

impl PageTexts<'_> {
    /// What a dimension found, unless another role found the same.
    fn take(&mut self, report: &mut FileReport, role: &'static str, dim: &mut Measurement) {
        for finding in std::mem::take(&mut dim.findings) {
            // Several roles look at contrast; its rule belongs to one of them.
            let owner = rule(finding.code).and_then(|rule| rule.role).map_or(role, Role::as_str);
            let file = finding.place.as_ref().and_then(|place| place.file.as_deref());
            let linked = file.map(|file| &*self.sheets.entry(file.to_owned()).or_insert_with(|| (self.read)(file)));
            let finding = reported(&report.path, &self.source, linked, (owner, dim.dimension), &finding);
            let is_same = |other: &ReportedFinding| is_same(other, &finding);
            if owner == role || !report.findings.iter().any(is_same) {
                report.findings.retain(|other| owner != role || !is_same(other));
                report.findings.push(finding);
            }
        }
        for why in &dim.undecided {
            let undecided = UndecidedRule { rule: dim.dimension.to_owned(), why: why.clone(), fails: false };
            if !report.undecided.contains(&undecided) {
                report.undecided.push(undecided);
            }
        }
    }
}

fn is_same(one: &ReportedFinding, other: &ReportedFinding) -> bool {
    one.rule == other.rule && one.file == other.file && one.span == other.span && one.message == other.message
}

/// What is in a file that several pages link is said once, with the first of them.
fn say_once(files: &mut [CheckedFile]) {
    let mut said = BTreeSet::new();
    for file in files {
        file.report.findings.retain(|finding| {
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

fn word_lists(config: &CopyConfig) -> WordLists {
    WordLists {
        banned: config.banned.clone(),
        preferred: config.preferred.iter().map(|(from, to)| (from.clone(), to.clone())).collect(),
        names: config.names.clone(),
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

/// What `work` makes of every item, in their order.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS).min(items.len());
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<R>>> = Mutex::new(items.iter().map(|_| None).collect());
    let one = || {
        while let Some((at, item)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, items.get(at)?)))
        {
            let made = work(item);
            done.lock().expect("nobody panics while holding it")[at] = Some(made);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            // Where no thread can be had, the others do its part.
            let _ = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, one);
        }
        if threads == 0 {
            one();
        }
    });
    let mut done = done.into_inner().expect("nobody panics while holding it");
    // What is left if no thread could be started at all.
    for (made, item) in done.iter_mut().zip(items).filter(|(made, _)| made.is_none()) {
        *made = Some(work(item));
    }
    done.into_iter().flatten().collect()
}

impl CheckedFiles {
    /// Whether everything passes, if findings up to this level fail it.
    pub fn passes(&self, fails: Option<ReportLevel>) -> bool {
        self.files.iter().all(|file| file.report.passes(fails))
    }

    /// Everything as an object.
    pub fn object(&self, fails: Option<ReportLevel>) -> Value {
        let reports: Vec<&FileReport> = self.files.iter().map(|file| &file.report).collect();
        let ReportTotals { files, must, should, notes, undecided, known, excused, .. } = ReportTotals::of(reports);
        let mut object = json!({
            "passed": self.passes(fails),
            "totals": {
                "files": files, "unchanged": self.unchanged, "must_fix": must, "should": should, "notes": notes,
                "undecided": undecided, "known": known, "excused": excused,
            },
            "files": self.files.iter().map(CheckedFile::object).collect::<Vec<_>>(),
        });
        let mut anchored = self.files.iter().filter_map(|file| file.linted.as_ref()).peekable();
        if anchored.peek().is_some() {
            object["valid"] = json!(anchored.all(|result| result.valid));
        }
        object
    }
}

impl CheckedFile {
    fn object(&self) -> Value {
        let of = |role: &'static str, dimension: &'static str| {
            let found = self.report.findings.iter().filter(|finding| finding.measured == Some((role, dimension)));
            found.map(object).collect::<Vec<_>>()
        };
        let reports: Vec<Value> = self
            .scores
            .iter()
            .map(|report| {
                let role = report.role.as_str();
                let dims = report.dims.iter().map(|dim| {
                    let mut object = dim_object(dim);
                    object["findings"] = json!(of(role, dim.dimension));
                    object
                });
                json!({ "role": role, "score": report.score, "dims": dims.collect::<Vec<_>>() })
            })
            .collect();
        let others = self.report.findings.iter().filter(|finding| finding.measured.is_none() && is_own(finding));
        let mut file = json!({
            "file": self.report.path, "reports": reports, "findings": others.map(object).collect::<Vec<_>>(),
        });
        if let (Some(linted), Some(fields)) = (&self.linted, file.as_object_mut()) {
            fields.insert("path".to_owned(), json!(self.report.path));
            fields.insert("passed".to_owned(), json!(linted.is_passed()));
            if let Ok(Value::Object(more)) = serde_json::to_value(linted) {
                fields.extend(more);
            }
        }
        file
    }
}

/// Whether it is about the check itself, and not a rule of the anchor.
fn is_own(finding: &ReportedFinding) -> bool {
    rule(&finding.rule).is_some_and(|rule| rule.role.is_none())
}

fn object(finding: &ReportedFinding) -> Value {
    let weight = match finding.level {
        ReportLevel::Must => "must_fix",
        ReportLevel::Should => "should",
        ReportLevel::Note => "note",
    };
    let mut object = json!({
        "code": finding.rule, "weight": weight, "text": finding.message, "evidence": finding.evidence,
        "line": finding.span.as_ref().map(|span| span.line), "column": finding.span.as_ref().map(|span| span.column),
        "selector": finding.selector,
    });
    let standing = match &finding.standing {
        Standing::Open => None,
        Standing::New => Some("new"),
        Standing::Known => Some("known"),
        Standing::Excused { .. } => Some("excused"),
    };
    if let Some(file) = &finding.file {
        object["file"] = json!(file);
    }
    if let Some(standing) = standing {
        object["standing"] = json!(standing);
    }
    if let Standing::Excused { reason, .. } = &finding.standing {
        object["reason"] = json!(reason);
    }
    object
}
