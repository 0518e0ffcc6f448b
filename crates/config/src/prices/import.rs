//! Tables out of the lists that others keep: that of models.dev (`api.json`) and that of `LiteLLM`
//! (`model_prices_and_context_window.json`).

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

use super::Price;
use super::names::provider;
use super::table::{BatchPrice, ListedPrice, LongPrice, PriceTable};
use crate::money::UsdAmount;

/// Why a file is no list of prices.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("it is not JSON: {0}")]
    NotJson(serde_json::Error),
    #[error("it is neither the list of models.dev (`api.json`) nor LiteLLM's")]
    Unknown,
    #[error("it has no prices of providers that are known here")]
    Empty,
}

/// The table in a list, whichever of the two it is.
pub fn import(text: &str, as_of: &str) -> Result<PriceTable, ImportError> {
    let list: Value = serde_json::from_str(text).map_err(ImportError::NotJson)?;
    let list = list.as_object().ok_or(ImportError::Unknown)?;
    let mut table = PriceTable { as_of: as_of.to_owned(), ..PriceTable::default() };
    let is_litellm = list.values().any(|entry| entry.get("litellm_provider").is_some());
    let is_models_dev = list.values().any(|entry| entry.get("models").is_some_and(Value::is_object));
    if is_litellm {
        "LiteLLM".clone_into(&mut table.source);
        // A model may be there twice, with its provider before its name and without: the first by name counts.
        let entries: BTreeMap<&String, &Value> = list.iter().collect();
        for (name, entry) in entries {
            if let Some((provider, model, price)) = litellm(name, entry).filter(|(_, model, _)| is_name(model)) {
                table.providers.entry(provider.to_owned()).or_default().entry(model.to_owned()).or_insert(price);
            }
        }
    } else if is_models_dev {
        "models.dev".clone_into(&mut table.source);
        for (id, entry) in list {
            let Some(provider) = provider(id) else { continue };
            let models = entry["models"].as_object().into_iter().flatten();
            let named = models.filter(|(name, _)| is_name(name));
            let priced = named.filter_map(|(name, model)| Some((name.clone(), models_dev(model)?)));
            table.providers.entry(provider.to_owned()).or_default().extend(priced.collect::<BTreeMap<_, _>>());
        }
    } else {
        return Err(ImportError::Unknown);
    }
    table.providers.retain(|_, models| !models.is_empty());
    if table.providers.is_empty() { Err(ImportError::Empty) } else { Ok(table) }
}

/// `LiteLLM` has dollars for one token. Of Bedrock's many models only those are taken whose names are not also others'.
fn litellm<'n>(name: &'n str, entry: &Value) -> Option<(&'static str, &'n str, ListedPrice)> {
    if !matches!(entry["mode"].as_str(), Some("chat" | "responses")) {
        return None;
    }
    let provider = provider(entry["litellm_provider"].as_str()?)?;
    let model = match name.split_once('/') {
        _ if provider == "bedrock" && !name.contains("anthropic.") => return None,
        Some((first, rest)) if super::names::provider(first).is_some() || first == "vertex_ai" => rest,
        Some(_) if matches!(provider, "bedrock" | "anthropic") => return None,
        _ => name,
    };
    let each = |field: &str| amount(entry.get(field)?.as_f64()? * 1e6);
    let price = Price {
        input: each("input_cost_per_token")?,
        cached: each("cache_read_input_token_cost"),
        cache_write: each("cache_creation_input_token_cost").filter(|usd| usd.micros() > 0),
        output: each("output_cost_per_token")?,
        max_output: entry["max_output_tokens"].as_u64().filter(|tokens| *tokens > 0),
    };
    if is_nothing(&price) {
        return None;
    }
    let above = |thousands: u64| {
        let each = |field: &str| each(&format!("{field}_above_{thousands}k_tokens"));
        Some(ListedTier {
            above: thousands.checked_mul(1000)?,
            input: each("input_cost_per_token"),
            cached: each("cache_read_input_token_cost"),
            cache_write: each("cache_creation_input_token_cost").filter(|usd| usd.micros() > 0),
            output: each("output_cost_per_token"),
        })
    };
    let batch = each("input_cost_per_token_batches").zip(each("output_cost_per_token_batches"));
    Some((
        provider,
        model,
        ListedPrice {
            price,
            long: long(price, lengths(entry).into_iter().filter_map(above).collect()),
            batch: batch.map(|(input, output)| BatchPrice { input, output }),
        },
    ))
}

/// models.dev has dollars for a million tokens.
fn models_dev(model: &Value) -> Option<ListedPrice> {
    let cost = &model["cost"];
    let each = |cost: &Value, field: &str| amount(cost.get(field)?.as_f64()?);
    let price = Price {
        input: each(cost, "input")?,
        cached: each(cost, "cache_read"),
        cache_write: each(cost, "cache_write").filter(|usd| usd.micros() > 0),
        output: each(cost, "output")?,
        max_output: model["limit"]["output"].as_u64().filter(|tokens| *tokens > 0),
    };
    if is_nothing(&price) {
        return None;
    }
    let tiers = cost["tiers"].as_array().into_iter().flatten().filter(|tier| tier["tier"]["type"] == "context");
    let mut tiers: Vec<&Value> = tiers.collect();
    if tiers.is_empty() {
        tiers.extend(cost.get("context_over_200k"));
    }
    let listed = |tier: &Value| ListedTier {
        above: tier["tier"]["size"].as_u64().unwrap_or(200_000),
        input: each(tier, "input"),
        cached: each(tier, "cache_read"),
        cache_write: each(tier, "cache_write").filter(|usd| usd.micros() > 0),
        output: each(tier, "output"),
    };
    let long = long(price, tiers.into_iter().map(listed).collect());
    Some(ListedPrice { price, long, batch: None })
}

/// What a list says of prompts above a length; it may be nothing but the price of input.
struct ListedTier {
    above: u64,
    input: Option<UsdAmount>,
    cached: Option<UsdAmount>,
    cache_write: Option<UsdAmount>,
    output: Option<UsdAmount>,
}

/// What long prompts cost, the shortest first. What is not said of a length is as it was below it.
fn long(price: Price, mut tiers: Vec<ListedTier>) -> Vec<LongPrice> {
    tiers.retain(|tier| tier.input.is_some() || tier.output.is_some());
    tiers.sort_by_key(|tier| tier.above);
    let (mut input, mut output) = (price.input, price.output);
    let known = |ListedTier { above, cached, cache_write, input: own, output: said }: ListedTier| {
        (input, output) = (own.unwrap_or(input), said.unwrap_or(output));
        LongPrice { above, input, cached, cache_write, output }
    };
    tiers.into_iter().map(known).collect()
}

/// The lengths of prompts, in thousands of tokens, above which `LiteLLM` has another price.
fn lengths(entry: &Value) -> BTreeSet<u64> {
    let fields = entry.as_object().into_iter().flatten().map(|(field, _)| field.as_str());
    let length = |field: &str| {
        let rest = field.strip_prefix("input").or_else(|| field.strip_prefix("output"))?;
        rest.strip_prefix("_cost_per_token_above_")?.strip_suffix("k_tokens")?.parse().ok()
    };
    fields.filter_map(length).collect()
}

/// Whether a model can be called so. Nobody can ask for another one, and a line of a table has no room for it.
fn is_name(name: &str) -> bool {
    const LONGEST: usize = 200;
    !name.trim().is_empty() && name.len() <= LONGEST && !name.chars().any(char::is_control)
}

/// Lists write nothing for what they do not know, and for what is free for some.
fn is_nothing(price: &Price) -> bool {
    price.input.micros() == 0 && price.output.micros() == 0
}

/// Dollars as lists have them, to the micro-dollar.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be positive and small")]
fn amount(usd: f64) -> Option<UsdAmount> {
    let micros = (usd * 1e6).round();
    (0.0..1e12).contains(&micros).then(|| UsdAmount::from_micros(micros as u64))
}
