//! The tool `wait`: until a run has ended or a round closed, for a bounded time.

use rmcp::model::ProgressNotificationParam;
use rmcp::service::{RequestContext, RoleServer};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;
use tribunal_app::pool::RunPool;
use tribunal_app::{AppError, Project};
use tribunal_engine::DriveError;
use tribunal_kernel::Run;
use tribunal_store::backend::{Follow, LiveListener};

use super::status;
use crate::render;

/// How often the log is read again.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Entries that are taken in at a time.
const AT_A_TIME: usize = 1024;
/// Many clients give up on a call after a minute.
const MAX_SECONDS: u64 = 50;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Wait {
    /// A run id, a unique part of it, or its asset. Default: the newest run.
    run: Option<String>,
    /// What to wait for.
    until: Until,
    /// Wait at most this many seconds.
    #[schemars(range(min = 0, max = 50))]
    seconds: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Until {
    /// The run has ended.
    #[default]
    RunEnd,
    /// A round has closed since this call, or the run has ended.
    Round,
}

impl Default for Wait {
    fn default() -> Self {
        Self { run: None, until: Until::RunEnd, seconds: 30 }
    }
}

pub(super) async fn wait(
    project: &Project,
    pool: &RunPool,
    args: Wait,
    context: &RequestContext<RoleServer>,
) -> Result<Value, AppError> {
    if args.seconds > MAX_SECONDS {
        return Err(AppError::invalid(
            format!("{} seconds are too long for one call", args.seconds),
            format!("at most {MAX_SECONDS}; call again after `time_is_up`"),
        ));
    }
    let id = project.find(args.run.as_deref()).await?;
    let mut run = project.read(id).await?;
    let mut news = News {
        log: project.store.logs().follow(id, run.seq()).await?,
        live: project.store.live().listen(id).await?,
        told: 0.0,
        context,
    };
    let closed_before = closed(&run);
    let deadline = tokio::time::Instant::now() + Duration::from_secs(args.seconds);
    let because = loop {
        if run.end().is_some() {
            break "ended";
        }
        if args.until == Until::Round && closed(&run) > closed_before {
            break "round_closed";
        }
        if tokio::time::Instant::now() >= deadline {
            break "time_is_up";
        }
        tokio::time::sleep_until(deadline.min(tokio::time::Instant::now() + LOOK_EVERY)).await;
        news.follow(&mut run).await?;
    };
    let mut object = status::of(project, pool, &run).await?;
    object["because"] = json!(because);
    Ok(object)
}

fn closed(run: &Run) -> usize {
    run.rounds().iter().filter(|state| state.closed.is_some()).count()
}

/// What happens to a run, for a client that asked to be told.
struct News<'c> {
    log: Box<dyn Follow>,
    live: Box<dyn LiveListener>,
    /// How far we have told: it must grow with everything that is told.
    told: f64,
    context: &'c RequestContext<RoleServer>,
}

impl News<'_> {
    /// Takes in what happened since, and tells it.
    async fn follow(&mut self, run: &mut Run) -> Result<(), AppError> {
        loop {
            let entries = self.log.next(AT_A_TIME).await?;
            if entries.is_empty() {
                break;
            }
            for entry in &entries {
                run.apply(entry).map_err(DriveError::from)?;
                #[expect(clippy::cast_precision_loss, reason = "no log is that long")]
                let place = entry.seq.0 as f64;
                self.tell(place, render::entry(run, entry)).await;
            }
        }
        // What a turn says stands between two events.
        for frame in self.live.next().await? {
            let said = frame.text.trim();
            let place = self.told + (self.told.floor() + 1.0 - self.told) / 64.0;
            match &frame.tool {
                Some(tool) => self.tell(place, format!("{} uses {tool}", frame.role)).await,
                None if !said.is_empty() => self.tell(place, format!("{}: {said}", frame.role)).await,
                None => {}
            }
        }
        Ok(())
    }

    async fn tell(&mut self, place: f64, message: String) {
        let Some(token) = self.context.meta.get_progress_token() else { return };
        self.told = self.told.max(place);
        let progress = ProgressNotificationParam::new(token, place);
        // Who cannot be told will not get the answer either.
        let _ = self.context.peer.notify_progress(progress.with_message(message)).await;
    }
}
