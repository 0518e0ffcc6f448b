//! Moments, as they stand in the log. The kernel never asks what time it is.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::time::Duration;

/// Milliseconds since 1970 in UTC; written as `2026-11-15T08:30:00.125Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, schemars::JsonSchema)]
#[schemars(transparent)]
pub struct Time(#[schemars(with = "String")] pub u64);

const MS_A_DAY: u64 = 86_400_000;

impl Time {
    /// The last moment that fits the four-digit year.
    pub const MAX: Self = Self(253_402_300_799_999);

    /// How long before `self` was `earlier`; zero when it was not.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// This moment, `duration` later.
    pub fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)))
    }

    /// Reads the form that `Display` writes, and no other.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let shape = b"dddd-dd-ddTdd:dd:dd.dddZ";
        if bytes.len() != shape.len()
            || !bytes
                .iter()
                .zip(shape)
                .all(|(byte, form)| if *form == b'd' { byte.is_ascii_digit() } else { byte == form })
        {
            return None;
        }
        let number =
            |from: usize, to: usize| bytes[from..to].iter().fold(0u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        let (month, day) = (number(5, 7), number(8, 10));
        let (hour, minute, second) = (number(11, 13), number(14, 16), number(17, 19));
        if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let days = days_from_civil(number(0, 4), month, day)?;
        Some(Self(days * MS_A_DAY + ((hour * 60 + minute) * 60 + second) * 1000 + number(20, 23)))
    }
}

// Days are counted from 0000-03-01, so that the leap day is the last day of a year and the lengths of
// the months follow one formula. 719_468 days lie between that day and 1970-01-01.
const DAYS_TO_1970: u64 = 719_468;
const DAYS_IN_400_YEARS: u64 = 146_097;

fn days_from_civil(year: u64, month: u64, day: u64) -> Option<u64> {
    let year = if month <= 2 { year.checked_sub(1)? } else { year };
    let (era, year_of_era) = (year / 400, year % 400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (era * DAYS_IN_400_YEARS + day_of_era).checked_sub(DAYS_TO_1970)
}

fn civil_from_days(days: u64) -> (u64, u64, u64) {
    let days = days + DAYS_TO_1970;
    let (era, day_of_era) = (days / DAYS_IN_400_YEARS, days % DAYS_IN_400_YEARS);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.0.min(Self::MAX.0);
        let (year, month, day) = civil_from_days(ms / MS_A_DAY);
        let of_day = ms % MS_A_DAY;
        let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
        let (second, milli) = (of_day / 1000 % 60, of_day % 1000);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Rfc3339;
        impl de::Visitor<'_> for Rfc3339 {
            type Value = Time;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time like 2026-11-15T08:30:00.125Z")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Time, E> {
                Time::parse(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_str(Rfc3339)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments_print_as_people_write_them() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
            (1_709_251_200_000, "2024-03-01T00:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (Time::MAX.0, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(Time(ms).to_string(), text);
            assert_eq!(Time::parse(text), Some(Time(ms)), "{text}");
        }
    }

    #[test]
    fn other_forms_are_refused() {
        for text in ["", "2024-02-29", "2024-02-29T23:59:59Z", "2024-13-01T00:00:00.000Z", "2024-02-29T23:59:59.999+"] {
            assert_eq!(Time::parse(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_moment_survives_the_round_trip(ms in 0..=Time::MAX.0) {
            proptest::prop_assert_eq!(Time::parse(&Time(ms).to_string()), Some(Time(ms)));
        }
    }
}
