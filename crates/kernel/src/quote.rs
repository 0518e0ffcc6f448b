//! What is set aside for a call. Where an agent can be held to it, that is the most that the call can cost, and the call
//! gets no more: see [`TurnMeter`].

use crate::budget::{Exceeded, Remainder};
use crate::call::{Call, Caller};
use crate::prompt::Rendered;
use crate::tokens::{most_image_tokens, most_tokens};
use crate::turn::TurnErrorKind;
use crate::{Ask, Budget, Rate, Run, RunSpec, SeatName, Spend, Turn, Usage, Usd};

/// An answer is taken to have so many tokens while its agent has given none.
const AN_ANSWER: u64 = 4096;
/// Room for an answer with which nobody who thinks first is cut off as a rule: with less, a call waits for others to end.
const ROOM: u64 = 8192;
/// What a model answers with at most, where nobody knows.
const MAX_OUTPUT: u64 = 128_000;
/// What an interface adds to a prompt: frames of messages, and words of its own about tools and forms.
pub const FRAME: u64 = 1024;
/// What a command line adds to a prompt: its own words, and its tools.
pub const COMMAND_LINE: u64 = 32_000;
/// The same of one that only speaks, and gets no tools.
pub const SPEAKER: u64 = 12_000;
/// What the first turn of a command line is taken to cost where nobody knows a price.
const A_TURN: Usd = Usd(250_000);

/// An answer of fewer tokens is not worth asking for.
pub const USEFUL: u64 = 256;

/// How far an agent can be held to what is set aside for its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cap {
    /// Every one of its requests says how long the answer may be.
    Requests,
    /// It is told what its turn may cost, and stops by itself.
    Turn,
    /// It cannot be told: a turn may cost more than was set aside.
    None,
    /// It costs nothing that anybody could know of, unless it says so itself.
    Free,
}

/// What a turn may cost and what its model costs, for whoever takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TurnMeter {
    pub rate: Option<Rate>,
    /// What it may cost at most, where there is a limit.
    pub allowance: Remainder,
}

/// The costliest call of an agent and a model so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CostliestCall {
    spend: Spend,
    output: u64,
}

impl CostliestCall {
    pub(crate) fn see(&mut self, usage: Usage) {
        self.spend = self.spend.max(Spend::from(usage));
        self.output = self.output.max(usage.output_tokens);
    }
}

/// How much a call may get of what is left.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turnout {
    /// How many calls, this one included, want something of it now.
    pub(crate) calls: u64,
    /// Whether others are in flight, which may give something back.
    pub(crate) is_busy: bool,
}

impl RunSpec {
    /// How far whoever sits there can be held to what is set aside.
    pub fn cap(&self, seat: &SeatName) -> Cap {
        self.seats.get(seat).map_or(Cap::Free, |binding| self.cap_of(&binding.agent))
    }

    /// How far an agent can be held to what is set aside.
    pub fn cap_of(&self, agent: &str) -> Cap {
        let kind = self.agents.get(agent).and_then(|agent| agent.0.get("kind")?.as_str());
        match kind {
            Some("http") => Cap::Requests,
            Some("claude") => Cap::Turn,
            Some("codex" | "gemini" | "opencode" | "qwen" | "copilot" | "goose" | "acp") => Cap::None,
            _ => Cap::Free,
        }
    }

    /// What an agent's model costs: there, or wherever it is offered under this name. Without a model, what the agent's own
    /// choice costs at most.
    pub fn rate(&self, agent: &str, model: Option<&str>) -> Option<&Rate> {
        let there = format!("{agent}/{}", model.unwrap_or_default());
        self.rates.get(&there).or_else(|| self.rates.get(model?))
    }

    /// The most tokens of a prompt and of what goes along with it.
    fn tokens_in(&self, prompt: &Rendered, caller: &Caller<'_>) -> u64 {
        let agent = self.agents.get(caller.agent);
        let said = |key: &str| agent.and_then(|agent| agent.0.get(key)?.as_str());
        let image = most_image_tokens(said("provider").or_else(|| said("kind")), caller.model);
        most_tokens(&prompt.text).saturating_add(image.saturating_mul(prompt.images.len() as u64))
    }

    /// Whether a model there reads files in its turn, so that one turn is several requests.
    fn reads_files(&self, agent: &str) -> bool {
        self.agents.get(agent).is_some_and(|agent| agent.0.get("tools").is_some_and(|tools| tools == "read"))
    }
}

impl Run {
    /// What to set aside for a call, out of what is left in `budget`.
    pub(crate) fn quote(
        &self,
        (call, caller): (&Call, &Caller<'_>),
        prompt: &Rendered,
        budget: &Budget,
        turnout: Turnout,
    ) -> Result<Spend, Exceeded> {
        let cap = self.spec().cap_of(caller.agent);
        let left = budget.left(self.limits());
        if matches!(cap, Cap::None | Cap::Free) || left == Remainder::default() {
            let amount = self.guess(caller, prompt, cap);
            return budget.admits(self.limits(), amount).map(|()| amount);
        }
        let wish = self.wish((&call.ask, caller), prompt, cap);
        let configured = caller.reserve;
        let cut = self.cut_short(&call.ask).filter(|turn| self.agent_of(turn) == caller.agent);
        // Half of what is left at most, where that is enough: who shares the account wants something, too, and so does
        // the next attempt if this one is lost on the way.
        let share = left.divided(turnout.calls.max(2));
        let wanted = match cut {
            // Less than twice as much would be cut short again.
            Some(turn) => wish.room.max(turn.reserved.doubled()).max(share),
            None if !configured.is_nothing() => configured.max(wish.least),
            None => wish.room.max(share),
        };
        let wanted = wanted.min(wish.most).max(wish.least);
        // What it had was all that it can use.
        if cut.is_some_and(|turn| left.limited(wanted) == left.limited(wanted.min(turn.reserved))) {
            return Err(budget.exceeded(self.limits(), wanted));
        }
        if left.admits(wanted) {
            return Ok(left.limited(wanted));
        }
        if cut.is_none() && !turnout.is_busy && left.admits(wish.least) {
            return Ok(left.limited(left.of(wish.most)));
        }
        Err(budget.admits(self.limits(), wish.least).err().unwrap_or_else(|| budget.exceeded(self.limits(), wanted)))
    }

    /// What a call of somebody may cost who cannot be held to it: what the configuration says, the costliest call of this
    /// agent and model so far, or what a prompt of this length costs with an answer as long as the longest; whatever is most.
    fn guess(&self, caller: &Caller<'_>, prompt: &Rendered, cap: Cap) -> Spend {
        let configured = caller.reserve;
        let costliest = self.costliest(caller).copied().unwrap_or_default();
        let has_answered = costliest != CostliestCall::default();
        let known = configured.max(costliest.spend);
        // What the configuration sets aside for the first call is the better guess.
        if !has_answered && configured.usd.0 > 0 {
            return known;
        }
        let added = if cap == Cap::None { COMMAND_LINE } else { 0 };
        let input = self.spec().tokens_in(prompt, caller).saturating_add(added);
        let output = if has_answered { costliest.output } else { AN_ANSWER };
        match self.spec().rate(caller.agent, caller.model) {
            Some(rate) => known.max(Spend { tokens: input.saturating_add(output), usd: rate.most(input, output) }),
            None if cap == Cap::None && !has_answered => known.max(Spend { tokens: 0, usd: A_TURN }),
            None => known,
        }
    }

    /// What a call can use: to be worth it, to have room, and at most.
    fn wish(&self, (ask, caller): (&Ask, &Caller<'_>), prompt: &Rendered, cap: Cap) -> Wish {
        let form = prompt.form.as_ref().map_or(0, |form| most_tokens(&form.to_string()));
        let added = match cap {
            Cap::Turn if self.works_on_files(ask) => COMMAND_LINE,
            Cap::Turn => SPEAKER,
            _ => FRAME,
        };
        let input = self.spec().tokens_in(prompt, caller).saturating_add(form).saturating_add(added);
        let rate = self.spec().rate(caller.agent, caller.model);
        let longest = self.costliest(caller).map_or(0, |costliest| costliest.output);
        let max_output = rate.and_then(|rate| rate.max_output).unwrap_or(MAX_OUTPUT);
        let room = ROOM.max(longest.saturating_mul(2)).min(max_output);
        let is_long = self.spec().reads_files(caller.agent) || self.works_on_files(ask);
        // Whoever calls tools is asked again with every result.
        let (few, many) = match (cap, is_long) {
            (Cap::Turn, false) => (2, 4),
            (_, false) => (1, 1),
            (_, true) => (4, 64),
        };
        let spend = |requests: u64, output: u64| Spend {
            tokens: input.saturating_add(output).saturating_mul(requests),
            usd: Usd(rate.map_or(0, |rate| rate.most(input, output).0.saturating_mul(requests))),
        };
        let least = if cap == Cap::Turn { spend(2, USEFUL) } else { spend(1, USEFUL) };
        Wish { least, room: spend(few, room), most: spend(many, max_output) }
    }

    fn works_on_files(&self, ask: &Ask) -> bool {
        self.spec().def().works_on_files.contains(&ask.task.as_ref())
    }

    /// The last attempt at a call, if it ended because it had reached what was set aside for it.
    fn cut_short(&self, ask: &Ask) -> Option<&Turn> {
        let is_of = |turn: &&Turn| turn.seat == ask.seat && turn.task == ask.task;
        let last = self.turns_of(ask.round).filter(is_of).last()?;
        (last.error()?.kind == TurnErrorKind::OverBudget && self.is_fresh(last.id)).then_some(last)
    }

    /// Whether a turn that was cut short could be tried again with twice as much.
    pub(crate) fn affords_twice(&self, turn: &Turn) -> bool {
        let left = self.budget().left(self.limits());
        left.is_limited() && !turn.reserved.is_nothing() && left.admits(turn.reserved.doubled())
    }

    /// The price of a turn's model, where it is known.
    pub fn rate_of(&self, turn: &Turn) -> Option<&Rate> {
        self.spec().rate(self.agent_of(turn), self.model(turn))
    }

    /// What a turn may cost, for whoever takes it.
    pub fn meter(&self, turn: &Turn) -> TurnMeter {
        let limits = self.limits();
        let is_held = matches!(self.spec().cap_of(self.agent_of(turn)), Cap::Requests | Cap::Turn);
        let rate = self.rate_of(turn).copied();
        let allowance = Remainder {
            // Without a price nobody can say how far money goes.
            usd: limits.usd.filter(|_| is_held && rate.is_some()).map(|_| turn.reserved.usd),
            tokens: limits.tokens.filter(|_| is_held).map(|_| turn.reserved.tokens),
        };
        TurnMeter { rate, allowance }
    }
}

/// What a call can use.
#[derive(Debug, Clone, Copy)]
struct Wish {
    least: Spend,
    room: Spend,
    most: Spend,
}

impl Remainder {
    /// Whether there is any limit.
    pub fn is_limited(&self) -> bool {
        *self != Self::default()
    }

    fn admits(self, amount: Spend) -> bool {
        self.usd.is_none_or(|usd| amount.usd <= usd) && self.tokens.is_none_or(|tokens| amount.tokens <= tokens)
    }

    /// An equal part of it, where there is a limit.
    fn divided(self, parts: u64) -> Spend {
        Spend { tokens: self.tokens.unwrap_or(0) / parts, usd: Usd(self.usd.unwrap_or_default().0 / parts) }
    }

    /// All of it, but no more than `most`.
    fn of(self, most: Spend) -> Spend {
        Spend {
            tokens: self.tokens.map_or(most.tokens, |tokens| tokens.min(most.tokens)),
            usd: self.usd.map_or(most.usd, |usd| usd.min(most.usd)),
        }
    }

    /// What counts of an amount: nothing is set aside where there is no limit.
    fn limited(self, amount: Spend) -> Spend {
        Spend { tokens: self.tokens.map_or(0, |_| amount.tokens), usd: self.usd.map_or(Usd(0), |_| amount.usd) }
    }
}
