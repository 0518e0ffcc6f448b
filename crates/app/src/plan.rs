//! What a run would call and what it may cost, before anybody is called.

use serde_json::{Value, json};
use tribunal_config::AgentKind;
use tribunal_kernel::bench::BenchSeat;
use tribunal_kernel::theater::{Panel, stage_of};
use tribunal_kernel::tokens::USUAL_IMAGE;
use tribunal_kernel::{Binding, Digest, RunSpec, SeatName, Usage, Usd};

use crate::allowance;
use crate::attachments;
use crate::controls;
use crate::error::AppError;
use crate::prices;
use crate::project::Project;
use crate::seating::{is_built_in, provider};

/// What we say ourselves in a prompt, the schema of the answer included.
const OUR_WORDS: u64 = 900;
/// How long a draft is taken to be while there is none.
const A_DRAFT: u64 = 1000;
/// How long an opinion is taken to be.
const AN_OPINION: u64 = 400;

/// What a run may still come to, if nobody is asked twice.
#[derive(Debug)]
pub struct Estimate {
    pub shares: Vec<SeatEstimate>,
    tokens: u64,
    usd: Usd,
    /// Seats whose price nobody knows.
    unpriced: Vec<SeatName>,
}

/// What one seat's calls may come to.
#[derive(Debug)]
pub struct SeatEstimate {
    seat: SeatName,
    binding: Binding,
    calls: u32,
    tokens: u64,
    usd: Option<Usd>,
}

impl Estimate {
    /// After so many rounds; `cited` is what the run spec cites and is not stored yet.
    pub async fn of(project: &Project, spec: &RunSpec, cited: &[Vec<u8>], done: u32) -> Self {
        let outlook = spec.outlook(done);
        let brief = brief_tokens(project, spec, cited).await;
        let draft = draft_tokens(project, spec, cited).await;
        let mut estimate = Self { shares: Vec::new(), tokens: 0, usd: Usd(0), unpriced: Vec::new() };
        for (seat, binding) in &spec.seats {
            let calls = outlook.calls.get(seat).copied().unwrap_or_default();
            // Who is seated because nobody else was, and is not expected to be asked, is not worth a line.
            if calls == 0 && spec.is_filled(seat) {
                continue;
            }
            let share = share(spec, (brief, draft), seat, binding, calls);
            estimate.tokens = estimate.tokens.saturating_add(share.tokens);
            match share.usd {
                Some(amount) => estimate.usd.0 = estimate.usd.0.saturating_add(amount.0),
                None if share.tokens > 0 => estimate.unpriced.push(seat.clone()),
                None => {}
            }
            estimate.shares.push(share);
        }
        estimate
    }

    pub fn told(&self) -> String {
        let unpriced: Vec<&str> = self.unpriced.iter().map(SeatName::as_str).collect();
        let without = if unpriced.is_empty() {
            String::new()
        } else {
            format!(" without {}: no price is known (`[prices.MODEL]`)", unpriced.join(", "))
        };
        format!("about {} tokens, {}{without}", self.tokens, self.usd)
    }

    pub fn object(&self) -> Value {
        json!({ "tokens": self.tokens, "usd": dollars(self.usd), "unpriced": self.unpriced })
    }
}

impl SeatEstimate {
    pub fn told(&self, project: &Project) -> String {
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

    pub fn object(&self) -> Value {
        json!({
            "seat": self.seat, "agent": self.binding.agent, "model": self.binding.model, "calls": self.calls,
            "tokens": self.tokens, "usd": self.usd.map(dollars),
        })
    }
}

/// What should be known of who judges, before anybody is called: a line each.
pub async fn notes(project: &Project, spec: &RunSpec) -> Result<Vec<String>, AppError> {
    let same = spec.same_model_judges().into_iter().map(|judge| judge.to_string());
    let grades = project.store.grades().read().await?;
    let rated = spec.trial().judges().into_iter().map(SeatName::new).filter_map(|seat| {
        let rate = grades.rate_of(&spec.voter(&seat))?;
        Some(format!("{seat}: {rate}"))
    });
    let rated: Vec<String> = rated.collect();
    let money = allowance::unheld(project, spec).into_iter().chain(prices::age_note(project));
    let attached = attachments::told(spec);
    Ok(attached
        .chain(same)
        .chain(untempered(project, spec))
        .chain(rated)
        .chain(controls::plan(spec))
        .chain(money)
        .collect())
}

/// The judges who cannot be asked at the lowest temperature. A whole panel in one stream writes, too, so nobody would.
fn untempered(project: &Project, spec: &RunSpec) -> Vec<String> {
    if stage_of(spec).is_some_and(|settings| settings.panel == Panel::Single) {
        return Vec::new();
    }
    let told = |BenchSeat { seat, .. }: &BenchSeat| {
        let binding = spec.seats.get(seat).filter(|_| spec.is_model(seat))?;
        let agent = project.config().agents.get(&binding.agent)?;
        let name = &binding.agent;
        if agent.kind != AgentKind::Http {
            return Some(format!(
                "{seat}: no temperature can be set for `{name}` ({}): it judges at its own",
                agent.kind
            ));
        }
        let takes = provider(agent).takes_temperature(binding.effort.as_deref());
        (!takes).then(|| format!("{seat}: no temperature can be set for `{name}` while it thinks (`effort`)"))
    };
    (spec.def().bench)(spec).judges.iter().filter_map(told).collect()
}

fn dollars(usd: Usd) -> tribunal_config::UsdAmount {
    tribunal_config::UsdAmount::from_micros(usd.0)
}

/// What the calls of one seat may come to. Programs that are built in cost nothing.
fn share(spec: &RunSpec, (brief, draft): (u64, u64), seat: &SeatName, binding: &Binding, calls: u32) -> SeatEstimate {
    let (seat, binding) = (seat.clone(), binding.clone());
    if is_built_in(&binding) || calls == 0 {
        return SeatEstimate { seat, binding, calls, tokens: 0, usd: Some(Usd(0)) };
    }
    let anchor = spec.anchor.as_ref().map_or(0, |anchor| Usage::guess(&serde_json::json!(anchor).to_string()));
    let input = OUR_WORDS + brief + anchor + draft;
    // Who drafts writes all of it again; everybody else says what they think.
    let output = if spec.trial().judges().contains(&seat.as_str()) { AN_OPINION } else { draft };
    let rate = spec.rate(&binding.agent, binding.model.as_deref());
    let usage = Usage { input_tokens: input, output_tokens: output, ..Usage::default() };
    // What the configuration sets aside for a call is the better guess.
    let set_aside = Some(binding.reserve.usd).filter(|usd| usd.0 > 0);
    let each = set_aside.or_else(|| rate?.bill(usage).usd);
    let tokens = if binding.reserve.tokens > 0 { binding.reserve.tokens } else { input + output };
    let usd = each.map(|each| Usd(each.0.saturating_mul(calls.into())));
    SeatEstimate { seat, binding, calls, tokens: tokens.saturating_mul(calls.into()), usd }
}

/// How long the brief is, with what is attached to it.
async fn brief_tokens(project: &Project, spec: &RunSpec, cited: &[Vec<u8>]) -> u64 {
    let mut tokens = length(project, cited, spec.brief).await;
    for it in &spec.attachments {
        let more = if it.media_type.is_image() { USUAL_IMAGE } else { length(project, cited, it.content).await };
        tokens = tokens.saturating_add(more);
    }
    tokens
}

/// How long a draft will be: as long as what the run starts from.
async fn draft_tokens(project: &Project, spec: &RunSpec, cited: &[Vec<u8>]) -> u64 {
    let mut longest = A_DRAFT;
    for blob in spec.trial().cites() {
        longest = longest.max(length(project, cited, blob).await);
    }
    longest
}

async fn length(project: &Project, cited: &[Vec<u8>], blob: Digest) -> u64 {
    if let Some(bytes) = cited.iter().find(|bytes| Digest::of(bytes) == blob) {
        return Usage::guess(&String::from_utf8_lossy(bytes));
    }
    project.text(blob).await.map(|text| Usage::guess(&text)).unwrap_or_default()
}
