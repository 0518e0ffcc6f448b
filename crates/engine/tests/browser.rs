//! The browser eye with browsers that misbehave, and with a real one where it is installed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stderr, reason = "a browser that is not installed is said, not hidden")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tribunal_checks::seen::{SeenElement, measure_seen, seen_elements};
use tribunal_checks::{DesignTokens, Document, KnownFiles, Role};
use tribunal_engine::browser::{
    BrowserProgram, KeptBrowser, LookError, Lookout, PageVisit, Site, VisitSeen, Window, close_kept,
};

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(300);

/// A project with pages, and a program that claims to be a browser.
struct Stage {
    folder: TempDir,
}

impl Stage {
    fn new(pages: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        for (name, text) in pages {
            fs::write(folder.path().join("root").join(name), text).unwrap();
        }
        Self { folder }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    /// A fake that notes who it is and where its home is, then does as told.
    fn fake(&self, script: &str) -> BrowserProgram {
        let path = self.folder.path().join("browser");
        let notes = self.folder.path().join("notes");
        let text = format!("#!/bin/sh\necho $$ $HOME >> {}\n{script}\n", notes.display());
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        BrowserProgram::find(Some(&path), None).unwrap()
    }

    fn lookout(&self, program: BrowserProgram) -> Lookout {
        Lookout::new(program, Site::new(&self.root(), None).unwrap())
    }

    fn visit(&self, name: &str) -> PageVisit {
        let windows = vec![Window { width: 1280, dark: false }];
        PageVisit { file: self.root().join(name), text: None, windows, focus: true, scripts: Vec::new() }
    }

    /// Every fake that was started is gone, and so is its home.
    fn assert_clean(&self) {
        let notes = fs::read_to_string(self.folder.path().join("notes")).unwrap();
        assert!(!notes.is_empty());
        for line in notes.lines() {
            let (pid, home) = line.split_once(' ').unwrap();
            assert!(!Path::new("/proc").join(pid).exists(), "process {pid} is left");
            assert!(!Path::new(home).exists(), "{home} is left");
        }
    }
}

async fn look(
    lookout: &Lookout,
    visits: &[PageVisit],
    cancel: &CancellationToken,
) -> Vec<Result<VisitSeen, LookError>> {
    let mut results = Vec::new();
    lookout.look(visits, cancel, |number, seen| results.push((number, seen))).await;
    results.sort_by_key(|(number, _)| *number);
    assert_eq!(results.len(), visits.len(), "every page has one answer");
    results.into_iter().map(|(_, seen)| seen).collect()
}

#[tokio::test]
async fn browsers_that_misbehave_cost_the_page_and_leave_nothing() {
    for (name, script, limit, want) in [
        ("dies", "echo 'no display' >&2; exit 3", LONG, "the browser ended: no display"),
        ("says nothing", "exec sleep 1000", SHORT, "the browser did not answer within 0s"),
        ("ignores TERM", "trap '' TERM; while :; do sleep 1; done", SHORT, "the browser did not answer within 0s"),
        (
            "speaks something else",
            "printf 'HTTP/1.1 400\\0' >&4; exec sleep 1000",
            LONG,
            "the browser speaks something else",
        ),
        ("answers nobody", "printf '{\"a\": 1}\\0' >&4; exec sleep 1000", LONG, "neither answer nor event"),
        ("floods", "yes '{\"method\":\"x\"}' | tr '\\n' '\\0' >&4", LONG, "more than 100000 events"),
    ] {
        let stage = Stage::new(&[("a.html", "<p>a"), ("b.html", "<p>b")]);
        let lookout = stage.lookout(stage.fake(script)).bounded(limit, limit);
        let visits = [stage.visit("a.html"), stage.visit("b.html")];
        let seen = look(&lookout, &visits, &CancellationToken::new()).await;
        let first = seen[0].as_ref().unwrap_err().to_string();
        assert!(first.contains(want), "{name}: {first}");
        assert!(seen[1].is_err(), "{name}: what nobody saw is no answer");
        stage.assert_clean();
    }
}

#[tokio::test]
async fn a_look_that_is_cancelled_ends() {
    let stage = Stage::new(&[("a.html", "<p>a")]);
    let lookout = stage.lookout(stage.fake("exec sleep 1000"));
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let notes = stage.folder.path().join("notes");
    tokio::spawn(async move {
        while !notes.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stop.cancel();
    });
    let seen = look(&lookout, &[stage.visit("a.html")], &cancel).await;
    assert!(matches!(seen[0], Err(LookError::Cancelled)), "{seen:?}");
    stage.assert_clean();
}

/// The browser of this machine. Where everything is checked for good, there has to be one.
fn real() -> Option<BrowserProgram> {
    let found = BrowserProgram::find(None, std::env::var_os("PATH").as_deref());
    match found {
        Ok(program) => Some(program),
        Err(error) => {
            assert!(std::env::var_os("CI").is_none_or(|value| value.is_empty()), "{error}");
            eprintln!("skipped: {error}");
            None
        }
    }
}

fn verdicts(seen: &VisitSeen) -> Vec<String> {
    let told = |one: SeenElement| {
        let verdict = match one.passes {
            Ok(true) => "passes".to_owned(),
            Ok(false) => "fails".to_owned(),
            Err(why) => format!("undecided, {why}"),
        };
        format!("{} {} {verdict}", one.code, one.name)
    };
    seen.views.iter().flat_map(seen_elements).map(told).collect()
}

const PAGE: &str = "<!doctype html><html lang=en><title>x</title><link rel=stylesheet href=style.css>
<link rel=stylesheet href=../secret.css><link rel=stylesheet href=https://example.com/x.css>
<body><main><h1>Heading</h1>
<div id=under>under</div><div id=over></div>
<div id=stacked><div id=ground></div><p id=positioned>positioned</p></div>
<p id=faint>faint</p><p id=half><span id=inner>half</span></p><p id=picture>on a picture</p>
<p id=above>above</p><div id=pull>pull</div>
<a id=shown href=/>shown</a> <a id=hidden href=/>hidden</a>
<nav><a id=one href=1>1</a><a id=two href=2>2</a></nav>
<script>document.getElementById('faint').dataset.seen = 'yes'</script></main>";

const SHEET: &str = "body { margin: 0; background: #fff; color: #000 }
#under { height: 20px } #over { height: 20px; margin-top: -20px; position: relative; background: #111 }
#stacked { position: relative; height: 40px } #ground { position: absolute; inset: 0; background: #222 }
#positioned { position: relative; color: #fff; margin: 0 }
#faint { color: #999 } #half { opacity: .5; color: #666 } #picture { background: url(none.png) }
#above { margin: 0; color: #fff; height: 20px } #pull { margin-top: -20px; height: 20px; background: #333; color: transparent }
#hidden:focus { outline: none } nav a { display: inline-block; width: 10px; height: 10px; line-height: 10px }";

#[tokio::test]
async fn a_real_browser_sees_layers_and_nothing_outside() {
    let Some(program) = real() else { return };
    let stage = Stage::new(&[("page.html", PAGE), ("style.css", SHEET)]);
    fs::write(stage.folder.path().join("secret.css"), "h1 { color: #fff }").unwrap();
    let lookout = stage.lookout(program).bounded(LONG, LONG);
    let mut visit = stage.visit("page.html");
    visit.scripts = vec!["document.getElementById('faint').dataset.seen".to_owned()];
    let outside = PageVisit { file: stage.folder.path().join("secret.css"), ..stage.visit("page.html") };
    let seen = look(&lookout, &[visit, outside], &CancellationToken::new()).await;
    let page = seen[0].as_ref().unwrap();
    assert_eq!(page.answers, ["yes"]);
    assert!(page.refused.iter().any(|address| address.contains("example.com")), "{:?}", page.refused);
    assert!(page.refused.iter().any(|address| address.ends_with("secret.css")), "{:?}", page.refused);
    assert!(matches!(seen[1], Err(LookError::Outside { .. })));
    insta::assert_snapshot!(verdicts(page).join("\n"));
    let document = Document::html(PAGE, &|address| (address == "style.css").then(|| SHEET.to_owned()));
    let report = measure_seen(Role::A11y, &document, &DesignTokens::default(), &KnownFiles(&|_| true), &page.views);
    let contrast = report.dims.iter().find(|dim| dim.dimension == "contrast").unwrap();
    assert_eq!(contrast.eye.as_str(), "browser");
    let place = contrast.findings[0].place.as_ref().unwrap();
    assert!(place.line > 1 && place.selector.is_some(), "{place}");
}

#[tokio::test]
async fn a_page_that_hangs_costs_itself_alone() {
    let Some(program) = real() else { return };
    let stage = Stage::new(&[("hangs.html", "<script>for (;;);</script>"), ("b.html", "<p>words")]);
    let lookout = stage.lookout(program).bounded(LONG, Duration::from_secs(20));
    let seen = look(&lookout, &[stage.visit("hangs.html"), stage.visit("b.html")], &CancellationToken::new()).await;
    assert!(matches!(seen[0], Err(LookError::Slow { .. } | LookError::NotLoaded { .. })), "{seen:?}");
    assert_eq!(verdicts(seen[1].as_ref().unwrap()), ["contrast.text html > body > p passes"]);
}

fn kept_visit(stage: &Stage, name: &str) -> (Site, PageVisit) {
    (Site::new(&stage.root(), None).unwrap(), stage.visit(name))
}

#[tokio::test]
async fn a_browser_that_is_kept_and_of_no_use_says_so_and_leaves_nothing() {
    let stage = Stage::new(&[("a.html", "<p>a")]);
    let browser = KeptBrowser::of(&stage.fake("echo 'no display' >&2; exit 3"));
    for want in ["the browser ended: no display", "did not start before"] {
        let (site, visit) = kept_visit(&stage, "a.html");
        let error = browser.see(site, visit, false).await.unwrap_err().to_string();
        assert!(error.contains(want), "{error}");
    }
    // Whoever waits for one that says nothing is let go when it is closed, and so is whoever comes later.
    let silent = Stage::new(&[("a.html", "<p>a")]);
    let browser = KeptBrowser::of(&silent.fake("exec sleep 1000"));
    let waiting = {
        let (browser, (site, visit)) = (browser.clone(), kept_visit(&silent, "a.html"));
        tokio::spawn(async move { browser.see(site, visit, false).await })
    };
    while !silent.folder.path().join("notes").exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    close_kept().await;
    assert!(waiting.await.unwrap().is_err());
    let (site, visit) = kept_visit(&silent, "a.html");
    assert!(browser.see(site, visit, false).await.is_err());
    stage.assert_clean();
    silent.assert_clean();
}

#[tokio::test]
async fn one_real_browser_sees_many_pages_and_goes_with_the_command() {
    let Some(program) = real() else { return };
    let stage = Stage::new(&[("a.html", "<p>words"), ("hangs.html", "<script>for (;;);</script>"), ("s.css", "p {}")]);
    let browser = KeptBrowser::of(&program);
    let page = "<!doctype html><link rel=stylesheet href=s.css><body style='margin:0'><p style='margin:0'>words";
    let mut pictures = Vec::new();
    for sheet in ["p { background: #00f; height: 40px }", "p { background: #f00; height: 40px }"] {
        let (site, visit) = kept_visit(&stage, "a.html");
        let visit = PageVisit { text: Some(page.to_owned()), ..visit };
        let seen = browser.see(site.with_texts([("s.css", sheet)]), visit, true).await.unwrap();
        assert_eq!((seen.views.len(), seen.pictures.len()), (1, 1));
        pictures.push(seen.pictures[0].clone());
    }
    assert_eq!(pictures[0].width(), 1280);
    assert_eq!(pictures[0].pixel(600, 20), Some([0, 0, 255]));
    assert_eq!(pictures[1].pixel(600, 20), Some([255, 0, 0]));
    let (site, visit) = kept_visit(&stage, "hangs.html");
    assert!(browser.see(site, visit, false).await.is_err(), "it costs itself");
    let (site, visit) = kept_visit(&stage, "a.html");
    let seen = browser.see(site, visit, false).await.unwrap();
    assert_eq!(verdicts(&seen), ["contrast.text html > body > p passes"], "and nobody else");
    close_kept().await;
    let (site, visit) = kept_visit(&stage, "a.html");
    assert!(browser.see(site, visit, false).await.is_err(), "a closed browser stays closed");
}
