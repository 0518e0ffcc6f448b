//! Which media queries hold where we measure.

use cssparser::Parser;

use super::length::{Length, Scale};

/// What the page is shown on. Measurements name it, because another screen may show other colours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Screen {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) dark: bool,
}

impl Screen {
    /// A laptop's browser window in the light scheme.
    pub(crate) const USUAL: Self = Self { width: 1280.0, height: 800.0, dark: false };
    pub(crate) const DARK: Self = Self { dark: true, ..Self::USUAL };
    /// A telephone.
    pub(crate) const NARROW: Self = Self { width: 375.0, height: 667.0, dark: false };

    /// Whether a list of queries holds; one that we cannot answer does not.
    pub(crate) fn holds(&self, list: &str) -> bool {
        let list = list.trim().to_ascii_lowercase();
        list.is_empty() || list.split(',').any(|query| self.query(query.trim()).unwrap_or(false))
    }

    fn query(&self, query: &str) -> Option<bool> {
        let (negated, query) = match query.strip_prefix("not ") {
            Some(rest) => (true, rest.trim()),
            None => (false, query.strip_prefix("only ").unwrap_or(query).trim()),
        };
        let mut holds = true;
        for part in query.split(" and ") {
            let part = part.trim();
            let one = match part {
                "all" | "screen" => Some(true),
                "print" | "speech" | "tty" => Some(false),
                _ if part.contains(" or ") => {
                    let mut any = false;
                    for part in part.split(" or ") {
                        any |= self.feature(part.trim())?;
                    }
                    Some(any)
                }
                _ => self.feature(part),
            };
            holds &= one?;
        }
        Some(holds != negated)
    }

    fn feature(&self, text: &str) -> Option<bool> {
        let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?.trim();
        if let Some(inner) = inner.strip_prefix("not ") {
            return self.feature(inner.trim()).map(|holds| !holds);
        }
        if inner.starts_with('(') {
            return self.feature(inner);
        }
        if let Some((name, value)) = inner.split_once(':') {
            return self.named(name.trim(), value.trim());
        }
        if inner.contains(['<', '>', '=']) {
            return self.range(inner);
        }
        Some(matches!(inner, "color" | "hover" | "width" | "height" | "grid" | "scripting") && inner != "grid")
    }

    fn named(&self, name: &str, value: &str) -> Option<bool> {
        Some(match name {
            "min-width" => self.width >= self.px(value)?,
            "max-width" => self.width <= self.px(value)?,
            "min-height" => self.height >= self.px(value)?,
            "max-height" => self.height <= self.px(value)?,
            "prefers-color-scheme" => (value == "dark") == self.dark,
            "prefers-reduced-motion" | "prefers-contrast" | "prefers-reduced-transparency" => value == "no-preference",
            "forced-colors" | "inverted-colors" => value == "none",
            "hover" | "any-hover" => value == "hover",
            "pointer" | "any-pointer" => value == "fine",
            "orientation" => value == "landscape",
            "scripting" => value == "enabled",
            _ => return None,
        })
    }

    /// `400px <= width < 800px` and its shorter forms.
    fn range(&self, text: &str) -> Option<bool> {
        let mut terms = Vec::new();
        let mut signs = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find(['<', '>', '=']) {
            let sign = rest[at..].chars().take_while(|c| matches!(c, '<' | '>' | '=')).collect::<String>();
            terms.push(&rest[..at]);
            rest = &rest[at + sign.len()..];
            signs.push(sign);
        }
        terms.push(rest);
        let values = terms.iter().map(|term| self.term(term.trim())).collect::<Option<Vec<_>>>()?;
        Some(signs.iter().zip(values.windows(2)).all(|(sign, pair)| match sign.as_str() {
            "<" => pair[0] < pair[1],
            "<=" => pair[0] <= pair[1],
            ">" => pair[0] > pair[1],
            ">=" => pair[0] >= pair[1],
            _ => (pair[0] - pair[1]).abs() < f64::EPSILON,
        }))
    }

    fn term(&self, term: &str) -> Option<f64> {
        match term {
            "width" => Some(self.width),
            "height" => Some(self.height),
            _ => self.px(term),
        }
    }

    fn px(&self, text: &str) -> Option<f64> {
        let scale = Scale { em: 16.0, rem: 16.0, width: self.width, height: self.height, whole: None };
        Length::parse_from(&mut Parser::new(text))?.px(&scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_hold_on_the_usual_screen() {
        for (query, want) in [
            ("", true),
            ("screen", true),
            ("print", false),
            ("not print", true),
            ("only screen and (min-width: 40em)", true),
            ("(max-width: 600px)", false),
            ("(max-width: 600px), screen", true),
            ("(prefers-color-scheme: dark)", false),
            ("(prefers-reduced-motion: reduce)", false),
            ("(prefers-reduced-motion: no-preference)", true),
            ("(width >= 600px)", true),
            ("(400px <= width < 800px)", false),
            ("(hover)", true),
            ("(min-resolution: 2dppx)", false),
            ("nonsense((", false),
        ] {
            assert_eq!(Screen::USUAL.holds(query), want, "{query}");
        }
        assert!(Screen::DARK.holds("(prefers-color-scheme: dark)"));
    }
}
