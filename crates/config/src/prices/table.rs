//! A dated table of prices, by provider.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use super::names::{self, Spelling};
use super::{FoundPrice, Price, PriceSource};
use crate::money::UsdAmount;

/// What models cost on a day.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PriceTable {
    /// The day, as `2026-11-18`.
    pub as_of: String,
    /// Whose list it is.
    pub source: String,
    /// By provider, then by model.
    pub providers: BTreeMap<String, BTreeMap<String, ListedPrice>>,
}

/// A price as lists have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPrice {
    pub price: Price,
    /// What requests with a long prompt cost instead, the shortest first.
    pub long: Vec<LongPrice>,
    /// What they cost where nobody waits for them. No turn is asked that way: it is for information.
    pub batch: Option<BatchPrice>,
}

/// What requests cost whose prompt has more than so many tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongPrice {
    pub above: u64,
    pub input: UsdAmount,
    pub cached: Option<UsdAmount>,
    pub cache_write: Option<UsdAmount>,
    pub output: UsdAmount,
}

/// What requests cost where nobody waits for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchPrice {
    pub input: UsdAmount,
    pub output: UsdAmount,
}

/// Why a table cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("it is no table of prices: {0}")]
pub struct TableError(String);

static BUILT_IN: LazyLock<PriceTable> = LazyLock::new(|| {
    PriceTable::read(include_str!("../prices.toml")).expect("the table is one of ours; a test reads it")
});

impl Default for ListedPrice {
    fn default() -> Self {
        let (input, output) = (UsdAmount::default(), UsdAmount::default());
        let price = Price { input, cached: None, cache_write: None, output, max_output: None };
        Self { price, long: Vec::new(), batch: None }
    }
}

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    input: String,
    cached: Option<String>,
    cache_write: Option<String>,
    output: String,
    max_output: Option<u64>,
    long: Option<LongRows>,
    batch: Option<BatchRow>,
}

/// One, as most have it, or several.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum LongRows {
    One(LongRow),
    Several(Vec<LongRow>),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LongRow {
    above: u64,
    input: String,
    cached: Option<String>,
    cache_write: Option<String>,
    output: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BatchRow {
    input: String,
    output: String,
}

impl PriceTable {
    /// The table that comes with the program.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// A table as [`PriceTable::write`] wrote it.
    pub fn read(text: &str) -> Result<Self, TableError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            as_of: String,
            source: String,
            models: BTreeMap<String, BTreeMap<String, Row>>,
        }
        let file: File = toml::from_str(text).map_err(|error| TableError(error.message().to_owned()))?;
        let mut providers = BTreeMap::new();
        for (provider, rows) in file.models {
            let rows = rows.into_iter().map(|(name, row)| Some((name, row.price()?)));
            let rows: Option<BTreeMap<String, ListedPrice>> = rows.collect();
            let rows = rows.ok_or_else(|| TableError(format!("an amount of `{provider}` cannot be read")))?;
            providers.insert(provider, rows);
        }
        Ok(Self { as_of: file.as_of, source: file.source, providers })
    }

    /// As a file.
    pub fn write(&self) -> String {
        let mut text = format!(
            "# What models cost, in US dollars for a million tokens. `tribunal prices update FILE` writes such a table.\n\
             as_of = {}\nsource = {}\n",
            quoted(&self.as_of),
            quoted(&self.source)
        );
        for (provider, models) in self.providers.iter().filter(|(_, models)| !models.is_empty()) {
            let _ = write!(text, "\n[models.{}]\n", key(provider));
            for (name, listed) in models {
                let _ = writeln!(text, "{} = {}", key(name), row(listed));
            }
        }
        text
    }

    /// How many prices it has.
    pub fn count(&self) -> usize {
        self.providers.values().map(BTreeMap::len).sum()
    }

    /// What stands under this very name at `at`; or, where that is nobody, at whoever makes the model.
    pub(super) fn exact(&self, at: Option<&str>, Spelling { provider, model }: &Spelling) -> Option<FoundPrice<'_>> {
        let makers = names::first_parties().iter().copied().chain(["bedrock", "vertex"]);
        let mut places: Vec<&str> = match (at, provider) {
            (Some(at), None) => vec![at],
            (Some(at), Some(named)) => vec![at, named],
            (None, Some(named)) => vec![named],
            (None, None) => makers.collect(),
        };
        places.dedup();
        places.into_iter().find_map(|place| {
            let (provider, models) = self.providers.get_key_value(place)?;
            let (name, price) = models.get_key_value(model.as_str())?;
            Some(FoundPrice { price: price.clone(), name, source: PriceSource::Table { table: self, provider } })
        })
    }
}

impl Row {
    fn price(self) -> Option<ListedPrice> {
        let amount = |text: &str| UsdAmount::parse(text);
        let perhaps = |text: &Option<String>| text.as_deref().map_or(Some(None), |text| amount(text).map(Some));
        let long = |long: &LongRow| {
            Some(LongPrice {
                above: long.above,
                input: amount(&long.input)?,
                cached: perhaps(&long.cached)?,
                cache_write: perhaps(&long.cache_write)?,
                output: amount(&long.output)?,
            })
        };
        let long: Option<Vec<LongPrice>> = match &self.long {
            Some(LongRows::One(one)) => [one].into_iter().map(long).collect(),
            Some(LongRows::Several(several)) => several.iter().map(long).collect(),
            None => Some(Vec::new()),
        };
        let mut long = long?;
        long.sort_by_key(|long| long.above);
        let batch = match &self.batch {
            Some(batch) => Some(BatchPrice { input: amount(&batch.input)?, output: amount(&batch.output)? }),
            None => None,
        };
        let price = Price {
            input: amount(&self.input)?,
            cached: perhaps(&self.cached)?,
            cache_write: perhaps(&self.cache_write)?,
            output: amount(&self.output)?,
            max_output: self.max_output.filter(|tokens| *tokens > 0),
        };
        Some(ListedPrice { price, long, batch })
    }
}

fn row(ListedPrice { price, long, batch }: &ListedPrice) -> String {
    let mut fields = amounts(price.input, price.cached, price.cache_write, price.output);
    fields.extend(price.max_output.map(|tokens| format!("max_output = {tokens}")));
    let table = |long: &LongPrice| {
        let inner = amounts(long.input, long.cached, long.cache_write, long.output).join(", ");
        format!("{{ above = {}, {inner} }}", long.above)
    };
    match &long[..] {
        [] => {}
        [one] => fields.push(format!("long = {}", table(one))),
        several => fields.push(format!("long = [{}]", several.iter().map(table).collect::<Vec<_>>().join(", "))),
    }
    fields.extend(batch.map(|BatchPrice { input, output }| {
        format!("batch = {{ {} }}", amounts(input, None, None, output).join(", "))
    }));
    format!("{{ {} }}", fields.join(", "))
}

fn amounts(
    input: UsdAmount,
    cached: Option<UsdAmount>,
    cache_write: Option<UsdAmount>,
    output: UsdAmount,
) -> Vec<String> {
    let said = [("input", Some(input)), ("cached", cached), ("cache_write", cache_write), ("output", Some(output))];
    let said = said.into_iter().filter_map(|(name, amount)| Some((name, amount?)));
    said.map(|(name, amount)| format!("{name} = \"{}\"", short(amount))).collect()
}

/// Without zeros that say nothing: lists are long.
fn short(amount: UsdAmount) -> String {
    let text = amount.to_string();
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A name as a key, which has one line whatever is in it.
fn key(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let table = PriceTable::built_in();
        assert_eq!(table.as_of.len(), "2026-11-18".len());
        assert!(table.count() > 300, "{}", table.count());
        assert_eq!(&PriceTable::read(&table.write()).unwrap(), table);
        for text in ["", "as_of = 1", "as_of = \"x\"\nsource = \"\"\n[models.a]\nb = { input = \"x\", output = \"1\" }"]
        {
            assert!(PriceTable::read(text).is_err(), "{text}");
        }
    }
}
