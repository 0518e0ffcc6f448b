//! What a turn may still cost, request by request.
//!
//! Before a request it is known what it can cost at most: the prompt at the dearest price of input, and as long an answer as
//! the request allows. After it, it is known what it took. A request that nobody hears the end of is charged for with what
//! its model can have said until then.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tribunal_kernel::Usage;
use tribunal_kernel::quote::{TurnMeter, USEFUL};
use tribunal_kernel::tokens::most_tokens;

use crate::adapter::{Activity, Show};

/// No model says more in a second.
const TOKENS_A_SECOND: u64 = 500;

/// What a turn may cost, and what it took so far.
pub(super) struct Meter<'t> {
    allowed: TurnMeter,
    spent: Mutex<Usage>,
    show: Show<'t>,
}

/// How long an answer may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AnswerCap {
    pub(super) tokens: u32,
    /// Whether a limit says so, and not the model's own maximum.
    pub(super) is_limit: bool,
}

/// A request that is under way. Whatever becomes of it, it is charged for once.
pub(super) struct Charge<'m> {
    meter: &'m Meter<'m>,
    /// The most tokens that its prompt has.
    input: u64,
    cap: Option<AnswerCap>,
    since: Instant,
    /// What was heard of the answer.
    heard: String,
    is_settled: bool,
}

impl<'t> Meter<'t> {
    pub(super) fn new(meter: TurnMeter, show: Show<'t>) -> Self {
        Self { allowed: meter, spent: Mutex::new(Usage::default()), show }
    }

    /// What the turn took so far.
    pub(super) fn spent(&self) -> Usage {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long the answer to a prompt of so many tokens may be; no word about it where there is no limit. What would not
    /// leave room for an answer is refused, with the reason.
    pub(super) fn cap(&self, input: u64) -> Result<Option<AnswerCap>, String> {
        let TurnMeter { rate, allowance } = self.allowed;
        if !allowance.is_limited() {
            return Ok(None);
        }
        let spent = self.spent();
        let by_money = allowance.usd.zip(rate).map(|(usd, rate)| {
            let left = tribunal_kernel::Usd(usd.0.saturating_sub(spent.usd.unwrap_or_default().0));
            rate.output_within(left, input)
        });
        let by_tokens = allowance.tokens.map(|tokens| {
            let used = spent.input_tokens.saturating_add(spent.output_tokens);
            tokens.saturating_sub(used).saturating_sub(input)
        });
        let Some(by_limit) = by_money.into_iter().chain(by_tokens).min() else { return Ok(None) };
        if by_limit < USEFUL {
            return Err(format!("what is left pays for {by_limit} tokens of an answer"));
        }
        let by_model = rate.and_then(|rate| rate.max_output).unwrap_or(u64::MAX);
        let tokens = u32::try_from(by_limit.min(by_model)).unwrap_or(u32::MAX);
        Ok(Some(AnswerCap { tokens, is_limit: by_limit < by_model }))
    }

    /// A request begins.
    pub(super) fn begin(&self, input: u64, cap: Option<AnswerCap>) -> Charge<'_> {
        Charge { meter: self, input, cap, since: Instant::now(), heard: String::new(), is_settled: false }
    }

    /// What a request took is known.
    fn add(&self, usage: Usage) {
        let usage = self.allowed.rate.map_or(usage, |rate| rate.bill_request(usage));
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        *spent = spent.plus(usage);
        drop(spent);
        (self.show)(Activity::Spent(usage));
    }
}

impl Charge<'_> {
    /// Something of the answer, or of the thoughts before it, was heard.
    pub(super) fn hear(&mut self, text: &str) {
        self.heard.push_str(text);
    }

    /// The provider counted.
    pub(super) fn settle(&mut self, usage: Usage) {
        if !std::mem::replace(&mut self.is_settled, true) {
            self.meter.add(usage);
        }
    }

    /// Nobody worked on it.
    pub(super) fn waive(&mut self) {
        self.settle(Usage::default());
    }

    /// What a request whose end nobody heard took: without a limit as usual, with one at most.
    fn lost(&self, elapsed: Duration) -> Usage {
        let Some(cap) = self.cap else {
            let input_tokens = self.input.div_ceil(2);
            let output_tokens = Usage::guess(&self.heard);
            return Usage { input_tokens, output_tokens, estimated: true, ..Usage::default() };
        };
        let by_time = TOKENS_A_SECOND.saturating_mul(elapsed.as_secs());
        let output_tokens = most_tokens(&self.heard).max(by_time).min(cap.tokens.into());
        Usage { input_tokens: self.input, output_tokens, estimated: true, ..Usage::default() }
    }
}

/// Given up on the way: by a bound, by a person, or because the connection broke.
impl Drop for Charge<'_> {
    fn drop(&mut self) {
        let lost = self.lost(self.since.elapsed());
        self.settle(lost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_kernel::budget::Remainder;
    use tribunal_kernel::{Rate, Usd};

    const RATE: Rate = Rate {
        input: Usd(1_000_000),
        cached: Usd(100_000),
        output: Usd(10_000_000),
        cache_write: None,
        long: None,
        max_output: Some(4000),
    };

    fn meter(usd: Option<u64>, tokens: Option<u64>) -> TurnMeter {
        TurnMeter { rate: Some(RATE), allowance: Remainder { usd: usd.map(Usd), tokens } }
    }

    #[test]
    fn an_answer_may_be_as_long_as_what_is_left_pays_for() {
        for (name, usd, tokens, expected) in [
            ("no limit", None, None, Ok(None)),
            ("money", Some(11_000), None, Ok(Some((1000, true)))),
            ("more than the model says", Some(1_000_000), None, Ok(Some((4000, false)))),
            ("tokens", None, Some(1500), Ok(Some((500, true)))),
            ("both", Some(11_000), Some(1500), Ok(Some((500, true)))),
            ("too little to be useful", Some(3_000), None, Err(())),
            ("not even the prompt", Some(500), None, Err(())),
        ] {
            let meter = Meter::new(meter(usd, tokens), &|_| {});
            let cap = meter.cap(1000).map(|cap| cap.map(|cap| (cap.tokens, cap.is_limit))).map_err(drop);
            assert_eq!(cap, expected, "{name}");
        }
    }

    #[test]
    fn every_request_leaves_less_and_is_charged_for_once() {
        let seen = Mutex::new(Vec::new());
        let show = |activity: Activity| seen.lock().unwrap().push(activity);
        let meter = Meter::new(meter(Some(40_000), None), &show);
        let first = meter.cap(1000).unwrap();
        assert_eq!(first.map(|cap| cap.tokens), Some(3900));
        meter.begin(1000, first).settle(Usage { input_tokens: 900, output_tokens: 1000, ..Usage::default() });
        let second = meter.cap(1000).unwrap();
        assert_eq!(second.map(|cap| cap.tokens), Some(2810), "$0.0109 is gone");
        let mut lost = meter.begin(1000, second);
        lost.hear("Half an answer");
        drop(lost);
        assert!(
            meter.spent().estimated && meter.spent().usd.is_some_and(|usd| usd > Usd(11_900)),
            "{:?}",
            meter.spent()
        );
        meter.begin(1000, second).waive();
        assert_eq!(seen.lock().unwrap().len(), 3);
    }

    #[test]
    fn who_thought_for_long_and_was_not_heard_is_charged_for_what_it_can_have_thought() {
        let meter = Meter::new(meter(Some(40_000), None), &|_| {});
        let cap = meter.cap(1000).unwrap();
        let mut charge = meter.begin(1000, cap);
        assert_eq!(charge.lost(Duration::from_secs(4)).output_tokens, 2000);
        assert_eq!(charge.lost(Duration::from_secs(400)).output_tokens, 3900, "never more than it was allowed");
        charge.waive();
    }
}
