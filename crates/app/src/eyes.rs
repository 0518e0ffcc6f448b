//! Who looks at pages: a browser where there is one, the built-in cascade otherwise.

use std::path::Path;
use tokio_util::sync::CancellationToken;
use tribunal_config::{ChecksConfig, Eyes, Scheme};
use tribunal_engine::browser::{BrowserProgram, LookError, Lookout, PageVisit, Site, Window};

use crate::check::Page;
use crate::error::AppError;

/// Lets a browser look at pages, as far as it is wanted and there is one. What it could not see, the static eye sees;
/// each such page is told, with the reason.
///
/// With `eyes = "browser"` a browser that is not there is an error: whoever asks for it must not believe that it looked.
pub async fn see(
    checks: &ChecksConfig,
    root: &Path,
    site_root: Option<&Path>,
    pages: &mut [Page],
    cancel: &CancellationToken,
) -> Result<Vec<(String, String)>, AppError> {
    let windows = windows(checks);
    let visits: Vec<(usize, PageVisit)> =
        pages.iter().enumerate().filter_map(|(number, page)| Some((number, page.visit(&windows)?))).collect();
    if checks.eyes == Eyes::Static || visits.is_empty() {
        return Ok(Vec::new());
    }
    let program = match BrowserProgram::find(checks.browser.as_deref(), std::env::var_os("PATH").as_deref()) {
        Ok(program) => program,
        // Only what nobody asked for may be missing.
        Err(LookError::Missing) if checks.eyes == Eyes::Auto => return Ok(Vec::new()),
        Err(error) => return Err(AppError::environment(error.to_string(), Some(error.hint()))),
    };
    let cannot = |error: std::io::Error| {
        AppError::not_found(format!("cannot read {}: {error}", root.display()), "name a folder that is there")
    };
    let lookout = Lookout::new(program, Site::new(root, site_root).map_err(cannot)?);
    let mut failed: Vec<(usize, LookError)> = Vec::new();
    let asked: Vec<PageVisit> = visits.iter().map(|(_, visit)| visit.clone()).collect();
    let take = |at: usize, seen: Result<tribunal_engine::browser::VisitSeen, LookError>| match seen {
        Ok(seen) => pages[visits[at].0].saw(seen.views),
        Err(error) => failed.push((visits[at].0, error)),
    };
    lookout.look(&asked, cancel, take).await;
    if let (Eyes::Browser, Some((number, error))) = (checks.eyes, failed.first()) {
        let what = format!("{}: {error}", pages[*number].name);
        return Err(AppError::environment(what, Some(error.hint())));
    }
    let told = |(number, error): &(usize, LookError)| {
        (pages[*number].name.clone(), format!("not seen by the browser, measured without it: {error}"))
    };
    Ok(failed.iter().map(told).collect())
}

fn windows(checks: &ChecksConfig) -> Vec<Window> {
    let schemes = checks.schemes.iter().map(|scheme| *scheme == Scheme::Dark);
    schemes.flat_map(|dark| checks.widths.iter().map(move |width| Window { width: *width, dark })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Page {
        Page::of_text("page.html", "<title>x</title><p>words".to_owned(), false, std::env::temp_dir())
    }

    async fn seen(checks: &ChecksConfig, page: Page) -> Result<Vec<(String, String)>, AppError> {
        see(checks, &std::env::temp_dir(), None, &mut [page], &CancellationToken::new()).await
    }

    #[tokio::test]
    async fn a_browser_that_was_asked_for_and_is_not_there_is_an_error() {
        for eyes in [Eyes::Auto, Eyes::Browser] {
            let checks = ChecksConfig { eyes, browser: Some("/nowhere/chrome".into()), ..ChecksConfig::default() };
            let error = seen(&checks, page()).await.unwrap_err();
            assert!(error.to_string().contains("/nowhere/chrome"), "{eyes}: {error}");
        }
    }

    #[tokio::test]
    async fn nobody_is_started_for_the_static_eye_or_for_texts() {
        let nowhere = ChecksConfig { browser: Some("/nowhere/chrome".into()), ..ChecksConfig::default() };
        let statically = ChecksConfig { eyes: Eyes::Static, ..nowhere.clone() };
        assert!(seen(&statically, page()).await.unwrap().is_empty());
        let text = Page::of_text("a.md", "# Words".to_owned(), true, std::env::temp_dir());
        assert!(seen(&nowhere, text).await.unwrap().is_empty());
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
