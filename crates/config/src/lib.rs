//! Tribunal's configuration: where settings come from, what they may be, and the typed [`Config`] they add up to.
//!
//! A setting is looked for in a flag, then the environment (`TRIBUNAL_…`), then `tribunal.toml`, then the user's
//! configuration, then the default. Every value keeps its [`Origin`]; every mistake of a load is reported at once.
//!
//! | file | noun |
//! |---|---|
//! | `schema` | the one table of known keys, from which everything else derives |
//! | `kind` | what a key's value may be, and how it is read |
//! | `value`, `decimal`, `duration`, `bytes`, `money`, `words`, `brief`, `secret` | the values themselves |
//! | `layer`, `file`, `text` | what one source says: a file, the environment, the flags |
//! | `load`, `check` | layers put together, cross-checked, and typed |
//! | `config` | the typed result |
//! | `origin`, `error`, `nearest` | where a value came from, what is wrong with it, and what was probably meant |
//! | `discover` | the only IO: finds and reads the files |
//! | `prices` | what models cost |
//! | `reference` | the table of keys as Markdown |
//!
//! Invariants: [`load`] is pure; a literal secret that it refuses is in no error, hint or note.

mod brief;
mod bytes;
mod check;
mod config;
mod decimal;
mod discover;
mod duration;
mod error;
mod file;
mod kind;
mod layer;
mod load;
mod money;
mod nearest;
mod origin;
mod prices;
mod reach;
mod reference;
mod schema;
mod secret;
mod text;
mod value;
mod words;

pub use brief::Brief;
pub use bytes::show as show_bytes;
pub use config::{
    AgentConfig, ChecksConfig, Config, CopyConfig, DeskConfig, IgnoreConfig, JoustConfig, JudgeConfig, LimitsConfig,
    LinksConfig, ReviewConfig, RunConfig, SeatConfig, TheaterConfig, TurnLimits, WaiverConfig,
};
pub use decimal::Decimal;
pub use discover::{FILE_NAME, ProjectFile, ReadError, discover, user_prices};
pub use duration::{parse as parse_duration, show as show_duration};
pub use error::{ConfigError, ConfigErrors, ConfigMistake};
pub use kind::{ListItem, ValueKind};
pub use load::{EffectiveSetting, Loaded, Sources, load};
pub use money::UsdAmount;
pub use origin::{Origin, Spot};
pub use prices::{
    BatchPrice, FoundPrice, ImportError, ListedPrice, LongPrice, Price, PriceSource, PriceTable, TableError,
    first_parties, import,
};
pub use reach::{KeyReach, reach_of};
pub use reference::markdown;
pub use schema::{KEYS, Key};
pub use secret::EnvRef;
pub use text::RESERVED;
pub use words::{
    AgentKind, CheckLevel, Confined, Effort, Eyes, FallbackPolicy, NotifyOn, PanelMode, Policy, ProofAnchor, Scheme,
    Tools, Unpriced, WhenParked,
};
