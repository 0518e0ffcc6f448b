//! A Markdown document as the pieces that measurements look at.

use std::{collections::BTreeMap, ops::Range};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::{dom::collapse, place::Span};

/// A heading with its level and the anchor that renderers give it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Heading {
    pub(crate) level: u8,
    pub(crate) text: String,
    pub(crate) anchor: String,
    pub(crate) span: Span,
}

/// A link or an image.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Link {
    pub(crate) address: String,
    /// The text of a link, the alternative of an image.
    pub(crate) text: String,
    pub(crate) image: bool,
    pub(crate) span: Span,
}

/// What a run of text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Heading,
    Prose,
    Item,
    Cell,
    Html,
}

/// A piece of the source that readers read; code is not among them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run {
    pub(crate) text: String,
    pub(crate) role: Role,
    pub(crate) span: Span,
    /// Runs of one block have one number: a sentence may go through several.
    pub(crate) block: usize,
}

/// A table row by row, the head first, with the heading above it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Table {
    pub(crate) section: String,
    pub(crate) rows: Vec<Vec<String>>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Markdown {
    pub(crate) headings: Vec<Heading>,
    pub(crate) links: Vec<Link>,
    pub(crate) runs: Vec<Run>,
    /// Fenced code: language and text, where the span is the text's.
    pub(crate) fences: Vec<(String, String, Span)>,
    pub(crate) tables: Vec<Table>,
    /// Paragraphs and list items with code in them, each with the heading above.
    pub(crate) notes: Vec<(String, String)>,
    /// Front matter as it stands.
    pub(crate) metadata: String,
}

impl Markdown {
    pub(crate) fn read(source: &str) -> Self {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_HEADING_ATTRIBUTES
            | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
        let mut reader = Reader::default();
        for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
            reader.event(event, range);
        }
        reader.markdown
    }

    pub(crate) fn has_anchor(&self, anchor: &str) -> bool {
        let anchor = anchor.to_lowercase();
        self.headings.iter().any(|heading| heading.anchor == anchor)
            || self.runs.iter().filter(|run| run.role == Role::Html).any(|run| declares(&run.text, &anchor))
    }
}

/// Whether a piece of HTML has an element of this id or name.
fn declares(html: &str, anchor: &str) -> bool {
    let html = html.to_lowercase();
    ["id", "name"].iter().any(|attr| {
        [format!("{attr}=\"{anchor}\""), format!("{attr}='{anchor}'"), format!("{attr}={anchor}>")]
            .iter()
            .any(|text| html.contains(text))
    })
}

#[derive(Debug, Default)]
struct Reader {
    markdown: Markdown,
    block: usize,
    heading: Option<(u8, Option<String>, String, Span)>,
    links: Vec<Link>,
    code: Option<(String, String, Option<Span>)>,
    metadata: bool,
    items: usize,
    cell: Option<String>,
    anchors: BTreeMap<String, usize>,
}

impl Reader {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        let span = Span::new(range.start, range.end);
        match event {
            Event::Start(tag) => self.start(tag, span),
            Event::End(end) => self.end(end),
            Event::Text(text) => self.text(&text, span),
            Event::Code(code) => self.words(&code),
            Event::Html(html) | Event::InlineHtml(html) => self.run(html.into_string(), Role::Html, span),
            Event::SoftBreak | Event::HardBreak => self.words(" "),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, span: Span) {
        match tag {
            Tag::Heading { level, id, .. } => {
                self.block += 1;
                self.heading = Some((level as u8, id.map(|id| id.to_string()), String::new(), span));
            }
            Tag::Link { dest_url, .. } => self.open_link(dest_url.to_string(), false, span),
            Tag::Image { dest_url, .. } => self.open_link(dest_url.to_string(), true, span),
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.split_whitespace().next().unwrap_or_default().to_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new(), None));
            }
            Tag::MetadataBlock(_) => self.metadata = true,
            Tag::Item => {
                self.items += 1;
                self.block += 1;
                self.open_note();
            }
            Tag::Table(_) => {
                let section = self.section();
                self.markdown.tables.push(Table { section, rows: Vec::new() });
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = self.markdown.tables.last_mut() {
                    table.rows.push(Vec::new());
                }
            }
            Tag::TableCell => {
                self.block += 1;
                self.cell = Some(String::new());
            }
            Tag::Paragraph => {
                self.block += 1;
                self.open_note();
            }
            Tag::BlockQuote(_) | Tag::HtmlBlock => self.block += 1,
            _ => {}
        }
    }

    fn end(&mut self, end: TagEnd) {
        match end {
            TagEnd::Heading(_) => {
                if let Some((level, id, text, span)) = self.heading.take() {
                    let anchor = id.unwrap_or_else(|| self.anchor(&text));
                    self.markdown.headings.push(Heading { level, text: collapse(&text), anchor, span });
                }
            }
            TagEnd::Link | TagEnd::Image => self.markdown.links.extend(self.links.pop()),
            TagEnd::CodeBlock => {
                if let Some((language, text, span)) = self.code.take() {
                    self.markdown.fences.push((language, text, span.unwrap_or(Span::new(0, 0))));
                }
            }
            TagEnd::MetadataBlock(_) => self.metadata = false,
            TagEnd::Item => self.items = self.items.saturating_sub(1),
            TagEnd::TableCell => {
                let row = self.markdown.tables.last_mut().and_then(|table| table.rows.last_mut());
                if let (Some(row), Some(cell)) = (row, self.cell.take()) {
                    row.push(collapse(&cell));
                }
            }
            _ => {}
        }
    }

    fn open_link(&mut self, address: String, image: bool, span: Span) {
        self.links.push(Link { address, text: String::new(), image, span });
    }

    fn text(&mut self, text: &str, span: Span) {
        if let Some((_, code, at)) = &mut self.code {
            code.push_str(text);
            let start = at.map_or(span.start, |at| at.start);
            *at = Some(Span::new(start, span.end));
            return;
        }
        if self.metadata {
            self.markdown.metadata.push_str(text);
            return;
        }
        self.words(text);
        let role = if self.heading.is_some() {
            Role::Heading
        } else if self.cell.is_some() {
            Role::Cell
        } else if self.items > 0 {
            Role::Item
        } else {
            Role::Prose
        };
        self.run(text.to_owned(), role, span);
    }

    /// Adds words to whatever collects them, without being prose of their own.
    fn words(&mut self, text: &str) {
        if let Some((_, _, heading, _)) = &mut self.heading {
            heading.push_str(text);
        }
        if let Some(cell) = &mut self.cell {
            cell.push_str(text);
        }
        if self.heading.is_none()
            && self.cell.is_none()
            && let Some((_, note)) = self.markdown.notes.last_mut()
        {
            note.push_str(text);
        }
        for link in &mut self.links {
            link.text.push_str(text);
        }
    }

    fn section(&self) -> String {
        self.markdown.headings.last().map_or_else(String::new, |heading| heading.text.clone())
    }

    fn open_note(&mut self) {
        let section = self.section();
        self.markdown.notes.push((section, String::new()));
    }

    fn run(&mut self, text: String, role: Role, span: Span) {
        self.markdown.runs.push(Run { text, role, span, block: self.block });
    }

    /// The anchor as the usual renderers make it: lower case, words joined by hyphens, repeated ones numbered.
    fn anchor(&mut self, heading: &str) -> String {
        let mut anchor = String::new();
        for c in heading.trim().to_lowercase().chars() {
            match c {
                ' ' | '-' => anchor.push('-'),
                c if c.is_alphanumeric() || c == '_' => anchor.push(c),
                _ => {}
            }
        }
        let count = self.anchors.entry(anchor.clone()).or_insert(0);
        *count += 1;
        if *count == 1 { anchor } else { format!("{anchor}-{}", *count - 1) }
    }
}
