//! What `tribunal check` says of the check itself: files that it could not read, pages that no browser could show, and
//! exceptions that do not hold.

use super::{CheckRule, html};
use crate::finding::Weight;

const BASE: CheckRule = CheckRule {
    id: "",
    title: "",
    role: None,
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
        id: "file.unreadable",
        title: "A file could not be checked",
        finds: "Files that cannot be opened, that are not UTF-8, or that are larger than what is read.",
        why: "What was not looked at has not passed.",
        fix: "Correct the permissions or the encoding, or leave the file out with `.gitignore`.",
        example: html("<p>caf\u{fffd}</p>", "<p>café</p>"),
        ..BASE
    },
    CheckRule {
        id: "page.unsettled",
        title: "The page never comes to rest in a browser",
        finds: "Pages with scripts that do not load within 10 s, that take longer than 30 s to be looked at, that become \
                too large, or that break down in the browser. Only where a browser looks.",
        why: "Nobody has seen the page, so nobody knows what its scripts make of it: what was not seen has not passed.",
        fix: "End the script, or take it out of the page. Where the page is only slow, check it with \
              `checks.eyes = \"static\"`.",
        example: html("<script>while (true) {}</script>", "<script>setInterval(tick, 1000)</script>"),
        ..BASE
    },
    CheckRule {
        id: "ignore.no-reason",
        title: "An exception has no reason",
        weight: Weight::Should,
        finds: "A `tribunal-ignore` without a reason after the colon. It does not count.",
        why: "Nobody can tell later whether it may go.",
        fix: "Write the reason behind a colon.",
        example: html(
            "<!-- tribunal-ignore contrast.text -->",
            "<!-- tribunal-ignore contrast.text: the logo, which others drew -->",
        ),
        ..BASE
    },
    CheckRule {
        id: "ignore.unknown",
        title: "An exception from a rule that does not exist",
        weight: Weight::Should,
        finds: "A `tribunal-ignore` that names no rule, or an unknown one. It does not count.",
        why: "Whoever wrote it believes that something is excused.",
        fix: "Use the id that the finding shows. `tribunal explain` lists them.",
        example: html(
            "<!-- tribunal-ignore contrast: the logo -->",
            "<!-- tribunal-ignore contrast.text: the logo -->",
        ),
        ..BASE
    },
    CheckRule {
        id: "ignore.unused",
        title: "An exception excuses nothing",
        weight: Weight::Note,
        finds: "A `tribunal-ignore` where nothing of the rule is found.",
        why: "It would hide the next mistake there.",
        fix: "Take it out.",
        example: html(
            "<!-- tribunal-ignore contrast.text: the logo -->\n<p>Black on white</p>",
            "<p>Black on white</p>",
        ),
        ..BASE
    },
];
