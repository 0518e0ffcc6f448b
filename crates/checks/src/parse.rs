//! From HTML source to a tree with positions.
//!
//! The tokenizer knows lines only. A tag ends with the `>` that completes it, so the source is fed in pieces that end
//! after every `>` and before every `<`: whatever a piece completes ends where the piece ends.

use html5ever::{
    TokenizerResult,
    buffer_queue::BufferQueue,
    tendril::StrTendril,
    tokenizer::{TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts},
    tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink},
};

use crate::{
    dom::{Dom, Kind, NodeId},
    place::Span,
    sink::{Sink, Tag},
};

/// Elements deeper than this are left out: the parser's work for a tag grows with the depth.
pub const MAX_DEPTH: usize = 512;
/// No page that a person reads has more nodes; what follows is not read.
pub const MAX_NODES: usize = 1_000_000;
/// The tokenizer compares every attribute of a tag with all before it.
const MAX_ATTRIBUTES: usize = 10_000;

pub(crate) fn parse(source: &str) -> Dom {
    let sink = Placer {
        source,
        builder: TreeBuilder::new(Sink::new(), TreeBuilderOpts::default()),
        pending: std::cell::Cell::new(None),
        piece: std::cell::Cell::new(0),
        open: std::cell::RefCell::new(Vec::new()),
        skipped: std::cell::RefCell::new(Vec::new()),
    };
    let tokenizer = Tokenizer::new(sink, TokenizerOpts { discard_bom: true, ..TokenizerOpts::default() });
    let queue = BufferQueue::default();
    let whole = StrTendril::from(source);
    let mut start = 0;
    while start < source.len() {
        let end = piece_end(source, start);
        if is_overfull(&source[start..end]) && !tokenizer.sink.is_in_raw_text() {
            let mut dom = tokenizer.sink.builder.sink.dom.borrow_mut();
            dom.cut = Some("a tag has more than ten thousand attributes; the rest was not read");
            break;
        }
        tokenizer.sink.open_piece(start, end);
        let (Ok(from), Ok(length)) = (u32::try_from(start), u32::try_from(end - start)) else { break };
        queue.push_back(whole.subtendril(from, length));
        // A finished script hands control back; nothing runs here, so it goes on.
        while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
        let mut dom = tokenizer.sink.builder.sink.dom.borrow_mut();
        if dom.nodes.len() > MAX_NODES {
            dom.cut = Some("the page has more than a million nodes; the rest was not read");
            break;
        }
        drop(dom);
        start = end;
    }
    tokenizer.end();
    tokenizer.sink.builder.sink.finish()
}

fn piece_end(source: &str, start: usize) -> usize {
    let bytes = &source.as_bytes()[start..];
    bytes
        .iter()
        .enumerate()
        .find_map(|(at, byte)| match byte {
            b'>' => Some(at + 1),
            b'<' if at > 0 => Some(at),
            _ => None,
        })
        .map_or(source.len(), |length| start + length)
}

/// Whether a piece would be a tag with more attributes than anybody writes.
fn is_overfull(piece: &str) -> bool {
    let bytes = piece.as_bytes();
    if bytes.len() < MAX_ATTRIBUTES || bytes[0] != b'<' || !bytes[1].is_ascii_alphabetic() {
        return false;
    }
    let (mut quote, mut blanks, mut was_blank) = (None, 0, false);
    for byte in bytes {
        match (quote, byte) {
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, byte) => {
                let is_blank = byte.is_ascii_whitespace() || *byte == b'/';
                blanks += usize::from(is_blank && !was_blank);
                was_blank = is_blank;
            }
        }
    }
    blanks > MAX_ATTRIBUTES
}

/// Stands between tokenizer and tree builder and notes where each tag begins and ends.
struct Placer<'s> {
    source: &'s str,
    builder: TreeBuilder<NodeId, Sink>,
    /// The `<` that began what is not complete yet.
    pending: std::cell::Cell<Option<usize>>,
    piece: std::cell::Cell<usize>,
    /// The elements that are open, with their depth. The builder has such a stack, too, but does not show it.
    open: std::cell::RefCell<Vec<(NodeId, usize)>>,
    /// Names of start tags that were left out for their depth, so that their end tags are, too.
    skipped: std::cell::RefCell<Vec<html5ever::LocalName>>,
}

impl Placer<'_> {
    fn open_piece(&self, start: usize, end: usize) {
        self.piece.set(start);
        self.builder.sink.fed.set(end);
        if self.pending.get().is_none() && self.source.as_bytes()[start] == b'<' {
            self.pending.set(Some(start));
        }
    }

    /// The source of what was just completed.
    fn take_span(&self) -> Span {
        let span = Span::new(self.pending.take().unwrap_or(self.piece.get()), self.builder.sink.fed.get());
        self.builder.sink.text_start.set(span.end);
        span
    }

    /// Whether tags are text where the source is now, but for one end tag.
    fn is_in_raw_text(&self) -> bool {
        let dom = self.builder.sink.dom.borrow();
        let open = self.open.borrow();
        let name = open.last().map_or("", |(node, _)| dom.name(*node));
        matches!(
            name,
            "script" | "style" | "textarea" | "title" | "xmp" | "iframe" | "noembed" | "noframes" | "noscript"
        )
    }

    fn depth(&self) -> usize {
        self.open.borrow().last().map_or(0, |(_, depth)| *depth)
    }

    fn opened(&self, made: Option<NodeId>, name: &str) {
        let Some(made) = made else { return };
        let depth = self.builder.sink.dom.borrow().ancestors(made).count();
        let mut open = self.open.borrow_mut();
        // Whatever is as deep as the new element was closed without an end tag.
        while open.last().is_some_and(|(_, other)| *other >= depth) {
            open.pop();
        }
        if !is_void(name) {
            open.push((made, depth));
        }
    }

    fn closed(&self, name: &html5ever::LocalName, span: Option<Span>) {
        let mut open = self.open.borrow_mut();
        let mut dom = self.builder.sink.dom.borrow_mut();
        let named = |id: NodeId| dom.element(id).is_some_and(|element| element.name == *name);
        let Some(at) = open.iter().rposition(|(id, _)| named(*id)) else { return };
        if let Kind::Element(element) = &mut dom.node_mut(open[at].0).kind {
            element.close = span;
        }
        open.truncate(at);
    }

    /// Whether a tag is left out because of the depth it stands in.
    fn too_deep(&self, kind: TagKind, name: &html5ever::LocalName) -> bool {
        let mut skipped = self.skipped.borrow_mut();
        match kind {
            TagKind::StartTag if self.depth() >= MAX_DEPTH => {
                self.builder.sink.dom.borrow_mut().cut = Some("elements nested deeper than 512 levels were left out");
                if !is_void(name) {
                    skipped.push(name.clone());
                }
                true
            }
            TagKind::EndTag if skipped.last() == Some(name) => {
                skipped.pop();
                true
            }
            _ => false,
        }
    }
}

impl TokenSink for Placer<'_> {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeId> {
        let sink = &self.builder.sink;
        match &token {
            Token::TagToken(tag) => {
                let span = self.take_span();
                if self.too_deep(tag.kind, &tag.name) {
                    return TokenSinkResult::Continue;
                }
                // Text that a tag completes late (`&amp<a title=">">`) hides where the tag began: no position, then.
                let found = self.source.as_bytes().get(span.start) == Some(&b'<');
                let (kind, name) = (tag.kind, tag.name.clone());
                if found && kind == TagKind::StartTag {
                    *sink.tag.borrow_mut() = Tag::Start(name.clone(), span);
                }
                let result = self.builder.process_token(token, line);
                *sink.tag.borrow_mut() = Tag::None;
                match kind {
                    TagKind::StartTag => self.opened(sink.made.take(), &name),
                    TagKind::EndTag => self.closed(&name, found.then_some(span)),
                }
                return result;
            }
            Token::CommentToken(_) | Token::DoctypeToken(_) => {
                let span = self.take_span();
                sink.text_start.set(span.start);
                let result = self.builder.process_token(token, line);
                sink.text_start.set(span.end);
                return result;
            }
            // Text was completed: the `<` that was waiting, if any, was text, too.
            Token::CharacterTokens(_) | Token::NullCharacterToken => {
                self.pending.set(None);
            }
            Token::EOFToken | Token::ParseError(_) => {}
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Elements without an end tag.
pub(crate) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "source"
            | "track"
            | "wbr"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(source: &str) -> String {
        let dom = parse(source);
        let spans = dom.elements().filter_map(|(_, element)| {
            let open = element.open?.of(source);
            Some(format!("{open}…{}", element.close.map_or("", |close| close.of(source))))
        });
        spans.collect::<Vec<_>>().join("  ")
    }

    #[test]
    fn elements_know_their_tags() {
        for (name, source, want) in [
            ("a plain element", "<p>hi</p>", "<p>…</p>"),
            ("an angle in an attribute", r#"<a title="x>y<z">t</a>"#, r#"<a title="x>y<z">…</a>"#),
            ("an angle in the text", "<p>a < b <b>c</b>", "<p>…  <b>…</b>"),
            ("two angles", "<<i>x</i>", "<i>…</i>"),
            ("a comment with a tag", "<!-- <p> --><p>x</p>", "<p>…</p>"),
            ("a script with a tag", "<script>'<p>'</script><p>x", "<script>…</script>  <p>…"),
            ("no end tags", "<ul><li>a<li>b</ul>", "<ul>…</ul>  <li>…  <li>…"),
            ("void elements", "<img src=a><br/>", "<img src=a>…  <br/>…"),
            ("an umlaut before", "ä<p>ö</p>", "<p>…</p>"),
            ("a late html tag", "<p>x<html lang=en>", "<html lang=en>…  <p>…"),
            ("an unfinished tag", "<p>x</p><a href=", "<p>…</p>"),
        ] {
            assert_eq!(tags(source), want, "{name}");
        }
    }

    #[test]
    fn depth_is_limited_and_said() {
        let source = "<div>".repeat(10_000) + "x" + &"</div>".repeat(10_000) + "<p>after</p>";
        let dom = parse(&source);
        assert!(dom.cut.is_some_and(|cut| cut.contains("512")));
        assert!(dom.elements().any(|(_, element)| &*element.name == "p"));
    }
}
