//! The headings of a draft, in Markdown or HTML, and the sections under them.

use std::ops::Range;

use crate::lines::Lines;

/// How far a heading's end tag is looked for.
const MAX_HTML_HEADING: usize = 2000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heading {
    pub(crate) level: u8,
    /// Without marks and tags, blanks collapsed.
    pub(crate) text: String,
    /// The whole line or element.
    pub(crate) range: Range<usize>,
}

/// Headings in the order of the text. Code in fences and front matter have none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outline {
    pub(crate) headings: Vec<Heading>,
    length: usize,
}

impl Outline {
    pub(crate) fn read(text: &str, lines: &Lines) -> Self {
        let mut reader = Reader { text, headings: Vec::new(), fence: None, before: None };
        let mut skip_to = front_matter(text, lines);
        for range in lines.ranges() {
            if range.start < skip_to {
                continue;
            }
            skip_to = reader.line(range);
        }
        Self { headings: reader.headings, length: text.len() }
    }

    /// Everything under headings of this name, down to the next heading of the same or a higher level.
    pub(crate) fn sections<'o>(&'o self, name: &str) -> impl Iterator<Item = Range<usize>> + 'o {
        let name = plain(name);
        let named = self.headings.iter().enumerate().filter(move |(_, heading)| plain(&heading.text) == name);
        named.map(|(at, heading)| {
            let next = self.headings[at + 1..].iter().find(|next| next.level <= heading.level);
            heading.range.end..next.map_or(self.length, |next| next.range.start)
        })
    }
}

/// For comparing: case and blanks do not matter, nor a number in front.
pub(crate) fn plain(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let numbered = words.len() > 1
        && words[0].ends_with(['.', ')'])
        && words[0].chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ')'));
    words[usize::from(numbered)..].join(" ")
}

/// Where the front matter ends: its lines look like headings to those who do not know it.
fn front_matter(text: &str, lines: &Lines) -> usize {
    let mut ranges = lines.ranges();
    if ranges.next().is_none_or(|first| text[first].trim_end() != "---") {
        return 0;
    }
    ranges.find(|line| matches!(text[line.clone()].trim_end(), "---" | "...")).map_or(0, |line| line.end)
}

struct Reader<'t> {
    text: &'t str,
    headings: Vec<Heading>,
    /// The mark and length of the fence that is open.
    fence: Option<(u8, usize)>,
    /// The paragraph line before, which an underline makes a heading.
    before: Option<Range<usize>>,
}

impl Reader<'_> {
    /// Reads a line and says where the next one to look at begins.
    fn line(&mut self, range: Range<usize>) -> usize {
        let text = self.text;
        let line = text[range.clone()].trim_end();
        let body = line.trim_start();
        let indent = line.len() - body.len();
        let before = self.before.take();
        if indent > 3 && before.is_none() {
            return range.end;
        }
        if let Some((mark, length)) = fence(body) {
            match self.fence {
                None => self.fence = Some((mark, length)),
                Some((open, least)) if open == mark && length >= least && body.len() == length => self.fence = None,
                Some(_) => {}
            }
            return range.end;
        }
        if self.fence.is_some() || body.is_empty() {
            return range.end;
        }
        let whole = range.start..range.start + line.len();
        if let Some((level, words)) = hashes(body) {
            self.headings.push(Heading { level, text: collapse(words), range: whole });
        } else if let (Some(level), Some(above)) = (underline(body), before) {
            self.headings.push(Heading { level, text: collapse(&text[above.clone()]), range: above.start..whole.end });
        } else if body.contains("<h") || body.contains("<H") {
            return self.elements(range);
        } else if !body.starts_with(['>', '|', '<', '-', '*', '+']) {
            self.before = Some(whole);
        }
        range.end
    }

    /// The `<h1>` to `<h6>` that begin in a line.
    fn elements(&mut self, line: Range<usize>) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = line.start;
        while let Some(found) = bytes.get(at..line.end).and_then(|rest| rest.iter().position(|byte| *byte == b'<')) {
            at += found + 1;
            let Some(&[h, digit, after]) = bytes.get(at..at + 3) else { break };
            if !h.eq_ignore_ascii_case(&b'h')
                || !(b'1'..=b'6').contains(&digit)
                || !matches!(after, b'>' | b' ' | b'\n' | b'\t' | b'\r')
            {
                continue;
            }
            let mut limit = (at + MAX_HTML_HEADING).min(bytes.len());
            while !self.text.is_char_boundary(limit) {
                limit -= 1;
            }
            let rest = &self.text[at..limit];
            let close = rest.to_ascii_lowercase().find(&format!("</h{}", digit - b'0'));
            if let (Some(open), Some(close)) = (rest.find('>'), close)
                && open < close
            {
                let end = rest[close..].find('>').map_or(limit, |length| at + close + length + 1);
                let text = collapse(&without_tags(&rest[open + 1..close]));
                self.headings.push(Heading { level: digit - b'0', text, range: at - 1..end });
                at = end;
            }
        }
        at.max(line.end)
    }
}

fn fence(body: &str) -> Option<(u8, usize)> {
    let mark = *body.as_bytes().first()?;
    let length = body.bytes().take_while(|byte| *byte == mark).count();
    (matches!(mark, b'`' | b'~') && length >= 3 && !(mark == b'`' && body[length..].contains('`')))
        .then_some((mark, length))
}

fn hashes(body: &str) -> Option<(u8, &str)> {
    let level = body.bytes().take_while(|byte| *byte == b'#').count();
    let rest = &body[level..];
    if !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let words = rest.trim();
    let bare = words.trim_end_matches('#');
    let closed = bare.is_empty() || bare.ends_with([' ', '\t']);
    u8::try_from(level).ok().map(|level| (level, if closed { bare.trim_end() } else { words }))
}

fn underline(body: &str) -> Option<u8> {
    match body.as_bytes().first()? {
        b'=' if body.bytes().all(|byte| byte == b'=') => Some(1),
        b'-' if body.bytes().all(|byte| byte == b'-') => Some(2),
        _ => None,
    }
}

fn without_tags(html: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in html.chars() {
        match c {
            '<' => inside = true,
            '>' => inside = false,
            c if !inside => out.push(c),
            _ => {}
        }
    }
    out.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", " ")
}

/// Emphasis, code marks and runs of blanks are no words.
fn collapse(text: &str) -> String {
    let bare: String = text.chars().filter(|c| !matches!(c, '*' | '`')).collect();
    bare.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(text: &str) -> String {
        let outline = Outline::read(text, &Lines::new(text));
        let line = |heading: &Heading| format!("{} {}", heading.level, heading.text);
        outline.headings.iter().map(line).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn headings_are_found() {
        for (name, text, want) in [
            ("hashes", "# One\n## Two ##\n###### Six\n####### seven", "1 One; 2 Two; 6 Six"),
            ("no blank", "#One", ""),
            ("emphasis", "## **Bold** `code`", "2 Bold code"),
            ("underlined", "One\n===\n\nTwo\n---\n", "1 One; 2 Two"),
            ("a rule", "text\n\n---\n", ""),
            ("a list", "- item\n---\n", ""),
            ("a fence", "```\n# no\n```\n# yes", "1 yes"),
            ("a longer fence", "````\n```\n# no\n````\n# yes", "1 yes"),
            ("indented code", "    # no\n# yes", "1 yes"),
            ("front matter", "---\ntitle: x\n---\n# yes", "1 yes"),
            ("html", "<h1 class=a>A <b>b</b></h1><h2>C\nd</h2>", "1 A b; 2 C d"),
            ("html that is no heading", "<html><header>x</header><hr>", ""),
            ("an unclosed html heading", "<h1>never", ""),
        ] {
            assert_eq!(outline(text), want, "{name}");
        }
    }

    #[test]
    fn sections_end_at_the_next_heading_of_their_level() {
        let text = "# Top\n## 1. Risks\nfire\n### Small\nwater\n## Rest\nnone\n## risks\nagain\n";
        let outline = Outline::read(text, &Lines::new(text));
        let sections: Vec<&str> = outline.sections("Risks").map(|range| &text[range]).collect();
        assert_eq!(sections, ["\nfire\n### Small\nwater\n", "\nagain\n"]);
    }
}
