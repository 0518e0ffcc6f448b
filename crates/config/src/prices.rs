//! What models cost: one dated table, and what a project says instead.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::config::Config;
use crate::money::UsdAmount;

/// A model's price for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input: UsdAmount,
    /// Of input that the provider still had in its cache; like other input if not set.
    pub cached: Option<UsdAmount>,
    pub output: UsdAmount,
}

/// The table that comes with the program.
#[derive(Debug)]
pub struct Prices {
    pub as_of: String,
    pub models: BTreeMap<String, Price>,
}

static TABLE: LazyLock<Prices> = LazyLock::new(|| Prices::read(include_str!("prices.toml")));

impl Prices {
    /// The table that comes with the program.
    pub fn table() -> &'static Self {
        &TABLE
    }

    fn read(text: &str) -> Self {
        #[derive(Deserialize)]
        struct File {
            as_of: String,
            models: BTreeMap<String, Row>,
        }
        #[derive(Deserialize)]
        struct Row {
            input: String,
            cached: Option<String>,
            output: String,
        }
        let amount = |text: String| UsdAmount::parse(&text).expect("the table holds amounts; a test reads it");
        let file: File = toml::from_str(text).expect("the table is TOML; a test reads it");
        let price =
            |row: Row| Price { input: amount(row.input), cached: row.cached.map(amount), output: amount(row.output) };
        Self { as_of: file.as_of, models: file.models.into_iter().map(|(name, row)| (name, price(row))).collect() }
    }
}

impl Config {
    /// What a model costs: as the project says, or by the table. Nothing, if nobody knows.
    pub fn price(&self, model: &str) -> Option<Price> {
        [&self.prices, &Prices::table().models].into_iter().find_map(|table| {
            let named = table.iter().filter(|(name, _)| model.starts_with(name.as_str()));
            named.max_by_key(|(name, _)| name.len()).map(|(_, price)| *price)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_reads_and_the_longest_name_counts() {
        let table = Prices::table();
        assert_eq!(table.as_of.len(), "2026-01-31".len());
        assert_eq!(table.models["gpt-5-mini"].input, UsdAmount::parse("0.25").unwrap());
    }
}
