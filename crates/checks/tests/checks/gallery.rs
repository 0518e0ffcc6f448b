//! The gallery: small pages of one difficulty each, with what a measurement has to say of their elements.
//!
//! A page begins with a comment. After the line that says what it shows, each line is
//! `expect: SELECTOR | RULE ANSWER`, where the answer is `fails`, `passes`, `undecided`, or `none` for what is not
//! measured at all.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the pages are files, and a page that cannot be read is a failure"
)]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use tribunal_checks::{
    Addresses, Anchors, DesignTokens, Document, Measurement, Role, Surroundings, contrasts, measure_in,
};

/// At least so many pages.
const LEAST: usize = 30;

struct Folder(PathBuf);

impl Surroundings for Folder {
    fn exists(&self, path: &str) -> bool {
        self.0.join(path).exists()
    }

    fn anchors(&self, path: &str) -> Option<Arc<Anchors>> {
        let text = fs::read_to_string(self.0.join(path)).ok()?;
        Some(Arc::new(Anchors::of(&text, false)))
    }
}

struct Exhibit {
    name: String,
    says: String,
    expects: Vec<(String, String, String)>,
    document: Document,
    dims: Vec<Measurement>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/checks")
}

fn gallery() -> Vec<Exhibit> {
    let folder = Folder(root());
    let mut files: Vec<PathBuf> =
        fs::read_dir(root().join("gallery")).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "html"));
    files.sort();
    files
        .iter()
        .map(|file| {
            let name = file.file_name().unwrap().to_str().unwrap().to_owned();
            let text = fs::read_to_string(file).unwrap();
            let addresses = Addresses::of(&format!("gallery/{name}"));
            let document = Document::html_at(&text, &addresses, &|path| fs::read_to_string(folder.0.join(path)).ok());
            let reports = [Role::A11y, Role::Production]
                .map(|role| measure_in(role, &document, &DesignTokens::default(), &folder));
            let head =
                text.strip_prefix("<!-- gallery: ").unwrap_or_else(|| panic!("{name} does not say what it shows"));
            let head = head.split("-->").next().unwrap();
            let expects = head.lines().filter_map(|line| line.strip_prefix("expect: ")).map(|line| {
                let (selector, what) = line.split_once(" | ").unwrap_or_else(|| panic!("{name}: {line}"));
                let (rule, answer) = what.split_once(' ').unwrap_or_else(|| panic!("{name}: {line}"));
                (selector.to_owned(), rule.to_owned(), answer.to_owned())
            });
            Exhibit {
                says: head.lines().next().unwrap().to_owned(),
                expects: expects.collect(),
                dims: reports.into_iter().flat_map(|report| report.dims).collect(),
                document,
                name,
            }
        })
        .collect()
}

fn contrast(exhibit: &Exhibit, id: &str) -> &'static str {
    let list = contrasts(&exhibit.document);
    let of = |one: &&tribunal_checks::Contrast| one.place.selector.as_deref().is_some_and(|found| found.ends_with(id));
    match list.iter().find(of).map(|one| (&one.ratio, one.needs)) {
        None => "none",
        Some((Err(_), _)) => "undecided",
        Some((Ok(ratio), Some(needs))) if *ratio >= needs => "passes",
        Some(_) => "fails",
    }
}

/// `passes` and `none` are the same for what is measured page by page.
fn answer(exhibit: &Exhibit, id: &str, rule: &str) -> &'static str {
    let dimension = match rule.split('.').next().unwrap() {
        "focus" => "focus",
        "target" => "targets",
        "heading" => "headings",
        "list" => "lists",
        "landmark" => "landmarks",
        "link" => "links",
        other => panic!("{other} is no rule of the gallery"),
    };
    let Some(measured) = exhibit.dims.iter().find(|one| one.dimension == dimension) else { return "passes" };
    let found = measured.findings.iter().any(|finding| {
        let selector = finding.place.as_ref().and_then(|place| place.selector.as_deref());
        finding.code == rule && selector.is_some_and(|selector| selector.ends_with(id))
    });
    match (found, measured.decided) {
        (true, _) => "fails",
        (false, true) => "passes",
        (false, false) => "undecided",
    }
}

#[test]
fn every_page_is_seen_as_it_is() {
    let gallery = gallery();
    assert!(gallery.len() >= LEAST, "{} pages", gallery.len());
    let mut wrong = Vec::new();
    for exhibit in &gallery {
        assert!(!exhibit.expects.is_empty(), "{} expects nothing", exhibit.name);
        for (selector, rule, expected) in &exhibit.expects {
            let got =
                if rule == "contrast.text" { contrast(exhibit, selector) } else { answer(exhibit, selector, rule) };
            let same = got == expected || (rule != "contrast.text" && expected == "none" && got == "passes");
            if !same {
                wrong.push(format!("{} ({}): {selector} {rule} {got}, not {expected}", exhibit.name, exhibit.says));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_selector_finds_one_element() {
    for exhibit in gallery() {
        let findings = exhibit.dims.iter().flat_map(|one| &one.findings).filter_map(|finding| finding.place.clone());
        let places = findings.chain(contrasts(&exhibit.document).into_iter().map(|one| one.place));
        for selector in places.filter_map(|place| place.selector) {
            assert_eq!(exhibit.document.matches(&selector), 1, "{}: {selector}", exhibit.name);
        }
    }
}

#[test]
fn selectors_stay_unique_where_it_is_hard() {
    let deep = "<div class=a>".repeat(20) + "<p style='color:#ccc'>x</p>" + &"</div>".repeat(20);
    for (name, body) in [
        ("an id twice", "<p id=a style='color:#ccc'>x</p><p id=a style='color:#bbb'>y</p>".to_owned()),
        ("deep nesting, twice", format!("{deep}{deep}")),
        (
            "names that are none",
            "<foo:bar style='color:#ccc'>x</foo:bar><foo:bar style='color:#bbb'>y</foo:bar>".to_owned(),
        ),
        (
            "classes that are none",
            "<p class='1 a:b' style='color:#ccc'>x</p><p class='1' style='color:#bbb'>y</p>".to_owned(),
        ),
        ("an id that is none", "<p id='1' style='color:#ccc'>x</p><p id='a b' style='color:#bbb'>y</p>".to_owned()),
        ("the body itself", "x".to_owned()),
    ] {
        let document = crate::support::page("body { color: #ddd }", &body);
        let list = contrasts(&document);
        assert!(!list.is_empty(), "{name}");
        for one in list {
            let selector = one.place.selector.unwrap();
            assert_eq!(document.matches(&selector), 1, "{name}: {selector}");
        }
    }
}
