//! Moments as other tools write them: any offset, any number of decimals.

/// A point in time, exact to the last decimal that was written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment {
    /// Seconds since 1970 in UTC.
    seconds: i64,
    /// The decimals without final zeros: as text they sort like the fraction they stand for.
    fraction: String,
}

impl Moment {
    /// Reads an ISO 8601 time with an offset; without one nobody knows which moment is meant.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (year, month, day) = (digits(text, 0, 4)?, digits(text, 5, 2)?, digits(text, 8, 2)?);
        let (hour, minute) = (digits(text, 11, 2)?, digits(text, 14, 2)?);
        let mark = |at: usize| text.as_bytes().get(at).copied();
        if (mark(4), mark(7), mark(13)) != (Some(b'-'), Some(b'-'), Some(b':'))
            || !matches!(mark(10), Some(b'T' | b't' | b' '))
        {
            return None;
        }
        let mut rest = text.get(16..)?;
        let mut second = 0;
        if rest.starts_with(':') {
            second = digits(rest, 1, 2)?;
            rest = rest.get(3..)?;
        }
        let mut fraction = String::new();
        if let Some(decimals) = rest.strip_prefix(['.', ',']) {
            let end = decimals.find(|c: char| !c.is_ascii_digit())?;
            if end == 0 {
                return None;
            }
            decimals[..end].trim_end_matches('0').clone_into(&mut fraction);
            rest = &decimals[end..];
        }
        let offset = offset(rest)?;
        // 60: a leap second.
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let seconds = days(year, month, day)? * 86_400 + (hour * 60 + minute) * 60 + second - offset;
        Some(Self { seconds, fraction })
    }
}

fn digits(text: &str, from: usize, count: usize) -> Option<i64> {
    let digits = text.get(from..from + count)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// `Z`, `+02:00`, `+0200` or `+02`, in seconds.
fn offset(text: &str) -> Option<i64> {
    if matches!(text, "Z" | "z") {
        return Some(0);
    }
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = match text.len() {
        3 => (digits(text, 1, 2)?, 0),
        5 => (digits(text, 1, 2)?, digits(text, 3, 2)?),
        6 if text.as_bytes()[3] == b':' => (digits(text, 1, 2)?, digits(text, 4, 2)?),
        _ => return None,
    };
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60)
}

/// Days since 1970-01-01. Counted from a first of March, so that the leap day is the last day of its year.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(is_leap),
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_kernel::Time;

    #[test]
    fn the_moment_counts_and_not_its_form() {
        for (a, b) in [
            ("2026-11-15T08:30:00Z", "2026-11-15T08:30:00+00:00"),
            ("2026-11-15T08:30:00Z", "2026-11-15 09:30:00.000+01:00"),
            ("2026-11-15T08:30:00Z", "2026-11-15T00:00-0830"),
            ("2024-02-29T23:30:00-01", "2024-03-01T00:30:00.0Z"),
            ("2026-11-15T08:30:00.5Z", "2026-11-15T08:30:00.500000000000Z"),
            ("1969-12-31T23:59:59Z", "1970-01-01T00:59:59+01:00"),
        ] {
            assert!(Moment::parse(a).is_some(), "{a}");
            assert_eq!(Moment::parse(a), Moment::parse(b), "{a} {b}");
        }
        for (earlier, later) in [
            ("2026-11-15T08:30:00.49Z", "2026-11-15T08:30:00.5Z"),
            ("2026-11-15T08:30:00.5Z", "2026-11-15T08:30:00.5000000001Z"),
            ("2026-11-15T08:30:00+02:00", "2026-11-15T07:00:00Z"),
            ("1969-12-31T23:59:59.9Z", "1970-01-01T00:00:00Z"),
        ] {
            assert!(Moment::parse(earlier).unwrap() < Moment::parse(later).unwrap(), "{earlier} {later}");
        }
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for text in [
            "",
            "2026-11-15",
            "2026-11-15T08:30:00",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-11-15T24:00:00Z",
            "2026-11-15T08:30:00.Z",
            "2026-11-15T08:30:00+2",
            "2026-11-15T08:30:00Zulu",
            "2026-11-15T08:30:0éZ",
            "+026-11-15T08:30:00Z",
        ] {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn our_own_times_sort_as_they_are(a in 0..=Time::MAX.0, b in 0..=Time::MAX.0) {
            let moment = |ms| Moment::parse(&Time(ms).to_string()).unwrap();
            proptest::prop_assert_eq!(moment(a).cmp(&moment(b)), a.cmp(&b));
        }

        #[test]
        fn no_text_is_a_panic(text in "\\PC*") {
            let _ = Moment::parse(&text);
        }
    }
}
