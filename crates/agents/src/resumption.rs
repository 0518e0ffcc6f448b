//! When a provider takes requests again, as it says it: a span, a moment, or the hands of a clock on a wall. What that
//! comes to depends on what time it is, and nobody in here asks.

use jiff::civil::{Date, Time as Clock, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _, Zoned};
use std::time::Duration;
use tribunal_kernel::Time;

use crate::limit::span_of;

/// Longer waits are not believed: no provider has a limit that resets after more than a month.
pub(crate) const LONGEST: Duration = Duration::from_secs(32 * 24 * 3600);

/// When a provider takes requests again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resumption {
    /// After so long.
    In(Duration),
    At(Timestamp),
    /// When a clock shows this.
    Clock(Box<ClockMoment>),
}

/// What a clock shows, and perhaps a calendar: `5pm`, `oct 9 at 5pm (europe/berlin)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockMoment {
    date: Option<CalendarDay>,
    time: Clock,
    /// Where the clock hangs, if that is said; where its reader sits otherwise.
    zone: Option<TimeZone>,
}

/// A day; without a year it is the next one of that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CalendarDay {
    Date { year: Option<i16>, month: i8, day: i8 },
    Week(Weekday),
}

/// What introduces a moment.
const MOMENTS: [&str; 7] = ["resets at ", "resets on ", "resets ", "reset at ", "reset on ", "again at ", "again on "];

/// With their beginnings, as some have them.
const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

impl Resumption {
    /// How long that is from `now`, where its reader sits. Nothing, if nobody can mean it.
    pub fn wait(&self, now: &Zoned) -> Option<Duration> {
        let from_now =
            |moment: Timestamp| Duration::try_from(moment.duration_since(now.timestamp())).unwrap_or_default();
        let wait = match self {
            Self::In(wait) => *wait,
            Self::At(moment) => from_now(*moment),
            Self::Clock(moment) => from_now(moment.after(now)?),
        };
        (wait <= LONGEST).then_some(wait)
    }

    /// The same from a moment in milliseconds since 1970, for a reader who sits here.
    pub fn wait_from(&self, now: Time) -> Option<Duration> {
        let now = Timestamp::from_millisecond(i64::try_from(now.0).ok()?).ok()?;
        self.wait(&now.to_zoned(TimeZone::system()))
    }

    /// A moment in seconds since 1970; some count milliseconds.
    pub(crate) fn at_second(seconds: i64) -> Option<Self> {
        let seconds = if seconds > 100_000_000_000 { seconds / 1000 } else { seconds };
        Timestamp::from_second(seconds).ok().map(Self::At)
    }
}

impl ClockMoment {
    /// When the clock shows that next, or on that day.
    fn after(&self, now: &Zoned) -> Option<Timestamp> {
        let zone = self.zone.clone().unwrap_or_else(|| now.time_zone().clone());
        let now = now.with_time_zone(zone.clone());
        let date = match self.date {
            Some(day) => day.from(now.date())?,
            None => now.date(),
        };
        let at = date.to_datetime(self.time).to_zoned(zone).ok()?;
        // An hour that is over is meant for tomorrow, or for the same day of next week.
        let again = match self.date {
            None => Some(1.day()),
            Some(CalendarDay::Week(_)) => Some(1.week()),
            Some(CalendarDay::Date { .. }) => None,
        };
        let at = match again.filter(|_| at <= now) {
            Some(span) => at.checked_add(span).ok()?,
            None => at,
        };
        Some(at.timestamp())
    }
}

impl CalendarDay {
    fn from(self, today: Date) -> Option<Date> {
        match self {
            Self::Week(day) => today.checked_add(i64::from(today.weekday().until(day)).days()).ok(),
            Self::Date { year, month, day } => {
                let date = |year| Date::new(year, month, day).ok();
                match year {
                    Some(year) => date(year),
                    None => date(today.year()).filter(|date| today <= *date).or_else(|| date(today.year() + 1)),
                }
            }
        }
    }
}

/// How long a provider asks us to wait, from its headers: milliseconds, seconds, or a date; or when the limit that is used up
/// is reset, as Anthropic (a moment) and `OpenAI` (a span) say it. Of several, the last one.
pub(crate) fn in_headers<'h>(header: impl Fn(&str) -> Option<&'h str>) -> Option<Resumption> {
    const KINDS: [&str; 4] = ["requests", "tokens", "input-tokens", "output-tokens"];
    let number = |name: &str| header(name)?.trim().parse::<f64>().ok().filter(|number| (0.0..1e9).contains(number));
    let date = || Some(jiff::fmt::rfc2822::parse(header("retry-after")?.trim()).ok()?.timestamp());
    let is_left = |name: String| header(&name).is_some_and(|left| left.trim() != "0");
    let moment = |kind: &str| {
        let moment = header(&format!("anthropic-ratelimit-{kind}-reset"))?;
        moment.trim().parse().ok().filter(|_| !is_left(format!("anthropic-ratelimit-{kind}-remaining")))
    };
    let span = |kind: &str| {
        let span = header(&format!("x-ratelimit-reset-{kind}"))?;
        span_of(span).filter(|_| !is_left(format!("x-ratelimit-remaining-{kind}")))
    };
    let unified = || Resumption::at_second(header("anthropic-ratelimit-unified-reset")?.trim().parse().ok()?);
    number("retry-after-ms")
        .map(|ms| ms / 1e3)
        .or_else(|| number("retry-after"))
        .map(|seconds| Resumption::In(Duration::from_secs_f64(seconds)))
        .or_else(|| date().map(Resumption::At))
        .or_else(unified)
        .or_else(|| KINDS.into_iter().filter_map(moment).max().map(Resumption::At))
        .or_else(|| KINDS.into_iter().filter_map(span).max().map(Resumption::In))
}

/// The moment that a sentence in small letters names.
pub(crate) fn said(words: &str) -> Option<Resumption> {
    stamp(words).or_else(|| MOMENTS.iter().find_map(|mark| moment(&words[words.rfind(mark)? + mark.len()..])))
}

/// `usage limit reached|1749924000`.
fn stamp(words: &str) -> Option<Resumption> {
    let (_, rest) = words.split_once('|')?;
    let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
    (digits.len() >= 10).then(|| Resumption::at_second(digits.parse().ok()?)).flatten()
}

/// `5pm`, `5:30pm (europe/berlin)`, `oct 9 at 5pm`, `oct 12th, 2026 5:30 pm`, `17:00`, `2026-11-18t17:00:00z`.
fn moment(text: &str) -> Option<Resumption> {
    let word = text.split_whitespace().next()?.trim_end_matches(['.', ',', ';', ')']);
    if let Ok(stamp) = word.to_uppercase().parse::<Timestamp>() {
        return Some(Resumption::At(stamp));
    }
    let (date, rest) = date_in(text);
    let time = match clock_in(rest) {
        Some(time) => time,
        // A day without an hour: when it begins.
        None if date.is_some() => Clock::midnight(),
        None => return None,
    };
    Some(Resumption::Clock(Box::new(ClockMoment { date, time, zone: zone_in(text) })))
}

/// A day of the week, or a month and a day, at the beginning, and what follows it.
fn date_in(text: &str) -> (Option<CalendarDay>, &str) {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let word = word.trim_end_matches([',', '.']);
    let is_meant = |name: &&str| word.len() >= 3 && name.starts_with(word);
    if let Some((_, weekday)) = WEEKDAYS.iter().find(|(name, _)| is_meant(name)) {
        // `fri, nov 20 at 2pm`: the date is the better word.
        return match month_in(rest) {
            (None, _) => (Some(CalendarDay::Week(*weekday)), rest),
            dated => dated,
        };
    }
    month_in(text)
}

/// A month and a day at the beginning, and what follows it.
fn month_in(text: &str) -> (Option<CalendarDay>, &str) {
    let number = |word: &str| word.trim_end_matches(|c: char| !c.is_ascii_digit()).parse::<i16>().ok();
    let Some(month) = MONTHS.iter().position(|month| text.starts_with(month)) else { return (None, text) };
    let Some((_, rest)) = text.split_once(' ') else { return (None, text) };
    let (day, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let (year, rest) = match rest.split_once(' ') {
        Some((word, after)) if number(word).is_some_and(|year| year > 2000) => (number(word), after),
        _ => (None, rest),
    };
    let month = i8::try_from(month + 1).unwrap_or(1);
    let day = number(day).and_then(|day| i8::try_from(day).ok());
    (day.filter(|day| (1..=31).contains(day)).map(|day| CalendarDay::Date { year, month, day }), rest)
}

/// `5pm`, `5:30 pm`, `17:00`; what is neither has no hour.
fn clock_in(text: &str) -> Option<Clock> {
    let text = text.trim_start_matches([' ', ',']);
    let text = text.strip_prefix("at ").unwrap_or(text);
    let end = text.find(|c: char| !c.is_ascii_digit() && c != ':').unwrap_or(text.len());
    let (time, after) = (&text[..end], text[end..].trim_start());
    let (hour, minute) = time.split_once(':').unwrap_or((time, ""));
    let half = ["am", "pm", "a.m", "p.m"].into_iter().find(|half| after.starts_with(half));
    if half.is_none() && minute.is_empty() {
        return None;
    }
    let hour: i8 = hour.parse().ok()?;
    let minute: i8 = if minute.is_empty() { 0 } else { minute.get(..2)?.parse().ok()? };
    let hour = match half {
        Some(half) if half.starts_with('p') => hour % 12 + 12,
        Some(_) => hour % 12,
        None => hour,
    };
    Clock::new(hour, minute, 0, 0).ok()
}

/// `(europe/berlin)`, `(utc)`, `utc`: where the moment is meant.
fn zone_in(text: &str) -> Option<TimeZone> {
    let named = text.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(name, _)| name.trim());
    if let Some(zone) = named.and_then(|name| TimeZone::get(name).ok()) {
        return Some(zone);
    }
    text.split(|c: char| !c.is_alphanumeric()).take(8).any(|word| word == "utc").then_some(TimeZone::UTC)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_say_how_long() {
        let now: Zoned = "2026-01-01T00:00:00Z[UTC]".parse().unwrap();
        for (headers, expected) in [
            (&[("retry-after", "2")][..], Some(2000)),
            (&[("retry-after", "2"), ("retry-after-ms", "1500")], Some(1500)),
            (&[("retry-after", "0.5")], Some(500)),
            (&[("retry-after", "Thu, 01 Jan 2026 00:00:30 GMT")], Some(30_000)),
            (&[("retry-after", "Wed, 31 Dec 2025 00:00:00 GMT")], Some(0)),
            (&[("retry-after", "Fri, 01 Jan 2027 00:00:00 GMT")], None),
            (&[("retry-after", "99999999")], None),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "-1")], None),
            (&[("retry-after", "inf")], None),
            (&[("anthropic-ratelimit-tokens-reset", "2026-01-01T01:00:00Z")], Some(3_600_000)),
            (
                &[
                    ("anthropic-ratelimit-tokens-reset", "2026-01-01T01:00:00Z"),
                    ("anthropic-ratelimit-tokens-remaining", "900"),
                    ("anthropic-ratelimit-requests-reset", "2026-01-01T00:00:07Z"),
                    ("anthropic-ratelimit-requests-remaining", "0"),
                ],
                Some(7_000),
            ),
            (&[("anthropic-ratelimit-unified-reset", "1767232800")], Some(7_200_000)),
            (&[("x-ratelimit-reset-tokens", "6m0s"), ("x-ratelimit-remaining-tokens", "0")], Some(360_000)),
            (&[("x-ratelimit-reset-requests", "20ms"), ("x-ratelimit-remaining-requests", "12")], None),
            (&[], None),
        ] {
            let header = |name: &str| headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
            let found = in_headers(header).and_then(|when| when.wait(&now));
            assert_eq!(found, expected.map(Duration::from_millis), "{headers:?}");
        }
    }
}
