//! Colours: how CSS writes them, how they cover each other, and how far apart they look.

use std::sync::LazyLock;

use cssparser::{Parser, Token, color::parse_hash_color, color::parse_named_color};
use palette::{
    FromColor, Hsl, Hwb, IntoColor, Lab, Lch, Oklab, Oklch, Srgb, Xyz,
    chromatic_adaptation::AdaptIntoUnclamped,
    white_point::{D50, D65},
};

/// A colour in sRGB, channels and alpha from 0 to 1.
#[derive(Clone, Copy, PartialEq)]
pub struct Rgba {
    pub red: f64,
    pub green: f64,
    pub blue: f64,
    pub alpha: f64,
}

impl std::fmt::Debug for Rgba {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.hex())
    }
}

impl Rgba {
    pub const TRANSPARENT: Self = Self { red: 0.0, green: 0.0, blue: 0.0, alpha: 0.0 };
    pub const BLACK: Self = Self { red: 0.0, green: 0.0, blue: 0.0, alpha: 1.0 };
    pub const WHITE: Self = Self { red: 1.0, green: 1.0, blue: 1.0, alpha: 1.0 };

    pub fn bytes(red: u8, green: u8, blue: u8) -> Self {
        let unit = |byte: u8| f64::from(byte) / 255.0;
        Self { red: unit(red), green: unit(green), blue: unit(blue), alpha: 1.0 }
    }

    /// Any CSS colour that stands for itself; `None` for `currentcolor`, variables and what is no colour.
    pub fn parse(text: &str) -> Option<Self> {
        match ColorValue::parse(text)? {
            ColorValue::Is(color) => Some(color),
            _ => None,
        }
    }

    /// `#rrggbb`, with alpha where there is any.
    pub fn hex(self) -> String {
        let [red, green, blue, alpha] = [self.red, self.green, self.blue, self.alpha].map(byte);
        if alpha == 255 {
            format!("#{red:02x}{green:02x}{blue:02x}")
        } else {
            format!("#{red:02x}{green:02x}{blue:02x}{alpha:02x}")
        }
    }

    /// The colour that one sees where `self` lies over `below`.
    pub fn over(self, below: Self) -> Self {
        let alpha = self.alpha + below.alpha * (1.0 - self.alpha);
        if alpha <= 0.0 {
            return Self::TRANSPARENT;
        }
        let mix = |top: f64, under: f64| (top * self.alpha + under * below.alpha * (1.0 - self.alpha)) / alpha;
        Self {
            red: mix(self.red, below.red),
            green: mix(self.green, below.green),
            blue: mix(self.blue, below.blue),
            alpha,
        }
    }

    pub fn faded(self, opacity: f64) -> Self {
        Self { alpha: self.alpha * opacity.clamp(0.0, 1.0), ..self }
    }

    pub fn is_opaque(self) -> bool {
        self.alpha > 0.999
    }

    /// Relative luminance as WCAG 2.1 defines it.
    pub fn luminance(self) -> f64 {
        // Screens show bytes, and published ratios are computed from them.
        let linear = |channel: f64| LINEAR[usize::from(byte(channel))];
        0.2126 * linear(self.red) + 0.7152 * linear(self.green) + 0.0722 * linear(self.blue)
    }

    /// The contrast ratio of two opaque colours, from 1 to 21.
    pub fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// The distance in `OKLab`: 0.02 is about what an eye tells apart side by side.
    pub fn distance(self, other: Self) -> f64 {
        let (a, b) = (self.oklab(), other.oklab());
        ((a.l - b.l).powi(2) + (a.a - b.a).powi(2) + (a.b - b.b).powi(2)).sqrt()
    }

    /// Lightness in `OKLab`, from 0 to 1.
    pub fn lightness(self) -> f64 {
        self.oklab().l
    }

    /// The same hue, and the same chroma as far as the screen has it, at another lightness.
    pub fn with_lightness(self, lightness: f64) -> Self {
        let mut color: Oklch<f64> = self.oklab().into_color();
        color.l = lightness.clamp(0.0, 1.0);
        // Less chroma until the screen has the colour: clipping channels would turn the hue.
        for _ in 0..40 {
            let srgb: Srgb<f64> = palette::convert::FromColorUnclamped::from_color_unclamped(color);
            let fits = [srgb.red, srgb.green, srgb.blue].iter().all(|c| (-0.000_1..=1.000_1).contains(c));
            if fits {
                break;
            }
            color.chroma *= 0.9;
        }
        from_srgb(Srgb::from_color(color), self.alpha)
    }

    fn oklab(self) -> Oklab<f64> {
        Oklab::from_color(Srgb::new(self.red, self.green, self.blue))
    }
}

/// The linear light of every channel value: there are only 256, and powers are dear.
static LINEAR: LazyLock<[f64; 256]> = LazyLock::new(|| {
    std::array::from_fn(|byte| {
        let channel = byte as f64 / 255.0;
        if channel <= 0.040_45 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
    })
});

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte's range")]
fn byte(channel: f64) -> u8 {
    (channel.clamp(0.0, 1.0) * 255.0).round() as u8
}

fn from_srgb(color: Srgb<f64>, alpha: f64) -> Rgba {
    let clamp = |channel: f64| if channel.is_finite() { channel.clamp(0.0, 1.0) } else { 0.0 };
    Rgba { red: clamp(color.red), green: clamp(color.green), blue: clamp(color.blue), alpha: clamp(alpha) }
}

/// A colour as a declaration may say it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ColorValue {
    Is(Rgba),
    Current,
    Inherit,
    /// `light-dark(…)`.
    Scheme(Rgba, Rgba),
}

impl ColorValue {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parser = Parser::new(text);
        let value = Self::parse_from(&mut parser)?;
        parser.is_exhausted().then_some(value)
    }

    /// Reads one colour and leaves the parser behind it.
    pub(crate) fn parse_from(parser: &mut Parser<'_>) -> Option<Self> {
        match parser.next().ok()?.clone() {
            Token::Hash(hex) | Token::IDHash(hex) => {
                let (red, green, blue, alpha) = parse_hash_color(hex.as_bytes()).ok()?;
                Some(Self::Is(Rgba { alpha: f64::from(alpha), ..Rgba::bytes(red, green, blue) }))
            }
            Token::Ident(name) => keyword(&name),
            Token::Function(name) => {
                let name = name.to_ascii_lowercase();
                parser
                    .parse_nested_block(|inner| {
                        function(&name, inner).ok_or_else(cssparser::ParseError::<()>::unexpected_token)
                    })
                    .ok()
            }
            _ => None,
        }
    }
}

fn keyword(name: &str) -> Option<ColorValue> {
    let lower = name.to_ascii_lowercase();
    let is = |red, green, blue| Some(ColorValue::Is(Rgba::bytes(red, green, blue)));
    match lower.as_str() {
        "transparent" => Some(ColorValue::Is(Rgba::TRANSPARENT)),
        "currentcolor" => Some(ColorValue::Current),
        "inherit" | "unset" => Some(ColorValue::Inherit),
        "canvas" | "field" | "highlighttext" => is(255, 255, 255),
        "canvastext" | "fieldtext" | "buttontext" => is(0, 0, 0),
        "linktext" => is(0, 0, 238),
        "buttonface" => is(239, 239, 239),
        "graytext" => is(128, 128, 128),
        _ => parse_named_color(&lower).ok().and_then(|(red, green, blue)| is(red, green, blue)),
    }
}

#[derive(Debug, Clone, Copy)]
enum Arg {
    Number(f64),
    Percent(f64),
    Degrees(f64),
    Missing,
}

impl Arg {
    /// A percentage of `whole`, or a number as it stands.
    fn scaled(self, whole: f64) -> f64 {
        match self {
            Self::Number(number) | Self::Degrees(number) => number,
            Self::Percent(part) => part * whole,
            Self::Missing => 0.0,
        }
    }
}

fn function(name: &str, input: &mut Parser<'_>) -> Option<ColorValue> {
    match name {
        "light-dark" => return pair(input).map(|(light, dark)| ColorValue::Scheme(light, dark)),
        "color-mix" => return mix(input).map(ColorValue::Is),
        _ => {}
    }
    let space = if name == "color" { Some(input.expect_ident_cloned().ok()?.to_ascii_lowercase()) } else { None };
    let (args, alpha) = arguments(input)?;
    let [a, b, c] = args[..] else { return None };
    let color = match name {
        "rgb" | "rgba" => {
            // Percentages are of one, numbers of 255.
            let channel = |arg: Arg| if let Arg::Percent(part) = arg { part } else { arg.scaled(1.0) / 255.0 };
            Srgb::new(channel(a), channel(b), channel(c))
        }
        "hsl" | "hsla" => Srgb::from_color(Hsl::new(a.scaled(360.0), part(b), part(c))),
        "hwb" => Srgb::from_color(Hwb::new(a.scaled(360.0), part(b), part(c))),
        "oklab" => Srgb::from_color(Oklab::new(a.scaled(1.0), b.scaled(0.4), c.scaled(0.4))),
        "oklch" => Srgb::from_color(Oklch::new(a.scaled(1.0), b.scaled(0.4), c.scaled(360.0))),
        "lab" => from_d50(Lab::<D50, f64>::new(a.scaled(100.0), b.scaled(125.0), c.scaled(125.0))),
        "lch" => {
            let color = Lch::<D50, f64>::new(a.scaled(100.0), b.scaled(150.0), c.scaled(360.0));
            from_d50(color.into_color())
        }
        "color" => {
            let [a, b, c] = [a, b, c].map(|arg| arg.scaled(1.0));
            match space?.as_str() {
                "srgb" => Srgb::new(a, b, c),
                "srgb-linear" => Srgb::from_linear(palette::LinSrgb::new(a, b, c)),
                _ => return None,
            }
        }
        _ => return None,
    };
    Some(ColorValue::Is(from_srgb(color, alpha)))
}

/// CSS has lab and lch under another white than screens.
fn from_d50(color: Lab<D50, f64>) -> Srgb<f64> {
    let xyz: Xyz<D50, f64> = color.into_color();
    let xyz: Xyz<D65, f64> = xyz.adapt_into_unclamped();
    Srgb::from_color(xyz)
}

/// Saturation and the like: `50%`, or `50` in the newer syntax.
fn part(arg: Arg) -> f64 {
    if let Arg::Percent(part) = arg { part } else { arg.scaled(1.0) / 100.0 }
}

fn arguments(input: &mut Parser<'_>) -> Option<(Vec<Arg>, f64)> {
    let mut args = Vec::new();
    while let Ok(token) = input.next() {
        let arg = match token {
            Token::Number { value, .. } => Arg::Number(f64::from(*value)),
            Token::Percentage { unit_value, .. } => Arg::Percent(f64::from(*unit_value)),
            Token::Dimension { value, unit, .. } => {
                let value = f64::from(*value);
                match unit.to_ascii_lowercase().as_str() {
                    "deg" => Arg::Degrees(value),
                    "turn" => Arg::Degrees(value * 360.0),
                    "rad" => Arg::Degrees(value.to_degrees()),
                    "grad" => Arg::Degrees(value * 0.9),
                    _ => return None,
                }
            }
            Token::Ident(name) if name.eq_ignore_ascii_case("none") => Arg::Missing,
            Token::Comma | Token::Delim('/') => continue,
            _ => return None,
        };
        args.push(arg);
    }
    match args.len() {
        3 => Some((args, 1.0)),
        4 => args.pop().map(|alpha| (args, alpha.scaled(1.0))),
        _ => None,
    }
}

fn opaque(value: ColorValue) -> Option<Rgba> {
    match value {
        ColorValue::Is(color) => Some(color),
        ColorValue::Scheme(light, _) => Some(light),
        ColorValue::Current | ColorValue::Inherit => None,
    }
}

fn pair(input: &mut Parser<'_>) -> Option<(Rgba, Rgba)> {
    let first = opaque(ColorValue::parse_from(input)?)?;
    input.expect_comma().ok()?;
    Some((first, opaque(ColorValue::parse_from(input)?)?))
}

/// `color-mix(in srgb | oklab, a p%, b q%)`; the other spaces are left undecided.
fn mix(input: &mut Parser<'_>) -> Option<Rgba> {
    input.expect_ident_matching("in").ok()?;
    let space = input.expect_ident_cloned().ok()?.to_ascii_lowercase();
    input.expect_comma().ok()?;
    let mut one = || {
        let before = input.try_parse(Parser::expect_percentage).ok();
        let color = opaque(ColorValue::parse_from(input)?)?;
        let share = before.or_else(|| input.try_parse(Parser::expect_percentage).ok()).map(f64::from);
        input.try_parse(Parser::expect_comma).ok();
        Some((color, share))
    };
    let ((a, share_a), (b, share_b)) = (one()?, one()?);
    let (share_a, share_b) = match (share_a, share_b) {
        (Some(a), Some(b)) => (a, b),
        (Some(a), None) => (a, 1.0 - a),
        (None, Some(b)) => (1.0 - b, b),
        (None, None) => (0.5, 0.5),
    };
    let sum = share_a + share_b;
    if sum <= 0.0 {
        return None;
    }
    let (p, q) = (share_a / sum, share_b / sum);
    let alpha = a.alpha * p + b.alpha * q;
    // Channels count as much as they cover.
    let (wa, wb) = if alpha > 0.0 { (a.alpha * p / alpha, b.alpha * q / alpha) } else { (p, q) };
    let color = match space.as_str() {
        "srgb" => Srgb::new(a.red * wa + b.red * wb, a.green * wa + b.green * wb, a.blue * wa + b.blue * wb),
        "oklab" => {
            let (a, b) = (a.oklab(), b.oklab());
            Srgb::from_color(Oklab::new(a.l * wa + b.l * wb, a.a * wa + b.a * wb, a.b * wa + b.b * wb))
        }
        _ => return None,
    };
    Some(from_srgb(color, alpha * sum.min(1.0)))
}
