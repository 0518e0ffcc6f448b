//! Exceptions in the text itself: `<!-- tribunal-ignore contrast.text: the logo, which others drew -->`.
//!
//! Behind something on its line it is about that line. Otherwise it is about the element that follows, with all that is
//! inside; in Markdown about the lines up to the next empty one. Before `<html>` it is about the whole page.

use pulldown_cmark::{Event, Parser};

use crate::{
    dom::{Dom, Kind, NodeId},
    parse,
    place::{Lines, SourceLocation, Span},
};

const MARK: &str = "tribunal-ignore";
/// No text has more; what is beyond excuses nothing.
const MOST: usize = 10_000;

/// Somebody excuses what a rule finds in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception {
    /// As it is written; empty if none is.
    pub rule: String,
    /// Nothing if nobody gave one.
    pub reason: Option<String>,
    /// Where it stands.
    pub place: SourceLocation,
    /// What it is about: from a line and column up to another.
    from: (u32, u32),
    to: (u32, u32),
    is_about_all: bool,
}

impl Exception {
    /// Whether it is about a finding that is here. One without a place is in the page as a whole.
    pub fn covers(&self, place: Option<&SourceLocation>) -> bool {
        match place {
            None => self.is_about_all,
            Some(place) => self.is_about_all || (self.from..self.to).contains(&(place.line, place.column)),
        }
    }
}

/// All exceptions of a text, in their order.
pub fn exceptions(text: &str, is_markdown: bool) -> Vec<Exception> {
    // Most texts have none, and need not be read again to know it.
    if !text.contains(MARK) {
        return Vec::new();
    }
    let lines = Lines::new(text);
    let comments = if is_markdown && !crate::is_page(text) { in_markdown(text) } else { in_html(text) };
    let mut found = Vec::new();
    for Comment { span, about } in comments {
        let Some(rest) = said(span.of(text)) else { continue };
        let (rules, reason) = rest.split_once(':').unwrap_or((rest, ""));
        let reason = Some(reason.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|reason| !reason.is_empty());
        let place = lines.place(text, span.start);
        let about = if is_first(text, span.start) { about } else { About::Bytes(line_around(text, span)) };
        let (range, is_about_all) = match about {
            About::Page => (Span::new(0, text.len()), true),
            About::Bytes(range) => (range, false),
        };
        let (from, to) = (lines.place(text, range.start), lines.place(text, range.end));
        let mut names: Vec<&str> = rules.split([',', ' ', '\t', '\n', '\r']).filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            names.push("");
        }
        found.extend(names.into_iter().map(|rule| Exception {
            rule: rule.to_owned(),
            reason: reason.clone(),
            place: place.clone(),
            from: (from.line, from.column),
            to: (to.line, to.column),
            is_about_all,
        }));
        if found.len() >= MOST {
            break;
        }
    }
    found
}

struct Comment {
    span: Span,
    about: About,
}

enum About {
    Page,
    Bytes(Span),
}

/// What a comment says behind our mark.
fn said(comment: &str) -> Option<&str> {
    let inside = comment.trim().strip_prefix("<!--")?;
    let inside = inside.strip_suffix("-->").unwrap_or(inside).trim();
    let rest = inside.strip_prefix(MARK)?;
    (rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || c == ':')).then_some(rest)
}

/// Whether nothing but blanks is before it on its line.
fn is_first(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    text[start..at].trim_start_matches('\u{feff}').trim().is_empty()
}

fn line_around(text: &str, span: Span) -> Span {
    let start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[span.end..].find('\n').map_or(text.len(), |newline| span.end + newline);
    Span::new(start, end)
}

fn in_html(text: &str) -> Vec<Comment> {
    let dom = parse::parse(text);
    let mut found = Vec::new();
    for id in dom.descendants(NodeId::DOCUMENT) {
        let Kind::Comment { span } = &dom.node(id).kind else { continue };
        let mut next = dom.node(id).next;
        while let Some(node) = next
            && dom.element(node).is_none()
        {
            next = dom.node(node).next;
        }
        let is_written = |node: NodeId| dom.element(node).is_some_and(|element| element.open.is_some());
        let about = match next {
            Some(node) if dom.name(node) == "html" && is_written(node) => About::Page,
            // Before an element that nobody wrote: the first one that somebody did.
            Some(node) if !is_written(node) => {
                let first = dom.descendants(node).find(|below| is_written(*below));
                About::Bytes(first.map_or(*span, |first| extent(&dom, first)))
            }
            Some(node) => About::Bytes(extent(&dom, node)),
            None => About::Bytes(*span),
        };
        found.push(Comment { span: *span, about });
    }
    found
}

/// From the start tag to the end of the last thing inside.
fn extent(dom: &Dom, node: NodeId) -> Span {
    let mut extent: Option<Span> = None;
    for id in std::iter::once(node).chain(dom.descendants(node)) {
        let spans = match &dom.node(id).kind {
            Kind::Element(element) => [element.open, element.close],
            Kind::Text { span, .. } | Kind::Comment { span } => [Some(*span), None],
            Kind::Document | Kind::Fragment => [None, None],
        };
        for span in spans.into_iter().flatten() {
            let known = extent.get_or_insert(span);
            *known = Span::new(known.start.min(span.start), known.end.max(span.end));
        }
    }
    extent.unwrap_or(Span::new(0, 0))
}

fn in_markdown(text: &str) -> Vec<Comment> {
    let mut found = Vec::new();
    for (event, range) in Parser::new(text).into_offset_iter() {
        if !matches!(event, Event::Html(_) | Event::InlineHtml(_)) {
            continue;
        }
        let piece = &text[range.clone()];
        let Some(at) = piece.find("<!--") else { continue };
        let end = piece[at..].find("-->").map_or(piece.len(), |end| at + end + 3);
        let span = Span::new(range.start + at, range.start + end);
        found.push(Comment { span, about: About::Bytes(block_after(text, span.end)) });
    }
    found
}

/// The lines that follow, up to an empty one.
fn block_after(text: &str, at: usize) -> Span {
    let rest = &text[at..];
    let start = at + rest.len() - rest.trim_start().len();
    let mut end = start;
    for line in text[start..].split_inclusive('\n') {
        if line.trim().is_empty() {
            break;
        }
        end += line.len();
    }
    Span::new(start, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(text: &str, is_markdown: bool, needle: &str) -> bool {
        let place = Lines::new(text).place(text, text.find(needle).unwrap());
        exceptions(text, is_markdown).iter().any(|exception| exception.covers(Some(&place)))
    }

    #[test]
    fn an_exception_is_about_what_follows_or_about_its_line() {
        for (name, text, is_markdown, needle, want) in [
            ("the next element", "<!-- tribunal-ignore x.y: z -->\n<p>a</p>\n<p>b</p>", false, "<p>a", true),
            ("not the one behind it", "<!-- tribunal-ignore x.y: z -->\n<p>a</p>\n<p>b</p>", false, "<p>b", false),
            ("not the one before it", "<p>a</p>\n<!-- tribunal-ignore x.y: z -->\n<p>b</p>", false, "<p>a", false),
            ("what is inside", "<!-- tribunal-ignore x.y: z -->\n<div>\n<p>a</p>\n</div>", false, "<p>a", true),
            ("its own line", "<p>a</p> <!-- tribunal-ignore x.y: z -->\n<p>b</p>", false, "<p>a", true),
            ("not the next line then", "<p>a</p> <!-- tribunal-ignore x.y: z -->\n<p>b</p>", false, "<p>b", false),
            ("nothing follows", "<div><!-- tribunal-ignore x.y: z --></div>\n<p>b</p>", false, "<p>b", false),
            ("another comment", "<!-- tribunal-ignored x.y: z -->\n<p>a</p>", false, "<p>a", false),
            (
                "in a script it is code",
                "<script>'<!-- tribunal-ignore x.y: z -->'</script>\n<p>a</p>",
                false,
                "<p>a",
                false,
            ),
            ("a paragraph", "<!-- tribunal-ignore x.y: z -->\none\ntwo\n\nthree\n", true, "two", true),
            ("not the next paragraph", "<!-- tribunal-ignore x.y: z -->\none\ntwo\n\nthree\n", true, "three", false),
            ("after an empty line", "<!-- tribunal-ignore x.y: z -->\n\n# one\n\ntwo\n", true, "# one", true),
            ("a line of Markdown", "one <!-- tribunal-ignore x.y: z -->\ntwo\n", true, "one", true),
            ("in a code block it is code", "```\n<!-- tribunal-ignore x.y: z -->\n```\none\n", true, "one", false),
        ] {
            assert_eq!(covered(text, is_markdown, needle), want, "{name}");
        }
    }

    #[test]
    fn before_the_page_it_is_about_all_of_it() {
        let all = exceptions("<!-- tribunal-ignore page.title: a part -->\n<html><p>a</html>", false);
        assert!(all[0].covers(None));
        let part = exceptions("<html><!-- tribunal-ignore page.title: a part -->\n<p>a</html>", false);
        assert!(!part[0].covers(None));
    }

    #[test]
    fn rules_and_reasons_are_read() {
        for (comment, rules, reason) in [
            ("<!-- tribunal-ignore a.b: why not -->", "a.b", Some("why not")),
            ("<!--tribunal-ignore a.b, c.d: see http://x-->", "a.b c.d", Some("see http://x")),
            ("<!-- tribunal-ignore a.b -->", "a.b", None),
            ("<!-- tribunal-ignore a.b: -->", "a.b", None),
            ("<!-- tribunal-ignore -->", "", None),
            ("<!-- tribunal-ignore : why -->", "", Some("why")),
        ] {
            let found = exceptions(&format!("{comment}\n<p>x</p>"), false);
            let named: Vec<&str> = found.iter().map(|exception| exception.rule.as_str()).collect();
            assert_eq!(named.join(" "), rules, "{comment}");
            assert_eq!(found[0].reason.as_deref(), reason, "{comment}");
        }
    }
}
