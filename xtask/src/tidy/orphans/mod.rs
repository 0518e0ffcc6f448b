//! Nothing is orphaned: what is declared is used by something that ships, and a test knows it.
//!
//! A setting that nobody reads, an event that nobody writes or a flag without a test looks like a feature and is none.
//! Each file here knows one kind of *item* and says where items are declared, what counts as a use and what as a test.
//! They share the [`Corpus`]: all sources, parted into what ships and what tests it.
//!
//! | file | item | used when | tested when |
//! |---|---|---|---|
//! | `fields` | key of the configuration | its field is read outside of `crates/config` | a test names the key, or reads the field |
//! | `events` | variant of an event | it is made, and matched somewhere else than where it is declared, or by the page | a test or a frozen example has it |
//! | `streams` | name of a server-sent event | the page's reducer has a case for it | a test of the reducer has it |
//! | `columns` | column of the index | a statement writes it, and another one reads it | a test names it and its table |
//! | `flags` | flag or argument of the command line | its field is read outside of `args` | a test passes it to its command |
//! | `metrics` | metric | the dashboard shows it | a test names it |
//! | `translations` | key of a text | the page asks for it | every locale has it, and no other |
//! | `exports` | export of a module of the page | another module imports it | the compiler sees to it |

mod columns;
mod corpus;
mod events;
mod exports;
mod family;
mod fields;
mod flags;
mod metrics;
mod reads;
mod rust;
mod script;
mod streams;
mod translations;

use anyhow::Result;
use std::path::PathBuf;

use self::corpus::Corpus;
pub(super) use self::events::snake;
use super::Fault;
use crate::repo::Repo;

type Check = fn(&Corpus<'_>) -> Result<Vec<Fault>>;

const CHECKS: &[Check] = &[
    fields::rule,
    events::rule,
    streams::rule,
    columns::rule,
    flags::rule,
    metrics::rule,
    translations::rule,
    exports::rule,
];

pub(super) fn rule(repo: &Repo) -> Result<Vec<Fault>> {
    let corpus = Corpus::of(repo)?;
    let mut faults = Vec::new();
    for check in CHECKS {
        faults.extend(check(&corpus)?);
    }
    Ok(faults)
}

/// Something that is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    /// As people know it.
    name: String,
    file: PathBuf,
    line: usize,
}

impl Item {
    fn new(name: impl Into<String>, file: impl Into<PathBuf>, line: usize) -> Self {
        Self { name: name.into(), file: file.into(), line }
    }

    fn fault(&self, what: &str) -> Fault {
        Fault::line(&self.file, self.line, format!("`{}` {what}", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::repository;
    use super::*;

    /// What a check says of a repository with these files.
    pub(super) fn orphans(check: Check, files: &[(&str, &str)]) -> Vec<String> {
        let (_folder, repo) = repository(files);
        check(&Corpus::of(&repo).unwrap()).unwrap().iter().map(ToString::to_string).collect()
    }
}
