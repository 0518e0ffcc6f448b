//! What our measurements say of a page.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use tribunal_checks::{Document, MeasuredFinding, a11y, contrasts, production};

use super::rule::{self, CONTRAST, RULES, Rule};
use crate::repo::Repo;

/// Axe has no rule for it.
pub(super) const FOCUS: &str = "focus.hidden";

/// A page and everything that we say of it.
#[derive(Debug)]
pub(super) struct Page {
    /// Its file without the ending.
    pub(super) name: String,
    pub(super) file: PathBuf,
    /// Whether it looks different in the dark.
    pub(super) dark: bool,
    pub(super) said: Vec<Said>,
}

/// What we say of one element under one rule.
#[derive(Debug)]
pub(super) struct Said {
    /// Nothing for what axe has no rule for.
    pub(super) rule: Option<&'static Rule>,
    pub(super) code: &'static str,
    pub(super) dark: bool,
    /// Our selector; nothing where a finding has no place.
    pub(super) selector: Option<String>,
    pub(super) verdict: Verdict,
    pub(super) ratio: Option<f64>,
    /// Why it is undecided.
    pub(super) why: Option<String>,
}

/// From good to bad, so that the worse of two is the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    Passes,
    Undecided,
    Fails,
}

impl Verdict {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Passes => "passes",
            Self::Undecided => "undecided",
            Self::Fails => "fails",
        }
    }
}

impl Page {
    pub(super) fn measure(repo: &Repo, file: &Path) -> Result<Self> {
        let name = file.file_stem().context("a page without a name")?.to_string_lossy().into_owned();
        let folder = file.parent().context("a page in no folder")?;
        let source = repo.read(file)?;
        let document = Document::html(&source, &|address| repo.read(folder.join(address)).ok());
        Ok(Self { name, file: file.to_owned(), dark: source.contains("prefers-color-scheme"), said: said(&document) })
    }
}

pub(super) fn said(document: &Document) -> Vec<Said> {
    let measured = a11y(document).into_iter().chain(production(document, &|_| true));
    let findings: Vec<MeasuredFinding> = measured.flat_map(|one| one.findings).collect();
    let contrast = RULES.iter().find(|rule| rule.name == CONTRAST).expect("there is a rule for contrast");
    let of_findings = findings.into_iter().filter_map(|finding| {
        let rule = rule::of_ours(finding.code, &finding.evidence);
        // Contrast comes element by element below: its findings show each pair of colours once.
        // The focus is compared with pixels.
        let is_asked = rule.map_or(finding.code == FOCUS, |rule| rule.name != CONTRAST);
        is_asked.then(|| Said {
            rule,
            code: finding.code,
            dark: false,
            selector: finding.place.and_then(|place| place.selector),
            verdict: Verdict::Fails,
            ratio: None,
            why: None,
        })
    });
    let of_contrast = contrasts(document).into_iter().map(|one| Said {
        rule: Some(contrast),
        code: "contrast.text",
        dark: one.dark,
        selector: one.place.selector.clone(),
        verdict: match (&one.ratio, one.needs) {
            (Ok(ratio), Some(needs)) if *ratio >= needs => Verdict::Passes,
            (Ok(_), Some(_)) => Verdict::Fails,
            _ => Verdict::Undecided,
        },
        ratio: one.ratio.as_ref().ok().copied(),
        why: one.ratio.err(),
    });
    of_findings.chain(of_contrast).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_judged() {
        let source = "<html lang=en><title>x</title><main><h1>a</h1><p id=a style='color: #777'>b</p>\
                      <p id=b style='background: url(x)'>c</p><img id=c src=x></main>";
        let said = said(&Document::html(source, &|_| None));
        let shown: Vec<String> = said
            .iter()
            .map(|said| {
                let selector = said.selector.as_deref().unwrap_or("page");
                format!("{} {selector} {}", said.rule.map_or(said.code, |rule| rule.name), said.verdict.as_str())
            })
            .collect();
        assert_eq!(
            shown,
            [
                "image-alt img#c fails",
                "color-contrast body > main > h1 passes",
                "color-contrast p#a fails",
                "color-contrast p#b undecided",
            ]
        );
    }
}
