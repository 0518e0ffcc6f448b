//! Numbers as a model writes them.

/// A score on our scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScaledScore {
    /// Within `0..=scale`.
    pub value: f64,
    /// Before clamping.
    pub said: f64,
}

impl ScaledScore {
    /// Reads `8`, `7.5`, `7,5`, `8/10`, `8 out of 10` or `80%`: some name the scale that the model had in mind.
    pub fn read(said: &[u8], scale: f64) -> Option<Self> {
        let said = match share(said) {
            None => number(said)?,
            Some((part, whole)) => {
                let (part, whole) = (number(part)?, whole?);
                if whole <= 0.0 {
                    return None;
                }
                // Not a needless branch: 6.4 of 10 stays 6.4 to the last bit.
                if same(whole, scale) { part } else { part * scale / whole }
            }
        };
        // Adding 0 turns -0 into 0. `f64::clamp` would panic on a scale that is no number.
        (!said.is_nan()).then(|| Self { value: said.max(0.0).min(scale) + 0.0, said })
    }

    /// Whether what was said lies outside the scale.
    pub fn is_clamped(self) -> bool {
        !same(self.value, self.said)
    }
}

/// What stands before `%`, `/` or `out of`, and the scale that it is a part of.
fn share(said: &[u8]) -> Option<(&[u8], Option<f64>)> {
    const OUT_OF: &[u8] = b"out of";
    let said = said.trim_ascii();
    if let Some(part) = said.strip_suffix(b"%") {
        return Some((part, Some(100.0)));
    }
    if let Some(slash) = said.iter().position(|&byte| byte == b'/') {
        return Some((&said[..slash], number(&said[slash + 1..])));
    }
    let at = said.windows(OUT_OF.len()).position(|words| words.eq_ignore_ascii_case(OUT_OF))?;
    Some((&said[..at], number(&said[at + OUT_OF.len()..])))
}

/// A number with a point, or with a comma, as half of the world writes it.
fn number(said: &[u8]) -> Option<f64> {
    decimal(said).or_else(|| {
        let comma = said.iter().position(|&byte| byte == b',').filter(|_| !said.contains(&b'.'))?;
        let mut plain = said.to_vec();
        plain[comma] = b'.';
        decimal(&plain)
    })
}

/// Whether two configured numbers are the same for all we care.
pub(crate) fn same(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// A finite number in plain notation.
pub(crate) fn finite(said: &[u8]) -> Option<f64> {
    decimal(said).filter(|number| number.is_finite()).map(|number| number + 0.0)
}

/// A whole number in plain notation.
pub(crate) fn count(said: &[u8]) -> Option<u32> {
    let digits = said.trim_ascii();
    // `parse` would take a sign.
    digits.first().filter(|byte| byte.is_ascii_digit())?;
    str::from_utf8(digits).ok()?.parse().ok()
}

/// Digits with at most a sign and a point. Rust would also take `inf`, `nan` and exponents, which no judge writes.
fn decimal(said: &[u8]) -> Option<f64> {
    let said = said.trim_ascii();
    if let Some(number) = short(said) {
        return Some(number);
    }
    let plain = said.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'+' | b'-'));
    plain.then(|| str::from_utf8(said).ok()?.parse().ok())?
}

/// What nearly every score looks like: `8` or `7.5` or `10`. Small numbers over a power of ten divide exactly as `parse`
/// would round them.
fn short(said: &[u8]) -> Option<f64> {
    let digit = |byte: u8| byte.is_ascii_digit().then(|| f64::from(byte - b'0'));
    match *said {
        [a] => digit(a),
        [a, b] => Some(digit(a)? * 10.0 + digit(b)?),
        [a, b'.', c] => Some((digit(a)? * 10.0 + digit(c)?) / 10.0),
        [a, b'.', c, d] => Some((digit(a)? * 100.0 + digit(c)? * 10.0 + digit(d)?) / 100.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_read_and_clamped() {
        let rows = [
            ("plain", "6.4", 10.0, Some((6.4, false))),
            ("white space", " 7 ", 10.0, Some((7.0, false))),
            ("of ten", "8/10", 10.0, Some((8.0, false))),
            ("of ten, spaced", "6.4 / 10", 10.0, Some((6.4, false))),
            ("of ten on another scale", "8/10", 100.0, Some((80.0, false))),
            ("of a hundred", "85/100", 10.0, Some((8.5, false))),
            ("with a comma", "9,5", 10.0, Some((9.5, false))),
            ("with a comma, of ten", "9,5/10", 10.0, Some((9.5, false))),
            ("per cent", "85%", 10.0, Some((8.5, false))),
            ("per cent, spaced", " 85 % ", 10.0, Some((8.5, false))),
            ("out of ten", "8 out of 10", 10.0, Some((8.0, false))),
            ("out of five", "4 Out Of 5", 10.0, Some((8.0, false))),
            ("above, per cent", "120%", 10.0, Some((10.0, true))),
            ("two commas", "9,5,1", 10.0, None),
            ("thousands", "1,000.5", 10.0, None),
            ("a mark alone", "%", 10.0, None),
            ("out of words", "8 out of ten", 10.0, None),
            ("out of stars, and more", "96 out of 120 stars, so 9", 10.0, None),
            ("above", "11", 10.0, Some((10.0, true))),
            ("above, of ten", "12/10", 10.0, Some((10.0, true))),
            ("below", "-1", 10.0, Some((0.0, true))),
            ("minus nothing", "-0", 10.0, Some((0.0, false))),
            ("the bounds", "10", 10.0, Some((10.0, false))),
            ("of nothing", "8/0", 10.0, None),
            ("of less", "8/-10", 10.0, None),
            ("two slashes", "8/10/10", 10.0, None),
            ("words", "eight", 10.0, None),
            ("not a number", "NaN", 10.0, None),
            ("infinite", "inf", 10.0, None),
            ("exponent", "1e1", 10.0, None),
            ("empty", "", 10.0, None),
        ];
        for (name, said, scale, expected) in rows {
            let score = ScaledScore::read(said.as_bytes(), scale).map(|score| (score.value, score.is_clamped()));
            assert_eq!(score, expected, "{name}");
        }
    }

    #[test]
    fn a_number_beyond_all_bounds_is_clamped() {
        let score = ScaledScore::read("9".repeat(400).as_bytes(), 10.0).unwrap();
        assert_eq!((score.value, score.is_clamped()), (10.0, true));
    }

    #[test]
    fn short_numbers_are_what_the_library_says_they_are() {
        for hundredths in 0..1000 {
            for said in [format!("{}.{:02}", hundredths / 100, hundredths % 100), (hundredths / 10).to_string()] {
                assert_eq!(decimal(said.as_bytes()), said.parse().ok(), "{said}");
            }
        }
    }

    #[test]
    fn counts_are_plain_digits() {
        let rows = [("3", Some(3)), (" 07 ", Some(7)), ("+3", None), ("3.0", None), ("", None), ("99999999999", None)];
        for (said, expected) in rows {
            assert_eq!(count(said.as_bytes()), expected, "{said:?}");
        }
    }
}
