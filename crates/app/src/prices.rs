//! What models cost, and how old that knowledge is: `tribunal prices`.

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tribunal_config::{
    AgentConfig, AgentKind, FoundPrice, ListedPrice, LongPrice, Price, PriceSource, PriceTable, UsdAmount, import,
    user_prices,
};
use tribunal_engine::{Clock as _, SystemClock};
use tribunal_kernel::budget::LongRate;
use tribunal_kernel::{Rate, Time, Usd};

use crate::error::AppError;
use crate::input::read_text;
use crate::project::Project;

/// Prices that are older are worth a word: they change every few weeks.
pub const OLD_AFTER_DAYS: i64 = 60;
/// No list of prices is longer.
const MAX_LIST: usize = 64 << 20;
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
///
/// A run knows one length above which prompts cost something else. Of several, that is the first one, with the highest
/// price of all of them: what a limit in money rests on is never too low.
pub fn rate(ListedPrice { price, long, .. }: &ListedPrice) -> Rate {
    let usd = |usd: UsdAmount| Usd(usd.micros());
    let Price { input, cached, cache_write, output, max_output } = *price;
    Rate {
        input: usd(input),
        cached: usd(cached.unwrap_or(input)),
        output: usd(output),
        cache_write: cache_write.map(usd),
        long: long.iter().min_by_key(|long| long.above).map(|first| {
            let most = |amount: fn(&LongPrice) -> UsdAmount| usd(long.iter().map(amount).max().unwrap_or_default());
            LongRate {
                above: first.above,
                input: most(|long| long.input),
                cached: most(|long| long.cached.unwrap_or(long.input)),
                output: most(|long| long.output),
                cache_write: long.iter().filter_map(|long| long.cache_write).max().map(usd),
            }
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
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let is_date = parts.next().is_none() && (1..=12).contains(&month) && (1..=days).contains(&day);
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
    let Some(day) = day_number(as_of) else {
        return Err(AppError::invalid(format!("`{as_of}` is no date"), "write it as `--as-of 2026-11-18`"));
    };
    // A day ahead, it is tomorrow somewhere.
    let today = i64::try_from(SystemClock.now().0).unwrap_or(i64::MAX) / MILLIS_A_DAY;
    if day > today + 1 {
        return Err(AppError::invalid(
            format!("`{as_of}` is in the future"),
            "pass the day on which the list was made: its age would never be noticed",
        ));
    }
    let text = read_text(list, MAX_LIST).map_err(|error| unreadable(&error))?;
    let mut table = import(&text, as_of).map_err(|error| unreadable(&error))?;
    if let Some(source) = source {
        source.clone_into(&mut table.source);
    }
    let text = table.write();
    // Every command reads it: what could not be read must not take the place of what can.
    if PriceTable::read(&text).ok().as_ref() != Some(&table) {
        return Err(unreadable(&"its prices cannot be written down"));
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
    tribunal_store::atomic::write(&path, text.as_bytes()).map_err(|error| failed(&error))?;
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
    let said = |amount: Option<UsdAmount>| amount.map(|amount| amount.to_string());
    let ListedPrice { price, long: tiers, batch } = &found.price;
    let long = |long: &LongPrice| {
        json!({
            "above": long.above, "input": said(Some(long.input)), "cached": said(long.cached),
            "cache_write": said(long.cache_write), "output": said(Some(long.output)),
        })
    };
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
        "long": tiers.first().map(long), "longer": tiers.iter().skip(1).map(long).collect::<Vec<_>>(),
        "batch": batch.as_ref().map(|batch| json!({ "input": said(Some(batch.input)), "output": said(Some(batch.output)) })),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_pays_no_less_than_the_dearest_of_several_lengths() {
        let usd = |usd: u64| UsdAmount::from_micros(usd * 1_000_000);
        let long = |above, input: u64, output: u64| LongPrice {
            above,
            input: usd(input),
            cached: None,
            cache_write: None,
            output: usd(output),
        };
        let price = Price { input: usd(1), cached: None, cache_write: None, output: usd(5), max_output: None };
        let tiers = [(32_000, 2, 9), (128_000, 3, 15), (256_000, 6, 60)].map(|(above, i, o)| long(above, i, o));
        let rate = rate(&ListedPrice { price, long: tiers.to_vec(), batch: None });
        for prompt in [32_001, 128_001, 300_000] {
            let tier = tiers.iter().rfind(|tier| tier.above < prompt).unwrap();
            let real = prompt * tier.input.micros() / 1_000_000 + 1000 * tier.output.micros() / 1_000_000;
            assert!(rate.most(prompt, 1000).0 >= real, "{prompt}");
        }
        assert_eq!(rate.most(32_000, 0), Usd(32_000), "a short prompt costs what it does");
        assert_eq!(rate.most(300_000, 0), Usd(1_800_000));
    }

    #[test]
    fn days_are_counted_over_leap_years() {
        for (date, expected) in [
            ("1970-01-01", Some(0)),
            ("2000-03-01", Some(11_017)),
            ("2024-02-29", Some(19_782)),
            ("2026-11-18", Some(20_775)),
            ("2026-13-01", None),
            ("2026-02-29", None),
            ("2026-04-31", None),
            ("2100-02-29", None),
            ("today", None),
            ("2026-11", None),
        ] {
            assert_eq!(day_number(date), expected, "{date}");
        }
    }
}
