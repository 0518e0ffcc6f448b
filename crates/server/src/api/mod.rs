//! The API: one table of routes, from which both the router and the `OpenAPI` document are made.
//!
//! | file | noun |
//! |---|---|
//! | `types` | what goes over the wire |
//! | `asked` | what a request names and brings |
//! | `runs` | reading runs |
//! | `overruled` | claims that did not stand |
//! | `events` | following runs |
//! | `actions` | changing runs |
//! | `openapi` | the document |
//! | `problem` | why a request was not answered |

mod actions;
mod asked;
mod events;
pub(crate) mod openapi;
mod overruled;
pub(crate) mod problem;
mod route;
pub(crate) mod runs;
pub mod types;

use axum::Json;
use axum::http::{StatusCode, header};
use std::sync::Arc;
use tribunal_kernel::Time;
use tribunal_kernel::watch::WatchFrame;
use tribunal_store::index::{RunFilter, RunStatus};

use crate::server::Desk;
use crate::telemetry::metrics::{CONTENT_TYPE, OpenRuns};
use problem::Refused;
use route::Route;
use tribunal_app::answer::OpenQuestion;
use types::{
    Accepted, CueQuery, Diff, DiffQuery, EventQuery, ForecastLeft, GivenAnswer, NewSetting, Nothing, Overruled,
    ProjectInfo, Reopening, Rerun, RunPage, RunQuery, RunRow, Selection, ServerInfo, Settings, Start, Started,
    Steering,
};

/// More open runs than this are not counted one by one.
const MOST_OPEN: u32 = 1000;

/// Every route there is.
pub(crate) fn routes() -> Vec<Route> {
    const BASE: &str = "/api/projects/{project}";
    let at = |path: &str| format!("{BASE}{path}");
    vec![
        Route::get("/api/session".into(), "The server and its version", session).answers::<ServerInfo>(),
        Route::get("/api/projects".into(), "The projects of this server", projects).answers::<Vec<ProjectInfo>>(),
        Route::get(
            at("/events"),
            "What happens, as it happens: server-sent events `critique.<type>`, resumable; `critique.live`, without an id, is what a turn says before it ends",
            events::events,
        )
        .query::<EventQuery>()
        .streams::<WatchFrame>("text/event-stream"),
        Route::get(at("/runs"), "The runs of a project, newest first", runs::list)
            .query::<RunQuery>()
            .answers::<RunPage>(),
        Route::post(at("/runs"), "Start the trial of the project, or of a page", actions::start)
            .body::<Start>()
            .answers::<Started>(),
        Route::get(at("/runs/{run}"), "The state of a run", runs::one).answers::<RunRow>(),
        Route::get(at("/runs/{run}/cues"), "All events of a run, one frame per line", runs::cues)
            .query::<CueQuery>()
            .streams::<WatchFrame>("application/x-ndjson"),
        Route::get(
            at("/runs/{run}/rounds/{round}/artifact"),
            "The draft of a round as text; `shipped`: the final artifact",
            runs::artifact,
        )
        .streams::<String>("text/plain"),
        Route::get(
            at("/runs/{run}/rounds/{round}/preview"),
            "Sends you to the draft of a round as a document for a sandboxed frame, which shows the project's pictures",
            runs::show,
        )
        .streams::<String>("text/html"),
        Route::get(
            at("/runs/{run}/blobs/{digest}"),
            "A text that a run references: a prompt, an answer, a draft",
            runs::blob,
        )
        .streams::<String>("text/plain"),
        Route::get(at("/runs/{run}/diff"), "What changed between the drafts of two rounds", runs::diff)
            .query::<DiffQuery>()
            .answers::<Diff>(),
        Route::get(
            at("/runs/{run}/forecast"),
            "How many faults are likely left; `null` where there are no two judges to compare",
            runs::forecast,
        )
        .answers::<Option<ForecastLeft>>(),
        Route::get(at("/runs/{run}/overruled"), "Claims that did not stand, and what counts instead", overruled::list)
            .answers::<Vec<Overruled>>(),
        Route::get(at("/runs/{run}/questions"), "The open questions to people", runs::questions)
            .answers::<Vec<OpenQuestion>>(),
        Route::post(at("/runs/{run}/answer"), "Answer a question as a person", actions::answer)
            .body::<GivenAnswer>()
            .answers::<Accepted>(),
        Route::post(at("/runs/{run}/interrupt"), "Stop a run and keep everything that is finished", actions::interrupt)
            .body::<Nothing>()
            .answers::<Accepted>(),
        Route::post(
            at("/critique/{run}/interrupt"),
            "The same, at the address that the stage protocol uses",
            actions::interrupt,
        )
        .body::<Nothing>()
        .answers::<Accepted>(),
        Route::post(at("/runs/{run}/steer"), "Give an instruction to every later turn", actions::steer)
            .body::<Steering>()
            .answers::<Accepted>(),
        Route::post(at("/runs/{run}/resume"), "Continue a run that ended without a decision", actions::resume)
            .body::<Nothing>()
            .answers::<Accepted>(),
        Route::post(at("/runs/{run}/reopen"), "Lift a decision and continue", actions::reopen)
            .body::<Reopening>()
            .answers::<Accepted>(),
        Route::post(at("/runs/{run}/select"), "Choose the draft of a round", actions::select)
            .body::<Selection>()
            .answers::<Accepted>(),
        Route::post(
            at("/artifacts/{artifact}/critique/rerun"),
            "Start again from the artifact of a run, which is kept",
            actions::rerun,
        )
        .body::<Rerun>()
        .answers::<Accepted>(),
        Route::get(at("/settings"), "Every setting, and where its value comes from", actions::settings)
            .answers::<Settings>(),
        Route::put(at("/settings"), "Change a setting in the project's file", actions::set)
            .body::<NewSetting>()
            .answers::<Settings>(),
        Route::get("/api/openapi.json".into(), "This document", document).answers::<serde_json::Value>(),
        Route::get("/metrics".into(), "Metrics in the text format of Prometheus", metrics)
            .streams::<String>("text/plain"),
    ]
}

type Desked = axum::extract::State<Arc<Desk>>;

async fn session(axum::extract::State(desk): Desked) -> Json<ServerInfo> {
    Json(ServerInfo { project: desk.project.clone(), version: env!("CARGO_PKG_VERSION").into() })
}

async fn projects(axum::extract::State(desk): Desked) -> Json<Vec<ProjectInfo>> {
    Json(vec![desk.project.clone()])
}

async fn document() -> Json<serde_json::Value> {
    Json(openapi::document())
}

async fn metrics(axum::extract::State(desk): Desked) -> ([(header::HeaderName, &'static str); 1], String) {
    // Another process may have graded. Without its grades a scrape has everything else.
    if let Ok(grades) = desk.store.grades().read().await {
        desk.metrics.grades(&grades);
    }
    let all = desk.clone();
    if let Ok(open) = blocking(move || open_runs(&all)).await {
        desk.metrics.open_runs(open);
    }
    ([(header::CONTENT_TYPE, CONTENT_TYPE)], desk.metrics.render())
}

/// What the runs do that have not ended.
fn open_runs(desk: &Desk) -> Result<OpenRuns, Refused> {
    let filter = RunFilter { status: Some(RunStatus::Running), limit: MOST_OPEN, ..RunFilter::default() };
    let mut open = OpenRuns::default();
    for id in desk.archive.find(filter)? {
        // A log that cannot be read must not keep the others from being counted.
        let (Ok(row), Ok(run)) = (desk.archive.row(&*desk.app, id), desk.archive.run(id)) else { continue };
        let count = match () {
            () if row.closed.is_some() => continue,
            () if row.is_queued => &mut open.queued,
            () if !row.waiting_for.is_empty() => &mut open.waiting,
            () if run.is_parked(now()) => &mut open.parked,
            () if row.is_driven => &mut open.running,
            () => &mut open.stopped,
        };
        *count += 1;
    }
    Ok(open)
}

fn now() -> Time {
    Time(u64::try_from(crate::gate::session::now().as_millis()).unwrap_or(u64::MAX))
}

/// Does work that waits for the disk.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refused> + Send + 'static,
) -> Result<T, Refused> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "broken", error.to_string())))
}
