//! How many faults nobody has found, from how often the found ones were found.
//!
//! The classical figure for two judges is Chapman's, and Chao's (1989) for more: what one judge alone found, over what two
//! found. Both take all faults to be equally easy to see. With judges that are models they are not: what is hard for one is
//! hard for the others, so that they agree on the easy faults and the figure is far too low where it matters most. So every
//! number of hidden faults, every catch rate and several degrees of unevenness are weighed by how well they explain what was
//! seen (Basu and Ebrahimi 2001 did that for inspections of software): the figure is the mean of that, and the interval cuts
//! off the same weight at both ends. `docs/forecast.md` has the coverage of the interval where the truth is known, and
//! Chao's figure beside ours.

use serde::Serialize;

/// The part of the weight that the interval holds.
const INTERVAL: f64 = 0.9;
/// More hidden faults than these for each found one are not considered; it is too few to say long before.
const MOST_PER_FOUND: u32 = 8;
const LEAST_CONSIDERED: u32 = 40;
/// More found faults than these are a share of themselves: the interval is narrow, and no work may grow with them.
const MOST_FOUND: u32 = 2_000;
/// The catch rates that are weighed, as logits: 5 % to 97 %.
const RATES: u32 = 25;
const LOWEST_RATE: f64 = -3.0;
const HIGHEST_RATE: f64 = 3.6;
/// How uneven faults can be: the standard deviation of a fault's logit.
const UNEVENNESS: [f64; 3] = [0.0, 0.7, 1.4];
/// A normal distribution in points and weights (Gauss and Hermite).
const NORMAL: [(f64, f64); 7] = [
    (-3.750_439_717_725_742, 0.000_548_268_855_972_218),
    (-2.366_759_410_734_541, 0.030_757_123_967_586_5),
    (-1.154_405_394_739_968, 0.240_123_178_605_013),
    (0.0, 0.457_142_857_142_857),
    (1.154_405_394_739_968, 0.240_123_178_605_013),
    (2.366_759_410_734_541, 0.030_757_123_967_586_5),
    (3.750_439_717_725_742, 0.000_548_268_855_972_218),
];

/// Faults that nobody has found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HiddenFaults {
    /// How many are to be expected.
    pub expected: f64,
    /// In nine of ten cases there are not fewer than these,
    pub least: u32,
    /// and not more than these.
    pub most: u32,
}

impl HiddenFaults {
    /// From how many faults exactly one judge found, how many exactly two, and so on up to all of them. Nothing, if nobody
    /// found anything.
    pub fn of(by_finders: &[u32]) -> Option<Self> {
        let found: u32 = by_finders.iter().sum();
        let share = f64::from(found.min(MOST_FOUND)) / f64::from(found.max(1));
        let counts: Vec<f64> = by_finders.iter().map(|count| f64::from(*count) * share).collect();
        let weights = weights(&counts, found.min(MOST_FOUND));
        let all: f64 = weights.iter().sum();
        if found == 0 || !all.is_normal() {
            return None;
        }
        let numbered = || (0_u32..).zip(&weights);
        let mean = numbered().map(|(hidden, weight)| f64::from(hidden) * weight).sum::<f64>() / all;
        let cut = (1.0 - INTERVAL) / 2.0 * all;
        let up_to = |part: f64| {
            let mut below = 0.0;
            numbered().find_map(|(hidden, weight)| {
                below += weight;
                (part < below).then_some(hidden)
            })
        };
        let last = u32::try_from(weights.len()).unwrap_or(u32::MAX);
        let of_all = |hidden: f64| hidden / share;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number, never negative")]
        let whole = |hidden: f64| of_all(hidden).ceil() as u32;
        let (least, most) = (up_to(cut).unwrap_or(0), up_to(all - cut).unwrap_or(last));
        Some(Self { expected: of_all(mean), least: whole(f64::from(least)), most: whole(f64::from(most)) })
    }
}

/// What each number of hidden faults weighs, from none on.
fn weights(by_finders: &[f64], found: u32) -> Vec<f64> {
    let most = (found * MOST_PER_FOUND).max(LEAST_CONSIDERED);
    let fits = fits(by_finders);
    let best = fits.iter().map(|fit| fit.found).fold(f64::NEG_INFINITY, f64::max);
    // Which of all faults are the hidden ones: ln((found + hidden)! / hidden!). A number of faults is the less likely before
    // anything was seen the greater it is, in proportion: no scale is preferred.
    let mut ways = 0.0;
    let logs: Vec<f64> = (0..=most)
        .map(|hidden| {
            let all = f64::from(found + hidden);
            ways += if hidden == 0 { 0.0 } else { all.ln() - f64::from(hidden).ln() };
            let explained = fits.iter().map(|fit| (fit.found - best + f64::from(hidden) * fit.missed).exp());
            ways - all.ln() + explained.sum::<f64>().ln()
        })
        .collect();
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    logs.into_iter().map(|log| (log - top).exp()).collect()
}

/// How well a catch rate and an unevenness explain what was found, and what a fault is worth that nobody found: as logarithms.
struct Fit {
    found: f64,
    missed: f64,
}

fn fits(by_finders: &[f64]) -> Vec<Fit> {
    let steps = 0..RATES;
    let rates = steps.map(|step| LOWEST_RATE + (HIGHEST_RATE - LOWEST_RATE) * f64::from(step) / f64::from(RATES - 1));
    let fits = rates.flat_map(|rate| {
        // Every catch rate is as likely as any other.
        let density = (share_of(rate) * (1.0 - share_of(rate))).ln();
        UNEVENNESS.into_iter().map(move |uneven| {
            let shares = finders(rate, uneven, by_finders.len());
            let seen = by_finders.iter().zip(&shares[1..]).filter(|(count, _)| **count > 0.0);
            let found: f64 = seen.map(|(count, share)| count * share.ln()).sum();
            Fit { found: found + density, missed: shares[0].ln() }
        })
    });
    fits.collect()
}

/// The part of all faults that nobody finds, that one of the judges finds, two of them, and so on.
fn finders(rate: f64, uneven: f64, judges: usize) -> Vec<f64> {
    let mut shares = vec![0.0; judges + 1];
    for (point, weight) in NORMAL {
        let caught = share_of(rate + uneven * point);
        let mut share = weight * (1.0 - caught).powf(judges as f64);
        for (finders, sum) in shares.iter_mut().enumerate() {
            *sum += share;
            share *= (judges - finders) as f64 / (finders + 1) as f64 * caught / (1.0 - caught);
        }
    }
    shares
}

fn share_of(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(by_finders: &[u32]) -> String {
        let HiddenFaults { expected, least, most } = HiddenFaults::of(by_finders).unwrap();
        format!("{expected:.1} ({least} to {most})")
    }

    #[test]
    fn the_more_they_agree_the_fewer_are_hidden() {
        let rows: [&[u32]; 6] = [&[0, 10], &[5, 5], &[9, 1], &[0, 0, 10], &[4, 4, 4], &[0, 1]];
        let told: Vec<String> = rows.iter().map(|counts| format!("{counts:?}: {}", told(counts))).collect();
        insta::assert_snapshot!(told.join("\n"), @"
        [0, 10]: 0.2 (0 to 1)
        [5, 5]: 3.8 (0 to 12)
        [9, 1]: 19.7 (2 to 55)
        [0, 0, 10]: 0.0 (0 to 0)
        [4, 4, 4]: 2.5 (0 to 8)
        [0, 1]: 0.4 (0 to 2)
        ");
    }

    #[test]
    fn nothing_found_says_nothing() {
        assert_eq!(HiddenFaults::of(&[0, 0]), None);
        assert_eq!(HiddenFaults::of(&[]), None);
    }

    #[test]
    fn a_million_faults_are_no_trouble() {
        let many = HiddenFaults::of(&[200_000, 800_000]).unwrap();
        assert!(many.least <= 60_000 && 12_500 < many.most, "{many:?}");
    }
}
