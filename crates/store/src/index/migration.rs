//! Numbered steps from one version of the tables to the next, and back.

use rusqlite::Connection;
use std::path::Path;

use super::IndexError;

/// Marks the file as ours: `trbx` in ASCII.
const APPLICATION: u32 = 0x7472_6278;

/// One step, as a pair of SQL files.
struct Migration {
    up: &'static str,
    /// Nobody goes back at run time: that every step can be undone is what keeps it small, and a test does it.
    #[cfg_attr(not(test), expect(dead_code, reason = "undone in tests alone"))]
    down: &'static str,
}

macro_rules! migration {
    ($name:literal) => {
        Migration {
            up: include_str!(concat!("migrations/", $name, ".up.sql")),
            down: include_str!(concat!("migrations/", $name, ".down.sql")),
        }
    };
}

/// Every step, oldest first. A step that was released does not change any more.
const MIGRATIONS: &[Migration] =
    &[migration!("0001_runs"), migration!("0002_findings"), migration!("0003_seats"), migration!("0004_artifacts")];

/// The version that this program writes.
#[expect(clippy::cast_possible_truncation, reason = "a handful of steps")]
const KNOWN: u32 = MIGRATIONS.len() as u32;

/// Brings the tables to the newest version.
pub(super) fn up(connection: &Connection) -> Result<(), rusqlite::Error> {
    let done = version(connection)?;
    for (migration, number) in MIGRATIONS.iter().zip(1..).skip(done as usize) {
        connection.execute_batch(migration.up)?;
        connection.pragma_update(None, "user_version", number)?;
    }
    if done == 0 {
        connection.pragma_update(None, "application_id", APPLICATION)?;
    }
    Ok(())
}

/// Looks whether the file is an index that this program can trust. One that is still empty is.
pub(super) fn check(connection: &Connection, path: &Path) -> Result<(), IndexError> {
    let at = || IndexError::at(path);
    let damaged = |why: String| IndexError::Damaged { path: path.to_owned(), why };
    // All that is looked at belongs together, also while another process makes the tables. Dropped, it is rolled back.
    let connection = connection.unchecked_transaction().map_err(at())?;
    let found = version(&connection).map_err(at())?;
    let application: u32 = connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(at())?;
    let schema = schema(&connection).map_err(at())?;
    if application != APPLICATION && !(found == 0 && schema.is_empty()) {
        return Err(IndexError::Foreign { path: path.to_owned() });
    }
    if found > KNOWN {
        return Err(IndexError::Newer { path: path.to_owned(), found, known: KNOWN });
    }
    if schema != expected(found).map_err(at())? {
        return Err(damaged("its tables are not those of its version".into()));
    }
    let report: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0)).map_err(at())?;
    if report == "ok" { Ok(()) } else { Err(damaged(report)) }
}

fn version(connection: &Connection) -> Result<u32, rusqlite::Error> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Every table and index, with the statement that made it.
fn schema(connection: &Connection) -> Result<Vec<(String, Option<String>)>, rusqlite::Error> {
    let mut statement = connection.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name")?;
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// The schema after so many steps.
fn expected(version: u32) -> Result<Vec<(String, Option<String>)>, rusqlite::Error> {
    let connection = Connection::open_in_memory()?;
    for migration in &MIGRATIONS[..version as usize] {
        connection.execute_batch(migration.up)?;
    }
    schema(&connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_can_be_undone() {
        let connection = Connection::open_in_memory().unwrap();
        let mut before = vec![schema(&connection).unwrap()];
        for migration in MIGRATIONS {
            connection.execute_batch(migration.up).unwrap();
            let after = schema(&connection).unwrap();
            assert_ne!(Some(&after), before.last(), "a step that changes nothing");
            connection.execute_batch(migration.down).unwrap();
            assert_eq!(Some(&schema(&connection).unwrap()), before.last());
            connection.execute_batch(migration.up).unwrap();
            assert_eq!(schema(&connection).unwrap(), after);
            before.push(after);
        }
        for migration in MIGRATIONS.iter().rev() {
            assert_eq!(Some(schema(&connection).unwrap()), before.pop());
            connection.execute_batch(migration.down).unwrap();
        }
        assert_eq!(schema(&connection).unwrap(), []);
    }

    #[test]
    fn every_older_version_becomes_the_newest() {
        for done in 0..=KNOWN {
            let connection = Connection::open_in_memory().unwrap();
            for migration in &MIGRATIONS[..done as usize] {
                connection.execute_batch(migration.up).unwrap();
            }
            connection.pragma_update(None, "user_version", done).unwrap();
            up(&connection).unwrap();
            assert_eq!(version(&connection).unwrap(), KNOWN);
            assert_eq!(schema(&connection).unwrap(), expected(KNOWN).unwrap());
        }
    }

    #[test]
    fn the_files_are_the_list() {
        let folder = Path::new(file!()).with_file_name("migrations");
        // The path is relative to wherever the compiler ran.
        let Ok(entries) = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/index/migrations"))
            .or_else(|_| std::fs::read_dir(folder))
        else {
            return;
        };
        assert_eq!(entries.count(), MIGRATIONS.len() * 2);
    }
}
