//! Whether it works where it is put.

use super::{CheckRule, html, markdown_text};
use crate::{finding::Weight, report::Role};

const BASE: CheckRule = CheckRule {
    id: "",
    title: "",
    role: Some(Role::Production),
    dimension: None,
    weight: Weight::MustFix,
    wcag: &[],
    finds: "",
    why: "",
    fix: "",
    example: html("", ""),
};

pub(super) const RULES: &[CheckRule] = &[
    CheckRule {
        id: "link.dead",
        title: "A file is not there",
        dimension: Some("links"),
        finds: "Links, pictures, scripts and style sheets with a relative path to a file that is not there. What another \
                site, or a server, has to answer is left alone.",
        why: "People end at an error, and pictures are missing.",
        fix: "Correct the path, or add the file. If a build makes it, name its folder in `[checks] links.built`.",
        example: html("<a href=\"no-such-file.html\">Prices</a>", "<a href=\"https://example.org\">Prices</a>"),
        ..BASE
    },
    CheckRule {
        id: "link.dead-anchor",
        title: "Nothing has the id that a link leads to",
        dimension: Some("links"),
        finds: "`#id` without an element, or in Markdown a heading, of that id.",
        why: "The link does nothing.",
        fix: "Correct the link, or add the id.",
        example: html(
            "<a href=\"#prices\">Prices</a>\n<h2>Prices</h2>",
            "<a href=\"#prices\">Prices</a>\n<h2 id=\"prices\">Prices</h2>",
        ),
        ..BASE
    },
    CheckRule {
        id: "link.nowhere",
        title: "A link leads nowhere",
        dimension: Some("links"),
        weight: Weight::Should,
        finds: "Links to `#`, to nothing, or to `javascript:`.",
        why: "It cannot be opened in a tab, copied or bookmarked.",
        fix: "Give it an address, or make it a `<button>`.",
        example: html("<a href=\"#\">Menu</a>", "<button>Menu</button>"),
        ..BASE
    },
    CheckRule {
        id: "markup.doctype",
        title: "The doctype is missing",
        dimension: Some("markup"),
        weight: Weight::Should,
        finds: "Pages that do not begin with `<!doctype html>`.",
        why: "Without it browsers imitate those of the last century.",
        fix: "Put `<!doctype html>` first.",
        example: html("<html lang=\"en\"><p>Bread</p>", "<!doctype html>\n<html lang=\"en\"><p>Bread</p>"),
        ..BASE
    },
    CheckRule {
        id: "markup.duplicate-id",
        title: "An id is given twice",
        dimension: Some("markup"),
        weight: Weight::Should,
        finds: "The same `id` on more than one element.",
        why: "Links, labels and scripts find the first one only.",
        fix: "Give each element an id of its own.",
        example: html("<p id=\"a\">one</p>\n<p id=\"a\">two</p>", "<p id=\"a\">one</p>\n<p id=\"b\">two</p>"),
        ..BASE
    },
    CheckRule {
        id: "markup.nesting",
        title: "An element stands where it must not",
        dimension: Some("markup"),
        weight: Weight::Should,
        finds: "Controls in controls, and other elements where HTML does not allow them; lists have a rule of their own.",
        why: "Browsers guess, each in its own way, and screen readers count wrong.",
        fix: "Put it where it may stand.",
        example: html("<a href=\"rye.html\"><button>Rye</button></a>", "<a href=\"rye.html\">Rye</a>"),
        ..BASE
    },
    CheckRule {
        id: "placeholder.todo",
        title: "Something was left to do",
        dimension: None,
        finds: "`TODO`, `FIXME` and `TBD` as words of their own in what is about to ship. In comments and scripts it is a \
                *should*; in code samples it is left alone.",
        why: "Everybody sees that nobody looked.",
        fix: "Do it, or take it out.",
        example: markdown_text("Prices: TBD\n", "A loaf is four euros.\n"),
        ..BASE
    },
    CheckRule {
        id: "placeholder.lorem",
        title: "Filler text is about to ship",
        dimension: None,
        finds: "Lorem ipsum and its sequel.",
        why: "Everybody sees that nobody looked.",
        fix: "Replace it with real words.",
        example: markdown_text("Lorem ipsum dolor sit amet.\n", "We bake at four.\n"),
        ..BASE
    },
];
