//! Every column of the index is written by one statement, read by another, and known to a test.

use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

use super::corpus::Corpus;
use super::{Fault, Item};

const STORE: &str = "crates/store";
const MIGRATIONS: &str = "crates/store/src/index/migrations";

/// What begins a definition in `CREATE TABLE` that is no column.
const CONSTRAINTS: &[&str] = &["PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "CONSTRAINT"];

/// A table and a column of it.
type Column = (String, String);

pub(super) fn rule(corpus: &Corpus<'_>) -> Result<Vec<Fault>> {
    if !corpus.repo.has(MIGRATIONS) {
        return Ok(vec![Fault::file(MIGRATIONS, "no migrations in here")]);
    }
    let columns = declared(corpus)?;
    let mut uses = Uses::default();
    let tables: BTreeSet<&str> = columns.keys().map(|(table, _)| table.as_str()).collect();
    for text in corpus.production(STORE).flat_map(|(_, part)| part.strings()) {
        uses.statement(&tokens(&text), &tables);
    }
    let tested: Vec<BTreeSet<String>> = corpus.tests(STORE).map(|(_, part)| part.words()).collect();

    let mut faults = Vec::new();
    for (column, item) in &columns {
        if !uses.written.contains(column) {
            faults.push(item.fault("is written by no statement in crates/store"));
        }
        if !uses.read.contains(column) {
            faults.push(item.fault("is read by no statement in crates/store"));
        }
        let (table, name) = column;
        if !tested.iter().any(|words| words.contains(table) && words.contains(name)) {
            faults.push(item.fault("is in no test of crates/store that names its table, too"));
        }
    }
    Ok(faults)
}

/// The columns that are there after all migrations.
fn declared(corpus: &Corpus<'_>) -> Result<BTreeMap<Column, Item>> {
    let mut columns = BTreeMap::new();
    for file in corpus.repo.files(&[".up.sql"])?.into_iter().filter(|file| file.starts_with(MIGRATIONS)) {
        let text = corpus.repo.read(&file)?;
        let tokens = tokens(&text);
        for statement in tokens.split(|token| token.is(";")) {
            let item = |table: &str, token: &Token<'_>| Item::new(format!("{table}.{}", token.text), &file, token.line);
            let mut add = |table: &str, token: &Token<'_>| {
                columns.insert((table.to_owned(), token.text.to_owned()), item(table, token));
            };
            let words: Vec<&str> = statement.iter().map(|token| token.text).collect();
            match &words[..] {
                ["CREATE", "TABLE", table, "(", ..] => {
                    for token in definitions(&statement[4..]) {
                        add(table, token);
                    }
                }
                ["CREATE", "TABLE", "IF", "NOT", "EXISTS", table, "(", ..] => {
                    for token in definitions(&statement[7..]) {
                        add(table, token);
                    }
                }
                ["ALTER", "TABLE", table, "ADD", "COLUMN", ..] => {
                    statement.get(5).into_iter().for_each(|token| add(table, token));
                }
                ["ALTER", "TABLE", table, "RENAME", "COLUMN", old, "TO", _] => {
                    add(table, &statement[7]);
                    columns.remove(&((*table).to_owned(), (*old).to_owned()));
                }
                ["ALTER", "TABLE", table, "DROP", "COLUMN", name] => {
                    columns.remove(&((*table).to_owned(), (*name).to_owned()));
                }
                ["DROP", "TABLE", table] => columns.retain(|(of, _), _| of != table),
                _ => {}
            }
        }
    }
    Ok(columns)
}

/// The names of the columns in the brackets of `CREATE TABLE`, from behind the first one.
fn definitions<'s, 't>(tokens: &'s [Token<'t>]) -> Vec<&'s Token<'t>> {
    let (mut depth, mut is_first, mut found) = (1_usize, true, Vec::new());
    for token in tokens {
        if is_first && !CONSTRAINTS.iter().any(|word| token.is(word)) {
            found.push(token);
        }
        is_first = depth == 1 && token.is(",");
        depth = if token.is("(") { depth + 1 } else { depth - usize::from(token.is(")")) };
        if depth == 0 {
            break;
        }
    }
    found
}

/// What statements do with columns.
#[derive(Default)]
struct Uses {
    written: BTreeSet<Column>,
    read: BTreeSet<Column>,
}

impl Uses {
    fn statement(&mut self, tokens: &[Token<'_>], tables: &BTreeSet<&str>) {
        let after = |at: usize, words: &[&str]| at > 0 && words.iter().any(|word| tokens[at - 1].is(word));
        let named = |words: &[&str]| -> Vec<&str> {
            let places = (0..tokens.len()).filter(|at| after(*at, words));
            places.map(|at| tokens[at].text).filter(|name| tables.contains(name)).collect()
        };
        let from = named(&["FROM", "JOIN", "UPDATE"]);
        let into = named(&["INTO", "UPDATE"]);
        let mut clause = Clause::Other;
        for (at, token) in tokens.iter().enumerate() {
            clause = match clause {
                _ if token.is("INTO") => Clause::Into,
                _ if token.is("SET") => Clause::Set,
                _ if ["SELECT", "WHERE", "FROM", "RETURNING"].iter().any(|word| token.is(word)) => Clause::Reading,
                Clause::Into if token.is(")") => Clause::Other,
                same => same,
            };
            // `:status` is a parameter, and the name behind `FROM` is a table, also where a column has the same.
            if after(at, &[":", "FROM", "JOIN", "INTO", "UPDATE"])
                || tokens.get(at + 1).is_some_and(|next| next.is("."))
            {
                continue;
            }
            let is_assigned = clause == Clause::Set && tokens.get(at + 1).is_some_and(|next| next.is("="));
            let owner =
                (at >= 2 && tokens[at - 1].is(".")).then(|| tokens[at - 2].text).filter(|of| tables.contains(of));
            let pairs = |among: &[&str]| -> Vec<Column> {
                let owners: Vec<&str> = owner.map_or_else(|| among.to_vec(), |owner| vec![owner]);
                owners.into_iter().map(|table| (table.to_owned(), token.text.to_owned())).collect()
            };
            match clause {
                Clause::Into => self.written.extend(pairs(&into)),
                Clause::Set if is_assigned => self.written.extend(pairs(&into)),
                Clause::Set | Clause::Reading => self.read.extend(pairs(&from)),
                Clause::Other => {}
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Clause {
    /// The list of columns of an `INSERT`.
    Into,
    Set,
    Reading,
    Other,
}

/// A word or a sign of SQL.
#[derive(Debug)]
struct Token<'t> {
    line: usize,
    text: &'t str,
}

impl Token<'_> {
    fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }
}

/// Without comments and literals.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(c) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if rest.starts_with("--") {
            rest.find('\n').unwrap_or(rest.len())
        } else if c == '\'' {
            rest[1..].find('\'').map_or(rest.len(), |end| end + 2)
        } else if is_word(c) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            c.len_utf8()
        };
        let (token, behind) = rest.split_at(length);
        if !c.is_whitespace() && c != '\'' && !token.starts_with("--") {
            found.push(Token { line, text: token });
        }
        line += token.matches('\n').count();
        rest = behind;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::orphans;
    use super::*;

    const FIRST: &str = "
CREATE TABLE runs (
    run    TEXT NOT NULL PRIMARY KEY, -- its id, unique
    status TEXT CHECK (status IN ('a', 'b')),
    seq    INTEGER,
    PRIMARY KEY (run)
) WITHOUT ROWID;
CREATE INDEX runs_status ON runs (status, seq);
";
    const SECOND: &str = "ALTER TABLE runs ADD COLUMN closed INTEGER;\nALTER TABLE runs DROP COLUMN seq;";
    const STORE: &str = "
        fn write() { run(\"INSERT INTO runs (run, status) VALUES (?1, ?2)\"); run(\"UPDATE runs SET closed = ?1 WHERE run = ?2\"); }
        fn read() { run(\"SELECT run, closed FROM runs WHERE :status IS NULL OR status = :status\"); }
    ";
    const TEST: &str = "#[test] fn t() { ask(\"SELECT run, status FROM runs\"); assert!(row.closed) }";

    fn said(store: &str, test: &str) -> Vec<String> {
        let files = [
            ("crates/store/src/index/migrations/0001_runs.up.sql", FIRST),
            ("crates/store/src/index/migrations/0002_closed.up.sql", SECOND),
            ("crates/store/src/index/update.rs", store),
            ("crates/store/tests/it/index.rs", test),
        ];
        orphans(rule, &files)
    }

    #[test]
    fn columns_that_are_written_read_and_tested_are_good() {
        assert_eq!(said(STORE, TEST), Vec::<String>::new());
    }

    #[test]
    fn a_column_that_nothing_writes_or_reads_is_named() {
        assert_eq!(
            said(&STORE.replace("SET closed = ?1", "SET status = closed"), TEST),
            [
                "crates/store/src/index/migrations/0002_closed.up.sql:1: `runs.closed` is written by no statement in crates/store"
            ]
        );
        assert_eq!(
            said(&STORE.replace("OR status = :status", ""), TEST),
            [
                "crates/store/src/index/migrations/0001_runs.up.sql:4: `runs.status` is read by no statement in crates/store"
            ]
        );
    }

    #[test]
    fn a_column_without_a_test_is_named() {
        assert_eq!(
            said(STORE, &TEST.replace("closed", "open")),
            [
                "crates/store/src/index/migrations/0002_closed.up.sql:1: `runs.closed` is in no test of crates/store that names its table, too"
            ]
        );
    }
}
