//! The gallery of `testdata/checks/gallery` through the browser's eye: what each page says of itself there.
//!
//! `expect: SELECTOR | RULE ANSWER` is the answer of both eyes; `browser: SELECTOR | RULE ANSWER` is that of the browser,
//! where it sees more, or something else, than the static eye does.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tribunal_checks::seen::{View, measure_seen, seen_elements};
use tribunal_checks::{Addresses, Anchors, DesignTokens, Document, Measurement, Role, Surroundings};
use tribunal_engine::browser::{BrowserProgram, KeptBrowser, LookError, PageVisit, Site, Window, close_kept};

/// At least so many pages.
const LEAST: usize = 30;

struct Exhibit {
    name: String,
    text: String,
    /// By selector and rule.
    expects: BTreeMap<(String, String), String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/checks").canonicalize().unwrap()
}

fn gallery() -> Vec<Exhibit> {
    let files = fs::read_dir(root().join("gallery")).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|end| end == "html")).collect();
    files.sort();
    let read = |file: &PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        let head = text.split("-->").next().unwrap();
        let mut expects = BTreeMap::new();
        // What is said of the browser alone comes last, and counts.
        for mark in ["expect: ", "browser: "] {
            for line in head.lines().filter_map(|line| line.strip_prefix(mark)) {
                let (selector, what) = line.split_once(" | ").unwrap();
                let (rule, answer) = what.split_once(' ').unwrap();
                expects.insert((selector.to_owned(), rule.to_owned()), answer.to_owned());
            }
        }
        Exhibit { name: file.file_name().unwrap().to_str().unwrap().to_owned(), text, expects }
    };
    files.iter().map(read).collect()
}

struct Folder(PathBuf);

impl Surroundings for Folder {
    fn exists(&self, path: &str) -> bool {
        self.0.join(path).exists()
    }

    fn anchors(&self, path: &str) -> Option<Arc<Anchors>> {
        Some(Arc::new(Anchors::of(&fs::read_to_string(self.0.join(path)).ok()?, false)))
    }
}

/// What the browser's eye says of an element: one by one where it judges them so, and otherwise as a report would.
fn answer(exhibit: &Exhibit, views: &[View], selector: &str, rule: &str) -> &'static str {
    let is_it = |name: &str| name.ends_with(selector);
    let of_view = views.first().map(seen_elements).unwrap_or_default();
    let seen = of_view.iter().find(|one| one.code == rule && is_it(&one.name));
    let dimension = match rule.split('.').next().unwrap() {
        "contrast" | "focus" | "target" if !views.is_empty() => {
            return match seen.map(|one| &one.passes) {
                None => "none",
                Some(Ok(true)) => "passes",
                Some(Ok(false)) => "fails",
                Some(Err(_)) => "undecided",
            };
        }
        // Nobody saw the page: the static eye answers.
        "contrast" => "contrast",
        "focus" => "focus",
        "target" => "targets",
        "heading" => "headings",
        "list" => "lists",
        "landmark" => "landmarks",
        "link" => "links",
        other => panic!("{other} is no rule of the gallery"),
    };
    let folder = Folder(root());
    let addresses = Addresses::of(&format!("gallery/{}", exhibit.name));
    let document = Document::html_at(&exhibit.text, &addresses, &|path| fs::read_to_string(folder.0.join(path)).ok());
    let of_role = |role| measure_seen(role, &document, &DesignTokens::default(), &folder, views).dims;
    let dims: Vec<Measurement> = [Role::A11y, Role::Production].into_iter().flat_map(of_role).collect();
    let Some(dim) = dims.iter().find(|dim| dim.dimension == dimension) else { return "passes" };
    let found = dim.findings.iter().any(|finding| {
        finding.code == rule && finding.place.as_ref().and_then(|place| place.selector.as_deref()).is_some_and(is_it)
    });
    match (found, dim.decided) {
        (true, _) => "fails",
        (false, false) => "undecided",
        (false, true) => "passes",
    }
}

#[tokio::test]
async fn every_page_is_seen_by_a_browser_as_it_is() {
    let program = match BrowserProgram::find(None, std::env::var_os("PATH").as_deref()) {
        Ok(program) => program,
        Err(error) => {
            // Where everything is checked for good, there has to be one.
            assert!(std::env::var_os("CI").is_none_or(|value| value.is_empty()), "{error}");
            eprintln!("skipped: {error}");
            return;
        }
    };
    let gallery = gallery();
    assert!(gallery.len() >= LEAST, "{} pages", gallery.len());
    let visit = |exhibit: &Exhibit| PageVisit {
        file: root().join("gallery").join(&exhibit.name),
        text: None,
        windows: vec![Window { width: 1280, dark: false }],
        focus: true,
        scripts: Vec::new(),
    };
    let browser = KeptBrowser::of(&program);
    let mut views: Vec<Vec<View>> = Vec::new();
    for exhibit in &gallery {
        let site = Site::new(&root(), None).unwrap();
        views.push(match browser.see(site, visit(exhibit), false).await {
            Ok(seen) => seen.views,
            // Then the static eye answers.
            Err(LookError::SheetUnread { .. }) => Vec::new(),
            Err(error) => panic!("{}: {error}", exhibit.name),
        });
    }
    close_kept().await;
    let mut wrong = Vec::new();
    for (exhibit, views) in gallery.iter().zip(&views) {
        assert!(!exhibit.expects.is_empty(), "{} expects nothing", exhibit.name);
        for ((selector, rule), expected) in &exhibit.expects {
            let got = answer(exhibit, views, selector, rule);
            // What is measured page by page has nothing said of what is fine.
            let is_same =
                got == expected || [got, expected.as_str()].iter().all(|one| ["none", "passes"].contains(one));
            if !is_same {
                wrong.push(format!("{}: {selector} {rule} {got}, not {expected}", exhibit.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
