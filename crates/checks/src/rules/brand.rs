//! Whether it is from the house that it claims to be from. The examples have a design file with the colours ink `#1a1a1a`
//! and oven `#c2410c`, the font Inter, the radius 8 px, the distances 8 and 16 px, and `#ff00ff` forbidden.

use super::{CheckRule, html};
use crate::{finding::Weight, report::Role};

const BASE: CheckRule = CheckRule {
    id: "",
    title: "",
    role: Some(Role::Brand),
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
        id: "brand.color",
        title: "A colour is not in the palette",
        dimension: Some("colours"),
        finds: "Colours that are far from every colour of the design file. Black and white are always allowed.",
        why: "A brand is recognised by its colours before anybody reads a word.",
        fix: "Use a colour of the design file, or add this one to it.",
        example: html("<p style=\"color: #0055ff\">Bread</p>", "<p style=\"color: #1a1a1a\">Bread</p>"),
        ..BASE
    },
    CheckRule {
        id: "brand.color-near",
        title: "A colour is almost one of the palette",
        dimension: Some("colours"),
        finds: "Colours that are close to one of the design file and not the same.",
        why: "Two shades that hardly differ are usually a slip, and drift apart further.",
        fix: "Use the token itself.",
        example: html("<p style=\"color: #d0501c\">Bread</p>", "<p style=\"color: #c2410c\">Bread</p>"),
        ..BASE
    },
    CheckRule {
        id: "brand.font",
        title: "A font is not one of the brand",
        dimension: Some("fonts"),
        finds: "Font families that the design file does not name. Generic names are free.",
        why: "The typeface is the voice of the brand.",
        fix: "Use a font of the design file.",
        example: html("<p style=\"font-family: Papyrus\">Bread</p>", "<p style=\"font-family: Inter\">Bread</p>"),
        ..BASE
    },
    CheckRule {
        id: "brand.radius",
        title: "A corner is rounder or sharper than the design file says",
        dimension: Some("radii"),
        finds: "Radii in px and rem that the design file does not have. Circles and pills are free.",
        why: "Corners of one kind make parts look like one family.",
        fix: "Use a radius of the design file.",
        example: html("<p style=\"border-radius: 5px\">Bread</p>", "<p style=\"border-radius: 8px\">Bread</p>"),
        ..BASE
    },
    CheckRule {
        id: "brand.spacing",
        title: "A distance is not one of the design file",
        dimension: Some("spacing"),
        finds: "Distances over 2 px that the design file does not have.",
        why: "One scale of distances keeps pages together.",
        fix: "Use a distance of the design file.",
        example: html("<p style=\"margin: 20px\">Bread</p>", "<p style=\"margin: 16px\">Bread</p>"),
        ..BASE
    },
    CheckRule {
        id: "brand.forbidden",
        title: "The design file forbids it",
        dimension: Some("rules"),
        weight: Weight::MustFix,
        finds: "Colours and values under a heading of the design file such as *Forbidden* or *Never*.",
        why: "Somebody decided against it, and wrote it down.",
        fix: "Use what the design file has instead.",
        example: html("<p style=\"color: #ff00ff\">Bread</p>", "<p style=\"color: #1a1a1a\">Bread</p>"),
        ..BASE
    },
];
