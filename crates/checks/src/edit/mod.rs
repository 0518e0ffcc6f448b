//! The house editor: mechanical fixes where they are certain, each explained, none that makes anything worse.

mod headings;
mod page;
mod style;
mod text;

use std::collections::BTreeMap;

use crate::{
    DesignTokens, a11y,
    a11y::contrast,
    brand, copy, critic,
    document::Document,
    finding::Weight,
    measure::Measurement,
    place::{SourceLocation, Span},
    production,
};

/// An edit that was made, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// The code of the finding that it answers.
    pub code: &'static str,
    pub why: String,
    pub before: String,
    pub after: String,
    /// Where it was made, in the text as it was then.
    pub place: Option<SourceLocation>,
}

/// The text after editing.
#[derive(Debug, Clone, PartialEq)]
pub struct Fixed {
    pub text: String,
    pub edits: Vec<Edit>,
    /// Edits that would have made a measurement worse, with the measurement that fell.
    pub refused: Vec<(Edit, String)>,
}

/// Edits of one kind are tried one by one up to this number, when they do not all fit together.
const MAX_TRIES: usize = 40;

/// And so many tries in all: each of them measures the whole document.
const MAX_ATTEMPTS: usize = 1000;

/// One fix makes room for another a few times, not without end.
const MAX_PASSES: usize = 12;

/// Applies every fix that is certain and makes nothing worse.
pub fn fix(document: &Document, tokens: &DesignTokens) -> Fixed {
    let mut bench = Bench {
        standing: Standing::of(document, tokens),
        attempts: 0,
        document: document.clone(),
        tokens,
        edits: Vec::new(),
        refused: Vec::new(),
    };
    let stages: [fn(&Document, &DesignTokens) -> Vec<Proposal>; 16] = [
        page::doctype,
        page::language,
        page::title,
        page::pictures,
        page::zoom,
        page::labels,
        headings::levels,
        style::focus,
        style::motion,
        style::colors,
        style::contrast_by_token,
        style::contrast,
        style::ground,
        style::spacing,
        text::repeated,
        text::filler,
    ];
    // One fix may make room for another; what is refused in the last pass stays refused.
    for _ in 0..MAX_PASSES {
        let before = bench.edits.len();
        bench.refused.clear();
        for stage in stages {
            bench.run(stage);
        }
        if bench.edits.len() == before {
            break;
        }
    }
    Fixed { text: bench.document.source, edits: bench.edits, refused: bench.refused }
}

/// An edit that could be made.
#[derive(Debug, Clone)]
pub(crate) struct Proposal {
    pub(crate) code: &'static str,
    pub(crate) why: String,
    /// What takes the place of what; places do not overlap.
    pub(crate) changes: Vec<(Span, String)>,
}

impl Proposal {
    pub(crate) fn new(code: &'static str, why: impl Into<String>, span: Span, text: impl Into<String>) -> Self {
        Self { code, why: why.into(), changes: vec![(span, text.into())] }
    }

    fn edit(&self, document: &Document) -> Edit {
        let before = self.changes.iter().map(|(span, _)| span.of(&document.source));
        let after = self.changes.iter().map(|(_, text)| text.as_str());
        Edit {
            code: self.code,
            why: self.why.clone(),
            before: before.collect::<Vec<_>>().join(" … "),
            after: after.collect::<Vec<_>>().join(" … "),
            place: self.changes.first().map(|(span, _)| document.place_at(*span)),
        }
    }
}

/// What an edit must not make worse.
#[derive(Debug)]
struct Standing {
    /// By role and dimension.
    scores: BTreeMap<(&'static str, &'static str), f64>,
    must_fix: usize,
    /// Elements whose text is too faint: scores are rounded, and a page with many texts would not show one more.
    faint: usize,
}

struct Bench<'t> {
    document: Document,
    standing: Standing,
    attempts: usize,
    tokens: &'t DesignTokens,
    edits: Vec<Edit>,
    refused: Vec<(Edit, String)>,
}

impl Bench<'_> {
    /// Tries all proposals of a stage at once, and one by one when that makes something worse.
    fn run(&mut self, stage: fn(&Document, &DesignTokens) -> Vec<Proposal>) {
        let proposals = stage(&self.document, self.tokens);
        if proposals.is_empty() || self.attempt(&proposals).is_ok() {
            return;
        }
        // Positions move with every edit that is made, so each try asks the stage again.
        let mut skip = 0;
        for _ in 0..MAX_TRIES {
            let proposals = stage(&self.document, self.tokens);
            let Some(next) = proposals.get(skip) else { return };
            if let Err(worse) = self.attempt(std::slice::from_ref(next)) {
                self.refused.push((next.edit(&self.document), worse));
                skip += 1;
            }
        }
    }

    /// Makes the edits, unless a measurement falls; its name comes back then.
    fn attempt(&mut self, proposals: &[Proposal]) -> Result<(), String> {
        self.attempts += 1;
        if self.attempts > MAX_ATTEMPTS {
            return Err("too much was tried already".to_owned());
        }
        let text = apply(&self.document.source, proposals);
        if text == self.document.source {
            return Err("nothing changed".to_owned());
        }
        let document = self.document.revised(&text);
        let after = Standing::of(&document, self.tokens);
        if let Some(worse) = self.standing.worse(&after) {
            return Err(worse);
        }
        // Where two texts share a colour, what helps one can hurt the other, and the other way round for ever.
        let about_contrast = proposals.iter().any(|proposal| proposal.code == "contrast.text");
        if about_contrast && after.faint >= self.standing.faint {
            return Err("other text would be too faint instead".to_owned());
        }
        self.edits.extend(proposals.iter().map(|proposal| proposal.edit(&self.document)));
        self.document = document;
        self.standing = after;
        Ok(())
    }
}

impl Standing {
    fn of(document: &Document, tokens: &DesignTokens) -> Self {
        let roles: [(&'static str, Vec<Measurement>); 5] = [
            ("a11y", a11y(document)),
            ("critic", critic(document)),
            ("brand", brand(document, tokens)),
            ("copy", copy(document)),
            ("production", production(document, &|_| true)),
        ];
        let all = || roles.iter().flat_map(|(role, list)| list.iter().map(move |one| (*role, one)));
        let findings = all().flat_map(|(_, one)| &one.findings);
        Self {
            scores: all().map(|(role, one)| ((role, one.dimension), one.score)).collect(),
            must_fix: findings.filter(|finding| finding.weight == Weight::MustFix).count(),
            faint: document.page().map_or(0, contrast::count_faint),
        }
    }

    /// Says what is worse afterwards.
    fn worse(&self, after: &Self) -> Option<String> {
        if after.must_fix > self.must_fix {
            return Some(format!("{} must-fixes instead of {}", after.must_fix, self.must_fix));
        }
        if after.faint > self.faint {
            return Some(format!("{} texts too faint instead of {}", after.faint, self.faint));
        }
        self.scores.iter().find_map(|((role, dimension), score)| {
            let now = after.scores.get(&(*role, *dimension))?;
            (*now < *score).then(|| format!("{role} {dimension} would fall from {score:.1} to {now:.1}"))
        })
    }
}

/// The text with all changes made; of changes that overlap, the first stays.
fn apply(source: &str, proposals: &[Proposal]) -> String {
    let mut changes: Vec<&(Span, String)> = proposals.iter().flat_map(|proposal| &proposal.changes).collect();
    changes.sort_by_key(|(span, _)| *span);
    let mut out = String::with_capacity(source.len() + 256);
    let mut at = 0;
    for (span, text) in changes {
        if let Some(kept) = source.get(at..span.start).filter(|_| span.start >= at && span.end <= source.len()) {
            out.push_str(kept);
            out.push_str(text);
            at = span.end;
        }
    }
    out.push_str(source.get(at..).unwrap_or_default());
    out
}

/// Text as it may stand in an attribute's value between double quotes.
pub(crate) fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}
