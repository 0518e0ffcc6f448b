//! Who looks at pages: a browser where there is one, the built-in cascade otherwise.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tribunal_agents::house::{PageSeen, PageToView, PageViewer, ViewerError, Viewing};
use tribunal_config::{ChecksConfig, Eyes, Scheme};
use tribunal_engine::browser::{BrowserProgram, KeptBrowser, LookError, PageVisit, Site, Window};

/// So many pages are remembered as they were seen: several judges look at the same draft.
const MAX_REMEMBERED: usize = 4;
/// And for so long: what a page links may change meanwhile.
const FRESH: Duration = Duration::from_secs(10);

/// A browser that looks at pages, as far as it is wanted and there is one. What it could not see, the static eye sees.
///
/// With `eyes = "browser"` a browser that is of no use is an error: whoever asks for it must not believe that it looked.
#[derive(Debug)]
pub struct BrowserEyes {
    checks: ChecksConfig,
    remembered: Mutex<VecDeque<Remembered>>,
}

#[derive(Debug)]
struct Remembered {
    page: PageToView,
    seen: PageSeen,
    at: Instant,
}

impl BrowserEyes {
    /// Nobody, where the static eye is to look alone.
    pub fn of(checks: &ChecksConfig) -> Option<Arc<dyn PageViewer>> {
        (checks.eyes != Eyes::Static)
            .then(|| Arc::new(Self { checks: checks.clone(), remembered: Mutex::default() }) as Arc<dyn PageViewer>)
    }

    async fn see(&self, page: PageToView) -> Result<PageSeen, ViewerError> {
        // Whoever asks for the same page meanwhile waits for it.
        let mut remembered = self.remembered.lock().await;
        remembered.retain(|known| known.at.elapsed() < FRESH);
        if let Some(known) = remembered.iter().find(|known| known.serves(&page)) {
            return Ok(known.seen.clone());
        }
        let seen = match self.look(&page).await {
            Ok(seen) => seen,
            // Only what nobody asked for may be missing, and nobody misses it.
            Err(LookError::Missing) if self.checks.eyes == Eyes::Auto => return Ok(PageSeen::default()),
            Err(error) if self.checks.eyes == Eyes::Browser && !error.is_of_the_page() => {
                let what = format!("{}: {error}", page.file.display());
                return Err(ViewerError { what, hint: error.hint() });
            }
            Err(error) => {
                let why = format!("not seen by the browser, measured without it: {error}");
                let hangs = error.is_hanging().then(|| error.to_string());
                PageSeen { unseen: Some(why), hangs, ..PageSeen::default() }
            }
        };
        if remembered.len() == MAX_REMEMBERED {
            remembered.pop_front();
        }
        remembered.push_back(Remembered { page, seen: seen.clone(), at: Instant::now() });
        Ok(seen)
    }

    async fn look(&self, page: &PageToView) -> Result<PageSeen, LookError> {
        let program = BrowserProgram::find(self.checks.browser.as_deref(), std::env::var_os("PATH").as_deref())?;
        let outside = |_| LookError::Outside { page: page.file.display().to_string() };
        let site = Site::new(&page.root, page.site_root.as_deref()).map_err(outside)?;
        let site = site.with_texts(page.instead.iter().map(|(path, text)| (path.as_str(), text.as_str())));
        let visit = PageVisit {
            file: page.file.clone(),
            text: Some(page.text.clone()),
            windows: windows(&self.checks),
            focus: true,
            scripts: Vec::new(),
        };
        let seen = KeptBrowser::of(&program).see(site, visit, page.takes_pictures).await?;
        Ok(PageSeen { views: seen.views.into(), pictures: seen.pictures.into(), ..PageSeen::default() })
    }
}

impl PageViewer for BrowserEyes {
    fn view(&self, page: PageToView) -> Viewing<'_> {
        Box::pin(self.see(page))
    }
}

impl Remembered {
    /// Whether this is what was seen of a page, with everything that is wanted of it.
    fn serves(&self, page: &PageToView) -> bool {
        let has_pictures = !self.seen.pictures.is_empty() || self.seen.views.is_empty();
        let PageToView { root, site_root, file, text, instead, takes_pictures, is_again } = page;
        let own = &self.page;
        !is_again
            && (!takes_pictures || has_pictures)
            && (&own.root, &own.site_root, &own.file) == (root, site_root, file)
            && (&own.text, &own.instead) == (text, instead)
    }
}

fn windows(checks: &ChecksConfig) -> Vec<Window> {
    let schemes = checks.schemes.iter().map(|scheme| *scheme == Scheme::Dark);
    schemes.flat_map(|dark| checks.widths.iter().map(move |width| Window { width: *width, dark })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn page() -> PageToView {
        let root = std::env::temp_dir();
        let text = "<title>x</title><p>words".to_owned();
        let file = root.join("page.html");
        let instead = BTreeMap::new();
        PageToView { file, root, site_root: None, text, instead, takes_pictures: false, is_again: false }
    }

    fn checks(eyes: Eyes, browser: Option<&str>) -> ChecksConfig {
        ChecksConfig { eyes, browser: browser.map(Into::into), ..ChecksConfig::default() }
    }

    #[tokio::test]
    async fn a_browser_that_was_asked_for_and_is_not_there_is_an_error() {
        let eyes = BrowserEyes::of(&checks(Eyes::Browser, Some("/nowhere/chrome"))).unwrap();
        let error = eyes.view(page()).await.unwrap_err();
        assert!(error.to_string().contains("/nowhere/chrome"), "{error}");
        assert!(error.hint.contains("checks.browser"), "{}", error.hint);
    }

    #[tokio::test]
    async fn a_browser_that_is_of_no_use_loses_nothing_and_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let broken = folder.path().join("chrome");
        std::fs::write(&broken, "#!/bin/sh\necho 'no display' >&2\nexit 1\n").unwrap();
        std::fs::set_permissions(&broken, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        for (browser, why) in [("/nowhere/chrome", "is not there"), (broken.to_str().unwrap(), "no display")] {
            let eyes = BrowserEyes::of(&checks(Eyes::Auto, Some(browser))).unwrap();
            let seen = eyes.view(page()).await.unwrap();
            assert!(seen.views.is_empty(), "{browser}");
            assert!(seen.unseen.as_deref().is_some_and(|said| said.contains(why)), "{browser}: {:?}", seen.unseen);
            let eyes = BrowserEyes::of(&checks(Eyes::Browser, Some(browser))).unwrap();
            assert!(eyes.view(page()).await.is_err(), "{browser}");
        }
        tribunal_engine::browser::close_kept().await;
    }

    #[test]
    fn nobody_is_started_for_the_static_eye() {
        assert!(BrowserEyes::of(&checks(Eyes::Static, None)).is_none());
    }

    #[test]
    fn a_page_is_remembered_with_all_that_it_is() {
        let known = |seen: PageSeen| Remembered { page: page(), seen, at: Instant::now() };
        let bare = known(PageSeen::default());
        assert!(bare.serves(&page()));
        assert!(!bare.serves(&PageToView { text: "other".to_owned(), ..page() }));
        assert!(!bare.serves(&PageToView { instead: [("a.css".to_owned(), String::new())].into(), ..page() }));
        assert!(!bare.serves(&PageToView { is_again: true, ..page() }));
        assert!(bare.serves(&PageToView { takes_pictures: true, ..page() }), "nothing was seen, and will not be");
    }

    #[test]
    fn every_width_in_every_scheme() {
        let checks = ChecksConfig {
            widths: vec![1280, 375],
            schemes: vec![Scheme::Light, Scheme::Dark],
            ..ChecksConfig::default()
        };
        let shown: Vec<(u32, bool)> = windows(&checks).iter().map(|window| (window.width, window.dark)).collect();
        assert_eq!(shown, [(1280, false), (375, false), (1280, true), (375, true)]);
    }
}
