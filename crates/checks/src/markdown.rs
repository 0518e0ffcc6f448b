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
    /// What somebody else said.
    Quote,
    Html,
    /// The words that stand for a picture.
    Alt,
    /// Code between words: it is read, but it is not made of words.
    Code,
    /// A line's end that the author asked for.
    Break,
}

/// A piece of the source that readers read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run {
    pub(crate) text: String,
    pub(crate) role: Role,
    pub(crate) span: Span,
    /// Runs of one block have one number: a sentence may go through several.
    pub(crate) block: usize,
    /// Words that are not the author's to change: in `<q>` and `<cite>`, struck out, or not to be translated.
    pub(crate) guarded: bool,
}

/// A table row by row, the head first, with the heading above it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Table {
    pub(crate) section: String,
    pub(crate) rows: Vec<Vec<String>>,
    /// Where each row begins.
    pub(crate) at: Vec<usize>,
}

/// A paragraph or a list item with the code in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Note {
    /// The heading above.
    pub(crate) section: String,
    pub(crate) text: String,
    pub(crate) at: usize,
    /// Whether it is an item of a list.
    pub(crate) item: bool,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Markdown {
    pub(crate) headings: Vec<Heading>,
    pub(crate) links: Vec<Link>,
    pub(crate) runs: Vec<Run>,
    /// Fenced code: language and text, where the span is the text's.
    pub(crate) fences: Vec<(String, String, Span)>,
    pub(crate) tables: Vec<Table>,
    pub(crate) notes: Vec<Note>,
    /// Front matter as it stands, and where it begins.
    pub(crate) metadata: String,
    pub(crate) metadata_at: usize,
}

impl Markdown {
    pub(crate) fn read(source: &str) -> Self {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_HEADING_ATTRIBUTES
            | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
            | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
        let mut reader = Reader::default();
        // A byte-order mark would hide the heading or the front matter behind it.
        let text = source.trim_start_matches('\u{feff}');
        let skipped = source.len() - text.len();
        for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
            reader.event(event, range.start + skipped..range.end + skipped);
        }
        reader.markdown
    }

    /// The language that the front matter names.
    pub(crate) fn language(&self) -> Option<&str> {
        self.metadata.lines().find_map(|line| {
            let (name, value) = line.split_once([':', '='])?;
            let value = value.trim().trim_matches(['"', '\'']);
            (matches!(name.trim(), "lang" | "language" | "locale") && !value.is_empty()).then_some(value)
        })
    }

    /// The ids of headings and of the HTML in between.
    pub(crate) fn anchors(&self) -> impl Iterator<Item = String> + '_ {
        let headings = self.headings.iter().map(|heading| heading.anchor.clone());
        let html = self.runs.iter().filter(|run| run.role == Role::Html).flat_map(|run| declared(&run.text));
        headings.chain(html)
    }
}

/// The ids and names of the start tags in a piece of HTML.
fn declared(html: &str) -> Vec<String> {
    let tags = html.split('<').skip(1).filter(|tag| tag.starts_with(|c: char| c.is_ascii_alphabetic()));
    let named = tags.flat_map(|tag| {
        let attributes = crate::tag::attributes(tag).into_iter();
        attributes
            .filter(|attr| ["id", "name"].iter().any(|name| attr.name.eq_ignore_ascii_case(name)))
            .filter_map(|attr| Some(attr.value?.of(tag).to_owned()))
            .collect::<Vec<_>>()
    });
    named.collect()
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
    quotes: usize,
    pictures: usize,
    struck: usize,
    /// Elements written as tags between the words that make code or a quotation of what is inside.
    tags: Vec<String>,
    cell: Option<String>,
    anchors: BTreeMap<String, usize>,
}

/// What is inside of these is no prose, or not the author's.
const CODE_TAGS: &[&str] = &["code", "kbd", "samp", "var", "tt", "pre"];
const QUOTE_TAGS: &[&str] = &["q", "cite", "del", "s"];

impl Reader {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        let span = Span::new(range.start, range.end);
        match event {
            Event::Start(tag) => self.start(tag, span),
            Event::End(end) => self.end(end),
            Event::Text(text) => self.text(&text, span),
            Event::Code(code) => {
                self.words(&code);
                self.run(code.into_string(), Role::Code, span);
            }
            Event::Html(html) => self.run(html.into_string(), Role::Html, span),
            Event::InlineHtml(html) => self.tag(html.into_string(), span),
            Event::SoftBreak => self.words("\n"),
            Event::HardBreak => {
                self.words("\n");
                self.run(String::new(), Role::Break, span);
            }
            Event::FootnoteReference(_) => self.run(String::new(), Role::Code, span),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, span: Span) {
        match tag {
            Tag::Heading { level, id, .. } => {
                self.open_block();
                self.heading = Some((level as u8, id.map(|id| id.to_string()), String::new(), span));
            }
            Tag::Link { dest_url, .. } => self.open_link(dest_url.to_string(), false, span),
            Tag::Image { dest_url, .. } => {
                self.pictures += 1;
                self.open_link(dest_url.to_string(), true, span);
            }
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
                self.open_block();
                self.open_note(span.start, true);
            }
            Tag::Table(_) => {
                let section = self.section();
                self.markdown.tables.push(Table { section, ..Table::default() });
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = self.markdown.tables.last_mut() {
                    table.rows.push(Vec::new());
                    table.at.push(span.start);
                }
            }
            Tag::TableCell => {
                self.open_block();
                self.cell = Some(String::new());
            }
            Tag::Paragraph => {
                self.open_block();
                // The first paragraph of an item is the item's own text.
                let fresh = self.markdown.notes.last().is_some_and(|note| note.item && note.text.is_empty());
                if !(self.items > 0 && fresh) {
                    self.open_note(span.start, self.items > 0);
                }
            }
            Tag::BlockQuote(_) => {
                self.quotes += 1;
                self.open_block();
            }
            Tag::HtmlBlock | Tag::List(_) | Tag::FootnoteDefinition(_) => self.open_block(),
            Tag::Strikethrough => self.struck += 1,
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
            TagEnd::Link => self.markdown.links.extend(self.links.pop()),
            TagEnd::Image => {
                self.pictures = self.pictures.saturating_sub(1);
                if let Some(picture) = self.links.pop() {
                    // What follows the picture does not follow the words before it.
                    self.run(String::new(), Role::Code, picture.span);
                    self.markdown.links.push(picture);
                }
            }
            TagEnd::BlockQuote(_) => {
                self.quotes = self.quotes.saturating_sub(1);
                self.open_block();
            }
            TagEnd::Strikethrough => self.struck = self.struck.saturating_sub(1),
            TagEnd::CodeBlock => {
                if let Some((language, text, span)) = self.code.take() {
                    self.markdown.fences.push((language, text, span.unwrap_or(Span::new(0, 0))));
                }
            }
            TagEnd::MetadataBlock(_) => self.metadata = false,
            TagEnd::Item => {
                self.items = self.items.saturating_sub(1);
                self.open_block();
            }
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
            if self.markdown.metadata.is_empty() {
                self.markdown.metadata_at = span.start;
            }
            self.markdown.metadata.push_str(text);
            return;
        }
        self.words(text);
        let role = if self.pictures > 0 {
            Role::Alt
        } else if self.tags.iter().any(|tag| CODE_TAGS.contains(&tag.as_str())) {
            Role::Code
        } else if self.heading.is_some() {
            Role::Heading
        } else if self.quotes > 0 {
            Role::Quote
        } else if self.cell.is_some() {
            Role::Cell
        } else if self.items > 0 {
            Role::Item
        } else {
            Role::Prose
        };
        self.run(text.to_owned(), role, span);
    }

    /// Adds words to whatever collects them, without being prose of their own. Lines count for notes alone.
    fn words(&mut self, text: &str) {
        let line = if text == "\n" { " " } else { text };
        if let Some((_, _, heading, _)) = &mut self.heading {
            heading.push_str(line);
        }
        if let Some(cell) = &mut self.cell {
            cell.push_str(line);
        }
        if self.heading.is_none()
            && self.cell.is_none()
            && let Some(note) = self.markdown.notes.last_mut()
        {
            note.text.push_str(text);
        }
        for link in &mut self.links {
            link.text.push_str(line);
        }
    }

    fn section(&self) -> String {
        self.markdown.headings.last().map_or_else(String::new, |heading| heading.text.clone())
    }

    fn open_note(&mut self, at: usize, item: bool) {
        let section = self.section();
        self.markdown.notes.push(Note { section, text: String::new(), at, item });
    }

    /// A tag that nobody closed does not reach into the next block.
    fn open_block(&mut self) {
        self.block += 1;
        self.tags.clear();
    }

    fn run(&mut self, text: String, role: Role, span: Span) {
        let guarded = self.struck > 0 || self.tags.iter().any(|tag| !CODE_TAGS.contains(&tag.as_str()));
        self.markdown.runs.push(Run { text, role, span, block: self.block, guarded });
    }

    /// A tag between words.
    fn tag(&mut self, html: String, span: Span) {
        let closes = html.starts_with("</");
        let name = html.trim_start_matches(['<', '/']).split(|c: char| !c.is_ascii_alphanumeric()).next();
        let name = name.unwrap_or_default().to_ascii_lowercase();
        let lower = html.to_ascii_lowercase();
        let own = CODE_TAGS.contains(&name.as_str())
            || QUOTE_TAGS.contains(&name.as_str())
            || lower.contains("translate=\"no\"")
            || lower.contains("lang=");
        if closes {
            if let Some(at) = self.tags.iter().rposition(|tag| *tag == name) {
                self.tags.truncate(at);
            }
        } else if own && !html.ends_with("/>") {
            self.tags.push(name.clone());
        }
        self.run(html, Role::Html, span);
        match name.as_str() {
            "br" => self.run(String::new(), Role::Break, span),
            "img" | "svg" | "input" => self.run(String::new(), Role::Code, span),
            _ => {}
        }
    }

    /// The anchor as GitHub makes it: lower case, words joined by hyphens, repeated ones numbered until one is free.
    fn anchor(&mut self, heading: &str) -> String {
        let mut anchor = String::new();
        for c in heading.trim().to_lowercase().chars() {
            match c {
                ' ' | '-' => anchor.push('-'),
                c if c.is_alphanumeric() || c == '_' => anchor.push(c),
                _ => {}
            }
        }
        let mut free = anchor.clone();
        let mut number = self.anchors.get(&anchor).copied().unwrap_or(0);
        while self.anchors.contains_key(&free) {
            number += 1;
            free = format!("{anchor}-{number}");
        }
        self.anchors.insert(anchor, number);
        self.anchors.entry(free.clone()).or_insert(0);
        free
    }
}
