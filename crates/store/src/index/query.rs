//! What the index can be asked.

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, named_params};
use serde::de::value::{Error as WordError, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};
use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use tribunal_kernel::{FindingId, LoopKind, Outcome, Round, Run, RunId, SeatName, Seq, Severity, Spend, Time, Usd};
use uuid::Uuid;

/// Which runs to list. What is not set admits all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    pub kind: Option<LoopKind>,
    pub workspace: Option<String>,
    pub subject: Option<String>,
    pub status: Option<Status>,
    /// Occurs in the subject, the reason or a finding, whatever the case of ASCII letters.
    pub text: Option<String>,
    /// Only runs that come after this one in the list: the next page.
    pub after: Option<RunId>,
    pub limit: u32,
}

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Running,
    Ended(Outcome),
}

/// A run, as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub run: RunId,
    pub kind: LoopKind,
    pub subject: String,
    pub workspace: String,
    pub status: Status,
    /// Why it ended; before that, why the last decision was made.
    pub reason: Option<String>,
    pub rounds: u32,
    pub turns: u32,
    pub spent: Spend,
    pub opened: Time,
    pub closed: Option<Time>,
    /// The last event that is in here.
    pub seq: Seq,
}

/// A finding, as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingRow {
    pub id: FindingId,
    pub seat: SeatName,
    pub severity: Severity,
    /// `open`, `fixed`, `reopened` or `contested`.
    pub state: String,
    pub text: String,
    pub raised: Round,
}

/// What a theater made.
#[derive(Debug, Clone, PartialEq)]
pub struct ArtifactRow {
    pub project: String,
    pub artifact: String,
    pub score: Option<f64>,
    pub rounds_json: String,
    /// Relative to the workspace.
    pub transcript_path: String,
    /// Nothing while the run goes on.
    pub status: Option<String>,
    pub protocol_version: u32,
}

/// A seat, and what its turns took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatRow {
    pub seat: SeatName,
    pub agent: String,
    pub model: Option<String>,
    pub turns: u32,
    pub spent: Spend,
}

impl Status {
    /// How `run` stands.
    pub fn of(run: &Run) -> Self {
        run.end().map_or(Self::Running, |end| Self::Ended(end.outcome))
    }

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Ended(outcome) => outcome.as_str(),
        }
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self { kind: None, workspace: None, subject: None, status: None, text: None, after: None, limit: 100 }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

pub(super) fn runs(connection: &Connection, filter: &Filter) -> Result<Vec<Row>, rusqlite::Error> {
    let mut statement = connection.prepare_cached(
        "SELECT run, loop, subject, workspace, status, reason, rounds, turns, tokens, usd_micros, opened, closed, seq \
         FROM runs \
         WHERE (:loop IS NULL OR loop = :loop) \
           AND (:workspace IS NULL OR workspace = :workspace) \
           AND (:subject IS NULL OR subject = :subject) \
           AND (:status IS NULL OR status = :status) \
           AND (:after IS NULL OR (opened, run) < (SELECT opened, run FROM runs WHERE run = :after)) \
           AND (:text IS NULL OR subject LIKE :text ESCAPE '\\' OR reason LIKE :text ESCAPE '\\' \
                OR EXISTS (SELECT 1 FROM findings f WHERE f.run = runs.run AND f.text LIKE :text ESCAPE '\\')) \
         ORDER BY opened DESC, run DESC LIMIT :limit",
    )?;
    let rows = statement.query_map(
        named_params! {
            ":loop": filter.kind.map(LoopKind::as_str),
            ":workspace": filter.workspace,
            ":subject": filter.subject,
            ":status": filter.status.map(Status::as_str),
            ":after": filter.after.map(|run| run.to_string()),
            ":text": filter.text.as_deref().map(pattern),
            ":limit": filter.limit,
        },
        |row| {
            let status: String = row.get(4)?;
            Ok(Row {
                run: RunId(uuid(0, &row.get::<_, String>(0)?)?),
                kind: word(1, &row.get::<_, String>(1)?)?,
                subject: row.get(2)?,
                workspace: row.get(3)?,
                status: if status == "running" { Status::Running } else { Status::Ended(word(4, &status)?) },
                reason: row.get(5)?,
                rounds: row.get(6)?,
                turns: row.get(7)?,
                spent: Spend { tokens: count(row, 8)?, usd: Usd(count(row, 9)?) },
                opened: Time(count(row, 10)?),
                closed: row.get::<_, Option<i64>>(11)?.map(|ms| Time(ms.unsigned_abs())),
                seq: Seq(count(row, 12)?),
            })
        },
    )?;
    rows.collect()
}

pub(super) fn missing(connection: &Connection, mut runs: Vec<RunId>) -> Result<Vec<RunId>, rusqlite::Error> {
    let mut statement = connection.prepare_cached("SELECT run FROM runs")?;
    let known = statement.query_map([], |row| uuid(0, row.get_ref(0)?.as_str()?).map(RunId))?;
    let known: BTreeSet<RunId> = known.collect::<Result<_, _>>()?;
    runs.retain(|run| !known.contains(run));
    Ok(runs)
}

pub(super) fn findings(connection: &Connection, run: RunId) -> Result<Vec<FindingRow>, rusqlite::Error> {
    let mut statement = connection.prepare_cached(
        "SELECT finding, seat, severity, state, text, raised FROM findings WHERE run = ?1 ORDER BY place",
    )?;
    let rows = statement.query_map([run.to_string()], |row| {
        Ok(FindingRow {
            id: FindingId(uuid(0, &row.get::<_, String>(0)?)?),
            seat: SeatName(row.get(1)?),
            severity: word(2, &row.get::<_, String>(2)?)?,
            state: row.get(3)?,
            text: row.get(4)?,
            raised: Round(row.get(5)?),
        })
    })?;
    rows.collect()
}

pub(super) fn seats(connection: &Connection, run: RunId) -> Result<Vec<SeatRow>, rusqlite::Error> {
    let mut statement = connection.prepare_cached(
        "SELECT seat, agent, model, turns, tokens, usd_micros FROM seats WHERE run = ?1 ORDER BY seat",
    )?;
    let rows = statement.query_map([run.to_string()], |row| {
        Ok(SeatRow {
            seat: SeatName(row.get(0)?),
            agent: row.get(1)?,
            model: row.get(2)?,
            turns: row.get(3)?,
            spent: Spend { tokens: count(row, 4)?, usd: Usd(count(row, 5)?) },
        })
    })?;
    rows.collect()
}

/// What a theater made, if the run is one.
pub(super) fn artifact(connection: &Connection, run: RunId) -> Result<Option<ArtifactRow>, rusqlite::Error> {
    let mut statement = connection.prepare_cached(
        "SELECT project, artifact, critique_score, critique_rounds_json, critique_transcript_path, critique_status, \
         critique_protocol_version FROM artifacts WHERE run = ?1",
    )?;
    let row = statement.query_row([run.to_string()], |row| {
        Ok(ArtifactRow {
            project: row.get(0)?,
            artifact: row.get(1)?,
            score: row.get(2)?,
            rounds_json: row.get(3)?,
            transcript_path: row.get(4)?,
            status: row.get(5)?,
            protocol_version: row.get(6)?,
        })
    });
    row.optional()
}

/// `text` anywhere, with the signs that `LIKE` gives a meaning taken for themselves.
fn pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

fn count(row: &rusqlite::Row<'_>, column: usize) -> Result<u64, rusqlite::Error> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
}

fn uuid(column: usize, text: &str) -> Result<Uuid, rusqlite::Error> {
    text.parse().map_err(|error| unreadable(column, error))
}

/// A word of the log.
fn word<T: DeserializeOwned>(column: usize, text: &str) -> Result<T, rusqlite::Error> {
    let word: StrDeserializer<'_, WordError> = text.into_deserializer();
    T::deserialize(word).map_err(|error| unreadable(column, error))
}

fn unreadable(column: usize, error: impl Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
}
