//! Reading runs: lists, watch events, drafts, evidence.

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Deserialize as _;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as WordError, StrDeserializer};
use similar::{ChangeTag, TextDiff};
use std::sync::Arc;
use tribunal_kernel::draft::with_final_newline;
use tribunal_kernel::{Draft, MediaType, Outcome, Round, Run, RunId};
use tribunal_store::index::{RunFilter, RunStatus};

use super::asked::{InProject, Named, OfBlob, OfRound, OfRun, Params};
use super::blocking;
use super::problem::Refused;
use super::types::{Change, CueQuery, Diff, DiffLine, DiffQuery, ForecastLeft, RunPage, RunQuery, RunRow};
use crate::gate::ticket::Ticket;
use crate::hub::Position;
use crate::preview;
use crate::server::Desk;
use tribunal_app::answer::OpenQuestion;

/// How many runs a page of the list has, if nothing is said, and at most.
const PAGE: u32 = 50;
const MAX_PAGE: u32 = 200;
/// Longer texts are not compared line by line.
const MAX_DIFF: usize = 4 << 20;

pub(super) async fn list(
    State(desk): State<Arc<Desk>>,
    InProject: InProject,
    Params(query): Params<RunQuery>,
) -> Result<Json<RunPage>, Refused> {
    let limit = query.limit.unwrap_or(PAGE).clamp(1, MAX_PAGE);
    let filter = RunFilter {
        kind: query.r#loop,
        status: query.status.as_deref().map(status).transpose()?,
        text: query.text.filter(|text| !text.trim().is_empty()),
        after: query.after,
        limit: limit + 1,
        ..RunFilter::default()
    };
    let page = blocking(move || {
        let mut found = desk.archive.find(filter).map_err(|error| {
            Refused::broken(format!("cannot read the index: {error}")).hint("`tribunal reindex` rebuilds it")
        })?;
        let has_more = found.len() > limit as usize;
        found.truncate(limit as usize);
        let next = found.last().copied().filter(|_| has_more);
        // A log that cannot be read must not keep the others from being listed.
        let runs = found.into_iter().filter_map(|run| desk.archive.row(&*desk.app, run).ok()).collect();
        Ok(RunPage { runs, next })
    });
    Ok(Json(page.await?))
}

/// A word for how runs stand.
fn status(word: &str) -> Result<RunStatus, Refused> {
    if word == "running" {
        return Ok(RunStatus::Running);
    }
    let word: StrDeserializer<'_, WordError> = word.into_deserializer();
    Outcome::deserialize(word).map(RunStatus::Ended).map_err(|error| Refused::invalid(error.to_string()))
}

pub(super) async fn one(
    State(desk): State<Arc<Desk>>,
    Named(OfRun { run }): Named<OfRun>,
) -> Result<Json<RunRow>, Refused> {
    Ok(Json(blocking(move || Ok(desk.archive.row(&*desk.app, run)?)).await?))
}

/// All that watchers are told, one frame a line.
pub(super) async fn cues(
    State(desk): State<Arc<Desk>>,
    Named(OfRun { run }): Named<OfRun>,
    Params(query): Params<CueQuery>,
) -> Result<Response, Refused> {
    let after = place(query.after.as_deref())?.unwrap_or_default();
    let past = blocking(move || Ok(desk.hub.past(run, after)?)).await?;
    let pieces = stream::unfold(past, |mut missed| async {
        let read = tokio::task::spawn_blocking(move || {
            let lines = missed.next_lines();
            (lines, missed)
        });
        let (lines, missed) = read.await.ok()?;
        Some((Ok::<Bytes, std::convert::Infallible>(lines?), missed))
    });
    let headers = [(header::CONTENT_TYPE, "application/x-ndjson"), (header::CACHE_CONTROL, "no-store")];
    Ok((headers, Body::from_stream(pieces)).into_response())
}

/// A place in a run's stream.
pub(super) fn place(after: Option<&str>) -> Result<Option<Position>, Refused> {
    let read = |text: &str| text.parse().map_err(|error| Refused::invalid(format!("`after`: {error}")));
    after.filter(|text| !text.is_empty()).map(read).transpose()
}

pub(super) async fn artifact(
    State(desk): State<Arc<Desk>>,
    Named(OfRound { run, round }): Named<OfRound>,
) -> Result<Response, Refused> {
    let (text, draft) = blocking(move || drafted(&desk, run, &round)).await?;
    let format = HeaderValue::from_static(draft.format.extension());
    let mut response = plain(text);
    response.headers_mut().insert("x-tribunal-format", format);
    Ok(response)
}

pub(super) async fn show(
    State(desk): State<Arc<Desk>>,
    Named(OfRound { run, round }): Named<OfRound>,
) -> Result<Response, Refused> {
    blocking(move || preview::send_to(&desk, &Ticket { run, round })).await
}

pub(super) async fn blob(
    State(desk): State<Arc<Desk>>,
    Named(OfBlob { run, digest }): Named<OfBlob>,
) -> Result<Response, Refused> {
    let image = {
        let desk = desk.clone();
        blocking(move || Ok(desk.archive.image(run, digest)?)).await?
    };
    if let Some((kind, bytes)) = image {
        return Ok(picture(kind, bytes));
    }
    let text = blocking(move || Ok(desk.archive.text(run, digest)?)).await?;
    text.map(plain).ok_or_else(|| Refused::unknown("this run does not reference that text"))
}

pub(super) async fn diff(
    State(desk): State<Arc<Desk>>,
    Named(OfRun { run }): Named<OfRun>,
    Params(DiffQuery { from, to }): Params<DiffQuery>,
) -> Result<Json<Diff>, Refused> {
    let lines = blocking(move || {
        let (old, _) = drafted(&desk, run, &from.to_string())?;
        let (new, _) = drafted(&desk, run, &to.to_string())?;
        if old.len().max(new.len()) > MAX_DIFF {
            return Err(Refused::invalid(format!("a draft has more than {MAX_DIFF} bytes")));
        }
        Ok(lines(&with_final_newline(&old), &with_final_newline(&new)))
    });
    Ok(Json(Diff { from, to, lines: lines.await? }))
}

fn lines(old: &str, new: &str) -> Vec<DiffLine> {
    let number = |index: Option<usize>| index.and_then(|index| u32::try_from(index + 1).ok());
    let change = |change: similar::Change<&str>| DiffLine {
        kind: match change.tag() {
            ChangeTag::Equal => Change::Same,
            ChangeTag::Insert => Change::Added,
            ChangeTag::Delete => Change::Removed,
        },
        text: change.value().trim_end_matches(['\n', '\r']).to_owned(),
        from: number(change.old_index()),
        to: number(change.new_index()),
    };
    TextDiff::from_lines(old, new).iter_all_changes().map(change).collect()
}

pub(super) async fn forecast(
    State(desk): State<Arc<Desk>>,
    Named(OfRun { run }): Named<OfRun>,
) -> Result<Json<Option<ForecastLeft>>, Refused> {
    Ok(Json(desk.app.forecast(run).await?.map(Into::into)))
}

pub(super) async fn questions(
    State(desk): State<Arc<Desk>>,
    Named(OfRun { run }): Named<OfRun>,
) -> Result<Json<Vec<OpenQuestion>>, Refused> {
    Ok(Json(desk.app.questions(run).await?))
}

/// The draft that stood at the end of a round, or what was handed over.
pub(crate) fn drafted(desk: &Desk, id: RunId, round: &str) -> Result<(String, Draft), Refused> {
    let run = desk.archive.run(id)?;
    let draft = found(&run, round)?;
    let text = desk.archive.text(id, draft.content)?;
    let text = text.ok_or_else(|| Refused::unknown(format!("round {round} has no draft")))?;
    Ok((text, draft))
}

pub(crate) fn found(run: &Run, round: &str) -> Result<Draft, Refused> {
    let none = || Refused::unknown(format!("round {round} has no draft"));
    if round == "shipped" {
        let ship = run.end().and_then(|end| end.ship.as_ref()).map(|ship| ship.draft.clone());
        return ship.ok_or_else(|| Refused::unknown("there is no artifact"));
    }
    let number: u32 = round.parse().map_err(|_| Refused::invalid(format!("`{round}` is not a round")))?;
    run.standing(Round(number)).cloned().ok_or_else(none)
}

/// An image that is attached to a brief, and that nobody takes for anything else.
fn picture(kind: MediaType, bytes: Vec<u8>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind.as_str()),
        (header::CONTENT_SECURITY_POLICY, preview::SANDBOX),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (headers, bytes).into_response()
}

/// Text that nobody takes for anything else.
fn plain(text: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, preview::SANDBOX),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (headers, text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_their_numbers() {
        let told: Vec<String> = lines("a\nb\n", "a\nc\n")
            .iter()
            .map(|line| format!("{:?} {:?}→{:?} {}", line.kind, line.from, line.to, line.text))
            .collect();
        assert_eq!(told, ["Same Some(1)→Some(1) a", "Removed Some(2)→None b", "Added None→Some(2) c"]);
    }
}
