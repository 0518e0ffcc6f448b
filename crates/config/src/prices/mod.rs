//! What models cost: what a project says, what the user's own table says, and the table that comes with the program.
//!
//! | file | noun |
//! |---|---|
//! | `table` | a dated table, by provider |
//! | `names` | the names by which a model may stand in a table: never a prefix of another one |
//! | `import` | tables out of the lists that others keep |

mod import;
mod names;
mod table;

use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::money::UsdAmount;

pub use import::{ImportError, import};
pub use names::first_parties;
pub use table::{BatchPrice, ListedPrice, LongPrice, PriceTable, TableError};

/// A model's price for a million tokens, as a project says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input: UsdAmount,
    /// Of input that the provider still had in its cache; like other input if not set.
    pub cached: Option<UsdAmount>,
    /// Of input that the provider puts into its cache; like other input if not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<UsdAmount>,
    pub output: UsdAmount,
    /// The most tokens that it answers with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output: Option<u64>,
}

/// A price, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPrice<'t> {
    pub price: ListedPrice,
    /// The name that it stands under.
    pub name: &'t str,
    pub source: PriceSource<'t>,
}

/// Where a price comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriceSource<'t> {
    /// `[prices.NAME]`
    Project,
    /// The user's own table, or the built-in one; and whose price it is there.
    Table { table: &'t PriceTable, provider: &'t str },
}

impl Config {
    /// What a model costs that `provider` offers, or whoever makes it: as the project says, else by the first of these tables
    /// that knows it. Nothing, if nobody knows.
    pub fn price<'t>(
        &'t self,
        tables: impl IntoIterator<Item = &'t PriceTable>,
        provider: Option<&str>,
        model: &str,
    ) -> Option<FoundPrice<'t>> {
        let own = self.own_price(model).map(|(name, price)| FoundPrice {
            price: ListedPrice { price, ..ListedPrice::default() },
            name,
            source: PriceSource::Project,
        });
        own.or_else(|| {
            let tables: Vec<&PriceTable> = tables.into_iter().collect();
            // A provider that no table knows sells what others make, as far as anybody can say.
            let is_known = |name: &&str| tables.iter().any(|table| table.providers.contains_key(*name));
            let at = provider.and_then(names::provider).filter(is_known);
            // The most exact name counts, in whichever table it is.
            let names = names::spellings(model).into_iter();
            names
                .flat_map(|name| tables.iter().map(move |table| (name.clone(), *table)))
                .find_map(|(name, table)| table.exact(at, &name))
        })
    }

    /// What the project itself says that a model costs. Its names are exact; one that ends with `*` stands for all that
    /// begin so, and the longest counts.
    pub fn own_price(&self, model: &str) -> Option<(&str, Price)> {
        let exact = names::spellings(model).into_iter().find_map(|name| self.prices.get_key_value(&name.model));
        let fits = |name: &str| name.strip_suffix('*').is_some_and(|start| model.starts_with(start));
        let by_start = || self.prices.iter().filter(|(name, _)| fits(name)).max_by_key(|(name, _)| name.len());
        exact.or_else(by_start).map(|(name, price)| (name.as_str(), *price))
    }
}
