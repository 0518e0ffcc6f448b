//! Lengths: units, and the arithmetic of `calc`, `min`, `max` and `clamp`.

use cssparser::{Parser, Token};

/// What relative lengths are relative to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    pub(crate) em: f64,
    pub(crate) rem: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// What a percentage is of, where that is known without a layout.
    pub(crate) whole: Option<f64>,
}

/// A length as a declaration may say it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Length {
    Px(f64),
    Em(f64),
    Rem(f64),
    Percent(f64),
    Width(f64),
    Height(f64),
    /// A plain number, which some properties multiply.
    Number(f64),
    /// An expression, kept as text until its scale is known.
    Calc(String),
    Auto,
}

impl Length {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parser = Parser::new(text);
        let length = Self::parse_from(&mut parser)?;
        parser.is_exhausted().then_some(length)
    }

    pub(crate) fn parse_from(parser: &mut Parser<'_>) -> Option<Self> {
        parser.skip_whitespace();
        let start = parser.position();
        match parser.next().ok()?.clone() {
            Token::Number { value: 0.0, .. } => Some(Self::Px(0.0)),
            Token::Number { value, .. } => Some(Self::Number(f64::from(value))),
            Token::Percentage { unit_value, .. } => Some(Self::Percent(f64::from(unit_value))),
            Token::Dimension { value, unit, .. } => Self::of(precise(value), &unit),
            Token::Ident(name) if name.eq_ignore_ascii_case("auto") => Some(Self::Auto),
            Token::Function(name) if is_math(&name) => {
                parser
                    .parse_nested_block(|inner| {
                        while inner.next().is_ok() {}
                        Ok::<_, cssparser::ParseError<()>>(())
                    })
                    .ok()?;
                Some(Self::Calc(parser.slice_from(start).to_owned()))
            }
            _ => None,
        }
    }

    fn of(value: f64, unit: &str) -> Option<Self> {
        Some(match unit.to_ascii_lowercase().as_str() {
            "px" => Self::Px(value),
            "em" => Self::Em(value),
            "rem" => Self::Rem(value),
            // The usual width of a character of a text face.
            "ch" | "ex" => Self::Em(value * 0.5),
            // The screen that we measure on is wider than high.
            "vw" | "svw" | "dvw" | "lvw" | "vi" | "vmax" => Self::Width(value / 100.0),
            "vh" | "svh" | "dvh" | "lvh" | "vb" | "vmin" => Self::Height(value / 100.0),
            "pt" => Self::Px(value * 4.0 / 3.0),
            "pc" => Self::Px(value * 16.0),
            "in" => Self::Px(value * 96.0),
            "cm" => Self::Px(value * 96.0 / 2.54),
            "mm" => Self::Px(value * 96.0 / 25.4),
            _ => return None,
        })
    }

    /// Pixels, where that can be said without a layout.
    pub(crate) fn px(&self, scale: &Scale) -> Option<f64> {
        match self {
            Self::Px(px) => Some(*px),
            Self::Em(em) => Some(em * scale.em),
            Self::Rem(rem) => Some(rem * scale.rem),
            Self::Percent(part) => scale.whole.map(|whole| part * whole),
            Self::Width(part) => Some(part * scale.width),
            Self::Height(part) => Some(part * scale.height),
            Self::Calc(text) => {
                let mut parser = Parser::new(text);
                value(&mut parser, scale, 0).map(|(number, _)| number)
            }
            Self::Number(_) | Self::Auto => None,
        }
    }
}

/// The parser's numbers are short; what was written is the decimal nearest to them.
pub(crate) fn precise(value: f32) -> f64 {
    (f64::from(value) * 10_000.0).round() / 10_000.0
}

fn is_math(name: &str) -> bool {
    ["calc", "min", "max", "clamp"].iter().any(|math| name.eq_ignore_ascii_case(math))
}

/// Nobody nests arithmetic deeper by hand.
const MAX_NESTING: usize = 16;

/// A value and whether it is a length (and not a plain number).
type Sum = (f64, bool);

fn sum(input: &mut Parser<'_>, scale: &Scale, depth: usize) -> Option<Sum> {
    let (mut total, mut length) = product(input, scale, depth)?;
    loop {
        let sign = input.try_parse(|input| match input.next() {
            Ok(Token::Delim('+')) => Ok(1.0),
            Ok(Token::Delim('-')) => Ok(-1.0),
            _ => Err(()),
        });
        let Ok(sign) = sign else { return Some((total, length)) };
        let (next, is_length) = product(input, scale, depth)?;
        total += sign * next;
        length |= is_length;
    }
}

fn product(input: &mut Parser<'_>, scale: &Scale, depth: usize) -> Option<Sum> {
    let (mut total, mut length) = value(input, scale, depth)?;
    loop {
        let times = input.try_parse(|input| match input.next() {
            Ok(Token::Delim('*')) => Ok(true),
            Ok(Token::Delim('/')) => Ok(false),
            _ => Err(()),
        });
        let Ok(times) = times else { return Some((total, length)) };
        let (next, is_length) = value(input, scale, depth)?;
        total = if times { total * next } else { total / next };
        length |= is_length;
        if !total.is_finite() {
            return None;
        }
    }
}

fn value(input: &mut Parser<'_>, scale: &Scale, depth: usize) -> Option<Sum> {
    if depth > MAX_NESTING {
        return None;
    }
    let nested = |input: &mut Parser<'_>| {
        input
            .parse_nested_block(|inner| {
                list(inner, scale, depth + 1).ok_or_else(cssparser::ParseError::<()>::unexpected_token)
            })
            .ok()
    };
    match input.next().ok()?.clone() {
        Token::Number { value, .. } => Some((precise(value), false)),
        Token::Percentage { unit_value, .. } => Some((f64::from(unit_value) * scale.whole?, true)),
        Token::Dimension { value, unit, .. } => Some((Length::of(precise(value), &unit)?.px(scale)?, true)),
        Token::ParenthesisBlock => nested(input)?.first().copied(),
        Token::Function(name) => {
            let args = nested(input)?;
            let length = args.iter().any(|(_, length)| *length);
            let numbers: Vec<f64> = args.iter().map(|(number, _)| *number).collect();
            let number = match (name.to_ascii_lowercase().as_str(), &numbers[..]) {
                ("calc", [only]) => *only,
                ("min", [first, rest @ ..]) => rest.iter().fold(*first, |a, b| a.min(*b)),
                ("max", [first, rest @ ..]) => rest.iter().fold(*first, |a, b| a.max(*b)),
                ("clamp", [low, wish, high]) => wish.min(*high).max(*low),
                _ => return None,
            };
            Some((number, length))
        }
        _ => None,
    }
}

fn list(input: &mut Parser<'_>, scale: &Scale, depth: usize) -> Option<Vec<Sum>> {
    let mut list = vec![sum(input, scale, depth)?];
    while input.try_parse(Parser::expect_comma).is_ok() {
        list.push(sum(input, scale, depth)?);
    }
    input.is_exhausted().then_some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_come_out_in_pixels() {
        let scale = Scale { em: 20.0, rem: 16.0, width: 1280.0, height: 800.0, whole: None };
        for (text, want) in [
            ("12px", Some(12.0)),
            ("1.5em", Some(30.0)),
            ("2rem", Some(32.0)),
            ("50vw", Some(640.0)),
            ("12pt", Some(16.0)),
            ("0", Some(0.0)),
            ("calc(1rem + 4px)", Some(20.0)),
            ("calc((1rem + 4px) * 2 - 8px / 2)", Some(36.0)),
            ("clamp(2rem, 5vw, 3.5rem)", Some(56.0)),
            ("min(100px, 2em)", Some(40.0)),
            ("max(1px, calc(2px * 3))", Some(6.0)),
            ("50%", None),
            ("calc(100% - 2px)", None),
            ("calc(1px / 0)", None),
            ("auto", None),
            ("12parsec", None),
        ] {
            assert_eq!(Length::parse(text).and_then(|length| length.px(&scale)), want, "{text}");
        }
    }
}
