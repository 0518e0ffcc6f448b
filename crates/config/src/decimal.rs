//! Decimal numbers such as scores and weights. Kept as whole millionths and read from the written digits, so that a
//! threshold is met by exactly the scores that people would say meet it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::value::digits;

const DECIMALS: usize = 6;

/// A number that is not negative, as whole millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Decimal(u64);

impl Decimal {
    pub const ZERO: Self = Self(0);
    pub const ONE: Self = Self(Self::SCALE);

    /// So many millionths are one.
    pub const SCALE: u64 = 1_000_000;

    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    pub const fn micros(self) -> u64 {
        self.0
    }

    /// Reads `8`, `8.5` or `0.000001`. More than six decimals are refused rather than rounded.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix('+').unwrap_or(text);
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        if fraction.is_empty() || !fraction.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let fraction = fraction.trim_end_matches('0');
        if fraction.len() > DECIMALS {
            return None;
        }
        let fraction: u64 = format!("{fraction:0<DECIMALS$}").parse().ok()?;
        digits(whole)?.checked_mul(Self::SCALE)?.checked_add(fraction).map(Self)
    }

    /// Whether it lies between two whole numbers, ends included.
    pub(crate) fn is_within(self, min: u64, max: u64) -> bool {
        min.checked_mul(Self::SCALE).is_some_and(|min| min <= self.0)
            && max.checked_mul(Self::SCALE).is_none_or(|max| self.0 <= max)
    }
}

impl fmt::Display for Decimal {
    /// Without the decimals that say nothing: `8`, `8.5`, `0.4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fraction = format!("{:0DECIMALS$}", self.0 % Self::SCALE);
        let shown = format!("{}.{fraction}", self.0 / Self::SCALE);
        f.pad(shown.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read() {
        for (text, expected) in [
            ("0", Some(0)),
            ("8", Some(8_000_000)),
            ("+8", Some(8_000_000)),
            ("8.0", Some(8_000_000)),
            ("8.25", Some(8_250_000)),
            ("0.4", Some(400_000)),
            ("0.000001", Some(1)),
            ("0.0000010", Some(1)),
            ("1_000.5", Some(1_000_500_000)),
            // refused
            ("", None),
            ("-1", None),
            ("-0.0", None),
            (".5", None),
            ("8.", None),
            ("8,5", None),
            ("8.5.1", None),
            ("0.0000001", None),
            ("8e0", None),
            ("nan", None),
            ("inf", None),
            (" 8", None),
            ("8/10", None),
            ("99999999999999999999", None),
            ("18446744073710", None),
        ] {
            assert_eq!(Decimal::parse(text).map(Decimal::micros), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_shown_reads_back() {
        for text in ["0", "8", "8.5", "0.4", "10", "100", "0.000001", "6.18", "18446744073709.551615"] {
            assert_eq!(Decimal::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_range_includes_its_ends() {
        for (text, min, max, expected) in [
            ("0", 0, 1, true),
            ("1", 0, 1, true),
            ("1.000001", 0, 1, false),
            ("0.999999", 1, 100, false),
            ("100", 1, 100, true),
            ("5", 0, u64::MAX, true),
            ("5", u64::MAX, u64::MAX, false),
        ] {
            assert_eq!(Decimal::parse(text).unwrap().is_within(min, max), expected, "{text} in {min}..={max}");
        }
    }
}
