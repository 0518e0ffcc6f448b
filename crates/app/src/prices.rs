//! What models cost, and how old that knowledge is: `tribunal prices`.

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tribunal_config::{
    AgentConfig, AgentKind, FoundPrice, ListedPrice, Price, PriceSource, PriceTable, UsdAmount, import, user_prices,
};
use tribunal_engine::Clock as _;
use tribunal_kernel::budget::LongRate;
use tribunal_kernel::{Rate, Time, Usd};

use crate::error::AppError;
use crate::project::Project;

/// Prices that are older are worth a word: they change every few weeks.
pub const OLD_AFTER_DAYS: i64 = 60;
/// No list of prices is longer.
const MAX_LIST: u64 = 64 << 20;
const MILLIS_A_DAY: i64 = 86_400_000;

/// The user's own table, if there is one.
pub(crate) fn user_table() -> Result<Option<Arc<PriceTable>>, AppError> {
    let Some(path) = user_prices(std::env::vars_os()).filter(|path| path.is_file()) else { return Ok(None) };
    let text = fs::read_to_string(&path).map_err(|error| error.to_string());
    let table = text.and_then(|text| PriceTable::read(&text).map_err(|error| error.to_string()));
    table.map(|table| Some(Arc::new(table))).map_err(|why| {
        AppError::misconfigured(
            format!("cannot read {}: {why}", path.display()),
            "write it again with `tribunal prices update FILE`, or remove it",
        )
    })
}

/// What a model costs that this agent uses.
pub fn found<'p>(project: &'p Project, agent: Option<&AgentConfig>, model: &str) -> Option<FoundPrice<'p>> {
    project.config().price(project.price_tables(), agent.and_then(provider_of), model)
}

/// Whose models an agent uses, where its kind says so.
fn provider_of(agent: &AgentConfig) -> Option<&str> {
    match agent.kind {
        AgentKind::Http => agent.provider.as_deref(),
        AgentKind::Claude => Some("anthropic"),
        AgentKind::Codex => Some("openai"),
        AgentKind::Gemini => Some("gemini"),
        _ => None,
    }
}

/// A price as runs have it.
pub fn rate(ListedPrice { price, long, .. }: &ListedPrice) -> Rate {
    let usd = |usd: UsdAmount| Usd(usd.micros());
    let Price { input, cached, cache_write, output, max_output } = *price;
    Rate {
        input: usd(input),
        cached: usd(cached.unwrap_or(input)),
        output: usd(output),
        cache_write: cache_write.map(usd),
        long: long.map(|long| LongRate {
            above: long.above,
            input: usd(long.input),
            cached: usd(long.cached.unwrap_or(long.input)),
            output: usd(long.output),
            cache_write: long.cache_write.map(usd),
        }),
        max_output,
    }
}

/// The most that any model of Anthropic's costs: what Claude Code's own choice costs at most.
pub(crate) fn dearest_claude(project: &Project) -> Option<Rate> {
    let models = project.price_tables().into_iter().find_map(|table| table.providers.get("anthropic"))?;
    models.values().max_by_key(|listed| (listed.price.output, listed.price.input)).map(rate)
}

/// How many days old a table is.
pub fn age(table: &PriceTable, now: Time) -> Option<i64> {
    Some(i64::try_from(now.0).ok()? / MILLIS_A_DAY - day_number(&table.as_of)?)
}

/// What to say of prices that are old; nothing, if they are not.
pub fn age_note(project: &Project) -> Option<String> {
    let table = *project.price_tables().first()?;
    let days = age(table, project.clock.now()).filter(|days| *days > OLD_AFTER_DAYS)?;
    Some(format!(
        "the prices are {days} days old ({}, {}): `tribunal prices update FILE` reads a newer list",
        table.source, table.as_of
    ))
}

/// Days since 1970 of a date such as `2026-11-18`.
fn day_number(date: &str) -> Option<i64> {
    let mut parts = date.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let is_date = parts.next().is_none() && (1..=12).contains(&month) && (1..=31).contains(&day);
    // The civil calendar, counted from March so that the leap day is the last one.
    let (shifted, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let (era, of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    let of_year = (153 * month + 2) / 5 + day - 1;
    is_date.then(|| era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// Reads a list of models.dev or `LiteLLM`, and writes it where the user's own prices are, or to `to`. How many prices it has,
/// and where they are now.
pub fn update(list: &Path, as_of: &str, source: Option<&str>, to: Option<&Path>) -> Result<(usize, PathBuf), AppError> {
    let unreadable = |why: &dyn std::fmt::Display| {
        AppError::invalid(
            format!("cannot use {}: {why}", list.display()),
            "download https://models.dev/api.json, or LiteLLM's model_prices_and_context_window.json",
        )
    };
    if day_number(as_of).is_none() {
        return Err(AppError::invalid(format!("`{as_of}` is no date"), "write it as `--as-of 2026-11-18`"));
    }
    let length = fs::metadata(list).map_err(|error| unreadable(&error))?.len();
    if length > MAX_LIST {
        return Err(unreadable(&"it is too long for a list of prices"));
    }
    let text = fs::read_to_string(list).map_err(|error| unreadable(&error))?;
    let mut table = import(&text, as_of).map_err(|error| unreadable(&error))?;
    if let Some(source) = source {
        source.clone_into(&mut table.source);
    }
    let own = to.map(Path::to_owned).or_else(|| user_prices(std::env::vars_os()));
    let path = own.ok_or_else(|| {
        AppError::environment(
            "there is no folder for the user's configuration",
            Some("set HOME, or use `--output`".into()),
        )
    })?;
    let failed = |error: &dyn std::fmt::Display| {
        AppError::environment(format!("cannot write {}: {error}", path.display()), None)
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    }
    tribunal_store::atomic::write(&path, table.write().as_bytes()).map_err(|error| failed(&error))?;
    Ok((table.count(), path))
}

/// The day on which a list was written down, as far as its file says so.
pub fn day_of(list: &Path) -> Option<String> {
    let modified = fs::metadata(list).and_then(|known| known.modified()).ok()?;
    let since = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
    let time = Time(u64::try_from(since.as_millis()).ok()?);
    Some(time.to_string().chars().take("2026-11-18".len()).collect())
}

/// A price as data.
pub fn object(model: &str, found: &FoundPrice<'_>) -> Value {
    let ListedPrice { price, long, batch } = found.price;
    let said = |amount: Option<UsdAmount>| amount.map(|amount| amount.to_string());
    let source = match found.source {
        PriceSource::Project => json!({ "kind": "project" }),
        PriceSource::Table { table, provider } => json!({
            "kind": if std::ptr::eq(table, PriceTable::built_in()) { "built_in" } else { "user" },
            "provider": provider, "list": table.source, "as_of": table.as_of,
        }),
    };
    json!({
        "model": model, "name": found.name, "source": source,
        "input": said(Some(price.input)), "cached": said(price.cached), "cache_write": said(price.cache_write),
        "output": said(Some(price.output)), "max_output": price.max_output,
        "long": long.map(|long| json!({
            "above": long.above, "input": said(Some(long.input)), "cached": said(long.cached),
            "cache_write": said(long.cache_write), "output": said(Some(long.output)),
        })),
        "batch": batch.map(|batch| json!({ "input": said(Some(batch.input)), "output": said(Some(batch.output)) })),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_over_leap_years() {
        for (date, expected) in [
            ("1970-01-01", Some(0)),
            ("2000-03-01", Some(11_017)),
            ("2024-02-29", Some(19_782)),
            ("2026-11-18", Some(20_775)),
            ("2026-13-01", None),
            ("today", None),
            ("2026-11", None),
        ] {
            assert_eq!(day_number(date), expected, "{date}");
        }
    }
}
