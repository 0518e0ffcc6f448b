//! How a run stands, as rows.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use tribunal_kernel::finding::FindingState;
use tribunal_kernel::{Run, RunId, SeatName, Spend, theater};

use super::query::RunStatus;
use crate::artifacts;

/// Replaces the rows of a run, unless they are newer. `folder` is the one that the index lies in.
pub(super) fn write(connection: &Connection, folder: &Path, run: &Run) -> Result<(), rusqlite::Error> {
    let id = run.spec().run.to_string();
    let mut known = connection.prepare_cached("SELECT seq FROM runs WHERE run = ?1")?;
    let known: Option<i64> = known.query_row([&id], |row| row.get(0)).optional()?;
    if known.is_some_and(|known| known > int(run.seq().0)) {
        return Ok(());
    }
    // Its findings and seats go with it.
    connection.prepare_cached("DELETE FROM runs WHERE run = ?1")?.execute([&id])?;
    write_run(connection, &id, run)?;
    write_findings(connection, &id, run)?;
    write_seats(connection, &id, run)?;
    write_artifact(connection, &id, folder, run)
}

/// Removes a run, and with it its findings and seats.
pub(super) fn remove(connection: &Connection, run: RunId) -> Result<(), rusqlite::Error> {
    connection.execute("DELETE FROM runs WHERE run = ?1", [run.to_string()]).map(|_| ())
}

/// Removes every run.
pub(super) fn clear(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection.execute("DELETE FROM runs", []).map(|_| ())
}

fn write_run(connection: &Connection, id: &str, run: &Run) -> Result<(), rusqlite::Error> {
    let spec = run.spec();
    let reason = run.end().map(|end| end.reason.as_str()).or(run.decision().reason.as_deref());
    let spent = run.budget().spent;
    let mut insert = connection.prepare_cached(
        "INSERT INTO runs (run, loop, subject, workspace, status, reason, rounds, turns, tokens, usd_micros, opened, \
         closed, seq) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
    )?;
    insert.execute(params![
        id,
        spec.kind().as_str(),
        spec.subject(),
        spec.workspace,
        RunStatus::of(run).as_str(),
        reason,
        int(run.rounds().len() as u64),
        int(run.turns().len() as u64),
        int(spent.tokens),
        int(spent.usd.0),
        int(run.opened().0),
        run.end().map(|end| int(end.at.0)),
        int(run.seq().0),
    ])?;
    Ok(())
}

fn write_findings(connection: &Connection, id: &str, run: &Run) -> Result<(), rusqlite::Error> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO findings (run, place, finding, seat, severity, state, text, raised) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    for (life, place) in run.findings().iter().zip(1_i64..) {
        let finding = &life.finding;
        insert.execute(params![
            id,
            place,
            finding.id.0.to_string(),
            life.by.as_str(),
            finding.severity.as_str(),
            word(life.state),
            finding.text,
            life.raised.0,
        ])?;
    }
    Ok(())
}

fn write_seats(connection: &Connection, id: &str, run: &Run) -> Result<(), rusqlite::Error> {
    let mut work: BTreeMap<&SeatName, (u64, Spend)> = BTreeMap::new();
    for turn in run.turns() {
        let (turns, spent) = work.entry(&turn.seat).or_default();
        *turns += 1;
        *spent = spent.plus(turn.bill().map(|bill| bill.usage.into()).unwrap_or_default());
    }
    let mut insert = connection.prepare_cached(
        "INSERT INTO seats (run, seat, agent, model, turns, tokens, usd_micros) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for (seat, binding) in &run.spec().seats {
        let (turns, spent) = work.get(seat).copied().unwrap_or_default();
        let (tokens, usd) = (int(spent.tokens), int(spent.usd.0));
        insert.execute(params![id, seat.as_str(), binding.agent, binding.model, int(turns), tokens, usd])?;
    }
    Ok(())
}

fn write_artifact(connection: &Connection, id: &str, folder: &Path, run: &Run) -> Result<(), rusqlite::Error> {
    let Some(settings) = run.spec().settings_of::<theater::Settings>() else { return Ok(()) };
    let rounds: Vec<_> = run
        .rounds()
        .iter()
        .filter_map(|state| Some((state.round, state.tally.as_ref()?)))
        .map(|(round, tally)| json!({ "round": round, "composite": tally.composite, "mustFix": tally.must_fix }))
        .collect();
    let score = run.end().and_then(|end| end.ship.as_ref()?.composite).map(tribunal_kernel::Score::as_f64);
    let mut insert = connection.prepare_cached(
        "INSERT INTO artifacts (run, project, artifact, critique_score, critique_rounds_json, \
         critique_transcript_path, critique_status, critique_protocol_version) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    insert.execute(params![
        id,
        settings.project,
        settings.artifact,
        score,
        json!(rounds).to_string(),
        artifacts::transcript_path(folder, run.spec().run, &settings.artifact).to_string_lossy(),
        run.end().map(|end| theater::status(end.outcome)),
        settings.protocol_version,
    ])?;
    Ok(())
}

fn word(state: FindingState) -> &'static str {
    match state {
        FindingState::Open => "open",
        FindingState::Fixed { .. } => "fixed",
        FindingState::Reopened { .. } => "reopened",
        FindingState::Contested => "contested",
    }
}

/// SQLite counts to 2⁶³; nothing that is counted here gets there.
fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
