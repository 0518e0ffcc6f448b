//! What a joust of five rounds costs on the Anthropic wire, with and without the mark that lets the provider keep the
//! part of a prompt that stays the same. Tokens are the stub's, prices are those of the table.

use anyhow::{Context, Result, bail, ensure};
use std::sync::Arc;
use std::time::Duration;
use tribunal_agents::http::Provider;
use tribunal_agents::{Agent, Environment, Http};
use tribunal_anchors::{Anchor, AnchorKind, Syntax};
use tribunal_config::{Price, PriceTable};
use tribunal_engine::process::Bounds;
use tribunal_engine::projection::NoView;
use tribunal_engine::{Seated, Seating, Session, SystemClock};
use tribunal_kernel::joust::{MAIN, Settings};
use tribunal_kernel::{Binding, Digest, Rate, RunSpec, SeatName, Usage, Usd};
use tribunal_store::FileBackend;
use tribunal_store::conformance::run_id;
use tribunal_stub::{Script, Stub, TokenCounts};

use super::Bench;
use super::table::{Row, Target};

const MODEL: &str = "claude-sonnet-4-5";
/// The name under which the table has it.
const PRICED_AS: &str = "claude-sonnet-4-5";
const ROUNDS: u32 = 5;
const JOUSTERS: [&str; 2] = ["skeptic", "editor"];
/// What is written to Anthropic's cache costs a quarter more than other input. The table has no column for it.
const WRITING: f64 = 0.25;
/// The brief has so many sentences: about 3,000 tokens, as a brief with some material has.
const SENTENCES: usize = 200;

const BOUNDS: Bounds = Bounds {
    idle: Duration::from_secs(30),
    total: Duration::from_secs(60),
    grace: Duration::from_secs(1),
    stdout: 8 << 20,
    stderr_tail: 1024,
};

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let price = listed().context("the table has no price for the model")?;
    let without = play(bench, false)?;
    let with = play(bench, true)?;
    ensure!(without.input == with.input, "the same run in both cases: {} and {}", without.input, with.input);
    let share = with.cached as f64 / with.input as f64;
    let (before, after) = (usd(&price, without), usd(&price, with));
    Ok(vec![
        Row::new(
            format!("joust of {ROUNDS} rounds, {MODEL}, cache mark: saved"),
            1.0 - after / before,
            "",
            Target::AtLeast(0.0),
        ),
        Row::beside("with the mark", after, "USD"),
        Row::beside("without it", before, "USD"),
        Row::beside("input tokens", with.input as f64, "tokens"),
        Row::beside("of those read from the cache", share, ""),
        Row::beside("and written to it", with.cache_write as f64 / with.input as f64, ""),
        Row::beside("output tokens", with.output as f64, "tokens"),
    ])
}

/// What the built-in table says.
fn listed() -> Option<Price> {
    PriceTable::built_in().providers.get("anthropic")?.get(PRICED_AS).map(|listed| listed.price)
}

fn usd(price: &Price, tokens: TokenCounts) -> f64 {
    let rate = Rate {
        input: Usd(price.input.micros()),
        cached: Usd(price.cached.unwrap_or(price.input).micros()),
        output: Usd(price.output.micros()),
        cache_write: None,
        long: None,
        max_output: None,
    };
    let TokenCounts { input: input_tokens, cached: cached_tokens, output: output_tokens, .. } = tokens;
    let usage = rate.bill(Usage { input_tokens, output_tokens, cached_tokens, ..Usage::default() });
    let counted = usage.usd.unwrap_or_default().0 as f64;
    let written = tokens.cache_write as f64 / 1e6 * price.input.micros() as f64 * WRITING;
    (counted + written) / 1e6
}

/// Plays the joust, and says what the provider would have counted.
fn play(bench: &Bench, marks: bool) -> Result<TokenCounts> {
    let stub = Stub::start(Script::tribunal()).context("cannot start the stub")?;
    let environment = Environment::new([("ANTHROPIC_API_KEY".to_owned(), "none".to_owned())]);
    let mut http = Http::new("model", Provider::Anthropic, environment.clone());
    http.base_url = Some(stub.url());
    http.marks = marks;
    let seated = Seated { agent: Agent::Native(Arc::new(http)), bounds: BOUNDS };
    let seating = Seating::new([("model".to_owned(), seated)].into(), environment);
    let folder = bench.empty()?;
    let store = Arc::new(FileBackend::new(folder.path()));
    let brief = "The reader has five minutes and a decision to make, so say it plainly. ".repeat(SENTENCES);
    let spec = spec(&brief)?;
    bench.runtime.block_on(async {
        let mut session = Session::create(store, Arc::new(SystemClock), spec, &[brief]).await?;
        let end = session.drive(&seating, &mut NoView).await?;
        let rounds = session.run().rounds().len();
        if rounds != ROUNDS as usize {
            bail!("the joust had {rounds} rounds: {}, {}", end.outcome, end.reason);
        }
        Ok(stub.totals().tokens)
    })
}

/// A joust that goes on to its last round: what it is worth stays the same, and that is no reason to stop.
fn spec(brief: &str) -> Result<RunSpec> {
    let anchor = "kind = \"rubric\"\ndims = [{ name = \"clarity\", weight = 3, floor = 5 }, { name = \"evidence\", weight \
                  = 2, floor = 5 }]\n";
    let anchor = Anchor::read(anchor, Syntax::Toml).map_err(|error| anyhow::anyhow!("{error:?}"))?;
    let settings = Settings {
        max_rounds: ROUNDS,
        plateau_rounds: ROUNDS + 1,
        compaction_threshold: 100,
        ..Settings::new("rfc", AnchorKind::Rubric, &JOUSTERS)
    };
    let model = Binding { agent: "model".into(), model: Some(MODEL.into()), ..Binding::default() };
    let seats = [MAIN, JOUSTERS[0], JOUSTERS[1]].map(|seat| (SeatName::new(seat), model.clone()));
    Ok(RunSpec {
        seats: seats.into(),
        anchor: Some(anchor),
        ..RunSpec::new(run_id(1), "bench".into(), Digest::of(brief), settings)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_what_saves() {
        let bench = Bench::new(None, 0).unwrap();
        let (without, with) = (play(&bench, false).unwrap(), play(&bench, true).unwrap());
        assert_eq!((without.cached, without.cache_write), (0, 0));
        assert_eq!((without.input, without.output), (with.input, with.output), "the same run");
        assert!(with.input / 5 < with.cached, "{with:?}");
        let rows = measure(&bench).unwrap();
        assert!(!rows.is_empty());
        let price = listed().unwrap();
        assert!(usd(&price, with) < usd(&price, without), "{}", super::super::table::text(&rows));
    }
}
