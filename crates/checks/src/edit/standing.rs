//! What an edit must not make worse: every measurement, every must-fix, every contrast.

use std::collections::BTreeMap;

use super::links;
use crate::{
    DesignTokens, a11y,
    a11y::{
        contrast::{self, shown},
        pair::Pair,
    },
    brand, copy, critic,
    document::Document,
    dom::NodeId,
    finding::Weight,
    measure::Measurement,
    production,
};

/// Ratios are computed twice in the same way; this much is noise.
const NOISE: f64 = 1e-6;

/// The colours of an element's text on one of the screens; nothing where they are not known.
#[derive(Debug, Clone)]
pub(super) struct TextRun {
    pub(super) element: NodeId,
    pub(super) screen: u8,
    pub(super) pair: Option<Pair>,
}

/// How a document stands.
#[derive(Debug)]
pub(super) struct Standing {
    /// By role and dimension.
    scores: BTreeMap<(&'static str, &'static str), f64>,
    said: BTreeMap<(&'static str, &'static str), Vec<String>>,
    counts: BTreeMap<&'static str, usize>,
    must_fix: usize,
    pub(super) runs: Vec<TextRun>,
    /// How far links stand out from their text.
    pub(super) links: Vec<f64>,
}

impl Standing {
    pub(super) fn of(document: &Document, tokens: &DesignTokens) -> Self {
        let roles: [(&'static str, Vec<Measurement>); 5] = [
            ("a11y", a11y(document)),
            ("critic", critic(document)),
            ("brand", brand(document, tokens)),
            ("copy", copy(document)),
            ("production", production(document, &|_| true)),
        ];
        let all = || roles.iter().flat_map(|(role, list)| list.iter().map(move |one| (*role, one)));
        let mut counts = BTreeMap::new();
        for finding in all().flat_map(|(_, one)| &one.findings).filter(|finding| finding.weight != Weight::Note) {
            *counts.entry(finding.code).or_insert(0) += 1;
        }
        let grave = all().flat_map(|(_, one)| &one.findings).filter(|finding| finding.weight == Weight::MustFix);
        let runs = document.page().map(contrast::on_screens).unwrap_or_default();
        Self {
            must_fix: grave.count(),
            scores: all().map(|(role, one)| ((role, one.dimension), one.score)).collect(),
            said: all().map(|(role, one)| ((role, one.dimension), one.evidence.clone())).collect(),
            counts,
            links: document.page().map(links::standing_out).unwrap_or_default(),
            runs: runs.into_iter().map(|(element, screen, pair)| TextRun { element, screen, pair }).collect(),
        }
    }

    /// Says what is worse afterwards.
    pub(super) fn worse(&self, after: &Self) -> Option<String> {
        if after.must_fix > self.must_fix {
            return Some(format!("{} must-fixes instead of {}", after.must_fix, self.must_fix));
        }
        if after.runs.len() != self.runs.len() {
            return Some("other text would be shown".to_owned());
        }
        for (was, is) in self.runs.iter().zip(&after.runs) {
            match (&was.pair, &is.pair) {
                (Some(was), Some(is)) if is.ratio() < was.ratio() - NOISE => {
                    return Some(format!("a contrast would fall from {} to {}", shown(was.ratio()), shown(is.ratio())));
                }
                (Some(_), None) => return Some("a contrast would not be known any more".to_owned()),
                _ => {}
            }
        }
        // Faint text is listed by its colours, which an edit may tell apart; each of them was compared above.
        let more = after
            .counts
            .iter()
            .find(|(code, count)| **code != "contrast.text" && **count > self.counts.get(*code).copied().unwrap_or(0));
        if let Some((code, _)) = more {
            return Some(format!("there would be one more {code}"));
        }
        self.scores.iter().find_map(|((role, dimension), score)| {
            let now = after.scores.get(&(*role, *dimension))?;
            (*now < *score).then(|| format!("{role} {dimension} would fall from {score:.1} to {now:.1}"))
        })
    }

    /// Whether anything that is measured is better afterwards; nothing is worse.
    pub(super) fn better(&self, after: &Self) -> bool {
        let fewer = self.counts.iter().any(|(code, count)| after.counts.get(code).copied().unwrap_or(0) < *count);
        let brighter = self.runs.iter().zip(&after.runs).any(|(was, is)| match (&was.pair, &is.pair) {
            (Some(was), Some(is)) => is.ratio() > was.ratio() + NOISE,
            _ => false,
        });
        fewer || brighter || after.must_fix < self.must_fix || after.scores != self.scores || after.said != self.said
    }
}
