//! Values in the forms in which people write them: colours, lengths and fonts between other words.

use crate::css::{
    color::{ColorValue, Rgba},
    length::{Length, Scale},
    value::families,
};

/// A range of whole pixels up to this width stands for each of them.
const WIDEST_RANGE: f64 = 128.0;

/// Every colour of a text: `#0a58ca (buttons)`, `rgb(…) / #fff`. A name is a colour only where nothing else stands.
pub(super) fn colors(text: &str) -> Vec<Rgba> {
    let whole = text.trim().trim_matches(['`', '"', '\'', '.', ';', '*']).trim();
    match ColorValue::parse(whole) {
        Some(ColorValue::Is(color)) => return vec![color],
        Some(ColorValue::Scheme(light, dark)) => return vec![light, dark],
        _ => {}
    }
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((at, literal)) = next_literal(rest) {
        match ColorValue::parse(literal) {
            Some(ColorValue::Is(color)) => found.push(color),
            Some(ColorValue::Scheme(light, dark)) => found.extend([light, dark]),
            // A gradient, a shadow or a mix of spaces that we do not know has colours inside.
            _ => {
                if let Some((_, inside)) = literal.split_once('(') {
                    found.extend(colors(inside.strip_suffix(')').unwrap_or(inside)));
                }
            }
        }
        rest = &rest[at + literal.len()..];
    }
    found
}

const FUNCTIONS: &[&str] = &[
    "rgb",
    "rgba",
    "hsl",
    "hsla",
    "hwb",
    "lab",
    "lch",
    "oklab",
    "oklch",
    "color",
    "color-mix",
    "light-dark",
    "linear-gradient",
    "radial-gradient",
    "conic-gradient",
];

/// Where the next thing that is written like a colour stands.
fn next_literal(text: &str) -> Option<(usize, &str)> {
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        if c == '#' {
            let digits = rest[1..].bytes().take_while(u8::is_ascii_hexdigit).count();
            let ends = !rest[1 + digits..].starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
            if matches!(digits, 3 | 4 | 6 | 8) && ends {
                return Some((at, &rest[..=digits]));
            }
        } else if c == '(' {
            let name = text[..at].rsplit(|c: char| !c.is_ascii_alphabetic() && c != '-').next().unwrap_or_default();
            if FUNCTIONS.iter().any(|function| name.eq_ignore_ascii_case(function)) {
                let start = at - name.len();
                let end = closing(rest).map_or(text.len(), |end| at + end + 1);
                return Some((start, &text[start..end]));
            }
        }
    }
    None
}

/// Where the first parenthesis closes.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => open += 1,
            b')' => open = open.saturating_sub(1),
            _ => continue,
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}

/// Whether a text has something that is written like a colour or a length.
pub(super) fn looks_like_a_value(text: &str) -> bool {
    let hash = || next_literal(text).is_some();
    let digits = || {
        text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '/' | '`' | '(' | ')')).any(|word| {
            let end = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
            end > 0 && matches!(&word[end..], "px" | "rem" | "pt" | "dp" | "em")
        })
    };
    hash() || digits()
}

/// The lengths of a text in pixels: `4, 8, 12`, `4/8/12 px`, `0.25rem (4px)`, `4–8 px`.
/// `None` where a number has a unit that no length has, or nothing is a length.
pub(super) fn lengths(text: &str) -> Option<Vec<f64>> {
    let scale = Scale { em: 16.0, rem: 16.0, width: 0.0, height: 0.0, whole: None };
    let whole = text.trim().trim_matches(['`', '"', '\'']);
    if matches!(whole, "none" | "full" | "pill" | "auto" | "0" | "inherit" | "circle") || whole.ends_with('%') {
        return Some(Vec::new());
    }
    if let Some(length @ Length::Calc(_)) = Length::parse(whole) {
        // The window's size is nobody's token.
        let fluid = ["vw", "vh", "vi", "vb", "%", "cq"].iter().any(|unit| whole.contains(unit));
        return if fluid { None } else { length.px(&scale).map(|px| vec![px]) };
    }
    let mut found: Vec<(f64, Option<f64>)> = Vec::new();
    let mut ranges = Vec::new();
    let mut rest = whole;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let gap = &rest[..at];
        let point = gap.ends_with('.') && !gap.ends_with("..");
        let end = rest[at..].find(|c: char| !c.is_ascii_digit() && c != '.').map_or(rest.len(), |end| at + end);
        let digits = rest[at - usize::from(point)..end].trim_end_matches('.');
        let after = &rest[end..];
        let unit_end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let spaced = after.strip_prefix([' ', '\u{a0}']).map(|after| {
            let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
            &after[..end]
        });
        // Digits in a name, such as `space2`, are no values.
        let in_name = gap.trim_end_matches('.').ends_with(|c: char| c.is_alphabetic() || c == '_');
        let unit = match &after[..unit_end] {
            "" => spaced.filter(|unit| factor(unit).is_some()),
            unit => Some(unit),
        };
        let is_part = after.starts_with('%');
        if !in_name
            && !is_part
            && let Ok(number) = digits.parse::<f64>()
        {
            match unit.map(factor) {
                Some(Some(factor)) => {
                    // `4/8/12 px`: the last unit is everybody's.
                    for (_, open) in found.iter_mut().rev().take_while(|(_, known)| known.is_none()) {
                        *open = Some(factor);
                    }
                    found.push((number, Some(factor)));
                }
                Some(None) => {}
                // Half a pixel without a unit is a factor of something.
                None => found.push((number, None)),
            }
            if found.len() > 1 && matches!(gap.trim(), "-" | "\u{2013}" | "to" | "bis" | "..") {
                ranges.push(found.len() - 1);
            }
        }
        let skip = if after[..unit_end].is_empty() { end } else { end + unit_end };
        rest = &rest[skip..];
        // A unit behind a space belongs to the number, not to the gap.
        if let Some(unit) = spaced.filter(|unit| after[..unit_end].is_empty() && factor(unit).is_some()) {
            rest = &rest[1 + unit.len()..];
        }
    }
    // Fractions got their unit from a number behind them, or are none of a length.
    found.retain(|(number, factor)| factor.is_some() || number.fract() == 0.0);
    if found.is_empty() && whole.contains('%') {
        return Some(Vec::new());
    }
    let pixels: Vec<f64> = found.iter().map(|(number, factor)| number * factor.unwrap_or(1.0)).collect();
    let mut all = pixels.clone();
    for end in ranges.into_iter().filter(|end| *end < pixels.len()) {
        let (from, to) = (pixels[end - 1], pixels[end]);
        let mut px = from.ceil();
        while from < to && to - from <= WIDEST_RANGE && px < to {
            all.push(px);
            px += 1.0;
        }
    }
    (!all.is_empty()).then_some(all)
}

/// Pixels in one of a unit.
fn factor(unit: &str) -> Option<f64> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "px" | "dp" | "pixel" | "pixels" => 1.0,
        "rem" | "em" => 16.0,
        "pt" => 4.0 / 3.0,
        _ => return None,
    })
}

/// The fonts of a value: a list as in CSS, or names with remarks.
pub(super) fn fonts(text: &str) -> Vec<String> {
    let text = text.trim().trim_end_matches('.');
    if text.contains("var(") || text.contains('{') {
        return Vec::new();
    }
    families(&without_remarks(text)).iter().filter_map(|family| font(family)).collect()
}

/// What stands in parentheses, or behind a dash, explains.
fn without_remarks(text: &str) -> String {
    let mut out = String::new();
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '`' | '*' | '\u{201c}' | '\u{201d}' | '\u{201e}' => {}
            // One font or another.
            '/' | '|' | '+' | ';' if depth == 0 => out.push(','),
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    let end = [" \u{2014} ", " \u{2013} ", " - "].iter().filter_map(|dash| out.find(dash)).min().unwrap_or(out.len());
    out[..end].trim().to_owned()
}

fn font(family: &str) -> Option<String> {
    const STYLES: &[&str] = &[
        "bold",
        "semibold",
        "regular",
        "medium",
        "italic",
        "variable",
        "extrabold",
        "thin",
        "normal",
        "only",
        "font",
        "typeface",
    ];
    let mut words: Vec<&str> = family.split_whitespace().collect();
    while words.len() > 1 {
        let last = words[words.len() - 1];
        let weight = last.len() == 3 && last.bytes().all(|byte| byte.is_ascii_digit());
        let size = last.starts_with(|c: char| c.is_ascii_digit()) && last.ends_with(|c: char| c.is_ascii_alphabetic());
        if !(weight || size || STYLES.iter().any(|style| last.eq_ignore_ascii_case(style))) {
            break;
        }
        words.pop();
    }
    let name = words.join(" ").trim_matches(['"', '\'']).to_owned();
    let plausible = name.starts_with(|c: char| c.is_alphabetic() || c == '-')
        && name.chars().any(char::is_alphabetic)
        && !name.contains(['(', ':', '=', '{', '#', '$', '!', '?'])
        && !name.starts_with("--")
        && words.len() <= 4
        && name.len() < 60
        && !matches!(name.as_str(), "inherit" | "initial" | "unset" | "none" | "normal" | "bold");
    plausible.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_between_words() {
        for (text, want) in [
            ("#0a58ca (buttons)", &["#0a58ca"][..]),
            ("`#fff` on `#1a1a2e80`", &["#ffffff", "#1a1a2e80"]),
            ("#abc, #ABCD", &["#aabbcc", "#aabbccdd"]),
            ("rgb(10 88 202) or hsl(216, 90%, 41%)", &["#0a58ca", "#0a56c7"]),
            ("oklch(0.5 0.1 250)", &["#32669a"]),
            ("rebeccapurple", &["#663399"]),
            ("light-dark(#fff, #000)", &["#ffffff", "#000000"]),
            ("linear-gradient(#f00, #00f)", &["#ff0000", "#0000ff"]),
            ("a red lamp", &[]),
            ("issue #123abc4, see #1 and #heading", &[]),
        ] {
            let got: Vec<String> = colors(text).into_iter().map(Rgba::hex).collect();
            assert_eq!(got, want, "{text}");
        }
    }

    #[test]
    fn lengths_as_people_write_them() {
        for (text, want) in [
            ("4, 8, 12, 16", Some(&[4.0, 8.0, 12.0, 16.0][..])),
            ("4/8/12 px", Some(&[4.0, 8.0, 12.0])),
            ("4px 8px", Some(&[4.0, 8.0])),
            ("0.25rem (4px)", Some(&[4.0, 4.0])),
            (".5, 1 rem", Some(&[8.0, 16.0])),
            ("4 \u{b7} 8 \u{b7} 12", Some(&[4.0, 8.0, 12.0])),
            ("4\u{2013}7 px", Some(&[4.0, 7.0, 4.0, 5.0, 6.0])),
            ("12pt", Some(&[16.0])),
            ("calc(2 * 4px)", Some(&[8.0])),
            ("50%", Some(&[])),
            ("30% 70% / 53% 30%", Some(&[])),
            ("0.75", None),
            ("none", Some(&[])),
            ("clamp(1rem, 4vw, 2rem)", None),
            ("200ms", None),
            ("generous", None),
        ] {
            assert_eq!(lengths(text).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn fonts_as_people_write_them() {
        for (text, want) in [
            ("\"Source Serif 4\", serif", &["Source Serif 4", "serif"][..]),
            ("Inter", &["Inter"]),
            ("Inter (variable), system-ui", &["Inter", "system-ui"]),
            ("Inter 400 / Georgia Bold", &["Inter", "Georgia"]),
            ("`Fira Code` \u{2014} for snippets", &["Fira Code"]),
            ("var(--x)", &[]),
            ("16px", &[]),
            ("we never use more than two of them", &[]),
        ] {
            assert_eq!(fonts(text), want, "{text}");
        }
    }
}
