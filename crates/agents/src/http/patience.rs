//! How long to wait for a provider, and how often.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

use super::failure::{Again, Failure};
use crate::limit;

/// Calls that are parked in one turn at most, however short.
const MAX_PARKED: u32 = 64;

/// How long to wait for a provider, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// The first pause; every further one is twice as long.
    pub first: Duration,
    /// No pause is longer, unless the provider asks for it.
    pub most: Duration,
    /// Tries of a call whose provider is in trouble, the first one included.
    pub tries: u32,
    /// All the time in a turn that a provider may make us wait. Beyond it the whole turn is parked.
    pub parked: Duration,
}

/// What a turn has waited for already.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    failed: u32,
    parked: u32,
    waited: Duration,
}

/// A pause before the next try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pause {
    pub(super) time: Duration,
    /// Whether the provider wants it: then it is not the turn's own time.
    pub(super) is_parked: bool,
}

impl Default for Patience {
    fn default() -> Self {
        Self { first: Duration::from_secs(1), most: Duration::from_secs(30), tries: 4, parked: Duration::from_secs(20) }
    }
}

impl Patience {
    /// The nth pause, from 0. `chance` (0 to 1) keeps seats that failed together from asking together again.
    fn pause(&self, nth: u32, chance: f64) -> Duration {
        let longest = self.first.saturating_mul(2_u32.saturating_pow(nth)).min(self.most);
        longest.mul_f64(0.5 + chance / 2.0)
    }
}

impl Waiting {
    /// The pause after a failure; nothing if there is no point in asking again.
    pub(super) fn after(&mut self, failure: &Failure, patience: &Patience) -> Option<Pause> {
        self.after_with(failure, patience, chance())
    }

    fn after_with(&mut self, failure: &Failure, patience: &Patience, chance: f64) -> Option<Pause> {
        match failure.again() {
            Again::Never => None,
            Again::Soon => {
                self.failed += 1;
                let time = patience.pause(self.failed - 1, chance);
                (self.failed < patience.tries).then_some(Pause { time, is_parked: false })
            }
            Again::Parked(asked) => {
                // Never before the provider says so, and not all at the same moment.
                let time = match asked {
                    Some(asked) => asked.saturating_add(patience.first.mul_f64(chance / 2.0)),
                    None => patience.pause(self.parked, chance),
                };
                self.parked += 1;
                self.waited = self.waited.saturating_add(time);
                let is_bearable = self.waited <= patience.parked && self.parked <= MAX_PARKED;
                is_bearable.then_some(Pause { time, is_parked: true })
            }
        }
    }
}

/// How long a provider asks us to wait, from its headers: milliseconds, seconds, or a date; or when the limit that is used up
/// is reset, as Anthropic (a moment) and `OpenAI` (a span) say it. Of several, the last one.
pub(super) fn retry_after<'h>(header: impl Fn(&str) -> Option<&'h str>, now: jiff::Timestamp) -> Option<Duration> {
    const KINDS: [&str; 4] = ["requests", "tokens", "input-tokens", "output-tokens"];
    let number = |name: &str| header(name)?.trim().parse::<f64>().ok().filter(|number| (0.0..1e9).contains(number));
    let from_now = |moment: jiff::Timestamp| Duration::try_from(moment.duration_since(now)).unwrap_or_default();
    let date = || Some(from_now(jiff::fmt::rfc2822::parse(header("retry-after")?.trim()).ok()?.timestamp()));
    let used_up = |kind: &str| {
        let is_left = |name: String| header(&name).is_some_and(|left| left.trim() != "0");
        let moment = header(&format!("anthropic-ratelimit-{kind}-reset"))
            .filter(|_| !is_left(format!("anthropic-ratelimit-{kind}-remaining")))
            .and_then(|moment| moment.trim().parse().ok())
            .map(from_now);
        moment.or_else(|| {
            let span = header(&format!("x-ratelimit-reset-{kind}"))?;
            limit::span_of(span).filter(|_| !is_left(format!("x-ratelimit-remaining-{kind}")))
        })
    };
    let unified = || limit::until_stamp(header("anthropic-ratelimit-unified-reset")?.trim().parse().ok()?, now);
    number("retry-after-ms")
        .map(|ms| ms / 1e3)
        .or_else(|| number("retry-after"))
        .map(Duration::from_secs_f64)
        .or_else(date)
        .or_else(unified)
        .or_else(|| KINDS.into_iter().filter_map(used_up).max())
}

/// A number from 0 to 1 that nobody can guess, from the only source of chance in the standard library.
fn chance() -> f64 {
    let drawn = RandomState::new().build_hasher().finish();
    (drawn >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Patience = Patience {
        first: Duration::from_secs(1),
        most: Duration::from_secs(5),
        tries: 4,
        parked: Duration::from_secs(60),
    };

    /// The pauses after these failures: seconds, `p` if parked, `-` if it is given up.
    fn pauses(failures: &[Failure], chance: f64) -> String {
        let mut waiting = Waiting::default();
        let mut pause = |failure: &Failure| match waiting.after_with(failure, &PATIENCE, chance) {
            Some(pause) => format!("{}{}", pause.time.as_secs_f64(), if pause.is_parked { "p" } else { "" }),
            None => "-".to_owned(),
        };
        failures.iter().map(&mut pause).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn pauses_grow_and_end() {
        let trouble = Failure::refused(500, "", None);
        let later = |seconds| Failure::refused(429, "", Some(Duration::from_secs(seconds)));
        for (name, failures, chance, expected) in [
            ("trouble", vec![trouble.clone(); 4], 1.0, "1 2 4 -"),
            ("by chance shorter", vec![trouble.clone(); 2], 0.0, "0.5 1"),
            ("as the provider says", vec![later(20)], 0.0, "20p"),
            ("a little later", vec![later(20)], 1.0, "20.5p"),
            ("all in all too long", vec![later(20); 4], 0.0, "20p 20p 20p -"),
            ("too long at once", vec![later(61)], 0.0, "-"),
            ("it does not say", vec![Failure::refused(429, "", None); 5], 1.0, "1p 2p 4p 5p 5p"),
            ("both", vec![later(2), trouble.clone(), later(2), trouble], 0.0, "2p 0.5 2p 1"),
        ] {
            assert_eq!(pauses(&failures, chance), expected, "{name}");
        }
    }

    #[test]
    fn headers_say_how_long() {
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        for (headers, expected) in [
            (&[("retry-after", "2")][..], Some(2000)),
            (&[("retry-after", "2"), ("retry-after-ms", "1500")], Some(1500)),
            (&[("retry-after", "0.5")], Some(500)),
            (&[("retry-after", "Thu, 01 Jan 2026 00:00:30 GMT")], Some(30_000)),
            (&[("retry-after", "Wed, 31 Dec 2025 00:00:00 GMT")], Some(0)),
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
            assert_eq!(retry_after(header, now), expected.map(Duration::from_millis), "{headers:?}");
        }
    }

    #[test]
    fn chance_stays_within_its_bounds() {
        assert!((0..100).map(|_| chance()).all(|chance| (0.0..1.0).contains(&chance)));
    }
}
