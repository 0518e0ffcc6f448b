//! What an agent says that its turn took, and how much of it is believed.

use crate::{Usage, Usd};

/// More tokens than any turn takes: what counts more counts something else.
const MOST_TOKENS: u64 = 1_000_000_000;
/// Ten thousand dollars, for the same reason.
const MOST_USD: Usd = Usd(10_000_000_000);
/// No tokenizer puts so many bytes of a text into one token.
const BYTES_A_TOKEN: usize = 64;

impl Usage {
    /// What counts of a claim: what cannot be, for this prompt and this answer, is our guess instead, and the whole is
    /// marked as estimated. Nothing, less than nothing and words in place of numbers are all read as 0, and a price of 0
    /// is none: under a limit nobody works for free because they say so.
    #[must_use]
    pub fn believed(self, prompt: &str, answer: &str) -> Self {
        let is_possible = |tokens: u64, text: &str| {
            let least = u64::try_from(text.len().div_ceil(BYTES_A_TOKEN)).unwrap_or(u64::MAX);
            (least..=MOST_TOKENS).contains(&tokens)
        };
        let mut believed = self;
        // Parts that are more than the whole say that the whole is something else, too.
        let cache = self.cached_tokens.saturating_add(self.cache_write_tokens);
        if !is_possible(self.input_tokens, prompt) || self.input_tokens < cache {
            let guess = Self::guess(prompt);
            believed = Self { input_tokens: guess, cached_tokens: 0, cache_write_tokens: 0, ..believed };
        }
        if !is_possible(self.output_tokens, answer) {
            believed.output_tokens = Self::guess(answer);
        }
        believed.usd = self.usd.filter(|usd| (Usd(1)..=MOST_USD).contains(usd));
        let is_corrected = Self { usd: self.usd, ..believed } != self || self.usd.is_some_and(|usd| MOST_USD < usd);
        believed.estimated |= is_corrected;
        believed
    }

    /// What counts of a claim on the way to an answer that never came: there is nothing to compare it with but the prompt.
    #[must_use]
    pub fn believed_halfway(self) -> Self {
        let is_possible = self.input_tokens <= MOST_TOKENS && self.output_tokens <= MOST_TOKENS;
        let usd = self.usd.filter(|usd| (Usd(1)..=MOST_USD).contains(usd));
        if is_possible { Self { usd, ..self } } else { Self { usd, estimated: true, ..Self::default() } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(input_tokens: u64, output_tokens: u64, usd: Option<u64>) -> Usage {
        Usage { input_tokens, output_tokens, usd: usd.map(Usd), ..Usage::default() }
    }

    #[test]
    fn what_cannot_be_is_our_guess_and_says_so() {
        let (prompt, answer) = ("p".repeat(4000), "a".repeat(400));
        for (name, claimed, input, output, usd, estimated) in [
            ("all is well", claim(1200, 90, Some(7)), 1200, 90, Some(7), false),
            ("more than the prompt: it adds its own", claim(90_000, 2000, None), 90_000, 2000, None, false),
            ("a dense language", claim(63, 7, None), 63, 7, None, false),
            ("nothing", claim(0, 0, None), 1000, 100, None, true),
            ("no input", claim(0, 90, Some(7)), 1000, 90, Some(7), true),
            ("no output", claim(1200, 0, None), 1200, 100, None, true),
            ("a token", claim(1, 1, None), 1000, 100, None, true),
            ("huge", claim(u64::MAX, u64::MAX, Some(u64::MAX)), 1000, 100, None, true),
            ("huge input", claim(MOST_TOKENS + 1, 90, None), 1000, 90, None, true),
            ("a huge price", claim(1200, 90, Some(MOST_USD.0 + 1)), 1200, 90, None, true),
            ("free", claim(1200, 90, Some(0)), 1200, 90, None, false),
        ] {
            let Usage { input_tokens, output_tokens, usd: price, estimated: is_estimated, .. } =
                claimed.believed(&prompt, &answer);
            let seen = (input_tokens, output_tokens, price, is_estimated);
            assert_eq!(seen, (input, output, usd.map(Usd), estimated), "{name}");
        }
    }

    #[test]
    fn a_cache_that_is_larger_than_what_was_sent_is_no_cache() {
        let claimed = Usage { cached_tokens: 5000, ..claim(1200, 90, None) };
        let believed = claimed.believed(&"p".repeat(4000), "an answer");
        assert_eq!((believed.input_tokens, believed.cached_tokens, believed.estimated), (1000, 0, true));
    }

    #[test]
    fn silence_costs_nothing_where_nothing_was_said() {
        assert_eq!(claim(0, 0, None).believed("", ""), Usage::default());
    }

    #[test]
    fn halfway_only_what_is_too_much_is_dropped() {
        assert_eq!(claim(5, 0, None).believed_halfway(), claim(5, 0, None));
        let huge = claim(u64::MAX, 1, Some(u64::MAX)).believed_halfway();
        assert_eq!(huge, Usage { estimated: true, ..Usage::default() });
    }
}
