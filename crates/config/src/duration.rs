//! Durations: `"90s"`, `"1h30m"`, `"500ms"`, or a bare number of seconds.

use std::{fmt::Write as _, time::Duration};

use crate::value::digits;

/// Far beyond any run, and small enough that a deadline computed from it cannot overflow.
pub(crate) const LONGEST: Duration = Duration::from_secs(365 * 86_400);

/// Largest first: parsing walks this list once, so units fall and none repeats.
const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// The shortest spelling that reads back as the same duration. Anything below a millisecond is dropped.
pub fn show(duration: Duration) -> String {
    let mut rest = millis(duration);
    if rest == 0 {
        return "0s".to_owned();
    }
    let mut shown = String::new();
    for (unit, scale) in UNITS {
        if rest >= scale {
            write!(shown, "{}{unit}", rest / scale).expect("a String takes every write");
            rest %= scale;
        }
    }
    shown
}

/// Reads a duration that is longer than zero and at most [`LONGEST`].
pub fn parse(text: &str) -> Option<Duration> {
    let millis = match digits(text) {
        Some(seconds) => seconds.checked_mul(1_000)?,
        None => sum(text)?,
    };
    let duration = Duration::from_millis(millis);
    (!duration.is_zero() && duration <= LONGEST).then_some(duration)
}

pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Serde form of a duration: whole milliseconds.
pub(crate) mod as_millis {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(super::millis(*duration))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_millis)
    }
}

/// The same for a duration that may be absent.
pub(crate) mod as_millis_if_any {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde's `with` decides the signature")]
    pub(crate) fn serialize<S: Serializer>(duration: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
        duration.map(super::millis).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<u64>::deserialize(from)?.map(Duration::from_millis))
    }
}

fn sum(text: &str) -> Option<u64> {
    let mut units = UNITS.iter();
    let mut rest = text;
    let mut total = 0_u64;
    while !rest.is_empty() {
        let (number, tail) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?);
        let (unit, tail) = tail.split_at(tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len()));
        let (_, scale) = units.find(|(name, _)| *name == unit)?;
        total = total.checked_add(number.parse::<u64>().ok()?.checked_mul(*scale)?)?;
        rest = tail;
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read() {
        for (text, expected) in [
            ("500ms", Some(500)),
            ("90s", Some(90_000)),
            ("10m", Some(600_000)),
            ("1h30m", Some(5_400_000)),
            ("1d2h3m4s5ms", Some(93_784_005)),
            ("45", Some(45_000)),
            ("1_000", Some(1_000_000)),
            ("365d", Some(31_536_000_000)),
            // refused
            ("", None),
            ("0", None),
            ("0s", None),
            ("366d", None),
            ("m", None),
            ("10", Some(10_000)),
            ("10 m", None),
            ("10m5", None),
            ("30m1h", None),
            ("1m1m", None),
            ("1.5h", None),
            ("-5s", None),
            ("10M", None),
            ("10 minutes", None),
            ("5µs", None),
            ("99999999999999999999d", None),
            ("18446744073709551615", None),
        ] {
            assert_eq!(parse(text).map(millis), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_shown_reads_back() {
        for text in ["1ms", "999ms", "1s", "1m30s", "10m", "1h30m", "1d1ms", "365d"] {
            assert_eq!(show(parse(text).unwrap()), text);
        }
        assert_eq!(show(parse("5400").unwrap()), "1h30m");
        assert_eq!(show(Duration::ZERO), "0s");
    }
}
