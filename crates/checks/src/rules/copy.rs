//! Whether it is well worded.

use super::{CheckRule, html, markdown_text};
use crate::{finding::Weight, report::Role};

const BASE: CheckRule = CheckRule {
    id: "",
    title: "",
    role: Some(Role::Copy),
    dimension: None,
    weight: Weight::Should,
    wcag: &[],
    finds: "",
    why: "",
    fix: "",
    example: markdown_text("", ""),
};

pub(super) const RULES: &[CheckRule] = &[
    CheckRule {
        id: "copy.hard",
        title: "The text is hard to read",
        dimension: Some("readability"),
        finds: "Texts of 80 words or more with a low reading ease: Flesch's for English, Amstad's for German.",
        why: "Most readers give up, and the others need twice the time.",
        fix: "Write shorter sentences and shorter words.",
        example: markdown_text(
            "The utilisation of multisyllabic terminology necessitates considerable concentration …\n",
            "Long words are hard to read …\n",
        ),
        ..BASE
    },
    CheckRule {
        id: "copy.long-sentence",
        title: "A sentence is too long",
        dimension: Some("sentences"),
        finds: "Sentences of more than 30 words.",
        why: "At its end the reader has lost its start.",
        fix: "Cut it in two.",
        example: markdown_text(
            "We bake our bread at four in the morning and carry it to the shop at six so that everybody who comes by on the \
             way to work can have a loaf that is still warm.\n",
            "We bake our bread at four in the morning and carry it to the shop at six. Everybody who comes by on the way to \
             work can have a warm loaf.\n",
        ),
        ..BASE
    },
    CheckRule {
        id: "copy.passive",
        title: "A sentence does not say who acts",
        dimension: Some("voice"),
        weight: Weight::Note,
        finds: "Sentences in the passive, in texts where many are.",
        why: "Who does what is the first thing that a reader wants to know.",
        fix: "Say who does it.",
        example: markdown_text(
            "The bread is baked at four. The oven was built by hand. Orders are taken by phone.\n",
            "We bake at four. Ada built the oven. Call us to order.\n",
        ),
        ..BASE
    },
    CheckRule {
        id: "copy.filler",
        title: "A word says nothing",
        dimension: Some("filler"),
        finds: "Fillers such as `in order to` and `basically`.",
        why: "They take time and add nothing.",
        fix: "Drop it, or say the shorter word.",
        example: markdown_text("Call us in order to get a loaf.\n", "Call us to get a loaf.\n"),
        ..BASE
    },
    CheckRule {
        id: "copy.banned",
        title: "A word that the house does not use",
        dimension: Some("wording"),
        weight: Weight::MustFix,
        finds: "Words and phrases of `[copy] banned`.",
        why: "Somebody decided against it.",
        fix: "Say it in other words.",
        example: markdown_text("Buy our moist bread.\n", "Buy our soft bread.\n"),
        ..BASE
    },
    CheckRule {
        id: "copy.preferred",
        title: "There is a word that the house prefers",
        dimension: Some("wording"),
        finds: "Words and phrases of `[copy.preferred]`.",
        why: "One thing has one name everywhere.",
        fix: "Write what is preferred.",
        example: markdown_text("We utilise rye.\n", "We use rye.\n"),
        ..BASE
    },
    CheckRule {
        id: "copy.name",
        title: "A name is written in another way",
        dimension: Some("wording"),
        finds: "Names of `[copy] names` in another spelling.",
        why: "People search for names, and know their own.",
        fix: "Write it as the list does.",
        example: markdown_text("Ask the crumbco team.\n", "Ask the CrumbCo team.\n"),
        ..BASE
    },
    CheckRule {
        id: "copy.stock",
        title: "A phrase that everybody uses",
        dimension: Some("filler"),
        finds: "Stock phrases such as `cutting-edge` or `seamless experience`.",
        why: "What everybody says of themselves tells nobody what you do.",
        fix: "Say what only you can say.",
        example: markdown_text(
            "We bake the bread with cutting-edge technology for you.\n",
            "We bake the bread in a stone oven from 1890 for you.\n",
        ),
        ..BASE
    },
    CheckRule {
        id: "copy.weak-verb",
        title: "A verb does not say what is done",
        dimension: Some("verbs"),
        weight: Weight::Note,
        finds: "Verbs such as `utilise` and `facilitate`.",
        why: "The reader has to guess the action.",
        fix: "Take the verb that says it.",
        example: markdown_text(
            "We utilise our oven for the bread that you like.\n",
            "We use our oven for the bread that you like.\n",
        ),
        ..BASE
    },
    CheckRule {
        id: "copy.long-heading",
        title: "A heading is too long",
        dimension: Some("heading-length"),
        finds: "Headings of more than 12 words.",
        why: "Headings are read at a glance.",
        fix: "Shorten it; the rest belongs into the text below.",
        example: markdown_text(
            "# All the many kinds of bread that we bake in our old oven every day\n",
            "# Our bread, every day\n",
        ),
        ..BASE
    },
    CheckRule {
        id: "copy.vague-action",
        title: "A button does not say what happens",
        dimension: Some("actions"),
        finds: "Buttons such as `Submit`, `OK` or `Click here`.",
        why: "Nobody likes to press what they do not know.",
        fix: "Name what happens, such as `Order a loaf`.",
        example: html(
            "<html lang=\"en\">\n<button>Submit</button>",
            "<html lang=\"en\">\n<button>Order a loaf</button>",
        ),
        ..BASE
    },
    CheckRule {
        id: "copy.long-action",
        title: "A button says too much",
        dimension: Some("actions"),
        finds: "Buttons of more than five words.",
        why: "A button is a decision, not a paragraph.",
        fix: "A verb and its object are enough.",
        example: html("<button>Order a loaf of our best rye bread now</button>", "<button>Order a loaf</button>"),
        ..BASE
    },
    CheckRule {
        id: "copy.placeholder",
        title: "The text is not finished",
        dimension: Some("finished"),
        weight: Weight::MustFix,
        finds: "`TODO`, `FIXME`, `TBD` and lorem ipsum in what people read.",
        why: "Everybody sees that nobody looked.",
        fix: "Write what belongs there, or take it out.",
        example: markdown_text("# Prices\n\nTODO\n", "# Prices\n\nA loaf is four euros.\n"),
        ..BASE
    },
    CheckRule {
        id: "copy.repeated",
        title: "A word is written twice",
        dimension: Some("repetition"),
        finds: "The same word twice in a row, where that is no grammar.",
        why: "It is a slip that spell checkers leave alone.",
        fix: "Say it once.",
        example: markdown_text("We bake the the bread for you.\n", "We bake the bread for you.\n"),
        ..BASE
    },
];
