//! Whether it is well composed.

use super::{CheckRule, html, markdown_text};
use crate::{finding::Weight, report::Role};

const BASE: CheckRule = CheckRule {
    id: "",
    title: "",
    role: Some(Role::Critic),
    dimension: None,
    weight: Weight::Should,
    wcag: &[],
    finds: "",
    why: "",
    fix: "",
    example: html("", ""),
};

pub(super) const RULES: &[CheckRule] = &[
    CheckRule {
        id: "hierarchy.no-h1",
        title: "Nothing says what the page is about",
        dimension: Some("hierarchy"),
        finds: "Pages without an `<h1>` that can be seen; texts without a heading of the first level.",
        why: "A page without a headline has to be read to be understood.",
        fix: "Let one heading of the first level say it.",
        example: markdown_text("## Rye\n\nBaked at four.\n", "# Rye\n\nBaked at four.\n"),
        ..BASE
    },
    CheckRule {
        id: "hierarchy.many-h1",
        title: "Several headings compete for the first place",
        dimension: Some("hierarchy"),
        finds: "More than one heading of the first level.",
        why: "If two things are the most important, neither is.",
        fix: "Keep one, and move the others down a level.",
        example: markdown_text("# Rye\n\n# Wheat\n", "# Bread\n\n## Rye\n\n## Wheat\n"),
        ..BASE
    },
    CheckRule {
        id: "hierarchy.ratio",
        title: "The headline is too small or too large for the text",
        dimension: Some("hierarchy"),
        finds: "An `<h1>` that is less than 1.6 or more than 4.5 times as large as the text.",
        why: "A headline that is hardly larger is overlooked; one that is far larger pushes the text away.",
        fix: "Set it between 1.6 and 4.5 times the size of the text.",
        example: html(
            "<h1 style=\"font-size: 18px\">Bread</h1>\n<p style=\"font-size: 16px\">Baked at four.</p>",
            "<h1 style=\"font-size: 40px\">Bread</h1>\n<p style=\"font-size: 16px\">Baked at four.</p>",
        ),
        ..BASE
    },
    CheckRule {
        id: "hierarchy.order",
        title: "A lower heading is as large as a higher one",
        dimension: Some("hierarchy"),
        finds: "A level of headings that is not smaller than the one above it.",
        why: "The eye takes the larger one for the more important one.",
        fix: "Make each level smaller than the one above.",
        example: html(
            "<h1 style=\"font-size: 32px\">Bread</h1>\n<h2 style=\"font-size: 40px\">Rye</h2>\n<p>Baked at four.</p>",
            "<h1 style=\"font-size: 40px\">Bread</h1>\n<h2 style=\"font-size: 24px\">Rye</h2>\n<p>Baked at four.</p>",
        ),
        ..BASE
    },
    CheckRule {
        id: "type.families",
        title: "Too many font families",
        dimension: Some("type"),
        finds: "Text in more than two families. Fonts for code are not counted.",
        why: "Each family is a voice; three at once are a crowd, and every one is downloaded.",
        fix: "Set the page in two families at most.",
        example: html(
            "<p style=\"font-family: Arial\">a</p>\n<p style=\"font-family: Georgia\">b</p>\n<p style=\"font-family: Impact\">c</p>",
            "<p style=\"font-family: Arial\">a</p>\n<p style=\"font-family: Georgia\">b</p>",
        ),
        ..BASE
    },
    CheckRule {
        id: "type.sizes",
        title: "Too many font sizes",
        dimension: Some("type"),
        finds: "Text in more than six sizes.",
        why: "Sizes that hardly differ look like mistakes.",
        fix: "Choose up to six sizes, best on one scale.",
        example: html(
            "<style>\n.a { font-size: 11px }\n.b { font-size: 12px }\n.c { font-size: 13px }\n.d { font-size: 15px }\n.e { font-size: \
             17px }\n.f { font-size: 19px }\n</style>\n<p>o</p><p class=a>a</p><p class=b>b</p><p class=c>c</p><p class=d>d</p><p \
             class=e>e</p><p class=f>f</p>",
            "<style>\n.small { font-size: 13px }\n.large { font-size: 20px }\n</style>\n<p>o</p><p class=small>a</p><p \
             class=large>b</p>",
        ),
        ..BASE
    },
    CheckRule {
        id: "rhythm.off-grid",
        title: "A distance is off the grid",
        dimension: Some("rhythm"),
        finds: "Paddings, margins and gaps in px and rem that are no multiple of 4 px. Up to 2 px are hairlines.",
        why: "Distances from one grid make edges meet.",
        fix: "Take the nearest multiple of 4 px.",
        example: html("<p style=\"margin: 13px\">Baked at four.</p>", "<p style=\"margin: 12px\">Baked at four.</p>"),
        ..BASE
    },
    CheckRule {
        id: "rhythm.wall",
        title: "A paragraph is a wall of text",
        dimension: Some("rhythm"),
        finds: "Paragraphs of more than 120 words in Markdown.",
        why: "Who skims finds no place to land.",
        fix: "Break it where its thought turns.",
        example: markdown_text("A paragraph of 200 words …\n", "The first thought …\n\nThe second one …\n"),
        ..BASE
    },
    CheckRule {
        id: "space.uneven",
        title: "A box is padded unevenly",
        dimension: Some("space"),
        weight: Weight::Note,
        finds: "Boxes with more padding on the left than on the right or the other way round, or with more above than below.",
        why: "What is inside looks as if it had slipped.",
        fix: "Even it out, or make the difference clear enough to be meant.",
        example: html(
            "<section style=\"padding: 8px 16px 8px 12px\">Baked at four.</section>",
            "<section style=\"padding: 8px 16px\">Baked at four.</section>",
        ),
        ..BASE
    },
    CheckRule {
        id: "space.long-lines",
        title: "Lines are too long",
        dimension: Some("space"),
        finds: "Long paragraphs with lines of more than 80 characters, where the width is known.",
        why: "The eye loses its way back to the next line.",
        fix: "Limit the width, such as `max-width: 65ch`.",
        example: html(
            "<p style=\"width: 1200px\">A long paragraph …</p>",
            "<p style=\"max-width: 65ch\">A long paragraph …</p>",
        ),
        ..BASE
    },
    CheckRule {
        id: "space.short-lines",
        title: "Lines are too short",
        dimension: Some("space"),
        finds: "Long paragraphs with lines of less than 40 characters, where the width is known.",
        why: "Sentences are torn apart, and the eye jumps all the time.",
        fix: "Give the text more room, such as `max-width: 65ch`.",
        example: html(
            "<p style=\"width: 120px\">A long paragraph …</p>",
            "<p style=\"max-width: 65ch\">A long paragraph …</p>",
        ),
        ..BASE
    },
];
