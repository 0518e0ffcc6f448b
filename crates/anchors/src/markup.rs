//! Whether HTML is well formed: every tag is whole, every element is closed, every end tag closes something.

use std::ops::Range;

/// Elements that have no end tag.
const VOID: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr", "param"];
/// Elements whose end tag may be left out.
const OPTIONAL: [&str; 20] = [
    "html", "head", "body", "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "colgroup", "caption",
    "option", "optgroup", "rt", "rp", "summary",
];
/// Elements whose content is no markup.
const RAW: [&str; 4] = ["script", "style", "textarea", "title"];
/// Faults that are reported.
const MAX_FAULTS: usize = 20;
/// Elements inside one another; browsers stop at about as many.
const MAX_DEPTH: usize = 512;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) range: Range<usize>,
    pub(crate) what: String,
}

pub(crate) fn faults(html: &str) -> Vec<Fault> {
    let mut reader = Reader { html, open: Vec::new(), faults: Vec::new() };
    let mut at = 0;
    while at < html.len() && reader.faults.len() < MAX_FAULTS {
        let Some(found) = html[at..].find('<') else { break };
        at = reader.tag(at + found);
    }
    let open = std::mem::take(&mut reader.open);
    for (name, range) in open.into_iter().filter(|(name, _)| !OPTIONAL.contains(&name.as_str())) {
        reader.fault(range, format!("<{name}> is never closed"));
    }
    reader.faults.sort_by_key(|fault| fault.range.start);
    reader.faults.truncate(MAX_FAULTS);
    reader.faults
}

struct Reader<'h> {
    html: &'h str,
    open: Vec<(String, Range<usize>)>,
    faults: Vec<Fault>,
}

impl Reader<'_> {
    fn fault(&mut self, range: Range<usize>, what: String) {
        self.faults.push(Fault { range, what });
    }

    /// Reads what begins with `<` and says where to go on.
    fn tag(&mut self, at: usize) -> usize {
        let html = self.html;
        let rest = &html[at..];
        if rest.starts_with("<!--") {
            return self.until(at, 4, "-->", "a comment is never closed");
        }
        if rest.starts_with("<!") || rest.starts_with("<?") {
            return self.until(at, 2, ">", "a declaration is never closed");
        }
        let closing = rest.starts_with("</");
        let name_at = at + 1 + usize::from(closing);
        let name: String =
            html[name_at..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-' || *c == ':').collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            // A lone `<` is text to browsers, and a mistake to everyone else.
            self.fault(at..at + 1, "`<` begins no tag: write `&lt;`".to_owned());
            return at + 1;
        }
        let Some(end) = tag_end(html, name_at + name.len()) else {
            self.fault(at..html.len().min(at + 40), format!("the tag <{name} is never closed with `>`"));
            return html.len();
        };
        let name = name.to_ascii_lowercase();
        let empty = html[..end - 1].ends_with('/');
        if closing {
            self.close(&name, at..end);
        } else if !VOID.contains(&name.as_str()) && !empty {
            return self.enter(name, at..end);
        }
        end
    }

    fn until(&mut self, at: usize, skip: usize, mark: &str, what: &str) -> usize {
        if let Some(length) = self.html[at + skip..].find(mark) {
            return at + skip + length + mark.len();
        }
        self.fault(at..at + skip, what.to_owned());
        self.html.len()
    }

    fn enter(&mut self, name: String, range: Range<usize>) -> usize {
        if RAW.contains(&name.as_str()) {
            let rest = &self.html.as_bytes()[range.end..];
            let Some(length) = raw_end(rest, &name) else {
                self.fault(range, format!("<{name}> is never closed"));
                return self.html.len();
            };
            let close = range.end + length;
            return tag_end(self.html, close).unwrap_or(self.html.len());
        }
        let end = range.end;
        if self.open.len() >= MAX_DEPTH {
            self.fault(range, format!("more than {MAX_DEPTH} elements are inside one another"));
            return self.html.len();
        }
        // The same kind again ends one whose end tag may be left out, as in a list.
        if OPTIONAL.contains(&name.as_str()) && self.open.last().is_some_and(|(open, _)| *open == name) {
            self.open.pop();
        }
        self.open.push((name, range));
        end
    }

    fn close(&mut self, name: &str, range: Range<usize>) {
        if VOID.contains(&name) {
            return self.fault(range, format!("<{name}> has no end tag"));
        }
        let Some(at) = self.open.iter().rposition(|(open, _)| open == name) else {
            return self.fault(range, format!("</{name}> closes nothing"));
        };
        let inside = self.open.split_off(at + 1);
        for (inner, range) in inside.into_iter().filter(|(inner, _)| !OPTIONAL.contains(&inner.as_str())) {
            self.fault(range, format!("<{inner}> is not closed before </{name}>"));
        }
        self.open.pop();
    }
}

/// Where the raw content ends: at the end tag of its element.
fn raw_end(rest: &[u8], name: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += rest[at..].iter().position(|byte| *byte == b'<')?;
        let tag = rest.get(at + 2..at + 2 + name.len());
        if rest.get(at + 1) == Some(&b'/') && tag.is_some_and(|tag| tag.eq_ignore_ascii_case(name.as_bytes())) {
            return Some(at);
        }
        at += 1;
    }
}

/// The byte after the `>` that ends a tag, past quoted attributes.
fn tag_end(html: &str, from: usize) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in html.as_bytes().iter().enumerate().skip(from) {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_named() {
        for (name, html, want) in [
            ("a page", "<!doctype html><html><head><title>a < b</title></head><body><p>x<br>y</body></html>", vec![]),
            ("a list", "<ul><li>one<li>two</ul>", vec![]),
            ("a script", "<script>if (a < b) { '<div>' }</script>", vec![]),
            ("quotes", "<a title='a > b' href=\"x\">y</a>", vec![]),
            ("self-closed", "<svg><path d='M0'/></svg>", vec![]),
            ("unclosed", "<div><b>x</div>", vec!["<b> is not closed before </div>"]),
            ("never closed", "<main><p>x", vec!["<main> is never closed"]),
            ("stray end", "x</div>", vec!["</div> closes nothing"]),
            ("void end", "<br></br>", vec!["<br> has no end tag"]),
            ("lone bracket", "a < b", vec!["`<` begins no tag: write `&lt;`"]),
            ("open tag", "<div class='x", vec!["the tag <div is never closed with `>`"]),
            ("comment", "<!-- x", vec!["a comment is never closed"]),
            ("raw", "<style>p{}", vec!["<style> is never closed"]),
            ("crossed", "<b><i>x</b></i>", vec!["<i> is not closed before </b>", "</i> closes nothing"]),
        ] {
            let found: Vec<String> = faults(html).into_iter().map(|fault| fault.what).collect();
            assert_eq!(found, want, "{name}");
        }
    }
}
