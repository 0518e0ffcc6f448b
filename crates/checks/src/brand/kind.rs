//! What a value of a design file is for, by the words around it.

/// What a value sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Font,
    Radius,
    Spacing,
    /// Something that is not compared: sizes of letters, shadows, times.
    Elsewhere,
}

const RADIUS: &[&str] =
    &["radius", "radii", "rounded", "rounding", "roundness", "corner", "corners", "borderradius", "eckenradius"];
const SPACING: &[&str] = &[
    "space",
    "spaces",
    "spacing",
    "spacings",
    "gap",
    "gaps",
    "gutter",
    "gutters",
    "padding",
    "paddings",
    "margin",
    "margins",
    "inset",
    "stack",
    "grid",
    "abstand",
    "abstände",
    "abständen",
    "raster",
    "layout",
];
const FONT: &[&str] = &[
    "font",
    "fonts",
    "typeface",
    "typefaces",
    "family",
    "families",
    "fontfamily",
    "fontfamilies",
    "schrift",
    "schriften",
    "schriftart",
    "schriftarten",
];
/// Parts of a page that have a font when the section is about letters.
const LETTERS: &[&str] = &["typography", "typographie", "type", "text", "lettering"];
const WEARERS: &[&str] = &[
    "heading",
    "headings",
    "headline",
    "headlines",
    "title",
    "titles",
    "body",
    "copy",
    "display",
    "mono",
    "monospace",
    "code",
    "serif",
    "sans",
    "überschriften",
    "überschrift",
    "fließtext",
    "primary",
    "secondary",
    "ui",
];
const ELSEWHERE: &[&str] = &[
    "weight",
    "weights",
    "height",
    "heights",
    "leading",
    "tracking",
    "letter",
    "line",
    "lineheight",
    "fontsize",
    "fontweight",
    "shadow",
    "shadows",
    "elevation",
    "duration",
    "durations",
    "motion",
    "easing",
    "ease",
    "animation",
    "transition",
    "index",
    "z",
    "zindex",
    "breakpoint",
    "breakpoints",
    "viewport",
    "opacity",
    "opacities",
    "width",
    "widths",
    "container",
    "ratio",
    "aspect",
    "icon",
    "icons",
    "blur",
    "stroke",
    "delay",
    "layer",
    "scale",
    "gewicht",
    "zeilenhöhe",
    "schatten",
    "ring",
    "outline",
    "border",
    "borders",
    "style",
    "transform",
    "decoration",
    "shorthand",
    "letterspacing",
    "figma",
    "perspective",
    "columns",
    "noise",
];

/// The nearest words decide: of a value's own name, then of its column, then of what stands above.
pub(super) fn kind_of(contexts: &[&str]) -> Option<Kind> {
    let all: Vec<Vec<String>> = contexts.iter().map(|context| split(context)).collect();
    let everywhere = |list: &[&str]| all.iter().flatten().any(|word| list.contains(&word.as_str()));
    let about_letters = everywhere(LETTERS) || everywhere(FONT);
    all.iter().find_map(|words| {
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let sized = has(&["size", "sizes", "sizing", "größe", "größen"]);
        if has(RADIUS) {
            Some(Kind::Radius)
        } else if has(ELSEWHERE) || (sized && about_letters) {
            Some(Kind::Elsewhere)
        } else if has(FONT) {
            Some(Kind::Font)
        } else if has(SPACING) || sized || words.iter().skip(1).any(|word| word == "to") {
            Some(Kind::Spacing)
        } else if about_letters && has(WEARERS) {
            Some(Kind::Font)
        } else {
            None
        }
    })
}

/// Words in lower case, also of `fontSize` and `border-radius`.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for c in text.chars() {
        let breaks = !c.is_alphabetic() || (c.is_uppercase() && was_lower);
        if breaks && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphabetic() {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_words_decide() {
        for (contexts, want) in [
            (&["--font-body"][..], Some(Kind::Font)),
            (&["--font-size-1"], Some(Kind::Elsewhere)),
            (&["--space-2"], Some(Kind::Spacing)),
            (&["letter-spacing"], Some(Kind::Elsewhere)),
            (&["borderRadius.small"], Some(Kind::Radius)),
            (&["border-width"], Some(Kind::Elsewhere)),
            (&["Headings", "Typography"], Some(Kind::Font)),
            (&["Headings", "Colours"], None),
            (&["Size", "m", "Spacing"], Some(Kind::Spacing)),
            (&["Size", "h1", "Typography"], Some(Kind::Elsewhere)),
            (&["m", "Corner radius"], Some(Kind::Radius)),
            (&["ink", "Colours"], None),
        ] {
            assert_eq!(kind_of(contexts), want, "{contexts:?}");
        }
    }
}
