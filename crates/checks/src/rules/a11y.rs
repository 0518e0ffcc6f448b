//! Whether everybody can read and use it.

use super::{CheckRule, WcagCriterion, criterion, html};
use crate::{finding::Weight, report::Role};

const NON_TEXT: WcagCriterion = criterion("1.1.1", "Non-text Content", "A");
const INFO: WcagCriterion = criterion("1.3.1", "Info and Relationships", "A");
const CONTRAST: WcagCriterion = criterion("1.4.3", "Contrast (Minimum)", "AA");
const RESIZE: WcagCriterion = criterion("1.4.4", "Resize Text", "AA");
const ANIMATION: WcagCriterion = criterion("2.3.3", "Animation from Interactions", "AAA");
const BYPASS: WcagCriterion = criterion("2.4.1", "Bypass Blocks", "A");
const TITLED: WcagCriterion = criterion("2.4.2", "Page Titled", "A");
const PURPOSE: WcagCriterion = criterion("2.4.4", "Link Purpose (In Context)", "A");
const HEADINGS: WcagCriterion = criterion("2.4.6", "Headings and Labels", "AA");
const FOCUS: WcagCriterion = criterion("2.4.7", "Focus Visible", "AA");
const TARGET: WcagCriterion = criterion("2.5.8", "Target Size (Minimum)", "AA");
const LANGUAGE: WcagCriterion = criterion("3.1.1", "Language of Page", "A");
const LABELS: WcagCriterion = criterion("3.3.2", "Labels or Instructions", "A");
const NAME: WcagCriterion = criterion("4.1.2", "Name, Role, Value", "A");

const BASE: CheckRule = CheckRule {
    id: "",
    title: "",
    role: Some(Role::A11y),
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
        id: "contrast.text",
        title: "Text has too little contrast",
        dimension: Some("contrast"),
        wcag: &[CONTRAST],
        finds: "Text whose colour is too close to what is behind it: less than 4.5:1, or less than 3:1 from 24 px, or \
                from 18.66 px in bold. Text over pictures and gradients is undecided.",
        why: "People with low vision, and everybody in the sun, cannot read it.",
        fix: "Make the text darker or lighter, or its ground. `tribunal explain` cannot know your palette; a design file \
              given with `--design` can.",
        example: html(
            "<p style=\"color: #999; background: #fff\">Open until nine</p>",
            "<p style=\"color: #595959; background: #fff\">Open until nine</p>",
        ),
        ..BASE
    },
    CheckRule {
        id: "heading.empty",
        title: "A heading has no words",
        dimension: Some("headings"),
        wcag: &[INFO, HEADINGS],
        finds: "Headings without text and without a picture that has a name.",
        why: "Screen readers list headings to find the way; an empty one leads nowhere.",
        fix: "Give it words, or take it out. For a distance use a margin.",
        example: html("<h1>Bread</h1>\n<h2></h2>", "<h1>Bread</h1>\n<h2>Opening hours</h2>"),
        ..BASE
    },
    CheckRule {
        id: "heading.skipped",
        title: "A heading level is left out",
        dimension: Some("headings"),
        weight: Weight::Should,
        wcag: &[INFO],
        finds: "A heading that is more than one level below the one before it.",
        why: "The levels are the outline of the page for everybody who hears it.",
        fix: "Use the next level, and style it as you like.",
        example: html("<h1>Bread</h1>\n<h3>Rye</h3>", "<h1>Bread</h1>\n<h2>Rye</h2>"),
        ..BASE
    },
    CheckRule {
        id: "heading.no-h1",
        title: "The page has headings but no h1",
        dimension: Some("headings"),
        weight: Weight::Should,
        wcag: &[INFO],
        finds: "Pages with headings of which none is an `<h1>`.",
        why: "The first heading says what the page is; many jump to it first.",
        fix: "Make the heading that names the page an `<h1>`.",
        example: html("<h2>Bread</h2>", "<h1>Bread</h1>"),
        ..BASE
    },
    CheckRule {
        id: "image.alt",
        title: "A picture has no text alternative",
        dimension: Some("alt"),
        wcag: &[NON_TEXT],
        finds: "Pictures, picture buttons and areas of a map without `alt` or another name, and an `alt` of blanks.",
        why: "Who cannot see the picture gets nothing, or the name of its file.",
        fix: "Say in `alt` what the picture tells. Write `alt=\"\"` if it only decorates.",
        example: html("<img src=\"oven.svg\">", "<img src=\"oven.svg\" alt=\"The stone oven\">"),
        ..BASE
    },
    CheckRule {
        id: "image.alt-words",
        title: "A picture's text says nothing",
        dimension: Some("alt"),
        weight: Weight::Should,
        wcag: &[NON_TEXT],
        finds: "An `alt` that is a file name or a word for any picture, such as `image`; in Markdown, empty brackets too.",
        why: "It is read aloud and tells nobody what is there.",
        fix: "Say what the picture tells.",
        example: html("<img src=\"a.png\" alt=\"a.png\">", "<img src=\"a.png\" alt=\"Sales rise in May\">"),
        ..BASE
    },
    CheckRule {
        id: "form.label",
        title: "A field has no label",
        dimension: Some("labels"),
        wcag: &[INFO, LABELS, NAME],
        finds: "Fields without a `<label>`, `aria-label`, `aria-labelledby` or `title`.",
        why: "Nobody who hears the page knows what belongs into the field.",
        fix: "Put a `<label>` around the field, or tie one to it with `for`.",
        example: html("<input type=\"email\">", "<label>Email <input type=\"email\"></label>"),
        ..BASE
    },
    CheckRule {
        id: "form.placeholder",
        title: "A placeholder stands in for a label",
        dimension: Some("labels"),
        weight: Weight::Should,
        wcag: &[LABELS],
        finds: "Fields whose only name is their `placeholder`.",
        why: "It is gone as soon as somebody types, and it is often too faint.",
        fix: "Add a `<label>`; keep the placeholder for an example.",
        example: html("<input placeholder=\"Email\">", "<label>Email <input placeholder=\"ada@example.org\"></label>"),
        ..BASE
    },
    CheckRule {
        id: "name.missing",
        title: "A link or button has no name",
        dimension: Some("names"),
        wcag: &[PURPOSE, NAME],
        finds: "Links and buttons without words, without a picture that has text, and without an `aria-label`.",
        why: "Screen readers can only say that there is a link.",
        fix: "Give it words, or an `aria-label` if it shows nothing but a symbol.",
        example: html("<button><svg></svg></button>", "<button aria-label=\"Close\"><svg></svg></button>"),
        ..BASE
    },
    CheckRule {
        id: "name.vague",
        title: "A link does not say where it leads",
        dimension: Some("names"),
        weight: Weight::Note,
        wcag: &[PURPOSE],
        finds: "Links such as `here`, `more` or `read more`.",
        why: "Lists of links are read without their sentences.",
        fix: "Let the link's words name what it leads to.",
        example: html("<a href=\"https://example.org\">here</a>", "<a href=\"https://example.org\">the price list</a>"),
        ..BASE
    },
    CheckRule {
        id: "focus.hidden",
        title: "The keyboard focus cannot be seen",
        dimension: Some("focus"),
        wcag: &[FOCUS],
        finds: "Controls whose outline is taken away while nothing else changes when they are focused.",
        why: "Who uses the keyboard does not see where they are.",
        fix: "Leave the outline alone, or give `:focus-visible` a style of its own.",
        example: html(
            "<style>a:focus { outline: none }</style>\n<a href=\"https://example.org\">Prices</a>",
            "<style>a:focus-visible { outline: 2px solid }</style>\n<a href=\"https://example.org\">Prices</a>",
        ),
        ..BASE
    },
    CheckRule {
        id: "page.lang",
        title: "The page does not say its language",
        dimension: Some("language"),
        wcag: &[LANGUAGE],
        finds: "An `<html>` without `lang`, or with something that is no language tag.",
        why: "Screen readers choose their voice by it, browsers their hyphenation and translation.",
        fix: "Write the language into `<html lang>`.",
        example: html("<!doctype html>\n<html>\n<p>Bread</p>", "<!doctype html>\n<html lang=\"en\">\n<p>Bread</p>"),
        ..BASE
    },
    CheckRule {
        id: "page.title",
        title: "The page has no title",
        dimension: Some("title"),
        wcag: &[TITLED],
        finds: "Pages without a `<title>`, or with an empty one.",
        why: "Tabs, bookmarks and search results show it, and screen readers say it first.",
        fix: "Add a `<title>` that says what the page is.",
        example: html("<html lang=\"en\">\n<p>Bread</p>", "<html lang=\"en\">\n<title>Bread</title>\n<p>Bread</p>"),
        ..BASE
    },
    CheckRule {
        id: "landmark.main",
        title: "The main part is not marked",
        dimension: Some("landmarks"),
        weight: Weight::Should,
        wcag: &[INFO, BYPASS],
        finds: "Pages without `<main>`, or with more than one that can be seen.",
        why: "People jump to it, past the navigation that every page repeats.",
        fix: "Put the page's own content into one `<main>`.",
        example: html(
            "<!doctype html>\n<html lang=\"en\">\n<title>Bread</title>\n<h1>Bread</h1>",
            "<!doctype html>\n<html lang=\"en\">\n<title>Bread</title>\n<main><h1>Bread</h1></main>",
        ),
        ..BASE
    },
    CheckRule {
        id: "landmark.nested",
        title: "The main part is inside of another landmark",
        dimension: Some("landmarks"),
        weight: Weight::Should,
        wcag: &[INFO],
        finds: "A `<main>` inside of `<nav>`, `<aside>`, `<header>` or another landmark.",
        why: "Whoever jumps to the main part is told of a part of something else.",
        fix: "Take `<main>` out of the landmark around it.",
        example: html(
            "<!doctype html>\n<html lang=\"en\">\n<title>Bread</title>\n<aside><main><h1>Bread</h1></main></aside>",
            "<!doctype html>\n<html lang=\"en\">\n<title>Bread</title>\n<main><h1>Bread</h1></main>",
        ),
        ..BASE
    },
    CheckRule {
        id: "list.nesting",
        title: "A list has something in it that is no item",
        dimension: Some("lists"),
        weight: Weight::Should,
        wcag: &[INFO],
        finds: "Items outside of a list, and lists with anything but items right inside of them.",
        why: "Screen readers say how many items a list has, and which one is read.",
        fix: "Put items, and nothing else, right into the list.",
        example: html("<ul>\n  <div>Bread</div>\n</ul>", "<ul>\n  <li>Bread</li>\n</ul>"),
        ..BASE
    },
    CheckRule {
        id: "target.small",
        title: "A target is too small to hit",
        dimension: Some("targets"),
        weight: Weight::Should,
        wcag: &[TARGET],
        finds: "Controls that are smaller than 24 px, with too little room around them. Links in text, and sizes that are the browser's own, are exempt.",
        why: "Fingers, tremors and joysticks miss it.",
        fix: "Give it padding, or a `min-height` of 24 px.",
        example: html(
            "<style>\nbutton { width: 16px; height: 16px; padding: 0 }\n</style>\n<button>+</button><button>-</button>",
            "<style>\nbutton { width: 32px; height: 32px; padding: 0 }\n</style>\n<button>+</button><button>-</button>",
        ),
        ..BASE
    },
    CheckRule {
        id: "motion.reduced",
        title: "An animation does not stop for those who ask for less motion",
        dimension: Some("motion"),
        weight: Weight::Should,
        wcag: &[ANIMATION],
        finds: "Animations in style sheets that have no rule for `prefers-reduced-motion`.",
        why: "Moving pages make some people sick.",
        fix: "Switch the animation off inside `@media (prefers-reduced-motion: reduce)`.",
        example: html(
            "<style>h1 { animation: spin 2s infinite }</style>\n<h1>Bread</h1>",
            "<style>\nh1 { animation: spin 2s infinite }\n@media (prefers-reduced-motion: reduce) { h1 { animation: none } }\n\
             </style>\n<h1>Bread</h1>",
        ),
        ..BASE
    },
    CheckRule {
        id: "page.zoom",
        title: "The page cannot be zoomed",
        dimension: Some("zoom"),
        wcag: &[RESIZE],
        finds: "A viewport with `user-scalable=no`, or with a `maximum-scale` that is too small.",
        why: "Who needs larger letters cannot have them.",
        fix: "Take `user-scalable` and `maximum-scale` out.",
        example: html(
            "<meta name=\"viewport\" content=\"width=device-width, user-scalable=no\">",
            "<meta name=\"viewport\" content=\"width=device-width\">",
        ),
        ..BASE
    },
];
