//! How long to wait for a provider, and how often.

use jiff::Zoned;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

use super::failure::{Again, Failure};

/// Longer than this nobody waits inside of a turn, where the run's log, its limits and the person who looks at it know nothing
/// of it. It is enough for a limit that is over in a moment, and a model that reads files need not begin again.
const A_MOMENT: Duration = Duration::from_secs(5);

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
        Self { first: Duration::from_secs(1), most: Duration::from_secs(30), tries: 4, parked: A_MOMENT }
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
        self.after_with(failure, patience, chance(), &Zoned::now())
    }

    fn after_with(&mut self, failure: &Failure, patience: &Patience, chance: f64, now: &Zoned) -> Option<Pause> {
        match failure.again() {
            Again::Never => None,
            Again::Soon => {
                self.failed += 1;
                let time = patience.pause(self.failed - 1, chance);
                (self.failed < patience.tries).then_some(Pause { time, is_parked: false })
            }
            Again::Parked(when) => {
                // Never before the provider says so, not all at the same moment, and after ever longer pauses: who says "now"
                // again and again is not asked again and again.
                let asked = when.and_then(|when| when.wait(now)).unwrap_or_default();
                let asked = asked.saturating_add(patience.first.mul_f64(chance / 2.0));
                let time = asked.max(patience.pause(self.parked, chance));
                self.parked += 1;
                self.waited = self.waited.saturating_add(time);
                let is_bearable = self.waited <= patience.parked;
                is_bearable.then_some(Pause { time, is_parked: true })
            }
        }
    }
}

/// A number from 0 to 1 that nobody can guess, from the only source of chance in the standard library.
fn chance() -> f64 {
    let drawn = RandomState::new().build_hasher().finish();
    (drawn >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Resumption;

    const PATIENCE: Patience = Patience {
        first: Duration::from_secs(1),
        most: Duration::from_secs(5),
        tries: 4,
        parked: Duration::from_secs(60),
    };

    /// The pauses after these failures: seconds, `p` if parked, `-` if it is given up.
    fn pauses(failures: &[Failure], chance: f64) -> String {
        let (mut waiting, now) = (Waiting::default(), Zoned::now());
        let mut pause = |failure: &Failure| match waiting.after_with(failure, &PATIENCE, chance, &now) {
            Some(pause) => format!("{}{}", pause.time.as_secs_f64(), if pause.is_parked { "p" } else { "" }),
            None => "-".to_owned(),
        };
        failures.iter().map(&mut pause).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn pauses_grow_and_end() {
        let trouble = Failure::refused(500, "", None);
        let later = |seconds| Failure::refused(429, "", Some(Resumption::In(Duration::from_secs(seconds))));
        for (name, failures, chance, expected) in [
            ("trouble", vec![trouble.clone(); 4], 1.0, "1 2 4 -"),
            ("by chance shorter", vec![trouble.clone(); 2], 0.0, "0.5 1"),
            ("as the provider says", vec![later(20)], 0.0, "20p"),
            ("a little later", vec![later(20)], 1.0, "20.5p"),
            ("all in all too long", vec![later(20); 4], 0.0, "20p 20p 20p -"),
            ("too long at once", vec![later(61)], 0.0, "-"),
            ("it does not say", vec![Failure::refused(429, "", None); 5], 1.0, "1p 2p 4p 5p 5p"),
            ("now, again and again", vec![later(0); 5], 1.0, "1p 2p 4p 5p 5p"),
            ("in a second, again and again", vec![later(1); 5], 1.0, "1.5p 2p 4p 5p 5p"),
            ("both", vec![later(2), trouble.clone(), later(2), trouble], 0.0, "2p 0.5 2p 1"),
        ] {
            assert_eq!(pauses(&failures, chance), expected, "{name}");
        }
    }

    #[test]
    fn nobody_waits_for_long_without_the_run_knowing_it() {
        for (when, chance) in [(0, 0.0), (0, 1.0), (1, 0.0), (1, 1.0), (3, 0.5)] {
            let failure = Failure::refused(429, "", Some(Resumption::In(Duration::from_secs(when))));
            let (mut waiting, patience, now) = (Waiting::default(), Patience::default(), Zoned::now());
            let pause = || waiting.after_with(&failure, &patience, chance, &now);
            let pauses: Vec<Duration> = std::iter::from_fn(pause).map(|pause| pause.time).take(64).collect();
            assert!(pauses.len() <= 3, "asked {} times after {when} s", pauses.len());
            assert!(pauses.iter().sum::<Duration>() <= Duration::from_secs(5), "{pauses:?} after {when} s");
        }
    }

    #[test]
    fn chance_stays_within_its_bounds() {
        assert!((0..100).map(|_| chance()).all(|chance| (0.0..1.0).contains(&chance)));
    }
}
