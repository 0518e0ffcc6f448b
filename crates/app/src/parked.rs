//! Runs that wait for the providers of their agents, in words and for programs.

use serde_json::{Value, json};
use std::time::Duration;
use tribunal_engine::{Clock as _, SystemClock};
use tribunal_kernel::text::one_line;
use tribunal_kernel::{Run, Time};

/// What is told of a provider's own words.
const MOST_WORDS: usize = 120;

/// The turns that wait, each in a few words: `reviewer (claude) waits for its provider, goes on in 2 h 05 min (17:00 UTC)`.
pub fn told(run: &Run) -> Vec<String> {
    let now = SystemClock.now();
    let told = run.parked(now).map(|(turn, parking)| {
        format!("{} ({}) waits for its provider, goes on {}", turn.seat, run.agent_of(turn), when(parking.until, now))
    });
    told.collect()
}

/// The same for programs.
pub fn object(run: &Run) -> Vec<Value> {
    let parked = run.parked(SystemClock.now());
    parked
        .map(|(turn, parking)| {
            json!({
                "seat": turn.seat, "turn": turn.id, "agent": run.agent_of(turn), "until": parking.until,
                "why": parking.why, "times": parking.times,
            })
        })
        .collect()
}

/// Whether nothing can happen before a provider takes requests again.
pub fn is_parked(run: &Run) -> bool {
    run.is_parked(SystemClock.now())
}

/// When the first of them goes on.
pub fn until(run: &Run) -> Option<Time> {
    run.next_wake(SystemClock.now())
}

/// When the first of them goes on, in a few words.
pub fn goes_on(run: &Run) -> Option<String> {
    let now = SystemClock.now();
    Some(when(run.next_wake(now)?, now))
}

/// `in 2 h 05 min (17:00 UTC)`.
pub fn when(until: Time, now: Time) -> String {
    let text = until.to_string();
    let clock = text.get(11..16).unwrap_or_default();
    format!("in {} ({clock} UTC)", span(until.since(now)))
}

/// `45 s`, `12 min`, `2 h 05 min`, `3 d 4 h`.
pub fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    let minutes = seconds.div_ceil(60);
    match (seconds, minutes) {
        (..60, _) => format!("{seconds} s"),
        (_, ..60) => format!("{minutes} min"),
        (_, ..1440) => format!("{} h {:02} min", minutes / 60, minutes % 60),
        _ => format!("{} d {} h", minutes / 1440, minutes % 1440 / 60),
    }
}

/// A provider's words, short enough for a line.
pub fn words(why: &str) -> String {
    let line = one_line(why);
    let head = tribunal_kernel::text::head(&line, MOST_WORDS);
    if head.len() < line.len() { format!("{head}…") } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_told_as_people_tell_them() {
        for (seconds, expected) in [
            (0, "0 s"),
            (59, "59 s"),
            (60, "1 min"),
            (61, "2 min"),
            (7500, "2 h 05 min"),
            (3600, "1 h 00 min"),
            (273_600, "3 d 4 h"),
        ] {
            assert_eq!(span(Duration::from_secs(seconds)), expected);
        }
        assert_eq!(when(Time(7_500_000), Time(0)), "in 2 h 05 min (02:05 UTC)");
    }
}
