//! What a person says in their seat: checked before it is accepted.

use serde_json::Value;
use std::sync::Arc;
use tribunal_kernel::{QuestionSection, Round, Run, RunId, SeatName, Time, Turn, TurnId};

use crate::error::AppError;
use crate::people::{People, Question, named};
use crate::pool::RunPool;
use crate::project::Project;
use crate::resume;

/// A question that a person has not answered yet.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Question")]
pub struct OpenQuestion {
    pub turn: TurnId,
    pub round: Round,
    pub role: SeatName,
    pub task: String,
    /// What is asked, in a few words.
    pub asked: String,
    /// What there is to read for it: the brief, the work, what was said of it before.
    pub sections: Vec<QuestionSection>,
    /// All of it as one text.
    pub prompt: String,
    /// The JSON Schema of the answer, where it has a form.
    pub form: Option<Value>,
    pub since: Option<Time>,
}

/// The run that somebody named; otherwise the newest one that waits for a person.
pub async fn waiting_run(project: &Project, people: &People, name: Option<&str>) -> Result<Run, AppError> {
    if name.is_some() {
        return project.read(project.find(name).await?).await;
    }
    for spec in project.specs().await? {
        if people.seats(&spec).is_empty() {
            continue;
        }
        let Some(run) = project.read_one_of(spec.run).await else { continue };
        if !people.open(&*project.store, &run).await?.is_empty() {
            return Ok(run);
        }
    }
    Err(AppError::not_found("no run is waiting for a person", "`tribunal status` lists all runs"))
}

/// The turn to answer. With `takes_any` the first of several will do.
pub async fn waiting_turn<'r>(
    project: &Project,
    people: &People,
    run: &'r Run,
    seat: Option<&str>,
    takes_any: bool,
) -> Result<&'r Turn, AppError> {
    let id = run.spec().run;
    let open = people.open(&*project.store, run).await?;
    let fitting: Vec<&Turn> =
        open.iter().copied().filter(|turn| seat.is_none_or(|seat| turn.seat.as_str() == seat)).collect();
    match (fitting.as_slice(), seat) {
        ([turn], _) => Ok(turn),
        ([turn, ..], _) if takes_any => Ok(turn),
        ([], Some(seat)) if !open.is_empty() => Err(AppError::not_found(
            format!("run {id} is not waiting for a person in the seat `{seat}`"),
            format!("it is waiting for: {}", named(&open)),
        )),
        ([], _) => Err(AppError::conflict(
            format!("run {id} is not waiting for a person"),
            format!("`tribunal status {id}` shows its state"),
        )),
        (several, _) => Err(AppError::invalid(
            format!("run {id} is waiting for several people: {}", named(several)),
            format!("choose one: `--seat {}`", several.first().map_or("SEAT", |turn| turn.seat.as_str())),
        )),
    }
}

/// Everything that a run asks people.
pub async fn questions(project: &Project, id: RunId) -> Result<Vec<OpenQuestion>, AppError> {
    let people = People::of(project.config());
    let run = Arc::new(project.read(id).await?);
    let mut asked = Vec::new();
    for turn in people.open(&*project.store, &run).await? {
        let Question { prompt, asked: words, sections, form, .. } = Question::of(&project.store, &run, turn).await?;
        let since = project.store.questions().asked(id, turn.id).await?;
        asked.push(OpenQuestion {
            turn: turn.id,
            round: turn.round,
            role: turn.seat.clone(),
            task: turn.task.clone(),
            asked: words,
            sections,
            prompt,
            form,
            since,
        });
    }
    Ok(asked)
}

/// Answers for a person, and drives the run on in the background.
pub async fn answer(project: &Project, pool: &RunPool, id: RunId, turn: TurnId, answer: Value) -> Result<(), AppError> {
    let run = Arc::new(project.read(id).await?);
    let people = People::of(project.config());
    let open = people.open(&*project.store, &run).await?;
    let Some(turn) = open.into_iter().find(|open| open.id == turn) else {
        return Err(AppError::conflict("this question is no longer open", "it may have been answered already"));
    };
    let question = Question::of(&project.store, &run, turn).await?;
    let written = match answer {
        Value::String(text) => text,
        object => object.to_string(),
    };
    let said = question.understand(&written).map_err(AppError::misfit)?;
    if !question.give(&said).await? {
        return Err(AppError::conflict("it was answered already", "reload the run"));
    }
    resume::go_on(project, pool, id).await
}
