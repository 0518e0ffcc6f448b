//! Pages and the style sheets that they share, on which proposals are tried.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Certainty, Edit, FixPage, Fixed, Fixing, Proposal, contrast, headings, look, page, proposal, standing::Standing,
    style, text,
};
use crate::{DesignTokens, document::Document, place::Span};

/// Proposals of one kind that are tried on a page in one pass. Each of them measures whole pages.
const MAX_TRIES: usize = 200;
/// Large pages get fewer: so many bytes are measured again for one kind of proposal.
const MAX_BYTES: usize = 16 << 20;
/// And no fewer than these. So many suggestions of a kind are looked for, too, where none is made.
const MIN_TRIES: usize = 12;
/// One fix makes room for another a few times, not without end.
const MAX_PASSES: usize = 12;

type Stage = fn(&Document, &DesignTokens) -> Vec<Proposal>;

const STAGES: [Stage; 16] = [
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
    contrast::by_token,
    contrast::by_lightness,
    contrast::of_the_ground,
    style::spacing,
    text::repeated,
    text::filler,
];

/// A page as it stands now.
struct Stand {
    name: String,
    document: Document,
    standing: Standing,
}

/// The pages as they would be.
struct Trial {
    texts: BTreeMap<String, String>,
    pages: Vec<(usize, Document, Standing)>,
}

/// What is thought of a proposal that is no worse for anybody.
enum Opinion {
    Certain,
    Suggested(String),
}

pub(super) struct Bench<'f> {
    pages: Vec<Stand>,
    fixing: Fixing<'f>,
    /// Linked sheets that may be changed, by their path.
    open: BTreeSet<String>,
    fixed: Fixed,
    /// What nobody wanted, by file, place and code: it is not asked for again.
    declined: Vec<(String, Span, &'static str)>,
}

impl<'f> Bench<'f> {
    pub(super) fn new(pages: &[FixPage<'_>], fixing: Fixing<'f>) -> Self {
        let mut open = BTreeSet::new();
        for sheet in pages.iter().filter_map(|page| page.document.page()).flat_map(|page| &page.linked) {
            if (fixing.may_change)(&sheet.path) && !is_made(&sheet.path, &sheet.text) {
                open.insert(sheet.path.clone());
            }
        }
        let pages = pages.iter().map(|page| Stand {
            name: page.name.to_owned(),
            document: page.document.clone(),
            standing: Standing::of(page.document, fixing.tokens),
        });
        Self { pages: pages.collect(), fixing, open, fixed: Fixed::default(), declined: Vec::new() }
    }

    pub(super) fn run(mut self) -> Fixed {
        for _ in 0..MAX_PASSES {
            let before = self.fixed.edits.len();
            self.fixed.refused.clear();
            self.fixed.suggestions.clear();
            for stage in STAGES {
                for page in 0..self.pages.len() {
                    self.stage(page, stage);
                }
            }
            if self.fixed.edits.len() == before {
                return self.fixed;
            }
        }
        // What never comes to rest would be edited again by the next one who comes: it is left as it was.
        let refused = std::mem::take(&mut self.fixed.edits).into_iter();
        let refused = refused.map(|edit| (edit, "fixing did not come to rest".to_owned())).collect();
        Fixed { refused, ..Fixed::default() }
    }

    fn stage(&mut self, page: usize, stage: Stage) {
        let proposals = self.proposals(page, stage);
        if proposals.is_empty() {
            return;
        }
        let tries = (MAX_BYTES / self.size(page)).clamp(MIN_TRIES, MAX_TRIES);
        let mut wanted: Vec<(Proposal, Certainty)> = Vec::new();
        let mut doubted = 0;
        for proposal in proposals.into_iter().take(tries) {
            doubted += usize::from(proposal.doubt.is_some());
            if proposal.doubt.is_some() && doubted > MIN_TRIES && !self.fixing.takes_suggestions {
                continue;
            }
            let Some(trial) = self.trial(page, &[&proposal]) else { continue };
            match self.opinion(page, &trial, &[&proposal]) {
                Err(worse) => self.refuse(page, &proposal, worse),
                Ok(Opinion::Certain) => wanted.push((proposal, Certainty::Certain)),
                Ok(Opinion::Suggested(why)) => {
                    let certainty = Certainty::Suggested(why);
                    if self.fixing.takes_suggestions {
                        wanted.push((proposal, certainty));
                    } else {
                        self.fixed.suggestions.push(self.edit(page, &proposal, certainty));
                    }
                }
            }
        }
        let mut chosen: Vec<(Proposal, Certainty)> = Vec::new();
        for (proposal, certainty) in wanted {
            // What overlaps waits for the next pass, where it is measured anew.
            if chosen.iter().any(|(other, _)| other.overlaps(&proposal)) {
                continue;
            }
            let edit = self.edit(page, &proposal, certainty.clone());
            if (self.fixing.wants)(&edit) {
                chosen.push((proposal, certainty));
            } else {
                self.decline(page, &proposal);
            }
        }
        self.make(page, chosen);
    }

    /// Makes edits that are fine alone: all at once, or as many of them as are fine together.
    fn make(&mut self, page: usize, chosen: Vec<(Proposal, Certainty)>) {
        let all: Vec<&Proposal> = chosen.iter().map(|(proposal, _)| proposal).collect();
        if all.is_empty() {
            return;
        }
        if all.len() == 1 || self.is_fine(page, &all) {
            return self.commit(page, &chosen);
        }
        let mut kept: Vec<(Proposal, Certainty)> = Vec::new();
        for one in chosen {
            let together: Vec<&Proposal> = kept.iter().chain([&one]).map(|(proposal, _)| proposal).collect();
            if self.is_fine(page, &together) {
                kept.push(one);
            } else {
                self.refuse(page, &one.0, "it does not go together with the others".to_owned());
            }
        }
        if !kept.is_empty() {
            self.commit(page, &kept);
        }
    }

    fn is_fine(&self, page: usize, proposals: &[&Proposal]) -> bool {
        let Some(trial) = self.trial(page, proposals) else { return false };
        match self.opinion(page, &trial, proposals) {
            Ok(Opinion::Certain) => true,
            Ok(Opinion::Suggested(_)) => self.fixing.takes_suggestions,
            Err(_) => false,
        }
    }

    /// What a stage proposes for files that may be changed, without what was declined.
    fn proposals(&mut self, page: usize, stage: Stage) -> Vec<Proposal> {
        let proposals = stage(&self.pages[page].document, self.fixing.tokens);
        let mut list: Vec<Proposal> = Vec::new();
        for proposal in proposals {
            let closed = proposal.changes.iter().find_map(|(span, _)| {
                let path = &self.pages[page].document.linked(*span)?.path;
                (!self.open.contains(path)).then(|| path.clone())
            });
            match closed {
                Some(path) => self.refuse(page, &proposal, format!("`{path}` is not changed")),
                None if self.is_declined(page, &proposal) => {}
                None => list.push(proposal),
            }
        }
        list
    }

    /// The pages after some edits, measured; nothing where no text would change.
    fn trial(&self, page: usize, proposals: &[&Proposal]) -> Option<Trial> {
        let mut by_file: BTreeMap<String, Vec<(Span, &str)>> = BTreeMap::new();
        for (span, text) in proposals.iter().flat_map(|proposal| &proposal.changes) {
            by_file.entry(self.file(page, *span)).or_default().push((*span, text));
        }
        let mut texts = BTreeMap::new();
        for (file, changes) in by_file {
            let old = self.text(page, changes.first()?.0);
            let new = proposal::apply(old, &changes);
            if new != old {
                texts.insert(file, new);
            }
        }
        if texts.is_empty() {
            return None;
        }
        let mut pages = Vec::new();
        for (index, stand) in self.pages.iter().enumerate() {
            let linked = stand.document.page().map_or(&[][..], |page| page.linked.as_slice());
            let is_other =
                texts.contains_key(&stand.name) || linked.iter().any(|sheet| texts.contains_key(&sheet.path));
            if is_other {
                let source = texts.get(&stand.name).unwrap_or(&stand.document.source);
                let document = stand.document.rewritten(source, &texts);
                let standing = Standing::of(&document, self.fixing.tokens);
                pages.push((index, document, standing));
            }
        }
        Some(Trial { texts, pages })
    }

    /// What is thought of edits to a page, or what they make worse on any.
    fn opinion(&self, page: usize, trial: &Trial, proposals: &[&Proposal]) -> Result<Opinion, String> {
        for (index, _, standing) in &trial.pages {
            if let Some(worse) = self.pages[*index].standing.worse(standing) {
                return Err(worse);
            }
        }
        let is_better =
            trial.pages.iter().any(|(index, _, after)| *index == page && self.pages[page].standing.better(after));
        if !is_better {
            return Err("nothing would be better".to_owned());
        }
        if let Some(doubt) = proposals.iter().find_map(|proposal| proposal.doubt) {
            return Ok(Opinion::Suggested(doubt.to_owned()));
        }
        // Edits of one stage reach equally far, or nowhere.
        let Some(reach) = proposals.iter().map(|proposal| proposal.reach).next() else { return Ok(Opinion::Certain) };
        let strange = trial.pages.iter().find_map(|(index, document, standing)| {
            let stand = &self.pages[*index];
            look::strange((&stand.document, &stand.standing), (document, standing), reach)
        });
        Ok(strange.map_or(Opinion::Certain, |why| Opinion::Suggested(why.to_owned())))
    }

    fn commit(&mut self, page: usize, chosen: &[(Proposal, Certainty)]) {
        let proposals: Vec<&Proposal> = chosen.iter().map(|(proposal, _)| proposal).collect();
        let Some(Trial { texts, pages }) = self.trial(page, &proposals) else { return };
        for (proposal, certainty) in chosen {
            let edit = self.edit(page, proposal, certainty.clone());
            self.fixed.edits.push(edit);
        }
        self.move_declined(page, &proposals);
        self.fixed.texts.extend(texts);
        for (index, document, standing) in pages {
            let stand = &mut self.pages[index];
            (stand.document, stand.standing) = (document, standing);
        }
    }

    /// How much is read to measure a page.
    fn size(&self, page: usize) -> usize {
        let document = &self.pages[page].document;
        let linked = document.page().map_or(&[][..], |page| page.linked.as_slice());
        document.source.len().max(1) + linked.iter().map(|sheet| sheet.text.len()).sum::<usize>()
    }

    fn file(&self, page: usize, span: Span) -> String {
        let stand = &self.pages[page];
        stand.document.linked(span).map_or_else(|| stand.name.clone(), |sheet| sheet.path.clone())
    }

    fn text(&self, page: usize, span: Span) -> &str {
        let document = &self.pages[page].document;
        document.linked(span).map_or(document.source.as_str(), |sheet| &sheet.text)
    }

    fn edit(&self, page: usize, proposal: &Proposal, certainty: Certainty) -> Edit {
        let stand = &self.pages[page];
        proposal.edit(&stand.document, &stand.name, certainty)
    }

    fn refuse(&mut self, page: usize, proposal: &Proposal, why: String) {
        let certainty = proposal.doubt.map_or(Certainty::Certain, |doubt| Certainty::Suggested(doubt.to_owned()));
        let edit = self.edit(page, proposal, certainty);
        self.fixed.refused.push((edit, why));
    }

    fn decline(&mut self, page: usize, proposal: &Proposal) {
        if let Some((span, _)) = proposal.changes.first() {
            self.declined.push((self.file(page, *span), *span, proposal.code));
        }
    }

    fn is_declined(&self, page: usize, proposal: &Proposal) -> bool {
        proposal.changes.first().is_some_and(|(span, _)| {
            let file = self.file(page, *span);
            let same = |(of, at, code): &(String, Span, &str)| {
                *of == file && (at.start, at.end, *code) == (span.start, span.end, proposal.code)
            };
            self.declined.iter().any(same)
        })
    }

    /// Edits move what stands behind them.
    fn move_declined(&mut self, page: usize, made: &[&Proposal]) {
        let mut declined = std::mem::take(&mut self.declined);
        for (file, at, _) in &mut declined {
            let own = made.iter().flat_map(|proposal| &proposal.changes);
            let before = own.filter(|(span, _)| self.file(page, *span) == *file && span.end <= at.start);
            let (more, less) =
                before.fold((0, 0), |(more, less), (span, text)| (more + text.len(), less + (span.end - span.start)));
            (at.start, at.end) = (at.start + more - less, at.end + more - less);
        }
        self.declined = declined;
    }
}

/// Whether a program made a style sheet: what is minified, and what says where it came from.
fn is_made(path: &str, text: &str) -> bool {
    const SHORT: usize = 600;
    const LONG_LINE: usize = 240;
    let lines = text.lines().count().max(1);
    path.contains(".min.")
        || text.contains("sourceMappingURL=")
        || (text.len() > SHORT && text.len() / lines > LONG_LINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_that_programs_made_are_known() {
        let long = "p{color:red}".repeat(100);
        let lines = "p { color: red }\n".repeat(100);
        for (name, path, text, want) in [
            ("written by hand", "a.css", lines.as_str(), false),
            ("one short line", "a.css", "p{color:red}", false),
            ("one long line", "a.css", &long, true),
            ("by its name", "css/a.min.css", "p{color:red}", true),
            ("with a map", "a.css", "p { color: red }\n/*# sourceMappingURL=a.css.map */", true),
            ("empty", "a.css", "", false),
        ] {
            assert_eq!(is_made(path, text), want, "{name}");
        }
    }
}
