//! A number with at most six decimals, kept exact so that anchors can be compared.

use std::fmt;

use serde::{Serialize, Serializer};

const ONE: i64 = 1_000_000;
/// Small enough that a JSON number carries it without loss.
const LARGEST: i64 = 1_000_000_000;

/// A target such as `200` or `0.95`, in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Number(i64);

impl Number {
    pub fn from_millionths(millionths: i64) -> Self {
        Self(millionths)
    }

    pub fn millionths(self) -> i64 {
        self.0
    }

    /// Reads digits with an optional sign and up to six decimals.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let plain = text.replace('_', "");
        let (negative, digits) = match plain.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, plain.strip_prefix('+').unwrap_or(&plain)),
        };
        let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let decimals = decimals.trim_end_matches('0');
        if !is_digits(whole) || decimals.len() > 6 || !(decimals.is_empty() || is_digits(decimals)) {
            return None;
        }
        let whole: i64 = whole.parse().ok().filter(|whole| *whole <= LARGEST)?;
        let fraction: i64 = format!("{decimals:0<6}").parse().ok()?;
        let millionths = whole * ONE + fraction;
        Some(Self(if negative { -millionths } else { millionths }))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, fraction) =
            (self.0.unsigned_abs() / ONE.unsigned_abs(), self.0.unsigned_abs() % ONE.unsigned_abs());
        let decimals = format!("{fraction:06}");
        match decimals.trim_end_matches('0') {
            "" => write!(f, "{sign}{whole}"),
            decimals => write!(f, "{sign}{whole}.{decimals}"),
        }
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 % ONE == 0 {
            return serializer.serialize_i64(self.0 / ONE);
        }
        // The shortest float that reads back as itself has at most these six decimals.
        serializer.serialize_f64(self.0 as f64 / ONE as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_what_was_written() {
        for (text, shown, json) in [
            ("200", Some("200"), "200"),
            ("0.95", Some("0.95"), "0.95"),
            ("-3.10", Some("-3.1"), "-3.1"),
            ("1_000", Some("1000"), "1000"),
            ("999999999.123456", Some("999999999.123456"), "999999999.123456"),
            ("0.1234567", None, ""),
            ("1e9", None, ""),
            ("", None, ""),
            (".5", None, ""),
        ] {
            let number = Number::parse(text);
            assert_eq!(number.map(|n| n.to_string()).as_deref(), shown, "{text}");
            if let Some(number) = number {
                assert_eq!(serde_json::to_string(&number).unwrap(), json, "{text}");
            }
        }
    }
}
