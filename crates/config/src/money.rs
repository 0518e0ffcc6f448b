//! Money. Kept as whole micro-dollars and read from the written digits, so no float ever rounds an amount.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::decimal::Decimal;

const MICROS: u64 = Decimal::SCALE;
const DECIMALS: usize = 6;

/// An amount in US dollars, as whole micro-dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UsdAmount(u64);

impl UsdAmount {
    /// A thousand million dollars: no sum of amounts that a run could meet overflows.
    pub(crate) const MOST: Self = Self(1_000_000_000 * MICROS);

    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    pub const fn micros(self) -> u64 {
        self.0
    }

    /// Reads `2`, `2.5` or `0.000001`. More than six decimals are refused rather than rounded.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Decimal::parse(text).map(|number| Self(number.micros())).filter(|amount| *amount <= Self::MOST)
    }
}

impl fmt::Display for UsdAmount {
    /// With two decimals, or as many more as the amount has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fraction = format!("{:0DECIMALS$}", self.0 % MICROS);
        let (cents, finer) = fraction.split_at(2);
        write!(f, "{}.{cents}{}", self.0 / MICROS, finer.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read() {
        for (text, expected) in [
            ("0", Some(0)),
            ("2", Some(2_000_000)),
            ("+2", Some(2_000_000)),
            ("2.00", Some(2_000_000)),
            ("2.5", Some(2_500_000)),
            ("0.1", Some(100_000)),
            ("0.000001", Some(1)),
            ("0.0000010", Some(1)),
            ("1_000.25", Some(1_000_250_000)),
            ("1000000000", Some(1_000_000_000_000_000)),
            // refused
            ("", None),
            ("-1", None),
            ("-0.0", None),
            (".5", None),
            ("2.", None),
            ("0.0000001", None),
            ("1e3", None),
            ("nan", None),
            ("inf", None),
            ("$2", None),
            ("2,50", None),
            ("2.5 USD", None),
            ("1000000000.000001", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(UsdAmount::parse(text).map(UsdAmount::micros), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_shown_reads_back() {
        for text in ["0.00", "2.00", "2.50", "0.000001", "0.125", "1000000000.00"] {
            assert_eq!(UsdAmount::parse(text).unwrap().to_string(), text);
        }
    }
}
