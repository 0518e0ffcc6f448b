//! `tribunal plan`, and `tribunal run --dry-run`: seats, limits, what would be called and what it may cost.

use serde_json::{Value, json};
use std::fmt::Write as _;
use tribunal_config::Prices;
use tribunal_kernel::{Binding, Digest, LoopKind, RunSpec, SeatName, Usage, Usd};

use super::print_json;
use crate::args::Global;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::opening::{Opening, allowance};
use crate::project::Project;
use crate::seating::is_built_in;

/// What we say ourselves in a prompt, the schema of the answer included.
const OUR_WORDS: u64 = 900;
/// How long a draft is taken to be while there is none.
const A_DRAFT: u64 = 1000;
/// How long an opinion is taken to be.
const AN_OPINION: u64 = 400;

/// What a run may still come to, if nobody is asked twice.
pub(super) struct Estimate {
    shares: Vec<Share>,
    tokens: u64,
    usd: Usd,
    /// Seats whose price nobody knows.
    unpriced: Vec<SeatName>,
}

/// What one seat's calls may come to.
struct Share {
    seat: SeatName,
    binding: Binding,
    calls: u32,
    tokens: u64,
    usd: Option<Usd>,
}

pub(super) fn show(project: &Project, global: &Global, openings: &[(String, Opening)]) -> Result<Exit, Failure> {
    let mut text = String::new();
    let mut objects = Vec::new();
    for (asset, opening) in openings {
        let (what, spec, texts, done) = match opening {
            Opening::Settled { decision, .. } => {
                let outcome = decision.outcome.map_or("decided", tribunal_kernel::Outcome::as_str);
                let _ = writeln!(text, "{asset}: {outcome} already, nobody would be called");
                objects.push(json!({ "asset": asset, "plan": "settled", "decision": decision, "calls": 0 }));
                continue;
            }
            Opening::Continue(run) => ("continue", run.spec(), &[][..], run.rounds().len()),
            Opening::New { spec, texts } => ("new", &**spec, texts.as_slice(), 0),
        };
        let outlook = spec.trial().outlook(u32::try_from(done).unwrap_or(u32::MAX));
        let (rounds, calls) = (outlook.rounds, outlook.total());
        let attempts = calls.saturating_mul(spec.max_retries + 1);
        let (kind, unit) = match spec.kind() {
            LoopKind::Review => ("review", "iterations"),
            LoopKind::Theater => ("theater", "rounds"),
            LoopKind::Joust => ("joust", "rounds"),
            LoopKind::Desk => ("desk", "iterations"),
        };
        // How many iterations a desk takes nobody knows: it is priced by the iteration.
        let rounds = spec.limits.rounds.filter(|_| spec.kind() == LoopKind::Desk).unwrap_or(rounds);
        let each = if spec.kind() == LoopKind::Desk { " in each that claims something" } else { "" };
        let _ = writeln!(
            text,
            "{asset}: {what} {kind}, at most {rounds} {unit}, {calls} calls{each} ({attempts} with every retry)"
        );
        let estimate = Estimate::of(project, spec, texts, u32::try_from(done).unwrap_or(u32::MAX));
        for share in &estimate.shares {
            let _ = writeln!(text, "  {}", share.told(project));
        }
        let _ = writeln!(text, "  {}, if nobody is asked twice", estimate.told());
        objects.push(json!({
            "asset": asset, "plan": what, "max_iterations": rounds, "calls": calls, "calls_with_retries": attempts,
            "seats": estimate.shares.iter().map(Share::object).collect::<Vec<_>>(), "estimate": estimate.object(),
        }));
    }
    let limits = allowance::limits(project)?;
    let turn = &project.config().limits;
    let named = |name: &str, value: Option<String>| format!("{name} {}", value.unwrap_or_else(|| "unlimited".into()));
    let _ = writeln!(
        text,
        "limits: {}, {}, {}, {}; a turn {}, silence {}, output {}",
        named("money", limits.usd.map(|usd| usd.to_string())),
        named("tokens", limits.tokens.map(|tokens| tokens.to_string())),
        named("time", limits.wall().map(tribunal_config::show_duration)),
        named("rounds", limits.rounds.map(|rounds| rounds.to_string())),
        tribunal_config::show_duration(turn.turn),
        tribunal_config::show_duration(turn.idle),
        tribunal_config::show_bytes(turn.output),
    );
    let _ = writeln!(text, "prices as of {}; tokens are guessed from the length of the texts", Prices::table().as_of);
    if global.json {
        print_json(&json!({ "assets": objects, "limits": limits, "prices_as_of": Prices::table().as_of }));
    } else {
        print!("{text}");
    }
    Ok(Exit::Pass)
}

impl Estimate {
    /// After so many rounds; `texts` are those that the run spec cites and that are not stored yet.
    pub(super) fn of(project: &Project, spec: &RunSpec, texts: &[String], done: u32) -> Self {
        let outlook = spec.trial().outlook(done);
        let draft = draft_tokens(project, spec, texts);
        let mut estimate = Self { shares: Vec::new(), tokens: 0, usd: Usd(0), unpriced: Vec::new() };
        for (seat, binding) in &spec.seats {
            let calls = outlook.calls.get(seat).copied().unwrap_or_default();
            let share = share(project, spec, texts, draft, seat, binding, calls);
            estimate.tokens += share.tokens;
            match share.usd {
                Some(amount) => estimate.usd.0 += amount.0,
                None if share.tokens > 0 => estimate.unpriced.push(seat.clone()),
                None => {}
            }
            estimate.shares.push(share);
        }
        estimate
    }

    pub(super) fn told(&self) -> String {
        let unpriced: Vec<&str> = self.unpriced.iter().map(SeatName::as_str).collect();
        let without = if unpriced.is_empty() {
            String::new()
        } else {
            format!(" without {}: no price is known (`[prices.MODEL]`)", unpriced.join(", "))
        };
        format!("about {} tokens, {}{without}", self.tokens, self.usd)
    }

    pub(super) fn object(&self) -> Value {
        json!({ "tokens": self.tokens, "usd": dollars(self.usd), "unpriced": self.unpriced })
    }
}

impl Share {
    fn told(&self, project: &Project) -> String {
        let Self { seat, binding, .. } = self;
        let command = project.config().agents.get(&binding.agent).map(|agent| agent.command.join(" "));
        let model = binding.model.as_deref().map(|model| format!(", model {model}")).unwrap_or_default();
        let command = command.filter(|command| !command.is_empty()).unwrap_or_else(|| "built in".into());
        let spent = match self.usd {
            _ if self.tokens == 0 => String::new(),
            Some(usd) => format!(", {} calls, about {} tokens, {usd}", self.calls, self.tokens),
            None => format!(", {} calls, about {} tokens", self.calls, self.tokens),
        };
        format!("{seat}: {} ({command}){model}{spent}", binding.agent)
    }

    fn object(&self) -> Value {
        json!({
            "seat": self.seat, "agent": self.binding.agent, "model": self.binding.model, "calls": self.calls,
            "tokens": self.tokens, "usd": self.usd.map(dollars),
        })
    }
}

fn dollars(usd: Usd) -> tribunal_config::UsdAmount {
    tribunal_config::UsdAmount::from_micros(usd.0)
}

/// What the calls of one seat may come to. Programs that are built in cost nothing.
fn share(
    project: &Project,
    spec: &RunSpec,
    texts: &[String],
    draft: u64,
    seat: &SeatName,
    binding: &Binding,
    calls: u32,
) -> Share {
    let (seat, binding) = (seat.clone(), binding.clone());
    if is_built_in(&binding) || calls == 0 {
        return Share { seat, binding, calls, tokens: 0, usd: Some(Usd(0)) };
    }
    let brief = length(project, texts, spec.brief);
    let anchor = spec.anchor.as_ref().map_or(0, |anchor| Usage::guess(&serde_json::json!(anchor).to_string()));
    let input = OUR_WORDS + brief + anchor + draft;
    // Who drafts writes all of it anew; everybody else says what they think.
    let judges = ["reviewer", "critic", "brand", "a11y", "copy"].contains(&seat.as_str());
    let output = if judges { AN_OPINION } else { draft };
    let rate = binding.model.as_deref().and_then(|model| spec.rates.get(model));
    let usage = Usage { input_tokens: input, output_tokens: output, ..Usage::default() };
    // What the configuration sets aside for a call is the better guess.
    let set_aside = Some(binding.reserve.usd).filter(|usd| usd.0 > 0);
    let each = set_aside.or_else(|| rate?.bill(usage).usd);
    let tokens = if binding.reserve.tokens > 0 { binding.reserve.tokens } else { input + output };
    let usd = each.map(|each| Usd(each.0.saturating_mul(calls.into())));
    Share { seat, binding, calls, tokens: tokens.saturating_mul(calls.into()), usd }
}

/// How long a draft will be: as long as what the run starts from.
fn draft_tokens(project: &Project, spec: &RunSpec, texts: &[String]) -> u64 {
    let given = spec.trial().cites().into_iter().map(|blob| length(project, texts, blob)).max();
    given.unwrap_or(A_DRAFT).max(A_DRAFT)
}

fn length(project: &Project, texts: &[String], blob: Digest) -> u64 {
    let here = texts.iter().find(|text| Digest::of(text) == blob).map(|text| Usage::guess(text));
    here.or_else(|| project.text(blob).map(|text| Usage::guess(&text))).unwrap_or_default()
}
