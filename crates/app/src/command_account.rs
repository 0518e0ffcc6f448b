//! What a command may spend outside of a trial, where no log keeps an account: `limits.usd` and `limits.tokens` hold for all
//! of its calls together.
//!
//! As in a run, what a call can cost at most is set aside before it, and what it took takes the place of that. With a limit,
//! the calls of a command are made one after the other: each may have half of what the others left, or as much as an answer
//! needs. What is called from a turn of a run spends from that run's account.

use tokio::sync::Mutex;
use tribunal_agents::TurnRequest;
use tribunal_engine::{Consulted, Seating};
use tribunal_kernel::budget::{Budget, Exceeded, Remainder};
use tribunal_kernel::quote::{COMMAND_LINE, Cap, FRAME, SPEAKER, TurnMeter, USEFUL};
use tribunal_kernel::review::{ReviewGiven, Settings};
use tribunal_kernel::tokens::{most_image_tokens, most_tokens};
use tribunal_kernel::{Binding, Digest, Limits, Rate, RunId, RunSpec, SeatName, Spend, Usd};
use tribunal_store::backend::AccountHold;

use crate::allowance;
use crate::error::AppError;
use crate::project::Project;

/// Room for an answer with which nobody who thinks first is cut off as a rule.
const ROOM: u64 = 8192;
/// What somebody answers who cannot be told how long an answer may be.
const AN_ANSWER: u64 = 4096;
/// What a call of such a command line is taken to cost where nobody knows a price.
const A_CALL: Usd = Usd(250_000);

/// What the calls of a command have spent.
#[derive(Debug)]
pub(crate) struct CommandAccount {
    /// What it is called in the account of the run whose turn started the command.
    id: RunId,
    spent: Mutex<Spend>,
}

/// What a call can use: to be worth it, and to have room. Nothing where nobody could say.
struct CallPrice {
    least: Spend,
    room: Spend,
}

impl Default for CommandAccount {
    fn default() -> Self {
        Self { id: RunId(tribunal_store::new_id()), spent: Mutex::default() }
    }
}

impl CommandAccount {
    /// Asks whoever sits in a seat, as far as there is money for it; the request says all but what it may cost. `most_output`
    /// is how long the answer may be where it is known to be short.
    pub(crate) async fn ask(
        &self,
        project: &Project,
        (seating, binding): (&Seating, &Binding),
        mut request: TurnRequest,
        most_output: Option<u64>,
    ) -> Result<Consulted, AppError> {
        let spec = spec_of(project, &request.seat, binding);
        let limits = allowance::limits(project).await?;
        allowance::check_priced(project, &spec, &limits)?;
        let rate = spec.rate(&binding.agent, binding.model.as_deref()).copied();
        let input = most_input(&spec, binding, &request);
        let brief = |meter: TurnMeter| match most_output {
            Some(output) => {
                let most = input.saturating_add(output);
                let tokens = meter.allowance.tokens.map_or(most, |tokens| tokens.min(most));
                TurnMeter { allowance: Remainder { tokens: Some(tokens), ..meter.allowance }, ..meter }
            }
            None => meter,
        };
        if limits.usd.is_none() && limits.tokens.is_none() {
            request.meter = brief(TurnMeter { rate, allowance: Remainder::default() });
            return Ok(tribunal_engine::consult(seating, &binding.agent, request).await);
        }
        let mut spent = self.spent.lock().await;
        let cap = spec.cap_of(&binding.agent);
        let price = CallPrice::of(cap, rate.as_ref(), binding.reserve, input);
        let held = self.hold(project, &limits, *spent, &price).await.map_err(|why| refused(&request.seat, &why))?;
        let is_held = matches!(cap, Cap::Requests | Cap::Turn);
        let allowance = Remainder {
            // Without a price nobody can say how far money goes.
            usd: limits.usd.filter(|_| is_held && rate.is_some()).map(|_| held.usd),
            tokens: limits.tokens.filter(|_| is_held).map(|_| held.tokens),
        };
        request.meter = brief(TurnMeter { rate, allowance });
        let consulted = tribunal_engine::consult(seating, &binding.agent, request).await;
        let usage = rate.map_or(consulted.usage, |rate| rate.bill(consulted.usage));
        *spent = spent.plus(usage.into());
        if let Some(account) = allowance::inherited() {
            project.store.accounts().settle(&account, self.id, *spent).await?;
        }
        Ok(consulted)
    }

    /// Sets aside what a call may have of what is left. The reason, where that is too little.
    async fn hold(
        &self,
        project: &Project,
        limits: &Limits,
        spent: Spend,
        price: &CallPrice,
    ) -> Result<Spend, NotHeld> {
        let Some(account) = allowance::inherited() else {
            return share(limits, spent, Spend::default(), price).map_err(NotHeld::Limit);
        };
        let accounts = project.store.accounts();
        let mut others = accounts.others(&account, self.id).await.map_err(|error| NotHeld::Failed(error.into()))?;
        loop {
            let held = share(limits, spent, others, price).map_err(NotHeld::Limit)?;
            let hold = accounts.hold(&account, self.id, others, spent.plus(held)).await;
            match hold.map_err(|error| NotHeld::Failed(error.into()))? {
                AccountHold::Held => return Ok(held),
                AccountHold::Changed(now) => others = now,
            }
        }
    }
}

/// Why nothing was set aside.
enum NotHeld {
    Limit(Exceeded),
    Failed(AppError),
}

/// Who would be asked, as a run would have it: with definitions and prices.
pub(crate) fn spec_of(project: &Project, seat: &SeatName, binding: &Binding) -> RunSpec {
    let settings = Settings {
        asset: String::new(),
        max_iterations: 1,
        stop_in_circles: false,
        stop_on_needs_human: false,
        locked: false,
        given: ReviewGiven::default(),
    };
    let run = RunId(tribunal_store::new_id());
    let mut spec = RunSpec::new(run, project.workspace_name(), Digest::of(""), settings);
    // Nobody takes over outside of a trial.
    spec.seats.insert(seat.clone(), Binding { fallback: None, ..binding.clone() });
    spec.agents = allowance::definitions(project, &spec);
    spec.rates = allowance::rates(project, &spec);
    spec
}

/// The most tokens that a request has, with what is added on the way.
fn most_input(spec: &RunSpec, binding: &Binding, request: &TurnRequest) -> u64 {
    let form = request.form.as_ref().map_or(0, |form| most_tokens(&form.to_string()));
    let said = |key: &str| spec.agents.get(&binding.agent).and_then(|agent| agent.0.get(key)?.as_str());
    let image = most_image_tokens(said("provider").or_else(|| said("kind")), binding.model.as_deref());
    let images = image.saturating_mul(request.images().count() as u64);
    let added = match spec.cap_of(&binding.agent) {
        Cap::Requests => FRAME,
        Cap::Turn => SPEAKER,
        Cap::None => COMMAND_LINE,
        Cap::Free => 0,
    };
    [most_tokens(&request.prompt), form, images, added].into_iter().fold(0, u64::saturating_add)
}

impl CallPrice {
    fn of(cap: Cap, rate: Option<&Rate>, reserve: Spend, input: u64) -> Self {
        let most_output = rate.and_then(|rate| rate.max_output).unwrap_or(u64::MAX);
        let spend = |requests: u64, output: u64| Spend {
            tokens: input.saturating_add(output).saturating_mul(requests),
            usd: Usd(rate.map_or(0, |rate| rate.most(input, output).0.saturating_mul(requests))),
        };
        match cap {
            Cap::Requests => {
                let least = spend(1, USEFUL);
                Self { least, room: reserve.max(least).max(spend(1, ROOM.min(most_output))) }
            }
            // It looks at its budget after a request, so there is one more.
            Cap::Turn => {
                let least = spend(2, USEFUL);
                Self { least, room: reserve.max(least).max(spend(2, ROOM.min(most_output))) }
            }
            // It cannot be told: what it usually costs has to be there.
            Cap::None => {
                let unknown = if rate.is_none() && reserve.usd.0 == 0 { A_CALL } else { Usd(0) };
                let guess = spend(1, AN_ANSWER).max(Spend { tokens: 0, usd: unknown });
                let least = if reserve.is_nothing() { guess } else { reserve };
                Self { least, room: least }
            }
            Cap::Free => {
                let least = if rate.is_some() { reserve.max(spend(1, AN_ANSWER)) } else { reserve };
                Self { least, room: least }
            }
        }
    }
}

/// What a call gets of what is left: half of it, or room for an answer where that is more.
fn share(limits: &Limits, spent: Spend, elsewhere: Spend, price: &CallPrice) -> Result<Spend, Exceeded> {
    let budget = Budget { spent, elsewhere, ..Budget::default() };
    budget.admits(limits, price.least)?;
    let left = budget.left(limits);
    let part = |left: u64, least: u64, room: u64| (left / 2).max(room).min(left).max(least);
    Ok(Spend {
        tokens: left.tokens.map_or(0, |left| part(left, price.least.tokens, price.room.tokens)),
        usd: Usd(left.usd.map_or(0, |left| part(left.0, price.least.usd.0, price.room.usd.0))),
    })
}

fn refused(seat: &SeatName, why: &NotHeld) -> AppError {
    let what = match why {
        NotHeld::Failed(error) => return error.clone(),
        NotHeld::Limit(Exceeded::Usd { limit, would_be }) => {
            format!("the next call could bring this command to {would_be} of {limit} (`limits.usd`)")
        }
        NotHeld::Limit(Exceeded::Tokens { limit, would_be }) => {
            format!("the next call could bring this command to {would_be} of {limit} tokens (`limits.tokens`)")
        }
    };
    AppError::conflict(format!("{seat} was not asked: {what}"), HINT)
}

/// What can be done where a limit stands in the way of a call outside of a run.
pub(crate) const HINT: &str = "raise the limit in tribunal.toml, or for this command: `--set limits.usd=5`";

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate {
        input: Usd(1_000_000),
        cached: Usd(1_000_000),
        output: Usd(10_000_000),
        cache_write: None,
        long: None,
        max_output: Some(64_000),
    };

    fn limits(usd: u64) -> Limits {
        Limits { usd: Some(Usd(usd)), ..Limits::default() }
    }

    fn given(limit: u64, spent: u64, price: &CallPrice) -> Option<u64> {
        let spent = Spend { tokens: 0, usd: Usd(spent) };
        share(&limits(limit), spent, Spend::default(), price).ok().map(|held| held.usd.0)
    }

    #[test]
    fn a_call_gets_a_share_and_never_more_than_is_left() {
        let price = CallPrice::of(Cap::Requests, Some(&RATE), Spend::default(), 1000);
        assert_eq!((price.least.usd.0, price.room.usd.0), (3_560, 82_920));
        for (name, limit, spent, expected) in [
            ("half of much", 1_000_000, 0, Some(500_000)),
            ("room for an answer", 100_000, 0, Some(82_920)),
            ("what is left", 100_000, 50_000, Some(50_000)),
            ("just enough", 100_000, 96_440, Some(3_560)),
            ("too little", 100_000, 96_441, None),
            ("nothing left", 100_000, 100_000, None),
        ] {
            assert_eq!(given(limit, spent, &price), expected, "{name}");
        }
    }

    #[test]
    fn whoever_cannot_be_told_is_not_asked_where_it_could_be_too_dear() {
        let price = CallPrice::of(Cap::None, None, Spend::default(), 40_000);
        assert_eq!(given(200_000, 0, &price), None);
        assert_eq!(given(300_000, 0, &price), Some(250_000));
        let configured = Spend { tokens: 0, usd: Usd(100_000) };
        assert_eq!(given(200_000, 0, &CallPrice::of(Cap::None, None, configured, 40_000)), Some(100_000));
        assert_eq!(given(200_000, 150_000, &CallPrice::of(Cap::None, None, configured, 40_000)), None);
        // A program of the user's own costs what it says.
        assert!(given(200_000, 100_000, &CallPrice::of(Cap::Free, None, Spend::default(), 40_000)).is_some());
        assert_eq!(given(200_000, 200_000, &CallPrice::of(Cap::Free, None, Spend::default(), 40_000)), None);
    }
}
