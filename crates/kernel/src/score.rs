//! Scores: numbers on a scale, exact.

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};
use std::fmt;

/// A score, a threshold or a weight, in millionths.
///
/// Sums and means of floats differ in their last bits, and a gate must not open or close because of them. In the log
/// a score is a plain number: `8`, `6.18`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, schemars::JsonSchema)]
#[schemars(transparent)]
pub struct Score(#[schemars(with = "f64")] pub u64);

const ONE: u64 = 1_000_000;
/// Far above every scale, and few enough that a weight times a score cannot overflow.
const MOST: f64 = 1e6;

impl Score {
    pub const ZERO: Self = Self(0);

    /// So many whole points.
    pub const fn points(points: u32) -> Self {
        Self(points as u64 * ONE)
    }

    /// The nearest score; nothing below zero, and nothing beyond all scales.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a small, positive range")]
    pub fn from_f64(number: f64) -> Self {
        Self((number.clamp(0.0, MOST) * ONE as f64).round() as u64)
    }

    /// For arithmetic that is shown and not decided on.
    #[expect(clippy::cast_precision_loss, reason = "scores are small")]
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / ONE as f64
    }

    /// Σ weight · score / Σ weight, rounded down: no rounding lifts work over a threshold. Without weights, zero.
    pub fn mean(weighted: impl IntoIterator<Item = (Self, Self)>) -> Self {
        let (mut sum, mut weights) = (0u128, 0u128);
        for (weight, score) in weighted {
            sum += u128::from(weight.0) * u128::from(score.0);
            weights += u128::from(weight.0);
        }
        Self(u64::try_from(sum.checked_div(weights).unwrap_or_default()).unwrap_or(u64::MAX))
    }

    /// A part of a whole, as a share of 1; rounded down, and nothing of nothing is nothing.
    pub fn share(part: usize, whole: usize) -> Self {
        let (part, whole) = (u64::try_from(part).unwrap_or(u64::MAX), u64::try_from(whole).unwrap_or(u64::MAX));
        Self(part.saturating_mul(ONE).checked_div(whole).unwrap_or_default())
    }

    /// How far apart two scores are.
    pub fn distance(self, other: Self) -> Self {
        Self(self.0.abs_diff(other.0))
    }
}

/// With as many decimals as it has, two at most: `8`, `6.4`, `6.18`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Cut, not rounded: 7.996 must not read as 8 beside a threshold of 8.
        let hundredths = self.0 / 10_000;
        let text = match (hundredths / 100, hundredths % 100) {
            (whole, 0) => format!("{whole}"),
            (whole, part) if part % 10 == 0 => format!("{whole}.{}", part / 10),
            (whole, part) => format!("{whole}.{part:02}"),
        };
        f.pad(&text)
    }
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_multiple_of(ONE) {
            serializer.serialize_u64(self.0 / ONE)
        } else {
            serializer.serialize_f64(self.as_f64())
        }
    }
}

impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = Score;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number that is not negative")
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Score, E> {
                number.checked_mul(ONE).map(Score).ok_or_else(|| E::custom("a score beyond all scales"))
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Score, E> {
                if (0.0..=MOST).contains(&number) {
                    Ok(Score::from_f64(number))
                } else {
                    Err(E::invalid_value(de::Unexpected::Float(number), &self))
                }
            }
        }
        deserializer.deserialize_any(Number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(number: f64) -> Score {
        Score::from_f64(number)
    }

    #[test]
    fn a_mean_is_exact_and_never_rounded_up() {
        let weights = [0.4, 0.2, 0.2, 0.2].map(score);
        for (name, scores, expected) in [
            ("all the same", [8.0, 8.0, 8.0, 8.0], "8"),
            ("the protocol's example", [6.4, 6.0, 5.6, 6.5], "6.18"),
            ("just below", [8.0, 8.0, 8.0, 7.99], "7.99"),
        ] {
            let mean = Score::mean(weights.into_iter().zip(scores.map(score)));
            assert_eq!(mean.to_string(), expected, "{name}");
        }
        let thirds = [score(0.333_333); 3].into_iter().zip([score(8.0); 3]);
        assert_eq!(Score::mean(thirds), Score::points(8));
        assert_eq!(Score::mean([]), Score::ZERO);
    }

    #[test]
    fn what_is_below_a_threshold_does_not_look_like_it() {
        assert_eq!(score(7.996).to_string(), "7.99");
    }

    #[test]
    fn the_log_has_plain_numbers() {
        for (text, number) in [("8", 8.0), ("6.18", 6.18), ("0", 0.0), ("0.333333", 0.333_333)] {
            assert_eq!(serde_json::to_string(&score(number)).unwrap(), text);
            assert_eq!(serde_json::from_str::<Score>(text).unwrap(), score(number));
        }
        assert!(serde_json::from_str::<Score>("-1").is_err());
    }
}
