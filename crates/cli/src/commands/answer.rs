//! `tribunal answer`: what a person says in their seat, or decides in the judges' place. Checked before it is accepted;
//! then the run goes on.

mod decision;

use serde_json::json;
use std::fs;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tribunal_app::answer::{waiting_run, waiting_turn};
use tribunal_app::people::{People, Question, form};
use tribunal_app::resume::take_up;
use tribunal_app::service::decider;
use tribunal_app::{AppError, Exit, Project, drive};
use tribunal_kernel::{Run, Turn, TurnId};

use super::print_json;
use super::run::{Reported, report};
use crate::args::{self, Global};
use crate::progress::Screen;
use crate::prompter;

/// How long whoever drives the run may take to see the answer.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(100);

pub(super) async fn answer(project: &Project, global: &Global, args: &args::Answer) -> Result<Exit, AppError> {
    decider()?;
    let people = People::of(project.config());
    if let Some(run) = decision::of(project, &people, args).await? {
        return decision::decide(project, global, args, &run).await;
    }
    let run = Arc::new(waiting_run(project, &people, args.run.as_deref()).await?);
    let screen = Screen::new(global.verbose, global.json);
    let can_ask = args.file.is_none() && screen.can_ask();
    let turn = waiting_turn(project, &people, &run, args.seat.as_deref(), can_ask).await?;
    let question = Question::of(&project.store, &run, turn).await?;
    let written = match &args.file {
        _ if can_ask => None,
        Some(file) if file.as_os_str() != "-" => Some(from_file(file)?),
        // Nobody types here: what there is to read is shown instead.
        None if io::stdin().is_terminal() => Some(String::new()),
        Some(_) | None => Some(from_stdin()?),
    };
    let said = match written {
        Some(written) if written.trim().is_empty() && args.file.is_none() => {
            show(global, &question, turn);
            return Ok(Exit::NotPassed);
        }
        Some(written) => match question.understand(&written) {
            Ok(said) => Some(said),
            Err(why) => return Err(refused(&question, &written, &why).await),
        },
        None => prompter::at_terminal(question.clone()).await?,
    };
    let Some(said) = said else {
        screen.say(&format!("{}: still waiting for the {}", question.title(), turn.seat));
        return Ok(Exit::NotPassed);
    };
    if !question.give(&said).await? {
        return Err(AppError::conflict(
            format!("the {} was answered already", turn.seat),
            format!("`tribunal resume {}` continues the run, if nobody is driving it", question.run()),
        ));
    }
    go_on(project, global, &run, turn).await
}

fn from_file(file: &Path) -> Result<String, AppError> {
    fs::read_to_string(file).map_err(|error| {
        AppError::invalid(format!("cannot read {}: {error}", file.display()), "`--file -` reads stdin")
    })
}

fn from_stdin() -> Result<String, AppError> {
    let mut text = String::new();
    let read = io::stdin().lock().read_to_string(&mut text);
    read.map_err(|error| AppError::invalid(format!("cannot read the answer: {error}"), "it must be UTF-8 text"))?;
    Ok(text)
}

/// Nothing is lost: what was written is there at the next try.
async fn refused(question: &Question, written: &str, why: &str) -> AppError {
    let hint = match question.keep(written).await {
        Ok(()) => "what you wrote is saved; run `tribunal answer` in a terminal to open it again",
        Err(_) => "run `tribunal answer` without an answer to see the question and the form",
    };
    AppError::invalid(format!("the answer is not valid: {why}"), hint)
}

/// Shows what is asked, and what there is to fill in.
fn show(global: &Global, question: &Question, turn: &Turn) {
    let blank = question.blank();
    if global.json {
        print_json(&json!({
            "run": question.run(), "turn": turn.id, "seat": turn.seat, "round": turn.round,
            "asked": question.asked, "sections": question.sections, "question": question.prompt, "schema": question.form, "form": blank,
        }));
        return;
    }
    println!("{}", question.prompt);
    if !blank.is_empty() {
        println!("{}\n{blank}", form::SCISSORS.replace("nothing below", "fill in what is below; nothing above"));
    }
    eprintln!("hint: answer with `tribunal answer {} --seat {} --file FILE`", question.run(), turn.seat);
}

/// Drives the run on, unless somebody else does.
async fn go_on(project: &Project, global: &Global, run: &Run, turn: &Turn) -> Result<Exit, AppError> {
    let id = run.spec().run;
    let begun = tokio::time::Instant::now();
    loop {
        if let Some(session) = take_up(project, run).await? {
            let runs = drive::drive(project, vec![session]).await?;
            let mut results: Vec<Reported> = runs.iter().map(|run| Reported::of(project, run)).collect();
            Reported::seal(project, &mut results).await?;
            report(global, &results);
            return Ok(Reported::worst(&results));
        }
        // Whoever drives it may be about to leave: then it is ours.
        let is_taken = is_over(&project.read(id).await?, turn.id);
        if is_taken || begun.elapsed() > PATIENCE {
            if global.json {
                print_json(&json!({ "run": id, "turn": turn.id, "seat": turn.seat, "taken": is_taken }));
            } else {
                println!("{}: answered; another process continues run {id}", turn.seat);
            }
            return Ok(Exit::Pass);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Whether a turn has ended.
fn is_over(run: &Run, turn: TurnId) -> bool {
    !run.in_flight().any(|in_flight| in_flight.id == turn)
}
