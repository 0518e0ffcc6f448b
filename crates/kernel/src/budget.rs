//! Limits and what was used of them: reserve before the call, settle after.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

use crate::Score;

/// Money in millionths of a US dollar: sums stay exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Usd(pub u64);

/// What a turn cost, as far as its agent said so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens sent, cached ones included.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// The part of `input_tokens` that the provider had cached.
    #[serde(default, skip_serializing_if = "crate::event::is_default")]
    pub cached_tokens: u64,
    /// The part of `input_tokens` that the provider put into its cache, which some of them charge for.
    #[serde(default, skip_serializing_if = "crate::event::is_default")]
    pub cache_write_tokens: u64,
    /// The price, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<Usd>,
    /// Whether the agent reported nothing and these are our own guess.
    #[serde(default, skip_serializing_if = "is_false")]
    pub estimated: bool,
}

/// What a model costs, for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    pub input: Usd,
    /// Of input that the provider still had in its cache.
    pub cached: Usd,
    pub output: Usd,
    /// Of input that the provider puts into its cache, where that costs something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<Usd>,
    /// What a request with a long prompt costs instead, where that is something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long: Option<LongRate>,
    /// The most tokens that the model answers with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output: Option<u64>,
}

/// What a request costs whose prompt is longer than so many tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LongRate {
    pub above: u64,
    pub input: Usd,
    pub cached: Usd,
    pub output: Usd,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<Usd>,
}

/// What is left of limits; nothing where there is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Remainder {
    pub usd: Option<Usd>,
    pub tokens: Option<u64>,
}

/// An amount of everything that is counted and paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spend {
    pub tokens: u64,
    pub usd: Usd,
}

/// What a run may use. Checked before the call that would break it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Limits {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<Usd>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Wall time since the run was opened or last resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// No further round begins where no more faults than these are likely left, in millionths: see [`crate::faults`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_when_left: Option<Score>,
}

/// A run's account: what is spent, and what calls in flight may still cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Budget {
    pub spent: Spend,
    pub reserved: Spend,
    /// What runs that share the limits have spent and set aside.
    pub elsewhere: Spend,
}

/// A limit that stands in the way of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exceeded {
    Usd { limit: Usd, would_be: Usd },
    Tokens { limit: u64, would_be: u64 },
}

impl Budget {
    /// Sets `amount` aside for a call.
    pub fn reserve(&mut self, amount: Spend) {
        self.reserved = self.reserved.plus(amount);
    }

    /// Replaces what was set aside for a call by what it really cost.
    pub fn settle(&mut self, reserved: Spend, used: Spend) {
        self.reserved = self.reserved.minus(reserved);
        self.spent = self.spent.plus(used);
    }

    /// What is spent and what is set aside.
    pub fn held(&self) -> Spend {
        self.spent.plus(self.reserved)
    }

    /// What is left of the limits.
    pub fn left(&self, limits: &Limits) -> Remainder {
        let held = self.held().plus(self.elsewhere);
        Remainder {
            usd: limits.usd.map(|limit| Usd(limit.0.saturating_sub(held.usd.0))),
            tokens: limits.tokens.map(|limit| limit.saturating_sub(held.tokens)),
        }
    }

    /// Whether a call that may cost `amount` still fits. A limit that is already used up admits nothing,
    /// also when nobody can say what the call will cost.
    pub fn admits(&self, limits: &Limits, amount: Spend) -> Result<(), Exceeded> {
        let held = self.held().plus(self.elsewhere);
        let would_be = held.plus(amount);
        if let Some(limit) = limits.usd
            && (would_be.usd > limit || held.usd >= limit)
        {
            return Err(Exceeded::Usd { limit, would_be: would_be.usd });
        }
        if let Some(limit) = limits.tokens
            && (would_be.tokens > limit || held.tokens >= limit)
        {
            return Err(Exceeded::Tokens { limit, would_be: would_be.tokens });
        }
        Ok(())
    }
}

impl Budget {
    /// Which limit an amount would break, with what it would be then.
    pub(crate) fn exceeded(&self, limits: &Limits, amount: Spend) -> Exceeded {
        let would_be = self.held().plus(self.elsewhere).plus(amount);
        match (limits.usd, limits.tokens) {
            (Some(limit), None) => Exceeded::Usd { limit, would_be: would_be.usd },
            (Some(limit), Some(_)) if limit < would_be.usd => Exceeded::Usd { limit, would_be: would_be.usd },
            (_, limit) => Exceeded::Tokens { limit: limit.unwrap_or_default(), would_be: would_be.tokens },
        }
    }
}

impl Usage {
    /// How many tokens a text is taken to have, where nobody counted them.
    pub fn guess(text: &str) -> u64 {
        const BYTES_A_TOKEN: usize = 4;
        u64::try_from(text.len().div_ceil(BYTES_A_TOKEN)).unwrap_or(u64::MAX)
    }

    /// Our own guess at what a turn took.
    pub fn estimate(prompt: &str, answer: &str) -> Self {
        Self {
            input_tokens: Self::guess(prompt),
            output_tokens: Self::guess(answer),
            estimated: true,
            ..Self::default()
        }
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let usd = match (self.usd, other.usd) {
            (Some(one), Some(other)) => Some(Usd(one.0.saturating_add(other.0))),
            (one, other) => one.or(other),
        };
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cached_tokens: self.cached_tokens.saturating_add(other.cached_tokens),
            cache_write_tokens: self.cache_write_tokens.saturating_add(other.cache_write_tokens),
            usd,
            estimated: self.estimated || other.estimated,
        }
    }

    /// Whether an agent reported anything.
    pub fn is_reported(&self) -> bool {
        *self != Self::default()
    }
}

impl Rate {
    /// The same usage with its price, if it has none yet. A fraction of a micro-dollar counts as one. It may be that of
    /// many requests, so a price for long prompts is not looked at.
    pub fn bill(&self, usage: Usage) -> Usage {
        Usage { usd: usage.usd.or(Some(self.base().cost(usage))), ..usage }
    }

    /// The same for the usage of a single request, whose prompt may be a long one.
    pub fn bill_request(&self, usage: Usage) -> Usage {
        Usage { usd: usage.usd.or(Some(self.tier(usage.input_tokens).cost(usage))), ..usage }
    }

    /// What a request with so many tokens costs at most, whatever of it is or gets into a cache.
    pub fn most(&self, input: u64, output: u64) -> Usd {
        let tier = self.tier(input);
        Usd(price([(input, tier.dearest_input()), (output, tier.output)]))
    }

    /// How many tokens an answer may have if its request shall cost no more than `usd`.
    pub fn output_within(&self, usd: Usd, input: u64) -> u64 {
        let rest = u128::from(usd.0.saturating_sub(self.most(input, 0).0));
        match u128::from(self.tier(input).output.0) {
            0 => u64::MAX,
            output => u64::try_from(rest * 1_000_000 / output).unwrap_or(u64::MAX),
        }
    }

    fn base(&self) -> LongRate {
        let Self { input, cached, output, cache_write, .. } = *self;
        LongRate { above: 0, input, cached, output, cache_write }
    }

    fn tier(&self, input: u64) -> LongRate {
        self.long.filter(|long| long.above < input).unwrap_or_else(|| self.base())
    }
}

impl LongRate {
    fn dearest_input(&self) -> Usd {
        self.cache_write.into_iter().chain([self.input, self.cached]).max().unwrap_or(self.input)
    }

    fn cost(&self, usage: Usage) -> Usd {
        let cached = usage.cached_tokens.min(usage.input_tokens);
        let written = usage.cache_write_tokens.min(usage.input_tokens - cached);
        let fresh = usage.input_tokens - cached - written;
        Usd(price([
            (fresh, self.input),
            (cached, self.cached),
            (written, self.cache_write.unwrap_or(self.input)),
            (usage.output_tokens, self.output),
        ]))
    }
}

/// What tokens cost together, rounded up. More than can be counted is as much as can be counted.
fn price<const N: usize>(parts: [(u64, Usd); N]) -> u64 {
    let each = parts.map(|(tokens, price)| u128::from(tokens) * u128::from(price.0));
    let sum = each.into_iter().fold(0, u128::saturating_add);
    u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

impl Limits {
    /// The tighter of both, limit by limit.
    #[must_use]
    pub fn within(self, other: &Self) -> Self {
        fn least<T: Ord + Copy>(one: Option<T>, other: Option<T>) -> Option<T> {
            one.into_iter().chain(other).min()
        }
        Self {
            usd: least(self.usd, other.usd),
            tokens: least(self.tokens, other.tokens),
            wall_ms: least(self.wall_ms, other.wall_ms),
            rounds: least(self.rounds, other.rounds),
            // Whoever stops earlier is the narrower one.
            stop_when_left: self.stop_when_left.into_iter().chain(other.stop_when_left).max(),
        }
    }

    /// The wall limit as a duration.
    pub fn wall(&self) -> Option<Duration> {
        self.wall_ms.map(Duration::from_millis)
    }
}

impl Spend {
    /// Neither tokens nor money.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Both amounts together.
    pub fn plus(self, other: Self) -> Self {
        Self { tokens: self.tokens.saturating_add(other.tokens), usd: Usd(self.usd.0.saturating_add(other.usd.0)) }
    }

    fn minus(self, other: Self) -> Self {
        Self { tokens: self.tokens.saturating_sub(other.tokens), usd: Usd(self.usd.0.saturating_sub(other.usd.0)) }
    }

    /// Twice as much.
    pub(crate) fn doubled(self) -> Self {
        self.plus(self)
    }

    /// The smaller of both, amount by amount.
    pub(crate) fn min(self, other: Self) -> Self {
        Self { tokens: self.tokens.min(other.tokens), usd: self.usd.min(other.usd) }
    }

    /// The larger of both, amount by amount.
    pub fn max(self, other: Self) -> Self {
        Self { tokens: self.tokens.max(other.tokens), usd: self.usd.max(other.usd) }
    }
}

impl From<Usage> for Spend {
    fn from(usage: Usage) -> Self {
        Self { tokens: usage.input_tokens.saturating_add(usage.output_tokens), usd: usage.usd.unwrap_or_default() }
    }
}

impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (dollars, rest) = (self.0 / 1_000_000, self.0 % 1_000_000);
        if rest % 10_000 == 0 {
            write!(f, "${dollars}.{:02}", rest / 10_000)
        } else {
            write!(f, "${dollars}.{:04}", rest / 100)
        }
    }
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usd { limit, would_be } => write!(f, "the next call could bring the run to {would_be} of {limit}"),
            Self::Tokens { limit, would_be } => {
                write!(f, "the next call could bring the run to {would_be} of {limit} tokens")
            }
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(input: u64, cached: u64, output: u64) -> Rate {
        let (input, cached, output) = (Usd(input), Usd(cached), Usd(output));
        Rate { input, cached, output, cache_write: None, long: None, max_output: None }
    }

    #[test]
    fn no_number_is_too_large_to_be_counted() {
        let most = Usage {
            input_tokens: u64::MAX,
            output_tokens: u64::MAX,
            cached_tokens: u64::MAX / 2,
            cache_write_tokens: u64::MAX,
            ..Usage::default()
        };
        let dear = Rate { cache_write: Some(Usd(u64::MAX)), ..rate(u64::MAX, u64::MAX, u64::MAX) };
        assert_eq!(dear.bill(most).usd, Some(Usd(u64::MAX)));
        assert_eq!(dear.most(u64::MAX, u64::MAX), Usd(u64::MAX));
        assert_eq!(rate(1, 1, 0).output_within(Usd(u64::MAX), 1), u64::MAX);
        let sum = dear.bill(most).plus(dear.bill(most));
        assert_eq!(Spend::from(sum), Spend { tokens: u64::MAX, usd: Usd(u64::MAX) });
        let mut budget = Budget::default();
        budget.reserve(Spend::from(sum));
        budget.settle(Spend::default(), Spend::from(sum));
        let limits = Limits { usd: Some(Usd(1)), tokens: Some(1), ..Limits::default() };
        assert!(budget.admits(&limits, Spend::from(sum)).is_err());
        assert_eq!(budget.left(&limits), Remainder { usd: Some(Usd(0)), tokens: Some(0) });
    }

    #[test]
    fn writing_to_a_cache_and_long_prompts_have_prices_of_their_own() {
        let long = LongRate { above: 1000, input: Usd(20), cached: Usd(4), output: Usd(60), cache_write: None };
        let rate = Rate { cache_write: Some(Usd(13)), long: Some(long), ..rate(10, 1, 30) };
        let usage = |input_tokens: u64, cached_tokens: u64, cache_write_tokens: u64| Usage {
            input_tokens: input_tokens * 1_000_000,
            cached_tokens: cached_tokens * 1_000_000,
            cache_write_tokens: cache_write_tokens * 1_000_000,
            ..Usage::default()
        };
        assert_eq!(rate.bill(usage(10, 2, 3)).usd, Some(Usd(5 * 10 + 2 + 3 * 13)), "many requests: not a long one");
        assert_eq!(rate.bill_request(usage(10, 2, 3)).usd, Some(Usd(8 * 20 + 2 * 4)));
        let short = Usage { input_tokens: 1000, ..Usage::default() };
        assert_eq!(rate.bill_request(short).usd, Some(Usd(1)), "as long as that is not longer");
    }

    #[test]
    fn an_answer_is_as_long_as_the_money_lasts() {
        let rate = Rate { cache_write: Some(Usd(3_000_000)), ..rate(2_000_000, 200_000, 10_000_000) };
        for usd in [0, 2_999, 3_000, 3_009, 3_010, 50_000] {
            let output = rate.output_within(Usd(usd), 1000);
            assert!(output == 0 || rate.most(1000, output) <= Usd(usd), "{usd}: {output}");
            assert!(rate.most(1000, output + 1) > Usd(usd), "{usd}: {output} could be more");
        }
    }

    #[test]
    fn a_limit_is_checked_against_what_is_spent_and_what_is_in_flight() {
        let dollars = |usd: u64| Spend { tokens: 0, usd: Usd(usd * 1_000_000) };
        let limits = Limits { usd: Some(Usd(5_000_000)), ..Limits::default() };
        for (name, spent, reserved, next, admitted) in [
            ("nothing used yet", 0, 0, 5, true),
            ("would break the limit", 3, 0, 3, false),
            ("in flight counts", 2, 2, 2, false),
            ("exactly reaches the limit", 2, 2, 1, true),
            ("used up, price unknown", 5, 0, 0, false),
        ] {
            let budget = Budget { spent: dollars(spent), reserved: dollars(reserved), ..Budget::default() };
            assert_eq!(budget.admits(&limits, dollars(next)).is_ok(), admitted, "{name}");
        }
    }

    #[test]
    fn settling_gives_back_what_was_not_used() {
        let mut budget = Budget::default();
        let held = Spend { tokens: 100, usd: Usd(50) };
        budget.reserve(held);
        budget.settle(held, Spend { tokens: 70, usd: Usd(20) });
        assert_eq!(budget, Budget { spent: Spend { tokens: 70, usd: Usd(20) }, ..Budget::default() });
    }

    #[test]
    fn a_rate_counts_cached_tokens_once_and_nothing_is_free() {
        let rate = rate(250_000, 25_000, 2_000_000);
        let usd = |input_tokens, cached_tokens, output_tokens| {
            rate.bill(Usage { input_tokens, output_tokens, cached_tokens, ..Usage::default() }).usd
        };
        assert_eq!(usd(1_000_000, 0, 0), Some(Usd(250_000)));
        assert_eq!(usd(1_000_000, 1_000_000, 1_000_000), Some(Usd(2_025_000)));
        assert_eq!(usd(1, 0, 0), Some(Usd(1)), "never for nothing");
        let told = Usage { input_tokens: 9, usd: Some(Usd(7)), ..Usage::default() };
        assert_eq!(rate.bill(told).usd, Some(Usd(7)), "what the agent says counts");
    }

    #[test]
    fn money_prints_cents_and_only_then_smaller_parts() {
        assert_eq!(Usd(2_000_000).to_string(), "$2.00");
        assert_eq!(Usd(1_234_500).to_string(), "$1.2345");
        assert_eq!(Usd(90_000).to_string(), "$0.09");
    }
}
