//! Rules against a draft: what a machine can decide, decided.

use std::ops::Range;

use crate::{
    draft::Draft,
    json, markup,
    outline::plain,
    page::{PageFault, PageInspector},
    pattern::{Compiled, Pattern, Scope},
    predicate::Predicate,
    result::{SourceSpan, Violation},
    rule::{Rule, Test},
    schema,
    search::{Found, MAX_MATCHES, Query, search},
};

/// Headings up to this length are searched without a look at the cost.
const LONG_HEADING: usize = 4096;

/// What a rule may ask that is not in the text of the draft.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    /// Whether a path relative to the draft is there.
    pub(crate) files: &'a dyn Fn(&str) -> bool,
    pub(crate) pages: &'a dyn PageInspector,
}

/// What a rule has to say of a draft; `None` where only a model or a command can tell.
pub(crate) type Answer = Option<Vec<Violation>>;

/// Answers for all rules, in their order. Patterns over the whole draft go through it together.
pub(crate) fn check(rules: &[&Rule], draft: &Draft<'_>, around: Around<'_>) -> Vec<Answer> {
    let compiled: Vec<Option<Result<Compiled, String>>> = rules
        .iter()
        .map(|rule| match &rule.test {
            Test::Pattern(pattern) => Some(pattern.compile()),
            _ => None,
        })
        .collect();
    let mut whole: Vec<(usize, Query<'_>)> = Vec::new();
    for (at, (rule, compiled)) in rules.iter().zip(&compiled).enumerate() {
        if let (Test::Pattern(Pattern { scope: Scope::Document, must_match, .. }), Some(Ok(compiled))) =
            (&rule.test, compiled)
        {
            whole.push((at, Query { compiled, places: !must_match }));
        }
    }
    let queries: Vec<Query<'_>> = whole.iter().map(|(_, query)| *query).collect();
    let mut found: Vec<Option<Found>> = rules.iter().map(|_| None).collect();
    for ((at, _), result) in whole.iter().zip(search(&queries, draft.text)) {
        found[*at] = Some(result);
    }
    let answers = rules.iter().zip(compiled).zip(found).map(|((rule, compiled), found)| match (&rule.test, compiled) {
        (Test::Pattern(pattern), Some(Ok(compiled))) => {
            let case = Case { rule, draft };
            Some(match found {
                Some(found) => case.pattern(pattern, found, 0),
                None => case.scoped(pattern, &compiled),
            })
        }
        (Test::Pattern(_), Some(Err(why))) => {
            Some(vec![Case { rule, draft }.fault(format!("the pattern cannot be used: {why}"), None)])
        }
        (Test::Predicate(predicate), _) => Some(Case { rule, draft }.predicate(predicate, around)),
        _ => None,
    });
    answers.collect()
}

/// One rule and one draft.
struct Case<'c> {
    rule: &'c Rule,
    draft: &'c Draft<'c>,
}

impl Case<'_> {
    fn fault(&self, message: String, span: Option<SourceSpan>) -> Violation {
        Violation { rule: self.rule.name().to_owned(), message, span }
    }

    /// `offset` is where the searched text begins in the draft.
    fn pattern(&self, pattern: &Pattern, found: Found, offset: usize) -> Vec<Violation> {
        let shown = &pattern.pattern;
        match found {
            Found::TooCostly => {
                let bytes = self.draft.text.len();
                vec![self.fault(format!("the pattern `{shown}` takes too long on a draft of {bytes} bytes"), None)]
            }
            Found::Nothing if pattern.must_match => vec![self.fault(format!("nothing matches `{shown}`"), None)],
            Found::Matches { ranges, more } if !pattern.must_match => {
                let last = ranges.len();
                let faults = ranges.into_iter().enumerate().map(|(at, range)| {
                    let rest = if more && at + 1 == last { ", and there are more" } else { "" };
                    let span = self.draft.span(offset + range.start..offset + range.end);
                    self.fault(format!("matches `{shown}`{rest}"), Some(span))
                });
                faults.collect()
            }
            Found::Nothing | Found::Matches { .. } => Vec::new(),
        }
    }

    fn scoped(&self, pattern: &Pattern, compiled: &Compiled) -> Vec<Violation> {
        match &pattern.scope {
            Scope::Document => Vec::new(),
            Scope::Heading => self.headings(pattern, compiled),
            Scope::Section(name) => {
                let mut sections = self.draft.outline().sections(name).peekable();
                if sections.peek().is_none() && pattern.must_match {
                    return vec![self.fault(format!("no section `{name}`"), None)];
                }
                let query = Query { compiled, places: !pattern.must_match };
                let mut faults = Vec::new();
                for section in sections {
                    let found = search(&[query], &self.draft.text[section.clone()]).pop().unwrap_or(Found::Nothing);
                    if pattern.must_match && matches!(found, Found::Matches { .. }) {
                        return Vec::new();
                    }
                    faults.extend(self.pattern(pattern, found, section.start));
                }
                // Several sections of one name: one match in any of them is enough, and one fault for all.
                faults.truncate(if pattern.must_match { 1 } else { MAX_MATCHES });
                faults
            }
        }
    }

    fn headings(&self, pattern: &Pattern, compiled: &Compiled) -> Vec<Violation> {
        let shown = &pattern.pattern;
        // The limits on cost are for long texts; a heading is one only by mistake.
        let query = Query { compiled, places: false };
        let is_match = |text: &str| match text.len() {
            0..=LONG_HEADING => compiled.regex.is_match(text),
            _ => search(&[query], text) != [Found::Nothing],
        };
        let mut matching = self.draft.outline().headings.iter().filter(|heading| is_match(&heading.text));
        if pattern.must_match {
            let found = matching.next().is_some();
            return if found { Vec::new() } else { vec![self.fault(format!("no heading matches `{shown}`"), None)] };
        }
        let fault = |range| self.fault(format!("a heading matches `{shown}`"), Some(self.draft.span(range)));
        matching.take(MAX_MATCHES).map(|heading| fault(heading.range.clone())).collect()
    }

    fn predicate(&self, predicate: &Predicate, around: Around<'_>) -> Vec<Violation> {
        let draft = self.draft;
        let one = |message: String| vec![self.fault(message, None)];
        match predicate {
            Predicate::Contains { text, ignore_case } => match self.places(text, *ignore_case).next() {
                Some(_) => Vec::new(),
                None => one(format!("`{text}` is nowhere in it")),
            },
            Predicate::NotContains { text, ignore_case } => {
                let places = self.places(text, *ignore_case).take(MAX_MATCHES);
                places.map(|at| self.fault(format!("`{text}` is in it"), Some(draft.span(at)))).collect()
            }
            Predicate::Heading { text, level } => {
                let wanted = plain(text);
                let named = |heading: &crate::outline::Heading| {
                    plain(&heading.text) == wanted && level.is_none_or(|level| level == heading.level)
                };
                match (draft.outline().headings.iter().any(named), level) {
                    (true, _) => Vec::new(),
                    (false, None) => one(format!("no heading `{text}`")),
                    (false, Some(level)) => one(format!("no heading `{text}` of level {level}")),
                }
            }
            Predicate::WordCount(range) if range.contains(draft.words()) => Vec::new(),
            Predicate::WordCount(range) => one(format!("{} words, expected {range}", draft.words())),
            Predicate::LineCount(range) if range.contains(draft.lines.count() as u64) => Vec::new(),
            Predicate::LineCount(range) => one(format!("{} lines, expected {range}", draft.lines.count())),
            Predicate::JsonSchema { schema } => self.json(schema),
            Predicate::WellFormedHtml => self.html(around.pages),
            Predicate::FileExists { path } if (around.files)(path) => Vec::new(),
            Predicate::FileExists { path } => one(format!("there is no file `{path}`")),
            Predicate::LinkResolves => {
                let dead = around.pages.dead_links(draft.text, around.files);
                dead.into_iter().map(|fault| self.on_page(fault)).collect()
            }
        }
    }

    /// Where a text stands, as people read it: between its words there may be the end of a line, several blanks, or the marks
    /// of emphasis. Places stay right without case, because only ASCII letters are folded.
    fn places<'p>(&'p self, text: &str, ignore_case: bool) -> impl Iterator<Item = Range<usize>> + 'p {
        let draft = if ignore_case { self.draft.lower() } else { self.draft.text };
        let sought = if ignore_case { text.to_ascii_lowercase() } else { text.to_owned() };
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = find(draft, &sought, from)?;
            from = found.end;
            Some(found)
        })
    }

    fn json(&self, schema: &schema::Schema) -> Vec<Violation> {
        let draft = self.draft;
        match json::parse(draft.text) {
            Ok(node) => {
                let faults = schema::validate(schema, &node).into_iter();
                faults.map(|fault| self.fault(fault.what, Some(draft.span(fault.range)))).collect()
            }
            Err(error) => {
                let at = (draft.lines.start(error.line) + error.column.saturating_sub(1)).min(draft.text.len());
                vec![self.fault(format!("not JSON: {}", error.message), Some(draft.span(at..at)))]
            }
        }
    }

    fn html(&self, pages: &dyn PageInspector) -> Vec<Violation> {
        let draft = self.draft;
        let tags = markup::faults(draft.text).into_iter();
        let tags = tags.map(|fault| self.fault(fault.what, Some(draft.span(fault.range))));
        // Whole tags can still stand where they must not, which only a tree shows.
        tags.chain(pages.misplaced(draft.text).into_iter().map(|fault| self.on_page(fault))).collect()
    }

    fn on_page(&self, fault: PageFault) -> Violation {
        self.fault(fault.message, fault.at.map(|(line, column)| self.at(line, column)))
    }

    /// From a place to the end of its line.
    fn at(&self, line: u32, column: u32) -> SourceSpan {
        let line = line as usize;
        let (start, end) = (self.draft.lines.start(line), self.draft.lines.start(line + 1));
        let text = self.draft.text.get(start..end).unwrap_or_default().trim_end();
        let from = text.char_indices().nth(column.saturating_sub(1) as usize).map_or(text.len(), |(at, _)| at);
        self.draft.span(start + from..start + text.len())
    }
}

/// The next place of a text whose words may be apart.
fn find(draft: &str, sought: &str, mut from: usize) -> Option<Range<usize>> {
    let mut words = sought.split_whitespace();
    // Without a word in it there is nothing to read: it is taken as it is.
    let Some(first) = words.next() else {
        let at = from + draft.get(from..)?.find(sought).filter(|_| !sought.is_empty())?;
        return Some(at..at + sought.len());
    };
    loop {
        let start = from + draft.get(from..)?.find(first)?;
        let mut end = Some(start + first.len());
        for word in words.clone() {
            end = end.and_then(|end| {
                let rest = &draft[end..];
                let next = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '*' || c == '_');
                (next.len() < rest.len() && next.starts_with(word)).then(|| draft.len() - next.len() + word.len())
            });
        }
        match end {
            Some(end) => return Some(start..end),
            None => from = start + first.chars().next().map_or(1, char::len_utf8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn a_phrase_is_found_as_people_read_it() {
        for (draft, sought, want) in [
            ("we are best in class", "best in class", Some("best in class")),
            ("best in\nclass", "best in class", Some("best in\nclass")),
            ("*best* in  **class**", "best in class", Some("best* in  **class")),
            ("bestin class, best in class", "best in class", Some("best in class")),
            ("best of class", "best in class", None),
            ("best in best in class", "best in class", Some("best in class")),
            ("einé éa", "éa", Some("éa")),
            ("a  b", "  ", Some("  ")),
            ("ab", "", None),
            ("best in", "best in class", None),
        ] {
            assert_eq!(find(draft, sought, 0).map(|at| &draft[at]), want, "{draft:?} {sought:?}");
        }
    }
}
