//! How far links stand out from the text around them by their colour: where that is all that tells them apart, a text
//! that comes closer to them hides them.

use crate::{
    a11y::pair::{LARGE, letters},
    css::{style::Style, value::Display},
    document::Page,
    dom::{Kind, NodeId},
};

/// What WCAG asks between a link that only its colour tells apart and the words around it; as much as of large text.
const APART: f64 = LARGE;
/// Nodes of a block that are asked for words beside its links.
const REACH: usize = 64;

/// The contrast of every link in a text with the words around it, in the order of the page.
pub(super) fn standing_out(page: &Page) -> Vec<f64> {
    let links = page.dom.elements().filter(|(id, element)| {
        &*element.name == "a" && element.has("href") && page.is_seen(*id) && is_inline(page.styles.of(*id))
    });
    let placed = links.filter_map(|(id, _)| Some((id, block_of(page, id)?)));
    let in_text = placed.filter(|(_, block)| has_words_beside_links(page, *block));
    in_text.map(|(id, block)| letters(page.styles.of(id)).contrast(letters(page.styles.of(block)))).collect()
}

/// Whether a link would be no more told apart from its text. Whether it has a line under it is not asked: an edit that is
/// certain leaves no such question.
pub(super) fn hides(was: &[f64], is: &[f64]) -> bool {
    was.iter().zip(is).any(|(was, is)| *was >= APART && *is < APART)
}

fn is_inline(style: &Style) -> bool {
    style.display == Display::Inline
}

fn block_of(page: &Page, link: NodeId) -> Option<NodeId> {
    let mut above = page.dom.ancestors(link).take_while(|id| page.dom.element(*id).is_some());
    above.find(|id| !is_inline(page.styles.of(*id)))
}

fn has_words_beside_links(page: &Page, block: NodeId) -> bool {
    page.dom.descendants(block).take(REACH).any(|id| match &page.dom.node(id).kind {
        Kind::Text { text, .. } => {
            let in_link = |above: NodeId| page.dom.name(above) == "a";
            text.chars().any(char::is_alphanumeric)
                && !page.dom.ancestors(id).take_while(|above| *above != block).any(in_link)
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    fn standing(html: &str) -> Vec<f64> {
        standing_out(Document::html(html, &|_| None).page().unwrap())
    }

    #[test]
    fn links_in_text_are_compared_with_their_block() {
        let rounded = |list: Vec<f64>| list.iter().map(|ratio| (ratio * 10.0).round() / 10.0).collect::<Vec<f64>>();
        let list = standing(
            "<p>Words <a href=x style='color: #fff'>white</a> and <b><a href=x style='color: #000'>black</a></b>\
             <nav style='display: block'><a href=y>no words beside it</a></nav>\
             <p>Words <a href=x style='display: none; color: #fff'>nowhere</a>",
        );
        assert_eq!(rounded(list), [21.0, 1.0]);
        assert_eq!(standing("<p>no link"), Vec::<f64>::new());
    }

    #[test]
    fn a_link_is_hidden_once_it_comes_too_close() {
        for (name, was, is, want) in [
            ("closer, and far enough", 9.0, 3.0, false),
            ("too close", 3.1, 2.9, true),
            ("it was too close before", 2.9, 1.0, false),
            ("farther", 2.0, 4.0, false),
        ] {
            assert_eq!(hides(&[was], &[is]), want, "{name}");
        }
    }
}
